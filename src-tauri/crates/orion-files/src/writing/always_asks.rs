//! Files that always ask before they are written, whatever the permission (A1). Each is here for one of these
//! reasons: a program runs it, or it makes a program run another, without a person choosing that; it instructs a model or
//! Orion; it holds keys; a difference cannot show it.
//!
//! Source files are not in the table, although each is run some day by people who build or test the project. The table
//! has the files that run when somebody only opens the folder, enters it, installs, commits, pushes, asks for its status
//! or logs in. Names are compared without regard to case: on many disks `.GitHub` is `.github`. Deliberately not here:
//! manifests that ask only when what they run changes (`manifest`), and links with names of the table (`pointing`).

use crate::workspace::{ProjectPath, folded};

const GIT: &str = "a file from which git runs commands";
const CI: &str = "a file from which a build server runs commands";
const EDITOR: &str = "a file from which an editor runs commands";
const SHELL: &str = "a file that a shell runs by itself";
const TOOL: &str = "a file from which a tool runs commands by itself";
const MODEL: &str = "a file that tells a model what to do";
const SELF: &str = "a file that says what Orion may do";
const LOGIN: &str = "a file that decides who can log in or what starts then";
const KEYS: &str = "a file from which programs take keys and settings";
pub(crate) const SCRIPTS: &str = "a package manifest, and what it runs changes";
pub(super) const BINARY: &str = "a binary file, whose content cannot be shown";
pub(super) const UNSEARCHED: &str = "a file to which links may lead; Orion could not look for all of them";

/// Every name that always asks, by reason. Patterns match at any depth. One that ends in `/` is a folder with
/// everything in it, any other is a file; `a/b` is `b` directly in `a`; `*` matches any characters of a name.
#[rustfmt::skip]
const TABLE: [(&str, &[&str]); 9] = [
    (GIT, &[
        // A folder with these three is a bare repository, whose config runs a command at the next `git status`.
        "head", "config", "hooks/",
        ".git/", ".githooks/", ".git-hooks/", ".husky/", ".lefthook/", ".config/git/",
        ".gitconfig", ".gitmodules", ".gitattributes", ".pre-commit-config.yaml", "lefthook.*", ".lefthook.*",
    ]),
    (CI, &[
        ".github/workflows/", ".github/actions/", ".forgejo/", ".gitea/", ".gitlab/", ".circleci/", ".buildkite/",
        ".teamcity/", ".woodpecker/",
        ".gitlab-ci.*", "jenkinsfile", ".travis.yml", ".drone.*", ".cirrus.*", ".woodpecker.*", ".appveyor.yml",
        "appveyor.yml", "azure-pipelines.*", "bitbucket-pipelines.*", "cloudbuild.*",
    ]),
    (EDITOR, &[
        ".vscode/", ".idea/", ".vs/", ".zed/", ".fleet/", ".devcontainer/", ".vim/", ".nvim/",
        "*.code-workspace", ".devcontainer.json", ".vimrc", ".nvimrc", ".exrc", ".nvim.lua", ".emacs", ".dir-locals.el",
        // rust-analyzer runs it when the folder is opened, and Cargo finds it without a line in `Cargo.toml`.
        "build.rs",
    ]),
    (SHELL, &[
        "profile.d/", ".config/fish/",
        ".envrc", ".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".zshrc",
        ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc",
        ".xinitrc", ".xprofile", ".xsession",
    ]),
    (TOOL, &[
        ".cargo/", ".mvn/", ".direnv/", ".yarn/", ".mise/", ".config/mise/",
        ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.*", ".mcp.json", ".gdbinit", ".lldbinit", ".tmux.conf",
        "mise*.toml", ".mise*.toml", "mise/config*.toml", ".tool-versions", "rust-toolchain", "rust-toolchain.toml",
        // Manifests in formats that are not compared by what they run (`manifest`).
        "package.yaml", "package.json5", "pnpm-workspace.yaml", "deno.jsonc", "bunfig.toml", ".aider.conf.yml",
    ]),
    (MODEL, &[
        ".claude/", ".cursor/", ".codex/", ".gemini/", ".kiro/", ".roo/", ".amazonq/", ".windsurf/", ".opencode/",
        "agents.md", "agents.*.md", "agent.md", "claude.md", "claude.*.md", "gemini.md", "qwen.md", ".goosehints", "copilot-instructions.md", "*.instructions.md",
        ".cursorrules", ".windsurfrules", ".clinerules", ".roorules", ".clinerules/", "opencode.json", "opencode.jsonc",
    ]),
    (SELF, &[".orion/", ".orionignore"]),
    (LOGIN, &[".ssh/", "autostart/", "launchagents/", "launchdaemons/", ".config/systemd/"]),
    (KEYS, &[".env*", ".netrc", ".pgpass"]),
];

