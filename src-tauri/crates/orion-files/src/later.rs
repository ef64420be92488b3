//! The files of a project that can run code later, before and after a command (C2).
//!
//! These are the files that always ask before Orion writes them (`writing::always_asks`, and manifests). A build writes some of them, so a command may, and
//! what it made or changed of them is named. Deliberately not here: keeping the others of these files read-only (`held`), and old contents.

use std::collections::BTreeMap;
use std::io::{self, Read};

use cap_std::fs::Metadata;
use orion_protocol::{Code, ErrorInfo, RunsLater, Sha256};

use crate::workspace::{Budget, Entry, Kind, Project, ProjectPath, View, Walk};
use crate::writing::{SCRIPTS, always_asks, is_manifest, runs_else, sha256_of};

/// Bytes of a manifest that is compared by what it runs: 1 MiB. A larger one is compared by its size and times.
const MANIFEST: u64 = 1 << 20;

/// Bytes of a new file whose digest is taken: 64 MiB, more than a program that a build leaves in such a place.
const DIGEST: u64 = 64 << 20;

/// Files that can run code later, as they are at one time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Later {
    files: BTreeMap<ProjectPath, Seen>,
    /// All of the project was looked through for them.
    pub(crate) is_whole: bool,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    stamp: Stamp,
    /// The content of a manifest.
    manifest: Option<Vec<u8>>,
}

/// Numbers of a file that change when it is written or replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified: Option<cap_std::time::SystemTime>,
    /// Device, number, mode, and seconds and nanoseconds of the last change of any of it. On Windows none of these is there.
    unix: [i64; 5],
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let unix = {
            use cap_std::fs::MetadataExt;
            let number = |number: u64| number.cast_signed();
            let mode = i64::from(metadata.mode());
            [number(metadata.dev()), number(metadata.ino()), mode, metadata.ctime(), metadata.ctime_nsec()]
        };
        #[cfg(not(unix))]
        let unix = [0; 5];
        Self { bytes: metadata.len(), modified: metadata.modified().ok(), unix }
    }
}

impl Later {
    /// Those of a project now.
    #[must_use]
    pub fn of(project: &Project, budget: &Budget) -> Self {
        let mut later = Self::default();
        let root = ProjectPath::root();
        let view = |recursive, include_ignored| View { recursive, include_ignored };
        let mut top = Walk::new(project, &root, view(false, true), budget.clone());
        let mut below = Walk::new(project, &root, view(true, false), budget.clone());
        for entry in top.by_ref().chain(below.by_ref()).filter(counts) {
            later.see(project, &entry);
        }
        let left_out = [top.left_out(), below.left_out()];
        later.is_whole = left_out.iter().all(|left| left.halt.is_none() && left.unreadable == 0);
        later
    }

    /// Notes an entry, if it can run code later.
    pub(crate) fn see(&mut self, project: &Project, entry: &Entry) {
        let Entry { path, kind, .. } = entry;
        let manifest = is_manifest(path);
        if *kind == Kind::Folder || !manifest && always_asks(path).is_none() {
            return;
        }
        let Ok(metadata) = project.metadata(path) else { return };
        let manifest = (manifest && *kind == Kind::File && metadata.len() <= MANIFEST)
            .then(|| read(project, path, MANIFEST).ok())
            .flatten();
        self.files.insert(path.clone(), Seen { stamp: Stamp::of(&metadata), manifest });
    }

    /// Those of a project that are new since, or that changed, and whether this is all of them. A manifest counts when it runs something else than before.
    #[must_use]
    pub fn changed(&self, project: &Project, budget: &Budget) -> (Vec<RunsLater>, bool) {
        let now = Self::of(project, budget);
        let mut changed = Vec::new();
        for (path, after) in &now.files {
            let before = self.files.get(path);
            if before.is_some_and(|before| before.stamp == after.stamp) {
                continue;
            }
            let why = match (always_asks(path), &after.manifest) {
                (Some(why), _) => why,
                (None, Some(new)) => {
                    let old = before.and_then(|before| before.manifest.as_deref());
                    if !runs_else(path, old, new) {
                        continue;
                    }
                    SCRIPTS
                }
                (None, None) => SCRIPTS,
            };
            let is_new = before.is_none();
            // A file that was not seen before may have been there nevertheless.
            let sha256 = (is_new && self.is_whole).then(|| digest(project, path)).flatten();
            changed.push(RunsLater { path: path.to_string(), why: why.to_owned(), is_new, sha256 });
        }
        (changed, self.is_whole && now.is_whole)
    }
}

/// True for an entry that is looked at: what git ignores only at the top, since `.envrc` is mostly ignored.
pub(crate) fn counts(entry: &Entry) -> bool {
    !entry.git_ignored || entry.path.parent().is_some_and(|parent| parent.is_root())
}

