//! Every way a call can fail: the code, the words, what is tried again, and that what came before stays.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use orion_engine::endpoint::{Connector, ModelEvent, Patience};
use orion_engine::learned::OfModel;
use orion_engine::received::Received;
use orion_protocol::Code;
use orion_providers::answer::{Ending, read};
use orion_providers::{Host, Providers, Tuning, Waits};
use support::{Framing, Script, within};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::{
    KEY, SOON, Seen, at, deltas, error, events, events_of, finish, question, quick, script, seen, text, turn,
};

#[tokio::test]
async fn a_wrong_key_is_said_once_and_never_shown() {
    let body =
        format!(r#"{{"error":{{"message":"Incorrect API key: {KEY}\u001b[2J","code":"invalid_api_key"}}}}"#);
    let events = events(quick(), [turn().status(401).body(body)]).await;
    assert_eq!(events.len(), 1);
    let error = error(&events);
    assert_eq!((error.code, error.retryable), (Code::Authentication, false));
    assert_eq!(error.detail.as_deref(), Some("Incorrect API key: [key]\u{fffd}[2J"));
    assert_eq!(error.action.as_deref(), Some("Check the key in the settings, or set another one."));
    assert!(
        error.message.starts_with("127.0.0.1:") && error.message.ends_with(" refused the key (status 401).")
    );
}

#[tokio::test]
async fn failures_have_codes_by_status_and_by_the_fields_of_their_body() {
    let code = async |status: u16, body: &str| {
        let tuning = Tuning { retry_for: Some(Duration::ZERO), ..quick() };
        error(&events(tuning, [turn().status(status).body(body)]).await).code
    };
    let context =
        r#"{"error":{"message":"m","type":"invalid_request_error","code":"context_length_exceeded"}}"#;
    assert_eq!(code(400, context).await, Code::ContextTooLong);
    assert_eq!(code(400, r#"{"error":{"type":"exceed_context_size_error"}}"#).await, Code::ContextTooLong);
    assert_eq!(code(400, r#"{"error":{"message":"context length exceeded"}}"#).await, Code::BadRequest);
    assert_eq!(code(413, "").await, Code::ContextTooLong);
    assert_eq!(code(403, "<html>").await, Code::AccessDenied);
    assert_eq!(code(403, r#"{"error":{"type":"permission_error"}}"#).await, Code::AccessDenied);
    assert_eq!(code(403, r#"{"error":{"code":"invalid_api_key"}}"#).await, Code::Authentication);
    assert_eq!(code(451, "").await, Code::AccessDenied);
    assert_eq!(code(402, r#"{"error":{"message":"Insufficient Balance"}}"#).await, Code::RateLimited);
    assert_eq!(code(404, r#"{"error":{"type":"api_error","message":"m"}}"#).await, Code::ModelUnknown);
    assert_eq!(code(404, "404 page not found").await, Code::BadRequest);
    let wrong_address = r#"{"error":{"message":"Invalid URL (POST /chat/completions)","type":"invalid_request_error","param":null,"code":null}}"#;
    assert_eq!(code(404, wrong_address).await, Code::BadRequest);
    assert_eq!(code(422, r#"{"detail":[{"msg":"m"}]}"#).await, Code::BadRequest);
    assert_eq!(code(429, "").await, Code::RateLimited);
    for status in [500, 502, 503, 504, 529] {
        assert_eq!((status, code(status, "").await), (status, Code::Overloaded));
    }
}

#[tokio::test]
async fn a_bad_request_carries_the_providers_own_words() {
    let body = r#"{"error":{"message":"temperature must be below 2","type":"invalid_request_error"}}"#;
    let events = events(quick(), [turn().status(400).body(body)]).await;
    assert_eq!(error(&events).detail.as_deref(), Some("temperature must be below 2"));
}

#[tokio::test]
async fn a_rate_limit_is_waited_for_as_long_as_the_provider_asks() {
    let limited = turn().status(429).header("retry-after", "1").body("{}");
    let expected = vec![
        Seen::Retrying(2, 1_000, Code::RateLimited),
        Seen::Event(text("a")),
        Seen::Event(finish("stop")),
        Seen::Event(ModelEvent::Ended),
    ];
    let a_second = Tuning { retry_for: Some(Duration::from_secs(1)), ..quick() };
    assert_eq!(seen(events(a_second, [limited, turn().text("a").end("stop")]).await), expected);
}

#[tokio::test]
async fn a_rate_limit_that_lasts_too_long_is_told_instead() {
    let limited = turn().status(429).header("retry-after", "61").body("{}");
    let events = events(Tuning::default(), [limited]).await;
    assert_eq!(events.len(), 1);
    assert_eq!((error(&events).code, error(&events).retry_after_s), (Code::RateLimited, Some(61)));
    assert_eq!(error(&events).action.as_deref(), Some("Wait 61 s, then try again."));
}

#[tokio::test]
async fn the_body_of_a_refusal_that_never_ends_is_judged_by_what_came_of_it() {
    let limited = |body: &str| turn().status(429).header("retry-after", "61").raw(body).hang();
    let whole = limited(r#"{"error":{"message":"No credit.","code":"insufficient_quota"}}"#);
    // The rest of the key may yet have come.
    let cut = limited(&format!("No more for {}", &KEY[..15]));
    let (whole, cut) = tokio::join!(events(quick(), [whole]), events(quick(), [cut]));
    for (events, retryable, detail) in [(whole, false, "No credit."), (cut, true, "No more for [key]")] {
        assert_eq!(events.len(), 1, "{events:?}");
        let error = error(&events);
        assert_eq!(
            (error.code, error.retryable, error.retry_after_s),
            (Code::RateLimited, retryable, Some(61))
        );
        assert_eq!(error.detail.as_deref(), Some(detail));
    }
}

#[tokio::test]
async fn an_overloaded_provider_is_tried_again_with_growing_pauses_for_up_to_a_minute() {
    // The pauses are the caller's to wait, and this one does not.
    let pauses = [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000, 8_000, 8_000];
    assert!(pauses.iter().sum::<u64>() <= 60_000);
    for (status, code) in [(503, Code::Overloaded), (529, Code::Overloaded), (429, Code::RateLimited)] {
        let busy = || turn().status(status).body(r#"{"error":{"message":"busy"}}"#);
        let expected = (2..).zip(pauses).map(|(attempt, pause)| Seen::Retrying(attempt, pause, code));
        let expected: Vec<Seen> = expected.chain([Seen::Failed(code)]).collect();
        assert_eq!(seen(events(Tuning::default(), (0..11).map(|_| busy())).await), expected);
    }
}

#[tokio::test]
async fn without_time_to_retry_an_overloaded_provider_is_asked_once() {
    let never = Tuning { retry_for: Some(Duration::ZERO), ..quick() };
    let events = seen(events(never, [turn().status(503).body("")]).await);
    assert_eq!(events, vec![Seen::Failed(Code::Overloaded)]);
}

#[tokio::test]
async fn no_server_is_a_failed_connection_that_says_what_to_do() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let events = events_of(&format!("http://{free}/v1"), quick()).await;
    let (error, events) = (error(&events).clone(), seen(events));
    assert_eq!(
        events,
        vec![
            Seen::Retrying(2, 1, Code::Connection),
            Seen::Retrying(3, 2, Code::Connection),
            Seen::Failed(Code::Connection)
        ]
    );
    assert_eq!(error.message, format!("Nothing answers at {free}."));
    assert_eq!(error.action.as_deref(), Some("Start the model server, or check the base URL."));
}

/// A server that takes each connection, says this when it was said something, and closes it.
async fn saying(banner: &'static [u8]) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut request = [0; 1];
            socket.read_exact(&mut request).await.unwrap();
            socket.write_all(banner).await.unwrap();
        }
    });
    address.to_string()
}

#[tokio::test]
async fn a_server_that_answers_with_nothing_or_with_something_else_is_not_called_absent() {
    for banner in [&b""[..], b"HTTP/1.1 200 OK\r\nContent-Ty"] {
        let address = saying(banner).await;
        let events = events_of(&format!("http://{address}/v1"), Tuning { attempts: 1, ..quick() }).await;
        let expected = format!("{address} closed the connection before it answered.");
        assert_eq!((error(&events).code, &error(&events).message), (Code::Connection, &expected));
    }
    for banner in
        [&b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"[..], b"220 mail ESMTP\r\n", b"\x15\x03\x01\x00\x02\x02\x46"]
    {
        let address = saying(banner).await;
        let events = events_of(&format!("http://{address}/v1"), quick()).await;
        let expected = format!("Something other than a model server answers at {address}.");
        assert_eq!((events.len(), &error(&events).message), (1, &expected));
        assert_eq!(error(&events).action.as_deref(), Some("Check the base URL, especially its port."));
    }
}

/// A server that takes each connection and ends it in the middle of the handshake of TLS.
async fn hanging_up() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            socket.shutdown().await.unwrap();
            // Whatever is said is read, so that the end is clean.
            tokio::io::copy(&mut socket, &mut tokio::io::sink()).await.unwrap();
        }
    });
    address.to_string()
}

#[tokio::test]
async fn a_server_that_closes_the_connection_within_the_handshake_is_not_called_absent() {
    // What was said is still unread at the first, so its end is a reset.
    for address in [saying(b"").await, hanging_up().await] {
        let events = events_of(&format!("https://{address}/v1"), Tuning { attempts: 1, ..quick() }).await;
        let expected = format!("{address} closed the connection before it answered.");
        assert_eq!((error(&events).code, &error(&events).message), (Code::Connection, &expected));
    }
}

#[tokio::test(start_paused = true)]
async fn blank_lines_without_data_end_after_the_idle_time() {
    let idle = Duration::from_secs(60);
    let pulse = tokio::time::interval(idle / 10);
    let lines = stream::unfold(pulse, |mut pulse| async {
        pulse.tick().await;
        Some((Ok::<_, std::convert::Infallible>(Bytes::from_static(b"\n")), pulse))
    });
    // Far more than come within the idle time.
    let body = lines.take(100);
    let tuning = Tuning { hosted: Waits::all(idle), ..Tuning::default() };
    let events: Vec<_> = read(body, Ending::Marked, Host::default(), tuning).collect().await;
    assert_eq!(seen(events), [Seen::Failed(Code::IdleTimeout)]);
}

#[tokio::test]
async fn pieces_of_a_call_are_not_said_to_be_kept() {
    // P10: no call of a response that broke off runs.
    let call = turn().delta(serde_json::json!({"tool_calls": [
        {"index": 0, "id": "c", "function": {"name": "list_files", "arguments": "{\"pa"}}]}));
    for (answer, action) in [
        (call.clone(), "Send the message again."),
        (call.text("a"), "What came is kept. Send the message again."),
    ] {
        let at = answer.rendered().len();
        let events = events(quick(), [answer.text("b").cut_after(at)]).await;
        assert_eq!((error(&events).code, error(&events).action.as_deref()), (Code::CutOff, Some(action)));
        assert!(error(&events).message.ends_with(" ended in the middle of the answer."));
    }
}

#[tokio::test]
async fn comments_without_data_end_after_the_idle_time() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut request = [0; 1];
        socket.read_exact(&mut request).await.unwrap();
        socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n").await.unwrap();
        let mut pulse = tokio::time::interval(Duration::from_millis(10));
        let mut sent = 0;
        while socket.write_all(b": OPENROUTER PROCESSING\n\n").await.is_ok() {
            pulse.tick().await;
            sent += 1;
        }
        sent
    });
    let events = events_of(&base_url, Tuning { near: Waits::all(SOON), ..quick() }).await;
    let error = error(&events);
    assert_eq!((events.len(), error.code), (1, Code::IdleTimeout));
    assert!(error.message.ends_with(" sent nothing of an answer for 2 s."), "{}", error.message);
    assert_eq!(error.action.as_deref(), Some("Send the message again."));
    assert!(within("the connection to be dropped", server).await.unwrap() > 1);
}

#[tokio::test]
async fn a_local_server_that_reads_its_prompt_is_waited_for_far_longer_than_between_two_pieces() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let between = Duration::from_millis(200);
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut request = [0; 1];
        socket.read_exact(&mut request).await.unwrap();
        socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n").await.unwrap();
        let mut pulse = tokio::time::interval(between / 10);
        for _ in 0..30 {
            pulse.tick().await;
            socket.write_all(b": keep-alive\n\n").await.unwrap();
        }
        let answer = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n";
        socket.write_all(answer.as_bytes()).await.unwrap();
        // Until the client has gone.
        tokio::io::copy(&mut socket, &mut tokio::io::sink()).await.unwrap();
    });
    let tuning =
        Tuning { near: Waits { between, ..Waits::NEAR }, after_finish: Duration::from_millis(1), ..quick() };
    let said = deltas([
        orion_core::model::ModelDelta::Text { text: "a".into() },
        orion_core::model::ModelDelta::Finish { reason: "stop".into() },
    ]);
    let expected = [Seen::Event(said), Seen::Event(ModelEvent::Ended)];
    assert_eq!(seen(events_of(&base_url, tuning).await), expected);
}

#[tokio::test]
async fn a_server_without_tls_gets_nothing_over_https() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("https://{}/v1", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut hello = [0; 1];
        socket.read_exact(&mut hello).await.unwrap();
        socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        // The first byte of a TLS handshake, not of a request.
        assert_eq!(hello, [22]);
    });
    let events = events_of(&base_url, Tuning { attempts: 1, ..quick() }).await;
    assert_eq!(error(&events).code, Code::Connection);
    assert!(
        error(&events).message.starts_with("No secure connection to 127.0.0.1:"),
        "{}",
        error(&events).message
    );
    server.await.unwrap();
}

#[tokio::test]
async fn a_hanging_server_times_out_before_and_in_the_answer_and_what_came_stays() {
    let silent = Tuning { near: Waits { first: Some(SOON), ..Waits::NEAR }, ..quick() };
    assert_eq!(seen(events(silent, [turn().hang()]).await), vec![Seen::Failed(Code::IdleTimeout)]);
    let idle = Tuning { near: Waits { between: SOON, ..Waits::NEAR }, ..quick() };
    let events = seen(events(idle, [turn().text("a").hang()]).await);
    assert_eq!(events, vec![Seen::Event(text("a")), Seen::Failed(Code::IdleTimeout)]);
}

#[tokio::test]
async fn the_patience_that_is_asked_for_holds_before_and_in_the_answer() {
    let model = script([turn().hang(), turn().text("a").hang()]);
    let patience = Patience { silence: Some(SOON), ..Patience::default() };
    let endpoint =
        Providers::new(quick()).connect(&at(&model.base_url()), None, patience, OfModel::default()).unwrap();
    let call = async || {
        seen(
            within(
                "the end of the call",
                endpoint.stream(question(), endpoint.profile(), Received::default()).collect(),
            )
            .await,
        )
    };
    assert_eq!(call().await, [Seen::Failed(Code::IdleTimeout)]);
    assert_eq!(call().await, [Seen::Event(text("a")), Seen::Failed(Code::IdleTimeout)]);
    model.finish();
}

#[tokio::test]
async fn a_server_nearby_has_the_time_of_the_turn_to_begin_its_answer() {
    let model = script([turn().hang()]);
    let patience = Patience { turn: Some(SOON), ..Patience::default() };
    let endpoint =
        Providers::new(quick()).connect(&at(&model.base_url()), None, patience, OfModel::default()).unwrap();
    let events: Vec<_> = within(
        "the end of the call",
        endpoint.stream(question(), endpoint.profile(), Received::default()).collect(),
    )
    .await;
    assert_eq!(error(&events).code, Code::IdleTimeout);
    assert!(error(&events).message.ends_with(" did not answer within 2 s."), "{}", error(&events).message);
    model.finish();
}

#[tokio::test]
async fn a_cut_in_the_middle_is_told_and_never_tried_again() {
    let cut = || turn().text("a").text("b");
    let first = turn().text("a").rendered().len();
    let expected = vec![Seen::Event(text("a")), Seen::Failed(Code::CutOff)];
    for framing in [Framing::Chunked, Framing::Length, Framing::UntilClose] {
        for at in [first, first + 20] {
            let events = seen(events(quick(), [cut().framing(framing).cut_after(at)]).await);
            assert_eq!(
                (framing, at, events),
                (framing, at, vec![Seen::Event(text("a")), Seen::Failed(Code::CutOff)])
            );
        }
    }
    assert_eq!(seen(events(quick(), [cut().reset_after(first)]).await), expected);
}

#[tokio::test]
async fn a_connection_that_ends_before_anything_was_shown_is_tried_again() {
    let role = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n";
    for begun in ["", ": working\n\n", role, "data: [DONE]\n\n"] {
        let cut = turn().raw(begun).text("a").cut_after(begun.len());
        let events = seen(events(quick(), [cut, turn().text("a").end("stop")]).await);
        let expected = vec![
            Seen::Retrying(2, 1, Code::CutOff),
            Seen::Event(text("a")),
            Seen::Event(finish("stop")),
            Seen::Event(ModelEvent::Ended),
        ];
        assert_eq!((begun, events), (begun, expected));
    }
}

#[tokio::test]
async fn an_error_in_the_middle_of_an_answer_is_an_error() {
    // P10
    let body = serde_json::json!({"error": {"code": 502, "message": format!("Upstream down {KEY}")}});
    let events = events(quick(), [turn().text("a").event(body).text("never read")]).await;
    assert_eq!(error(&events).detail.as_deref(), Some("Upstream down [key]"));
    assert_eq!(seen(events), vec![Seen::Event(text("a")), Seen::Failed(Code::Overloaded)]);
    let named = turn().text("a").raw("event: error\ndata: the model crashed\n\n");
    let events = self::events(quick(), [named]).await;
    assert_eq!(error(&events).detail.as_deref(), Some("the model crashed"));
}

#[tokio::test]
async fn what_is_no_answer_is_malformed() {
    let page = turn().header("content-type", "text/html").body("\n<!doctype html><title>Sign in</title>");
    let page = events(quick(), [page]).await;
    assert_eq!(
        (error(&page).code, error(&page).message.ends_with("answered with a web page.")),
        (Code::Malformed, true)
    );
    for body in ["data: hello\n\n", "hello", "", "{\"status\":\"ok\"}", ": only a comment\n\n"] {
        let events = seen(events(quick(), [turn().body(body)]).await);
        assert_eq!((body, events), (body, vec![Seen::Failed(Code::Malformed)]));
    }
}

#[tokio::test]
async fn a_redirect_is_refused_and_takes_neither_key_nor_prompt_along() {
    let elsewhere = Script::new().start();
    let target = format!("{}/chat/completions", elsewhere.base_url());
    for status in [301, 302, 307, 308] {
        let events = events(quick(), [turn().status(status).header("location", &target).body("")]).await;
        assert_eq!((events.len(), error(&events).code), (1, Code::Connection));
        let expected = format!(" redirects to {target} and Orion does not follow redirects.");
        assert!(error(&events).message.ends_with(&expected), "{}", error(&events).message);
        let base = format!("If you trust it, set the base URL to {}", elsewhere.base_url());
        assert_eq!(error(&events).action.as_deref(), Some(&*base));
    }
    assert!(elsewhere.requests().is_empty());
    elsewhere.finish();
}

#[tokio::test]
async fn one_line_and_one_response_can_only_be_so_long() {
    let after = async |pieces: Vec<Bytes>| {
        let body = stream::iter(pieces.into_iter().map(Ok::<_, std::convert::Infallible>));
        seen(read(body, Ending::Marked, Host::default(), Tuning::default()).collect().await)
    };
    let piece = Bytes::from_static(b"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n");
    let million = Bytes::from(vec![b'x'; 1 << 20]);
    let mut endless_line = vec![piece.clone()];
    endless_line.extend(vec![million; 9]);
    let expected = vec![Seen::Event(text("a")), Seen::Failed(Code::ResponseTooLarge)];
    assert_eq!(after(endless_line).await, expected);
    let comment = Bytes::from([b":".repeat(1 << 20), b"\n\n".to_vec()].concat());
    let mut endless_comments = vec![piece.clone()];
    endless_comments.extend(vec![comment.clone(); 65]);
    assert_eq!(after(endless_comments).await, expected);
    let lines = Bytes::from(b"data: x\r\n".repeat(1 << 17));
    let mut endless_event = vec![piece.clone()];
    endless_event.extend(vec![lines; 10]);
    assert_eq!(after(endless_event).await, expected);
    let mut long_but_well = vec![piece];
    long_but_well.extend(vec![comment; 60]);
    assert_eq!(after(long_but_well).await, vec![Seen::Event(text("a")), Seen::Event(ModelEvent::Ended)]);
}
