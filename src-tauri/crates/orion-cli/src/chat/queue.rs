//! Messages that were written while a turn ran (A9): sent one after another once it was answered, else held and shown.

use orion_engine::TurnHandle;
use orion_protocol::{Answer, Code, ErrorInfo, Op, Query, Queue, QueuedId, StopReason};

use super::{Chat, numbered, turn, usage};
use crate::outcomes::unexpected;
use crate::terminal::{count, one_line, remark, say};

/// The queue of the session. Empty before the first message.
async fn waiting(chat: &Chat) -> Result<Queue, ErrorInfo> {
    let Some(session_id) = chat.session else { return Ok(Queue::default()) };
    match chat.engine.query(Query::Queue { session_id }).await? {
        Answer::Queue { queue } => Ok(queue),
        other => Err(unexpected(&other)),
    }
}

/// A turn has ended for this reason: what was queued is sent. After a stop it is at the prompt again, in front of what was typed since, and stays
/// in the queue until the line is sent. After any other end but an answer it is held.
pub(super) async fn go_on(chat: &mut Chat, mut ended: StopReason) -> Result<Option<TurnHandle>, ErrorInfo> {
    let Some(session_id) = chat.session else { return Ok(None) };
    while let Some(next) = chat.engine.run_queued(session_id).await? {
        if let Some(waiting) = turn::show(chat, next).await {
            return Ok(Some(waiting));
        }
        let Some(reason) = chat.ended.take() else { return Ok(None) };
        ended = reason;
    }
    let Queue { messages, .. } = waiting(chat).await?;
    if ended == StopReason::Stopped && !messages.is_empty() {
        chat.returned = messages.iter().map(|message| message.queued_id).collect();
        let texts = messages.into_iter().map(|message| message.text);
        let typed = Some(std::mem::take(&mut chat.ahead)).filter(|ahead| !ahead.is_empty());
        chat.ahead = texts.chain(typed).collect::<Vec<_>>().join("\n");
    } else {
        tell(&messages);
    }
    Ok(None)
}

/// Says that messages wait, if any do.
fn tell(messages: &[orion_protocol::QueuedMessage]) {
    if !messages.is_empty() {
        let number = u32::try_from(messages.len()).unwrap_or(u32::MAX);
        remark(&format!("Queued: {}. /queue lists them, /queue send sends them.", count(number, "message")));
    }
}

/// What the session that the person goes to holds back.
pub(super) async fn greet(chat: &Chat) -> Result<(), ErrorInfo> {
    let Queue { messages, held } = waiting(chat).await?;
    if held {
        tell(&messages);
    }
    Ok(())
}

/// The line that held these messages was sent, so they wait no longer.
pub(super) async fn sent(chat: &Chat, messages: Vec<QueuedId>) -> Result<(), ErrorInfo> {
    for queued_id in messages {
        match chat.engine.submit(Op::RemoveQueued { queued_id }).await {
            // Another process has sent or removed it meanwhile.
            Err(error) if error.code == Code::NotWaiting => {}
            removed => {
                removed?;
            }
        }
    }
    Ok(())
}

/// `/queue`: lists what waits, sends it, or removes one message.
pub(super) async fn obey(chat: &mut Chat, arguments: &str) -> Result<Option<TurnHandle>, ErrorInfo> {
    let Queue { messages, .. } = waiting(chat).await?;
    if messages.is_empty() {
        remark("Nothing is queued.");
        return Ok(None);
    }
    match arguments.split_whitespace().collect::<Vec<_>>().as_slice() {
        [] => {
            for (number, message) in (1..).zip(&messages) {
                say(&format!("{number:>3}. {}", one_line(&message.text, 70)));
            }
            remark("/queue send sends them, /queue remove NUMBER removes one.");
        }
        ["send"] => {
            chat.engine.submit(Op::ReleaseQueue { session_id: chat.begun()? }).await?;
            return go_on(chat, StopReason::Answered).await;
        }
        ["remove", number] => {
            let message = numbered(&messages, number)
                .ok_or_else(|| usage("There is no such message.", "/queue lists them."))?;
            chat.engine.submit(Op::RemoveQueued { queued_id: message.queued_id }).await?;
            remark("Removed.");
        }
        _ => {
            return Err(usage(
                "This is no command of the queue.",
                "/queue, /queue send, or /queue remove NUMBER.",
            ));
        }
    }
    Ok(None)
}
