//! The messages of a session that wait to be sent (A9). The process that runs the turn sends them. If it is one that does not, they are held until
//! a person sends them.

use std::path::PathBuf;

use clap::Args;
use orion_engine::Engine;
use orion_protocol::{
    Answer, Code, ErrorInfo, Op, Query, Queue, QueuedId, QueuedMessage, SessionId, TurnOptions,
};

use crate::exit::Exit;
use crate::ids::session_id;
use crate::output::{put, unwritable};
use crate::printed::Printed;
use crate::startup::Startup;
use crate::terminal::{one_line, remark};

#[derive(Debug, Args)]
pub(crate) struct QueueArgs {
    /// The session's id
    #[arg(value_parser = session_id)]
    session: SessionId,
    /// The message to send when the turn that runs has ended; without one, what waits is listed
    #[arg(conflicts_with_all = ["remove", "to"])]
    message: Option<String>,
    /// Put the message in the place of the one with this number
    #[arg(long, value_name = "N", requires = "message")]
    edit: Option<u32>,
    /// Remove the message with this number
    #[arg(long, value_name = "N", conflicts_with = "to")]
    remove: Option<u32>,
    /// Move the message with the number N to the place M
    #[arg(long = "move", value_names = ["N", "M"], num_args = 2)]
    to: Option<Vec<u32>>,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Print what waits then as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn queue(args: &QueueArgs) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
    let done = changed(&engine, args).await;
    engine.close().await?;
    let Queue { messages, held } = done?;
    if args.json {
        put(&Printed::json(&Queue { messages, held }).map_err(unwritable)?.line())?;
        return Ok(Exit::Answered);
    }
    let line =
        |(number, message): (u32, &QueuedMessage)| format!("{number}  {}\n", one_line(&message.text, 100));
    put(&Printed::record(&(1_u32..).zip(&messages).map(line).collect::<String>()))?;
    match (messages.is_empty(), held) {
        (true, _) => remark("Nothing waits."),
        (false, true) => remark(
            "The queue is on hold: send it from the window, or send a message with orion run --session.",
        ),
        (false, false) => remark("The queue is sent when the turn has ended with an answer."),
    }
    Ok(Exit::Answered)
}

/// Does what was asked for. Returns what waits then.
async fn changed(engine: &Engine, args: &QueueArgs) -> Result<Queue, ErrorInfo> {
    let QueueArgs { session, message, edit, remove, to, .. } = args;
    let before = waiting(engine, *session).await?;
    let op = match (message, edit, remove, to.as_deref()) {
        (Some(text), Some(number), ..) => {
            Some(Op::EditQueued { queued_id: numbered(&before, *number)?, text: text.clone() })
        }
        (Some(text), None, ..) => {
            let (session_id, text, options) = (*session, text.clone(), TurnOptions::default());
            Some(Op::QueueMessage { session_id, text, options })
        }
        (None, _, Some(number), _) => Some(Op::RemoveQueued { queued_id: numbered(&before, *number)? }),
        (None, _, None, Some([number, place])) => {
            Some(Op::MoveQueued { queued_id: numbered(&before, *number)?, to: place.saturating_sub(1) })
        }
        (None, ..) => None,
    };
    let Some(op) = op else { return Ok(before) };
    engine.submit(op).await?;
    waiting(engine, *session).await
}

async fn waiting(engine: &Engine, session_id: SessionId) -> Result<Queue, ErrorInfo> {
    // One that is not there has no queue, and is to be named as such.
    engine.title_of(session_id).await?;
    match engine.query(Query::Queue { session_id }).await? {
        Answer::Queue { queue } => Ok(queue),
        _ => Ok(Queue::default()),
    }
}

fn numbered(queue: &Queue, number: u32) -> Result<QueuedId, ErrorInfo> {
    let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let message: Option<&QueuedMessage> = at.and_then(|at| queue.messages.get(at));
    message.map(|message| message.queued_id).ok_or_else(|| {
        let message = format!("The queue has no message number {number}.");
        ErrorInfo::new(Code::Usage, message, "orion queue SESSION lists those that wait.")
    })
}
