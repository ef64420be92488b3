//! The stream of a turn: server-sent events from a place in its journal to its end (H4, T6).

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use orion_engine::{Following, Place};
use orion_protocol::{Code, Envelope, ErrorInfo, RequestId, TurnEvent};
use serde_json::json;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep_until};

use crate::flat;
use crate::problem::Problem;
use crate::reading::Reader;
use crate::server::Server;
use crate::tokens::Access;

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

/// The error of a turn that nobody drives any more.
const LEFT: &str = "The turn was interrupted. It can be resumed.";

/// The reason for which a stream ends before its turn.
enum Ended {
    Closing,
    Failed(ErrorInfo),
    /// Nobody drives the turn.
    Left,
}

struct Streamed {
    server: Arc<Server>,
    following: Following,
    request_id: RequestId,
    over: bool,
    /// Somebody may have left the turn: that is looked at before the next wait.
    looks: bool,
    _reader: Reader,
    _place: OwnedSemaphorePermit,
}

/// A place among the streams of this token.
///
/// # Errors
/// 429.
pub(crate) fn place(server: &Server, access: Access) -> Result<OwnedSemaphorePermit, Problem> {
    let streams = if access == Access::Full { &server.streams } else { &server.reading_streams };
    let place = Arc::clone(streams).try_acquire_owned();
    place.map_err(|_| Problem::too_many("As many streams are open as may be.", 1))
}

/// The events of a turn after a place.
pub(crate) async fn stream(
    server: &Arc<Server>,
    reader: Reader,
    place: OwnedSemaphorePermit,
    after: Place,
) -> Result<Response, Problem> {
    let request_id = reader.request_id();
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
        looks: true,
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
        if self.following.is_caught_up()
            && std::mem::take(&mut self.looks)
            && let Ok(true) = self.server.engine.is_left(self.request_id).await
        {
            self.end(&mut frames, &Ended::Left);
            return Some(Bytes::from(frames));
        }
        tokio::select! {
            biased;
            next = self.following.next() => match next {
                Ok(Some(envelope)) => self.add(&mut frames, &envelope),
                // All of it was told before.
                Ok(None) if self.following.is_over() => return None,
                Ok(None) => self.end(&mut frames, &Ended::Closing),
                Err(error) => self.end(&mut frames, &Ended::Failed(error)),
            },
            () = self.server.closing.cancelled() => self.end(&mut frames, &Ended::Closing),
            () = sleep_until(quiet) => {
                self.looks = true;
                frames.push_str(":\n\n");
            }
        }
        while frames.len() < FRAMES_BYTES
            && !self.over
            && let Some(envelope) = self.following.ready()
        {
            self.add(&mut frames, &envelope);
        }
        Some(Bytes::from(frames))
    }

    fn add(&mut self, frames: &mut String, envelope: &Envelope) {
        self.over = envelope.event.terminal().is_some();
        self.looks |= matches!(envelope.event, TurnEvent::Interrupted);
        flat::add(frames, envelope, self.following.shown());
    }

    /// The stream ends before its turn.
    fn end(&mut self, frames: &mut String, ended: &Ended) {
        self.over = true;
        let (seq, _) = self.following.shown();
        let mut last = match ended {
            // The reader comes again with the last id.
            Ended::Closing => json!({ "closing": true }),
            Ended::Failed(error) => json!({ "error": error.message, "done": true }),
            Ended::Left => json!({ "status": "interrupted", "error": LEFT, "done": true }),
        };
        last["requestId"] = json!(self.request_id);
        last["seq"] = json!(seq);
        frames.push_str(&format!("data: {last}\n\n"));
    }
}

/// The report of a turn, once it has ended or waits for a person; then the status is 202, and 409 for one that nobody drives any more.
pub(crate) async fn report(
    server: &Arc<Server>,
    reader: Reader,
    _place: OwnedSemaphorePermit,
) -> Result<Response, Problem> {
    let request_id = reader.request_id();
    let mut following = server.engine.follow(request_id, Place::default()).await?;
    let mut asked = false;
    let mut looks = true;
    loop {
        if looks && following.is_caught_up() {
            looks = false;
            if server.engine.is_left(request_id).await? {
                return Err(left(request_id));
            }
        }
        let next = tokio::select! {
            biased;
            next = following.next() => next?,
            () = server.closing.cancelled() => return Err(Problem::closing()),
            () = tokio::time::sleep(QUIET) => {
                looks = true;
                continue;
            }
        };
        let Some(envelope) = next else { return Err(Problem::closing()) };
        if let Some(report) = envelope.event.terminal() {
            return Ok(answer(StatusCode::OK, report));
        }
        asked |= envelope.event.asks();
        looks |= matches!(envelope.event, TurnEvent::Interrupted);
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

fn left(request_id: RequestId) -> Problem {
    let action = "Resume it: POST /api/v1/turns/TURN/resume.";
    let mut error = ErrorInfo::new(Code::Stopped, LEFT, action);
    error.request_id = Some(request_id);
    Problem::new(StatusCode::CONFLICT, error)
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
