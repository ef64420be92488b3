//! How a model speaks around a file, in English and where that is enough: beginnings of answers, and words for a file.

/// A file is announced within this many lines; blank ones do not count.
pub(super) const MAX_PREAMBLE: usize = 6;
/// The most lines after a fence that may still be addressed to the reader.
pub(super) const MAX_POSTAMBLE: usize = 10;
/// The longest line of talk, in bytes.
pub(super) const MAX_TALK: usize = 400;

/// How an answer begins.
const TALK: [&str; 24] = [
    "sure",
    "certainly",
    "of course",
    "absolutely",
    "okay",
    "ok",
    "great",
    "understood",
    "alright",
    "here is",
    "here's",
    "here’s",
    "here are",
    "below is",
    "below are",
    "i will",
    "i'll",
    "i’ll",
    "i have",
    "i've",
    "i’ve",
    "let me",
    "this is",
    "continuing",
];
/// What an announcement speaks of.
const FILES: [&str; 16] = [
    "file",
    "files",
    "content",
    "contents",
    "code",
    "version",
    "implementation",
    "script",
    "document",
    "module",
    "component",
    "configuration",
    "config",
    "page",
    "rest",
    "continuation",
];
/// How text that is addressed to the reader begins, after a fence.
const REMARK: [&str; 14] = [
    "let me know",
    "i have",
    "i've",
    "i’ve",
    "i made",
    "i added",
    "i changed",
    "i hope",
    "hope this",
    "feel free",
    "would you like",
    "is there anything",
    "if you need",
    "if you'd like",
];
/// How an answer ends, where there is no fence to tell it from the file.
const FAREWELL: [&str; 5] = [
    "let me know if you",
    "i hope this helps",
    "hope this helps",
    "is there anything else",
    "would you like me to",
];

pub(in crate::write) fn is_talk(line: &str) -> bool {
    line.len() <= MAX_TALK && begins_with(line, &TALK)
}

/// Whether talk speaks of a file that is to follow.
pub(super) fn is_announcement(line: &str) -> bool {
    let line = line.trim().trim_end_matches('*');
    let mut words =
        line.split(|c: char| !c.is_alphanumeric() && c != '.').map(|word| word.trim_end_matches('.'));
    let speaks_of_one = |word: &str| word.contains('.') || FILES.contains(&word.to_lowercase().as_str());
    line.ends_with(':') && (line.contains('`') || words.any(speaks_of_one))
}

/// Whether the line begins with one of these, and not with a longer word.
pub(super) fn begins_with(line: &str, beginnings: &[&str]) -> bool {
    let line = line.trim_start_matches(['*', '>', ' ']);
    beginnings.iter().any(|beginning| {
        line.get(..beginning.len()).is_some_and(|start| start.eq_ignore_ascii_case(beginning))
            && !line[beginning.len()..].starts_with(char::is_alphanumeric)
    })
}

/// True if lines after a fence speak to the reader.
pub(super) fn is_remark(said: &str) -> bool {
    begins_with(said, &REMARK)
}

/// True for a line that ends an answer, where there is no fence to tell it from the file.
pub(super) fn is_farewell(line: &str) -> bool {
    line.len() <= MAX_TALK && begins_with(line, &FAREWELL)
}
