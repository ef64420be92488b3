//! Checks once more the files that a turn's tools have read, before the model's next response is judged (D3).
//!
//! The watcher reports most changes as they happen. It does not see folders that `.gitignore` hides, nor, where it
//! polls, files beyond its limits. A glance compares kind, size and time of last change. Contents are not read again.
//! Decision 0009 lists what is noticed and what is not.

use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use orion_core::tool::Seen;
use thiserror::Error;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use orion_files::watcher::Snapshot;
use orion_files::workspace::{Budget, Project, ProjectPath, View};

/// Entries that are looked at for one part of the project: 500, which takes some milliseconds.
const ENTRIES: u64 = 500;

/// The most time for a look at what one call read (decision 0076). On a disk that answers it takes less than 5 ms.
const AFTER: Duration = Duration::from_millis(50);

/// The most time for a second look at all that a turn read.
const AGAIN: Duration = Duration::from_millis(100);

/// What the finished calls of a turn saw.
#[derive(Debug, Default)]
pub(super) struct Glances {
    taken: Vec<Glance>,
    /// The last model call whose tool calls led to a second look.
    looked: Option<u32>,
}

/// What a second look found.
#[derive(Debug, Default)]
pub(super) struct Looked {
    taken: Vec<Glance>,
    changes: Vec<Seen>,
}

/// A look at the project was cut short by a defect, so it is not known whether anything changed.
#[derive(Debug, Error)]
#[error("a look at {} parts of the project broke off", seen.len())]
pub(super) struct LookBroke {
    seen: Vec<Seen>,
}

/// A part of the project as it was when it was last looked at.
#[derive(Debug)]
pub(super) struct Glance {
    seen: Seen,
    /// None when the look was cut short.
    found: Option<Snapshot>,
}

impl Glance {
    fn of(project: &Project, seen: Seen, time: Duration) -> Option<Self> {
        let (text, recursive) = match &seen {
            Seen::Path(path) => (path, false),
            Seen::Tree(path) => (path, true),
        };
        let path = if text.is_empty() { ProjectPath::root() } else { project.path(text).ok()? };
        let budget = Budget::new(ENTRIES, time, CancellationToken::new());
        let found = Snapshot::take(project, &path, View { recursive, include_ignored: true }, budget);
        Some(Self { seen, found: Some(found) })
    }

    /// What is left of a look that was cut short: a part that may have changed since.
    fn missed(seen: Vec<Seen>) -> Vec<Self> {
        seen.into_iter().map(|seen| Self { seen, found: None }).collect()
    }

    /// What changed since. If that is not known, everything counts as changed: an unnecessary read does no harm, a
    /// wrong refusal would (D3).
    fn changes(&self, now: &Self) -> Vec<Seen> {
        match (&self.found, &now.found) {
            (Some(before), Some(now)) => {
                before.certain_changes(now).iter().map(|path| Seen::Path(path.seen())).collect()
            }
            _ => vec![self.seen.clone()],
        }
    }
}

/// Looks at what a call read, right after the call.
pub(super) async fn glance(project: Project, seen: Vec<Seen>) -> Vec<Glance> {
    let parts = seen.clone();
    let look = move || parts.into_iter().filter_map(|seen| Glance::of(&project, seen, AFTER)).collect();
    off_the_loop(seen, look).await.unwrap_or_else(|broke| {
        tracing::error!(%broke, "a part of the project could not be looked at");
        Glance::missed(broke.seen)
    })
}

/// Looks at these parts on a thread that may block.
async fn off_the_loop<T: Send + 'static>(
    seen: Vec<Seen>,
    look: impl FnOnce() -> T + Send + 'static,
) -> Result<T, LookBroke> {
    spawn_blocking(look).await.map_err(|_panic| LookBroke { seen })
}

impl Glances {
    /// Notes the state of what a call read, right after the call.
    pub(super) fn note(&mut self, taken: Vec<Glance>) {
        for glance in taken {
            self.taken.retain(|earlier| earlier.seen != glance.seen);
            self.taken.push(glance);
        }
    }

    /// A second look at everything, once for each model call; none when there is nothing to look at.
    pub(super) fn again(
        &mut self,
        call: u32,
        project: &Project,
    ) -> Option<BoxFuture<'static, Result<Looked, LookBroke>>> {
        if self.looked.replace(call) == Some(call) || self.taken.is_empty() {
            return None;
        }
        let (mut taken, project) = (std::mem::take(&mut self.taken), project.clone());
        let seen = taken.iter().map(|glance| glance.seen.clone()).collect();
        let look = move || {
            let (until, mut changes) = (Instant::now() + AGAIN, Vec::new());
            for earlier in &mut taken {
                let left = until.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break;
                }
                if let Some(now) = Glance::of(&project, earlier.seen.clone(), left) {
                    changes.extend(earlier.changes(&now));
                    *earlier = now;
                }
            }
            Looked { taken, changes }
        };
        Some(off_the_loop(seen, look).boxed())
    }

    /// What changed since the last look, or may have.
    pub(super) fn looked(&mut self, looked: Result<Looked, LookBroke>) -> Vec<Seen> {
        match looked {
            Ok(Looked { taken, changes }) => {
                self.taken = taken;
                changes
            }
            Err(broke) => {
                tracing::error!(%broke, "what the turn read could not be looked at again");
                self.taken = Glance::missed(broke.seen.clone());
                broke.seen
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Seen {
        Seen::Path("a.txt".to_owned())
    }

    // D3
    #[tokio::test]
    async fn what_a_look_that_broke_off_was_for_may_have_changed() {
        let broke = off_the_loop::<Looked>(vec![file()], || panic!("a defect that the test plants")).await;
        assert_eq!(broke.as_ref().unwrap_err().to_string(), "a look at 1 parts of the project broke off");
        let mut glances = Glances::default();
        assert_eq!(glances.looked(broke), [file()]);
        assert_eq!(
            glances.taken.iter().map(|it| &it.seen).collect::<Vec<_>>(),
            [&file()],
            "it is looked at again"
        );
    }

    // D3
    #[tokio::test]
    async fn a_first_look_that_broke_off_is_no_look_that_found_nothing() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.txt"), "alpha").unwrap();
        let project = Project::open(folder.path(), &orion_files::workspace::Private::none()).unwrap();
        let mut glances = Glances::default();
        glances.note(Glance::missed(vec![file()]));
        let mut look = async |call| {
            let looked = glances.again(call, &project).unwrap().await;
            glances.looked(looked)
        };
        assert_eq!(look(1).await, [file()]);
        assert_eq!(look(2).await, [], "now it was seen");
    }
}
