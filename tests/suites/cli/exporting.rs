//! Sessions that leave as a file, and come into another Orion: read, replayed, and never continued (T8).

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use support::Script;

use super::writes::begin;
use super::{Desk, Ran, json as parsed, ran, replays};

const CONTENT: &str = "a line that is only in the file that was there before";

/// A session of three turns, the last of which waits with a write; the second wrote a file, and the first was asked again.
struct Told {
    desk: Desk,
    session: String,
    turns: Vec<String>,
}

impl Told {
    fn new() -> Self {
        let model = Script::new()
            .turn(|t| {
                t.reasoning("Let me see.")
                    .text("I look. ")
                    .call("read_file", json!({"path": "notes.txt"}))
                    .end("tool_calls")
            })
            .turn(|t| {
                t.text("It is **42**. <script>alert(1)</script> [here](javascript:alert(1))").end("stop")
            })
            .turn(|t| t.text("It is 42, again.").end("stop"))
            .turn(|t| t.call("write_plan_begin", begin("old.txt", "overwrite")).end("tool_calls"))
            .turn(|t| t.text("A new line.\nDONE").end("stop"))
            .turn(|t| t.text("Written.").end("stop"))
            .turn(|t| t.call("write_plan_begin", begin("waits.txt", "create")).end("tool_calls"))
            .turn(|t| t.text("Not yet.\nDONE").end("stop"))
            .start();
        let desk = Desk::new();
        desk.project.write("old.txt", format!("{CONTENT}\n"));
        let mut turns = Vec::new();
        let mut turn = |arguments: &[&str]| {
            let report = parsed(&ran(desk.run(&model, arguments).arg("--json")).stdout);
            turns.push(report["requestId"].as_str().unwrap().to_owned());
            report["sessionId"].as_str().unwrap().to_owned()
        };
        let session = turn(&["What is the answer?"]);
        let first = ran(&mut desk.orion(&["sessions", "--json"]));
        assert_eq!(first.code, Some(0));
        turn(&["--session", &session, "Again?"]);
        turn(&["--session", &session, "--approve-writes", "Make it new."]);
        turn(&["--session", &session, "And another."]);
        model.finish();
        Self { desk, session, turns }
    }

    fn export(&self, arguments: &[&str]) -> Ran {
        ran(self.desk.orion(&["export", &self.session]).args(arguments))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.desk.home.path().join(name)
    }
}

