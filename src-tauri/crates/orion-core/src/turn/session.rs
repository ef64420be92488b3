//! An open write session (W2): its target, the content so far, and its stage.
//!
//! The module `content` receives its content, `approval` has it approved and written. Deliberately not here: the file on disk. The driver
//! makes the proposals and writes them.

use std::sync::Arc;

use orion_protocol::{
    ErrorInfo, ProposalCause, RepeatsChoice, Seam, Sha256, WriteFault, WriteOperation, WriteProposal,
    WriteState,
};
use serde::{Deserialize, Serialize};

use super::job::JobId;
use super::phases::SignedCall;
use super::response::Response;
use crate::signature::Hashed;
use crate::tool::{Opening, Seen};
use crate::write::{Capture, EndLine, Faults};

/// A write session of a turn.
#[derive(Debug, Clone)]
pub struct WriteSession {
    /// From 1, within the turn.
    pub(super) number: u32,
    /// The call that opened it.
    pub(super) call: SignedCall,
    pub(super) opening: Opening,
    /// Model calls spent (T4).
    pub(super) prompts: u32,
    /// Rounds of correction begun (W5).
    pub(super) rounds: u32,
    pub(super) capture: Capture,
    /// Bytes of all the text that the model sent (T7).
    pub(super) sent_bytes: u64,
    /// Bytes of the captured content that were shown.
    pub(super) shown: usize,
    /// Line ends in them.
    pub(super) line_ends: u64,
    /// The content that the captured text corrects, if it is a correction.
    pub(super) correcting: Option<Correcting>,
    /// Seams of the content as it came, and as it was corrected since.
    pub(super) seams: Vec<Seam>,
    /// The model has been asked about doubts, and is not asked again (W9).
    pub(super) doubted: bool,
    /// The model did not finish the content, and is not asked again.
    pub(super) unfinished: bool,
    /// True once the person changed what is proposed.
    pub(super) revised: bool,
    /// SHA-256 of the text of the last message, if the message was not broken off.
    pub(super) last_said: Option<Sha256>,
    /// The last message said the same as the one before it.
    pub(super) said_again: bool,
    /// A person has said that the file may repeat itself (P11).
    pub(super) may_repeat: bool,
    pub(super) stage: Stage,
}

/// Content that the model is asked to correct.
#[derive(Debug, Clone)]
pub(super) struct Correcting {
    pub(super) content: Arc<String>,
    pub(super) faults: Faults,
}

#[derive(Debug, Clone)]
pub(super) enum Stage {
    /// The model sends content, or more of it.
    Streaming(Stream),
    /// Its message ended without the end line; the idle timer runs (W4).
    Idle {
        call: u32,
    },
    /// A person paused the turn (A2). Resumed, it asks the model for this.
    Paused {
        digest: Sha256,
        ask: Ask,
    },
    /// The content only repeats itself, and a person chooses what becomes of it (P11).
    Choosing(Repeated),
    /// The driver makes a proposal. `asked` is what was proposed before.
    Proposing {
        job: JobId,
        cause: ProposalCause,
        source: Source,
        faults: Faults,
        asked: Option<Offer>,
    },
    Asking(Offer),
    /// Approved, on its way to the disk.
    Writing {
        job: JobId,
        asked: Offer,
        approved: Approved,
    },
}

/// What the model is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// The content, or corrections of it when it has faults.
    Begin,
    /// The text stopped in the middle (W4).
    GoOn,
    /// The message ended without the end line (W4).
    EndOrMore,
}

/// Content that ends with one stretch over and over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Repeated {
    /// Of the session and its content.
    pub(super) digest: Sha256,
    /// Bytes of the stretch.
    pub(super) stretch: usize,
}

/// The response that brings content.
#[derive(Debug, Clone)]
pub(super) struct Stream {
    pub(super) response: Response,
    /// The names of calls that came instead of content.
    pub(super) calls: Vec<String>,
    /// The text so far.
    pub(super) said: Hashed,
}

