//! The files of a project that can run code later, before and after a command (C2).
//!
//! These are the files that always ask before Orion writes them (`writing::always_asks`, and manifests). A build writes some of them, so a command may, and
//! what it made or changed of them is named. Deliberately not here: keeping the others of these files read-only (`held`), and old contents.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;

use orion_protocol::{Code, ErrorInfo, RunsLater, Sha256};

use crate::workspace::{Budget, Entry, Kind, Project, ProjectPath, Stamp, View, Walk};
use crate::writing::{MANIFEST, SCRIPTS, always_asks, has_files_that_ask, is_manifest, runs_else, sha256_of};

/// Bytes of all manifests that are compared by what they run, 32 MiB. Beyond that, and where one is too large to be parsed, one is compared by its size and times.
const MANIFESTS: u64 = 32 << 20;

/// The reason to name a link that may lead to such files.
const LEADS: &str = "a link in the place of a folder whose files run by themselves";

/// Bytes of a file `.git` that says which repository it is (gitrepository-layout(5)): a path has at most 4,096.
const SAYS: u64 = 8 << 10;

/// Bytes of a new file whose digest is taken: 64 MiB, more than a program that a build leaves in such a place.
const DIGEST: u64 = 64 << 20;

/// Files that can run code later, as they are at one time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Later {
    files: BTreeMap<ProjectPath, Seen>,
    /// The files that say what git ignores: a new one may hide others.
    ignores: BTreeMap<ProjectPath, Stamp>,
    /// Bytes of the manifests that are kept.
    manifests: u64,
    /// All of the project was looked through for them.
    pub(crate) is_whole: bool,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    kind: Kind,
    stamp: Stamp,
    /// The content of a manifest, or of a file that says which repository it is.
    manifest: Option<Vec<u8>>,
}

impl Later {
    /// Those of a project now.
    #[must_use]
    pub fn of(project: &Project, budget: &Budget) -> Self {
        let mut later = Self::default();
        let root = ProjectPath::root();
        let view = |recursive, include_ignored| View { recursive, include_ignored };
        let top: Vec<Entry> = Walk::new(project, &root, view(false, true), budget.clone()).collect();
        let mut walks = vec![Walk::new(project, &root, view(true, false), budget.clone())];
        for entry in top {
            if entry.git_ignored && entry.kind == Kind::Folder && has_files_that_ask(&entry.path) {
                walks.push(Walk::new(project, &entry.path, view(true, true), budget.clone()));
            }
            // The others come below.
            if entry.git_ignored {
                later.see(project, &entry);
            }
        }
        later.is_whole = true;
        for mut walk in walks {
            walk.by_ref().for_each(|entry| later.see(project, &entry));
            later.see_repositories(project, walk.repositories());
            let left_out = walk.left_out();
            later.is_whole &= left_out.halt.is_none() && left_out.unreadable == 0;
        }
        later
    }

    /// Notes an entry, if it can run code later.
    pub(crate) fn see(&mut self, project: &Project, entry: &Entry) {
        let Entry { path, kind, .. } = entry;
        let hides = path.as_path().file_name().is_some_and(|name| name == ".gitignore");
        let manifest = is_manifest(path);
        if *kind == Kind::Folder || !hides && !manifest && why(project, path, *kind).is_none() {
            return;
        }
        let Ok(metadata) = project.metadata(path) else { return };
        let stamp = Stamp::of(&metadata);
        if hides {
            self.ignores.insert(path.clone(), stamp);
            return;
        }
        let is_kept =
            manifest && *kind == Kind::File && metadata.len() <= MANIFEST.min(MANIFESTS - self.manifests);
        let manifest = is_kept.then(|| read(project, path, MANIFEST).ok()).flatten();
        self.manifests +=
            manifest.as_ref().map_or(0, |bytes| bytes.len() as u64).min(MANIFESTS - self.manifests);
        self.files.insert(path.clone(), Seen { kind: *kind, stamp, manifest });
    }

