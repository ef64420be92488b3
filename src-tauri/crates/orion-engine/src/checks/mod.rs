//! The checks of a project (V1): what its files propose, what a person accepted, and running one.
//!
//! A check runs only with the script that its person accepted: that is read anew before each run. Deliberately not here: when checks run by themselves (the
//! turn), operations and queries (`engine/checks`), and running a command to its end ([`crate::commands`]).

mod excerpt;
mod proposing;
mod reading;
mod script;
mod valid;

use std::path::PathBuf;

use orion_files::workspace::Project;
use orion_protocol::{
    Check, CheckCommand, CheckRun, CheckScript, CheckSkipped, CheckStatus, CommandEnd, ErrorInfo,
    ProposedCheck, SandboxLevel, Sha256,
};
use orion_store::{CheckPlace, NewCommandFile, Store, StoredCheck};
use tokio_util::sync::CancellationToken;

use crate::blocking::blocking;
use crate::commands::{Command, Commands, Show};
use excerpt::excerpt;

/// A check as its person accepted it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Accepted {
    pub(crate) check: Check,
    /// The digest of the line and of the script behind it.
    pub(crate) script_sha256: Sha256,
    /// The end of its last run with this script.
    pub(crate) last: Option<CheckStatus>,
}

impl Accepted {
    /// The script behind it is now the one that was accepted.
    async fn is_as_accepted(&self, project: &Project) -> bool {
        script(project, &self.check.command).await.is_ok_and(|now| now.sha256 == self.script_sha256)
    }
}

impl From<StoredCheck> for Accepted {
    fn from(stored: StoredCheck) -> Self {
        let StoredCheck { check, script, last, .. } = stored;
        Self { check, script_sha256: script.sha256, last }
    }
}

/// The things that a run is given.
#[derive(Debug)]
pub(crate) struct Given {
    /// The names of variables that it gets beyond the list of the sandbox (C2).
    pub(crate) env: Vec<String>,
    /// The folders of the person that it can read, as the settings name them (C2).
    pub(crate) read: Vec<String>,
    /// The person asked for this run, so it runs where no sandbox holds it, too.
    pub(crate) asked: bool,
    /// The place of its output.
    pub(crate) kept_at: PathBuf,
}

/// A check that ran, or did not for a reason.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) run: CheckRun,
    /// The contents of the files that it changed. Empty where it did not run.
    pub(crate) contents: Vec<NewCommandFile>,
}

/// The checks of all projects. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Checks {
    commands: Commands,
    store: Store,
}

impl Checks {
    pub(crate) fn new(commands: Commands, store: Store) -> Self {
        Self { commands, store }
    }

