//! The turn: a state machine that takes inputs and returns effects (T, P, D).
//!
//! A [`Turn`] has a state (`state`, with its data in `phases` and `session`) and a part that outlives every state (`course`), made from its
//! `setup`. [`Turn::start`] gives the first effects, and [`Turn::step`] those of one input. The work of a state is done by:
//!
//! - `action`, `answer`: the action phase, and the answer that ends it, or that is asked for once more. `repeating` cuts a response that only repeats itself.
//! - `attaching`: files that came with the message.
//! - `dispatch`: the calls of a response. They run, are refused, or are answered by an earlier box.
//! - `leaked`: the texts of a response, without the thoughts and the calls that are written into them.
//! - `tools`: the tool phase. `asked` decides what a call may do, and asks a person about it; `outcomes` has the outcomes of calls that do
//!   not run. `questions` has the questions of the model. `withheld` asks before a
//!   call brings back what a person took out.
//! - `work`: jobs beside the model (`job` has their numbers). The state that begins a job waits for it.
//! - `content`, `complete`, `approval`: an open write session. They receive its content, check and propose it, and have it approved and
//!   written.
//! - `broken`: what the session is given of a turn whose process died, when it goes on without it.
//! - `resume`: what a turn goes on with in another process. `paused`: pauses (`pausing` says when), and what a person does to results in them.
//! - `steering`: messages that a person gives to the running turn (`steered` holds them).
//! - `checking`: the person's checks, when an answer would end a turn that changed something; `repairing` has the one repair after them, and `checked` what
//!   both keep.
//! - `room`: cuts the conversation before a call that would not fit.
//! - `limits`: how long, how much and for how much money it may go on (T7).
//! - `compacting`: puts an entry in the place of the conversation. `summing` does so before a cut.
//! - `ending`: the end of a phase and of the turn; `early` of one in the middle of a phase.
//! - `outlook`: what a turn would be sent and would cut, before it begins.
//!
//! `taking` hands an input to one of them, `replied` a person's reply. `waiting` says which replies the turn takes, `person` what Orion adds
//! to one and why it may not fit. `response` is one model call, with `watches` over its texts,
//! and `tally` counts for the report.
//! Deliberately not here: performing effects, and any clock.

mod action;
mod answer;
mod approval;
mod asked;
mod attaching;
mod broken;
mod check_phase;
mod checked;
mod checking;
mod compacting;
mod complete;
mod content;
mod course;
mod dispatch;
mod early;
mod elapsed;
mod ending;
mod flags;
mod job;
mod leaked;
mod limits;
mod outcomes;
mod outlook;
mod paused;
mod pausing;
mod person;
mod phases;
mod questions;
mod repairing;
mod repeating;
mod replied;
mod response;
mod resume;
mod room;
mod session;
mod setup;
mod state;
mod steered;
mod steering;
mod summing;
mod taking;
mod tally;
mod tools;
mod waiting;
mod watches;
mod withheld;
mod work;

use orion_protocol::{
    ApprovalId, CutCause, Envelope, ErrorInfo, NoticeCode, PauseRequest, Purpose, QuestionsAnswer, Reply,
    Rewind, Sha256, StopReason, TurnEvent, TurnReport, TurnStatus,
};
use serde::{Deserialize, Serialize};

pub use checking::check_id;
pub use flags::{Flag, Flags};
pub use job::JobId;
pub use person::{Supplied, Unfit};
pub use session::{Approved, Draft, Proposed, Source, WriteOutcome, WriteSession};
pub use setup::{Attached, BegunIn, TurnCheck, TurnSetup, Uncut};
pub use waiting::Verdict;
pub use work::{CommandHeld, Done, Prepared, Progress, Work};

use crate::context::{Conversation, Gauge, Withheld};
use crate::model::{ModelDelta, ModelRequest, Profile, Shape};
use crate::tool::{Seen, ToolSet};
use course::Course;
use state::State;

/// Says to the person that the turn knows nothing of one before it.
const FORGOTTEN: &str = "The model is not told what an interrupted turn before this one read and said: its journal is damaged, or was \
    written by another version of Orion.";

/// Tells a person that the model is not told of its tools.
const TOOLS_UNTOLD: &str = "The chat template of this model leaves the tools out, so it can hardly use one. Another model, or another template for it, can.";

