//! The one table of what is packed: a program that comes later is a row.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::made;
use super::windows;
use crate::step::{command, root, run, target};

/// One file, or all files of a folder, and its place in each package that has it.
#[derive(Debug)]
pub(super) struct Row {
    from: From,
    /// Below `usr/`.
    deb: Option<&'static str>,
    /// Below the folder that the archive for Linux unpacks to.
    tar: Option<&'static str>,
    /// Below the folder that the archive for Windows unpacks to.
    zip: Option<&'static str>,
    runs: bool,
}

#[derive(Debug, Clone, Copy)]
enum From {
    /// A program of the optimised build.
    Built(&'static str),
    /// A program of the build for Windows.
    BuiltForWindows(&'static str),
    /// A file of the repository.
    Kept(&'static str),
    /// What `made` makes. A folder is packed with its files.
    Made(&'static str),
}

/// The package that a tree is laid out for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum For {
    Deb,
    Tar,
    Zip,
}

const fn row(from: From, deb: Option<&'static str>, tar: Option<&'static str>) -> Row {
    Row { from, deb, tar, zip: None, runs: false }
}

/// In both packages for Linux, at the same place.
const fn shared(from: From, place: &'static str) -> Row {
    row(from, Some(place), Some(place))
}

const fn program(from: From, deb: Option<&'static str>, tar: Option<&'static str>) -> Row {
    Row { from, deb, tar, zip: None, runs: true }
}

const fn zipped(from: From, place: &'static str) -> Row {
    Row { from, deb: None, tar: None, zip: Some(place), runs: false }
}

const TABLE: &[Row] = &[
    program(From::Built("orion"), Some("bin/orion"), Some("bin/orion")),
    program(From::Built("orion-sandbox"), Some("bin/orion-sandbox"), Some("bin/orion-sandbox")),
    program(From::Built("orion-serve"), Some("bin/orion-serve"), Some("bin/orion-serve")),
    program(From::Built("orion-desktop"), Some("bin/orion-desktop"), Some("lib/orion/orion-desktop")),
    program(From::Kept("packaging/linux/orion-desktop"), None, Some("bin/orion-desktop")),
    shared(From::Made("man"), "share/man/man1"),
    shared(From::Made("orion.bash"), "share/bash-completion/completions/orion"),
    shared(From::Made("orion.fish"), "share/fish/vendor_completions.d/orion.fish"),
    // Debian's zsh looks in a folder of its own.
    row(
        From::Made("_orion"),
        Some("share/zsh/vendor-completions/_orion"),
        Some("share/zsh/site-functions/_orion"),
    ),
    shared(From::Kept("packaging/linux/orion-desktop.desktop"), "share/applications/orion-desktop.desktop"),
    shared(From::Made("app.orion.desktop.metainfo.xml"), "share/metainfo/app.orion.desktop.metainfo.xml"),
    shared(From::Kept("src-tauri/icons/32x32.png"), "share/icons/hicolor/32x32/apps/orion-desktop.png"),
    shared(From::Kept("src-tauri/icons/128x128.png"), "share/icons/hicolor/128x128/apps/orion-desktop.png"),
    shared(
        From::Kept("src-tauri/icons/128x128@2x.png"),
        "share/icons/hicolor/256x256/apps/orion-desktop.png",
    ),
    shared(From::Kept("src-tauri/icons/icon.png"), "share/icons/hicolor/512x512/apps/orion-desktop.png"),
    shared(From::Made("THIRD-PARTY-LICENSES.txt.gz"), "share/doc/orion/THIRD-PARTY-LICENSES.txt.gz"),
    // The Debian package says it in its own form.
    row(From::Kept("LICENSE"), None, Some("share/doc/orion/LICENSE")),
    row(From::Kept("packaging/linux/README.txt"), None, Some("share/doc/orion/README.txt")),
    row(From::Made("changelog.gz"), Some("share/doc/orion/changelog.gz"), None),
    zipped(From::BuiltForWindows("orion.exe"), "orion.exe"),
    zipped(From::Kept("LICENSE"), "LICENSE.txt"),
    zipped(From::Kept("packaging/windows/README.txt"), "README.txt"),
    zipped(From::Made("windows/THIRD-PARTY-LICENSES.txt"), "THIRD-PARTY-LICENSES.txt"),
];

/// Lays a package's files out in a folder, as they will be unpacked.
pub(super) fn lay_out(package: For, folder: &Path) -> Result<()> {
    super::empty(folder)?;
    for row in TABLE {
        let place = match package {
            For::Deb => row.deb,
            For::Tar => row.tar,
            For::Zip => row.zip,
        };
        if let Some(place) = place {
            put(&row.from.path(), &folder.join(place), row.runs)?;
        }
    }
    Ok(())
}

impl From {
    fn path(self) -> PathBuf {
        match self {
            Self::Built(name) => target().join("release").join(name),
            Self::BuiltForWindows(name) => windows::built(name),
            Self::Kept(name) => root().join(name),
            Self::Made(name) => made::folder().join(name),
        }
    }
}

fn put(from: &Path, to: &Path, runs: bool) -> Result<()> {
    if from.is_dir() {
        let files = fs::read_dir(from).with_context(|| format!("{} cannot be listed", from.display()))?;
        for file in files.flatten() {
            put(&file.path(), &to.join(file.file_name()), runs)?;
        }
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    }
    // Whatever the mask of the person who packs.
    let mode = if runs { "755" } else { "644" };
    let mut install = command("install", &["-m", mode]);
    match install.arg(from).arg(to).status() {
        Ok(status) if status.success() => Ok(()),
        _ => run("packing a file", &mut install),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_in_the_repository_is_there_and_no_place_is_taken_twice() {
        for row in TABLE {
            if let From::Kept(name) = row.from {
                assert!(root().join(name).is_file(), "{name}");
            }
        }
        for place in [(|row| row.deb) as fn(&Row) -> Option<&'static str>, |row| row.tar, |row| row.zip] {
            let mut places: Vec<_> = TABLE.iter().filter_map(place).collect();
            let all = places.len();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), all);
        }
    }
}
