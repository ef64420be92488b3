//! The ToolRunner: what is offered, what is refused, and that nothing a tool does gets past its limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use orion_core::tool::{Seen, ToolKind, ToolOutcome, ToolSet, ToolSpec};
use orion_engine::runner::ToolRunner;
use orion_engine::tools::{Context, Fixed, Limits, Output, Tool, ToolSource, file_tools};
use orion_files::workspace::Project;
use orion_protocol::{Code, ErrorInfo, Mode, Permission, ToolStatus};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::bench::Bench;

fn spec(name: &str, kind: ToolKind, permission: Permission) -> ToolSpec {
    let parameters = json!({"type": "object", "properties": {}});
    ToolSpec { permission, ..ToolSpec::new(name, "", parameters, kind) }
}

/// A tool that does what a test wants of it.
#[derive(Debug, Clone)]
enum Odd {
    Writes,
    Panics,
    /// Waits for ever; says when it began, and when it was dropped.
    Hangs {
        began: Arc<Notify>,
        dropped: Arc<AtomicBool>,
    },
    /// Blocks a thread until it is told to stop.
    Blocks {
        ended: Arc<Notify>,
    },
    Floods(String),
}

struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Tool for Odd {
    fn spec(&self) -> ToolSpec {
        let kind = if matches!(self, Self::Writes) { ToolKind::Mutates } else { ToolKind::Reads };
        spec("odd", kind, Permission::Allow)
    }

    fn run(&self, _: Value, context: Context) -> BoxFuture<'static, Result<Output, ErrorInfo>> {
        match self.clone() {
            Self::Writes => async { Ok(Output::default()) }.boxed(),
            Self::Panics => async { panic!("a tool broke") }.boxed(),
            Self::Hangs { began, dropped } => async move {
                let _dropped = Dropped(dropped);
                began.notify_one();
                std::future::pending().await
            }
            .boxed(),
            Self::Blocks { ended } => async move {
                tokio::task::spawn_blocking(move || {
                    while !context.cancel.is_cancelled() {
                        std::thread::yield_now();
                    }
                    ended.notify_one();
                })
                .await
                .unwrap();
                Ok(Output::default())
            }
            .boxed(),
            Self::Floods(body) => async { Ok(Output { body, ..Output::default() }) }.boxed(),
        }
    }
}

fn bench(odd: Odd) -> Bench {
    let mut bench = Bench::with([("a", "a\n")]);
    let tools: [Arc<dyn Tool>; 1] = [Arc::new(odd)];
    bench.runner = ToolRunner::with_tools(file_tools().into_iter().chain(tools));
    bench
}

#[test]
fn plan_mode_offers_what_only_reads_and_no_mode_offers_what_is_denied() {
    let runner = bench(Odd::Writes).runner;
    let names = |tools: &ToolSet| tools.names().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(
        names(&runner.tools().offered_in(Mode::Plan)),
        ["file_info", "list_files", "read_file", "search_files"]
    );
    assert_eq!(
        names(&runner.tools().offered_in(Mode::Act)),
        ["file_info", "list_files", "odd", "read_file", "search_files", "write_plan_begin"]
    );
    let permitted = runner.tools().permitted(|tool| match tool.name.as_str() {
        "odd" => Permission::Deny,
        _ => tool.permission,
    });
    assert_eq!(
        names(&permitted.offered_in(Mode::Act)),
        ["file_info", "list_files", "read_file", "search_files", "write_plan_begin"]
    );
}

#[test]
fn arguments_are_described_in_the_draft_that_checks_them() {
    for spec in ToolRunner::default().tools().iter() {
        assert!(jsonschema::draft7::meta::is_valid(&spec.parameters), "{}", spec.name);
    }
}

#[test]
fn the_schema_of_arguments_names_paths_and_defaults_for_the_signature() {
    let runner = ToolRunner::default();
    let list = runner.tools().get("list_files").unwrap();
    assert_eq!(
        list.parameters,
        json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "path": {"type": "string", "default": ".", "description": "Folder in the project"},
                "recursive": {"type": "boolean", "default": false, "description": "List subfolders too"},
                "glob": {"type": "string", "description": "Only names or paths that match, e.g. *.rs or src/**/*.ts"},
                "include_ignored": {"type": "boolean", "default": false, "description": "Show what .gitignore hides"},
                "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "Entries to skip"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 200, "description": "Most entries"}
            }
        })
    );
    assert_eq!(list.paths, ["path"]);
    let read = runner.tools().get("read_file").unwrap();
    assert_eq!(read.parameters["required"], json!(["path"]));
}

