//! The JSON form of a turn's inputs in the journal, in both directions.
//!
//! The first row is the setup, and the others are the machine's own [`Input`]s. Texts are not in the rows. The system
//! text, the tools, the history and the body of each result are kept once and named by their digest (T8). A reader of a
//! row gets a text only if it still has that digest. The rows of the setup and of results are sealed (`sealed`).

use orion_core::context::{Gauge, unsaid};
use orion_core::model::Message;
use orion_core::prompt;
use orion_core::signature::digest;
use orion_core::tool::{ToolOutcome, ToolSet};
use orion_core::turn::{Attached, Done, Input, JobId, Turn, TurnSetup};
use orion_protocol::{BatchId, CallId, ErrorInfo, Prices, Purpose, RequestId, Sha256};
use orion_store::{Record, Store, StoreError, TextKind};
use serde::{Deserialize, Serialize};

use super::history::History;
use super::said::Said;
use super::sealed::seal;
use super::taken_out;
use super::texts::{json, text, unreadable};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SetupRow {
    #[serde(rename = "type")]
    kind: SetupKind,
    /// The digest of the system text. The next two are those of the tools and of the history.
    system: Sha256,
    tools: Sha256,
    history: History,
    /// Digests of what came with the message, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attached: Vec<Sha256>,
    /// Without the texts, which are named by their digest.
    setup: TurnSetup,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SetupKind {
    Setup,
}

/// The row of a tool's end. The body of the outcome is empty in it.
#[derive(Serialize)]
struct ToolRow<'a> {
    #[serde(flatten)]
    input: &'a Input,
    body: Sha256,
}

/// What a row has beside the input.
#[derive(Deserialize)]
struct Beside {
    /// Digest of a tool's result.
    body: Sha256,
}

/// The first records of a turn: its setup, which has no history yet, and the texts that it names. `in_force` is the system text as it would be
/// if the session began now.
pub(super) fn setup(setup: &TurnSetup, history: History, in_force: &str) -> Result<Vec<Record>, StoreError> {
    let tools = json(&setup.tools)?;
    let (attached, bodies) = bare(&setup.attached);
    let row = SetupRow {
        kind: SetupKind::Setup,
        system: digest(&setup.system),
        tools: digest(&tools),
        history,
        attached: bodies.iter().map(|body| digest(body)).collect(),
        setup: TurnSetup { system: String::new(), tools: ToolSet::empty(), attached, ..setup.clone() },
    };
    // Those that follow look for it in this place.
    let in_force = (in_force != setup.system || !bodies.is_empty()).then(|| in_force.to_owned());
    let uncut = setup.attached.iter().filter_map(|attached| Some(attached.uncut.as_ref()?.body.clone()));
    let given = [setup.system.clone(), tools].into_iter().chain(in_force).chain(bodies).chain(uncut);
    let mut records = vec![Record::input(setup.at_ms, &seal(&row)?)?];
    records.extend(given.map(|body| Record::Text { kind: TextKind::Given, body }));
    records.extend(taken_out::of_setup(setup)?);
    Ok(records)
}

/// What came with a message without its bodies, and the bodies.
fn bare(attached: &[Attached]) -> (Vec<Attached>, Vec<String>) {
    let take = |attached: &Attached| {
        let mut attached = attached.clone();
        let body = std::mem::take(&mut attached.outcome.body);
        if let Some(uncut) = &mut attached.uncut {
            uncut.body = String::new();
        }
        (attached, body)
    };
    attached.iter().map(take).unzip()
}

/// What a turn begins with, for those that follow it (X1).
pub(super) fn begins(turn: &Turn) -> Result<Vec<Record>, StoreError> {
    let begins = turn.conversation().begins(turn.has_failed());
    begins.map(|item| Ok(Record::Text { kind: TextKind::Said, body: json(item)? })).collect()
}

/// What a turn leaves to those that follow it (X1), beyond what was kept of it before: its items, the context where it was cut, and the count
/// of its tokens. A context that was kept stays, as it was given to others.
pub(super) fn left(turn: &Turn, said: &Said) -> Result<Vec<Record>, StoreError> {
    let conversation = turn.conversation();
    let mut records = Vec::new();
    for item in unsaid(&said.items, conversation.left(turn.has_failed())) {
        records.push(Record::Text { kind: TextKind::Said, body: json(&item)? });
    }
    if let Some(kept) = conversation.kept().filter(|_| !said.has_context) {
        records.push(Record::Context { items: json(&kept)? });
    }
    // X4: a compaction leaves the gauge that it found.
    if turn.purpose() == Purpose::Answer {
        records.push(Record::Gauge(json(&Gauged { model: turn.model().to_owned(), gauge: turn.gauge() })?));
    }
    Ok(records)
}