fn lines(file: &Path) -> Vec<Value> {
    let mut text = String::new();
    GzDecoder::new(fs::File::open(file).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(parsed).collect()
}

fn shown(file: &Path) -> String {
    file.display().to_string()
}

// T5, T8
#[test]
fn an_exported_session_opens_elsewhere_replays_there_and_is_exported_to_the_same_bytes() {
    let told = Told::new();
    let file = told.file("one.orion");
    let exported = told.export(&["--output", &shown(&file), "--files"]);
    assert_eq!((exported.code, exported.stdout.as_str()), (Some(0), ""), "{}", exported.stderr);
    let other = Desk::new();
    // Something is there already, so that ids of rows are others.
    let model = Script::new().turn(|t| t.text("Hello.").end("stop")).start();
    assert_eq!(ran(&mut other.run(&model, &["Hi"])).code, Some(0));
    model.finish();
    let imported = ran(&mut other.orion(&["import", &shown(&file)]));
    assert_eq!(
        (imported.code, imported.stdout.trim()),
        (Some(0), told.session.as_str()),
        "{}",
        imported.stderr
    );
    for turn in &told.turns {
        replays(&other, turn);
        for command in [&["replay", turn][..], &["trace", turn, "--json"], &["export", turn], &["diff", turn]]
        {
            let (was, is) = (ran(&mut told.desk.orion(command)), ran(&mut other.orion(command)));
            assert_eq!((was.code, was.stdout), (is.code, is.stdout), "{command:?}");
        }
    }
    let again = told.file("two.orion");
    let exported = ran(&mut other.orion(&["export", &told.session, "--files", "--output", &shown(&again)]));
    assert_eq!(exported.code, Some(0), "{}", exported.stderr);
    assert!(fs::read(&file).unwrap() == fs::read(&again).unwrap());
    let listed = parsed(&ran(&mut other.orion(&["sessions", "--imported", "--json"])).stdout);
    assert_eq!(
        (listed[0]["sessionId"].as_str(), listed.as_array().unwrap().len()),
        (Some(told.session.as_str()), 1)
    );
    // Once.
    let twice = ran(&mut other.orion(&["import", &shown(&file)]));
    assert_eq!(twice.code, Some(1));
    assert!(twice.stderr.contains("is in Orion already"), "{}", twice.stderr);
}

#[test]
fn nothing_goes_on_in_an_imported_session_and_nothing_of_it_stays_when_it_is_deleted() {
    let told = Told::new();
    let file = told.file("one.orion");
    told.export(&["--output", &shown(&file), "--files"]);
    let other = Desk::new();
    let model = Script::new().turn(|t| t.text("Hello.").end("stop")).start();
    assert_eq!(ran(&mut other.run(&model, &["Hi"])).code, Some(0));
    model.finish();
    assert_eq!(ran(&mut other.orion(&["import", &shown(&file)])).code, Some(0));
    let (session, wrote, waits) = (told.session.as_str(), told.turns[2].as_str(), told.turns[3].as_str());
    let at = ["--base-url", "http://127.0.0.1:9/v1"];
    let refused: [&[&str]; 9] = [
        &["run", "--session", session, "Go on.", at[0], at[1]],
        &["run", "--session", session, at[0], at[1]],
        &["compact", session, at[0], at[1]],
        &["approve", waits, at[0], at[1]],
        &["reject", waits, at[0], at[1]],
        &["resume", waits, at[0], at[1]],
        &["undo", wrote],
        &["rewind", wrote],
        &["run", "--instead-of", wrote, "Otherwise.", at[0], at[1]],
    ];
    for command in refused {
        let told = ran(&mut other.orion(command));
        assert_eq!(told.code, Some(1), "{command:?}: {}{}", told.stdout, told.stderr);
        let words = "orion: This session was imported from a file, so it can be read and replayed, and not continued.";
        assert_eq!(told.stderr.lines().next(), Some(words), "{command:?}");
    }
    replays(&other, waits);
    let deleted = ran(&mut other.orion(&["sessions", "delete", session]));
    assert_eq!(deleted.code, Some(0), "{}", deleted.stderr);
    let left = |text: &str| {
        let bytes = fs::read(other.home.path().join("data/orion.db")).unwrap();
        bytes.windows(text.len()).filter(|part| *part == text.as_bytes()).count()
    };
    assert_eq!([CONTENT, "A new line.", session, waits, "Imported"].map(left), [0; 5]);
    assert_eq!(ran(&mut other.orion(&["import", &shown(&file)])).code, Some(0), "it can come again");
}

#[test]
fn the_contents_of_files_go_along_only_when_that_is_asked_for() {
    let told = Told::new();
    let (with, without) = (told.file("with.orion"), told.file("without.orion"));
    let said = told.export(&["--output", &shown(&without)]);
    assert!(said.stderr.contains("Without the contents of written files"), "{}", said.stderr);
    told.export(&["--output", &shown(&with), "--files"]);
    let holds = |file: &Path| lines(file).iter().any(|line| line.to_string().contains(CONTENT));
    assert_eq!((holds(&with), holds(&without)), (true, false));
    let (all, fewer) = (lines(&with), lines(&without));
    assert_eq!((all[0]["files"].clone(), fewer[0]["files"].clone()), (json!(true), json!(false)));
    // What was left out is named, by digest and size.
    let out: Vec<&Value> =
        fewer.iter().filter(|line| line["type"] == "body" && line["text"].is_null()).collect();
    let size = json!(CONTENT.len() + 1);
    assert!(out.iter().any(|line| line["bytes"] == size), "{out:?}");
    assert_eq!(all.len(), fewer.len());

    let other = Desk::new();
    assert_eq!(ran(&mut other.orion(&["import", &shown(&without)])).code, Some(0));
    told.turns.iter().for_each(|turn| replays(&other, turn));
    let diff = ran(&mut other.orion(&["diff", &told.turns[2]]));
    assert_eq!(diff.code, Some(1), "{}", diff.stdout);
    assert!(diff.stderr.contains("were left out when this session was exported"), "{}", diff.stderr);
    let again = told.file("again.orion");
    ran(&mut other.orion(&["export", &told.session, "--output", &shown(&again)]));
    assert!(fs::read(&without).unwrap() == fs::read(&again).unwrap());
}

#[test]
fn a_turn_goes_with_those_that_it_follows_and_no_other() {
    let told = Told::new();
    let file = told.file("turn.orion");
    let exported = ran(&mut told.desk.orion(&["export", &told.turns[1], "--output", &shown(&file)]));
    assert_eq!(exported.code, Some(0), "{}", exported.stderr);
    let turns: Vec<Value> = lines(&file)
        .into_iter()
        .filter(|line| line["type"] == "turn")
        .map(|line| line["requestId"].clone())
        .collect();
    assert_eq!(turns, [json!(told.turns[0]), json!(told.turns[1])]);
    let other = Desk::new();
    assert_eq!(ran(&mut other.orion(&["import", &shown(&file)])).code, Some(0));
    told.turns[..2].iter().for_each(|turn| replays(&other, turn));
}

#[test]
fn a_file_is_for_its_owner_alone_and_is_never_replaced_unasked() {
    let told = Told::new();
    let file = told.file("one.orion");
    fs::write(&file, "mine").unwrap();
    let kept = told.export(&["--output", &shown(&file)]);
    assert_eq!((kept.code, fs::read_to_string(&file).unwrap().as_str()), (Some(1), "mine"));
    assert!(kept.stderr.contains("is there already"), "{}", kept.stderr);
    assert_eq!(told.export(&["--output", &shown(&file), "--force"]).code, Some(0));
    assert_eq!(lines(&file)[0]["type"], "orion_export");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    // Nothing else is left in the folder.
    let names = |folder: &Path| {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&told.desk.home.path()), ["config", "data", "one.orion"]);
    let folder = told.export(&["--output", &shown(&told.desk.home.path())]);
    assert_eq!(folder.code, Some(1), "{}", folder.stderr);
    let nowhere = told.export(&["--output", &shown(&told.file("no/such/folder.orion"))]);
    assert_eq!(nowhere.code, Some(1), "{}", nowhere.stderr);
    assert_eq!(told.export(&["--format", "orion"]).code, Some(2));
}

