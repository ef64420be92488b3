//! Turns TOML text into a typed layer, and leaves out each key that is wrong, with a message that says where it is.
//!
//! A message is made from the schema and the position, never from the value, which may be a key pasted into the wrong
//! line. A mistake below `[tools.NAME]` denies that tool, so that a typo never loosens a permission.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use orion_core::permission::{RUN_COMMAND, words_of_rule};
use orion_protocol::{Code, ErrorInfo};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Segment, Track};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::definition::{UserConfig, schema_of};
use super::value::CallPattern;

/// Mistakes that are reported one by one; a file with more is ignored as a whole. Bounds the work on a hostile file.
const MAX_MISTAKES: usize = 20;

/// Rules of a file for all tools together, and bytes of their patterns, 32 KiB: each becomes a program, and the file may be a stranger's. Source of the
/// number: what the window saves for one tool.
const MAX_RULES: usize = 200;
const MAX_PATTERNS: usize = 32 << 10;

/// A key by the tables it is in. What is in a list is named by its place: [`nth`].
type KeyPath = Vec<String>;

enum Mistake {
    Unknown(KeyPath),
    WrongValue(KeyPath),
    /// A rule for commands that is no words (C1).
    NoWords(KeyPath),
}

/// A settings file that is valid TOML.
pub(super) struct Document<'a> {
    file: &'a Path,
    text: &'a str,
    table: Spanned<DeTable<'a>>,
    /// Where everything was before the mistakes were removed.
    original: Spanned<DeTable<'a>>,
}

