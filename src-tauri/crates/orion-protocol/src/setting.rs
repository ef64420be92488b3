//! What can be declared of a setting: its type, its range, who may set it and how.
//!
//! The settings themselves are declared in [`crate::settings`]. Deliberately not here: what a setting does.

use std::path::Path;

use crate::Usd;

/// A value of a setting whose type is not known at compile time.
#[derive(Debug, Clone, PartialEq)]
pub enum SettingValue {
    Switch(bool),
    Number(u32),
    Amount(Usd),
    Text(String),
    List(Vec<String>),
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
    /// At most so many texts, none of them twice. A layer that has a list has all of it: lists are never joined.
    List {
        most: usize,
        of: Entry,
    },
}

/// The texts that a list can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// The name of an environment variable.
    Variable,
    /// A folder of this computer, absolute or from the home.
    Folder,
}

impl Entry {
    /// Bytes of the name of a variable.
    const NAME_BYTES: usize = 128;

    /// Bytes of a path: what Linux takes as one (`PATH_MAX`, with its closing NUL).
    const PATH_BYTES: usize = 4_095;

    /// The end of a sentence that begins with "must be".
    #[must_use]
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Variable => {
                "the name of an environment variable: letters, digits and underscores, no digit first, at most 128"
            }
            Self::Folder => "the whole path of a folder, such as /srv/data or ~/data",
        }
    }

    /// True for a text of this form. What may be on a list beyond that is for those to say who use it.
    #[must_use]
    pub fn fits(self, text: &str) -> bool {
        match self {
            Self::Variable => {
                text.len() <= Self::NAME_BYTES
                    && text.bytes().next().is_some_and(|first| !first.is_ascii_digit())
                    && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            }
            Self::Folder => {
                text.len() <= Self::PATH_BYTES
                    && (text == "~" || text.starts_with("~/") || Path::new(text).is_absolute())
                    && !text.chars().any(char::is_control)
                    && !text.split(['/', '\\']).any(|name| name == "..")
            }
        }
    }
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
    /// Lower the number or the amount, or turn the switch off.
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

    pub(crate) const fn list(most: usize, of: Entry) -> Self {
        Self::of(Kind::List { most, of })
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

impl Settable for Vec<String> {
    fn from_value(value: &SettingValue) -> Option<Self> {
        if let SettingValue::List(texts) = value { Some(texts.clone()) } else { None }
    }

    fn to_value(&self) -> SettingValue {
        SettingValue::List(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CommandSettings, SettingsChange};

    #[test]
    fn a_variable_has_a_name_that_every_shell_takes() {
        for name in ["A", "_", "DATABASE_URL", "npm_config_cache", "A1", &"x".repeat(128)] {
            assert!(Entry::Variable.fits(name), "{name}");
        }
        for name in ["", "1A", "A-B", "A B", "A=B", "Ä", "$A", "A\n", &"x".repeat(129)] {
            assert!(!Entry::Variable.fits(name), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_is_named_by_its_whole_path() {
        for path in ["/", "/srv/data", "~", "~/data", "/srv/a b/ü", "/srv/..data"] {
            assert!(Entry::Folder.fits(path), "{path}");
        }
        for path in [
            "",
            "data",
            "./data",
            "~ada/data",
            "/srv/../etc",
            "~/..",
            "/a\nb",
            &format!("/{}", "x".repeat(4_095)),
        ] {
            assert!(!Entry::Folder.fits(path), "{path}");
        }
    }
    #[test]
    fn a_layer_with_a_list_has_all_of_it_and_a_project_adds_nothing() {
        let of = |names: Option<&[&str]>| {
            let env = names.map(|names| names.iter().map(ToString::to_string).collect());
            SettingsChange { commands: CommandSettings { env, read: None }, ..SettingsChange::default() }
        };
        assert_eq!(of(Some(&["A"])).over(&of(Some(&["B", "C"]))), of(Some(&["A"])));
        assert_eq!(of(Some(&[])).over(&of(Some(&["B"]))), of(Some(&[])));
        assert_eq!(of(None).over(&of(Some(&["B"]))), of(Some(&["B"])));
        assert_eq!(of(Some(&["A"])).lowered(&of(Some(&["B"]))), of(Some(&["A"])));
        assert_eq!(of(None).lowered(&of(Some(&["B"]))), of(None));
    }

    #[test]
    fn a_list_is_spelled_with_commas_and_has_no_text_twice() {
        let names = SettingsChange::ALL.iter().find(|setting| setting.key == "env").unwrap();
        let list = |texts: &[&str]| SettingValue::List(texts.iter().map(ToString::to_string).collect());
        assert_eq!(names.parse("A, B,"), Some(list(&["A", "B"])));
        assert_eq!(names.parse(""), Some(list(&[])));
        for text in ["A,A", "A B", "A,1"] {
            assert_eq!(names.parse(text), None, "{text}");
        }
    }
}
