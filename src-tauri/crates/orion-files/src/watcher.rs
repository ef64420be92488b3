//! Reports changes of the project's files as they happen (D3, and the window's file list).
//!
//! Each project has one thread of its own, so opening a project never waits for it. Where the platform watches folder
//! by folder, the folders that `.gitignore` hides are not watched. When the platform's limit is reached, or a project
//! has more folders than one program should watch, the folders are polled every few seconds instead, up to a cap. A
//! change is only a path. What happened to it is not reported, since a reader has to look anyway.

mod snapshot;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant, SystemTime};

use notify::event::{CreateKind, ModifyKind, RenameMode};
use notify::{Config, ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use orion_core::tool::Seen;
use orion_protocol::WatchState;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::workspace::{Budget, Kind, Project, ProjectPath, Verdict, View, Walk, is_spelling};
pub use snapshot::Snapshot;
use snapshot::changed_since;

/// Changes that come closer together than this are reported together.
const BATCH: Duration = Duration::from_millis(50);
/// How often the thread checks, when there are no events, whether the folder is still there.
const IDLE: Duration = Duration::from_secs(2);
/// Events that wait for the thread. When the queue is full, one change of everything replaces those that did not fit.
const EVENTS: usize = 8_192;
/// Batches that wait for the reader. When the queue is full, one change of everything replaces those that did not
/// fit.
const BATCHES: usize = 64;

/// Whether one watch of the root sees everything below it, on this platform.
const ONE_FOR_ALL: bool = cfg!(any(target_os = "macos", windows));

/// How much watching may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WatchLimits {
    /// Folders that are watched by the platform: 50,000, since each takes about 1 KiB of the kernel's memory and a share
    /// of a limit that all of a user's programs have together.
    pub folders: usize,
    /// How often entries are looked at when folders cannot be watched; less often where looking takes more than a
    /// hundredth of that.
    pub poll_every: Duration,
    /// Entries that are looked at.
    pub polled: u64,
    /// More changes than this at once are reported as one change of everything.
    pub told: usize,
}

impl Default for WatchLimits {
    fn default() -> Self {
        Self { folders: 50_000, poll_every: Duration::from_secs(3), polled: 50_000, told: 1_000 }
    }
}

/// A project being watched. Dropping it ends the watch.
#[derive(Debug)]
pub struct Watch {
    state: watch::Receiver<WatchState>,
    signals: SyncSender<Signal>,
    flags: Arc<Flags>,
}

impl Watch {
    /// Begins in the background. Changes come in batches; they end when the watch does.
    #[must_use]
    pub fn start(project: &Project, limits: WatchLimits) -> (Self, mpsc::Receiver<Vec<Seen>>) {
        let (signals, incoming) = sync_channel(EVENTS);
        let (batches, changes) = mpsc::channel(BATCHES);
        let (state, states) = watch::channel(WatchState::Starting);
        let flags = Arc::new(Flags::default());
        let observer = Observer {
            project: project.clone(),
            since: SystemTime::now(),
            limits,
            source: Source::None,
            watched: BTreeSet::new(),
            state,
            batches,
            signals: signals.clone(),
            flags: flags.clone(),
        };
        let off = observer.state.clone();
        let spawned =
            std::thread::Builder::new().name("orion-watch".into()).spawn(move || observer.run(&incoming));
        if let Err(cause) = spawned {
            off.send_replace(WatchState::Off(format!("The watcher could not start: {cause}.")));
        }
        (Self { state: states, signals, flags }, changes)
    }

    /// How the files are watched now, and notice of every change of that.
    #[must_use]
    pub fn state(&self) -> watch::Receiver<WatchState> {
        self.state.clone()
    }

    /// Whether the watch has ended, so that no more changes will be reported.
    #[must_use]
    pub fn ended(&self) -> bool {
        matches!(*self.state.borrow(), WatchState::Off(_)) || self.state.has_changed().is_err()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.flags.stop.cancel();
        // A full queue means that the thread is awake anyway.
        let _ = self.signals.try_send(Signal::Wake);
    }
}

#[derive(Debug, Default)]
struct Flags {
    stop: CancellationToken,
    /// Something happened for which there is no signal.
    overflowed: AtomicBool,
}

#[derive(Debug)]
enum Signal {
    Touched { path: PathBuf, came: bool },
    LimitReached,
    Wake,
}

/// Where events come from.
enum Source {
    None,
    Platform(RecommendedWatcher),
    Polling { last: Snapshot, next: Instant },
}

/// Why a folder is not watched.
enum Refused {
    Limit,
    /// It went away, or may not be read: there is nothing to see in it.
    Gone,
}

