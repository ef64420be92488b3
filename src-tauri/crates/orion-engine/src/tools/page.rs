//! Writes a result within its byte limit, and words sizes and counts.

use orion_files::workspace::{Halt, LeftOut};

/// Lines of an answer. Once one did not fit, none is taken any more, so that what is shown is a whole beginning.
#[derive(Debug)]
pub(super) struct Page {
    text: String,
    limit: usize,
    full: bool,
    /// The first line was longer than the page, and cut.
    pub(super) first_cut: bool,
}

impl Page {
    pub(super) fn new(limit: usize) -> Self {
        Self { text: String::new(), limit, full: false, first_cut: false }
    }

    /// Whether a line could be added whole.
    pub(super) fn fits(&self, line: &str) -> bool {
        !self.full && self.text.len() + line.len() < self.limit
    }

    /// Adds a line, or says that there is no room for it. The first line is always taken, cut to the room there is. A
    /// page without a line would name the very call that made it as the one that reads on (R3).
    pub(super) fn line(&mut self, line: &str) -> bool {
        if !self.fits(line) && self.text.is_empty() && !self.full {
            let room = self.limit.saturating_sub("…\n".len());
            self.text.push_str(&line[..line.floor_char_boundary(room)]);
            self.text.push_str("…\n");
            (self.full, self.first_cut) = (true, true);
            return true;
        }
        self.full |= !self.fits(line);
        if !self.full {
            self.text.push_str(line);
            self.text.push('\n');
        }
        !self.full
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

/// `1 entry`, `2 entries`.
pub(super) fn count(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// `812 B`, `45.1 KB`: decimal units with one digit after the point.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KB", "MB", "GB", "TB", "PB"];
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let (mut tenths, mut unit) = (bytes / 100, 0);
    while tenths >= 10_000 && unit + 1 < UNITS.len() {
        tenths /= 1_000;
        unit += 1;
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

/// What a walk left out, as parts of a sentence. Empty when it left out nothing.
pub(super) fn left_out(left: &LeftOut) -> Vec<String> {
    let mut parts = Vec::new();
    if left.git_ignored > 0 {
        parts.push(format!("{} hidden by .gitignore (include_ignored shows them)", left.git_ignored));
    }
    if left.orion_ignored > 0 {
        parts.push(format!("{} closed by .orionignore", left.orion_ignored));
    }
    if left.unreadable > 0 {
        parts.push(count(left.unreadable, "unreadable folder", "unreadable folders"));
    }
    parts
}

/// Why a walk ended early, and what to do about it.
pub(super) fn halted(halt: Halt) -> &'static str {
    match halt {
        Halt::Entries => "stopped after 1,000,000 entries: name a folder below with `path`",
        Halt::Time => "stopped for lack of time: name a folder below with `path`",
        Halt::Cancelled => "stopped",
    }
}
