//! The settings as the window shows and changes them.

use std::path::PathBuf;
use std::sync::PoisonError;

use orion_core::tool::ToolSet;
use orion_protocol::{
    Code, Endpoint, EndpointChange, ErrorInfo, KeySource, Mode, ModelChange, Outcome, ProjectId,
    ProjectSettings, Route, RouteLimits, Settings, SettingsChange, ToolSettings, TurnLimits, Update,
};
use secrecy::SecretString;

use super::{Engine, blocking, connecting};
use crate::config::{self, Closed, EndpointConfig, InForce, KeyPlace};
use crate::runner::ToolRunner;
use crate::thinking;

impl Engine {
    /// What is in force without a project. Opens the keychain to say whether there is one.
    pub(super) async fn settings(&self) -> Settings {
        let in_force = self.config().without_project();
        let (set, environment) = (in_force.set(), in_force.environment());
        let options = &self.shared.options;
        let mut endpoints: Vec<Endpoint> = in_force
            .endpoints
            .iter()
            .map(|(name, endpoint)| in_force.endpoint(name, endpoint, options.keys.source(name, endpoint)))
            .collect();
        endpoints.push(connecting::demo());
        let untold = self.untold_thinking();
        self.shared.said_of_thinking.write().unwrap_or_else(PoisonError::into_inner).clone_from(&untold);
        let problems = in_force.problems.iter().cloned().chain(untold).collect();
        Settings {
            two_stage_enabled: in_force.values.two_stage_enabled(),
            mode: in_force.values.mode(),
            limits: set.limits,
            endpoints,
            default_endpoint: in_force.values.default_endpoint,
            environment,
            set,
            presets: options.connector.presets(),
            tools: in_force.of_tools,
            config_file: options.paths.config_file().display().to_string(),
            data_dir: options.paths.data_dir.display().to_string(),
            keychain: options.keys.has_keychain().await,
            problems,
        }
    }

    /// A setting of thinking that cannot be told to its model, by what is known now.
    fn untold_thinking(&self) -> Vec<ErrorInfo> {
        let connector = &*self.shared.options.connector;
        thinking::problems(&self.config().without_project(), connector, &self.shared.learned)
    }

    /// Tells the settings anew where something was learned since that makes more or less of it a mistake.
    pub(super) async fn tell_of_thinking(&self) {
        let untold = self.untold_thinking();
        let said = self.shared.said_of_thinking.read().unwrap_or_else(PoisonError::into_inner).clone();
        if self.is_listened_to() && untold != said {
            self.tell(Update::Settings { settings: Box::new(self.settings().await) });
        }
    }

    /// What is in force in a project, as its folder says it now.
    pub(super) async fn project_settings(&self, project_id: ProjectId) -> Result<ProjectSettings, ErrorInfo> {
        let folder = self.folder(project_id).await?;
        let tools = ToolRunner::of(&self.shared.sources, &folder).await;
        let in_force = self.in_force(project_id).await?;
        Ok(self.settings_in(project_id, &in_force, tools.tools()))
    }

    pub(super) async fn in_force(&self, project_id: ProjectId) -> Result<InForce, ErrorInfo> {
        let folder = self.folder(project_id).await?;
        let config = self.config();
        blocking(move || Ok(config.for_project(&folder))).await
    }

    /// The part of what is in force that the window shows, in a project that has these tools.
    pub(super) fn settings_in(
        &self,
        project_id: ProjectId,
        in_force: &InForce,
        tools: &ToolSet,
    ) -> ProjectSettings {
        let of_user = self.config().without_project().problems;
        let limits = |route, mode| {
            let commands = in_force.tools(tools).offered_in(mode).run_commands();
            in_force.limits(route, commands, TurnLimits::default())
        };
        ProjectSettings {
            project_id,
            two_stage_enabled: in_force.values.two_stage_enabled(),
            mode: in_force.values.mode(),
            limits: RouteLimits {
                two_stage: limits(Route::TwoStage, Mode::Act),
                plan: limits(Route::TwoStage, Mode::Plan),
                unified: limits(Route::Unified, Mode::Act),
            },
            asked: in_force.asked(),
            tools: in_force.project_tools.clone(),
            problems: in_force
                .problems
                .iter()
                .filter(|problem| !of_user.contains(problem))
                .cloned()
                .collect(),
        }
    }

