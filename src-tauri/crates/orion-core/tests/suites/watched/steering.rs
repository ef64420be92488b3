//! What steering promises of a turn under test (A9), counted apart from the machine.

use orion_core::model::{Message, ModelRequest};
use orion_core::prompt;

#[derive(Clone, Default)]
pub(super) struct Steering {
    made: u32,
    /// No request has held these yet.
    waiting: Vec<String>,
    given: Vec<String>,
    /// The turn said that these many go to the queue.
    queued: u32,
}

impl Steering {
    /// A message like no other.
    pub(super) fn next(&mut self) -> String {
        self.made += 1;
        format!("steered {}", self.made)
    }

    pub(super) fn comes(&mut self, text: &str) {
        self.waiting.push(text.to_owned());
    }

    /// `prompts`: of a write session.
    pub(super) fn calls(&mut self, request: &ModelRequest, prompts: bool) {
        let at = |wanted: &String| -> Vec<usize> {
            let is_it = |message: &Message| matches!(message, Message::User { text, .. } if text == wanted);
            let messages = request.messages.iter().enumerate();
            messages.filter(|(_, message)| is_it(message)).map(|(place, _)| place).collect()
        };
        let sums_up =
            matches!(request.messages.last(), Some(Message::System { text }) if text == prompt::SUMMARISE);
        if prompts || sums_up {
            assert!(self.waiting.iter().all(|text| at(text).is_empty()), "A9: not before the next answer");
            return;
        }
        let last_box = request.messages.iter().rposition(|message| match message {
            Message::System { text } | Message::Tool { text, .. } => text.starts_with("Result of call"),
            Message::User { .. } | Message::Assistant { .. } => false,
        });
        for text in &self.waiting {
            let places = at(text);
            assert_eq!(places.len(), 1, "A9: {text} is in the next request, once");
            assert!(places.first().copied() > last_box, "A9: {text} follows the boxes");
        }
        assert!(self.given.iter().all(|text| at(text).len() == 1), "A9: it stays in its place, once");
        let order: Vec<_> = self.given.iter().chain(&self.waiting).flat_map(at).collect();
        assert!(order.is_sorted(), "A9: in the order in which they came");
        self.given.append(&mut self.waiting);
    }

    pub(super) fn queued(&mut self, messages: u32) {
        self.queued = messages;
    }

    /// The turn has ended.
    pub(super) fn over(&self, steered: u32, left: &[String]) {
        assert_eq!(left, self.waiting, "A9: what no call was left for goes to the queue");
        assert_eq!((steered, self.queued), (count(&self.given), count(&self.waiting)), "J5");
    }
}

fn count(texts: &[String]) -> u32 {
    u32::try_from(texts.len()).expect("a test has few")
}
