//! `orion trace --raw`: what came back in a model call, to the byte; for which calls it is kept, and for how long (0046).

use std::io::Read;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use orion_protocol::RequestId;
use orion_store::{Store, StoredResponse};
use serde_json::json;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
#[cfg(target_os = "linux")]
use support::found;
use support::{Script, Turn};

use super::{Desk, Ran, json as parsed, ran};

const CANARY: &str = "the canary hums at noon";

/// An error of 4 KB, at whose end the canary stands: what is shown of an error ends long before it.
fn refusing(turn: Turn) -> Turn {
    turn.status(401)
        .body(format!(r#"{{"error":{{"message":"{}","note":"{CANARY}"}}}}"#, "No. ".repeat(1_000)))
}

/// A stream that fails after this many bytes of comments, and the canary at its end.
fn failing_late(turn: Turn, bytes: usize, canary: &str) -> Turn {
    let comment = format!(": {}\n\n", "x".repeat(1_020));
    let comments = comment.repeat(bytes / comment.len());
    turn.raw(comments).event(json!({"error": {"code": "invalid_api_key", "message": "No."}, "note": canary}))
}

/// The ids of a turn and of its session.
fn asked(desk: &Desk, script: Script, arguments: &[&str]) -> (String, String) {
    let model = script.start();
    let told = ran(desk.run(&model, &["--json"]).args(arguments).arg("Hi"));
    model.finish();
    let report = parsed(&told.stdout);
    let id = |name: &str| report[name].as_str().unwrap().to_owned();
    (id("requestId"), id("sessionId"))
}

fn raw(desk: &Desk, request: &str, call: &str, more: &[&str]) -> Ran {
    ran(desk.orion(&["trace", request, "--raw", call]).args(more))
}

fn data(desk: &Desk) -> PathBuf {
    desk.home.path().join("data")
}

/// As it is stored.
async fn stored(desk: &Desk, request: &str, call: u32) -> Option<StoredResponse> {
    let store = Store::open(&data(desk)).await.unwrap();
    let response = store.response(request.parse::<RequestId>().unwrap(), call).await.unwrap();
    store.close().await.unwrap();
    response
}

fn is_not_kept(shown: &Ran, call: u32) {
    let said = format!("orion: Nothing is kept of what came back in call {call}.\n");
    assert_eq!((shown.code, shown.stdout.as_str()), (Some(2), ""), "{shown:?}");
    assert!(shown.stderr.starts_with(&said), "{}", shown.stderr);
}

#[test]
fn of_a_call_that_was_tried_again_every_response_is_kept_and_of_one_that_succeeded_nothing() {
    let busy = r#"{"error":{"message":"busy","code":"overloaded"}}"#;
    let answer = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"42.\"}}]}\n\n\
                  data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let script = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
        .turn(|t| {
            t.status(503)
                .header("x-request-id", "req-7")
                .header("set-cookie", "session=of-the-person")
                .body(busy)
        })
        .turn(|t| t.raw(answer));
    let desk = Desk::new();
    let (request, _) = asked(&desk, script, &[]);
    is_not_kept(&raw(&desk, &request, "1", &[]), 1);
    let shown = raw(&desk, &request, "2", &[]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    let (first, second) = shown.stdout.split_once("\n\nHTTP/1.1 200 OK\n").unwrap();
    assert!(first.starts_with("HTTP/1.1 503 Service Unavailable\n"), "{first}");
    assert!(
        first.contains("\nx-request-id: req-7\n") && first.contains("\ncontent-type: application/json\n"),
        "{first}"
    );
    assert!(first.ends_with(&format!("\n\n{busy}")), "{first}");
    assert!(second.ends_with(&format!("\n\n{answer}")), "{second}");
    assert!(!shown.stdout.contains("cookie") && !shown.stdout.contains("of-the-person"));

    let json = parsed(&raw(&desk, &request, "2", &["--json"]).stdout);
    assert_eq!(json["start"].as_str().unwrap(), shown.stdout);
    assert_eq!((&json["call"], &json["leftOut"], &json["end"]), (&json!(2), &json!(0), &json!("")));
    let other = "01890000-0000-7000-8000-000000000000";
    assert_eq!(raw(&desk, other, "1", &[]).code, Some(1), "there is no such turn");
}

// P4: a call is dropped at its first complete tool call.
#[test]
fn with_the_setting_every_call_is_kept_and_with_no_room_none() {
    let script = || {
        Script::new()
            .turn(|t| t.text("I look. ").call("read_file", json!({"path": "notes.txt"})).end("tool_calls"))
            .turn(refusing)
    };
    let all = Desk::with_settings("keep_raw_responses = true\n");
    let (request, _) = asked(&all, script(), &[]);
    let [first, second] = ["1", "2"].map(|call| raw(&all, &request, call, &[]));
    assert!(first.stdout.contains("I look. ") && first.stdout.contains("read_file"), "{}", first.stdout);
    assert!(second.stdout.starts_with("HTTP/1.1 401 Unauthorized\n") && second.stdout.contains(CANARY));

    let none = Desk::with_settings("keep_raw_responses = true\nraw_responses_mib = 0\n");
    let (request, _) = asked(&none, script(), &[]);
    for call in [1, 2] {
        is_not_kept(&raw(&none, &request, &call.to_string(), &[]), call);
    }
}

#[tokio::test]
async fn of_ten_megabytes_the_beginning_and_the_end_are_kept() {
    const HALF: usize = 128 << 10;
    let desk = Desk::new();
    let (request, _) = asked(&desk, Script::new().turn(|t| failing_late(t, 10 << 20, CANARY)), &[]);
    let kept = stored(&desk, &request, 1).await.unwrap();
    assert_eq!((kept.body.len(), kept.start as usize), (2 * HALF, HALF));
    assert!(kept.left_out > 9 << 20, "{}", kept.left_out);
    let shown = raw(&desk, &request, "1", &[]);
    let (start, end) = shown.stdout.split_once("\n--- ").unwrap();
    assert!(start.starts_with("HTTP/1.1 200 OK\n"), "{start}");
    assert_eq!(start.len(), HALF);
    assert!(end.starts_with("10 MB left out\n") && end.contains(CANARY), "{}", &end[..80]);

    // Of the body of an error Orion reads 64 KiB, and the piece that they end in.
    let refused = Script::new().turn(|t| t.status(401).body(vec![b'x'; 10 << 20]));
    let (request, _) = asked(&desk, refused, &[]);
    let kept = stored(&desk, &request, 1).await.unwrap();
    assert!((64 << 10..=2 * HALF).contains(&kept.body.len()), "{}", kept.body.len());
}

#[tokio::test]
async fn bytes_that_are_no_text_are_kept_as_they_are_and_shown_as_text() {
    let body = b"\xff\xfe{\"error\":\x00 \x1b[31m\xe2\x80\xae<script>".to_vec();
    let desk = Desk::new();
    let (request, _) = asked(&desk, Script::new().turn(|t| t.status(401).body(body.clone())), &[]);
    assert!(stored(&desk, &request, 1).await.unwrap().body.ends_with(&body));
    let shown = raw(&desk, &request, "1", &[]).stdout;
    assert!(shown.contains("\u{fffd}\u{fffd}{\"error\":") && shown.contains("<script>"), "{shown}");
    assert!(!shown.contains(['\u{0}', '\u{1b}', '\u{202e}']), "{shown:?}");
    let json = raw(&desk, &request, "1", &["--json"]).stdout;
    assert!(!json.contains(['\u{0}', '\u{1b}', '\u{202e}']), "{json:?}");
    assert!(parsed(&json)["start"].as_str().unwrap().ends_with("\u{0} \u{1b}[31m\u{202e}<script>"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_key_that_comes_back_is_in_no_stored_byte_in_whatever_writing() {
    const KEY: &str = "sk-canary/0123456789+abcdef";
    let escaped: String = KEY.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let echoes = [
        KEY.to_owned(),
        STANDARD.encode(KEY),
        "sk-canary%2F0123456789%2Babcdef".to_owned(),
        escaped,
        KEY.bytes().map(|byte| format!("{byte:02x}")).collect(),
        KEY.replace('/', "\\/"),
    ];
    let all = echoes.join(" ");
    for settings in ["", "keep_raw_responses = true\n"] {
        let desk = Desk::with_settings(settings);
        let model = Script::new()
            .turn(|t| {
                t.status(401)
                    .header("x-request-id", KEY)
                    .body(format!("{{\"error\":{{\"message\":\"{}\"}}}} {all}", "No. ".repeat(1_000)))
            })
            .turn(|t| failing_late(t, 1 << 20, &all))
            .start();
        for _ in 0..2 {
            let mut command = desk.run(&model, &["--api-key-env", "WORK_KEY", "--json", "Hi"]);
            let told = ran(command.env("WORK_KEY", KEY).env("ORION_LOG", "trace"));
            let request = parsed(&told.stdout)["requestId"].as_str().unwrap().to_owned();
            let shown = raw(&desk, &request, "1", &[]);
            assert!(shown.stdout.contains("***"), "{}", shown.stderr);
            for echo in &echoes {
                assert!(!shown.stdout.contains(echo.as_str()), "{echo}");
                assert_eq!(found(&data(&desk), echo), 0, "{echo}");
            }
        }
        model.finish();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn no_byte_of_a_raw_response_outlives_its_session_and_none_of_it_leaves_in_a_file() {
    let desk = Desk::new();
    let (request, session) = asked(&desk, Script::new().turn(refusing), &[]);
    assert!(raw(&desk, &request, "1", &[]).stdout.contains(CANARY));
    assert!(found(&data(&desk), CANARY) > 0);
    let file = desk.home.path().join("told.orion");
    let page = desk.home.path().join("told.html");
    let [file_name, page_name] = [&file, &page].map(|path| path.display().to_string());
    assert_eq!(ran(&mut desk.orion(&["export", &session, "--output", &file_name])).code, Some(0));
    assert_eq!(ran(&mut desk.orion(&["trace", &request, "--html", &page_name])).code, Some(0));
    let mut told = String::new();
    GzDecoder::new(std::fs::File::open(&file).unwrap()).read_to_string(&mut told).unwrap();
    told.push_str(&std::fs::read_to_string(&page).unwrap());
    told.push_str(&ran(&mut desk.orion(&["trace", &request, "--jsonl"])).stdout);
    assert!(told.contains("No. No.") && !told.contains(CANARY));

    assert_eq!(ran(&mut desk.orion(&["sessions", "delete", &session])).code, Some(0));
    assert_eq!(found(&data(&desk), CANARY), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn when_there_are_too_many_the_oldest_leave_to_the_last_byte_and_the_turns_stay_whole() {
    let desk = Desk::with_settings("raw_responses_mib = 1\n");
    let said: Vec<String> = (1..=5).map(|number| format!("{CANARY}, number {number}.")).collect();
    let turns: Vec<String> = said
        .iter()
        .map(|said| asked(&desk, Script::new().turn(|t| failing_late(t, 300 << 10, said)), &[]).0)
        .collect();
    // The fifth is one too many; then a quarter more leaves.
    for (number, (turn, said)) in turns.iter().zip(&said).enumerate() {
        let shown = raw(&desk, turn, "1", &[]);
        let is_left = number >= 2;
        assert_eq!(shown.stdout.contains(said.as_str()), is_left, "{number}: {}", shown.stderr);
        assert_eq!(found(&data(&desk), said) > 0, is_left, "{number}");
        super::replays(&desk, turn);
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_is_older_than_the_settings_say_leaves_at_the_next_start_to_the_last_byte() {
    let desk = Desk::with_settings("raw_responses_days = 7\n");
    let said =
        ["an old response", "a week old response", "a young response"].map(|age| format!("{CANARY}: {age}"));
    let turns: Vec<String> = said
        .iter()
        .map(|said| asked(&desk, Script::new().turn(|t| failing_late(t, 4 << 10, said)), &[]).0)
        .collect();
    let options = SqliteConnectOptions::new().filename(data(&desk).join("orion.db"));
    let mut database = options.connect().await.unwrap();
    for (turn, days) in turns.iter().zip([9, 7, 0]) {
        let older = "UPDATE raw_responses SET at_ms = at_ms - ? * 86400000 WHERE request_id = ?";
        sqlx::query(older).bind(days).bind(turn).execute(&mut database).await.unwrap();
    }
    database.close().await.unwrap();
    assert_eq!(ran(&mut desk.orion(&["sessions"])).code, Some(0));
    let left = said.map(|said| found(&data(&desk), &said) > 0);
    assert_eq!(left, [false, true, true]);
    is_not_kept(&raw(&desk, &turns[0], "1", &[]), 1);
    super::replays(&desk, &turns[0]);
}
