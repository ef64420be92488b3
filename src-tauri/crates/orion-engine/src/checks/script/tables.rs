//! Programs that run the files that they are given, and the files of settings that programs read by themselves.
//!
//! Deliberately not here: programs whose scripts are followed (`packages`, `makefile`), and their use (`script`).

/// The files and tables that a program reads.
pub(super) struct Reads {
    pub(super) files: &'static [&'static str],
    /// Tables below `tool` of pyproject.toml.
    pub(super) tools: &'static [&'static str],
}

/// Programs that run a file which they are given, and words of the shell that do.
const RUNNERS: [&str; 25] = [
    "python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "lua", "tsx", "ts-node", "Rscript",
    "sh", "bash", "dash", "zsh", "ksh", "fish", "pwsh", "busybox", ".", "source", "eval", "exec", "xargs",
];

/// True if a command may run the files that it names.
pub(super) fn runs_files(words: &[String]) -> bool {
    let name = |word: &String| word.rsplit('/').next().unwrap_or(word).to_owned();
    let is_first = words.first().is_some_and(|first| first.contains(['*', '?', '[']));
    is_first || words.iter().any(|word| word == "." || RUNNERS.contains(&name(word).as_str()))
}

pub(super) fn reads(name: &str) -> Option<Reads> {
    let files: &[&str] = match name {
        "cargo" => &[".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain"],
        "npm" | "pnpm" | "npx" | "pnpx" => &[".npmrc", "pnpm-workspace.yaml"],
        "yarn" => &[".yarnrc.yml", ".yarnrc", ".npmrc"],
        "bun" | "bunx" => &["bunfig.toml", ".npmrc"],
        "pytest" | "py.test" => &["pytest.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg"],
        "ruff" => &["ruff.toml", ".ruff.toml"],
        "mypy" => &["mypy.ini", ".mypy.ini", "setup.cfg"],
        "tox" => &["tox.ini", "tox.toml", "setup.cfg"],
        "nox" => &["noxfile.py"],
        "just" => &["justfile", "Justfile", ".justfile"],
        "task" => &["Taskfile.yml", "Taskfile.yaml"],
        "rake" => &["Rakefile"],
        "turbo" => &["turbo.json"],
        "nx" => &["nx.json"],
        "lerna" => &["lerna.json"],
        "pre-commit" => &[".pre-commit-config.yaml"],
        "uv" | "uvx" => &["uv.toml"],
        "poetry" | "pdm" | "pipenv" | "hatch" | "rye" => &[],
        _ => return None,
    };
    let tools: &[&str] = match name {
        "pytest" | "py.test" => &["pytest"],
        "ruff" => &["ruff"],
        "mypy" => &["mypy"],
        "tox" => &["tox"],
        "uv" => &["uv"],
        "poetry" => &["poetry"],
        "pdm" => &["pdm"],
        "hatch" => &["hatch"],
        "rye" => &["rye"],
        _ => &[],
    };
    Some(Reads { files, tools })
}
