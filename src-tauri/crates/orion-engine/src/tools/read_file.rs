//! `read_file`: lines of a text file of any size and encoding.

use std::io::{self, Read, Seek, SeekFrom};

use orion_core::lines::Ending;
use orion_core::tool::{Seen, SourceFile};
use orion_protocol::{Code, ErrorInfo};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::page::{Page, count, size};
use super::{Context, Output, Reads, seen, stopped};
use orion_files::passing::{Passing, Whole};
use orion_files::text::{Coding, Content, Decoded, Line, Lines, Polled, SAMPLE, Trust, sniff};
use orion_files::workspace::{Budget, Halt, Place, ProjectPath};

/// A longer line is cut, in bytes: minified code would fill the answer with one line.
const LINE: usize = 4_000;
/// The lines of a larger file are not counted when not all of them are read, in bytes.
const COUNTED: u64 = 8 * 1024 * 1024;

/// The name of the tool that reads a file.
pub(crate) const READ_FILE: &str = "read_file";

pub(super) struct ReadFile;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// File in the project
    #[schemars(extend("format" = "path"))]
    path: String,
    /// First line
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    start_line: u64,
    /// Most lines
    #[serde(default = "most_lines")]
    #[schemars(range(min = 1, max = 5000))]
    max_lines: u64,
    /// Column in start_line, to read on in a long line
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    start_column: u64,
}

fn one() -> u64 {
    1
}

fn most_lines() -> u64 {
    400
}

impl Reads for ReadFile {
    type Arguments = Arguments;
    const NAME: &'static str = READ_FILE;
    const DESCRIPTION: &'static str =
        "Read lines of a text file. Each comes as its number, a tab and its text.";

    fn read(arguments: Arguments, context: &Context) -> Result<Output, ErrorInfo> {
        let path = context.project.path(&arguments.path)?;
        let budget = context.budget();
        let (file, node) = context.project.open_file(&path)?;
        let length = node.metadata.len();
        let unreadable = |cause: io::Error| unreadable(&path, &budget, &cause);

        let mut sample = Vec::with_capacity(SAMPLE.min(usize::try_from(length).unwrap_or(SAMPLE)));
        // X6: the digest is of the bytes that the result is made from, so each is read once.
        let mut file = Passing::new(Polled { inner: file, budget: &budget });
        file.by_ref().take(SAMPLE as u64).read_to_end(&mut sample).map_err(unreadable)?;
        let seen = seen(Seen::Path, &path, &node.path);
        if sample.is_empty() {
            let (summary, body) = ("empty".to_owned(), format!("{path}: empty file\n"));
            let source = source(&path, file.whole());
            return Ok(Output { summary, body, seen, source, ..Output::default() });
        }
        let coding = match sniff(&sample, sample.len() < SAMPLE) {
            Content::Text(coding) => coding,
            Content::Binary(kind) => return Err(binary(&path, length, kind)),
        };
        let limit = context.limits.body_bytes;
        let metadata = &node.metadata;
        let from = match length > COUNTED {
            true => context.project.places().before(&node.path, metadata, arguments.start_line),
            false => Place::FIRST,
        };
        let text = sample.get(coding.mark..).unwrap_or_default();
        let room = (length, limit);
        let mut places = Vec::new();
        // Places are kept also where the time was over before the line was reached: the next read goes on from there.
        let keep = |places| context.project.places().keep(&node.path, metadata, places);
        let (part, heading, read) = if from == Place::FIRST {
            let mut lines = Lines::new(text.chain(&mut file), coding);
            let from = Place { offset: coding.mark as u64, ..from };
            let part = Part::read(&mut lines, from, &arguments, &budget, room, &mut places);
            keep(places);
            let part = part.map_err(unreadable)?;
            let heading = part.heading(&path, length, lines.source());
            drop(lines);
            (part, heading, file.whole())
        } else {
            let mut file = file.into_inner().inner;
            file.seek(SeekFrom::Start(from.offset)).map_err(unreadable)?;
            let mut lines = behind(Polled { inner: file, budget: &budget }, coding, from);
            let part = Part::read(&mut lines, from, &arguments, &budget, room, &mut places);
            keep(places);
            let part = part.map_err(unreadable)?;
            let heading = part.heading(&path, length, lines.source());
            // It was not read from its beginning: nothing is known of all of it.
            (part, heading, None)
        };
        if part.lines == 0 {
            return Err(past_end(&path, &arguments, part.total));
        }
        let cut = part.cut(&path, &arguments);
        Ok(Output {
            summary: count(part.lines, "line", "lines"),
            body: format!("{heading}\n{}", part.text),
            bytes: cut.is_some().then_some(length),
            cut,
            seen,
            source: source(&path, read),
            ..Output::default()
        })
    }
}