/// The proposal that a person is asked about, and what it was made from.
#[derive(Debug, Clone)]
pub(super) struct Offer {
    pub(super) proposal: Box<WriteProposal>,
    pub(super) draft: Draft,
}

/// The content that a proposal is made from. It is stored by its digest, so that the proposal can be made again
/// against another file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    /// That of the session, or `overwrite` once the person edited the whole file.
    pub operation: WriteOperation,
    /// SHA-256 of the content as UTF-8.
    pub content_sha256: Sha256,
}

/// Where the driver finds the content of a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// As the model sent it.
    Content { operation: WriteOperation, content: Arc<String> },
    /// As it was kept.
    Draft(Draft),
}

/// How the making of a proposal ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Proposed {
    Ready {
        proposal: Box<WriteProposal>,
        draft: Draft,
    },
    /// The content does not fit the file: blocks that do not match, characters that its encoding lacks. Or there are doubts about it
    /// that the model may be asked about (W9).
    Faulty {
        faults: Vec<WriteFault>,
    },
    /// There is nothing to propose.
    Failed {
        error: ErrorInfo,
    },
}

/// Exactly what the person approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Approved {
    /// SHA-256 of the file as it is to be; that of the proposal unless hunks were rejected.
    pub sha256: Sha256,
    /// Its size.
    pub bytes: u64,
    /// Its lines.
    pub lines: u64,
    /// By their numbers in the proposal.
    pub rejected_hunks: Vec<u32>,
    /// The person has seen the faults and wants the file written anyway (W5).
    pub despite_faults: bool,
}

/// How a write ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum WriteOutcome {
    Written,
    /// The file is not the one that was previewed; nothing was written.
    Changed,
    /// The disk refused; the old file is there as it was.
    Failed {
        error: ErrorInfo,
    },
    /// The disk failed after the rename, and the file cannot be read to find out which one it is.
    Unknown {
        error: ErrorInfo,
    },
}

impl Offer {
    /// What is still wrong with the content (W5).
    pub(super) fn faults(&self) -> Faults {
        Faults { list: self.proposal.faults.clone(), more: self.proposal.more_faults }
    }
}

impl WriteSession {
    pub(super) fn new(number: u32, call: SignedCall, opening: Opening, stage: Stage) -> Self {
        let end = opening.nonce.clone().map_or(EndLine::Done, EndLine::Nonce);
        Self {
            number,
            call,
            prompts: 0,
            rounds: 0,
            capture: Capture::new(end),
            sent_bytes: 0,
            shown: 0,
            line_ends: 0,
            correcting: None,
            seams: Vec::new(),
            doubted: false,
            unfinished: false,
            revised: false,
            last_said: None,
            said_again: false,
            may_repeat: false,
            stage,
            opening,
        }
    }

    /// Its number in the turn, from 1.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    #[must_use]
    pub fn opening(&self) -> &Opening {
        &self.opening
    }

    /// Where it stands (W2).
    #[must_use]
    pub fn state(&self) -> WriteState {
        match &self.stage {
            Stage::Choosing(_) => WriteState::AwaitingChoice,
            Stage::Streaming(_) | Stage::Idle { .. } | Stage::Paused { .. } if self.correcting.is_some() => {
                WriteState::NeedsCorrections
            }
            Stage::Streaming(_) | Stage::Paused { .. } if self.capture.bytes() == 0 => {
                WriteState::AwaitingContent
            }
            Stage::Streaming(_) | Stage::Idle { .. } | Stage::Paused { .. } => WriteState::AwaitingDoneOrMore,
            Stage::Proposing { .. } => WriteState::Finalizing,
            Stage::Asking(_) => WriteState::AwaitingApproval,
            Stage::Writing { .. } => WriteState::Writing,
        }
    }

    /// Whether there is something that a person could look at: text that came, or content that is being corrected. An
    /// unfinished edit does not count, since nobody can tell what it would do.
    pub(super) fn has_content(&self) -> bool {
        self.correcting.is_some()
            || (self.capture.bytes() > 0 && self.opening.operation != WriteOperation::Edit)
    }

