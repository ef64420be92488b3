//! Whether the parts of an imported file fit together, as those that Orion has written do. Nothing is stored before that is known.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use orion_protocol::{
    CallId, Envelope, ErrorInfo, Permission, RequestId, ToolStatus, TurnIds, Usd, WriteOperation,
};
use orion_store::{
    CallPart, ForkPart, Imported, NewImport, Part, RewindPart, RewoundFilePart, RowPart, SessionPart,
    TextPart, TurnPart, WritePart,
};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use super::lines::{Header, Unpacked, damaged, whole_body};

/// The largest id of a text: far more than a database ever had, and so few that those of many imports can be added up.
const LARGEST_ID: i64 = 1 << 40;

/// Bytes of a row that is read as what it says, 8 MiB: read so, it takes many times its bytes.
const EVENT: usize = 8 << 20;

/// Lists and tables in one another, as many as serde reads.
const DEEPEST: usize = 127;

/// Lines of a write, far more than a file can have, and so few that those of many can be added up.
const LINES: u64 = 1_000_000_000;

/// The most characters of a title or a name.
const NAME: usize = 4_096;

/// What can be imported: the parts of a file, where they fit together.
///
/// # Errors
/// `export_invalid`, which says what does not fit.
pub(crate) fn check(file: Unpacked, at_ms: i64) -> Result<NewImport, ErrorInfo> {
    let Unpacked { header_line, parts, bodies, left_out, unknown, .. } = file;
    let mut parts = parts.into_iter();
    let Some((Part::Session(session), _)) = parts.next() else {
        return Err(damaged("it does not begin with a session"));
    };
    named(&session)?;
    let redacted = Header::read(&header_line).map_or(Vec::new(), |header| header.redacted);
    let mut checked =
        Checked { session: &session, turns: Vec::new(), fork: None, redacted, seen: Seen::default() };
    let (mut kept, mut lines) = (Vec::new(), unknown);
    let mut used = BTreeSet::new();
    let mut named = BTreeSet::new();
    for (part, line) in parts {
        checked.part(&part)?;
        let turn = checked.turns.last().map(|turn| turn.request_id);
        let is_there = |sha256| bodies.contains_key(&sha256) || left_out.contains_key(&sha256);
        if part.digests().all(|sha256| bodies.contains_key(&sha256)) {
            used.extend(part.digests());
            kept.push(part);
        } else if part.is_of_files() && part.digests().all(is_there) {
            named.extend(part.digests());
            lines.push((turn, line));
        } else {
            return Err(damaged("a body is not there"));
        }
    }
    checked.whole()?;
    let mut contents = BTreeMap::new();
    for (sha256, content) in bodies {
        if used.contains(&sha256) {
            contents.insert(sha256, content);
        } else if named.contains(&sha256) {
            lines.push((None, whole_body(sha256, &content)?));
        } else {
            return Err(damaged("nothing names a body"));
        }
    }
    for (sha256, line) in left_out {
        match named.contains(&sha256) {
            true => lines.push((None, line)),
            false => return Err(damaged("nothing names a body")),
        }
    }
    let file = Imported { header: header_line, lines };
    Ok(NewImport { session, parts: kept, bodies: contents, file, at_ms })
}

fn named(session: &SessionPart) -> Result<(), ErrorInfo> {
    let SessionPart { title, project_name, project_path, created_at_ms, updated_at_ms, .. } = session;
    if [title, project_name, project_path].iter().any(|name| name.len() > NAME) {
        return Err(damaged("a name is too long"));
    }
    if title.contains(['\n', '\r', '\0']) {
        return Err(damaged("a title has several lines"));
    }
    times([*created_at_ms, *updated_at_ms])
}

/// Times are after 1970 and before the year 10000: what shows them can count on that.
fn times(all: impl IntoIterator<Item = i64>) -> Result<(), ErrorInfo> {
    let fits = all.into_iter().all(|at_ms| (0..253_402_300_800_000).contains(&at_ms));
    if fits { Ok(()) } else { Err(damaged("a time is not valid")) }
}

/// What was seen of the whole session, and of the turn that is read.
#[derive(Default)]
struct Seen {
    turns: HashSet<RequestId>,
    texts: HashSet<i64>,
    rewinds: HashSet<u32>,
    /// Of the turn.
    rows: BTreeMap<i64, bool>,
    seq: u32,
    ended: bool,
    calls: HashSet<(u32, CallId)>,
    writes: HashSet<u32>,
    contexts: u32,
    files: HashSet<(u32, u32)>,
    last_text: i64,
}

struct Checked<'s> {
    session: &'s SessionPart,
    turns: Vec<TurnPart>,
    fork: Option<ForkPart>,
    /// Turns whose texts may have other digests than their journals say.
    redacted: Vec<RequestId>,
    seen: Seen,
}

