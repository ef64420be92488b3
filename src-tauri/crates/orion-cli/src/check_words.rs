//! The words for checks at the terminal: one that is kept, one that is proposed, the script behind it, and its end.

use std::sync::Arc;

use orion_files::difference::Difference;
use orion_protocol::{
    AcceptedCheck, Check, CheckCommand, CheckRun, CheckScript, CheckSkipped, ProposedCheck,
};

use crate::permissions::day;
use crate::terminal::one_line;

/// Characters of a line that are shown where there are many.
const LINE: usize = 120;

fn line_of(command: &CheckCommand) -> String {
    match command {
        CheckCommand::Line(line) => line.clone(),
        CheckCommand::Argv(words) => shell_words::join(words),
    }
}

/// A check that the person keeps, on one line.
pub(crate) fn accepted_line(accepted: &AcceptedCheck) -> String {
    let AcceptedCheck { check, changed, last, last_at_ms, .. } = accepted;
    let on = if check.on { "on " } else { "off" };
    let last = match (changed, last, last_at_ms) {
        (Some(_), ..) => "its script changed: orion check --accept NAME shows it".to_owned(),
        (None, Some(status), Some(at_ms)) => format!("{} {}", status.words(), day(*at_ms)),
        (None, Some(status), None) => status.words().to_owned(),
        (None, None, _) => "no result yet".to_owned(),
    };
    format!("{on}  {}  {}  {last}", check.name, one_line(&line_of(&check.command), LINE))
}

/// A proposal, with the script behind it.
pub(crate) fn proposed_text(proposed: &ProposedCheck) -> String {
    let ProposedCheck { check, from, script } = proposed;
    format!("{} ({from})\n{}", check.name, script_text(check, script))
}

/// The line of a check, and the script behind it.
pub(crate) fn script_text(check: &Check, script: &CheckScript) -> String {
    let mut text = format!("  $ {}\n", line_of(&check.command));
    for part in &script.parts {
        text.push_str(&format!("  {}\n", part.from));
        part.text.lines().for_each(|line| text.push_str(&format!("    {line}\n")));
        if part.cut {
            text.push_str("    … there is more of it\n");
        }
    }
    text.push_str(&digest_line(script));
    text
}

/// The line of a check, and what differs between two scripts behind it.
pub(crate) fn changed_text(check: &Check, before: &CheckScript, now: &CheckScript) -> String {
    let mut text = format!("  $ {}\n", line_of(&check.command));
    let part = |script: &CheckScript, from: &str| {
        script.parts.iter().find(|part| part.from == from).map(|part| Arc::from(part.text.as_str()))
    };
    let gone = before.parts.iter().filter(|part| now.parts.iter().all(|it| it.from != part.from));
    let places: Vec<&str> = now.parts.iter().chain(gone).map(|part| part.from.as_str()).collect();
    let count = text.len();
    for from in places {
        let difference = Difference::of(part(before, from), part(now, from).unwrap_or_default(), &[]);
        text.push_str(&difference.unified(from, from));
    }
    if text.len() == count {
        // Only what is not shown differs.
        return script_text(check, now);
    }
    if before.parts.iter().chain(&now.parts).any(|part| part.cut) {
        text.push_str("  … there is more of it\n");
    }
    text.push_str(&digest_line(now));
    text
}

fn digest_line(script: &CheckScript) -> String {
    format!("  script {}\n", script.sha256)
}

/// The end of a check, on one line with its end.
pub(crate) fn ran_line(run: &CheckRun) -> String {
    let CheckRun { name, status, skipped, command, .. } = run;
    let how = match (skipped, command) {
        (Some(why), _) => skipped_words(*why),
        (None, Some(command)) => {
            format!("{}, {:.1} s, {}", command.ended, command.duration_ms as f64 / 1_000.0, command.held())
        }
        (None, None) => String::new(),
    };
    format!("{}  {name}  {how}\n", status.words())
}

/// The reason, with what can be done about it.
fn skipped_words(why: CheckSkipped) -> String {
    match why {
        CheckSkipped::ScriptChanged => {
            format!("{}: orion check --accept NAME shows it and accepts it", why.words())
        }
        _ => why.words().to_owned(),
    }
}
