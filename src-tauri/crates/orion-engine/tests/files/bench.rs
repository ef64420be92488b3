//! A folder to try things on, and the shortest way to call a tool on it.

use std::fs;
use std::path::{Path, PathBuf};

use orion_core::tool::{Arguments, ToolOutcome, ToolSet};
use orion_engine::runner::{Call, ToolRunner};
use orion_engine::tools::{Context, Limits, Line, OfCommands};
use orion_files::workspace::{Private, Project};
use orion_protocol::{CallId, Code, Mode, ToolStatus};
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A temporary project.
pub(crate) struct Bench {
    pub(crate) folder: TempDir,
    pub(crate) project: Project,
    pub(crate) runner: ToolRunner,
    pub(crate) limits: Limits,
}

impl Bench {
    pub(crate) fn with<C: AsRef<[u8]>>(files: impl IntoIterator<Item = (&'static str, C)>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, content) in files {
            write(&folder.path().join(path), content);
        }
        let project = Project::open(folder.path(), &Private::none()).unwrap();
        Self { folder, project, runner: ToolRunner::default(), limits: Limits::default() }
    }

    pub(crate) fn empty() -> Self {
        Self::with::<&str>([])
    }

    pub(crate) fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        write(&self.at(path), content);
    }

    pub(crate) fn offered(&self) -> ToolSet {
        self.runner.tools().offered_in(Mode::Act)
    }

    pub(crate) fn context(&self, cancel: CancellationToken) -> Context {
        Context {
            project: self.project.clone(),
            offered: self.offered(),
            rules: orion_core::permission::Rules::default(),
            limits: self.limits,
            strict_end_line: false,
            cancel,
            person: Line::default(),
            call: None,
            commands: OfCommands::default(),
            store: None,
        }
    }

    pub(crate) fn call(&self, name: &str, arguments: Value) -> Call {
        let given = arguments.as_object().expect("arguments are an object");
        let root = self.project.root().to_string_lossy();
        let arguments = Arguments::parse(self.runner.tools().get(name), given, &root);
        Call { tool_call_id: CallId("call-1".into()), name: name.into(), arguments, command: None }
    }

    pub(crate) async fn outcome(&self, name: &str, arguments: Value) -> ToolOutcome {
        self.runner.run(self.call(name, arguments), self.context(CancellationToken::new())).await
    }

    /// What a call that works answers.
    pub(crate) async fn body(&self, name: &str, arguments: Value) -> String {
        let outcome = self.outcome(name, arguments).await;
        assert_eq!((outcome.status, outcome.error), (ToolStatus::Ok, None));
        outcome.body
    }

    /// The code and sentence of a call that fails.
    pub(crate) async fn refusal(&self, name: &str, arguments: Value) -> (Code, String) {
        let outcome = self.outcome(name, arguments).await;
        assert_eq!(outcome.body, "", "a refusal has no body");
        let error = outcome.error.expect("the call fails");
        (error.code, error.message)
    }
}

fn write(path: &Path, content: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}
