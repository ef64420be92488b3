//! A path given by a model never leaves the project: a typed refusal, and nothing is read.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use orion_core::tool::Seen;
use orion_files::workspace::{Private, Project, ProjectPath};
use orion_protocol::{Code, ToolStatus};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

use crate::bench::Bench;

/// In every file outside the project, and nowhere in it.
const SECRET: &str = "canary-7c1f";

/// A project `p` with links of every kind, a sibling `p-sibling` with the same prefix, and secrets around it.
fn surrounded() -> (tempfile::TempDir, Bench) {
    let around = tempfile::tempdir().unwrap();
    let inside = around.path().join("p");
    for folder in ["p/src/deep", "p-sibling", "elsewhere"] {
        std::fs::create_dir_all(around.path().join(folder)).unwrap();
    }
    for file in ["secret", "p-sibling/secret", "elsewhere/secret"] {
        std::fs::write(around.path().join(file), SECRET).unwrap();
    }
    std::fs::write(inside.join("src/a.rs"), "inside\n").unwrap();
    let outside = around.path().join("elsewhere");
    symlink("..", inside.join("up")).unwrap();
    symlink("../elsewhere", inside.join("relative")).unwrap();
    symlink(&outside, inside.join("absolute")).unwrap();
    symlink("../../secret", inside.join("src/file")).unwrap();
    symlink("/proc/self/root", inside.join("magic")).unwrap();
    symlink("/proc/self/cwd", inside.join("cwd")).unwrap();
    symlink("loop", inside.join("loop")).unwrap();
    symlink("src", inside.join("good")).unwrap();
    symlink("good/../up/secret", inside.join("chain")).unwrap();
    let mut bench = Bench::empty();
    bench.project = Project::open(&inside, &Private::none()).unwrap();
    (around, bench)
}

fn hostile_path(root: String) -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => Just("..".to_owned()),
        2 => prop::sample::select(vec![
            "up", "relative", "absolute", "magic", "cwd", "loop", "good", "chain", "src", "deep", "file", "a.rs", ".", "",
            "secret", "p-sibling", "elsewhere", "p", "proc", "self", "root", "etc", "passwd", "fd", "3", "tmp",
        ]).prop_map(str::to_owned),
        1 => prop::sample::select(vec!["\0", "a\0b", "..\\..", "C:", "\\\\server", "~", "\"..", "..\"", "%2e%2e", "\u{202e}", "．．"])
            .prop_map(str::to_owned),
        1 => "[ -~]{0,8}",
    ];
    let start = prop_oneof![
        4 => Just(String::new()),
        1 => Just("/".to_owned()),
        1 => Just("/proc/self/root/".to_owned()),
        1 => Just(format!("{root}/")),
        1 => Just(format!("{root}-sibling/")),
        1 => Just("C:\\".to_owned()),
        1 => Just("\"".to_owned()),
    ];
    (start, prop::collection::vec(part, 0..8)).prop_map(|(start, parts)| start + &parts.join("/"))
}