impl<'a> Document<'a> {
    pub(super) fn parse(file: &'a Path, text: &'a str) -> Result<Self, ErrorInfo> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match DeTable::parse(text) {
            Ok(table) => Ok(Self { file, text, original: table.clone(), table }),
            Err(error) => {
                let place = place(file, text, error.span());
                let message =
                    format!("{place}: this is not valid TOML, so the file is ignored: {}.", error.message());
                Err(ErrorInfo::new(
                    Code::ConfigInvalid,
                    message,
                    "Correct that line: text needs quotes, for example.",
                ))
            }
        }
    }

    /// The layer without its mistakes, and the mistakes. `users_file` is given for a project's file: it is where settings
    /// belong that a project may not have.
    pub(super) fn read<T: DeserializeOwned + JsonSchema + Default>(
        &mut self,
        users_file: Option<&Path>,
    ) -> (T, Vec<ErrorInfo>) {
        let mut problems = Vec::new();
        for path in self.too_many_rules() {
            let what = format!(
                "has too many rules: a file has {MAX_RULES} at most, with {MAX_PATTERNS} bytes of patterns, and this tool is denied"
            );
            problems.push(self.problem(&path, &what, "Remove rules, or make one of several."));
            self.take_out(&path);
        }
        loop {
            let mistakes = match self.attempt::<T>() {
                Ok((layer, mistakes)) if mistakes.is_empty() => return (layer, problems),
                Ok((_, mistakes)) => mistakes,
                Err(mistake) => vec![mistake],
            };
            for mistake in mistakes {
                if problems.len() == MAX_MISTAKES {
                    problems.push(ErrorInfo::new(
                        Code::ConfigInvalid,
                        format!(
                            "{} has more than {MAX_MISTAKES} mistakes and is ignored.",
                            self.file.display()
                        ),
                        "Correct the first of them, then start again.",
                    ));
                    return (T::default(), problems);
                }
                problems.push(self.report::<T>(&mistake, users_file));
                let (Mistake::Unknown(path) | Mistake::WrongValue(path) | Mistake::NoWords(path)) = mistake;
                self.take_out(without_required(schema_of::<T>().as_value(), &path));
            }
        }
    }

    /// A problem with the key at `path`, such as `FILE:3:1: limits.max_cycles …`.
    pub(super) fn problem(&self, path: &[String], what: &str, action: &str) -> ErrorInfo {
        ErrorInfo::new(Code::ConfigInvalid, format!("{} {what}.", self.at(path)), action)
    }

    /// The key at `path` with its place, such as ``FILE:3:1: `limits.max_cycles` ``.
    pub(super) fn at(&self, path: &[String]) -> String {
        let place = place(self.file, self.text, self.span(path));
        format!("{place}: `{}`", path.join(".").replace(".[", "["))
    }

    fn attempt<T: DeserializeOwned>(&self) -> Result<(T, Vec<Mistake>), Mistake> {
        let mut unknown = Vec::new();
        let mut track = Track::new();
        let toml = toml::Deserializer::from(self.table.clone());
        let tracked = serde_path_to_error::Deserializer::new(toml, &mut track);
        match serde_ignored::deserialize(tracked, |path| unknown.push(Mistake::Unknown(keys_of(&path)))) {
            Ok(layer) => {
                unknown.extend(self.no_words());
                Ok((layer, unknown))
            }
            Err(_) => {
                let path = track.path();
                let keys = path.iter().filter_map(|segment| match segment {
                    Segment::Map { key } => Some(key.clone()),
                    Segment::Seq { index } => Some(nth(*index)),
                    _ => None,
                });
                Err(Mistake::WrongValue(keys.collect()))
            }
        }
    }

    /// The rules of tools that are beyond what a file may have.
    fn too_many_rules(&self) -> Vec<KeyPath> {
        let tools = self.table.get_ref().get("tools").and_then(|tools| tools.get_ref().as_table());
        let (mut rules, mut bytes) = (0, 0);
        let mut beyond = Vec::new();
        for (name, tool) in tools.into_iter().flatten() {
            let Some(list) =
                tool.get_ref().as_table().and_then(|tool| tool.get("rules")?.get_ref().as_array())
            else {
                continue;
            };
            rules += list.len();
            let pattern = |rule: &Spanned<DeValue<'_>>| {
                Some(rule.get_ref().as_table()?.get("match")?.get_ref().as_str()?.len())
            };
            bytes += list.iter().filter_map(pattern).sum::<usize>();
            if rules > MAX_RULES || bytes > MAX_PATTERNS {
                beyond.push(["tools", name.get_ref(), "rules"].map(str::to_owned).to_vec());
            }
        }
        beyond
    }

    /// C1: the rules for commands that are no words.
    fn no_words(&self) -> Vec<Mistake> {
        let rules = ["tools", RUN_COMMAND, "rules"].map(str::to_owned);
        let Some((_, rules_there)) = value_at(self.table.get_ref(), &rules) else { return Vec::new() };
        let texts = rules_there.as_array().into_iter().flatten().enumerate().filter_map(|(index, rule)| {
            Some((index, rule.get_ref().as_table()?.get("match")?.get_ref().as_str()?))
        });
        let wrong = texts.filter(|(_, text)| words_of_rule(text).is_none());
        let path = |index| rules.iter().cloned().chain([nth(index), "match".to_owned()]).collect();
        wrong.map(|(index, _)| Mistake::NoWords(path(index))).collect()
    }

    fn report<T: JsonSchema>(&self, mistake: &Mistake, users_file: Option<&Path>) -> ErrorInfo {
        let schema = schema_of::<T>();
        match mistake {
            Mistake::WrongValue(path) => {
                let expected = self.expected(schema.as_value(), path);
                self.problem(path, &format!("must be {expected}"), "Correct the value, or remove the line.")
            }
            Mistake::NoWords(path) => {
                let expected = CallPattern::EXPECTED_WORDS;
                let action = "Correct the value, or use `permission` for every command.";
                self.problem(path, &format!("must be {expected}"), action)
            }
            Mistake::Unknown(path) => {
                let name = path.last().map_or("", String::as_str);
                if names_a_secret(name) {
                    let action = "Set key_variable to the name of an environment variable that holds the key, or save the key in \
                                  the window, which puts it into the system's keychain.";
                    return self.problem(path, "is refused: a key never belongs in a settings file", action);
                }
                if let Some(users_file) =
                    users_file.filter(|_| schema_at(schema_of::<UserConfig>().as_value(), path).is_some())
                {
                    let action = format!("Remove it here; you can set it in {}.", users_file.display());
                    return self.problem(path, "is refused: a project's file cannot set this", &action);
                }
                let known = path.split_last().and_then(|(_, parent)| schema_at(schema.as_value(), parent));
                let action = match known.and_then(|table| nearest(name, table)) {
                    Some(near) => format!("Did you mean `{near}`?"),
                    None => "Remove it, or see docs/configuration.md for the keys there are.".to_owned(),
                };
                self.problem(path, "is not a setting", &action)
            }
        }
    }

    /// What completes "must be …" for the key at `path`.
    fn expected(&self, schema: &Value, path: &[String]) -> String {
        let Some(schema) = schema_at(schema, path) else { return "of another kind".to_owned() };
        if let Some(title) =
            schema.get("title").and_then(Value::as_str).filter(|_| schema.get("properties").is_none())
        {
            return title.to_owned();
        }
        let choices = choices(schema);
        if !choices.is_empty() {
            return choices.join(" or ");
        }
        match schema.get("type").and_then(Value::as_str) {
            Some("boolean") => "true or false".to_owned(),
            Some("object") => {
                let table = value_at(self.original.get_ref(), path).and_then(|(_, value)| value.as_table());
                let required = schema
                    .get("required")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str);
                let missing: Vec<_> =
                    required.filter(|key| table.is_some_and(|table| !table.contains_key(*key))).collect();
                match missing.as_slice() {
                    [] => "a table".to_owned(),
                    missing => format!("a table that has `{}`", missing.join("` and `")),
                }
            }
            _ => "text in quotes".to_owned(),
        }
    }

    fn span(&self, path: &[String]) -> Option<Range<usize>> {
        value_at(self.original.get_ref(), path).map(|(span, _)| span)
    }

    fn take_out(&mut self, path: &[String]) {
        if let [tools, name, ..] = path
            && tools == "tools"
            && let Some(DeValue::Table(tools)) = self.table.get_mut().get_mut("tools").map(Spanned::get_mut)
            && let Some(tool) = tools.get_mut(name.as_str())
        {
            let denied = DeTable::parse("permission = 'deny'").map(Spanned::into_inner).unwrap_or_default();
            *tool.get_mut() = DeValue::Table(denied);
            return;
        }
        // A list goes as a whole.
        let path = path.split(|key| index_of(key).is_some()).next().unwrap_or_default();
        let Some((last, parents)) = path.split_last() else {
            self.table.get_mut().clear();
            return;
        };
        let mut table = self.table.get_mut();
        for key in parents {
            match table.get_mut(key.as_str()).map(Spanned::get_mut) {
                Some(DeValue::Table(inner)) => table = inner,
                _ => return,
            }
        }
        table.remove(last.as_str());
    }
}

