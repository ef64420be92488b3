//! The data of the action phase, of a summary that may come before it, of the comparison of files that may follow it, and of the tool phase. An
//! open write session is in `session`.
//!
//! Deliberately not here: what is done in them (`action`, `dispatch`, `tools`).

use std::collections::VecDeque;

use orion_protocol::{
    BatchId, CallId, CommandAsked, Fact, MadeCall, PausedResult, PhaseCause, Question, QuestionsAnswer,
    Sha256, Signature, StopReason,
};

use super::job::JobId;
use super::response::Response;
use crate::context::Held;
use crate::leak::Recogniser;
use crate::merge::Merge;
use crate::model::{CallMade, Details, Opaque, ReasoningField};
use crate::thoughts::Thoughts;
use crate::tool::{Arguments, Opening};

/// An action phase: the response of one model call as it streams in.
#[derive(Debug, Clone)]
pub(super) struct Action {
    pub(super) response: Response,
    /// Why this is the forced final answer, when it is (P3).
    pub(super) forced: Option<StopReason>,
    pub(super) merge: Merge,
    /// The text and the reasoning as they came.
    pub(super) came: Came,
    pub(super) text: String,
    pub(super) reasoning: String,
    /// Bytes of reasoning that it may have before anything else comes (T7); none where nothing limits them.
    pub(super) most_thoughts: Option<usize>,
    /// Splits thoughts off the text; none in turns that began before that was done.
    pub(super) thoughts: Option<Thoughts>,
    /// Finds calls in the text; none in turns that began before that was done, and where no answer is wanted.
    pub(super) recogniser: Option<Recogniser>,
    /// The model wrote a call into its text, which ends the response.
    pub(super) has_leaked: bool,
    /// Markup of a call in the text that is none.
    pub(super) unread: Option<Unread>,
    /// The field that the reasoning came in.
    pub(super) field: Option<ReasoningField>,
    /// Lists of reasoning in the provider's own shape.
    pub(super) details: Details,
    /// Bytes at the end of the text that only repeat what is before them (P11). They are shown and reported, and no later request holds
    /// them (X1).
    pub(super) repeated: usize,
}

/// The text and the reasoning of a response as they came.
#[derive(Debug, Clone, Default)]
pub(super) struct Came {
    pub(super) text: String,
    pub(super) reasoning: String,
}

/// Markup of a call that does not run.
#[derive(Debug, Clone)]
pub(super) enum Unread {
    /// It names this tool, and is cut off or has arguments that do not fit.
    Unfit { name: String },
    /// Of no tool on offer, or where none may be called.
    Other,
}

impl Action {
    pub(super) fn call(&self) -> u32 {
        self.response.call()
    }
}

/// A complete call, with its signature (D1).
#[derive(Debug, Clone)]
pub(super) struct SignedCall {
    pub(super) id: CallId,
    pub(super) name: String,
    pub(super) arguments: Arguments,
    pub(super) signature: Signature,
    /// The call as the model made it, where it was read otherwise.
    pub(super) made: Option<Box<MadeCall>>,
    /// The model wrote it into its text.
    pub(super) leaked: bool,
    pub(super) decided: Decided,
    /// Fields of the provider's own, which go back with it (P9).
    pub(super) extra: Option<Opaque>,
    /// The command that it would run, once that was looked at.
    pub(super) command: Option<Box<CommandAsked>>,
    /// The person has it run outside the sandbox (C3).
    pub(super) outside: bool,
}

/// What a person decided about a call, beyond yes or no.
#[derive(Debug, Clone)]
pub(super) enum Decided {
    Nothing,
    /// They changed the arguments. These, with their signature, are the model's (A3).
    Edited {
        arguments: Arguments,
        signature: Signature,
    },
    /// They rejected it and said why (A6).
    Rejected {
        reason: String,
    },
}

impl SignedCall {
    /// Its own, and that of the call that the model made where a person changed it (A3).
    pub(super) fn signatures(&self) -> impl Iterator<Item = &Signature> {
        let proposed = match &self.decided {
            Decided::Edited { signature, .. } => Some(signature),
            Decided::Nothing | Decided::Rejected { .. } => None,
        };
        std::iter::once(&self.signature).chain(proposed)
    }

