//! A response that only repeats itself is cut off (P11), in an answer and in a write session.

use orion_core::model::{ArgumentsDelta, Message, ModelDelta, ToolCallDelta};
use orion_core::turn::{Effect, Flag, Flags, Input, ModelInput, Source, Turn, TurnSetup, Work};
use orion_protocol::{
    CallReason, Code, Envelope, ErrorInfo, FaultKind, NoticeCode, PhaseCause, Policy, StopReason, TurnEvent,
    TurnReport, TurnStatus, WriteState, WriteStatus,
};
use proptest::prelude::*;

use crate::common::{Played, call, finish, found, limited, piece, setup, text, two_stage};
use crate::thorough::cases;
use crate::turn_writes::{opened, opened_by, state};

/// A line of CSS, 100 KiB of it. It is found after 5 KiB when something else stands before it.
fn endless() -> String {
    "  background-color: #fff;\n".repeat(4_000)
}

const KIB: usize = 1024;

fn reasoning(text: &str) -> ModelDelta {
    ModelDelta::Reasoning { text: text.to_owned() }
}

/// Arguments for the call before.
fn arguments(text: &str) -> ModelDelta {
    piece(Some(0), None, None, Some(text))
}

fn report(played: &Played) -> &TurnReport {
    played.events().find_map(TurnEvent::terminal).expect("the turn has ended")
}

/// How the turn ended: the cause of its last phase, its report's reason, and what the person was told.
fn end(played: &Played) -> (PhaseCause, StopReason, Vec<&str>) {
    let cause = played.events().filter_map(|event| match event {
        TurnEvent::PhaseEnded { cause, .. } => Some(*cause),
        _ => None,
    });
    let told = played.events().filter_map(|event| match event {
        TurnEvent::Notice { code: NoticeCode::RepeatedItself, message } => Some(message.as_str()),
        _ => None,
    });
    (cause.last().expect("a phase has ended"), report(played).stop_reason, told.collect())
}

