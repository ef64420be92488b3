//! The checks that a project proposes by its manifests: read, never run (V1).
//!
//! Names and lines are Orion's own, so a manifest puts no word of its own into one. A file that is broken, too large or no text proposes nothing.
//! Deliberately not here: the script behind a proposal (`script`), and accepting one.

use orion_files::workspace::Project;
use orion_protocol::{Check, CheckCommand};
use serde_json::{Map, Value};

use super::reading::{is_there, text};
use super::script::{MAKEFILES, has_rule};

/// The words that npm writes into a new package.json, which are no test.
const NO_TEST: &str = "no test specified";

/// A proposal: its check, and the file that it is from.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Proposal {
    pub(super) check: Check,
    pub(super) from: &'static str,
    /// It runs tests; the others only look.
    tests: bool,
}

/// The proposals of a project, [`Check::MOST`] at most: those that run tests come first.
pub(super) fn proposals(project: &Project) -> Vec<Proposal> {
    let found = [packages, cargo, python, go, make].map(|of| of(project));
    let mut found: Vec<Proposal> = found.into_iter().flatten().collect();
    found.sort_by_key(|proposal| !proposal.tests);
    found.truncate(Check::MOST);
    found
}

fn proposal(name: &str, line: &str, from: &'static str, tests: bool) -> Proposal {
    let check = Check {
        name: name.to_owned(),
        command: CheckCommand::Line(line.to_owned()),
        timeout_s: Check::SECONDS,
        paths: Vec::new(),
        on: true,
    };
    Proposal { check, from, tests }
}

fn packages(project: &Project) -> Vec<Proposal> {
    const FROM: &str = "package.json";
    let package: Option<Map<String, Value>> =
        text(project, FROM).and_then(|text| serde_json::from_str(&text).ok());
    let Some(package) = package else { return Vec::new() };
    let manager = manager(project, &package);
    let is_script = |name: &&str| {
        let script = package.get("scripts").and_then(|scripts| scripts.get(*name)).and_then(Value::as_str);
        script.is_some_and(|script| !script.trim().is_empty() && !script.contains(NO_TEST))
    };
    let scripts = ["test", "lint", "typecheck", "check"].into_iter().filter(is_script);
    let of = |name: &str| {
        let line = match (manager, name) {
            ("npm" | "pnpm" | "yarn", "test") => format!("{manager} test"),
            _ => format!("{manager} run {name}"),
        };
        proposal(&format!("{manager}-{name}"), &line, FROM, name == "test")
    };
    scripts.map(of).collect()
}

/// The package manager: by the lockfile that is there, else by `packageManager`, where the package says one that is known.
fn manager(project: &Project, package: &Map<String, Value>) -> &'static str {
    const LOCKED: [(&str, &str); 6] = [
        ("pnpm", "pnpm-lock.yaml"),
        ("yarn", "yarn.lock"),
        ("bun", "bun.lock"),
        ("bun", "bun.lockb"),
        ("npm", "package-lock.json"),
        ("npm", "npm-shrinkwrap.json"),
    ];
    let said = package.get("packageManager").and_then(Value::as_str).unwrap_or_default();
    let said = said.split('@').next().unwrap_or_default();
    let locked = LOCKED.iter().find(|(_, file)| is_there(project, file));
    let said = || LOCKED.iter().find(|(manager, _)| *manager == said);
    locked.or_else(said).map_or("npm", |(manager, _)| manager)
}

fn cargo(project: &Project) -> Vec<Proposal> {
    const FROM: &str = "Cargo.toml";
    let Some(manifest) = toml_of(project, FROM) else { return Vec::new() };
    match (manifest.contains_key("workspace"), manifest.contains_key("package")) {
        (true, _) => vec![proposal("cargo-test", "cargo test --workspace", FROM, true)],
        (false, true) => vec![proposal("cargo-test", "cargo test", FROM, true)],
        (false, false) => Vec::new(),
    }
}

fn python(project: &Project) -> Vec<Proposal> {
    const FROM: &str = "pyproject.toml";
    let Some(manifest) = toml_of(project, FROM) else { return Vec::new() };
    let tools = manifest.get("tool").and_then(toml::Value::as_table);
    let runs = [("uv.lock", "uv run "), ("poetry.lock", "poetry run "), ("pdm.lock", "pdm run ")];
    let run = runs.into_iter().find(|(lock, _)| is_there(project, lock)).map_or("", |(_, run)| run);
    [("pytest", "pytest", true), ("ruff", "ruff check", false), ("mypy", "mypy .", false)]
        .into_iter()
        .filter(|(name, ..)| tools.is_some_and(|tools| tools.get(*name).is_some_and(toml::Value::is_table)))
        .map(|(name, line, tests)| proposal(name, &format!("{run}{line}"), FROM, tests))
        .collect()
}

fn toml_of(project: &Project, path: &str) -> Option<toml::Table> {
    text(project, path)?.parse().ok()
}

fn go(project: &Project) -> Vec<Proposal> {
    const FROM: &str = "go.mod";
    let is_module =
        |line: &str| line.strip_prefix("module").is_some_and(|rest| rest.starts_with([' ', '\t']));
    match text(project, FROM) {
        Some(text) if text.lines().any(is_module) => {
            vec![
                proposal("go-test", "go test ./...", FROM, true),
                proposal("go-vet", "go vet ./...", FROM, false),
            ]
        }
        _ => Vec::new(),
    }
}

fn make(project: &Project) -> Vec<Proposal> {
    let found = MAKEFILES.into_iter().find(|name| is_there(project, name));
    let Some((from, text)) = found.and_then(|name| Some((name, text(project, name)?))) else {
        return Vec::new();
    };
    let targets = ["test", "check", "lint"].into_iter().filter(|target| has_rule(&text, target));
    let of =
        |target: &str| proposal(&format!("make-{target}"), &format!("make {target}"), from, target == "test");
    targets.map(of).collect()
}
