//! Tells sentences from code, in any language, by their signs and not by their words.

/// Kinds of files, by the last part of their names, that hold sentences or markup of their own.
const PROSE: [&str; 42] = [
    "md", "markdown", "mdx", "mkd", "qmd", "rmd", "rst", "txt", "text", "adoc", "asciidoc", "org", "tex",
    "textile", "wiki", "html", "htm", "xhtml", "xml", "svg", "pod", "man", "roff", "csv", "tsv", "eml",
    "log", "po", "pot", "srt", "vtt", "j2", "jinja", "tmpl", "tpl", "hbs", "ipynb", "snap", "expected",
    "out", "stderr", "feature",
];
/// Signs of code that a sentence does not have.
const CODE: &[char] = &['=', ';', '{', '}', '[', ']', '<', '>', '|', '\\', '$', '@', '^', '~', '%'];
/// The fewest words of a sentence in a script that sets them apart.
const WORDS: usize = 3;
/// The fewest letters of a sentence in a script that does not.
const LETTERS: usize = 4;

/// True if a file of this name may hold prose of its own: kinds of text for people, and names without a kind, such as `README`.
pub(super) fn may_be_in(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((_, kind)) => PROSE.iter().any(|prose| kind.eq_ignore_ascii_case(prose)),
        None => true,
    }
}

/// True if a line reads like a sentence, and not like code. What is in backticks does not count.
pub(super) fn is_sentence(line: &str) -> bool {
    let line = line.trim().trim_matches('*');
    if !line.starts_with(|c: char| c.is_alphabetic()) {
        return false;
    }
    let said: String = line.split('`').step_by(2).collect();
    let foreign = said.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).count();
    let words = said.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    !said.contains(CODE) && (words >= WORDS || foreign >= LETTERS)
}

/// True if it ends as what announces something ends.
pub(super) fn announces(line: &str) -> bool {
    line.trim().trim_end_matches('*').ends_with([':', '：'])
}
