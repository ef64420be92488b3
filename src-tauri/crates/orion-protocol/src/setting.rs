//! What can be declared of a setting: its type, its range, who may set it and how.
//!
//! The settings themselves are declared in [`crate::settings`]. Deliberately not here: what a setting does.

use crate::Usd;

/// A value of a setting whose type is not known at compile time.
#[derive(Debug, Clone, PartialEq)]
pub enum SettingValue {
    Switch(bool),
    Number(u32),
    Amount(Usd),
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
    /// An amount of money in this range, both ends included.
    Amount {
        min: Usd,
        max: Usd,
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
    /// Lower the number or the amount.
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

    pub(crate) const fn amount(min: Usd, max: Usd) -> Self {
        Self::of(Kind::Amount { min, max })
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

impl Settable for Usd {
    fn from_value(value: &SettingValue) -> Option<Self> {
        if let SettingValue::Amount(amount) = value { Some(*amount) } else { None }
    }

    fn to_value(&self) -> SettingValue {
        SettingValue::Amount(*self)
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
