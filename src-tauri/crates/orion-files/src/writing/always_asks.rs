//! Files that always ask before they are written, whatever the permission (A1): matching a path with the list of their names (`table`).
//!
//! Deliberately not here: manifests that ask only when what they run changes (`manifest`), and links with names of the list (`pointing`).

use std::collections::HashMap;
use std::sync::LazyLock;

use super::table::{Commands, OF_REPOSITORY, REPOSITORY, Row, TABLE};
use crate::workspace::{Project, ProjectPath, folded};

pub(crate) const SCRIPTS: &str = "a package manifest, and what it runs changes";
pub(super) const BINARY: &str = "a binary file, whose content cannot be shown";
pub(super) const UNSEARCHED: &str = "a file to which links may lead; Orion could not look for all of them";

/// The reason why a write to this file asks, whatever the permission; none for most files.
#[must_use]
pub fn always_asks(project: &Project, path: &ProjectPath) -> Option<&'static str> {
    let names = names(path);
    let by_name = ALL.file(&names).or_else(|| ALL.folder(names.split_last()?.1));
    by_name.or_else(|| is_of_repository(project, path, &names).then_some(OF_REPOSITORY.why))
}

/// True for a file from which git runs commands because of a `HEAD` beside it. Without one, `config` and `hooks/` are names like any other.
fn is_of_repository(project: &Project, path: &ProjectPath, names: &[String]) -> bool {
    let is_beside = |at: usize| {
        let folder = path.chain().nth(at).and_then(|step| step.parent()).unwrap_or_default();
        project.metadata(&folder.join(REPOSITORY.to_ascii_uppercase())).is_ok()
    };
    (0..names.len()).any(|at| {
        let name = &names[at..=at];
        let is_of = if at + 1 == names.len() { REPOSITORIES.file(name) } else { REPOSITORIES.folder(name) };
        is_of.is_some() && is_beside(at)
    })
}

/// True for a file from which something runs by itself, or that tells a model what to do, and for a folder of such files. Names that builds write, and
/// those that a project may use for something else, are left out.
pub(crate) fn is_held(path: &ProjectPath, is_folder: bool) -> bool {
    let names = names(path);
    if is_folder { HELD.folder(&names) } else { HELD.file(&names) }.is_some()
}

/// True if some files ask because they are in a folder of this name, or in one below it: `.vscode`, `.github`.
pub(crate) fn has_files_that_ask(folder: &ProjectPath) -> bool {
    let names = names(folder);
    let of_way = |parts: &Parts| {
        (1..=parts.len()).any(|number| names.len() >= number && fit(&names[names.len() - number..], parts))
    };
    [&*ALL, &*REPOSITORIES].into_iter().any(|known| {
        let files = known.files.iter().filter_map(|(parts, _)| parts.split_last()).map(|(_, parts)| parts);
        known.folder(&names).is_some()
            || known.folders.iter().any(|(parts, _)| of_way(parts))
            || files.filter(|parts| !parts.is_empty()).any(of_way)
    })
}

/// True if a file of this name may ask, by what is beside it too: a link of such a name is followed.
pub(super) fn may_ask(path: &ProjectPath) -> bool {
    let names = names(path);
    let folders = names.split_last().map(|(_, folders)| folders).unwrap_or_default();
    [&*ALL, &*REPOSITORIES]
        .into_iter()
        .any(|known| known.file(&names).or_else(|| known.folder(folders)).is_some())
}

/// Every name that always asks: why, the page that says so, and its patterns.
pub fn listed() -> impl Iterator<Item = (&'static str, &'static str, &'static [&'static str])> {
    rows().map(|row| (row.why, row.source, row.names))
}

fn rows() -> impl Iterator<Item = &'static Row> {
    [&OF_REPOSITORY].into_iter().chain(TABLE)
}

