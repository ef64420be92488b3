//! The lines of an export: JSON, packed with gzip. The same session gives the same bytes.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::bufread::GzDecoder;
use flate2::{Compression, GzBuilder};
use orion_protocol::{Code, ErrorInfo, RequestId, Sha256};
use orion_store::{Exported, Imported, Part};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::Digest as _;

use super::MOST;

/// The format. A reader refuses another one; a field or a type of line that it does not know is kept (E3). Smaller numbers are of an Orion before the first
/// version (0078).
const VERSION: u32 = 3;

/// The most times of its bytes that a file may have unpacked: sessions have ten to twenty times as many. What is small may have 32 MiB, whatever it is.
const TIMES: u64 = 100;
const SMALL: u64 = 32 << 20;

/// Bytes of a line that is no body, 16 MiB: the longest row has what a model wrote in one message.
const LINE: usize = 16 << 20;

/// Bytes of the first line, 4 MiB: it names turns, and is read as a tree.
const HEADER: usize = 4 << 20;

/// How a gzip file begins (RFC 1952, 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Header {
    pub(crate) version: u32,
    /// The Orion that made it.
    pub(crate) orion: String,
    pub(crate) scope: Scope,
    /// The contents of written files are in it.
    pub(crate) files: bool,
    /// The turns from which secrets were taken. They cannot be replayed.
    pub(crate) redacted: Vec<RequestId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scope {
    Session,
    /// A turn, with those that it follows.
    Turn,
}

impl Header {
    pub(crate) fn new(scope: Scope, files: bool) -> Self {
        let orion = env!("CARGO_PKG_VERSION").to_owned();
        Self { version: VERSION, orion, scope, files, redacted: Vec::new() }
    }
}

impl Header {
    /// The first line of a file that was imported.
    pub(crate) fn read(line: &str) -> Option<Self> {
        match serde_json::from_str(line) {
            Ok(Frame::OrionExport(header)) => Some(header),
            _ => None,
        }
    }

    /// With what was taken out now, and in the file that the session was imported from. A session that is exported again as it was
    /// imported has the same first line.
    pub(crate) fn after(self, before: Option<Self>, redacted: Vec<RequestId>) -> Self {
        let Some(before) = before else { return Self { redacted, ..self } };
        let again = before.redacted.iter().copied().chain(redacted).collect::<BTreeSet<_>>();
        let scope = if self.scope == Scope::Turn { Scope::Turn } else { before.scope };
        Self { files: self.files && before.files, redacted: again.into_iter().collect(), scope, ..before }
    }
}

/// A line that is no part of the session.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Frame {
    OrionExport(Header),
    Body(Body),
    End { lines: u64 },
}

/// A body. Without content it is that of a file that was left out.
#[derive(Debug, Serialize, Deserialize)]
struct Body {
    sha256: Sha256,
    bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// What is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

impl Body {
    fn whole(sha256: Sha256, content: &[u8]) -> Self {
        let bytes = content.len() as u64;
        match std::str::from_utf8(content) {
            Ok(text) => Self { sha256, bytes, text: Some(text.to_owned()), base64: None },
            Err(_) => Self { sha256, bytes, text: None, base64: Some(STANDARD.encode(content)) },
        }
    }
}

/// What a file holds, still unchecked.
#[derive(Debug)]
pub(crate) struct Unpacked {
    /// Its first line as it is.
    pub(crate) header_line: String,
    /// Each with its line.
    pub(crate) parts: Vec<(Part, String)>,
    pub(crate) bodies: BTreeMap<Sha256, Vec<u8>>,
    /// The bodies that were left out, with their lines.
    pub(crate) left_out: BTreeMap<Sha256, String>,
    /// Lines of other types, each with the turn that it follows.
    pub(crate) unknown: Vec<(Option<RequestId>, String)>,
}

/// An export as a file.
///
/// # Errors
/// `export_too_large`.
pub(crate) fn pack(header: &Header, exported: &Exported) -> Result<Vec<u8>, ErrorInfo> {
    let Exported { parts, bodies, imported } = exported;
    let named_by_more = bodies_of(parts, |part| !part.is_of_files());
    let mut contents: BTreeMap<Sha256, String> = BTreeMap::new();
    for (sha256, content) in bodies {
        let body = match header.files || named_by_more.contains(sha256) {
            true => Body::whole(*sha256, content),
            false => Body { sha256: *sha256, bytes: content.len() as u64, text: None, base64: None },
        };
        contents.insert(*sha256, json(&Frame::Body(body))?);
    }
    let mut lines = vec![json(&Frame::OrionExport(header.clone()))?];
    lines.extend(in_order(parts, imported.as_ref(), &mut contents)?);
    lines.extend(contents.into_values());
    let count = lines.len() as u64 + 1;
    lines.push(json(&Frame::End { lines: count })?);
    let bytes: u64 = lines.iter().map(|line| line.len() as u64 + 1).sum();
    if bytes > MOST {
        return Err(too_large());
    }
    // No time and no system: the same session gives the same bytes.
    let mut packed =
        GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::default());
    let written = lines.iter().try_for_each(|line| {
        packed.write_all(line.as_bytes())?;
        packed.write_all(b"\n")
    });
    written.and_then(|()| packed.finish()).map_err(|error| unpackable(&error.to_string()))
}

