//! From the start of the process to an open engine: folders, the log, settings, the project named on the command line.
//!
//! Deliberately not here: the window, which opens at the same time and does not wait for this.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use orion_engine::config::Environment;
use orion_engine::doctor::WindowFacts;
use orion_engine::paths::Paths;
use orion_engine::secrets::{KeyStore, Keychain, Redactor};
use orion_engine::{Engine, EngineOptions, Readers, logging};
use orion_otlp::Otlp;
use orion_protocol::{Channel, Code, DesktopAction, ErrorInfo, Op};
use orion_providers::Providers;

use crate::arguments::Arguments;
use crate::facts::Examiner;
use crate::single::Request;

/// Everything that is known before the engine is opened.
#[derive(Debug)]
pub(crate) struct Opening {
    paths: Paths,
    environment: Environment,
    redactor: Redactor,
    project: Option<PathBuf>,
    act: Option<DesktopAction>,
    /// Problems so far that do not prevent the opening.
    problems: Vec<ErrorInfo>,
}

/// How opening ended, and what a person should know about it.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) engine: Result<Engine, ErrorInfo>,
    pub(crate) problems: Vec<ErrorInfo>,
    /// What the person asked of the window.
    pub(crate) act: Option<DesktopAction>,
}

impl Opening {
    /// Finds the folders and starts the log, panics included.
    ///
    /// # Errors
    /// There is no home folder and none was named.
    pub(crate) fn begin(arguments: Arguments) -> Result<Self, ErrorInfo> {
        let environment = Environment::of_process();
        let paths = Paths::find(&environment, arguments.data_dir.as_deref())?;
        make_private(&paths.data_dir);
        let redactor = Redactor::default();
        let problem = logging::start(&paths.log_dir(), &environment, redactor.clone()).err();
        logging::panics();
        Ok(Self {
            paths,
            environment,
            redactor,
            act: arguments.act(),
            project: arguments.project,
            problems: problem.into_iter().collect(),
        })
    }

    /// Everything that a report of this computer is made of, with these facts about the window.
    pub(crate) fn examiner(&self, facts: WindowFacts) -> Examiner {
        Examiner { paths: self.paths.clone(), environment: self.environment.clone(), facts }
    }

    pub(crate) fn data_dir(&self) -> &Path {
        &self.paths.data_dir
    }

    /// What is asked of a window that is open already.
    pub(crate) fn request(&self) -> Request {
        let project = self.project.as_ref();
        let project = project.and_then(|project| std::path::absolute(project).ok());
        Request { project, act: self.act }
    }

    /// Opens the engine, and the project if one was named.
    pub(crate) async fn open(self) -> Opened {
        let Self { paths, environment, redactor, project, act, mut problems } = self;
        let keys = KeyStore::new(environment.clone(), Keychain::of_system(), redactor);
        let collector = Otlp::of(&environment).inspect_err(|error| {
            tracing::warn!(%error, "traces are not sent");
        });
        let options = EngineOptions {
            channel: Channel::Window,
            paths,
            environment,
            endpoint: None,
            connector: Arc::new(Providers::default()),
            keys,
            readers: Readers::Several,
        };
        let engine = Engine::open(options).await;
        problems.extend(engine.as_ref().ok().and_then(Engine::set_aside));
        if let (Ok(engine), Some(project)) = (&engine, project) {
            problems.extend(open_project(engine, &project).await.err());
        }
        if let Ok(engine) = &engine {
            if let Ok(Some(collector)) = collector {
                engine.send_traces_to(Arc::new(collector));
            }
            engine.watch_neighbours().await;
            engine.go_on_with_queues();
        }
        if let Err(error) = &engine {
            tracing::error!(code = ?error.code, %error, "the engine did not open");
        }
        Opened { engine, problems, act }
    }
}

async fn open_project(engine: &Engine, folder: &Path) -> Result<(), ErrorInfo> {
    let unreadable = || {
        let message = format!("The folder {} cannot be opened.", folder.display());
        ErrorInfo::new(Code::ProjectUnreadable, message, "Open another folder.")
    };
    let folder = std::path::absolute(folder).map_err(|_| unreadable())?;
    let path = folder.to_str().ok_or_else(unreadable)?.to_owned();
    engine.submit(Op::OpenProject { path: Some(path) }).await.map(drop)
}

/// Makes a folder for its owner alone, before the webview can make it for everyone to read. Where it cannot be made, the
/// engine says so.
fn make_private(folder: &Path) {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let _ = builder.recursive(true).create(folder);
}
