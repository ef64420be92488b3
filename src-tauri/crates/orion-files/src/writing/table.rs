//! The names of files that always ask before they are written (A1), each with the page that says why.
//!
//! A name is here for one of these reasons: a program runs the file, or the file makes a program run another, without a person choosing that; it instructs a
//! model or Orion; it holds keys or says who can log in. Source files are not here, although each is run some day by people who build or test the project:
//! here is what runs when somebody only opens the folder, enters it, installs, commits, pushes, asks for its status or logs in, or when a server builds it.
//! Deliberately not here: matching a path with the list (`always_asks`), manifests that ask only when what they run changes (`manifest`), and links
//! with names of the list (`pointing`).

pub(super) const GIT: &str = "a file from which git runs commands";
pub(super) const CI: &str = "a file from which a build server runs commands";
pub(super) const EDITOR: &str = "a file from which an editor runs commands";
pub(super) const SHELL: &str = "a file that a shell runs by itself";
pub(super) const TOOL: &str = "a file from which a tool runs commands by itself";
pub(super) const MODEL: &str = "a file that tells a model what to do";
pub(super) const SELF: &str = "a file that says what Orion may do";
pub(super) const LOGIN: &str = "a file that decides who can log in or what starts then";
pub(super) const KEYS: &str = "a file from which programs take keys and settings";

/// Who else may write a file with a name of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Commands {
    /// A command in a sandbox may not: the file is read-only there (C2).
    ReadOnly,
    /// A build or the tool itself writes it, so a command may, and what it changed is named afterwards.
    May,
}
use Commands::{May, ReadOnly};

/// Names that one page tells of.
#[derive(Debug)]
pub(super) struct Row {
    pub why: &'static str,
    pub commands: Commands,
    /// The page that says that these files run, instruct, or decide.
    pub source: &'static str,
    /// Patterns, which match at any depth and without regard to case: on many disks `.GitHub` is `.github`. One that ends in `/` is a folder with
    /// everything in it, any other is a file; `a/b` is `b` directly in `a`; `*` matches any characters of a name.
    pub names: &'static [&'static str],
}

const fn row(
    why: &'static str,
    commands: Commands,
    source: &'static str,
    names: &'static [&'static str],
) -> Row {
    Row { why, commands, source, names }
}

/// A folder with this file, and with folders `objects` and `refs`, is a repository, whose settings run a command at the next `git status`.
pub(super) const REPOSITORY: &str = "head";

/// Files that run commands where they are beside a `HEAD`, and are names like any other elsewhere.
pub(super) const OF_REPOSITORY: Row = row(
    GIT,
    May,
    "https://git-scm.com/docs/gitrepository-layout",
    &["config", "config.worktree", "commondir", "hooks/"],
);

