//! Merging fragments of tool calls into calls (P9), and when a call is complete (P5).
//!
//! A fragment costs time linear in its own length: a scanner follows the JSON as it grows, and the text is parsed once, when
//! its outermost object closes. Deliberately not here: what a turn does with a call.

use serde_json::{Map, Value};

use crate::model::{ArgumentsDelta, MAX_REASONING, ModelDelta, ToolCallDelta};
use crate::nesting::Nesting;

/// The most calls one response may hold; later ones are dropped, and reported by name. Models send a handful.
pub const MAX_CALLS: usize = 32;
/// The most bytes the arguments of one call may have: 1 MiB. A file goes through a write session instead (W).
pub const MAX_ARGUMENTS: usize = 1024 * 1024;
/// The most bytes a tool's name may have: twice what OpenAI allows. A longer name counts as missing.
pub const MAX_NAME: usize = 128;

/// All calls of one response, in the order they began.
#[derive(Debug, Clone, Default)]
pub struct Merge {
    calls: Vec<MergedCall>,
    completed: Vec<usize>,
    /// The names of the first calls after [`MAX_CALLS`].
    dropped_names: Vec<String>,
    /// True when the last call fragment belonged to a dropped call, so that nameless ones after it are dropped too.
    dropping: bool,
}

/// A call as merged so far.
#[derive(Debug, Clone, Default)]
pub struct MergedCall {
    /// The provider's id, once one came.
    pub id: Option<String>,
    pub name: String,
    /// The JSON text so far.
    pub arguments: String,
    /// Fields of the provider's own, as JSON text of an object.
    pub extra: Option<String>,
    index: Option<u32>,
    extent: Extent,
    closed: bool,
    complete: bool,
}

/// Why a call whose stream has ended cannot be run (P6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallFault {
    Nameless,
    /// The text stops inside the object.
    CutOff,
    Invalid,
    NotAnObject,
    TooLong,
}

impl Merge {
    /// Takes one piece of the stream. A finish reason closes all calls. Of the other pieces only those of calls
    /// change anything. Returns the place among [`Merge::calls`] of the call to which the piece belongs, where it belongs to one that
    /// is kept.
    pub fn apply(&mut self, delta: &ModelDelta) -> Option<usize> {
        match delta {
            ModelDelta::ToolCall { delta } => self.apply_call(delta),
            ModelDelta::Finish { .. } => {
                self.close();
                None
            }
            ModelDelta::Text { .. }
            | ModelDelta::Reasoning { .. }
            | ModelDelta::ReasoningField { .. }
            | ModelDelta::ReasoningDetails { .. }
            | ModelDelta::Usage { .. } => None,
        }
    }

    /// Closes every call: the response is over (P5).
    pub fn close(&mut self) {
        for at in 0..self.calls.len() {
            self.close_call(at);
        }
    }

    /// All calls, in the order they began.
    #[must_use]
    pub fn calls(&self) -> &[MergedCall] {
        &self.calls
    }

    /// The complete calls (P5), in the order in which they became complete.
    pub fn completed(&self) -> impl ExactSizeIterator<Item = &MergedCall> {
        self.completed.iter().map(|&at| &self.calls[at])
    }

    /// The names of the first calls after [`MAX_CALLS`], never more than there are kept calls.
    #[must_use]
    pub fn dropped_names(&self) -> &[String] {
        &self.dropped_names
    }

    fn apply_call(&mut self, delta: &ToolCallDelta) -> Option<usize> {
        let at = self.find_or_begin(delta)?;
        let call = &mut self.calls[at];
        if call.id.is_none() {
            call.id = present(&delta.id).map(str::to_owned);
        }
        if call.name.is_empty() {
            call.name =
                present(&delta.name).filter(|name| name.len() <= MAX_NAME).unwrap_or_default().to_owned();
        }
        if let Some(extra) = present(&delta.extra) {
            call.extra = Some(extra.to_owned()).filter(|extra| extra.len() <= MAX_REASONING);
        }
        match &delta.arguments {
            Some(ArgumentsDelta::Fragment(text)) => call.append(text),
            Some(ArgumentsDelta::Whole(text)) => call.replace(text),
            None => {}
        }
        self.note_if_complete(at);
        Some(at)
    }

    /// The call a fragment belongs to (P9), or none when it belongs to one that was dropped.
    fn find_or_begin(&mut self, delta: &ToolCallDelta) -> Option<usize> {
        let id = present(&delta.id);
        let named = present(&delta.name).is_some();
        if let Some(at) = id.and_then(|id| self.calls.iter().rposition(|call| call.id.as_deref() == Some(id)))
        {
            self.dropping = false;
            return Some(at);
        }
        let candidate = match delta.index {
            Some(index) => self.calls.iter().rposition(|call| call.index == Some(index)),
            None if self.dropping => None,
            None => self.calls.len().checked_sub(1),
        };
        match candidate {
            Some(at) if !self.calls[at].is_another(id, named, delta.index) => {
                self.dropping = false;
                Some(at)
            }
            _ => self.begin(delta.index, present(&delta.name)),
        }
    }

