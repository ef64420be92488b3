//! What a person took out of the session asks first for the rest of it (X6).

use orion_core::context::{Item, Withheld, undone};
use orion_core::model::Message;
use orion_core::tool::ToolSet;
use orion_core::turn::{Done, Effect, Input, Turn, TurnSetup, Work};
use orion_protocol::{
    CallId, ContextEdit, NoticeCode, PendingOf, Permission, Policy, RequestId, StopReason, TurnEvent,
};
use proptest::prelude::*;

use crate::common::{Played, WRITE_PLAN_BEGIN, call, found, read_from, setup, text, tool, yes_or_no};
use crate::context_turns::Session;
use crate::thorough::cases;

/// The tools of the other suites, one that lists names, and one that writes freely.
fn tools() -> ToolSet {
    let more = [tool("list_files", Permission::Allow), tool("search_files", Permission::Allow)];
    setup(Policy::two_stage()).tools.iter().cloned().chain(more).collect()
}

/// A session that has read `src/a` in its first turn.
fn session() -> Session {
    let mut session = Session::default();
    let mut played = session.turn(Policy::two_stage(), "What is in it?");
    played.says([call(0, "", "read", "{\"path\":\"src/a\"}")]).tool(read_from("src/a", &"alpha ".repeat(50)));
    played.says([text("Alpha.")]).ends();
    session.end(&played);
    session
}

fn first_turn(session: &Session) -> RequestId {
    session.items[0].turn.unwrap()
}

/// Takes the result of that read out.
fn the_result(session: &Session) -> Vec<ContextEdit> {
    let call = session.items.iter().find_map(Item::whole_box).unwrap().call.clone();
    vec![ContextEdit::EmptyBox { request_id: first_turn(session), tool_call_id: call }]
}

/// The next turn, in which a person takes this out.
fn next(session: &Session, edits: Vec<ContextEdit>) -> TurnSetup {
    let withheld = Withheld::by(&edits, &session.items, &tools());
    TurnSetup {
        tools: tools(),
        history: session.items.clone(),
        edits,
        withheld,
        text: "Read it again.".to_owned(),
        ..setup(Policy::two_stage())
    }
}

fn calls(mut played: Played, name: &str, arguments: &str) -> Played {
    played.says([call(0, "c", name, arguments)]);
    played
}

/// What becomes of a call: a person is asked, or it runs, or a file is compared for it.
fn asks(played: &Played) -> bool {
    assert_eq!(played.asked.is_some(), played.running.is_none() && played.comparing.is_none());
    played.asked.is_some()
}

#[test]
fn what_was_taken_out_and_is_there_all_the_same_is_told_again() {
    // X6
    let session = session();
    let turn = first_turn(&session);
    let (result, whole) = (the_result(&session), vec![ContextEdit::RemoveTurn { request_id: turn }]);
    let [ContextEdit::EmptyBox { tool_call_id, .. }] = &result[..] else { panic!("{result:?}") };
    let elsewhere = "01900000-0000-7000-8000-00000000000f".parse::<RequestId>().unwrap();
    let others = [
        ContextEdit::EmptyBox { request_id: elsewhere, tool_call_id: tool_call_id.clone() },
        ContextEdit::EmptyBox { request_id: turn, tool_call_id: CallId("another".to_owned()) },
        ContextEdit::RemoveTurn { request_id: elsewhere },
        ContextEdit::PinTurn { request_id: turn, pinned: false },
    ];
    let all = [&result[..], &whole[..], &others[..]].concat();
    assert_eq!(undone(&all, &session.items), [result, whole].concat());
    assert_eq!(undone(&all, &[]), []);
}

#[test]
fn a_result_that_was_taken_out_is_not_read_back_unasked_in_whatever_way_it_is_called_for() {
    let session = session();
    for edits in [the_result(&session), vec![ContextEdit::RemoveTurn { request_id: first_turn(&session) }]] {
        for (name, arguments, expected) in [
            ("read", "{\"path\":\"src/a\"}", true),
            ("read", "{\"path\":\"./src//a\",\"line\":7}", true),
            ("read", "{\"path\":\"/project/src/a\"}", true),
            // On some systems that is the same file.
            ("read", "{\"path\":\"SRC/A\"}", true),
            ("ask", "{\"path\":\"src/a\"}", true),
            ("list_files", "{\"path\":\"src/a\"}", true),
            (WRITE_PLAN_BEGIN, "{\"path\":\"src/a\"}", true),
            ("search_files", "{\"path\":\"src\"}", true),
            ("search_files", "{\"line\":2}", true),
            // Names are no content.
            ("list_files", "{\"path\":\"src\"}", false),
            ("search_files", "{\"path\":\"sr\"}", false),
            ("read", "{\"path\":\"src/ab\"}", false),
            ("read", "{\"path\":\"b\"}", false),
        ] {
            let played = calls(Played::start(next(&session, edits.clone())), name, arguments);
            assert_eq!(asks(&played), expected, "{name} {arguments}");
        }
    }
}

#[test]
fn the_person_is_told_why_and_their_word_decides() {
    // A1, A3
    let session = session();
    let start = || calls(Played::start(next(&session, the_result(&session))), "read", "{\"path\":\"src/a\"}");
    let mut played = start();
    assert_eq!(played.turn.report().stop_reason, StopReason::Approval);
    let [.., TurnEvent::Notice { code, .. }, TurnEvent::Asked { of: PendingOf::Call { name, .. }, .. }] =
        &played.events().collect::<Vec<_>>()[..]
    else {
        panic!("{}", played.lines)
    };
    assert_eq!((*code, name.as_str()), (NoticeCode::TakenOut, "read"));
    played.allow(true);
    assert!(played.running.is_some());
    played.tool(found("alpha"));
    let mut refused = start();
    refused.allow(false);
    let last = format!("{:?}", refused.messages().last());
    assert!(refused.running.is_none() && last.contains("did not allow"), "{last}");
}

