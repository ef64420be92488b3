//! The settings in force: the layers merged, for one project or for none.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use orion_core::model::Prices;
use orion_core::permission::{Rule, Rules, ToolRules};
use orion_core::tool::ToolSet;
use orion_protocol::{
    Code, Endpoint, ErrorInfo, KeySource, ModelTuning, Permission, Policy, ResultsAs, Route, SettingsChange,
    ToolSettings, TurnLimits, TurnOptions,
};

use super::definition::{ProjectConfig, UserConfig};
use super::endpoints::{EndpointConfig, SetThinking};
use super::given::refused;
use super::prices::PriceList;
use super::value::Within;
use crate::endpoint::Patience;

/// Settings as they are in force, in a project or without one.
#[derive(Debug, Clone, PartialEq)]
pub struct InForce {
    /// The merged layers. The limits are not in here, since they depend on the route: [`Self::limits`].
    pub values: SettingsChange,
    /// The user's endpoints, without the demo model.
    pub endpoints: BTreeMap<String, EndpointConfig>,
    /// Tokens of the window of every model, by the environment. It counts before what is set for an endpoint.
    pub window: Option<u32>,
    /// The form of results for every model, by the environment. It counts before what is set for an endpoint.
    pub results_as: Option<ResultsAs>,
    /// What is wrong in a settings file or in the environment.
    pub problems: Vec<ErrorInfo>,
    /// The places in the user's file that say whether a model is to think. Those that cannot be obeyed are mistakes: [`crate::thinking`].
    pub thinking: Vec<SetThinking>,
    /// What the user has set for tools.
    pub of_tools: Vec<ToolSettings>,
    /// What the project's file says of tools.
    pub project_tools: Vec<ToolSettings>,
    layers: Layers,
    tools: BTreeMap<String, ToolRule>,
    prices: Arc<PriceList>,
}

/// What each layer says.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Layers {
    user: SettingsChange,
    project: SettingsChange,
    environment: SettingsChange,
}

