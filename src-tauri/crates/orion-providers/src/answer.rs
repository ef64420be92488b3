//! From the body of a successful response to the events of a model call, `Ended` or `Failed` last.
//!
//! The content type is not asked, since many servers get it wrong: an answer that begins with `{` is one whole JSON
//! object, one that begins with `<` a web page, everything else a stream of events. Not here: requests and retries
//! ([`crate::call`]), and whether a finish reason is believed (`orion-core`, P10).

use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, Stream, StreamExt};
use orion_core::model::ModelDelta;
use orion_engine::endpoint::ModelEvent;
use orion_protocol::ErrorInfo;

use crate::chunk::{Chunks, Pieces, Unreadable};
use crate::error::Host;
use crate::fault::Fault;
use crate::sse::{self, EVENT_LIMIT, Event, ReadError};
use crate::tuning::Tuning;

/// How the end of a response can be told from a broken connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By a length, a last chunk or a frame: an end without finish reason is an end (P10).
    Marked,
    /// Only by the connection's own end: without finish reason and `[DONE]` that may be a cut anywhere.
    Unmarked,
}

/// After `[DONE]`, for the connection's own end: 5 ms. Where it comes, the next call uses the same connection; a server
/// that never closes is not waited for.
const LINGER: Duration = Duration::from_millis(5);
/// White space before an answer that is looked through for its first character: 1 KiB.
const HEAD_LIMIT: usize = 1 << 10;
/// How much of an unreadable payload is shown: 200 characters.
const SHOWN: usize = 200;

/// Reads an answer. Dropping the stream drops the body, and with it the connection (P4, A4).
pub fn read<S, E>(
    body: S,
    ending: Ending,
    host: Host,
    tuning: Tuning,
) -> impl Stream<Item = ModelEvent> + Send
where
    S: Stream<Item = Result<Bytes, E>> + Send + 'static,
    E: Error + Send + Sync + 'static,
{
    let answer = Box::new(Answer::new(ending, host, tuning));
    stream::unfold(State::Opening(body.boxed(), answer), |mut state| async move {
        loop {
            state = match state {
                State::Opening(body, mut answer) => match answer.open(body).await {
                    Ok(()) => State::Reading(answer),
                    Err(error) => return Some((ModelEvent::Failed(error), State::Over)),
                },
                State::Reading(mut answer) => match answer.next().await {
                    Step::Deltas(deltas) => {
                        return Some((ModelEvent::Deltas(deltas), State::Reading(answer)));
                    }
                    Step::Last(deltas, error) if deltas.is_empty() => State::Failing(error),
                    Step::Last(deltas, error) => {
                        return Some((ModelEvent::Deltas(deltas), State::Failing(error)));
                    }
                    Step::Ended => return Some((ModelEvent::Ended, State::Over)),
                },
                State::Failing(error) => return Some((ModelEvent::Failed(error), State::Over)),
                State::Over => return None,
            };
        }
    })
}

/// Moved with every event, so what is large in it is boxed.
enum State<E> {
    Opening(BoxStream<'static, Result<Bytes, E>>, Box<Answer>),
    Reading(Box<Answer>),
    Failing(ErrorInfo),
    Over,
}

enum Step {
    Deltas(Vec<ModelDelta>),
    /// What came beside an error, which ends the answer.
    Last(Vec<ModelDelta>, ErrorInfo),
    Ended,
}

struct Answer {
    events: BoxStream<'static, Result<Event, ReadError>>,
    chunks: Chunks,
    progress: Progress,
    ending: Ending,
    host: Host,
    tuning: Tuning,
}

/// How far an answer has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// Nothing came that has the shape of an answer.
    Nothing,
    Begun,
    /// A finish reason came: at most usage is missing.
    Finished,
}

impl Answer {
    fn new(ending: Ending, host: Host, tuning: Tuning) -> Self {
        let events = stream::empty().boxed();
        Self { events, chunks: Chunks::default(), progress: Progress::Nothing, ending, host, tuning }
    }