impl Checked<'_> {
    fn part(&mut self, part: &Part) -> Result<(), ErrorInfo> {
        if let Part::Turn(turn) = part {
            return self.turn(turn);
        }
        if let Part::Fork(fork) = part {
            return self.fork(fork);
        }
        let Some(turn) = self.turns.last() else { return Err(damaged("a part belongs to no turn")) };
        let ids = TurnIds {
            request_id: turn.request_id,
            session_id: self.session.session_id,
            project_id: self.session.project_id,
        };
        match part {
            Part::Session(_) => Err(damaged("there are two sessions")),
            Part::Turn(_) | Part::Fork(_) | Part::FormerContext(_) => Ok(()),
            Part::Row(row) => {
                if self.seen.rows.is_empty() {
                    self.begins(turn, row)?;
                }
                self.seen.row(row, ids)
            }
            Part::Text(text) => self.seen.text(text),
            Part::Context(context) => {
                self.seen.contexts += 1;
                let fits = self.seen.contexts == 1 && (0..=LARGEST_ID).contains(&context.entered);
                if fits { Ok(()) } else { Err(damaged("a context is not valid")) }
            }
            Part::Call(call) => self.seen.call(call),
            Part::Write(write) => self.seen.write(write),
            Part::Rewind(rewind) => self.seen.rewind(rewind),
            Part::RewoundFile(file) => self.seen.rewound_file(file),
        }
    }

    fn turn(&mut self, turn: &TurnPart) -> Result<(), ErrorInfo> {
        self.of_turn()?;
        times([turn.started_at_ms])?;
        let later = self.turns.last().is_none_or(|last| last.ordinal < turn.ordinal);
        let known = turn.parent.is_none_or(|parent| self.seen.turns.contains(&parent));
        if !later || turn.ordinal == 0 || !known || !self.seen.turns.insert(turn.request_id) {
            return Err(damaged("the turns are in no order"));
        }
        if let Some(gauge) = &turn.gauge {
            is_json(gauge)?;
        }
        let Seen { turns, texts, rewinds, .. } = std::mem::take(&mut self.seen);
        self.seen = Seen { turns, texts, rewinds, ..Seen::default() };
        self.turns.push(turn.clone());
        Ok(())
    }

    /// Where the session comes from, before its turns and once (T9).
    fn fork(&mut self, fork: &ForkPart) -> Result<(), ErrorInfo> {
        let fits = fork.phase > 0 && fork.cost <= Usd::MAX.billionths();
        if !fits || !self.turns.is_empty() || self.fork.replace(fork.clone()).is_some() {
            return Err(damaged("a fork is not valid"));
        }
        Ok(())
    }

    /// The first row of a turn. What the first turn of a session was given before it is what the session was forked with (T8).
    fn begins(&self, turn: &TurnPart, row: &RowPart) -> Result<(), ErrorInfo> {
        if turn.parent.is_some() || self.redacted.contains(&turn.request_id) {
            return Ok(());
        }
        if row.body.len() > EVENT {
            return Err(damaged("a row is too long"));
        }
        let setup: Value = serde_json::from_str(&row.body).map_err(|error| damaged(&error.to_string()))?;
        let Some(given) = setup.pointer("/history/context").and_then(Value::as_str) else { return Ok(()) };
        match self.fork.as_ref().and_then(|fork| fork.sha256) {
            Some(sha256) if sha256.to_string() == given => Ok(()),
            _ => Err(damaged("what the fork was made with is not there")),
        }
    }

    /// Of the turn that was read last.
    fn of_turn(&self) -> Result<(), ErrorInfo> {
        match self.turns.last() {
            Some(turn) if turn.over && !self.seen.ended => Err(damaged("a turn that is over has no end")),
            Some(turn) if !turn.over && self.seen.ended => Err(damaged("a turn that has an end is not over")),
            Some(_) if self.seen.rows.is_empty() => Err(damaged("a turn has no journal")),
            _ => Ok(()),
        }
    }

    fn whole(&self) -> Result<(), ErrorInfo> {
        self.of_turn()?;
        let first = |id| self.turns.iter().any(|turn| turn.request_id == id && turn.parent.is_none());
        if self.fork.as_ref().and_then(|fork| fork.request_id).is_some_and(|id| !first(id)) {
            return Err(damaged("the turn that the fork began with is not there"));
        }
        match self.session.tip {
            Some(tip) if !self.seen.turns.contains(&tip) => Err(damaged("the session's tip is not there")),
            None if !self.turns.is_empty() && self.seen.rewinds.is_empty() => {
                Err(damaged("the session has no tip"))
            }
            _ => Ok(()),
        }
    }
}

