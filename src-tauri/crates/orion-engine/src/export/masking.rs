//! Takes secrets out of a session that leaves. Stars stand in their places, as many as they had bytes, so that sizes and offsets stay
//! what the journal says.
//!
//! A secret may come in pieces, one in each row of a stream. So the strings that stand at the same place of a turn's rows are joined, and
//! searched as one text.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use orion_protocol::{RequestId, Sha256};
use orion_store::{Exported, Part};
use serde_json::{Map, Value};

use super::lines::digest;
use crate::driver::unseal;
use crate::secrets::Redactor;

/// The session without secrets, and the turns that had some. Bodies that had some have other digests then.
pub(crate) fn mask(mut exported: Exported, redactor: &Redactor) -> (Exported, Vec<RequestId>) {
    let mut renamed: BTreeMap<Sha256, Sha256> = BTreeMap::new();
    let mut bodies = BTreeMap::new();
    for (sha256, mut body) in exported.bodies {
        if redactor.mask(&mut body) {
            renamed.insert(sha256, digest(&body));
            bodies.insert(digest(&body), body);
        } else {
            bodies.insert(sha256, body);
        }
    }
    exported.bodies = bodies;
    let mut redacted = given_what_had_some(&exported.parts, &renamed);
    let mut turn = None;
    let mut at = 0;
    while let Some(part) = exported.parts.get(at) {
        let end = match part {
            Part::Turn(part) => {
                turn = Some(part.request_id);
                at + 1
            }
            _ => at,
        };
        let of_turn =
            exported.parts.iter().skip(end).take_while(|part| !matches!(part, Part::Turn(_))).count();
        let parts = exported.parts.get_mut(at..end + of_turn).unwrap_or_default();
        let named = parts
            .iter()
            .flat_map(|part| part.digests().collect::<Vec<_>>())
            .any(|sha256| renamed.contains_key(&sha256));
        let masked = parts.iter_mut().fold(false, |masked, part| texts(part, redactor) | masked);
        if rows(parts, redactor) | masked | named {
            redacted.extend(turn);
        }
        for part in parts {
            part.rename(|sha256| renamed.get(&sha256).copied().unwrap_or(sha256));
        }
        at = end + of_turn;
    }
    (exported, redacted.into_iter().collect())
}

/// The turns that begin a fork, where what they were given had secrets: that is no part of theirs (T9).
fn given_what_had_some(parts: &[Part], renamed: &BTreeMap<Sha256, Sha256>) -> BTreeSet<RequestId> {
    let had = |part: &Part| matches!(part, Part::Fork(fork) if fork.sha256.is_some_and(|sha256| renamed.contains_key(&sha256)));
    if !parts.iter().any(had) {
        return BTreeSet::new();
    }
    let begins = parts.iter().filter_map(|part| match part {
        Part::Turn(turn) if turn.parent.is_none() => Some(turn.request_id),
        _ => None,
    });
    begins.collect()
}

/// Texts that are no rows of a journal.
fn texts(part: &mut Part, redactor: &Redactor) -> bool {
    let mut texts: Vec<&mut String> = Vec::new();
    match part {
        Part::Session(session) => {
            texts.extend([&mut session.title, &mut session.project_path, &mut session.project_name])
        }
        Part::Turn(turn) => texts.extend(&mut turn.gauge),
        Part::Call(call) => texts.extend([&mut call.name, &mut call.arguments, &mut call.call_id.0]),
        Part::Write(write) => {
            texts.push(&mut write.path);
            texts.extend(write.kept.iter_mut().chain(&mut write.leads_to));
        }
        Part::RewoundFile(file) => {
            texts.push(&mut file.path);
            texts.extend(&mut file.error);
        }
        Part::Row(_)
        | Part::Text(_)
        | Part::Context(_)
        | Part::FormerContext(_)
        | Part::Fork(_)
        | Part::Rewind(_) => {}
    }
    texts.into_iter().fold(false, |masked, text| redactor.mask_text(text) | masked)
}