/// The place in a list, from 1, as a [`KeyPath`] has it.
pub(super) fn nth(index: usize) -> String {
    format!("[{}]", index + 1)
}

fn index_of(key: &str) -> Option<usize> {
    key.strip_prefix('[')?.strip_suffix(']')?.parse::<usize>().ok()?.checked_sub(1)
}

/// The span of the key at `path`, or of the text in a list, and its value.
fn value_at<'t, 'a>(mut table: &'t DeTable<'a>, path: &[String]) -> Option<(Range<usize>, &'t DeValue<'a>)> {
    let (last, parents) = path.split_last()?;
    if let Some(index) = index_of(last) {
        let value = value_at(table, parents)?.1.as_array()?.get(index)?;
        return Some((value.span(), value.get_ref()));
    }
    let mut parents = parents.iter().peekable();
    while let Some(key) = parents.next() {
        let mut value = table.get(key.as_str())?.get_ref();
        while let Some(index) = parents.peek().and_then(|key| index_of(key)) {
            parents.next();
            value = value.as_array()?.get(index)?.get_ref();
        }
        table = value.as_table()?;
    }
    let (key, value) = table.get_key_value(last.as_str())?;
    Some((key.span(), value.get_ref()))
}

fn keys_of(path: &serde_ignored::Path<'_>) -> KeyPath {
    match path {
        serde_ignored::Path::Root => Vec::new(),
        serde_ignored::Path::Map { parent, key } => {
            let mut keys = keys_of(parent);
            keys.push(key.clone());
            keys
        }
        serde_ignored::Path::Seq { parent, index } => {
            let mut keys = keys_of(parent);
            keys.push(nth(*index));
            keys
        }
        serde_ignored::Path::Some { parent }
        | serde_ignored::Path::NewtypeStruct { parent }
        | serde_ignored::Path::NewtypeVariant { parent } => keys_of(parent),
    }
}