    /// Notes repositories: that they are there, and the parts of them from which git runs commands. A file or a link in the place of one says which
    /// repository it is, so it counts as it is.
    pub(crate) fn see_repositories(&mut self, project: &Project, repositories: &[ProjectPath]) {
        for path in repositories {
            let says_which = project.metadata(path).ok().filter(|metadata| !metadata.is_dir());
            let stamp = says_which.as_ref().map(Stamp::of).unwrap_or_default();
            let manifest = says_which.and_then(|_| read(project, path, SAYS).ok());
            self.files.insert(path.clone(), Seen { kind: Kind::Folder, stamp, manifest });
            for part in ["config", "hooks"] {
                let path = path.join(part);
                if let Ok(metadata) = project.metadata(&path) {
                    let (kind, stamp) = (Kind::of(metadata.file_type()), Stamp::of(&metadata));
                    self.files.insert(path, Seen { kind, stamp, manifest: None });
                }
            }
        }
    }

    /// Those of a project that are new since, or that changed: the new ones first, `most` of them, and whether this is all. A manifest counts when it runs
    /// something else than before. One that was not looked at before is not named, since it may have been there.
    #[must_use]
    pub fn changed(&self, project: &Project, most: usize, budget: &Budget) -> (Vec<RunsLater>, bool) {
        let now = Self::of(project, budget);
        let changed = now.files.iter().filter_map(|(path, after)| {
            let before = self.files.get(path);
            let is_in_new = path
                .parent()
                .is_some_and(|parent| now.files.contains_key(&parent) && !self.files.contains_key(&parent));
            let is_same = |before: &Seen| {
                before.stamp == after.stamp || before.manifest.is_some() && before.manifest == after.manifest
            };
            if before.is_some_and(is_same) || before.is_none() && !self.is_whole || is_in_new {
                return None;
            }
            let why = match (why(project, path, after.kind), &after.manifest) {
                (Some(why), _) => why,
                (None, Some(new)) => {
                    let old = before.and_then(|before| before.manifest.as_deref());
                    runs_else(path, old, new).then_some(SCRIPTS)?
                }
                (None, None) => SCRIPTS,
            };
            Some((path, why, before.is_none()))
        });
        let mut changed: Vec<_> = changed.collect();
        let is_all = self.is_whole && now.is_whole && self.ignores == now.ignores && changed.len() <= most;
        changed.sort_by_key(|(_, _, is_new)| !is_new);
        changed.truncate(most);
        let named = changed.into_iter().map(|(path, why, is_new)| {
            let sha256 = (is_new && budget.spent().is_none()).then(|| digest(project, path)).flatten();
            RunsLater { path: path.to_string(), why: why.to_owned(), is_new, sha256 }
        });
        (named.collect(), is_all)
    }
}

/// The kind of file that this is, if it can run code later. A link counts as the folder that it may lead to, and a repository as its settings.
fn why(project: &Project, path: &ProjectPath, kind: Kind) -> Option<&'static str> {
    let of_folder = || {
        let inside = path.join("x");
        (kind != Kind::File && has_files_that_ask(path))
            .then(|| always_asks(project, &inside).or(Some(LEADS)))
            .flatten()
    };
    always_asks(project, path).or_else(of_folder)
}

