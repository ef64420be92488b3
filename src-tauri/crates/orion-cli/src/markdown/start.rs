//! What kind of line begins here.

/// A line's kind, by its first characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Start {
    Blank,
    /// A row of a table.
    Row,
    /// A line across.
    Rule,
    Fence(Fence),
    /// Bytes of its mark.
    Heading(usize),
    Item {
        length: usize,
    },
    Quote {
        length: usize,
    },
    /// Bytes of its indentation.
    Prose {
        length: usize,
    },
}

/// The fence that a code block begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    fn of(line: &str) -> Option<Self> {
        let rest = line.trim_start();
        let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = rest.chars().take_while(|c| *c == mark).count();
        let info = &rest[length..];
        (length >= 3 && !(mark == '`' && info.contains('`'))).then_some(Self { mark, length })
    }

    /// Whether the line ends the block, if nothing follows in it.
    pub(super) fn closes(self, line: &str) -> bool {
        let rest = line.trim();
        rest.len() >= self.length && rest.chars().all(|c| c == self.mark)
    }

    /// Whether a line that begins so can still end the block.
    pub(super) fn may_close(self, begun: &str) -> bool {
        let rest = begun.trim();
        rest.chars().all(|c| c == self.mark) && begun.len() < 64
    }
}

/// Characters after which a line is prose, whatever it looks like.
const CLEAR_AFTER: usize = 64;

impl Start {
    /// The kind of the line that begins so; `ends`: that is all of it. None while it is not clear.
    pub(super) fn of(begun: &str, ends: bool) -> Option<Self> {
        let rest = begun.trim_start_matches([' ', '\t']);
        let length = begun.len() - rest.len();
        let prose = Self::Prose { length };
        if rest.is_empty() {
            return match ends {
                true => Some(Self::Blank),
                false => (length > CLEAR_AFTER).then_some(prose),
            };
        }
        let is_clear = ends || rest.len() > CLEAR_AFTER;
        let first = rest.chars().next()?;
        let same = rest.chars().take_while(|c| *c == first).count();
        let then = rest.chars().nth(same);
        match first {
            '|' => Some(Self::Row),
            '>' => {
                let marks = rest.len() - rest.trim_start_matches(['>', ' ']).len();
                (is_clear || marks < rest.len()).then_some(Self::Quote { length: length + marks })
            }
            '#' => match then {
                Some(' ') if same <= 6 => Some(Self::Heading(length + same + 1)),
                None if !is_clear => None,
                _ => Some(prose),
            },
            '`' | '~' => match (same >= 3, then) {
                (true, _) => match Fence::of(begun) {
                    Some(fence) => Some(Self::Fence(fence)),
                    None => Some(prose),
                },
                (false, None) if !is_clear => None,
                _ => Some(prose),
            },
            '-' | '*' | '_' | '+' => {
                let rule = first != '+' && rest.chars().all(|c| c == first || c == ' ');
                let marks = rest.chars().filter(|c| *c == first).count();
                if rule && !is_clear {
                    return None;
                }
                match () {
                    () if rule && marks >= 3 => Some(Self::Rule),
                    () if first != '_' && same == 1 && then == Some(' ') => {
                        Some(Self::Item { length: length + 2 })
                    }
                    () if then.is_none() && !is_clear => None,
                    () => Some(prose),
                }
            }
            '0'..='9' => {
                let digits = rest.chars().take_while(char::is_ascii_digit).count();
                let mut after = rest.chars().skip(digits);
                match (after.next(), after.next()) {
                    (Some('.' | ')'), Some(' ')) if digits <= 9 => {
                        Some(Self::Item { length: length + digits + 2 })
                    }
                    (None, _) | (Some('.' | ')'), None) if !is_clear => None,
                    _ => Some(prose),
                }
            }
            _ => Some(prose),
        }
    }

    /// Bytes of the line that are the mark of its kind, and no text.
    pub(super) fn length(&self, begun: &str) -> usize {
        let length = match self {
            Self::Blank => begun.len(),
            Self::Rule => begun.len(),
            Self::Row | Self::Fence(_) => 0,
            Self::Heading(length)
            | Self::Item { length }
            | Self::Quote { length }
            | Self::Prose { length } => *length,
        };
        length.min(begun.len())
    }

    /// What stands before the text of the line, and before each further line that it is wrapped into.
    pub(super) fn lead(&self, mark: &str) -> (String, String) {
        match self {
            Self::Item { .. } => {
                let shown = match mark.trim_start().starts_with(['-', '*', '+']) {
                    true => mark.replace(['-', '*', '+'], "•"),
                    false => mark.to_owned(),
                };
                let width = shown.chars().count();
                (shown, " ".repeat(width))
            }
            Self::Quote { .. } => {
                let bars = "│ ".repeat(mark.matches('>').count());
                (bars.clone(), bars)
            }
            _ => {
                let indent = " ".repeat(mark.chars().count());
                (indent.clone(), indent)
            }
        }
    }
}
