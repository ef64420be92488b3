//! The stream of a turn: server-sent events from a place in its journal to its end (H4, T6).

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use orion_engine::{Following, Place};
use orion_protocol::{ErrorInfo, RequestId};
use serde_json::json;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep_until};

use crate::flat;
use crate::problem::Problem;
use crate::reading::Reader;
use crate::server::Server;

/// A comment goes out after this time without an event, so that nobody on the way takes the stream for dead.
const QUIET: Duration = Duration::from_secs(15);

/// Bytes after which events go out without looking for more of them.
const FRAMES_BYTES: usize = 64 * 1024;

/// The place after the event that a reader names, such as `7` or `7.120`; the beginning where it names none.
pub(crate) fn last_event_id(headers: &HeaderMap) -> Place {
    let named = headers.get("last-event-id").and_then(|id| id.to_str().ok()).unwrap_or_default();
    let (seq, since) = named.split_once('.').unwrap_or((named, "0"));
    match (seq.parse(), since.parse()) {
        (Ok(seq), Ok(since)) => Place::after(seq, since),
        _ => Place::default(),
    }
}

/// True where the caller wants one answer instead of a stream.
pub(crate) fn wants_json(headers: &HeaderMap) -> bool {
    let accepts = headers.get(header::ACCEPT).and_then(|accepts| accepts.to_str().ok()).unwrap_or_default();
    accepts.contains("application/json") && !accepts.contains("text/event-stream")
}

struct Streamed {
    server: Arc<Server>,
    following: Following,
    request_id: RequestId,
    over: bool,
    _reader: Reader,
    _place: OwnedSemaphorePermit,
}

/// The events of a turn after a place.
pub(crate) async fn stream(
    server: &Arc<Server>,
    request_id: RequestId,
    after: Place,
) -> Result<Response, Problem> {
    let place = Arc::clone(&server.streams)
        .try_acquire_owned()
        .map_err(|_| Problem::too_many("As many streams are open as may be.", 1))?;
    let reader = Reader::new(Arc::clone(server), request_id);
    let following = server.engine.follow(request_id, after).await?;
    if following.is_over() {
        // Whoever has all of it needs not come again.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let streamed = Streamed {
        server: Arc::clone(server),
        following,
        request_id,
        over: false,
        _reader: reader,
        _place: place,
    };
    let frames = stream::unfold(streamed, |mut streamed| async move {
        let frames = streamed.frames().await?;
        Some((Ok::<_, std::convert::Infallible>(frames), streamed))
    });
    let mut response = Body::from_stream(frames).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

impl Streamed {
    /// The next events that are there; none after the last one.
    async fn frames(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        let quiet = Instant::now() + QUIET;
        let mut frames = String::new();
        tokio::select! {
            biased;
            next = self.following.next() => match next {
                Ok(Some(envelope)) => {
                    self.over = envelope.event.terminal().is_some();
                    flat::add(&mut frames, &envelope, self.following.shown());
                }
                Ok(None) => self.end(&mut frames, None),
                Err(error) => self.end(&mut frames, Some(&error)),
            },
            () = self.server.closing.cancelled() => self.end(&mut frames, None),
            () = sleep_until(quiet) => frames.push_str(":\n\n"),
        }
        while frames.len() < FRAMES_BYTES
            && !self.over
            && let Some(envelope) = self.following.ready()
        {
            self.over = envelope.event.terminal().is_some();
            flat::add(&mut frames, &envelope, self.following.shown());
        }
        Some(Bytes::from(frames))
    }

    /// The stream ends before its turn: the reader comes again with the last id.
    fn end(&mut self, frames: &mut String, error: Option<&ErrorInfo>) {
        self.over = true;
        let (seq, _) = self.following.shown();
        let last = match error {
            Some(error) => json!({ "requestId": self.request_id, "seq": seq, "error": error.message }),
            None => json!({ "requestId": self.request_id, "seq": seq, "closing": true }),
        };
        frames.push_str(&format!("data: {last}\n\n"));
    }
}

/// The report of a turn, once it has ended or waits for a person; then the status is 202.
pub(crate) async fn report(server: &Arc<Server>, request_id: RequestId) -> Result<Response, Problem> {
    let _place = Arc::clone(&server.streams)
        .try_acquire_owned()
        .map_err(|_| Problem::too_many("As many streams are open as may be.", 1))?;
    let _reader = Reader::new(Arc::clone(server), request_id);
    let mut following = server.engine.follow(request_id, Place::default()).await?;
    let mut asked = false;
    loop {
        let next = tokio::select! {
            next = following.next() => next?,
            () = server.closing.cancelled() => return Err(Problem::closing()),
        };
        let Some(envelope) = next else { return Err(Problem::closing()) };
        if let Some(report) = envelope.event.terminal() {
            return Ok(answer(StatusCode::OK, report));
        }
        asked |= envelope.event.asks();
        // The turn may have been answered long ago: what is there is read first.
        if asked && following.is_caught_up() {
            asked = false;
            if server.engine.pending_of(request_id).await?.is_some()
                && let Some(report) = server.engine.report_of(request_id).await?
            {
                return Ok(answer(StatusCode::ACCEPTED, &report));
            }
        }
    }
}

/// A JSON answer.
pub(crate) fn answer(status: StatusCode, value: &impl serde::Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(json) => {
            let mut response = Body::from(json).into_response();
            *response.status_mut() = status;
            let json = HeaderValue::from_static("application/json");
            response.headers_mut().insert(header::CONTENT_TYPE, json);
            response
        }
        Err(_) => crate::asking::unexpected().into_response(),
    }
}
