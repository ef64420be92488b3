//! A key is used and never shown: not in an output, not in any file.

use std::fs;
use std::path::Path;

use serde_json::json;
use support::Script;

use super::{Desk, ran};

const KEY: &str = "sk-test-0123456789abcdef";

/// The files below a folder that hold the key.
fn holding_the_key(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding_the_key(&path));
        } else if fs::read(&path).unwrap().windows(KEY.len()).any(|bytes| bytes == KEY.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn a_key_that_an_endpoint_quotes_reaches_no_output_and_no_file() {
    for show in [&[][..], &["--json"], &["--events"]] {
        let model = Script::new()
            .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
            .turn(|t| {
                t.expect(|ask| {
                    assert_eq!(ask.header("authorization"), Some("Bearer sk-test-0123456789abcdef"))
                })
                .status(401)
                .body(format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}."}}}}"#))
            })
            .start();
        let desk = Desk::new();
        let mut command = desk.run(&model, &["--api-key-env", "WORK_KEY", "Hi"]);
        let ran = ran(command.args(show).env("WORK_KEY", KEY).env("ORION_LOG", "trace"));
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        assert!(!ran.stdout.contains(KEY) && !ran.stderr.contains(KEY), "{show:?}: {ran:?}");
        assert_eq!(holding_the_key(&desk.home.path()), Vec::<String>::new());
        assert!(desk.home.path().join("data/logs/orion.log").is_file(), "the log was written");
        model.finish();
    }
}

#[test]
fn a_key_that_an_endpoint_echoes_in_another_writing_is_hidden_too() {
    let echoes = [
        "sk%2Dtest%2D0123456789abcdef",
        "c2stdGVzdC0wMTIzNDU2Nzg5YWJjZGVm",
        "bWU6c2stdGVzdC0wMTIzNDU2Nzg5YWJjZGVm",
        "736B2D746573742D30313233343536373839616263646566",
    ];
    for echo in echoes {
        let model = Script::new()
            .turn(|t| t.status(401).body(format!(r#"{{"error":{{"message":"No such key: {echo}."}}}}"#)))
            .start();
        let desk = Desk::new();
        let mut command = desk.run(&model, &["--api-key-env", "WORK_KEY", "Hi"]);
        let ran = ran(command.env("WORK_KEY", KEY).env("ORION_LOG", "trace"));
        assert!(ran.stderr.contains("[redacted]") && !ran.stderr.contains(echo), "{echo}: {}", ran.stderr);
        model.finish();
    }
}

#[test]
fn an_argument_that_looks_like_a_key_or_holds_a_password_is_not_repeated() {
    let address = "ftp://me:hunter2-secret@host.example/v1";
    for arguments in [
        &["run", "--api-key-env", KEY, "--base-url", "http://127.0.0.1:9/v1", "Hi"][..],
        &["run", "--base-url", address, "Hi"],
        &["run", "--api-key", KEY, "Hi"],
        &["run", "--api-key=hunter2-secret", "Hi"],
        &["run", "Hi", KEY],
        &["trace", KEY],
        &[KEY],
        &["run", "--base-url", "https://me:12#hunter2@host.example/v1", "Hi"],
        &["run", "--base-url", "https://me:my hunter2@host.example/v1", "Hi"],
        &["run", "--base-url=https://me:my?hunter2/x@host.example/v1", "Hi"],
        &["run", "Hi", "api_key=hunter2secret"],
        &["run", "Hi", "Use password=hunter2 for it."],
        &["run", "Hi", "token=hunter2"],
        &["run", "Hi", "secret=hunter2"],
        &["run", "Hi", "Authorization: Bearer hunter2"],
        &["run", "Authorization:", "hunter2"],
    ] {
        let ran = ran(&mut Desk::new().orion(arguments));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
        assert!(
            !ran.stderr.contains(KEY) && !ran.stderr.contains("hunter2"),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
    let named = ran(&mut Desk::new().orion(&["run", "--mode", "fast", "Hi"]));
    assert!(named.stderr.contains("invalid value 'fast' for '--mode <MODE>'"), "{}", named.stderr);
    let question = "What does https://host.example say about me@host.example: is it true?";
    let twice = ran(&mut Desk::new().orion(&["run", "Hi", question]));
    assert!(twice.stderr.contains(question), "{}", twice.stderr);
}

#[cfg(unix)]
#[test]
fn everything_in_the_data_folder_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;

    let model = Script::new().turn(|t| t.text("Hi.").end("stop")).start();
    let desk = Desk::new();
    assert_eq!(ran(desk.run(&model, &["Hi"]).env("ORION_LOG", "trace")).code, Some(0));
    let data = desk.home.path().join("data");
    let open_to_others: Vec<_> = [data.clone()]
        .into_iter()
        .chain(fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path()))
        .filter(|path| fs::metadata(path).unwrap().permissions().mode() & 0o077 != 0)
        .collect();
    assert_eq!(open_to_others, Vec::<std::path::PathBuf>::new());
    model.finish();
}
