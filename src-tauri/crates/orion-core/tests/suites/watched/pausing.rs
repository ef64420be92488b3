//! What pauses promise of a turn under test (A2), counted apart from the machine.

use orion_core::model::{Message, ModelRequest};
use orion_core::tool::Arguments;
use orion_core::turn::TurnSetup;
use orion_protocol::{CallId, EditedResult};

/// What a person writes in the place of a result.
pub(super) const EDITED: &str = "EDITED";

#[derive(Clone)]
pub(super) struct Pausing {
    /// The turn pauses after each tool phase.
    pub(super) after_tools: bool,
    /// A tool phase has ended, and nobody has looked at its results.
    due: bool,
    /// Results that a person edited (true) or dropped.
    edited: Vec<(CallId, bool)>,
    /// One of them names a path.
    takes_paths_out: bool,
}

impl Pausing {
    pub(super) fn of(setup: &TurnSetup) -> Self {
        Self {
            after_tools: setup.policy.pause_after_tool,
            due: false,
            edited: Vec::new(),
            takes_paths_out: false,
        }
    }

    pub(super) fn tools_done(&mut self) {
        self.due = self.after_tools;
    }

    pub(super) fn paused(&mut self) {
        self.due = false;
    }

    pub(super) fn edited(&mut self, edited: &EditedResult, names_path: bool) {
        self.takes_paths_out |= names_path;
        assert_eq!(edited.sha256.is_some(), edited.bytes.is_some());
        self.edited.push((edited.tool_call_id.clone(), edited.sha256.is_some()));
    }

    /// A2: what the model gets is what the person saw.
    pub(super) fn calls(&self, request: &ModelRequest) {
        assert!(!self.due, "A2: nobody has looked at the results");
        for message in &request.messages {
            let (Message::System { text } | Message::User { text, .. } | Message::Tool { text, .. }) =
                message
            else {
                continue;
            };
            let of_call = |(id, _): &&(CallId, bool)| text.starts_with(&format!("Result of call {id}:"));
            match self.edited.iter().find(of_call) {
                None => {}
                Some((_, true)) => {
                    assert!(!text.contains("<<<NONCE\nx"), "A2: {text}");
                    assert!(text.contains("The user edited this result"), "A2: {text}");
                }
                Some((_, false)) => assert!(!text.contains("<<<NONCE"), "A2: {text}"),
            }
        }
    }

    /// True if a result that a person edited or dropped has a path of the project.
    pub(super) fn takes_paths_out(&self) -> bool {
        self.takes_paths_out
    }

    /// Whether a call with these arguments reads what was edited or dropped: all reads are of files below the folder `.`, and those that succeed of `a`.
    pub(super) fn withholds(&self, arguments: &Arguments) -> bool {
        self.takes_paths_out && arguments.paths().eq(["."])
    }
}