/// Every name that always asks.
#[rustfmt::skip]
pub(super) const TABLE: &[Row] = &[
    row(GIT, May, "https://git-scm.com/docs/gitrepository-layout", &[REPOSITORY]),
    row(GIT, ReadOnly, "https://git-scm.com/docs/gitrepository-layout", &[".git/"]),
    row(GIT, ReadOnly, "https://git-scm.com/docs/githooks", &[".githooks/", ".git-hooks/"]),
    row(GIT, ReadOnly, "https://git-scm.com/docs/git-config#FILES", &[".config/git/", ".gitconfig"]),
    row(GIT, ReadOnly, "https://git-scm.com/docs/gitmodules", &[".gitmodules"]),
    row(GIT, ReadOnly, "https://git-scm.com/docs/gitattributes", &[".gitattributes"]),
    row(GIT, ReadOnly, "https://pre-commit.com/", &[".pre-commit-config.yaml"]),
    row(GIT, ReadOnly, "https://prek.j178.dev/configuration/", &["prek.toml", ".pre-commit-config.yml"]),
    row(GIT, ReadOnly, "https://lefthook.dev/configuration/", &[
        ".lefthook/", ".lefthook-local/", "lefthook.*", ".lefthook.*", "lefthook-local.*", ".lefthook-local.*",
    ]),
    row(GIT, ReadOnly, "https://typicode.github.io/husky/", &[".husky/", ".huskyrc*", "husky.config.*"]),
    row(GIT, ReadOnly, "https://github.com/lint-staged/lint-staged#configuration", &[".lintstagedrc*", "lint-staged.config.*"]),
    row(GIT, May, "https://github.com/lint-staged/lint-staged#configuration", &["package.yml"]),
    row(GIT, ReadOnly, "https://github.com/toplenboren/simple-git-hooks", &[
        ".simple-git-hooks.*", "simple-git-hooks.json", "simple-git-hooks.js", "simple-git-hooks.cjs", "simple-git-hooks.mjs",
    ]),
    row(GIT, ReadOnly, "https://commitlint.js.org/reference/configuration.html", &[".commitlintrc*", "commitlint.config.*"]),
    row(GIT, ReadOnly, "https://github.com/sds/overcommit#configuration", &[".overcommit.yml", ".local-overcommit.yml"]),
    row(GIT, ReadOnly, "https://github.com/captainhook-git/captainhook", &["captainhook.json", "captainhook.config.json"]),
    row(GIT, ReadOnly, "https://github.com/phpro/grumphp#configuration", &["grumphp.yml*", "grumphp.yaml*", "grumphp.dist.*"]),

    row(CI, ReadOnly, "https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax", &[".github/workflows/", ".github/actions/"]),
    row(CI, ReadOnly, "https://forgejo.org/docs/latest/user/actions/overview", &[".forgejo/"]),
    row(CI, ReadOnly, "https://docs.gitea.com/usage/actions/overview", &[".gitea/"]),
    row(CI, ReadOnly, "https://docs.gitlab.com/ci/yaml/", &[".gitlab/", ".gitlab-ci.*"]),
    row(CI, ReadOnly, "https://circleci.com/docs/configuration-reference/", &[".circleci/"]),
    row(CI, ReadOnly, "https://buildkite.com/docs/pipelines/configure/defining-steps", &[
        ".buildkite/", "buildkite.yml", "buildkite.yaml", "buildkite.json", "buildkite/pipeline.yml", "buildkite/pipeline.yaml", "buildkite/pipeline.json",
    ]),
    row(CI, ReadOnly, "https://www.jetbrains.com/help/teamcity/kotlin-dsl.html", &[".teamcity/"]),
    row(CI, ReadOnly, "https://woodpecker-ci.org/docs/usage/workflow-syntax", &[".woodpecker/", ".woodpecker.*"]),
    row(CI, ReadOnly, "https://docs.semaphore.io/reference/pipeline-yaml", &[".semaphore/"]),
    row(CI, ReadOnly, "https://man.sr.ht/builds.sr.ht/", &[".builds/", ".build.yml"]),
    row(CI, ReadOnly, "https://pipelinesascode.com/docs/guides/creating-pipelines/", &[".tekton/"]),
    row(CI, ReadOnly, "https://ona.com/docs/classic/user/references/gitpod-yml", &[".gitpod.*", ".ona/"]),
    row(CI, ReadOnly, "https://www.jenkins.io/doc/book/pipeline/jenkinsfile/", &["jenkinsfile"]),
    row(CI, ReadOnly, "https://docs.travis-ci.com/user/customizing-the-build/", &[".travis.yml"]),
    row(CI, ReadOnly, "https://docs.drone.io/pipeline/overview/", &[".drone.*"]),
    row(CI, ReadOnly, "https://github.com/cirruslabs/cirrus-ci-docs", &[".cirrus.*"]),
    row(CI, ReadOnly, "https://www.appveyor.com/docs/appveyor-yml/", &[".appveyor.yml", "appveyor.yml"]),
    row(CI, ReadOnly, "https://learn.microsoft.com/azure/devops/pipelines/yaml-schema/", &["azure-pipelines.*", ".azure-pipelines/"]),
    row(CI, ReadOnly, "https://support.atlassian.com/bitbucket-cloud/docs/bitbucket-pipelines-configuration-reference/", &["bitbucket-pipelines.*"]),
    row(CI, ReadOnly, "https://docs.cloud.google.com/build/docs/build-config-file-schema", &["cloudbuild.*"]),
    row(CI, ReadOnly, "https://docs.aws.amazon.com/codebuild/latest/userguide/build-spec-ref.html", &["buildspec.yml"]),
    row(CI, ReadOnly, "https://docs.codemagic.io/yaml-basic-configuration/yaml-getting-started/", &["codemagic.yaml"]),
    row(CI, ReadOnly, "https://docs.bitrise.io/en/bitrise-ci/references/configuration-yaml-reference.html", &["bitrise.yml"]),
    row(CI, ReadOnly, "https://docs.readthedocs.com/platform/stable/config-file/v2.html", &[".readthedocs.*", "readthedocs.yml", "readthedocs.yaml"]),
    row(CI, ReadOnly, "https://zuul-ci.org/docs/zuul/latest/project-config.html", &["zuul.d/", ".zuul.d/", "zuul.yaml", ".zuul.yaml"]),

    row(EDITOR, ReadOnly, "https://code.visualstudio.com/docs/editing/workspaces/workspace-trust", &[".vscode/", "*.code-workspace"]),
    row(EDITOR, ReadOnly, "https://www.jetbrains.com/help/idea/project-security.html", &[".idea/", ".fleet/"]),
    row(EDITOR, ReadOnly, "https://learn.microsoft.com/visualstudio/ide/customize-build-and-debug-tasks-in-visual-studio", &[".vs/"]),
    row(EDITOR, ReadOnly, "https://zed.dev/docs/configuring-zed", &[".zed/"]),
    row(EDITOR, ReadOnly, "https://containers.dev/implementors/json_reference/", &[".devcontainer/", ".devcontainer.json"]),
    row(EDITOR, ReadOnly, "https://codesandbox.io/docs/learn/repositories/task", &[".codesandbox/"]),
    row(EDITOR, ReadOnly, "https://firebase.google.com/docs/studio/customize-workspace", &[".idx/"]),
    row(EDITOR, ReadOnly, "https://vimhelp.org/starting.txt.html", &[
        ".vim/", ".config/vim/", ".vimrc", ".gvimrc", "_vimrc", "_gvimrc", ".exrc", "_exrc",
    ]),
    row(EDITOR, ReadOnly, "https://neovim.io/doc/user/options.html#'exrc'", &[".config/nvim/", ".nvimrc", ".nvim.lua"]),
    row(EDITOR, ReadOnly, "https://www.gnu.org/software/emacs/manual/html_node/emacs/Directory-Variables.html", &[".dir-locals.el", ".dir-locals-2.el"]),
    row(EDITOR, ReadOnly, "https://www.gnu.org/software/emacs/manual/html_node/emacs/Init-File.html", &[
        ".emacs", ".emacs.el", ".emacs.d/", ".config/emacs/",
    ]),
    row(EDITOR, ReadOnly, "https://docs.helix-editor.com/languages.html", &[".helix/"]),
    row(EDITOR, ReadOnly, "https://rust-analyzer.github.io/book/configuration.html", &["rust-analyzer.toml"]),
    row(EDITOR, ReadOnly, "https://github.com/haskell/hie-bios#explicit-configuration", &["hie.yaml", ".hie-bios"]),
    // rust-analyzer runs it when the folder is opened, and Cargo finds it without a line in `Cargo.toml`.
    row(EDITOR, May, "https://doc.rust-lang.org/cargo/reference/build-scripts.html", &["build.rs"]),
    row(EDITOR, May, "https://docs.gradle.org/current/userguide/build_lifecycle.html", &[
        "*.gradle", "*.gradle.kts", "gradle.properties", "gradle-wrapper.properties", "buildsrc/",
    ]),
    row(EDITOR, May, "https://eslint.org/docs/latest/use/configure/configuration-files", &[".eslintrc*", "eslint.config.*"]),
    row(EDITOR, May, "https://prettier.io/docs/configuration", &[".prettierrc*", "prettier.config.*"]),
    row(EDITOR, May, "https://stylelint.io/user-guide/configure/", &[".stylelintrc*", "stylelint.config.*"]),
    row(EDITOR, May, "https://pylint.readthedocs.io/en/stable/user_guide/usage/run.html", &[
        "pylintrc", ".pylintrc", "pylintrc.toml", ".pylintrc.toml",
    ]),

    row(SHELL, ReadOnly, "https://www.gnu.org/software/bash/manual/html_node/Bash-Startup-Files.html", &[
        "profile.d/", ".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".inputrc",
    ]),
    row(SHELL, ReadOnly, "https://zsh.sourceforge.io/Doc/Release/Files.html", &[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout"]),
    row(SHELL, ReadOnly, "https://fishshell.com/docs/current/language.html#configuration", &[".config/fish/"]),
    row(SHELL, ReadOnly, "https://man.openbsd.org/ksh#FILES", &[".kshrc", ".mkshrc"]),
    row(SHELL, ReadOnly, "https://man.archlinux.org/man/tcsh.1#FILES", &[".cshrc", ".tcshrc", ".login", ".logout"]),
    row(SHELL, ReadOnly, "https://wiki.debian.org/Xsession", &[".xinitrc", ".xserverrc", ".xprofile", ".xsession", ".xsessionrc"]),
    row(SHELL, ReadOnly, "https://www.freedesktop.org/software/systemd/man/latest/environment.d.html", &["environment.d/"]),
    row(SHELL, ReadOnly, "https://direnv.net/man/direnv.1.html", &[".envrc"]),
    row(SHELL, May, "https://nix.dev/manual/nix/latest/command-ref/new-cli/nix3-flake", &["flake.nix", "shell.nix"]),
    row(SHELL, May, "https://devenv.sh/auto-activation/", &["devenv.nix", "devenv.yaml", "devenv.local.nix", "devenv.local.yaml"]),
    row(SHELL, May, "https://www.jetify.com/docs/devbox/configuration/", &["devbox.json"]),

    row(TOOL, May, "https://doc.rust-lang.org/cargo/reference/config.html", &[".cargo/"]),
    row(TOOL, May, "https://rust-lang.github.io/rustup/overrides.html", &["rust-toolchain", "rust-toolchain.toml"]),
    row(TOOL, May, "https://maven.apache.org/configure.html", &[".mvn/"]),
    row(TOOL, May, "https://direnv.net/man/direnv-stdlib.1.html", &[".direnv/"]),
    row(TOOL, May, "https://yarnpkg.com/configuration/yarnrc", &[".yarn/", ".yarnrc", ".yarnrc.yml"]),
    row(TOOL, May, "https://mise.jdx.dev/configuration.html", &[
        ".mise/", ".config/mise/", "mise/conf.d/", "mise*.toml", ".mise*.toml", "mise/config*.toml", ".tool-versions",
    ]),
    row(TOOL, May, "https://docs.npmjs.com/cli/configuring-npm/npmrc", &[".npmrc"]),
    row(TOOL, May, "https://pnpm.io/pnpmfile", &[".pnpmfile.*"]),
    row(TOOL, May, "https://sourceware.org/gdb/current/onlinedocs/gdb.html/Init-File-in-the-Current-Directory.html", &[
        ".gdbinit", ".gdbearlyinit", ".config/gdb/",
    ]),
    row(TOOL, May, "https://lldb.llvm.org/man/lldb.html", &[".lldbinit*"]),
    row(TOOL, May, "https://man.openbsd.org/tmux#FILES", &[".tmux.conf"]),
    // Manifests in formats that are not compared by what they run (`manifest`).
    row(TOOL, May, "https://pnpm.io/settings", &["package.yaml", "package.json5", "pnpm-workspace.yaml"]),
    row(TOOL, May, "https://docs.deno.com/runtime/reference/deno_json/", &["deno.jsonc"]),
    row(TOOL, May, "https://bun.com/docs/runtime/bunfig", &["bunfig.toml"]),
    row(TOOL, May, "https://aider.chat/docs/config/aider_conf.html", &[".aider.conf.yml"]),
    row(TOOL, May, "https://code.claude.com/docs/en/mcp", &[".mcp.json", ".claude.json"]),

    row(MODEL, ReadOnly, "https://code.claude.com/docs/en/settings", &[".claude/", "claude.md", "claude.*.md"]),
    row(MODEL, ReadOnly, "https://cursor.com/docs/rules", &[".cursor/", ".cursorrules"]),
    row(MODEL, ReadOnly, "https://learn.chatgpt.com/docs/config-file/config-reference", &[".codex/"]),
    row(MODEL, ReadOnly, "https://geminicli.com/docs/reference/configuration/", &[".gemini/", "gemini.md"]),
    row(MODEL, ReadOnly, "https://kiro.dev/docs/steering/", &[".kiro/"]),
    row(MODEL, ReadOnly, "https://roocodeinc.github.io/Roo-Code/features/custom-instructions", &[".roo/", ".roorules", ".roorules-*", ".roomodes"]),
    row(MODEL, ReadOnly, "https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/context-project-rules.html", &[".amazonq/", "amazonq.md"]),
    row(MODEL, ReadOnly, "https://docs.devin.ai/desktop/cascade/memories", &[".windsurf/", ".windsurfrules"]),
    row(MODEL, ReadOnly, "https://opencode.ai/docs/config/", &[".opencode/", "opencode.json", "opencode.jsonc"]),
    row(MODEL, ReadOnly, "https://agents.md/", &["agents.md", "agents.*.md", "agent.md"]),
    row(MODEL, ReadOnly, "https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings/", &[".qwen/", "qwen.md"]),
    row(MODEL, ReadOnly, "https://goose-docs.ai/docs/guides/context-engineering/using-goosehints", &[".goosehints"]),
    row(MODEL, ReadOnly, "https://docs.github.com/copilot/how-tos/configure-custom-instructions/add-repository-instructions", &[
        "copilot-instructions.md", "*.instructions.md", ".github/hooks/", ".github/agents/",
    ]),
    row(MODEL, ReadOnly, "https://code.visualstudio.com/docs/agent-customization/overview", &["*.prompt.md", "*.chatmode.md", "*.agent.md"]),
    row(MODEL, ReadOnly, "https://docs.cline.bot/customization/cline-rules", &[".clinerules", ".clinerules/"]),
    row(MODEL, ReadOnly, "https://docs.continue.dev/customize/deep-dives/rules", &[".continue/", ".continuerules"]),
    row(MODEL, ReadOnly, "https://docs.trae.ai/ide/rules", &[".trae/"]),
    row(MODEL, ReadOnly, "https://junie.jetbrains.com/docs/guidelines-and-memory.html", &[".junie/"]),
    row(MODEL, ReadOnly, "https://www.jetbrains.com/help/ai-assistant/configure-project-rules.html", &[".aiassistant/"]),
    row(MODEL, ReadOnly, "https://docs.factory.ai/cli/configuration/settings", &[".factory/"]),
    row(MODEL, ReadOnly, "https://agentskills.io/specification", &[".agents/", "skill.md"]),
    row(MODEL, ReadOnly, "https://docs.openhands.dev/openhands/usage/customization/repository", &[".openhands/", ".openhands_instructions"]),
    row(MODEL, ReadOnly, "https://github.com/charmbracelet/crush#configuration", &[".crush/", ".crush.json", "crush.json", "crush.md", "crush.local.md"]),
    row(MODEL, ReadOnly, "https://kilo.ai/docs/customize/custom-rules", &[
        ".kilocode/", ".kilocoderules", ".kilocodemodes", ".kilo/", "kilo.json", "kilo.jsonc",
    ]),
    row(MODEL, ReadOnly, "https://docs.augmentcode.com/setup-augment/guidelines", &[".augment/", ".augment-guidelines"]),
    row(MODEL, ReadOnly, "https://docs.warp.dev/agents/capabilities/rules", &["warp.md"]),
    row(MODEL, ReadOnly, "https://docs.x.ai/build/features/project-rules", &[".grok/"]),
    row(MODEL, ReadOnly, "https://docs.devin.ai/cli/extensibility/hooks/overview", &[".devin/"]),
    row(MODEL, ReadOnly, "https://zed.dev/docs/ai/instructions", &[".rules"]),
    row(MODEL, ReadOnly, "https://learn.microsoft.com/visualstudio/ide/mcp-servers", &["mcp.json"]),

    row(SELF, ReadOnly, "docs/configuration.md", &[".orion/", ".orionignore"]),

    row(LOGIN, May, "https://man.openbsd.org/sshd#FILES", &[".ssh/", ".rhosts", ".shosts"]),
    row(LOGIN, May, "https://specifications.freedesktop.org/autostart-spec/latest/", &["autostart/"]),
    row(LOGIN, May, "https://developer.apple.com/library/archive/documentation/MacOSX/Conceptual/BPSystemStartup/Chapters/CreatingLaunchdJobs.html", &[
        "launchagents/", "launchdaemons/",
    ]),
    row(LOGIN, May, "https://www.freedesktop.org/software/systemd/man/latest/systemd.unit.html", &[".config/systemd/", ".local/share/systemd/"]),

    row(KEYS, May, "https://github.com/motdotla/dotenv#readme", &[".env*"]),
    row(KEYS, May, "https://everything.curl.dev/usingcurl/netrc.html", &[".netrc", "_netrc"]),
    row(KEYS, May, "https://www.postgresql.org/docs/current/libpq-pgpass.html", &[".pgpass", "pgpass.conf"]),
];
