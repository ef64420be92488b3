//! The difference as a unified diff, for `patch` and `git apply`.

use std::fmt::Write;
use std::ops::Range;

use orion_core::lines::Ending;

use super::{Before, Difference, Lines};

/// The name that is given for a file that does not exist.
const NO_FILE: &str = "/dev/null";

impl Difference {
    /// The unified diff of two files; empty when nothing differs. The paths are written as given, usually with `a/`
    /// and `b/` before them. A file without lines has only its names. For a file that is not text, and for one whose
    /// lines end with CR alone, a line before the names says so, and no tool applies what follows.
    pub fn unified(&self, old_path: &str, new_path: &str) -> String {
        let mut text = String::new();
        let old_path = match self.before {
            Before::Nothing => NO_FILE,
            Before::Text if self.hunks.is_empty() => return text,
            Before::Text => old_path,
            Before::Binary(bytes) => {
                let path = quoted(old_path);
                let _ = writeln!(
                    text,
                    "Binary file {} differs: all of its {bytes} bytes are replaced.",
                    path.trim_end()
                );
                old_path
            }
        };
        if [&self.old, &self.new].iter().any(|lines| lines.ending() == Ending::Cr) {
            let _ = writeln!(text, "The lines of {} end with CR alone.", quoted(new_path).trim_end());
        }
        let _ = write!(text, "--- {}\n+++ {}\n", quoted(old_path), quoted(new_path));
        for (hunk, changes) in self.hunks().iter().zip(&self.hunks) {
            let _ = writeln!(
                text,
                "@@ -{},{} +{},{} @@",
                hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines
            );
            let mut done = (hunk.old_start as usize).saturating_sub(1);
            let end = done + hunk.old_lines as usize;
            for change in &self.changes[changes.clone()] {
                lines(&mut text, ' ', &self.old, done..change.old.start);
                lines(&mut text, '-', &self.old, change.old.clone());
                lines(&mut text, '+', &self.new, change.new.clone());
                done = change.old.end;
            }
            lines(&mut text, ' ', &self.old, done..end);
        }
        text
    }
}

fn lines(text: &mut String, sign: char, lines: &Lines, range: Range<usize>) {
    for (_, line) in lines.each(range) {
        text.push(sign);
        text.push_str(line);
        if line.ends_with('\n') {
            continue;
        }
        text.push('\n');
        if lines.ending().end_of(line).is_empty() {
            text.push_str("\\ No newline at end of file\n");
        }
    }
}

/// A path as git writes it: in quotes when a character of it could end it or the line, with a tab behind it when it has a
/// space, since a reader ends it there.
fn quoted(path: &str) -> String {
    if !path.contains(|c: char| c.is_ascii_control() || c == '"' || c == '\\') {
        return if path.contains(' ') { format!("{path}\t") } else { path.to_owned() };
    }
    let mut text = String::from('"');
    for c in path.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            _ if c.is_ascii_control() => {
                let _ = write!(text, "\\{:03o}", c as u32);
            }
            _ => text.push(c),
        }
    }
    text.push('"');
    text
}
