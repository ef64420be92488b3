//! What the tools of a turn read, looked at once more before the model's next call is judged (D3).
//!
//! The watcher tells of changes as they happen, but not of those in folders that `.gitignore` hides, nor of what is beyond its
//! limits where it polls. Contents are not read again: kind, size and time of last change tell. What is noticed and what is
//! not is in decision 0009.

use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use orion_core::tool::Seen;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use orion_files::watcher::Snapshot;
use orion_files::workspace::{Budget, Project, ProjectPath, View};

/// Entries that are looked at for one part of the project: 500, which takes some milliseconds.
const ENTRIES: u64 = 500;

/// What a call saw is looked at within this time, since the next model call waits: 5 ms, the goal for the whole gap.
const AFTER: Duration = Duration::from_millis(5);

/// All that a turn read is looked at again within this time, since the model's answer waits. 20 ms: what nobody notices.
const AGAIN: Duration = Duration::from_millis(20);

/// What the finished calls of a turn saw.
#[derive(Debug, Default)]
pub(super) struct Glances {
    taken: Vec<Glance>,
    /// The last model call for whose tool calls it was looked again.
    looked: Option<u32>,
}

/// What a second look found.
#[derive(Debug, Default)]
pub(super) struct Looked {
    taken: Vec<Glance>,
    changes: Vec<Seen>,
}

/// A part of the project as it was when it was last looked at.
#[derive(Debug)]
pub(super) struct Glance {
    seen: Seen,
    found: Snapshot,
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
        Some(Self { seen, found })
    }
}

/// Looks at what a call saw, right after it.
pub(super) async fn glance(project: Project, seen: Vec<Seen>) -> Vec<Glance> {
    let look = move || seen.into_iter().filter_map(|seen| Glance::of(&project, seen, AFTER)).collect();
    spawn_blocking(look).await.unwrap_or_default()
}

impl Glances {
    /// Notes how what a call saw looked right after it.
    pub(super) fn note(&mut self, taken: Vec<Glance>) {
        for glance in taken {
            self.taken.retain(|earlier| earlier.seen != glance.seen);
            self.taken.push(glance);
        }
    }

    /// A second look at everything, once for each model call; none when there is nothing to look at.
    pub(super) fn again(&mut self, call: u32, project: &Project) -> Option<BoxFuture<'static, Looked>> {
        if self.looked.replace(call) == Some(call) || self.taken.is_empty() {
            return None;
        }
        let (mut taken, project) = (std::mem::take(&mut self.taken), project.clone());
        let look = move || {
            let (until, mut changes) = (Instant::now() + AGAIN, Vec::new());
            for earlier in &mut taken {
                let left = until.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break;
                }
                if let Some(now) = Glance::of(&project, earlier.seen.clone(), left) {
                    let changed = earlier.found.certain_changes(&now.found);
                    changes.extend(changed.iter().map(|path| Seen::Path(path.seen())));
                    *earlier = now;
                }
            }
            Looked { taken, changes }
        };
        Some(spawn_blocking(look).map(Result::unwrap_or_default).boxed())
    }

    /// What changed since it was last looked at.
    pub(super) fn looked(&mut self, Looked { taken, changes }: Looked) -> Vec<Seen> {
        self.taken = taken;
        changes
    }
}
