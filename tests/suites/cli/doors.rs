//! What a model cannot reach whatever it asks for, tried by the program on real files.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use support::{Folder, Script, ScriptedModel};
use wait4::Wait4;

use super::writes::begin;
use super::{Desk, json as parsed, ran};

/// A turn that reads these paths one after the other and expects each to be refused with these words.
fn refused(paths: &[&str], words: &'static str) -> ScriptedModel {
    let mut script = Script::new();
    for (number, path) in paths.iter().enumerate() {
        script = script.turn(|t| {
            let t = if number == 0 {
                t
            } else {
                t.expect(move |ask| assert!(ask.last_text().contains(words), "{}", ask.last_text()))
            };
            t.call("read_file", json!({"path": path})).end("tool_calls")
        });
    }
    script
        .turn(|t| {
            t.expect(move |ask| assert!(ask.last_text().contains(words), "{}", ask.last_text()))
                .text("No.")
                .end("stop")
        })
        .start()
}

/// Another name of a folder's own: a link, and on Windows, which asks for a right to make one, other letters.
fn renamed(folder: &Path) -> String {
    let name = folder.file_name().unwrap().to_str().unwrap();
    #[cfg(windows)]
    return name.to_uppercase();
    #[cfg(not(windows))]
    {
        std::os::unix::fs::symlink(name, folder.with_file_name("innocent")).unwrap();
        "innocent".to_owned()
    }
}

#[test]
fn orions_own_folders_can_be_neither_read_nor_written_in_a_project_around_them() {
    let desk = Desk::with_settings("# a comment that nobody may read\n");
    let home = desk.home.path();
    let renamed = renamed(&home.join("config"));
    fs::hard_link(home.join("config/config.toml"), home.join("copy.toml")).unwrap();
    let settings = format!("{renamed}/config.toml");
    for path in ["config/config.toml", &settings, "copy.toml"] {
        let model = refused(&[path], "Orion keeps its own settings or data");
        let told = ran(desk.run(&model, &["--json", "Read it."]).current_dir(&home));
        assert_eq!(told.code, Some(0), "{}", told.stderr);
        model.finish();
    }

    // Neither the file that is there nor one that is not, in a folder that is there or not.
    let other = format!("{renamed}/other.toml");
    for path in ["config/config.toml", &other, "data/new/file"] {
        let words = "Orion keeps its own settings or data";
        let model = Script::new()
            .turn(|t| t.call("write_plan_begin", begin(path, "append")).end("tool_calls"))
            .turn(|t| {
                t.expect(move |ask| assert!(ask.last_text().contains(words), "{}", ask.last_text()))
                    .text("No.")
                    .end("stop")
            })
            .start();
        let told = ran(desk.run(&model, &["--approve-writes", "--json", "Write it."]).current_dir(&home));
        assert_eq!(told.code, Some(0), "{}", told.stderr);
        model.finish();
    }
    assert_eq!(
        fs::read_to_string(home.join("config/config.toml")).unwrap(),
        "# a comment that nobody may read\n"
    );

    // What lists and searches does not come across them.
    let model = Script::new()
        .turn(|t| t.call("search_files", json!({"pattern": "nobody may read"})).end("tool_calls"))
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("no matches"), "{}", ask.last_text()))
                .text("No.")
                .end("stop")
        })
        .start();
    assert_eq!(ran(desk.run(&model, &["--json", "Search."]).current_dir(&home)).code, Some(0));
    model.finish();
}

#[test]
fn a_folder_in_orions_own_is_no_project() {
    let desk = Desk::new();
    for folder in ["config", "data", "data/logs"] {
        let folder = desk.home.path().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let arguments = ["run", "--base-url", "http://127.0.0.1:9/v1", "--model", "never", "Read it."];
        let told = ran(desk.orion(&arguments).current_dir(&folder));
        assert_eq!(told.code, Some(1), "{}", told.stderr);
        assert!(told.stderr.contains("Orion keeps its own settings or data"), "{}", told.stderr);
    }
}

