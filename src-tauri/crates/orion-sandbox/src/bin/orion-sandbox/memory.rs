//! The memory that a command's processes take, each byte once (C4).
//!
//! These count: what processes have of their own, what they share with each other, and the files that they have mapped, each by its part (PSS, of
//! proc_pid_smaps(5)); files in memory without a name (memfd_create(2)) that one of them has open; and in a box the segments of its IPC namespace and
//! everything in its /tmp and /dev/shm, mapped or not. Outside of a box, the last two are everybody's, and count where they are mapped.
//!
//! A process may close itself to all others (`PR_SET_DUMPABLE`), or have more files than there is time to look at. Then what the whole computer has
//! gained in shared memory since the command began counts in their place. What is mapped counts as far as there is time to look, as the least it can be.
//!
//! Deliberately not here: what was swapped out; what the kernel holds for processes, such as the buffers of pipes; a file without a name that nobody has
//! mapped, and that only lies in a socket's queue or is open in a thread with a table of files of its own; and outside of a box, a segment or a file in
//! /tmp or /dev/shm that nobody has mapped.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::iter::{once, once_with};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

use rustix::fs::{major, minor};

use crate::census::{Process, Whose};

/// The folders of a box that are in memory, each with a file system of its own.
const IN_MEMORY: [&str; 2] = ["/tmp", "/dev/shm"];

/// The time of each of the three steps of a look: whoever looks at memory sees to the end of the command, too.
const STEP: Duration = Duration::from_millis(300);

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
            let all: u64 = in_time(&running).map(proportional).sum();
            let whole = self.whole(&running, Instant::now() + STEP);
            all + whole.bytes > most
                && in_time(&running).map(|process| not_in(&whole, process)).sum::<u64>() + whole.bytes > most
        };
        // Twice: for a moment, a process that starts another has all its memory in common with it (vfork(2)), which counts as that of two.
        is_over() && is_over()
    }

    fn whole(self, running: &[Process], until: Instant) -> Whole {
        let mut whole = Whole::default();
        for process in running {
            match nameless_of(process, until) {
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

/// The processes that there is time to look at.
fn in_time(running: &[Process]) -> impl Iterator<Item = &Process> {
    let until = Instant::now() + STEP;
    running.iter().take_while(move |_| Instant::now() < until)
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

/// The files in memory without a name that a process has open, with their bytes. An error, if nobody may look, or not in time.
///
/// Threads mostly have one table of files, so it is looked at once: that of the first thread, or where it has ended and has none, the next one's.
fn nameless_of(process: &Process, until: Instant) -> Result<Vec<(File, u64)>, ()> {
    let others = once_with(|| tasks(process)).flatten();
    let mut tables = once(format!("/proc/{}", process.pid)).chain(others).map(|task| nameless(&task, until));
    tables.find_map(Result::transpose).unwrap_or_else(|| Ok(Vec::new()))
}

/// Those of one thread, unless it has no file open at all.
fn nameless(task: &str, until: Instant) -> Result<Option<Vec<(File, u64)>>, ()> {
    let hides = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    let files = match fs::read_dir(format!("{task}/fd")) {
        Ok(files) => files.flatten(),
        Err(error) => return if hides(&error) { Err(()) } else { Ok(None) },
    };
    let (mut found, mut has_files) = (Vec::new(), false);
    for path in files.map(|entry| entry.path()) {
        if Instant::now() >= until {
            return Err(());
        }
        has_files = true;
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
    Ok(has_files.then_some(found))
}

/// Bytes of the segments of shared memory of this IPC namespace: the fifteenth field of /proc/sysvipc/shm (sysvipc(7)).
fn segments() -> u64 {
    let table = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
    let resident = |line: &str| line.split_ascii_whitespace().nth(14)?.parse::<u64>().ok();
    table.lines().skip(1).filter_map(resident).sum()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::nameless;

    #[test]
    fn files_that_there_is_no_time_to_look_at_are_those_of_a_closed_process() {
        let now = Instant::now();
        assert_eq!(nameless("/proc/self", now), Err(()));
        assert!(nameless("/proc/self", now + Duration::from_mins(5)).is_ok_and(|found| found.is_some()));
    }
}
