//! Titles of sessions: the first clause of the first message, or what a person typed, on one line.
//!
//! A title that was made has no mark of having been cut: it is a clause, or the words before the one that is too much. Deliberately not here: what of
//! it there is room for, which the window measures.

/// The longest title that is made from a message, in characters: what a sidebar can show on two lines.
const LONGEST: usize = 60;
/// The longest one that a person gives.
const LONGEST_GIVEN: usize = 200;
/// The shortest clause that says enough, in characters.
const SHORTEST: usize = 12;

/// Words that ask, and say nothing of what for.
const POLITE: [&str; 6] =
    ["please", "can you", "could you", "would you", "could you please", "can you please"];
/// Words after which something has to follow.
const LEADING: [&str; 30] = [
    "a", "an", "and", "are", "as", "at", "but", "by", "for", "from", "if", "in", "into", "is", "it", "its",
    "of", "on", "or", "so", "than", "that", "the", "their", "this", "to", "when", "which", "with", "without",
];

/// The first clause of a message.
pub(super) fn title_of(message: &str) -> String {
    let line = one_line(&first_paragraph(message));
    let sentence = first_sentence(impolite(&line));
    let clause = match sentence.chars().count() > LONGEST {
        true => first_clause(sentence),
        false => sentence,
    };
    capitalized(whole_words(clause).trim_end_matches(['.', ',', ';', ':', '!', ' ', '–', '—', '-']))
}

/// A title as a person typed it.
pub(super) fn given_title(text: &str) -> String {
    one_line(text).chars().take(LONGEST_GIVEN).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first lines that say something, up to an empty one; a heading stands for itself.
fn first_paragraph(message: &str) -> String {
    let mut lines = message.lines().skip_while(|line| unmarked(line).is_empty()).peekable();
    let is_heading = lines.peek().is_some_and(|line| line.trim_start().starts_with('#'));
    let lines = lines.map(unmarked).take_while(|line| !line.is_empty());
    lines.take(if is_heading { 1 } else { usize::MAX }).collect::<Vec<_>>().join(" ")
}

/// A line without what Markdown puts before it. Empty for one that is a fence alone.
fn unmarked(line: &str) -> &str {
    let line = line.trim();
    if line.starts_with("```") || line.starts_with("~~~") {
        ""
    } else {
        line.trim_start_matches(['#', '>', '*', ' '])
    }
}

fn impolite(line: &str) -> &str {
    let begins = |words: &&&str| {
        line.get(..words.len()).is_some_and(|start| start.eq_ignore_ascii_case(words))
            && line[words.len()..].starts_with([' ', ','])
    };
    let longest = POLITE.iter().filter(begins).max_by_key(|words| words.len());
    let rest = longest.map_or(line, |words| line[words.len()..].trim_start_matches([',', ' ']));
    if rest.is_empty() { line } else { rest }
}

/// Up to a mark that ends a sentence, with a question mark, for that says what kind of sentence it was.
fn first_sentence(text: &str) -> &str {
    let ends = text.char_indices().find(|&(at, c)| {
        let rest = &text[at + c.len_utf8()..];
        let next = rest.trim_start().chars().next();
        match c {
            '?' | '!' => rest.starts_with(' '),
            // A point also ends an abbreviation and stands in names: a sentence follows with a large letter.
            '.' => rest.starts_with(' ') && next.is_some_and(char::is_uppercase) && at >= SHORTEST,
            _ => false,
        }
    });
    ends.map_or(text, |(at, c)| &text[..at + c.len_utf8()])
}

/// Up to the last mark between clauses that leaves a title of a good length.
fn first_clause(sentence: &str) -> &str {
    let mut marks = sentence.char_indices().filter(|&(at, c)| {
        let before = sentence[..at].chars().count();
        let between = matches!(c, ',' | ';' | ':') && sentence[at + c.len_utf8()..].starts_with(' ');
        (between || matches!(c, '–' | '—' | '(')) && (SHORTEST..=LONGEST).contains(&before)
    });
    marks.next_back().map_or(sentence, |(at, _)| &sentence[..at])
}

/// As many words as a title has room for, the last of which needs no other one behind it.
fn whole_words(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let mut words: Vec<&str> = Vec::new();
    let mut length = 0;
    for word in text.split(' ') {
        length += word.chars().count() + usize::from(!words.is_empty());
        if length > LONGEST {
            break;
        }
        words.push(word);
    }
    while words.len() > 2 && words.last().is_some_and(|last| LEADING.contains(&last.to_lowercase().as_str()))
    {
        words.pop();
    }
    match words.is_empty() {
        true => text.chars().take(LONGEST).collect(),
        false => words.join(" "),
    }
}

/// A first letter of a word is large; what begins a path or a name in code stays as it is.
fn capitalized(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let mut letters = text.chars();
    match letters.next() {
        Some(letter) if first.chars().all(char::is_alphabetic) => {
            letter.to_uppercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_sentence_on_one_line() {
        let titles = [
            "What is in\n  this folder?",
            "What is in this folder? And why?",
            "# Release notes\n\nWrite them.",
            "```\nlet a = 1;\n```",
            "Please, list all open questions.",
            "could you fix src/main.rs",
            "src/main.rs does not build",
            "Read it, e.g. the head. Then say what it does.",
            "  ",
        ]
        .map(title_of);
        assert_eq!(
            titles,
            [
                "What is in this folder?",
                "What is in this folder?",
                "Release notes",
                "Let a = 1",
                "List all open questions",
                "Fix src/main.rs",
                "src/main.rs does not build",
                "Read it, e.g. the head",
                "",
            ]
        );
    }

    #[test]
    fn a_long_sentence_ends_at_a_clause_or_before_a_word_that_leads_on_and_has_no_mark() {
        let titles = [
            "Find out why the tests of the winter simulation fail on Windows, and write down what has to change for that",
            "one two three four five six seven eight nine ten eleven twelve thirteen",
            "Explain how the loader merges the files of all projects with the environment of its process",
            &"a".repeat(100),
        ]
        .map(title_of);
        assert_eq!(
            titles,
            [
                "Find out why the tests of the winter simulation fail",
                "One two three four five six seven eight nine ten eleven",
                "Explain how the loader merges the files of all projects",
                &format!("{}{}", "A", "a".repeat(59)),
            ]
        );
    }

    #[test]
    fn what_a_person_typed_stays_as_it_is() {
        assert_eq!(given_title(" please,  the den.\n"), "please, the den.");
        assert_eq!(given_title(&"a".repeat(300)).len(), LONGEST_GIVEN);
    }
}