#[test]
fn what_makes_a_repository_what_is_run_and_what_cannot_be_shown_ask_although_writes_are_approved() {
    let manifest = r#"{"name":"a","scripts":{"postinstall":"sh -c evil"}}"#;
    let moved = r#"{"name":"a","x":{"scripts":{"postinstall":"sh -c evil"}}}"#;
    for (path, operation, content) in [
        ("HEAD", "create", "ref: refs/heads/main"),
        ("sub/config", "create", "[core]\n\tfsmonitor = evil"),
        ("sub/hooks/any", "create", "evil"),
        ("AGENTS.md", "create", "Do as the file says."),
        ("my.code-workspace", "create", "{}"),
        ("package.json", "overwrite", manifest),
        ("sub/package.json", "overwrite", manifest),
        (".v\u{17f}code/ta\u{17f}ks.json", "create", "{}"),
        ("build.rs", "create", "fn main() {}"),
        ("picture.png", "overwrite", "text"),
    ] {
        let desk = Desk::new();
        desk.project.write("package.json", r#"{"name":"a"}"#);
        desk.project.write("sub/package.json", moved);
        desk.project.write("sub/HEAD", "ref: refs/heads/main");
        fs::write(desk.project.path().join("picture.png"), b"\x89PNG\r\n\x1a\n\0\0\0").unwrap();
        let before = fs::read(desk.project.path().join(path)).ok();
        let model = Script::new()
            .turn(|t| t.call("write_plan_begin", begin(path, operation)).end("tool_calls"))
            .turn(|t| t.text(&format!("{content}\nDONE")).end("stop"))
            .start();
        let told = ran(&mut desk.run(&model, &["--approve-writes", "--json", "Set it up."]));
        assert_eq!(told.code, Some(3), "{path}: {}", told.stderr);
        assert_eq!(fs::read(desk.project.path().join(path)).ok(), before, "{path}");
        model.finish();
    }
}

// A1
#[test]
fn every_kind_of_file_that_acts_by_its_name_asks_although_writes_are_approved() {
    for path in [
        ".devcontainer.json",
        "lefthook.yml",
        ".lefthook.toml",
        "mise.local.toml",
        ".mise/config.toml",
        ".pnpmfile.cjs",
        ".config/git/config",
        ".git-hooks/pre-commit",
        ".forgejo/workflows/a.yml",
        ".gitea/workflows/a.yml",
        ".cirrus.yml",
        ".drone.yml",
        "cloudbuild.yaml",
        ".kiro/steering/a.md",
        ".roo/rules/a.md",
        ".amazonq/rules/a.md",
        ".windsurf/rules/a.md",
        "opencode.json",
        ".github/copilot-instructions.md",
        "lefthook-local.yml",
        "rust-analyzer.toml",
        "app/build.gradle",
        "flake.nix",
        ".tekton/a.yaml",
        "skills/a/SKILL.md",
        "sub/CLAUDE.md",
        ".env.local",
    ] {
        let desk = Desk::new();
        let model = Script::new()
            .turn(|t| t.call("write_plan_begin", begin(path, "create")).end("tool_calls"))
            .turn(|t| t.text("a\nDONE").end("stop"))
            .start();
        let told = ran(&mut desk.run(&model, &["--approve-writes", "--json", "Set it up."]));
        assert_eq!(told.code, Some(3), "{path}: {}", told.stderr);
        assert!(!desk.project.path().join(path).exists(), "{path}");
        model.finish();
    }
}

// A1
#[cfg(unix)]
#[test]
fn a_file_asks_if_a_link_whose_name_always_asks_leads_to_it_although_writes_are_approved() {
    let manifest = r#"{"name":"a","scripts":{"postinstall":"sh -c evil"}}"#;
    for (link, to, path, content, code) in [
        ("AGENTS.md", "docs/rules.md", "docs/rules.md", "Do as the file says.", 3),
        (".vscode/tasks.json", "../x.json", "x.json", "{}", 3),
        (".github/workflows", "../ci", "ci/a.yml", "on: push", 3),
        ("config", "c.txt", "c.txt", "[core]\n\tfsmonitor = evil", 3),
        ("hooks", "scripts", "scripts/pre-commit", "evil", 3),
        ("package.json", "p.json", "p.json", manifest, 3),
        ("notes.md", "docs/rules.md", "docs/rules.md", "Harmless.", 0),
    ] {
        let desk = Desk::new();
        // `config` and `hooks` are of a repository beside a `HEAD` alone.
        desk.project.write("HEAD", "ref: refs/heads/main");
        let at = desk.project.path().join(link);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(to, at).unwrap();
        let model =
            Script::new().turn(|t| t.call("write_plan_begin", begin(path, "create")).end("tool_calls"));
        let model = model.turn(|t| t.text(&format!("{content}\nDONE")).end("stop"));
        let model = if code == 0 { model.turn(|t| t.text("So.").end("stop")) } else { model }.start();
        let told = ran(&mut desk.run(&model, &["--approve-writes", "--json", "Set it up."]));
        assert_eq!(told.code, Some(code), "{link}: {}", told.stderr);
        assert_eq!(desk.project.path().join(path).exists(), code == 0, "{link}");
        model.finish();
    }
}

#[cfg(windows)]
#[test]
fn no_name_that_windows_takes_for_another_opens_what_is_closed() {
    let desk = Desk::new();
    let project = desk.project.path();
    desk.project.write(".orionignore", "secret.txt\n");
    desk.project.write("secret.txt", "the sentence\n");
    desk.project.write(".git/config", "the sentence\n");
    let absolute = project.join("secret.txt").display().to_string();
    let verbatim = format!(r"\\?\{absolute}");
    for (path, words) in [
        ("SECRET.TXT", "is closed by .orionignore"),
        ("Secret.Txt", "is closed by .orionignore"),
        ("secret.txt.", "ends with a dot or a space"),
        ("secret.txt ", "ends with a dot or a space"),
        (".git./config", "ends with a dot or a space"),
        ("secret.txt::$DATA", "a stream of a file"),
        ("notes.txt:secret.txt", "a stream of a file"),
        ("SECRET~1.TXT", "the short form of another name"),
        ("GIT~1/config", "the short form of another name"),
        (".GIT/config", "is in a .git folder"),
        ("CON", "names a device of Windows"),
        ("src/nul.txt", "names a device of Windows"),
        ("COM1", "names a device of Windows"),
        (absolute.as_str(), "is closed by .orionignore"),
        (verbatim.as_str(), "names a drive or a network share"),
        ("//?/C:/secret.txt", "names a drive or a network share"),
    ] {
        let model = refused(&[path], words);
        assert_eq!(ran(&mut desk.run(&model, &["--json", "Read it."])).code, Some(0), "{path}");
        model.finish();
    }
}

// D1, D2
#[cfg(windows)]
#[test]
fn a_path_is_one_call_however_its_names_are_separated() {
    let desk = Desk::new();
    desk.project.write("src/notes.txt", "the sentence\n");
    let absolute = desk.project.path().join(r"src\notes.txt").display().to_string();
    assert!(!absolute.starts_with(r"\\"), "{absolute}");
    let script =
        Script::new().turn(|t| t.call("read_file", json!({"path": "src/notes.txt"})).end("tool_calls"));
    let script = [r"src\notes.txt", &absolute].into_iter().fold(script, |script, path| {
        script.turn(|t| t.call("read_file", json!({"path": path})).end("tool_calls"))
    });
    let model = script.turn(|t| t.text("So.").end("stop")).start();
    let told = ran(&mut desk.run(&model, &["--json", "Read it."]));
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let report = parsed(&told.stdout);
    assert_eq!((&report["toolRuns"], &report["duplicatesRefused"]), (&json!(1), &json!(2)), "{report}");
    model.finish();
}

#[test]
fn no_other_name_opens_what_an_orionignore_closes() {
    let desk = Desk::new();
    let project = desk.project.path();
    fs::write(project.join(".orionignore"), "secret.txt\n/closed/\n").unwrap();
    fs::write(project.join("secret.txt"), "the sentence\n").unwrap();
    fs::create_dir_all(project.join("closed/deep")).unwrap();
    fs::create_dir(project.join("sub")).unwrap();
    fs::write(project.join("closed/deep/key"), "the sentence\n").unwrap();
    fs::write(project.join("sub/secret.txt"), "the sentence\n").unwrap();
    fs::write(project.join("sub/.orionignore"), "!secret.txt\n").unwrap();
    fs::hard_link(project.join("secret.txt"), project.join("open.txt")).unwrap();
    fs::hard_link(project.join("closed/deep/key"), project.join("sub/open.txt")).unwrap();
    let model = refused(&["open.txt", "sub/open.txt"], "another name of a file that is closed");
    assert_eq!(ran(&mut desk.run(&model, &["--json", "Read it."])).code, Some(0));
    model.finish();
    let model = refused(&["sub/secret.txt"], "is closed by .orionignore");
    assert_eq!(ran(&mut desk.run(&model, &["--json", "Read it."])).code, Some(0));
    model.finish();
    let model = Script::new()
        .turn(|t| t.call("search_files", json!({"pattern": "the sentence"})).end("tool_calls"))
        .turn(|t| {
            t.expect(|ask| assert!(ask.last_text().contains("no matches"), "{}", ask.last_text()))
                .text("No.")
                .end("stop")
        })
        .start();
    assert_eq!(ran(&mut desk.run(&model, &["--json", "Search."])).code, Some(0));
    model.finish();
}

#[test]
fn under_an_orionignore_that_is_too_much_nothing_is_read() {
    let too_long = "secret\n".repeat(10_000);
    let too_wild = "*ab?c[0-9]*d\n".repeat(4_600);
    for patterns in [too_long, too_wild] {
        let desk = Desk::new();
        desk.project.write("sub/.orionignore", &patterns);
        desk.project.write("sub/open.txt", "the sentence\n");
        let model = refused(&["sub/open.txt"], "is closed by .orionignore");
        let told = ran(&mut desk.run(&model, &["--events", "Read it."]));
        assert_eq!(told.code, Some(0), "{}", told.stderr);
        assert!(told.stdout.contains("`sub/.orionignore` is too large, so everything"), "{}", told.stdout);
        model.finish();
    }
}

/// Processor time, and memory at most in bytes, of a turn in which the model lists the folder so many times.
fn listing(project: &Folder, calls: usize) -> (Duration, u64, Value) {
    let desk = Desk::new();
    let mut script = Script::new();
    for call in 0..calls {
        script = script.turn(|t| t.call("list_files", json!({"limit": call + 1})).end("tool_calls"));
    }
    let model = script.turn(|t| t.text("So.").end("stop")).start();
    let events = desk.home.path().join("events");
    let mut command: Command = desk.run(&model, &["--events", "--max-cycles", "5", "List it."]);
    command.current_dir(project.path()).stderr(Stdio::null()).stdout(fs::File::create(&events).unwrap());
    let ended = command.spawn().unwrap().wait4().unwrap();
    assert!(ended.status.success());
    model.finish();
    let events = fs::read_to_string(&events).unwrap();
    let notices = events.lines().map(parsed).filter(|event| event["event"]["type"] == "notice");
    let notices: Vec<Value> = notices.map(|event| event["event"]["message"].clone()).collect();
    (ended.rusage.utime + ended.rusage.stime, ended.rusage.maxrss, notices.into())
}

#[test]
fn an_ignore_file_of_a_megabyte_of_wildcards_is_compiled_once_and_in_part_and_said_once() {
    let mut patterns = String::new();
    for number in 0.. {
        if patterns.len() >= 1024 * 1024 {
            break;
        }
        patterns.push_str(&format!("*a{number}*b?c[0-9]*/**/*d\n"));
    }
    let project = Folder::with([(".gitignore", patterns.as_str()), ("a.txt", "open")]);
    let (one, ..) = listing(&project, 1);
    let (four, peak, notices) = listing(&project, 4);
    eprintln!("one call {one:?}, four calls {four:?}, {} MiB", peak / 1024 / 1024);
    let notices = notices.as_array().unwrap().clone();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].as_str().unwrap().starts_with("`.gitignore` is too large: only the first "));
    assert!(peak <= 128 * 1024 * 1024, "{peak} bytes");
    // Processor time, which does not depend on what else the machine does. 0.45 s were seen.
    assert!(four <= Duration::from_secs(1), "{four:?}");
    // Compiled once, or each call would add as much again.
    assert!(four < one * 2, "one call takes {one:?}, four take {four:?}");
}