/// Why a write to this file asks, whatever the permission; none for most files.
#[must_use]
pub fn always_asks(path: &ProjectPath) -> Option<&'static str> {
    let names = names(path);
    let named = |pattern: &&str| is_named(&names, pattern);
    TABLE.iter().find(|(_, patterns)| patterns.iter().any(named)).map(|(why, _)| *why)
}

/// True for a file from which something runs by itself, or that tells a model what to do, and for a folder of such files. Names that builds write, and
/// those that a project may use for something else, are left out.
pub(crate) fn is_held(path: &ProjectPath, is_folder: bool) -> bool {
    /// A folder of these names may be the project's own, and a build script is a source file.
    const OWN: [&str; 4] = ["head", "config", "hooks/", "build.rs"];
    let mut names = names(path);
    if is_folder {
        names.push(String::new());
    }
    let held = TABLE.iter().filter(|(why, _)| [GIT, CI, EDITOR, SHELL, MODEL, SELF].contains(why));
    let mut patterns =
        held.flat_map(|(_, patterns)| patterns.iter()).filter(|pattern| !OWN.contains(pattern));
    patterns.any(|pattern| pattern.ends_with('/') == is_folder && is_named(&names, pattern))
}

/// Whether some files ask because they are in a folder of this name, or in one below it: `.vscode`, `.github`.
pub(crate) fn has_files_that_ask(folder: &ProjectPath) -> bool {
    let names = names(folder);
    TABLE.iter().flat_map(|(_, patterns)| patterns.iter()).any(|pattern| {
        let Some((wanted, _)) = pattern.rsplit_once('/') else { return false };
        let wanted: Vec<&str> = wanted.split('/').collect();
        let is_inside =
            pattern.ends_with('/') && names.windows(wanted.len()).any(|names| fit(names, &wanted));
        let leads_there = |number| names.len() >= number && fit(&names[names.len() - number..], &wanted);
        is_inside || (1..=wanted.len()).any(leads_there)
    })
}

fn names(path: &ProjectPath) -> Vec<String> {
    path.as_path().iter().map(folded).collect()
}

/// Whether a pattern of the table matches the file with these names.
fn is_named(names: &[String], pattern: &str) -> bool {
    let Some((_, folders)) = names.split_last() else { return false };
    let wanted: Vec<&str> = pattern.trim_end_matches('/').split('/').collect();
    match pattern.ends_with('/') {
        true => folders.windows(wanted.len()).any(|names| fit(names, &wanted)),
        false => names.len().checked_sub(wanted.len()).is_some_and(|from| fit(&names[from..], &wanted)),
    }
}

/// Whether the names match the first of the parts of a pattern.
fn fit(names: &[String], wanted: &[&str]) -> bool {
    names.iter().zip(wanted).all(|(name, wanted)| fits(name, wanted))
}