/// The last count of a model's tokens. Another model counts in its own way.
#[derive(Serialize, Deserialize)]
pub(super) struct Gauged {
    pub(super) model: String,
    #[serde(flatten)]
    pub(super) gauge: Gauge,
}

/// What a turn kept of its model's tokens.
pub(super) fn gauged(kept: &str) -> Option<Gauged> {
    serde_json::from_str(kept).ok()
}

/// The answer of a turn whose machine is not here, unless it is empty.
pub(super) fn answer(text: String) -> Result<Option<Record>, StoreError> {
    let message = Message::Assistant { text, reasoning: None, tool_calls: Vec::new() };
    if message.text_bytes() == 0 { Ok(None) } else { said(&message).map(Some) }
}

/// A message of the conversation, for the turns that follow.
fn said(message: &Message) -> Result<Record, StoreError> {
    Ok(Record::Text { kind: TextKind::Said, body: json(message)? })
}

/// The rows of a tool's end, and the input as the machine takes it. The content of its image is one of the texts that the turn was given.
pub(super) fn tool_ended(
    at_ms: i64,
    (job, batch): (JobId, BatchId),
    call_id: CallId,
    mut outcome: ToolOutcome,
    duration_ms: u64,
) -> Result<(Vec<Record>, Input), StoreError> {
    let body = std::mem::take(&mut outcome.body);
    let image = outcome.image.as_mut().and_then(|image| image.data.take());
    let ended = Record::CallEnded { batch, call_id, status: outcome.status, body: body.clone() };
    let mut input = Input::Done { job, done: Done::Tool { outcome: outcome.into(), duration_ms } };
    let row = Record::input(at_ms, &seal(&ToolRow { input: &input, body: digest(&body) })?)?;
    if let Input::Done { done: Done::Tool { outcome, .. }, .. } = &mut input {
        outcome.body = body;
    }
    let image = image.map(|data| Record::Text { kind: TextKind::Given, body: data.to_string() });
    Ok(([ended, row].into_iter().chain(image).collect(), input))
}

/// What the model saw of a call: its body, and the error or what was cut, which stand in the journal.
/// `ended` is the input that says so; a call that was cancelled has none.
pub(crate) fn result_text(ended: Option<&str>, body: String) -> String {
    match ended.and_then(|row| serde_json::from_str(row).ok()) {
        Some(Input::Done { done: Done::Tool { outcome, .. }, .. }) => {
            prompt::outcome_text(&ToolOutcome { body, ..*outcome })
        }
        _ => body,
    }
}

/// The prices that a setup pins.
pub(super) fn prices(row: &str) -> Option<Prices> {
    serde_json::from_str::<SetupRow>(row).ok()?.setup.numbers.prices
}

/// The setup of a turn, from its first row.
///
/// # Errors
/// A row that this version does not read, a text that is gone or is not what its digest says.
pub(super) async fn read_setup(
    store: &Store,
    request_id: RequestId,
    row: &str,
) -> Result<TurnSetup, ErrorInfo> {
    let SetupRow { system, tools, history, attached, mut setup, .. } =
        serde_json::from_str(row).map_err(unreadable)?;
    for (attached, body) in setup.attached.iter_mut().zip(attached) {
        attached.outcome.body = text(store, body).await?;
    }
    let tools: ToolSet = serde_json::from_str(&text(store, tools).await?).map_err(unreadable)?;
    let system = text(store, system).await?;
    let history = history.read(store, request_id).await?;
    Ok(TurnSetup { system, tools, history, ..setup })
}

/// An input of a turn from its row.
///
/// # Errors
/// Those of [`read_setup`].
pub(super) async fn read_input(store: &Store, row: &str) -> Result<Input, ErrorInfo> {
    let mut input: Input = serde_json::from_str(row).map_err(unreadable)?;
    if let Input::Done { done: Done::Tool { outcome, .. }, .. } = &mut input {
        let named: Beside = serde_json::from_str(row).map_err(unreadable)?;
        outcome.body = text(store, named.body).await?;
    }
    Ok(input)
}
