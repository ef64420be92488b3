//! The characters of a content that cannot be written in the encoding of its file.

use orion_core::lines::Ending;
use orion_protocol::{FaultKind, WriteFault};

/// The most faults that are named at once. A model that sends text in another script would have a fault in nearly
/// every character.
const MOST: usize = 100;
/// Characters of a line that are shown before and after a fault; 200 in all.
const AROUND: usize = 99;

/// Where characters are that cannot be written.
#[derive(Debug, Default)]
pub(super) struct Lacking(Vec<(usize, char, Why)>);

/// Why a character cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Why {
    /// The encoding does not have it.
    Lacks,
    /// The encoding is a guess, and others that the file may be in write it with other bytes.
    Unproven,
    /// It stands for bytes that are not UTF-8, and the content does not say which of them.
    Stray,
}

impl Lacking {
    /// `offset` in bytes of the content.
    pub(super) fn add(&mut self, offset: usize, c: char, why: Why) {
        if self.0.len() < MOST {
            self.0.push((offset, c, why));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn faults(mut self, content: &str, encoding: &str) -> Vec<WriteFault> {
        self.0.sort_unstable();
        let mut lines = Ending::of(content).split(content);
        let (mut number, mut start, mut end) = (0, 0, 0);
        self.0
            .into_iter()
            .map(|(offset, c, why)| {
                while end <= offset {
                    start = end;
                    end += lines.next().map_or(1, str::len);
                    number += 1;
                }
                let named = format!("U+{:04X} ({})", u32::from(c), c.escape_debug());
                WriteFault {
                    kind: FaultKind::Unencodable,
                    line: number,
                    column: count(content[start..offset].chars().count()).saturating_add(1),
                    what: match why {
                        Why::Lacks => format!("{named}, which {encoding} does not have"),
                        Why::Unproven => format!(
                            "{named}, which the file does not have yet: it was taken for {encoding}, but may be in an encoding \
                             with other bytes for it"
                        ),
                        Why::Stray => format!(
                            "{named}, which stands for bytes that are not UTF-8: leave their line as it is, or write what \
                             is meant in their place"
                        ),
                    },
                    context: context(content, start, offset, c),
                }
            })
            .collect()
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The part of the line around the character, with control characters escaped.
fn context(content: &str, start: usize, offset: usize, c: char) -> String {
    let before: Vec<char> = content[start..offset].chars().rev().take(AROUND).collect();
    let after = content[offset + c.len_utf8()..].chars().take_while(|&c| c != '\n' && c != '\r').take(AROUND);
    before
        .into_iter()
        .rev()
        .chain([c])
        .chain(after)
        .flat_map(|c| if c.is_control() { c.escape_default().collect::<Vec<_>>() } else { vec![c] })
        .take(200)
        .collect()
}

#[cfg(test)]
mod tests {
    use orion_protocol::{FaultKind, WriteFault};

    use super::{Lacking, Why};

    #[test]
    fn each_character_is_found_by_line_and_column() {
        let content = "ok\n\ta → b → c\r\né→";
        let mut lacking = Lacking::default();
        content.match_indices('→').for_each(|(at, _)| lacking.add(at, '→', Why::Lacks));
        let fault = |line, column, context: &str| WriteFault {
            kind: FaultKind::Unencodable,
            line,
            column,
            what: "U+2192 (→), which windows-1252 does not have".to_owned(),
            context: context.to_owned(),
        };
        assert_eq!(
            lacking.faults(content, "windows-1252"),
            [fault(2, 4, "\\ta → b → c"), fault(2, 8, "\\ta → b → c"), fault(3, 2, "é→"),]
        );
    }

    #[test]
    fn of_a_long_line_the_part_around_is_shown_and_of_many_faults_the_first() {
        let content = format!("{}→{}", "a".repeat(5_000), "b".repeat(5_000));
        let mut lacking = Lacking::default();
        lacking.add(5_000, '→', Why::Lacks);
        let faults = lacking.faults(&content, "windows-1252");
        assert_eq!((faults[0].column, faults[0].context.chars().count()), (5_001, 199));
        let mut lacking = Lacking::default();
        let content = "→".repeat(1_000);
        content.match_indices('→').for_each(|(at, _)| lacking.add(at, '→', Why::Lacks));
        assert_eq!(lacking.faults(&content, "windows-1252").len(), 100);
    }
}
