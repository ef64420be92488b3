//! A fork of a turn: a session of its own that goes on from one of its phases, with what is left of its budget (T9). Each step is a process.

use serde_json::{Value, json};
use support::{Request, Script, ScriptedModel};

use super::journals::sql;
use super::writes::{on, on_disk, writer};
use super::{Desk, Ran, json as parsed, ran, replays};

/// A session of two turns: the second reads two files, and answers in its fifth phase. Its id, its session's, and its requests.
pub(super) fn having_read() -> (Desk, String, String, Vec<Value>) {
    let desk = Desk::new();
    let model = Script::new().turn(|t| t.text("1.").end("stop")).start();
    let first = parsed(&ran(&mut desk.run(&model, &["--json", "One?"])).stdout);
    model.finish();
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.call("read_file", json!({"path": "src/main.c"})).end("tool_calls"))
        .turn(|t| t.text("42, in C.").end("stop"))
        .start();
    let session = first["sessionId"].as_str().unwrap().to_owned();
    let second =
        parsed(&ran(&mut desk.run(&model, &["--session", &session, "--json", "What is it?"])).stdout);
    let sent = messages(&model.requests());
    model.finish();
    (desk, second["requestId"].as_str().unwrap().to_owned(), session, sent)
}

fn messages(requests: &[Request]) -> Vec<Value> {
    requests.iter().map(|request| json!(request.messages())).collect()
}

pub(super) fn forked(desk: &Desk, arguments: &[&str]) -> (String, String) {
    let told = ran(&mut desk.orion(&[&["fork", "--json"], arguments].concat()));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let forked = parsed(&told.stdout);
    let id = |of: &str| forked[of].as_str().unwrap().to_owned();
    (id("sessionId"), id("requestId"))
}

fn refused(desk: &Desk, arguments: &[&str]) -> (Option<i32>, String) {
    let Ran { code, stderr, .. } = ran(&mut desk.orion(arguments));
    (code, stderr)
}

pub(super) fn answers(text: &'static str) -> ScriptedModel {
    Script::new().turn(|t| t.text(text).end("stop")).start()
}

