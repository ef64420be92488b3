//! Where a turn is, and the ways from one state to the next.
//!
//! Deliberately not here: what is done in a state (`action`, `tools`, `content` and the others), and what a turn keeps from one state
//! to the next (`course`).

use super::check_phase::Checking;
use super::phases::{Action, Comparing, Paused, Summing, ToolPhase};
use super::session::WriteSession;

/// The state of a turn.
///
/// A step borrows what the state holds ([`State::action`], [`State::tools`], [`State::writing`]), changes it in place, and returns the
/// [`Next`] state. [`State::go`] is the only way out of a state, so a turn is never without one, and a way that is not listed here is a
/// panic:
///
/// ```text
/// to             from
/// action         the start, action, summing, comparing, tools, writing, checking, paused
/// summing        the start, action, comparing, tools, writing, paused
/// comparing      action
/// tools          action, comparing
/// writing        tools, paused
/// checking       action, writing
/// paused         the start, action, summing, comparing, tools, writing, checking
/// interrupted    action, summing, comparing, tools, writing, checking, paused
/// over           the start, and every state but itself
/// ```
///
/// `docs/states.md` draws what a person sees of them, where summing and comparing are parts of the action phase.
#[derive(Debug, Clone)]
pub(super) struct State(Inner);

#[derive(Debug, Clone)]
enum Inner {
    /// A model's response comes in (P4).
    Action(Box<Action>),
    /// The conversation is summed up before such a response is asked for (X4).
    Summing(Box<Summing>),
    /// The response has ended, and files are compared that its calls would read again (X6).
    Comparing(Box<Comparing>),
    /// A tool runs, or waits for a person's approval.
    Tools(Box<ToolPhase>),
    /// A write session is open (W2).
    Writing(Box<WriteSession>),
    /// The person's checks run (V1).
    Checking(Box<Checking>),
    /// A person looks at what came, before the turn goes on (A2).
    Paused(Box<Paused>),
    /// The process died. A stop ends it (A5).
    Interrupted,
    /// The terminal event was emitted (T3).
    Over,
}

/// Where a turn goes after a step.
#[derive(Debug)]
#[must_use = "a state is left by `State::go` alone"]
pub(super) enum Next {
    Stay,
    Action(Box<Action>),
    Summing(Box<Summing>),
    Comparing(Box<Comparing>),
    Tools(Box<ToolPhase>),
    Writing(Box<WriteSession>),
    Checking(Box<Checking>),
    Paused(Box<Paused>),
    Interrupted,
    Over,
}

impl Next {
    /// For a phase that has just begun: staying in it means entering it.
    pub(super) fn or_enter(self, phase: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Stay => phase(),
            left => left,
        }
    }
}

impl State {
    /// A turn starts in the action phase (P1), waits before it (A2), or ends before it because its first request
    /// would not fit (X3).
    ///
    /// # Panics
    /// The turn would start anywhere else.
    pub(super) fn start(next: Next) -> Self {
        match next {
            Next::Action(action) => Self(Inner::Action(action)),
            Next::Summing(summing) => Self(Inner::Summing(summing)),
            Next::Paused(paused) => Self(Inner::Paused(paused)),
            Next::Over => Self(Inner::Over),
            other => panic!("a turn does not start with {other:?}"),
        }
    }

    pub(super) fn action(&mut self) -> Option<&mut Action> {
        match &mut self.0 {
            Inner::Action(action) => Some(action),
            _ => None,
        }
    }

    pub(super) fn summing(&mut self) -> Option<&mut Summing> {
        match &mut self.0 {
            Inner::Summing(summing) => Some(summing),
            _ => None,
        }
    }

    pub(super) fn comparing(&mut self) -> Option<&mut Comparing> {
        match &mut self.0 {
            Inner::Comparing(comparing) => Some(comparing),
            _ => None,
        }
    }

    pub(super) fn tools(&mut self) -> Option<&mut ToolPhase> {
        match &mut self.0 {
            Inner::Tools(phase) => Some(phase),
            _ => None,
        }
    }

    pub(super) fn writing(&mut self) -> Option<&mut WriteSession> {
        match &mut self.0 {
            Inner::Writing(session) => Some(session),
            _ => None,
        }
    }

    pub(super) fn checking(&mut self) -> Option<&mut Checking> {
        match &mut self.0 {
            Inner::Checking(checking) => Some(checking),
            _ => None,
        }
    }

    pub(super) fn paused(&self) -> Option<&Paused> {
        match &self.0 {
            Inner::Paused(paused) => Some(paused),
            _ => None,
        }
    }

    /// [`State::action`], for reading only.
    pub(super) fn answering(&self) -> Option<&Action> {
        match &self.0 {
            Inner::Action(action) => Some(action),
            _ => None,
        }
    }

