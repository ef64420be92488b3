//! A message of a session, with what Orion knows of it.

use std::collections::HashSet;

use orion_protocol::{CallId, Entry, RequestId, Sha256, Signature};
use serde::{Deserialize, Serialize};

use crate::model::Message;
use crate::prompt;
use crate::tool::SourceFile;

/// One item of a conversation. As JSON it is a [`Message`] with more fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    #[serde(flatten)]
    pub message: Message,
    /// None where a person or the model said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<About>,
    /// The turn that it was said in. None in the items of that turn itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<RequestId>,
    /// A person has pinned it: no cut takes it out (X3).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// The sources of the entry of a compaction: it stands for everything before it (X4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<Box<Entry>>,
}

/// What an item of Orion's is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum About {
    /// The result of a call (R1).
    Box(BoxItem),
    /// How a write session ended, or that its content was sent.
    Write,
    /// A refusal, or what was wrong with a call.
    Word,
    /// That a budget of the turn is spent. The next turn has its own, so it is not told (X1).
    Budget,
}

/// The box of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BoxItem {
    pub call: CallId,
    pub signature: Signature,
    /// Bytes of the text up to its body: the call, its status and size.
    pub head: usize,
    /// SHA-256 of the body.
    pub sha256: Sha256,
    /// The file that it was read from. None for every other result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceFile>,
    /// A person sent it, and it is not of the project: no call brings it back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub attachment: bool,
    /// The body has left the context (X3).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub emptied: bool,
}

/// A box that answers its call for as long as its file has not changed (X6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The turn that it is of; none for the present one.
    pub turn: Option<RequestId>,
    pub call: CallId,
    pub source: SourceFile,
}

impl From<Message> for Item {
    fn from(message: Message) -> Self {
        Self { message, about: None, turn: None, pinned: false, entry: None }
    }
}

impl Item {
    pub fn new(message: Message, about: About) -> Self {
        Self { message, about: Some(about), turn: None, pinned: false, entry: None }
    }

    /// The entry that this turn puts in the place of the conversation (X4).
    #[must_use]
    pub fn of_entry(entry: Entry, turn: RequestId) -> Self {
        let message = Message::System { text: prompt::entry(&entry) };
        Self {
            message,
            about: Some(About::Word),
            turn: Some(turn),
            pinned: false,
            entry: Some(Box::new(entry)),
        }
    }

    /// What the person wrote. Not so the words of Orion, in whichever role they go to a provider.
    #[must_use]
    pub fn is_the_persons(&self) -> bool {
        self.about.is_none() && matches!(self.message, Message::User { .. })
    }

    /// It leaves after everything else of its turn: what the person wrote, and what stands for a conversation.
    #[must_use]
    pub(super) fn leaves_last(&self) -> bool {
        self.is_the_persons() || self.entry.is_some()
    }

    /// Bytes of its texts.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.message.text_bytes()
    }

    /// The box that still has its body.
    #[must_use]
    pub fn whole_box(&self) -> Option<&BoxItem> {
        match &self.about {
            Some(About::Box(of)) if !of.emptied => Some(of),
            _ => None,
        }
    }

    /// The tool and the arguments, as JSON, that its box names.
    pub(super) fn boxed_call(&self) -> Option<(&str, &str)> {
        self.head().and_then(prompt::boxed_call)
    }

    /// The name of the file that it holds, where that is not of the project.
    pub(super) fn attachment_name(&self) -> Option<String> {
        self.head()
            .filter(|_| matches!(&self.about, Some(About::Box(of)) if of.attachment))
            .and_then(prompt::attachment_name)
    }

    /// What its box says of its body.
    fn head(&self) -> Option<&str> {
        let Some(About::Box(of)) = &self.about else { return None };
        let (Message::System { text } | Message::User { text, .. } | Message::Tool { text, .. }) =
            &self.message
        else {
            return None;
        };
        text.get(..of.head)
    }

    /// The box, if it can answer the same call again (X6): it holds what its file's bytes led to, and all of that. What a person took out of it
    /// would make it another text.
    pub(super) fn held(&self) -> Option<Held> {
        let BoxItem { call, source, .. } = self.whole_box()?;
        Some(Held { turn: self.turn, call: call.clone(), source: source.clone()? })
    }

    /// The provider's call that it is the result of.
    pub(super) fn answered_call(&self) -> Option<&str> {
        match &self.message {
            Message::Tool { call_id, .. } => Some(call_id),
            Message::System { .. } | Message::User { .. } | Message::Assistant { .. } => None,
        }
    }

    /// The item with these of its calls alone. None where nothing is left of it.
    pub(super) fn with_calls(&self, answered: &HashSet<&str>) -> Option<Self> {
        let mut item = self.clone();
        if let Message::Assistant { text, tool_calls, .. } = &mut item.message {
            tool_calls.retain(|call| answered.contains(call.id.as_str()));
            if text.is_empty() && tool_calls.is_empty() {
                return None;
            }
        }
        Some(item)
    }

    /// The calls that it makes or answers: their ids are taken.
    pub fn call_ids(&self) -> impl Iterator<Item = &str> {
        let (made, answered) = match &self.message {
            Message::Assistant { tool_calls, .. } => (tool_calls.as_slice(), None),
            Message::Tool { call_id, .. } => (&[][..], Some(call_id.as_str())),
            Message::System { .. } | Message::User { .. } => (&[][..], None),
        };
        let boxed = match &self.about {
            Some(About::Box(of)) => Some(of.call.0.as_str()),
            _ => None,
        };
        made.iter().map(|call| call.id.as_str()).chain(answered).chain(boxed)
    }
}
