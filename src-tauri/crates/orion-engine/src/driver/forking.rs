//! What a fork has of a turn: its journal as far as the beginning of a phase, for another turn in a session of its own (T9).
//!
//! What the turn was given of its session is a text of the fork's own, so that the fork's journal is pinned without the other session (T8).

use orion_core::turn::{Effect, Input, Turn, TurnSetup};
use orion_protocol::{
    Code, Envelope, ErrorInfo, PauseRequest, PendingOf, Purpose, RequestId, SessionId, TurnEvent, TurnIds,
};
use orion_store::{CopiedTurn, Fork, Record, Spent, Store, StoredRow};

use super::history::History;
use super::rebuild::{Rebuilt, rebuild};
use super::recorded::{self, read_input};
use super::texts::{json, unreadable};

/// What the title of a fork begins with.
const FORK: &str = "Fork";

/// The fork of a turn that goes on with one of its phases; without a number, with the last one that it can go on with. It is paused before
/// the model call of that phase, so that going on costs nothing. In a tool phase it is as the turn was there: interrupted, so that its call
/// runs once more (A5), or waiting for an answer.
///
/// # Errors
/// `turn_unknown`; `other_version` when this version does not say what was recorded (T8); `usage` for a phase that it cannot go on with.
pub(crate) async fn fork(
    store: &Store,
    of: RequestId,
    phase: Option<u32>,
    (ids, at_ms): (TurnIds, i64),
) -> Result<Fork, ErrorInfo> {
    let setup = answering(store, of).await?;
    let journal = store.journal(of).await?;
    let events = journal.iter().map(event).collect::<Result<Vec<_>, _>>()?;
    let start = chosen(&events, phase)?;
    let context = context(&setup)?;
    let setup = TurnSetup { ids, begins_paused: start.phase == 1, ..setup };
    let given = store.given(of).await?;
    let bare = TurnSetup { history: Vec::new(), ..setup.clone() };
    let in_force = given.get(2).unwrap_or(&bare.system);
    let mut records = recorded::setup(&bare, History::of_context(context.as_deref()), in_force)?;
    let run = Run::until(store, setup, &journal, &start).await?;
    records.extend(recorded::begins(&run.turn)?);
    let (mut calls, mut writes) = (Vec::new(), Vec::new());
    for event in events.into_iter().take(start.row).flatten() {
        match event {
            TurnEvent::ToolResult { tool_call_id, .. } => calls.push(tool_call_id),
            TurnEvent::WriteDone { write, .. } => writes.push(write),
            _ => {}
        }
    }
    let Run { turn, rows, then } = run;
    let turn = CopiedTurn { ids, records, rows, then, calls, writes, spent: Spent::from(&turn.report()) };
    let (phase, step) = (start.phase, start.step);
    let mark = FORK.to_owned();
    Ok(Fork {
        session_id: ids.session_id,
        at_ms,
        of,
        phase,
        step,
        context,
        mark,
        project: None,
        turn: Some(turn),
    })
}

/// A fork in which nothing has begun: a session with what the turn was given of its own one, for another turn with the same message. With the
/// turn's setup.
///
/// # Errors
/// `turn_unknown`; `other_version` when this version does not say what was recorded (T8); `usage` for a compaction.
pub(crate) async fn fork_before(
    store: &Store,
    of: RequestId,
    mark: String,
    at_ms: i64,
) -> Result<(Fork, TurnSetup), ErrorInfo> {
    let setup = answering(store, of).await?;
    let context = context(&setup)?;
    let session_id = SessionId(orion_store::new_id());
    Ok((Fork { session_id, at_ms, of, phase: 1, step: 0, context, mark, project: None, turn: None }, setup))
}

async fn answering(store: &Store, of: RequestId) -> Result<TurnSetup, ErrorInfo> {
    let Rebuilt { setup, .. } = rebuild(store, of).await?;
    if setup.purpose() != Purpose::Answer {
        return Err(refused("A compaction cannot be forked.", "Fork a turn that answers a message."));
    }
    Ok(setup)
}

/// What a turn was given of its session, as a cut would leave it.
fn context(setup: &TurnSetup) -> Result<Option<String>, ErrorInfo> {
    if setup.history.is_empty() { Ok(None) } else { Ok(Some(json(&setup.history)?)) }
}

/// A turn that has come to the beginning of a phase.
struct Run {
    turn: Turn,
    /// Rows of the journal that led there.
    rows: usize,
    /// What is recorded after them.
    then: Vec<Record>,
}