impl Layers {
    /// The layers in order, over the defaults of a route with these tools or others. A project can only lower what is below it.
    fn merged(&self, route: Route, commands: bool) -> SettingsChange {
        let defaults = SettingsChange::defaults(route, commands);
        let below = self.user.clone().over(&defaults).lowered(&self.project);
        self.environment.clone().over(&below)
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
struct ToolRule {
    rules: ToolRules,
    user_timeout_ms: Option<u32>,
    project_timeout_ms: Option<u32>,
    user_max: Option<u32>,
    project_max: Option<u32>,
}

impl InForce {
    pub(super) fn of(
        user: &UserConfig,
        project: &ProjectConfig,
        environment: &SettingsChange,
        prices: Arc<PriceList>,
        problems: Vec<ErrorInfo>,
    ) -> Self {
        let mut tools: BTreeMap<String, ToolRule> = BTreeMap::new();
        for (name, tool) in &user.tools {
            let rule = tools.entry(name.clone()).or_default();
            (rule.rules.user, rule.user_timeout_ms) = (tool.rules(), tool.timeout_ms.map(Within::get));
            rule.user_max = tool.max_per_turn.map(Within::get);
        }
        for (name, tool) in &project.tools {
            let rule = tools.entry(name.clone()).or_default();
            (rule.rules.project, rule.project_timeout_ms) = (tool.rules(), tool.timeout_ms.map(Within::get));
            rule.project_max = tool.max_per_turn.map(Within::get);
        }
        let layers = Layers {
            user: user.values.clone(),
            project: project.values.clone(),
            environment: environment.clone(),
        };
        let values =
            SettingsChange { limits: TurnLimits::default(), ..layers.merged(Route::default(), true) };
        let project_tools = project.tools.iter().map(|(name, tool)| tool.settings(name)).collect();
        let of_tools = user.tools.iter().map(|(name, tool)| tool.settings(name)).collect();
        Self {
            values,
            endpoints: user.endpoints.clone(),
            window: None,
            results_as: None,
            problems,
            thinking: user.thinking.clone(),
            of_tools,
            project_tools,
            layers,
            tools,
            prices,
        }
    }

    /// What a model costs at an endpoint; none where nobody wrote it down.
    #[must_use]
    pub fn prices(&self, endpoint: &str, model: &str) -> Option<Prices> {
        self.prices.of(endpoint, model)
    }

    /// How a model is asked to answer at an endpoint.
    #[must_use]
    pub fn tuning(&self, endpoint: &str, model: &str) -> ModelTuning {
        self.endpoints.get(endpoint).map(|config| config.tuning(model)).unwrap_or_default()
    }

    /// An endpoint with what is set for its models, their prices included.
    #[must_use]
    pub fn endpoint(&self, name: &str, config: &EndpointConfig, key: KeySource) -> Endpoint {
        let mut endpoint = config.endpoint(name, key);
        for model in self.prices.models(name) {
            endpoint.models.entry(model.to_owned()).or_default().prices = self.prices.of(name, model);
        }
        endpoint
    }

    /// The patience and the retries of a model call, in a turn that may take so many seconds.
    #[must_use]
    pub fn patience(&self, turn: Option<u32>) -> Patience {
        let seconds = |number: u32| Duration::from_secs(number.into());
        Patience {
            silence: self.values.idle_timeout_s.map(seconds),
            turn: turn.map(seconds),
            retry: Some(seconds(self.values.retry_s())),
        }
    }

    /// The policy of a turn (P2, P3). The turn's own options override the environment, and the environment overrides
    /// the files. A project's file can only lower the user's numbers. A request for a route that is switched off is
    /// refused with `route_disabled`. `commands`: the model is offered some.
    pub fn policy(&self, options: &TurnOptions, commands: bool) -> Result<Policy, ErrorInfo> {
        let route = match options.route {
            Some(Route::TwoStage) if !self.values.two_stage_enabled() => {
                return Err(ErrorInfo::new(
                    Code::RouteDisabled,
                    "The two-stage route is switched off.",
                    "Ask for the unified route, or switch two_stage_enabled on in the settings.",
                ));
            }
            Some(route) => route,
            None if self.values.two_stage_enabled() => Route::TwoStage,
            None => Route::Unified,
        };
        let compacts_at_cuts = self.values.compact_at_cuts();
        let pause_after_tool = options.pause_after_tool.unwrap_or(self.values.pause_after_tool());
        Ok(Policy {
            compacts_at_cuts,
            pause_after_tool,
            ..Policy::of(route, self.limits(route, commands, options.limits))
        })
    }

    /// The budgets of a turn on this route, whose model is offered commands or is not.
    #[must_use]
    pub fn limits(&self, route: Route, commands: bool, turn: TurnLimits) -> TurnLimits {
        turn.over(self.layers.merged(route, commands).limits)
    }

    /// What was set for every project, in the environment or else by the user; null where neither says anything.
    #[must_use]
    pub fn set(&self) -> SettingsChange {
        self.layers.environment.clone().over(&self.layers.user)
    }

    /// The part of [`Self::set`] that the environment says.
    #[must_use]
    pub fn environment(&self) -> SettingsChange {
        self.layers.environment.clone()
    }

    /// What the project's file says, also where that changes nothing.
    #[must_use]
    pub fn asked(&self) -> SettingsChange {
        self.layers.project.clone()
    }

    /// What a tool may do where no rule is for the single call: the user's setting, or else the tool's default, unless the project's setting is
    /// stricter (A1). A tool of which some calls are not denied is not denied.
    #[must_use]
    pub fn permission(&self, tool: &str, default: Permission) -> Permission {
        let Some(ToolRule { rules, .. }) = self.tools.get(tool) else { return default };
        let user = in_general(&rules.user).unwrap_or(default);
        match in_general(&rules.project) {
            Some(project) => stricter(user, project),
            None => user,
        }
    }

    /// What single calls may do, for the setup of a turn (A1). `ignores_case`: the project's file system does.
    #[must_use]
    pub fn rules(&self, ignores_case: bool) -> Rules {
        let configured = self.tools.iter().filter(|(_, rule)| rule.rules != ToolRules::default());
        let tools = configured.map(|(name, rule)| (name.clone(), rule.rules.clone())).collect();
        Rules { ignores_case, tools, ..Rules::default() }
    }

    /// These tools, each with its [`Self::permission`] here.
    #[must_use]
    pub fn tools(&self, tools: &ToolSet) -> ToolSet {
        tools
            .permitted(|tool| self.permission(&tool.name, tool.permission))
            .capped(|tool| self.max_per_turn(&tool.name))
    }

    /// How often a tool may run in a turn: the least of what the user and the project say; none where neither says anything (T4).
    #[must_use]
    pub fn max_per_turn(&self, tool: &str) -> Option<u32> {
        let rule = self.tools.get(tool)?;
        rule.user_max.into_iter().chain(rule.project_max).min()
    }

    /// The names of the variables that commands get beyond the list of the sandbox (C2). One that holds the key of an endpoint is not among them, also
    /// where the endpoint is for this process alone.
    #[must_use]
    pub fn command_env(&self) -> Vec<String> {
        let keys = |name: &str| {
            let mut keys = self.endpoints.values().filter_map(|endpoint| endpoint.key_variable.as_ref());
            keys.any(|key| key.as_str() == name)
        };
        let names = self.values.commands.env.iter().flatten();
        names.filter(|name| refused(name, keys).is_none()).cloned().collect()
    }

    /// How long one call of a tool may take: the user's number, or else the tool's default, unless the project's
    /// number is smaller.
    #[must_use]
    pub fn timeout(&self, tool: &str, default: Duration) -> Duration {
        let rule = self.tools.get(tool);
        let milliseconds = |number: u32| Duration::from_millis(number.into());
        let user = rule.and_then(|rule| rule.user_timeout_ms).map_or(default, milliseconds);
        rule.and_then(|rule| rule.project_timeout_ms).map_or(user, |project| milliseconds(project).min(user))
    }
}

/// What a list says of calls that no single rule is for. None where it says nothing of them.
fn in_general(rules: &[Rule]) -> Option<Permission> {
    let (first, rest) = rules.split_first()?;
    let general = first.pattern.is_none().then_some(first.permission)?;
    let open = rest.iter().map(|rule| rule.permission).filter(|permission| *permission != Permission::Deny);
    Some(match general {
        Permission::Deny => open.reduce(stricter).unwrap_or(Permission::Deny),
        other => other,
    })
}

fn stricter(one: Permission, other: Permission) -> Permission {
    use Permission::{Allow, Ask, Deny};
    match (one, other) {
        (Deny, _) | (_, Deny) => Deny,
        (Ask, _) | (_, Ask) => Ask,
        (Allow, Allow) => Allow,
    }
}
