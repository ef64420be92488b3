//! Turns the body of a successful response into the events of a model call. The last one is `Ended` or `Failed`.
//!
//! The content type is ignored, since many servers get it wrong. The first character tells: `{` is a JSON object
//! ([`crate::whole`]), `<` is a web page, and anything else is a stream of events ([`crate::sse`]). Not here: requests
//! and retries ([`crate::call`]), and what a finish reason means (`orion-core`, P10).

use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, Stream, StreamExt};
use orion_core::model::{FinishReason, ModelDelta};
use orion_engine::endpoint::ModelEvent;
use orion_protocol::{ErrorInfo, PromptProgress};
use tokio::time::{Instant, timeout, timeout_at};

use crate::chunk::{Chunks, Pieces, Reading, Unreadable};
use crate::error::{Came, Host};
use crate::error_object::{ErrorObject, is_more_than_a_sentence};
use crate::patience::{Answered, Patience};
use crate::sse::{self, Event, ReadError};
use crate::tuning::Tuning;
use crate::whole;

/// How to tell the end of a response from a broken connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By a length, a last chunk or a frame. Then an end without a finish reason is an end (P10).
    Marked,
    /// Only by the end of the connection. Then an end without a finish reason and without `[DONE]` may be a cut
    /// anywhere.
    Unmarked,
}

/// How long to wait, after `[DONE]`, for the connection's own end: 5 ms. If it comes, the next call can use the same
/// connection. A server that never closes is not waited for.
const LINGER: Duration = Duration::from_millis(5);
/// The time between two words on how far a prompt is read: 100 ms, since nobody reads numbers that change more often.
const TELLS: Duration = Duration::from_millis(100);
/// How much white space is skipped before the first character of an answer: 1 KiB.
const HEAD_LIMIT: usize = 1 << 10;
/// How much of what cannot be read is shown: 200 characters.
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
    let patience = Patience::begin(tuning.waits(host.near));
    read_with(body, ending, host, patience, tuning.after_finish)
}

/// The same, with a patience that began with the request.
pub(crate) fn read_with<S, E>(
    body: S,
    ending: Ending,
    host: Host,
    patience: Patience,
    after_finish: Duration,
) -> impl Stream<Item = ModelEvent> + Send
where
    S: Stream<Item = Result<Bytes, E>> + Send + 'static,
    E: Error + Send + Sync + 'static,
{
    let answer = Box::new(Reader::new(ending, host, &patience, after_finish));
    let body = body.boxed();
    stream::unfold(State::Opening(body, patience, answer), |mut state| async move {
        loop {
            state = match state {
                State::Opening(body, patience, mut answer) => match answer.open(body, patience).await {
                    Ok(()) => State::Reading(answer),
                    Err(error) => State::Ending(Err(error)),
                },
                State::Reading(mut answer) => match answer.next().await {
                    Step::Deltas(deltas) => {
                        return Some((ModelEvent::Deltas(deltas), State::Reading(answer)));
                    }
                    Step::Reading(progress) => {
                        return Some((ModelEvent::Reading(progress), State::Reading(answer)));
                    }
                    Step::Last(deltas, end) if deltas.is_empty() => State::Ending(end),
                    Step::Last(deltas, end) => return Some((ModelEvent::Deltas(deltas), State::Ending(end))),
                },
                State::Ending(Ok(())) => return Some((ModelEvent::Ended, State::Over)),
                State::Ending(Err(error)) => return Some((ModelEvent::Failed(error), State::Over)),
                State::Over => return None,
            };
        }
    })
}

/// Moved with every event, so its large parts are boxed.
enum State<E> {
    Opening(BoxStream<'static, Result<Bytes, E>>, Patience, Box<Reader>),
    Reading(Box<Reader>),
    Ending(Result<(), ErrorInfo>),
    Over,
}

enum Step {
    Deltas(Vec<ModelDelta>),
    Reading(PromptProgress),
    /// How the answer ends, after the last of it.
    Last(Vec<ModelDelta>, Result<(), ErrorInfo>),
}

struct Reader {
    events: BoxStream<'static, Result<Event, ReadError>>,
    chunks: Chunks,
    progress: Progress,
    came: Came,
    /// The finish reason, once one came.
    finish: Option<String>,
    /// More of the answer came after it.
    goes_on: bool,
    /// The beginning of what came last that is no part of an answer and holds no error that can be told: lines that are no part of the format,
    /// or an object. A proxy whose own server broke off says so in such a line, and ends the stream cleanly: without a finish
    /// reason that is no end (P10).
    stray: String,
    ending: Ending,
    host: Host,
    answered: Answered,
    /// When the request went out.
    begun: Instant,
    /// When it was last told how far the prompt is read.
    told: Option<Instant>,
    /// [`Tuning::after_finish`].
    after_finish: Duration,
}

/// How far an answer has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// Nothing came that has the shape of an answer.
    Nothing,
    Begun,
    /// An answer came that is one JSON object, and nothing after it. The object itself marks its end.
    Whole,
    /// A finish reason came: at most usage is missing. What else may come is waited for until then.
    Finished(Instant),
}