/// The parts of a pattern between `/`.
type Parts = [&'static str];

/// Rows of the list, so that a path costs no look at each name: a command's look at a project asks for every file in it.
#[derive(Default)]
struct Known {
    /// Names of one part without `*`, and why they ask.
    named_files: HashMap<&'static str, &'static str>,
    named_folders: HashMap<&'static str, &'static str>,
    /// The others.
    files: Vec<(Vec<&'static str>, &'static str)>,
    folders: Vec<(Vec<&'static str>, &'static str)>,
}

static ALL: LazyLock<Known> = LazyLock::new(|| Known::of(TABLE));
static HELD: LazyLock<Known> =
    LazyLock::new(|| Known::of(TABLE.iter().filter(|row| row.commands == Commands::ReadOnly)));
static REPOSITORIES: LazyLock<Known> = LazyLock::new(|| Known::of([&OF_REPOSITORY]));

impl Known {
    fn of(rows: impl IntoIterator<Item = &'static Row>) -> Self {
        let mut known = Self::default();
        for row in rows {
            for pattern in row.names {
                let folder = pattern.strip_suffix('/');
                let name = folder.unwrap_or(pattern);
                let (named, others) = match folder {
                    Some(_) => (&mut known.named_folders, &mut known.folders),
                    None => (&mut known.named_files, &mut known.files),
                };
                match name.contains(['/', '*']) {
                    true => others.push((name.split('/').collect(), row.why)),
                    false => drop(named.insert(name, row.why)),
                }
            }
        }
        known
    }

    /// The reason why a file with these names asks by its own, and perhaps by those of the folders right above it.
    fn file(&self, names: &[String]) -> Option<&'static str> {
        let ends = |parts: &Parts| {
            names.len().checked_sub(parts.len()).is_some_and(|from| fit(&names[from..], parts))
        };
        let named = self.named_files.get(names.last()?.as_str()).copied();
        named.or_else(|| self.files.iter().find(|(parts, _)| ends(parts)).map(|(_, why)| *why))
    }

    /// The reason why files in a folder with these names ask.
    fn folder(&self, names: &[String]) -> Option<&'static str> {
        let named = names.iter().find_map(|name| self.named_folders.get(name.as_str())).copied();
        let has = |parts: &Parts| names.windows(parts.len()).any(|names| fit(names, parts));
        named.or_else(|| self.folders.iter().find(|(parts, _)| has(parts)).map(|(_, why)| *why))
    }
}

fn names(path: &ProjectPath) -> Vec<String> {
    path.as_path().iter().map(folded).collect()
}

/// True if the names match the first of the parts of a pattern.
fn fit(names: &[String], parts: &Parts) -> bool {
    names.iter().zip(parts).all(|(name, part)| fits(name, part))
}