#[tokio::test]
async fn wrong_arguments_are_told_by_name_with_what_was_expected() {
    let bench = Bench::with([("a", "a\n")]);
    for (arguments, message) in [
        (json!({}), "read_file: `path` is missing."),
        (json!({"path": 3}), "read_file: `path` must be a string, not 3."),
        (
            json!({"path": "a", "start_line": "x"}),
            "read_file: `start_line` must be an integer from 1, not \"x\".",
        ),
        (json!({"path": "a", "start_line": 0}), "read_file: `start_line` must be an integer from 1, not 0."),
        (
            json!({"path": "a", "max_lines": 9999}),
            "read_file: `max_lines` must be an integer from 1 to 5000, not 9999.",
        ),
        (json!({"path": "a", "lines": 3}), "read_file: there is no argument `lines`."),
        (json!({"path": ["a"]}), "read_file: `path` must be a string, not a list of 1."),
        (
            json!({"path": "a", "start_line": 1.5}),
            "read_file: `start_line` must be an integer from 1, not 1.5.",
        ),
    ] {
        assert_eq!(bench.refusal("read_file", arguments).await, (Code::ToolArguments, message.to_owned()));
    }
    let outcome = bench.outcome("file_info", json!({})).await;
    assert_eq!(
        outcome,
        ToolOutcome {
            error: Some(ErrorInfo::new(
                Code::ToolArguments,
                "file_info: `path` is missing.",
                "Call it again with: path (a string)."
            )),
            ..ToolOutcome::ended(ToolStatus::Failed, "file_info: `path` is missing.")
        }
    );
    let (code, message) = bench.refusal("list_files", json!({"offset": 1e300})).await;
    assert_eq!(code, Code::ToolArguments, "{message}");
}

#[tokio::test]
async fn a_null_is_an_argument_left_out_and_a_whole_float_an_integer() {
    let bench = Bench::with([("a", "a\nb\n")]);
    let body = bench.body("read_file", json!({"path": "a", "start_line": 2.0, "max_lines": null})).await;
    assert_eq!(body, "a: lines 2-2 of 2, 4 B\n2\tb\n");
}

#[tokio::test]
async fn an_unknown_tool_is_refused_with_the_nearest_name() {
    let bench = Bench::empty();
    for (name, action) in [
        (
            "read_fil",
            "Did you mean read_file? Available: ask_user, file_info, list_files, read_file, search_files, write_plan_begin.",
        ),
        (
            "launch_rockets",
            "Available: ask_user, file_info, list_files, read_file, search_files, write_plan_begin.",
        ),
    ] {
        let error = bench.outcome(name, json!({})).await.error;
        let message = format!("There is no tool `{name}`.");
        assert_eq!(error, Some(ErrorInfo::new(Code::ToolUnknown, message, action)));
    }
    let hostile = format!("{}\n\0", "ü".repeat(100_000));
    let outcome = bench.outcome(&hostile, json!({})).await;
    assert!(outcome.summary.len() < 200);
}

#[tokio::test]
async fn a_name_of_megabytes_is_refused_at_once_wherever_its_characters_begin() {
    let bench = Bench::empty();
    for shift in 0..3 {
        let hostile = format!("{}{}", "x".repeat(shift), "€".repeat(1_000_000));
        let began = Instant::now();
        let outcome = bench.outcome(&hostile, json!({})).await;
        let shown = &hostile[..hostile.floor_char_boundary(64)];
        assert_eq!(outcome.summary, format!("There is no tool `{shown}`."));
        // Comparing all of it takes many seconds.
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    }
}

#[tokio::test]
async fn a_call_that_failed_says_what_it_looked_at_so_that_it_is_fresh_once_that_appears() {
    // D3
    let bench = Bench::with([("a", "a\n")]);
    for (tool, arguments, seen) in [
        ("read_file", json!({"path": "./src/new.rs"}), Some("src/new.rs")),
        ("read_file", json!({"path": "a", "start_line": 9}), Some("a")),
        ("read_file", json!({"path": bench.at("b")}), Some("b")),
        ("list_files", json!({"path": "src"}), Some("src")),
        // A path left out is the schema's own.
        ("list_files", json!({"offset": 9}), Some("")),
        ("search_files", json!({"pattern": "(", "path": null}), Some("")),
        ("read_file", json!({"path": "../outside"}), None),
        ("read_file", json!({"path": 7}), None),
        ("nothing", json!({"path": "a"}), None),
    ] {
        let outcome = bench.outcome(tool, arguments.clone()).await;
        assert!(outcome.error.is_some(), "{tool} {arguments}");
        let seen: Vec<Seen> = seen.into_iter().map(|path| Seen::Tree(path.into())).collect();
        assert_eq!(outcome.seen, seen, "{tool} {arguments}");
    }
}

