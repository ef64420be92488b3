//! The settings: where they come from, how they are read, which of them are in force, and how they are saved.
//!
//! There are five layers, and a later one wins: the built-in defaults, the user's `config.toml`, the project's
//! `.orion/config.toml`, the environment, and the options of one turn. A project is not trusted. Its file has a type of
//! its own ([`ProjectConfig`]), which cannot name an endpoint or a key, and which can only make a turn smaller or
//! stricter. A mistake in a file disables the one key that it is in, or at most that file. It is reported, and never
//! stops Orion.
//!
//! Deliberately not here: keys (`secrets`), the folders (`paths`), and enforcing a tool's permission.

mod definition;
mod editing;
mod encryption;
mod endpoints;
mod environment;
mod file;
mod given;
mod in_force;
mod layer;
mod models;
mod overrides;
mod prices;
mod reading;
mod saving;
mod secret_variables;
mod sizes;
mod value;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use orion_files::workspace::{Private, Project};
use orion_protocol::setting::{InProject, SettingValue};
use orion_protocol::{ErrorInfo, ResultsAs, Route, SettingsChange};

pub use definition::{ProjectConfig, ProjectPermission, UserConfig, project_schema, user_schema};
pub use encryption::{check_encrypted, is_this_computer};
pub use endpoints::{EndpointConfig, ModelConfig, OutputTokens, SetThinking, WindowTokens};
pub use environment::Environment;
pub(crate) use given::Closed;
pub use in_force::InForce;
pub use models::save_model;
pub use saving::{
    KeyPlace, accept_finish_reason, base_url, forget_finish_reason, remove_endpoint, reset_settings,
    save_endpoint, save_settings, save_tool,
};
pub use value::{BaseUrl, FinishWord, KeyVariable, Within};

use definition::{ProjectRuleConfig, ProjectRulePermission};
use file::Found;
use prices::PriceList;
use reading::Document;

use crate::instructions;
use crate::paths::Paths;

/// The name of the built-in endpoint; no other may have it.
pub const DEMO: &str = "demo";

/// The name of an endpoint that is given on the command line; no other may have it. A turn that began with it is
/// never sent anywhere else.
pub const COMMAND_LINE: &str = "command-line";

/// Where a project keeps its settings, below its folder.
pub const PROJECT_FILE: &str = ".orion/config.toml";

/// The user's own layers: `config.toml` and the environment.
#[derive(Debug, Clone, Default)]
pub struct Config {
    file: PathBuf,
    user: UserConfig,
    environment: SettingsChange,
    /// The window of every model, by the environment.
    window: Option<WindowTokens>,
    /// The form of results for every model, by the environment.
    results_as: Option<ResultsAs>,
    prices: Arc<PriceList>,
    problems: Vec<ErrorInfo>,
}

impl Config {
    /// Reads the user's layers of the Orion with these folders, which commands are never given (C2).
    #[must_use]
    pub fn of(paths: &Paths, environment: &Environment) -> Self {
        Self::beside(&Closed::of(paths), &paths.config_file(), environment)
    }

    /// Reads the user's layers. A missing file is an empty one; what is wrong is in [`InForce::problems`].
    #[must_use]
    pub fn load(file: &Path, environment: &Environment) -> Self {
        Self::beside(&Closed::default(), file, environment)
    }

    fn beside(closed: &Closed, file: &Path, environment: &Environment) -> Self {
        let window = overrides::window(environment);
        let results_as = overrides::results_as(environment);
        let (environment, mut problems) = overrides::read(environment);
        problems.extend(window.as_ref().err().cloned());
        problems.extend(results_as.as_ref().err().cloned());
        let (window, results_as) = (window.unwrap_or_default(), results_as.unwrap_or_default());
        let (user, faults) = match file::read_user(file) {
            Found::Nothing => Default::default(),
            Found::Text(text) => read_user(file, &text, closed),
            Found::Unreadable(problem) => (UserConfig::default(), vec![problem]),
        };
        problems.splice(0..0, faults);
        let (prices, faults) = PriceList::beside(file);
        problems.extend(faults);
        let (file, prices) = (file.to_path_buf(), Arc::new(prices));
        Self { file, user, environment, window, results_as, prices, problems }
    }

    /// Adds an endpoint for this process alone, in place of one with its name, and makes it the default.
    #[must_use]
    pub fn with_endpoint(mut self, name: &str, endpoint: EndpointConfig) -> Self {
        self.user.endpoints.insert(name.to_owned(), endpoint);
        self.environment.default_endpoint = Some(name.to_owned());
        self
    }

    /// What is in force without a project.
    #[must_use]
    pub fn without_project(&self) -> InForce {
        self.in_force(&ProjectConfig::default(), self.problems.clone())
    }

    /// What is in force in a project. Its file is read through the project's directory handle, so that no symlink leads
    /// outside. Nothing in it is run or called.
    #[must_use]
    pub fn for_project(&self, project: &Project) -> InForce {
        let mut shown = project.root().to_owned();
        // Name by name, with the system's own separator between them.
        shown.extend(PROJECT_FILE.split('/'));
        let (config, faults) = match file::read_project(project, &shown) {
            Found::Nothing => Default::default(),
            Found::Text(text) => self.read_project(&shown, &text),
            Found::Unreadable(problem) => (ProjectConfig::default(), vec![problem]),
        };
        let unsent = instructions::unsent(project);
        let problems = self.problems.iter().cloned().chain(faults).chain(unsent).collect();
        self.in_force(&config, problems)
    }

