//! The time for which outputs of commands are kept: 30 days, and 1 GiB of all together. The oldest leave first.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A month, as raw responses are kept.
const AGE: Duration = Duration::from_hours(30 * 24);

/// An hour, longer than any command runs.
const FRESH: Duration = Duration::from_hours(1);

/// Bytes of all outputs: 128 of the largest.
const BYTES: u64 = 1 << 30;

/// Removes the outputs that are older, or more, than are kept.
pub(crate) fn forget_old(outputs: &Path, now: SystemTime) {
    forget(outputs, now, BYTES);
}

fn forget(outputs: &Path, now: SystemTime, most: u64) {
    let mut found: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for turn in folders(outputs).flat_map(|session| folders(&session).collect::<Vec<_>>()) {
        let files = fs::read_dir(turn).into_iter().flatten().flatten();
        found.extend(files.filter_map(|file| {
            let of = file.metadata().ok()?;
            Some((of.modified().ok()?, of.len(), file.path()))
        }));
    }
    found.sort_by(|(one, ..), (other, ..)| other.cmp(one));
    let mut kept = 0;
    for (at, bytes, path) in found {
        let age = now.duration_since(at).unwrap_or_default();
        // One that was written a moment ago may still be read, or written.
        if age < FRESH || (age <= AGE && kept + bytes <= most) {
            kept += bytes;
            continue;
        }
        // One that is being written goes on without its name.
        let _ = fs::remove_file(&path);
        // Only where nothing is left in them.
        let above = path.ancestors().skip(1).take(2);
        above.for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

fn folders(of: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(of).into_iter().flatten().flatten().map(|entry| entry.path()).filter(|path| path.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_outputs_leave_first_with_their_empty_folders() {
        let outputs = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let put = |path: &str, days: u64, bytes: u64| {
            let path = outputs.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let file = fs::File::create(&path).unwrap();
            file.set_len(bytes).unwrap();
            file.set_modified(now - Duration::from_hours(24 * days)).unwrap();
        };
        put("s1/t1/a", 31, 10);
        put("s1/t2/a", 3, 600);
        put("s1/t2/b", 1, 300);
        put("s2/t3/a", 2, 300);
        forget(outputs.path(), now, 1_000);
        let is_there = |path: &str| outputs.path().join(path).exists();
        let all = ["s1/t1", "s1/t2/a", "s1/t2/b", "s2/t3/a"].map(is_there);
        assert_eq!(all, [false, false, true, true]);
    }
}
