//! A turn that is paused, and the results that the model would be given next (A2).

use orion_protocol::{Answer, ErrorInfo, Op, PausedResult, Query, RequestId, ResultEdit, ResumeCost, Sha256};

use super::Chat;
use super::answer::Response;
use super::editor::in_editor;
use super::menu::{Picked, choice, pick};
use crate::asked::cost_of;
use crate::terminal::{remark, say};

/// Lines of a result that are shown before the person asks for all of it.
const LINES: usize = 12;

pub(super) async fn ask(
    chat: &mut Chat,
    request_id: RequestId,
    digest: Sha256,
    results: &[PausedResult],
    costs: ResumeCost,
) -> Result<Response, ErrorInfo> {
    for (number, result) in (1..).zip(results) {
        let text = text_of(chat, request_id, result).await?;
        say(&format!("{number}. {}, {} bytes:", result.name, result.bytes));
        let lines: Vec<&str> = text.lines().collect();
        lines.iter().take(LINES).for_each(|line| say(&format!("   {line}")));
        if lines.len() > LINES {
            remark(&format!("   … {} more lines; v {number} shows them all", lines.len() - LINES));
        }
    }
    let mut edits: Vec<ResultEdit> = Vec::new();
    loop {
        let mut choices = vec![choice("r", format!("resume{}", cost_of(costs)))];
        if !results.is_empty() {
            let which = if results.len() > 1 { ": e NUMBER" } else { "" };
            choices.push(choice("e", format!("edit a result in your editor, and resume{which}")));
            choices.push(choice("d", "drop a result, and resume: the model is only told that it ran"));
            choices.push(choice("v", "view a result"));
        }
        choices.push(choice("x", "stop the turn"));
        let resume = |edits| Ok(Response::Give(Op::ResumePaused { request_id, digest, edits }));
        let (key, result) = match pick(chat, &choices).await? {
            Picked::Leave => return Ok(Response::Leave),
            Picked::Stop | Picked::Choice("x", _) => return Ok(Response::Give(Op::StopTurn { request_id })),
            Picked::Choice("r", _) => return resume(edits),
            Picked::Choice(key, which) => match named(results, &which) {
                Some(result) => (key, result),
                None => {
                    remark(&format!("Which one? {key} 1 is the first."));
                    continue;
                }
            },
        };
        let tool_call_id = result.tool_call_id.clone();
        let edit = match key {
            "d" => Some(ResultEdit::Drop { tool_call_id }),
            "e" => {
                let text = text_of(chat, request_id, result).await?;
                in_editor(chat, &text, ".txt").await.map(|text| ResultEdit::Replace { tool_call_id, text })
            }
            _ => {
                say(&text_of(chat, request_id, result).await?);
                None
            }
        };
        edits.retain(|other| edit.as_ref().is_none_or(|edit| other.tool_call_id() != edit.tool_call_id()));
        edits.extend(edit.clone());
        if edit.is_some() && results.len() == 1 {
            return resume(edits);
        }
    }
}

/// The result of this number; the only one where none is given.
fn named<'a>(results: &'a [PausedResult], which: &str) -> Option<&'a PausedResult> {
    match (results, which) {
        ([only], "") => Some(only),
        _ => results.get(which.parse::<usize>().ok()?.checked_sub(1)?),
    }
}

/// What the model would be given.
async fn text_of(chat: &Chat, request_id: RequestId, result: &PausedResult) -> Result<String, ErrorInfo> {
    let query = Query::ToolCall { request_id, tool_call_id: result.tool_call_id.clone() };
    match chat.engine.query(query).await? {
        Answer::ToolCall { call } => Ok(call.result.unwrap_or_default()),
        other => Err(crate::replies::unexpected(&other)),
    }
}
