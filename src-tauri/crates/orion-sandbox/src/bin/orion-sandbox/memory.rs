//! The memory that a command's processes take, each byte once (C4).
//!
//! These count: what processes have of their own, what they share with each other, and the files that they have mapped, each by its part (PSS, of
//! proc_pid_smaps(5)); files in memory without a name (memfd_create(2)) that one of them has open; and in a box the segments of its IPC namespace and
//! everything in its /tmp and /dev/shm, mapped or not. Outside of a box, the last two are everybody's, and count where they are mapped.
//!
//! A process may close itself to all others (`PR_SET_DUMPABLE`). Then its open files cannot be seen, and what the whole computer has gained in shared
//! memory since the command began counts in their place. Deliberately not here: memory that was swapped out.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;

use rustix::fs::{major, minor};

use crate::census::{Process, Whose};

/// The folders of a box that are in memory, each with a file system of its own.
const IN_MEMORY: [&str; 2] = ["/tmp", "/dev/shm"];

/// The memory of a command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    whose: Whose,
    /// Bytes of shared memory on the whole computer, before the command began.
    before: u64,
}

/// A file in memory: the numbers of its device, and its own.
type File = (u32, u32, u64);

/// The memory that is counted whole, whoever has mapped it.
#[derive(Debug, Default)]
struct Whole {
    bytes: u64,
    nameless: BTreeMap<File, u64>,
    devices: Vec<(u32, u32)>,
    has_segments: bool,
    /// Not every process can be looked at.
    is_hidden: bool,
}

impl Memory {
    pub(crate) fn of(whose: Whose) -> Self {
        Self { whose, before: shared() }
    }

    /// True if the processes have more than this. The sum in which shared memory counts twice is quick to have, and mostly small enough.
    pub(crate) fn exceeds(self, most: u64) -> bool {
        let is_over = || {
            let running = self.whose.running();
            let whole = self.whole(&running);
            let all: u64 = running.iter().map(proportional).sum();
            all + whole.bytes > most
                && running.iter().map(|process| not_in(&whole, process)).sum::<u64>() + whole.bytes > most
        };
        // Twice: for a moment, a process that starts another has all its memory in common with it (vfork(2)), which counts as that of two.
        is_over() && is_over()
    }

    fn whole(self, running: &[Process]) -> Whole {
        let mut whole = Whole::default();
        for task in running.iter().flat_map(tasks) {
            match nameless(&task) {
                Ok(found) => whole.nameless.extend(found),
                Err(()) => whole.is_hidden = true,
            }
        }
        whole.bytes = whole.nameless.values().sum();
        if self.whose == Whose::Box {
            whole.has_segments = true;
            whole.bytes += segments();
            for folder in IN_MEMORY {
                let (Ok(disk), Ok(file)) = (rustix::fs::statvfs(folder), fs::metadata(folder)) else {
                    continue;
                };
                whole.devices.push((major(file.dev()), minor(file.dev())));
                whole.bytes += disk.f_blocks.saturating_sub(disk.f_bfree).saturating_mul(disk.f_frsize);
            }
        }
        if whole.is_hidden {
            whole.bytes = whole.bytes.max(shared().saturating_sub(self.before));
        }
        whole
    }
}

/// Bytes of shared memory on this computer (`Shmem` of proc_meminfo(5)).
fn shared() -> u64 {
    let table = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    kibibytes(&table, "Shmem:").unwrap_or(0) * 1024
}

/// The value of a line of a table of the kernel.
fn kibibytes(table: &str, name: &str) -> Option<u64> {
    table.lines().find_map(|line| line.strip_prefix(name))?.trim().strip_suffix(" kB")?.parse().ok()
}

/// The folders of a process's threads in /proc. Each may have files of its own, and the first may have ended before the others.
fn tasks(process: &Process) -> Vec<String> {
    let folder = format!("/proc/{}/task", process.pid);
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some(format!("{folder}/{}", entry.file_name().to_str()?))).collect()
}