#[test]
fn no_path_of_any_shape_reads_anything_outside_the_project() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (_around, bench) = surrounded();
    let root = bench.project.root().to_str().unwrap().to_owned();
    let mut cases = TestRunner::new(Config { cases: 2_000, failure_persistence: None, ..Config::default() });
    cases
        .run(&hostile_path(root), |path| {
            for (tool, arguments) in [
                ("read_file", json!({ "path": path })),
                ("list_files", json!({ "path": path })),
                ("file_info", json!({ "path": path })),
                ("search_files", json!({ "path": path, "pattern": "canary" })),
            ] {
                let outcome = runtime.block_on(bench.outcome(tool, arguments));
                let answer = serde_json::to_string(&outcome).unwrap();
                prop_assert!(!answer.contains(SECRET), "{tool} {path:?} {answer}");
                prop_assert!(!answer.contains("root:x:0"), "{tool} {path:?} {answer}");
                match (outcome.status, outcome.error) {
                    (ToolStatus::Ok, None) => {
                        prop_assert!(!outcome.body.contains("p-sibling"), "{tool} {path:?} {}", outcome.body);
                        prop_assert!(
                            !outcome.body.contains("elsewhere/"),
                            "{tool} {path:?} {}",
                            outcome.body
                        );
                    }
                    (ToolStatus::Failed, Some(error)) => {
                        let typed = matches!(
                            error.code,
                            Code::PathOutside
                                | Code::PathNotFound
                                | Code::PathWrongKind
                                | Code::FileUnreadable
                        );
                        prop_assert!(typed, "{tool} {path:?} {error:?}");
                        prop_assert_eq!(outcome.body, "");
                        // D3: what it named, which is inside or nothing.
                        let inside = |seen: &Seen| match seen {
                            Seen::Tree(path) => {
                                ProjectPath::parse(&format!("./{path}"), bench.project.root()).is_ok()
                            }
                            Seen::Path(_) => false,
                        };
                        prop_assert!(outcome.seen.iter().all(inside), "{tool} {path:?} {:?}", outcome.seen);
                    }
                    other => return Err(TestCaseError::fail(format!("{tool} {path:?} {other:?}"))),
                }
            }
            Ok(())
        })
        .unwrap();
}

#[tokio::test]
async fn each_way_out_is_refused_as_a_path_outside_the_project() {
    let (around, bench) = surrounded();
    let root = bench.project.root().display().to_string();
    let sibling = format!("{root}-sibling/secret");
    let above = format!("{root}/../secret");
    let absolute = around.path().join("secret").display().to_string();
    for path in [
        "../secret",
        "src/../../secret",
        "/etc/passwd",
        "/",
        "/proc/self/root/etc/passwd",
        "up/secret",
        "relative/secret",
        "absolute/secret",
        "absolute",
        "src/file",
        "good/file",
        "good/../up/secret",
        "magic/etc/passwd",
        "cwd",
        "chain",
        "a\0b",
        "C:\\Windows\\win.ini",
        "C:/Windows/win.ini",
        "\\\\server\\share",
        &sibling,
        &above,
        &absolute,
    ] {
        for tool in ["read_file", "list_files", "file_info"] {
            let (code, message) = bench.refusal(tool, json!({ "path": path })).await;
            assert_eq!(code, Code::PathOutside, "{tool} {path:?}: {message}");
        }
    }
    assert_eq!(bench.refusal("read_file", json!({"path": "loop"})).await.0, Code::FileUnreadable);
}