    pub(super) fn made(&self) -> CallMade {
        CallMade {
            id: self.id.0.clone(),
            name: self.name.clone(),
            arguments: self.arguments.to_string(),
            extra: self.extra.clone(),
        }
    }
}

/// Who ended a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Orion, at a complete call (P4).
    Cut,
    /// The provider.
    Clean,
}

/// The calls of a response, sorted.
#[derive(Debug, Clone)]
pub(super) struct Sorted {
    pub(super) merge: Merge,
    pub(super) end: End,
    /// In the order of the response, without those that are blocked.
    pub(super) calls: Vec<(SignedCall, Fate)>,
}

/// What becomes of a complete call.
#[derive(Debug, Clone)]
pub(super) enum Fate {
    Runs,
    /// The box answers it if the file has not changed.
    Compared(Held),
    Reused {
        original: CallId,
    },
    Refused {
        original: CallId,
    },
}

/// A response that has ended, while files are compared that its calls would read again (X6).
#[derive(Debug, Clone)]
pub(super) struct Comparing {
    pub(super) action: Action,
    pub(super) sorted: Sorted,
    /// The job that compares the file of the current call.
    pub(super) job: Option<JobId>,
}

impl Comparing {
    /// The call whose file is compared now.
    pub(super) fn current(&mut self) -> Option<(&SignedCall, &mut Fate)> {
        let compared = |(_, fate): &&mut (SignedCall, Fate)| matches!(fate, Fate::Compared(_));
        self.sorted.calls.iter_mut().find(compared).map(|(call, fate)| (&*call, fate))
    }
}

/// A response that is to be the summary of the conversation (X4).
#[derive(Debug, Clone)]
pub(super) struct Summing {
    pub(super) response: Response,
    /// Why the call that room is made for is the forced final one, when it is.
    pub(super) forced: Option<StopReason>,
    pub(super) text: String,
    /// It called a tool, where none may be called.
    pub(super) called: bool,
    /// The whole summary.
    pub(super) said: Option<String>,
    /// The job that reads what was done in the session; none once it has ended.
    pub(super) job: Option<JobId>,
    /// What was done in the session, once it was read.
    pub(super) facts: Option<Vec<Fact>>,
}

impl Summing {
    pub(super) fn call(&self) -> u32 {
        self.response.call()
    }
}

/// A tool phase: one batch of calls, run one after the other.
#[derive(Debug, Clone)]
pub(super) struct ToolPhase {
    pub(super) batch: BatchId,
    pub(super) started_ms: i64,
    pub(super) current: SignedCall,
    pub(super) stage: Stage,
    pub(super) queued: VecDeque<SignedCall>,
    /// A write session that one of its calls opened; it begins when the phase has ended.
    pub(super) opened: Option<(SignedCall, Opening)>,
    /// Of the calls that have ended, but for the one that opened a session.
    pub(super) results: Vec<PausedResult>,
    /// The answers of the person to the current call while it ran, in the order in which it asked.
    pub(super) heard: Vec<Heard>,
    /// The number of these that the running job has been told.
    pub(super) told: usize,
}

/// The end of a turn that waits for the outcome of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// A person stopped it (A4).
    Stopped,
    /// Its seconds are used up (T7).
    OutOfTime,
}

/// An answer that a tool was given while it ran. One that runs again is given it again.
#[derive(Debug, Clone)]
pub(super) struct Heard {
    pub(super) questions: Vec<Question>,
    pub(super) answer: QuestionsAnswer,
}

/// A turn that is paused between two phases, or in the place of a response (A2).
#[derive(Debug, Clone)]
pub(super) struct Paused {
    pub(super) digest: Sha256,
    pub(super) then: Then,
}

/// What a paused turn goes on with.
#[derive(Debug, Clone)]
pub(super) enum Then {
    Action,
    /// The model call that a summary came before (X4) or that was too long (X5).
    Call {
        forced: Option<StopReason>,
    },
    /// The repair after a failed check (V2). The turn ends as `reason` says.
    Repair {
        reason: StopReason,
    },
    /// The write session that a call opened (W1).
    Write(Box<(SignedCall, Opening)>),
    /// The response that was dropped. `forced` says why it was the forced final answer, when it was.
    Response {
        forced: Option<StopReason>,
        has_text: bool,
    },
}

