//! Which package may depend on which, as docs/ARCHITECTURE.md draws it: checked in the manifests. What the source
//! itself may not say is in `source_rules`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

const CRATES: [&str; 8] = [
    "orion-protocol",
    "orion-core",
    "orion-files",
    "orion-store",
    "orion-engine",
    "orion-providers",
    "orion-otlp",
    "orion-sandbox",
];

/// Every package of the workspace, and the packages of the workspace it may depend on.
fn allowed() -> BTreeMap<&'static str, &'static [&'static str]> {
    BTreeMap::from([
        ("orion-protocol", &[][..]),
        ("orion-core", &["orion-protocol"]),
        ("orion-store", &["orion-protocol"]),
        ("orion-files", &["orion-core", "orion-protocol"]),
        ("orion-sandbox", &["orion-protocol"]),
        ("orion-engine", &["orion-core", "orion-files", "orion-sandbox", "orion-store", "orion-protocol"]),
        ("orion-providers", &["orion-engine", "orion-core", "orion-protocol"]),
        ("orion-otlp", &["orion-engine", "orion-protocol"]),
        ("orion", &CRATES),
        ("orion-cli", &CRATES),
        ("orion-tests", &CRATES),
        ("orion-server", &["orion-engine", "orion-providers", "orion-protocol"]),
        ("orion-thorough", &[]),
        ("orion-bench", &["orion-core", "orion-store", "orion-protocol", "orion-tests"]),
        ("orion-real", &["orion-protocol"]),
        ("orion-templates", &["orion-tests"]),
        ("orion-leaks", &["orion-core", "orion-engine", "orion-templates"]),
        ("xtask", &[]),
    ])
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn workspace() -> Metadata {
    MetadataCommand::new().current_dir(root()).no_deps().exec().unwrap()
}

/// What each package depends on directly, other than for its tests.
fn direct() -> BTreeMap<String, BTreeSet<String>> {
    let packages = workspace().packages.into_iter().map(|package| {
        let shipped = package.dependencies.into_iter().filter(|dep| dep.kind != DependencyKind::Development);
        (package.name.to_string(), shipped.map(|dependency| dependency.name).collect())
    });
    packages.collect()
}

/// Everything a package brings along on this machine, other than for its tests.
fn all_of(package: &str) -> BTreeSet<String> {
    let arguments = [
        "tree",
        "--offline",
        "--edges",
        "normal,build",
        "--prefix",
        "none",
        "--format",
        "{lib}",
        "--package",
    ];
    let output =
        Command::new(env!("CARGO")).args(arguments).arg(package).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| line.trim_end_matches(" (*)").to_owned())
        .collect()
}

#[test]
fn no_package_depends_on_another_than_it_may() {
    let allowed = allowed();
    let direct = direct();
    let names: BTreeSet<&str> = direct.keys().map(String::as_str).collect();
    let mut forbidden = Vec::new();
    for (package, dependencies) in &direct {
        let may =
            allowed.get(package.as_str()).unwrap_or_else(|| panic!("{package} has no place in the layering"));
        let inner = dependencies.iter().filter(|dependency| names.contains(dependency.as_str()));
        forbidden.extend(inner.filter(|d| !may.contains(&d.as_str())).map(|d| format!("{package} → {d}")));
    }
    assert_eq!(forbidden, Vec::<String>::new());
    assert_eq!(names, allowed.into_keys().collect(), "the layering names a package that is not there");
}

#[test]
fn the_core_and_the_protocol_bring_no_runtime_no_network_and_no_database() {
    let forbidden =
        ["tokio", "reqwest", "hyper", "sqlx_core", "tauri", "notify", "cap_std", "rustix", "tracing", "rand"];
    for package in ["orion-core", "orion-protocol"] {
        let brought = all_of(package);
        assert!(brought.contains("serde_json"), "the tree of {package} was not read: {brought:?}");
        let found: Vec<_> = forbidden.iter().filter(|name| brought.contains(**name)).collect();
        assert_eq!(found, Vec::<&&str>::new(), "in the tree of {package}");
    }
}

#[test]
fn a_library_that_reaches_outside_is_used_by_one_package_alone() {
    let direct = direct();
    let shipped = direct.iter().filter(|(package, _)| {
        !["orion-tests", "orion-bench", "orion-templates"].contains(&package.as_str())
    });
    let shipped: Vec<_> = shipped.collect();
    let users = |library: &str| -> Vec<&str> {
        let family = format!("{library}-");
        let uses =
            |names: &BTreeSet<String>| names.iter().any(|name| name == library || name.starts_with(&family));
        shipped
            .iter()
            .filter(|(_, dependencies)| uses(dependencies))
            .map(|(package, _)| package.as_str())
            .collect()
    };
    assert_eq!(users("tauri"), ["orion"]);
    assert_eq!(users("sqlx"), ["orion-store"]);
    assert_eq!(users("cap"), ["orion-files"]);
    // Two libraries: one tells of changed files, the other a person.
    assert_eq!(users("notify"), ["orion", "orion-files"]);
    assert_eq!(users("notify-rust"), ["orion"]);
    assert_eq!(users("reqwest"), ["orion-otlp", "orion-providers"]);
    assert_eq!(users("opentelemetry"), ["orion-otlp"]);
    // What confines a command, and the numbers of system calls.
    assert_eq!(users("seccompiler"), ["orion-sandbox"]);
    assert_eq!(users("landlock"), ["orion-sandbox"]);
    assert_eq!(users("libc"), ["orion-sandbox"]);
    assert_eq!(users("nix"), ["orion-sandbox"]);
    assert_eq!(users("process-wrap"), ["orion-sandbox"]);
    // What reads a request to the proxy of a box.
    assert_eq!(users("httparse"), ["orion-sandbox"]);
}
