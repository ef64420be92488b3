//! What holds for every turn, whatever the model, the tools and the user do: T2, T3, T4, D2, A4, after every input.

use std::collections::HashSet;

use crate::common::{call, failed, finish, found, piece, setup, text};
use orion_core::model::ModelDelta;
use orion_core::tool::Seen;
use orion_core::turn::{Effect, Input, ModelInput, Turn, TurnSetup};
use orion_protocol::{Bounds, CallId, Code, Envelope, ErrorInfo, Policy, Route, TurnEvent, TurnLimits};
use proptest::prelude::*;
use proptest::test_runner::Config;

/// What a sequence is made of. Model inputs go to the live call, outcomes to the running tool, approvals to what is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Text,
    CallA,
    CallB,
    /// The same call as A, formatted otherwise.
    CallAAgain,
    CallAsk,
    CallNever,
    CallNoArguments,
    /// Three calls in one event, two of them the same.
    CallThree,
    /// The beginning of a call's arguments.
    CallPart,
    FinishStop,
    FinishLength,
    Ended,
    Failed,
    Retrying,
    ToolOk,
    ToolFailed,
    ChangedAll,
    Allow,
    Refuse,
    Stop,
    Interrupted,
    /// What an earlier call, an earlier tool and an earlier approval still say.
    Stale,
}

const ACTS: [Act; 22] = [
    Act::Text,
    Act::CallA,
    Act::CallB,
    Act::CallAAgain,
    Act::CallAsk,
    Act::CallNever,
    Act::CallNoArguments,
    Act::CallThree,
    Act::CallPart,
    Act::FinishStop,
    Act::FinishLength,
    Act::Ended,
    Act::Failed,
    Act::Retrying,
    Act::ToolOk,
    Act::ToolFailed,
    Act::ChangedAll,
    Act::Allow,
    Act::Refuse,
    Act::Stop,
    Act::Interrupted,
    Act::Stale,
];

/// The acts of the exhaustive search: one of each kind, so that every order of kinds is seen.
const KINDS: [Act; 15] = [
    Act::Text,
    Act::CallA,
    Act::CallAAgain,
    Act::CallAsk,
    Act::CallNoArguments,
    Act::CallThree,
    Act::CallPart,
    Act::FinishLength,
    Act::Ended,
    Act::Failed,
    Act::ToolOk,
    Act::ChangedAll,
    Act::Allow,
    Act::Stop,
    Act::Stale,
];

/// A turn under watch: checks every effect against the rules as it comes.
#[derive(Clone)]
struct Watched {
    turn: Turn,
    bounds: Bounds,
    now_ms: i64,
    seq: u32,
    terminals: u32,
    model_calls: u32,
    tool_runs: u32,
    live_call: Option<u32>,
    running: Option<CallId>,
    asked: Option<String>,
    last_signature: Vec<(CallId, String)>,
    /// What ran since the last change of the project.
    ran: HashSet<String>,
    stopped: bool,
    text_bytes: u64,
}

impl Watched {
    fn start(setup: TurnSetup) -> Self {
        let bounds = Bounds::of(&setup.policy);
        let (turn, effects) = Turn::start(setup);
        let mut watched = Self {
            turn,
            bounds,
            now_ms: 1_000,
            seq: 0,
            terminals: 0,
            model_calls: 0,
            tool_runs: 0,
            live_call: None,
            running: None,
            asked: None,
            last_signature: Vec::new(),
            ran: HashSet::new(),
            stopped: false,
            text_bytes: 0,
        };
        watched.check(effects);
        watched
    }

