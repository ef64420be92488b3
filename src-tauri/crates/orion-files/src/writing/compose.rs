//! Composes the bytes of the new file. Nothing here touches the disk.

use std::collections::VecDeque;

use orion_protocol::{Code, ErrorInfo, Sha256, WriteFault, WriteOperation};

use super::always_asks::{BINARY, SCRIPTS};
use super::digest::sha256;
use super::encoding::encode;
use super::lacking::{Lacking, Why};
use super::line_ends::{LineEnds, lines};
use super::manifest::runs_else;
use super::strays;
use super::style::{Style, TextStyle};
use super::target::{LARGEST, Target, unwritable};
use super::unproven::Unproven;
use crate::workspace::ProjectPath;

/// The new file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Composed {
    pub bytes: Vec<u8>,
    pub sha256: Sha256,
    pub lines: u64,
    /// Such as `UTF-8` or `UTF-16LE with BOM`.
    pub encoding: String,
    pub line_ends: LineEnds,
    /// Why this content asks, whatever the permission.
    pub always_asks: Option<&'static str>,
}

/// Why the bytes cannot be made.
#[derive(Debug, Clone, PartialEq)]
pub enum Unfit {
    /// Characters of the content that cannot be written in the encoding of the file; at most 100 are named.
    Faults(Vec<WriteFault>),
    /// `file_binary`, `file_unwritable` or `file_changed`.
    Refused(ErrorInfo),
}

/// Makes the bytes of the file from its content:
/// - `create`, `overwrite`: `content` is the whole file.
/// - `edit`: `content` is the whole file too, as the blocks left it.
/// - `append`: `content` comes behind `old`, on a line of its own.
///
/// What is there keeps its encoding, byte order mark and line ends; a file with mixed line ends, or none, gets those of the
/// content. A new file is UTF-8 with the line ends of the content. `old` are the bytes that `target` was found with.
///
/// # Errors
/// [`Unfit`]; nothing is ever replaced by something like it.
pub fn compose(
    target: &Target,
    old: Option<&[u8]>,
    operation: WriteOperation,
    content: &str,
) -> Result<Composed, Unfit> {
    let style = match target.base.as_ref().map(|base| &base.style) {
        None => TextStyle::new(),
        Some(Style::Text(style)) => style.clone(),
        Some(Style::Binary(_)) if operation == WriteOperation::Overwrite => TextStyle::new(),
        Some(Style::Binary(_) | Style::Inexact(_)) => {
            return Err(Unfit::Refused(no_text(&target.path)));
        }
    };
    let appends = operation == WriteOperation::Append && target.base.is_some();
    let before = if appends { old.unwrap_or_default() } else { style.mark() };
    // If the content has a byte order mark too, the file still gets only one.
    let content = match style.mark() {
        b"" => content,
        _ => content.strip_prefix('\u{feff}').unwrap_or(content),
    };
    let kept =
        if appends { b"" } else { old.unwrap_or_default().get(style.coding.mark..).unwrap_or_default() };
    let mut lacking = Lacking::default();
    let strays = match style.has_strays {
        true => strays::kept(kept, content, |at| lacking.add(at, '\u{fffd}', Why::Stray)),
        false => VecDeque::new(),
    };
    let mut page = Page {
        bytes: Vec::with_capacity(before.len() + content.len() + 2),
        style: &style,
        lacking,
        unproven: old.and_then(|old| Unproven::of(style.coding, old)),
        strays,
    };
    page.bytes.extend_from_slice(before);
    let mut first = LineEnds::None;
    if appends && style.open_line && !content.is_empty() {
        let end = style.line_ends.uniform().or(LineEnds::of(content).uniform()).unwrap_or("\n");
        page.put(0, end);
        first = LineEnds::of(end);
    }
    style.line_ends.apply(content, |offset, piece| page.put(offset, piece));
    if !page.lacking.is_empty() {
        return Err(Unfit::Faults(page.lacking.faults(content, style.coding.encoding.name())));
    }
    let bytes = page.bytes;
    if bytes.len() as u64 > LARGEST {
        let action = "Write it in several files, or tell the user.";
        return Err(Unfit::Refused(unwritable(&target.path, "would be larger than 64 MiB", action)));
    }
    let added = style.line_ends.applied_to(content);
    let (line_ends, lines) = match appends {
        // A CR alone may be a line end or not, in the one or the other.
        true if content.contains('\r') => {
            let text = Style::Text(style.clone()).text(&bytes).unwrap_or_default().into_owned();
            (LineEnds::of(&text), lines(&text))
        }
        true => (style.line_ends.and(first).and(added), style.lines + lines(content)),
        false => (added, lines(content)),
    };
    let binary = target.base.as_ref().is_some_and(|base| matches!(base.style, Style::Binary(_)));
    let by_content = || {
        let mut names = [&target.path, &target.real].into_iter().chain(&target.names);
        names.any(|name| runs_else(name, old, &bytes)).then_some(SCRIPTS)
    };
    let always_asks = target.always_asks.or(binary.then_some(BINARY)).or_else(by_content);
    let encoding = style.encoding();
    Ok(Composed { sha256: sha256(&bytes), bytes, lines, encoding, line_ends, always_asks })
}

/// What is being written down.
struct Page<'a> {
    bytes: Vec<u8>,
    style: &'a TextStyle,
    lacking: Lacking,
    unproven: Option<Unproven>,
    /// The bytes that each U+FFFD stands for.
    strays: VecDeque<&'a [u8]>,
}

impl Page<'_> {
    fn put(&mut self, offset: usize, piece: &str) {
        let Self { bytes, style, lacking, unproven, strays } = self;
        if style.has_strays {
            return strays::restore(piece, strays, bytes);
        }
        if let Some(unproven) = unproven {
            for (at, c) in piece.char_indices().filter(|&(_, c)| unproven.doubts(c)) {
                lacking.add(offset + at, c, Why::Unproven);
            }
        }
        encode(
            style.coding.encoding,
            piece,
            |block| bytes.extend_from_slice(block),
            |at, c| lacking.add(offset + at, c, Why::Lacks),
        );
    }
}

fn no_text(path: &ProjectPath) -> ErrorInfo {
    ErrorInfo::new(
        Code::FileBinary,
        format!("`{path}` is a binary file."),
        "Only text can be appended to or edited.",
    )
}
