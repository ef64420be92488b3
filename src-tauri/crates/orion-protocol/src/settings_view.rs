//! The settings in force as the window shows them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{Endpoint, EndpointPreset, ErrorInfo, Mode, ProjectId, SettingsChange, ToolSettings, TurnLimits};

/// The user's settings as they are in force, with no secret in them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Settings {
    pub two_stage_enabled: bool,
    pub mode: Mode,
    /// Those that were set; what is null is the default of a turn's route (T4).
    pub limits: TurnLimits,
    pub endpoints: Vec<Endpoint>,
    /// The endpoint of new turns; null when none is set up.
    pub default_endpoint: Option<String>,
    /// Everything that was set, in the environment or in the user's file; what is null has its default.
    pub set: SettingsChange,
    /// The part of it that the environment sets, whatever the user's file says.
    pub environment: SettingsChange,
    pub presets: Vec<EndpointPreset>,
    /// What the person has set for tools, by name.
    pub tools: Vec<ToolSettings>,
    pub config_file: String,
    pub data_dir: String,
    /// False when the system has no keychain; keys then come from the environment or last as long as the window.
    pub keychain: bool,
    /// What is wrong in a configuration file, with file, line and key.
    pub problems: Vec<ErrorInfo>,
}

/// The settings of a turn in a project, unless the turn has its own: the user's settings, with what the project's
/// file lowers and tightens (P3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ProjectSettings {
    pub project_id: ProjectId,
    pub two_stage_enabled: bool,
    pub mode: Mode,
    pub limits: RouteLimits,
    /// What the project's file says. A number that is higher than the user's changes nothing.
    pub asked: SettingsChange,
    /// What the project's file says of tools; a rule of it can only make one stricter.
    pub tools: Vec<ToolSettings>,
    /// What is wrong in the project's file, with line and key; what is wrong in the user's is in [`Settings`].
    pub problems: Vec<ErrorInfo>,
}

/// The budgets in force on each route, by the route's name on the wire, and in plan mode; none is null (T4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub struct RouteLimits {
    pub two_stage: TurnLimits,
    /// The two-stage route in plan mode, where no command is offered (P3).
    pub plan: TurnLimits,
    pub unified: TurnLimits,
}
