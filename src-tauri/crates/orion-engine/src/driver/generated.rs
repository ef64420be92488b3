//! Turns that no model led and no disk saw, recorded as the driver records them: for tests over many of them.

use std::collections::VecDeque;

use orion_core::context::Gauge;
use orion_core::model::{ArgumentsDelta, ModelDelta, ModelNumbers, ModelTuning, Profile, ToolCallDelta};
use orion_core::tool::{Seen, ToolKind, ToolOutcome, ToolSet, ToolSpec};
use orion_core::turn::{Done, Effect, Flags, Input, JobId, ModelInput, Supplied, Turn, TurnSetup, Work};
use orion_protocol::{
    Code, Envelope, ErrorInfo, Mode, Permission, Policy, ProjectId, Reply, RequestId, SessionId, ToolStatus,
    TurnIds,
};
use orion_store::{NewTurn, Record, Store};
use proptest::prelude::*;
use serde_json::json;
use uuid::Uuid;

use super::beginning::{Beginning, Origin};
use super::recorded;
use super::said::Said;

/// What happens next, where more than one thing can.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Says(String),
    Thinks(String),
    Calls(&'static str, &'static str),
    Malformed,
    Ends(&'static str),
    Breaks,
    Retries,
    Stops,
    Finds(String),
    Denies,
}

/// A turn: its message, its route, whether it takes the place of the one before it, and what happens in it.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) text: String,
    pub(crate) unified: bool,
    pub(crate) instead: bool,
    pub(crate) steps: Vec<Step>,
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(&["a", "é ", "日本", "🦊\n", "</script>", "```\n", "\u{202e}x", "# One\n"][..]).prop_map(str::to_owned),
        1 => ".{0,40}",
    ]
}

pub(crate) fn scripts() -> impl Strategy<Value = Script> {
    let step = prop_oneof![
        6 => texts().prop_map(Step::Says),
        2 => texts().prop_map(Step::Thinks),
        4 => (prop::sample::select(&["read", "ask", "never", "unknown"][..]), prop::sample::select(&["a", "b", "é"][..]))
            .prop_map(|(name, path)| Step::Calls(name, path)),
        1 => Just(Step::Malformed),
        3 => prop::sample::select(&["stop", "length", "tool_calls", "strange"][..]).prop_map(Step::Ends),
        1 => Just(Step::Breaks),
        1 => Just(Step::Retries),
        1 => Just(Step::Stops),
        3 => texts().prop_map(Step::Finds),
        1 => Just(Step::Denies),
    ];
    (texts(), any::<bool>(), prop::bool::weighted(0.2), prop::collection::vec(step, 0..24))
        .prop_map(|(text, unified, instead, steps)| Script { text, unified, instead, steps })
}

/// A session of a project.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionIds {
    pub(crate) project_id: ProjectId,
    pub(crate) session_id: SessionId,
}

pub(crate) async fn session_ids(store: &Store) -> SessionIds {
    let project = store.open_project("/generated", "generated", 1).await.unwrap();
    let session = store.new_session(project.project_id, 1).await.unwrap();
    SessionIds { project_id: project.project_id, session_id: session.session_id }
}

/// A recorded turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recorded {
    pub(crate) request_id: RequestId,
    /// The last event that it began with.
    pub(crate) begun: u32,
    /// The last of all.
    pub(crate) events: u32,
}

/// Records a turn. The event with the number `planted` is recorded a millisecond late.
pub(crate) async fn record(
    store: &Store,
    SessionIds { project_id, session_id }: SessionIds,
    script: &Script,
    before: Option<RequestId>,
    planted: Option<u32>,
) -> Recorded {
    let ids = TurnIds { request_id: RequestId(Uuid::now_v7()), session_id, project_id };
    let instead_of = before.filter(|_| script.instead);
    let beginning = Beginning {
        setup: setup(ids, script),
        origin: Origin { instead_of, queued: None, caller: None },
        interrupted: Vec::new(),
    };
    let turn = NewTurn { ids, at_ms: 1_000, title: "generated".to_owned() };
    let (mut journal, (mut turn, effects)) = store.begin_turn(turn, beginning).await.unwrap();
    let mut steps = script.steps.iter();
    // The events among them are recorded already.
    let begun = effects.iter().filter_map(|effect| match effect {
        Effect::Emit(envelope) => Some(envelope.seq),
        _ => None,
    });
    let begun = begun.max().unwrap_or(0);
    let mut todo: VecDeque<Effect> = effects.into();
    let (mut at_ms, mut records, mut seq) = (1_000, Vec::new(), begun);
    let mut live = None;
    let mut running = None;
    loop {
        let mut waits = None;
        while let Some(effect) = todo.pop_front() {
            match effect {
                Effect::Emit(envelope) if envelope.seq > begun => {
                    seq = envelope.seq;
                    let late = i64::from(planted == Some(seq));
                    records
                        .push(Record::event(&Envelope { at_ms: envelope.at_ms + late, ..envelope }).unwrap());
                }
                Effect::Show(envelope) => records.push(Record::event(&envelope).unwrap()),
                Effect::CallModel { call, .. } => live = Some(call),
                Effect::DropModel { .. } => live = None,
                Effect::Begin { job, work: Work::Tool { batch, call_id, name, arguments, .. } } => {
                    let arguments = arguments.to_string();
                    let permission = Permission::Allow;
                    let call = call_id.clone();
                    records.push(Record::CallStarted { batch, call_id: call, name, arguments, permission });
                    running = Some((job, batch, call_id));
                }
                Effect::Begin { job, work: Work::Compare { .. } } => {
                    waits = Some(Input::Done { job, done: Done::Compared { same: false, seen: vec![] } });
                }
                _ => {}
            }
        }
        if turn.is_over() {
            break;
        }
        at_ms += 1;
        let input = waits.unwrap_or_else(|| next(&turn, &mut steps, live, &mut running));
        let input = match input {
            Input::Done { job, done: Done::Tool { outcome, duration_ms } } => {
                let (_, batch, call_id) = running.take().unwrap();
                let (rows, input) =
                    recorded::tool_ended(at_ms, (job, batch), call_id, *outcome, duration_ms).unwrap();
                records.extend(rows);
                input
            }
            input => {
                records.push(Record::input(at_ms, &input).unwrap());
                input
            }
        };
        todo.extend(turn.step(at_ms, input));
    }
    records.extend(recorded::left(&turn, &Said::default()).unwrap());
    _ = journal.append(Vec::new()).await;
    journal.finish(records, at_ms).await.unwrap();
    Recorded { request_id: ids.request_id, begun, events: seq }
}

