//! The home that commands of a project have in the place of the person's: their tools keep caches there (C2).
//!
//! Beside each is a file with its size, as it was after the last command.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use orion_files::workspace::Budget;
use orion_protocol::{Code, ErrorInfo};
use tokio_util::sync::CancellationToken;

/// Bytes of a home beyond which the next command asks: 4 GiB, the caches of several toolchains.
const MOST: u64 = 4 << 30;

/// The time in which a home is measured: 10 s. Nothing waits for it.
const MEASURING: Duration = Duration::from_secs(10);

/// The home of this name, made where it is missing. Only its owner can read it.
///
/// # Errors
/// `storage` where it cannot be made.
pub(super) fn made(homes: &Path, name: &str) -> Result<PathBuf, ErrorInfo> {
    let home = homes.join(name);
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

/// Notes the size of a home. One that takes too long to measure counts as far as it was measured.
pub(super) fn measure(home: &Path) {
    let budget = Budget::new(u64::MAX, MEASURING, CancellationToken::new());
    let bytes = bytes_below(home, &budget);
    if let Err(error) = fs::write(noted(home), bytes.to_string()) {
        tracing::warn!(%error, "the size of a home is not noted");
    }
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
    let bytes: u64 = fs::read_to_string(noted(home)).ok()?.trim().parse().ok()?;
    let why = || {
        format!(
            "Commands have put more than 4 GiB into their home, {}. Remove there what is not needed.",
            home.display()
        )
    };
    (bytes > MOST).then(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_is_measured_with_what_is_below_it_and_asks_once_it_is_too_large() {
        let homes = tempfile::tempdir().unwrap();
        let home = made(homes.path(), "a").unwrap();
        assert_eq!(asks_since(&home), None, "nothing was measured");
        fs::create_dir_all(home.join("b/c")).unwrap();
        fs::write(home.join("b/c/d"), [0; 1_000]).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/", home.join("root")).unwrap();
        measure(&home);
        let noted: u64 = fs::read_to_string(homes.path().join("a.bytes")).unwrap().parse().unwrap();
        assert!((1_000..1_100).contains(&noted), "{noted}");
        assert_eq!(asks_since(&home), None);
        fs::File::create(home.join("large")).unwrap().set_len(MOST).unwrap();
        measure(&home);
        assert!(asks_since(&home).unwrap().contains("4 GiB"), "{:?}", asks_since(&home));
    }
}
