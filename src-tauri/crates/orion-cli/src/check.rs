//! `orion check`: the checks of a project, run because the person asks for it, and what its files propose (V1).
//!
//! Deliberately not here: accepting one ([`crate::check_accept`]), the checks of a turn, which `orion run` shows, and the words for a check
//! ([`crate::check_words`]).

use orion_engine::Engine;
use orion_protocol::{
    Answer, CallId, CheckRun, CheckSkipped, CheckStatus, ErrorInfo, Op, Outcome, ProjectChecks, ProjectId,
    Query, Update,
};
use serde::Serialize;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::check_accept::accept;
use crate::check_flags::CheckArgs;
use crate::check_words::{accepted_line, proposed_text, ran_line};
use crate::exit::Exit;
use crate::live_output::LiveOutput;
use crate::outcomes::unexpected;
use crate::output::{put, show, unwritable};
use crate::place::project;
use crate::printed::Printed;
use crate::startup::Startup;
use crate::terminal::{notice, remark, say};

pub(crate) async fn check(args: &CheckArgs) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
    let done = act(&engine, args).await;
    engine.close().await?;
    done
}

async fn act(engine: &Engine, args: &CheckArgs) -> Result<Exit, ErrorInfo> {
    let project_id = project(engine, args.folder()).await?;
    if args.list {
        let checks = checks(engine, project_id).await?;
        if checks.checks.is_empty() {
            remark("This project has no checks. orion check --propose shows what its files propose.");
        }
        return show(args.json, &checks.checks, accepted_line);
    }
    if args.propose {
        let checks = checks(engine, project_id).await?;
        return proposed(args, &checks);
    }
    if let Some(name) = &args.accept {
        return accept(engine, args, project_id, name).await;
    }
    if let Some(name) = &args.remove {
        engine.submit(Op::RemoveCheck { project_id, name: name.clone() }).await?;
        remark("Removed.");
        return Ok(Exit::Answered);
    }
    run(engine, args, project_id).await
}

pub(crate) async fn checks(engine: &Engine, project_id: ProjectId) -> Result<ProjectChecks, ErrorInfo> {
    match engine.query(Query::Checks { project_id }).await? {
        Answer::Checks { checks } => Ok(checks),
        other => Err(unexpected(&other)),
    }
}

fn proposed(args: &CheckArgs, checks: &ProjectChecks) -> Result<Exit, ErrorInfo> {
    match checks.proposed.is_empty() {
        true if args.json => {}
        true => remark("The files of this project propose nothing more."),
        false => remark("Accept one: orion check --accept NAME"),
    }
    show(args.json, &checks.proposed, proposed_text)
}

async fn run(engine: &Engine, args: &CheckArgs, project_id: ProjectId) -> Result<Exit, ErrorInfo> {
    let ProjectChecks { checks, proposed, .. } = checks(engine, project_id).await?;
    let is_known = |name: &String| checks.iter().any(|known| known.check.name == *name);
    let is_proposed = |name: &&String| proposed.iter().any(|it| it.check.name == **name);
    if let Some(name) = args.names.iter().filter(|name| !is_known(name)).find(is_proposed) {
        // V1: what a file proposes runs only when the person has accepted it.
        say(&format!(
            "{name} is only proposed. Look at it: orion check --propose. Accept it: orion check --accept {name}"
        ));
        return Ok(Exit::WaitsForPerson);
    }
    let runs = ran(engine, Op::RunChecks { project_id, names: args.names.clone() }).await?;
    if runs.is_empty() {
        remark(
            "No check is set and on, so nothing ran. orion check --propose shows what the project's files propose.",
        );
    }
    told(args, &runs)
}

