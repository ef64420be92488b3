//! `search_files`: lines that match a pattern, in pages. The libraries of ripgrep do the search. They are given the text
//! that `read_file` shows, so what is read in one tool is found in the other, at the same line.

use std::io::{self, Read};

use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkMatch,
};
use orion_core::tool::Seen;
use orion_protocol::{Code, ErrorInfo};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::list_files::Glob;
use super::page::{count, halted, left_out};
use super::search_page::SearchPage;
use super::{Context, Output, Reads, seen, stopped};
use orion_files::text::{Content, Decoded, Polled, SAMPLE, sniff};
use orion_files::workspace::{Budget, Entry, Halt, Kind, LeftOut, Project, ProjectPath, View, Walk};

/// A file with a longer line is left out, in bytes: it is data, not text that someone wrote.
const LONGEST_LINE: usize = 4 * 1024 * 1024;
/// Memory of a compiled pattern, in bytes (ripgrep's own default is 10 MiB for larger machines' patience).
const PATTERN_MEMORY: usize = 4 * 1024 * 1024;

pub(super) struct SearchFiles;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Regular expression (Rust syntax), matched in each line
    #[schemars(length(min = 1, max = 1000))]
    pattern: String,
    /// Folder or file to search
    #[serde(default = "project_root")]
    #[schemars(extend("format" = "path"))]
    path: String,
    /// Only files that match, e.g. *.rs
    #[serde(default)]
    glob: Option<String>,
    /// Take A and a as the same
    #[serde(default)]
    ignore_case: bool,
    /// Take pattern as plain text
    #[serde(default)]
    literal: bool,
    /// Lines shown around each match
    #[serde(default)]
    #[schemars(range(max = 10))]
    context: u8,
    /// Search what .gitignore hides
    #[serde(default)]
    include_ignored: bool,
    /// Matches to skip
    #[serde(default)]
    offset: u64,
    /// Most matches
    #[serde(default = "most_matches")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u64,
}

fn project_root() -> String {
    ".".to_owned()
}

fn most_matches() -> u64 {
    100
}

impl Reads for SearchFiles {
    type Arguments = Arguments;
    const NAME: &'static str = "search_files";
    const DESCRIPTION: &'static str =
        "Find lines in the project's text files. Matches read `12:text`, context `12-text`.";

    fn read(arguments: Arguments, context: &Context) -> Result<Output, ErrorInfo> {
        let project = &context.project;
        let matcher = matcher(&arguments)?;
        let glob = arguments.glob.as_deref().map(Glob::new).transpose()?;
        let named = project.path(&arguments.path)?;
        let start = project.find(&named)?;
        let budget = context.budget();
        let mut search = Search {
            project,
            matcher: &matcher,
            searcher: searcher(&arguments),
            sample: Vec::with_capacity(SAMPLE),
            page: SearchPage::new(
                arguments.offset,
                arguments.limit,
                context.limits.body_bytes.saturating_sub(800),
            ),
            budget: &budget,
            tally: Tally::default(),
        };
        let view = View { recursive: true, include_ignored: arguments.include_ignored };
        let (left, parts) = match start.kind {
            Kind::Folder => {
                let mut walk = Walk::new(project, &start.path, view, budget.clone());
                for Entry { path, kind, .. } in walk.by_ref() {
                    let wanted = kind == Kind::File
                        && glob.as_ref().is_none_or(|glob| glob.matches(&path, &start.path));
                    if wanted && !search.file(&path) {
                        break;
                    }
                }
                (walk.left_out(), seen(Seen::Tree, &named, &start.path))
            }
            Kind::File => {
                search.file(&start.path);
                (LeftOut::default(), seen(Seen::Path, &named, &start.path))
            }
            // Refused with the reason.
            Kind::Link | Kind::Special => return project.open_file(&start.path).map(|_| Output::default()),
        };
        let Search { page, tally, .. } = search;
        let halt = left.halt.or_else(|| budget.spent());
        if halt == Some(Halt::Cancelled) {
            return Err(stopped());
        }

        let (more, clipped) = (page.more, page.clipped);
        let found = match page.shown {
            0 if arguments.offset > 0 => "no more matches".to_owned(),
            0 => "no matches".to_owned(),
            shown => {
                format!("{} in {}", count(shown, "match", "matches"), count(page.files, "file", "files"))
            }
        };
        let mut heading = vec![found.clone(), format!("{} searched", count(tally.searched, "file", "files"))];
        heading.extend(tally.left_out());
        heading.extend(left_out(&left));
        heading.extend(halt.map(|halt| halted(halt).to_owned()));
        let clipped = clipped.then(|| "Lines are cut or left out for lack of room".to_owned());
        let more_matches = more.then(|| {
            let next = arguments.offset + page.shown;
            format!("There are more matches; read on with search_files {}", arguments.at(next))
        });
        let cut: Vec<String> = clipped.into_iter().chain(more_matches).collect();
        Ok(Output {
            summary: if more { format!("first {found}") } else { found },
            body: format!("{}\n{}", heading.join("; "), page.into_text()),
            bytes: None,
            cut: (!cut.is_empty()).then(|| cut.join(". ")),
            seen: parts,
            ..Output::default()
        })
    }
}

