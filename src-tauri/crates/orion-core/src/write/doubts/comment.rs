//! Lines that say something about a file instead of being part of what it does: comments, and words in brackets.

/// Signs that begin a comment, in some language. One that is also used otherwise counts with a space after it.
const MARKS: [&str; 41] = [
    "[//]: # ", "<!--", "<%--", "<%#", "{{!--", "{{--", "{{!", "{#", "{*", "{-", "(*", "(:", "@*", "<#--",
    "<#", "/*", "/+", "//", "--[[", "--", "#=", "#|", "#", "%", "⍝", ";", "::", "*>", ".\\\"", "'' ", "' ",
    "\"\" ", "\" ", "! ", "\\ ", ".. ", "REM ", "rem ", "dnl ", "NB. ", "C ",
];
/// Words that a `#` begins which is no comment.
const DIRECTIVES: [&str; 17] = [
    "include",
    "define",
    "undef",
    "if",
    "ifdef",
    "ifndef",
    "elif",
    "else",
    "endif",
    "pragma",
    "error",
    "warning",
    "line",
    "import",
    "region",
    "endregion",
    "nullable",
];
const BRACKETS: [(char, char); 8] =
    [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>'), ('（', '）'), ('【', '】'), ('［', '］'), ('「', '」')];
const ELLIPSES: [&str; 6] = ["...", "…", "⋯", "⋮", "。。。", ". . ."];
/// The longest line that stands for others, in bytes.
const LONGEST: usize = 200;
/// The most characters of words alone that stand for others.
const LONGEST_WORDS: usize = 80;

/// A line that could stand for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remark {
    /// Words between two ellipses: little else is written like this.
    BetweenEllipses,
    /// It has an ellipsis at one of its ends.
    Ellipsis,
    /// A comment, or words in brackets.
    Words,
}

/// The kind of remark that a line is; none for code.
pub(super) fn remark(line: &str) -> Option<Remark> {
    let line = line.trim();
    if line.len() > LONGEST || line.is_empty() {
        return None;
    }
    let commented = comment(line);
    let bracketed = || bracketed(line).filter(|inner| is_words(inner));
    let inner = commented.or_else(bracketed).unwrap_or(line);
    let bare = trimmed(inner);
    let (begins, ends) = (begins_with_ellipsis(bare), ends_with_ellipsis(bare));
    let has_words = bare.chars().any(char::is_alphabetic);
    let is_remark = inner.len() < line.len();
    match (begins, ends) {
        (true, true) if has_words && (is_remark || bare.contains(' ')) => Some(Remark::BetweenEllipses),
        (true, true) => Some(Remark::Ellipsis),
        // `...props` spreads, and `"Loading..."` is a text.
        (true, false) if is_remark || !spreads(line) => Some(Remark::Ellipsis),
        (false, true) if is_remark || super::prose::is_sentence(line) => Some(Remark::Ellipsis),
        _ if is_remark && has_words && !is_documentation(line) && bare.chars().count() <= LONGEST_WORDS => {
            Some(Remark::Words)
        }
        _ => None,
    }
}

/// True for a comment, and for the end of one.
pub(super) fn is_comment(line: &str) -> bool {
    let line = line.trim();
    comment(line).is_some() || ["*/", "-->", "*", "\"\"\"", "'''", "*)", "-}", "=#", "|#"].contains(&line)
}

/// The words of a comment.
fn comment(line: &str) -> Option<&str> {
    let mark = MARKS.iter().find(|mark| line.starts_with(**mark))?;
    let inner = &line[mark.len()..];
    let first = inner.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    match *mark {
        "#" if DIRECTIVES.contains(&first) || inner.starts_with(['[', '!']) => None,
        // Closed, it is a text; but one with spaces at both ends is a comment of Smalltalk.
        "' " | "\" " if inner.contains(&mark[..1]) && !inner.ends_with(" \"") => None,
        "%" if inner.starts_with(|c: char| c.is_ascii_alphabetic()) => None,
        _ => Some(inner),
    }
}

fn bracketed(line: &str) -> Option<&str> {
    BRACKETS.iter().find_map(|(open, close)| line.strip_prefix(*open)?.strip_suffix(*close))
}

/// True for words that are no code: `[dependencies]` and `(a, b)` are in brackets too.
fn is_words(text: &str) -> bool {
    let words = text.split_whitespace().filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1);
    let foreign = text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).count();
    let has_ellipsis = begins_with_ellipsis(trimmed(text)) || ends_with_ellipsis(trimmed(text));
    !text.contains(['=', ';', '{', '}', '"', '\'', '\\', '$', '@', '|', '&'])
        && (words.count() > 1 || foreign > 1 || has_ellipsis)
}

/// A comment's text without the signs around it.
fn trimmed(text: &str) -> &str {
    let is_sign = |c: char| c.is_whitespace() || "#/*-;%!<>{}()[]=~|\\@'\":&+`_（）【】「」⍝".contains(c);
    text.trim_matches(is_sign)
}

fn begins_with_ellipsis(text: &str) -> bool {
    ELLIPSES.iter().any(|ellipsis| text.starts_with(ellipsis))
}

fn ends_with_ellipsis(text: &str) -> bool {
    ELLIPSES.iter().any(|ellipsis| text.ends_with(ellipsis))
}

/// True if code follows the ellipsis at once: `...props`, `.../** a type */ (list)`.
fn spreads(line: &str) -> bool {
    let rest = line.trim_start_matches('.');
    line.starts_with("...") && !rest.starts_with([' ', '[', '(', '<']) && !rest.is_empty()
}

/// True for a comment to a tool or for a manual, about the code that follows: `/// Returns`, `//#region`.
fn is_documentation(line: &str) -> bool {
    ["///", "//!", "/**", "//#", "#'", "##!"].iter().any(|mark| line.starts_with(mark))
}
