//! Running checks for a person at the terminal: their output as it comes, their ends, and the exit code that they come to (V3).
//!
//! Deliberately not here: which ones run ([`crate::check`]), and accepting one ([`crate::check_accept`]).

use orion_engine::Engine;
use orion_protocol::{
    Answer, CallId, CheckRun, CheckSkipped, CheckStatus, ErrorInfo, Op, Outcome, ProjectChecks, ProjectId,
    Query, Update,
};
use serde::Serialize;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::check_flags::CheckArgs;
use crate::check_words::ran_line;
use crate::exit::Exit;
use crate::live_output::LiveOutput;
use crate::outcomes::unexpected;
use crate::output::{put, unwritable};
use crate::printed::Printed;
use crate::terminal::notice;

/// The checks of a project, and what its files propose.
pub(crate) async fn checks(engine: &Engine, project_id: ProjectId) -> Result<ProjectChecks, ErrorInfo> {
    match engine.query(Query::Checks { project_id }).await? {
        Answer::Checks { checks } => Ok(checks),
        other => Err(unexpected(&other)),
    }
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
