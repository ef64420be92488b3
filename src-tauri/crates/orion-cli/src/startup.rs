//! The start of every command: the environment, the folders, the settings, the keys, the log.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use orion_engine::config::{Config, EndpointConfig, Environment, InForce};
use orion_engine::logging;
use orion_engine::paths::Paths;
use orion_engine::secrets::{KeyStore, Keychain, Redactor};
use orion_engine::{Engine, EngineOptions, Readers, thinking};
use orion_otlp::Otlp;
use orion_protocol::{Channel, ErrorInfo};
use orion_providers::Providers;

use crate::terminal::remark;

/// What every command starts with. It opens only the settings file. The keychain is used only for an endpoint whose key is in it.
#[derive(Debug)]
pub(crate) struct Startup {
    pub(crate) environment: Environment,
    pub(crate) paths: Paths,
    pub(crate) config: Config,
    pub(crate) keys: KeyStore,
    pub(crate) providers: Arc<Providers>,
}

impl Startup {
    pub(crate) fn new(data_dir: Option<&PathBuf>) -> Result<Self, ErrorInfo> {
        let environment = Environment::of_process();
        let paths = Paths::find(&environment, data_dir.map(PathBuf::as_path))?;
        let redactor = Redactor::default();
        if let Err(problem) = logging::start(&paths.log_dir(), &environment, redactor.clone()) {
            remark(&problem.message);
        }
        let config = Config::of(&paths, &environment);
        Ok(Self {
            config,
            keys: KeyStore::new(environment.clone(), Keychain::of_system(), redactor),
            providers: Arc::new(Providers::default()),
            environment,
            paths,
        })
    }

    /// The engine with its data folder. `endpoint` is one for this run alone.
    pub(crate) async fn engine(
        self,
        endpoint: Option<(String, EndpointConfig)>,
    ) -> Result<Engine, ErrorInfo> {
        let Self { environment, paths, keys, providers, .. } = self;
        // What is wrong with it is said where it matters to the person: by `orion run` and `orion trace --otlp`.
        let collector = Otlp::of(&environment);
        let options = EngineOptions {
            channel: Channel::CommandLine,
            paths,
            environment,
            endpoint,
            connector: providers,
            keys,
            readers: Readers::Writer,
        };
        let engine = Engine::open(options).await?;
        if let Ok(Some(collector)) = collector {
            engine.send_traces_to(Arc::new(collector));
        }
        if let Some(problem) = engine.set_aside() {
            remark(&problem.message);
            problem.action.iter().for_each(|action| remark(action));
        }
        Ok(engine)
    }

    /// What is in force in a project. Says what is wrong in the settings.
    pub(crate) fn in_project(&self, folder: &Path) -> Result<InForce, ErrorInfo> {
        let in_force = self.config.in_folder(folder, &self.paths.private())?;
        let unsent = thinking::problems_without_engine(&in_force, &*self.providers, &self.paths);
        for problem in in_force.problems.iter().chain(&unsent) {
            remark(&problem.message);
            problem.action.iter().for_each(|action| remark(action));
        }
        Ok(in_force)
    }
}