/// Runs checks, and shows their output on standard error as it comes.
pub(crate) async fn ran(engine: &Engine, op: Op) -> Result<Vec<CheckRun>, ErrorInfo> {
    let mut updates = engine.updates();
    let mut submitted = engine.submit(op);
    let mut shown = Shown::default();
    let outcome = loop {
        tokio::select! {
            biased;
            update = next(&mut updates) => shown.take(update),
            outcome = &mut submitted => break outcome,
        }
    };
    while let Ok(update) = updates.try_recv() {
        shown.take(update);
    }
    shown.output.end().iter().for_each(|line| notice(line));
    match outcome? {
        Outcome::Checked { runs } => Ok(runs),
        other => Err(unexpected(&other)),
    }
}

async fn next(updates: &mut Receiver<Update>) -> Update {
    loop {
        match updates.recv().await {
            Ok(update) => return update,
            Err(RecvError::Lagged(_)) => {}
            // The outcome comes all the same.
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

/// The output of checks on its way to standard error.
#[derive(Debug, Default)]
struct Shown {
    output: LiveOutput,
    name: String,
    at: u64,
}

impl Shown {
    fn take(&mut self, update: Update) {
        let Update::CheckOutput { name, text, .. } = update else { return };
        if self.name != name {
            self.output.end().iter().for_each(|line| notice(line));
            (self.name, self.at) = (name, 0);
        }
        let lines = self.output.push(&CallId(self.name.clone()), self.at, &text);
        self.at += text.len() as u64;
        lines.iter().for_each(|line| notice(line));
    }
}

/// The ends of checks, on standard output.
pub(crate) fn told(args: &CheckArgs, runs: &[CheckRun]) -> Result<Exit, ErrorInfo> {
    if args.json {
        put(&json(&runs)?)?;
    } else {
        put(&Printed::record(&runs.iter().map(ran_line).collect::<String>()))?;
    }
    Ok(exit(runs))
}

fn json(value: &impl Serialize) -> Result<Printed, ErrorInfo> {
    Ok(Printed::json(value).map_err(unwritable)?.line())
}

/// V3: a check that did not run is never a pass.
fn exit(runs: &[CheckRun]) -> Exit {
    let any = |is: fn(&CheckRun) -> bool| runs.iter().any(is);
    if any(|run| run.status == CheckStatus::Stopped || run.skipped == Some(CheckSkipped::Stopped)) {
        Exit::Stopped
    } else if any(|run| matches!(run.status, CheckStatus::Failed | CheckStatus::TimedOut)) {
        Exit::Failed
    } else if any(|run| matches!(run.skipped, Some(CheckSkipped::ScriptChanged | CheckSkipped::NoSandbox))) {
        Exit::WaitsForPerson
    } else if runs.is_empty() || any(|run| run.status == CheckStatus::Skipped) {
        Exit::MaybeIncomplete
    } else {
        Exit::Answered
    }
}

#[cfg(test)]
mod tests {
    use orion_protocol::Sha256;

    use super::*;

    // V3
    #[test]
    fn only_checks_that_all_ran_and_passed_are_a_success() {
        let run = |status, skipped| CheckRun {
            name: "a".to_owned(),
            status,
            skipped,
            script_sha256: Sha256::from([0; 32]),
            excerpt: String::new(),
            command: None,
        };
        let passed = run(CheckStatus::Passed, None);
        let skipped = |why| run(CheckStatus::Skipped, Some(why));
        for (other, expected) in [
            (passed.clone(), Exit::Answered),
            (run(CheckStatus::Failed, None), Exit::Failed),
            (run(CheckStatus::TimedOut, None), Exit::Failed),
            (run(CheckStatus::Stopped, None), Exit::Stopped),
            (skipped(CheckSkipped::ScriptChanged), Exit::WaitsForPerson),
            (skipped(CheckSkipped::NoSandbox), Exit::WaitsForPerson),
            (skipped(CheckSkipped::NotStarted), Exit::MaybeIncomplete),
        ] {
            assert_eq!(exit(&[passed.clone(), other.clone()]), expected, "{other:?}");
        }
        assert_eq!(exit(&[]), Exit::MaybeIncomplete);
    }
}
