//! Ignore files. They are compiled once and kept until they change, within limits.
//!
//! A pattern with a wildcard becomes a program some hundred times its size, and the files are a stranger's. So both
//! their text and the memory are limited. Of a `.gitignore` beyond the limits the first part counts: it only says what
//! is not worth listing. An `.orionignore` closes files, so nothing is guessed: beyond the limits its whole folder
//! stays closed until the file is made smaller. A notice reports either case.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime};

use cap_std::fs::{Dir, Metadata};

use super::ProjectPath;
use super::entry::{followed, read_beginning};
use super::identity::Identity;
use super::patterns::Patterns;

/// The most text that is read of one file, in bytes: 64 KiB, some 4,000 lines.
const FILE: usize = 64 * 1024;
/// The most text that is read of all files of a project, in bytes: 1 MiB.
const TOGETHER: usize = 1024 * 1024;
/// The most files of a project that are compiled: 1,000. Each costs, however short it is.
const FILES: usize = 1_000;
/// So many files are looked for whenever room is needed. Of more, those that were there are not looked for again for this time.
const FEW: usize = 64;
const SWEPT: Duration = Duration::from_secs(1);
/// Memory that all compiled patterns of a project may take, in bytes: 64 MiB.
const MEMORY: usize = 64 * 1024 * 1024;

/// The most files that notices name; the rest is counted.
const NOTICES: usize = 8;

/// Bytes that a pattern without a wildcard takes once it is compiled: 1.2 KB were measured.
const PLAIN: usize = 1_536;
/// Bytes that a pattern with a wildcard takes, and what each byte of it adds: at most 1.15 KB a byte were measured.
const WILD: usize = 2_048;
const WILD_BYTE: usize = 1_280;

/// Whether this system takes several spellings of a name for the same file.
const ANY_CASE: bool = cfg!(any(windows, target_os = "macos"));

/// A file that changed less than this before it was read may change again within the same tick of the disk's clock, and is
/// read anew: 50 ms, several ticks.
const SETTLED: Duration = Duration::from_millis(50);

/// Which ignore file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Which {
    /// `.git/info/exclude`: what git ignores in one clone only.
    Exclude,
    Git,
    Orion,
}

impl Which {
    fn name(self) -> &'static str {
        match self {
            Self::Exclude => "exclude",
            Self::Git => ".gitignore",
            Self::Orion => ".orionignore",
        }
    }
}

/// What an ignore file says.
#[derive(Debug, Clone, Default)]
pub(super) enum List {
    #[default]
    Nothing,
    Patterns(Arc<Patterns>),
    /// It cannot be read, or is too large. It was meant to close something, so everything is closed.
    Everything,
    /// Nobody may look into the folder, so nothing in it can be read either.
    Unreachable,
}

impl List {
    /// True for an ignored path, false for one that `!` brings back, none for one that no line matches.
    pub(super) fn decide(&self, inside: &Path, is_folder: bool) -> Option<bool> {
        match self {
            Self::Nothing => None,
            Self::Everything | Self::Unreachable => Some(true),
            Self::Patterns(patterns) => patterns.decide(inside, is_folder),
        }
    }

    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

/// The ignore files of one project.
#[derive(Debug)]
pub(super) struct Ignores {
    root: Arc<Dir>,
    known: Mutex<HashMap<Key, Known>>,
    /// Separate from the lists, so that nobody waits for a file that is being compiled.
    notices: Mutex<BTreeMap<Key, String>>,
    /// The last look for files that are gone, and the room that there was after it.
    swept: Mutex<Option<(Instant, Room)>>,
}

type Key = (ProjectPath, Which);

/// One file as it was read.
#[derive(Debug)]
struct Known {
    stamp: Stamp,
    /// False when the file may have changed since, without a different stamp.
    settled: bool,
    text: usize,
    memory: usize,
    list: List,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    identity: Option<Identity>,
    bytes: u64,
    modified: Option<SystemTime>,
    /// This time cannot be set by a user.
    changed: Option<(i64, i64)>,
}

impl Ignores {
    /// The ignore files of the project in this folder, shared by all who have it open.
    pub(super) fn of(root: &Arc<Dir>) -> Arc<Self> {
        static OPEN: LazyLock<Mutex<HashMap<Identity, Weak<Ignores>>>> = LazyLock::new(Mutex::default);
        let anew = || {
            let (known, notices, swept) = Default::default();
            Arc::new(Self { root: root.clone(), known, notices, swept })
        };
        let Ok(identity) = Identity::of_folder(root) else { return anew() };
        let mut open = lock(&OPEN);
        if let Some(shared) = open.get(&identity).and_then(Weak::upgrade) {
            return shared;
        }
        open.retain(|_, shared| shared.strong_count() > 0);
        let shared = anew();
        open.insert(identity, Arc::downgrade(&shared));
        shared
    }