    pub(super) async fn save_settings(&self, change: SettingsChange) -> Result<Outcome, ErrorInfo> {
        let (file, closed) = (self.config_file(), Closed::of(&self.shared.options.paths));
        blocking(move || {
            closed.check(&change)?;
            config::save_settings(&file, &change)
        })
        .await?;
        self.reload().await
    }

    pub(super) async fn save_tool(&self, tool: ToolSettings) -> Result<Outcome, ErrorInfo> {
        let file = self.config_file();
        blocking(move || config::save_tool(&file, &tool)).await?;
        self.reload().await
    }

    pub(super) async fn reset_settings(&self, keys: Vec<String>) -> Result<Outcome, ErrorInfo> {
        let file = self.config_file();
        blocking(move || config::reset_settings(&file, &keys)).await?;
        self.reload().await
    }

    pub(super) async fn save_model(&self, change: ModelChange) -> Result<Outcome, ErrorInfo> {
        let file = self.config_file();
        blocking(move || config::save_model(&file, &change)).await?;
        self.reload().await
    }

    pub(super) async fn forget_finish_reason(
        &self,
        endpoint: String,
        reason: String,
    ) -> Result<Outcome, ErrorInfo> {
        let file = self.config_file();
        blocking(move || config::forget_finish_reason(&file, &endpoint, &reason)).await?;
        self.reload().await
    }

    /// A new key goes to the keychain before the endpoint is written down, so that the file never promises a key that is
    /// nowhere. A key that was given for one server goes to no other: where the server changes and no key comes with it, the
    /// old one is forgotten.
    pub(super) async fn save_endpoint(&self, mut change: EndpointChange) -> Result<Outcome, ErrorInfo> {
        let keys = &self.shared.options.keys;
        let name = change.name.trim().to_owned();
        let before = self.config().without_project().endpoints.remove(&name);
        let address = config::base_url(&change)?;
        let moved = before.as_ref().filter(|before| before.base_url.origin() != address.origin());
        let (place, forget) = match change.api_key.take().filter(|key| !key.0.is_empty()) {
            Some(key) => match keys.keep(&name, &address, SecretString::from(key.0)).await? {
                KeySource::Keychain => (KeyPlace::Keychain, None),
                _ => (KeyPlace::Memory, None),
            },
            None if moved.is_some() => (KeyPlace::Nowhere, moved),
            None => (before.as_ref().map_or(KeyPlace::Nowhere, |before| place(before, &change)), None),
        };
        let file = self.config_file();
        blocking(move || config::save_endpoint(&file, &change, place)).await?;
        if let Some(before) = forget {
            keys.forget(&name, before.keychain).await?;
        }
        // The person may have changed the server just now: what it showed before is found out anew.
        self.shared.learned.forget(address.as_str());
        self.reload().await
    }

    pub(super) async fn accept_finish_reason(
        &self,
        endpoint: String,
        reason: String,
    ) -> Result<Outcome, ErrorInfo> {
        let file = self.config_file();
        blocking(move || config::accept_finish_reason(&file, &endpoint, &reason)).await?;
        self.reload().await
    }

    pub(super) async fn remove_endpoint(&self, name: String) -> Result<Outcome, ErrorInfo> {
        let known = self.config().without_project();
        let Some(endpoint) = known.endpoints.get(&name) else {
            let message = format!("There is no endpoint named {name}.");
            return Err(ErrorInfo::new(Code::NoEndpoint, message, "Choose one that is set up."));
        };
        let in_keychain = endpoint.keychain;
        let (file, gone) = (self.config_file(), name.clone());
        blocking(move || config::remove_endpoint(&file, &gone)).await?;
        self.shared.learned.forget(endpoint.base_url.as_str());
        self.shared.options.keys.forget(&name, in_keychain).await?;
        self.reload().await
    }

    async fn reload(&self) -> Result<Outcome, ErrorInfo> {
        let engine = self.clone();
        let config = blocking(move || Ok(engine.shared.options.load())).await?;
        *self.shared.config.write().unwrap_or_else(PoisonError::into_inner) = config;
        self.tell(Update::Settings { settings: Box::new(self.settings().await) });
        Ok(Outcome::Done)
    }

    fn config_file(&self) -> PathBuf {
        self.shared.options.paths.config_file()
    }
}

/// Where the key is of an endpoint that stays at its server, and gets no new one.
fn place(before: &EndpointConfig, change: &EndpointChange) -> KeyPlace {
    if before.keychain {
        KeyPlace::Keychain
    } else if before.key_not_kept && change.key_variable.is_none() {
        KeyPlace::Memory
    } else {
        KeyPlace::Nowhere
    }
}