    fn act(&mut self, act: Act) {
        let deltas = |deltas: Vec<ModelDelta>| ModelInput::Deltas { deltas };
        let event = match act {
            Act::Text => deltas(vec![text("word ")]),
            Act::CallA => deltas(vec![call(0, "", "read", "{\"path\":\"a\"}")]),
            Act::CallB => deltas(vec![call(1, "b", "read", "{\"path\":\"b\"}")]),
            Act::CallAAgain => deltas(vec![call(0, "x", "read", " {\"line\": 1, \"path\": \"./a\"}")]),
            Act::CallAsk => deltas(vec![call(0, "q", "ask", "{\"path\":\"a\"}")]),
            Act::CallNever => deltas(vec![call(0, "n", "never", "{\"path\":\"a\"}")]),
            Act::CallNoArguments => deltas(vec![call(0, "e", "read", "{}")]),
            Act::CallThree => deltas(vec![
                call(0, "1", "read", "{\"path\":\"a\"}"),
                call(1, "2", "read", "{\"path\":\"a\"}"),
                call(2, "3", "read", "{\"path\":\"c\"}"),
            ]),
            Act::CallPart => deltas(vec![piece(Some(0), None, Some("read"), Some("{\"path\":"))]),
            Act::FinishStop => deltas(vec![finish("stop")]),
            Act::FinishLength => deltas(vec![finish("length")]),
            Act::Ended => ModelInput::Ended,
            Act::Failed => ModelInput::Failed { error: ErrorInfo::new(Code::Connection, "Gone.", "") },
            Act::Retrying => ModelInput::Retrying {
                attempt: 2,
                delay_ms: 1,
                cause: ErrorInfo::new(Code::Overloaded, "Busy.", ""),
            },
            Act::ToolOk => return self.finish_tool(found("x")),
            Act::ToolFailed => return self.finish_tool(failed()),
            Act::ChangedAll => {
                self.ran.clear();
                return self.input(Input::Changed { changes: vec![Seen::Tree(String::new())] });
            }
            Act::Allow | Act::Refuse => {
                let digest = self.asked.clone().unwrap_or_default();
                return self.input(Input::Approval { digest, granted: act == Act::Allow });
            }
            Act::Stop => {
                self.input(Input::Stop);
                self.stopped = true;
                return;
            }
            Act::Interrupted => return self.input(Input::Interrupted),
            Act::Stale => {
                let event = deltas(vec![call(0, "s", "read", "{\"path\":\"stale\"}")]);
                self.input(Input::Model { call: self.model_calls.saturating_sub(1), event });
                self.input(Input::Tool {
                    call_id: CallId("stale".to_owned()),
                    outcome: found("x"),
                    duration_ms: 0,
                });
                return self.input(Input::Approval { digest: "stale".to_owned(), granted: true });
            }
        };
        self.input(Input::Model { call: self.live_call.unwrap_or(0), event });
    }

    fn finish_tool(&mut self, outcome: orion_core::tool::ToolOutcome) {
        if let Some(call_id) = self.running.take() {
            self.input(Input::Tool { call_id, outcome, duration_ms: 1 });
        }
    }

    fn input(&mut self, input: Input) {
        self.now_ms += 1;
        let effects = self.turn.step(self.now_ms, input);
        if self.stopped {
            assert_eq!(effects, [], "A4: nothing follows a stop");
        }
        self.check(effects);
    }

    fn check(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            assert_eq!(self.terminals, 0, "T3: nothing follows the terminal event, but {effect:?} did");
            match effect {
                Effect::Emit(envelope) => self.check_event(&envelope),
                Effect::Show(envelope) => {
                    assert_eq!(
                        envelope.seq, self.seq,
                        "E1: a chunk carries the seq of the last durable event"
                    );
                    if let TurnEvent::TextChunk { offset, text } = &envelope.event {
                        assert_eq!(*offset, self.text_bytes);
                        self.text_bytes += text.len() as u64;
                    }
                }
                Effect::CallModel { call, request } => {
                    self.model_calls += 1;
                    assert_eq!(call, self.model_calls);
                    assert!(
                        self.model_calls <= self.bounds.model_calls,
                        "T4: {} model calls",
                        self.model_calls
                    );
                    assert_eq!(self.running, None, "no model call while a tool runs");
                    assert!(!request.messages.is_empty());
                    self.live_call = Some(call);
                }
                Effect::DropModel { call } => assert_eq!(self.live_call.take(), Some(call)),
                Effect::RunTool { call_id, .. } => {
                    self.tool_runs += 1;
                    assert!(self.tool_runs <= self.bounds.tool_runs, "T4: {} tool runs", self.tool_runs);
                    let (_, signature) = self
                        .last_signature
                        .iter()
                        .find(|(id, _)| *id == call_id)
                        .expect("its tool_call came first")
                        .clone();
                    assert!(self.ran.insert(signature.clone()), "D2: {signature} ran twice");
                    assert_eq!(self.running.replace(call_id), None, "one tool at a time");
                }
                Effect::CancelTool { call_id } => assert_eq!(self.running.take(), Some(call_id)),
            }
        }
    }

    fn check_event(&mut self, envelope: &Envelope) {
        assert_eq!(envelope.seq, self.seq + 1, "T2: seq grows by exactly 1");
        self.seq = envelope.seq;
        match &envelope.event {
            TurnEvent::ToolCall { tool_call_id, signature, .. } => {
                assert!(self.last_signature.iter().all(|(id, _)| id != tool_call_id), "call ids are unique");
                self.last_signature.push((tool_call_id.clone(), signature.clone()));
            }
            TurnEvent::ToolResult { tool_call_id, .. } if self.running.as_ref() == Some(tool_call_id) => {
                self.running = None
            }
            TurnEvent::ApprovalRequested { digest, .. } => self.asked = Some(digest.clone()),
            _ => {}
        }
        if let Some(report) = envelope.event.terminal() {
            self.terminals += 1;
            assert_eq!(
                (report.model_calls, report.tool_runs, report.bounds),
                (self.model_calls, self.tool_runs, self.bounds),
                "J5: the report counts what happened",
            );
            assert!(report.cycles <= report.bounds.model_calls);
            assert_eq!(self.running, None);
        }
    }
}

