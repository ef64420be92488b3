//! Calls in a passage: what says that there is one, and the names of tools, with others put in their place.
//! Deliberately not here: where a passage begins and ends.

use std::ops::Range;

use anyhow::Result;
use regex::Regex;

/// A quote, which may be escaped.
const QUOTE: &str = r#"\\*["']"#;
const NAME: &str = "([A-Za-z_][A-Za-z0-9_.-]{0,63})";
/// White space, also as a text in code writes it.
const SPACE: &str = r"(?:[ \t\n]|\\n)*";
/// The keys of the arguments in JSON.
const ARGUMENTS: &str = "(?:arguments|parameters|args|input|kwargs)";

/// The places at which JSON, or the markup of a family of models, has the name of a tool. Each is a syntax.
const PLACES: [&str; 16] = [
    // `"name": "NAME", "arguments": {`, and in the other order.
    "QUOTE(?:name|tool_name|tool)QUOTE[ ]*:[ ]*QUOTENAMEQUOTESPACE,SPACEQUOTEARGUMENTSQUOTE[ ]*:[ ]*(?:QUOTE)?[{]",
    r"QUOTEARGUMENTSQUOTE[ ]*:[ ]*[{][^{}]*[}]SPACE,SPACEQUOTE(?:name|tool_name|tool)QUOTE[ ]*:[ ]*QUOTENAMEQUOTE",
    "<function=(?:QUOTE)?NAME(?:QUOTE)?>",
    "<(?:[^<> ]{1,24})?(?:invoke|function) name=QUOTENAMEQUOTE",
    r"<tool_call>SPACENAMESPACE(?:<arg_key>|</tool_call>)",
    r"\[TOOL_CALLS\]SPACENAME[\[{]",
    r"functions\.NAME(?::[0-9]|<)",
    r"\bto=(?:functions\.)?NAME[ <]",
    "call:NAME[{]",
    "<｜tool▁sep｜>NAME",
    "<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>",
    r"<\|tool_call:name\|>NAME",
    "call tool=QUOTENAMEQUOTE",
    r">>>NAMESPACE[{]",
    r"<\|(?:tool_call_start|python_tag|python_start)\|>SPACE\[?([A-Za-z_][A-Za-z0-9_-]*)[.(]",
    r"```tool_codeSPACE(?:print\()?(?:default_api\.)?NAME\(",
];

/// Markup as prose speaks of it, without a name. Its syntax is the number after those.
const MARKUP: &str = concat!(
    r"</?tool_calls?>|<function=|<function_calls>|<invoke|\[TOOL_CALLS\]|<\|tool_call|<｜tool▁|[｜|]DSML[｜|]|<\|python_tag\|>|to=functions|",
    "<arg_key>|<minimax:|<seed:tool|```tool_c"
);

/// Words at these places that are no names of tools, but of types and roles.
const NO_NAMES: [&str; 10] =
    ["function", "functions", "string", "object", "user", "assistant", "system", "tool", "name", "json"];

/// Patterns of all these places.
#[derive(Debug)]
pub(crate) struct Names {
    places: Vec<Regex>,
    /// The beginning of a schema.
    schema: Regex,
    markup: Regex,
}

impl Names {
    pub(crate) fn new() -> Result<Self> {
        let regex = |pattern: &str| {
            let parts = [("ARGUMENTS", ARGUMENTS), ("QUOTE", QUOTE), ("SPACE", SPACE), ("NAME", NAME)];
            let pattern =
                parts.iter().fold(pattern.to_owned(), |pattern, (of, part)| pattern.replace(of, part));
            Regex::new(&pattern.replace(r"\b", r"(?-u:\b)"))
        };
        let places = PLACES.iter().map(|place| regex(place)).collect::<Result<_, _>>()?;
        Ok(Self {
            places,
            schema: regex("^SPACEQUOTE(?:type|properties|[$]ref)QUOTE")?,
            markup: regex(MARKUP)?,
        })
    }

