//! Running one command of a project to its end: in its box, with its output shown and kept, and with what it changed (C2–C6).
//!
//! Deliberately not here: whether it may run (the turn), and what a model or a person is told of its end (the tools, `checks`).

use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use orion_files::compared::Before;
use orion_files::workspace::Project;
use orion_protocol::{Code, CommandEnd, CommandNetwork, CommandRun, ErrorInfo, SandboxLevel};
use orion_sandbox::{Host, Limits, Order, Place, Program, Ran};
use orion_store::NewCommandFile;
use tokio_util::sync::CancellationToken;

use super::live::{Live, Show};
use super::unprotected::Unprotected;
use super::{
    Commands, Keeper, Keeping, Kept, Setting, before, forget_old, managers, run_later, since, time_after,
    unprotected, unprotected_since,
};
use crate::blocking::blocking;

/// A command that may run.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) program: Program,
    /// The line as a shell takes it.
    pub(crate) line: String,
    /// Project-relative, as it is shown.
    pub(crate) folder: String,
    pub(crate) cwd: PathBuf,
    pub(crate) seconds: u32,
    /// The hosts that were granted to it (C2).
    pub(crate) hosts: Vec<Host>,
    /// The names of variables that it gets beyond the list of the sandbox (C2).
    pub(crate) env: Vec<String>,
    /// The person has it run outside the sandbox (C3).
    pub(crate) outside: bool,
}

/// A command that only waits for its start.
#[derive(Debug)]
pub(crate) struct Ready {
    command: Command,
    setting: Setting,
    /// The level that holds it.
    level: SandboxLevel,
    kept_at: PathBuf,
    keeper: Keeper,
    /// The places that no level protects, as they are before it; only in `files_only`.
    unprotected: Option<Unprotected>,
    /// The files of the project as they are before it.
    files: Before,
}

/// A command that ran.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) run: CommandRun,
    pub(crate) ran: Ran,
    /// Its output, as it is kept.
    pub(crate) output: Kept,
    /// The contents of the files that it changed. The caller stores them, or says why not ([`Ended::keeps_none`]).
    pub(crate) contents: Vec<NewCommandFile>,
}

impl Ended {
    /// Says of each file that it changed that this cannot be undone, for this reason.
    pub(crate) fn keeps_none(&mut self, why: &str) {
        for file in self.run.changed.iter_mut().filter(|file| file.kept.is_none()) {
            file.kept = Some(why.to_owned());
        }
    }
}

impl Commands {
    /// Runs a command, keeps its output in this place, and shows it as it comes. A stop ends it, and there is an outcome soon.
    ///
    /// # Errors
    /// An output that cannot be kept, and a command that could not be started.
    pub(crate) async fn run(
        &self,
        command: Command,
        setting: Setting,
        project: &Project,
        kept_at: PathBuf,
        show: Show,
        cancel: &CancellationToken,
    ) -> Result<Ended, ErrorInfo> {
        let ready = self.ready(command, setting, project, kept_at, cancel).await?;
        self.start(ready, project, show, cancel).await
    }

    /// Takes all that is known before a command starts, which can take a while: the files as they are, and a place for its output.
    ///
    /// # Errors
    /// An output that cannot be kept.
    pub(crate) async fn ready(
        &self,
        command: Command,
        setting: Setting,
        project: &Project,
        kept_at: PathBuf,
        cancel: &CancellationToken,
    ) -> Result<Ready, ErrorInfo> {
        // C3: where the question says that nothing holds it, nothing does.
        let level = if command.outside { SandboxLevel::None } else { setting.level };
        let unprotected = match level {
            SandboxLevel::FilesOnly => Some(unprotected(&setting.layout, cancel).await),
            SandboxLevel::Full | SandboxLevel::None => None,
        };
        let keeper = self.keeper(&kept_at).await?;
        let files = before(project, cancel.clone()).await;
        Ok(Ready { command, setting, level, kept_at, keeper, unprotected, files })
    }

