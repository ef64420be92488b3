//! Recorded answers of real endpoints, cut in every way: the merged result is the one on record (P9, P10, T5).
//!
//! The recordings are data beside the project, not part of it. Where they are not there, the suite says that it ran on
//! none.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use orion_core::merge::Merge;
use orion_core::model::ModelDelta;
use orion_engine::endpoint::ModelEvent;
use orion_protocol::{Code, Usage};
use orion_providers::answer::{Ending, read};
use orion_providers::{Host, Tuning};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::chunking::random_cuts;

/// Streams up to this size are cut at every place, in bytes.
const SMALL: usize = 2_000;

#[derive(Deserialize)]
struct Recording {
    name: String,
    file: String,
    expected: Expected,
}

#[derive(Deserialize)]
struct Expected {
    text_sha256: String,
    text_chars: usize,
    reasoning_sha256: String,
    reasoning_chars: usize,
    tool_calls: Vec<ExpectedCall>,
    finish_reasons: Vec<String>,
    usage: Option<ExpectedUsage>,
    errors: Vec<serde_json::Value>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct ExpectedCall {
    id: Option<String>,
    name: String,
    arguments: String,
}

#[derive(Deserialize)]
struct ExpectedUsage {
    prompt_tokens: Option<u32>,
    completion_tokens: Option<u32>,
    completion_tokens_details: Option<BTreeMap<String, serde_json::Value>>,
    prompt_tokens_details: Option<BTreeMap<String, serde_json::Value>>,
}

/// What a client has at the end of a stream.
#[derive(Debug, Clone, PartialEq)]
struct Outcome {
    text: (String, usize),
    reasoning: (String, usize),
    calls: Vec<ExpectedCall>,
    finish: Vec<String>,
    usage: Option<Usage>,
    /// The code of the error it ended with.
    failed: Option<Code>,
}

fn digest(text: &str) -> (String, usize) {
    let hex = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    (hex, text.chars().count())
}

impl Outcome {
    /// Reads a body cut before these places.
    async fn of(body: &[u8], cuts: &[usize]) -> Self {
        let mut pieces = Vec::new();
        let mut from = 0;
        for &cut in cuts.iter().chain([&body.len()]) {
            pieces.push(Ok::<_, Infallible>(Bytes::copy_from_slice(&body[from..cut])));
            from = cut;
        }
        let (mut text, mut reasoning) = (String::new(), String::new());
        let (mut finish, mut usage, mut failed, mut merge) = (vec![], None, None, Merge::default());
        let answer = read(stream::iter(pieces), Ending::Marked, Host::default(), Tuning::default());
        let events: Vec<ModelEvent> = answer.collect().await;
        let (last, earlier) = events.split_last().expect("an answer has a last event");
        for event in earlier {
            let ModelEvent::Deltas(deltas) = event else { panic!("{event:?} before the end") };
            assert!(!deltas.is_empty(), "an event without pieces");
            for delta in deltas {
                merge.apply(delta);
                match delta {
                    ModelDelta::Text { text: more } => text.push_str(more),
                    ModelDelta::Reasoning { text: more } => reasoning.push_str(more),
                    ModelDelta::Finish { reason } => finish.push(reason.clone()),
                    ModelDelta::Usage { usage: newer } => usage = Some(*newer),
                    ModelDelta::ReasoningField { .. }
                    | ModelDelta::ReasoningDetails { .. }
                    | ModelDelta::ToolCall { .. } => {}
                }
            }
        }
        match last {
            ModelEvent::Ended => {}
            ModelEvent::Failed(error) => failed = Some(error.code),
            other => panic!("{other:?} at the end"),
        }
        let call = |call: &orion_core::merge::MergedCall| ExpectedCall {
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        };
        let calls = merge.calls().iter().map(call).collect();
        Self { text: digest(&text), reasoning: digest(&reasoning), calls, finish, usage, failed }
    }
}

impl Expected {
    fn outcome(&self) -> Outcome {
        let detail = |details: &Option<BTreeMap<String, serde_json::Value>>, key: &str| {
            details
                .as_ref()
                .and_then(|details| details.get(key)?.as_u64())
                .map(|count| u32::try_from(count).unwrap())
        };
        Outcome {
            text: (self.text_sha256.clone(), self.text_chars),
            reasoning: (self.reasoning_sha256.clone(), self.reasoning_chars),
            calls: self.tool_calls.clone(),
            finish: self.finish_reasons.clone(),
            usage: self.usage.as_ref().map(|usage| Usage {
                prompt_tokens: usage.prompt_tokens,
                completion_tokens: usage.completion_tokens,
                reasoning_tokens: detail(&usage.completion_tokens_details, "reasoning_tokens"),
                cached_tokens: detail(&usage.prompt_tokens_details, "cached_tokens"),
                estimated: false,
            }),
            failed: self.errors.first().map(code),
        }
    }
}

/// Which code an error object on record stands for: by its status, where it names one.
fn code(error: &serde_json::Value) -> Code {
    let status = error.get("status_code").or(error.get("code")).and_then(serde_json::Value::as_u64);
    match status {
        Some(400) => Code::BadRequest,
        Some(502) => Code::Overloaded,
        other => panic!("no code is set for the status {other:?}"),
    }
}

struct Streams(Vec<(Recording, Vec<u8>)>);

impl Streams {
    fn on_record() -> Self {
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/streams");
        let folder = std::env::var_os("ORION_STREAMS").map_or(beside, PathBuf::from);
        let Ok(index) = std::fs::read(folder.join("index.json")) else {
            eprintln!("ran on 0 recorded streams: none in {}", folder.display());
            return Self(vec![]);
        };
        let recordings: Vec<Recording> = serde_json::from_slice(&index).expect("an index of recordings");
        let read = |recording: Recording| {
            let body = std::fs::read(folder.join(&recording.file)).expect("a recording of the index");
            (recording, body)
        };
        let streams: Vec<_> = recordings.into_iter().map(read).collect();
        eprintln!("running on {} recorded streams", streams.len());
        Self(streams)
    }
}

/// What each recorded stream says: its text, its reasoning, and the arguments of each call, with where it stands.
pub(crate) async fn recorded_texts() -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for (Recording { name, .. }, body) in Streams::on_record().0 {
        let pieces = stream::iter([Ok::<_, Infallible>(Bytes::from(body))]);
        let events: Vec<ModelEvent> =
            read(pieces, Ending::Marked, Host::default(), Tuning::default()).collect().await;
        let (mut text, mut reasoning, mut merge) = (String::new(), String::new(), Merge::default());
        for event in events {
            let ModelEvent::Deltas(deltas) = event else { continue };
            for delta in deltas {
                merge.apply(&delta);
                match delta {
                    ModelDelta::Text { text: more } => text.push_str(&more),
                    ModelDelta::Reasoning { text: more } => reasoning.push_str(&more),
                    _ => {}
                }
            }
        }
        texts.extend([(format!("text of {name}"), text), (format!("reasoning of {name}"), reasoning)]);
        let arguments = merge.calls().iter().map(|call| call.arguments.clone());
        texts.extend(arguments.map(|arguments| (format!("arguments of {name}"), arguments)));
    }
    texts
}

