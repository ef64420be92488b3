//! The tables of subcommands and options that run other programs.
//!
//! Deliberately not here: the programs themselves (`tables`), and how a simple command is looked up in the tables (`programs`).

/// Subcommands that run the words after them as a program, or what a program of the registry is.
pub(super) const SUBCOMMANDS_THAT_RUN: &[(&str, &[&str])] = &[
    ("asdf", &["exec", "env"]),
    ("bazel", &["run"]),
    ("bundle", &["exec", "e"]),
    ("bundler", &["exec", "e"]),
    ("cabal", &["exec"]),
    ("cargo", &["watch"]),
    ("composer", &["exec", "global"]),
    ("conda", &["run"]),
    ("coverage", &["run"]),
    ("dart", &["run"]),
    ("docker", &["run", "exec", "compose", "container", "buildx"]),
    ("docker-compose", &["run", "exec"]),
    ("dotnet", &["exec", "script", "tool"]),
    ("fnm", &["exec"]),
    ("gem", &["exec"]),
    ("gh", &["alias", "extension", "codespace"]),
    (
        "git",
        &[
            "bisect",
            "clone",
            "config",
            "difftool",
            "filter-branch",
            "for-each-repo",
            "merge-index",
            "mergetool",
            "rebase",
            "send-email",
            "submodule",
            "instaweb",
            "help",
            "daemon",
        ],
    ),
    ("go", &["run", "tool"]),
    ("hatch", &["env", "run", "shell"]),
    ("hg", &["bisect", "config"]),
    ("ip", &["netns", "vrf"]),
    ("kubectl", &["exec", "run", "debug", "plugin"]),
    ("lerna", &["exec"]),
    ("mamba", &["run"]),
    ("micromamba", &["run"]),
    ("meson", &["devenv"]),
    ("mise", &["exec", "x", "watch", "en"]),
    ("mix", &["run", "eval", "cmd", "do"]),
    ("nerdctl", &["run", "exec", "compose", "container"]),
    ("nix", &["run", "shell", "develop", "eval"]),
    ("npm", &["exec", "x", "explore", "init", "create", "innit", "config", "c", "set"]),
    ("nvm", &["exec", "run"]),
    ("nx", &["exec"]),
    ("opam", &["exec"]),
    ("pdm", &["run"]),
    ("pipenv", &["run", "shell"]),
    ("pixi", &["run", "exec", "x"]),
    ("pnpm", &["exec", "dlx", "create", "config", "c"]),
    ("podman", &["run", "exec", "compose", "container"]),
    ("poetry", &["run", "shell"]),
    ("pyenv", &["exec"]),
    ("rails", &["runner", "r", "console", "c"]),
    ("rbenv", &["exec"]),
    ("rustup", &["run"]),
    ("rye", &["run"]),
    ("stack", &["exec", "runghc", "ghci", "eval", "script"]),
    ("swift", &["repl"]),
    ("tox", &["exec", "e"]),
    ("uv", &["run", "tool", "x"]),
    ("vagrant", &["ssh"]),
    ("volta", &["run"]),
    ("yarn", &["exec", "dlx", "create", "config", "node", "workspace", "workspaces"]),
    ("zig", &["run"]),
];

/// Programs whose subcommands cannot be shortened: `git merge` is no `git mergetool`, and `docker build` no `docker buildx`.
pub(super) const WITHOUT_SHORTENED: &[&str] = &["docker", "git", "go", "kubectl", "nerdctl", "podman"];

/// Programs that run another one by its name, where they know no such subcommand or script.
pub(super) const FALLING_BACK: &[&str] = &["pnpm", "yarn"];

/// Subcommands that name a script of the project with the word after them.
pub(super) const NAMING_SCRIPTS: &[(&str, &[&str])] = &[
    ("npm", &["run", "run-script", "rum", "urn"]),
    ("pnpm", &["run", "run-script"]),
    ("yarn", &["run"]),
    ("composer", &["run", "run-script"]),
    ("cargo", &["xtask"]),
    ("turbo", &["run"]),
];

