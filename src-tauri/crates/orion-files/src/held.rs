//! The files of a project that a command may not change, and those that it may not see (C2).
//!
//! Read-only is what exists of the files from which something runs by itself, or that tell a model what to do. The rest of the table of files that always ask
//! stays writable, since a build writes it, and what changed of it is named afterwards (`later`). Deliberately not here: holding anything (`orion-sandbox`).

use std::path::PathBuf;

use crate::later::{Later, counts};
use crate::workspace::{Budget, Entry, Kind, LeftOut, Project, ProjectPath, View, Walk};
use crate::writing::is_held;

/// The parts of a project that a command is kept from, from the project's folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Held {
    /// Read-only, a folder with everything in it, those nearest the top first.
    pub read_only: Vec<PathBuf>,
    /// Closed by `.orionignore`, a folder with everything in it.
    pub closed: Vec<PathBuf>,
    /// There are more that would be read-only, or not all of the project could be looked through for them.
    pub more_read_only: bool,
    /// There are more of the closed ones, or not all of the project could be looked through for them.
    pub more_closed: bool,
    /// The files that can run code later, as they are before the command.
    pub later: Later,
}

/// Finds the parts of a project that a command is kept from: at most `most` that are read-only, and at most `most` that are closed.
#[must_use]
pub fn held(project: &Project, most: usize, budget: &Budget) -> Held {
    // An ignore file may close itself, or be in a folder that git ignores: so all of the project is looked through.
    let view = View { recursive: true, include_ignored: true };
    let mut walk = Walk::new(project, &ProjectPath::root(), view, budget.clone());
    let (mut found, mut later): (Vec<ProjectPath>, _) = (Vec::new(), Later::default());
    for entry in walk.by_ref().filter(counts) {
        later.see(project, &entry);
        let Entry { path, kind, .. } = entry;
        let known = found.iter().any(|held| path.as_path().starts_with(held.as_path()));
        if kind != Kind::Link && !known && is_held(&path, kind == Kind::Folder) {
            found.push(path);
        }
    }
    later.see_repositories(project, walk.repositories());
    let LeftOut { halt, unreadable, .. } = walk.left_out();
    let is_cut = halt.is_some() || unreadable > 0;
    later.is_whole = !is_cut;
    found.sort_by_key(|path| (path.as_path().components().count(), path.clone()));
    let more_read_only = found.len() > most || is_cut;
    found.truncate(most);
    let read_only = found.iter().map(|path| path.as_path().to_owned()).collect();
    let mut closed: Vec<PathBuf> = walk.closed().iter().map(|path| path.as_path().to_owned()).collect();
    let more_closed = closed.len() > most || is_cut;
    closed.truncate(most);
    Held { read_only, closed, more_read_only, more_closed, later }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::time::Duration;

    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::workspace::Private;

    fn held_in(folder: &Path, most: usize) -> Held {
        let project = Project::open(folder, &Private::none()).unwrap();
        let budget = Budget::new(Budget::ENTRIES, Duration::from_secs(60), CancellationToken::new());
        held(&project, most, &budget)
    }

    fn paths(paths: &[&str]) -> Vec<PathBuf> {
        paths.iter().map(PathBuf::from).collect()
    }

    fn files(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x\n").unwrap();
        }
        folder
    }

    // C2
    #[test]
    fn what_runs_by_itself_is_read_only_as_one_folder_and_what_a_build_writes_is_not() {
        let folder = files(&[
            ".husky/pre-commit",
            ".husky/_/husky.sh",
            ".github/workflows/ci.yml",
            ".github/workflows/deep/x.yml",
            ".vscode/tasks.json",
            "AGENTS.md",
            "web/.vscode/settings.json",
            "build.rs",
            "hooks/useThing.ts",
            "config",
            "package.json",
            ".yarn/releases/yarn.js",
            ".cargo/config.toml",
            "src/main.rs",
        ]);
        let expected = [".husky", ".vscode", "AGENTS.md", ".github/workflows", "web/.vscode"];
        let all = held_in(folder.path(), 32);
        let expected = Held { read_only: paths(&expected), later: all.later.clone(), ..Held::default() };
        assert_eq!(all, expected);
        let few = held_in(folder.path(), 2);
        assert_eq!((few.read_only, few.more_read_only), (paths(&[".husky", ".vscode"]), true));
    }

    #[test]
    fn a_file_that_git_ignores_is_read_only_at_the_top_alone() {
        let folder = files(&[".envrc", "node_modules/a/.vscode/tasks.json"]);
        fs::write(folder.path().join(".gitignore"), ".envrc\nnode_modules/\n").unwrap();
        assert_eq!(held_in(folder.path(), 32).read_only, paths(&[".envrc"]));
    }

    // C2
    #[test]
    fn what_is_closed_to_tools_is_closed_to_commands_also_where_git_ignores_it() {
        let folder = files(&["secrets/key.pem", "secrets/note.txt", "vault/a", "vault/b", "src/main.rs"]);
        fs::write(folder.path().join(".gitignore"), "secrets/\n").unwrap();
        fs::write(folder.path().join(".orionignore"), "*.pem\n/vault/\n").unwrap();
        let held = held_in(folder.path(), 32);
        assert_eq!((held.closed, held.more_closed), (paths(&["secrets/key.pem", "vault"]), false));
        let held = held_in(folder.path(), 1);
        assert_eq!((held.closed.len(), held.more_closed), (1, true));
        // An ignore file that closes itself.
        fs::write(folder.path().join(".orionignore"), "*\n!src/\n!src/**\n").unwrap();
        let held = held_in(folder.path(), 32);
        assert_eq!(
            (held.closed, held.more_closed),
            (paths(&[".gitignore", ".orionignore", "secrets", "vault"]), false)
        );
    }
}