/// True for an entry that is looked at: of what git ignores, `.envrc` and the like at the top, and folders there of files that ask, such as `.vscode`.
pub(crate) fn counts(entry: &Entry) -> bool {
    let is_at_top = || entry.path.parent().is_some_and(|parent| parent.is_root());
    let top =
        || entry.path.as_path().iter().next().and_then(|name| ProjectPath::from_relative(Path::new(name)));
    !entry.git_ignored || is_at_top() || top().is_some_and(|top| has_files_that_ask(&top))
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
    let (Some(parent), Some(name)) = (path.parent(), path.as_path().file_name()) else {
        return Err(failed(&path, &io::ErrorKind::NotFound.into()));
    };
    let folder = project.open_folder(&parent).map_err(|cause| failed(&path, &cause))?;
    // What is removed is what was read, whichever folder the name has come to lead to.
    let is_same =
        || folder.symlink_metadata(name).is_ok_and(|it| Stamp::of(&it) == Stamp::of(&node.metadata));
    // A link would be followed: it is not what the command made.
    let is_other = node.path != path
        || sha256_of(&mut file).map_err(|cause| failed(&path, &cause))? != digest
        || !is_same();
    if is_other {
        return Err(ErrorInfo::new(
            Code::FileChanged,
            format!("{path} is not the file any more that the command made."),
            "Look at it, and remove it yourself if it should not be there.",
        ));
    }
    folder.remove_file(name).map_err(|cause| failed(&path, &cause))
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
            ("HEAD", "ref: refs/heads/main"),
            ("hooks/pre-push", "true"),
            ("kept/config", "x"),
            ("package.json", r#"{"version":"1","scripts":{"test":"a"}}"#),
            ("web/package.json", r#"{"version":"1"}"#),
            ("Cargo.toml", "[package]\nname = \"a\"\n"),
            ("src/main.rs", "fn main() {}"),
        ]);
        let before = held(&project, 32, &budget()).later;
        assert_eq!(before, Later::of(&project, &budget()));
        assert_eq!(before.changed(&project, 32, &budget()), (vec![], true));
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
                ("kept/config", "y"),
            ],
        );
        let (changed, is_all) = before.changed(&project, 32, &budget());
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
            assert_eq!(named(&before.changed(&project, 32, &budget()).0), [("build.rs", false)]);
        }
    }

    #[test]
    fn what_was_not_looked_at_before_is_not_named_and_that_is_said() {
        let (_folder, project) = project(&[("build.rs", "x")]);
        let none = Budget::new(0, Duration::from_secs(60), CancellationToken::new());
        assert_eq!(Later::of(&project, &none).changed(&project, 32, &budget()), (vec![], false));
    }

    #[test]
    fn what_hides_from_git_or_from_a_walk_is_named_all_the_same() {
        let (folder, project) = project(&[(".gitignore", ".vscode/\nnode_modules/\n"), ("sub/a", "x")]);
        let before = held(&project, 32, &budget()).later;
        assert_eq!(before, Later::of(&project, &budget()));
        write(
            folder.path(),
            &[
                (".vscode/tasks.json", "{}"),
                ("sub/.git/config", "[core]"),
                ("sub/.git/hooks/post-checkout", "x"),
                ("node_modules/a/.vscode/tasks.json", "{}"),
            ],
        );
        #[cfg(unix)]
        std::os::unix::fs::symlink("sub", folder.path().join(".husky")).unwrap();
        let (changed, is_all) = before.changed(&project, 32, &budget());
        let mut expected = vec![(".vscode/tasks.json", true), ("sub/.git", true)];
        if cfg!(unix) {
            expected.insert(0, (".husky", true));
        }
        assert_eq!((named(&changed), is_all), (expected, true));
        let before = Later::of(&project, &budget());
        write(folder.path(), &[("sub/.git/config", "[core]\nfsmonitor = x")]);
        assert_eq!(named(&before.changed(&project, 32, &budget()).0), [("sub/.git/config", false)]);
        // A submodule's says which repository it is.
        write(folder.path(), &[("mod/.git", "gitdir: ../.git/modules/mod")]);
        let before = Later::of(&project, &budget());
        // Git writes it again now and then.
        write(folder.path(), &[("mod/.git", "gitdir: ../.git/modules/mod")]);
        assert_eq!(named(&before.changed(&project, 32, &budget()).0), []);
        write(folder.path(), &[("mod/.git", "gitdir: ../sub")]);
        assert_eq!(named(&before.changed(&project, 32, &budget()).0), [("mod/.git", false)]);
        // A new ignore file may hide others.
        write(folder.path(), &[("deep/.gitignore", "build.rs"), ("deep/build.rs", "x")]);
        let before = Later { files: before.files, ..before };
        assert!(!before.changed(&project, 32, &budget()).1);
    }

    #[test]
    fn the_new_ones_are_named_first_and_no_more_than_asked_for() {
        let (folder, project) = project(&[("a/build.rs", "x")]);
        let before = Later::of(&project, &budget());
        write(folder.path(), &[("a/build.rs", "xy"), ("b/build.rs", "x"), ("c/build.rs", "x")]);
        let (changed, is_all) = before.changed(&project, 2, &budget());
        assert_eq!((named(&changed), is_all), (vec![("b/build.rs", true), ("c/build.rs", true)], false));
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
