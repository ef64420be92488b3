//! The trace of a turn, from its journal (J2).

use std::borrow::Cow;
use std::collections::BTreeSet;

use orion_core::trace::{TraceFold, TraceRow};
use orion_core::turn::Input;
use orion_protocol::{ErrorInfo, LinkKind, RequestId, SpanLink, TraceParent, TraceSpan, TurnEvent};
use orion_store::{Store, StoredRow};

use super::recorded;

/// What the row of an input of a model begins with.
const OF_A_MODEL: &str = r#"{"type":"model""#;
/// What the row of a setup begins with.
const OF_A_SETUP: &str = r#"{"type":"setup""#;

/// A turn as its journal tells it.
pub(crate) struct Traced {
    /// In the order of their starts.
    pub(crate) spans: Vec<TraceSpan>,
    /// What the person wrote.
    pub(crate) asked: String,
    /// What the model answered in the end; empty where it has not.
    pub(crate) answered: String,
    /// Of this turn and those that its spans point to: the spans of other programs that they were begun from.
    pub(crate) callers: Vec<(RequestId, TraceParent)>,
}

/// The trace of a turn, each row read as `clean` leaves it. Rows that this version does not know are left out (E3).
///
/// # Errors
/// `turn_unknown`, a database that cannot be read.
pub(crate) async fn traced(
    store: &Store,
    request_id: RequestId,
    clean: impl Fn(&str) -> Cow<'_, str>,
) -> Result<Traced, ErrorInfo> {
    let (mut asked, mut answered) = (String::new(), String::new());
    let rows = store.journal(request_id).await?.into_iter().filter_map(|row| match row {
        StoredRow::Event { body, .. } => serde_json::from_str(&clean(&body)).ok().map(TraceRow::Event),
        StoredRow::Input { at_ms, body } if body.starts_with(OF_A_MODEL) => {
            let input: Option<Input> = serde_json::from_str(&clean(&body)).ok();
            input.map(|input| TraceRow::Input(at_ms, input))
        }
        StoredRow::Input { body, .. } if body.starts_with(OF_A_SETUP) => {
            Some(TraceRow::Setup(recorded::prices(&body)))
        }
        StoredRow::Input { .. } => None,
    });
    let rows = rows.inspect(|row| {
        let TraceRow::Event(envelope) = row else { return };
        match &envelope.event {
            TurnEvent::TurnStarted { text, .. } => asked.clone_from(text),
            event => {
                if let Some(report) = event.terminal() {
                    answered.clone_from(&report.answer);
                }
            }
        }
    });
    let mut spans = TraceFold::of(rows);
    if let Some(turn) = spans.first_mut() {
        turn.links.extend(follows(store, turn).await?);
    }
    let callers = callers(store, request_id, &spans).await?;
    Ok(Traced { spans, asked, answered, callers })
}

async fn callers(
    store: &Store,
    request_id: RequestId,
    spans: &[TraceSpan],
) -> Result<Vec<(RequestId, TraceParent)>, ErrorInfo> {
    let linked = spans.iter().flat_map(|span| &span.links).map(|link| link.request_id);
    let turns: BTreeSet<RequestId> = linked.chain([request_id]).collect();
    let mut callers = Vec::new();
    for turn in turns {
        callers.extend(store.trace_parent(turn).await?.map(|parent| (turn, parent)));
    }
    Ok(callers)
}

/// The turn that this one follows (T9). Where it follows none, its session may have been forked from one of another session.
async fn follows(store: &Store, turn: &TraceSpan) -> Result<Option<SpanLink>, ErrorInfo> {
    let (kind, request_id) = match store.parent(turn.request_id).await? {
        Some(parent) => (LinkKind::Follows, parent),
        None => match store.forked_from(turn.request_id).await? {
            Some(origin) => (LinkKind::Fork, origin),
            None => return Ok(None),
        },
    };
    Ok(Some(SpanLink { kind, request_id, tool_call_id: None }))
}