#[test]
fn a_link_that_takes_a_files_place_while_it_is_read_leads_nowhere() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let (_around, bench) = surrounded();
    let (path, done) = (bench.project.root().join("changing"), AtomicBool::new(false));
    std::fs::write(&path, "inside\n").unwrap();
    let answers = std::thread::scope(|scope| {
        scope.spawn(|| {
            let spare = path.with_extension("spare");
            while !done.load(Ordering::Relaxed) {
                symlink("../secret", &spare).unwrap();
                std::fs::rename(&spare, &path).unwrap();
                std::fs::write(&spare, "inside\n").unwrap();
                std::fs::rename(&spare, &path).unwrap();
            }
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let read = || runtime.block_on(bench.outcome("read_file", json!({"path": "changing"})));
        let answers: Vec<_> = (0..2_000).map(|_| read()).collect();
        done.store(true, Ordering::Relaxed);
        answers
    });
    for outcome in answers {
        let answer = serde_json::to_string(&outcome).unwrap();
        assert!(!answer.contains(SECRET), "{answer}");
    }
}

#[tokio::test]
async fn links_and_absolute_paths_that_stay_inside_work() {
    let (_around, bench) = surrounded();
    let absolute = format!("{}/src/./a.rs", bench.project.root().display());
    for (path, shown) in
        [("good/a.rs", "good/a.rs"), (&absolute, "src/a.rs"), ("src/../src/a.rs", "src/a.rs")]
    {
        assert_eq!(
            bench.body("read_file", json!({ "path": path })).await,
            format!("{shown}: lines 1-1 of 1, 7 B\n1\tinside\n")
        );
    }
    assert_eq!(
        bench.body("list_files", json!({"path": "good"})).await.lines().next(),
        Some("src: 3 entries")
    );
}

#[tokio::test]
async fn a_search_and_a_listing_never_follow_a_link() {
    let (_around, bench) = surrounded();
    assert_eq!(
        bench.body("search_files", json!({"pattern": "canary"})).await,
        "no matches; 1 file searched\n"
    );
    assert_eq!(
        bench.body("list_files", json!({"recursive": true, "path": "src"})).await,
        "src: 3 entries\nsrc/a.rs  7 B\nsrc/deep/\nsrc/file  link, closed or leading nowhere in the project\n"
    );
}

#[tokio::test]
async fn a_link_gets_nobody_around_orionignore() {
    let bench = Bench::with([(".orionignore", "private/\n"), ("private/a", "x"), (".git/config", "x")]);
    symlink("private/a", bench.at("file")).unwrap();
    symlink("private", bench.at("folder")).unwrap();
    symlink(".git", bench.at("repository")).unwrap();
    for path in ["file", "folder", "folder/a", "repository/config"] {
        for tool in ["read_file", "list_files", "file_info"] {
            assert_eq!(
                bench.refusal(tool, json!({ "path": path })).await.0,
                Code::PathIgnored,
                "{tool} {path}"
            );
        }
    }
}

#[tokio::test]
async fn pipes_devices_and_sockets_are_refused_without_waiting_for_them() {
    let bench = Bench::empty();
    crate::listing::fifo(&bench.at("pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(bench.at("socket")).unwrap();
    let calls = async {
        for path in ["pipe", "socket"] {
            assert_eq!(
                bench.refusal("read_file", json!({ "path": path })).await,
                (Code::PathWrongKind, format!("`{path}` is a device, pipe or socket."))
            );
        }
        assert_eq!(
            bench.body("search_files", json!({"pattern": "x"})).await,
            "no matches; 0 files searched\n"
        );
        assert_eq!(
            bench.refusal("search_files", json!({"pattern": "x", "path": "pipe"})).await.0,
            Code::PathWrongKind
        );
    };
    tokio::time::timeout(Duration::from_secs(10), calls).await.expect("nothing waits for a writer");
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

    #[test]
    fn what_a_path_is_shown_as_is_read_as_the_same_path(names in prop::collection::vec(prop::collection::vec(1_u8.., 1..12), 1..4)) {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let usable = names.iter().all(|name| !name.contains(&b'/') && name != b"." && name != b"..");
        prop_assume!(usable);
        let path = names.iter().fold(ProjectPath::root(), |path, name| path.join(OsStr::from_bytes(name)));
        let shown = path.to_string();
        prop_assert!(!shown.chars().any(char::is_control), "{shown:?}");
        // A name like `C:\` is taken for a drive and refused; no other is lost.
        prop_assume!(!shown.starts_with("\\\\") && shown.as_bytes().get(1) != Some(&b':'));
        prop_assert_eq!(ProjectPath::parse(&shown, Path::new("/root/of/project")), Ok(path));
    }

    #[test]
    fn no_text_is_parsed_to_a_path_that_goes_up(text in "(\\.\\.|/|\\.|\"|\\\\|x2e|x2f|a|C:|[^a]){0,12}") {
        if let Ok(path) = ProjectPath::parse(&text, Path::new("/root/of/project")) {
            use std::path::Component;
            let normal = path.as_path().components().all(|part| matches!(part, Component::Normal(_)));
            prop_assert!(normal, "{text:?} {path:?}");
        }
    }
}
