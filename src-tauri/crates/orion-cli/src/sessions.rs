//! The sessions of a project: listing, naming, pinning, archiving and deleting them. A folder that was moved is in `locate`.

use std::path::PathBuf;

use orion_protocol::{ChangedLines, ErrorInfo, Op, Outcome, Session};
use serde::Serialize;
use serde_json::json;

use crate::args::{ListArgs, SessionsAct, SessionsArgs};
use crate::exit::Exit;
use crate::locate::locate;
use crate::output::{put, show, unwritable};
use crate::printed::Printed;
use crate::search::search;
use crate::session_flags::{ApartArgs, DeleteArgs, RenameArgs};
use crate::startup::Startup;
use crate::terminal::{one_line, remark, size};

pub(crate) async fn sessions(args: &SessionsArgs) -> Result<Exit, ErrorInfo> {
    match &args.act {
        Some(SessionsAct::Delete(args)) => delete(args).await,
        Some(SessionsAct::Locate(args)) => locate(args).await,
        Some(SessionsAct::Rename(RenameArgs { session, title, data_dir, json })) => {
            let op = Op::RenameSession { session_id: *session, title: title.clone() };
            change(op, data_dir.as_ref(), *json, "The session has a new title.").await
        }
        Some(SessionsAct::Pin(ApartArgs { session, undo, data_dir, json })) => {
            let op = Op::PinSession { session_id: *session, pinned: !undo };
            let said = if *undo { "The session is no longer pinned." } else { "The session is pinned." };
            change(op, data_dir.as_ref(), *json, said).await
        }
        Some(SessionsAct::Archive(ApartArgs { session, undo, data_dir, json })) => {
            let op = Op::ArchiveSession { session_id: *session, archived: !undo };
            let said = if *undo { "The session is back." } else { "The session is in the archive." };
            change(op, data_dir.as_ref(), *json, said).await
        }
        None => match &args.list.search {
            Some(words) => search(&args.list, words).await,
            None => list(&args.list).await,
        },
    }
}

/// A session and the room it takes.
#[derive(Debug, Serialize)]
struct Listed {
    #[serde(flatten)]
    session: Session,
    bytes: u64,
}

async fn list(args: &ListArgs) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(args.folders.data_dir.as_ref())?.engine(None).await?;
    let sessions = match args.imported {
        true => engine.imported_sessions(u32::MAX).await?,
        false => engine.sessions_in(args.folders.folder()).await?,
    };
    let bytes = engine.bytes_of_sessions().await?;
    engine.close().await?;
    let wanted = sessions.into_iter().filter(|session| session.archived == args.archived);
    let listed = wanted.map(|session| {
        let bytes = bytes.get(&session.session_id).copied().unwrap_or(0);
        Listed { session, bytes }
    });
    show(args.json, &listed.collect::<Vec<_>>(), |Listed { session, bytes }| {
        let turns = if session.turns == 1 { "turn" } else { "turns" };
        let (id, size, title) = (session.session_id, size(*bytes), one_line(&session.title, 60));
        let lines = lines(session.lines);
        format!(
            "{id}  {:>3} {turns:<5}  {lines:>11}  {size:>7}  {:>14}  {title}",
            session.turns,
            cost(session)
        )
    })
}

/// Lines that were added and removed; nothing where nothing was written.
fn lines(lines: Option<ChangedLines>) -> String {
    lines.map_or_else(String::new, |ChangedLines { added, removed }| format!("+{added} −{removed}"))
}

fn cost(session: &Session) -> String {
    match session.spent.cost_usd {
        None if session.turns == 0 => String::new(),
        None => "cost unknown".to_owned(),
        Some(cost) if session.spent.priced_turns < session.turns => format!("at least {cost}"),
        Some(cost) => cost.to_string(),
    }
}

/// Changes a session, and says so.
async fn change(op: Op, data_dir: Option<&PathBuf>, as_json: bool, said: &str) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(data_dir)?.engine(None).await?;
    let outcome = engine.submit(op).await;
    engine.close().await?;
    let Outcome::Session { session } = outcome? else { return Ok(Exit::Failed) };
    match as_json {
        true => put(&Printed::json(&session).map_err(unwritable)?.line())?,
        false => remark(said),
    }
    Ok(Exit::Answered)
}

async fn delete(args: &DeleteArgs) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
    let outcome = engine.submit(Op::DeleteSession { session_id: args.session }).await;
    engine.close().await?;
    let Outcome::Deleted { remains } = outcome? else { return Ok(Exit::Failed) };
    if args.json {
        let deleted = json!({ "sessionId": args.session, "remains": remains });
        put(&Printed::json(&deleted).map_err(unwritable)?.line())?;
    } else {
        remark("The session is deleted.");
    }
    if let Some(remains) = remains {
        remark(&remains.message);
        remains.action.iter().for_each(|action| remark(action));
    }
    Ok(Exit::Answered)
}