#[test]
fn people_read_it_as_markdown_and_as_a_page_in_which_nothing_runs() {
    let told = Told::new();
    let (markdown, page) = (told.file("talk.md"), told.file("talk.html"));
    assert_eq!(told.export(&["--output", &shown(&markdown)]).code, Some(0));
    assert_eq!(told.export(&["--output", &shown(&page)]).code, Some(0));
    let (markdown, page) = (fs::read_to_string(markdown).unwrap(), fs::read_to_string(page).unwrap());
    for text in [
        "# What is the answer?",
        "## You",
        "<summary>read_file: 1 line</summary>",
        "It is **42**.",
        "+A new line.",
    ] {
        assert!(markdown.contains(text), "{text} in {markdown}");
    }
    for text in [
        "<h2>You</h2>",
        "It is <strong>42</strong>.",
        "<span class=\"added\">+A new line.\n</span>",
        "default-src 'none'",
    ] {
        assert!(page.contains(text), "{text} in {page}");
    }
    for text in ["<script", "javascript:", "<img", "http://", "src="] {
        assert!(!page.contains(text), "{text} in {page}");
    }
    // To standard output, when no file is named.
    let printed = told.export(&["--format", "markdown"]);
    assert_eq!((printed.code, printed.stdout.lines().next()), (Some(0), Some("# What is the answer?")));
}

