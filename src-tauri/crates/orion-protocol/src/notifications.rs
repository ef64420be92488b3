//! When the desktop tells a person of a turn.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::setting::{Choice, Settable, SettingValue};

/// What the desktop tells a person who looks at something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Notifications {
    /// That a turn waits for them, is done or has failed.
    #[default]
    All,
    /// That a turn waits for them.
    Waiting,
    Off,
}

impl Notifications {
    pub(crate) const CHOICES: &'static [Choice] = &[
        Choice { word: "all", label: "All", about: "When a turn waits for you, is done or has failed" },
        Choice { word: "waiting", label: "Only when it waits", about: "When a turn waits for you" },
        Choice { word: "off", label: "Off", about: "Never" },
    ];
}

impl Settable for Notifications {
    fn from_value(value: &SettingValue) -> Option<Self> {
        match value {
            SettingValue::Text(word) if word == "all" => Some(Self::All),
            SettingValue::Text(word) if word == "waiting" => Some(Self::Waiting),
            SettingValue::Text(word) if word == "off" => Some(Self::Off),
            _ => None,
        }
    }

    fn to_value(&self) -> SettingValue {
        let word = match self {
            Self::All => "all",
            Self::Waiting => "waiting",
            Self::Off => "off",
        };
        SettingValue::Text(word.to_owned())
    }
}
