//! `orion compact`: a session's conversation becomes an entry, which can be printed and undone (X4).

use std::path::PathBuf;

use orion_protocol::{EntryView, ErrorInfo, Op, TurnOptions};

use crate::args::{CompactArgs, Show};
use crate::endpoint;
use crate::exit::Exit;
use crate::interrupts::stop_when_interrupted;
use crate::output::{put, unwritable};
use crate::printed::Printed;
use crate::run::{Approval, follow, leave};
use crate::startup::Startup;
use crate::terminal::remark;

pub(crate) async fn compact(args: CompactArgs) -> Result<Exit, ErrorInfo> {
    if args.undo || args.show {
        return of_entry(&args).await;
    }
    let startup = Startup::new(args.data_dir.as_ref())?;
    startup.in_project(&folder(&args).await?)?;
    let chosen = endpoint::choose(&startup, &args.endpoint).await?;
    let chosen = endpoint::with_model(&startup, chosen, args.model.model.as_deref()).await?;
    let options = TurnOptions {
        endpoint: Some(chosen.name.clone()),
        model: args.model.model.clone(),
        window: args.model.window,
        ..TurnOptions::default()
    };
    let engine = startup.engine(chosen.endpoint.map(|endpoint| (chosen.name, endpoint))).await?;
    let mut turn = match engine.run_compaction(args.session, options).await {
        Ok(turn) => turn,
        Err(error) => {
            engine.close().await?;
            return Err(error);
        }
    };
    stop_when_interrupted(&engine, turn.request_id())?;
    let ended = follow(&engine, &mut turn, args.output.show(), Approval::Waits).await;
    leave(&engine, turn, ended).await
}

async fn folder(args: &CompactArgs) -> Result<PathBuf, ErrorInfo> {
    let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
    let folder = engine.folder_of(args.session).await;
    engine.close().await?;
    folder
}

/// Prints the entry that is in force, or undoes its compaction. No model is called.
async fn of_entry(args: &CompactArgs) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
    let done = match engine.entry_of(args.session).await {
        Ok(EntryView { request_id, .. }) if args.undo => {
            engine.submit(Op::UndoCompaction { request_id }).await.map(|_| None)
        }
        shown => shown.map(Some),
    };
    engine.close().await?;
    match done? {
        Some(view) if args.output.show() == Show::Report => {
            put(&Printed::json(&view).map_err(unwritable)?.line())?
        }
        Some(view) => put(&Printed::record(&view.text).line())?,
        None => remark("The compaction is undone: the next turn is given the original messages again."),
    }
    Ok(Exit::Answered)
}