impl Run {
    /// The last input before the phase begins it. Where that is a phase with a model call, a person asks for a pause before that input, so
    /// that the turn waits where the call would go out.
    async fn until(
        store: &Store,
        setup: TurnSetup,
        journal: &[StoredRow],
        start: &Start,
    ) -> Result<Self, ErrorInfo> {
        let (mut turn, began) = Turn::start(setup);
        let is_input = |row: &StoredRow| matches!(row, StoredRow::Input { .. });
        let last = journal[..start.row].iter().rposition(is_input).unwrap_or(0);
        if last == 0 {
            let then = waits(&turn).into_iter();
            return Ok(Self { turn, rows: 1, then: said(&began)?.into_iter().chain(then).collect() });
        }
        // The first is the setup.
        for row in &journal[1..last] {
            if let StoredRow::Input { at_ms, body } = row {
                turn.step(*at_ms, read_input(store, body).await?);
            }
        }
        let StoredRow::Input { at_ms, body } = &journal[last] else { return Err(broken()) };
        let (at_ms, input) = (*at_ms, read_input(store, body).await?);
        // What another process goes on with has no phase of its own before it.
        if start.is_action && !matches!(input, Input::Resumed { .. }) {
            let mut paused = turn.clone();
            let pause = Input::Pause { pause: PauseRequest::Next };
            let mut then = vec![Record::input(at_ms, &pause)?];
            then.extend(said(&paused.step(at_ms, pause))?);
            then.push(Record::Input { at_ms, body: body.clone() });
            then.extend(said(&paused.step(at_ms, input.clone()))?);
            if paused.pending().is_some_and(|pending| matches!(pending.of, PendingOf::Pause { .. })) {
                then.push(Record::Waits(true));
                return Ok(Self { turn: paused, rows: last, then });
            }
        }
        let events =
            turn.step(at_ms, input).iter().filter(|effect| matches!(effect, Effect::Emit(_))).count();
        let then = waits(&turn).into_iter().collect();
        Ok(Self { turn, rows: last + 1 + events, then })
    }
}

/// What says that a turn waits for a person; nothing where it does not.
fn waits(turn: &Turn) -> Option<Record> {
    turn.pending().is_some().then_some(Record::Waits(true))
}

/// What the machine says, as it is recorded.
fn said(effects: &[Effect]) -> Result<Vec<Record>, ErrorInfo> {
    let events = effects.iter().filter_map(|effect| match effect {
        Effect::Emit(envelope) => Some(Record::event(envelope)),
        _ => None,
    });
    Ok(events.collect::<Result<_, _>>()?)
}

/// The event of a row; none where it is an input.
fn event(row: &StoredRow) -> Result<Option<TurnEvent>, ErrorInfo> {
    let StoredRow::Event { body, .. } = row else { return Ok(None) };
    let Envelope { event, .. } = serde_json::from_str(body).map_err(unreadable)?;
    Ok(Some(event))
}

/// Where a phase begins.
struct Start {
    /// Its number, from 1.
    phase: u32,
    /// Tool phases begun by then, itself among them.
    step: u32,
    row: usize,
    is_action: bool,
    /// It is part of a write session.
    writes: bool,
}

/// The beginning of the phase that was asked for.
fn chosen(events: &[Option<TurnEvent>], wanted: Option<u32>) -> Result<Start, ErrorInfo> {
    let starts = events.iter().enumerate().filter_map(|(row, event)| match event {
        Some(TurnEvent::PhaseStarted { cycle, model_call, write, .. }) => {
            let (is_action, step) = (model_call.is_some(), *cycle);
            Some(Start { phase: 0, step, row, is_action, writes: write.is_some() })
        }
        _ => None,
    });
    let phases: Vec<Start> = (1..).zip(starts).map(|(phase, start)| Start { phase, ..start }).collect();
    let count = phases.len();
    let found = match wanted {
        None => phases.into_iter().rfind(|start| !start.writes),
        Some(wanted) => phases.into_iter().find(|start| start.phase == wanted),
    };
    match found {
        Some(start) if start.writes => Err(refused(
            "This phase is part of a write session, which cannot be forked.",
            "Fork from a phase before the write session or after it.",
        )),
        Some(start) => Ok(start),
        None => Err(refused("The turn has no such phase.", &format!("It has {count}."))),
    }
}

fn refused(message: &str, what_to_do: &str) -> ErrorInfo {
    ErrorInfo::new(Code::Usage, message, what_to_do)
}

/// No row before a phase is an input: no machine writes such a journal.
fn broken() -> ErrorInfo {
    refused("The turn has no such phase.", "Fork it from another one.")
}
