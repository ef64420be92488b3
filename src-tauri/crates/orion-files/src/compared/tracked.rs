//! The files of which git has the content from before a command, where none was copied (C6).
//!
//! The index says of each tracked file which numbers it had when its content was stored. A file that had just these numbers before the command had that
//! content then. The index is read here, as the bytes that it is, so that no program runs and nothing that a repository configures counts. Whoever wrote it
//! may have meant harm: each of its names is bounded, and so is the time. Deliberately not here: reading the contents, for which git runs in a box.

#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use sha1::{Digest, Sha1};

use super::attributes::{self, Attributes};
use crate::workspace::{Budget, Project, ProjectPath, Stamp, open_regular};

/// Bytes of a content that git is asked for, and of one that takes its place: 16 MiB.
pub const LARGE: u64 = 16 << 20;

/// Bytes of an index that is read: 64 MiB, which is some 600,000 files.
const INDEX_BYTES: u64 = 64 << 20;

/// Bytes of a name in an index: 4,096, as a path of a system has.
const NAME: usize = 4_096;

/// Entries of an index between two looks at the clock.
const ENTRIES_AT_ONCE: u32 = 1_024;

const INDEX: &str = ".git/index";

/// SHA-1 of an object of git.
pub type ObjectId = [u8; 20];

/// A file whose content from before git has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracked {
    pub path: ProjectPath,
    pub object: ObjectId,
    pub bytes: u64,
}

/// True for the content that git names so.
pub(super) fn is_object(object: &ObjectId, body: &[u8]) -> bool {
    let digest = Sha1::new().chain_update(format!("blob {}\0", body.len())).chain_update(body).finalize();
    digest[..] == object[..]
}

/// The numbers of the index of a project that is a repository of its own; none elsewhere.
pub(super) fn index(project: &Project) -> Option<Stamp> {
    let is_folder = project.dir().symlink_metadata(".git").is_ok_and(|metadata| metadata.is_dir());
    let metadata = project.dir().symlink_metadata(INDEX).ok().filter(|_| is_folder)?;
    metadata.is_file().then(|| Stamp::of(&metadata))
}

/// Those of these files, with their numbers from before, of which git has the content. `index` has the numbers of the index then: it counts only as long as
/// it has them.
pub(super) fn tracked(
    project: &Project,
    index: Stamp,
    files: Vec<(ProjectPath, Stamp)>,
    budget: &Budget,
) -> Vec<Tracked> {
    let Some(bytes) = read(project, index) else { return Vec::new() };
    let wanted: HashMap<Vec<u8>, (ProjectPath, Stamp)> = files
        .into_iter()
        .map(|file| (file.0.as_path().as_os_str().as_encoded_bytes().to_vec(), file))
        .collect();
    let attributes = attributes::above(wanted.values().map(|(path, _)| path));
    let is_wanted = |name: &[u8]| wanted.contains_key(name) || attributes.contains(name);
    let Some(entries) = entries(&bytes, is_wanted, budget) else { return Vec::new() };
    let written = numbers(&index).map(|numbers| numbers.times());
    let is_clean = |entry: &Entry, was: &Stamp| {
        let now = numbers(was).filter(|now| *now == entry.numbers);
        // What was written as late as the index itself may have changed right after it (git: racy entries). Programs set one of the times.
        let latest = now.map(|now| now.times().into_iter().max());
        latest.zip(written).is_some_and(|(latest, written)| latest < written.into_iter().min())
    };
    // The attributes that a content was stored by are those of the index where they are not on the disk, and nobody knows where the two differ.
    let is_stored = |name: &[u8], now: Option<Stamp>| match entries.get(name) {
        None => true,
        Some(entry) => entry.as_ref().zip(now).is_some_and(|(entry, now)| is_clean(entry, &now)),
    };
    let mut attributes = Attributes::of(project, is_stored);
    let known = wanted.into_iter().filter_map(|(name, (path, was))| {
        let entry = entries.get(&name)?.as_ref()?;
        let is_known =
            budget.spent().is_none() && is_clean(entry, &was) && !attributes.may_convert(&path, budget);
        is_known.then_some(Tracked { path, object: entry.object, bytes: was.bytes })
    });
    let mut known: Vec<Tracked> = known.collect();
    known.sort_by(|one, other| one.path.cmp(&other.path));
    known
}