impl Reader {
    fn new(ending: Ending, host: Host, patience: &Patience, after_finish: Duration) -> Self {
        let events = stream::empty().boxed();
        Self {
            events,
            chunks: Chunks::default(),
            progress: Progress::Nothing,
            came: Came::Nothing,
            finish: None,
            goes_on: false,
            stray: String::new(),
            ending,
            host,
            answered: patience.answered(),
            begun: patience.begun(),
            told: None,
            after_finish,
        }
    }

    /// Finds out by its first character what kind of answer this is.
    async fn open<E>(
        &mut self,
        mut body: BoxStream<'static, Result<Bytes, E>>,
        mut patience: Patience,
    ) -> Result<(), ErrorInfo>
    where
        E: Error + Send + Sync + 'static,
    {
        let mut head: Vec<Result<Bytes, E>> = Vec::new();
        let mut seen = 0;
        let mut first = None;
        while first.is_none() && seen < HEAD_LIMIT {
            match patience.wait(body.next()).await {
                None => return Err(self.host.idle(patience.limit(), Came::Nothing)),
                Some(None) => break,
                Some(Some(Err(error))) => return Err(self.host.cut_off(Some(&error), Came::Nothing)),
                Some(Some(Ok(piece))) => {
                    // A byte order mark may stand first.
                    let significant =
                        |byte: &u8| !byte.is_ascii_whitespace() && !b"\xef\xbb\xbf".contains(byte);
                    first = piece.iter().copied().find(significant);
                    seen += piece.len();
                    // Blank lines keep a connection alive, and carry nothing.
                    patience.hears();
                    head.push(Ok(piece));
                }
            }
        }
        let body = stream::iter(head).chain(body);
        match first {
            Some(b'<') => return Err(self.host.page()),
            Some(b'{') => self.events = whole::events(body, patience).boxed(),
            _ => self.events = sse::events(body, patience).boxed(),
        }
        Ok(())
    }

    async fn next(&mut self) -> Step {
        loop {
            let next = match self.progress {
                Progress::Nothing | Progress::Begun | Progress::Whole => self.events.next().await,
                Progress::Finished(by) => match timeout_at(by, self.events.next()).await {
                    Ok(next) => next,
                    Err(_) => return self.over(),
                },
            };
            let event = match next {
                Some(Ok(event)) => event,
                Some(Err(error)) => return self.broken(error),
                None => return self.end(),
            };
            match event {
                Event::Data { data, .. } if is_done(trimmed(&data)) => {
                    let _ = timeout(LINGER, async { while self.events.next().await.is_some() {} }).await;
                    return match self.progress {
                        // A proxy says so where its own server has sent nothing.
                        Progress::Nothing if self.stray.is_empty() => {
                            self.fail(self.host.cut_off(None, self.came))
                        }
                        _ if self.stray.is_empty() => self.over(),
                        _ => self.end(),
                    };
                }
                Event::Data { name, data } => {
                    if let Some(step) = self.take(name.as_deref(), trimmed(&data)) {
                        return step;
                    }
                }
                Event::Object(data) => {
                    let step = self.take(None, trimmed(&data));
                    match self.progress {
                        Progress::Begun => self.progress = Progress::Whole,
                        Progress::Nothing => self.stray = self.shown(&data),
                        Progress::Whole | Progress::Finished(_) => {}
                    }
                    if let Some(step) = step {
                        return step;
                    }
                }
                Event::Stray(lines) => {
                    let error = ErrorObject::in_stray_lines(&lines).filter(|_| !self.is_complete());
                    if let Some(error) = error {
                        return self.fail(self.host.error_in_answer(&error));
                    }
                    self.stray = self.shown(&lines);
                }
            }
        }
    }

    /// The event of a payload. None when it carries nothing. An error in the payload that brings the finish reason still counts, since both
    /// were said at once.
    fn take(&mut self, name: Option<&str>, payload: &str) -> Option<Step> {
        let was_complete = self.is_complete();
        match self.read(name, payload) {
            Ok(Pieces { deltas, error: Some(error), .. }) if !was_complete => {
                let deltas = [deltas, self.chunks.rest()].concat();
                Some(Step::Last(deltas, Err(self.host.error_in_answer(&error))))
            }
            Ok(Pieces { deltas, reading, .. }) if deltas.is_empty() => {
                self.tells(reading?).map(Step::Reading)
            }
            Ok(Pieces { deltas, .. }) => Some(Step::Deltas(deltas)),
            // Usage may follow it all the same.
            Err(_) if matches!(self.progress, Progress::Finished(_)) && !self.goes_on => None,
            Err(Unreadable::CutOff) => Some(self.fail(self.host.cut_off(None, self.came))),
            Err(Unreadable::Garbage) => Some(self.fail(self.host.malformed(&self.shown(payload)))),
        }
    }

    /// The part of the prompt that is read, unless that was told just before, or the answer has begun.
    fn tells(&mut self, reading: Reading) -> Option<PromptProgress> {
        let now = Instant::now();
        let is_due = self.told.is_none_or(|told| now.duration_since(told) >= TELLS);
        (is_due && self.came == Came::Nothing).then(|| {
            self.told = Some(now);
            reading.progress(now.duration_since(self.begun))
        })
    }

