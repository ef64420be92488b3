//! Going back in a conversation, as a person does it: a message is edited and sent again (T9), and a session is rewound to an earlier message
//! with its files, and that is undone (A10).

use std::fs;

use serde_json::json;
use support::webdriver::keys;
use support::{Request, Script, Window};

use crate::scene::{ask, desktop, foxes};

/// Opens the menu of the nth message, from 0, and chooses what begins with this.
async fn choose(window: &Window, message: usize, action: &str) {
    let open =
        "const menu = document.querySelectorAll('[data-turn]')[arguments[0]].querySelector('.item-menu');
        menu.focus(); menu.scrollIntoView({ block: 'center' });";
    window.script(open, json!([message])).await;
    window.press(&[keys::ENTER]).await;
    let css = "const item = [...document.querySelectorAll('[role=menuitem]')].find((it) => it.textContent.startsWith(arguments[0]));
        item?.click(); return item !== undefined";
    window
        .until(&format!("{action} to be there"), async || {
            let found = window.session.execute(css, json!([action])).await?;
            Ok((found == json!(true)).then_some(()))
        })
        .await;
}

async fn turns(window: &Window, count: usize) {
    let css = "return document.querySelectorAll('[data-turn]').length";
    window
        .until(&format!("{count} turns to be shown"), async || {
            let found = window.session.execute(css, json!([])).await?;
            Ok((found == json!(count)).then_some(()))
        })
        .await;
}

fn asked(request: &Request) -> Vec<String> {
    let own = request.conversation().into_iter().filter(|(role, _)| *role == "user");
    own.map(|(_, text)| text.to_owned()).collect()
}

#[tokio::test]
async fn a_message_is_edited_and_sent_again_and_both_branches_are_there() {
    let model = Script::new()
        .turn(|t| t.text("Seven.").end("stop"))
        .turn(|t| t.text("Red.").end("stop"))
        .turn(|t| {
            t.expect(|ask| assert_eq!(asked(ask), ["How many?", "Which is the rarest?"]))
                .text("Silver.")
                .end("stop")
        })
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "How many?").await;
    window.reads("answer", "Seven.").await;
    ask(&window, "Which colour?").await;
    window.reads("answer", "Red.").await;

    choose(&window, 1, "Edit").await;
    window.fill("message-edit", "Which is the rarest?").await;
    window.screenshot("message-edit").await;
    window.press(&[keys::ENTER]).await;
    window.reads("answer", "Silver.").await;
    window.reads("branches", "2 of 2").await;
    turns(&window, 2).await;
    window.screenshot("branches").await;
    window.script("document.querySelector(\"[aria-label='Earlier branch']\").click()", json!([])).await;
    window.reads("branches", "1 of 2").await;
    window.reads("answer", "Red.").await;
    turns(&window, 2).await;
    window.quit().await;
    model.finish();
}

#[tokio::test]
async fn a_session_is_rewound_with_its_files_and_that_is_undone() {
    let begin = |path: &str| json!({"intent": "As asked.", "target_file": path, "operation": "overwrite"});
    let model = Script::new()
        .turn(|t| t.text("Seven.").end("stop"))
        .turn(|t| t.call("write_plan_begin", begin("docs/colours.md")).end("tool_calls"))
        .turn(|t| t.text("Silver.\nDONE").end("stop"))
        .turn(|t| t.text("It is silver now.").end("stop"))
        .start();
    let (desktop, folder) = (desktop(&model), foxes());
    let file = folder.path().join("docs/colours.md");
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "How many?").await;
    window.reads("answer", "Seven.").await;
    ask(&window, "Make it silver.").await;
    window.reads("phase-bar", "Waiting for your approval").await;
    window.click("write-approve").await;
    window.reads("answer", "It is silver now.").await;
    assert_eq!(fs::read_to_string(&file).unwrap(), "Silver.\n");

    choose(&window, 1, "Rewind").await;
    window.reads("rewound-files", "docs/colours.md").await;
    window.screenshot("rewind-preview").await;
    assert_eq!(fs::read_to_string(&file).unwrap(), "Silver.\n", "nothing has changed yet");
    window.click("rewind-go").await;
    window.reads("rewind-notice", "You went back to an earlier message. 1 file put back.").await;
    turns(&window, 1).await;
    window.screenshot("rewound").await;
    assert_eq!(fs::read_to_string(&file).unwrap(), "Red, grey and arctic.\n");

    window.click("rewind-undo").await;
    window.reads("rewind-notice", "The conversation is back. 1 file as before the rewind.").await;
    turns(&window, 2).await;
    assert_eq!(fs::read_to_string(&file).unwrap(), "Silver.\n");
    window.quit().await;
    model.finish();
}
