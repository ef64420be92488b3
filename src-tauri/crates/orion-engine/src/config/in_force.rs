//! The layers laid over each other: what a turn in a project goes by.

use std::collections::BTreeMap;
use std::time::Duration;

use orion_protocol::{Code, ErrorInfo, Mode, Permission, Policy, Route, TurnLimits, TurnOptions};

use super::definition::{EndpointConfig, ProjectConfig, ProjectMode, ProjectPermission, UserConfig};
use super::overrides::FromEnvironment;
use super::value::Within;
use crate::endpoint::Patience;

/// 32 KiB of a tool result: 8,000 tokens at 4 bytes each, a quarter of the smallest context in common use (32,000 tokens).
pub const DEFAULT_RESULT_BYTES: u32 = 32_768;
/// 8 KiB of AGENTS.md: 2,000 tokens at 4 bytes each, which every model call of a turn carries.
pub const DEFAULT_INSTRUCTIONS_BYTES: u32 = 8_192;

/// 2,000 ms (W4).
pub const DEFAULT_WRITE_SESSION_IDLE: Duration = Duration::from_millis(2_000);

/// Settings as they are in force, in a project or without one.
#[derive(Debug, Clone, PartialEq)]
pub struct InForce {
    pub two_stage_enabled: bool,
    pub mode: Mode,
    /// The endpoint of new turns; null when none is set up.
    pub default_endpoint: Option<String>,
    /// The user's endpoints, without the demo model.
    pub endpoints: BTreeMap<String, EndpointConfig>,
    /// Bytes of one tool result that the model is given (R3).
    pub result_bytes: u32,
    /// How long a model call may be silent; null leaves it to the endpoint's own patience.
    pub idle_timeout: Option<Duration>,
    /// Bytes of AGENTS.md files that go into the prompt.
    pub instructions_bytes: u32,
    /// How long a write session waits after a message without its end line (W4).
    pub write_session_idle: Duration,
    /// Content always ends with a line of its own session instead of `DONE` (W3).
    pub strict_end_line: bool,
    /// What is wrong in a settings file or in the environment.
    pub problems: Vec<ErrorInfo>,
    limits: Limits,
    tools: BTreeMap<String, ToolRule>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Limits {
    user: TurnLimits,
    project: TurnLimits,
    environment: TurnLimits,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct ToolRule {
    user: Option<Permission>,
    project: Option<ProjectPermission>,
    user_timeout_ms: Option<u32>,
    project_timeout_ms: Option<u32>,
}

impl InForce {
    pub(super) fn of(
        user: &UserConfig,
        project: &ProjectConfig,
        environment: &FromEnvironment,
        problems: Vec<ErrorInfo>,
    ) -> Self {
        let FromEnvironment { change: environment, write_session_idle_ms } = environment;
        let mode = match project.mode {
            Some(ProjectMode::Plan) => Mode::Plan,
            None => user.mode.unwrap_or_default(),
        };
        let mut tools: BTreeMap<String, ToolRule> = BTreeMap::new();
        for (name, tool) in &user.tools {
            let rule = tools.entry(name.clone()).or_default();
            (rule.user, rule.user_timeout_ms) = (tool.permission, tool.timeout_ms.map(Within::get));
        }
        for (name, tool) in &project.tools {
            let rule = tools.entry(name.clone()).or_default();
            (rule.project, rule.project_timeout_ms) = (tool.permission, tool.timeout_ms.map(Within::get));
        }
        let lowered = |user: u32, project: Option<u32>| project.map_or(user, |project| project.min(user));
        Self {
            two_stage_enabled: environment.two_stage_enabled.or(user.two_stage_enabled).unwrap_or(true),
            mode: environment.mode.unwrap_or(mode),
            default_endpoint: environment.default_endpoint.clone().or_else(|| user.default_endpoint.clone()),
            endpoints: user.endpoints.clone(),
            result_bytes: lowered(
                user.result_bytes.map_or(DEFAULT_RESULT_BYTES, Within::get),
                project.result_bytes.map(Within::get),
            ),
            idle_timeout: user.idle_timeout_s.map(|seconds| Duration::from_secs(seconds.get().into())),
            instructions_bytes: lowered(
                user.instructions_bytes.map_or(DEFAULT_INSTRUCTIONS_BYTES, Within::get),
                project.instructions_bytes.map(Within::get),
            ),
            write_session_idle: write_session_idle_ms
                .or(user.write_session_idle_ms.map(Within::get))
                .map_or(DEFAULT_WRITE_SESSION_IDLE, |ms| Duration::from_millis(ms.into())),
            strict_end_line: project.strict_end_line.or(user.strict_end_line).unwrap_or(false),
            problems,
            limits: Limits {
                user: user.limits.into(),
                project: project.limits.into(),
                environment: environment.limits,
            },
            tools,
        }
    }

    /// How patient a model call is.
    #[must_use]
    pub fn patience(&self) -> Patience {
        Patience { silence: self.idle_timeout, retry: None }
    }

    /// The policy of a turn: the options of the turn, over the environment, over what the project lowers, over the user's
    /// (P2, P3). A route asked for that is switched off is refused with `route_disabled`.
    pub fn policy(&self, options: &TurnOptions) -> Result<Policy, ErrorInfo> {
        let route = match options.route {
            Some(Route::TwoStage) if !self.two_stage_enabled => {
                return Err(ErrorInfo::new(
                    Code::RouteDisabled,
                    "The two-stage route is switched off.",
                    "Ask for the unified route, or switch two_stage_enabled on in the settings.",
                ));
            }
            Some(route) => route,
            None if self.two_stage_enabled => Route::TwoStage,
            None => Route::Unified,
        };
        Ok(Policy::of(route, self.limits(route, options.limits)))
    }

    /// The budgets of a turn on this route, all three known.
    #[must_use]
    pub fn limits(&self, route: Route, turn: TurnLimits) -> TurnLimits {
        let Limits { user, project, environment } = self.limits;
        let user = Policy::of(route, user);
        let budget = |user: u32, project: Option<u32>, environment: Option<u32>, turn: Option<u32>| {
            turn.or(environment).or_else(|| project.map(|project| project.min(user))).or(Some(user))
        };
        TurnLimits {
            max_cycles: budget(user.max_cycles, project.max_cycles, environment.max_cycles, turn.max_cycles),
            max_tools: budget(user.max_tools, project.max_tools, environment.max_tools, turn.max_tools),
            max_duplicates: budget(
                user.max_duplicates,
                project.max_duplicates,
                environment.max_duplicates,
                turn.max_duplicates,
            ),
        }
    }

    /// The budgets that were set for every project, in the environment or else by the user; null where neither says a number,
    /// because the default is the route's (T4).
    #[must_use]
    pub fn set_limits(&self) -> TurnLimits {
        let Limits { user, environment, .. } = self.limits;
        TurnLimits {
            max_cycles: environment.max_cycles.or(user.max_cycles),
            max_tools: environment.max_tools.or(user.max_tools),
            max_duplicates: environment.max_duplicates.or(user.max_duplicates),
        }
    }

    /// What a tool may do: the user's word, or else its own default, and the project's where that is stricter (A1).
    #[must_use]
    pub fn permission(&self, tool: &str, default: Permission) -> Permission {
        let rule = self.tools.get(tool).copied().unwrap_or_default();
        match (rule.user.unwrap_or(default), rule.project) {
            (Permission::Deny, _) | (_, Some(ProjectPermission::Deny)) => Permission::Deny,
            (Permission::Ask, _) | (_, Some(ProjectPermission::Ask)) => Permission::Ask,
            (Permission::Allow, None) => Permission::Allow,
        }
    }

    /// [`Self::permission`] of each of these tools, by name.
    pub fn permissions<'t>(
        &self,
        defaults: impl IntoIterator<Item = (&'t str, Permission)>,
    ) -> BTreeMap<String, Permission> {
        defaults
            .into_iter()
            .map(|(tool, default)| (tool.to_owned(), self.permission(tool, default)))
            .collect()
    }

    /// How long one call of a tool may take: the user's number, or else its own default, and the project's where that is
    /// shorter.
    #[must_use]
    pub fn timeout(&self, tool: &str, default: Duration) -> Duration {
        let rule = self.tools.get(tool).copied().unwrap_or_default();
        let milliseconds = |number: u32| Duration::from_millis(number.into());
        let user = rule.user_timeout_ms.map_or(default, milliseconds);
        rule.project_timeout_ms.map_or(user, |project| milliseconds(project).min(user))
    }
}
