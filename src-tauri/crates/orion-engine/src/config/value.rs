//! Types of values in the settings. Each is checked when it is read, so later code never sees a wrong one.
//!
//! The schema of a type has a `title` that completes the sentence "must be …". Messages use it and never the value,
//! since people paste keys into the wrong place.

use std::borrow::Cow;
use std::fmt;

use orion_core::permission::{Pattern, RUN_COMMAND, words_of_rule};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use url::Url;

/// A whole number from `MIN` to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Within<const MIN: u32, const MAX: u32>(u32);

impl<const MIN: u32, const MAX: u32> Within<MIN, MAX> {
    /// The number itself.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The number, when it is in range.
    #[must_use]
    pub fn new(number: u32) -> Option<Self> {
        (MIN..=MAX).contains(&number).then_some(Self(number))
    }

    /// What completes "must be …".
    #[must_use]
    pub fn expected() -> String {
        format!("a whole number from {MIN} to {MAX}")
    }
}

impl<'de, const MIN: u32, const MAX: u32> Deserialize<'de> for Within<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(u32::deserialize(deserializer)?).ok_or_else(|| D::Error::custom(Self::expected()))
    }
}

impl<const MIN: u32, const MAX: u32> JsonSchema for Within<MIN, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("From{MIN}To{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "title": Self::expected(), "minimum": MIN, "maximum": MAX })
    }
}

/// Text that is checked by a rule of its own.
macro_rules! checked_text {
    ($(#[$doc:meta])* $name:ident, $expected:literal, $check:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            pub(super) const EXPECTED: &'static str = $expected;

            /// The text, when it follows the rule.
            #[must_use]
            pub fn new(text: &str) -> Option<Self> {
                let check: fn(&str) -> bool = $check;
                check(text).then(|| Self(text.to_owned()))
            }

            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::new(&String::deserialize(deserializer)?).ok_or_else(|| D::Error::custom(Self::EXPECTED))
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "title": Self::EXPECTED })
            }
        }
    };
}

checked_text!(
    /// The address of a model endpoint. A name or password in it is refused: keys have their own place.
    BaseUrl,
    "an http or https address without a user name or password, such as https://api.deepseek.com/v1",
    |text| {
        Url::parse(text).is_ok_and(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.has_host()
                && url.username().is_empty()
                && url.password().is_none()
                && url.fragment().is_none()
        })
    }
);

checked_text!(
    /// A finish reason as a provider writes it.
    FinishWord,
    "a finish reason of 1 to 64 letters, digits and marks, such as `done`",
    |text| (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
);

checked_text!(
    /// The name of an environment variable that holds a key. Capitals, digits and underscores only: a key pasted here by
    /// mistake is refused.
    KeyVariable,
    "the name of an environment variable in capitals, such as DEEPSEEK_API_KEY; the key itself never belongs in a file",
    |text| {
        let mut bytes = text.bytes();
        text.len() <= 100
            && bytes.next().is_some_and(|first| first.is_ascii_uppercase() || first == b'_')
            && bytes.all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    }
);

/// Which calls of a tool a rule is for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct CallPattern(Pattern);

impl CallPattern {
    pub(super) const EXPECTED: &'static str = "a pattern of 1 to 4,096 bytes, such as `docs/**` or `*.md`";

    /// The same of a tool that runs commands.
    pub(super) const EXPECTED_WORDS: &'static str =
        "the first words of a command and no pattern, such as `cargo test`";

    /// True for one that rules of this tool can have: those for commands are words (C1).
    pub(super) fn fits(tool: &str, pattern: &Pattern) -> bool {
        tool != RUN_COMMAND || words_of_rule(&String::from(pattern.clone())).is_some()
    }

    #[must_use]
    pub fn pattern(&self) -> &Pattern {
        &self.0
    }
}

impl JsonSchema for CallPattern {
    fn schema_name() -> Cow<'static, str> {
        "CallPattern".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "title": Self::EXPECTED })
    }
}

impl KeyVariable {
    /// True for a variable that says by its name that a key is in it. The value of any other is sent nowhere as a key unless the
    /// person confirmed it in their file.
    #[must_use]
    pub fn is_called_a_key(&self) -> bool {
        ["_KEY", "_TOKEN"].iter().any(|end| self.0.ends_with(end))
    }
}

impl BaseUrl {
    /// The server: scheme, host and port, such as `https://api.deepseek.com`. A port that the scheme implies is left out.
    #[must_use]
    pub fn origin(&self) -> String {
        self.url().map_or_else(|| self.0.clone(), |url| url.origin().ascii_serialization())
    }

    /// The address, read.
    pub(crate) fn url(&self) -> Option<Url> {
        Url::parse(&self.0).ok()
    }
}
