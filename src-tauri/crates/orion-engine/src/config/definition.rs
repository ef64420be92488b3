//! What can be set, once: these types are read by serde, and the published JSON Schema is made from them.
//!
//! Two types for two degrees of trust. Deliberately not here: defaults, which come in when the layers are merged.

use std::collections::BTreeMap;

use orion_protocol::{Mode, Permission, Policy, TurnLimits};
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::Value;

use super::value::{BaseUrl, KeyVariable, Within};

/// Bytes of one tool result that the model is given (R3).
pub(super) type ResultBytes = Within<1_024, 1_048_576>;
/// Seconds without a byte after which a model call is given up.
pub(super) type IdleSeconds = Within<5, 3_600>;
/// Milliseconds that a write session waits after a message without its end line (W4).
pub(super) type IdleMilliseconds = Within<100, 600_000>;
/// Bytes of AGENTS.md files that go into the prompt.
pub(super) type InstructionsBytes = Within<0, 262_144>;
/// Milliseconds that one tool call may take.
pub(super) type ToolMilliseconds = Within<100, 600_000>;

/// Orion's settings: the user's `config.toml`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct UserConfig {
    /// Turns run in two stages, the default. When false, every new turn takes the unified route.
    pub two_stage_enabled: Option<bool>,
    /// Which tools the model is offered: `plan` for read-only tools, `act` for all.
    pub mode: Option<Mode>,
    /// The endpoint of new turns, by its name below; `demo` is the built-in one.
    pub default_endpoint: Option<String>,
    /// Bytes of one tool result that the model is given; 32,768 when it is not set.
    pub result_bytes: Option<ResultBytes>,
    /// Seconds without a byte after which a model call is given up; when it is not set, 120 before the first byte and 60
    /// after it.
    pub idle_timeout_s: Option<IdleSeconds>,
    /// Bytes of the project's AGENTS.md files that go into the prompt; 8,192 when it is not set.
    pub instructions_bytes: Option<InstructionsBytes>,
    /// Milliseconds that a write session waits after a message without its end line before it asks the model; 2,000 when it is
    /// not set.
    pub write_session_idle_ms: Option<IdleMilliseconds>,
    /// The content of a file always ends with a line of its own session instead of `DONE`.
    pub strict_end_line: Option<bool>,
    /// The budgets of a turn.
    pub limits: LimitsConfig,
    /// Model endpoints, by a short name.
    pub endpoints: BTreeMap<String, EndpointConfig>,
    /// Rules for tools, by the tool's name.
    pub tools: BTreeMap<String, ToolConfig>,
}

/// A project's settings: its `.orion/config.toml`. They can only make a turn smaller or stricter.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ProjectConfig {
    /// `plan` offers the model read-only tools alone.
    pub mode: Option<ProjectMode>,
    /// Bytes of one tool result that the model is given, no more than the user allows.
    pub result_bytes: Option<ResultBytes>,
    /// Bytes of AGENTS.md files that go into the prompt, no more than the user allows.
    pub instructions_bytes: Option<InstructionsBytes>,
    /// The content of a file always ends with a line of its own session instead of `DONE`.
    pub strict_end_line: Option<bool>,
    /// The budgets of a turn, no more than the user allows.
    pub limits: LimitsConfig,
    /// Rules for tools, by the tool's name; the stricter of the user's and the project's holds.
    pub tools: BTreeMap<String, ProjectToolConfig>,
}

/// The budgets of a turn (P3). What is not set has the route's default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct LimitsConfig {
    /// Tool phases that a turn may have.
    pub max_cycles: Option<Within<0, { Policy::MAX_CYCLES }>>,
    /// Calls that one tool phase may run.
    pub max_tools: Option<Within<1, { Policy::MAX_TOOLS }>>,
    /// Refused duplicates after which the final answer is forced.
    pub max_duplicates: Option<Within<1, { Policy::MAX_DUPLICATES }>>,
}

impl From<LimitsConfig> for TurnLimits {
    fn from(limits: LimitsConfig) -> Self {
        Self {
            max_cycles: limits.max_cycles.map(Within::get),
            max_tools: limits.max_tools.map(Within::get),
            max_duplicates: limits.max_duplicates.map(Within::get),
        }
    }
}

/// A model endpoint. There is no place for a key in it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EndpointConfig {
    /// Where the endpoint is, up to and without `/chat/completions`.
    pub base_url: BaseUrl,
    /// The model that turns use.
    pub model: String,
    /// The environment variable that holds the key.
    #[serde(default)]
    pub key_variable: Option<KeyVariable>,
    /// The key is in the system's keychain. Orion sets this when it saves a key there.
    #[serde(default)]
    pub keychain: bool,
}

/// The user's rules for one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ToolConfig {
    /// What the tool may do without asking.
    pub permission: Option<Permission>,
    /// Milliseconds that one call may take.
    pub timeout_ms: Option<ToolMilliseconds>,
}

/// A project's rules for one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ProjectToolConfig {
    /// A stricter permission; a project cannot allow.
    pub permission: Option<ProjectPermission>,
    /// Milliseconds that one call may take, no more than without this file.
    pub timeout_ms: Option<ToolMilliseconds>,
}

/// The permissions a project can set. `allow` is not among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProjectPermission {
    Ask,
    Deny,
}

/// The modes a project can set. `act` is not among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProjectMode {
    Plan,
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
