//! Programs that run others, and the files of settings that programs read by themselves.
//!
//! Deliberately not here: programs whose scripts are followed (`packages`, `makefile`), and their use (`script`).

/// A program that runs the words after it.
pub(super) struct Wrapper {
    /// Its own words, without options.
    pub(super) words: usize,
    /// `NAME=value` among its options is its own.
    pub(super) assigns: bool,
    /// Words of its own after the options.
    pub(super) after: usize,
}

/// The files and tables that a program reads.
pub(super) struct Reads {
    pub(super) files: &'static [&'static str],
    /// Tables below `tool` of pyproject.toml.
    pub(super) tools: &'static [&'static str],
}

/// Programs that run the file which is their first word.
pub(super) const INTERPRETERS: [&str; 11] =
    ["python", "python3", "node", "deno", "ruby", "perl", "php", "lua", "tsx", "ts-node", "Rscript"];

pub(super) fn wrapper(first: &str, second: Option<&str>) -> Option<Wrapper> {
    let plain = |words| Some(Wrapper { words, assigns: false, after: 0 });
    match (first, second) {
        ("env" | "dotenv" | "cross-env", _) => Some(Wrapper { words: 1, assigns: true, after: 0 }),
        ("timeout", _) => Some(Wrapper { words: 1, assigns: false, after: 1 }),
        (
            "time" | "nice" | "nohup" | "exec" | "command" | "xvfb-run" | "npx" | "pnpx" | "bunx" | "uvx",
            _,
        ) => plain(1),
        ("uv" | "poetry" | "pdm" | "pipenv" | "hatch" | "rye" | "bundle", Some("run" | "exec")) => plain(2),
        ("npm" | "pnpm" | "yarn", Some("exec" | "dlx")) => plain(2),
        ("python" | "python3", Some("-m")) => plain(2),
        _ => None,
    }
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
