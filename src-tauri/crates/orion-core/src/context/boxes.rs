//! The body of a box: how it leaves the conversation (X3), and how a person replaces it before a model is given it (A2).
//!
//! Deliberately not here: which boxes that happens to (`cut`, and the turn).

use super::item::{About, Item};
use crate::model::Message;
use crate::prompt;
use crate::signature::digest;

impl Item {
    /// The text of a box without its body, where it still has one. `by_person`: it says that a person took the body.
    pub(super) fn emptied(&self, by_person: bool) -> Option<String> {
        let of = self.whole_box()?;
        let text = text(&self.message)?;
        let head = text.get(..of.head)?;
        let bytes = text.len() - head.len();
        Some(match (by_person, of.attachment) {
            (_, true) => prompt::emptied_attachment(head),
            (true, false) => prompt::withheld_box(head, bytes),
            (false, false) => prompt::emptied_box(head, bytes, of.sha256),
        })
    }

    /// Takes the body out of a box.
    pub(crate) fn empty(&mut self, by_person: bool) {
        let Some(emptied) = self.emptied(by_person) else { return };
        if let Some(text) = text_mut(&mut self.message) {
            *text = emptied;
        }
        self.drop_images();
        if let Some(About::Box(of)) = &mut self.about {
            of.emptied = true;
        }
    }

    /// Puts what a person wrote in the place of the body. The box answers no other call from then on (X6), since no tool gave it.
    pub(crate) fn replace_body(&mut self, body: &str, nonce: &str) {
        let (Some(About::Box(of)), Some(text)) = (&mut self.about, text_mut(&mut self.message)) else {
            return;
        };
        let Some(head) = text.get(..of.head) else { return };
        (*text, of.head) = prompt::edited_box(head, body, nonce);
        (of.sha256, of.source) = (digest(body), None);
        self.drop_images();
    }

    fn drop_images(&mut self) {
        if let Message::User { images, .. } | Message::Tool { images, .. } = &mut self.message {
            images.clear();
        }
    }
}

fn text(message: &Message) -> Option<&String> {
    match message {
        Message::System { text } | Message::User { text, .. } | Message::Tool { text, .. } => Some(text),
        Message::Assistant { .. } => None,
    }
}

fn text_mut(message: &mut Message) -> Option<&mut String> {
    match message {
        Message::System { text } | Message::User { text, .. } | Message::Tool { text, .. } => Some(text),
        Message::Assistant { .. } => None,
    }
}