#[test]
fn no_secret_that_orion_can_know_of_leaves_in_any_format() {
    const KEYS: [&str; 3] =
        ["sk-config-0123456789abcdef", "ghp_environment0123456789", "sk-header-fedcba9876543210"];
    let config =
        "[endpoints.work]\nbase_url = 'http://127.0.0.1:9/v1'\nmodel = 'm'\nkey_variable = 'WORK_KEY'\n";
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "keys.txt"})).end("tool_calls"))
        .turn(|t| {
            t.text("It says sk-config-0123").text("456789abcdef, and ghp_environment0123456789.").end("stop")
        })
        .start();
    let desk = Desk::with_settings(config);
    let echo = format!("key = {}\ntoken: {}\nAuthorization: Bearer {}\n", KEYS[0], KEYS[1], KEYS[2]);
    desk.project.write("keys.txt", &echo);
    let with_keys = |arguments: &[&str]| {
        let mut command = desk.orion(arguments);
        command.env("WORK_KEY", KEYS[0]).env("GITHUB_TOKEN", KEYS[1]).env("SERVICE_API_KEY", KEYS[2]);
        ran(&mut command)
    };
    let at =
        ["run", "--base-url", &model.base_url(), "--model", "scripted", "--json", "What is in keys.txt?"];
    let session = parsed(&with_keys(&at).stdout)["sessionId"].as_str().unwrap().to_owned();
    model.finish();
    for name in ["one.orion", "talk.md", "talk.html", "talk.txt"] {
        let file = desk.home.path().join(name);
        let exported = with_keys(&["export", &session, "--files", "--output", &shown(&file)]);
        assert_eq!(exported.code, Some(0), "{}", exported.stderr);
        let text = match name {
            "one.orion" => lines(&file).iter().map(Value::to_string).collect::<Vec<_>>().join("\n"),
            _ => fs::read_to_string(&file).unwrap(),
        };
        for part in KEYS.into_iter().chain(["456789abcdef", "0123456789"]) {
            assert!(!text.contains(part), "{part} in {name}: {text}");
        }
        assert!(
            name != "one.orion" || exported.stderr.contains("Keys were taken out of 1 turn"),
            "{}",
            exported.stderr
        );
    }
    // It is said why such a turn does not replay elsewhere.
    let other = Desk::new();
    let file = desk.home.path().join("one.orion");
    assert_eq!(ran(&mut other.orion(&["import", &shown(&file)])).code, Some(0));
    let turn = lines(&file)[0]["redacted"][0].as_str().unwrap().to_owned();
    let replayed = ran(&mut other.orion(&["replay", &turn]));
    assert_eq!(replayed.code, Some(1));
    assert!(replayed.stderr.contains("Secrets were taken out of this session"), "{}", replayed.stderr);
}

#[test]
fn what_is_no_export_is_refused_in_words() {
    let desk = Desk::new();
    let folder = desk.home.path();
    fs::write(folder.join("text.orion"), "hello").unwrap();
    let cases = [
        ("text.orion", "is not a session that Orion exported"),
        ("none.orion", "cannot be read"),
        ("config", "cannot be read"),
    ];
    for (name, words) in cases {
        let told = ran(&mut desk.orion(&["import", &shown(&folder.join(name))]));
        assert_eq!((told.code, told.stdout.as_str()), (Some(1), ""), "{name}");
        assert!(told.stderr.contains(words), "{name}: {}", told.stderr);
    }
}
