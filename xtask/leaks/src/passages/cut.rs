//! Passages of a file: paragraphs of a document, texts and comments in code, and parts of tests, each as it stands there.
//!
//! A passage begins and ends in no fence, and in a test in no text: the part of a quotation would be none. The texts of other code are documents by
//! themselves, so their paragraphs are passages. Deliberately not here: which passages are about calls.

use std::ops::Range;

/// The most lines and bytes of a passage, and the most bytes of a line in it.
const LINES: usize = 40;
const BYTES: usize = 5_000;
const LINE: usize = 500;
/// The fewest lines.
const FEWEST: usize = 3;

/// The kind of a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Of a document.
    Document,
    /// Of a text or a comment in code.
    Docstring,
    /// Of the code of a test.
    Test,
}

/// A file as its lines, with the stretches of it that are cut into passages.
#[derive(Debug)]
pub(crate) struct Cut<'a> {
    pub(crate) kind: Kind,
    lines: Vec<&'a str>,
    /// Whole paragraphs, fences and texts, those of a stretch together.
    stretches: Vec<Vec<Range<usize>>>,
}

impl<'a> Cut<'a> {
    /// The stretches of a file. None where it is neither a document nor Python.
    pub(crate) fn of(path: &str, text: &'a str) -> Option<Self> {
        let lines: Vec<&str> = text.lines().collect();
        let (kind, stretches) = match path.rsplit_once('.')?.1 {
            "md" | "mdx" | "rst" => (Kind::Document, vec![paragraphs(&lines, &fences(&lines))]),
            "py" if is_test(path) => (Kind::Test, vec![paragraphs(&lines, &texts(&lines).0)]),
            "py" => {
                let (texts, comments) = texts(&lines);
                let comments = runs(&comments).into_iter().map(|run| vec![run]);
                let paragraphs = |text: Range<usize>| {
                    let lines = &lines[text.clone()];
                    let found = paragraphs(lines, &fences(lines)).into_iter();
                    found.map(|range| range.start + text.start..range.end + text.start).collect()
                };
                (Kind::Docstring, comments.chain(texts.into_iter().map(paragraphs)).collect())
            }
            _ => return None,
        };
        Some(Self { kind, lines, stretches })
    }

    /// The passages that are about something: each paragraph that is, with the one before it and the one after it where there is room.
    pub(crate) fn passages(&self, is_about: impl Fn(&str) -> bool) -> Vec<String> {
        let mut found = Vec::new();
        for stretch in &self.stretches {
            // The first paragraph that is in no passage yet, and the one that is looked at.
            let (mut free, mut next) = (0, 0);
            while next < stretch.len() {
                let at = next;
                next += 1;
                if !is_about(&self.text(&stretch[at])) {
                    continue;
                }
                let mut whole = stretch[at].clone();
                let before = (at > free).then(|| stretch[at - 1].start..whole.end);
                if let Some(more) = before.filter(|more| self.has_room(more)) {
                    whole = more;
                }
                let after = stretch.get(at + 1).map(|after| whole.start..after.end);
                if let Some(more) = after.filter(|more| self.has_room(more)) {
                    (whole, next) = (more, at + 2);
                }
                free = next;
                if whole.len() >= FEWEST && self.has_room(&whole) {
                    found.push(self.text(&whole));
                }
            }
        }
        found
    }

    fn text(&self, range: &Range<usize>) -> String {
        self.lines[range.clone()].join("\n")
    }

    fn has_room(&self, range: &Range<usize>) -> bool {
        let lines = &self.lines[range.clone()];
        lines.len() <= LINES
            && lines.iter().all(|line| line.len() <= LINE)
            && lines.iter().map(|line| line.len() + 1).sum::<usize>() <= BYTES
    }
}

/// True for a file in a folder of tests, or one that is named as such.
fn is_test(path: &str) -> bool {
    path.split(['/', '\\']).any(|part| {
        let part = part.strip_suffix(".py").unwrap_or(part);
        ["test", "tests", "conftest"].contains(&part)
            || part.starts_with("test_")
            || part.starts_with("tests_")
            || part.ends_with("_test")
    })
}

/// The runs of lines between empty ones. These ranges stay whole.
fn paragraphs(lines: &[&str], whole: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut at, mut goes_on) = (0, false);
    let mut whole = whole.iter().peekable();
    while at < lines.len() {
        let range = whole.next_if(|range| range.start == at).cloned();
        let is_empty = range.is_none() && lines[at].trim().is_empty();
        let end = range.map_or(at + 1, |range| range.end);
        match found.last_mut() {
            Some(last) if goes_on && !is_empty => last.end = end,
            _ if !is_empty => found.push(at..end),
            _ => {}
        }
        (at, goes_on) = (end, !is_empty);
    }
    found
}

