//! Answering, continuing, showing and taking back what a turn writes.

use std::ops::ControlFlow;

use orion_engine::{Engine, TurnHandle};
use orion_protocol::{
    Answer, Code, Envelope, ErrorInfo, Op, Query, Reply, RequestId, TurnEvent, Undone, WriteProposal,
};
use uuid::Uuid;

use crate::args::{ApproveArgs, DiffArgs, ResumeArgs, UndoArgs};
use crate::endpoint::{self, Chosen};
use crate::exit::Exit;
use crate::interrupts::stop_when_interrupted;
use crate::run::{Approval, follow, leave};
use crate::setting::Setting;
use crate::terminal::{harmless, out, remark};

/// `orion approve`: answers the write that a turn waits for, and shows the turn to its end.
pub(crate) async fn approve(args: ApproveArgs) -> Result<Exit, ErrorInfo> {
    let (engine, endpoint) = open(&args.resume).await?;
    let request_id = args.resume.request;
    let answered = answer(&engine, &args, endpoint).await;
    let mut turn = match answered {
        Ok(turn) => turn,
        Err(error) => {
            engine.close().await?;
            return Err(error);
        }
    };
    stop_when_interrupted(&engine, request_id).map_err(|error| crate::run::deaf(&error))?;
    let ended = follow(&engine, &mut turn, args.resume.show(), Approval::Waits).await;
    leave(&engine, turn, ended).await
}

/// Goes on with the turn and gives the answer. What came of it is read from the turn.
async fn answer(
    engine: &Engine,
    args: &ApproveArgs,
    endpoint: Option<String>,
) -> Result<TurnHandle, ErrorInfo> {
    let request_id = args.resume.request;
    let Some(proposal) = asked(engine, request_id).await? else {
        return Err(ErrorInfo::new(
            Code::ApprovalStale,
            "This turn waits for no approval.",
            "See what it is at with `orion trace`, or go on with `orion resume`.",
        ));
    };
    let turn = engine.resume_turn(request_id, endpoint).await?;
    let op = if args.reject {
        Op::Approve { request_id, digest: proposal.digest, granted: false }
    } else {
        Op::ApproveWrite {
            request_id,
            digest: proposal.digest,
            hunks: args.hunks.clone(),
            despite_faults: args.despite_faults,
        }
    };
    match engine.submit(op).await {
        Ok(_) => Ok(turn),
        Err(error) => {
            // It waits on, as it did. Dropped before its engine is closed, the turn would be stopped.
            engine.close().await?;
            drop(turn);
            Err(error)
        }
    }
}

/// The proposal that a turn waits for an answer to, by its events.
async fn asked(engine: &Engine, request_id: RequestId) -> Result<Option<WriteProposal>, ErrorInfo> {
    let answer = engine.query(Query::Events { request_id, after_seq: 0 }).await?;
    let Answer::Events { envelopes } = answer else { return Ok(None) };
    let last = envelopes.into_iter().rev().find_map(|Envelope { event, .. }| match event {
        TurnEvent::WriteReady { proposal, .. } => Some(ControlFlow::Break(*proposal)),
        TurnEvent::ApprovalGiven { .. } | TurnEvent::WriteDone { .. } => Some(ControlFlow::Continue(())),
        _ => None,
    });
    Ok(match last {
        Some(ControlFlow::Break(proposal)) => Some(proposal),
        Some(ControlFlow::Continue(())) | None => None,
    })
}

/// `orion resume`: goes on with a turn whose process ended in a write session.
pub(crate) async fn resume(args: ResumeArgs) -> Result<Exit, ErrorInfo> {
    let (engine, endpoint) = open(&args).await?;
    let mut turn = match engine.resume_turn(args.request, endpoint).await {
        Ok(turn) => turn,
        Err(error) => {
            engine.close().await?;
            return Err(error);
        }
    };
    stop_when_interrupted(&engine, args.request).map_err(|error| crate::run::deaf(&error))?;
    // A turn that waits says nothing new: it is asked about again.
    let waits = asked(&engine, args.request).await?;
    if let Some(proposal) = waits {
        if args.approve_writes && proposal.faults.is_empty() && proposal.always_asks.is_none() {
            let (request_id, digest) = (args.request, proposal.digest);
            let op = Op::ApproveWrite { request_id, digest, hunks: None, despite_faults: false };
            engine.submit(op).await?;
        } else {
            remark(&format!("It waits for you: orion diff {0}, then orion approve {0}.", args.request));
            return leave(&engine, turn, Ok(Exit::WaitsForPerson)).await;
        }
    }
    let approval = if args.approve_writes { Approval::Given } else { Approval::Waits };
    let ended = follow(&engine, &mut turn, args.show(), approval).await;
    leave(&engine, turn, ended).await
}