/// The file that a result was made from, if it was read to its end. A longer one is read again (X6).
fn source(path: &ProjectPath, read: Option<Whole>) -> Option<Box<SourceFile>> {
    let Whole { sha256, bytes } = read?;
    Some(Box::new(SourceFile { path: path.seen(), sha256, bytes }))
}

/// The lines from a place on, of a file that begins in this encoding.
fn behind<R: Read>(source: R, coding: Coding, from: Place) -> Lines<R> {
    let ending = if from.cr { Ending::Cr } else { Ending::Lf };
    let trust = |is_doubtful| if is_doubtful { Trust::Doubtful } else { Trust::Guessed };
    let coding =
        from.encoding.map_or(coding, |(encoding, is_doubtful)| coding.found(encoding, trust(is_doubtful)));
    Lines::from_place(source, coding, ending, from.encoding.is_some())
}

/// The beginning of this line as a place from which it can be read on.
fn place<R: Read>(lines: &mut Lines<R>, line: u64, from: Place) -> Option<Place> {
    let offset = from.offset + lines.offset()?;
    let source = lines.source();
    let Coding { encoding, trust, .. } = source.coding();
    let encoding = source.is_settled().then_some((encoding, trust == Trust::Doubtful));
    Some(Place { line, offset, crlf: from.crlf || source.has_crlf(), cr: source.ends_with_cr(), encoding })
}

/// The lines that were asked for.
#[derive(Debug)]
struct Part {
    text: String,
    first: u64,
    lines: u64,
    /// The next unread place, when there is one: line, column.
    next: Option<(u64, u64)>,
    /// Lines of the file, where all were counted.
    total: Option<u64>,
    /// A line before those that were read ends in CRLF.
    crlf: bool,
}

impl Part {
    fn read<R: Read>(
        lines: &mut Lines<R>,
        from: Place,
        asked: &Arguments,
        budget: &Budget,
        (bytes, limit): (u64, usize),
        places: &mut Vec<Place>,
    ) -> io::Result<Self> {
        let first = asked.start_line;
        let (mut last, crlf) = (from, from.crlf);
        let mut note = |lines: &mut Lines<R>, line| {
            if let Some(place) = place(lines, line, from).filter(|place| last.is_far_before(place.offset)) {
                last = place;
                // The lines of a shorter file are read again in no time.
                if bytes > COUNTED {
                    places.push(place);
                }
            }
        };
        let mut line = from.line;
        while line < first {
            match lines.pass(first - line)? {
                0 => {
                    let text = String::new();
                    return Ok(Self { text, first, lines: 0, next: None, total: Some(line - 1), crlf });
                }
                passed => line += passed,
            }
            note(lines, line);
        }
        // Room for the heading.
        let mut page = Page::new(limit.saturating_sub(400));
        let (mut shown, mut next, mut total) = (0, None, None);
        while next.is_none() {
            let number = first + shown;
            let skipped =
                if shown == 0 { usize::try_from(asked.start_column - 1).unwrap_or(usize::MAX) } else { 0 };
            let keep = LINE.min(limit / 2);
            match lines.next(skipped, keep)? {
                None => {
                    total = Some(number - 1);
                    break;
                }
                Some(_) if shown == asked.max_lines => next = Some((number, 1)),
                Some(line) => match page.line(&shown_line(number, &line, skipped, keep)) {
                    false => next = Some((number, if shown == 0 { asked.start_column } else { 1 })),
                    true => shown += 1,
                },
            }
        }
        if next.is_some() && bytes <= COUNTED {
            let mut counted = first + shown;
            total = loop {
                match lines.pass(u64::MAX)? {
                    0 => break Some(counted),
                    passed => counted += passed,
                }
                if budget.spent().is_some() {
                    break None;
                }
            };
        }
        Ok(Self { text: page.into_text(), first, lines: shown, next, total, crlf })
    }