#[test]
fn an_answer_that_only_repeats_itself_is_dropped_and_ends_as_by_length() {
    // P11
    let mut played = two_stage();
    played.says([text("Here it is:\n"), text(&endless())]);
    let kept = ("Here it is:\n".to_owned() + &endless())[..5 * KIB].to_owned();
    assert_eq!((report(&played).status, &report(&played).answer), (TurnStatus::Completed, &kept));
    let shown: String = played
        .events()
        .filter_map(|event| match event {
            TurnEvent::TextChunk { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(shown, kept);
    let message =
        "The model kept repeating itself, so its answer was cut off. The same text came 196 times in a row.";
    assert_eq!(end(&played), (PhaseCause::Length, StopReason::Length, vec![message]));
    // Dropped before the end is told, and nothing follows.
    let last: Vec<&str> = played.lines.lines().rev().take(4).collect();
    assert!(last[3].starts_with("> drop model 1"), "{last:?}");
    let lines = played.lines.clone();
    played.says([text("more")]).ends();
    assert_eq!(played.lines, lines);
}

/// What the turns that follow are given of the model's words.
fn told_next(played: &Played) -> String {
    let left = played.turn.conversation().left(false);
    let words = left.iter().filter_map(|item| match &item.message {
        Message::Assistant { text, .. } => Some(text.as_str()),
        _ => None,
    });
    words.collect::<Vec<_>>().join("\n\n")
}

#[test]
fn the_turns_that_follow_are_given_the_first_of_the_repeats_alone() {
    // X1
    let mut played = two_stage();
    played.says([text("I look."), call(0, "c", "read", "{\"path\":\"a\"}")]).tool(found("alpha"));
    assert_eq!(told_next(&played), "I look.");
    played.says([text("Here it is:\n"), text(&endless())]);
    // They begin with the line end before them.
    assert_eq!(told_next(&played), "I look.\n\nHere it is:\n  background-color: #fff;");
    assert!(report(&played).answer.len() > 5 * KIB, "the report keeps it");

    // "é" and "ũ" end with the same byte, so that the last repeats begin in the middle of a character.
    for (begun, stretch) in [("Ä", "日本"), ("", "🦊"), ("a", "é"), ("", "x"), ("é", "abcdũ")] {
        let mut played = two_stage();
        played.says([text(begun), text(&stretch.repeat(20 * KIB))]);
        assert_eq!(told_next(&played), format!("{begun}{stretch}"));
    }
    // Where something else repeats itself, the answer is whole.
    let mut played = two_stage();
    played.says([text("Well."), reasoning(&endless())]);
    assert_eq!(told_next(&played), "Well.");
}

#[test]
fn so_are_endless_reasoning_and_endless_arguments() {
    // P11
    let mut played = two_stage();
    played.says([text("Let me think."), reasoning(&endless())]);
    let message = "The model kept repeating itself, so its answer was cut off while it was still reasoning. \
                   The same text came 157 times in a row.";
    assert_eq!(end(&played), (PhaseCause::Length, StopReason::Length, vec![message]));
    assert_eq!(report(&played).answer, "Let me think.");

    let mut played = two_stage();
    played
        .says([text("I look."), call(0, "c", "read", "{\"path\":\"")])
        .says([arguments(&"a/".repeat(9_000))]);
    let message = "The model kept repeating itself, so its answer was cut off in a tool call, which did not run. \
                   The same text came 8699 times in a row.";
    assert_eq!(end(&played), (PhaseCause::Length, StopReason::Length, vec![message]));
    assert_eq!((report(&played).tool_runs, report(&played).model_calls), (0, 1));
    assert_eq!(blocked(&played), [(vec!["read".to_owned()], CallReason::RepeatedItself)]);
}

fn blocked(played: &Played) -> Vec<(Vec<String>, CallReason)> {
    let blocked = played.events().filter_map(|event| match event {
        TurnEvent::CallsBlocked { names, reason, .. } => Some((names.clone(), *reason)),
        _ => None,
    });
    blocked.collect()
}

#[test]
fn none_of_its_calls_runs() {
    // P11, P2: in the unified route calls wait for the end of the response.
    let mut played = Played::start(setup(Policy::unified()));
    played.says([call(0, "a", "read", "{\"path\":\"a\"}"), call(1, "b", "ask", "{\"path\":\"b\"}")]);
    played.says([text(&endless())]);
    assert_eq!(
        (end(&played).1, report(&played).tool_runs, &report(&played).tool_calls),
        (StopReason::Length, 0, &vec![])
    );
    assert_eq!(blocked(&played), [(vec!["read".to_owned(), "ask".to_owned()], CallReason::RepeatedItself)]);
}

#[test]
fn calls_that_are_the_same_over_and_over_are_no_repeats_of_one() {
    // The limit of calls and the ledger are there for those (D2): 32 are kept, and each has arguments of its own.
    let mut played = Played::start(setup(Policy::unified()));
    let path = "x".repeat(300);
    for at in 0..32 {
        played.says([call(at, "", "read", &format!("{{\"path\":\"{path}\"}}"))]);
    }
    assert!(!played.turn.is_over());
    // Those that are not kept come to an end all the same.
    for at in 32..64 {
        played.says([call(at, "", "read", &format!("{{\"path\":\"{path}\"}}"))]);
    }
    assert_eq!(end(&played).1, StopReason::Length);
}

#[test]
fn arguments_that_come_whole_each_time_are_looked_at_alone() {
    // P9: some servers send all the arguments so far with every piece.
    let mut played = Played::start(setup(Policy::unified()));
    let whole = |text: String| ModelDelta::ToolCall {
        delta: ToolCallDelta {
            index: Some(0),
            name: Some("read".to_owned()),
            arguments: Some(ArgumentsDelta::Whole(text)),
            ..ToolCallDelta::default()
        },
    };
    for _ in 0..40 {
        played.says([whole(format!("{{\"path\":\"{}\"}}", "y".repeat(200)))]);
    }
    played.ends();
    assert!(!played.turn.is_over());
}

#[test]
fn the_forced_final_answer_is_cut_too() {
    // P3, P11
    let mut played = Played::start(setup(limited(orion_protocol::Route::TwoStage, 1, 1, 3)));
    played.says([call(0, "c", "read", "{\"path\":\"a\"}")]).tool(found("alpha")).says([text(&endless())]);
    assert_eq!((end(&played).0, end(&played).1), (PhaseCause::Length, StopReason::Length));
}

#[test]
fn an_error_in_the_stream_stays_an_error() {
    // P10
    let mut played = two_stage();
    played.says([finish("error"), text(&endless())]);
    assert_eq!(report(&played).stop_reason, StopReason::Error);
    assert_eq!(report(&played).answer.len(), 4 * KIB);
}

// T8: a turn without the flag goes on by the rule before it.
#[test]
fn a_turn_without_the_flag_is_not_cut() {
    let by_earlier_rules = |policy| {
        let flags = Flags::of_this_version().without(Flag::CutRepeats);
        Played::start(TurnSetup { flags, ..setup(policy) })
    };
    let mut played = by_earlier_rules(Policy { max_output_tokens: None, ..Policy::two_stage() });
    played.says([reasoning(&endless()), text(&endless()), call(0, "c", "read", &endless())]);
    played.answers([finish("stop")]);
    assert_eq!(played.requests.len(), 2, "P6: the call is corrected");
    let mut played = by_earlier_rules(Policy::two_stage());
    played.answers([text(&endless())]);
    assert_eq!((end(&played).1, report(&played).answer.len()), (StopReason::Answered, endless().len()));
}

#[test]
fn content_that_only_repeats_itself_is_shown_as_unfinished_in_a_turn_without_the_flag() {
    // T8
    let flags = Flags::of_this_version().without(Flag::AskOfRepeats);
    let mut played = opened_by(TurnSetup { flags, ..setup(Policy::two_stage()) });
    played.says([text("body {\n"), text(&endless())]);
    assert_eq!(state(&played), Some(WriteState::Finalizing));
    let offer = played.offer.as_ref().unwrap();
    assert_eq!(offer.content, ("body {\n".to_owned() + &endless())[..5 * KIB]);
    let why = "The model kept repeating itself, so the content of a was cut off. The same text came 196 times in a row.";
    assert_eq!((offer.faults.list[0].kind, &*offer.faults.list[0].what), (FaultKind::Incomplete, why));
    assert_eq!((played.requests.len(), played.live_call, played.idle), (2, None, None));
    let notices = played.events().filter(|event| matches!(event, TurnEvent::Notice { code: NoticeCode::RepeatedItself, message } if message == why));
    assert_eq!(notices.count(), 1);
}

#[test]
fn endless_reasoning_and_endless_calls_end_a_write_session_too() {
    for deltas in
        [vec![reasoning(&endless())], vec![call(0, "c", "read", "{\"path\":\""), arguments(&endless())]]
    {
        let mut played = opened(Policy::two_stage());
        played.model(ModelInput::Deltas { deltas });
        let done = played.events().find_map(|event| match event {
            TurnEvent::WriteDone { status, error, .. } => Some((*status, error.as_ref().map(|it| it.code))),
            _ => None,
        });
        // There is nothing to look at, and the turn goes on.
        assert_eq!(done, Some((WriteStatus::Discarded, Some(Code::WriteFaulty))));
        assert_eq!((state(&played), played.requests.len()), (None, 3));
    }
}

/// What a turn says of a response, its chunks joined: an answer to the first model call, or the content of a file.
fn said(
    writing: bool,
    policy: Policy,
    inputs: &[Vec<ModelDelta>],
) -> (Vec<Envelope>, [String; 2], Option<String>) {
    let (mut turn, mut effects) = Turn::start(setup(policy));
    let mut number = 1;
    if writing {
        let mut played = opened(policy);
        number = played.requests.len() as u32;
        turn = std::mem::replace(&mut played.turn, turn);
        effects.clear();
    }
    for deltas in inputs {
        let event = ModelInput::Deltas { deltas: deltas.clone() };
        effects.extend(turn.step(9_000, Input::Model { call: number, event }));
    }
    effects.extend(turn.step(9_000, Input::Model { call: number, event: ModelInput::Ended }));
    let (mut durable, mut shown, mut proposed) = (Vec::new(), [String::new(), String::new()], None);
    for effect in effects {
        match effect {
            Effect::Emit(envelope) => durable.push(envelope),
            Effect::Show(Envelope { event, .. }) => match event {
                TurnEvent::TextChunk { text, .. } | TurnEvent::WriteProgress { text, .. } => {
                    shown[0] += &text
                }
                TurnEvent::ReasoningChunk { text, .. } => shown[1] += &text,
                other => panic!("{other:?}"),
            },
            Effect::Begin { work: Work::Propose { source: Source::Content { content, .. }, .. }, .. } => {
                proposed = Some(content.to_string());
            }
            _ => {}
        }
    }
    (durable, shown, proposed)
}

proptest! {
    #![proptest_config(cases(1_000))]

    // T5, P11
    #[test]
    fn where_a_response_is_cut_does_not_depend_on_its_chunks_or_on_how_they_were_joined(
        kind in 0..3usize,
        writing in any::<bool>(),
        two_stage in any::<bool>(),
        before in "[a-zé日🦊\n]{0,40}",
        stretch in "[a-zé日🦊\n]{1,30}",
        bytes in 0..20_000usize,
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        joints in prop::collection::vec(any::<bool>(), 21),
    ) {
        let policy = if two_stage { Policy::two_stage() } else { Policy::unified() };
        let begun = if kind == 2 { "{\"path\":\"" } else { "" };
        let ended = if kind == 2 { "\"}" } else { "" };
        let text = begun.to_owned() + &before.replace('\n', " ") + &stretch.replace('\n', " ").repeat(bytes / stretch.len()) + ended;
        let mut cuts: Vec<usize> =
            cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
        cuts.extend([text.len()]);
        cuts.sort_unstable();
        let piece = |from: usize, to: usize| match kind {
            0 => self::text(&text[from..to]),
            1 => reasoning(&text[from..to]),
            _ => piece(Some(0), Some("c").filter(|_| from == 0), Some("read").filter(|_| from == 0), Some(&text[from..to])),
        };
        let froms = std::iter::once(&0).chain(&cuts);
        let pieces: Vec<ModelDelta> = froms.zip(&cuts).map(|(&from, &to)| piece(from, to)).collect();
        let mut joined: Vec<Vec<ModelDelta>> = Vec::new();
        for (delta, join) in pieces.iter().zip(joints) {
            match joined.last_mut().filter(|_| join) {
                Some(last) => last.push(delta.clone()),
                None => joined.push(vec![delta.clone()]),
            }
        }
        let whole = said(writing, policy, &[vec![piece(0, text.len())]]);
        prop_assert_eq!(said(writing, policy, &joined), whole);
    }
}

#[test]
fn an_error_of_the_provider_after_the_cut_changes_nothing() {
    // T3: the connection that Orion dropped has nothing more to say.
    let mut played = two_stage();
    played.says([text(&endless())]);
    let lines = played.lines.clone();
    played.model(ModelInput::Failed { error: ErrorInfo::new(Code::CutOff, "Gone.", "") });
    assert_eq!(played.lines, lines);
}
