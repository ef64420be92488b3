//! Ordinary projects, written as they are: few of their files ask (A1).

use std::path::{Path, PathBuf};
use std::time::Duration;

use orion_files::workspace::{Budget, Kind, Private, Project, ProjectPath, View, Walk};
use orion_files::writing::{LARGEST, Target, always_asks, compose};
use orion_protocol::WriteOperation::Create;
use tokio_util::sync::CancellationToken;

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

/// Files of a project of this kind, and those of them that ask.
type Ordinary = (&'static str, &'static [&'static str], &'static [&'static str]);

#[rustfmt::skip]
const ORDINARY: [Ordinary; 3] = [
    ("of the web", &[
        "README.md", "LICENSE", "index.html", "tsconfig.json", "public/robots.txt", "public/logo.svg", "src/main.ts", "src/app.css", "src/App.vue",
        "src/config/index.ts", "src/hooks/useUser.ts", "src/tasks/list.tsx", "src/routes/+page.svelte", "src/settings.ts", "src/lib/build.ts",
        "src/api/client.test.ts", "docs/guide.md", "scripts/seed.ts", "e2e/login.spec.ts", "styles/main.scss", "data/users.json", "i18n/de.json",
    ], &[".env.local", "eslint.config.js"]),
    ("of Gradle", &[
        "README.md", "gradle/libs.versions.toml", "app/src/main/java/org/example/Main.java", "app/src/main/java/org/example/Config.java",
        "app/src/main/kotlin/org/example/Tasks.kt", "app/src/main/resources/application.properties", "app/src/main/resources/config/a.yml",
        "app/src/test/java/org/example/MainTest.java", "app/src/main/AndroidManifest.xml", "app/src/main/res/values/strings.xml", "docs/build.md",
    ], &["build.gradle", "app/build.gradle.kts", "settings.gradle", "gradle/wrapper/gradle-wrapper.properties"]),
    ("of Python", &[
        "README.rst", "requirements.txt", "src/shop/__init__.py", "src/shop/models.py", "src/shop/config.py", "src/shop/hooks.py", "src/shop/tasks.py",
        "src/shop/templates/base.html", "src/shop/migrations/0001_initial.py", "tests/test_models.py", "docs/index.rst", "notebooks/look.ipynb",
        "data/orders.csv", "config/logging.yaml", "scripts/load.py",
    ], &[".pre-commit-config.yaml", "pylintrc"]),
];

#[test]
fn of_the_files_of_an_ordinary_project_those_ask_that_its_tools_run() {
    let empty = tempfile::tempdir().unwrap();
    let project = Project::open(empty.path(), &Private::none()).unwrap();
    let asks = |name: &&&str| always_asks(&project, &ProjectPath::root().join(name)).is_some();
    for (kind, plain, run) in ORDINARY {
        let asking: Vec<&&str> = plain.iter().chain(run).filter(asks).collect();
        assert_eq!(asking, run.iter().collect::<Vec<_>>(), "a project {kind}");
    }
}
