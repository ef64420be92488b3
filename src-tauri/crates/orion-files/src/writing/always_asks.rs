//! Files that always ask before they are written, whatever the permission (A3). Programs run them, or they make programs
//! run others, without a person choosing that; or they instruct a model or Orion; or they hold keys; or a difference
//! cannot show them.
//!
//! Source files are not in the table, although each is run some day by people who build or test the project. The table
//! has the files that run when somebody only opens the folder, enters it, installs, commits, pushes, asks for its status
//! or logs in. Names are compared without regard to case: on many disks `.GitHub` is `.github`.

use serde_json::Value;

use crate::workspace::ProjectPath;

const GIT: &str = "a file from which git runs commands";
const CI: &str = "a file from which a build server runs commands";
const EDITOR: &str = "a file from which an editor runs commands";
const SHELL: &str = "a file that a shell runs by itself";
const TOOL: &str = "a file from which a tool runs commands by itself";
const MODEL: &str = "a file that tells a model what to do";
const SELF: &str = "a file that says what Orion may do";
const LOGIN: &str = "a file that decides who can log in or what starts then";
const KEYS: &str = "a file from which programs take keys and settings";
const SCRIPTS: &str = "a package manifest, and what it runs changes";
const BINARY: &str = "a binary file, whose content cannot be shown";

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
        "mise*.toml", ".mise*.toml", ".tool-versions",
    ]),
    (MODEL, &[
        ".claude/", ".cursor/", ".codex/", ".gemini/", ".kiro/", ".roo/", ".amazonq/", ".windsurf/", ".opencode/",
        "agents.md", "agents.*.md", "claude.md", "claude.*.md", "gemini.md", "copilot-instructions.md", "*.instructions.md",
        ".cursorrules", ".windsurfrules", ".clinerules", ".roorules", ".clinerules/", "opencode.json", "opencode.jsonc",
    ]),
    (SELF, &[".orion/", ".orionignore"]),
    (LOGIN, &[".ssh/", "autostart/", "launchagents/", "launchdaemons/", ".config/systemd/"]),
    (KEYS, &[".env*", ".netrc", ".pgpass"]),
];

/// Why a write to this file asks, whatever the permission; none for most files.
#[must_use]
pub fn always_asks(path: &ProjectPath) -> Option<&'static str> {
    let named = |pattern: &&str| is_named(path, pattern);
    TABLE.iter().find(|(_, patterns)| patterns.iter().any(named)).map(|(why, _)| *why)
}

/// Whether a pattern of the table matches this file.
fn is_named(path: &ProjectPath, pattern: &str) -> bool {
    let lower = |name: &std::ffi::OsStr| name.to_string_lossy().to_lowercase();
    let names: Vec<String> = path.as_path().iter().map(lower).collect();
    let Some((_, folders)) = names.split_last() else { return false };
    let wanted: Vec<&str> = pattern.trim_end_matches('/').split('/').collect();
    let are_wanted = |names: &[String]| names.iter().zip(&wanted).all(|(name, it)| fits(name, it));
    match pattern.ends_with('/') {
        true => folders.windows(wanted.len()).any(are_wanted),
        false => names.len().checked_sub(wanted.len()).is_some_and(|from| are_wanted(&names[from..])),
    }
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

/// Why this content asks, where the path alone does not.
pub(super) fn content_asks(
    path: &ProjectPath,
    old: Option<&[u8]>,
    new: &[u8],
    binary: bool,
) -> Option<&'static str> {
    if binary {
        return Some(BINARY);
    }
    let name = path.as_path().file_name()?.to_string_lossy().to_lowercase();
    let (read, keys): (Reader, &[&str]) = match name.as_str() {
        "package.json" => {
            (json, &["scripts", "simple-git-hooks", "husky", "gitHooks", "lint-staged", "pre-commit", "pnpm"])
        }
        "composer.json" => (json, &["scripts"]),
        "deno.json" => (json, &["tasks", "scripts"]),
        "cargo.toml" => (toml, &["build", "build-dependencies"]),
        "pyproject.toml" => (toml, &["build-system", "scripts", "tasks"]),
        "pixi.toml" => (toml, &["tasks", "activation"]),
        _ => return None,
    };
    let before = old.map_or(Some(Value::Null), read);
    let changes = match (before, read(new)) {
        (Some(before), Some(after)) => running(&before, keys) != running(&after, keys),
        // A manifest that cannot be read may not be harmless.
        _ => true,
    };
    changes.then_some(SCRIPTS)
}

/// Parses a manifest. None when it is not valid.
type Reader = fn(&[u8]) -> Option<Value>;

fn json(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).ok()
}

fn toml(bytes: &[u8]) -> Option<Value> {
    toml::from_str(std::str::from_utf8(bytes).ok()?).ok()
}

