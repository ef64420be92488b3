//! The words that say what a model does.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::http::Request;
use crate::plan::{Chunking, Framing, Part};
use crate::server::ScriptedModel;
use crate::wait::Gate;

pub(crate) type Responder = Box<dyn FnMut(usize, &Request) -> Turn + Send>;
type Expectation = Arc<dyn Fn(&Request) + Send + Sync>;

/// Answers a request beside the chat.
pub(crate) type Poster = Box<dyn FnMut(&Request) -> Turn + Send>;

/// What a model answers, in order. See the crate's documentation for the vocabulary.
#[derive(Default)]
pub struct Script {
    pub(crate) turns: VecDeque<Turn>,
    pub(crate) forever: Option<Responder>,
    pub(crate) models: Option<Vec<String>>,
    pub(crate) pages: BTreeMap<String, Turn>,
    pub(crate) posts: BTreeMap<String, Poster>,
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script")
            .field("turns", &self.turns)
            .field("forever", &self.forever.is_some())
            .field("models", &self.models)
            .field("pages", &self.pages)
            .finish()
    }
}

impl Script {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The answer to the next chat completion.
    #[must_use]
    pub fn turn(mut self, write: impl FnOnce(Turn) -> Turn) -> Self {
        self.turns.push_back(write(Turn::default()));
        self
    }

    /// Answers every chat completion after the scripted ones, without end. It is given the number of the request, from
    /// 1, counting the scripted ones.
    #[must_use]
    pub fn forever(mut self, respond: impl FnMut(usize, &Request) -> Turn + Send + 'static) -> Self {
        self.forever = Some(Box::new(respond));
        self
    }

    /// Answers a `GET` of this path, as often as it is asked, or never. Other paths are not found once a chat completion came; before, asking
    /// for one is a fault.
    #[must_use]
    pub fn page(mut self, path: &str, write: impl FnOnce(Turn) -> Turn) -> Self {
        self.pages.insert(path.to_owned(), write(Turn::default()));
        self
    }

    /// Answers a `POST` of this path beside the chat, as often as it is asked, or never.
    #[must_use]
    pub fn post(mut self, path: &str, answer: impl FnMut(&Request) -> Turn + Send + 'static) -> Self {
        self.posts.insert(path.to_owned(), Box::new(answer));
        self
    }

    /// Answers `GET /models` with these, as often as it is asked, or never.
    #[must_use]
    pub fn models<M: Into<String>>(mut self, models: impl IntoIterator<Item = M>) -> Self {
        self.models = Some(models.into_iter().map(Into::into).collect());
        self
    }

    /// Starts serving on a free port of 127.0.0.1.
    #[must_use]
    pub fn start(self) -> ScriptedModel {
        ScriptedModel::start(self)
    }
}

/// How an answer ends, after everything scripted (or, for the cuts, as much of it as was asked).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Ending {
    #[default]
    Clean,
    /// The connection is closed after so many bytes of the body.
    Cut(usize),
    /// The connection is reset after so many bytes of the body.
    Reset(usize),
    /// Nothing more comes, and the connection stays.
    Hang,
    /// A little more comes every so often, for ever.
    Drip(Drip),
}

/// What an answer without end goes on with, [`Drip::PACE`] apart. No piece is like the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drip {
    Text,
    Reasoning,
    /// Of a call that never becomes complete.
    Arguments,
    /// Lines that only keep the connection open.
    Comments,
}

impl Drip {
    /// 20 ms: some fifty pieces a second, far less than anything that a test could wait for.
    pub const PACE: Duration = Duration::from_millis(20);

    /// The piece with this number.
    pub(crate) fn piece(self, number: u32) -> Vec<u8> {
        let word = format!("{number} or ");
        let turn = match self {
            Self::Text => Turn::default().text(&word),
            Self::Reasoning => Turn::default().reasoning(&word),
            Self::Arguments => Turn::default().delta(json!({
                "tool_calls": [{ "index": 0, "function": { "arguments": word } }],
            })),
            Self::Comments => Turn::default().comment(&word),
        };
        turn.rendered()
    }
}

/// One answer of a model.
#[derive(Clone)]
pub struct Turn {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) parts: Vec<Part>,
    pub(crate) ending: Ending,
    pub(crate) chunking: Chunking,
    pub(crate) framing: Framing,
    pub(crate) expectations: Vec<Expectation>,
    calls: u32,
}

impl Default for Turn {
    fn default() -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            parts: Vec::new(),
            ending: Ending::default(),
            chunking: Chunking::default(),
            framing: Framing::default(),
            expectations: Vec::new(),
            calls: 0,
        }
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("status", &self.status)
            .field("headers", &self.headers)
            .field("body", &String::from_utf8_lossy(&self.rendered()))
            .field("ending", &self.ending)
            .finish_non_exhaustive()
    }
}

