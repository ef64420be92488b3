//! What comes of bodies that are odd or break off. How bodies travel is tested in `tests/suites/providers`.

use std::io;

use orion_protocol::Code;

use super::*;
use crate::tuning::Waits;

/// An event with a piece of an answer.
const PIECE: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";

fn text(text: &str) -> ModelEvent {
    ModelEvent::Deltas(vec![ModelDelta::Text { text: text.into() }])
}

fn body(text: impl Into<Bytes>) -> BoxStream<'static, io::Result<Bytes>> {
    let text: Bytes = text.into();
    stream::iter([Ok(text)]).boxed()
}

async fn events(
    body: impl Stream<Item = io::Result<Bytes>> + Send + 'static,
    host: &Host,
) -> Vec<ModelEvent> {
    // What is there at once is never waited for.
    let tuning = Tuning { hosted: Waits::all(Duration::from_millis(30)), ..Tuning::default() };
    read(body, Ending::Marked, host.clone(), tuning).collect().await
}

fn failure(events: &[ModelEvent]) -> &ErrorInfo {
    match events.last() {
        Some(ModelEvent::Failed(error)) => error,
        other => panic!("no failure but {other:?}"),
    }
}

#[tokio::test]
async fn the_key_is_taken_out_before_what_came_is_shortened() {
    let key = format!("sk-proj-{}", "k".repeat(156));
    let host = Host { key: Some(key.clone().into()), ..Host::default() };
    let words = "x".repeat(100);
    for (said, shown) in [
        (format!("{PIECE}{words}: {key}\n\n"), format!("{words}: [key]")),
        (format!("data: {words} {key}\n\n"), format!("{words} [key]")),
        (format!("{{\"status\":\"{words} {key}\"}}"), format!("{{\"status\":\"{words} [key]\"}}")),
    ] {
        let events = events(body(said.clone()), &host).await;
        assert_eq!((&said, failure(&events).detail.as_ref()), (&said, Some(&shown)));
    }
}

