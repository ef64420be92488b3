//! Refuses what the webview may not ask for: a folder or a file that nobody picked, and a program to start.
//!
//! The webview shows text of models and files. If any of it ever ran there, it still could not open a folder of its own
//! choice: it can name a project that Orion knows, or the person picks a folder in the system's dialog. Deliberately
//! not here: that dialog.

use orion_engine::Engine;
use orion_protocol::{Answer, Code, ErrorInfo, Named, Op, Query};

/// The operation, when it opens no folder that is new to Orion.
///
/// # Errors
/// `project_unknown` for a folder that nobody picked, `usage` for such a file.
pub(crate) async fn admit(engine: &Engine, op: Op) -> Result<Op, ErrorInfo> {
    let path = match op.declared().names {
        Named::Folder(Some(path)) => path,
        // Only a person names a file, in the dialog.
        Named::File(_) => return Err(unpicked()),
        Named::Program => return Err(unwritten()),
        Named::Nothing | Named::Folder(None) | Named::Shell => return Ok(op),
    };
    let Answer::State { state } = engine.query(Query::State).await? else { return Err(unknown()) };
    if state.projects.iter().any(|project| project.path == path) { Ok(op) } else { Err(unknown()) }
}

fn unknown() -> ErrorInfo {
    ErrorInfo::new(
        Code::ProjectUnknown,
        "The window can only reopen folders that were opened before.",
        "Choose Open folder, and pick it there.",
    )
}

fn unpicked() -> ErrorInfo {
    ErrorInfo::new(
        Code::Usage,
        "The window can only use files that a person picks.",
        "Choose the file in the dialog.",
    )
}

fn unwritten() -> ErrorInfo {
    ErrorInfo::new(Code::Usage, "The window cannot set the editor.", "Set `editor` in config.toml.")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use orion_engine::config::Environment;
    use orion_engine::paths::Paths;
    use orion_engine::secrets::{KeyStore, Keychain, Redactor};
    use orion_engine::{EngineOptions, Readers};
    use orion_protocol::{ChangesOf, ExportFormat, Outcome, SettingsChange};
    use orion_providers::Providers;

    use super::*;

    async fn engine(home: &std::path::Path) -> Engine {
        let environment = Environment::default();
        let options = EngineOptions {
            channel: orion_protocol::Channel::Window,
            paths: Paths { config_dir: home.join("config"), data_dir: home.join("data"), others: Vec::new() },
            environment: environment.clone(),
            endpoint: None,
            connector: Arc::new(Providers::default()),
            keys: KeyStore::new(environment, Keychain::of_system(), Redactor::default()),
            readers: Readers::Several,
        };
        Engine::open(options).await.unwrap()
    }

    #[tokio::test]
    async fn the_webview_names_nothing_that_only_a_person_may() {
        let home = tempfile::tempdir().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let engine = engine(home.path()).await;
        let open = |path: &str| Op::OpenProject { path: Some(path.to_owned()) };
        let path = folder.path().to_str().unwrap();
        assert_eq!(admit(&engine, open(path)).await.unwrap_err().code, Code::ProjectUnknown);

        // From the dialog or the argument it comes without asking here.
        let Ok(Outcome::Project { project }) = engine.submit(open(path)).await else { panic!("it opens") };
        assert_eq!(admit(&engine, open(&project.path)).await, Ok(open(&project.path)));
        let inside = format!("{}/..", project.path);
        assert_eq!(admit(&engine, open(&inside)).await.unwrap_err().code, Code::ProjectUnknown);

        // A file is named in the dialog alone.
        let import = Op::Import { path: Some(path.to_owned()) };
        assert_eq!(admit(&engine, import).await.unwrap_err().code, Code::Usage);
        let of = ChangesOf::Session { session_id: orion_protocol::SessionId(uuid::Uuid::nil()) };
        let path = Some(path.to_owned());
        let export = Op::Export { of, path, format: ExportFormat::Orion, files: true, replaces: true };
        assert_eq!(admit(&engine, export).await.unwrap_err().code, Code::Usage);

        let editor = SettingsChange { editor: Some("sh -c".to_owned()), ..SettingsChange::default() };
        assert_eq!(admit(&engine, Op::SaveSettings { change: editor }).await.unwrap_err().code, Code::Usage);
        let change = SettingsChange::default();
        assert_eq!(
            admit(&engine, Op::SaveSettings { change: change.clone() }).await,
            Ok(Op::SaveSettings { change })
        );

        let other = Op::ForgetProject { project_id: project.project_id };
        assert_eq!(admit(&engine, other.clone()).await, Ok(other.clone()));
        engine.submit(other).await.unwrap();
        assert_eq!(admit(&engine, open(&project.path)).await.unwrap_err().code, Code::ProjectUnknown);
        engine.close().await.unwrap();
    }
}