/// Whether a pattern with at most one `*` matches a name.
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
    use std::path::Path;

    use super::{
        CI, EDITOR, GIT, KEYS, LOGIN, MODEL, SELF, SHELL, TABLE, TOOL, always_asks, has_files_that_ask,
        is_named, names,
    };
    use crate::workspace::{ProjectPath, folded};

    fn at(path: &str) -> ProjectPath {
        ProjectPath::from_relative(Path::new(path)).unwrap()
    }

    /// At least one path for each pattern of the table, some of them deep down or with other capitals.
    #[rustfmt::skip]
    const ASKED: [(&str, &[&str]); 9] = [
        (GIT, &[
            "HEAD", "vendored/repo/HEAD", "config", "con\u{fb01}g", "deep/down/config", "hooks/anything",
            "tools/Hooks/sub/pre-commit", "hook\u{17f}/pre-commit",
            ".git/config", "vendored/.git/hooks/pre-push", ".githooks/a", ".git-hooks/pre-commit", ".husky/pre-commit",
            ".lefthook/pre-push/a", ".config/git/config", ".gitconfig", ".gitmodules", ".gitattributes",
            ".pre-commit-config.yaml", "lefthook.yml", "lefthook.local.toml", ".lefthook.json",
        ]),
        (CI, &[
            ".github/workflows/ci.yml", ".GitHub/Workflows/ci.yml", "sub/.github/actions/a/action.yml",
            ".forgejo/workflows/a.yml", ".gitea/a", ".gitlab/ci/a.yml", ".circleci/config.yml", ".buildkite/pipeline.yml",
            ".teamcity/settings.kts", ".woodpecker/a.yaml", ".gitlab-ci.yml", "Jenkinsfile", ".travis.yml",
            ".drone.jsonnet", ".cirrus.star", ".woodpecker.yml", ".appveyor.yml", "appveyor.yml",
            "azure-pipelines.nightly.yml", "bitbucket-pipelines.yml", "cloudbuild.json",
        ]),
        (EDITOR, &[
            ".vscode/tasks.json", ".v\u{17f}code/ta\u{17f}ks.json", ".idea/runConfigurations/a.xml", ".vs/tasks.vs.json",
            ".zed/tasks.json", ".fleet/run.json",
            ".devcontainer/devcontainer.json", ".vim/ftplugin/c.vim", ".nvim/a.lua", "My.Code-Workspace",
            ".devcontainer.json", ".vimrc", ".nvimrc", ".exrc", ".nvim.lua", ".emacs", ".dir-locals.el", "sub/build.rs",
        ]),
        (SHELL, &[
            "etc/profile.d/a.sh", ".config/fish/config.fish", ".envrc", ".profile", ".bashrc", ".bash_profile", ".bash_login",
            ".bash_logout", ".bash_aliases", ".zshrc", "home/.zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc",
            ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc", ".xinitrc", ".xprofile", ".xsession",
        ]),
        (TOOL, &[
            ".cargo/config.toml", ".mvn/extensions.xml", ".direnv/a", ".yarn/releases/yarn.cjs", ".mise/config.toml",
            ".config/mise/a.toml", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.mjs", ".mcp.json", ".gdbinit", ".lldbinit",
            ".tmux.conf", "mise.local.toml", ".mise.toml", "mise/config.toml", "mise/config.local.toml", ".tool-versions",
            "rust-toolchain", "rust-toolchain.toml", "package.yaml", "package.json5", "pnpm-workspace.yaml", "deno.jsonc",
            "bunfig.toml", ".aider.conf.yml",
        ]),
        (MODEL, &[
            ".claude/a", ".cursor/rules/a", ".codex/a", ".gemini/a", ".kiro/a", ".roo/a", ".amazonq/a", ".windsurf/a",
            ".opencode/a", "AGENTS.md", "sub/agents.override.md", "AGENT.md", "QWEN.md", ".goosehints", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md",
            ".github/copilot-instructions.md", ".github/instructions/a.instructions.md", ".cursorrules", ".windsurfrules",
            ".clinerules", ".roorules", ".clinerules/a", "opencode.json", "opencode.jsonc",
        ]),
        (SELF, &[".orion/settings.toml", "sub/.orionignore"]),
        (LOGIN, &[
            ".ssh/authorized_keys", ".config/autostart/a.desktop", "Library/LaunchAgents/a.plist",
            "Library/LaunchDaemons/a.plist", ".config/systemd/user/a.service",
        ]),
        (KEYS, &[".env", ".env.production", ".ENV.local", ".netrc", ".pgpass"]),
    ];

    #[test]
    fn a_file_that_always_asks_says_why() {
        for (reason, paths) in ASKED {
            for path in paths {
                assert_eq!(always_asks(&at(path)), Some(reason), "{path}");
            }
        }
    }

    #[test]
    fn each_pattern_of_the_table_is_tried() {
        let tried: Vec<&str> = ASKED.iter().flat_map(|(_, paths)| paths.iter().copied()).collect();
        for pattern in TABLE.iter().flat_map(|(_, patterns)| patterns.iter()) {
            assert!(tried.iter().any(|path| is_named(&names(&at(path)), pattern)), "{pattern}");
        }
    }

    #[test]
    fn what_somebody_must_choose_to_run_is_a_file_like_any_other() {
        for path in [
            "src/main.rs",
            "Makefile",
            "package.json",
            ".github/ISSUE_TEMPLATE.md",
            ".gitignore",
            "src/hooks.ts",
            "workflows/ci.yml",
            "docs/.vscode.md",
            "config.toml",
            "head.html",
            "src/config/a.rs",
            "environment.md",
            "agents.txt",
            "my-mise.toml.md",
        ] {
            assert_eq!(always_asks(&at(path)), None, "{path}");
        }
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
            ("workflows", false),
            ("src", false),
            ("", false),
        ] {
            assert_eq!(has_files_that_ask(&at(folder)), holds, "{folder}");
        }
    }

    #[test]
    fn the_table_is_in_lower_case_and_names_nothing_twice() {
        let all: Vec<&str> = TABLE.iter().flat_map(|(_, patterns)| patterns.iter().copied()).collect();
        for (number, pattern) in all.iter().enumerate() {
            assert_eq!(folded(pattern.as_ref()), *pattern);
            assert!(!all[..number].contains(pattern), "{pattern} is there twice");
            assert!(pattern.matches('*').count() <= 1, "{pattern}");
        }
    }
}