#[tokio::test]
async fn a_sentence_alone_in_a_named_event_is_no_error() {
    // P10
    let with = |name: &str, data: &str| body(format!("event: {name}\ndata: {data}\n\n{PIECE}"));
    for (name, data) in [("status", r#"{"message":"queued"}"#), ("ping", r#"{"type":"ping","message":null}"#)]
    {
        let events = events(with(name, data), &Host::default()).await;
        assert_eq!((name, events), (name, vec![text("a"), ModelEvent::Ended]));
    }
    for (data, code) in [
        (r#"{"code":503,"message":"m"}"#, Code::Overloaded),
        (r#"{"code":"Throttling","message":"m"}"#, Code::RateLimited),
        (r#"{"error":"m"}"#, Code::Malformed),
        (r#"{"success":false,"errors":[{"code":7000,"message":"m"}]}"#, Code::Malformed),
        (r#"{"type":"error","message":"m"}"#, Code::Malformed),
    ] {
        let events = events(with("status", data), &Host::default()).await;
        assert_eq!((data, events.len(), failure(&events).code), (data, 1, code));
    }
}

#[tokio::test]
async fn an_end_before_anything_of_an_answer_is_no_answer() {
    // P10: a proxy says so where its own server has sent nothing.
    let events = events(body(": x\n\ndata: [DONE]\n\n"), &Host::default()).await;
    assert_eq!((events.len(), failure(&events).code), (1, Code::CutOff));
}

#[tokio::test]
async fn no_more_of_a_finish_reason_is_in_a_message_than_a_person_reads() {
    let reason = format!("function_call_filter: {}", "x".repeat(1_000));
    let said = format!("data: {{\"choices\":[{{\"finish_reason\":\"{reason}\"}}]}}\n\n");
    let events = events(body(said), &Host::default()).await;
    let error = failure(&events);
    assert_eq!((error.code, error.message.chars().count() < 300), (Code::Malformed, true));
}

#[tokio::test]
async fn an_answer_in_one_object_is_whole_whatever_becomes_of_its_connection() {
    // P10
    let whole = r#"{"choices":[{"message":{"content":"a"}}]}"#;
    let reset = || stream::iter([Err(io::Error::from(io::ErrorKind::ConnectionReset))]);
    let expected = [text("a"), ModelEvent::Ended];
    assert_eq!(events(body(whole).chain(reset()), &Host::default()).await, expected);
    assert_eq!(events(body(whole).chain(stream::pending()), &Host::default()).await, expected);
    // Lines after it say that it may not be all.
    let stray = format!("{whole}\nupstream error\n\n");
    let events = events(body(stray).chain(reset()), &Host::default()).await;
    assert_eq!((events.len(), failure(&events).code), (2, Code::CutOff));
}

/// The end of an answer whose finish reason means that it is complete.
const FINISH: &str = "data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\n";

fn finish(reason: &str) -> ModelEvent {
    ModelEvent::Deltas(vec![ModelDelta::Finish { reason: reason.into() }])
}

fn usage(prompt_tokens: u32) -> ModelEvent {
    let usage = orion_protocol::Usage { prompt_tokens: Some(prompt_tokens), ..Default::default() };
    ModelEvent::Deltas(vec![ModelDelta::Usage { usage }])
}

#[tokio::test]
async fn whatever_follows_a_finish_reason_fails_nothing_and_usage_counts() {
    // P10
    let usage_event = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9}}\n\n";
    for after in [
        "data: [done]\n\n",
        "data:[ Done ] \n\n",
        "data: DONE\n\n",
        "data: {\"choices\":[{\"delta\"\n\n",
        "data: }{\n\n",
        "data: <html>\n\n",
        "data: {\"message\":\"bye\"}\n\n",
        "data: {\"error\":{\"code\":503}}\n\n",
        "data: {\"choices\":[{\"error\":{\"code\":503}}]}\n\n",
        "event: error\ndata: gone\n\n",
        "error: gone\n\n",
        "{\"error\":{\"code\":503}}\n\n",
        "upstream error: read ECONNRESET\n\n",
    ] {
        let expected = [text("a"), finish("stop"), ModelEvent::Ended];
        let events = events(body(format!("{PIECE}{FINISH}{after}")), &Host::default()).await;
        assert_eq!((after, &*events), (after, &expected[..]));
        if !after.to_lowercase().contains("[done]") && !after.contains("[ Done ]") {
            let expected = [text("a"), finish("stop"), usage(9), ModelEvent::Ended];
            let events =
                self::events(body(format!("{PIECE}{FINISH}{after}{usage_event}")), &Host::default()).await;
            assert_eq!((after, &*events), (after, &expected[..]));
        }
    }
    // More than a response may have.
    let endless = stream::iter(vec![Bytes::from(vec![b'x'; 1 << 20]); 65]).map(Ok);
    let events = events(body(format!("{PIECE}{FINISH}")).chain(endless), &Host::default()).await;
    assert_eq!(events, [text("a"), finish("stop"), ModelEvent::Ended]);
}

#[tokio::test]
async fn an_error_beside_a_finish_reason_or_after_an_incomplete_answer_is_an_error() {
    // P10
    let error = "\"error\":{\"code\":503}";
    for said in [
        format!("data: {{\"choices\":[{{\"finish_reason\":\"stop\"}}],{error}}}\n\n"),
        format!("data: {{\"choices\":[{{\"finish_reason\":\"stop\",{error}}}]}}\n\n"),
        format!("data: {{\"choices\":[{{\"finish_reason\":\"length\"}}]}}\n\ndata: {{{error}}}\n\n"),
        format!("data: {{\"choices\":[{{\"finish_reason\":\"odd\"}}]}}\n\n{{{error}}}\n\n"),
        format!("data: {{{error}}}\n\n{FINISH}"),
    ] {
        let events = events(body(format!("{PIECE}{said}")), &Host::default()).await;
        assert_eq!((&said, failure(&events).code), (&said, Code::Overloaded));
    }
}

#[tokio::test(start_paused = true)]
async fn what_carries_nothing_does_not_keep_a_finished_answer_open() {
    let pulse = tokio::time::interval(Duration::from_secs(1));
    let junk = stream::unfold(pulse, |mut pulse| async {
        pulse.tick().await;
        Some((Ok(Bytes::from_static(b"data: {}\n\ndata: x\n\nx\n\n")), pulse))
    });
    let begun = tokio::time::Instant::now();
    let body = body(format!("{PIECE}{FINISH}")).chain(junk);
    let events: Vec<_> = read(body, Ending::Marked, Host::default(), Tuning::default()).collect().await;
    assert_eq!(events, [text("a"), finish("stop"), ModelEvent::Ended]);
    assert_eq!(begun.elapsed(), Tuning::default().after_finish);
}

#[tokio::test]
async fn a_byte_order_mark_before_a_payload_loses_nothing_of_it() {
    let marked = format!("\u{feff}\u{feff}{}\u{feff}{FINISH}", PIECE.replace(": {", ": \u{feff}{"));
    let events = events(body(marked), &Host::default()).await;
    assert_eq!(events, [text("a"), finish("stop"), ModelEvent::Ended]);
}

/// A server that sends a comment every 30 s, its first piece after so many of them, and the end a minute later.
fn reads_for(comments: usize) -> impl Stream<Item = io::Result<Bytes>> + Send {
    let pulse = tokio::time::interval(Duration::from_secs(30));
    stream::unfold((pulse, 0), move |(mut pulse, sent)| async move {
        pulse.tick().await;
        let said = match sent {
            sent if sent < comments => ": keep-alive\n\n",
            sent if sent == comments => PIECE,
            sent if sent < comments + 3 => ": keep-alive\n\n",
            sent if sent == comments + 3 => FINISH,
            _ => return None,
        };
        Some((Ok(Bytes::from_static(said.as_bytes())), (pulse, sent + 1)))
    })
}

#[tokio::test(start_paused = true)]
async fn a_local_server_may_read_a_prompt_for_as_long_as_the_turn_lasts_and_a_hosted_one_for_five_minutes() {
    let seconds = Duration::from_secs;
    let turn = |seconds| Waits { first: Some(seconds), heard: Some(seconds), ..Waits::NEAR };
    let answered = vec![text("a"), finish("stop"), ModelEvent::Ended];
    // Twenty minutes; and the limit of the turn.
    for (near, waits, comments, waited) in [
        (true, Waits::NEAR, 40, None),
        (true, turn(seconds(1_800)), 20, None),
        (true, turn(seconds(500)), 20, Some(500)),
        (false, Waits::HOSTED, 9, None),
        (false, Waits::HOSTED, 20, Some(300)),
        // What the person sets is in the place of each limit.
        (false, Waits::all(seconds(700)), 20, None),
    ] {
        let host = Host { near, ..Host::default() };
        let tuning = Tuning { hosted: waits, near: waits, ..Tuning::default() };
        let begun = tokio::time::Instant::now();
        // A minute and a half between two pieces, which a hosted service is not granted.
        let between = if near || waits.between > seconds(90) { 0 } else { 1 };
        let events: Vec<_> = read(reads_for(comments), Ending::Marked, host, tuning).collect().await;
        match (waited, between) {
            (None, 0) => assert_eq!(events, answered, "{waits:?}"),
            (None, _) => {
                assert_eq!((&events[0], failure(&events).code), (&text("a"), Code::IdleTimeout));
                assert_eq!(begun.elapsed(), seconds(9 * 30 + 60));
            }
            (Some(waited), _) => {
                assert_eq!((events.len(), failure(&events).code), (1, Code::IdleTimeout));
                assert_eq!((begun.elapsed(), waits), (seconds(waited), waits));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_hosted_service_that_says_nothing_is_given_up_after_two_minutes() {
    let begun = tokio::time::Instant::now();
    let events: Vec<_> =
        read(stream::pending::<io::Result<Bytes>>(), Ending::Marked, Host::default(), Tuning::default())
            .collect()
            .await;
    let error = failure(&events);
    assert_eq!((events.len(), error.code, begun.elapsed()), (1, Code::IdleTimeout, Duration::from_secs(120)));
}

/// A server that reads 100 tokens of 1,000 each second and says so each time, and then answers.
fn reads_aloud(each: Duration) -> impl Stream<Item = io::Result<Bytes>> + Send {
    let pulse = tokio::time::interval_at(tokio::time::Instant::now() + each, each);
    stream::unfold((pulse, 0), |(mut pulse, sent)| async move {
        pulse.tick().await;
        let said = match sent {
            0..10 => format!(
                "data: {{\"choices\":[{{\"delta\":{{\"role\":\"assistant\",\"content\":null}}}}],\"prompt_progress\":{{\"total\":1100,\"cache\":100,\"processed\":{},\"time_ms\":{}}}}}\n\n",
                (sent + 2) * 100,
                (sent + 1) * 1_000,
            ),
            10 => format!("{PIECE}{FINISH}"),
            _ => return None,
        };
        Some((Ok(Bytes::from(said)), (pulse, sent + 1)))
    })
}

#[tokio::test(start_paused = true)]
async fn how_far_a_prompt_is_read_is_told_as_it_comes_and_no_more_often_than_a_person_reads() {
    let host = Host { near: true, ..Host::default() };
    let of = async |each| {
        let events: Vec<_> =
            read(reads_aloud(each), Ending::Marked, host.clone(), Tuning::default()).collect().await;
        let (told, rest): (Vec<_>, Vec<_>) =
            events.into_iter().partition(|event| matches!(event, ModelEvent::Reading(_)));
        assert_eq!(rest, [text("a"), finish("stop"), ModelEvent::Ended]);
        told
    };
    let told = of(Duration::from_secs(1)).await;
    let expected: Vec<_> = (1..=10)
        .map(|second| {
            ModelEvent::Reading(PromptProgress {
                total: Some(1_100),
                cached: Some(100),
                processed: Some((second + 1) * 100),
                elapsed_ms: u64::from(second) * 1_000,
                left_ms: Some(u64::from(10 - second) * 1_000),
            })
        })
        .collect();
    assert_eq!(told, expected);
    assert_eq!(of(Duration::from_millis(50)).await.len(), 5);
}