/// The lines of the parts, with those that an import has kept in their places.
fn in_order(
    parts: &[Part],
    imported: Option<&Imported>,
    contents: &mut BTreeMap<Sha256, String>,
) -> Result<Vec<String>, ErrorInfo> {
    let mut turns: Vec<RequestId> = Vec::new();
    let mut placed = Vec::new();
    for part in parts {
        if let Part::Turn(turn) = part {
            turns.push(turn.request_id);
        }
        placed.push(((turns.len(), place(Some(part))), json(part)?));
    }
    for (request_id, line) in imported.iter().flat_map(|imported| &imported.lines) {
        let turn = match request_id {
            None => 0,
            Some(id) => match turns.iter().position(|turn| turn == id) {
                Some(at) => at + 1,
                // Of a turn that is not exported.
                None => continue,
            },
        };
        match serde_json::from_str::<Frame>(line) {
            Ok(Frame::Body(body)) => _ = contents.entry(body.sha256).or_insert_with(|| line.clone()),
            _ => {
                let part: Option<Part> = serde_json::from_str(line).ok();
                placed.push(((turn, place(part.as_ref())), line.clone()));
            }
        }
    }
    placed.sort_by_key(|(place, _)| *place);
    let lines: Vec<String> = placed.into_iter().map(|(_, line)| line).collect();
    // A body is left out only together with what names it.
    let read = lines.iter().filter_map(|line| serde_json::from_str::<Part>(line).ok());
    let named: BTreeSet<Sha256> = read.flat_map(|part| part.digests().collect::<Vec<_>>()).collect();
    contents.retain(|sha256, _| named.contains(sha256));
    Ok(lines)
}

/// Where a part stands among those of its turn. Parts of one place stay in their order.
fn place(part: Option<&Part>) -> (u8, u32, u32) {
    match part {
        Some(Part::Session(_) | Part::Turn(_)) => (0, 0, 0),
        Some(Part::Fork(_)) => (0, 1, 0),
        Some(Part::Context(_)) => (1, 0, 0),
        Some(Part::FormerContext(_)) => (2, 0, 0),
        Some(Part::Text(_)) => (3, 0, 0),
        Some(Part::Row(_)) => (4, 0, 0),
        Some(Part::Call(_)) => (5, 0, 0),
        Some(Part::Write(write)) => (6, write.number, 0),
        Some(Part::Rewind(rewind)) => (7, rewind.number, 0),
        Some(Part::RewoundFile(file)) => (7, file.rewind, file.number.saturating_add(1)),
        None => (8, 0, 0),
    }
}

/// The bodies that some parts name.
fn bodies_of(parts: &[Part], which: impl Fn(&Part) -> bool) -> BTreeSet<Sha256> {
    parts.iter().filter(|part| which(part)).flat_map(Part::digests).collect()
}

/// The line of a body with its content.
pub(super) fn whole_body(sha256: Sha256, content: &[u8]) -> Result<String, ErrorInfo> {
    json(&Frame::Body(Body::whole(sha256, content)))
}