impl Seen {
    fn row(&mut self, row: &RowPart, ids: TurnIds) -> Result<(), ErrorInfo> {
        let RowPart { n, seq, at_ms, body } = row;
        times([*at_ms])?;
        if *n < 1 || self.rows.last_key_value().is_some_and(|(last, _)| last >= n) {
            return Err(damaged("the rows of a journal are in no order"));
        }
        self.rows.insert(*n, seq.is_some());
        let Some(seq) = *seq else { return is_json(body) };
        if body.len() > EVENT {
            return Err(damaged("a row is too long"));
        }
        let envelope: Envelope = serde_json::from_str(body).map_err(|error| damaged(&error.to_string()))?;
        let same = TurnIds {
            request_id: envelope.request_id,
            session_id: envelope.session_id,
            project_id: envelope.project_id,
        } == ids;
        // T2, E1, T3
        let expected = if envelope.event.is_durable() { self.seq.checked_add(1) } else { Some(self.seq) };
        if !same || envelope.seq != seq || expected != Some(seq) || envelope.at_ms != *at_ms || self.ended {
            return Err(damaged("an event is not one of its turn"));
        }
        self.seq = seq;
        self.ended = envelope.event.terminal().is_some();
        Ok(())
    }

    fn text(&mut self, text: &TextPart) -> Result<(), ErrorInfo> {
        if !(self.last_text + 1..=LARGEST_ID).contains(&text.id) || !self.texts.insert(text.id) {
            return Err(damaged("the texts are in no order"));
        }
        self.last_text = text.id;
        Ok(())
    }

    fn call(&mut self, call: &CallPart) -> Result<(), ErrorInfo> {
        let CallPart { batch, call_id, arguments, permission, status, sha256, ended, .. } = call;
        is_json(arguments)?;
        is_word::<Permission>(permission)?;
        if let Some(status) = status {
            is_word::<ToolStatus>(status)?;
        }
        // An input says how it ended.
        let row = ended.is_none_or(|n| self.rows.get(&n) == Some(&false));
        if !row || status.is_some() != sha256.is_some() || !self.calls.insert((*batch, call_id.clone())) {
            return Err(damaged("a call is not one of its turn"));
        }
        Ok(())
    }

    fn write(&mut self, write: &WritePart) -> Result<(), ErrorInfo> {
        is_word::<WriteOperation>(&write.operation)?;
        paths([Some(&write.path), write.kept.as_ref(), write.leads_to.as_ref()])?;
        // What is on its way to a disk would be completed by the next start.
        let settled = ["proposed", "written", "over", "undone"].contains(&write.stage.as_str());
        let whole = write.rewind.is_some() == write.rewound_file.is_some();
        let counted = write.lines.is_none_or(|lines| lines.added.max(lines.removed) <= LINES);
        if !counted {
            return Err(damaged("a write has more lines than a file can have"));
        }
        if !settled || !whole || !self.writes.insert(write.number) {
            return Err(damaged("a write is not valid"));
        }
        Ok(())
    }

    fn rewind(&mut self, rewind: &RewindPart) -> Result<(), ErrorInfo> {
        times([rewind.at_ms])?;
        let settled = ["done", "undone"].contains(&rewind.stage.as_str());
        if settled && self.rewinds.insert(rewind.number) {
            Ok(())
        } else {
            Err(damaged("a rewind is not valid"))
        }
    }

    fn rewound_file(&mut self, file: &RewoundFilePart) -> Result<(), ErrorInfo> {
        paths([Some(&file.path)])?;
        if let Some(error) = &file.error {
            serde_json::from_str::<ErrorInfo>(error).map_err(|error| damaged(&error.to_string()))?;
        }
        let settled = ["planned", "changed", "kept", "returned"].contains(&file.stage.as_str());
        let known = self.rewinds.contains(&file.rewind);
        if !settled || !known || !self.files.insert((file.rewind, file.number)) {
            return Err(damaged("a file of a rewind is not valid"));
        }
        Ok(())
    }
}

/// JSON that can be read, without making a tree of it.
fn is_json(text: &str) -> Result<(), ErrorInfo> {
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| damaged(&error.to_string()))?;
    if depth(text) > DEEPEST { Err(damaged("a row is too deep")) } else { Ok(()) }
}

/// The most lists and tables in one another of a text that is JSON.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn is_word<T: DeserializeOwned>(word: &str) -> Result<(), ErrorInfo> {
    let value = Value::String(word.to_owned());
    serde_json::from_value::<T>(value).map(|_| ()).map_err(|error| damaged(&error.to_string()))
}

/// A path stays within its project.
fn paths<'p>(all: impl IntoIterator<Item = Option<&'p String>>) -> Result<(), ErrorInfo> {
    let escapes = |path: &str| {
        path.is_empty()
            || path.len() > NAME
            || path.contains('\0')
            || (cfg!(windows) && path.contains(['\\', ':']))
            || path.split('/').any(|name| ["", ".", ".."].contains(&name))
    };
    if all.into_iter().flatten().any(|path| escapes(path)) {
        return Err(damaged("a path leads out of the project"));
    }
    Ok(())
}
