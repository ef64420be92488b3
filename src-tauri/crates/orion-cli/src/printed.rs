//! Everything that goes to standard output or standard error. Text of models, files and servers must neither steer the
//! terminal nor hide from the person who reads it.
//!
//! A character that is invisible, or changes the direction of others, becomes a visible mark. In JSON it becomes an
//! escape of the same value. Deliberately not here: what is worth printing.

use std::borrow::Cow;

use anstyle::Style;
use orion_files::difference::mark;
use orion_protocol::MarkKind;
use serde::Serialize;

/// Text that is fit to be printed.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Printed(String);

impl Printed {
    /// What a person judges by: a difference, a trace, a list. Every character of it can be seen, but for line ends.
    pub(crate) fn record(text: &str) -> Self {
        Self(visible(text).into_owned())
    }

    /// An answer: unchanged for a file or a program, and made safe for a terminal, which it must not steer. There the joiners and spaces stay that
    /// emoji and many scripts are written with.
    pub(crate) fn answer(text: &str, terminal: bool) -> Self {
        Self(match terminal {
            true => marked(text, |c| deceives(c) && !is_of_scripts(c)).into_owned(),
            false => text.to_owned(),
        })
    }

    /// A part of an answer on a terminal, in a style.
    pub(crate) fn styled(text: &str, style: Style) -> Self {
        let Self(safe) = Self::answer(text, true);
        Self(format!("{style}{safe}{style:#}"))
    }

    /// A part of a record, in a style.
    pub(crate) fn styled_record(text: &str, style: Style) -> Self {
        Self(format!("{style}{}{style:#}", visible(text)))
    }

    /// JSON on one line.
    pub(crate) fn json(value: &impl Serialize) -> serde_json::Result<Self> {
        Ok(Self(escaped(serde_json::to_string(value)?)))
    }

    /// JSON that is written already.
    pub(crate) fn written_json(json: String) -> Self {
        Self(escaped(json))
    }

    /// JSON for a person's eyes.
    pub(crate) fn json_lines(value: &impl Serialize) -> serde_json::Result<Self> {
        Ok(Self(escaped(serde_json::to_string_pretty(value)?)))
    }

    pub(crate) fn push(&mut self, more: &Self) {
        self.0.push_str(&more.0);
    }

    pub(crate) fn end_lines(&mut self, count: usize) {
        self.0.extend(std::iter::repeat_n('\n', count));
    }

    pub(crate) fn line(mut self) -> Self {
        self.end_lines(1);
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The text with every character visible, but for line ends and tabs.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    marked(text, deceives)
}

/// A unified difference in which the line ends of Windows can be seen, where it has others too: a change of them alone would else show the
/// same line twice.
pub(crate) fn with_line_ends(difference: &str) -> Cow<'_, str> {
    let (mut windows, mut others) = (false, false);
    let mut lines = difference.split('\n').peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().copied().unwrap_or_default();
        if line.starts_with("--- ") && next.starts_with("+++ ") {
            // Two names of a file.
            lines.next();
        } else if line.starts_with([' ', '+', '-']) && !next.starts_with('\\') {
            // What follows does not say that the line has no end.
            *(if line.ends_with('\r') { &mut windows } else { &mut others }) = true;
        }
    }
    if windows && others {
        Cow::Owned(difference.replace("\r\n", "␍\n"))
    } else {
        Cow::Borrowed(difference)
    }
}

/// True for what steers a terminal, turns the direction of text or cannot be seen.
fn deceives(c: char) -> bool {
    c != '\n' && matches!(mark(c), Some(MarkKind::Direction | MarkKind::Control | MarkKind::Invisible))
}

/// Zero-width joiner and non-joiner, the variation selectors, and the spaces of French and of East Asia.
fn is_of_scripts(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{a0}' | '\u{202f}' | '\u{3000}')
}

fn marked(text: &str, stands_out: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            // The end of a line as Windows writes it.
            '\r' if characters.peek() == Some(&'\n') => shown.push(c),
            _ if !stands_out(c) => shown.push(c),
            // Unicode has a picture of each of the old controls.
            '\0'..='\u{1f}' => shown.extend(char::from_u32(0x2400 + u32::from(c))),
            '\u{7f}' => shown.push('\u{2421}'),
            _ => shown.push_str(&format!("<U+{:04X}>", u32::from(c))),
        }
    }
    Cow::Owned(shown)
}

/// JSON with `\u` escapes for what deceives. Outside of strings JSON has none of these characters.
fn escaped(json: String) -> String {
    if json.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if deceives(c) {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| escaped.push_str(&format!("\\u{unit:04x}")));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{202e}b\u{200b}c\u{e0041}d\u{9b}e\u{1b}f\u{feff}g";

    #[test]
    fn what_deceives_is_a_visible_mark_in_a_record() {
        let shown = Printed::record(HOSTILE);
        assert_eq!(shown.as_str(), "a<U+202E>b<U+200B>c<U+E0041>d<U+009B>e␛f<U+FEFF>g");
        assert_eq!(Printed::record("א é 👩\t漢\r\n").as_str(), "א é 👩\t漢\r\n");
        assert_eq!(Printed::record("a\rb").as_str(), "a␍b");
        assert_eq!(Printed::record("a\u{a0}b\u{2800}c").as_str(), "a<U+00A0>b<U+2800>c");
    }

    // W6
    #[test]
    fn line_ends_of_a_difference_can_be_seen_where_it_has_both_kinds() {
        let names = "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n";
        let shown = |lines: &str| with_line_ends(&format!("{names}{lines}")).replace(names, "");
        assert_eq!(shown("-foo\n+foo\r\n"), "-foo\n+foo␍\n");
        assert_eq!(shown(" same\r\n+new\n"), " same␍\n+new\n");
        assert_eq!(shown("--- a comment\n+-- a comment\r\n"), "--- a comment\n+-- a comment␍\n");
        let none = "\\ No newline at end of file\n";
        for of_one_kind in [
            "-foo\n+bar\n".to_owned(),
            "-foo\r\n+bar\r\n".to_owned(),
            format!(" foo\r\n-bar\n{none}+bar\r\n"),
        ] {
            assert_eq!(shown(&of_one_kind), of_one_kind);
        }
    }

    #[test]
    fn json_stays_the_same_value_and_has_nothing_in_it_that_deceives() {
        let printed = Printed::json(&[HOSTILE]).unwrap();
        assert!(printed.as_str().is_ascii(), "{printed:?}");
        assert_eq!(serde_json::from_str::<Vec<String>>(printed.as_str()).unwrap(), [HOSTILE]);
        assert_eq!(Printed::json(&["א 👩"]).unwrap().as_str(), "[\"א 👩\"]");
    }

    #[test]
    fn an_answer_is_untouched_for_a_program_and_cannot_steer_a_terminal() {
        assert_eq!(Printed::answer(HOSTILE, false).as_str(), HOSTILE);
        let family = "👩\u{200d}👩 ❤\u{fe0f} می\u{200c}خواهم Oui\u{202f}! 東\u{3000}京";
        assert_eq!(Printed::answer(family, true).as_str(), family);
        assert_eq!(Printed::answer("\u{1b}]0;x\u{7}\u{202e}", true).as_str(), "␛]0;x␇<U+202E>");
    }
}
