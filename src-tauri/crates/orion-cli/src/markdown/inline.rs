//! Marks within a line: emphasis, code, links.

use anstyle::{Effects, Style};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{CODE, FAINT};

/// What stands before words so that they are never taken for the beginning of a block.
const BEFORE: &str = ". ";

/// Which marks are open at a place in a line: until they are closed, nobody knows what they mean.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Open {
    /// Bytes that were looked at.
    seen: usize,
    before: Option<char>,
    /// Backticks in a row up to here.
    ticks: usize,
    /// Backticks that code began with.
    code: usize,
    /// A row of marks up to here, such as `**`, and what stands before it.
    row: Option<(char, Option<char>)>,
    /// Emphasis that was begun.
    emphases: usize,
    brackets: usize,
    /// In the address of a link.
    target: bool,
    escaped: bool,
}

impl Open {
    pub(super) fn seen(&self) -> usize {
        self.seen
    }

    /// The same, once so many bytes of the line are printed.
    pub(super) fn after(self, printed: usize) -> Self {
        Self { seen: self.seen.saturating_sub(printed), ..self }
    }

    pub(super) fn nothing(&self) -> bool {
        let rows = self.ticks + self.code + self.emphases + self.brackets;
        rows == 0 && self.row.is_none() && !self.target
    }

    /// Looks at the next character.
    pub(super) fn see(&mut self, c: char) {
        let before = self.before.replace(c);
        self.seen += c.len_utf8();
        if std::mem::take(&mut self.escaped) {
            return;
        }
        if c == '`' {
            self.ticks += 1;
            return;
        }
        match std::mem::take(&mut self.ticks) {
            0 => {}
            ticks if self.code == 0 => self.code = ticks,
            ticks if self.code == ticks => self.code = 0,
            _ => {}
        }
        if self.code > 0 {
            return;
        }
        if matches!(c, '*' | '_' | '~') {
            self.row = self.row.or(Some((c, before)));
            return;
        }
        if let Some((mark, before)) = self.row.take() {
            self.emphasis(mark, before, c);
        }
        match c {
            '\\' => self.escaped = true,
            '[' => self.brackets += 1,
            ']' => self.brackets = self.brackets.saturating_sub(1),
            '(' if before == Some(']') => self.target = true,
            ')' => self.target = false,
            _ => {}
        }
    }

    /// What a row of marks does, by what stands on both sides of it.
    fn emphasis(&mut self, mark: char, before: Option<char>, after: char) {
        let ends = before.is_some_and(|before| !before.is_whitespace());
        let begins = !after.is_whitespace();
        let in_word = after.is_alphanumeric() && before.is_some_and(char::is_alphanumeric);
        match (begins, ends) {
            _ if mark == '_' && in_word => {}
            (true, true) if self.emphases == 0 => self.emphases = 1,
            (true, false) => self.emphases += 1,
            (_, true) => self.emphases = self.emphases.saturating_sub(1),
            (false, false) => {}
        }
    }
}

/// The words with their styles.
pub(super) fn spans(words: &str, base: Style) -> Vec<(String, Style)> {
    let spaces = words.len() - words.trim_end().len();
    let text = format!("{BEFORE}{}", words.trim_end());
    let mut styles = vec![base];
    let mut targets = Vec::new();
    let mut spans: Vec<(String, Style)> = Vec::new();
    for event in Parser::new_ext(&text, Options::ENABLE_STRIKETHROUGH) {
        let style = styles.last().copied().unwrap_or(base);
        match event {
            Event::Start(Tag::Strong) => styles.push(style.effects(style.get_effects() | Effects::BOLD)),
            Event::Start(Tag::Emphasis) => styles.push(style.effects(style.get_effects() | Effects::ITALIC)),
            Event::Start(Tag::Strikethrough) => {
                styles.push(style.effects(style.get_effects() | Effects::STRIKETHROUGH));
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                targets.push((spans.len(), dest_url));
                styles.push(style.effects(style.get_effects() | Effects::UNDERLINE));
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                styles.pop();
                if let Some((from, target)) = targets.pop() {
                    let shown: String =
                        spans[from.min(spans.len())..].iter().map(|(text, _)| text.as_str()).collect();
                    // A person sees where a link leads.
                    if shown != *target {
                        spans.push((format!(" ({target})"), FAINT));
                    }
                }
            }
            Event::End(TagEnd::Strong | TagEnd::Emphasis | TagEnd::Strikethrough) => {
                styles.pop();
            }
            Event::Code(code) => spans.push((code.into_string(), CODE)),
            Event::Text(text) | Event::InlineHtml(text) | Event::Html(text) => {
                spans.push((text.into_string(), style));
            }
            Event::SoftBreak | Event::HardBreak => spans.push((" ".to_owned(), style)),
            _ => {}
        }
    }
    if let Some((first, _)) = spans.first_mut() {
        *first = first.strip_prefix(BEFORE).or_else(|| first.strip_prefix('.')).unwrap_or(first).to_owned();
    }
    spans.push((" ".repeat(spaces), base));
    spans
}
