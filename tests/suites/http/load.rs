//! Many readers of many turns at once, and some that never read: nothing is lost, and none of them costs the server memory (H6).
#![cfg(target_os = "linux")]

use std::fs;

use futures_util::future::join_all;
use orion_thorough::cases;
use reqwest::{Client, Method, Response, StatusCode};
use serde_json::{Value, json};
use support::{Gate, Script, Turn};

use super::{Bed, Events, printed, text};

/// Turns at once: as many as may be.
const TURNS: usize = 8;

/// Readers of each turn, by both tokens together.
const READERS: usize = 5;

/// Memory that readers may take together, in KiB.
pub(super) const MORE_KIB: u64 = 64 * 1024;

/// Memory that the process has had at most so far, in KiB.
pub(super) fn most_kib(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    most.trim().trim_end_matches(" kB").parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn forty_readers_of_eight_turns_lose_nothing_and_twenty_that_never_read_change_nothing() {
    // More than the buffers of a connection hold, so that a reader which does not read holds its own stream up.
    let (chunks, words) = (cases(250, 2_000), cases(90, 10));
    let chunk = move |n: usize| -> String { (0..words).map(|at| format!("{n}.{at} ")).collect() };
    let gate = Gate::new();
    let held = gate.clone();
    let talk = move |_: usize, _: &support::Request| {
        let turn = (0..chunks).fold(Turn::default().hold(&held), |turn, n| turn.text(&chunk(n)));
        turn.end("stop")
    };
    let model = Script::new().forever(talk).start();
    let mut bed = Bed::new(&model);
    let reading = printed(&bed.home, &["--print-token", "--reading"]);
    let mut turns = Vec::new();
    for _ in 0..TURNS {
        let started: Value =
            bed.post("/api/v1/turns", &json!({ "content": "Talk." })).await.json().await.unwrap();
        turns.push(format!("/api/v1/turns/{}/events", started["requestId"].as_str().unwrap()));
    }
    let before = most_kib(bed.server.id());
    // 32 streams of each token: half of the readers have the one that reads.
    let full = std::mem::take(&mut bed.token);
    let mut streams: Vec<Response> = Vec::new();
    for reader in 0..TURNS * READERS + 20 {
        bed.token = if reader % 2 == 0 { full.clone() } else { reading.clone() };
        // Each has a connection of its own.
        bed.client = Client::builder().no_proxy().build().unwrap();
        let stream = bed.ask(Method::GET, &turns[reader % TURNS]).send().await.unwrap();
        assert_eq!(stream.status(), StatusCode::OK);
        streams.push(stream);
    }
    let silent = streams.split_off(TURNS * READERS);
    gate.open();
    let told = join_all(streams.into_iter().map(|stream| Events::of(stream).all())).await;
    let whole: String = (0..chunks).map(chunk).collect();
    for events in &told {
        let (came, last) = (text(events), &events.last().unwrap().1["report"]);
        assert!(came == whole, "{} of {} bytes: {}", came.len(), whole.len(), last["stopReason"]);
        assert_eq!(events.iter().filter(|(_, event)| event["done"] == true).count(), 1);
    }
    let more = most_kib(bed.server.id()).saturating_sub(before);
    assert!(more <= MORE_KIB, "{more} KiB more");
    drop(silent);
}
