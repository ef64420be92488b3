//! Merging fragments of tool calls into calls (P9), and when a call is complete (P5).
//!
//! A fragment costs time linear in its own length: a scanner follows the JSON as it grows, and the text is parsed once, when
//! its outermost object closes. Deliberately not here: what a turn does with a call.

use serde_json::{Map, Value};

use crate::model::{ArgumentsDelta, FinishReason, MAX_REASONING, ModelDelta, ToolCallDelta};
use crate::nesting::Nesting;
use crate::tool::{ToolSet, ToolSpec};

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
    /// The tools on offer, where slips of their calls are read as they were meant.
    offered: Option<ToolSet>,
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
    /// It was written into the text.
    pub leaked: bool,
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
    /// Merges calls of these tools, and reads them as they were meant (P5, P9).
    #[must_use]
    pub fn of_calls_to(offered: ToolSet) -> Self {
        Self { offered: Some(offered), ..Self::default() }
    }

    /// Takes one piece of the stream. A finish reason closes all calls. Of the other pieces only those of calls
    /// change anything. Returns the place among [`Merge::calls`] of the call to which the piece belongs, where it belongs to one that
    /// is kept.
    pub fn apply(&mut self, delta: &ModelDelta) -> Option<usize> {
        match delta {
            ModelDelta::ToolCall { delta } => self.apply_call(delta),
            ModelDelta::Finish { reason } => {
                let by = match FinishReason::of(reason, &[]) {
                    FinishReason::Length => Closing::End,
                    _ => Closing::Word,
                };
                self.close_all(by);
                None
            }
            ModelDelta::Text { .. }
            | ModelDelta::Reasoning { .. }
            | ModelDelta::ReasoningField { .. }
            | ModelDelta::ReasoningDetails { .. }
            | ModelDelta::Usage { .. } => None,
        }
    }

    /// A complete call that the model wrote into its text (P5).
    pub fn leaked(&mut self, name: String, arguments: Map<String, Value>) {
        self.completed.push(self.calls.len());
        self.calls.push(MergedCall {
            name,
            arguments: Value::Object(arguments.clone()).to_string(),
            leaked: true,
            extent: Extent::Object(arguments),
            closed: true,
            complete: true,
            ..MergedCall::default()
        });
    }

    /// Closes every call: the response is over (P5).
    pub fn close(&mut self) {
        self.close_all(Closing::End);
    }

    fn close_all(&mut self, by: Closing) {
        for at in 0..self.calls.len() {
            self.close_call(at, by);
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
        let as_meant = self.offered.is_some();
        let call = &mut self.calls[at];
        if call.id.is_none() {
            call.id = present(&delta.id).map(str::to_owned);
        }
        match present(&delta.name) {
            Some(name) if call.name.is_empty() => {
                call.name = Some(name).filter(|name| name.len() <= MAX_NAME).unwrap_or_default().to_owned();
            }
            Some(name) if as_meant && present(&delta.id).is_none() && call.arguments.is_empty() => {
                call.go_on_with_name(name);
            }
            _ => {}
        }
        if let Some(extra) = present(&delta.extra) {
            call.extra = Some(extra.to_owned()).filter(|extra| extra.len() <= MAX_REASONING);
        }
        match &delta.arguments {
            Some(ArgumentsDelta::Fragment(text)) => call.append(text, as_meant),
            Some(ArgumentsDelta::Whole(text)) => call.replace(text, as_meant),
            None => {}
        }
        self.note_if_complete(at);
        Some(at)
    }

    /// The call a fragment belongs to (P9), or none when it belongs to one that was dropped.
    fn find_or_begin(&mut self, delta: &ToolCallDelta) -> Option<usize> {
        let id = present(&delta.id);
        let name = present(&delta.name);
        let as_meant = self.offered.is_some();
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
            Some(at) if !self.calls[at].is_another(id, name, delta.index, as_meant) => {
                self.dropping = false;
                Some(at)
            }
            _ => self.begin(delta.index, name),
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
        self.close_all(Closing::Word);
        self.calls.push(MergedCall { index, ..MergedCall::default() });
        Some(self.calls.len() - 1)
    }

    fn close_call(&mut self, at: usize, by: Closing) {
        let call = &mut self.calls[at];
        call.closed = true;
        let tool = self.offered.as_ref().and_then(|offered| offered.meant(&call.name));
        if by == Closing::Word && call.has_nothing() && tool.is_some_and(ToolSpec::takes_nothing) {
            call.replace("{}", true);
        }
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

/// The end of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closing {
    /// A finish reason that does not say that the response was cut off, or a later call.
    Word,
    /// The end of the response alone.
    End,
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
            Extent::Start | Extent::Inside(_) | Extent::Quoted { .. } => Some(CallFault::CutOff),
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

    /// True if a fragment with this id and name begins a call of its own rather than going on with this one (P9).
    fn is_another(&self, id: Option<&str>, name: Option<&str>, index: Option<u32>, as_meant: bool) -> bool {
        let Some(name) = name else { return false };
        let brings_another_id = id.is_some() && self.id.is_some();
        let is_object = matches!(self.extent, Extent::Object(_));
        let follows_a_complete_one = index.is_none() && is_object && !self.name.is_empty();
        // `{}` may be sent first, and the real arguments later, with the name once more.
        let has_all = matches!(&self.extent, Extent::Object(object) if !object.is_empty());
        let follows_arguments = id.is_none()
            && !self.name.is_empty()
            && !self.arguments.is_empty()
            && (has_all || name != self.name);
        brings_another_id || follows_a_complete_one || (as_meant && follows_arguments)
    }

    /// A name may come in pieces, and each piece may begin with those before it.
    fn go_on_with_name(&mut self, piece: &str) {
        let whole = match piece.starts_with(&self.name) {
            true => piece.to_owned(),
            false => format!("{}{piece}", self.name),
        };
        if whole.len() <= MAX_NAME {
            self.name = whole;
        }
    }

    /// No arguments came, or a null in their place.
    fn has_nothing(&self) -> bool {
        matches!(self.arguments.trim(), "" | "null" | "\"\"" | "\"null\"") && !self.complete
    }

    fn append(&mut self, fragment: &str, as_meant: bool) {
        match &self.extent {
            // `{}` sent first and the real arguments later: an empty object gives way to what follows it.
            Extent::Object(object) if object.is_empty() && !self.complete && !fragment.trim().is_empty() => {
                self.replace(fragment, as_meant);
            }
            // Complete arguments are final: what comes after them came twice.
            Extent::Object(_) => {}
            _ => {
                let start = self.arguments.len();
                self.arguments.push_str(fragment);
                self.scan(start, as_meant);
            }
        }
    }

    fn replace(&mut self, text: &str, as_meant: bool) {
        if !self.complete {
            self.arguments.clear();
            self.arguments.push_str(text);
            self.extent = Extent::Start;
            self.scan(0, as_meant);
        }
    }

    fn scan(&mut self, start: usize, as_meant: bool) {
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
                Extent::Start if byte == b'"' && as_meant => {
                    self.extent = Extent::Quoted { from: at, escaped: false };
                }
                Extent::Start => self.extent = Extent::NotAnObject,
                Extent::Quoted { escaped: escaped @ true, .. } => *escaped = false,
                Extent::Quoted { escaped, .. } if byte == b'\\' => *escaped = true,
                Extent::Quoted { from, .. } if byte == b'"' => {
                    let inner = serde_json::from_slice::<String>(&bytes[*from..=at]).ok();
                    let object = inner.as_deref().and_then(|inner| serde_json::from_str(inner).ok());
                    self.extent = object.map_or(Extent::NotAnObject, Extent::Object);
                    if let (Extent::Object(_), Some(inner)) = (&self.extent, inner) {
                        self.arguments = inner;
                    }
                    return;
                }
                Extent::Quoted { .. } => {}
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
    /// Inside a JSON string that may hold the object. It begins at this byte.
    Quoted {
        from: usize,
        escaped: bool,
    },
    Object(Map<String, Value>),
    Invalid,
    NotAnObject,
    TooLong,
}
