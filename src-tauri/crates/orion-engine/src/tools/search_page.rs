//! The matches of a search as text, with one heading per file, from an offset on and within limits.

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;

use super::page::Page;
use orion_files::workspace::ProjectPath;

/// What is shown of a line, in bytes; of a longer one the part around its first match.
const SHOWN: usize = 300;

/// A page of matches in the making.
#[derive(Debug)]
pub(super) struct SearchPage {
    page: Page,
    skip: u64,
    limit: u64,
    pub(super) shown: u64,
    pub(super) files: u64,
    /// There are matches after those shown.
    pub(super) more: bool,
    /// Matches are cut, or lines around them are left out, because the page is full.
    pub(super) clipped: bool,
    file: Option<String>,
    /// Lines before a match that may yet be shown.
    pending: Vec<String>,
    /// The last match was shown, so the lines after it are too.
    showing: bool,
}

impl SearchPage {
    pub(super) fn new(skip: u64, limit: u64, bytes: usize) -> Self {
        Self {
            page: Page::new(bytes),
            skip,
            limit,
            shown: 0,
            files: 0,
            more: false,
            clipped: false,
            file: None,
            pending: Vec::new(),
            showing: false,
        }
    }

    pub(super) fn begin(&mut self, path: &ProjectPath) {
        self.file = Some(path.to_string());
        self.pending.clear();
        self.showing = false;
    }

    /// Takes a matching line; false when the page is full.
    pub(super) fn matched(&mut self, number: u64, line: &[u8], matcher: &RegexMatcher) -> bool {
        if self.skip > 0 {
            self.skip -= 1;
            self.pending.clear();
            self.showing = false;
            return true;
        }
        let at = matcher.find(line).ok().flatten().map_or(0, |found| found.start());
        let found = format!("{number}:{}", excerpt(line, at));
        // Heading, context and match go together or not at all.
        let mut block: Vec<String> = self.file.iter().cloned().collect();
        block.append(&mut self.pending);
        block.push(found.clone());
        let mut block = block.join("\n");
        if self.shown == 0 && !self.page.fits(&block) {
            // R3: the first match is shown even if there is little room; its context is left out first.
            block = self.file.iter().cloned().chain([found]).collect::<Vec<_>>().join("\n");
            self.clipped = true;
        }
        if self.shown == self.limit || !self.page.line(&block) {
            self.more = true;
            return false;
        }
        self.files += u64::from(self.file.take().is_some());
        self.shown += 1;
        self.showing = true;
        true
    }

    pub(super) fn before(&mut self, number: u64, line: &[u8]) {
        self.pending.push(format!("{number}-{}", excerpt(line, 0)));
    }

    pub(super) fn after(&mut self, number: u64, line: &[u8]) {
        if self.showing {
            self.clipped |= !self.page.line(&format!("{number}-{}", excerpt(line, 0)));
        }
    }

    pub(super) fn gap(&mut self) {
        if self.showing {
            self.pending.push("--".to_owned());
        }
    }

    pub(super) fn into_text(self) -> String {
        self.page.into_text()
    }
}

/// A line without its end, or the part of it around `at`.
fn excerpt(line: &[u8], at: usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= SHOWN {
        return String::from_utf8_lossy(line).into_owned();
    }
    let from = boundary(line, at.saturating_sub(SHOWN / 3).min(line.len() - SHOWN));
    let to = boundary(line, (from + SHOWN).min(line.len()));
    let (before, after) = (if from > 0 { "…" } else { "" }, if to < line.len() { "…" } else { "" });
    format!("{before}{}{after}", String::from_utf8_lossy(&line[from..to]))
}

/// The nearest start of a UTF-8 character at or before `at`.
fn boundary(line: &[u8], at: usize) -> usize {
    (at.saturating_sub(3)..=at)
        .rev()
        .find(|&i| line.get(i).is_none_or(|byte| byte & 0xc0 != 0x80))
        .unwrap_or(at)
}