/// The values of these keys, at any depth, in the order of the file.
fn running<'a>(value: &'a Value, keys: &[&str]) -> Vec<&'a Value> {
    let mut found = Vec::new();
    let mut ahead = vec![value];
    while let Some(value) = ahead.pop() {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    if keys.contains(&key.as_str()) { found.push(value) } else { ahead.push(value) }
                }
            }
            Value::Array(values) => ahead.extend(values),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{
        BINARY, CI, EDITOR, GIT, KEYS, LOGIN, MODEL, SCRIPTS, SELF, SHELL, TABLE, TOOL, always_asks,
        content_asks, is_named,
    };
    use crate::workspace::ProjectPath;

    fn at(path: &str) -> ProjectPath {
        ProjectPath::from_relative(Path::new(path)).unwrap()
    }

    /// At least one path for each pattern of the table, some of them deep down or with other capitals.
    #[rustfmt::skip]
    const ASKED: [(&str, &[&str]); 9] = [
        (GIT, &[
            "HEAD", "vendored/repo/HEAD", "config", "deep/down/config", "hooks/anything", "tools/Hooks/sub/pre-commit",
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
            ".vscode/tasks.json", ".idea/runConfigurations/a.xml", ".vs/tasks.vs.json", ".zed/tasks.json", ".fleet/run.json",
            ".devcontainer/devcontainer.json", ".vim/ftplugin/c.vim", ".nvim/a.lua", "My.Code-Workspace",
            ".devcontainer.json", ".vimrc", ".nvimrc", ".exrc", ".nvim.lua", ".emacs", ".dir-locals.el",
        ]),
        (SHELL, &[
            "etc/profile.d/a.sh", ".config/fish/config.fish", ".envrc", ".profile", ".bashrc", ".bash_profile", ".bash_login",
            ".bash_logout", ".bash_aliases", ".zshrc", "home/.zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc",
            ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc", ".xinitrc", ".xprofile", ".xsession",
        ]),
        (TOOL, &[
            ".cargo/config.toml", ".mvn/extensions.xml", ".direnv/a", ".yarn/releases/yarn.cjs", ".mise/config.toml",
            ".config/mise/a.toml", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.mjs", ".mcp.json", ".gdbinit", ".lldbinit",
            ".tmux.conf", "mise.local.toml", ".mise.toml", ".tool-versions",
        ]),
        (MODEL, &[
            ".claude/a", ".cursor/rules/a", ".codex/a", ".gemini/a", ".kiro/a", ".roo/a", ".amazonq/a", ".windsurf/a",
            ".opencode/a", "AGENTS.md", "sub/agents.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md",
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
            assert!(tried.iter().any(|path| is_named(&at(path), pattern)), "{pattern}");
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
    fn the_table_is_in_lower_case_and_names_nothing_twice() {
        let all: Vec<&str> = TABLE.iter().flat_map(|(_, patterns)| patterns.iter().copied()).collect();
        for (number, pattern) in all.iter().enumerate() {
            assert_eq!(pattern.to_lowercase(), *pattern);
            assert!(!all[..number].contains(pattern), "{pattern} is there twice");
            assert!(pattern.matches('*').count() <= 1, "{pattern}");
        }
    }

    #[test]
    fn a_manifest_asks_when_what_it_runs_changes_and_at_no_other_time() {
        let json = |scripts: &str, version: &str| format!(r#"{{"version":"{version}","scripts":{scripts}}}"#);
        let old = json(r#"{"build":"tsc"}"#, "1");
        let asks = |path: &str, old: Option<&str>, new: &str| {
            content_asks(&at(path), old.map(str::as_bytes), new.as_bytes(), false)
        };
        for (path, old, new, asked) in [
            ("package.json", Some(&*old), json(r#"{"build":"tsc"}"#, "2"), None),
            (
                "a/package.json",
                Some(&*old),
                json(r#"{"build":"tsc","postinstall":"sh x"}"#, "1"),
                Some(SCRIPTS),
            ),
            ("package.json", Some(&*old), "{".to_owned(), Some(SCRIPTS)),
            ("package.json", None, json(r#"{"install":"sh x"}"#, "1"), Some(SCRIPTS)),
            ("package.json", None, r#"{"version":"1"}"#.to_owned(), None),
            (
                "composer.json",
                Some("{}"),
                r#"{"scripts":{"post-install-cmd":"x"}}"#.to_owned(),
                Some(SCRIPTS),
            ),
            (
                "Cargo.toml",
                Some("[package]\nname = \"a\"\n"),
                "[package]\nname = \"a\"\nbuild = \"b.rs\"\n".to_owned(),
                Some(SCRIPTS),
            ),
            ("Cargo.toml", Some("[package]\nname = \"a\"\n"), "[package]\nname = \"b\"\n".to_owned(), None),
            ("pyproject.toml", Some(""), "[build-system]\nrequires = [\"x\"]\n".to_owned(), Some(SCRIPTS)),
            ("Cargo.toml", Some(""), "[target.a.build-dependencies]\nx = \"1\"\n".to_owned(), Some(SCRIPTS)),
            ("deno.json", Some("{}"), r#"{"tasks":{"build":"x"}}"#.to_owned(), Some(SCRIPTS)),
            ("pixi.toml", Some(""), "[feature.a.tasks]\nbuild = \"x\"\n".to_owned(), Some(SCRIPTS)),
            ("pixi.toml", Some(""), "[workspace]\nname = \"x\"\n".to_owned(), None),
            ("other.json", Some(&*old), json("{}", "1"), None),
        ] {
            assert_eq!(asks(path, old, &new), asked, "{path} {new}");
        }
    }

    #[test]
    fn what_takes_the_place_of_a_binary_file_asks() {
        assert_eq!(content_asks(&at("a.png"), Some(b"\0"), b"text", true), Some(BINARY));
        assert_eq!(content_asks(&at("a.txt"), Some(b"old"), b"text", false), None);
    }
}
