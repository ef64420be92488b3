//! What was said before: the end of a session, turns that wait or were interrupted, and the ways back (T9, A5, A7, A10).

use orion_engine::TurnHandle;
use orion_protocol::{
    Answer, ChangesOf, Envelope, ErrorInfo, Op, Outcome, Query, RequestId, Rewind, RewindPreview, TurnEvent,
    TurnOptions, TurnPlace, TurnState, TurnView, answer_in, whole_texts,
};

use super::menu::{Picked, choice, pick};
use super::{Chat, numbered, queue, turn, usage};
use crate::markdown::Markdown;
use crate::outcomes::unexpected;
use crate::printed::Printed;
use crate::rewind::{plan, told};
use crate::terminal::{self, columns, count, one_line, out, remark, say};

/// Turns of a session that are looked at, from its tip.
const TURNS: u32 = 50;

/// The last turns of the session, the newest last.
async fn turns(chat: &Chat, most: u32) -> Result<Vec<TurnView>, ErrorInfo> {
    let query = Query::Session { session_id: chat.begun()?, place: TurnPlace::Newest, turns: most };
    match chat.engine.query(query).await? {
        Answer::Session { page } => Ok(page.turns),
        other => Err(unexpected(&other)),
    }
}

async fn last(chat: &Chat) -> Result<Option<TurnView>, ErrorInfo> {
    Ok(turns(chat, 1).await?.pop())
}

/// What the person wrote. Empty of a compaction.
fn message(envelopes: &[Envelope]) -> &str {
    let text = envelopes.iter().find_map(|envelope| match &envelope.event {
        TurnEvent::TurnStarted { text, .. } => Some(text.as_str()),
        _ => None,
    });
    text.unwrap_or_default()
}

/// Shows the end of the session, and goes on with what waits in it.
pub(super) async fn greet(chat: &mut Chat) -> Result<Option<TurnHandle>, ErrorInfo> {
    let Some(last) = last(chat).await? else { return Ok(None) };
    let envelopes = whole_texts(last.envelopes);
    say(&format!("> {}", one_line(message(&envelopes), 200)));
    let answer = answer_in(&envelopes);
    let coloured = terminal::is_coloured();
    let mut shown = match coloured {
        true => {
            let mut markdown = Markdown::new();
            let mut shown = markdown.push(&answer, columns());
            shown.push(&markdown.end());
            shown
        }
        false => Printed::answer(&answer, true),
    };
    shown.end_lines(usize::from(!answer.ends_with('\n')));
    out(&shown).map_err(crate::output::unwritable)?;
    queue::greet(chat).await?;
    match last.state {
        TurnState::Waiting => resume(chat).await,
        TurnState::Interrupted => {
            remark("This turn was interrupted. /resume goes on with it.");
            Ok(None)
        }
        TurnState::Running => {
            remark("This turn runs in another Orion.");
            Ok(None)
        }
        TurnState::OtherVersion | TurnState::Over => Ok(None),
    }
}

/// Goes on with the last turn, which waits or was interrupted.
pub(super) async fn resume(chat: &mut Chat) -> Result<Option<TurnHandle>, ErrorInfo> {
    let last = last(chat).await?.ok_or_else(nothing_said)?;
    let turn = chat.engine.resume_turn(last.request_id, None).await?;
    Ok(turn::show_resumed(chat, turn, &last.envelopes).await)
}

/// Sends the last message again, in the place of its turn.
pub(super) async fn retry(chat: &mut Chat) -> Result<Option<TurnHandle>, ErrorInfo> {
    let last = last(chat).await?.ok_or_else(nothing_said)?;
    let text = message(&last.envelopes).to_owned();
    if text.is_empty() {
        return Err(usage("The last turn was a compaction.", "Send a message."));
    }
    let options = TurnOptions { instead_of: Some(last.request_id), ..chat.options.clone() };
    chat.send_with(text, options).await
}

/// Undoes what the last turn wrote.
pub(super) async fn undo(chat: &Chat) -> Result<(), ErrorInfo> {
    let last = last(chat).await?.ok_or_else(nothing_said)?;
    undone(chat, ChangesOf::Turn { request_id: last.request_id }).await
}

/// Lists the person's messages, or goes back to one of them (A10).
pub(super) async fn rewind(chat: &mut Chat, which: &str) -> Result<(), ErrorInfo> {
    if which == "undo" {
        return undo_rewind(chat).await;
    }
    let turns: Vec<TurnView> = turns(chat, TURNS).await?;
    let newest: Vec<&TurnView> =
        turns.iter().rev().filter(|turn| !message(&turn.envelopes).is_empty()).collect();
    let Some(turn) = numbered(&newest, which) else {
        for (number, turn) in (1..).zip(&newest) {
            say(&format!("{number:>3}. {}", one_line(message(&turn.envelopes), 70)));
        }
        remark("/rewind NUMBER goes back to before one of them, and asks what is to go back.");
        return Ok(());
    };
    let (request_id, text) = (turn.request_id, message(&turn.envelopes).to_owned());
    let preview = match chat.engine.query(Query::Rewind { request_id }).await? {
        Answer::Rewind { preview } => preview,
        other => return Err(unexpected(&other)),
    };
    let Some((conversation, files)) = parts(chat, &preview).await? else {
        remark("Nothing was changed.");
        return Ok(());
    };
    let files = files.then_some(preview.digest);
    let rewind = rewound(chat, Op::Rewind { request_id, conversation, files }).await?;
    told(&rewind);
    remark("/rewind undo undoes this, until your next message.");
    if conversation {
        // As in the window: to be changed and sent again.
        chat.ahead = text;
    }
    Ok(())
}