    fn read(&mut self, name: Option<&str>, payload: &str) -> Result<Pieces, Unreadable> {
        if name.is_some_and(|name| name.eq_ignore_ascii_case("error")) {
            return Ok(Pieces { error: Some(ErrorObject::in_error_event(payload)), ..Pieces::default() });
        }
        if payload.is_empty() {
            return Ok(Pieces::default());
        }
        // A named event such as `ping` may carry anything, also a sentence.
        let is_named = name.is_some_and(|name| !matches!(name, "" | "message"));
        let mut pieces = match self.chunks.read(payload) {
            Err(_) if is_named => Pieces::default(),
            read => read?,
        };
        if is_named {
            pieces.error = pieces.error.filter(|_| is_more_than_a_sentence(payload));
        }
        match &mut self.progress {
            Progress::Finished(by) if !pieces.deltas.is_empty() => {
                *by = Instant::now() + self.after_finish;
            }
            Progress::Nothing | Progress::Whole if pieces.is_answer => self.progress = Progress::Begun,
            Progress::Nothing | Progress::Begun | Progress::Whole | Progress::Finished(_) => {}
        }
        let was_finished = self.finish.is_some();
        for delta in &pieces.deltas {
            let is_of_answer = matches!(
                delta,
                ModelDelta::Text { .. } | ModelDelta::Reasoning { .. } | ModelDelta::ToolCall { .. }
            );
            self.goes_on |= was_finished && is_of_answer;
            match delta {
                ModelDelta::Finish { reason } => {
                    self.answered.set();
                    self.progress = Progress::Finished(Instant::now() + self.after_finish);
                    FinishReason::keep(&mut self.finish, reason.clone());
                }
                // Encrypted reasoning is a part of the answer that nobody can read.
                ModelDelta::ReasoningDetails { .. } => self.answered.set(),
                ModelDelta::Usage { .. } | ModelDelta::ReasoningField { .. } => {}
                ModelDelta::ToolCall { .. } => {
                    self.answered.set();
                    self.came = self.came.max(Came::Calls);
                }
                ModelDelta::Text { .. } | ModelDelta::Reasoning { .. } => {
                    self.answered.set();
                    self.came = Came::Text;
                }
            }
        }
        Ok(pieces)
    }

    /// A finish reason came that means a complete answer, and no more of the answer after it: some servers put the reason into every piece. What follows
    /// then makes the answer fail no more (P10).
    fn is_complete(&self) -> bool {
        let finish = self.finish.as_deref().filter(|_| !self.goes_on);
        finish.is_some_and(|reason| FinishReason::of(reason, &[]) == FinishReason::Complete)
    }

    fn fail(&mut self, error: ErrorInfo) -> Step {
        Step::Last(self.chunks.rest(), Err(error))
    }

    /// The provider has sent everything. Its finish reason may say that the response broke off (P10).
    fn over(&mut self) -> Step {
        let finish = self.finish.as_deref();
        let error = finish.and_then(|reason| FinishReason::of(reason, &[]).error(reason));
        Step::Last(self.chunks.rest(), error.map_or(Ok(()), Err))
    }

    fn end(&mut self) -> Step {
        match (self.progress, self.ending) {
            (Progress::Finished(_), _) => self.over(),
            (Progress::Begun, Ending::Marked) | (Progress::Whole, _) if self.stray.is_empty() => self.over(),
            (Progress::Begun | Progress::Whole, _) => {
                self.fail(self.host.cut_off_with(&self.stray, self.came))
            }
            (Progress::Nothing, _) => self.fail(self.host.malformed(&self.stray)),
        }
    }

    fn broken(&mut self, error: ReadError) -> Step {
        let is_over = match self.progress {
            Progress::Nothing | Progress::Begun => false,
            Progress::Whole => self.stray.is_empty(),
            Progress::Finished(_) => return self.over(),
        };
        let error = match error {
            ReadError::TooLarge { limit } => self.host.too_large(limit, self.came),
            ReadError::Idle(_) | ReadError::Broken(_) if is_over => return self.over(),
            ReadError::Idle(limit) => self.host.idle(limit, self.came),
            ReadError::Broken(cause) => self.host.cut_off(Some(&*cause), self.came),
        };
        self.fail(error)
    }

    /// The beginning of what came, as it is shown. The key is taken out of all of it first: a part of the key could not be found.
    fn shown(&self, said: &str) -> String {
        self.host.without_key(said).chars().take(SHOWN).collect()
    }
}

/// A payload without white space and byte order marks around it.
fn trimmed(payload: &str) -> &str {
    payload.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

/// True if a payload says that the stream is over: `[DONE]`, in letters of any case and with white space anywhere.
fn is_done(payload: &str) -> bool {
    let within = payload.strip_prefix('[').and_then(|payload| payload.strip_suffix(']'));
    within.is_some_and(|word| word.trim().eq_ignore_ascii_case("done"))
}

#[cfg(test)]
mod tests;