#[test]
fn a_tool_that_is_off_stays_off() {
    let session = session();
    let played = calls(Played::start(next(&session, the_result(&session))), "never", "{\"path\":\"src/a\"}");
    assert!(played.asked.is_none() && played.running.is_none());
}

#[test]
fn it_asks_in_every_later_turn_and_no_box_answers_instead() {
    let mut session = session();
    let taken = next(&session, the_result(&session));
    let withheld = taken.withheld.clone();
    let mut played = calls(Played::start(taken), "read", "{\"path\":\"src/a\"}");
    played.allow(true).tool(read_from("src/a", "alpha")).says([text("Alpha.")]).ends();
    session.end(&played);
    // The file was read again with the person's leave, and its box is whole: the next read asks all the same.
    let later = TurnSetup { withheld, ..next(&session, Vec::new()) };
    let played = calls(Played::start(later), "read", "{\"path\":\"src/a\"}");
    assert!(asks(&played) && played.comparing.is_none());
}

fn sent(setup: TurnSetup) -> String {
    format!("{:?}", Played::start(setup).messages())
}

#[test]
fn the_model_is_told_that_a_person_took_it_and_not_that_room_was_made() {
    let session = session();
    let told = sent(next(&session, the_result(&session)));
    assert!(
        told.contains("The user took the body of this result (") && told.contains("asks them first"),
        "{told}"
    );
    assert!(!told.contains("to make room") && !told.contains("alpha alpha"), "{told}");
    // T8: a journal that names nothing as withheld was given the other words.
    let earlier = TurnSetup { withheld: Vec::new(), ..next(&session, the_result(&session)) };
    let told = sent(earlier.clone());
    assert!(told.contains("left the conversation to make room") && !told.contains("The user took"), "{told}");
    assert!(!asks(&calls(Played::start(earlier), "read", "{\"path\":\"src/a\"}")));
}

#[test]
fn a_turn_that_is_taken_out_withholds_also_what_had_left_it_before() {
    let mut session = session();
    let edits = the_result(&session);
    let mut played = Played::start(next(&session, edits));
    played.says([text("Yes.")]).ends();
    session.end(&played);
    let edits = vec![ContextEdit::RemoveTurn { request_id: first_turn(&session) }];
    let withheld = Withheld::by(&edits, &session.items, &tools());
    assert_eq!(withheld.iter().map(|held| &held.paths[..]).collect::<Vec<_>>(), [["src/a".to_owned()]]);
    // What is pinned is not taken out.
    let pin = ContextEdit::PinTurn { request_id: first_turn(&session), pinned: true };
    assert_eq!(Withheld::by(&[pin], &session.items, &tools()), []);
}

proptest! {
    #![proptest_config(cases(2_000))]

    /// Whatever is called, and whatever is answered: nothing of it runs, and no file is compared for it, before a person has allowed exactly that.
    #[test]
    fn nothing_that_would_bring_it_back_runs_unasked(
        calls in prop::collection::vec((0..5usize, 0..6usize, any::<bool>(), any::<bool>()), 1..12),
        unified in any::<bool>(),
    ) {
        let session = session();
        let policy = if unified { Policy::unified() } else { Policy { max_cycles: 12, ..Policy::two_stage() } };
        let (mut turn, effects) = Turn::start(TurnSetup { policy, ..next(&session, the_result(&session)) });
        let mut model = effects.iter().filter(|it| matches!(it, Effect::CallModel { .. })).count() as u32;
        let mut granted = false;
        let mut at = 2_000;
        for (number, (name, path, allowed, ends)) in calls.into_iter().enumerate() {
            let name = ["read", "ask", "search_files", "list_files", WRITE_PLAN_BEGIN][name];
            let path = ["src/a", "./src/a", "src", ".", "b", "Src/A"][path];
            let arguments = format!("{{\"path\":\"{path}\",\"line\":{number}}}");
            let covered = match path {
                "src/a" | "./src/a" | "Src/A" => true,
                "src" | "." => name != "list_files",
                _ => false,
            };
            let deltas = vec![call(0, "", name, &arguments)];
            let mut inputs = vec![Input::Model { call: model, event: orion_core::turn::ModelInput::Deltas { deltas } }];
            if ends {
                inputs.push(Input::Model { call: model, event: orion_core::turn::ModelInput::Ended });
            }
            while let Some(input) = inputs.pop() {
                at += 1;
                let input = if inputs.is_empty() { input } else { inputs.remove(0) };
                for effect in turn.step(at, input) {
                    match effect {
                        Effect::Emit(envelope) => match envelope.event {
                            TurnEvent::Asked { digest, .. } => {
                                granted = allowed;
                                inputs.push(yes_or_no(digest, allowed));
                            }
                            TurnEvent::ToolCall { .. } => granted = false,
                            _ => {}
                        },
                        Effect::Begin { job, work: Work::Tool { .. } } => {
                            prop_assert!(!covered || granted, "{name} {path} ran unasked");
                            let done = Done::Tool { outcome: found("x").into(), duration_ms: 0 };
                            inputs.push(Input::Done { job, done });
                        }
                        Effect::Begin { work: Work::Compare { .. }, .. } => prop_assert!(!covered, "{name} {path} was answered unasked"),
                        Effect::CallModel { call, request } => {
                            model = call;
                            let held = request.messages.iter().any(|message| match message {
                                Message::System { text } | Message::Tool { text, .. } => text.contains("alpha alpha"),
                                _ => false,
                            });
                            prop_assert!(!held, "it is in a request");
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}