    fn in_force(&self, project: &ProjectConfig, problems: Vec<ErrorInfo>) -> InForce {
        let prices = Arc::clone(&self.prices);
        let mut in_force = InForce::of(&self.user, project, &self.environment, prices, problems);
        in_force.window = self.window.map(Within::get);
        in_force.results_as = self.results_as;
        in_force
    }

    /// What is in force in the project in this folder.
    ///
    /// # Errors
    /// Those of [`Project::open`]. A fault in a settings file is no error.
    pub fn in_folder(&self, folder: &Path, private: &Private) -> Result<InForce, ErrorInfo> {
        Ok(self.for_project(&Project::open(folder, private)?))
    }

    fn read_project(&self, shown: &Path, text: &str) -> (ProjectConfig, Vec<ErrorInfo>) {
        let mut document = match Document::parse(shown, text) {
            Ok(document) => document,
            Err(problem) => return (ProjectConfig::default(), vec![problem]),
        };
        let (project, mut problems) = document.read::<ProjectConfig>(Some(&self.file));
        for (path, asked, allowed) in self.raised(&project) {
            problems.push(document.problem(
                &path,
                &format!("asks for {asked}, and you allow {allowed}: a project can only lower it"),
                &format!("Raise it in {} if you trust this project.", self.file.display()),
            ));
        }
        for (name, tool) in &project.tools {
            let allows = |rule: &ProjectRuleConfig| rule.permission == ProjectRulePermission::Allow;
            for (at, _) in tool.rules.iter().enumerate().filter(|(_, rule)| allows(rule)) {
                let path =
                    ["tools", name.as_str(), "rules", &reading::nth(at), "permission"].map(str::to_owned);
                problems.push(document.problem(
                    &path,
                    "changes nothing: a project's file cannot allow",
                    &format!("Remove the rule here; you can allow it in {}.", self.file.display()),
                ));
            }
        }
        (project, problems)
    }

    /// The numbers with which a project asks for more than the user allows. They are cut when they are merged.
    fn raised(&self, project: &ProjectConfig) -> Vec<(Vec<String>, u32, u32)> {
        let below = &self.user.values;
        let two_stage = self.environment.clone().over(below).two_stage_enabled();
        let route = if two_stage { Route::TwoStage } else { Route::Unified };
        let below = below.clone().over(&SettingsChange::defaults(route, true));
        let lowers = SettingsChange::ALL.iter().filter(|it| it.facts.in_project == InProject::Lowers);
        lowers
            .filter_map(|setting| match (setting.get(&project.values)?, setting.get(&below)?) {
                (SettingValue::Number(asked), SettingValue::Number(allowed)) if asked > allowed => {
                    Some((setting.path(), asked, allowed))
                }
                _ => None,
            })
            .collect()
    }
}

fn read_user(file: &Path, text: &str, closed: &Closed) -> (UserConfig, Vec<ErrorInfo>) {
    let mut document = match Document::parse(file, text) {
        Ok(document) => document,
        Err(problem) => return (UserConfig::default(), vec![problem]),
    };
    let (mut user, mut problems) = document.read::<UserConfig>(None);
    let taken = [
        (DEMO, "has the name of the built-in demo model"),
        (COMMAND_LINE, "has the name that is reserved for an endpoint of the command line"),
    ];
    for (name, what) in taken {
        if user.endpoints.remove(name).is_some() {
            let path = ["endpoints".to_owned(), name.to_owned()];
            problems.push(document.problem(&path, what, "Give this endpoint another name."));
        }
    }
    for (name, endpoint) in &mut user.endpoints {
        if !endpoint.key_variable_confirmed
            && let Some(variable) = endpoint.key_variable.take_if(|variable| !variable.is_called_a_key())
        {
            let path = ["endpoints", name.as_str(), "key_variable"].map(str::to_owned);
            problems.push(document.problem(
                &path,
                &format!("names {variable}, which is not called a key"),
                "Name a variable that ends in _KEY or _TOKEN. If this one does hold the endpoint's key, say key_variable_confirmed = \
                 true beside it.",
            ));
        }
    }
    problems.extend(closed.take_out(&document, &mut user));
    for (name, endpoint) in &user.endpoints {
        let set = |model: &str, path: &[&str]| SetThinking {
            endpoint: name.clone(),
            model: model.to_owned(),
            at: document.at(&path.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>()),
        };
        let of_all = endpoint.thinking.map(|_| set(&endpoint.model, &["endpoints", name, "thinking"]));
        let of_one = endpoint.models.iter().filter(|(_, own)| own.thinking.is_some());
        let of_one = of_one.map(|(model, _)| set(model, &["endpoints", name, "models", model, "thinking"]));
        user.thinking.extend(of_all.into_iter().chain(of_one));
    }
    let UserConfig { values, endpoints, .. } = &mut user;
    if let Some(name) =
        values.default_endpoint.take_if(|name| name != DEMO && !endpoints.contains_key(name.as_str()))
    {
        problems.push(document.problem(
            &["default_endpoint".to_owned()],
            &format!("names `{name}`, which is not an endpoint of this file"),
            &format!("Add a table [endpoints.{name}], or name another endpoint."),
        ));
    }
    (user, problems)
}
