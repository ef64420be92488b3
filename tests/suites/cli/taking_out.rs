//! What a person took out of a session is not read back unasked (X6). Each turn is a process.

use serde_json::{Value, json};
use support::{Request, Script};

use super::{Desk, Ran, json as parsed, ran};

const SECRET: &str = "The answer is 42.";

fn text_of(request: &Request) -> String {
    request.messages().iter().filter_map(|it| it["content"].as_str()).collect::<Vec<_>>().join("\n")
}

/// A desk and a session in which `notes.txt` was read; the id of that turn, and the call.
fn having_read() -> (Desk, String, String) {
    let desk = Desk::new();
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.expect(|ask| assert!(text_of(ask).contains(SECRET))).text("42.").end("stop"))
        .start();
    let report = parsed(&ran(&mut desk.run(&model, &["--json", "What is it?"])).stdout);
    model.finish();
    let place = format!(
        "{}:{}",
        report["requestId"].as_str().unwrap(),
        report["toolCalls"][0]["toolCallId"].as_str().unwrap()
    );
    (desk, report["sessionId"].as_str().unwrap().to_owned(), place)
}

/// A turn of the session in which the model makes this call and then, where it may, answers. No request holds what was taken out.
fn asking(
    desk: &Desk,
    session: &str,
    more: &[&str],
    call: (&'static str, Value),
    goes_on: bool,
) -> (Ran, Vec<Value>) {
    asking_at(desk, &[&["--session", session], more].concat(), call, goes_on)
}

/// The same, in the place that these arguments name.
fn asking_at(desk: &Desk, place: &[&str], call: (&'static str, Value), goes_on: bool) -> (Ran, Vec<Value>) {
    let (name, arguments) = call;
    let mut script = Script::new().turn(|t| {
        t.expect(|ask| assert!(!text_of(ask).contains(SECRET), "{}", text_of(ask)))
            .call(name, arguments)
            .end("tool_calls")
    });
    if goes_on {
        script = script.turn(|t| {
            t.expect(|ask| assert!(!text_of(ask).contains(SECRET), "{}", text_of(ask)))
                .text("I see.")
                .end("stop")
        });
    }
    let model = script.start();
    let told = ran(&mut desk.run(&model, &[place, &["--events", "Go on."]].concat()));
    let events: Vec<Value> = told.stdout.lines().map(parsed).collect();
    let request = events[0]["requestId"].as_str().unwrap();
    let replay = ran(&mut desk.orion(&["replay", request]));
    assert_eq!(replay.code, Some(0), "T5: {}{}", replay.stdout, replay.stderr);
    model.finish();
    if told.code == Some(3) {
        // A7: the question waits for a person, and the session with it.
        let ended = ran(&mut desk.orion(&["reject", request, "--stop"]));
        assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    }
    (told, events.into_iter().map(|event| event["event"].clone()).collect())
}

fn asked(events: &[Value]) -> bool {
    events.iter().any(|event| event["type"] == "asked")
}

#[test]
fn a_result_that_was_taken_out_asks_in_that_turn_and_in_all_that_follow() {
    let (desk, session, place) = having_read();
    let read = || ("read_file", json!({"path": "./notes.txt", "start_line": 1}));
    let (told, events) = asking(&desk, &session, &["--take-out", &place], read(), false);
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    assert!(asked(&events));
    let notice = events.iter().find(|event| event["code"] == "taken_out").expect("the person is told why");
    assert_eq!(
        notice["message"],
        "You took a result of this out of the conversation, so it is not read back without your word."
    );
    // X3: it says who took it.
    let model = Script::new()
        .turn(|t| {
            t.expect(|ask| {
                assert!(text_of(ask).contains("The user took the body of this result"), "{}", text_of(ask))
            })
            .text("Well.")
            .end("stop")
        })
        .start();
    let between = ran(&mut desk.run(&model, &["--session", &session, "And?"]));
    assert_eq!(between.code, Some(0), "{}", between.stderr);
    model.finish();
    // In another turn, which takes nothing out: a search of the folder above, too.
    for call in [read(), ("search_files", json!({"pattern": "answer"}))] {
        let (told, events) = asking(&desk, &session, &[], call, false);
        assert_eq!((told.code, asked(&events)), (Some(3), true), "{}", told.stderr);
    }
    // Names are no content.
    let (told, events) = asking(&desk, &session, &[], ("list_files", json!({})), true);
    assert_eq!((told.code, asked(&events)), (Some(0), false), "{}", told.stderr);
}

#[test]
fn so_does_what_was_read_in_a_turn_that_was_taken_out() {
    let (desk, session, place) = having_read();
    let turn = place.split(':').next().unwrap();
    let read = || ("read_file", json!({"path": "notes.txt"}));
    let (told, events) = asking(&desk, &session, &["--take-out", turn], read(), false);
    assert_eq!((told.code, asked(&events)), (Some(3), true), "{}", told.stderr);
    let (told, events) = asking(&desk, &session, &[], read(), false);
    assert_eq!((told.code, asked(&events)), (Some(3), true), "{}", told.stderr);
}

// T9: the rest of the session is all of its branches.
#[test]
fn so_it_does_in_a_branch_from_before_it_was_taken_out() {
    let (desk, session, place) = having_read();
    let first = place.split(':').next().unwrap();
    let model = Script::new().turn(|t| t.text("Done.").end("stop")).start();
    let report = parsed(
        &ran(&mut desk.run(&model, &["--json", "--session", &session, "--take-out", &place, "Forget it."]))
            .stdout,
    );
    model.finish();
    let second = report["requestId"].as_str().unwrap();
    let read = || ("read_file", json!({"path": "notes.txt"}));
    // It follows the turn that read the file, and is not given the result. Then the first turn of another branch.
    for other in [second, first] {
        let (told, events) = asking_at(&desk, &["--instead-of", other], read(), false);
        assert_eq!((told.code, asked(&events)), (Some(3), true), "{}", told.stderr);
    }
}