    /// [`State::tools`], for reading only.
    pub(super) fn tool_phase(&self) -> Option<&ToolPhase> {
        match &self.0 {
            Inner::Tools(phase) => Some(phase),
            _ => None,
        }
    }

    /// [`State::writing`], for reading only.
    pub(super) fn write_session(&self) -> Option<&WriteSession> {
        match &self.0 {
            Inner::Writing(session) => Some(session),
            _ => None,
        }
    }

    pub(super) fn is_interrupted(&self) -> bool {
        matches!(self.0, Inner::Interrupted)
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.0, Inner::Over)
    }

    /// A model or a tool is at work, or is about to be: what the seconds of the turn end (T7). A person's answer and a file on its way to the
    /// disk are waited for.
    pub(super) fn can_expire(&self) -> bool {
        match &self.0 {
            Inner::Action(_) | Inner::Summing(_) | Inner::Comparing(_) => true,
            Inner::Tools(phase) => phase.can_expire(),
            Inner::Writing(session) => session.receives(),
            Inner::Checking(checking) => checking.can_expire(),
            Inner::Paused(_) | Inner::Interrupted | Inner::Over => false,
        }
    }

    /// Goes to the next state.
    ///
    /// # Panics
    /// The state does not lead there: a defect of the machine, which the driver reports as the turn's end.
    pub(super) fn go(&mut self, next: Next) {
        match next {
            Next::Stay => {}
            Next::Action(action) => self.begin_action(action),
            Next::Summing(summing) => self.begin_summing(summing),
            Next::Comparing(comparing) => self.begin_comparing(comparing),
            Next::Tools(phase) => self.begin_tools(phase),
            Next::Writing(session) => self.begin_write(session),
            Next::Checking(checking) => self.begin_checks(checking),
            Next::Paused(paused) => self.pause(paused),
            Next::Interrupted => self.interrupt(),
            Next::Over => self.end(),
        }
    }

    /// A response is asked for: after the boxes of a tool phase or a write session, after a summary or a pause, and after a response none
    /// of whose calls runs.
    fn begin_action(&mut self, action: Box<Action>) {
        assert!(self.is_under_way(), "no action phase after the end");
        self.0 = Inner::Action(action);
    }

    /// X4: a summary may come before each response, but only once in a turn.
    fn begin_summing(&mut self, summing: Box<Summing>) {
        let leads_there = matches!(
            self.0,
            Inner::Action(_) | Inner::Comparing(_) | Inner::Tools(_) | Inner::Writing(_) | Inner::Paused(_)
        );
        assert!(leads_there, "a summary comes before a response, and none after a summary or the end");
        self.0 = Inner::Summing(summing);
    }

    /// X6: a response has calls that an earlier box may answer.
    fn begin_comparing(&mut self, comparing: Box<Comparing>) {
        assert!(matches!(self.0, Inner::Action(_)), "a comparison follows an action phase");
        self.0 = Inner::Comparing(comparing);
    }

    /// P4: a response's complete call begins a tool phase.
    fn begin_tools(&mut self, phase: Box<ToolPhase>) {
        let follows = matches!(self.0, Inner::Action(_) | Inner::Comparing(_));
        assert!(follows, "a tool phase follows an action phase");
        self.0 = Inner::Tools(phase);
    }

    /// W1: a call of a tool phase opened a write session. The turn may have paused between them (A2).
    fn begin_write(&mut self, session: Box<WriteSession>) {
        assert!(matches!(self.0, Inner::Tools(_) | Inner::Paused(_)), "a write session follows a tool phase");
        self.0 = Inner::Writing(session);
    }

    /// V1: an answer would end the turn, or the repair has written (V2).
    fn begin_checks(&mut self, checking: Box<Checking>) {
        let follows = matches!(self.0, Inner::Action(_) | Inner::Writing(_));
        assert!(follows, "checks follow an answer or a write session");
        self.0 = Inner::Checking(checking);
    }

    /// A2: between two phases, or in the place of a response that was dropped.
    fn pause(&mut self, paused: Box<Paused>) {
        let leads_there = matches!(
            self.0,
            Inner::Action(_)
                | Inner::Summing(_)
                | Inner::Comparing(_)
                | Inner::Tools(_)
                | Inner::Writing(_)
                | Inner::Checking(_)
        );
        assert!(leads_there, "only a turn under way that is not paused is paused");
        self.0 = Inner::Paused(paused);
    }

    /// A5: a turn is interrupted once.
    fn interrupt(&mut self) {
        assert!(self.is_under_way(), "only a turn under way is interrupted");
        self.0 = Inner::Interrupted;
    }

    /// T3: a turn ends once.
    fn end(&mut self) {
        assert!(!self.is_over(), "nothing follows the end");
        self.0 = Inner::Over;
    }

    fn is_under_way(&self) -> bool {
        !matches!(self.0, Inner::Interrupted | Inner::Over)
    }
}