    /// Finds out by its first character what kind of answer this is.
    async fn open<E>(&mut self, mut body: BoxStream<'static, Result<Bytes, E>>) -> Result<(), ErrorInfo>
    where
        E: Error + Send + Sync + 'static,
    {
        let idle = self.tuning.idle;
        let mut head: Vec<Result<Bytes, E>> = Vec::new();
        let mut seen = 0;
        let mut first = None;
        while first.is_none() && seen < HEAD_LIMIT {
            match tokio::time::timeout(idle, body.next()).await {
                Err(_) => return Err(self.host.idle(idle)),
                Ok(None) => break,
                Ok(Some(Err(error))) => return Err(self.host.cut_off(Some(&error))),
                Ok(Some(Ok(piece))) => {
                    // A byte order mark may stand first.
                    let significant =
                        |byte: &u8| !byte.is_ascii_whitespace() && !b"\xef\xbb\xbf".contains(byte);
                    first = piece.iter().copied().find(significant);
                    seen += piece.len();
                    head.push(Ok(piece));
                }
            }
        }
        let body = stream::iter(head).chain(body);
        match first {
            Some(b'<') => return Err(self.host.page()),
            Some(b'{') => {
                self.ending = Ending::Marked;
                self.events = stream::once(whole(body, idle)).boxed();
            }
            _ => self.events = sse::events(body, idle).boxed(),
        }
        Ok(())
    }

    async fn next(&mut self) -> Step {
        loop {
            let next = match self.progress {
                Progress::Nothing | Progress::Begun => self.events.next().await,
                Progress::Finished => {
                    match tokio::time::timeout(self.tuning.after_finish, self.events.next()).await {
                        Ok(next) => next,
                        Err(_) => return Step::Ended,
                    }
                }
            };
            let event = match next {
                Some(Ok(event)) => event,
                Some(Err(error)) => return self.broken(error),
                None => return self.end(),
            };
            let payload = event.data.trim();
            if payload == "[DONE]" {
                let _ =
                    tokio::time::timeout(LINGER, async { while self.events.next().await.is_some() {} }).await;
                return Step::Ended;
            }
            match self.read(event.name.as_deref(), payload) {
                Ok(Pieces { deltas, fault: Some(fault), .. }) => {
                    return Step::Last(deltas, self.host.fault(&fault));
                }
                Ok(Pieces { deltas, fault: None, .. }) if deltas.is_empty() => {}
                Ok(Pieces { deltas, fault: None, .. }) => return Step::Deltas(deltas),
                Err(Unreadable::CutOff) if self.progress == Progress::Finished => return Step::Ended,
                Err(Unreadable::CutOff) => return Step::Last(vec![], self.host.cut_off(None)),
                Err(Unreadable::Garbage) => {
                    let shown: String = payload.chars().take(SHOWN).collect();
                    return Step::Last(vec![], self.host.malformed(&shown));
                }
            }
        }
    }

    fn read(&mut self, name: Option<&str>, payload: &str) -> Result<Pieces, Unreadable> {
        if payload.is_empty() {
            return Ok(Pieces::default());
        }
        if name == Some("error") {
            return Ok(Pieces { fault: Some(Fault::in_error_event(payload)), ..Pieces::default() });
        }
        let pieces = match self.chunks.read(payload) {
            // A named event such as `ping` may carry anything.
            Err(_) if name.is_some_and(|name| !matches!(name, "" | "message")) => Pieces::default(),
            read => read?,
        };
        if pieces.is_answer && self.progress == Progress::Nothing {
            self.progress = Progress::Begun;
        }
        if pieces.deltas.iter().any(|delta| matches!(delta, ModelDelta::Finish { .. })) {
            self.progress = Progress::Finished;
        }
        Ok(pieces)
    }

    fn end(&self) -> Step {
        match (self.progress, self.ending) {
            (Progress::Finished, _) | (Progress::Begun, Ending::Marked) => Step::Ended,
            (Progress::Begun, Ending::Unmarked) => Step::Last(vec![], self.host.cut_off(None)),
            (Progress::Nothing, _) => Step::Last(vec![], self.host.malformed("")),
        }
    }

    fn broken(&self, error: ReadError) -> Step {
        let error = match error {
            ReadError::TooLarge { limit } => self.host.too_large(limit),
            ReadError::Idle(_) | ReadError::Broken(_) if self.progress == Progress::Finished => {
                return Step::Ended;
            }
            ReadError::Idle(waited) => self.host.idle(waited),
            ReadError::Broken(cause) => self.host.cut_off(Some(&*cause)),
        };
        Step::Last(vec![], error)
    }
}

/// A body that is one JSON object, from servers that do not stream, as one event.
async fn whole<S, E>(body: S, idle: Duration) -> Result<Event, ReadError>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    E: Error + Send + Sync + 'static,
{
    let mut body = body;
    let mut bytes = Vec::new();
    loop {
        match tokio::time::timeout(idle, body.next()).await {
            Err(_) => return Err(ReadError::Idle(idle)),
            Ok(Some(Err(error))) => return Err(ReadError::Broken(Box::new(error))),
            Ok(Some(Ok(piece))) if bytes.len() + piece.len() > EVENT_LIMIT => {
                return Err(ReadError::TooLarge { limit: EVENT_LIMIT });
            }
            Ok(Some(Ok(piece))) => bytes.extend_from_slice(&piece),
            Ok(None) => break,
        }
    }
    let data = String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned();
    Ok(Event { name: None, data })
}