/// True if a pattern with at most one `*` matches a name.
fn fits(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((begin, end)) => {
            name.len() >= begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::workspace::Private;
    use crate::writing::table::{CI, EDITOR, GIT, KEYS, LOGIN, MODEL, SELF, SHELL, TOOL};

    fn at(path: &str) -> ProjectPath {
        ProjectPath::from_relative(Path::new(path)).unwrap()
    }

    fn project() -> (tempfile::TempDir, Project) {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::open(folder.path(), &Private::none()).unwrap();
        (folder, project)
    }

    /// Paths as programs know them, some of them deep down or with other capitals.
    #[rustfmt::skip]
    const ASKED: [(&str, &[&str]); 9] = [
        (GIT, &[
            "HEAD", "vendored/repo/HEAD", "vendored/.git/hooks/pre-push", ".husky/pre-commit", ".lefthook/pre-push/a", "lefthook.yml",
            "lefthook.local.toml", "lefthook-local.yml", ".lefthook.json", ".lintstagedrc.mjs", "lint-staged.config.js", ".huskyrc.js",
            "simple-git-hooks.json", "grumphp.dist.yml", "captainhook.config.json",
        ]),
        (CI, &[
            ".GitHub/Workflows/ci.yml", "sub/.github/actions/a/action.yml", ".teamcity/settings.kts", "Jenkinsfile", ".drone.jsonnet",
            ".semaphore/semaphore.yml", ".builds/debian.yml", ".tekton/push.yaml", ".gitpod.yml", "readthedocs.yaml", ".ona/automations.yaml",
        ]),
        (EDITOR, &[
            ".v\u{17f}code/ta\u{17f}ks.json", ".idea/runConfigurations/a.xml", "My.Code-Workspace", "sub/build.rs", "rust-analyzer.toml",
            ".helix/languages.toml", "hie.yaml", "app/build.gradle.kts", "settings.gradle", "buildSrc/src/main/kotlin/a.kt",
            "gradle/wrapper/gradle-wrapper.properties", "eslint.config.mjs", ".eslintrc", ".dir-locals-2.el", ".pylintrc.toml",
            ".config/nvim/init.lua",
        ]),
        (SHELL, &[
            "etc/profile.d/a.sh", "home/.zshenv", "flake.nix", "shell.nix", "devenv.nix", "devbox.json", ".xsessionrc",
            ".config/environment.d/a.conf",
        ]),
        (TOOL, &[".cargo/config.toml", ".config/mise/a.toml", "mise/config.local.toml", "mise.local.toml", ".pnpmfile.mjs"]),
        (MODEL, &[
            "sub/agents.override.md", "CLAUDE.local.md", ".github/instructions/a.instructions.md", ".qwen/settings.json",
            ".continue/rules/a.md", ".trae/rules/a.md", ".junie/guidelines.md", ".factory/droids/a.md", ".agents/skills/a/SKILL.md",
            ".openhands/setup.sh", ".crush.json", "mcp.json", ".rules", "skills/a/SKILL.md", ".github/hooks/a.json", ".roorules-code",
            "AmazonQ.md",
        ]),
        (SELF, &[".orion/settings.toml", "sub/.orionignore"]),
        (LOGIN, &[".ssh/authorized_keys", "Library/LaunchAgents/a.plist"]),
        (KEYS, &[".env.production", ".ENV.local"]),
    ];

    #[test]
    fn a_file_that_always_asks_says_why() {
        let (_folder, project) = project();
        for (reason, paths) in ASKED {
            for path in paths {
                assert_eq!(always_asks(&project, &at(path)), Some(reason), "{path}");
            }
        }
    }

    #[test]
    fn each_name_of_the_list_asks_at_the_top_and_deep_down_with_the_page_that_says_why() {
        let (_folder, project) = project();
        for row in TABLE {
            assert!(row.source.starts_with("https://") || row.source == "docs/configuration.md", "{row:?}");
            for pattern in row.names {
                let name = pattern.replace('*', "x") + if pattern.ends_with('/') { "any/file" } else { "" };
                for path in [name.clone(), format!("deep/down/{name}"), name.to_uppercase()] {
                    assert!(always_asks(&project, &at(&path)).is_some(), "{path}");
                }
                assert!(may_ask(&at(&name)));
            }
        }
    }

    // Projects have folders `hooks` and files `config` of their own. Git runs what they say where a `HEAD` makes the folder a repository.
    #[test]
    fn what_git_runs_of_a_repository_asks_beside_its_head_and_nowhere_else() {
        let (folder, project) = project();
        fs::create_dir_all(folder.path().join("src/hooks/deep")).unwrap();
        let of_repository =
            ["config", "Config.worktree", "commondir", "hooks/pre-commit", "Hooks/deep/x", "con\u{fb01}g"];
        let asks = |path: &str| always_asks(&project, &at(path));
        for path in of_repository {
            assert_eq!((asks(path), asks(&format!("src/{path}"))), (None, None), "{path}");
        }
        fs::write(folder.path().join("src/HEAD"), "ref: refs/heads/main").unwrap();
        for path in of_repository {
            assert_eq!((asks(path), asks(&format!("src/{path}"))), (None, Some(GIT)), "{path}");
        }
        assert_eq!((asks("src/hooks"), asks("src/deep/config"), asks("src/config/a")), (None, None, None));
    }

    #[test]
    fn what_somebody_must_choose_to_run_is_a_file_like_any_other() {
        let (_folder, project) = project();
        for path in [
            "src/main.rs",
            "Makefile",
            "package.json",
            ".github/ISSUE_TEMPLATE.md",
            ".gitignore",
            "src/hooks.ts",
            "src/hooks/useThing.ts",
            "config",
            "workflows/ci.yml",
            "docs/.vscode.md",
            "config.toml",
            "head.html",
            "src/config/a.rs",
            "environment.md",
            "agents.txt",
            "my-mise.toml.md",
            "rules.md",
            "gradle/libs.versions.toml",
            "docs/gradle.md",
            "nix/module.nix",
        ] {
            assert_eq!(always_asks(&project, &at(path)), None, "{path}");
        }
    }

    // C2
    #[test]
    fn what_a_build_writes_stays_writable_to_a_command_in_whatever_group_it_is() {
        for (path, held) in [
            ("build.rs", false),
            ("app/build.gradle", false),
            ("eslint.config.js", false),
            ("flake.nix", false),
            ("devbox.json", false),
            (".npmrc", false),
            ("HEAD", false),
            (".lintstagedrc.json", true),
            ("rust-analyzer.toml", true),
            (".xsessionrc", true),
            (".gitpod.yml", true),
            ("skills/a/SKILL.md", true),
        ] {
            assert_eq!(is_held(&at(path), false), held, "{path}");
        }
        assert!(is_held(&at(".agents"), true) && is_held(&at("environment.d"), true));
        assert!(!is_held(&at("buildSrc"), true) && !is_held(&at("hooks"), true));
    }

    #[test]
    fn a_folder_by_whose_name_files_ask_is_known_by_the_beginning_of_that_name_too() {
        for (folder, holds) in [
            (".vscode", true),
            ("sub/.VScode", true),
            (".vscode/deep/down", true),
            (".github", true),
            (".github/workflows", true),
            (".github/workflows/a", true),
            (".github/other", false),
            (".config", true),
            ("mise", true),
            ("mise/other", false),
            ("hooks", true),
            ("workflows", false),
            ("src", false),
            ("", false),
        ] {
            assert_eq!(has_files_that_ask(&at(folder)), holds, "{folder}");
        }
    }

    #[test]
    fn the_list_is_in_lower_case_and_names_nothing_twice() {
        let all: Vec<&str> = rows().flat_map(|row| row.names).copied().collect();
        for (number, pattern) in all.iter().enumerate() {
            assert_eq!(folded(pattern.as_ref()), *pattern);
            assert!(!all[..number].contains(pattern), "{pattern} is there twice");
            assert!(pattern.matches('*').count() <= 1, "{pattern}");
        }
    }
}