    /// The content so far, without a last line that may still turn out to be the end line.
    #[must_use]
    pub fn content(&self) -> &str {
        self.capture.text().get(..self.capture.shown()).unwrap_or_default()
    }

    /// What is proposed, and what it was made from; none while there is nothing yet.
    #[must_use]
    pub fn proposal(&self) -> Option<(&WriteProposal, &Draft)> {
        match &self.stage {
            Stage::Asking(asked)
            | Stage::Writing { asked, .. }
            | Stage::Proposing { asked: Some(asked), .. } => Some((&asked.proposal, &asked.draft)),
            Stage::Streaming(_)
            | Stage::Idle { .. }
            | Stage::Paused { .. }
            | Stage::Choosing(_)
            | Stage::Proposing { asked: None, .. } => None,
        }
    }

    /// The repeats that a person is asked about.
    pub(super) fn repeated(&self) -> Option<Repeated> {
        match self.stage {
            Stage::Choosing(repeated) => Some(repeated),
            _ => None,
        }
    }

    pub(super) fn is_paused(&self) -> bool {
        matches!(self.stage, Stage::Paused { .. })
    }

    /// What a person can choose for content that only repeats itself. Half an edit cannot be shown, so nothing of it is kept.
    pub(super) fn choices(&self) -> Vec<RepeatsChoice> {
        let keeps = self.has_content();
        let all = [RepeatsChoice::GoOn, RepeatsChoice::KeepOne, RepeatsChoice::Discard];
        all.into_iter().filter(|choice| keeps || *choice != RepeatsChoice::KeepOne).collect()
    }

    /// Content is on its way from the model, or the model is about to be asked for more.
    pub(super) fn receives(&self) -> bool {
        matches!(self.stage, Stage::Streaming(_) | Stage::Idle { .. })
    }

    /// What was approved is on its way to the disk.
    #[must_use]
    pub fn is_writing(&self) -> bool {
        matches!(self.stage, Stage::Writing { .. })
    }

    /// An answer also counts while a new proposal is being made, and ends that. Returns the job that made it. Before anything is written, the
    /// file is compared with the one that was previewed (W6).
    pub(super) fn take_up(&mut self) -> Option<JobId> {
        let Stage::Proposing { job, asked: Some(asked), .. } = &self.stage else { return None };
        let job = *job;
        self.stage = Stage::Asking(asked.clone());
        Some(job)
    }

    /// The job that makes a proposal.
    pub(super) fn proposing(&self) -> Option<JobId> {
        match self.stage {
            Stage::Proposing { job, .. } => Some(job),
            _ => None,
        }
    }

    /// The job that it waits for.
    pub(super) fn job(&self) -> Option<JobId> {
        match self.stage {
            Stage::Proposing { job, .. } | Stage::Writing { job, .. } => Some(job),
            Stage::Streaming(_)
            | Stage::Idle { .. }
            | Stage::Paused { .. }
            | Stage::Choosing(_)
            | Stage::Asking(_) => None,
        }
    }

    pub(super) fn asks(&self) -> bool {
        matches!(self.stage, Stage::Asking(_))
    }

    /// The proposal that a person may answer, also while a new one is made because the file was touched.
    pub(super) fn asked(&self) -> Option<&Offer> {
        match &self.stage {
            Stage::Asking(asked) | Stage::Proposing { asked: Some(asked), .. } => Some(asked),
            Stage::Streaming(_)
            | Stage::Idle { .. }
            | Stage::Paused { .. }
            | Stage::Choosing(_)
            | Stage::Proposing { asked: None, .. }
            | Stage::Writing { .. } => None,
        }
    }

    /// Whether these changes touch the file that the person is asked about.
    pub(super) fn asks_about(&self, changes: &[Seen]) -> bool {
        let targets = self.opening.changed();
        self.asks() && changes.iter().any(|change| targets.iter().any(|target| target.is_touched_by(change)))
    }
}
