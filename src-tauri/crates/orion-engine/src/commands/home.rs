//! The home that commands of a project have in the place of the person's: their tools keep caches there (C2).
//!
//! Beside each is a file with its size, as it was after the last command.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use orion_files::clearing::{self, Rest};
use orion_files::workspace::Budget;
use orion_protocol::{Code, ErrorInfo};
use tokio_util::sync::CancellationToken;

use crate::paths::Paths;

/// Bytes of a home beyond which the next command asks: 4 GiB, the caches of several toolchains.
const MOST: u64 = 4 << 30;

/// The time in which a home is measured: 10 s. Nothing waits for it.
const MEASURING: Duration = Duration::from_secs(10);

/// The time in which a home is cleared: 60 s, in which an ordinary disk removes a few million files.
const CLEARING: Duration = Duration::from_secs(60);

/// The homes of all projects.
#[derive(Debug, Clone)]
pub(crate) struct Homes(PathBuf);

impl Homes {
    pub(crate) fn of(paths: &Paths) -> Self {
        Self(paths.data_dir.join("homes"))
    }

    /// The home of the project in this folder, whether it is there or not.
    pub(crate) fn at(&self, project: &str) -> PathBuf {
        self.0.join(&orion_core::signature::digest(project).to_string()[..32])
    }

    /// The same home, made where it is missing. Only its owner can read it.
    ///
    /// # Errors
    /// `storage` where it cannot be made.
    pub(super) fn made(&self, project: &str) -> Result<PathBuf, ErrorInfo> {
        made(self.at(project))
    }
}

/// The size of a home, in bytes: as it was noted after the last command, or measured anew. A home that is not there has none.
pub(crate) fn bytes(home: &Path) -> u64 {
    if !home.is_dir() {
        return 0;
    }
    read(home).unwrap_or_else(|| measure(home))
}

/// Removes a home, with the note of its size.
///
/// # Errors
/// `write_failed`, with what stays.
pub(crate) fn forget(home: &Path, cancel: CancellationToken) -> Result<(), ErrorInfo> {
    clear(home, cancel)?;
    let _ = fs::remove_dir(home);
    let _ = fs::remove_file(noted(home));
    Ok(())
}

/// Removes all that commands have put into a home, and notes its size. A home that is not there is clear.
///
/// # Errors
/// `write_failed`, with what stays.
pub(crate) fn clear(home: &Path, cancel: CancellationToken) -> Result<(), ErrorInfo> {
    let mut budget = Budget::new(u64::MAX, CLEARING, cancel);
    let rest = match clearing::clear(home, &mut budget) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(remains(home, None).with_detail(error.to_string())),
        Ok(rest) => rest,
    };
    measure(home);
    if rest.is_none() { Ok(()) } else { Err(remains(home, Some(&rest))) }
}

fn remains(home: &Path, rest: Option<&Rest>) -> ErrorInfo {
    let message = match rest {
        Some(rest) if rest.count > 0 => {
            let named: Vec<String> =
                rest.named.iter().map(|path| path.to_string_lossy().into_owned()).collect();
            let others = match rest.count - named.len() as u64 {
                0 => String::new(),
                others => format!(" and {others} more"),
            };
            format!("Not all of the home of commands could be removed: {}{others} stay.", named.join(", "))
        }
        Some(_) => "The home of commands has so much in it that not all of it is removed yet.".to_owned(),
        None => "The home of commands could not be cleared.".to_owned(),
    };
    let action = format!("Clear it again, or remove what is in {} yourself.", home.display());
    let error = ErrorInfo::new(Code::WriteFailed, message, action);
    match rest.and_then(|rest| rest.why.clone()) {
        Some(why) => error.with_detail(why),
        None => error,
    }
}

fn made(home: PathBuf) -> Result<PathBuf, ErrorInfo> {
    fs::create_dir_all(&home).map_err(|error| {
        ErrorInfo::new(
            Code::Storage,
            "The folder that stands for your home in the sandbox could not be made.",
            "Make room on the disk of Orion's data, or see that you may write there.",
        )
        .with_detail(error.to_string())
    })?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = fs::set_permissions(&home, fs::Permissions::from_mode(0o700));
    }
    Ok(home)
}

