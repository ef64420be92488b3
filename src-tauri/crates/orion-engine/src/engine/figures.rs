//! What turns came to, one by one: by their reports, and for the time in which they waited by their events.

use std::collections::HashMap;

use orion_core::trace::TraceFold;
use orion_protocol::{
    Envelope, ErrorInfo, Figures, FiguresOf, Phase, RequestId, SlowCall, StatsBy, TurnFigures,
};
use orion_store::{EndsOf, TurnEnds};

use super::Engine;
use super::stats::{Counted, is_compaction, stats};

/// Turns that are listed.
const TURNS: usize = 5_000;

/// The slowest calls that are listed.
const SLOWEST: usize = 20;

impl Engine {
    /// Figures of these turns.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(super) async fn figures(&self, of: FiguresOf, since_ms: Option<i64>) -> Result<Figures, ErrorInfo> {
        let of = match of {
            FiguresOf::Everything => EndsOf { since_ms, ..EndsOf::default() },
            FiguresOf::Project { project_id } => {
                EndsOf { since_ms, project: Some(project_id), session: None }
            }
            FiguresOf::Session { session_id } => {
                EndsOf { since_ms, project: None, session: Some(session_id) }
            }
        };
        let store = &self.shared.store;
        let projects = store.projects().await?;
        let ends = store.turn_ends(of).await?;
        let waited = waited(&store.waiting_events(of).await?);
        let totals = stats(vec![StatsBy::Route, StatsBy::Model], since_ms, &ends, &projects);
        let (mut turns, mut slowest) = (Vec::new(), Vec::new());
        for turn in ends.iter().filter(|turn| turn.is_over && !is_compaction(turn)) {
            let Some(counted) = Counted::of(turn) else { continue };
            slowest.extend(calls(turn, &counted));
            turns.push(row(turn, counted, waited.get(&turn.ids.request_id).copied().unwrap_or(0)));
        }
        slowest.sort_by_key(|call| std::cmp::Reverse(call.duration_ms));
        slowest.truncate(SLOWEST);
        let turns = turns.split_off(turns.len().saturating_sub(TURNS));
        let (unfinished, unreadable) = (totals.unfinished, totals.unreadable);
        Ok(Figures { turns, totals: totals.rows, slowest, unfinished, unreadable })
    }
}

/// How long each turn waited for a person, by its events that say so.
fn waited(events: &[(RequestId, String)]) -> HashMap<RequestId, u64> {
    let of_turns = events.chunk_by(|(one, _), (other, _)| one == other);
    let waits = of_turns.filter_map(|events| {
        let (request_id, _) = events.first()?;
        let envelopes: Vec<Envelope> =
            events.iter().filter_map(|(_, body)| serde_json::from_str(body).ok()).collect();
        let waited = TraceFold::all(&envelopes).first()?.waited_ms;
        Some((*request_id, waited))
    });
    waits.collect()
}

fn row(turn: &TurnEnds, counted: Counted, waited_ms: u64) -> TurnFigures {
    TurnFigures {
        request_id: turn.ids.request_id,
        session_id: turn.ids.session_id,
        project_id: turn.ids.project_id,
        started_at_ms: turn.started_at_ms,
        text: turn.text.clone(),
        route: counted.route,
        mode: counted.mode,
        model_calls: counted.all_model_calls(),
        model: counted.model,
        status: counted.status,
        stop_reason: counted.stop_reason,
        cycles: counted.cycles,
        tool_runs: counted.tool_runs,
        duplicates_refused: counted.duplicates_refused,
        retries: counted.retries,
        prompt_tokens: counted.usage.prompt_tokens,
        cached_tokens: counted.usage.cached_tokens,
        completion_tokens: counted.usage.completion_tokens,
        reasoning_tokens: counted.usage.reasoning_tokens,
        cost_usd: counted.cost_usd,
        duration_ms: counted.duration_ms,
        waited_ms,
    }
}

/// The calls of a turn. Each model call is an action phase of its own.
fn calls(turn: &TurnEnds, counted: &Counted) -> Vec<SlowCall> {
    let request_id = turn.ids.request_id;
    let phases = counted.phases.iter().filter(|phase| phase.phase == Phase::ActionPhase);
    let models = (1..).zip(phases).filter_map(|(call, phase)| {
        let name = counted.model.clone();
        let duration_ms = phase.duration_ms?;
        Some(SlowCall { request_id, name, call: Some(call), tool_call_id: None, duration_ms })
    });
    let tools = counted.tool_calls.iter().filter_map(|call| {
        let (name, tool_call_id) = (call.name.clone(), Some(call.tool_call_id.clone()));
        Some(SlowCall { request_id, name, call: None, tool_call_id, duration_ms: call.duration_ms? })
    });
    models.chain(tools).collect()
}

#[cfg(test)]
mod tests {
    use orion_protocol::{Bounds, Given, ModelNumbers, Policy};
    use serde_json::{Value, json};

    use super::*;

    // A7
    #[test]
    fn a_turn_has_waited_from_each_question_to_its_answer() {
        let ids = ["01900000-0000-7000-8000-000000000001", "01900000-0000-7000-8000-000000000002"];
        let digest = "0".repeat(64);
        let event = |id: &str, at_ms: i64, event: Value| {
            let envelope = json!({
                "v": 1, "requestId": id, "sessionId": ids[0], "projectId": ids[0], "seq": 1, "atMs": at_ms,
                "phase": "tool_phase", "toolBatchId": 1, "event": event,
            });
            (id.parse().unwrap(), envelope.to_string())
        };
        let asked = json!({
            "type": "asked", "digest": digest,
            "of": { "type": "call", "toolCallId": "c", "name": "write", "summary": "", "by": "default", "keeps": null },
        });
        let given = json!({ "type": "answered", "digest": digest, "given": Given::YES });
        let started = json!({
            "type": "turn_started", "policy": Policy::two_stage(),
            "bounds": Bounds::of(&Policy::two_stage(), &ModelNumbers::default()), "mode": "act", "model": "m", "endpoint": "e", "text": "t",
            "tools": [],
        });
        let mut events = vec![event(ids[0], 1_000, started.clone())];
        for at_ms in [2_000, 10_000] {
            events.push(event(ids[0], at_ms, asked.clone()));
            events.push(event(ids[0], at_ms + 700, given.clone()));
        }
        events.push(event(ids[1], 1_000, started));
        let [one, other] = ids.map(|id| id.parse::<RequestId>().unwrap());
        assert_eq!(waited(&events), HashMap::from([(one, 1_400), (other, 0)]));
    }
}
