//! Files that a program runs, or lets run others, without anybody choosing to: a write to one is always asked (A3).
//!
//! Any source file is run some day by whoever builds or tests the project, and `Makefile` or `package.json` by who calls
//! them. Those are not here. Here is what runs when somebody only opens the folder, enters it, commits, pushes or logs in.
//! Names are compared without regard to case: on many disks `.GitHub` is `.github`.

use crate::workspace::ProjectPath;

const GIT: &str = "a file from which git runs commands";
const CI: &str = "a file from which a build server runs commands";
const EDITOR: &str = "a file from which an editor runs commands";
const SHELL: &str = "a file that a shell runs by itself";
const TOOL: &str = "a file from which a tool runs commands by itself";
const SELF: &str = "a file that says what Orion may do";
const LOGIN: &str = "a file that decides who can log in or what starts then";

/// Folders by name, wherever they are in the project: all that is in them.
const FOLDERS: [(&str, &[&str]); 7] = [
    (GIT, &[".git", ".githooks", ".husky", ".lefthook"]),
    (CI, &[".circleci", ".buildkite", ".gitlab", ".teamcity", ".woodpecker"]),
    (EDITOR, &[".vscode", ".idea", ".vs", ".zed", ".fleet", ".devcontainer", ".vim", ".nvim"]),
    (TOOL, &[".cargo", ".mvn", ".direnv", ".claude", ".cursor", ".codex", ".gemini", ".yarn"]),
    (SHELL, &["profile.d"]),
    (SELF, &[".orion"]),
    (LOGIN, &[".ssh", "autostart", "launchagents", "launchdaemons"]),
];

/// Folders by the name of the folder above and their own.
const NESTED: [(&str, &str, &str); 4] = [
    (CI, ".github", "workflows"),
    (CI, ".github", "actions"),
    (SHELL, ".config", "fish"),
    (LOGIN, ".config", "systemd"),
];

/// Files by name, wherever they are in the project.
const FILES: [(&str, &[&str]); 6] = [
    (GIT, &[".gitconfig", ".gitmodules", ".pre-commit-config.yaml", "lefthook.yml", "lefthook.yaml"]),
    (
        CI,
        &[
            ".gitlab-ci.yml",
            ".gitlab-ci.yaml",
            "jenkinsfile",
            ".travis.yml",
            ".drone.yml",
            ".cirrus.yml",
            ".woodpecker.yml",
            ".appveyor.yml",
            "appveyor.yml",
            "azure-pipelines.yml",
            "bitbucket-pipelines.yml",
            "cloudbuild.yaml",
        ],
    ),
    (EDITOR, &[".vimrc", ".nvimrc", ".exrc", ".nvim.lua", ".emacs", ".dir-locals.el"]),
    (
        SHELL,
        &[
            ".envrc",
            ".profile",
            ".bashrc",
            ".bash_profile",
            ".bash_login",
            ".bash_logout",
            ".bash_aliases",
            ".zshrc",
            ".zshenv",
            ".zprofile",
            ".zlogin",
            ".zlogout",
            ".kshrc",
            ".cshrc",
            ".tcshrc",
            ".login",
            ".logout",
            ".inputrc",
            ".xinitrc",
            ".xprofile",
            ".xsession",
        ],
    ),
    (
        TOOL,
        &[
            ".npmrc",
            ".yarnrc",
            ".yarnrc.yml",
            ".pnpmfile.cjs",
            ".mcp.json",
            ".gdbinit",
            ".lldbinit",
            ".tmux.conf",
            ".mise.toml",
            "mise.toml",
            ".tool-versions",
        ],
    ),
    (SELF, &[".orionignore"]),
];

/// The hooks of git, which run from any folder that its `core.hooksPath` names.
const HOOKS: [&str; 20] = [
    "applypatch-msg",
    "pre-applypatch",
    "post-applypatch",
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-rebase",
    "post-checkout",
    "post-merge",
    "pre-push",
    "pre-receive",
    "update",
    "post-receive",
    "post-update",
    "push-to-checkout",
    "pre-auto-gc",
    "post-rewrite",
    "fsmonitor-watchman",
];

/// Why a write to this file is asked whatever the permission; none for most files.
#[must_use]
pub fn runs_later(path: &ProjectPath) -> Option<&'static str> {
    let names: Vec<String> = path
        .as_path()
        .components()
        .map(|component| component.as_os_str().to_string_lossy().to_lowercase())
        .collect();
    let (file, folders) = names.split_last()?;
    let listed = |lists: &[(&'static str, &[&str])], name: &str| {
        lists.iter().find(|(_, list)| list.contains(&name)).map(|(why, _)| *why)
    };
    let nested = folders.windows(2).find_map(|pair| {
        NESTED.iter().find(|(_, above, name)| pair[0] == *above && pair[1] == *name).map(|(why, ..)| *why)
    });
    let hook = folders.last().is_some_and(|folder| folder == "hooks") && HOOKS.contains(&file.as_str());
    folders
        .iter()
        .find_map(|folder| listed(&FOLDERS, folder))
        .or(nested)
        .or_else(|| listed(&FILES, file))
        .or(hook.then_some(GIT))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{CI, EDITOR, GIT, SELF, SHELL, TOOL, runs_later};
    use crate::workspace::ProjectPath;

    fn why(path: &str) -> Option<&'static str> {
        runs_later(&ProjectPath::from_relative(Path::new(path)).unwrap())
    }

    #[test]
    fn a_file_that_runs_by_itself_says_what_runs_it() {
        for (path, reason) in [
            (".git/config", GIT),
            ("vendored/.git/hooks/pre-push", GIT),
            ("tools/hooks/pre-commit", GIT),
            (".husky/pre-commit", GIT),
            (".vscode/tasks.json", EDITOR),
            (".idea/runConfigurations/a.xml", EDITOR),
            (".orion/settings.toml", SELF),
            (".orionignore", SELF),
            (".github/workflows/ci.yml", CI),
            (".GitHub/Workflows/ci.yml", CI),
            ("sub/.github/actions/a/action.yml", CI),
            (".gitlab-ci.yml", CI),
            ("Jenkinsfile", CI),
            (".bashrc", SHELL),
            ("home/.zshenv", SHELL),
            (".envrc", SHELL),
            (".cargo/config.toml", TOOL),
        ] {
            assert_eq!(why(path), Some(reason), "{path}");
        }
    }

    #[test]
    fn what_somebody_must_choose_to_run_is_a_file_like_any_other() {
        for path in [
            "src/main.rs",
            "Makefile",
            "package.json",
            "build.rs",
            ".github/ISSUE_TEMPLATE.md",
            ".gitignore",
            "src/hooks/useUser.ts",
            "hooks/README.md",
            "workflows/ci.yml",
            "docs/.vscode.md",
        ] {
            assert_eq!(why(path), None, "{path}");
        }
    }
}
