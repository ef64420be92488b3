//! The jobs of a turn: work beside the model that takes time (0080). The machine begins and cancels them, and the driver does them.
//!
//! A job that is not the one that its state waits for is over for the machine: what it still says is ignored. Deliberately not here: doing
//! the work, and keeping what runs.

use orion_protocol::{
    BatchId, CallId, CheckRun, CommandAsked, CommandRun, Fact, ProposalCause, Question, SandboxLevel, Seam,
    Sha256,
};
use serde::{Deserialize, Serialize};

use super::course::Course;
use super::job::JobId;
use super::setup::TurnCheck;
use super::{Effect, Proposed, Source, WriteOutcome};
use crate::tool::{Arguments, Seen, SourceFile, ToolOutcome};
use crate::write::Faults;

/// The work of a job.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// Run a tool.
    Tool {
        batch: BatchId,
        call_id: CallId,
        name: String,
        arguments: Arguments,
        /// The command that it runs, as it was asked about.
        command: Option<CommandHeld>,
    },
    /// Look at the command that a call would run, and at what would hold it (C3).
    Prepare { name: String, arguments: Arguments },
    /// Run a check (V1). Where the model has run its line since the last change, it passed as that: only its script is looked at.
    Check { of: Box<TurnCheck>, attempt: u32, passed: Option<Box<CommandRun>> },
    /// Compare a file with the bytes that an earlier box was made from (X6).
    Compare { file: SourceFile },
    /// Read what was done in the session so far (X4).
    GatherFacts,
    /// Make the file that would be written, keep it, and compare it with the one on disk.
    Propose {
        write: u32,
        path: String,
        cause: ProposalCause,
        source: Source,
        /// The places in the content where one message of the model ended and the next went on (W4).
        seams: Vec<Seam>,
        faults: Faults,
        /// The model can be asked about doubts (W9): they are then no part of a proposal, but the answer.
        asks: bool,
    },
    /// Write what was approved (W6).
    Write { write: u32, path: String, leads_to: Option<String>, base_sha256: Option<Sha256>, sha256: Sha256 },
    /// Find out how far a write came whose process died, and finish it.
    RecoverWrite {
        write: u32,
        path: String,
        leads_to: Option<String>,
        base_sha256: Option<Sha256>,
        sha256: Sha256,
    },
}

/// A message of a running job that the turn depends on. Output that is only shown is no input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Progress {
    /// A tool asks the person, and goes on with their answer (A8). `number` tells the questions of one run from each other.
    Asks { number: u32, questions: Vec<Question> },
    /// It waits for the answer no more.
    Withdraws { number: u32 },
}

/// The end of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Done {
    Tool {
        outcome: Box<ToolOutcome>,
        duration_ms: u64,
    },
    /// A call was looked at before it is judged.
    Prepared {
        prepared: Prepared,
    },
    /// `same`: the file has the bytes that the box was made from; false also where it cannot be read. `seen` is what was looked at.
    Compared {
        same: bool,
        seen: Vec<Seen>,
    },
    /// The facts, or none: the project cannot be read.
    Facts {
        facts: Option<Vec<Fact>>,
    },
    /// A proposal was made, or could not be (W5, W6).
    Proposed {
        outcome: Proposed,
    },
    Wrote {
        outcome: WriteOutcome,
    },
    /// A check ran, or did not.
    Checked {
        run: Box<CheckRun>,
    },
}

/// The bounds in which a command was allowed (C3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandHeld {
    /// The level of the sandbox that was known then.
    pub level: SandboxLevel,
    /// The person has it run outside.
    pub outside: bool,
}

/// A call of a tool that runs commands, before it is judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Prepared {
    /// It would run this.
    Ready { command: Box<CommandAsked> },
    /// It can run nothing, for the reason in this outcome.
    Unfit { outcome: Box<ToolOutcome> },
}

impl Course {
    /// Begins a job.
    pub(super) fn begin_job(&mut self, work: Work, effects: &mut Vec<Effect>) -> JobId {
        self.jobs += 1;
        let job = JobId(self.jobs);
        effects.push(Effect::Begin { job, work });
        job
    }
}
