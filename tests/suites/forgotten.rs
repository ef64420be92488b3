//! No test is forgotten: every file in a folder of tests belongs to a program that runs, and every program belongs to a run.
//!
//! A file of Rust belongs to the test whose main file names it with `mod`, through however many files. A file of the browser tests is one that
//! Playwright looks for, or is imported by one.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, MetadataCommand, TargetKind};

use crate::source_rules::{root, sources};

fn workspace() -> Metadata {
    MetadataCommand::new().current_dir(root()).no_deps().exec().unwrap()
}

/// The main file of every test program.
fn mains(workspace: &Metadata) -> BTreeSet<PathBuf> {
    let targets = workspace.packages.iter().flat_map(|package| &package.targets);
    let tests = targets.filter(|target| target.kind.contains(&TargetKind::Test));
    tests.map(|target| target.src_path.clone().into_std_path_buf()).collect()
}

/// The folder of a file's modules: `mod x;` in it is `x.rs` or `x/mod.rs` there.
fn inside(file: &Path, is_main: bool) -> PathBuf {
    let folder = file.parent().unwrap();
    if is_main || file.ends_with("mod.rs") { folder.to_owned() } else { file.with_extension("") }
}

/// The file and all that it names, whatever system they are for.
fn belonging(file: &Path, is_main: bool, found: &mut BTreeSet<PathBuf>) {
    if !found.insert(file.to_owned()) {
        return;
    }
    let text = fs::read_to_string(file).unwrap();
    let mut elsewhere = None;
    for line in text.lines().map(str::trim) {
        if let Some(path) = line.strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]")) {
            elsewhere = Some(file.parent().unwrap().join(path));
        }
        let declared = ["mod ", "pub mod ", "pub(crate) mod ", "pub(super) mod "]
            .iter()
            .find_map(|word| line.strip_prefix(word));
        let Some(name) = declared.and_then(|rest| rest.strip_suffix(';')) else { continue };
        let folder = inside(file, is_main);
        let usual = [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")];
        let next = elsewhere.take().into_iter().chain(usual).find(|path| path.is_file());
        belonging(&next.unwrap_or_else(|| panic!("{}: {line}", file.display())), false, found);
    }
}

#[test]
fn every_file_of_tests_in_rust_belongs_to_a_program_that_runs() {
    let workspace = workspace();
    let mut found = BTreeSet::new();
    for main in mains(&workspace) {
        belonging(&main, true, &mut found);
    }
    let crates = fs::read_dir(root().join("src-tauri/crates")).unwrap().map(|folder| folder.unwrap().path());
    let folders = crates.map(|folder| folder.join("tests")).filter(|tests| tests.is_dir());
    let folders = folders.chain([root().join("tests/suites"), root().join("src-tauri/tests")]);
    let there = folders
        .filter(|folder| folder.is_dir())
        .flat_map(|folder| sources(&folder.display().to_string(), &[".rs"]));
    let forgotten: Vec<PathBuf> = there.filter(|file| !found.contains(file)).collect();
    assert_eq!(forgotten, Vec::<PathBuf>::new());
}

#[test]
fn every_program_of_tests_is_built_and_none_is_left_out_of_the_run() {
    for package in workspace().packages {
        for target in package.targets.iter().filter(|target| target.kind.contains(&TargetKind::Test)) {
            assert!(target.test, "{}: {} does not run", package.name, target.name);
        }
    }
    // The run that CI makes has a filter in no profile; what other profiles leave out, it runs.
    let profiles: toml::Table =
        toml::from_str(&fs::read_to_string(root().join(".config/nextest.toml")).unwrap()).unwrap();
    let default = profiles["profile"]["default"].as_table().unwrap();
    assert!(!default.contains_key("default-filter"), "the default profile leaves tests out");
}

#[test]
fn every_file_of_tests_in_the_browser_is_one_or_serves_one() {
    let files = sources("ui/e2e", &[".ts"]);
    let imported: BTreeSet<PathBuf> = files
        .iter()
        .flat_map(|file| {
            let text = fs::read_to_string(file).unwrap();
            let names = text
                .lines()
                .filter_map(|line| line.split_once("from './")?.1.split_once('\'').map(|it| it.0.to_owned()));
            names.map(|name| file.with_file_name(format!("{name}.ts"))).collect::<Vec<_>>()
        })
        .collect();
    let is_test = |file: &Path| file.to_str().unwrap().ends_with(".spec.ts");
    let forgotten: Vec<&PathBuf> =
        files.iter().filter(|file| !is_test(file) && !imported.contains(*file)).collect();
    assert_eq!(forgotten, Vec::<&PathBuf>::new());
    let silent: Vec<&PathBuf> = files
        .iter()
        .filter(|file| {
            is_test(file)
                && !["test(", "fits("].iter().any(|call| fs::read_to_string(file).unwrap().contains(call))
        })
        .collect();
    assert_eq!(silent, Vec::<&PathBuf>::new(), "a file for tests has none");
}
