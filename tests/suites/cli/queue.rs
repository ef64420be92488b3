//! `orion queue`: the queue of a session, as every process sees it, over `kill -9` (A9).

use support::{Gate, Script};

use super::{Desk, Ran, json as parsed, line, ran, started};

fn queue(desk: &Desk, arguments: &[&str]) -> Ran {
    ran(desk.orion(&["queue"]).args(arguments))
}

fn texts(ran: &Ran) -> (Vec<String>, bool) {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let queue = parsed(&ran.stdout);
    let messages = queue["messages"].as_array().unwrap().iter();
    let text = |message: &serde_json::Value| message["text"].as_str().unwrap().to_owned();
    (messages.map(text).collect(), queue["held"].as_bool().unwrap())
}

#[tokio::test]
async fn what_was_queued_is_there_after_a_kill_and_held_and_nothing_of_it_was_sent() {
    let desk = Desk::new();
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("Once upon").hold(&gate).text("?").end("stop")).start();
    let (mut child, mut stdout) = started(&mut desk.run(&model, &["--events", "Tell me a story."]));
    let session = parsed(&line(&mut stdout))["sessionId"].as_str().unwrap().to_owned();
    gate.reached().await;

    let added = queue(&desk, &[&session, "And a second one.", "--json"]);
    assert_eq!(texts(&added), (vec!["And a second one.".to_owned()], false));
    let listed = queue(&desk, &[&session, "A third\none."]);
    assert_eq!(
        (listed.code, listed.stdout.as_str(), listed.stderr.as_str()),
        (
            Some(0),
            "1  And a second one.\n2  A third one.\n",
            "The queue is sent when the turn has ended with an answer.\n"
        )
    );
    child.kill().unwrap();
    child.wait().unwrap();

    let after = queue(&desk, &[&session, "--json"]);
    assert_eq!(texts(&after), (vec!["And a second one.".to_owned(), "A third\none.".to_owned()], true));
    let moved = queue(&desk, &[&session, "--move", "2", "1", "--json"]);
    assert_eq!(texts(&moved).0, ["A third\none.", "And a second one."]);
    let changed = queue(&desk, &[&session, "A third one.", "--edit", "1", "--json"]);
    assert_eq!(texts(&changed), (vec!["A third one.".to_owned(), "And a second one.".to_owned()], true));
    let removed = queue(&desk, &[&session, "--remove", "2", "--json"]);
    assert_eq!(texts(&removed), (vec!["A third one.".to_owned()], true));
    let none = queue(&desk, &[&session, "--remove", "2"]);
    assert_eq!(
        (none.code, none.stderr.as_str()),
        (Some(2), "orion: The queue has no message number 2.\norion queue SESSION lists those that wait.\n")
    );
    model.finish();

    // A message of its own goes before them, and they stay held.
    let model = Script::new()
        .turn(|t| t.expect(|ask| assert_eq!(ask.last_text(), "Start again.")).text("Once.").end("stop"))
        .start();
    let run = ran(&mut desk.run(&model, &["--session", &session, "Start again."]));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(texts(&queue(&desk, &[&session, "--json"])), (vec!["A third one.".to_owned()], true));
    model.finish();
}

#[test]
fn a_session_that_is_not_there_has_no_queue() {
    let desk = Desk::new();
    let unknown = "01900000-0000-7000-8000-000000000002";
    for arguments in [&[unknown][..], &[unknown, "Hello."]] {
        let Ran { code, stdout, .. } = queue(&desk, arguments);
        assert_eq!((code, stdout.as_str()), (Some(1), ""));
    }
    assert_eq!(queue(&desk, &[unknown, " "]).code, Some(1));
}