/// What comes next of the script that the turn can take now. Without any, what it waits for ends, and at last the turn is stopped.
fn next(
    turn: &Turn,
    steps: &mut std::slice::Iter<'_, Step>,
    live: Option<u32>,
    running: &mut Option<(JobId, u32, orion_protocol::CallId)>,
) -> Input {
    if let Some((job, ..)) = running {
        let body = steps.find_map(|step| match step {
            Step::Finds(text) => Some(Some(text.clone())),
            Step::Denies => Some(None),
            _ => None,
        });
        let done = Done::Tool { outcome: outcome(body.flatten()).into(), duration_ms: 3 };
        return Input::Done { job: *job, done };
    }
    if let Some(pending) = turn.pending() {
        let denies = matches!(steps.next(), Some(Step::Denies | Step::Stops));
        let reply = if denies { Reply::NO } else { Reply::YES };
        return Input::Replied { digest: pending.digest, reply, supplied: Supplied::Nothing };
    }
    let Some(call) = live else { return Input::Stop };
    let deltas = |delta| ModelInput::Deltas { deltas: vec![delta] };
    let event = match steps.next() {
        Some(Step::Says(text) | Step::Finds(text)) => deltas(ModelDelta::Text { text: text.clone() }),
        Some(Step::Thinks(text)) => deltas(ModelDelta::Reasoning { text: text.clone() }),
        Some(Step::Calls(name, path)) => deltas(called(name, &json!({ "path": path }).to_string())),
        Some(Step::Malformed) => deltas(called("read", "{\"path\":")),
        Some(Step::Ends(reason)) => deltas(ModelDelta::Finish { reason: (*reason).to_owned() }),
        Some(Step::Retries) => ModelInput::Retrying { attempt: 2, delay_ms: 10, cause: broken() },
        Some(Step::Breaks) => ModelInput::Failed { error: broken() },
        Some(Step::Stops) => return Input::Stop,
        Some(Step::Denies) | None => ModelInput::Ended,
    };
    Input::Model { call, event }
}

fn called(name: &str, arguments: &str) -> ModelDelta {
    ModelDelta::ToolCall {
        delta: ToolCallDelta {
            index: None,
            id: None,
            name: Some(name.to_owned()),
            arguments: Some(ArgumentsDelta::Fragment(arguments.to_owned())),
            extra: None,
        },
    }
}

fn outcome(body: Option<String>) -> ToolOutcome {
    let error = body.is_none().then(|| ErrorInfo::new(Code::PathNotFound, "There is no such file.", ""));
    let status = if error.is_some() { ToolStatus::Failed } else { ToolStatus::Ok };
    let body = body.unwrap_or_default();
    ToolOutcome {
        bytes: body.len() as u64,
        body,
        error,
        seen: vec![Seen::Path("a".to_owned())],
        ..ToolOutcome::ended(status, "1 line")
    }
}

fn broken() -> ErrorInfo {
    ErrorInfo::new(Code::Connection, "The connection broke.", "Try again.")
}

fn tool(name: &str, permission: Permission) -> ToolSpec {
    let parameters = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    let kind = if name == "ask" { ToolKind::Mutates } else { ToolKind::Reads };
    ToolSpec { permission, ..ToolSpec::new(name, format!("Does {name}."), parameters, kind) }
}

fn setup(ids: TurnIds, script: &Script) -> TurnSetup {
    TurnSetup {
        ids,
        parent: None,
        at_ms: 1_000,
        policy: if script.unified { Policy::unified() } else { Policy::two_stage() },
        chosen: None,
        choices: None,
        mode: Mode::Act,
        profile: Profile::default(),
        numbers: ModelNumbers::default(),
        tuning: ModelTuning::default(),
        endpoint: "generated".to_owned(),
        model: "scripted".to_owned(),
        project_root: "/generated".to_owned(),
        begun_in: None,
        nonce: "NONCE".to_owned(),
        tools: ToolSet::from_iter([
            tool("read", Permission::Allow),
            tool("ask", Permission::Ask),
            tool("never", Permission::Deny),
        ]),
        system: "SYSTEM".to_owned(),
        history: Vec::new(),
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
        text: script.text.clone(),
        attached: Vec::new(),
        compacts: None,
        checks: Vec::new(),
        repairs: false,
        rewound: None,
        rules: orion_core::permission::Rules::default(),
    }
}
