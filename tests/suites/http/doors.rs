//! Requests that are let in, and those that are refused (H1–H3, H6, H7).

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use support::{Folder, Script, ScriptedModel};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Bed, command, printed, started};

/// A model that nobody calls.
fn nobody() -> ScriptedModel {
    Script::new().start()
}

/// The status of a request that is sent to the byte; none where the connection is closed without an answer.
async fn raw(bed: &Bed, request: &str) -> Option<u16> {
    let address = bed.address.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    // A server that refuses early closes, and the rest cannot be sent.
    let _ = stream.write_all(request.replace('\n', "\r\n").as_bytes()).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    let text = String::from_utf8_lossy(&answer).into_owned();
    text.split(' ').nth(1).and_then(|status| status.parse().ok())
}

#[tokio::test]
async fn a_request_by_another_name_from_another_page_or_without_the_token_is_refused_before_anything_else() {
    // H1, H2
    let model = nobody();
    let bed = Bed::with(&model, &["--allow-origin", "http://localhost:5173", "--allow-host", "box.lan"]);
    let here = bed.address.strip_prefix("http://").unwrap();
    let port = here.split(':').nth(1).unwrap();
    let token = format!("Authorization: Bearer {}", bed.token);
    let get = |host: &str, more: &str| {
        format!("GET /api/v1/projects HTTP/1.1\nHost: {host}\n{more}\nConnection: close\n\n")
    };
    let expected = [
        (get(here, &token), 200),
        (get(&format!("localhost:{port}"), &token), 200),
        (get("box.lan", &token), 200),
        (get("box.lan:8080", &token), 200),
        (get("evil.example", &token), 403),
        (get(&format!("127.0.0.1:{port}.evil.example"), &token), 403),
        (get("localhost:1", &token), 403),
        (get(here, &format!("{token}\nHost: evil.example")), 403),
        (get(here, &format!("{token}\nOrigin: http://localhost:5173")), 200),
        (get(here, &format!("{token}\nOrigin: http://evil.example")), 403),
        (get(here, &format!("{token}\nOrigin: null")), 403),
        (get("evil.example", "X: no token, and the name is looked at first"), 403),
        (get(here, "X: no token"), 401),
        (get(here, "Authorization: Bearer 0000"), 401),
        (get(here, &format!("Authorization: Basic {}", bed.token)), 401),
        (
            format!(
                "GET http://evil.example/api/v1/projects HTTP/1.1\nHost: {here}\n{token}\nConnection: close\n\n"
            ),
            403,
        ),
        (
            format!(
                "OPTIONS /api/v1/turns HTTP/1.1\nHost: {here}\nOrigin: http://evil.example\nConnection: close\n\n"
            ),
            403,
        ),
        (
            format!(
                "OPTIONS /api/v1/turns HTTP/1.1\nHost: {here}\nOrigin: http://localhost:5173\nConnection: close\n\n"
            ),
            204,
        ),
    ];
    for (request, status) in expected {
        assert_eq!(raw(&bed, &request).await, Some(status), "{request}");
    }
    // The page that may call can read why it was refused.
    let refused = bed.client.get(format!("{}/api/v1/projects", bed.address));
    let refused = refused.header("origin", "http://localhost:5173").send().await.unwrap();
    assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(refused.headers()["access-control-allow-origin"], "http://localhost:5173");
    assert_eq!(refused.headers()["access-control-expose-headers"], "retry-after");
    assert_eq!(refused.headers()["x-content-type-options"], "nosniff");
    assert_eq!(
        raw(&bed, &format!("GET /api/v1/projects HTTP/1.1\n{token}\nConnection: close\n\n")).await,
        Some(403)
    );
}