/// The lines of a file.
///
/// # Errors
/// `export_invalid`, `export_version`, `export_too_large`.
pub(crate) fn unpack(packed: &[u8]) -> Result<Unpacked, ErrorInfo> {
    if !packed.is_empty() && !packed.starts_with(&GZIP) {
        return Err(no_export("it is not packed with gzip"));
    }
    let decoder = GzDecoder::new(packed);
    let most = MOST.min(SMALL.max(TIMES * packed.len() as u64));
    let mut reader = BufReader::new(decoder.take(most + 1));
    let mut read = 0_u64;
    let mut next = || -> Result<Option<String>, ErrorInfo> {
        let mut line = Vec::new();
        let bytes = reader.read_until(b'\n', &mut line).map_err(|error| damaged(&error.to_string()))?;
        read += bytes as u64;
        if read > most {
            return Err(too_large());
        }
        match line.pop() {
            None => Ok(None),
            Some(b'\n') => String::from_utf8(line).map(Some).map_err(|_| damaged("a line is not UTF-8")),
            Some(_) => Err(damaged("the last line is not whole")),
        }
    };
    let header_line = next()?.ok_or_else(|| no_export("it is empty"))?;
    header(&header_line)?;
    let mut file = Unpacked {
        header_line,
        parts: Vec::new(),
        bodies: BTreeMap::new(),
        left_out: BTreeMap::new(),
        unknown: Vec::new(),
    };
    let (mut count, mut turn) = (1_u64, None);
    while let Some(line) = next()? {
        count += 1;
        if let Some(Frame::End { lines }) = file.take(line, &mut turn)? {
            if lines != count {
                return Err(damaged("lines are missing"));
            }
            return match next()? {
                None => whole(packed, file),
                Some(_) => Err(damaged("there are lines after the last one")),
            };
        }
    }
    Err(damaged("it ends too early"))
}

/// Nothing follows what was packed.
fn whole(packed: &[u8], file: Unpacked) -> Result<Unpacked, ErrorInfo> {
    let mut decoder = GzDecoder::new(packed);
    // The checksum at the end is compared as the last byte is read.
    let end = std::io::copy(&mut (&mut decoder).take(MOST + 1), &mut std::io::sink());
    end.map_err(|error| damaged(&error.to_string()))?;
    if decoder.into_inner().is_empty() { Ok(file) } else { Err(damaged("something follows the last line")) }
}

/// The first line is that of an export that this version reads.
fn header(line: &str) -> Result<(), ErrorInfo> {
    if line.len() > HEADER {
        return Err(no_export("its first line is too long"));
    }
    let value: Value = serde_json::from_str(line).map_err(|_| no_export("its first line is not JSON"))?;
    if value.get("type").and_then(Value::as_str) != Some("orion_export") {
        return Err(no_export("its first line says nothing of Orion"));
    }
    match value.get("version").and_then(Value::as_u64) {
        Some(version) if version == u64::from(VERSION) => {}
        Some(version) if version > u64::from(VERSION) => return Err(newer(version)),
        Some(1..) => return Err(older()),
        _ => return Err(no_export("its version is not a known number")),
    }
    match serde_json::from_value(value) {
        Ok(Frame::OrionExport(_)) => Ok(()),
        Ok(_) | Err(_) => Err(no_export("its first line is not that of an export")),
    }
}

