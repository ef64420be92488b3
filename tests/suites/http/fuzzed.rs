//! The description against the server: requests that are drawn from it, right and wrong ones (H6, H7).
#![cfg(unix)]

use std::process::Command;

use orion_thorough::is_whole;
use reqwest::Method;
use serde_json::Value;
use support::{Folder, Script, Turn};

use super::{Bed, Events, printed};
use crate::source_rules::root;

/// Seconds of requests and how many in each: fewer than the 600 that a token has in a minute.
const PART: (u32, &str) = (20, "25/s");

/// The same in `soak`.
const WHOLE: (u32, &str) = (560, "9/s");

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_drawn_from_the_description_is_answered_as_it_says_and_no_turn_is_left_running() {
    let model = Script::new().forever(|_, _| Turn::default().text("Alpha.").end("stop")).start();
    let mut bed = Bed::new(&model);
    let folder = Folder::empty();
    let (seconds, rate) = if is_whole() { WHOLE } else { PART };
    let seed = std::env::var("ORION_SEED").unwrap_or_else(|_| "1".into());
    let ran = Command::new("python3")
        .args(["-m", "schemathesis.cli", "run", &format!("{}/api/openapi.json", bed.address)])
        .args(["--header", &format!("Authorization: Bearer {}", bed.token)])
        .args(["--max-time", &seconds.to_string(), "--seed", &seed, "--warnings", "off"])
        .args(["--rate-limit", rate])
        .args(["--phases", "examples,coverage,fuzzing", "--suppress-health-check", "all"])
        .args([
            "--checks",
            "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
        ])
        .env("PYTHONPATH", root().join("target/http-clients"))
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{said}\n{}", String::from_utf8_lossy(&ran.stderr));
    assert!(said.contains("Test cases"), "{said}");
    // Each turn comes to its end, which a stream waits for. The token that reads has a minute of its own.
    bed.token = printed(&bed.home, &["--print-token", "--reading"]);
    let sessions = bed.get("/api/v1/sessions").await["sessions"].clone();
    for session in sessions.as_array().unwrap().iter().take(100) {
        let path = format!("/api/v1/sessions/{}", session["sessionId"].as_str().unwrap());
        let page: Value = bed.get(&path).await;
        for turn in page["page"]["turns"].as_array().unwrap().iter().take(3) {
            let path = format!("/api/v1/turns/{}/events", turn["requestId"].as_str().unwrap());
            let events = Events::of(bed.ask(Method::GET, &path).send().await.unwrap()).all().await;
            assert_eq!(events.last().unwrap().1["done"], true);
        }
    }
}