fn policies() -> impl Strategy<Value = Policy> {
    (prop::bool::ANY, 0..5u32, 1..4u32, 1..4u32).prop_map(|(two_stage, cycles, tools, duplicates)| {
        let route = if two_stage { Route::TwoStage } else { Route::Unified };
        let limits =
            TurnLimits { max_cycles: Some(cycles), max_tools: Some(tools), max_duplicates: Some(duplicates) };
        Policy::of(route, limits)
    })
}

proptest! {
    #![proptest_config(Config { cases: 10_000, failure_persistence: None, ..Config::default() })]

    #[test]
    fn every_rule_holds_after_every_input_of_a_random_sequence(
        policy in policies(),
        acts in prop::collection::vec(prop::sample::select(&ACTS[..]), 0..60),
    ) {
        let mut watched = Watched::start(setup(policy));
        for act in acts {
            watched.act(act);
        }
        // A4: from wherever the sequence led, a stop ends the turn, once.
        watched.act(Act::Stop);
        prop_assert!(watched.turn.is_over());
        prop_assert_eq!(watched.terminals, 1);
    }
}

#[test]
fn every_rule_holds_after_every_input_of_every_sequence_up_to_length_5() {
    fn explore(from: &Watched, acts: &[Act], left: u32, seen: &mut u64) {
        for &act in acts {
            let mut next = from.clone();
            next.act(act);
            *seen += 1;
            if left > 1 && !next.turn.is_over() {
                explore(&next, acts, left - 1, seen);
            }
        }
    }
    let two_stage = TurnLimits { max_cycles: Some(2), max_tools: Some(1), max_duplicates: Some(2) };
    let unified = TurnLimits { max_cycles: Some(2), max_tools: Some(2), max_duplicates: Some(2) };
    for policy in [Policy::of(Route::TwoStage, two_stage), Policy::of(Route::Unified, unified)] {
        let mut sequences = 0;
        explore(&Watched::start(setup(policy)), &KINDS, 5, &mut sequences);
        assert!(sequences > 300_000, "{sequences} sequences");
    }
}

#[test]
fn hostile_models_end_within_their_bounds() {
    // T4: the bound of model calls is reached, so it is the least one
    let repeat: &[Act] = &[Act::CallA, Act::ToolOk];
    let alternate: &[Act] = &[Act::CallA, Act::ToolOk, Act::CallB, Act::ToolOk];
    for (policy, acts, model_calls) in [
        (Policy::two_stage(), repeat, 5),
        (Policy::two_stage(), alternate, 6),
        (Policy::unified(), &[Act::CallA, Act::Ended, Act::ToolOk], 5),
    ] {
        let mut watched = Watched::start(setup(policy));
        for _ in 0..100 {
            acts.iter().for_each(|&act| watched.act(act));
        }
        watched.act(Act::Ended);
        assert_eq!((watched.terminals, watched.model_calls), (1, model_calls), "{acts:?}");
    }
    for policy in [Policy::two_stage(), Policy::unified()] {
        let mut watched = Watched::start(setup(policy));
        for number in 0..100 {
            let arguments = format!("{{\"path\":\"{number}\"}}");
            let deltas = vec![call(0, "", "read", &arguments)];
            let live = watched.live_call.unwrap_or(0);
            watched.input(Input::Model { call: live, event: ModelInput::Deltas { deltas } });
            watched.act(Act::Ended);
            watched.act(Act::ToolOk);
        }
        assert_eq!((watched.terminals, watched.model_calls), (1, policy.max_cycles + 1), "never repeats");
    }
    // The most a two-stage turn can cost: every free refusal but the last, every cycle, the final answer.
    let mut watched = Watched::start(setup(Policy::two_stage()));
    let worst = [
        Act::CallA,
        Act::ToolOk,
        Act::CallAAgain,
        Act::CallA,
        Act::CallB,
        Act::ToolOk,
        Act::CallAsk,
        Act::Allow,
    ];
    worst.iter().for_each(|&act| watched.act(act));
    watched.act(Act::ToolOk);
    watched.act(Act::CallA);
    watched.act(Act::Ended);
    assert_eq!((watched.terminals, watched.model_calls, watched.tool_runs), (1, 6, 3));
    assert_eq!(watched.bounds, Bounds { model_calls: 6, tool_runs: 3, write_prompts: 48 });
}
