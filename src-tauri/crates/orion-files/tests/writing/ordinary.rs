//! Ordinary projects, written as they are: few of their files ask (A1).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use orion_files::workspace::{Budget, Kind, Private, Project, ProjectPath, View, Walk};
use orion_files::writing::{LARGEST, Target, compose};
use orion_protocol::WriteOperation::Create;
use tokio_util::sync::CancellationToken;

use crate::layouts::{LAYOUTS, paths};

/// The number of files of a project that a model could write, and of those that ask.
fn written(folder: &Path, most: usize) -> (usize, Vec<String>) {
    let project = Project::open(folder, &Private::none()).unwrap();
    let empty = tempfile::tempdir().unwrap();
    let new = Project::open(empty.path(), &Private::none()).unwrap();
    let budget = Budget::new(Budget::ENTRIES, Duration::from_secs(60), CancellationToken::new());
    let view = View { recursive: true, include_ignored: false };
    let (mut files, mut asking) = (0, Vec::new());
    let found = Walk::new(&project, &ProjectPath::root(), view, budget).filter(|it| it.kind == Kind::File);
    for entry in found.take(most) {
        let bytes = std::fs::read(folder.join(entry.path.as_path())).unwrap();
        // A model writes neither of these.
        let Some(content) = String::from_utf8(bytes).ok().filter(|text| (text.len() as u64) < LARGEST) else {
            continue;
        };
        let target = Target::find(&new, &entry.path, Create).unwrap();
        files += 1;
        if compose(&target, None, Create, &content).unwrap().always_asks.is_some() {
            asking.push(entry.path.to_string());
        }
    }
    (files, asking)
}

#[test]
fn at_most_two_of_a_hundred_files_of_ordinary_projects_ask_and_a_tenth_of_none() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().unwrap();
    let mut projects = vec![here];
    if orion_thorough::is_whole() {
        // The libraries that this was built from: each is a project of somebody's.
        let home = std::env::var_os("CARGO_HOME")
            .map_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cargo"), PathBuf::from);
        let registry = std::fs::read_dir(home.join("registry/src")).unwrap().next().unwrap().unwrap().path();
        let mut crates: Vec<PathBuf> =
            std::fs::read_dir(registry).unwrap().map(|it| it.unwrap().path()).collect();
        crates.sort();
        // Every twentieth, so that they are by different people.
        projects.extend(crates.into_iter().step_by(20).take(30));
    }
    let (mut files, mut asking) = (0, Vec::new());
    for project in projects {
        let (some, asked) = written(&project, 2_000);
        // Of a small one the manifest and the files of its build server may be half.
        let most = if some < 50 { some } else { some / 10 };
        assert!(asked.len() <= most, "{}: {} of {some}: {asked:#?}", project.display(), asked.len());
        files += some;
        asking.extend(asked.into_iter().map(|path| format!("{}: {path}", project.display())));
    }
    assert!(files > 1_000 && asking.len() * 50 <= files, "{} of {files}: {asking:#?}", asking.len());
}

/// The text that a project has in a manifest of this name; of any other file the name decides.
fn content(path: &str) -> &'static str {
    match path.rsplit('/').next().unwrap_or(path) {
        "package.json" => {
            r#"{"name": "shop", "scripts": {"dev": "vite", "build": "vite build", "test": "vitest"}}"#
        }
        "composer.json" => r#"{"name": "org/shop", "scripts": {"test": "phpunit"}}"#,
        "pyproject.toml" => "[project]\nname = \"shop\"\n\n[build-system]\nrequires = [\"hatchling\"]\n",
        "Cargo.toml" => "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n\n[dependencies]\nserde = \"1\"\n",
        _ => "a line\n",
    }
}

#[test]
fn of_the_files_of_an_ordinary_project_those_ask_that_its_tools_run_and_these_are_at_most_two_of_a_hundred() {
    let empty = tempfile::tempdir().unwrap();
    let project = Project::open(empty.path(), &Private::none()).unwrap();
    let asks = |path: &String| {
        let target = Target::find(&project, &project.path(path).unwrap(), Create).unwrap();
        compose(&target, None, Create, content(path)).unwrap().always_asks.is_some()
    };
    let (mut files, mut asking) = (0, 0);
    for (kind, plain, run) in LAYOUTS {
        let (all, run): (BTreeSet<String>, Vec<String>) =
            (paths(&format!("{plain} {run}")).into_iter().collect(), paths(run));
        let found: BTreeSet<&String> = all.iter().filter(|path| asks(path)).collect();
        assert_eq!(found, run.iter().collect(), "{kind}");
        files += all.len();
        asking += found.len();
    }
    assert!(LAYOUTS.len() >= 30 && files >= 2_000, "{files} files of {} projects", LAYOUTS.len());
    assert!(asking * 50 <= files, "{asking} of {files}");
}