    /// The checks of a project, in the person's order.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(crate) async fn of_project(&self, of: &CheckPlace) -> Result<Vec<Accepted>, ErrorInfo> {
        Ok(self.store.checks(of).await?.into_iter().map(Accepted::from).collect())
    }

    /// Keeps the end of a run as the check's last one. A check that was skipped or stopped has the last one that it had. One that cannot be kept is logged: it ran
    /// all the same.
    pub(crate) async fn ran(&self, of: &CheckPlace, run: &CheckRun, at_ms: i64) {
        if let CheckStatus::Skipped | CheckStatus::Stopped = run.status {
            return;
        }
        let (name, sha256) = (run.name.clone(), run.script_sha256);
        if let Err(error) = self.store.check_ran(of.clone(), name, sha256, run.status, at_ms).await {
            tracing::warn!(%error, "the end of a check could not be kept");
        }
    }

    /// The level of a project's box, measured where it is not known yet (C3).
    ///
    /// # Errors
    /// A home that cannot be made.
    pub(crate) async fn level(&self, project: &Project) -> Result<SandboxLevel, ErrorInfo> {
        Ok(self.commands.setting(project, &[], CancellationToken::new()).await?.level)
    }

    /// Runs a check once, in a box without network (V1). A stop ends it.
    pub(crate) async fn run(
        &self,
        accepted: &Accepted,
        project: &Project,
        given: Given,
        show: Show,
        cancel: &CancellationToken,
    ) -> Checked {
        let Accepted { check, script_sha256, .. } = accepted;
        let without = |status, skipped| {
            let (name, script_sha256) = (check.name.clone(), *script_sha256);
            let run =
                CheckRun { name, status, skipped, script_sha256, excerpt: String::new(), command: None };
            Checked { run, contents: Vec::new() }
        };
        let skipped = |why| without(CheckStatus::Skipped, Some(why));
        if cancel.is_cancelled() {
            return skipped(CheckSkipped::Stopped);
        }
        if !accepted.is_as_accepted(project).await {
            return skipped(CheckSkipped::ScriptChanged);
        }
        let Ok((program, line)) = valid::program(&check.command) else {
            return skipped(CheckSkipped::NotStarted);
        };
        let setting = match self.commands.setting(project, &given.read, cancel.clone()).await {
            Ok(setting) => setting,
            Err(error) => {
                tracing::warn!(%error, "a check has no place to run in");
                return skipped(CheckSkipped::NotStarted);
            }
        };
        if setting.level == SandboxLevel::None && !given.asked {
            return skipped(CheckSkipped::NoSandbox);
        }
        let command = Command {
            program,
            line,
            folder: ".".to_owned(),
            cwd: project.root().to_owned(),
            seconds: check.timeout_s,
            hosts: Vec::new(),
            env: given.env,
            outside: false,
        };
        let ready = match self.commands.ready(command, setting, project, given.kept_at, cancel).await {
            Ok(ready) => ready,
            Err(error) => {
                tracing::warn!(%error, "the output of a check cannot be kept");
                return skipped(CheckSkipped::NotStarted);
            }
        };
        // V1: the box was measured and the files were walked meanwhile, which can take seconds.
        if !accepted.is_as_accepted(project).await {
            return skipped(CheckSkipped::ScriptChanged);
        }
        match self.commands.start(ready, project, show, cancel).await {
            Ok(ended) => {
                let mut checked = without(status(ended.run.ended), None);
                checked.run.excerpt = excerpt(&ended.output);
                checked.run.command = Some(Box::new(ended.run));
                checked.contents = ended.contents;
                checked
            }
            Err(error) => {
                tracing::warn!(%error, "a check could not be started");
                skipped(CheckSkipped::NotStarted)
            }
        }
    }
}

/// Only exit code 0 is a pass (V3).
fn status(ended: CommandEnd) -> CheckStatus {
    match ended {
        CommandEnd::Exited { code: 0 } => CheckStatus::Passed,
        CommandEnd::TimedOut => CheckStatus::TimedOut,
        CommandEnd::Stopped => CheckStatus::Stopped,
        _ => CheckStatus::Failed,
    }
}

/// Checks a check that a person wants to keep.
///
/// # Errors
/// `usage`, with the field and the reason.
pub(crate) fn validate(check: &Check) -> Result<(), ErrorInfo> {
    valid::check(check)
}

/// The line of a command as a shell takes it, and as the command that ran has it.
///
/// # Errors
/// `usage` for a command that cannot be run.
pub(crate) fn line(command: &CheckCommand) -> Result<String, ErrorInfo> {
    valid::program(command).map(|(_, line)| line)
}

/// The script behind a command, as it is now. Nothing of it runs.
///
/// # Errors
/// `usage` for a command that cannot be run, or that calls too many others.
pub(crate) async fn script(project: &Project, command: &CheckCommand) -> Result<CheckScript, ErrorInfo> {
    let (project, command) = (project.clone(), command.clone());
    blocking(move || {
        line(&command)?;
        script::script(&project, &command)
    })
    .await
}

/// The checks that the files of a project propose, with the script behind each. Nothing of it runs. One whose script cannot be shown whole is left out: it
/// could not be accepted.
pub(crate) async fn proposed(project: &Project) -> Vec<ProposedCheck> {
    let project = project.clone();
    blocking(move || {
        let proposals = proposing::proposals(&project).into_iter();
        let with_script = proposals.filter_map(|proposal| {
            let script =
                script::script(&project, &proposal.check.command).ok().filter(CheckScript::is_whole)?;
            Some(ProposedCheck { check: proposal.check, from: proposal.from.to_owned(), script })
        });
        with_script.collect()
    })
    .await
}

#[cfg(test)]
mod tests;
