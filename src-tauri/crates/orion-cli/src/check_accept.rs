//! `orion check --accept`: a person accepts a check with the script that they have seen (V1, A3).
//!
//! At a terminal the script is shown and the person is asked. Elsewhere nobody sees it now, so the command names the digest of the script that was looked at.
//! Deliberately not here: running checks ([`crate::check_runs`]).

use std::io::{self, BufRead};

use orion_engine::Engine;
use orion_protocol::{Check, CheckScript, Code, ErrorInfo, Op, ProjectChecks, ProjectId};

use crate::check_flags::CheckArgs;
use crate::check_runs::{checks, ran, told};
use crate::check_words::{changed_text, script_text};
use crate::exit::Exit;
use crate::keyboard::Keyboard;
use crate::terminal::{ask, remark, say};

/// A check that can be accepted.
struct Offered {
    check: Check,
    /// The name of the one that it replaces.
    was: Option<String>,
    /// The script that was accepted before.
    before: Option<CheckScript>,
    script: CheckScript,
}

/// Accepts a proposal, or the script of a check as it is now.
pub(crate) async fn accept(
    engine: &Engine,
    args: &CheckArgs,
    project_id: ProjectId,
    name: &str,
) -> Result<Exit, ErrorInfo> {
    let Offered { check, was, before, script } = offered(checks(engine, project_id).await?, name)?;
    match &before {
        Some(before) => say(&changed_text(&check, before, &script)),
        None => say(&script_text(&check, &script)),
    }
    let seen = match args.script {
        Some(seen) => seen,
        None if !Keyboard::possible() => {
            say(&format!(
                "Nothing is accepted that was not seen. Accept it: orion check --accept {name} --script {}",
                script.sha256
            ));
            return Ok(Exit::WaitsForPerson);
        }
        None if !agrees()? => {
            remark("Not accepted.");
            return Ok(Exit::WaitsForPerson);
        }
        None => script.sha256,
    };
    let runs = ran(engine, Op::SaveCheck { project_id, check, was, script: seen }).await?;
    remark("Accepted.");
    if runs.is_empty() {
        remark("It has not run now: it has a result with this script, or no full sandbox holds it.");
        return Ok(Exit::Answered);
    }
    told(args, &runs)
}

fn offered(ProjectChecks { checks, proposed, .. }: ProjectChecks, name: &str) -> Result<Offered, ErrorInfo> {
    if let Some(known) = checks.into_iter().find(|known| known.check.name == *name) {
        let was = Some(name.to_owned());
        return Ok(match known.changed {
            Some(script) => Offered { check: known.check, was, before: Some(known.script), script },
            None => Offered { check: known.check, was, before: None, script: known.script },
        });
    }
    let proposed = proposed.into_iter().find(|proposed| proposed.check.name == *name).ok_or_else(|| {
        ErrorInfo::new(
            Code::Usage,
            format!("The files of this project propose no check {name}."),
            "orion check --propose shows what they propose.",
        )
    })?;
    Ok(Offered { check: proposed.check, was: None, before: None, script: proposed.script })
}

/// Asks the person at the terminal. Only a plain yes is one.
fn agrees() -> Result<bool, ErrorInfo> {
    ask("Accept it? [y/N] ");
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(|error| {
        ErrorInfo::new(Code::Usage, "The answer could not be read.", "Answer with y or n.")
            .with_detail(error.to_string())
    })?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}