/// What happens to the current call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stage {
    /// It is the next one.
    Next,
    /// The command that it would run is looked at, before the call is judged (C3).
    Preparing {
        job: JobId,
        /// The call had begun when the process died: a person is asked whether it may run again (A5).
        may_have_run: bool,
    },
    Running(JobId),
    /// It runs a command that was told to end, and the turn ends with its outcome.
    Ending {
        job: JobId,
        ending: Ending,
    },
    /// It runs and asks the person (A8). The job is gone where its process died: it begins again once they have answered.
    Consulting {
        job: Option<JobId>,
        number: u32,
        asked: Box<Questioning>,
    },
    /// The person is asked about exactly this (A3).
    Asking {
        digest: Sha256,
        /// The call had begun when the process died, and what it did is not known (A5).
        may_have_run: bool,
    },
    /// The call asks the person (A8).
    Questioning(Box<Questioning>),
}

/// What a person is asked by the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Questioning {
    pub(super) digest: Sha256,
    pub(super) questions: Vec<Question>,
}

impl Ending {
    pub(super) fn cause(self) -> PhaseCause {
        match self {
            Self::Stopped => PhaseCause::Stopped,
            Self::OutOfTime => PhaseCause::LimitReached,
        }
    }
}

impl ToolPhase {
    /// A person is asked about a call that may have run, or will be.
    pub(super) fn may_have_run(&self) -> bool {
        matches!(
            self.stage,
            Stage::Asking { may_have_run: true, .. } | Stage::Preparing { may_have_run: true, .. }
        )
    }

    /// The call that a person is asked about, and its digest.
    pub(super) fn asked(&self) -> Option<(&SignedCall, Sha256)> {
        match &self.stage {
            Stage::Asking { digest, .. } => Some((&self.current, *digest)),
            Stage::Next
            | Stage::Preparing { .. }
            | Stage::Running(_)
            | Stage::Ending { .. }
            | Stage::Consulting { .. }
            | Stage::Questioning(_) => None,
        }
    }

    /// The questions that a person is to answer.
    pub(super) fn questions(&self) -> Option<(Sha256, &[Question])> {
        match &self.stage {
            Stage::Questioning(asked) | Stage::Consulting { asked, .. } => {
                Some((asked.digest, &asked.questions))
            }
            Stage::Next
            | Stage::Preparing { .. }
            | Stage::Running(_)
            | Stage::Ending { .. }
            | Stage::Asking { .. } => None,
        }
    }

    /// The end of the turn that waits for the outcome of the current call.
    pub(super) fn ending(&self) -> Option<Ending> {
        match self.stage {
            Stage::Ending { ending, .. } => Some(ending),
            Stage::Next
            | Stage::Preparing { .. }
            | Stage::Running(_)
            | Stage::Consulting { .. }
            | Stage::Asking { .. }
            | Stage::Questioning(_) => None,
        }
    }

    /// A turn whose seconds are used up has something to end here.
    pub(super) fn can_expire(&self) -> bool {
        !self.waits() && self.ending().is_none()
    }

    /// Nothing goes on before a person answers.
    fn waits(&self) -> bool {
        !matches!(
            self.stage,
            Stage::Next | Stage::Preparing { .. } | Stage::Running(_) | Stage::Ending { .. }
        )
    }

    /// The current call has begun, and has not ended.
    pub(super) fn runs(&self) -> bool {
        matches!(
            self.stage,
            Stage::Running(_) | Stage::Ending { .. } | Stage::Consulting { job: Some(_), .. }
        )
    }

    /// The job of the current call.
    pub(super) fn job(&self) -> Option<JobId> {
        match self.stage {
            Stage::Preparing { job, .. } | Stage::Running(job) | Stage::Ending { job, .. } => Some(job),
            Stage::Consulting { job, .. } => job,
            Stage::Next | Stage::Asking { .. } | Stage::Questioning(_) => None,
        }
    }
}
