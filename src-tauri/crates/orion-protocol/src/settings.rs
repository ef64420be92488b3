//! The settings, each declared once. To add one, declare it here and use it where it matters.
//!
//! A declaration has the key, a sentence for the schema, the type, the default (where both routes have the same) and
//! its [`Facts`]. The files, the environment, the flags of limits, the layers, saving and the form all follow from it.
//! A layer, such as the user's file, is a [`SettingsChange`], and layers are laid over each other. Deliberately not
//! here: what can be declared (`setting`), and the tables with names of the user's own, for endpoints and rules of
//! tools (`orion-engine`).

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::setting::{Choice, Entry, Facts, InProject, Kind, Settable, SettingValue};
use crate::{Mode, Notifications, Policy, Route, Usd};

macro_rules! settings {
    (
        { $( $(#[doc = $about:literal])+ $key:ident: $Type:ty $(= $default:expr)? => $facts:expr; )* }
        $(
            $(#[$of:meta])* $Table:ident,
            $(#[doc = $holds:literal])+ $table:ident {
                $( $(#[doc = $about_in:literal])+ $key_in:ident: $TypeIn:ty => $facts_in:expr; )*
            }
        )*
    ) => {
        $(
            $(#[$of])*
            #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
            #[serde(rename_all = "camelCase", default)]
            #[ts(export)]
            pub struct $Table {
                $( pub $key_in: Option<$TypeIn>, )*
            }
        )*

        /// A layer of settings, such as the user's file, the environment, or a change to save. What is null is left to the
        /// layer below; in a change it stays what it is.
        #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
        #[serde(rename_all = "camelCase", default)]
        #[ts(export)]
        pub struct SettingsChange {
            $( $(#[doc = $about])+ pub $key: Option<$Type>, )*
            $( $(#[doc = $holds])+ pub $table: $Table, )*
        }

        impl SettingsChange {
            /// The tables of the file, each with a sentence on what it holds.
            pub const TABLES: &'static [(&'static str, &'static str)] =
                &[ $( (stringify!($table), concat!($($holds),+)), )* ];

            /// Every setting, in the order of the form.
            pub const ALL: &'static [Setting] = &[
                $( Setting::new(
                    (None, stringify!($key), concat!($($about),+)),
                    $facts,
                    || None $( .or_else(|| Some(<$Type as Settable>::to_value(&$default))) )?,
                    |layer| layer.$key.as_ref().map(Settable::to_value),
                    |layer, value| layer.$key = value.and_then(Settable::from_value),
                ), )*
                $( $( Setting::new(
                    (Some(stringify!($table)), stringify!($key_in), concat!($($about_in),+)),
                    $facts_in,
                    || None,
                    |layer| layer.$table.$key_in.as_ref().map(Settable::to_value),
                    |layer, value| layer.$table.$key_in = value.and_then(Settable::from_value),
                ), )* )*
            ];

            $( $(
                /// The value of this layer and those below it, with the default where none of them sets it.
                #[must_use]
                pub fn $key(&self) -> $Type {
                    self.$key.unwrap_or($default)
                }
            )? )*
        }
    };
}

settings! {
    {
        /// Turns run in two stages, the default. When false, every new turn takes the unified route
        two_stage_enabled: bool = true => Facts::switch()
            .variable("ORION_TWO_STAGE_ENABLED")
            .field("Two-stage route", "when off, every turn runs the unified loop");

        /// Which tools the model is offered: `plan` for read-only tools, `act` for all
        mode: Mode = Mode::Act => Facts::choice(MODES)
            .variable("ORION_MODE")
            .in_project(InProject::Only("plan"))
            .field("Mode of new turns", "");

        /// The endpoint of new turns, by its name below; `demo` is the built-in one
        default_endpoint: String => Facts::text()
            .variable("ORION_ENDPOINT")
            .field("Endpoint of new turns", "by its name; demo is the built-in one");

        /// Seconds for which a call is retried while its provider is overloaded or limits the rate, 0 for never
        retry_s: u32 = 60 => Facts::number(0, 600)
            .variable("ORION_RETRY_S")
            .field("Retry an overloaded provider", "seconds in all");

        /// Seconds after which a model call is given up whose answer does not begin, or does not go on
        idle_timeout_s: u32 => Facts::number(5, 3_600)
            .unset("when it is not set, a hosted service has 120 to begin and 60 to go on, a model in your network the turn's seconds and 300")
            .field("Give up a silent model", "seconds without a piece of the answer");

        /// Bytes of one tool result that the model is given
        // 8,000 tokens at 4 bytes each: a quarter of the smallest context in common use (32,000 tokens).
        result_bytes: u32 = 32_768 => Facts::number(1_024, 1_048_576)
            .in_project(InProject::Lowers)
            .field("Size of a tool result", "bytes the model is given");

        /// Bytes of the project's AGENTS.md files that go into the prompt
        // 2,000 tokens at 4 bytes each, which every model call of a turn carries.
        instructions_bytes: u32 = 8_192 => Facts::number(0, 262_144)
            .in_project(InProject::Lowers)
            .field("Size of AGENTS.md", "bytes in the prompt");

        /// Milliseconds that a write session waits after a message without its end line before it asks the model
        // W4.
        write_session_idle_ms: u32 = 2_000 => Facts::number(100, 600_000)
            .variable("ORION_WRITE_SESSION_IDLE_MS")
            .field("Pause in a file's content", "milliseconds before the model is asked");

        /// The turn pauses after the tools of each step, so that a person can look at what the model is given
        // A2.
        pause_after_tool: bool = false => Facts::switch()
            .variable("ORION_PAUSE_AFTER_TOOL")
            .field("Pause after each tool", "to look at a result before the model is given it");

        /// Before old parts of a conversation leave it for want of room, the model sums them up, in one more call of the turn
        // X4.
        compact_at_cuts: bool = false => Facts::switch()
            .field("Sum up before a cut", "one more call, once in a turn, when the context is full");

        /// Checks of the project run by themselves after a turn that changed a file
        // V1.
        checks: bool = true => Facts::switch()
            .in_project(InProject::Lowers)
            .field("Run checks", "by themselves, after a turn that changed a file");

        /// A check that failed gives the model one repair
        // V2.
        repair: bool = true => Facts::switch()
            .field("One repair", "where a check failed that had not failed before");

        /// Desktop notifications while the window does not have the focus
        notifications: Notifications = Notifications::All => Facts::choice(Notifications::CHOICES)
            .field("Notifications", "while you look at something else");

        /// The program that opens a file of the project, such as `code`; the file and its line are added, or stand where `{file}` and `{line}` do
        editor: String => Facts::text()
            .unset("when it is not set, the environment's VISUAL, then EDITOR")
            .variable("ORION_EDITOR")
            .field("Editor", "the program that opens a file of the project");

        /// The content of a file always ends with a line of its own session instead of `DONE`
        // W3.
        strict_end_line: bool = false => Facts::switch()
            .in_project(InProject::Sets)
            .field("Strict end line", "the content of a file ends with a line of its own instead of DONE");

        /// What comes back in a model call is kept as it came, also where the call succeeded
        // 0046.
        keep_raw_responses: bool = false => Facts::switch()
            .variable("ORION_KEEP_RAW_RESPONSES")
            .field("Keep every raw response", "not only those of failed model calls; the trace shows them");

        /// Days for which raw responses are kept
        // 0046: a failure of last month can still be looked at; nothing that is only for looking stays for ever.
        raw_responses_days: u32 = 30 => Facts::number(1, 3_650)
            .field("Keep raw responses for", "days");

        /// Mebibytes that all raw responses together may have; the oldest leave first. 0 keeps none
        // 0046: at least 256 failed calls, or some thousands of the usual size.
        raw_responses_mib: u32 = 64 => Facts::number(0, 65_536)
            .field("Keep raw responses up to", "MiB in all; 0 keeps none");
    }

    /// Budgets of a turn (P3, T7); what is null comes from the project, then the user, then [`Policy`]'s defaults.
    #[derive(Copy)]
    TurnLimits,
    /// The budgets of a turn.
    limits {
        /// Tool phases that a turn may have; where nothing is set and no command can be run, as in plan mode, the two-stage route has 3
        max_cycles: u32 => Facts::number(0, Policy::MAX_CYCLES)
            .variable("ORION_MAX_PHASE_CYCLES_PER_TURN")
            .flag("max-cycles")
            .in_project(InProject::Lowers)
            .field("Steps", "in a turn");

        /// Calls that one step may run
        max_tools: u32 => Facts::number(1, Policy::MAX_TOOLS)
            .variable("ORION_TWO_STAGE_MAX_TOOLS")
            .flag("max-tools")
            .in_project(InProject::Lowers)
            .field("Tools", "calls in a step");

        /// Refused duplicates after which the final answer is forced
        max_duplicates: u32 => Facts::number(1, Policy::MAX_DUPLICATES)
            .variable("ORION_MAX_DUPLICATE_ATTEMPTS_PER_TURN")
            .flag("max-duplicates")
            .in_project(InProject::Lowers)
            .field("Repeats", "refused before it ends");

        /// Tokens that one answer may have, reasoning included
        max_output_tokens: u32 => Facts::number(256, 1_000_000)
            .variable("ORION_MAX_OUTPUT_TOKENS")
            .flag("max-output-tokens")
            .in_project(InProject::Lowers)
            .field("Length of an answer", "tokens");

        /// Tokens of reasoning that one answer may have
        // Where the person sets nothing the limit is a share of another one, so a project could raise it. It may not set it.
        max_thinking_tokens: u32 => Facts::number(256, 1_000_000)
            .unset("when it is not set, half of the length of the answer")
            .variable("ORION_MAX_THINKING_TOKENS")
            .flag("max-thinking-tokens")
            .field("Length of reasoning", "tokens, part of an answer's");

        /// Bytes that a model may send for one file
        max_file_bytes: u32 => Facts::number(1_024, 64 * 1024 * 1024)
            .variable("ORION_MAX_FILE_BYTES")
            .flag("max-file-bytes")
            .in_project(InProject::Lowers)
            .field("Size of a written file", "bytes");

        /// Seconds that a turn may take while it waits for nobody
        max_seconds: u32 => Facts::number(1, 86_400)
            .variable("ORION_MAX_SECONDS")
            .flag("max-seconds")
            .in_project(InProject::Lowers)
            .field("Time of a turn", "seconds");

        /// Seconds that one command may take
        // The turn has a default of its own for it, so that a policy of before is written as it was. A project may not set it.
        max_command_seconds: u32 => Facts::number(1, 600)
            .unset("when it is not set, 120")
            .variable("ORION_MAX_COMMAND_SECONDS")
            .flag("max-command-seconds")
            .field("Time of a command", "seconds");

        /// US dollars that a turn may cost, where the model's price is known
        max_cost_usd: Usd => Facts::amount(Usd::of_billionths(1_000_000), Usd::MAX)
            .unset("when it is not set, there is no limit")
            .variable("ORION_MAX_COST_USD")
            .flag("max-cost")
            .in_project(InProject::Lowers)
            .field("Cost of a turn", "US dollars");
    }

    /// The things of the person's that commands get (C2); what is null is nothing.
    CommandSettings,
    /// The things of yours that commands get.
    commands {
        /// Environment variables that commands get, by their names; each value comes from Orion's own environment when a command starts
        // 64 names are more than the tests of a large project ask for.
        env: Vec<String> => Facts::list(64, Entry::Variable)
            .field("Variables for commands", "one name on each line");

        /// Folders that commands can read in the sandbox and not change, such as `/srv/data` or `~/data`
        // As many as the parts of a project that are mounted over it: each is a mount.
        read: Vec<String> => Facts::list(32, Entry::Folder)
            .field("Folders for commands", "one on each line");
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
    const fn new(
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
        self.get(&SettingsChange::defaults(route, true))
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
            Kind::Amount { min, max } => {
                format!("an amount of US dollars from {} to {}", min.dollars(), max.dollars())
            }
            Kind::Choice(choices) => {
                choices.iter().map(|choice| choice.word).collect::<Vec<_>>().join(" or ")
            }
            Kind::Text => "text in quotes".to_owned(),
            Kind::List { most, of } => {
                format!("a list of at most {most} texts, none of them twice, and each {}", of.expected())
            }
        }
    }

    /// The value, when this setting can have it.
    #[must_use]
    pub fn checked(&self, value: SettingValue) -> Option<SettingValue> {
        let fits = match (self.facts.kind, &value) {
            (Kind::Switch, SettingValue::Switch(_)) | (Kind::Text, SettingValue::Text(_)) => true,
            (Kind::Number { min, max }, SettingValue::Number(number)) => (min..=max).contains(number),
            (Kind::Amount { min, max }, SettingValue::Amount(amount)) => (min..=max).contains(amount),
            (Kind::Choice(choices), SettingValue::Text(word)) => {
                choices.iter().any(|choice| choice.word == word)
            }
            (Kind::List { most, of }, SettingValue::List(texts)) => {
                let is_new = |(at, text): (usize, &String)| of.fits(text) && !texts[..at].contains(text);
                texts.len() <= most && texts.iter().enumerate().all(is_new)
            }
            _ => false,
        };
        fits.then_some(value)
    }

    /// The value that a variable or a flag spells out. The texts of a list have commas between them.
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
            Kind::Amount { .. } => SettingValue::Amount(Usd::new(text.parse().ok()?)?),
            Kind::Choice(_) => SettingValue::Text(lower()),
            Kind::Text => SettingValue::Text(text.to_owned()),
            Kind::List { .. } => {
                let texts = text.split(',').map(str::trim).filter(|text| !text.is_empty());
                SettingValue::List(texts.map(str::to_owned).collect())
            }
        };
        self.checked(value)
    }

    /// The value nearest to this one that is in range.
    #[must_use]
    pub fn nearest(&self, value: SettingValue) -> SettingValue {
        match (self.facts.kind, value) {
            (Kind::Number { min, max }, SettingValue::Number(number)) => {
                SettingValue::Number(number.clamp(min, max))
            }
            (Kind::Amount { min, max }, SettingValue::Amount(amount)) => {
                SettingValue::Amount(amount.clamp(min, max))
            }
            (_, value) => value,
        }
    }
}

const MODES: &[Choice] = &[
    Choice { word: "plan", label: "Plan", about: "Only read-only tools" },
    Choice { word: "act", label: "Act", about: "All tools, each by its permission" },
];

impl Settable for Mode {
    fn from_value(value: &SettingValue) -> Option<Self> {
        match value {
            SettingValue::Text(word) if word == "plan" => Some(Self::Plan),
            SettingValue::Text(word) if word == "act" => Some(Self::Act),
            _ => None,
        }
    }

    fn to_value(&self) -> SettingValue {
        let word = match self {
            Self::Plan => "plan",
            Self::Act => "act",
        };
        SettingValue::Text(word.to_owned())
    }
}

impl SettingsChange {
    /// The settings of a route while nobody sets anything, in a turn whose model is offered commands or is not (P3).
    #[must_use]
    pub fn defaults(route: Route, commands: bool) -> Self {
        let limits = Policy::offering(commands, route).limits();
        let mut layer = Self { limits, ..Self::default() };
        for setting in Self::ALL.iter().filter(|setting| setting.default().is_some()) {
            setting.set(&mut layer, setting.default().as_ref());
        }
        layer
    }

    /// This layer, with what `below` says where this one says nothing.
    #[must_use]
    pub fn over(mut self, below: &Self) -> Self {
        for setting in Self::ALL {
            if setting.get(&self).is_none() {
                setting.set(&mut self, setting.get(below).as_ref());
            }
        }
        self
    }

    /// This layer below a project's: a number that the project may lower is the lower of the two, and so may be set by the
    /// project where this layer has none.
    #[must_use]
    pub fn lowered(mut self, project: &Self) -> Self {
        for setting in Self::ALL {
            let (own, asked) = (setting.get(&self), setting.get(project));
            let value = match (setting.facts.in_project, own, asked) {
                (InProject::Refused, own, _) | (_, own, None) => own,
                (InProject::Lowers, Some(SettingValue::Number(own)), Some(SettingValue::Number(asked))) => {
                    Some(SettingValue::Number(own.min(asked)))
                }
                (InProject::Lowers, Some(SettingValue::Amount(own)), Some(SettingValue::Amount(asked))) => {
                    Some(SettingValue::Amount(own.min(asked)))
                }
                (_, _, asked) => asked,
            };
            setting.set(&mut self, value.as_ref());
        }
        self
    }
}

impl TurnLimits {
    /// The settings of the table `limits`.
    pub fn all() -> impl Iterator<Item = &'static Setting> {
        SettingsChange::ALL.iter().filter(|setting| setting.table == Some("limits"))
    }

    /// Each number moved to the nearest one in its range.
    #[must_use]
    pub fn in_range(self) -> Self {
        let mut layer = SettingsChange { limits: self, ..SettingsChange::default() };
        for setting in Self::all() {
            if let Some(value) = setting.get(&layer) {
                setting.set(&mut layer, Some(&setting.nearest(value)));
            }
        }
        layer.limits
    }

    /// These limits, with those of `below` where these say nothing.
    #[must_use]
    pub fn over(self, below: Self) -> Self {
        let layer = |limits| SettingsChange { limits, ..SettingsChange::default() };
        layer(self).over(&layer(below)).limits
    }
}
