//! The JSON form of a turn's inputs in the journal.
//!
//! The first row is the setup without its history, which is the session's earlier messages; the others are the machine's
//! own [`Input`]s. A tool's body is left out of its row: it is kept once, with the call's outcome.

use orion_core::model::Message;
use orion_core::prompt;
use orion_core::tool::ToolOutcome;
use orion_core::turn::{Input, TurnSetup};
use orion_protocol::{BatchId, CallId};
use orion_store::{Exchange, Record, StoreError};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SetupRow {
    #[serde(rename = "type")]
    kind: SetupKind,
    /// What of the session went into the prompt, in bytes at most.
    pub(super) history_bytes: usize,
    /// Which exchanges of it had no answer yet, counted from the newest: they may have one by now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) unanswered: Vec<usize>,
    pub(super) setup: TurnSetup,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SetupKind {
    Setup,
}

/// The first row of a turn, whose setup has no history yet, but for which of these exchanges it had.
pub(super) fn setup(
    setup: &TurnSetup,
    history_bytes: usize,
    history: &[Exchange],
) -> Result<Record, StoreError> {
    let at_ms = setup.at_ms;
    let setup = setup.clone();
    let newest_first = history.iter().rev().enumerate();
    let unanswered = newest_first.filter(|(_, said)| said.assistant.is_none()).map(|(at, _)| at).collect();
    Record::input(at_ms, &SetupRow { kind: SetupKind::Setup, history_bytes, unanswered, setup })
}

/// The rows of a tool's end, and the input as the machine takes it.
pub(super) fn tool_ended(
    at_ms: i64,
    batch: BatchId,
    call_id: CallId,
    mut outcome: ToolOutcome,
    duration_ms: u64,
) -> Result<([Record; 2], Input), StoreError> {
    let body = std::mem::take(&mut outcome.body);
    let ended =
        Record::CallEnded { batch, call_id: call_id.clone(), status: outcome.status, body: body.clone() };
    let mut input = Input::Tool { call_id, outcome, duration_ms };
    let row = Record::input(at_ms, &input)?;
    if let Input::Tool { outcome, .. } = &mut input {
        outcome.body = body;
    }
    Ok(([ended, row], input))
}

/// What the model saw of a call: its body, and the error or what was cut, which stand in the journal.
/// `ended` is the input that says so; a call that was cancelled has none.
pub(crate) fn result_text(ended: Option<&str>, call: &CallId, body: String) -> String {
    match ended.and_then(|row| serde_json::from_str(row).ok()) {
        Some(Input::Tool { call_id, outcome, .. }) if call_id == *call => {
            prompt::outcome_text(&ToolOutcome { body, ..outcome })
        }
        _ => body,
    }
}

/// Earlier messages of the session as the prompt has them.
pub(super) fn history(exchanges: Vec<Exchange>) -> Vec<Message> {
    let messages = exchanges.into_iter().flat_map(|Exchange { user, assistant }| {
        let answer =
            assistant.map(|text| Message::Assistant { text, reasoning: None, tool_calls: Vec::new() });
        [Some(Message::User { text: user }), answer]
    });
    messages.flatten().collect()
}
