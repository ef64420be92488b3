//! What a turn runs with, and what of it is under way.

use std::fmt::{self, Debug};
use std::sync::Arc;
use std::time::Instant;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use orion_core::model::ModelRequest;
use orion_core::tool::{Seen, ToolOutcome};
use orion_protocol::{BatchId, CallId, TurnReport};
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::outlet::Outlet;
use crate::endpoint::{ModelEndpoint, ModelEvent};
use crate::secrets::Redactor;

/// What can be said to a running turn.
#[derive(Debug)]
pub(crate) enum Command {
    /// Files of the project changed (D3).
    Changed(Vec<Seen>),
    /// The user's answer to an approval (A3).
    Approval { digest: String, granted: bool },
    /// Record what was streamed so far, then say so.
    Flush(oneshot::Sender<()>),
    /// The report as it stands, as of a turn that waits (J5).
    Report(oneshot::Sender<TurnReport>),
}

/// Runs a tool of this turn. Dropping the future stops it.
pub(crate) type RunTool =
    Box<dyn Fn(CallId, String, Map<String, Value>) -> BoxFuture<'static, ToolOutcome> + Send + Sync>;

/// What a turn runs with.
pub(crate) struct Equipment {
    pub(crate) endpoint: Arc<dyn ModelEndpoint>,
    pub(crate) run_tool: RunTool,
    pub(crate) redactor: Redactor,
    /// The user stops the turn (A4).
    pub(crate) stop: CancellationToken,
    /// The program ends: the turn is left as it is, to be found interrupted.
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
}

impl Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("number", &self.number).finish_non_exhaustive()
    }
}

/// A tool that runs.
pub(super) struct Running {
    pub(super) batch: BatchId,
    pub(super) call_id: CallId,
    pub(super) began: Instant,
    pub(super) outcome: BoxFuture<'static, ToolOutcome>,
}

impl Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("call_id", &self.call_id).finish_non_exhaustive()
    }
}

/// What a step wants begun, once its events are on the disk.
pub(super) enum Start {
    Model { number: u32, request: ModelRequest },
    Tool { batch: BatchId, call_id: CallId, name: String, arguments: Map<String, Value> },
}
