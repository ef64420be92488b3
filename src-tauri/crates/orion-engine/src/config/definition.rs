//! The two kinds of settings files, the user's and the project's, which are trusted differently. Each has the declared
//! settings and some tables beside them.
//!
//! The published JSON Schemas are made from these types. Deliberately not here: the settings themselves, which are
//! declared in `orion-protocol`.

use std::collections::BTreeMap;

use orion_core::permission::Rule;
use orion_protocol::{Permission, Policy, SettingsChange, ToolRule, ToolSettings};
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::MapAccess;
use serde_json::{Map, Value};

use super::endpoints::{EndpointConfig, SetThinking};
use super::layer::{Owner, SettingsFile, settings_file};
use super::value::{CallPattern, Within};

/// Milliseconds that one tool call may take.
pub(super) type ToolMilliseconds = Within<100, 600_000>;

/// Runs of a tool in a turn: up to as many as a turn can have (P2).
pub(super) type RunsPerTurn = Within<1, { Policy::MAX_CYCLES * Policy::MAX_TOOLS }>;

/// Orion's settings: the user's `config.toml`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UserConfig {
    pub values: SettingsChange,
    /// Model endpoints, by a short name.
    pub endpoints: BTreeMap<String, EndpointConfig>,
    /// Rules for tools, by the tool's name.
    pub tools: BTreeMap<String, ToolConfig>,
    /// The places in the file that say whether a model is to think.
    pub(super) thinking: Vec<SetThinking>,
}

impl SettingsFile for UserConfig {
    const OWNER: Owner = Owner::User;

    fn values(&mut self) -> &mut SettingsChange {
        &mut self.values
    }

    fn table<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        match name {
            "endpoints" => self.endpoints = map.next_value()?,
            "tools" => self.tools = map.next_value()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn tables(generator: &mut SchemaGenerator) -> Map<String, Value> {
        Map::from_iter([
            table::<EndpointConfig>(generator, "endpoints", "Model endpoints, by a short name."),
            table::<ToolConfig>(generator, "tools", "Rules for tools, by the tool's name."),
        ])
    }
}

settings_file!(UserConfig, "Orion's settings: the user's `config.toml`.");

/// A project's settings: its `.orion/config.toml`. They can only make a turn smaller or stricter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProjectConfig {
    pub values: SettingsChange,
    /// Rules for tools, by the tool's name; the stricter of the user's and the project's holds.
    pub tools: BTreeMap<String, ProjectToolConfig>,
}

impl SettingsFile for ProjectConfig {
    const OWNER: Owner = Owner::Project;

    fn values(&mut self) -> &mut SettingsChange {
        &mut self.values
    }

    fn table<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        if name != "tools" {
            return Ok(false);
        }
        self.tools = map.next_value()?;
        Ok(true)
    }

    fn tables(generator: &mut SchemaGenerator) -> Map<String, Value> {
        let about =
            "Rules for tools, by the tool's name; the stricter of the user's and the project's holds.";
        Map::from_iter([table::<ProjectToolConfig>(generator, "tools", about)])
    }
}

settings_file!(
    ProjectConfig,
    "A project's settings: its `.orion/config.toml`. They can only make a turn smaller or stricter."
);

/// A table of tables with names of the user's own.
fn table<T: JsonSchema>(generator: &mut SchemaGenerator, name: &str, about: &str) -> (String, Value) {
    let mut schema = generator.subschema_for::<BTreeMap<String, T>>();
    schema.insert("description".to_owned(), about.into());
    (name.to_owned(), schema.to_value())
}

/// The user's rules for one tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ToolConfig {
    /// What the tool may do without asking.
    pub permission: Option<Permission>,
    /// Milliseconds that one call may take.
    pub timeout_ms: Option<ToolMilliseconds>,
    /// How often it may run in a turn.
    pub max_per_turn: Option<RunsPerTurn>,
    /// What single calls may do. Of the rules that match a call the last holds, and `permission` where none does.
    pub rules: Vec<RuleConfig>,
}

/// A rule for the calls of a tool that match.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RuleConfig {
    /// The path that the call names, relative to the project: `*` stays within a name, `**` does not. For a tool without a path: all
    /// arguments as JSON, the keys in order. For `run_command`: the first words of a command, such as `cargo test`.
    #[serde(rename = "match")]
    pub pattern: CallPattern,
    /// What such a call may do.
    pub permission: Permission,
}

