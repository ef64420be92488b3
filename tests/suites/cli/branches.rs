//! Another turn in the place of an earlier one (T9): what the model is sent of the session follows the parents, and the branch that was left
//! is not part of it (X1). Each turn is a process.

use support::{Request, Script};

use super::{Desk, json, ran};

/// The session as this request has it: who said what, without what Orion says itself.
fn said(request: &Request) -> Vec<(String, String)> {
    let own = request.conversation().into_iter().filter(|(role, _)| *role != "system");
    own.map(|(role, text)| (role.to_owned(), text.to_owned())).collect()
}

fn pairs(said: &[(&str, &str)]) -> Vec<(String, String)> {
    said.iter().map(|(role, text)| ((*role).to_owned(), (*text).to_owned())).collect()
}

/// A turn that is sent exactly this, and answers. The report.
fn turn(desk: &Desk, arguments: &[&str], sent: &[(&str, &str)], answer: &str) -> serde_json::Value {
    let model = Script::new().turn(|t| t.text(answer).end("stop")).start();
    let told = ran(&mut desk.run(&model, &[&["--json"], arguments].concat()));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert_eq!(said(&model.requests()[0]), pairs(sent));
    model.finish();
    let report = json(&told.stdout);
    let replay = ran(&mut desk.orion(&["replay", report["requestId"].as_str().unwrap()]));
    assert_eq!(replay.code, Some(0), "T5: {}{}", replay.stdout, replay.stderr);
    report
}

#[test]
fn a_message_that_is_changed_and_sent_again_leaves_its_branch_behind() {
    let desk = Desk::new();
    let id = |report: &serde_json::Value, of: &str| report[of].as_str().unwrap().to_owned();
    let first = turn(&desk, &["One?"], &[("user", "One?")], "1.");
    let session = id(&first, "sessionId");
    let one = [("user", "One?"), ("assistant", "1.")];
    let second =
        turn(&desk, &["--session", &session, "Two?"], &[&one[..], &[("user", "Two?")]].concat(), "2.");
    let two = [&one[..], &[("user", "Two?"), ("assistant", "2.")]].concat();
    turn(&desk, &["--session", &session, "Three?"], &[&two[..], &[("user", "Three?")]].concat(), "3.");

    // Another message in its place: what was said after the first turn is not there.
    let second = id(&second, "requestId");
    let changed =
        turn(&desk, &["--instead-of", &second, "Ten?"], &[&one[..], &[("user", "Ten?")]].concat(), "10.");
    assert_eq!(
        (id(&changed, "sessionId"), id(&changed, "parentRequestId")),
        (session.clone(), id(&first, "requestId"))
    );
    let ten = [&one[..], &[("user", "Ten?"), ("assistant", "10.")]].concat();
    turn(&desk, &["--session", &session, "Go on."], &[&ten[..], &[("user", "Go on.")]].concat(), "11.");

    // The same message once more, in the branch that was left.
    let again = turn(&desk, &["--instead-of", &second], &[&one[..], &[("user", "Two?")]].concat(), "Two.");
    assert_eq!(id(&again, "parentRequestId"), id(&first, "requestId"));
    let last = [&one[..], &[("user", "Two?"), ("assistant", "Two.")]].concat();
    turn(&desk, &["--session", &session, "And?"], &[&last[..], &[("user", "And?")]].concat(), "So.");

    // And the first of all.
    let anew = turn(&desk, &["--instead-of", &id(&first, "requestId"), "Zero?"], &[("user", "Zero?")], "0.");
    assert_eq!(anew["parentRequestId"], serde_json::Value::Null);
    let zero = [("user", "Zero?"), ("assistant", "0."), ("user", "Then?")];
    turn(&desk, &["--session", &session, "Then?"], &zero, "Then.");
}

#[test]
fn a_turn_cannot_take_the_place_of_one_that_is_not_there() {
    let desk = Desk::new();
    let unknown = "0190a000-0000-7000-8000-000000000000";
    let told = ran(&mut desk.orion(&["run", "--demo", "--instead-of", unknown, "Hello."]));
    assert_eq!(told.code, Some(1), "{}", told.stderr);
    assert!(told.stderr.contains("There is no such turn"), "{}", told.stderr);
}