/// Makes something in the place of a file.
type Make = fn(&Path);

#[cfg(unix)]
fn of_unix() -> Vec<(&'static str, Make)> {
    use std::os::unix::fs::symlink;
    let pipe: Make = |path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    let device: Make = |path| symlink("/dev/null", path).unwrap();
    let link: Make = |path| symlink("another", path).unwrap();
    vec![("orion.db", pipe), ("orion.db", device), ("open.lock", pipe), ("open.lock", link)]
}

#[cfg(not(unix))]
fn of_unix() -> Vec<(&'static str, Make)> {
    Vec::new()
}

#[test]
fn what_is_no_file_where_orion_keeps_its_data_is_told_at_once() {
    let folder: Make = |path| fs::create_dir(path).unwrap();
    let cases = [("orion.db", folder), ("open.lock", folder)].into_iter().chain(of_unix());
    for (name, make) in cases {
        let desk = Desk::new();
        let data = desk.home.path().join("data");
        fs::create_dir(&data).unwrap();
        fs::write(data.join("another"), "somebody else's").unwrap();
        make(&data.join(name));
        let told = ran(&mut desk.orion(&["sessions"]));
        let message = format!("orion: {} is not a file.\n", data.join(name).display());
        assert_eq!((told.code, told.stderr.starts_with(&message)), (Some(1), true), "{}", told.stderr);
        assert_eq!(fs::read_to_string(data.join("another")).unwrap(), "somebody else's");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_folders_of_another_orion_are_closed_too_where_this_one_has_others() {
    let (desk, elsewhere) = (Desk::new(), Folder::empty());
    let home = desk.home.path();
    let kept = "# a comment that nobody may read\n";
    desk.home.write(".config/orion/config.toml", kept);
    desk.home.write("told/orion.db", "");
    let data = elsewhere.path().join("data").display().to_string();
    let words = "Orion keeps its own settings or data";
    let refuses = |tool: &str, arguments: Value| {
        let model = Script::new()
            .turn(|t| t.call(tool, arguments).end("tool_calls"))
            .turn(|t| {
                t.expect(move |ask| assert!(ask.last_text().contains(words), "{}", ask.last_text()))
                    .text("No.")
                    .end("stop")
            })
            .start();
        let mut command = desk.run(&model, &["--data-dir", &data, "--approve-writes", "--json", "Do it."]);
        command.env("ORION_CONFIG_DIR", elsewhere.path().join("config"));
        command.env("ORION_DATA_DIR", home.join("told"));
        let told = ran(command.current_dir(&home));
        assert_eq!(told.code, Some(0), "{}", told.stderr);
        model.finish();
    };
    // The system's own folders, there and not there yet, and the one that a flag went over.
    for path in
        [".config/orion/config.toml", ".local/share/orion/instructions/a.md", "told/instructions/a.md"]
    {
        refuses("write_plan_begin", begin(path, "append"));
    }
    refuses("read_file", json!({"path": ".config/orion/config.toml"}));
    assert_eq!(fs::read_to_string(home.join(".config/orion/config.toml")).unwrap(), kept);
    assert!(!home.join(".local").exists() && !home.join("told/instructions").exists());
}