    /// What this file of a folder says now. `dir` is where the file is.
    pub(super) fn list(&self, dir: &Dir, folder: &ProjectPath, which: Which) -> List {
        let found = followed(dir, which.name());
        let mut known = lock(&self.known);
        let metadata = match found {
            Ok(Some(metadata)) => metadata,
            Ok(None) => {
                if !known.is_empty() && known.remove(&(folder.clone(), which)).is_some() {
                    self.tell((folder.clone(), which), None);
                }
                return List::Nothing;
            }
            Err(_) if which == Which::Orion && is_unreachable(dir, which) => return List::Unreachable,
            Err(_) if which == Which::Orion => {
                self.tell((folder.clone(), which), Some(unreadable(folder)));
                return List::Everything;
            }
            Err(_) => return List::Nothing,
        };
        let (stamp, settled) = stamp(&metadata);
        let key = (folder.clone(), which);
        if let Some(known) = known.get(&key).filter(|known| known.settled && known.stamp == stamp) {
            return known.list.clone();
        }
        known.remove(&key);
        let (taken, notice) = self.take(&mut known, dir, &key, stamp.bytes);
        self.tell(key.clone(), notice);
        let Taken { list, text, memory } = taken;
        if !list.is_nothing() {
            known.insert(key, Known { stamp, settled, text, memory, list: list.clone() });
        }
        list
    }

    /// What a person should know about the ignore files that were met so far.
    pub(super) fn notices(&self) -> Vec<String> {
        let notices = lock(&self.notices);
        let mut said: Vec<String> = notices.values().take(NOTICES).cloned().collect();
        if notices.len() > NOTICES {
            said.push(format!(
                "{} more ignore files are too large or cannot be read.",
                notices.len() - NOTICES
            ));
        }
        said
    }

    fn tell(&self, key: Key, notice: Option<String>) {
        let mut notices = lock(&self.notices);
        match notice {
            Some(notice) => drop(notices.insert(key, notice)),
            None => drop(notices.remove(&key)),
        }
    }

    /// Reads and compiles a file within the room that is left. Where there is none, a file that has `bytes` is not opened.
    fn take(
        &self,
        known: &mut HashMap<Key, Known>,
        dir: &Dir,
        key: &Key,
        bytes: u64,
    ) -> (Taken, Option<String>) {
        let (folder, which) = key;
        let mut room = Room::beside(known);
        if bytes > 0 && room.text == 0 {
            room = self.swept(known, room);
            if room.text == 0 {
                return match which {
                    Which::Orion => (Taken::everything(), Some(too_much(folder))),
                    Which::Git | Which::Exclude => (Taken::default(), Some(first_part(folder, *which, 0))),
                };
            }
        }
        let Ok((bytes, mut whole)) = read_beginning(dir, which.name(), FILE) else {
            return match which {
                Which::Orion => (Taken::everything(), Some(unreadable(folder))),
                Which::Git | Which::Exclude => (Taken::default(), None),
            };
        };
        if bytes.len() > room.text || cost(&bytes) > room.memory {
            room = self.swept(known, room);
        }
        let mut end = bytes.len().min(room.text);
        whole &= end == bytes.len();
        if !whole {
            end = bytes[..end].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        }
        let part = &bytes[..end];
        let text = String::from_utf8_lossy(part.strip_prefix(b"\xef\xbb\xbf").unwrap_or(part));
        let mut lines: Vec<&str> =
            text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).collect();
        let mut memory = 0;
        let mut fits = |line: &&str| {
            memory += cost_of(line);
            memory <= room.memory
        };
        let fitting = lines.iter().take_while(|line| fits(line)).count();
        whole &= fitting == lines.len();
        lines.truncate(fitting);
        if *which == Which::Orion && !whole {
            return (Taken::everything(), Some(too_much(folder)));
        }
        let list = loop {
            if lines.is_empty() {
                break List::Nothing;
            }
            match Patterns::of(&lines, ANY_CASE) {
                Ok(patterns) => break List::Patterns(Arc::new(patterns)),
                // There are more patterns than can be matched in one go.
                Err(_) if *which == Which::Orion => return (Taken::everything(), Some(too_much(folder))),
                Err(_) => {
                    whole = false;
                    lines.truncate(lines.len() / 2);
                }
            }
        };
        let memory = lines.iter().map(|line| cost_of(line)).sum();
        let notice = (!whole).then(|| first_part(folder, *which, lines.len()));
        (Taken { list, text: end, memory }, notice)
    }

