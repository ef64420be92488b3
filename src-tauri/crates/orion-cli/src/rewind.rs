//! `orion rewind`: going back to an earlier message of a session, and undoing that (A10).

use orion_engine::Engine;
use orion_protocol::{
    Answer, ErrorInfo, Op, Outcome, Query, RequestId, Rewind, RewindPreview, RewoundChange, RewoundFile,
};

use crate::exit::Exit;
use crate::output::{put, unwritable};
use crate::printed::Printed;
use crate::rewind_flags::RewindArgs;
use crate::startup::Startup;
use crate::terminal::{self, count, remark};

pub(crate) async fn rewind(args: &RewindArgs) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
    let done = act(&engine, args).await;
    engine.close().await?;
    done
}

async fn act(engine: &Engine, args: &RewindArgs) -> Result<Exit, ErrorInfo> {
    let request_id = args.request;
    if args.undo {
        let rewind = rewound(engine, Op::UndoRewind { request_id }).await?;
        return done(args, &rewind);
    }
    let both = args.files == args.conversation;
    let (conversation, files) = (both || args.conversation, both || args.files);
    let mut preview = preview(engine, request_id).await?;
    if !files {
        preview.files.clear();
    }
    if args.dry_run {
        return planned(args, &preview, conversation);
    }
    let files = files.then_some(preview.digest);
    let rewind = rewound(engine, Op::Rewind { request_id, conversation, files }).await?;
    done(args, &rewind)
}

async fn preview(engine: &Engine, request_id: RequestId) -> Result<RewindPreview, ErrorInfo> {
    match engine.query(Query::Rewind { request_id }).await? {
        Answer::Rewind { preview } => Ok(preview),
        other => Err(crate::outcomes::unexpected(&other)),
    }
}

async fn rewound(engine: &Engine, op: Op) -> Result<Rewind, ErrorInfo> {
    match engine.submit(op).await? {
        Outcome::Rewound { rewind } => Ok(rewind),
        other => Err(crate::outcomes::unexpected(&other)),
    }
}

/// What would change, on standard output.
fn planned(args: &RewindArgs, preview: &RewindPreview, conversation: bool) -> Result<Exit, ErrorInfo> {
    if args.json {
        put(&Printed::json(preview).map_err(unwritable)?.line())?;
        return Ok(Exit::Answered);
    }
    put(&Printed::record(&plan(preview, conversation)))?;
    Ok(Exit::Answered)
}

/// What would change, line by line.
pub(crate) fn plan(preview: &RewindPreview, conversation: bool) -> String {
    let mut text = String::new();
    if conversation {
        text.push_str(&format!("{} would stay in a branch of their own\n", count(preview.turns, "turn")));
    }
    for RewoundFile { path, change, error } in &preview.files {
        let line = match (change, error) {
            (Some(change), _) => format!("would {} {path}\n", word(*change).0),
            (None, Some(error)) => format!("would keep {path}: {}\n", error.message),
            (None, None) => format!("would keep {path}\n"),
        };
        text.push_str(&line);
    }
    if text.is_empty() {
        text.push_str("nothing would change\n");
    }
    text
}

/// What was done. A file that was kept is an error, as it is of `orion undo`.
fn done(args: &RewindArgs, rewind: &Rewind) -> Result<Exit, ErrorInfo> {
    let kept = rewind.files.iter().any(|file| file.change.is_none());
    let exit = if kept { Exit::Failed } else { Exit::Answered };
    if args.json {
        put(&Printed::json(rewind).map_err(unwritable)?.line())?;
        return Ok(exit);
    }
    told(rewind);
    if !rewind.undone {
        remark(&format!("Undo this: orion rewind {} --undo", rewind.request_id));
    }
    Ok(exit)
}

/// Says what was done.
pub(crate) fn told(rewind: &Rewind) {
    if rewind.conversation {
        remark(if rewind.undone {
            "the conversation goes on where it was"
        } else {
            "the conversation goes on before that message"
        });
    }
    for RewoundFile { path, change, error } in &rewind.files {
        match (change, error) {
            (Some(change), _) => remark(&format!("{} {path}", word(*change).1)),
            (None, Some(error)) => terminal::error(error),
            (None, None) => {}
        }
    }
}

/// What will happen to a file, and what has happened.
fn word(change: RewoundChange) -> (&'static str, &'static str) {
    match change {
        RewoundChange::Restored => ("restore", "restored"),
        RewoundChange::Created => ("create again", "created again"),
        RewoundChange::Removed => ("remove", "removed"),
    }
}