/// Options by which a program runs another one, wherever they stand. A long one may be shortened, and a short one may stand among others; one after
/// `=` begins a word.
pub(super) const OPTIONS_THAT_RUN: &[(&str, &[&str])] = &[
    ("ack", &["--pager", "--ackrc"]),
    ("ag", &["--pager"]),
    ("apt", &["--option", "--config-file", "-o", "-c"]),
    ("apt-get", &["--option", "--config-file", "-o", "-c"]),
    ("bat", &["--pager"]),
    ("batcat", &["--pager"]),
    ("bsdtar", &["--use-compress-program"]),
    ("c++", &["-wrapper", "-fplugin", "-specs", "--specs"]),
    ("cargo", &["--config", "=-Z", "=linker=", "=-Clinker"]),
    ("cc", &["-wrapper", "-fplugin", "-specs", "--specs"]),
    ("clang", &["-fplugin", "-fuse-ld", "--ld-path"]),
    ("clang++", &["-fplugin", "-fuse-ld", "--ld-path"]),
    ("cmake", &["=-E", "=-P"]),
    ("cpio", &["--rsh-command"]),
    ("dpkg", &["--pre-invoke", "--post-invoke", "--admindir", "--root"]),
    ("g++", &["-wrapper", "-fplugin", "-specs", "--specs"]),
    ("gcc", &["-wrapper", "-fplugin", "-specs", "--specs"]),
    (
        "git",
        &[
            "--open-files-in-pager",
            "--upload-pack",
            "--receive-pack",
            "--exec",
            "--exec-path",
            "--ext-diff",
            "--extcmd",
            "--config",
            "--template",
            "-O",
        ],
    ),
    ("gmake", &["--eval", "--file", "--makefile", "-f", "-E"]),
    ("go", &["-exec", "--exec", "-toolexec", "--toolexec", "-vettool", "--vettool", "-overlay", "--overlay"]),
    ("gradle", &["--init-script", "-I"]),
    ("install", &["--strip-program"]),
    ("latex", TEX),
    ("latexmk", &["=-e", "=-r", "=-pdflatex", "=-latex", "-shell-escape", "--shell-escape"]),
    ("lualatex", TEX),
    ("make", &["--eval", "--file", "--makefile", "-f", "-E"]),
    ("npm", &["--script-shell", "--shell", "--node-options", "--userconfig", "--globalconfig", "--git"]),
    ("pandoc", &["--filter", "--lua-filter", "--pdf-engine", "-F", "-L"]),
    ("pdflatex", TEX),
    ("pdftex", TEX),
    ("pnpm", &["--script-shell", "--shell", "--config"]),
    ("pylint", &["--init-hook", "--load-plugins", "--rcfile"]),
    (
        "rake",
        &[
            "--execute",
            "--execute-print",
            "--execute-continue",
            "--rakefile",
            "--require",
            "--libdir",
            "--rakelibdir",
            "-e",
            "-p",
            "-E",
            "-f",
            "-r",
            "-I",
            "-R",
        ],
    ),
    ("rg", &["--pre", "--hostname-bin"]),
    ("rustc", &["=linker=", "=-Clinker", "=--codegen=linker", "=-Z"]),
    ("sort", &["--compress-program"]),
    ("svn", &["--diff-cmd", "--diff3-cmd", "--editor-cmd"]),
    (
        "tar",
        &[
            "--to-command",
            "--use-compress-program",
            "--checkpoint-action",
            "--rsh-command",
            "--info-script",
            "--new-volume-script",
            "-I",
            "-F",
        ],
    ),
    ("wget", &["--use-askpass", "--config", "--execute", "-e"]),
    ("xelatex", TEX),
    ("yarn", &["--script-shell"]),
    (
        "yt-dlp",
        &[
            "--exec",
            "--exec-before-download",
            "--downloader",
            "--external-downloader",
            "--netrc-cmd",
            "--config-locations",
            "--plugin-dirs",
            "--ffmpeg-location",
        ],
    ),
    ("zip", &["--unzip-command", "-TT"]),
];

/// Options of the programs of TeX by which a document runs programs.
const TEX: &[&str] = &["-shell-escape", "--shell-escape", "-enable-write18", "--enable-write18"];

/// Options by which a program runs another one where they stand before its subcommand.
pub(super) const FIRST_OPTIONS_THAT_RUN: &[(&str, &[&str])] = &[("git", &["=-c"])];

/// Programs whose first word may be short options without a dash.
pub(super) const WITHOUT_DASH: &[&str] = &["tar", "bsdtar"];

/// Programs in which a word with `=` sets a variable, and the variables say what runs.
pub(super) const SETS_VARIABLE: &[&str] = &["make", "gmake"];
