//! Requests that were made to get out, or to be expensive (H3, H6).
#![cfg(target_os = "linux")]

use futures_util::future::join_all;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use support::{Script, within};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Bed;
use super::load::{MORE_KIB, most_kib};

/// Ways out of a project.
const OUTSIDE: [&str; 6] = [
    "../../../../etc/passwd",
    "/etc/passwd",
    "..\\..\\etc\\passwd",
    "b.txt/../../../etc/passwd",
    "~/.ssh/id_rsa",
    "\u{0}",
];

#[tokio::test]
async fn no_field_leads_out_of_the_project_and_no_turn_begins_by_one_that_tries() {
    // H3
    let model = Script::new().start();
    let bed = Bed::new(&model);
    let file = "cm9vdDp4OjA6MA==";
    for path in OUTSIDE {
        for metadata in [
            json!({ "project": path }),
            json!({ "session": path }),
            json!({ "endpoint": path }),
            json!({ "attach": [path] }),
            json!({ "attach": [path], "attachments": [{ "name": path, "data": file }] }),
            json!({ "attachments": [{ "name": path, "data": path }] }),
        ] {
            let answer =
                bed.post("/api/v1/turns", &json!({ "content": "Look.", "metadata": metadata })).await;
            let status = answer.status();
            let said = answer.text().await.unwrap();
            assert!(status.is_client_error(), "{path:?} {metadata}: {status} {said}");
            assert!(!said.contains("root:"), "{said}");
        }
        let escaped: String = path.bytes().map(|byte| format!("%{byte:02x}")).collect();
        for address in [
            format!("/api/v1/sessions?project={escaped}"),
            format!("/api/v1/sessions/{escaped}"),
            format!("/api/v1/turns/{escaped}"),
            format!("/api/v1/turns/{escaped}/events"),
            format!("/api/v1/turns/01990000-0000-7000-8000-000000000000/change?path={escaped}"),
            format!("/api/v1/turns/01990000-0000-7000-8000-000000000000/writes/{escaped}"),
            format!("/api/v1/models?endpoint={escaped}"),
        ] {
            let status = bed.ask(Method::GET, &address).send().await.unwrap().status();
            assert!(status.is_client_error(), "{address}: {status}");
        }
    }
    assert_eq!(bed.get("/api/v1/sessions").await["sessions"], json!([]), "none was left behind");
    assert_eq!(model.requests().len(), 0);
}

/// The answer to a request that is sent to the byte, however it ends.
async fn raw(host: &str, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(host).await.unwrap();
    // A server that refuses early closes, and the rest cannot be sent.
    let _ = stream.write_all(request).await;
    let mut answer = Vec::new();
    let _ = within("the end of a connection", stream.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_made_to_be_expensive_costs_no_memory_and_holds_nobody_up() {
    // H6
    let model = Script::new().start();
    let bed = Bed::new(&model);
    let host = bed.address.strip_prefix("http://").unwrap();
    let before = most_kib(bed.server.id());
    let token = format!("Authorization: Bearer {}\r\n", bed.token);
    let fields: String = (0..10_000).map(|at| format!("X-{at}: y\r\n")).collect();
    let post = |path: &str, more: &str, body: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\n{token}Content-Type: application/json\r\nConnection: close\r\n{more}\r\n{body}"
        )
    };
    let message = "/api/chat/messages";
    let deep = format!("{{\"content\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let deep = post(message, &format!("Content-Length: {}\r\n", deep.len()), &deep);
    // A chunked body of 17 MiB, of which no length is said.
    let piece = format!("100000\r\n{}\r\n", "x".repeat(1 << 20));
    let chunked = post(message, "Transfer-Encoding: chunked\r\n", &piece.repeat(17));
    let smuggled = post(
        message,
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "0\r\n\r\nDELETE / HTTP/1.1\r\n\r\n",
    );
    let twice = post(message, "Content-Length: 2\r\nContent-Length: 5\r\n", "{}xyz");
    let many = format!("GET / HTTP/1.1\r\nHost: {host}\r\n{token}{fields}\r\n");
    let long = format!("GET /{} HTTP/1.1\r\nHost: {host}\r\n{token}\r\n", "x".repeat(1 << 20));
    let requests = [&deep, &chunked, &smuggled, &twice, &many, &long];
    // Somebody who begins a header and never ends it, beside all of them.
    let slow: Vec<_> = (0..50).map(|_| raw(host, b"GET / HTTP/1.1\r\nHost: ")).collect();
    let all = requests.iter().cycle().take(30).map(|request| raw(host, request.as_bytes()));
    let (answers, ends, listed) = tokio::join!(join_all(all), join_all(slow), bed.get("/api/v1/projects"));
    for answer in answers.iter().chain(&ends) {
        assert!(!answer.contains(" 200 ") && !answer.contains(" 5"), "{answer}");
    }
    assert_eq!(listed["projects"].as_array().map(Vec::len), Some(1));
    let more = most_kib(bed.server.id()).saturating_sub(before);
    assert!(more <= MORE_KIB, "{more} KiB more");
    let sessions: Value = bed.get("/api/v1/sessions").await;
    assert_eq!((&sessions["sessions"], model.requests().len()), (&json!([]), 0));
}

#[tokio::test]
async fn a_search_finds_what_was_said_in_the_projects_that_are_served_alone() {
    // H3
    let model = Script::new().turn(|t| t.text("Alpha centauri.").end("stop")).start();
    let bed = Bed::new(&model);
    let answer = bed.ask(Method::POST, "/api/chat/messages").header("accept", "application/json");
    let answer = answer.json(&json!({ "content": "Which star?" })).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let found = bed.get("/api/v1/search?text=centauri").await["page"]["found"].clone();
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    let missing = bed.ask(Method::GET, "/api/v1/search").send().await.unwrap();
    assert_eq!(missing.status(), StatusCode::BAD_REQUEST);
    let project = support::Folder::empty();
    let (server, address) = super::started(&bed.home, &project, &[]);
    let (token, client) = (bed.token.clone(), bed.client.clone());
    let other = Bed { home: support::Folder::empty(), project, server, address, token, client };
    assert_eq!(other.get("/api/v1/search?text=centauri").await["page"]["found"], json!([]));
    model.finish();
}