/// What is to go back: the conversation, the files. None where nothing is.
async fn parts(chat: &mut Chat, preview: &RewindPreview) -> Result<Option<(bool, bool)>, ErrorInfo> {
    plan(preview, true).lines().for_each(say);
    let mut choices = vec![choice("c", "the conversation alone")];
    if !preview.files.is_empty() {
        choices.insert(0, choice("b", "the conversation and the files"));
        choices.push(choice("f", "the files alone"));
    }
    choices.push(choice("n", "nothing"));
    Ok(match pick(chat, &choices).await? {
        Picked::Choice("b", _) => Some((true, true)),
        Picked::Choice("c", _) => Some((true, false)),
        Picked::Choice("f", _) => Some((false, true)),
        Picked::Choice(..) | Picked::Stop | Picked::Leave => None,
    })
}

async fn undo_rewind(chat: &Chat) -> Result<(), ErrorInfo> {
    let last = match chat.engine.query(Query::LastRewind { session_id: chat.begun()? }).await? {
        Answer::LastRewind { rewind } => rewind,
        other => return Err(unexpected(&other)),
    };
    let last = last.ok_or_else(|| {
        usage("There is no rewind to undo.", "A message has followed it, or there was none.")
    })?;
    told(&rewound(chat, Op::UndoRewind { request_id: last.request_id }).await?);
    Ok(())
}

async fn rewound(chat: &Chat, op: Op) -> Result<Rewind, ErrorInfo> {
    match chat.engine.submit(op).await? {
        Outcome::Rewound { rewind } => Ok(rewind),
        other => Err(unexpected(&other)),
    }
}

/// Lists the places where the session has branches, or goes to one of them (T9).
pub(super) async fn branches(chat: &mut Chat, which: &str) -> Result<(), ErrorInfo> {
    let mut others: Vec<RequestId> = Vec::new();
    for turn in turns(chat, TURNS).await?.iter().filter(|turn| turn.aftermath.branches.len() > 1) {
        let place = turn.aftermath.branches.iter().position(|branch| *branch == turn.request_id).unwrap_or(0);
        let of = turn.aftermath.branches.len();
        let shown = one_line(message(&turn.envelopes), 60);
        if which.is_empty() {
            say(&format!("{shown} ({} of {of})", place + 1));
        }
        for branch in turn.aftermath.branches.iter().filter(|branch| **branch != turn.request_id) {
            others.push(*branch);
            if which.is_empty() {
                let text = message_of(chat, *branch).await?;
                say(&format!("{:>3}. {}", others.len(), one_line(&text, 60)));
            }
        }
    }
    if others.is_empty() {
        remark("This session has no other branches. /retry and /rewind make some.");
    } else if which.is_empty() {
        remark("/branches NUMBER goes to one of them, as far as it had come.");
    } else {
        let request_id = *numbered(&others, which)
            .ok_or_else(|| usage("There is no such branch.", "/branches lists them."))?;
        chat.engine.submit(Op::SwitchBranch { request_id }).await?;
        let turns = turns(chat, TURNS).await?;
        remark(&format!(
            "The session has {} on this branch.",
            count(u32::try_from(turns.len()).unwrap_or(u32::MAX), "turn")
        ));
    }
    Ok(())
}

async fn message_of(chat: &Chat, request_id: RequestId) -> Result<String, ErrorInfo> {
    match chat.engine.query(Query::Events { request_id, after_seq: 0 }).await? {
        Answer::Events { envelopes } => Ok(message(&envelopes).to_owned()),
        other => Err(unexpected(&other)),
    }
}

fn nothing_said() -> ErrorInfo {
    usage("Nothing was said in this session yet.", "Send a message.")
}

/// Undoes writes, and says of each what came of it.
async fn undone(chat: &Chat, of: ChangesOf) -> Result<(), ErrorInfo> {
    match chat.engine.submit(Op::UndoChanges { of, path: None }).await? {
        Outcome::Undone { writes } => {
            for undone in writes {
                match undone.error {
                    None => remark(&format!("undid {}", undone.path)),
                    Some(error) => crate::terminal::error(&error),
                }
            }
            Ok(())
        }
        other => Err(unexpected(&other)),
    }
}