struct Observer {
    project: Project,
    /// When the watch was asked for. All changes from then on are reported, and readers rely on that.
    since: SystemTime,
    limits: WatchLimits,
    source: Source,
    watched: BTreeSet<ProjectPath>,
    state: watch::Sender<WatchState>,
    batches: mpsc::Sender<Vec<Seen>>,
    signals: SyncSender<Signal>,
    flags: Arc<Flags>,
}

impl Observer {
    fn run(mut self, incoming: &Receiver<Signal>) {
        self.begin();
        while !self.flags.stop.is_cancelled() && !self.batches.is_closed() {
            if !self.project.root().is_dir() {
                self.tell(BTreeSet::new(), true);
                self.state.send_replace(WatchState::Off("The folder was deleted or moved.".into()));
                return;
            }
            match incoming.recv_timeout(self.wait()) {
                Ok(first) => self.batch(first, incoming),
                Err(RecvTimeoutError::Timeout) => self.look(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn begin(&mut self) {
        let began = RecommendedWatcher::new(self.handler(), Config::default()).map_err(|_| Refused::Limit);
        let began = began.and_then(|source| {
            self.source = Source::Platform(source);
            self.follow(&ProjectPath::root())
        });
        match began {
            Ok(()) => {
                // D3: a change that came before its folder was watched made no event. The folder's time still shows
                // that names came or went.
                let missed = changed_since(&self.project, self.since, &self.flags.stop);
                self.tell(BTreeSet::new(), missed);
                self.state.send_replace(WatchState::Watching);
            }
            Err(Refused::Limit | Refused::Gone) => self.poll(),
        }
    }

    /// Looks at the entries every few seconds from now on.
    fn poll(&mut self) {
        self.watched.clear();
        let last = Snapshot::of_project(&self.project, self.limits.polled, &self.flags.stop);
        let part = if last.whole {
            String::new()
        } else {
            format!(" Only the first {} files and folders are.", last.len())
        };
        self.state.send_replace(WatchState::Polling(format!(
            "This folder has more subfolders than can be watched. They are looked at every few seconds.{part}"
        )));
        self.source = Source::Polling { last, next: Instant::now() + self.limits.poll_every };
        // It is not known what changed since the platform's last event.
        self.flags.overflowed.store(true, Ordering::Release);
        self.tell(BTreeSet::new(), false);
    }

    /// How long to wait for an event.
    fn wait(&self) -> Duration {
        match &self.source {
            Source::None | Source::Platform(_) => IDLE,
            Source::Polling { next, .. } => next.saturating_duration_since(Instant::now()).min(IDLE),
        }
    }

    /// Without an event: finds changes by polling, and reports those that could not be reported before.
    fn look(&mut self) {
        let mut touched = BTreeSet::new();
        if let Source::Polling { last, next } = &mut self.source
            && *next <= Instant::now()
        {
            let began = Instant::now();
            let now = Snapshot::of_project(&self.project, self.limits.polled, &self.flags.stop);
            touched.extend(last.changes(&now));
            *last = now;
            *next = Instant::now() + self.limits.poll_every.max(began.elapsed() * 100);
        }
        self.tell(touched, false);
    }

    /// Runs on the notifier's thread: it must not wait.
    fn handler(&self) -> impl FnMut(notify::Result<Event>) + Send + 'static {
        let (signals, flags) = (self.signals.clone(), self.flags.clone());
        move |event| {
            let fits = match event {
                Ok(event) if event.need_rescan() => false,
                Ok(Event { kind: EventKind::Access(_), .. }) => true,
                Ok(Event { kind, paths, .. }) => {
                    let came = matches!(
                        kind,
                        EventKind::Create(CreateKind::Folder | CreateKind::Any | CreateKind::Other)
                            | EventKind::Modify(ModifyKind::Name(RenameMode::To | RenameMode::Any))
                    );
                    paths.into_iter().all(|path| signals.try_send(Signal::Touched { path, came }).is_ok())
                }
                Err(notify::Error { kind: ErrorKind::MaxFilesWatch, .. }) => {
                    signals.try_send(Signal::LimitReached).is_ok()
                }
                Err(_) => false,
            };
            if !fits {
                flags.overflowed.store(true, Ordering::Release);
                let _ = signals.try_send(Signal::Wake);
            }
        }
    }

    /// Watches a folder and what is below it.
    fn follow(&mut self, folder: &ProjectPath) -> Result<(), Refused> {
        if ONE_FOR_ALL {
            return self.watch(folder, RecursiveMode::Recursive);
        }
        self.watch(folder, RecursiveMode::NonRecursive)?;
        // A minute for the slowest of disks; nobody waits for it.
        let budget = Budget::new(Budget::ENTRIES, Duration::from_secs(60), self.flags.stop.clone());
        let project = self.project.clone();
        for entry in Walk::new(&project, folder, View { recursive: true, include_ignored: false }, budget) {
            if entry.kind == Kind::Folder {
                match self.watch(&entry.path, RecursiveMode::NonRecursive) {
                    Err(Refused::Limit) => return Err(Refused::Limit),
                    Ok(()) | Err(Refused::Gone) => {}
                }
            }
        }
        Ok(())
    }

    fn watch(&mut self, folder: &ProjectPath, mode: RecursiveMode) -> Result<(), Refused> {
        if self.watched.contains(folder) {
            return Ok(());
        }
        let path = self.project.root().join(folder.as_path());
        let result = match &mut self.source {
            Source::None | Source::Polling { .. } => return Ok(()),
            Source::Platform(_) if self.watched.len() >= self.limits.folders => return Err(Refused::Limit),
            Source::Platform(source) => source.watch(&path, mode),
        };
        match result {
            Ok(()) => {
                self.watched.insert(folder.clone());
                Ok(())
            }
            Err(notify::Error { kind: ErrorKind::MaxFilesWatch, .. }) => Err(Refused::Limit),
            Err(_) => Err(Refused::Gone),
        }
    }

    /// Gathers the changes within [`BATCH`] and reports them.
    fn batch(&mut self, first: Signal, incoming: &Receiver<Signal>) {
        let end = Instant::now() + BATCH;
        let mut touched: BTreeMap<ProjectPath, bool> = BTreeMap::new();
        let mut limit_reached = false;
        let mut next = Some(first);
        while let Some(signal) = next {
            match signal {
                Signal::Wake => {}
                Signal::LimitReached => limit_reached = true,
                Signal::Touched { path, came } => {
                    if let Some(path) = self.inside(&path) {
                        *touched.entry(path).or_default() |= came;
                    }
                }
            }
            next = incoming.recv_timeout(end.saturating_duration_since(Instant::now())).ok();
        }
        for (path, came) in &touched {
            limit_reached |= self.adapt(path, *came).is_err();
        }
        if limit_reached && matches!(self.source, Source::Platform(_)) {
            self.poll();
        }
        self.tell(touched.into_keys().collect(), false);
    }

    /// Follows folders that came, forgets those that went, and looks again where the rules changed.
    fn adapt(&mut self, path: &ProjectPath, came: bool) -> Result<(), Refused> {
        if ONE_FOR_ALL {
            // Looking at the path would open it, and on Windows nobody can remove or rename a folder in that moment.
            return Ok(());
        }
        let kind = self.project.metadata(path).ok().map(|metadata| Kind::of(metadata.file_type()));
        if (came || kind != Some(Kind::Folder)) && !path.is_root() && self.watched.contains(path) {
            self.watched.retain(|watched| !watched.as_path().starts_with(path.as_path()));
        }
        let followed = match (kind, path.parent()) {
            (Some(Kind::Folder), Some(parent)) if !self.watched.contains(path) => {
                let open = self.project.rules_in(&parent).verdict(path, true) == Verdict::Open;
                if open { self.follow(path) } else { Ok(()) }
            }
            (_, Some(parent))
                if path.as_path().ends_with(".gitignore") || path.as_path().ends_with(".orionignore") =>
            {
                self.follow(&parent)
            }
            _ => Ok(()),
        };
        match followed {
            Err(Refused::Limit) => Err(Refused::Limit),
            Ok(()) | Err(Refused::Gone) => Ok(()),
        }
    }

    /// The path as the project knows it; none for what tools never see.
    fn inside(&self, path: &Path) -> Option<ProjectPath> {
        let relative = path.strip_prefix(self.project.root()).ok()?;
        let hidden = relative.components().any(|name| is_spelling(name.as_os_str(), ".git"));
        if hidden { None } else { ProjectPath::from_relative(relative) }
    }

    fn tell(&mut self, mut touched: BTreeSet<ProjectPath>, everything: bool) {
        let overflowed = self.flags.overflowed.swap(false, Ordering::AcqRel);
        // The root itself is touched when its attributes change, which no result depends on.
        touched.remove(&ProjectPath::root());
        let changes = match everything || overflowed || touched.len() > self.limits.told {
            true => vec![Seen::Tree(String::new())],
            false => touched.iter().map(|path| Seen::Path(path.seen())).collect(),
        };
        if !changes.is_empty() && self.batches.try_send(changes).is_err() {
            self.flags.overflowed.store(true, Ordering::Release);
        }
    }
}
