//! `file_info`: facts about a path, without its content.

use std::io::{self, Read, Seek, SeekFrom};

use jiff::Timestamp;
use orion_core::tool::{Reveals, Seen};
use orion_protocol::{Code, ErrorInfo};
use schemars::JsonSchema;
use serde::Deserialize;

use super::page::size;
use super::{Context, Output, Reads, seen, stopped};
use orion_files::text::{Content, Lines, Polled, SAMPLE, sniff};
use orion_files::workspace::{Budget, Halt, Kind, Node, ProjectPath, View, Walk};
use orion_files::writing::sha256_of;

/// The digest and lines of a larger file are left out, in bytes.
const DIGESTED: u64 = 8 * 1024 * 1024;

pub(super) struct FileInfo;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// File or folder in the project
    #[schemars(extend("format" = "path"))]
    path: String,
}

impl Reads for FileInfo {
    type Arguments = Arguments;
    const NAME: &'static str = "file_info";
    const DESCRIPTION: &'static str =
        "Kind, size, time, mode, encoding, line count and SHA-256 of a file or folder.";
    const REVEALS: Reveals = Reveals::Names;

    fn read(arguments: Arguments, context: &Context) -> Result<Output, ErrorInfo> {
        let path = context.project.path(&arguments.path)?;
        let node = context.project.find(&path)?;
        let mut facts = vec![format!("path: {path}")];
        if node.path != path {
            facts.push(format!("link to: {}", node.path));
        }
        let bytes = node.metadata.len();
        let summary = match node.kind {
            Kind::Folder => {
                facts.push("kind: folder".to_owned());
                facts.push(format!("entries: {}", entries(&node.path, context)?));
                "folder".to_owned()
            }
            Kind::File => {
                let (file, Node { metadata, .. }) = context.project.open_file(&node.path)?;
                facts.push(format!("size: {} bytes", metadata.len()));
                let content = content(file, metadata.len(), &context.budget());
                facts.extend(content.map_err(|cause| unreadable(&path, &context.budget(), &cause))?);
                size(bytes)
            }
            Kind::Link | Kind::Special => {
                facts.push("kind: device, pipe or socket".to_owned());
                "device, pipe or socket".to_owned()
            }
        };
        facts.extend(modified(&node).map(|time| format!("modified: {time}")));
        facts.extend(node.mode().map(|mode| format!("mode: {mode:04o}")));
        let body = format!("{}\n", facts.join("\n"));
        Ok(Output { summary, body, seen: seen(Seen::Path, &path, &node.path), ..Output::default() })
    }
}

fn entries(folder: &ProjectPath, context: &Context) -> Result<String, ErrorInfo> {
    let view = View { recursive: false, include_ignored: true };
    let mut walk = Walk::new(&context.project, folder, view, context.budget());
    let entries = walk.by_ref().count();
    match walk.left_out().halt {
        Some(Halt::Cancelled) => Err(stopped()),
        Some(Halt::Entries | Halt::Time) => Ok(format!("at least {entries}")),
        None => Ok(entries.to_string()),
    }
}

/// What the bytes of a file tell.
fn content(mut file: impl Read + Seek, bytes: u64, budget: &Budget) -> io::Result<Vec<String>> {
    let mut sample = Vec::new();
    Polled { inner: &mut file, budget }.take(SAMPLE as u64).read_to_end(&mut sample)?;
    let small = bytes <= DIGESTED;
    let mut facts = Vec::new();
    match sniff(&sample, sample.len() < SAMPLE) {
        Content::Binary(kind) => {
            facts.push(format!("kind: binary file ({})", kind.unwrap_or("unknown kind")))
        }
        Content::Text(coding) => {
            facts.push("kind: text file".to_owned());
            if !small {
                facts.push(format!("encoding: {}", coding.describe()));
            } else {
                file.seek(SeekFrom::Start(coding.mark as u64))?;
                let mut lines = Lines::new(Polled { inner: &mut file, budget }.take(DIGESTED), coding);
                let mut counted = 0;
                loop {
                    match lines.pass(u64::MAX)? {
                        0 => break,
                        passed => counted += passed,
                    }
                }
                facts.push(format!("encoding: {}", lines.source().coding().describe()));
                facts.push(format!("lines: {counted}"));
            }
        }
    }
    if small {
        file.seek(SeekFrom::Start(0))?;
        facts.push(format!("sha256: {}", sha256_of(Polled { inner: &mut file, budget }.take(DIGESTED))?));
    } else {
        facts.push("lines and sha256: left out, the file is larger than 8 MiB".to_owned());
    }
    Ok(facts)
}

/// UTC, in whole seconds.
fn modified(node: &Node) -> Option<Timestamp> {
    Timestamp::try_from(node.modified()?).ok().and_then(|time| Timestamp::from_second(time.as_second()).ok())
}

fn unreadable(path: &ProjectPath, budget: &Budget, cause: &io::Error) -> ErrorInfo {
    match budget.spent() {
        Some(Halt::Cancelled) => stopped(),
        Some(Halt::Time | Halt::Entries) | None => ErrorInfo::new(
            Code::FileUnreadable,
            format!("`{path}` could not be read."),
            "Tell the user, or go on without it.",
        )
        .with_detail(cause.to_string()),
    }
}