    /// The room that there is without the files that are gone, which take none.
    fn swept(&self, known: &mut HashMap<Key, Known>, room: Room) -> Room {
        let mut swept = lock(&self.swept);
        if known.len() > FEW && swept.is_some_and(|(at, left)| at.elapsed() < SWEPT && left == room) {
            return room;
        }
        known.retain(|(folder, which), _| *which == Which::Exclude || self.has(folder, *which));
        let room = Room::beside(known);
        *swept = Some((Instant::now(), room));
        room
    }

    fn has(&self, folder: &ProjectPath, which: Which) -> bool {
        self.root.symlink_metadata(folder.as_path().join(which.name())).is_ok()
    }
}

/// True where the folder itself may not be entered.
fn is_unreachable(dir: &Dir, which: Which) -> bool {
    let denied =
        |cause: io::Error| cause.kind() == io::ErrorKind::PermissionDenied && cause.raw_os_error().is_some();
    dir.symlink_metadata(which.name()).is_err_and(denied)
}

/// How a file was read.
#[derive(Debug, Default)]
struct Taken {
    list: List,
    text: usize,
    memory: usize,
}

impl Taken {
    fn everything() -> Self {
        Self { list: List::Everything, ..Self::default() }
    }
}

/// How much more may be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Room {
    text: usize,
    memory: usize,
}

impl Room {
    fn beside(known: &HashMap<Key, Known>) -> Self {
        if known.len() >= FILES {
            return Self { text: 0, memory: 0 };
        }
        let text: usize = known.values().map(|known| known.text).sum();
        let memory: usize = known.values().map(|known| known.memory).sum();
        Self { text: TOGETHER.saturating_sub(text), memory: MEMORY.saturating_sub(memory) }
    }
}

fn cost(bytes: &[u8]) -> usize {
    bytes.split(|&byte| byte == b'\n').map(|line| cost_of(&String::from_utf8_lossy(line))).sum()
}

/// Bytes that a pattern takes once it is compiled, by a generous estimate.
fn cost_of(line: &str) -> usize {
    if line.contains(['*', '?', '[', '{', '\\']) {
        WILD + WILD_BYTE * line.len()
    } else {
        PLAIN + 2 * line.len()
    }
}

fn stamp(metadata: &Metadata) -> (Stamp, bool) {
    let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
    let changed = changed(metadata);
    let last = match changed {
        Some((seconds, nanos)) => since_epoch(seconds, nanos),
        None => modified,
    };
    let age = last.and_then(|last| SystemTime::now().duration_since(last).ok());
    let stamp = Stamp { identity: identity(metadata), bytes: metadata.len(), modified, changed };
    (stamp, age.is_none_or(|age| age >= SETTLED))
}

fn since_epoch(seconds: i64, nanos: i64) -> Option<SystemTime> {
    let since = Duration::new(u64::try_from(seconds).ok()?, u32::try_from(nanos).ok()?);
    SystemTime::UNIX_EPOCH.checked_add(since)
}

#[cfg(unix)]
fn changed(metadata: &Metadata) -> Option<(i64, i64)> {
    use cap_std::fs::MetadataExt;
    Some((metadata.ctime(), metadata.ctime_nsec()))
}

#[cfg(not(unix))]
fn changed(_: &Metadata) -> Option<(i64, i64)> {
    None
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> Option<Identity> {
    Some(Identity::of(metadata))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<Identity> {
    None
}

fn named(folder: &ProjectPath, which: Which) -> String {
    match which {
        Which::Exclude => ".git/info/exclude".to_owned(),
        Which::Git | Which::Orion => folder.join(which.name()).to_string(),
    }
}

fn first_part(folder: &ProjectPath, which: Which, patterns: usize) -> String {
    format!(
        "`{}` is too large: only the first {patterns} of its patterns count. Orion reads 64 KiB of an ignore file, and of all \
         ignore files of a project together 1,000 with 1 MiB, or as much as fits into 64 MiB of memory.",
        named(folder, which)
    )
}

fn too_much(folder: &ProjectPath) -> String {
    format!(
        "`{}` is too large, so everything in its folder is closed until it is shorter. Orion reads 64 KiB of an ignore file, \
         and of all ignore files of a project together 1,000 with 1 MiB, or as much as fits into 64 MiB of memory.",
        named(folder, Which::Orion)
    )
}

fn unreadable(folder: &ProjectPath) -> String {
    format!(
        "`{}` cannot be read, so everything in its folder is closed until it can be read.",
        named(folder, Which::Orion)
    )
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
