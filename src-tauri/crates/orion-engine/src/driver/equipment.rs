//! The endpoint, tools, channels and limits that a turn runs with, and the work that it has started.

use std::fmt::{self, Debug};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use orion_core::model::ModelRequest;
use orion_core::tool::{Arguments, Seen, SourceFile, ToolOutcome};
use orion_core::turn::{Draft, JobId, Prepared, Supplied, TurnCheck, Verdict, Work, WriteSession};
use orion_protocol::{
    ApprovalId, CheckRun, CommandRun, ContextView, PauseRequest, Pending, Reply, Sha256, TurnReport,
    WriteProposal, WriteState,
};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::outlet::Outlet;
use crate::endpoint::{ModelEndpoint, ModelEvent};
use crate::learned::OfModel;
use crate::proposals::{Made, Writes};
use crate::received::{Keeps, Received};
use crate::runner;
use crate::secrets::Redactor;
use crate::tools::{Compared, Line};

/// What can be said to a running turn.
#[derive(Debug)]
pub(crate) enum Command {
    /// Files of the project changed (D3).
    Changed(Vec<Seen>),
    /// A person's reply to what the turn waits for (A3, A7). The verdict is sent once it is on the disk.
    Replied { digest: Sha256, reply: Reply, supplied: Supplied, told: oneshot::Sender<Verdict> },
    /// The question that is open.
    Pending(oneshot::Sender<Option<Pending>>),
    /// A person revoked an approval that they kept (A1).
    Revoked(ApprovalId),
    /// A person says when the turn is to pause (A2).
    Pause { pause: PauseRequest, told: oneshot::Sender<Verdict> },
    /// A person gives the turn a message (A9).
    Steer { text: String, told: oneshot::Sender<Verdict> },
    /// The turn was taken over for an answer, and that answer will not be given.
    Unanswered(oneshot::Sender<()>),
    /// Asks what the turn would make of an answer to this.
    Judge { digest: Sha256, told: oneshot::Sender<Verdict> },
    /// A person changed the proposal with this digest, in this session.
    Revised { write: u32, digest: Sha256, made: Box<Made>, told: oneshot::Sender<Verdict> },
    /// The open write session, if there is one.
    Write(oneshot::Sender<Option<OpenWrite>>),
    /// Skips the pause before the next try of a model call. The reply says whether there was a pause.
    RetryNow(oneshot::Sender<bool>),
    /// Record what was streamed so far, then reply.
    Flush(oneshot::Sender<()>),
    /// What fills the room of the turn.
    Filled(oneshot::Sender<ContextView>),
    /// The report as it stands, as of a turn that waits (J5).
    Report(oneshot::Sender<TurnReport>),
}

/// A write session as it stands.
#[derive(Debug, Clone)]
pub(crate) struct OpenWrite {
    pub(crate) number: u32,
    pub(crate) state: WriteState,
    pub(crate) path: String,
    /// The last 64 KiB of the content so far, and how much is before it.
    pub(crate) tail: String,
    pub(crate) tail_offset: u64,
    pub(crate) proposal: Option<(WriteProposal, Draft)>,
}

impl OpenWrite {
    pub(crate) fn of(session: &WriteSession) -> Self {
        /// 64 KiB: some 1,500 lines, far more than the live view shows at once.
        const TAIL: usize = 64 * 1024;
        let content = session.content();
        let at = content.ceil_char_boundary(content.len().saturating_sub(TAIL));
        Self {
            number: session.number(),
            state: session.state(),
            path: session.opening().path.clone(),
            tail: content[at..].to_owned(),
            tail_offset: at as u64,
            proposal: session.proposal().map(|(proposal, draft)| (proposal.clone(), draft.clone())),
        }
    }
}

/// Runs a tool of this turn. The token ends it; dropping the future drops it.
pub(crate) type RunTool =
    Box<dyn Fn(runner::Call, Line, CancellationToken) -> BoxFuture<'static, ToolOutcome> + Send + Sync>;

/// A check that a turn runs (V1).
#[derive(Debug)]
pub(crate) struct CheckToRun {
    pub(crate) of: TurnCheck,
    pub(crate) attempt: u32,
    /// The model's own run of its line, for which it passes if its script is the accepted one.
    pub(crate) passed: Option<CommandRun>,
}

/// Runs a check. The token ends it; dropping the future drops it.
pub(crate) type RunCheck =
    Box<dyn Fn(CheckToRun, Line, CancellationToken) -> BoxFuture<'static, CheckRun> + Send + Sync>;

/// Looks at the command that a call would run (C3). Dropping the future stops it.
pub(crate) type PrepareCall = Box<dyn Fn(String, Arguments) -> BoxFuture<'static, Prepared> + Send + Sync>;

/// Compares a file with an earlier result (X6). Dropping the future stops it.
pub(crate) type CompareFile = Box<dyn Fn(SourceFile) -> BoxFuture<'static, Compared> + Send + Sync>;

/// What a turn runs with.
pub(crate) struct Equipment {
    pub(crate) endpoint: Arc<dyn ModelEndpoint>,
    /// What is known of the model, and will be (X2).
    pub(crate) learned: OfModel,
    pub(crate) run_tool: RunTool,
    pub(crate) run_check: RunCheck,
    pub(crate) prepare_call: PrepareCall,
    pub(crate) compare_file: CompareFile,
    pub(crate) writes: Writes,
    /// What the project's folder is on its disk: approvals are kept for it (A1). None where it cannot be told.
    pub(crate) identity: Option<String>,
    /// How long a write session waits after a message without its end line (W4).
    pub(crate) write_idle: Duration,
    pub(crate) redactor: Redactor,
    /// Of which model calls what came back is kept.
    pub(crate) keeps: Keeps,
    /// The person stops the turn (A4).
    pub(crate) stop: CancellationToken,
    /// The program ends. The turn is left as it is, and the next start finds it interrupted.
    pub(crate) closing: CancellationToken,
    pub(crate) commands: mpsc::Receiver<Command>,
    pub(crate) outlet: Outlet,
}

impl Debug for Equipment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Equipment").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

/// A model call that streams.
pub(super) struct Call {
    pub(super) number: u32,
    pub(super) events: BoxStream<'static, ModelEvent>,
    /// The next try of the call waits until then.
    pub(super) paused_until: Option<tokio::time::Instant>,
    /// What came back so far.
    pub(super) received: Received,
    /// It failed, or one of its tries did.
    pub(super) failed: bool,
}

impl Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("number", &self.number).finish_non_exhaustive()
    }
}

/// What a step begins, once its events are on the disk.
pub(super) enum Start {
    Model { number: u32, request: ModelRequest },
    Job { job: JobId, work: Work },
}
