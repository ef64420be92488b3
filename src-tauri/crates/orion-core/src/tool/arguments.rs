//! The arguments of a call, parsed once: what runs, the paths that it names, and what a rule's pattern matches.
//!
//! Deliberately not here: whether they fit the tool's schema (the ToolRunner), and what the call may do (`permission`).

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value};

use super::ToolSpec;
use super::subject::Subject;
use crate::quoting::{shown, unquoted};
use crate::signature::{has_drive, project_relative};

/// The arguments of a call in their normal form (D1).
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments {
    value: Map<String, Value>,
    /// The names of those that are paths.
    paths: Vec<String>,
    /// The names of those that rules are matched against; empty for the paths, or all.
    ruled: Vec<String>,
    /// The names of those that are no part of the signature.
    unsigned: Vec<String>,
    /// One for each path; one for all arguments where there is none.
    subjects: Vec<Subject>,
    /// No path leads out of the project.
    stays_inside: bool,
}

impl Arguments {
    /// The arguments as they are compared and run: defaults filled in, paths project-relative and as they are shown, and nulls removed, since a
    /// null means an argument that was left out (D1). A path that names nothing in the project stays as it was, and the ToolRunner refuses it.
    /// Those of a tool that is not known stay as they are.
    #[must_use]
    pub fn parse(spec: Option<&ToolSpec>, given: &Map<String, Value>, root: &str) -> Self {
        let mut value = given.clone();
        let mut paths = Vec::new();
        if let Some(spec) = spec {
            fill_in(&mut value, &spec.parameters);
            for name in &spec.paths {
                if let Some(path) = value.get_mut(name).filter(|path| !path.is_null()) {
                    *path = normal(path, root);
                    paths.push(name.clone());
                }
            }
            value.retain(|_, value| !value.is_null());
        }
        let unsigned = spec.map(|spec| spec.unsigned.clone()).unwrap_or_default();
        let ruled = spec.map(|spec| spec.ruled.clone()).unwrap_or_default();
        Self::of(value, paths, ruled, root).without(unsigned)
    }

    fn of(value: Map<String, Value>, paths: Vec<String>, ruled: Vec<String>, root: &str) -> Self {
        let of_path = |name: &String| Some(Subject::of_path(value.get(name)?, root));
        let mut subjects: Vec<Subject> = paths.iter().filter_map(of_path).collect();
        let stays_inside = !subjects.contains(&Subject::Outside);
        if !ruled.is_empty() {
            subjects.clear(); // C1: rules are about what runs, and not about where.
        }
        if subjects.is_empty() {
            let mut matched = value.clone();
            matched.retain(|name, _| ruled.is_empty() || ruled.contains(name));
            subjects.push(Subject::of_all(&matched));
        }
        Self { value, paths, ruled, unsigned: Vec::new(), subjects, stays_inside }
    }

    fn without(self, unsigned: Vec<String>) -> Self {
        Self { unsigned, ..self }
    }

    /// The arguments by name.
    #[must_use]
    pub fn value(&self) -> &Map<String, Value> {
        &self.value
    }

    /// The arguments that its signature is made of (D1).
    #[must_use]
    pub fn signed(&self) -> Cow<'_, Map<String, Value>> {
        if self.unsigned.iter().all(|name| !self.value.contains_key(name)) {
            return Cow::Borrowed(&self.value);
        }
        let mut signed = self.value.clone();
        signed.retain(|name, _| !self.unsigned.contains(name));
        Cow::Owned(signed)
    }

    /// The paths that the call names. A path that is no text names nothing.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().filter_map(|name| self.value.get(name)?.as_str())
    }

    /// The same call with other paths in the places of those that `leads` has one for: where a link leads.
    #[must_use]
    pub fn at(&self, leads: impl Fn(&str) -> Option<String>, root: &str) -> Self {
        let mut value = self.value.clone();
        for name in &self.paths {
            if let Some(place) = value.get(name).and_then(|path| leads(path.as_str()?)) {
                value.insert(name.clone(), place.into());
            }
        }
        Self::of(value, self.paths.clone(), self.ruled.clone(), root).without(self.unsigned.clone())
    }

    /// True if every path that the call names is in the project.
    #[must_use]
    pub fn stays_inside(&self) -> bool {
        self.stays_inside
    }

    /// Those that rules are matched against, where these are named.
    pub(crate) fn ruled(&self) -> impl Iterator<Item = &Value> {
        self.ruled.iter().filter_map(|name| self.value.get(name))
    }

    /// One at least.
    pub(crate) fn subjects(&self) -> &[Subject] {
        &self.subjects
    }
}

/// As JSON.
impl fmt::Display for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(&self.value).map_err(|_| fmt::Error)?)
    }
}

fn fill_in(value: &mut Map<String, Value>, parameters: &Value) {
    let properties = parameters.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        if let Some(default) = schema.get("default").filter(|default| !default.is_null()) {
            // A null asks for the default: models send it for an argument they leave out.
            let given = value.entry(name.clone()).or_insert(Value::Null);
            if given.is_null() {
                *given = default.clone();
            }
        }
    }
}

/// A path in the one form in which it is shown, where it is in the project.
fn normal(path: &Value, root: &str) -> Value {
    match path.as_str().filter(|path| unquoted(path).is_none()).map(|path| project_relative(path, root)) {
        Some(Ok(relative)) => as_shown(relative).into(),
        Some(Err(_)) | None => path.clone(),
    }
}

/// A drive or a share of Windows stays as it is, and the ToolRunner refuses it.
fn as_shown(relative: String) -> String {
    if relative.is_empty() {
        ".".to_owned()
    } else if has_drive(&relative) || relative.starts_with(r"\\") {
        relative
    } else {
        shown(relative.as_bytes()).into_owned()
    }
}