/// Proportional memory of a process; where the kernel does not say, all that it has resident.
fn proportional(process: &Process) -> u64 {
    let rollup = |task: &String| kibibytes(&fs::read_to_string(format!("{task}/smaps_rollup")).ok()?, "Pss:");
    match tasks(process).iter().find_map(rollup) {
        Some(kib) => kib * 1024,
        None => resident(process),
    }
}

fn resident(process: &Process) -> u64 {
    let pages = |task: &String| {
        let line = fs::read_to_string(format!("{task}/statm")).ok()?;
        line.split(' ').nth(1)?.parse::<u64>().ok()
    };
    tasks(process).iter().filter_map(pages).max().unwrap_or(0) * rustix::param::page_size() as u64
}

/// Proportional memory of a process, without the mappings of what is counted whole.
fn not_in(whole: &Whole, process: &Process) -> u64 {
    let maps = |task: &String| {
        let bytes = fs::read(format!("{task}/smaps")).ok()?;
        // The table of a thread that has ended is empty.
        (!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned())
    };
    match tasks(process).iter().find_map(maps) {
        Some(maps) => outside_of(whole, &maps),
        None => resident(process),
    }
}

fn outside_of(whole: &Whole, maps: &str) -> u64 {
    let (mut bytes, mut is_counted) = (0, false);
    for line in maps.lines() {
        match mapped(line) {
            Some((file, path)) => is_counted = whole.has(file, path),
            None if is_counted => {}
            None => bytes += kibibytes(line, "Pss:").unwrap_or(0) * 1024,
        }
    }
    bytes
}

/// The file and the path of a mapping, by its first line: `start-end rights offset device inode path`.
fn mapped(line: &str) -> Option<(File, &str)> {
    let mut words = line.splitn(6, ' ');
    let (range, device, inode, path) = (words.next()?, words.nth(2)?, words.next()?, words.next()?);
    range.split_once('-')?;
    let (major, minor) = device.split_once(':')?;
    let number = |text| u32::from_str_radix(text, 16).ok();
    Some(((number(major)?, number(minor)?, inode.parse().ok()?), path.trim_start()))
}

impl Whole {
    fn has(&self, file: File, path: &str) -> bool {
        self.nameless.contains_key(&file)
            || self.devices.contains(&(file.0, file.1))
            || (self.has_segments && path.starts_with("/SYSV"))
    }
}

/// The files in memory without a name that a thread has open, with their bytes. An error, if nobody may look.
fn nameless(task: &str) -> Result<Vec<(File, u64)>, ()> {
    let hides = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    let files = match fs::read_dir(format!("{task}/fd")) {
        Ok(files) => files.flatten(),
        Err(error) => return if hides(&error) { Err(()) } else { Ok(Vec::new()) },
    };
    let mut found = Vec::new();
    for path in files.map(|entry| entry.path()) {
        match fs::read_link(&path) {
            Ok(to) if !to.as_os_str().as_bytes().starts_with(b"/memfd:") => continue,
            Ok(_) => {}
            Err(error) if hides(&error) => return Err(()),
            // It was closed in the meantime.
            Err(_) => continue,
        }
        let Ok(file) = fs::metadata(path) else { continue };
        // The unit of `blocks` is 512 bytes, whatever the file system (stat(3type)).
        let bytes = file.blocks().saturating_mul(512);
        found.push(((major(file.dev()), minor(file.dev()), file.ino()), bytes));
    }
    Ok(found)
}

/// Bytes of the segments of shared memory of this IPC namespace: the fifteenth field of /proc/sysvipc/shm (sysvipc(7)).
fn segments() -> u64 {
    let table = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
    let resident = |line: &str| line.split_ascii_whitespace().nth(14)?.parse::<u64>().ok();
    table.lines().skip(1).filter_map(resident).sum()
}
