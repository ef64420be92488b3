//! A short line in the place of many: `# ... rest unchanged ...`.
//!
//! The lines that go and come next to each other are held against each other. Lines that stay between them but say nothing (blank
//! ones, brackets) join them, since a comparison of lines finds such lines again anywhere.

use std::cell::OnceCell;
use std::collections::HashSet;

use orion_protocol::FaultKind;

use super::comment::{Remark, is_comment, remark};
use super::{Doubt, Stretch, numbered_lines, prose};

/// A line stands for so many at least.
const MANY: usize = 5;
/// The most other lines that may come together with a comment that stands for many.
const FEW: usize = 3;

/// Stretches that only lines without a word divide.
#[derive(Default)]
struct Group<'a> {
    gone: Vec<&'a str>,
    /// With their numbers in the content.
    new: Vec<(usize, &'a str)>,
}

/// The lines of a write that stand for others.
pub(super) fn find<'a>(path: &str, stretches: &[Stretch<'a>], old: &str) -> Vec<Doubt<'a>> {
    let present = Present { path, text: old, lines: OnceCell::new() };
    let mut found = Vec::new();
    let mut group = Group::default();
    for stretch in stretches {
        if stretch.apart || stretch.kept.contains(char::is_alphanumeric) {
            std::mem::take(&mut group).look(&present, &mut found);
        }
        group.gone.extend(stretch.old.split(['\n', '\r']).filter(|line| !line.trim().is_empty()));
        let new = numbered_lines(stretch.new).map(|(at, line)| (at - 1 + stretch.line as usize, line));
        group.new.extend(new.filter(|(_, line)| !line.trim().is_empty()));
    }
    group.look(&present, &mut found);
    found
}

impl<'a> Group<'a> {
    fn look(self, present: &Present<'_>, found: &mut Vec<Doubt<'a>>) {
        let Self { gone, new } = &self;
        let others = new.len().saturating_sub(1);
        for (at, (line, text)) in new.iter().enumerate() {
            let Some(kind) = remark(text) else { continue };
            let stands = match kind {
                Remark::BetweenEllipses => true,
                Remark::Ellipsis => gone.len() >= others + MANY,
                Remark::Words => {
                    others <= FEW && gone.len() >= MANY + others * MANY && self.is_alone(at, present)
                }
            };
            if stands && !present.has(text) {
                let what = match gone.len() {
                    0 => "this line stands for others; send the lines themselves".to_owned(),
                    gone => {
                        format!("this line stands where {gone} lines go; send the lines that are to be here")
                    }
                };
                found.push(Doubt { kind: FaultKind::Placeholder, line: *line, text, what });
                return;
            }
        }
    }

    /// True if a comment among few lines leaves others out: it is the first or the last, and the only one. A heading is no
    /// comment, and a comment of several lines says more than that.
    fn is_alone(&self, at: usize, present: &Present<'_>) -> bool {
        let (_, text) = self.new[at];
        let is_last = self.new[at + 1..].iter().all(|(_, line)| !has_word(line));
        let comments = self.new.iter().filter(|(_, line)| is_comment(line) && has_word(line)).count();
        let heads = text.trim().starts_with('#') && prose::may_be_in(present.path);
        (is_last || at == 0) && comments < 2 && !heads && !self.repeats(text)
    }

    /// True if a line has only words of the lines that go: it joins them.
    fn repeats(&self, line: &str) -> bool {
        let said: HashSet<&str> = self.gone.iter().flat_map(|line| words(line)).collect();
        words(line).all(|word| said.contains(word))
    }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn has_word(line: &str) -> bool {
    line.contains(char::is_alphanumeric)
}

/// The present file. Its lines are looked at only if a line may stand for others.
struct Present<'a> {
    path: &'a str,
    text: &'a str,
    lines: OnceCell<HashSet<&'a str>>,
}

impl Present<'_> {
    /// True if it has this line, but for the white space around it.
    fn has(&self, line: &str) -> bool {
        let lines = || self.text.split(['\n', '\r']).map(str::trim).collect();
        self.lines.get_or_init(lines).contains(line.trim())
    }
}
