//! Model endpoints and tools as the person sees them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::Permission;

/// Tokens of a model call or of a turn. What a provider did not say is null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Usage {
    pub prompt_tokens: Option<u32>,
    pub completion_tokens: Option<u32>,
    pub reasoning_tokens: Option<u32>,
    pub cached_tokens: Option<u32>,
    /// True when a part of the figures is Orion's estimate (4 bytes a token), since a cut phase has no usage.
    pub estimated: bool,
}

/// Where a key comes from. The key itself never appears in a wire type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case", tag = "kind", content = "name")]
#[ts(export)]
pub enum KeySource {
    /// None is needed or none is set.
    None,
    /// The operating system's keychain.
    Keychain,
    /// The environment variable of this name.
    Environment(String),
    /// Given in this run and kept in memory alone.
    Memory,
    /// It was kept in the memory of a process that has ended: it has to be given again.
    Lost,
    /// The environment variable of this name, which is not set.
    Unset(String),
}

/// A key on its way from the person to the keychain. It is never sent back, and never printed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(transparent)]
#[ts(export, type = "string")]
pub struct KeyInput(pub String);

impl std::fmt::Debug for KeyInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeyInput(…)")
    }
}

/// Sizes of a model that a person set, in tokens. What is null is not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ModelSizes {
    /// Its window, which a request and its answer share (X2).
    pub window: Option<u32>,
    /// The most that it can answer with.
    pub max_output_tokens: Option<u32>,
}

/// A known kind of endpoint, offered when connecting a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct EndpointPreset {
    pub name: String,
    pub label: String,
    pub base_url: String,
    /// The variable that usually has its key; null for local servers.
    pub key_variable: Option<String>,
    /// A model to begin with; null when it depends on what is installed.
    pub model: Option<String>,
    pub local: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ModelInfo {
    pub id: String,
    pub owned_by: Option<String>,
    /// In tokens, where the endpoint says it.
    pub context_length: Option<u32>,
    /// It is in memory and answers at once. Null where the endpoint does not say it.
    #[serde(default)]
    pub loaded: Option<bool>,
    /// It was made to call tools. Null where the endpoint does not say it.
    #[serde(default)]
    pub tools: Option<bool>,
    /// It takes images. Null where the endpoint does not say it.
    #[serde(default)]
    pub vision: Option<bool>,
}

/// Where the number of a model's window comes from (X2), the most certain first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum WindowSource {
    /// The person set it.
    Setting,
    /// The endpoint says what is in force, or has shown it by what it read.
    Endpoint,
    /// Orion's table of known models.
    Table,
    /// Nothing is known of the model.
    Assumed,
}

/// The window that a turn reckons with (X2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct WindowInForce {
    pub tokens: u32,
    pub source: WindowSource,
}

/// A tool as `orion tools` and the settings list it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ToolInfo {
    pub name: String,
    pub description: String,
    pub read_only: bool,
    pub permission: Permission,
    /// How often it may run in a turn; null where only the turn's budget limits it.
    #[serde(default)]
    pub max_per_turn: Option<u32>,
    /// Its arguments as a JSON Schema object.
    #[ts(type = "unknown")]
    pub parameters: serde_json::Value,
}
