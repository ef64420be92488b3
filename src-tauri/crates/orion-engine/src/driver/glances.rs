//! What the tools of a turn read, looked at once more before the model's next call is judged (D3).
//!
//! The watcher tells of changes as they happen, but not of those in folders that `.gitignore` hides, nor of what is beyond its
//! limits where it polls. Contents are not read again: kind, size and time of last change tell. What is noticed and what is
//! not is in decision 0009.

use std::time::{Duration, Instant};

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
    pub(super) looked: Option<u32>,
}

/// A part of the project as it was when it was last looked at.
#[derive(Debug)]
struct Glance {
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

impl Glances {
    /// Notes how what a call saw looks now.
    pub(super) async fn note(&mut self, project: &Project, seen: Vec<Seen>) {
        let project = project.clone();
        let look = move || seen.into_iter().filter_map(|seen| Glance::of(&project, seen, AFTER)).collect();
        let taken: Vec<Glance> = spawn_blocking(look).await.unwrap_or_default();
        for glance in taken {
            self.taken.retain(|earlier| earlier.seen != glance.seen);
            self.taken.push(glance);
        }
    }

    /// What changed since it was last looked at.
    pub(super) async fn changes(&mut self, project: &Project) -> Vec<Seen> {
        if self.taken.is_empty() {
            return Vec::new();
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
            (taken, changes)
        };
        let changes;
        (self.taken, changes) = spawn_blocking(look).await.unwrap_or_default();
        changes
    }
}