    /// The syntax of the first call in a text, and the names of tools in it, each once. None where it has no call and no markup of one.
    pub(crate) fn of<'a>(&self, text: &'a str) -> Option<(usize, Vec<&'a str>)> {
        let (mut names, mut syntax) = (Vec::new(), None);
        for (number, place) in self.places.iter().enumerate() {
            for found in place.captures_iter(text) {
                let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else { continue };
                // A tool that is declared has a schema for its parameters.
                if NO_NAMES.contains(&name.as_str()) || self.schema.is_match(&text[whole.end()..]) {
                    continue;
                }
                syntax.get_or_insert(number);
                if !names.contains(&name.as_str()) {
                    names.push(name.as_str());
                }
            }
        }
        syntax.or_else(|| self.markup.is_match(text).then_some(PLACES.len())).map(|syntax| (syntax, names))
    }
}

/// The text with one of our names for each of these, wherever it stands as a word. `first`: the one of ours for the first of them.
pub(crate) fn put(text: &str, names: &[&str], ours: &[&str], first: usize) -> String {
    let mut spans: Vec<(Range<usize>, &str)> = Vec::new();
    let mut longest: Vec<(usize, &str)> = names.iter().copied().enumerate().collect();
    longest.sort_by_key(|(_, name)| std::cmp::Reverse(name.len()));
    for (number, name) in longest {
        for (at, _) in text.match_indices(name) {
            let span = at..at + name.len();
            let is_free = spans.iter().all(|(other, _)| span.end <= other.start || other.end <= span.start);
            if is_free && is_word(text, &span) {
                spans.push((span, ours[(first + number) % ours.len()]));
            }
        }
    }
    spans.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    spans.into_iter().fold(text.to_owned(), |mut text, (span, our)| {
        text.replace_range(span, our);
        text
    })
}

/// True where no letter, digit or underscore stands before or after. The letter of an escape such as `\n` is none.
fn is_word(text: &str, span: &Range<usize>) -> bool {
    let of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut before = text[..span.start].chars().rev();
    let begins = !before.next().is_some_and(of_word) || before.next() == Some('\\');
    begins && !text[span.end..].starts_with(of_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_in_json_and_markup_are_found_and_those_of_declared_tools_are_not() {
        let names = Names::new().unwrap();
        for (syntax, text) in [
            (0, r#"{"name": "get_weather", "arguments": {"city": "Paris"}}"#),
            (0, r#"'{\"name\": \"get_weather\",\n \"arguments\": \"{}\"}'"#),
            (1, r#"{"input": {"city": "Paris"}, "name": "get_weather"}"#),
            (2, "<function=get_weather>"),
            (3, "<｜DSML｜invoke name=\"get_weather\">"),
            (4, r"<tool_call>\nget_weather\n<arg_key>city</arg_key>"),
            (5, "[TOOL_CALLS]get_weather[ARGS]{}"),
            (6, "functions.get_weather:0<|tool_call_argument_begin|>{}"),
            (7, "<|start|>assistant to=functions.get_weather <|channel|>"),
            (9, "<｜tool▁sep｜>get_weather"),
            (14, "<|python_tag|>get_weather.call(city=\"Paris\")"),
        ] {
            assert_eq!(names.of(text), Some((syntax, vec!["get_weather"])), "{text}");
        }
        assert_eq!(names.of("It writes `<tool_call>` first."), Some((PLACES.len(), Vec::new())));
        for text in [
            r#"{"name": "get_weather", "parameters": {"type": "object"}}"#,
            r#"{"name": "get_weather", "description": "The weather"}"#,
            r#"{"name": "function", "arguments": {}}"#,
        ] {
            assert_eq!(names.of(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_of_ours_stands_wherever_theirs_was_a_word() {
        let text = r"def test_add(): call add or add_all: '\nadd\n' padd";
        let ours = ["read_file", "list_files"];
        let wanted = r"def test_add(): call list_files or read_file: '\nlist_files\n' padd";
        assert_eq!(put(text, &["add", "add_all"], &ours, 1), wanted);
    }
}