    /// Starts a command that is ready, and sees it to its end.
    ///
    /// # Errors
    /// An output that cannot be kept, and a command that could not be started.
    pub(crate) async fn start(
        &self,
        ready: Ready,
        project: &Project,
        show: Show,
        cancel: &CancellationToken,
    ) -> Result<Ended, ErrorInfo> {
        let Ready { command, setting, level, kept_at, keeper, unprotected: kept_before, files: as_it_was } =
            ready;
        let Command { program, line, folder, cwd, seconds, hosts, env, outside } = command;
        let Setting { layout, later, .. } = setting;
        let home = layout.home.clone();
        let protected = layout.clone();
        let at = match level {
            SandboxLevel::Full => Place::Box(layout),
            SandboxLevel::FilesOnly => Place::FilesOnly(layout),
            SandboxLevel::None => Place::Outside { project: layout.project },
        };
        let limits = Limits { time: Duration::from_secs(seconds.into()), ..Limits::default() };
        let granted: Vec<String> = hosts.iter().map(Host::to_string).collect();
        let order = Order { program, cwd, env, limits, hosts };
        let live = Mutex::new(Live::to(show));
        let output = |piece: &[u8]| {
            keeper.push(piece);
            locked(&live).push(piece);
        };
        let ran = tokio::select! {
            ran = self.sandbox.run(at, order, output, cancel.clone()) => ran,
            never = shown(&live) => match never {},
        };
        locked(&live).show();
        let keeping = blocking(move || keeper.end())
            .await
            .ok_or_else(|| unkept(&io::Error::other("its thread broke")))?;
        let measuring = (level != SandboxLevel::None).then(|| self.measure_home(&home));
        if let CommandEnd::NotStarted = ran.ended {
            let message = format!("The command could not be started: {}", ran.why.unwrap_or_default());
            return Err(ErrorInfo::new(Code::ToolFailed, message, "Tell the person, or go on without it."));
        }
        let time = time_after(cancel.is_cancelled());
        let (runs_later, more_run_later) = run_later(later, project, time).await;
        let (unprotected, more_unprotected) = match kept_before {
            Some(before) => unprotected_since(&before, &protected, time).await,
            None => (Vec::new(), false),
        };
        let git = (level == SandboxLevel::Full).then_some(&self.sandbox);
        let changes = since(as_it_was, project, git, cancel).await;
        let run = CommandRun {
            line,
            folder,
            level,
            outside,
            ended: ran.ended,
            duration_ms: u64::try_from(ran.duration.as_millis()).unwrap_or(u64::MAX),
            bytes: keeping.bytes(),
            sha256: keeping.sha256(),
            kept_bytes: keeping.kept_bytes(),
            left_running: ran.left_running.clone(),
            ports: ran.ports.clone(),
            runs_later,
            more_run_later,
            unprotected,
            more_unprotected,
            network: network_of(&ran, &granted),
            changed: changes.named,
            more_changed: changes.more,
            partly_compared: changes.partly,
        };
        let output = blocking(move || Kept::read(&kept_at).map_err(|error| unkept(&error))).await?;
        // A4: a stop waits for the outcome, and not for this.
        if let Some(measuring) = measuring.filter(|_| !cancel.is_cancelled()) {
            let _ = measuring.await;
        }
        Ok(Ended { run, ran, output: output.unwrap_or_default(), contents: changes.kept })
    }

    /// Begins an output in this place. Old ones make room for it.
    async fn keeper(&self, place: &Path) -> Result<Keeper, ErrorInfo> {
        let (outputs, place) = (self.outputs.clone(), place.to_owned());
        let begun = blocking(move || {
            forget_old(&outputs, SystemTime::now());
            Keeping::begin(&place).and_then(Keeper::of)
        });
        begun.await.map_err(|error| unkept(&error))
    }
}

/// Shows what came of a command that writes nothing more for a while.
async fn shown(live: &Mutex<Live>) -> Infallible {
    let mut tick = tokio::time::interval(Live::BATCH);
    loop {
        tick.tick().await;
        locked(live).show_late();
    }
}

fn locked(live: &Mutex<Live>) -> MutexGuard<'_, Live> {
    live.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The command's way to the network, if it asked for a host, with what is offered next.
fn network_of(ran: &Ran, granted: &[String]) -> Option<Box<CommandNetwork>> {
    let offered = managers::after(granted, &ran.network.refused);
    (!ran.network.is_empty()).then(|| Box::new(CommandNetwork { offered, ..ran.network.clone() }))
}

fn unkept(error: &io::Error) -> ErrorInfo {
    ErrorInfo::new(
        Code::Storage,
        "The output of a command could not be kept.",
        "Make room on the disk of Orion's data, or see that you may write there.",
    )
    .with_detail(error.to_string())
}