/// Everything that can happen to a turn. Recorded in the journal before it is acted on (T5).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Input {
    /// From the model call of this number. An input of an earlier call is ignored.
    Model { call: u32, event: ModelInput },
    /// A job says something that the turn depends on. An input of a job that its state does not wait for is ignored.
    Progress { job: JobId, progress: Progress },
    /// A job has ended.
    Done { job: JobId, done: Done },
    /// Files of the project changed, by Orion or by someone else (D3).
    Changed { changes: Vec<Seen> },
    /// A person's reply to what the turn waits for (A3, A7).
    Replied {
        digest: Sha256,
        reply: Reply,
        /// The part of it that Orion adds.
        #[serde(default, skip_serializing_if = "Supplied::is_nothing")]
        supplied: Supplied,
    },
    /// An approval that the person kept was revoked (A1).
    Revoked { approval_id: ApprovalId },
    /// A person says when the turn is to pause (A2).
    Pause { pause: PauseRequest },
    /// A person gives a message to the turn (A9).
    Steered { text: String },
    /// The idle timer of a content message has fired (W4).
    Idle { call: u32 },
    /// The person changed what is proposed, or had it compared again (W6).
    Revised { write: u32, outcome: Proposed },
    /// Another process goes on with the turn (A5, A7, W7). `seq` is the last one in the journal: the process that found the turn
    /// interrupted has recorded an event of its own.
    Resumed { seq: u32 },
    /// The turn's deadline has come (T7).
    Expired,
    /// The person stops the turn (A4).
    Stop,
    /// The process that ran the turn has died (A5). Only a stop follows.
    Interrupted,
    /// The driver cannot go on: the disk refused, or Orion has a defect. The turn ends here (T3).
    Failed { error: ErrorInfo },
}

/// What can happen in a model call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ModelInput {
    Retrying {
        attempt: u32,
        delay_ms: u64,
        cause: ErrorInfo,
    },
    /// All pieces of one event of the stream. Pieces of consecutive events may be joined: only the boundaries of text chunks change (T5).
    Deltas {
        deltas: Vec<ModelDelta>,
    },
    /// The request goes out with something else in the place of this shape, since the endpoint refuses it. Nothing in the turn follows from it; what
    /// was sent does.
    #[serde(rename = "left_out")]
    Changed {
        #[serde(rename = "part")]
        shape: Shape,
    },
    /// The server has begun its answer: its headers came. Nothing in the turn follows from it; the trace shows it (J2).
    Connected,
    Ended,
    Failed {
        error: ErrorInfo,
    },
}

/// What the driver has to do, in this order.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Commit a durable event, then show it (J1).
    Emit(Envelope),
    /// Show a chunk at once; its text reaches the journal with the inputs (J1).
    Show(Envelope),
    CallModel {
        call: u32,
        request: ModelRequest,
    },
    /// Drop the connection of this call (P4, A4).
    DropModel {
        call: u32,
    },
    /// Begin a job. It feeds [`Input::Done`] at its end, and may feed [`Input::Progress`] before. Several may run.
    Begin {
        job: JobId,
        work: Work,
    },
    /// End a job at once, wherever it is (A4). It feeds nothing more.
    Cancel {
        job: JobId,
    },
    /// Have a job end by itself, and soon (A4). It feeds [`Input::Done`] in any case.
    End {
        job: JobId,
    },
    /// Hand the person's answer to the job that asked (A8), for the question of this number.
    Tell {
        job: JobId,
        number: u32,
        answer: QuestionsAnswer,
    },
    /// Feed [`Input::Idle`] after the project's idle time (W4), unless something else comes first.
    AwaitIdle {
        call: u32,
    },
}

/// One turn of a conversation.
#[derive(Debug, Clone)]
pub struct Turn {
    state: State,
    course: Course,
}

impl Turn {
    /// Begins a turn: its first events and its first model call.
    #[must_use]
    pub fn start(setup: TurnSetup) -> (Self, Vec<Effect>) {
        let mut course = Course::new(setup);
        let mut effects = Vec::new();
        let started = TurnEvent::TurnStarted {
            policy: course.setup.policy,
            bounds: course.setup.bounds(),
            mode: course.setup.mode,
            model: course.setup.model.clone(),
            endpoint: course.setup.endpoint.clone(),
            text: course.setup.text.clone(),
            tools: course.setup.tools.names().map(str::to_owned).collect(),
            window: course.setup.numbers.in_force(),
            tuning: Some(course.setup.tuning).filter(|tuning| !tuning.is_empty()),
            chosen: course.setup.chosen,
            choices: course.setup.choices.clone(),
            purpose: course.setup.purpose(),
        };
        course.emit(started, &mut effects);
        if let Some(Rewind { request_id, conversation, files, .. }) = course.setup.rewound.take() {
            course.emit(TurnEvent::Rewound { turn: request_id, conversation, files }, &mut effects);
        }
        if course.setup.forgets {
            course.notice(NoticeCode::Forgotten, FORGOTTEN, &mut effects); // X1
        }
        if course.setup.profile.untold_tools {
            course.notice(NoticeCode::ToolsUntold, TOOLS_UNTOLD, &mut effects);
        }
        if course.setup.begins_anew {
            course.tell_of_change(CutCause::Changed, false, &mut effects); // X1
        }
        course.edit_by_hand(&mut effects); // X3
        course.make_room_by_hand(&mut effects);
        course.attach(&mut effects);
        course.tell_of_price(&mut effects);
        let state = State::start(match course.setup.purpose() {
            Purpose::Answer => course.begin_action(&mut effects),
            Purpose::Compact => course.begin_summary(&mut effects),
        });
        (Self { state, course }, effects)
    }

