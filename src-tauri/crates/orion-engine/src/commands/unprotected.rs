//! The parts of a project that a full sandbox keeps as they are, compared before and after a command that ran in less (C2, C3).
//!
//! The repository is among them, so nothing of it is opened: a file counts as changed by what the file system says of it. Deliberately not here: the files
//! that a command may write and that can run code later (`later` of `orion-files`).

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use orion_files::workspace::Budget;

/// The parts of every project that are kept: the repository and Orion's own.
const KEPT: [&str; 2] = [".git", ".orion"];

/// Files and folders that are looked at. A large repository has fewer: it packs its objects.
const MOST: usize = 200_000;

/// The parts, as they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unprotected {
    files: BTreeMap<PathBuf, Stamp>,
    is_whole: bool,
}

/// The state of a file, as far as the file system tells: a program can set the time of a change, but not the time of that.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    mode: u32,
    /// Nothing of a folder, which is changed by what is in it.
    of_file: Option<(u64, u64, i64, i64)>,
}

impl Unprotected {
    /// Looks at them. `read_only`: those of this project, from its folder.
    pub(crate) fn see(project: &Path, read_only: &[PathBuf], budget: &Budget) -> Self {
        let mut seen = Self { is_whole: true, ..Self::default() };
        let kept = KEPT.iter().map(Path::new).chain(read_only.iter().map(PathBuf::as_path));
        let mut next: Vec<PathBuf> = kept.map(Path::to_path_buf).collect();
        while let Some(path) = next.pop() {
            if seen.files.len() >= MOST || budget.spent().is_some() {
                seen.is_whole = false;
                break;
            }
            let at = project.join(&path);
            let Ok(metadata) = fs::symlink_metadata(&at) else { continue };
            if metadata.is_dir() {
                match fs::read_dir(&at) {
                    Ok(entries) => next.extend(entries.flatten().map(|entry| path.join(entry.file_name()))),
                    Err(_) => seen.is_whole = false,
                }
            }
            seen.files.insert(path, Stamp::of(&metadata));
        }
        seen
    }

    /// Those that are new, changed or gone, what git runs first; and whether there may be more.
    pub(crate) fn changed(&self, now: &Self, most: usize) -> (Vec<String>, bool) {
        let is_whole = self.is_whole && now.is_whole;
        let of_both = now.files.iter().filter(|(path, stamp)| match self.files.get(*path) {
            Some(before) => before != *stamp,
            None => self.is_whole,
        });
        let gone = self.files.keys().filter(|path| now.is_whole && !now.files.contains_key(*path));
        let mut changed: Vec<&PathBuf> = of_both.map(|(path, _)| path).chain(gone).collect();
        changed.sort_by_key(|path| (rank(path), *path));
        let more = !is_whole || changed.len() > most;
        let named = changed.into_iter().take(most).map(|path| path.to_string_lossy().into_owned());
        (named.collect(), more)
    }
}

/// The order in which they are named: what runs by itself, then the rest, and the objects of a repository last.
fn rank(path: &Path) -> u8 {
    let is_of = |part: &str| path.starts_with(Path::new(".git").join(part));
    if is_of("hooks")
        || is_of("config")
        || is_of("config.worktree")
        || is_of("info")
        || !path.starts_with(".git")
    {
        0
    } else if is_of("objects") {
        2
    } else {
        1
    }
}

impl Stamp {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let changed = metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec());
        let of_file = (metadata.ino(), metadata.len(), metadata.mtime(), changed);
        Self { mode: metadata.mode(), of_file: (!metadata.is_dir()).then_some(of_file) }
    }

    #[cfg(not(unix))]
    fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let at = modified.map_or(0, |at| i64::try_from(at.as_nanos()).unwrap_or(i64::MAX));
        Self { mode: 0, of_file: (!metadata.is_dir()).then_some((0, metadata.len(), at, at)) }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio_util::sync::CancellationToken;

    use super::*;

    fn see(project: &Path) -> Unprotected {
        let budget = Budget::new(Budget::ENTRIES, Duration::from_secs(60), CancellationToken::new());
        Unprotected::see(project, &["AGENTS.md".into()], &budget)
    }

    // C2, C3
    #[test]
    fn what_is_new_changed_or_gone_is_named_and_what_git_runs_first() {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str, content: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        };
        for (path, content) in [
            (".git/config", "[core]"),
            (".git/HEAD", "ref: refs/heads/main"),
            (".git/objects/aa/bb", "x"),
            (".git/description", "x"),
            ("AGENTS.md", "Be kind."),
            ("free", "x"),
        ] {
            put(path, content);
        }
        let before = see(folder.path());
        assert_eq!(before.changed(&see(folder.path()), 8), (Vec::new(), false));
        put(".git/hooks/post-commit", "#!/bin/sh");
        put(".git/objects/cc/dd", "x");
        put("AGENTS.md", "Be mean.");
        put("free", "y");
        fs::remove_file(folder.path().join(".git/description")).unwrap();
        let changed = [
            ".git/hooks",
            ".git/hooks/post-commit",
            "AGENTS.md",
            ".git/description",
            ".git/objects/cc",
            ".git/objects/cc/dd",
        ]
        .map(str::to_owned);
        assert_eq!(before.changed(&see(folder.path()), 8), (changed.to_vec(), false));
        assert_eq!(before.changed(&see(folder.path()), 2), (changed[..2].to_vec(), true));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_whose_times_were_set_back_is_changed_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join(".git/config");
        fs::create_dir_all(config.parent().unwrap()).unwrap();
        fs::write(&config, "old").unwrap();
        let times = fs::metadata(&config).unwrap();
        let before = see(folder.path());
        fs::write(&config, "new").unwrap();
        let open = fs::File::options().write(true).open(&config).unwrap();
        open.set_modified(times.modified().unwrap()).unwrap();
        assert_eq!(before.changed(&see(folder.path()), 8), (vec![".git/config".to_owned()], false));
    }
}
