//! T5 on the wire: a scripted conversation gives the same turn however the bytes of its answers are cut.
//!
//! The test goes from the bytes through the reader of events to the machine. Only the socket is left out, so that
//! each of thousands of cuts takes a moment. `driver` does the same over real sockets.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use orion_core::context::Gauge;
use orion_core::model::{ModelNumbers, ModelTuning, Profile};
use orion_core::tool::{Seen, ToolKind, ToolOutcome, ToolSet, ToolSpec};
use orion_core::turn::{Done as ToolDone, Effect, Flags, Input, ModelInput, Turn, TurnSetup, Work};
use orion_engine::endpoint::ModelEvent;
use orion_protocol::{
    Envelope, Mode, Policy, ProjectId, RequestId, SessionId, ToolStatus, TurnEvent, TurnIds,
};
use orion_providers::answer::{Ending, read};
use orion_providers::{Host, Tuning};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::json;
use support::Turn as Answer;
use uuid::Uuid;

/// Random cuttings of each conversation, or of all recorded streams together.
pub(crate) fn random_cuts() -> u32 {
    u32::try_from(orion_thorough::cases(1_000, 10_000)).unwrap()
}

/// What a turn did: its durable events, then all text and all reasoning, joined.
type Done = (Vec<Envelope>, String, String);

fn setup(policy: Policy) -> TurnSetup {
    let id = Uuid::from_u128;
    TurnSetup {
        begun_in: None,
        ids: TurnIds {
            request_id: RequestId(id(1)),
            session_id: SessionId(id(2)),
            project_id: ProjectId(id(3)),
        },
        parent: None,
        at_ms: 0,
        policy,
        chosen: None,
        choices: None,
        mode: Mode::Act,
        profile: Profile::default(),
        numbers: ModelNumbers::default(),
        tuning: ModelTuning::default(),
        endpoint: "scripted".into(),
        model: "scripted".into(),
        project_root: "/project".into(),
        nonce: "0123456789abcdef".into(),
        tools: ToolSet::from_iter([ToolSpec {
            paths: vec!["path".into()],
            ..ToolSpec::new("read_file", "Reads.", json!({"type": "object"}), ToolKind::Reads)
        }]),
        system: "Answer.".into(),
        history: vec![],
        gauge: Gauge::default(),
        has_earlier: false,
        changes: String::new(),
        begins_anew: false,
        forgets: false,
        edits: Vec::new(),
        makes_room: false,
        flags: Flags::of_this_version(),
        withheld: Vec::new(),
        begins_paused: false,
        text: "What is there?".into(),
        attached: Vec::new(),
        compacts: None,
        checks: Vec::new(),
        repairs: false,
        rewound: None,
        rules: orion_core::permission::Rules::default(),
    }
}

/// Conversations that end, each in the bytes of its answers.
fn conversations() -> Vec<(Policy, Vec<Vec<u8>>)> {
    let two_stage = Policy::two_stage();
    let read = |path: &str| json!({"path": path});
    let bytes = |answers: Vec<Answer>| answers.iter().map(Answer::rendered).collect();
    let new = Answer::default;
    vec![
        (
            two_stage,
            bytes(vec![
                new().text("Grüße, ").comment("keep-alive").call_in_pieces("read_file", read("日本.txt"), 4).end("tool_calls"),
                new().reasoning("Hm 🦊. ").text("Da steht ").text("alpha 😀.").end("stop").usage(9, 3),
            ]),
        ),
        (
            two_stage,
            bytes(vec![
                new().call("read_file", json!({})).delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": ""}}]})).end("stop"),
                new().call("read_file", read("a")).call("read_file", read("b")).end("tool_calls"),
                new().raw("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"read_file\",\"arguments\":\"{\\\"pa\"}}]}}]}\r\n\r\n").end("length"),
                new().text("So.").end("length"),
            ]),
        ),
        (
            Policy::unified(),
            bytes(vec![
                new().text("Both. ").call_in_pieces("read_file", read("a"), 3).call("read_file", read("a")).call("read_file", read("c")).end("tool_calls"),
                new().raw("data: {\"choices\":[{\"delta\":\ndata: {\"content\":\"Two lines.\"}}]}\n\n").end("stop"),
            ]),
        ),
        (
            two_stage,
            bytes(vec![new().text("So far \u{1F98A} ").event(json!({"error": {"message": "overloaded", "code": 503}}))]),
        ),
    ]
}

fn found() -> ToolOutcome {
    ToolOutcome {
        body: "alpha".into(),
        bytes: 5,
        seen: vec![Seen::Path("a".into())],
        ..ToolOutcome::ended(ToolStatus::Ok, "1 line")
    }
}