#[tokio::test]
async fn every_recorded_stream_gives_what_is_on_record_whole_and_byte_by_byte() {
    for (Recording { name, expected, .. }, body) in Streams::on_record().0 {
        let whole = Outcome::of(&body, &[]).await;
        assert_eq!((&name, whole), (&name, expected.outcome()));
        let bytes: Vec<usize> = (1..body.len()).collect();
        assert_eq!((&name, Outcome::of(&body, &bytes).await), (&name, expected.outcome()));
    }
}

#[tokio::test]
async fn small_recorded_streams_give_the_same_at_every_cut_in_two() {
    for (Recording { name, expected, .. }, body) in Streams::on_record().0 {
        let expected = expected.outcome();
        for cut in 1..body.len().min(if body.len() <= SMALL { SMALL } else { 1 }) {
            assert_eq!((&name, cut, Outcome::of(&body, &[cut]).await), (&name, cut, expected.clone()));
        }
    }
}

#[tokio::test]
async fn recorded_streams_with_crlf_and_with_cr_alone_give_the_same() {
    for (Recording { name, expected, .. }, body) in Streams::on_record().0 {
        let text = String::from_utf8(body).unwrap().replace("\r\n", "\n");
        for end in ["\r\n", "\r"] {
            let body = format!("\u{feff}{}", text.replace('\n', end));
            let halves = [body.len() / 2];
            assert_eq!(
                (&name, end, Outcome::of(body.as_bytes(), &halves).await),
                (&name, end, expected.outcome())
            );
        }
    }
}

#[test]
fn recorded_streams_give_the_same_at_random_cuttings() {
    let streams = Streams::on_record().0;
    if streams.is_empty() {
        return;
    }
    let smaller: Vec<_> = streams.iter().filter(|(_, body)| body.len() <= 10_000).collect();
    let config = Config { cases: random_cuts(), failure_persistence: None, ..Config::default() };
    // One seed, so that a failure comes again.
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let cutting = (0..smaller.len(), proptest::collection::vec(any::<prop::sample::Index>(), 0..40));
    let outcome = TestRunner::new_with_rng(config, rng).run(&cutting, |(which, cuts)| {
        let (recording, body) = smaller[which];
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len())).collect();
        cuts.sort_unstable();
        let outcome = runtime.block_on(Outcome::of(body, &cuts));
        prop_assert_eq!((&recording.name, outcome), (&recording.name, recording.expected.outcome()));
        Ok(())
    });
    outcome.unwrap();
}
