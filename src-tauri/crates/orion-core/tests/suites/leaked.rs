//! A call that the model writes into its text, in a turn (P4, P5, P6, P8, A1, D2).

use orion_core::model::{Message, Profile, ResultsAs};
use orion_core::permission::Rules;
use orion_core::tool::ToolOutcome;
use orion_core::turn::{Flag, Flags, TurnSetup};
use orion_protocol::{
    AskedBy, CallId, NoticeCode, PendingOf, Permission, Policy, Route, StopReason, ToolStatus, TurnEvent,
    TurnReport,
};

use crate::common::{Played, call, finish, found, limited, setup, text, two_stage};

/// As Hermes and Qwen write it.
fn leak(name: &str, arguments: &str) -> String {
    format!("<tool_call>\n{{\"name\": \"{name}\", \"arguments\": {arguments}}}\n</tool_call>")
}

fn notices(played: &Played) -> Vec<NoticeCode> {
    played
        .events()
        .filter_map(|event| if let TurnEvent::Notice { code, .. } = event { Some(*code) } else { None })
        .collect()
}

fn report(played: &Played) -> &TurnReport {
    played
        .events()
        .find_map(|event| match event {
            TurnEvent::Completed { report }
            | TurnEvent::Failed { report }
            | TurnEvent::Stopped { report } => Some(&**report),
            _ => None,
        })
        .expect("the turn has ended")
}

/// The text that was shown.
fn shown(played: &Played) -> String {
    let text = |event: &TurnEvent| {
        if let TurnEvent::TextChunk { text, .. } = event { Some(text.clone()) } else { None }
    };
    played.events().filter_map(text).collect()
}

fn assistants(played: &Played) -> Vec<String> {
    let said = |message: &Message| {
        if let Message::Assistant { text, .. } = message { Some(text.clone()) } else { None }
    };
    played.messages().iter().filter_map(said).collect()
}