/// Plays a conversation with its answers, one after the other, cut at these places.
async fn played(policy: Policy, answers: &[Vec<u8>], cuts: &[usize]) -> Done {
    let (mut turn, effects) = Turn::start(setup(policy));
    let (mut durable, mut text, mut reasoning) = (vec![], String::new(), String::new());
    let mut waiting: std::collections::VecDeque<Effect> = effects.into();
    let mut before = 0;
    while let Some(effect) = waiting.pop_front() {
        match effect {
            Effect::Emit(envelope) => durable.push(envelope),
            Effect::Show(Envelope { event: TurnEvent::TextChunk { text: more, .. }, .. }) => {
                text.push_str(&more)
            }
            Effect::Show(Envelope { event: TurnEvent::ReasoningChunk { text: more, .. }, .. }) => {
                reasoning.push_str(&more)
            }
            Effect::Begin { job, work: Work::Tool { .. } } => {
                let done = ToolDone::Tool { outcome: found().into(), duration_ms: 0 };
                waiting.extend(turn.step(0, Input::Done { job, done }));
            }
            Effect::CallModel { call, .. } => {
                let body = &answers[call as usize - 1];
                let mut events = Box::pin(read(
                    cut(body, before, cuts),
                    Ending::Marked,
                    Host::default(),
                    Tuning::default(),
                ));
                before += body.len();
                // P4: what comes after the call is dropped is not read.
                while let (false, Some(event)) = (dropped(&waiting, call), events.next().await) {
                    waiting.extend(turn.step(0, Input::Model { call, event: input(event) }));
                }
            }
            Effect::Show(_)
            | Effect::DropModel { .. }
            | Effect::Cancel { .. }
            | Effect::End { .. }
            | Effect::Tell { .. }
            | Effect::AwaitIdle { .. }
            | Effect::Begin { .. } => {}
        }
    }
    assert!(turn.is_over(), "the script ends its turn");
    (durable, text, reasoning)
}

fn dropped(effects: &std::collections::VecDeque<Effect>, call: u32) -> bool {
    effects.iter().any(|effect| *effect == Effect::DropModel { call })
}

fn input(event: ModelEvent) -> ModelInput {
    match event {
        ModelEvent::Retrying { attempt, delay_ms, cause } => {
            ModelInput::Retrying { attempt, delay_ms, cause }
        }
        ModelEvent::Changed(shape) => ModelInput::Changed { shape },
        ModelEvent::Connected => ModelInput::Connected,
        ModelEvent::Reading(_) => panic!("it is no input"),
        ModelEvent::Deltas(deltas) => ModelInput::Deltas { deltas },
        ModelEvent::Ended => ModelInput::Ended,
        ModelEvent::Failed(error) => ModelInput::Failed { error },
    }
}

/// One answer in pieces. `cuts` count from the first byte of the first answer; this one begins at `before`.
fn cut(
    body: &[u8],
    before: usize,
    cuts: &[usize],
) -> impl futures_util::Stream<Item = Result<Bytes, Infallible>> + Send + 'static {
    let mut pieces = vec![];
    let mut from = 0;
    for at in cuts
        .iter()
        .filter_map(|cut| cut.checked_sub(before))
        .filter(|at| *at < body.len())
        .chain([body.len()])
    {
        if at > from {
            pieces.push(Ok(Bytes::copy_from_slice(&body[from..at])));
            from = at;
        }
    }
    stream::iter(pieces)
}

fn length(answers: &[Vec<u8>]) -> usize {
    answers.iter().map(Vec::len).sum()
}

#[tokio::test]
async fn a_conversation_gives_the_same_turn_at_every_cut_in_two_and_byte_by_byte() {
    for (policy, answers) in conversations() {
        let whole = played(policy, &answers, &[]).await;
        for at in 1..length(&answers) {
            assert_eq!(played(policy, &answers, &[at]).await, whole, "cut at {at}");
        }
        let bytes: Vec<usize> = (1..length(&answers)).collect();
        assert_eq!(played(policy, &answers, &bytes).await, whole, "byte by byte");
    }
}

#[test]
fn each_conversation_gives_the_same_turn_at_random_cuttings() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    for (policy, answers) in conversations() {
        let whole = runtime.block_on(played(policy, &answers, &[]));
        let config = Config { cases: random_cuts(), failure_persistence: None, ..Config::default() };
        // One seed, so that a failure comes again.
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[5; 32]);
        let cutting = proptest::collection::vec(any::<prop::sample::Index>(), 0..40);
        let outcome = TestRunner::new_with_rng(config, rng).run(&cutting, |cuts| {
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(length(&answers))).collect();
            cuts.sort_unstable();
            prop_assert_eq!(&runtime.block_on(played(policy, &answers, &cuts)), &whole);
            Ok(())
        });
        outcome.unwrap();
    }
}

#[tokio::test]
async fn the_scripted_conversations_reach_what_they_are_meant_to() {
    let mut ends = vec![];
    for (policy, answers) in conversations() {
        let (durable, text, reasoning) = played(policy, &answers, &[]).await;
        let report = durable.last().unwrap().event.terminal().unwrap().clone();
        ends.push((report.model_calls, report.tool_runs, report.duplicates_refused, text, reasoning));
    }
    let expected = [
        (2, 1, 0, "Grüße, Da steht alpha 😀.", "Hm 🦊. "),
        (4, 2, 0, "So.", ""),
        (2, 2, 1, "Both. Two lines.", ""),
        (1, 0, 0, "So far 🦊 ", ""),
    ];
    let expected = expected.map(|(calls, runs, refused, text, thought)| {
        (calls, runs, refused, text.to_owned(), thought.to_owned())
    });
    assert_eq!(ends, expected);
}