impl Arguments {
    /// The call that shows what comes next: the same, at another offset.
    fn at(&self, offset: u64) -> serde_json::Value {
        let mut call = json!({ "pattern": self.pattern, "offset": offset });
        let mut say = |name: &str, value: serde_json::Value, default: serde_json::Value| {
            if value != default {
                call[name] = value;
            }
        };
        say("path", json!(self.path), json!("."));
        say("glob", json!(self.glob), json!(null));
        say("ignore_case", json!(self.ignore_case), json!(false));
        say("literal", json!(self.literal), json!(false));
        say("context", json!(self.context), json!(0));
        say("include_ignored", json!(self.include_ignored), json!(false));
        say("limit", json!(self.limit), json!(most_matches()));
        call
    }
}

fn matcher(arguments: &Arguments) -> Result<RegexMatcher, ErrorInfo> {
    RegexMatcherBuilder::new()
        .case_insensitive(arguments.ignore_case)
        .fixed_strings(arguments.literal)
        // `^` and `$` are those of a line, whichever way it ends.
        .multi_line(true)
        .crlf(true)
        .size_limit(PATTERN_MEMORY)
        .dfa_size_limit(PATTERN_MEMORY)
        .nest_limit(100)
        .build(&arguments.pattern)
        .map_err(|cause| {
            let why = cause.to_string();
            let why = why.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
            ErrorInfo::new(
                Code::PatternInvalid,
                format!("`pattern` cannot be used: {}.", why.trim().trim_start_matches("error: ").trim_end_matches('.')),
                "Patterns match within one line, without look-around and back-references. For plain text set literal to true.",
            )
        })
}

fn searcher(arguments: &Arguments) -> Searcher {
    SearcherBuilder::new()
        .line_terminator(LineTerminator::crlf())
        .line_number(true)
        .before_context(arguments.context.into())
        .after_context(arguments.context.into())
        .binary_detection(BinaryDetection::quit(0))
        // The text is decoded when it comes here.
        .bom_sniffing(false)
        .heap_limit(Some(LONGEST_LINE))
        .build()
}

/// How many files were searched, and how many were left out and why.
#[derive(Debug, Default)]
struct Tally {
    searched: u64,
    binary: u64,
    unreadable: u64,
    long_lines: u64,
}

impl Tally {
    fn left_out(&self) -> Vec<String> {
        let mut parts = Vec::new();
        if self.binary > 0 {
            parts.push(format!("{} left out", count(self.binary, "binary file", "binary files")));
        }
        if self.unreadable > 0 {
            parts.push(format!("{} left out", count(self.unreadable, "unreadable file", "unreadable files")));
        }
        if self.long_lines > 0 {
            parts.push(format!("{} with lines over 4 MiB left out", count(self.long_lines, "file", "files")));
        }
        parts
    }
}

struct Search<'a> {
    project: &'a Project,
    matcher: &'a RegexMatcher,
    searcher: Searcher,
    /// The beginning of the file that is searched.
    sample: Vec<u8>,
    page: SearchPage,
    budget: &'a Budget,
    tally: Tally,
}

impl Search<'_> {
    /// Searches a file; false when the search is over.
    fn file(&mut self, path: &ProjectPath) -> bool {
        let Ok((file, _)) = self.project.open_found(path) else {
            self.tally.unreadable += 1;
            return true;
        };
        self.page.begin(path);
        let mut sink = Lines { page: &mut self.page, matcher: self.matcher, binary: false };
        let mut file = Polled { inner: file, budget: self.budget };
        self.sample.clear();
        let sampled = file.by_ref().take(SAMPLE as u64).read_to_end(&mut self.sample);
        let result = sampled.and_then(|_| match sniff(&self.sample, self.sample.len() < SAMPLE) {
            Content::Binary(_) => {
                sink.binary = true;
                Ok(())
            }
            Content::Text(coding) => {
                let text = self.sample.get(coding.mark..).unwrap_or_default();
                let decoded = Decoded::new(text.chain(file), coding);
                self.searcher.search_reader(self.matcher, decoded, &mut sink)
            }
        });
        let binary = sink.binary;
        match result {
            _ if self.budget.spent().is_some() => return false,
            Ok(()) if binary => self.tally.binary += 1,
            Ok(()) => self.tally.searched += 1,
            // The one error of the searcher's own: a line that its buffer does not hold.
            Err(cause) if cause.kind() == io::ErrorKind::Other => self.tally.long_lines += 1,
            Err(_) => self.tally.unreadable += 1,
        }
        !self.page.more
    }
}

/// Hands the searcher's lines to the page.
struct Lines<'a> {
    page: &'a mut SearchPage,
    matcher: &'a RegexMatcher,
    binary: bool,
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        Ok(self.page.matched(found.line_number().unwrap_or(0), found.bytes(), self.matcher))
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> io::Result<bool> {
        let number = line.line_number().unwrap_or(0);
        match line.kind() {
            SinkContextKind::After => self.page.after(number, line.bytes()),
            SinkContextKind::Before | SinkContextKind::Other => self.page.before(number, line.bytes()),
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.page.gap();
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.binary = true;
        Ok(false)
    }
}