impl ToolConfig {
    /// As the settings window shows it.
    pub(super) fn settings(&self, tool: &str) -> ToolSettings {
        let rule = |rule: &RuleConfig| ToolRule {
            pattern: rule.pattern.pattern().to_string(),
            permission: rule.permission,
        };
        ToolSettings {
            tool: tool.to_owned(),
            permission: self.permission,
            timeout_ms: self.timeout_ms.map(Within::get),
            max_per_turn: self.max_per_turn.map(Within::get),
            rules: self.rules.iter().map(rule).collect(),
        }
    }

    /// Its rules, the one that counts most last.
    pub(super) fn rules(&self) -> Vec<Rule> {
        let every = self.permission.map(|permission| Rule { pattern: None, permission });
        let some = |rule: &RuleConfig| Rule {
            pattern: Some(rule.pattern.pattern().clone()),
            permission: rule.permission,
        };
        every.into_iter().chain(self.rules.iter().map(some)).collect()
    }
}

/// A project's rules for one tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ProjectToolConfig {
    /// A stricter permission; a project cannot allow.
    pub permission: Option<ProjectPermission>,
    /// Milliseconds that one call may take, no more than without this file.
    pub timeout_ms: Option<ToolMilliseconds>,
    /// How often it may run in a turn, no more than without this file.
    pub max_per_turn: Option<RunsPerTurn>,
    /// Stricter rules for single calls. Of the rules that match a call the last holds, and `permission` where none does.
    pub rules: Vec<ProjectRuleConfig>,
}

/// A project's rule for the calls of a tool that match.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProjectRuleConfig {
    /// The path that the call names, relative to the project: `*` stays within a name, `**` does not. For a tool without a path: all
    /// arguments as JSON, the keys in order. For `run_command`: the first words of a command, such as `cargo test`.
    #[serde(rename = "match")]
    pub pattern: CallPattern,
    /// What such a call may do; a project cannot allow.
    pub permission: ProjectRulePermission,
}

/// What a rule of a project says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProjectRulePermission {
    Ask,
    Deny,
    /// It changes nothing, and is reported.
    #[schemars(skip)]
    Allow,
}

impl ProjectToolConfig {
    /// As the settings window shows it. What allows is no part of it.
    pub(super) fn settings(&self, tool: &str) -> ToolSettings {
        let shown = |rule: Rule| {
            let pattern = rule.pattern.as_ref()?.to_string();
            Some(ToolRule { pattern, permission: rule.permission })
        };
        ToolSettings {
            tool: tool.to_owned(),
            permission: self.permission.map(Permission::from),
            timeout_ms: self.timeout_ms.map(Within::get),
            max_per_turn: self.max_per_turn.map(Within::get),
            rules: self.rules().into_iter().filter_map(shown).collect(),
        }
    }

    /// Its rules, the one that counts most last. One that allows is no rule.
    pub(super) fn rules(&self) -> Vec<Rule> {
        let every = self.permission.map(|permission| Rule { pattern: None, permission: permission.into() });
        let some = |rule: &ProjectRuleConfig| {
            let permission = match rule.permission {
                ProjectRulePermission::Ask => Permission::Ask,
                ProjectRulePermission::Deny => Permission::Deny,
                ProjectRulePermission::Allow => return None,
            };
            Some(Rule { pattern: Some(rule.pattern.pattern().clone()), permission })
        };
        every.into_iter().chain(self.rules.iter().filter_map(some)).collect()
    }
}

/// The permissions a project can set. `allow` is not among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProjectPermission {
    Ask,
    Deny,
}

impl From<ProjectPermission> for Permission {
    fn from(permission: ProjectPermission) -> Self {
        match permission {
            ProjectPermission::Ask => Self::Ask,
            ProjectPermission::Deny => Self::Deny,
        }
    }
}

/// The JSON Schema of the user's `config.toml`.
#[must_use]
pub fn user_schema() -> Schema {
    schema_of::<UserConfig>()
}

/// The JSON Schema of a project's `.orion/config.toml`.
#[must_use]
pub fn project_schema() -> Schema {
    schema_of::<ProjectConfig>()
}

pub(super) fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .with_transform(RecursiveTransform(without_null))
        .into_generator()
        .into_root_schema_for::<T>()
}

/// TOML has no null: a key that may be missing is of its plain type.
fn without_null(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    object.remove("default");
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(options)) = object.get_mut("anyOf") {
        options.retain(|option| option.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = options.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
            let mut merged = std::mem::take(object).into();
            RecursiveTransform(without_null).transform(&mut merged);
            *schema = merged;
        }
    }
}
