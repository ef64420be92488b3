//! What fills the room, part by part, for a person to see (X2).

use orion_protocol::{ContextBox, ContextKind, ContextPart, RequestId};
use serde_json::{Value, json};

use super::gauge::Gauge;
use super::item::{About, Item};
use crate::model::Message;
use crate::prompt;
use crate::tool::ToolSet;

/// Characters of a message that name its turn.
const NAME: usize = 120;

/// The parts of a request with this system text, these tools and this history, in their order. `changes` is what is said of the beginning
/// before the next message.
#[must_use]
pub fn parts(
    system: &str,
    changes: &str,
    tools: &ToolSet,
    history: &[Item],
    gauge: Gauge,
) -> Vec<ContextPart> {
    let instructions = prompt::instructions_in(system).len();
    let part = |kind, count, bytes| part(kind, count, bytes, gauge);
    let own = system.len() - instructions + changes.len();
    let mut parts = vec![part(ContextKind::System, 1, own as u64)];
    if instructions > 0 {
        parts.push(part(ContextKind::Instructions, 1, instructions as u64));
    }
    if tools.iter().next().is_some() {
        parts.push(part(ContextKind::Tools, tools.iter().count(), tools.bytes()));
    }
    let mut from = 0;
    while from < history.len() {
        let end = super::cut::end_of_turn(history, from);
        let turn = history.get(from..end).unwrap_or_default();
        parts.push(said_in(turn.first().and_then(|item| item.turn), turn, gauge));
        from = end;
    }
    parts
}

/// The part that a turn has.
pub(crate) fn said_in(turn: Option<RequestId>, items: &[Item], gauge: Gauge) -> ContextPart {
    let bytes = items.iter().map(|item| item.bytes() as u64).sum();
    ContextPart {
        request_id: turn,
        text: named(items),
        pinned: items.iter().all(|item| item.pinned),
        boxes: items.iter().filter_map(|item| boxed(item, gauge)).collect(),
        ..part(ContextKind::Turn, items.len(), bytes, gauge)
    }
}

fn part(kind: ContextKind, count: usize, bytes: u64, gauge: Gauge) -> ContextPart {
    ContextPart {
        kind,
        request_id: None,
        text: String::new(),
        count: number(count),
        bytes,
        tokens: gauge.tokens(bytes),
        pinned: false,
        boxes: Vec::new(),
    }
}

/// The beginning of the person's message.
fn named(turn: &[Item]) -> String {
    let persons = turn.iter().find(|item| item.is_the_persons());
    match persons.map(|item| &item.message) {
        Some(Message::User { text, .. }) => text.chars().take(NAME).collect(),
        _ => String::new(),
    }
}

fn boxed(item: &Item, gauge: Gauge) -> Option<ContextBox> {
    let Some(About::Box(of)) = &item.about else { return None };
    let (name, arguments) = match item.attachment_name() {
        Some(path) => ("attachment", json!({ "path": path })),
        None => {
            let (name, arguments) = item.boxed_call().unwrap_or_default();
            (name, serde_json::from_str(arguments).unwrap_or(Value::Null))
        }
    };
    let bytes = item.bytes() as u64;
    Some(ContextBox {
        tool_call_id: of.call.clone(),
        name: name.to_owned(),
        arguments,
        sha256: of.sha256,
        bytes,
        tokens: gauge.tokens(bytes),
        emptied: of.emptied,
        pinned: item.pinned,
    })
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