impl Turn {
    /// A piece of the answer, in one event.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.delta(json!({ "content": text }))
    }

    /// A piece of the thinking before the answer, in one event.
    #[must_use]
    pub fn reasoning(self, text: &str) -> Self {
        self.delta(json!({ "reasoning_content": text }))
    }

    /// A whole tool call in one event. Calls of a turn get the ids `call_1`, `call_2` and so on.
    #[must_use]
    pub fn call(self, name: &str, arguments: Value) -> Self {
        self.call_in_pieces(name, arguments, 1)
    }

    /// A tool call whose arguments come in `pieces` events, the first with id and name.
    #[must_use]
    pub fn call_in_pieces(mut self, name: &str, arguments: Value, pieces: usize) -> Self {
        let index = self.calls;
        self.calls += 1;
        let text: Vec<char> = arguments.to_string().chars().collect();
        let size = text.len().div_ceil(pieces.max(1)).max(1);
        for (number, piece) in text.chunks(size).enumerate() {
            let piece: String = piece.iter().collect();
            let mut call = json!({ "index": index, "function": { "arguments": piece } });
            if number == 0 {
                call["id"] = json!(format!("call_{}", index + 1));
                call["type"] = json!("function");
                call["function"]["name"] = json!(name);
            }
            self = self.delta(json!({ "tool_calls": [call] }));
        }
        self
    }

    /// The tokens used, in an event without choices.
    #[must_use]
    pub fn usage(self, prompt: u32, completion: u32) -> Self {
        let usage = json!({
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        });
        self.event(
            json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [], "usage": usage }),
        )
    }

    /// The finish reason and `[DONE]`.
    #[must_use]
    pub fn end(self, reason: &str) -> Self {
        self.choice(json!({}), Some(reason)).raw("data: [DONE]\n\n")
    }

    /// An event with this delta, for what the other words cannot say.
    #[must_use]
    pub fn delta(self, delta: Value) -> Self {
        self.choice(delta, None)
    }

    /// An event with this JSON as its data.
    #[must_use]
    pub fn event(self, data: Value) -> Self {
        self.raw(format!("data: {data}\n\n"))
    }

    /// A comment line, as endpoints send to keep a connection alive.
    #[must_use]
    pub fn comment(self, text: &str) -> Self {
        self.raw(format!(": {text}\n\n"))
    }

    /// These bytes of the body, as they are.
    #[must_use]
    pub fn raw(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.parts.push(Part::Bytes(bytes.into()));
        self
    }

    /// The whole body by length instead of a stream, for errors.
    #[must_use]
    pub fn body(self, body: impl Into<Vec<u8>>) -> Self {
        self.raw(body).framing(Framing::Length)
    }

    /// Stops here until the test opens the gate.
    #[must_use]
    pub fn hold(mut self, gate: &Gate) -> Self {
        self.parts.push(Part::Hold(gate.clone()));
        self
    }

    /// Closes the connection after `bytes` bytes of the body, in the middle of whatever that is.
    #[must_use]
    pub fn cut_after(mut self, bytes: usize) -> Self {
        self.ending = Ending::Cut(bytes);
        self
    }

    /// Resets the connection after `bytes` bytes of the body.
    #[must_use]
    pub fn reset_after(mut self, bytes: usize) -> Self {
        self.ending = Ending::Reset(bytes);
        self
    }

    /// Says no more and keeps the connection open until the client drops it. Alone, it never even answers.
    #[must_use]
    pub fn hang(mut self) -> Self {
        self.ending = Ending::Hang;
        self
    }

    /// Goes on for ever after everything scripted, slowly, until the client drops it.
    #[must_use]
    pub fn drip(mut self, drip: Drip) -> Self {
        self.ending = Ending::Drip(drip);
        self
    }

    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_lowercase(), value.to_owned()));
        self
    }

    #[must_use]
    pub fn chunking(mut self, chunking: Chunking) -> Self {
        self.chunking = chunking;
        self
    }

    #[must_use]
    pub fn framing(mut self, framing: Framing) -> Self {
        self.framing = framing;
        self
    }

    /// Checks the request with assertions; one that fails, fails the test.
    #[must_use]
    pub fn expect(mut self, check: impl Fn(&Request) + Send + Sync + 'static) -> Self {
        self.expectations.push(Arc::new(check));
        self
    }

    /// The body as it would be sent whole: its length is what `cut_after` counts.
    #[must_use]
    pub fn rendered(&self) -> Vec<u8> {
        let bytes = self.parts.iter().map(|part| match part {
            Part::Bytes(bytes) => bytes.as_slice(),
            Part::Hold(_) => &[],
        });
        bytes.collect::<Vec<_>>().concat()
    }

    fn choice(self, delta: Value, finish_reason: Option<&str>) -> Self {
        self.event(json!({
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1_750_000_000,
            "model": "scripted",
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish_reason }],
        }))
    }
}
