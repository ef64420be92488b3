//! Limits on what a person sends.

use orion_protocol::{Code, ContextEdit, ErrorInfo, QuestionsAnswer, Reply, ResultEdit};
use serde_json::{Map, Value};

use crate::config::WindowTokens;

/// The longest message: 256 KiB, about 65,000 tokens, which only the largest contexts can take.
const MESSAGE_BYTES: usize = 256 * 1024;

/// Checks a message and returns it as it will be sent.
///
/// # Errors
/// `usage` when it is empty or too long.
pub fn message(text: String) -> Result<String, ErrorInfo> {
    if text.trim().is_empty() {
        return Err(ErrorInfo::new(Code::Usage, "The message is empty.", "Write what you want to know."));
    }
    if text.len() > MESSAGE_BYTES {
        let message = format!("The message is longer than {} KiB.", MESSAGE_BYTES / 1024);
        return Err(ErrorInfo::new(
            Code::Usage,
            message,
            "Put the text into a file of the project and ask about that.",
        ));
    }
    Ok(text)
}

/// The longest reason, in bytes: some 500 words.
const REASON_BYTES: usize = 4 * 1024;

/// Checks why a person rejects something, and returns it as the model is told.
///
/// # Errors
/// `usage` when it is empty or too long.
fn reason(text: String) -> Result<String, ErrorInfo> {
    let text = text.trim().to_owned();
    if text.is_empty() || text.len() > REASON_BYTES {
        let message = format!("A reason has 1 to {REASON_BYTES} bytes.");
        return Err(ErrorInfo::new(Code::Usage, message, "Say it in other words, or reject without one."));
    }
    Ok(text)
}

/// Checks the sizes of a person's reply, and trims its reason.
///
/// # Errors
/// `usage` when a part is too long, or a reason is empty.
pub(super) fn reply(reply: Reply) -> Result<Reply, ErrorInfo> {
    match &reply {
        Reply::AllowEdited { arguments } => self::arguments(arguments)?,
        Reply::Answer { answer } => answers(answer)?,
        Reply::Resume { edits } => result_edits(edits)?,
        Reply::AllowOutside
        | Reply::AllowWords { .. }
        | Reply::Allow { .. }
        | Reply::Write { .. }
        | Reply::Reject { .. }
        | Reply::Choose { .. } => {}
    }
    Ok(match reply {
        Reply::Reject { reason, stop } => {
            Reply::Reject { reason: reason.map(self::reason).transpose()?, stop }
        }
        reply => reply,
    })
}

/// The largest arguments that a person can give a call: 1 MiB, as for those of a model (P6).
const ARGUMENTS_BYTES: usize = 1024 * 1024;

/// Checks the size of changed arguments (A3).
///
/// # Errors
/// `usage` when they are too large.
fn arguments(arguments: &Map<String, Value>) -> Result<(), ErrorInfo> {
    let bytes: usize = arguments.iter().map(|(name, value)| name.len() + value.to_string().len()).sum();
    if bytes > ARGUMENTS_BYTES {
        let message = "The arguments are longer than 1 MiB.";
        return Err(ErrorInfo::new(Code::Usage, message, "Long text does not belong in a tool call."));
    }
    Ok(())
}

/// The longest text that a person puts in the place of a result: 1 MiB, as much as a tool can give (`result_bytes`).
const RESULT_BYTES: usize = 1024 * 1024;

/// Checks the size of results that a person edited (A2).
///
/// # Errors
/// `usage` when one is too long.
fn result_edits(edits: &[ResultEdit]) -> Result<(), ErrorInfo> {
    let too_long = |edit: &ResultEdit| match edit {
        ResultEdit::Replace { text, .. } => text.len() > RESULT_BYTES,
        ResultEdit::Drop { .. } => false,
    };
    if edits.iter().any(too_long) {
        let message = "The edited result is longer than 1 MiB.";
        return Err(ErrorInfo::new(Code::Usage, message, "Shorten it, or drop it."));
    }
    Ok(())
}

/// What a person can answer to the questions of a call, in bytes: as much as a message has.
const ANSWERS_BYTES: usize = MESSAGE_BYTES;

/// Checks the size of answers (A8).
///
/// # Errors
/// `usage` when they are too long.
fn answers(answer: &QuestionsAnswer) -> Result<(), ErrorInfo> {
    let QuestionsAnswer::Answered { answers } = answer else { return Ok(()) };
    let bytes: usize = answers.iter().flat_map(|answer| &answer.answer).map(String::len).sum();
    if bytes > ANSWERS_BYTES {
        let message = format!("The answers are longer than {} KiB.", ANSWERS_BYTES / 1024);
        return Err(ErrorInfo::new(Code::Usage, message, "Put the text into a file, and name the file."));
    }
    Ok(())
}

/// Changes of a conversation in one message: more than a person makes by hand.
const EDITS: usize = 1_000;

/// Checks what a person does to the conversation by hand, and returns it as the turn gets it.
///
/// # Errors
/// `usage` when it is too much.
pub(super) fn edits(edits: &[ContextEdit]) -> Result<Vec<ContextEdit>, ErrorInfo> {
    if edits.len() > EDITS {
        let message = format!("These are more than {EDITS} changes of the conversation.");
        return Err(ErrorInfo::new(Code::Usage, message, "Make fewer, or begin a new session."));
    }
    Ok(edits.to_vec())
}

/// Checks the window that was chosen for a turn.
///
/// # Errors
/// `usage` for one that no model has.
pub(super) fn window(chosen: Option<u32>) -> Result<(), ErrorInfo> {
    match chosen {
        Some(tokens) if WindowTokens::new(tokens).is_none() => {
            let message = format!("The window must be {}.", WindowTokens::expected());
            Err(ErrorInfo::new(Code::Usage, message, "Give the tokens of the model's window."))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_message_and_one_that_is_too_long_are_refused() {
        let codes =
            [" \n".to_owned(), "x".repeat(MESSAGE_BYTES + 1)].map(|text| message(text).map_err(|e| e.code));
        assert_eq!(codes, [Err(Code::Usage), Err(Code::Usage)]);
        assert_eq!(message("x".repeat(MESSAGE_BYTES)).map(|text| text.len()), Ok(MESSAGE_BYTES));
    }
}