fn read(project: &Project, index: Stamp) -> Option<Vec<u8>> {
    if self::index(project) != Some(index) || index.bytes > INDEX_BYTES {
        return None;
    }
    let (mut file, _) = open_regular(project.dir(), Path::new(INDEX)).ok()?;
    let mut bytes = Vec::new();
    file.by_ref().take(INDEX_BYTES).read_to_end(&mut bytes).ok()?;
    let is_same = file.metadata().is_ok_and(|now| Stamp::of(&now) == index);
    (is_same && bytes.len() as u64 == index.bytes).then_some(bytes)
}

/// The numbers of a file as an index has them: 32 bits of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Numbers {
    /// Seconds and nanoseconds of the last change of anything, and of the content.
    times: [u32; 4],
    inode: u32,
    bytes: u32,
}

impl Numbers {
    /// The time of the last change of anything, and that of the content.
    fn times(&self) -> [[u32; 2]; 2] {
        let [changed, changed_ns, modified, modified_ns] = self.times;
        [[changed, changed_ns], [modified, modified_ns]]
    }
}

/// The numbers of a file; none where the system has not all of them.
fn numbers(stamp: &Stamp) -> Option<Numbers> {
    let (times, inode) = stamp.of_unix()?;
    Some(Numbers { times, inode, bytes: u32::try_from(stamp.bytes).ok()? })
}

/// A file in an index.
struct Entry {
    numbers: Numbers,
    object: ObjectId,
}

/// The entries whose names are wanted; none of a name that is no ordinary file, or that is in the middle of a merge. No map for an index that is not
/// understood, or not in time. The form: `gitformat-index(5)`, versions 2 to 4, with SHA-1.
fn entries(
    index: &[u8],
    wanted: impl Fn(&[u8]) -> bool,
    budget: &Budget,
) -> Option<HashMap<Vec<u8>, Option<Entry>>> {
    let mut rest = Reader(index);
    let (mark, version, count) = (rest.take(4)?, rest.number()?, rest.number()?);
    if mark != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let mut found = HashMap::new();
    let mut last: Option<(Vec<u8>, u16)> = None;
    for number in 0..count {
        if number % ENTRIES_AT_ONCE == 0 && budget.spent().is_some() {
            return None;
        }
        let began = rest.0.len();
        let mut fields = [0; 10];
        for field in &mut fields {
            *field = rest.number()?;
        }
        let [changed, changed_ns, modified, modified_ns, _, inode, mode, _, _, bytes] = fields;
        let object = ObjectId::try_from(rest.take(20)?).ok()?;
        let flags = rest.short()?;
        if flags & 0x4000 != 0 && version >= 3 {
            rest.short()?;
        }
        let mut name = Vec::new();
        if version == 4 {
            let before = last.as_ref().map_or(&[][..], |(name, _)| name);
            name.extend_from_slice(&before[..before.len().checked_sub(rest.varint()?)?]);
        }
        name.extend_from_slice(rest.name()?);
        if version != 4 {
            // Zeros up to a multiple of eight; the first of them is taken.
            rest.take((8 - (began - rest.0.len()) % 8) % 8)?;
        }
        let at = (name, (flags >> 12) & 3);
        // Git sorts them, so each is there once.
        if at.0.len() > NAME || last.is_some_and(|last| last >= at) {
            return None;
        }
        if wanted(&at.0) {
            let is_plain = mode & 0o170_000 == 0o100_000 && at.1 == 0 && !found.contains_key(&at.0);
            let times = [changed, changed_ns, modified, modified_ns];
            let entry = Entry { numbers: Numbers { times, inode, bytes }, object };
            found.insert(at.0.clone(), is_plain.then_some(entry));
        }
        last = Some(at);
    }
    Some(found)
}

/// The rest of an index.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    /// A name, up to its zero.
    fn name(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().take(NAME + 1).position(|byte| *byte == 0)?;
        let name = self.take(end)?;
        self.take(1)?;
        Some(name)
    }

    /// As offsets in packs are written.
    fn varint(&mut self) -> Option<usize> {
        let mut byte = self.take(1)?[0];
        let mut value = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.take(1)?[0];
            value = value.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        }
        Some(value)
    }
}