/// The rows of one turn.
fn rows(parts: &mut [Part], redactor: &Redactor) -> bool {
    let mut values: Vec<(usize, Value)> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        if let Part::Row(row) = part
            && let Ok(value) = serde_json::from_str(&row.body)
        {
            values.push((at, value));
        }
    }
    let renamed = values.iter_mut().fold(false, |renamed, (_, value)| names(value, redactor) | renamed);
    let mut joined: HashMap<String, String> = HashMap::new();
    for (_, value) in &values {
        each(value, &mut String::new(), &mut |place, text| {
            joined.entry(place.to_owned()).or_default().push_str(text)
        });
    }
    let found: HashMap<String, Vec<Range<usize>>> = joined
        .into_iter()
        .map(|(place, text)| (place, redactor.find(text.as_bytes())))
        .filter(|(_, found)| !found.is_empty())
        .collect();
    if found.is_empty() && !renamed {
        return false;
    }
    let mut cursors: HashMap<String, usize> = HashMap::new();
    for (at, mut value) in values {
        let mut masked = renamed;
        replace(&mut value, &mut String::new(), &mut |place, text| {
            let Some(found) = found.get(place) else { return };
            let start = cursors.entry(place.to_owned()).or_default();
            let here = *start..*start + text.len();
            *start = here.end;
            let inside = found.iter().filter(|range| range.start < here.end && here.start < range.end);
            let ranges: Vec<Range<usize>> = inside
                .map(|range| range.start.max(here.start) - here.start..range.end.min(here.end) - here.start)
                .collect();
            if !ranges.is_empty() {
                masked = true;
                *text = crate::secrets::starred(text, &ranges);
            }
        });
        if masked && let Some(Part::Row(row)) = parts.get_mut(at) {
            unseal(&mut value);
            row.body = value.to_string();
        }
    }
    true
}

/// The strings of a value, each with its place: the names on the way to it, and the kinds of things. What says of which kind something is
/// stays.
fn each(value: &Value, place: &mut String, see: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::String(text) => see(place, text),
        Value::Array(values) => values.iter().for_each(|value| each(value, place, see)),
        Value::Object(fields) => {
            let outside = place.len();
            place.push_str(&kind(fields));
            for (name, value) in fields.iter().filter(|(name, value)| is_text(name, value)) {
                let before = place.len();
                place.push('.');
                place.push_str(name);
                each(value, place, see);
                place.truncate(before);
            }
            place.truncate(outside);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The same, to change them.
fn replace(value: &mut Value, place: &mut String, change: &mut dyn FnMut(&str, &mut String)) {
    match value {
        Value::String(text) => change(place, text),
        Value::Array(values) => values.iter_mut().for_each(|value| replace(value, place, change)),
        Value::Object(fields) => {
            let outside = place.len();
            place.push_str(&kind(fields));
            for (name, value) in fields.iter_mut().filter(|(name, value)| is_text(name, value)) {
                let before = place.len();
                place.push('.');
                place.push_str(name);
                replace(value, place, change);
                place.truncate(before);
            }
            place.truncate(outside);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Answer and reasoning come in turns, and each is a stream of its own.
fn kind(fields: &Map<String, Value>) -> String {
    let tags = ["type", "kind"].into_iter().filter_map(|tag| fields.get(tag).and_then(Value::as_str));
    tags.map(|tag| format!(" {tag}")).collect()
}

/// Names of fields that a model or a tool chose.
fn names(value: &mut Value, redactor: &Redactor) -> bool {
    match value {
        Value::Array(values) => {
            values.iter_mut().fold(false, |masked, value| names(value, redactor) | masked)
        }
        Value::Object(fields) => {
            let mut masked = false;
            let known: Vec<String> =
                fields.keys().filter(|name| !redactor.find(name.as_bytes()).is_empty()).cloned().collect();
            for name in known {
                let mut starred = name.clone();
                masked |= redactor.mask_text(&mut starred);
                if let Some(value) = fields.remove(&name) {
                    fields.insert(starred, value);
                }
            }
            fields.values_mut().fold(masked, |masked, value| names(value, redactor) | masked)
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Not of the words that say of which kind something is, nor of ids: a secret is neither.
fn is_text(name: &str, value: &Value) -> bool {
    let Value::String(text) = value else { return true };
    match name {
        "type" | "kind" => !text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'),
        "requestId" | "sessionId" | "projectId" => text.parse::<uuid::Uuid>().is_err(),
        _ => true,
    }
}
