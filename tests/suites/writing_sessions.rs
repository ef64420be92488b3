//! Write sessions through the engine: end lines of their own, several in a turn, and changes that cross each other (W3, A3).

use orion_protocol::{Code, Op, StopReason, TurnEvent, WriteRevision, WriteStatus};
use support::{Folder, Request, Script, Turn, within};

use crate::driver_desk::{Desk, to_end};
use crate::writing::{approve, begin, on_disk, until_ready};

/// The end line that the model is asked for, when it is one of the session's own.
fn end_line(ask: &Request) -> String {
    let text = ask.last_text();
    let line = text.lines().find(|line| line.starts_with("DONE-") && line.len() == 13);
    line.unwrap_or_else(|| panic!("no end line of its own in {text}")).to_owned()
}

/// Writes this with the session's own end line, and then says so.
async fn written_strictly(path: &'static str, folder: Folder, content: &'static str) -> (Desk, String) {
    let model = Script::new()
        .turn(move |t| t.call("write_plan_begin", begin(path, "overwrite")).end("tool_calls"))
        .forever(move |number, ask| match number {
            2 => Turn::default().text(content).text("\n").text(&end_line(ask)).end("stop"),
            _ => Turn::default().text("It is done.").end("stop"),
        })
        .start();
    let desk = Desk::at(&model.base_url(), folder).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, _, proposal) = until_ready(&mut turn).await;
    approve(&desk, request_id, proposal.digest, None).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    model.finish();
    let text = on_disk(&desk, path).unwrap();
    (desk, text)
}

// W3: strict, since the file ends so already
#[tokio::test]
async fn a_file_that_ends_in_done_is_ended_by_a_line_of_its_own() {
    let folder = Folder::with([("list.txt", "to do\nDONE\n")]);
    let (_desk, text) = written_strictly("list.txt", folder, "to do\nmore\nDONE").await;
    assert_eq!(text, "to do\nmore\nDONE\n");
}

// W3: strict, by the project's own file
#[tokio::test]
async fn a_project_can_ask_for_an_end_line_of_its_own_for_every_file() {
    let folder = Folder::with([("a.txt", "alpha\n"), (".orion/config.toml", "strict_end_line = true\n")]);
    let (_desk, text) = written_strictly("a.txt", folder, "omega\nDONE").await;
    assert_eq!(text, "omega\nDONE\n");
}

// W1: one after the other
#[tokio::test]
async fn a_turn_writes_one_file_after_the_other_each_with_its_own_approval() {
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("a.txt", "overwrite")).end("tool_calls"))
        .turn(|t| t.text("one\nDONE").end("stop"))
        .turn(|t| t.call("write_plan_begin", begin("b.txt", "overwrite")).end("tool_calls"))
        .turn(|t| t.text("two\nDONE").end("stop"))
        .turn(|t| t.text("Both are written.").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write both.").await;
    let request_id = turn.request_id();
    let (mut told, first, one) = until_ready(&mut turn).await;
    approve(&desk, request_id, one.digest, None).await.unwrap();
    let (more, second, two) = until_ready(&mut turn).await;
    told.extend(more);
    assert_eq!((first, second), (1, 2));
    assert_eq!(approve(&desk, request_id, one.digest, None).await, Err(Code::NotWaiting), "A7");
    assert_eq!(on_disk(&desk, "b.txt").as_deref(), Some("beta\n"));
    approve(&desk, request_id, two.digest, None).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    let texts = ["a.txt", "b.txt"].map(|path| on_disk(&desk, path).unwrap());
    assert_eq!(texts, ["one\n", "two\n"]);
    let report = told.last().unwrap().event.terminal().unwrap();
    let writes: Vec<_> = report.writes.iter().map(|it| (it.path.as_str(), it.status)).collect();
    assert_eq!(writes, [("a.txt", Some(WriteStatus::Written)), ("b.txt", Some(WriteStatus::Written))]);

    // W7: one of them, by its number.
    desk.engine.submit(Op::UndoWrite { request_id, write: Some(1) }).await.unwrap();
    let texts = ["a.txt", "b.txt"].map(|path| on_disk(&desk, path).unwrap());
    assert_eq!(texts, ["alpha\n", "two\n"]);
    model.finish();
}

// A3: of two changes of one proposal, one is taken; the other was made of what is asked no more.
#[tokio::test]
async fn of_two_changes_of_one_proposal_the_second_is_stale() {
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("a.txt", "overwrite")).end("tool_calls"))
        .turn(|t| t.text("omega\nDONE").end("stop"))
        .turn(|t| t.text("It is done.").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it.").await;
    let request_id = turn.request_id();
    let (mut told, _, proposal) = until_ready(&mut turn).await;
    // Both look at what is asked before either is made.
    let revise = |text: &str| {
        let (digest, revision) = (proposal.digest, WriteRevision::Text { text: format!("{text}\n") });
        desk.engine.submit(Op::ReviseWrite { request_id, digest, revision })
    };
    let (one, two) = tokio::join!(revise("one"), revise("two"));
    let taken = match (one, two) {
        (Ok(_), Err(error)) if error.code == Code::ApprovalStale => "one\n",
        (Err(error), Ok(_)) if error.code == Code::ApprovalStale => "two\n",
        other => panic!("{other:?}"),
    };
    let (more, _, revised) = until_ready(&mut turn).await;
    told.extend(more);
    approve(&desk, request_id, revised.digest, None).await.unwrap();
    told.extend(within("the turn to end", to_end(turn)).await);
    desk.check(&told).await;
    assert_eq!(on_disk(&desk, "a.txt").as_deref(), Some(taken));
    let proposed = told.iter().filter(|it| matches!(it.event, TurnEvent::WriteReady { .. })).count();
    assert_eq!(proposed, 2);
    assert_eq!(told.last().unwrap().event.terminal().unwrap().stop_reason, StopReason::Answered);
    model.finish();
}