/// The engine, and the endpoint to go on with where another was asked for or the turn's own is set up no more.
async fn open(args: &ResumeArgs) -> Result<(Engine, Option<String>), ErrorInfo> {
    let setting = Setting::new(args.data_dir.as_ref())?;
    let asked_for = args.endpoint.base_url.is_some() || args.endpoint.demo;
    let began_with = began_with(args).await?;
    let known = setting.config.without_project().endpoints.contains_key(&began_with);
    let chosen = if asked_for || !known {
        let chosen = endpoint::choose(&setting, &args.endpoint).await?;
        Some(endpoint::with_model(&setting, chosen, args.model.as_deref()).await?)
    } else {
        None
    };
    let name = chosen.as_ref().map(|chosen| chosen.name.clone());
    let own = chosen.and_then(|Chosen { name, endpoint }| endpoint.map(|endpoint| (name, endpoint)));
    Ok((setting.engine(own).await?, name))
}

/// The endpoint that a turn began with.
async fn began_with(args: &ResumeArgs) -> Result<String, ErrorInfo> {
    let engine = Setting::new(args.data_dir.as_ref())?.engine(None).await?;
    let answer = engine.query(Query::Events { request_id: args.request, after_seq: 0 }).await;
    engine.close().await?;
    let Answer::Events { envelopes } = answer? else { return Ok(String::new()) };
    let started = envelopes.into_iter().find_map(|envelope| match envelope.event {
        TurnEvent::TurnStarted { endpoint, .. } => Some(endpoint),
        _ => None,
    });
    Ok(started.unwrap_or_default())
}

/// `orion diff`: what a turn would write, or wrote, as a unified difference.
pub(crate) async fn diff(args: &DiffArgs) -> Result<Exit, ErrorInfo> {
    let engine = Setting::new(args.data_dir.as_ref())?.engine(None).await?;
    let text = engine.unified(args.request, args.write).await;
    engine.close().await?;
    print(&text?)
}

/// `orion undo`: takes back what a turn, or all turns of a session, wrote.
pub(crate) async fn undo(args: &UndoArgs) -> Result<Exit, ErrorInfo> {
    let engine = Setting::new(args.data_dir.as_ref())?.engine(None).await?;
    let undone = taken_back(&engine, args.id, args.write).await;
    engine.close().await?;
    let mut exit = Exit::Answered;
    for Undone { path, error, .. } in undone? {
        match error {
            None => remark(&format!("took back {path}")),
            Some(error) => {
                crate::terminal::error(&error);
                exit = Exit::Failed;
            }
        }
    }
    Ok(exit)
}

async fn taken_back(engine: &Engine, id: Uuid, write: Option<u32>) -> Result<Vec<Undone>, ErrorInfo> {
    match engine.submit(Op::UndoWrite { request_id: RequestId(id), write }).await {
        Ok(Reply::Undone { writes }) => Ok(writes),
        Ok(_) => Ok(Vec::new()),
        Err(error) if error.code == Code::TurnUnknown && write.is_some() => Err(ErrorInfo::new(
            Code::Usage,
            "Only the writes of a turn have numbers.",
            "Give the id of the turn, or leave out --write.",
        )),
        // It is a session's.
        Err(error) if error.code == Code::TurnUnknown => {
            engine.undo_session(orion_protocol::SessionId(id)).await
        }
        Err(error) => Err(error),
    }
}

fn print(text: &str) -> Result<Exit, ErrorInfo> {
    use std::io::IsTerminal;
    let shown = if std::io::stdout().is_terminal() { harmless(text) } else { text.into() };
    match out(&shown) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let message = "The difference cannot be written to standard output.";
            Err(ErrorInfo::new(Code::Internal, message, "Look where it goes to.")
                .with_detail(error.to_string()))
        }
        _ => Ok(Exit::Answered),
    }
}