fn noted(home: &Path) -> PathBuf {
    home.with_extension("bytes")
}

fn read(home: &Path) -> Option<u64> {
    fs::read_to_string(noted(home)).ok()?.trim().parse().ok()
}

/// Notes the size of a home, and returns it. One that takes too long to measure counts as far as it was measured.
pub(super) fn measure(home: &Path) -> u64 {
    let budget = Budget::new(u64::MAX, MEASURING, CancellationToken::new());
    let bytes = bytes_below(home, &budget);
    if let Err(error) = fs::write(noted(home), bytes.to_string()) {
        tracing::warn!(%error, "the size of a home is not noted");
    }
    bytes
}

fn bytes_below(folder: &Path, budget: &Budget) -> u64 {
    let mut bytes = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if budget.spent().is_some() {
                return bytes;
            }
            // A link is no folder here, and counts for itself alone.
            match entry.metadata() {
                Ok(of) if of.is_dir() => folders.push(entry.path()),
                Ok(of) => bytes += of.len(),
                Err(_gone) => {}
            }
        }
    }
    bytes
}

/// The reason to ask about the next command: the home is too large.
pub(super) fn asks_since(home: &Path) -> Option<String> {
    let why = || {
        format!(
            "Commands have put more than 4 GiB into their home, {}. Clear it in the settings of the window, on the page Permissions, or remove what is \
             not needed.",
            home.display()
        )
    };
    (read(home)? > MOST).then(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn homes(folder: &Path) -> Homes {
        Homes(folder.join("homes"))
    }

    #[test]
    fn a_home_is_measured_with_what_is_below_it_and_asks_once_it_is_too_large_until_it_is_cleared() {
        let folder = tempfile::tempdir().unwrap();
        let homes = homes(folder.path());
        assert_eq!(bytes(&homes.at("/project")), 0, "nothing is there");
        assert_eq!(clear(&homes.at("/project"), CancellationToken::new()), Ok(()));
        let home = homes.made("/project").unwrap();
        assert_eq!(home, homes.at("/project"));
        assert_eq!(asks_since(&home), None, "nothing was measured");
        fs::create_dir_all(home.join("b/c")).unwrap();
        fs::write(home.join("b/c/d"), [0; 1_000]).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/", home.join("root")).unwrap();
        let found = bytes(&home);
        assert!((1_000..1_100).contains(&found), "{found}");
        assert_eq!(fs::read_to_string(home.with_extension("bytes")).unwrap(), found.to_string());
        assert_eq!(asks_since(&home), None);
        fs::File::create(home.join("large")).unwrap().set_len(MOST).unwrap();
        assert_eq!(bytes(&home), found, "as it was noted");
        measure(&home);
        let asks = asks_since(&home).unwrap();
        assert!(asks.contains("4 GiB") && asks.contains("Clear it in the settings"), "{asks}");
        assert_eq!(clear(&home, CancellationToken::new()), Ok(()));
        assert_eq!((bytes(&home), asks_since(&home)), (0, None));
        assert_eq!(fs::read_dir(&home).unwrap().count(), 0);
    }

    #[test]
    fn what_stays_of_a_home_is_named_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let home = homes(folder.path()).made("/project").unwrap();
        fs::write(home.join("a"), "x").unwrap();
        let stopped = CancellationToken::new();
        stopped.cancel();
        let halted = clear(&home, stopped).unwrap_err();
        assert_eq!(halted.code, Code::WriteFailed);
        assert!(halted.message.contains("not all of it is removed yet"), "{halted:?}");
        let named = ["a/b", "c", "d"].map(PathBuf::from).into();
        let rest = Rest { named, count: 5, why: Some("Permission denied".to_owned()), halted: None };
        let left = remains(&home, Some(&rest));
        assert_eq!(
            left.message,
            "Not all of the home of commands could be removed: a/b, c, d and 2 more stay."
        );
        assert_eq!(left.detail.as_deref(), Some("Permission denied"));
    }
}
