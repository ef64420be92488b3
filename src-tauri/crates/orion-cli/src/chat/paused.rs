//! A turn that is paused, and the results that the model would be given next (A2).

use orion_protocol::{Answer, ErrorInfo, PausedResult, Query, Reply, RequestId, ResultEdit, ResumeCost};

use super::Chat;
use super::answer::{Decision, To};
use super::editor::in_editor;
use super::menu::{Choice, Picked, choice, pick};
use crate::asking::cost_of;
use crate::terminal::{remark, say, size};

/// Lines of a result that are shown before the person asks for all of it.
const LINES: usize = 12;

pub(super) async fn ask(
    chat: &mut Chat,
    to: To,
    results: &[PausedResult],
    costs: ResumeCost,
) -> Result<Decision, ErrorInfo> {
    for (number, result) in (1..).zip(results) {
        let text = text_of(chat, to.request_id, result).await?;
        say(&format!("{number}. {}, {}:", result.name, size(result.bytes)));
        let lines: Vec<&str> = text.lines().collect();
        lines.iter().take(LINES).for_each(|line| say(&format!("   {line}")));
        if lines.len() > LINES {
            remark(&format!("   … {} more lines; v {number} shows them all", lines.len() - LINES));
        }
    }
    let mut edits: Vec<ResultEdit> = Vec::new();
    loop {
        let mut choices = vec![choice("r", format!("resume{}", cost_of(costs)))];
        choices.extend(choices_of(results));
        choices.push(choice("x", "stop the turn"));
        let resume = |edits| Ok(to.give(Reply::Resume { edits }));
        let (key, number, result) = match pick(chat, &choices).await? {
            Picked::Leave => return Ok(Decision::Leave),
            Picked::Stop | Picked::Choice("x", _) => return Ok(to.stop()),
            Picked::Choice("r", _) => return resume(edits),
            Picked::Choice(key, which) => match named(results, &which) {
                Some((number, result)) => (key, number, result),
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
                let text = text_of(chat, to.request_id, result).await?;
                in_editor(chat, &text, ".txt").await.map(|text| ResultEdit::Replace { tool_call_id, text })
            }
            _ => {
                say(&text_of(chat, to.request_id, result).await?);
                None
            }
        };
        let Some(edit) = edit else { continue };
        let noted = match &edit {
            ResultEdit::Replace { .. } => "edited",
            ResultEdit::Drop { .. } => "dropped",
        };
        edits.retain(|other| other.tool_call_id() != edit.tool_call_id());
        edits.push(edit);
        if results.len() == 1 {
            return resume(edits);
        }
        remark(&format!("Result {number} is noted as {noted}. r resumes the turn."));
    }
}

/// What a person can do with the results. After a change to the only one the turn goes on; changes to several are noted first.
fn choices_of(results: &[PausedResult]) -> Vec<Choice> {
    match results {
        [] => Vec::new(),
        [_] => vec![
            choice("e", "edit the result in your editor, and resume"),
            choice("d", "drop the result, and resume: the model is only told that it ran"),
            choice("v", "view the result"),
        ],
        _ => vec![
            choice("e", "edit a result in your editor: e NUMBER"),
            choice("d", "drop a result, so that the model is only told that it ran: d NUMBER"),
            choice("v", "view a result: v NUMBER"),
        ],
    }
}

/// The result of this number, counted from 1; the only one where none is given.
fn named<'a>(results: &'a [PausedResult], which: &str) -> Option<(usize, &'a PausedResult)> {
    match (results, which) {
        ([only], "") => Some((1, only)),
        _ => {
            let number = which.parse::<usize>().ok()?;
            Some((number, results.get(number.checked_sub(1)?)?))
        }
    }
}

/// What the model would be given.
async fn text_of(chat: &Chat, request_id: RequestId, result: &PausedResult) -> Result<String, ErrorInfo> {
    let query = Query::ToolCall { request_id, tool_call_id: result.tool_call_id.clone() };
    match chat.engine.query(query).await? {
        Answer::ToolCall { call } => Ok(call.result.unwrap_or_default()),
        other => Err(crate::outcomes::unexpected(&other)),
    }
}