fn read(project: &Project, path: &ProjectPath, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    project.open_found(path)?.0.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn digest(project: &Project, path: &ProjectPath) -> Option<Sha256> {
    let (file, metadata) = project.open_found(path).ok()?;
    (metadata.len() <= DIGEST).then(|| sha256_of(file.take(DIGEST)).ok()).flatten()
}

/// Removes a file that is new since a command and still has this digest.
///
/// # Errors
/// `path_not_found` where it is not there any more, `file_changed` where it is another by now, those of [`Project::find`], and `storage`.
pub fn remove(project: &Project, path: &str, digest: Sha256) -> Result<(), ErrorInfo> {
    let path = project.path(path)?;
    let (mut file, node) = project.open_file(&path)?;
    // A link would be followed: it is not what the command made.
    let is_other =
        node.path != path || sha256_of(&mut file).map_err(|cause| failed(&path, &cause))? != digest;
    if is_other {
        return Err(ErrorInfo::new(
            Code::FileChanged,
            format!("{path} is not the file any more that the command made."),
            "Look at it, and remove it yourself if it should not be there.",
        ));
    }
    let (Some(parent), Some(name)) = (path.parent(), path.as_path().file_name()) else {
        return Err(failed(&path, &io::ErrorKind::NotFound.into()));
    };
    let removed = project.open_folder(&parent).and_then(|folder| folder.remove_file(name));
    removed.map_err(|cause| failed(&path, &cause))
}

fn failed(path: &ProjectPath, cause: &io::Error) -> ErrorInfo {
    ErrorInfo::new(
        Code::Storage,
        format!("{path} could not be removed."),
        "See that you may write in its folder, and try again.",
    )
    .with_detail(cause.to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::time::Duration;

    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::held::held;
    use crate::workspace::Private;
    use crate::writing::sha256;

    fn budget() -> Budget {
        Budget::new(Budget::ENTRIES, Duration::from_secs(60), CancellationToken::new())
    }

    fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Project) {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), files);
        let project = Project::open(folder.path(), &Private::none()).unwrap();
        (folder, project)
    }

    fn write(folder: &Path, files: &[(&str, &str)]) {
        for (name, content) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
    }

    fn named(changed: &[RunsLater]) -> Vec<(&str, bool)> {
        changed.iter().map(|file| (file.path.as_str(), file.is_new)).collect()
    }

    // C2
    #[test]
    fn what_a_command_made_or_changed_of_the_files_that_run_later_is_named() {
        let (folder, project) = project(&[
            (".gitignore", "node_modules/\n"),
            ("build.rs", "fn main() {}"),
            ("hooks/pre-push", "true"),
            ("kept/config", "x"),
            ("package.json", r#"{"version":"1","scripts":{"test":"a"}}"#),
            ("web/package.json", r#"{"version":"1"}"#),
            ("Cargo.toml", "[package]\nname = \"a\"\n"),
            ("src/main.rs", "fn main() {}"),
        ]);
        let before = held(&project, 32, &budget()).later;
        assert_eq!(before, Later::of(&project, &budget()));
        assert_eq!(before.changed(&project, &budget()), (vec![], true));
        write(
            folder.path(),
            &[
                ("hooks/pre-push", "false"),
                ("package.json", r#"{"version":"1","scripts":{"test":"b"}}"#),
                ("web/package.json", r#"{"version":"2"}"#),
                ("Cargo.toml", "[package]\nname = \"ab\"\n"),
                ("node_modules/a/package.json", r#"{"scripts":{"install":"x"}}"#),
                ("deep/build.rs", "fn main() { }"),
                (".envrc", "x"),
                ("src/main.rs", "fn main() { }"),
            ],
        );
        let (changed, is_all) = before.changed(&project, &budget());
        let expected =
            [(".envrc", true), ("deep/build.rs", true), ("hooks/pre-push", false), ("package.json", false)];
        assert_eq!((named(&changed), is_all), (expected.to_vec(), true));
        assert_eq!(changed[1].sha256, Some(sha256(b"fn main() { }")));
        assert_eq!(changed[2].sha256, None, "its content of before is gone");
    }

    #[test]
    fn a_file_with_the_size_and_time_of_before_changed_all_the_same() {
        let (folder, project) = project(&[("build.rs", "one")]);
        let before = Later::of(&project, &budget());
        let path = folder.path().join("build.rs");
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, "two").unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
        if cfg!(unix) {
            assert_eq!(named(&before.changed(&project, &budget()).0), [("build.rs", false)]);
        }
    }

    #[test]
    fn what_was_not_looked_at_before_is_named_and_cannot_be_removed() {
        let (_folder, project) = project(&[("build.rs", "x")]);
        let none = Budget::new(0, Duration::from_secs(60), CancellationToken::new());
        let (changed, is_all) = Later::of(&project, &none).changed(&project, &budget());
        assert_eq!((named(&changed), changed[0].sha256, is_all), (vec![("build.rs", true)], None, false));
    }

    #[test]
    fn a_new_file_is_removed_as_long_as_it_is_the_one_that_the_command_made() {
        let (folder, project) = project(&[("deep/build.rs", "x")]);
        let code = |path: &str| remove(&project, path, sha256(b"x")).unwrap_err().code;
        fs::write(folder.path().join("deep/build.rs"), "y").unwrap();
        assert_eq!(code("deep/build.rs"), Code::FileChanged);
        assert_eq!(code("../outside"), Code::PathOutside);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("deep/build.rs", folder.path().join("linked")).unwrap();
            fs::write(folder.path().join("deep/build.rs"), "x").unwrap();
            assert_eq!(code("linked"), Code::FileChanged);
        }
        fs::write(folder.path().join("deep/build.rs"), "x").unwrap();
        assert_eq!(remove(&project, "deep/build.rs", sha256(b"x")), Ok(()));
        assert!(!folder.path().join("deep/build.rs").exists() && folder.path().join("deep").exists());
        assert_eq!(code("deep/build.rs"), Code::PathNotFound);
    }
}