    fn begin(&mut self, index: Option<u32>, name: Option<&str>) -> Option<usize> {
        if self.calls.len() == MAX_CALLS {
            if self.dropped_names.len() < MAX_CALLS {
                self.dropped_names.extend(name.filter(|name| name.len() <= MAX_NAME).map(str::to_owned));
            }
            self.dropping = true;
            return None;
        }
        for at in 0..self.calls.len() {
            self.close_call(at);
        }
        self.calls.push(MergedCall { index, ..MergedCall::default() });
        Some(self.calls.len() - 1)
    }

    fn close_call(&mut self, at: usize) {
        self.calls[at].closed = true;
        self.note_if_complete(at);
    }

    fn note_if_complete(&mut self, at: usize) {
        let call = &mut self.calls[at];
        if !call.complete && call.meets_p5() {
            call.complete = true;
            self.completed.push(at);
        }
    }
}

fn present(text: &Option<String>) -> Option<&str> {
    text.as_deref().filter(|text| !text.is_empty())
}

impl MergedCall {
    /// Its name, for a sentence.
    #[must_use]
    pub fn named(&self) -> &str {
        if self.name.is_empty() { "a tool without a name" } else { &self.name }
    }

    /// The arguments of a complete call.
    #[must_use]
    pub fn object(&self) -> Option<&Map<String, Value>> {
        match &self.extent {
            Extent::Object(object) if self.complete => Some(object),
            _ => None,
        }
    }

    /// What is wrong with a call whose stream has ended; null when it is complete.
    #[must_use]
    pub fn fault(&self) -> Option<CallFault> {
        match &self.extent {
            Extent::Object(_) if self.name.is_empty() => Some(CallFault::Nameless),
            Extent::Object(_) => None,
            Extent::Start | Extent::Inside(_) => Some(CallFault::CutOff),
            Extent::Invalid => Some(CallFault::Invalid),
            Extent::NotAnObject => Some(CallFault::NotAnObject),
            Extent::TooLong => Some(CallFault::TooLong),
        }
    }

    fn meets_p5(&self) -> bool {
        match &self.extent {
            Extent::Object(object) => !self.name.is_empty() && (self.closed || !object.is_empty()),
            _ => false,
        }
    }

    /// Whether a fragment with this id and name begins a call of its own rather than going on with this one (P9).
    fn is_another(&self, id: Option<&str>, named: bool, index: Option<u32>) -> bool {
        let brings_another_id = id.is_some() && self.id.is_some();
        let follows_a_complete_one =
            index.is_none() && matches!(self.extent, Extent::Object(_)) && !self.name.is_empty();
        named && (brings_another_id || follows_a_complete_one)
    }

    fn append(&mut self, fragment: &str) {
        match &self.extent {
            // `{}` sent first and the real arguments later: an empty object gives way to what follows it.
            Extent::Object(object) if object.is_empty() && !self.complete && !fragment.trim().is_empty() => {
                self.replace(fragment);
            }
            // Complete arguments are final: what comes after them came twice.
            Extent::Object(_) => {}
            _ => {
                let start = self.arguments.len();
                self.arguments.push_str(fragment);
                self.scan(start);
            }
        }
    }

    fn replace(&mut self, text: &str) {
        if !self.complete {
            self.arguments.clear();
            self.arguments.push_str(text);
            self.extent = Extent::Start;
            self.scan(0);
        }
    }

    fn scan(&mut self, start: usize) {
        if self.arguments.len() > MAX_ARGUMENTS {
            self.arguments = String::new();
            self.extent = Extent::TooLong;
            return;
        }
        let bytes = self.arguments.as_bytes();
        for (at, &byte) in bytes.iter().enumerate().skip(start) {
            match &mut self.extent {
                Extent::Start if byte.is_ascii_whitespace() => {}
                Extent::Start if byte == b'{' => {
                    let mut nesting = Nesting::default();
                    nesting.step(byte);
                    self.extent = Extent::Inside(nesting);
                }
                Extent::Start => self.extent = Extent::NotAnObject,
                Extent::Inside(nesting) => {
                    if nesting.step(byte) == 0 {
                        self.extent = match serde_json::from_slice(&bytes[..=at]) {
                            Ok(object) => Extent::Object(object),
                            Err(_) => Extent::Invalid,
                        };
                        if matches!(self.extent, Extent::Object(_)) {
                            self.arguments.truncate(at + 1);
                        }
                        return;
                    }
                }
                Extent::Object(_) | Extent::Invalid | Extent::NotAnObject | Extent::TooLong => return,
            }
        }
    }
}

/// How much of a call's JSON text has come.
#[derive(Debug, Clone, Default)]
enum Extent {
    /// Nothing but white space.
    #[default]
    Start,
    Inside(Nesting),
    Object(Map<String, Value>),
    Invalid,
    NotAnObject,
    TooLong,
}
