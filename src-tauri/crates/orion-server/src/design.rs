//! The message of the designs' routes, and the turn that it asks for (H4).
//!
//! No limit of a message goes above the person's: what is asked for is lowered to what is in force.

use orion_engine::HttpMessage;
use orion_protocol::{Mode, Route, RouteLimits, SessionId, Sha256, TurnLimits, TurnOptions};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::json;
use sha2::Digest;

use crate::given;
use crate::problem::Problem;

/// Tools in a phase and phases in a turn where a message says nothing: the designs' own.
const TOOLS: u32 = 1;
const CYCLES: u32 = 3;

/// Bytes of a caller's own name for a message.
const NAME_BYTES: usize = 256;

/// A message of the designs' routes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Message {
    /// The caller's own name for it: the same one begins no second turn.
    pub(crate) external_id: Option<String>,
    #[serde(default)]
    #[expect(dead_code, reason = "it is checked to be a text, as the designs have it")]
    pub(crate) sender: Option<String>,
    pub(crate) content: String,
    #[serde(default)]
    pub(crate) metadata: Metadata,
}

/// The wishes of a message beside its text; each may be left out.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Metadata {
    /// The id, path or name of a project that is served.
    pub(crate) project: Option<String>,
    /// The id of the session that goes on; a new one begins without it.
    pub(crate) session: Option<String>,
    pub(crate) endpoint: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) mode: Option<Mode>,
    #[schemars(schema_with = "limits")]
    pub(crate) limits: Option<TurnLimits>,
    pub(crate) pause_after_tool: Option<bool>,
    /// Paths of the project that come with it.
    pub(crate) attach: Vec<String>,
    /// Files that are not of the project.
    pub(crate) attachments: Vec<Given>,
    pub(crate) on_disconnect: OnDisconnect,
}

/// A file that comes with a message.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Given {
    pub(crate) name: String,
    /// The file in base64.
    pub(crate) data: String,
}

/// The fate of a turn that nobody reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OnDisconnect {
    #[default]
    Stop,
    Continue,
}

impl OnDisconnect {
    pub(crate) fn of(goes_on: bool) -> Self {
        if goes_on { Self::Continue } else { Self::Stop }
    }
}

impl Message {
    /// The part of it that its turn keeps.
    pub(crate) fn kept(&self) -> HttpMessage {
        let name = self.external_id.as_deref().filter(|name| !name.is_empty());
        let goes_on = self.metadata.on_disconnect == OnDisconnect::Continue;
        kept(name, &self.content, goes_on)
    }

    pub(crate) fn has_a_long_name(&self) -> bool {
        self.external_id.as_ref().is_some_and(|name| name.len() > NAME_BYTES)
    }
}

impl Metadata {
    /// The session that is named.
    ///
    /// # Errors
    /// 400 for what is no id.
    pub(crate) fn session_id(&self) -> Result<Option<SessionId>, Problem> {
        self.session.as_deref().map(|session| given::id("metadata.session", session)).transpose()
    }

    /// The options of the turn on this route, where these limits are in force.
    pub(crate) fn options(&self, route: Option<Route>, in_force: RouteLimits) -> TurnOptions {
        let most = match (route, self.mode) {
            (Some(Route::Unified), _) => in_force.unified,
            (_, Some(Mode::Plan)) => in_force.plan,
            _ => in_force.two_stage,
        };
        let asked = self.limits.unwrap_or_default();
        let of_designs = match route {
            Some(_) => TurnLimits {
                max_tools: asked.max_tools.or(Some(TOOLS)),
                max_cycles: asked.max_cycles.or(Some(CYCLES)),
                ..asked
            },
            None => asked,
        };
        TurnOptions {
            mode: self.mode,
            route,
            endpoint: self.endpoint.clone(),
            model: self.model.clone(),
            limits: lowered(of_designs, most),
            pause_after_tool: self.pause_after_tool,
            attach: self.attach.clone(),
            ..TurnOptions::default()
        }
    }
}

/// The limits of a turn, each a number, or null where a message says nothing of it.
fn limits(_: &mut SchemaGenerator) -> Schema {
    let fields = serde_json::to_value(TurnLimits::default()).unwrap_or_default();
    let names = fields.as_object().into_iter().flat_map(|fields| fields.keys());
    let number = json!({ "type": ["number", "null"], "minimum": 0 });
    let properties: serde_json::Map<String, serde_json::Value> =
        names.map(|name| (name.clone(), number.clone())).collect();
    json_schema!({ "type": ["object", "null"], "properties": properties })
}

/// The part of a message that its turn keeps.
pub(crate) fn kept(name: Option<&str>, content: &str, goes_on: bool) -> HttpMessage {
    HttpMessage { name: name.map(digest), content: digest(content), goes_on }
}

fn digest(text: &str) -> Sha256 {
    let digest: [u8; 32] = sha2::Sha256::digest(text).into();
    Sha256::from(digest)
}

/// The smaller one of a limit that is asked for and the one in force.
fn lowered(asked: TurnLimits, most: TurnLimits) -> TurnLimits {
    fn least<T: Ord>(asked: Option<T>, most: Option<T>) -> Option<T> {
        match (asked, most) {
            (Some(asked), Some(most)) => Some(asked.min(most)),
            (asked, _) => asked,
        }
    }
    TurnLimits {
        max_cycles: least(asked.max_cycles, most.max_cycles),
        max_tools: least(asked.max_tools, most.max_tools),
        max_duplicates: least(asked.max_duplicates, most.max_duplicates),
        max_output_tokens: least(asked.max_output_tokens, most.max_output_tokens),
        max_thinking_tokens: least(asked.max_thinking_tokens, most.max_thinking_tokens),
        max_file_bytes: least(asked.max_file_bytes, most.max_file_bytes),
        max_seconds: least(asked.max_seconds, most.max_seconds),
        max_command_seconds: least(asked.max_command_seconds, most.max_command_seconds),
        max_cost_usd: least(asked.max_cost_usd, most.max_cost_usd),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_raises_no_limit_and_has_those_of_the_designs_where_it_says_nothing() {
        let most = TurnLimits {
            max_cycles: Some(2),
            max_tools: Some(4),
            max_seconds: Some(60),
            ..TurnLimits::default()
        };
        let in_force = RouteLimits { two_stage: most, plan: most, unified: most };
        let metadata = |json| serde_json::from_value::<Metadata>(json).unwrap();
        let plain = metadata(json!({ "anything": ["else"] }));
        assert_eq!(
            plain.options(Some(Route::TwoStage), in_force).limits,
            TurnLimits { max_cycles: Some(2), max_tools: Some(1), ..TurnLimits::default() }
        );
        let greedy = metadata(json!({ "limits": { "maxCycles": 99, "maxTools": 3, "maxSeconds": 5 } }));
        assert_eq!(
            greedy.options(Some(Route::TwoStage), in_force).limits,
            TurnLimits {
                max_cycles: Some(2),
                max_tools: Some(3),
                max_seconds: Some(5),
                ..TurnLimits::default()
            }
        );
        assert_eq!(plain.options(None, in_force).limits, TurnLimits::default());
    }
}
