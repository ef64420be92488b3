//! Compaction in the real window (X4): asked for with a command, read, edited and undone where it happened.

use support::Script;
use support::webdriver::keys;

use crate::scene::{ask, desktop, foxes};

#[tokio::test]
async fn a_conversation_is_compacted_and_its_entry_is_read_edited_and_undone() {
    let model = Script::new()
        .turn(|t| t.text(&"There are seven foxes here. ".repeat(100)).end("stop"))
        .turn(|t| {
            t.expect(|request| assert!(request.last_text().starts_with("Sum up this conversation.")))
                .text("Seven foxes.")
                .end("stop")
        })
        .turn(|t| {
            t.expect(|request| {
                let [_, (_, entry), (_, message)] = request.conversation()[..] else {
                    panic!("{:?}", request.conversation())
                };
                assert!(entry.contains("Seven foxes. And two owls."), "{entry}");
                assert_eq!(message, "Are you sure?");
            })
            .text("Quite sure.")
            .end("stop")
        })
        .turn(|t| {
            t.expect(|request| {
                let said: String = request.conversation().into_iter().map(|(_, text)| text).collect();
                assert!(said.contains("There are seven foxes here.") && !said.contains("owls"), "{said}");
            })
            .text("As before.")
            .end("stop")
        })
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "How many foxes are there?").await;
    window.reads("state", "Answered").await;

    window.write("composer", "/comp").await;
    window.reads("slash", "/compact").await;
    window.press(&[keys::ENTER]).await;
    window.reads("state", "Compacted").await;
    window.reads("entry", "1 turn summed up").await;
    window.reads("session-item", "summarized").await;
    window.click("entry-toggle").await;
    window.reads("entry-summary", "Seven foxes.").await;
    window.screenshot("compacted").await;
    window.click("entry-edit").await;
    window.write("entry-draft", " And two owls.").await;
    window.click("entry-save").await;
    window.reads("entry-summary", "Seven foxes. And two owls.").await;
    ask(&window, "Are you sure?").await;
    window.reads("answer", "Quite sure.").await;
    window.reads("state", "Answered").await;

    window.click("entry-undo").await;
    window.reads("entry", "Undone.").await;
    ask(&window, "And now?").await;
    window.reads("answer", "As before.").await;
    window.quit().await;
    model.finish();
}
