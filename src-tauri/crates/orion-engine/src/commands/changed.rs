//! The files that a command changed: looking at the project before and after it, and what is told and kept of the difference (C6).
//!
//! Deliberately not here: the comparison (`orion_files::compared`), and undoing a change (`undoing`).

use std::pin::pin;
use std::sync::Arc;

use orion_files::compared::{Before, Changed, Compared, ENTRIES};
use orion_files::difference::Difference;
use orion_files::workspace::{Budget, Project};
use orion_files::writing::sha256;
use orion_protocol::{CommandChange, CommandRun};
use orion_sandbox::Sandbox;
use orion_store::NewCommandFile;
use tokio_util::sync::CancellationToken;

use super::tracked::contents;
use super::{LOOKING, LOOKING_STOPPED, look};

/// The steps that a comparison of lines may take for its two numbers: 1 Mi, some milliseconds. Beyond them all counts as changed.
const WORK: usize = 1 << 20;

/// Files that are named in the box for the model.
const SAID: usize = 20;

/// The changes of a command.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// [`CommandRun::CHANGES`] at most.
    pub(crate) named: Vec<CommandChange>,
    /// So many more.
    pub(crate) more: u64,
    /// Not all of the project could be compared.
    pub(crate) partly: bool,
    /// Those that are kept, to be undone.
    pub(crate) kept: Vec<NewCommandFile>,
}

/// Looks at a project right before a command.
pub(crate) async fn before(project: &Project, cancel: CancellationToken) -> Before {
    let project = project.clone();
    look(ENTRIES, LOOKING, &cancel, move |budget| Before::of(&project, budget)).await
}

/// Finds what changed since. A command that was stopped has changed files too, so a stop does not end it: what is left of it is short then. `git`: the
/// command could not change `.git`, so git is asked in a box for what was not copied, as long as nobody stops the turn.
pub(crate) async fn since(
    before: Before,
    project: &Project,
    git: Option<&Sandbox>,
    cancel: &CancellationToken,
) -> Changes {
    let (folder, asks_git) = (project.clone(), git.is_some() && !cancel.is_cancelled());
    let looking = look_on(cancel, move |budget| {
        let found = before.found(&folder, budget);
        let tracked = if asks_git { found.tracked(&folder, budget) } else { Vec::new() };
        (found, tracked)
    });
    let (mut found, tracked) = looking.await;
    let contents = match git {
        Some(sandbox) if !tracked.is_empty() && !cancel.is_cancelled() => {
            contents(sandbox, project.root(), &tracked, cancel).await
        }
        _ => Vec::new(),
    };
    let project = project.clone();
    look_on(cancel, move |budget| {
        contents.into_iter().for_each(|(at, body)| found.supply(&tracked[at], body));
        of(found.compared(&project, budget))
    })
    .await
}

/// One of the two looks after a command. From a stop on it has half of the time that they have together then.
async fn look_on<T: Send + 'static>(
    cancel: &CancellationToken,
    work: impl FnOnce(&Budget) -> T + Send + 'static,
) -> T {
    let ends = CancellationToken::new();
    let mut looking = pin!(look(ENTRIES, LOOKING, &ends, work));
    let stopped = async {
        cancel.cancelled().await;
        tokio::time::sleep(LOOKING_STOPPED / 2).await;
    };
    tokio::select! {
        biased;
        done = &mut looking => return done,
        () = stopped => ends.cancel(),
    }
    looking.await
}

fn of(Compared { files, more, is_whole }: Compared) -> Changes {
    let named: Vec<CommandChange> = files.iter().take(CommandRun::CHANGES).map(named).collect();
    let more = more + (files.len() - named.len()) as u64;
    Changes { named, more, partly: !is_whole, kept: files.into_iter().map(kept).collect() }
}

fn named(file: &Changed) -> CommandChange {
    let Changed { path, change, before, after, kept, leads_out, .. } = file;
    let lines = kept.is_none().then(|| lines(before.as_deref(), after.as_deref())).flatten();
    CommandChange {
        path: path.to_string(),
        change: *change,
        before: before.as_deref().map(sha256),
        after: after.as_deref().map(sha256),
        added: lines.map(|(added, _)| added),
        removed: lines.map(|(_, removed)| removed),
        kept: kept.map(str::to_owned),
        leads_out: *leads_out,
    }
}

/// Lines that came and went, where both contents are text.
fn lines(before: Option<&[u8]>, after: Option<&[u8]>) -> Option<(u64, u64)> {
    let text = |bytes: &[u8]| {
        std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0')).map(Arc::<str>::from)
    };
    let before = before.map_or(Some(None), |before| text(before).map(Some))?;
    let after = after.map_or(Some(Arc::default()), text)?;
    let difference = Difference::within(WORK, before, after, &[]);
    Some((difference.added(), difference.removed()))
}

fn kept(file: Changed) -> NewCommandFile {
    let Changed { path, change, before, after, mode, kept, .. } = file;
    let (before, after) = if kept.is_some() { (None, None) } else { (before, after) };
    NewCommandFile { path: path.to_string(), change, before, after, mode, why: kept.map(str::to_owned) }
}

/// The lines of the box that tell a model of the changes.
pub(crate) fn said(run: &CommandRun) -> String {
    use orion_protocol::FileChange::{Changed, Created, Mode, Removed};
    let mut said = String::new();
    if !run.changed.is_empty() {
        let word = |file: &CommandChange| match file.change {
            Created => "new",
            Changed => "changed",
            Removed => "removed",
            Mode => "permissions",
        };
        let lines = |file: &CommandChange| match (file.added, file.removed) {
            (Some(added), Some(removed)) => format!(" +{added} -{removed}"),
            _ => String::new(),
        };
        let out = |file: &CommandChange| if file.leads_out { ", a link out of the project" } else { "" };
        let named = run.changed.iter().take(SAID);
        let named: Vec<String> =
            named.map(|it| format!("{} ({}{}{})", it.path, word(it), lines(it), out(it))).collect();
        let more = run.more_changed + run.changed.len().saturating_sub(SAID) as u64;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        said.push_str(&format!("\nFiles that changed: {}{more}.", named.join(", ")));
    }
    if run.partly_compared {
        said.push_str("\nNot all of the project could be looked at: other files may have changed.");
    }
    said
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use tokio::sync::oneshot;

    use super::*;

    /// A look that goes on until its budget is spent, and says that it began: for how long it did.
    async fn endless(cancel: &CancellationToken, begun: oneshot::Sender<()>) -> Duration {
        let began = Instant::now();
        let looking = look_on(cancel, |budget| {
            begun.send(()).unwrap();
            while budget.spent().is_none() {
                std::thread::yield_now();
            }
        });
        looking.await;
        began.elapsed()
    }

    // A4
    #[tokio::test]
    async fn a_stop_shortens_a_look_after_a_command_whenever_it_comes() {
        let cancel = CancellationToken::new();
        let (begun, has_begun) = oneshot::channel();
        let stopping = async {
            has_begun.await.unwrap();
            cancel.cancel();
        };
        let (first, ()) = tokio::join!(endless(&cancel, begun), stopping);
        let (begun, _has_begun) = oneshot::channel();
        let second = endless(&cancel, begun).await;
        for took in [first, second] {
            assert!((LOOKING_STOPPED / 2..LOOKING / 2).contains(&took), "{took:?}");
        }
    }
}
