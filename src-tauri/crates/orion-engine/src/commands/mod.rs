//! Commands of turns (C1–C6): where they run, what they may see, and where their output is kept.
//!
//! Deliberately not here: the tools (`tools/run_command`, `tools/read_output`), asking (the
//! turn), and holding a command (`orion-sandbox`).

mod changed;
mod home;
mod kept;
mod lines;
mod live;
pub(crate) mod managers;
#[cfg(unix)]
mod programs;
mod retention;
mod running;
mod tracked;
mod undoing;
mod unprotected;
mod wanted;

use std::path::{Path, PathBuf};
use std::time::Duration;

use orion_files::held::{Held, held};
use orion_files::later::Later;
use orion_files::workspace::{Budget, Project};
use orion_protocol::{CommandRun, ErrorInfo, RunsLater, SandboxGap, SandboxLevel};
use orion_sandbox::{Found, Layout, Missing, Sandbox, toolchains};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) use changed::said;
use changed::{before, since};
pub(crate) use home::{Homes, bytes as home_bytes, clear as clear_home, forget as forget_home};
use kept::{Keeper, Keeping};
pub(crate) use kept::{Kept, latest, of_session, place};
pub(crate) use lines::Text;
pub(crate) use live::Show;
use retention::forget_old;
pub(crate) use running::{Command, Ended};
pub(crate) use undoing::Undoing;
use unprotected::Unprotected;
pub(crate) use wanted::line_of;

use crate::blocking::blocking;
use crate::config::Closed;
use crate::paths::Paths;

/// The parts of a project that are mounted over it, of each kind: 32. A box with 300 costs 45 times as much as one with none.
const MOUNTS: usize = 32;

/// The time in which a project is looked through for them: 5 s, in which an ordinary disk lists some 500,000 files.
const LOOKING: Duration = Duration::from_secs(5);

/// The time of each look after a command that was stopped, and of the two for what it changed together: 1 s, since a turn that stops waits 5 s for what
/// came of it (A4).
const LOOKING_STOPPED: Duration = Duration::from_secs(1);

/// The folder of what is kept of outputs.
pub(crate) fn outputs(paths: &Paths) -> PathBuf {
    paths.data_dir.join("outputs")
}

/// The commands of all projects. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Commands {
    pub(crate) sandbox: Sandbox,
    /// The folder of what is kept of outputs.
    pub(crate) outputs: PathBuf,
    homes: Homes,
    /// The folders that no command is given.
    closed: Closed,
}

/// The place where commands of a project run.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    pub(crate) layout: Layout,
    /// The level of this project's box.
    pub(crate) level: SandboxLevel,
    pub(crate) gaps: Vec<SandboxGap>,
    /// The reason for which a person is asked about each command.
    pub(crate) asks_since: Option<String>,
    /// The files of the project that can run code later, as they are before a command.
    pub(crate) later: Later,
}

impl Setting {
    /// The reason for which no rule is kept for this program, by where it is found (C1).
    pub(crate) fn never_kept(&self, name: &str) -> Option<String> {
        #[cfg(unix)]
        {
            let path = std::env::var_os("PATH").unwrap_or_else(|| programs::WITHOUT_PATH.into());
            programs::never_kept(name, &self.layout, &path, std::env::home_dir().as_deref())
        }
        // There is no sandbox, so nothing that is kept would hold.
        #[cfg(not(unix))]
        Some(format!("is run without a sandbox, and {name} may be anything"))
    }
}

impl Commands {
    /// Those of this installation. Nothing is read or measured yet (C3).
    pub(crate) fn new(paths: &Paths) -> Self {
        let program = std::env::current_exe().unwrap_or_default();
        Self {
            sandbox: Sandbox::new(Sandbox::beside(&program), paths.data_dir.join("sandbox.json")),
            outputs: outputs(paths),
            homes: Homes::of(paths),
            closed: Closed::of(paths),
        }
    }