#[tokio::test]
async fn a_tool_that_was_not_offered_does_not_run() {
    // A1: whatever the model calls in plan mode.
    let bench = bench(Odd::Writes);
    let mut context = bench.context(CancellationToken::new());
    context.offered = bench.runner.tools().offered_in(Mode::Plan);
    let outcome = bench.runner.run(bench.call("odd", json!({})), context).await;
    assert_eq!((outcome.status, outcome.error.unwrap().code), (ToolStatus::Denied, Code::ToolDenied));
}

#[tokio::test]
async fn a_tool_that_panics_is_a_failed_outcome() {
    let outcome = bench(Odd::Panics).outcome("odd", json!({})).await;
    assert_eq!((outcome.status, outcome.error.unwrap().code), (ToolStatus::Failed, Code::ToolFailed));
}

#[tokio::test]
async fn a_stop_ends_a_hanging_tool_at_once_and_drops_it() {
    // A4
    let (began, dropped) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
    let bench = bench(Odd::Hangs { began: began.clone(), dropped: dropped.clone() });
    let cancel = CancellationToken::new();
    let running = bench.runner.run(bench.call("odd", json!({})), bench.context(cancel.clone()));
    let stop = async {
        began.notified().await;
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(running, stop);
    assert_eq!((outcome.status, outcome.error.unwrap().code), (ToolStatus::Cancelled, Code::Stopped));
    assert!(dropped.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_call_that_was_stopped_before_it_began_never_runs() {
    let dropped = Arc::new(AtomicBool::new(false));
    let bench = bench(Odd::Hangs { began: Arc::new(Notify::new()), dropped: dropped.clone() });
    let cancel = CancellationToken::new();
    cancel.cancel();
    let outcome = bench.runner.run(bench.call("odd", json!({})), bench.context(cancel)).await;
    assert_eq!(outcome.status, ToolStatus::Cancelled);
    assert!(!dropped.load(Ordering::SeqCst), "it never began");
}

#[tokio::test]
async fn a_tool_that_takes_too_long_times_out() {
    let dropped = Arc::new(AtomicBool::new(false));
    let mut bench = bench(Odd::Hangs { began: Arc::new(Notify::new()), dropped: dropped.clone() });
    bench.limits.timeout = Duration::from_millis(1_500);
    let outcome = bench.outcome("odd", json!({})).await;
    let error = outcome.error.unwrap();
    assert_eq!(
        (outcome.status, error.code, error.message.as_str()),
        (ToolStatus::TimedOut, Code::ToolTimeout, "odd took longer than 1.5 s and was stopped.")
    );
    assert!(dropped.load(Ordering::SeqCst));
}

#[tokio::test]
async fn blocking_work_is_told_to_end_when_its_time_is_up() {
    let ended = Arc::new(Notify::new());
    let mut bench = bench(Odd::Blocks { ended: ended.clone() });
    bench.limits.timeout = Duration::from_millis(20);
    let outcome = bench.outcome("odd", json!({})).await;
    assert_eq!(outcome.status, ToolStatus::TimedOut);
    tokio::time::timeout(Duration::from_secs(10), ended.notified()).await.expect("the thread ends");
}

#[tokio::test]
async fn a_flood_is_cut_on_a_character_and_said() {
    // R3
    let whole = "ä€𝄞".repeat(100);
    let mut bench = bench(Odd::Floods(whole.clone()));
    for limit in 0..40 {
        bench.limits.body_bytes = limit;
        let outcome = bench.outcome("odd", json!({})).await;
        assert!(outcome.body.len() <= limit && outcome.body.len() + 3 >= limit);
        assert!(whole.starts_with(&outcome.body));
        assert_eq!(outcome.bytes, 900);
        let lost = 900 - outcome.body.len();
        assert_eq!(outcome.cut, Some(format!("The last {lost} bytes are left out; ask for less at once")));
    }
}

#[test]
fn stopping_the_reading_of_a_huge_file_ends_its_thread() {
    // A4. Fifty gigabytes of one line: going through them all would take minutes.
    let bench = Bench::empty();
    let mut file = std::fs::File::create(bench.at("huge")).unwrap();
    std::io::Write::write_all(&mut file, "text\n".repeat(20_000).as_bytes()).unwrap();
    file.set_len(50_000_000_000).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut context = bench.context(CancellationToken::new());
    context.limits.timeout = Duration::from_secs(3_600);
    let cancel = context.cancel.clone();
    let outcome = runtime.block_on(async {
        let running =
            bench.runner.run(bench.call("read_file", json!({"path": "huge", "start_line": 30_000})), context);
        let stop = async {
            tokio::task::yield_now().await;
            cancel.cancel();
        };
        tokio::join!(running, stop).0
    });
    assert_eq!(outcome.status, ToolStatus::Cancelled);
    let began = Instant::now();
    // Waits for the threads that still work.
    drop(runtime);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

/// A tool of this description that says yes.
#[derive(Debug)]
struct Says(ToolSpec);

impl Tool for Says {
    fn spec(&self) -> ToolSpec {
        self.0.clone()
    }

    fn run(&self, _: Value, _: Context) -> BoxFuture<'static, Result<Output, ErrorInfo>> {
        async { Ok(Output { body: "yes".into(), ..Output::default() }) }.boxed()
    }
}

fn saying(spec: ToolSpec) -> Bench {
    let mut bench = Bench::empty();
    let tools: [Arc<dyn Tool>; 1] = [Arc::new(Says(spec))];
    bench.runner = ToolRunner::with_tools(tools);
    bench
}

#[tokio::test]
async fn a_schema_says_its_draft() {
    // A list in `items` is a tuple up to the draft of 2019, and no schema afterwards. `prefixItems` is a word of 2020.
    let pair = json!([{ "type": "string" }, { "type": "integer" }]);
    let schema = |draft: Option<&str>, keyword: &str| {
        let mut schema =
            json!({ "type": "object", "properties": { "pair": { "type": "array", keyword: pair } } });
        draft.into_iter().for_each(|draft| schema["$schema"] = draft.into());
        schema
    };
    let (seven, latest) =
        ("http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema");
    for (draft, keyword, fits) in [
        (None, "items", false),
        (Some(seven), "items", false),
        (None, "prefixItems", true),
        (Some(seven), "prefixItems", true),
        (Some(latest), "prefixItems", false),
    ] {
        let bench = saying(ToolSpec::new("odd", "", schema(draft, keyword), ToolKind::Reads));
        let outcome = bench.outcome("odd", json!({ "pair": [1, "a"] })).await;
        let expected = if fits { None } else { Some(Code::ToolArguments) };
        assert_eq!(outcome.error.map(|error| error.code), expected, "{draft:?} {keyword}");
    }
    let broken = saying(ToolSpec::new("odd", "", schema(Some("no draft"), "items"), ToolKind::Reads));
    assert_eq!(broken.outcome("odd", json!({})).await.error.unwrap().code, Code::ToolFailed);
}

#[test]
fn a_tool_has_its_own_limits_within_those_of_all() {
    // R3
    let all = Limits { body_bytes: 1_000, timeout: Duration::from_secs(30) };
    for (time_ms, output_bytes, expected) in [
        (None, None, all),
        (Some(600_000), Some(100), Limits { body_bytes: 100, timeout: Duration::from_secs(600) }),
        (None, Some(5_000), all),
    ] {
        let spec = ToolSpec { time_ms, output_bytes, ..ToolSpec::new("odd", "", json!({}), ToolKind::Reads) };
        assert_eq!(saying(spec).runner.limits("odd", all), expected);
    }
    assert_eq!(Bench::empty().runner.limits("unknown", all), all);
}

#[tokio::test]
async fn a_tool_that_is_another_one_than_when_the_turn_began_does_not_run() {
    // A1, A5: what it may do was judged by what it said then.
    let spec = |kind| ToolSpec::new("odd", "", json!({}), kind);
    let bench = saying(spec(ToolKind::Mutates));
    let mut context = bench.context(CancellationToken::new());
    context.offered = ToolSet::from_iter([spec(ToolKind::Reads)]);
    let outcome = bench.runner.run(bench.call("odd", json!({})), context).await;
    assert_eq!(outcome.error.unwrap().message, "odd is another tool now than when this turn began.");
    // Words are no reason.
    let mut context = bench.context(CancellationToken::new());
    context.offered =
        ToolSet::from_iter([ToolSpec { description: "Once.".into(), ..spec(ToolKind::Mutates) }]);
    assert_eq!(bench.runner.run(bench.call("odd", json!({})), context).await.body, "yes");
}

/// A source that never answers.
#[derive(Debug)]
struct Hangs;

impl ToolSource for Hangs {
    fn tools<'a>(&'a self, _: &'a Project) -> BoxFuture<'a, Vec<Arc<dyn Tool>>> {
        std::future::pending().boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_that_does_not_answer_has_no_tools_and_the_others_have_theirs() {
    let project = Bench::empty().project;
    let spec = ToolSpec::new("odd", "", json!({}), ToolKind::Reads);
    let other: Arc<dyn ToolSource> = Arc::new(Fixed(vec![Arc::new(Says(spec))]));
    let began = tokio::time::Instant::now();
    let runner = ToolRunner::of(&[Arc::new(Hangs), other], &project).await;
    assert_eq!(runner.tools().names().collect::<Vec<_>>(), ["odd"]);
    assert_eq!(began.elapsed().as_secs(), 5);
}

#[test]
fn a_tool_cannot_say_itself_that_it_may_change_something_unasked_nor_open_writes_beside_orions_own() {
    // A1, W1
    let foreign = |name: &str, kind| {
        let spec = ToolSpec { permission: Permission::Allow, ..spec(name, kind, Permission::Allow) };
        Arc::new(Says(spec)) as Arc<dyn Tool>
    };
    let foreign = [foreign("a_write", ToolKind::OpensWrite), foreign("change", ToolKind::Mutates)];
    let runner = ToolRunner::with_tools(file_tools().into_iter().chain(foreign));
    assert_eq!(runner.tools().write_opener().map(|tool| tool.name.as_str()), Some("write_plan_begin"));
    assert_eq!(runner.tools().get("a_write"), None);
    assert_eq!(runner.tools().permission("change"), Permission::Ask);
}

#[test]
fn a_tool_that_no_provider_would_take_is_left_out() {
    let with = |name: &str, parameters: Value| {
        Arc::new(Says(ToolSpec::new(name, "", parameters, ToolKind::Reads))) as Arc<dyn Tool>
    };
    let object = json!({ "type": "object" });
    let large = json!({ "type": "object", "description": "x".repeat(70_000) });
    let tools = [
        with("fine", object.clone()),
        with("two words", object.clone()),
        with("", object.clone()),
        with(&"x".repeat(65), object),
        with("list", json!([])),
        with("large", large),
    ];
    assert_eq!(ToolRunner::with_tools(tools).tools().names().collect::<Vec<_>>(), ["fine"]);
}

/// A tool of this kind that opens a write, says what it changed, and fails if it is told to.
#[derive(Debug)]
struct Does {
    kind: ToolKind,
    fails: bool,
}

impl Tool for Does {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new("odd", "", json!({ "type": "object" }), self.kind)
    }

    fn run(&self, _: Value, _: Context) -> BoxFuture<'static, Result<Output, ErrorInfo>> {
        let changed = vec![Seen::Path("a".into()); 2_000];
        let output = match self.fails {
            true => Err(ErrorInfo::new(Code::ToolFailed, "x".repeat(100_000), "")),
            false => Ok(Output {
                summary: "x".repeat(100_000),
                changed,
                asks: Some(Vec::new()),
                ..Output::default()
            }),
        };
        async { output }.boxed()
    }
}

#[tokio::test]
async fn a_result_is_bounded_in_every_part_and_a_failed_change_may_have_changed_everything() {
    // R3, D3
    let everything = vec![Seen::Tree(String::new())];
    for (kind, fails, expected) in [
        (ToolKind::Reads, false, vec![]),
        (ToolKind::Mutates, false, everything.clone()),
        (ToolKind::Reads, true, vec![]),
        (ToolKind::Mutates, true, everything),
    ] {
        let mut bench = Bench::empty();
        let tools: [Arc<dyn Tool>; 1] = [Arc::new(Does { kind, fails })];
        bench.runner = ToolRunner::with_tools(tools);
        let outcome = bench.outcome("odd", json!({})).await;
        assert_eq!(outcome.changed, expected, "{kind:?} {fails}");
        assert_eq!(outcome.asks, None, "A8: no question is none");
        assert!(outcome.summary.len() <= 4_096, "{}", outcome.summary.len());
    }
    let mut bench = Bench::empty();
    let tools: [Arc<dyn Tool>; 1] = [Arc::new(Does { kind: ToolKind::Mutates, fails: true })];
    bench.runner = ToolRunner::with_tools(tools);
    let mut context = bench.context(CancellationToken::new());
    context.offered = ToolSet::empty();
    let refused = bench.runner.run(bench.call("odd", json!({})), context).await;
    assert_eq!((refused.status, refused.changed), (ToolStatus::Denied, vec![]), "it did not begin");
}