#[tokio::test]
async fn the_token_that_reads_changes_nothing_on_any_route_and_neither_does_a_server_that_only_reads() {
    // H2
    let model = nobody();
    let writing = [
        (Method::POST, "/api/chat/messages"),
        (Method::POST, "/api/chat/messages_two_stage"),
        (Method::POST, "/api/chat/messages_two_stage/resume"),
        (Method::POST, "/api/v1/turns"),
        (Method::POST, "/api/v1/turns/x/stop"),
        (Method::POST, "/api/v1/turns/x/pause"),
        (Method::POST, "/api/v1/turns/x/resume"),
        (Method::POST, "/api/v1/turns/x/steer"),
        (Method::POST, "/api/v1/turns/x/reply"),
        (Method::POST, "/api/v1/turns/x/undo"),
        (Method::POST, "/api/v1/sessions/x/queue"),
        (Method::DELETE, "/api/v1/sessions/x"),
    ];
    let mut reading = Bed::new(&model);
    reading.token = printed(&reading.home, &["--print-token", "--reading"]);
    let read_only = Bed::with(&model, &["--read-only"]);
    for bed in [&reading, &read_only] {
        for (method, path) in &writing {
            let refused = bed.ask(method.clone(), path).json(&json!({})).send().await.unwrap();
            assert_eq!(refused.status(), StatusCode::FORBIDDEN, "{method} {path}");
        }
        assert_eq!(bed.get("/api/v1/projects").await["projects"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_said_with_code_field_and_action() {
    // H6, H7
    let model = nobody();
    let bed = Bed::new(&model);
    let path = "/api/chat/messages";
    let post =
        |body: String| bed.ask(Method::POST, path).header("content-type", "application/json").body(body);
    let steer = |body: String| {
        let path = "/api/v1/turns/01990000-0000-7000-8000-000000000000/steer";
        bed.ask(Method::POST, path).header("content-type", "application/json").body(body)
    };
    let deep = format!("{{\"content\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    let requests = [
        (post("{}".into()), 400, Some("body")),
        (post("{\"content\":7}".into()), 400, Some("content")),
        (post("{\"content\":\"x\",\"metadata\":{\"mode\":\"all\"}}".into()), 400, Some("metadata.mode")),
        (post(deep), 400, Some("content")),
        (post("{".into()), 400, Some("body")),
        (post("x".repeat(16 * 1_048_576 + 1)), 413, None),
        (steer("x".repeat(1_048_577)), 413, None),
        (bed.ask(Method::POST, path).body("{}"), 415, None),
        (bed.ask(Method::GET, path), 405, None),
        (bed.ask(Method::GET, "/api/v2"), 404, None),
        (bed.ask(Method::GET, "/api/v1/turns/../../etc/passwd"), 404, None),
        (bed.ask(Method::GET, "/api/v1/turns/x"), 400, Some("turn")),
        (bed.ask(Method::GET, "/api/v1/turns/01990000-0000-7000-8000-000000000000"), 404, None),
        (post("{\"content\":\"x\",\"metadata\":{\"project\":\"/etc\"}}".into()), 404, None),
    ];
    for (request, status, field) in requests {
        let answer = request.send().await.unwrap();
        let address = answer.url().path().to_owned();
        assert_eq!(answer.status().as_u16(), status, "{address} {field:?}");
        assert_eq!(answer.headers()["content-type"], "application/problem+json");
        let problem: Value = answer.json().await.unwrap();
        assert_eq!(problem["field"].as_str(), field, "{problem}");
        assert!(problem["code"].is_string() && problem["message"].is_string(), "{problem}");
    }
    // Hostile ends of a connection: what is no request is answered or dropped, and the server lives.
    let host = bed.address.strip_prefix("http://").unwrap();
    let fields: String = (0..200).map(|at| format!("X-{at}: y\n")).collect();
    assert_eq!(raw(&bed, &format!("GET / HTTP/1.1\nHost: {host}\n{fields}\n")).await, Some(431));
    let both = format!(
        "POST {path} HTTP/1.1\nHost: {host}\nContent-Length: 5\nTransfer-Encoding: chunked\n\n0\n\nGET / HTTP/1.1\n\n"
    );
    assert_ne!(raw(&bed, &both).await, Some(200));
    assert_eq!(bed.get("/api/v1/projects").await["projects"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn what_belongs_to_another_project_is_not_there() {
    // H3
    let model = Script::new().turn(|t| t.text("Alpha.").end("stop")).start();
    let bed = Bed::new(&model);
    let answer = bed.ask(Method::POST, "/api/chat/messages").header("accept", "application/json");
    let answer = answer.json(&json!({ "content": "Hello?" })).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let report: Value = answer.json().await.unwrap();
    let turn = report["requestId"].as_str().unwrap().to_owned();
    let session = report["sessionId"].as_str().unwrap().to_owned();
    // Another server on the same data folder, for another project.
    let project = Folder::empty();
    let (server, address) = started(&bed.home, &project, &[]);
    let (token, client) = (bed.token.clone(), bed.client.clone());
    let other = Bed { home: Folder::empty(), project, server, address, token, client };
    for path in [
        format!("/api/v1/turns/{turn}"),
        format!("/api/v1/turns/{turn}/events"),
        format!("/api/v1/turns/{turn}/trace"),
        format!("/api/v1/turns/{turn}/changes"),
        format!("/api/v1/sessions/{session}"),
        format!("/api/v1/sessions/{session}/queue"),
    ] {
        assert!(bed.ask(Method::GET, &path).send().await.unwrap().status().is_success(), "{path}");
        let hidden = other.ask(Method::GET, &path).send().await.unwrap();
        assert_eq!(hidden.status(), StatusCode::NOT_FOUND, "{path}");
    }
    let deleted = other.ask(Method::DELETE, &format!("/api/v1/sessions/{session}")).send().await.unwrap();
    assert_eq!(deleted.status(), StatusCode::NOT_FOUND);
    model.finish();
}

#[tokio::test]
async fn a_session_takes_messages_of_its_own_project_alone() {
    // H3
    let model =
        Script::new().turn(|t| t.text("Alpha.").end("stop")).turn(|t| t.text("Beta.").end("stop")).start();
    let second = Folder::empty();
    let folder = second.path().display().to_string();
    let bed = Bed::with(&model, &["--project", &folder]);
    let json = |metadata: Value| {
        let answer = bed.ask(Method::POST, "/api/chat/messages").header("accept", "application/json");
        answer.json(&json!({ "content": "Hello?", "metadata": metadata })).send()
    };
    let first = json(json!({ "project": bed.project.path().display().to_string() })).await.unwrap();
    let session = first.json::<Value>().await.unwrap()["sessionId"].clone();
    let refused = json(json!({ "project": folder, "session": session })).await.unwrap();
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    assert_eq!(refused.json::<Value>().await.unwrap()["field"], "metadata.project");
    let named_by_its_session = json(json!({ "session": session })).await.unwrap();
    assert_eq!(named_by_its_session.status(), StatusCode::OK);
    model.finish();
}

#[test]
fn an_address_that_others_can_reach_and_one_that_is_taken_are_refused_with_the_flag_to_use() {
    // H1
    let home = Folder::empty();
    let project = Folder::empty();
    let folder = project.path().display().to_string();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for (listen, flag) in [("0.0.0.0:0", "--behind-proxy"), (address.as_str(), "--listen")] {
        let output = command(&home, &["--listen", listen, "--project", &folder]).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(flag), "{said}");
        assert_eq!(output.stdout, b"");
    }
}