    fn heading<R>(&self, path: &ProjectPath, bytes: u64, source: &Decoded<R>) -> String {
        let coding = source.coding();
        let last = self.first + self.lines - 1;
        let of = self.total.map_or_else(String::new, |total| format!(" of {total}"));
        let mut parts = vec![format!("{path}: lines {}-{last}{of}", self.first), size(bytes)];
        if !coding.is_plain() {
            parts.push(coding.describe());
        }
        if self.crlf || source.has_crlf() {
            parts.push("CRLF line ends".to_owned());
        }
        if source.ends_with_cr() {
            parts.push("CR line ends".to_owned());
        }
        if source.is_faulty() {
            parts.push(format!("\u{fffd} stands for bytes that are not {}", coding.encoding.name()));
        }
        parts.join(", ")
    }

    fn cut(&self, path: &ProjectPath, asked: &Arguments) -> Option<String> {
        let (line, _) = self.next?;
        let mut call = json!({ "path": path.to_string(), "start_line": line });
        if asked.max_lines != most_lines() {
            call["max_lines"] = asked.max_lines.into();
        }
        let to = self.total.map_or_else(|| " and following".to_owned(), |total| format!("-{total}"));
        Some(format!("Lines {line}{to} are left out; read on with read_file {call}"))
    }
}

/// A line for the result, of which at most `keep` bytes were kept.
fn shown_line(number: u64, line: &Line, skipped: usize, keep: usize) -> String {
    let text = &line.text;
    if line.missing == 0 {
        return format!("{number}\t{text}");
    }
    let first = skipped as u64 + 1;
    let next = first + text.chars().count() as u64;
    match (text.is_empty(), skipped) {
        (true, 1..) => format!("{number}\t [the line ends before column {first}]"),
        // All that is missing may be before the first column that was asked for. A line that was cut is as long as it
        // may be.
        (_, 1..) if text.len() + 4 < keep => format!("{number}\t{text} [from column {first}]"),
        _ => format!("{number}\t{text} [cut: read on with start_line {number}, start_column {next}]"),
    }
}

fn unreadable(path: &ProjectPath, budget: &Budget, cause: &io::Error) -> ErrorInfo {
    match budget.spent() {
        Some(Halt::Cancelled) => stopped(),
        Some(_) => ErrorInfo::new(
            Code::ToolTimeout,
            format!("`{path}` is too large to get to that line in time."),
            "Ask for an earlier line, or find the place with search_files.",
        ),
        None => ErrorInfo::new(
            Code::FileUnreadable,
            format!("`{path}` could not be read."),
            "Tell the user, or go on without it.",
        )
        .with_detail(cause.to_string()),
    }
}

fn binary(path: &ProjectPath, bytes: u64, kind: Option<&str>) -> ErrorInfo {
    ErrorInfo::new(
        Code::FileBinary,
        format!("`{path}` is a binary file of {} ({}).", size(bytes), kind.unwrap_or("unknown kind")),
        "Only text can be read. file_info says more about it.",
    )
}

fn past_end(path: &ProjectPath, asked: &Arguments, total: Option<u64>) -> ErrorInfo {
    let has = count(total.unwrap_or(0), "line", "lines");
    ErrorInfo::new(
        Code::ToolArguments,
        format!("read_file: `start_line` {} is past the end: `{path}` has {has}.", asked.start_line),
        "Use a smaller start_line.",
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio_util::sync::CancellationToken;

    use super::*;

    struct Fails;

    impl Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("budget spent"))
        }
    }

    #[test]
    fn a_read_that_does_not_get_to_its_line_in_time_leaves_places_from_which_the_next_one_goes_on() {
        let text = "sixteen bytes is\n".repeat(600_000);
        let asked = Arguments { path: "a".into(), start_line: 1_000_000, max_lines: 1, start_column: 1 };
        let budget = Budget::new(1, Duration::from_secs(600), CancellationToken::new());
        let mut lines = Lines::new(text.as_bytes().chain(Fails), Coding::plain());
        let mut places = Vec::new();
        let room = (COUNTED + 1, 1_000);
        assert!(Part::read(&mut lines, Place::FIRST, &asked, &budget, room, &mut places).is_err());
        let found: Vec<(u64, u64)> = places.iter().map(|place| (place.line, place.offset)).collect();
        assert_eq!(found, [(250_579, 4_259_826), (497_303, 8_454_134)]);
    }
}
