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