#[test]
fn a_fork_goes_on_from_its_phase_with_the_same_context_and_what_is_left_of_the_budget() {
    // T9
    let (desk, request, session, sent) = having_read();
    let before = ran(&mut desk.orion(&["replay", &request])).stdout;
    let (other, fork) = forked(&desk, &[&request, "--phase", "3"]);
    assert!(other != session && fork != request);
    let model = answers("Only the notes say so.");
    let told = on(&desk, &model, &["resume", &fork, "--json"]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    // What the model was sent there, and nothing that came later.
    assert_eq!(messages(&model.requests()), [sent[1].clone()]);
    model.finish();
    let report = parsed(&told.stdout);
    assert_eq!(
        (&report["answer"], &report["cycles"], &report["toolRuns"], &report["sessionId"]),
        (&json!("Only the notes say so."), &json!(1), &json!(1), &json!(other))
    );
    replays(&desk, &fork);
    assert_eq!(ran(&mut desk.orion(&["replay", &request])).stdout, before, "the turn is as it was");
    // The next message follows the fork, with what came before it.
    let model = answers("Yes.");
    let told = ran(&mut desk.run(&model, &["--session", &other, "Sure?"]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let said = messages(&model.requests())[0].as_array().unwrap().clone();
    let texts: Vec<&str> = said.iter().filter_map(|message| message["content"].as_str()).collect();
    for part in ["One?", "What is it?", "The answer is 42.", "Only the notes say so.", "Sure?"] {
        assert!(texts.iter().any(|text| text.contains(part)), "{part}: {texts:?}");
    }
    assert!(!texts.iter().any(|text| text.contains("int main")), "{texts:?}");
    model.finish();
}

#[test]
fn a_turn_is_forked_from_each_of_its_phases_and_without_a_number_from_the_last() {
    // T8: a copy that this version would not say is not kept.
    let (desk, request, _, sent) = having_read();
    for (phase, goes_on_with) in [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2)] {
        let (_, fork) = forked(&desk, &[&request, "--phase", &phase.to_string()]);
        replays(&desk, &fork);
        let model = answers("Done.");
        let told = on(&desk, &model, &["resume", &fork]);
        assert_eq!(told.code, Some(0), "phase {phase}: {}", told.stderr);
        // In a tool phase, its call runs once more.
        assert_eq!(messages(&model.requests()), [sent[goes_on_with].clone()], "phase {phase}");
        model.finish();
        replays(&desk, &fork);
    }
    // A2: it waits before the model call, and what the person does to a result is theirs.
    let (_, fork) = forked(&desk, &[&request]);
    let model = answers("Done.");
    assert_eq!(on(&desk, &model, &["resume", &fork]).code, Some(0));
    assert_eq!(messages(&model.requests()), [sent[2].clone()]);
    model.finish();
    let (_, fork) = forked(&desk, &[&request, "--phase", "3"]);
    let model = answers("Done.");
    assert_eq!(on(&desk, &model, &["resume", &fork, "--drop-result"]).code, Some(0));
    assert!(!messages(&model.requests())[0].to_string().contains("The answer is 42."));
    model.finish();
    replays(&desk, &fork);
}

#[test]
fn a_fork_stays_whole_when_the_session_that_it_comes_from_is_deleted() {
    let (desk, request, session, sent) = having_read();
    let (_, fork) = forked(&desk, &[&request, "--phase", "5"]);
    let told = ran(&mut desk.orion(&["sessions", "delete", &session]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let model = answers("Done.");
    assert_eq!(on(&desk, &model, &["resume", &fork]).code, Some(0));
    assert_eq!(messages(&model.requests()), [sent[2].clone()]);
    model.finish();
    replays(&desk, &fork);
}

#[test]
fn a_fork_has_what_was_written_before_its_phase_and_none_begins_in_a_write_session() {
    // W2: phase 3 is the prompt of the write session, and phase 4 the answer after it.
    let desk = Desk::new();
    let model = writer().turn(|t| t.text("It says 43 now.").end("stop")).start();
    let told = ran(&mut desk.run(&model, &["--json", "--approve-writes", "Make it 43."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let request = parsed(&told.stdout)["requestId"].as_str().unwrap().to_owned();
    let last = messages(&model.requests()).pop();
    model.finish();
    let trace = ran(&mut desk.orion(&["trace", &request])).stdout;
    let (code, said) = refused(&desk, &["fork", &request, "--phase", "3"]);
    assert_eq!(
        (code, said.as_str()),
        (
            Some(2),
            "orion: This phase is part of a write session, which cannot be forked.\nFork from a phase before the write session or after it.\n"
        ),
        "{trace}"
    );
    let (other, fork) = forked(&desk, &[&request]);
    let model = answers("It says 43.");
    assert_eq!(on(&desk, &model, &["resume", &fork]).code, Some(0));
    assert_eq!(messages(&model.requests()).pop(), last);
    model.finish();
    // W7: it is undone in the fork as well as where it was written, and once.
    let told = ran(&mut desk.orion(&["diff", &other]));
    assert!(told.stdout.contains("+The answer is 43."), "{}{}", told.stdout, told.stderr);
    assert_eq!(ran(&mut desk.orion(&["undo", &fork])).code, Some(0));
    assert!(on_disk(&desk, "notes.txt").contains("42"));
}

#[test]
fn what_cannot_be_forked_is_refused_and_leaves_no_session() {
    let (desk, request, ..) = having_read();
    let none = "0190a000-0000-7000-8000-000000000000";
    for (arguments, code, words) in [
        (&["fork", none][..], 1, "There is no such turn"),
        (&["fork", &request, "--phase", "6"], 2, "The turn has no such phase.\nIt has 5."),
        (&["fork", &request, "--phase", "0"], 2, "0 is not in 1.."),
    ] {
        let (told, said) = refused(&desk, arguments);
        assert_eq!((told, said.contains(words)), (Some(code), true), "{said}");
    }
    let sessions = parsed(&ran(&mut desk.orion(&["sessions", "--json"])).stdout);
    assert_eq!(sessions.as_array().unwrap().len(), 1);
}

// T8
#[test]
fn a_turn_of_another_version_is_not_forked_and_stays_as_it_is() {
    let (desk, request, ..) = having_read();
    sql(
        &desk,
        "UPDATE journal SET body = json_set(body, '$.done.outcome.summary', 'Nothing')
         WHERE kind = 'input' AND body ->> '$.done.type' = 'tool'",
    );
    let before = ran(&mut desk.orion(&["export", &request])).stdout;
    for arguments in [&["fork", &request][..], &["fork", &request, "--phase", "1"]] {
        let (code, said) = refused(&desk, arguments);
        let words = "written by another version of Orion";
        assert_eq!((code, said.contains(words)), (Some(1), true), "{said}");
    }
    let sessions = parsed(&ran(&mut desk.orion(&["sessions", "--json"])).stdout);
    assert_eq!(sessions.as_array().unwrap().len(), 1);
    assert_eq!(ran(&mut desk.orion(&["export", &request])).stdout, before);
}

/// A turn in the place of another one.
pub(super) fn again(desk: &Desk, model: &ScriptedModel, request: &str) -> Ran {
    ran(&mut desk.run(model, &["--instead-of", request, "--json"]))
}

#[test]
fn a_turn_in_the_place_of_a_forks_first_one_is_given_what_that_one_was_given() {
    // T9, X1: and so it stays after the other session is deleted.
    for deleted in [false, true] {
        let (desk, request, session, sent) = having_read();
        let (other, fork) = forked(&desk, &[&request, "--phase", "3"]);
        let model = answers("Once.");
        assert_eq!(on(&desk, &model, &["resume", &fork]).code, Some(0));
        model.finish();
        if deleted {
            assert_eq!(ran(&mut desk.orion(&["sessions", "delete", &session])).code, Some(0));
        }
        let model = answers("Twice.");
        let told = again(&desk, &model, &fork);
        assert_eq!(told.code, Some(0), "{}", told.stderr);
        let report = parsed(&told.stdout);
        assert_eq!(report["sessionId"], json!(other));
        assert_eq!(messages(&model.requests()), [sent[0].clone()], "deleted: {deleted}");
        model.finish();
        replays(&desk, report["requestId"].as_str().unwrap());
        // The branch beside it is there still, and the next message knows what the fork was given.
        let model = answers("Yes.");
        assert_eq!(ran(&mut desk.run(&model, &["--session", &other, "Sure?"])).code, Some(0));
        let said = messages(&model.requests())[0].to_string();
        for (part, is_in) in [("One?", true), ("What is it?", true), ("Twice.", true), ("Once.", false)] {
            assert_eq!(said.contains(part), is_in, "{part}: {said}");
        }
        model.finish();
        replays(&desk, &fork);
    }
}

#[test]
fn what_was_spent_before_the_fork_counts_where_it_was_spent() {
    let desk = Desk::new();
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).usage(1_000, 10).end("tool_calls"))
        .turn(|t| t.text("42.").usage(2_000, 20).end("stop"))
        .start();
    let report = parsed(&ran(&mut desk.run(&model, &["--json", "What is it?"])).stdout);
    model.finish();
    let (other, fork) = forked(&desk, &[report["requestId"].as_str().unwrap(), "--phase", "3"]);
    let model = Script::new().turn(|t| t.text("43.").usage(2_000, 25).end("stop")).start();
    let told = on(&desk, &model, &["resume", &fork, "--json"]);
    model.finish();
    // P4: the first response was dropped, so its usage is an estimate.
    let tokens = |report: &Value, kind: &str| report["usage"][kind].as_u64().unwrap();
    let all = parsed(&told.stdout);
    assert_eq!(tokens(&all, "promptTokens"), tokens(&report, "promptTokens"), "bounds are those of the turn");
    assert_eq!(tokens(&all, "completionTokens"), tokens(&report, "completionTokens") + 5);
    let sessions = parsed(&ran(&mut desk.orion(&["sessions", "--json"])).stdout);
    let spent = |session: &str| {
        let all = sessions.as_array().unwrap();
        let spent = &all.iter().find(|one| one["sessionId"] == json!(session)).unwrap()["spent"];
        (spent["promptTokens"].clone(), spent["completionTokens"].clone())
    };
    let of_the_first = (report["usage"]["promptTokens"].clone(), report["usage"]["completionTokens"].clone());
    assert_eq!(spent(report["sessionId"].as_str().unwrap()), of_the_first);
    assert_eq!(spent(&other), (json!(2_000), json!(25)));
    let stats = parsed(&ran(&mut desk.orion(&["stats", "--json"])).stdout);
    assert_eq!(stats["rows"][0]["turns"], json!(1), "a fork from the middle is no turn of its own: {stats}");
}

#[test]
fn a_fork_of_a_call_that_asked_waits_for_an_answer_of_its_own() {
    // A3: an answer in the one is none in the other.
    let desk = Desk::with_settings("[tools.read_file]\npermission = 'ask'\n");
    let model =
        Script::new().turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls")).start();
    let told = ran(&mut desk.run(&model, &["--json", "What is it?"]));
    assert_eq!(told.code, Some(3), "{}", told.stderr);
    model.finish();
    let request = parsed(&told.stdout)["requestId"].as_str().unwrap().to_owned();
    let (_, fork) = forked(&desk, &[&request, "--phase", "2"]);
    let model = answers("I may not.");
    assert_eq!(on(&desk, &model, &["reject", &request]).code, Some(0));
    model.finish();
    let model = Script::new()
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("The answer is 42."), "{}", ask.last_text()))
                .text("42.")
                .end("stop")
        })
        .start();
    let told = on(&desk, &model, &["approve", &fork]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    model.finish();
    replays(&desk, &fork);
}

#[test]
fn the_title_of_a_fork_tells_it_from_the_session_that_it_comes_from_and_from_other_forks() {
    let (desk, request, session, _) = having_read();
    let (one, fork) = forked(&desk, &[&request, "--phase", "3"]);
    let (two, _) = forked(&desk, &[&request]);
    let (of_a_fork, _) = forked(&desk, &[&fork]);
    let sessions = parsed(&ran(&mut desk.orion(&["sessions", "--json"])).stdout);
    let titles = [session, one, two, of_a_fork].map(|id| {
        let all = sessions.as_array().unwrap();
        all.iter().find(|one| one["sessionId"] == json!(id)).unwrap()["title"].as_str().unwrap().to_owned()
    });
    assert_eq!(titles, ["One?", "Fork: One?", "Fork 2: One?", "Fork 3: One?"]);
}

#[test]
fn a_turn_in_which_a_call_was_tried_again_is_forked_like_any_other() {
    // T1, T8: the error of the first try names its turn, and in the fork it names the fork's.
    let desk = Desk::new();
    let model = Script::new()
        .turn(|t| t.status(503).header("retry-after", "0").body("busy"))
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.text("42.").end("stop"))
        .start();
    let report = parsed(&ran(&mut desk.run(&model, &["--json", "What is it?"])).stdout);
    assert_eq!(report["retries"], json!(1));
    model.finish();
    let (_, fork) = forked(&desk, &[report["requestId"].as_str().unwrap(), "--phase", "3"]);
    let model = answers("Done.");
    assert_eq!(on(&desk, &model, &["resume", &fork]).code, Some(0));
    model.finish();
    replays(&desk, &fork);
}

#[test]
fn a_fork_has_what_was_left_of_the_budget_and_no_more() {
    // T4, T9: one of two steps was used before the fork.
    let desk = Desk::new();
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| t.text("42.").end("stop"))
        .start();
    let report = parsed(&ran(&mut desk.run(&model, &["--max-cycles", "2", "--json", "What is it?"])).stdout);
    model.finish();
    let (_, fork) = forked(&desk, &[report["requestId"].as_str().unwrap(), "--phase", "3"]);
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "src/main.c"})).end("tool_calls"))
        .turn(|t| t.text("42, in C.").end("stop"))
        .start();
    let told = on(&desk, &model, &["resume", &fork, "--json"]);
    model.finish();
    let fork = parsed(&told.stdout);
    assert_eq!(
        (told.code, &fork["stopReason"], &fork["cycles"], &fork["bounds"]),
        (Some(4), &json!("budget_exhausted"), &json!(2), &report["bounds"]),
        "{}",
        told.stderr
    );
}
