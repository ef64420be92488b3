//! A huge file and a huge tree cost no more than their budget. In a process of its own, whose memory is measured.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should panic and say so"
)]

#[path = "files/bench.rs"]
mod bench;

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use orion_core::tool::Seen;
use orion_files::watcher::{Watch, WatchLimits};
use orion_protocol::{Code, ToolStatus, WatchState};
use serde_json::json;

use bench::Bench;

const TWO_GB: u64 = 2_000_000_000;

/// The folders of a huge project. The largest that Orion is built for has 5,000 of them with 500,000 files.
fn folders() -> usize {
    orion_thorough::cases(500, 5_000)
}

const FILES_OF_A_FOLDER: usize = 100;

/// Memory that listing, searching and watching them may take together. 32 MiB: what is in memory is a folder for each level, a page, and what the
/// watcher keeps of each folder.
const MANY_KIB: u64 = 32 * 1024;

/// How long the watch may take to start, and to tell of a change: a minute, many times what it takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Peak memory of this process, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_sparse_file_of_two_gigabytes_is_read_from_its_beginning_in_little_memory() {
    let bench = Bench::empty();
    let file = File::create(bench.at("huge.txt")).unwrap();
    file.set_len(TWO_GB).unwrap();
    let line = format!("{}\n", "x".repeat(99));
    file.write_all_at(line.repeat(1_000).as_bytes(), 0).unwrap();
    let before = peak();
    let outcome = bench.outcome("read_file", json!({"path": "huge.txt", "max_lines": 10})).await;
    assert_eq!(outcome.body.lines().next(), Some("huge.txt: lines 1-10, 2.0 GB"));
    assert_eq!(
        outcome.cut.as_deref(),
        Some(
            "Lines 11 and following are left out; read on with read_file {\"max_lines\":10,\"path\":\"huge.txt\",\"start_line\":11}"
        )
    );
    assert_eq!(outcome.bytes, TWO_GB);
    let info = bench.body("file_info", json!({"path": "huge.txt"})).await;
    assert!(info.contains("lines and sha256: left out, the file is larger than 8 MiB\n"), "{info}");
    let found = bench.body("search_files", json!({"pattern": "y"})).await;
    assert_eq!(found, "no matches; 0 files searched; 1 binary file left out\n");
    // 32 MiB: some buffers of 64 KiB, and whatever other tests need meanwhile.
    assert!(peak() - before < 32 * 1024, "{} KiB", peak() - before);
}

#[tokio::test]
async fn a_sparse_file_of_two_gigabytes_without_text_is_binary_at_once() {
    let bench = Bench::empty();
    File::create(bench.at("huge")).unwrap().set_len(TWO_GB).unwrap();
    assert_eq!(
        bench.refusal("read_file", json!({"path": "huge"})).await,
        (Code::FileBinary, "`huge` is a binary file of 2.0 GB (unknown kind).".into())
    );
}

/// A huge project, with one file that has a text. The others are links to one empty file for each folder, which are made faster.
fn many() -> Bench {
    let bench = Bench::empty();
    for folder in 0..folders() {
        let folder = bench.at(format!("d{folder:04}"));
        fs::create_dir(&folder).unwrap();
        let first = folder.join("f00");
        File::create(&first).unwrap();
        for file in 1..FILES_OF_A_FOLDER {
            fs::hard_link(&first, folder.join(format!("f{file:02}"))).unwrap();
        }
    }
    fs::remove_file(bench.at(last("f99"))).unwrap();
    bench.write(last("f99"), "needle\n");
    bench
}

/// A file of this name in the last of its folders.
fn last(file: &str) -> String {
    format!("d{:04}/{file}", folders() - 1)
}

#[tokio::test]
async fn a_huge_project_is_listed_searched_and_watched_in_little_memory() {
    let mut bench = many();
    let (files, entries) = (folders() * FILES_OF_A_FOLDER, folders() * (FILES_OF_A_FOLDER + 1));
    let before = peak();

    // With the time that a call has by default it answers within it, and says how far it came.
    for (tool, arguments) in
        [("list_files", json!({"recursive": true})), ("search_files", json!({"pattern": "needle"}))]
    {
        let began = Instant::now();
        let outcome = bench.outcome(tool, arguments).await;
        let took = began.elapsed();
        assert_eq!((tool, outcome.status), (tool, ToolStatus::Ok));
        assert!(outcome.body.len() <= bench.limits.body_bytes, "{tool}: {} bytes", outcome.body.len());
        eprintln!("{tool}: {took:?}, {} KiB more", peak() - before);
        assert!(took < bench.limits.timeout, "{tool}: {took:?}");
    }

    // With all the time it takes it answers for all of them: what is tested is the answer, not the speed of the machine.
    bench.limits.timeout = Duration::from_secs(3_600);
    let first = bench.outcome("list_files", json!({"recursive": true, "limit": 3})).await;
    assert_eq!(first.status, ToolStatus::Ok);
    assert_eq!(first.body, format!(".: {entries} entries\nd0000/\nd0000/f00  0 B\nd0000/f01  0 B\n"));
    let cut = format!(
        "Entries 1-3 of {entries} are shown; read on with list_files {}",
        "{\"limit\":3,\"offset\":3,\"path\":\".\",\"recursive\":true}"
    );
    assert_eq!(first.cut, Some(cut));
    let end = bench.body("list_files", json!({"recursive": true, "offset": entries - 1})).await;
    assert_eq!(end, format!(".: {entries} entries\n{}  7 B\n", last("f99")));
    let found = bench.outcome("search_files", json!({"pattern": "needle"})).await;
    assert_eq!(found.body, format!("1 match in 1 file; {files} files searched\n{}\n1:needle\n", last("f99")));
    assert_eq!(found.seen, [Seen::Tree(String::new())]);

    // Their folders are fewer than may be watched one by one, so that a change in the last of them is told.
    let (watch, mut changes) = Watch::start(&bench.project, WatchLimits::default());
    let mut states = watch.state();
    let started =
        tokio::time::timeout(PATIENCE, states.wait_for(|state| *state != WatchState::Starting)).await;
    assert_eq!(*started.expect("the watch starts").unwrap(), WatchState::Watching);
    bench.write(last("f98"), "changed\n");
    let told = tokio::time::timeout(PATIENCE, changes.recv()).await.expect("the change is told").unwrap();
    assert!(told.contains(&Seen::Path(last("f98"))), "{told:?}");

    eprintln!("{} KiB more at most", peak() - before);
    assert!(peak() - before < MANY_KIB, "{} KiB", peak() - before);
}

#[tokio::test]
async fn reading_that_runs_out_of_time_says_so() {
    let mut bench = Bench::with([("a", "needle\n")]);
    // A third of this is over before the walk begins.
    bench.limits.timeout = Duration::from_nanos(3);
    let context = bench.context(tokio_util::sync::CancellationToken::new());
    let tool = &orion_engine::tools::file_tools()[2];
    let output = tool.run(json!({"pattern": "needle"}), context).await.unwrap();
    assert_eq!(
        output.body,
        "no matches; 0 files searched; stopped for lack of time: name a folder below with `path`\n"
    );
    let context = bench.context(tokio_util::sync::CancellationToken::new());
    let tool = &orion_engine::tools::file_tools()[1];
    let error = tool.run(json!({"path": "a"}), context).await.unwrap_err();
    assert_eq!(
        (error.code, error.message.as_str()),
        (Code::ToolTimeout, "`a` is too large to get to that line in time.")
    );
}
