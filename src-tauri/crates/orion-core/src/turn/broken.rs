//! The items that a turn whose process died leaves to a session that goes on without it (X1): what a stop at that place would leave, and a word
//! about each change that broke off, so that the model neither forgets it nor takes it for done.
//!
//! Deliberately not here: whether the session goes on without the turn, and what it has of it already (`context::unsaid`).

use orion_protocol::{Code, ErrorInfo, PhaseCause, WriteOperation, WriteState, WriteStatus};

use super::Turn;
use super::course::Course;
use super::outcomes::broke_off;
use super::phases::{Then, ToolPhase};
use super::session::WriteSession;
use super::state::State;
use crate::context::{About, Item};
use crate::model::Message;
use crate::prompt;
use crate::tool::{Opening, ToolKind};

/// A file that was being written.
struct Unfinished {
    path: String,
    operation: WriteOperation,
    /// It was on its way to the disk.
    is_writing: bool,
    /// Content of it had come.
    has_content: bool,
}

impl Unfinished {
    fn of(opening: &Opening, session: Option<&WriteSession>) -> Self {
        Self {
            path: opening.path.clone(),
            operation: opening.operation,
            is_writing: session.is_some_and(WriteSession::is_writing),
            has_content: session.is_some_and(|session| session.state() != WriteState::AwaitingContent),
        }
    }
}

impl Turn {
    /// The turn as its session takes it where it goes on without it. The turn itself stays as it is, and can be resumed.
    #[must_use]
    pub fn broken_off(&self) -> Self {
        let Self { mut state, mut course } = self.clone();
        course.break_off(&mut state);
        Self { state, course }
    }
}

impl Course {
    fn break_off(&mut self, state: &mut State) {
        // Nothing of this is an event of the turn.
        let effects = &mut Vec::new();
        let unfinished = unfinished(state);
        if let Some(phase) = state.tools()
            && self.may_have_changed(phase)
        {
            self.conclude_call(phase, broke_off(), 0, effects); // A5
        }
        self.leave_phase(state, PhaseCause::Interrupted, effects);
        if let Some(unfinished) = unfinished {
            self.say_unfinished(&unfinished);
        }
        self.say_steered(); // A9: the next request is the session's.
    }

    /// The current call had begun, and changes something.
    fn may_have_changed(&self, phase: &ToolPhase) -> bool {
        let kind = self.setup.tools.get(&phase.current.name).map(|tool| tool.kind);
        kind.is_some_and(ToolKind::mutates) && (phase.may_have_run() || phase.runs())
    }

    fn say_unfinished(&mut self, unfinished: &Unfinished) {
        let Unfinished { path, operation, is_writing, has_content } = unfinished;
        if *has_content {
            let text = prompt::content_sent(path);
            let sent = Message::Assistant { text, reasoning: None, tool_calls: Vec::new() };
            self.conversation.push(Item::new(sent, About::Write));
        }
        let (status, message, action) = match is_writing {
            true => {
                (WriteStatus::Unknown, "Orion was closed while it wrote the file.", "It may be the old one.")
            }
            false => (
                WriteStatus::Discarded,
                "Orion was closed before the file was written.",
                "Begin again if it is still wanted.",
            ),
        };
        let ended = prompt::EndedWrite {
            path,
            operation: *operation,
            status,
            approved: None,
            proposal: None,
            revised: false,
            error: Some(&ErrorInfo::new(Code::Interrupted, message, action)),
        };
        self.say(prompt::write_box(&self.setup.nonce, &ended), About::Write);
    }
}

/// The write session that is open, or that a call has opened and that has not begun.
fn unfinished(state: &State) -> Option<Unfinished> {
    if let Some(session) = state.write_session() {
        return Some(Unfinished::of(session.opening(), Some(session)));
    }
    let opened = state.tool_phase().and_then(|phase| phase.opened.as_ref());
    let then = state.paused().and_then(|paused| match &paused.then {
        Then::Write(opened) => Some(&**opened),
        Then::Action | Then::Call { .. } | Then::Repair { .. } | Then::Response { .. } => None,
    });
    opened.or(then).map(|(_, opening)| Unfinished::of(opening, None))
}
