//! What a setting is: its key, its type, who may set it and how. Everything that handles settings reads it from here: the
//! schema, the files, the environment, the flags, the layers, saving and the window's form.
//!
//! The settings themselves are declared in [`crate::settings`]. Deliberately not here: what a setting does.

use crate::{Route, SettingsChange};

/// A value of a setting whose type is not known at compile time.
#[derive(Debug, Clone, PartialEq)]
pub enum SettingValue {
    Switch(bool),
    Number(u32),
    Text(String),
}

/// What a setting can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Switch,
    /// A whole number in this range, both ends included.
    Number {
        min: u32,
        max: u32,
    },
    /// One of these words.
    Choice(&'static [Choice]),
    /// Any text.
    Text,
}

/// One of the words that a setting can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    pub word: &'static str,
    /// What the window calls it.
    pub label: &'static str,
    pub about: &'static str,
}

/// What a project's file may do with a setting. Such a file is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InProject {
    /// Nothing: only the user sets it.
    Refused,
    /// Lower the number.
    Lowers,
    /// Set it to this word alone.
    Only(&'static str),
    /// Set it.
    Sets,
}

/// How the window's form names a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    pub label: &'static str,
    pub hint: &'static str,
}

/// What is declared of a setting beside its key, its type and its default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    pub kind: Kind,
    /// What holds while nobody sets it, as the end of a sentence; none where the default says it.
    pub unset: Option<&'static str>,
    /// The environment variable that sets it.
    pub variable: Option<&'static str>,
    /// The flag of the command line that sets it for one turn.
    pub flag: Option<&'static str>,
    pub in_project: InProject,
    pub field: Option<Field>,
}

impl Facts {
    const fn of(kind: Kind) -> Self {
        Self { kind, unset: None, variable: None, flag: None, in_project: InProject::Refused, field: None }
    }

    pub(crate) const fn switch() -> Self {
        Self::of(Kind::Switch)
    }

    pub(crate) const fn number(min: u32, max: u32) -> Self {
        Self::of(Kind::Number { min, max })
    }

    pub(crate) const fn choice(choices: &'static [Choice]) -> Self {
        Self::of(Kind::Choice(choices))
    }

    pub(crate) const fn text() -> Self {
        Self::of(Kind::Text)
    }

    pub(crate) const fn unset(self, unset: &'static str) -> Self {
        Self { unset: Some(unset), ..self }
    }

    pub(crate) const fn variable(self, variable: &'static str) -> Self {
        Self { variable: Some(variable), ..self }
    }

    pub(crate) const fn flag(self, flag: &'static str) -> Self {
        Self { flag: Some(flag), ..self }
    }

    pub(crate) const fn in_project(self, in_project: InProject) -> Self {
        Self { in_project, ..self }
    }

    pub(crate) const fn field(self, label: &'static str, hint: &'static str) -> Self {
        Self { field: Some(Field { label, hint }), ..self }
    }
}

/// A type that a setting can have.
pub trait Settable: Sized {
    fn from_value(value: &SettingValue) -> Option<Self>;
    fn to_value(&self) -> SettingValue;
}

impl Settable for bool {
    fn from_value(value: &SettingValue) -> Option<Self> {
        if let SettingValue::Switch(on) = value { Some(*on) } else { None }
    }

    fn to_value(&self) -> SettingValue {
        SettingValue::Switch(*self)
    }
}

impl Settable for u32 {
    fn from_value(value: &SettingValue) -> Option<Self> {
        if let SettingValue::Number(number) = value { Some(*number) } else { None }
    }

    fn to_value(&self) -> SettingValue {
        SettingValue::Number(*self)
    }
}

impl Settable for String {
    fn from_value(value: &SettingValue) -> Option<Self> {
        if let SettingValue::Text(text) = value { Some(text.clone()) } else { None }
    }

    fn to_value(&self) -> SettingValue {
        SettingValue::Text(self.clone())
    }
}

/// One declared setting.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The table that it is in; none at the top of the file.
    pub table: Option<&'static str>,
    pub key: &'static str,
    about: &'static str,
    pub facts: Facts,
    default: fn() -> Option<SettingValue>,
    get: fn(&SettingsChange) -> Option<SettingValue>,
    set: fn(&mut SettingsChange, Option<&SettingValue>),
}

impl Setting {
    pub(crate) const fn new(
        (table, key, about): (Option<&'static str>, &'static str, &'static str),
        facts: Facts,
        default: fn() -> Option<SettingValue>,
        get: fn(&SettingsChange) -> Option<SettingValue>,
        set: fn(&mut SettingsChange, Option<&SettingValue>),
    ) -> Self {
        Self { table, key, about, facts, default, get, set }
    }

    /// The tables and the key, such as `["limits", "max_cycles"]`.
    #[must_use]
    pub fn path(&self) -> Vec<String> {
        self.table.into_iter().chain([self.key]).map(str::to_owned).collect()
    }

    /// What it is, as a sentence without its full stop.
    #[must_use]
    pub fn about(&self) -> &'static str {
        self.about.trim()
    }

    /// The default where it is the same on both routes.
    #[must_use]
    pub fn default(&self) -> Option<SettingValue> {
        (self.default)()
    }

    /// The default on a route.
    #[must_use]
    pub fn default_on(&self, route: Route) -> Option<SettingValue> {
        self.get(&SettingsChange::defaults(route))
    }

    /// What a layer says.
    #[must_use]
    pub fn get(&self, layer: &SettingsChange) -> Option<SettingValue> {
        (self.get)(layer)
    }

    /// Lets a layer say this, or nothing. A value of another type is nothing.
    pub fn set(&self, layer: &mut SettingsChange, value: Option<&SettingValue>) {
        (self.set)(layer, value);
    }

    /// What completes "must be …".
    #[must_use]
    pub fn expected(&self) -> String {
        match self.facts.kind {
            Kind::Switch => "true or false".to_owned(),
            Kind::Number { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Choice(choices) => {
                choices.iter().map(|choice| choice.word).collect::<Vec<_>>().join(" or ")
            }
            Kind::Text => "text in quotes".to_owned(),
        }
    }

    /// The value, when this setting can have it.
    #[must_use]
    pub fn checked(&self, value: SettingValue) -> Option<SettingValue> {
        let fits = match (self.facts.kind, &value) {
            (Kind::Switch, SettingValue::Switch(_)) | (Kind::Text, SettingValue::Text(_)) => true,
            (Kind::Number { min, max }, SettingValue::Number(number)) => (min..=max).contains(number),
            (Kind::Choice(choices), SettingValue::Text(word)) => {
                choices.iter().any(|choice| choice.word == word)
            }
            _ => false,
        };
        fits.then_some(value)
    }

    /// The value that a variable or a flag spells out.
    #[must_use]
    pub fn parse(&self, text: &str) -> Option<SettingValue> {
        let lower = || text.to_ascii_lowercase();
        let value = match self.facts.kind {
            Kind::Switch => SettingValue::Switch(match lower().as_str() {
                "1" | "true" | "on" | "yes" => true,
                "0" | "false" | "off" | "no" => false,
                _ => return None,
            }),
            Kind::Number { .. } => SettingValue::Number(text.parse().ok()?),
            Kind::Choice(_) => SettingValue::Text(lower()),
            Kind::Text => SettingValue::Text(text.to_owned()),
        };
        self.checked(value)
    }

    /// The number nearest to this one that is in range.
    #[must_use]
    pub fn nearest(&self, number: u32) -> u32 {
        match self.facts.kind {
            Kind::Number { min, max } => number.clamp(min, max),
            _ => number,
        }
    }
}