/// The fences of a document, with the lines that open and close them.
fn fences(lines: &[&str]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    for (at, line) in lines.iter().enumerate() {
        let line = line.trim_start_matches([' ', '\t', '>', '*', '-']);
        let marks = ['`', '~'].map(|mark| &line[..line.len() - line.trim_start_matches(mark).len()]);
        let Some(mark) = marks.into_iter().find(|mark| mark.len() >= 3) else { continue };
        match open {
            None => open = Some((at, mark)),
            Some((begin, opened)) if mark.starts_with(opened) && line.trim_end() == mark => {
                found.push(begin..at + 1);
                open = None;
            }
            Some(_) => {}
        }
    }
    found
}

/// The lines of the texts in triple quotes of Python, and those that are comments.
fn texts(lines: &[&str]) -> (Vec<Range<usize>>, Vec<usize>) {
    let (mut found, mut comments): (Vec<Range<usize>>, Vec<usize>) = (Vec::new(), Vec::new());
    // The text in triple quotes that is open: where it began, and its quotes.
    let mut open: Option<(usize, &str)> = None;
    for (at, line) in lines.iter().enumerate() {
        if open.is_none() && line.trim_start().starts_with('#') {
            comments.push(at);
            continue;
        }
        // The quote of a text that ends in this line.
        let mut quote: Option<char> = None;
        let mut rest = *line;
        while let Some(first) = rest.chars().next() {
            let mut skip = first.len_utf8();
            match (open, quote) {
                _ if first == '\\' => skip += rest[1..].chars().next().map_or(0, char::len_utf8),
                (Some((begin, quotes)), _) if rest.starts_with(quotes) => {
                    (skip, open) = (3, None);
                    if begin < at {
                        match found.last_mut() {
                            Some(last) if last.end > begin => last.end = at + 1,
                            _ => found.push(begin..at + 1),
                        }
                    }
                }
                (Some(_), _) => {}
                (None, Some(of)) if first == of => quote = None,
                (None, Some(_)) => {}
                (None, None) if rest.starts_with("\"\"\"") || rest.starts_with("'''") => {
                    (skip, open) = (3, Some((at, &rest[..3])));
                }
                (None, None) if first == '"' || first == '\'' => quote = Some(first),
                (None, None) if first == '#' => break,
                (None, None) => {}
            }
            rest = &rest[skip..];
        }
    }
    (found, comments)
}

/// The runs of lines that follow one another.
fn runs(lines: &[usize]) -> Vec<Range<usize>> {
    lines
        .chunk_by(|one, next| one + 1 == *next)
        .filter_map(|run| Some(*run.first()?..run.last()? + 1))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passages(path: &str, text: &str) -> Vec<String> {
        Cut::of(path, text).map_or(Vec::new(), |cut| cut.passages(|text| text.contains("call")))
    }

    #[test]
    fn a_fence_stays_whole_and_comes_with_the_paragraphs_around_it() {
        let text = "Far.\n\nSo it looks:\n\n```json\n\ncall\n\n```\n\nAfter it.\n\nFar.";
        assert_eq!(passages("a.md", text), ["So it looks:\n\n```json\n\ncall\n\n```\n\nAfter it."]);
    }

    #[test]
    fn a_paragraph_is_in_one_passage_alone() {
        let wanted = ["a\n\ncall\n\nb", "call\n\nc\nc", "d\n\ncall\n\ncall"];
        assert_eq!(passages("a.rst", &wanted.join("\n\n")), wanted);
    }

    #[test]
    fn a_text_in_a_test_stays_whole() {
        let text = "import a\n\ndef test():\n    b = '\"\"\"'  # \"\"\"\n    a = \"\"\"x\n\ncall\n\n\"\"\"\n    b()\n\nend()";
        assert_eq!(passages("tests/a.py", text), [text]);
    }

    #[test]
    fn code_has_the_paragraphs_of_its_texts_and_its_comments_alone() {
        let text = "# A\n# call\n# B\ncall()\ndef a():\n    r'''Far.\n\n    A\n\n    call\n    '''\n    call()\n\n    # call\n";
        assert_eq!(passages("a.py", text), ["# A\n# call\n# B", "    A\n\n    call\n    '''"]);
        assert_eq!(passages("a.rs", text), Vec::<String>::new());
    }

    #[test]
    fn what_is_too_long_stays_out() {
        let long = "line\n".repeat(LINES);
        assert_eq!(passages("a.md", &format!("{long}\ncall\n\n\nb\n\n{long}")), ["call\n\n\nb"]);
        assert_eq!(passages("a.md", &format!("call\n{long}")), Vec::<String>::new());
    }
}