    /// Finds out where a command of this project would run, with these folders of the person to read. The level is measured if it is not known yet (C3).
    ///
    /// # Errors
    /// A home that cannot be made.
    pub(crate) async fn setting(
        &self,
        project: &Project,
        read: &[String],
        cancel: CancellationToken,
    ) -> Result<Setting, ErrorInfo> {
        let found = self.sandbox.level().await;
        let this = self.clone();
        let (project, read) = (project.clone(), read.to_owned());
        let looking = look(Budget::ENTRIES, LOOKING, &cancel, move |budget| {
            let mut held = held(&project, MOUNTS, budget);
            let later = std::mem::take(&mut held.later);
            let home = this.homes.made(&project.root().to_string_lossy())?;
            let remains = if found.level == SandboxLevel::Full { remains(&held) } else { None };
            let asks_since = home::asks_since(&home).or(remains);
            let layout = layout(&project, held, home, this.closed.open(&read));
            let Found { level, missing } = this.sandbox.of_project(found, &layout);
            let gaps = missing.into_iter().map(gap).collect();
            Ok(Setting { layout, level, gaps, asks_since, later })
        });
        looking.await
    }

    /// Notes how large the home of commands has become. It goes on where nobody waits for it.
    pub(crate) fn measure_home(&self, home: &Path) -> JoinHandle<u64> {
        let home = home.to_owned();
        tokio::task::spawn_blocking(move || home::measure(&home))
    }
}

/// The time that each look after a command has.
pub(crate) fn time_after(was_stopped: bool) -> Duration {
    if was_stopped { LOOKING_STOPPED } else { LOOKING }
}

/// Looks through a project on a thread, over so many entries and for so long at most. Dropping the future ends the look.
async fn look<T: Send + 'static>(
    entries: u64,
    time: Duration,
    cancel: &CancellationToken,
    work: impl FnOnce(&Budget) -> T + Send + 'static,
) -> T {
    let cancel = cancel.child_token();
    let _ends = cancel.clone().drop_guard();
    blocking(move || work(&Budget::new(entries, time, cancel))).await
}

/// The files that can run code later and that are new since `before`, or changed, and whether there may be more of them. A stop ended the command, and it
/// is still looked at what it left.
pub(crate) async fn run_later(before: Later, project: &Project, time: Duration) -> (Vec<RunsLater>, bool) {
    let (project, unstopped) = (project.clone(), CancellationToken::new());
    let looking = look(Budget::ENTRIES, time, &unstopped, move |budget| {
        let (changed, is_all) = before.changed(&project, CommandRun::NAMED, budget);
        (changed, !is_all)
    });
    looking.await
}

/// The parts of a project that a full sandbox keeps as they are, as they are before a command.
pub(crate) async fn unprotected(layout: &Layout, cancel: &CancellationToken) -> Unprotected {
    unprotected_within(layout, LOOKING, cancel).await
}

/// Those that a command changed since, and whether there may be more.
pub(crate) async fn unprotected_since(
    before: &Unprotected,
    layout: &Layout,
    time: Duration,
) -> (Vec<String>, bool) {
    let now = unprotected_within(layout, time, &CancellationToken::new()).await;
    before.changed(&now, CommandRun::NAMED)
}

async fn unprotected_within(layout: &Layout, time: Duration, cancel: &CancellationToken) -> Unprotected {
    let (project, read_only) = (layout.project.clone(), layout.read_only.clone());
    look(Budget::ENTRIES, time, cancel, move |budget| Unprotected::see(&project, &read_only, budget)).await
}

fn remains(held: &Held) -> Option<String> {
    let more = format!("More than {MOUNTS} files and folders of the project, or not all were found, are");
    let closed = format!("{more} closed by .orionignore: a command can read the others.");
    let runs = format!("{more} of the kind that runs by itself: a command can change the others.");
    held.more_closed.then_some(closed).or(held.more_read_only.then_some(runs))
}

fn layout(project: &Project, held: Held, home: PathBuf, read: Vec<PathBuf>) -> Layout {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut also_readable = std::env::home_dir().map(|home| toolchains(&path, &home)).unwrap_or_default();
    also_readable.extend(read);
    also_readable.sort();
    also_readable.dedup();
    Layout {
        project: project.root().to_owned(),
        home,
        read_only: held.read_only,
        masked: held.closed,
        also_readable,
    }
}

fn gap(missing: Missing) -> SandboxGap {
    SandboxGap { gap: missing.what, mends: missing.mend }
}
