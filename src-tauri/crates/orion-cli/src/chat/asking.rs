//! What a turn waits for, asked at the terminal, with every answer that the window has (A1, A2, A3, A6, A8, P11).

use orion_protocol::{ErrorInfo, Pending, PendingOf, RepeatsChoice, Reply, RequestId};
use serde_json::{Map, Value};

use super::answer::{About, Decision, To, answers, reply_of};
use super::menu::{Choice, Picked, choice, pick};
use super::prompt::{For, Typed};
use super::{Chat, paused, questions, review};
use crate::asking::Asking;
use crate::printed::Printed;
use crate::terminal::{remark, say};

/// Asks what the turn waits for.
///
/// # Errors
/// The terminal cannot be read.
pub(super) async fn ask(
    chat: &mut Chat,
    request_id: RequestId,
    asking: &Asking,
    about: &About,
) -> Result<Decision, ErrorInfo> {
    let Asking { pending: Pending { digest, of }, .. } = asking;
    let to = To { request_id, digest: *digest };
    match of {
        PendingOf::Call { .. } => call(chat, to, about).await,
        PendingOf::Write { .. } => match asking.write() {
            Some(proposal) => review::write(chat, to, proposal, about).await,
            None => Ok(Decision::Leave),
        },
        PendingOf::Repeats { choices, .. } => repeats(chat, to, choices).await,
        PendingOf::Questions { questions, .. } => questions::ask(chat, to, questions).await,
        PendingOf::Pause { results, costs, .. } => paused::ask(chat, to, results, *costs).await,
    }
}

async fn call(chat: &mut Chat, to: To, about: &About) -> Result<Decision, ErrorInfo> {
    about.because().into_iter().for_each(say);
    let arguments = about.arguments().cloned().unwrap_or_default();
    for (name, value) in &arguments {
        say(&format!("  {name}: {value}"));
    }
    let mut choices = answers("run it once", about);
    choices.push(choice("e", "change the arguments"));
    Ok(match pick(chat, &choices).await? {
        Picked::Stop => to.stop(),
        Picked::Leave => Decision::Leave,
        Picked::Choice("e", _) => match changed(chat, &arguments).await? {
            Some(arguments) => to.give(Reply::AllowEdited { arguments }),
            None => Decision::Again,
        },
        Picked::Choice(key, rest) => match reply_of(chat, key, rest).await? {
            Some(reply) => to.give(reply),
            None => Decision::Again,
        },
    })
}

/// The arguments as the person changes them. A character that could not be seen, or would steer the terminal, stands in the line as an
/// escape of JSON: what is not changed stays exactly as it is.
async fn changed(
    chat: &mut Chat,
    arguments: &Map<String, Value>,
) -> Result<Option<Map<String, Value>>, ErrorInfo> {
    let begun = Printed::written_json(Value::Object(arguments.clone()).to_string());
    if chat.quiet.is_none() {
        remark("What you type takes their place; an empty line leaves them as they are.");
    }
    let typed = match chat.lines.next(For::Answer, "arguments> ", begun.as_str()).await? {
        Typed::Line(line) => line,
        _ => return Ok(None),
    };
    match serde_json::from_str(&typed) {
        Ok(changed) => Ok(Some(changed)),
        Err(error) => {
            remark(&format!("The arguments are one JSON object: {error}"));
            Ok(None)
        }
    }
}

/// P11: nobody but the person chooses.
async fn repeats(chat: &mut Chat, to: To, offered: &[RepeatsChoice]) -> Result<Decision, ErrorInfo> {
    say("The content only repeats itself.");
    let choices: Vec<Choice> = offered
        .iter()
        .map(|choice| match choice {
            RepeatsChoice::GoOn => self::choice("g", "go on: the file may repeat itself"),
            RepeatsChoice::KeepOne => self::choice("k", "keep one of the repeats, and look at what there is"),
            RepeatsChoice::Discard => self::choice("d", "discard: write nothing"),
        })
        .collect();
    let give = |choice| to.give(Reply::Choose { choice });
    Ok(match pick(chat, &choices).await? {
        Picked::Choice("g", _) => give(RepeatsChoice::GoOn),
        Picked::Choice("k", _) => give(RepeatsChoice::KeepOne),
        Picked::Choice(..) => give(RepeatsChoice::Discard),
        Picked::Stop => to.stop(),
        Picked::Leave => Decision::Leave,
    })
}