#[test]
fn a_call_in_the_text_runs_and_leaves_the_text() {
    for route in [Route::TwoStage, Route::Unified] {
        let mut played = Played::start(setup(Policy::on(route)));
        let leak = leak("read", r#"{"path": "b"}"#);
        for piece in format!("Let me look.\n{leak}\n<tool_response>made up").as_bytes().chunks(5) {
            if played.live_call.is_none() {
                break; // P4: the response is dropped.
            }
            played.says([text(std::str::from_utf8(piece).unwrap())]);
        }
        assert!(played.live_call.is_none(), "P4: the response is dropped");
        assert!(played.lines.contains("> run 1 call_1 read {\"line\":1,\"path\":\"b\"}"), "{}", played.lines);
        assert!(played.lines.contains(r#""leaked":true"#), "{}", played.lines);
        assert_eq!(shown(&played), "Let me look.\n");
        played.tool(found("alpha"));
        assert_eq!(assistants(&played), ["Let me look.\n"], "the block leaves the conversation");
        played.answers([text("Alpha."), finish("stop")]);
        let report = report(&played);
        assert_eq!((report.stop_reason, report.tool_calls[0].leaked), (StopReason::Answered, true));
        assert_eq!(notices(&played), []);
    }
}

#[test]
fn a_call_that_ends_the_response_runs_at_its_end() {
    let mut played = two_stage();
    played.says([text(&leak("read", r#"{"path": "b"}"#))]);
    assert_eq!(played.running, None, "its line may go on");
    played.says([finish("stop")]);
    assert_eq!(played.running, Some(CallId("call_1".to_owned())));
    let mut played = two_stage();
    played.answers([text(&leak("read", r#"{"path": "b"}"#))]);
    assert_eq!(played.running, Some(CallId("call_1".to_owned())), "a clean end without a finish reason");
}

#[test]
fn where_results_are_tool_messages_the_call_is_one_of_its_message() {
    let profile = Profile { results_as: ResultsAs::Tool, ..Profile::default() };
    let mut played = Played::start(TurnSetup { profile, ..setup(Policy::two_stage()) });
    played.answers([text(&leak("read", r#"{"path": "b"}"#))]).tool(found("alpha"));
    let Some(Message::Assistant { text, tool_calls, .. }) = played.messages().iter().rev().nth(1) else {
        panic!()
    };
    assert_eq!((text.as_str(), tool_calls[0].name.as_str()), ("", "read"));
    assert_eq!(tool_calls[0].arguments, r#"{"line":1,"path":"b"}"#);
}

#[test]
fn a_repeated_call_in_the_text_is_refused() {
    // D1, D2: the signature is that of the call, however it was written.
    let mut played = two_stage();
    played.answers([call(0, "c1", "read", r#"{"path":"a"}"#)]).tool(found("alpha"));
    played.answers([text("[TOOL_CALLS]functions.read:0[ARGS]{\"path\": \"./a\"}")]);
    assert_eq!(played.running, None);
    assert!(
        played.events().any(|event| matches!(event, TurnEvent::DuplicateRefused { .. })),
        "{}",
        played.lines
    );
}

#[test]
fn one_that_does_more_than_read_always_asks() {
    // A1: whatever the settings and kept rules say.
    for permission in [Permission::Allow, Permission::Ask] {
        let base = setup(Policy::two_stage());
        let tools = base.tools.permitted(|_| permission);
        let mut played = Played::start(TurnSetup { tools, rules: Rules::default(), ..base });
        played.answers([text(&leak("ask", r#"{"path": "b"}"#))]);
        let Some(TurnEvent::Asked { of: PendingOf::Call { by, keeps, .. }, .. }) =
            played.events().find(|event| matches!(event, TurnEvent::Asked { .. }))
        else {
            panic!("{}", played.lines)
        };
        assert_eq!((*by, keeps.as_deref()), (AskedBy::Leaked, None));
        played.allow(true);
        assert!(played.running.is_some());
    }
    let base = setup(Policy::two_stage());
    let tools = base.tools.permitted(|_| Permission::Allow);
    let mut played = Played::start(TurnSetup { tools, ..base });
    played.answers([text(&leak("write_plan_begin", r#"{"path": "b"}"#))]);
    assert!(played.asked.is_some(), "also one that only opens a write session");
    let mut played = two_stage();
    played.answers([text(&leak("never", r#"{"path": "b"}"#))]);
    assert_eq!(played.asked, None, "what is denied stays denied");
}

#[test]
fn one_that_does_not_fit_is_malformed_where_it_would_end_the_turn() {
    // P6
    for broken in [
        leak("read", r#"{"path": "b", "line": "ten"}"#),
        leak("read", r#"{"path": "#),
        "[TOOL_CALLS]read[ARGS]{\"path\": \"b".to_owned(),
    ] {
        let mut played = two_stage();
        played.answers([text(&broken), finish("stop")]);
        assert_eq!(notices(&played), [NoticeCode::MalformedCall], "{broken}");
        assert_eq!(played.requests.len(), 2, "the model is told");
        let told = format!("{:?}", played.messages().last());
        assert!(told.contains("You wrote a call of read into your text"), "{told}");
        played.answers([text("So."), finish("stop")]);
        let report = report(&played);
        assert_eq!((report.stop_reason, report.cycles), (StopReason::Answered, 1));
        assert_eq!(
            (report.tool_calls[0].status, report.tool_calls[0].leaked),
            (Some(ToolStatus::Malformed), true)
        );
    }
    let mut played = two_stage();
    played.answers([text("[TOOL_CALLS]read[ARGS]{\"path\": b}\n"), call(0, "c1", "read", r#"{"path":"a"}"#)]);
    assert_eq!((notices(&played), played.running.is_some()), (Vec::new(), true), "it does not end the turn");
}

#[test]
fn markup_that_stays_text_is_told_of() {
    let markup = leak("unknown_tool", r#"{"x": 1}"#);
    let mut played = two_stage();
    played.answers([text(&format!("So:\n{markup}")), finish("stop")]);
    assert_eq!(notices(&played), [NoticeCode::LeakedCall]);
    assert_eq!(report(&played).answer, format!("So:\n{markup}"));
    // P8
    let mut forced = Played::start(setup(limited(Route::TwoStage, 0, 1, 1)));
    forced.answers([text(&leak("read", r#"{"path": "b"}"#)), finish("stop")]);
    assert!(notices(&forced).contains(&NoticeCode::LeakedCall), "{:?}", notices(&forced));
    assert_eq!((forced.running.clone(), report(&forced).tool_runs), (None, 0));
    let mut fenced = two_stage();
    fenced.answers([text(&format!("So:\n```\n{markup}\n```")), finish("stop")]);
    assert_eq!(notices(&fenced), [], "a quotation is none");
}

#[test]
fn a_block_that_the_conversation_has_is_a_quotation() {
    let markup = leak("read", r#"{"path": "b"}"#);
    let numbered: String =
        markup.lines().enumerate().map(|(at, line)| format!("{}\t{line}\n", at + 1)).collect();
    let mut played = two_stage();
    played.answers([call(0, "c1", "read", r#"{"path":"a"}"#)]).tool(found(&numbered));
    played.answers([text(&format!("The file has:\n{markup}\n")), finish("stop")]);
    assert_eq!((played.running.clone(), notices(&played)), (None, Vec::new()), "{}", played.lines);
    let mut asked =
        Played::start(TurnSetup { text: format!("What is this?\n{markup}"), ..setup(Policy::two_stage()) });
    asked.answers([text(&format!("You sent:\n{markup}\n")), finish("stop")]);
    assert_eq!(report(&asked).tool_runs, 0);
}

#[test]
fn a_call_of_the_response_itself_is_the_only_one() {
    let mut played = Played::start(setup(Policy::unified()));
    let markup = leak("read", r#"{"path": "b"}"#);
    played.answers([
        call(0, "c1", "read", r#"{"path":"a"}"#),
        text(&format!("\n{markup}\n")),
        finish("tool_calls"),
    ]);
    assert_eq!(played.running, Some(CallId("c1".to_owned())));
    played.tool(found("alpha"));
    assert_eq!(played.running, None);
}

#[test]
fn thoughts_in_the_text_are_reasoning_and_no_part_of_it() {
    let mut played = two_stage();
    played.answers([text("<thi"), text("nk>I call "), text("<tool_call>\n</think>\n\nSo."), finish("stop")]);
    assert_eq!((shown(&played).as_str(), report(&played).answer.as_str()), ("So.", "So."));
    let thought = |event: &TurnEvent| {
        if let TurnEvent::ReasoningChunk { text, .. } = event { Some(text.clone()) } else { None }
    };
    assert_eq!(played.events().filter_map(thought).collect::<String>(), "I call <tool_call>\n");
}

#[test]
fn what_is_held_back_is_kept_however_the_response_ends() {
    let begun = "Look: [TOOL_CALLS]read[ARGS]{\"path\": ";
    let mut stopped = two_stage();
    stopped.says([text(begun)]).input(orion_core::turn::Input::Stop);
    assert_eq!((report(&stopped).answer.as_str(), shown(&stopped).as_str()), (begun, begun));
    let mut failed = two_stage();
    let error = orion_protocol::ErrorInfo::new(orion_protocol::Code::Overloaded, "Busy.", "Wait.");
    failed.says([text(begun)]).model(orion_core::turn::ModelInput::Failed { error });
    assert_eq!(report(&failed).answer, begun);
}

#[test]
fn a_call_of_a_response_that_broke_off_at_its_finish_is_shown_and_does_not_run() {
    // P10
    let mut played = two_stage();
    let said = format!("Look.\n{}", leak("read", r#"{"path": "b"}"#));
    played.answers([text(&said), finish("error")]);
    assert_eq!((played.running.clone(), report(&played).answer.as_str()), (None, said.as_str()));
}

#[test]
fn a_turn_of_before_reads_nothing_in_its_text() {
    let flags = Flags::of_this_version().without(Flag::ReadLeaks).without(Flag::SplitThoughts);
    let mut played = Played::start(TurnSetup { flags, ..setup(Policy::two_stage()) });
    let said = format!("<think>x</think>{}", leak("read", r#"{"path": "b"}"#));
    played.answers([text(&said), finish("stop")]);
    assert_eq!(report(&played).answer, said);
}

#[test]
fn a_slip_runs_as_it_was_meant_and_the_box_shows_how_it_was_made() {
    let mut played = two_stage();
    played.answers([call(0, "c1", "functions.Read", r#"{"file_path":"b","line":"7"}"#)]);
    assert!(played.lines.contains(r#"> run 1 c1 read {"line":7,"path":"b"}"#), "{}", played.lines);
    let made = r#""made":{"name":"functions.Read","arguments":{"file_path":"b","line":"7"}}"#;
    assert!(played.lines.contains(made), "{}", played.lines);
    played.tool(ToolOutcome { ..found("alpha") });
    let told = format!("{:?}", played.messages().last());
    assert!(told.contains("You had written"), "{told}");
    // D1: the same call without slips is a repeat.
    played.answers([call(0, "c2", "read", r#"{"path":"b","line":7}"#)]);
    assert_eq!(played.running, None);
}