    /// The tools on offer, already those of the mode (A1).
    #[must_use]
    pub fn tools(&self) -> &ToolSet {
        &self.course.setup.tools
    }

    /// Takes one input. `at_ms` is the time since the Unix epoch; a clock that goes back is taken to stand still.
    pub fn step(&mut self, at_ms: i64, input: Input) -> Vec<Effect> {
        // A chunk has one effect, and room for four would be a kilobyte.
        let mut effects = Vec::with_capacity(1);
        if self.is_over() {
            return effects; // T3, A4: nothing follows the end
        }
        self.course.now_ms = self.course.now_ms.max(at_ms);
        // Nobody drove the turn before another process resumes it.
        let counts = !matches!(input, Input::Resumed { .. }) && self.pending().is_none();
        self.course.elapsed.reaches(self.course.now_ms, counts);
        if self.verdict(&input).is_some_and(|verdict| verdict != Verdict::Taken) {
            return effects; // A3, A7: an answer to anything else than what waits is none
        }
        let Self { state, course } = self;
        let next = course.take(state, input, &mut effects);
        state.go(next);
        effects
    }

    /// Whether changes of the project may matter to this turn (D3). Other changes need not be recorded.
    #[must_use]
    pub fn minds(&self, changes: &[Seen]) -> bool {
        self.course.ledger.minds(changes)
            || self.course.checked.minds()
            || self.state.write_session().is_some_and(|session| session.asks_about(changes))
    }

    /// An event that is shown and follows from no input: output of a tool that runs, and how far the model has read its prompt.
    #[must_use]
    pub fn aside(&self, event: TurnEvent) -> Envelope {
        self.course.envelope(event)
    }

    /// The open write session.
    #[must_use]
    pub fn write_session(&self) -> Option<&WriteSession> {
        self.state.write_session()
    }

    /// When the seconds of the turn are used up, in milliseconds since the Unix epoch: [`Input::Expired`] is due then (T7). None while
    /// nothing runs that it would end.
    #[must_use]
    pub fn deadline(&self) -> Option<i64> {
        self.course.deadline().filter(|_| self.state.can_expire())
    }

    /// The text of the current model call that this turn has and `earlier`, the same turn some inputs before, lacks.
    /// None if it lacks no text, or if it lacks more than text.
    #[must_use]
    pub fn streamed_since(&self, earlier: &Self) -> Option<Input> {
        let (now, before) = (self.state.answering()?, earlier.state.answering()?);
        if now.call() != before.call() {
            return None;
        }
        let text = now.came.text.strip_prefix(before.came.text.as_str())?;
        let reasoning = now.came.reasoning.strip_prefix(before.came.reasoning.as_str())?;
        if text.is_empty() && reasoning.is_empty() {
            return None;
        }
        let reasoning = ModelDelta::Reasoning { text: reasoning.to_owned() };
        let text = ModelDelta::Text { text: text.to_owned() };
        Some(Input::Model { call: now.call(), event: ModelInput::Deltas { deltas: vec![reasoning, text] } })
    }

    /// The provider that it calls, as it was when the turn began.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.course.setup.profile
    }

    /// The conversation, of which later turns are given a part (X1).
    #[must_use]
    pub fn conversation(&self) -> &Conversation {
        &self.course.conversation
    }

    /// What a person took out of the session, this turn included (X6).
    #[must_use]
    pub fn withheld(&self) -> &[Withheld] {
        &self.course.setup.withheld
    }

    /// How many tokens a request has, by the last count (X2).
    #[must_use]
    pub fn gauge(&self) -> Gauge {
        self.course.gauge
    }

    /// What it is for.
    #[must_use]
    pub fn purpose(&self) -> Purpose {
        self.course.setup.purpose()
    }

    /// It ended with an error.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.course.ended == Some(StopReason::Error)
    }

    /// It ended with its answer: the session's queue goes on (A9).
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.course.ended == Some(StopReason::Answered)
    }

    /// The model that it calls.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.course.setup.model
    }

    /// True after the terminal event (T3).
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.state.is_over()
    }

    /// The report so far. A turn that goes on is reported as one that waits (J5).
    #[must_use]
    pub fn report(&self) -> TurnReport {
        let reason = self.pending().map_or(StopReason::Paused, |pending| pending.of.stop_reason());
        let Course { setup, tally, phase, now_ms, .. } = &self.course;
        tally.report(setup, TurnStatus::Waiting, reason, *phase, *now_ms, None)
    }
}
