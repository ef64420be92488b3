//! Where a turn runs: the folder of the project, and the session in it.

use std::path::{Path, PathBuf};

use orion_engine::Engine;
use orion_files::workspace::Project;
use orion_protocol::{
    Answer, Code, ErrorInfo, Op, Outcome, ProjectId, Query, SessionId, TurnEvent, TurnLimits, TurnPlace,
};

use crate::args::Folders;
use crate::outcomes::unexpected;
use crate::startup::Startup;

/// The folder to work in: that of the session, where there is one, whatever folder the command is run in.
pub(crate) async fn folder(folders: &Folders, session: Option<SessionId>) -> Result<PathBuf, ErrorInfo> {
    let Some(session) = session else { return Ok(folders.folder().to_owned()) };
    let engine = Startup::new(folders.data_dir.as_ref())?.engine(None).await?;
    let own = engine.folder_of(session).await;
    engine.close().await?;
    let own = own?;
    let Some(named) = &folders.project else { return Ok(own) };
    let named = Project::root_of(named)?;
    if named == own {
        return Ok(own);
    }
    Err(ErrorInfo::new(
        Code::Usage,
        format!(
            "The session {session} belongs to the project {}, not to {}.",
            own.display(),
            named.display()
        ),
        "Leave out --project to continue it, or leave out --session to begin a new one.",
    ))
}

/// The project's session with the latest activity. None where it has none.
pub(crate) async fn latest_session(engine: &Engine, folder: &Path) -> Result<Option<SessionId>, ErrorInfo> {
    engine.latest_session_in(&absolute(folder)).await
}

/// The project in this folder.
pub(crate) async fn project(engine: &Engine, folder: &Path) -> Result<ProjectId, ErrorInfo> {
    let path = absolute(folder).into_os_string().into_string().map_err(|path| {
        let message = format!("The name of the folder {} is not valid Unicode.", Path::new(&path).display());
        ErrorInfo::new(Code::ProjectUnreadable, message, "Rename it, or open another one.")
    })?;
    match engine.submit(Op::OpenProject { path: Some(path) }).await? {
        Outcome::Project { project } => Ok(project.project_id),
        other => Err(unexpected(&other)),
    }
}

/// A new session in the project.
pub(crate) async fn new_session(engine: &Engine, project_id: ProjectId) -> Result<SessionId, ErrorInfo> {
    match engine.submit(Op::NewSession { project_id }).await? {
        Outcome::Session { session } => Ok(session.session_id),
        other => Err(unexpected(&other)),
    }
}

/// How the last turn of a session began.
pub(crate) struct LastTurn {
    pub(crate) model: String,
    /// The budgets that were chosen for it (X7).
    pub(crate) chosen: Option<TurnLimits>,
}

/// The last turn of a session. None where it has none.
pub(crate) async fn last_turn(engine: &Engine, session_id: SessionId) -> Result<Option<LastTurn>, ErrorInfo> {
    let newest = Query::Session { session_id, place: TurnPlace::Newest, turns: 1 };
    let Answer::Session { page } = engine.query(newest).await? else { return Ok(None) };
    let mut envelopes = page.turns.iter().flat_map(|turn| &turn.envelopes);
    Ok(envelopes.find_map(|envelope| match &envelope.event {
        TurnEvent::TurnStarted { model, chosen, .. } => {
            Some(LastTurn { model: model.clone(), chosen: *chosen })
        }
        _ => None,
    }))
}

fn absolute(folder: &Path) -> PathBuf {
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned())
}
