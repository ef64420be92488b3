//! The question of a turn, asked at the terminal with every answer that the window has (A1, A2, A3, A6, A8, P11).

use orion_protocol::{
    AskedBy, CommandAsked, ErrorInfo, KeptFor, Pending, PendingOf, RepeatsChoice, Reply, RequestId,
};
use serde_json::{Map, Value};

use super::answer::{Decision, HOSTS, To, answers, answers_to_command, because, granted, reply_of};
use super::menu::{Choice, Picked, choice, pick};
use super::prompt::{For, Typed};
use super::review::{self, Review};
use super::{Chat, paused, questions};
use crate::asking::Asking;
use crate::command_words::{question, reads, with_hosts};
use crate::kept_words;
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
) -> Result<Decision, ErrorInfo> {
    let Asking { pending: Pending { digest, of }, .. } = asking;
    let to = To { request_id, digest: *digest };
    match of {
        PendingOf::Call { summary, by, keeps, command: Some(asked), .. } => {
            command(chat, to, summary, *by, keeps.is_some(), asked).await
        }
        PendingOf::Call { name, summary, by, keeps, command: None, .. } => {
            call(chat, to, (name, summary), *by, keeps.as_deref()).await
        }
        PendingOf::Write { write, path, name, by, keeps, .. } => {
            let Some(proposal) = asking.write() else {
                remark("The difference is not here.");
                return Ok(Decision::Leave);
            };
            let of = Review { write: *write, path, name, by: *by, keeps: keeps.as_deref(), proposal };
            review::write(chat, to, of).await
        }
        PendingOf::Repeats { choices, .. } => repeats(chat, to, choices).await,
        PendingOf::Questions { questions, .. } => questions::ask(chat, to, questions).await,
        PendingOf::Pause { results, costs, .. } => paused::ask(chat, to, results, *costs).await,
    }
}

/// `arguments`: one JSON object, as the call would run (A3).
async fn call(
    chat: &mut Chat,
    to: To,
    (name, arguments): (&str, &str),
    by: AskedBy,
    keeps: Option<&str>,
) -> Result<Decision, ErrorInfo> {
    because(by).into_iter().for_each(say);
    let arguments: Map<String, Value> = serde_json::from_str(arguments).unwrap_or_default();
    for (argument, value) in &arguments {
        say(&format!("  {argument}: {value}"));
    }
    decided(chat, to, answers("run it once", name, keeps), &arguments, None).await
}

/// `arguments`: as of [`call`]. The question says them as a shell takes them.
async fn command(
    chat: &mut Chat,
    to: To,
    arguments: &str,
    by: AskedBy,
    keeps: bool,
    asked: &CommandAsked,
) -> Result<Decision, ErrorInfo> {
    question(asked).iter().for_each(|line| say(line));
    if let Some(reads) = reads(asked).filter(|reads| chat.told_reads.as_ref() != Some(reads)) {
        say(&reads);
        chat.told_reads = Some(reads);
    }
    // Of what has no reason of its own, the question says why.
    because(by).filter(|_| by != AskedBy::Always).into_iter().for_each(say);
    let arguments: Map<String, Value> = serde_json::from_str(arguments).unwrap_or_default();
    decided(chat, to, answers_to_command(asked, keeps), &arguments, Some(asked)).await
}

/// The answer to a question about a call: one of these, or other arguments.
async fn decided(
    chat: &mut Chat,
    to: To,
    mut choices: Vec<Choice>,
    arguments: &Map<String, Value>,
    command: Option<&CommandAsked>,
) -> Result<Decision, ErrorInfo> {
    choices.push(choice("e", "change the arguments"));
    Ok(match pick(chat, &choices).await? {
        Picked::Stop => to.stop(),
        Picked::Leave => Decision::Leave,
        Picked::Choice("e", _) => match changed(chat, arguments).await? {
            Some(arguments) => to.give(Reply::AllowEdited { arguments }),
            None => Decision::Again,
        },
        Picked::Choice(key @ ("ks" | "kp"), rest) => {
            let keep = if key == "ks" { KeptFor::Session } else { KeptFor::Project };
            match command.and_then(|command| kept_words::typed(command, &rest)) {
                Some(words) => to.give(kept_words::reply(keep, words)),
                None => {
                    remark("Type a number of words for each command of the line, such as ks 0,2.");
                    Decision::Again
                }
            }
        }
        Picked::Choice(HOSTS, typed) => match command.map(|command| granted(command, &typed)) {
            Some(Ok(hosts)) => to.give(with_hosts(arguments, hosts)),
            Some(Err(wrong)) => {
                remark(&wrong);
                Decision::Again
            }
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