impl Unpacked {
    /// Takes a line. The last one is returned.
    fn take(&mut self, line: String, turn: &mut Option<RequestId>) -> Result<Option<Frame>, ErrorInfo> {
        let Kind { kind } = read_as(&line)?;
        let kind = kind.ok_or_else(|| damaged("a line has no type"))?;
        if kind != "body" && line.len() > LINE {
            return Err(damaged("a line is too long"));
        }
        let part = match kind.as_ref() {
            "orion_export" => return Err(damaged("there are two first lines")),
            "end" => return read_as(&line).map(|End { lines }| Some(Frame::End { lines })),
            "body" => return self.body(read_as(&line)?, line).map(|()| None),
            "session" => Part::Session(read_as(&line)?),
            "fork" => Part::Fork(read_as(&line)?),
            "turn" => Part::Turn(read_as(&line)?),
            "row" => Part::Row(read_as(&line)?),
            "text" => Part::Text(read_as(&line)?),
            "context" => Part::Context(read_as(&line)?),
            "former_context" => Part::FormerContext(read_as(&line)?),
            "call" => Part::Call(read_as(&line)?),
            "write" => Part::Write(read_as(&line)?),
            "rewind" => Part::Rewind(read_as(&line)?),
            "rewound_file" => Part::RewoundFile(read_as(&line)?),
            _ => {
                drop(kind);
                self.unknown.push((*turn, line));
                return Ok(None);
            }
        };
        drop(kind);
        if let Part::Turn(part) = &part {
            *turn = Some(part.request_id);
        }
        self.parts.push((part, line));
        Ok(None)
    }

    fn body(&mut self, body: Body, line: String) -> Result<(), ErrorInfo> {
        let Body { sha256, bytes, text, base64 } = body;
        let content = match (text, base64) {
            (Some(text), None) => Some(text.into_bytes()),
            (None, Some(base64)) => {
                Some(STANDARD.decode(base64).map_err(|_| damaged("a body is not base64"))?)
            }
            (None, None) => None,
            (Some(_), Some(_)) => return Err(damaged("a body is there twice")),
        };
        let twice = match content {
            Some(content) => {
                if content.len() as u64 != bytes || digest(&content) != sha256 {
                    return Err(damaged("a body is not the one that its digest names"));
                }
                self.bodies.insert(sha256, content).is_some() || self.left_out.contains_key(&sha256)
            }
            None => self.left_out.insert(sha256, line).is_some() || self.bodies.contains_key(&sha256),
        };
        if twice { Err(damaged("a body is there twice")) } else { Ok(()) }
    }
}

/// The type of a line. The rest of it is read over: as a tree it would take many times its bytes, and so would a line that is read by its type with serde.
#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Option<Cow<'a, str>>,
}

/// The last line.
#[derive(Deserialize)]
struct End {
    lines: u64,
}

fn read_as<'a, T: Deserialize<'a>>(line: &'a str) -> Result<T, ErrorInfo> {
    serde_json::from_str(line).map_err(|error| damaged(&error.to_string()))
}

fn json(value: &impl Serialize) -> Result<String, ErrorInfo> {
    serde_json::to_string(value).map_err(|error| unpackable(&error.to_string()))
}

fn unpackable(detail: &str) -> ErrorInfo {
    ErrorInfo::new(Code::Internal, "The session cannot be packed.", "Report it with the log file.")
        .with_detail(detail)
}

/// The error of a file that is none of Orion's.
fn no_export(detail: &str) -> ErrorInfo {
    let message = "This file is not a session that Orion exported.";
    ErrorInfo::new(Code::ExportInvalid, message, "Choose a file that orion export has made.")
        .with_detail(detail)
}

/// The error of a file that was changed or is not whole.
pub(super) fn damaged(detail: &str) -> ErrorInfo {
    let message = "This exported session is damaged or was changed: nothing of it was imported.";
    ErrorInfo::new(Code::ExportInvalid, message, "Copy the file again, or export the session again.")
        .with_detail(detail)
}

fn newer(version: u64) -> ErrorInfo {
    let message = format!(
        "A newer Orion exported this session: its format is {version}, and this one knows {VERSION}."
    );
    ErrorInfo::new(Code::ExportVersion, message, "Update Orion.")
}

fn older() -> ErrorInfo {
    ErrorInfo::new(
        Code::ExportVersion,
        "An Orion before 0.2 exported this session, in a form that this one does not read.",
        "Let that Orion export it as Markdown, HTML or text.",
    )
}

fn too_large() -> ErrorInfo {
    let message = format!("An exported session has {} MiB at most, unpacked.", MOST >> 20);
    ErrorInfo::new(
        Code::ExportTooLarge,
        message,
        "Export it without the contents of files, or one of its turns.",
    )
}

pub(super) fn digest(content: &[u8]) -> Sha256 {
    Sha256::from(<[u8; 32]>::from(sha2::Sha256::digest(content)))
}
