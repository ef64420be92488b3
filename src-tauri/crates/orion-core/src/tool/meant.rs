//! Names and arguments of calls, read as they were meant: slips of models whose meaning is plain (P9). Docs: decision 0087.
//!
//! Deliberately not here: whether arguments fit the whole schema (the ToolRunner), their normal form (`arguments`), and JSON that is cut off or
//! invalid, which never becomes a call (P6).

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{ToolSet, ToolSpec};

/// Namespaces that models put before a tool's name: of gpt-oss and Kimi, of several, and of Gemini.
pub(crate) const NAMESPACES: [&str; 3] = ["functions.", "tools.", "default_api."];

/// Keys that models give for one another: those of the tools that they were trained with.
const SAME_KEYS: [&[&str]; 2] =
    [&["path", "file_path", "filePath", "file", "filename", "target_file"], &["pattern", "query", "regex"]];

impl ToolSet {
    /// The tool that a call of this name is meant for: the one of exactly this name, else the only one that is left without a namespace, control
    /// tokens and a number, with the letter case and `-` and `_` as one.
    #[must_use]
    pub fn meant(&self, name: &str) -> Option<&ToolSpec> {
        if let Some(tool) = self.get(name) {
            return Some(tool);
        }
        let bare = bare(name);
        if let Some(tool) = self.get(bare) {
            return Some(tool);
        }
        let wanted = folded(bare);
        let mut left = self.iter().filter(|tool| !wanted.is_empty() && folded(&tool.name) == wanted);
        left.next().filter(|_| left.next().is_none())
    }
}

/// A name without its namespace, what follows the first `<|`, and `:N`.
fn bare(name: &str) -> &str {
    let name = name.split("<|").next().unwrap_or(name).trim();
    let name = match name.rsplit_once(':') {
        Some((name, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            name
        }
        _ => name,
    };
    NAMESPACES.iter().find_map(|namespace| name.strip_prefix(namespace)).unwrap_or(name)
}

/// The name with the letter case and `-` and `_` as one.
pub(crate) fn folded(name: &str) -> String {
    name.replace('-', "_").to_lowercase()
}

impl ToolSpec {
    /// True if a call without arguments is one.
    #[must_use]
    pub fn takes_nothing(&self) -> bool {
        self.required().next().is_none()
    }

    /// The arguments as they were meant. Borrowed where they stay as they are.
    #[must_use]
    pub fn arguments_meant<'a>(&self, given: &'a Map<String, Value>) -> Cow<'a, Map<String, Value>> {
        let mut meant = Cow::Borrowed(given);
        for (key, alias) in self.misnamed(given) {
            if let Some(value) = meant.to_mut().remove(&alias) {
                meant.to_mut().insert(key, value);
            }
        }
        let read: Vec<(String, Value)> = meant
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), self.property(name)?.read(value.as_str()?)?)))
            .collect();
        for (name, value) in read {
            meant.to_mut().insert(name, value);
        }
        meant
    }

    /// An argument of which a text alone is known, as its type wants it. `read` reads a value that is no text.
    #[must_use]
    pub fn value_of_text(&self, name: &str, text: String, read: impl Fn(&str) -> Option<Value>) -> Value {
        let fits = |property: Property<'_>| {
            // A text where one fits is never read: it may be as long and as nested as it likes.
            let reads = property.types().next().is_some() && !property.takes("string");
            let value = || read(text.trim()).filter(|value| property.is_kind_of(value));
            property.read(&text).or_else(|| if reads { value() } else { None })
        };
        self.property(name).and_then(fits).unwrap_or(Value::String(text))
    }

    /// True if nothing that is required is missing, nothing is there that is not known, and each argument has a type that it may have.
    #[must_use]
    pub fn fits(&self, arguments: &Map<String, Value>) -> bool {
        let closed = self.parameters.get("additionalProperties") == Some(&Value::Bool(false));
        let known = |(name, value): (&String, &Value)| match self.property(name) {
            Some(property) => value.is_null() || property.is_kind_of(value),
            None => !closed,
        };
        let given = |name: &str| arguments.get(name).is_some_and(|value| !value.is_null());
        self.required().all(given) && arguments.iter().all(known)
    }

    fn required(&self) -> impl Iterator<Item = &str> {
        let required = self.parameters.get("required").and_then(Value::as_array);
        required.into_iter().flatten().filter_map(Value::as_str)
    }

    fn property(&self, name: &str) -> Option<Property<'_>> {
        self.parameters.get("properties")?.get(name).map(Property)
    }

    /// The keys that are missing, each with the key that was given in its place.
    fn misnamed(&self, given: &Map<String, Value>) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for same in SAME_KEYS {
            let known = same.iter().filter(|key| self.property(key).is_some());
            let mut missing = known.filter(|key| !given.contains_key(**key));
            let mut unknown =
                same.iter().filter(|key| given.contains_key(**key) && self.property(key).is_none());
            if let (Some(key), None, Some(alias), None) =
                (missing.next(), missing.next(), unknown.next(), unknown.next())
            {
                found.push(((*key).to_owned(), (*alias).to_owned()));
            }
        }
        found
    }
}

/// The schema of one argument.
#[derive(Clone, Copy)]
struct Property<'a>(&'a Value);

impl Property<'_> {
    fn types(&self) -> impl Iterator<Item = &str> {
        let (one, several) = match self.0.get("type") {
            Some(Value::String(one)) => (Some(one.as_str()), None),
            Some(Value::Array(several)) => (None, Some(several.iter().filter_map(Value::as_str))),
            _ => (None, None),
        };
        one.into_iter().chain(several.into_iter().flatten()).filter(|kind| *kind != "null")
    }

    /// A schema without a type may be anything.
    fn takes(&self, kind: &str) -> bool {
        let mut types = self.types().peekable();
        types.peek().is_none() || types.any(|of| of == kind)
    }

    fn is_kind_of(&self, value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::Bool(_) => self.takes("boolean"),
            Value::Number(_) => self.takes("number") || self.takes("integer"),
            Value::String(_) => self.takes("string"),
            Value::Array(_) => self.takes("array"),
            Value::Object(_) => self.takes("object"),
        }
    }

    /// A text as the value that it writes, where no text fits: a number, a boolean, a list or an object.
    fn read(&self, text: &str) -> Option<Value> {
        if self.types().next().is_none() || self.takes("string") {
            return None;
        }
        let text = text.trim();
        let value = match text {
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            _ => serde_json::from_str(text).ok()?,
        };
        (!value.is_null() && self.is_kind_of(&value)).then_some(value)
    }
}