/// `FILE:LINE:COLUMN`, both from 1, the column in characters.
fn place(file: &Path, text: &str, span: Option<Range<usize>>) -> String {
    let Some(before) = span.and_then(|span| text.get(..span.start)) else {
        return file.display().to_string();
    };
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() + 1;
    let column = before[line_start..].chars().count() + 1;
    format!("{}:{line}:{column}", file.display())
}

/// The schema of the key at `path`.
fn schema_at<'s>(schema: &'s Value, path: &[String]) -> Option<&'s Value> {
    path.iter().try_fold(schema, |table, key| {
        if let Some(items) = table.get("items").filter(|_| index_of(key).is_some()) {
            return Some(items);
        }
        table
            .get("properties")
            .and_then(|keys| keys.get(key))
            .or_else(|| table.get("additionalProperties").filter(|any| any.is_object()))
    })
}

/// The key at `path`, or the table that would be useless without it.
fn without_required<'p>(schema: &Value, path: &'p [String]) -> &'p [String] {
    let Some((last, parents)) = path.split_last() else { return path };
    let required = schema_at(schema, parents).and_then(|table| table.get("required")?.as_array());
    match required.is_some_and(|keys| keys.iter().any(|key| key == last.as_str())) {
        true => parents,
        false => path,
    }
}

/// The fixed values a schema allows, in backticks.
fn choices(schema: &Value) -> Vec<String> {
    let plain = schema.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let described = schema
        .get("oneOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|one| one.get("const")?.as_str());
    let alone = schema.get("const").and_then(Value::as_str);
    plain
        .chain(described)
        .chain(alone)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(|choice| format!("`{choice}`"))
        .collect()
}

/// The key of a table that someone probably meant. 0.75 is where Jaro–Winkler still takes `max_cycle` and `timeout`
/// for `max_cycles` and `timeout_ms`, and `colour` for nothing.
fn nearest(name: &str, table: &Value) -> Option<String> {
    let known = table.get("properties")?.as_object()?.keys();
    let scored = known.map(|key| (strsim::jaro_winkler(name, key), key));
    scored.filter(|(score, _)| *score >= 0.75).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, key)| key.clone())
}

/// True for names such as `api_key`, `key`, `apiKey`, `access-token`, `client_secret`, `password`.
fn names_a_secret(name: &str) -> bool {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    ["key", "apikey", "token", "secret", "password", "authorization"].iter().any(|secret| plain == *secret)
        || ["apikey", "token", "secret", "password"].iter().any(|secret| plain.ends_with(secret))
}

#[cfg(test)]
mod tests {
    use super::super::definition::{ProjectConfig, ProjectPermission};
    use super::*;

    // A1: nothing becomes looser by it.
    #[test]
    fn a_tool_with_more_rules_than_a_file_may_have_is_denied_at_once() {
        let read = |rule: &str, rules: usize| {
            let text = format!(
                "[tools.read_file]\nrules = [\n{}]\n[tools.list_files]\npermission = 'ask'\n",
                rule.repeat(rules)
            );
            let mut document = Document::parse(Path::new("config.toml"), &text).unwrap();
            let (config, problems) = document.read::<ProjectConfig>(None);
            let tool = &config.tools["read_file"];
            assert_eq!(config.tools["list_files"].permission, Some(ProjectPermission::Ask));
            (tool.rules.len(), tool.permission, problems.len())
        };
        let short = "{ match = 'a/**/*b', permission = 'ask' },\n";
        assert_eq!(read(short, MAX_RULES), (MAX_RULES, None, 0));
        let denied = (0, Some(ProjectPermission::Deny), 1);
        assert_eq!(read(short, MAX_RULES + 1), denied);
        let begun = std::time::Instant::now();
        assert_eq!(read(short, 3_500), denied);
        let long = format!("{{ match = '{}', permission = 'deny' }},\n", "*a".repeat(2_000));
        assert_eq!(read(&long, 9), denied);
        assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
    }
}
