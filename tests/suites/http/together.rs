//! A window's engine, the command line and two servers on one data folder and one session (A7, H4).

use std::sync::Arc;

use orion_engine::config::Environment;
use orion_engine::paths::Paths;
use orion_engine::secrets::{KeyStore, Keychain, Redactor};
use orion_engine::{Engine, EngineOptions, Readers};
use orion_protocol::{Answer, Channel, Code, Op, Query, Reply, RequestId, Sha256};
use orion_providers::Providers;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use support::{Folder, Gate, Script, binary};

use super::{Bed, Events, seqs, started};

/// The engine of a window on the server's data folder.
async fn window(bed: &Bed) -> Engine {
    let home = bed.home.path();
    let variables =
        [("ORION_CONFIG_DIR", home.join("config")), ("ORION_DATA_DIR", home.join("data")), ("HOME", home)];
    let environment: Environment =
        variables.iter().map(|(name, path)| (*name, path.to_str().unwrap())).collect();
    let no_keychain = Keychain::with(|| Err(keyring_core::Error::NoDefaultStore));
    let options = EngineOptions {
        channel: Channel::Window,
        paths: Paths::find(&environment, None).unwrap(),
        keys: KeyStore::new(environment.clone(), no_keychain, Redactor::default()),
        environment,
        endpoint: None,
        connector: Arc::new(Providers::default()),
        readers: Readers::Several,
    };
    Engine::open(options).await.unwrap()
}

fn writing() -> Script {
    let begin = json!({ "intent": "As you asked.", "target_file": "notes.txt", "operation": "overwrite" });
    Script::new()
        .turn(|t| t.call("write_plan_begin", begin).end("tool_calls"))
        .turn(|t| t.text("The answer is 43.\nDONE").end("stop"))
        .turn(|t| t.text("Done.").end("stop"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_of_a_turn_over_http_is_approved_on_the_command_line_and_everybody_sees_the_same() {
    let model = writing().start();
    let bed = Bed::new(&model);
    let window = window(&bed).await;
    let message = json!({ "external_id": "m-1", "content": "Correct it." });
    let mut stream = bed.stream("/api/chat/messages_two_stage", &message).await;
    let asked = stream.until("asked").await;
    let turn = asked["requestId"].as_str().unwrap().to_owned();
    let approve = super::command(&bed.home, &["approve", &turn]);
    let approve = std::process::Command::new(binary("orion"))
        .args(approve.get_args())
        .env_clear()
        .envs(approve.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .output()
        .unwrap();
    assert!(approve.status.success(), "{}", String::from_utf8_lossy(&approve.stderr));
    let rest = stream.all().await;
    assert_eq!(rest.last().unwrap().1["report"]["writes"][0]["status"], "written");
    assert_eq!(bed.project.read("notes.txt"), b"The answer is 43.\n");
    // A second answer comes too late, whoever gives it.
    let request_id: RequestId = turn.parse().unwrap();
    let digest: Sha256 = asked["event"]["digest"].as_str().unwrap().parse().unwrap();
    let late = window.submit(Op::Reply { request_id, digest, reply: Reply::YES }).await;
    assert_eq!(late.unwrap_err().code, Code::NotWaiting);
    let Answer::Events { envelopes } =
        window.query(Query::Events { request_id, after_seq: 0 }).await.unwrap()
    else {
        panic!()
    };
    let path = format!("/api/v1/turns/{turn}/events");
    let whole = Events::of(bed.ask(Method::GET, &path).send().await.unwrap()).all().await;
    let there: Vec<u64> =
        envelopes.iter().filter(|it| it.event.is_durable()).map(|it| it.seq.into()).collect();
    assert_eq!(seqs(&whole), there);
    model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn of_an_answer_in_the_window_and_one_over_http_one_wins() {
    let model = writing().start();
    let bed = Bed::new(&model);
    let window = window(&bed).await;
    let mut stream = bed.stream("/api/chat/messages_two_stage", &json!({ "content": "Correct it." })).await;
    let asked = stream.until("asked").await;
    let turn = asked["requestId"].as_str().unwrap();
    let (request_id, digest): (RequestId, Sha256) =
        (turn.parse().unwrap(), asked["event"]["digest"].as_str().unwrap().parse().unwrap());
    let reply = json!({ "digest": asked["event"]["digest"], "reply": { "type": "allow", "keep": null } });
    let path = format!("/api/v1/turns/{turn}/reply");
    let (here, there) = tokio::join!(
        window.submit(Op::Reply { request_id, digest, reply: Reply::YES }),
        bed.post(&path, &reply),
    );
    let wins = [here.is_ok(), there.status() == StatusCode::OK];
    assert_eq!(wins.iter().filter(|won| **won).count(), 1, "{here:?} {there:?}");
    assert_eq!(stream.all().await.last().unwrap().1["report"]["stopReason"], "answered");
    model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_message_to_two_servers_is_one_turn_and_each_stops_that_of_the_other() {
    // H4
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("Al").hold(&gate).text("pha.").end("stop")).start();
    let bed = Bed::new(&model);
    let folder = bed.project.path().display().to_string();
    let (server, address) = started(&bed.home, &Folder::empty(), &["--project", &folder]);
    let (token, client) = (bed.token.clone(), bed.client.clone());
    let other = Bed { home: Folder::empty(), project: Folder::empty(), server, address, token, client };
    let message = json!({ "external_id": "m-1", "content": "Talk.", "metadata": { "project": folder } });
    let path = "/api/chat/messages_two_stage";
    let (mut here, mut there) = tokio::join!(bed.stream(path, &message), other.stream(path, &message));
    let turn = here.next().await.unwrap().1["requestId"].clone();
    assert_eq!(there.next().await.unwrap().1["requestId"], turn);
    here.until("text_chunk").await;
    // Whichever of them has it.
    let steer = format!("/api/v1/turns/{}/steer", turn.as_str().unwrap());
    for server in [&bed, &other] {
        assert_eq!(server.post(&steer, &json!({ "text": "Shorter." })).await.status(), StatusCode::OK);
    }
    let stopped = other.post(&format!("/api/v1/turns/{}/stop", turn.as_str().unwrap()), &json!({})).await;
    assert_eq!(stopped.status(), StatusCode::OK);
    let ends = [here.all().await, there.all().await];
    for end in &ends {
        assert_eq!(end.last().unwrap().1["report"]["stopReason"], "stopped");
    }
    let sessions: Value = bed.get("/api/v1/sessions").await;
    assert_eq!(sessions["sessions"].as_array().map(Vec::len), Some(1), "the second left nothing behind");
}
