//! The types that Orion's parts share with each other and with the webview: ids, events, operations, queries, reports,
//! errors.
//!
//! Every type here crosses a process boundary (webview, journal, command line) as JSON, so a change here is a change of
//! the protocol (E3). Deliberately not here: behaviour. The machines are in `orion-core`, SQL is in `orion-store`.

mod approval;
mod bounds;
mod context;
mod error;
mod event;
mod form;
mod ids;
mod limits;
mod model;
mod notice;
mod numbers;
mod op;
mod options;
mod policy;
mod query;
mod report;
mod sent;
mod session;
pub mod setting;
mod settings;
mod sha256;
mod tools;
mod trace;
mod usd;
mod write;

pub use approval::{ApprovalAnswer, AskedBy, EditedCall, Given, KeptApproval, KeptFor, KeptRule};
pub use bounds::{Bounds, ToolCaps};
pub use context::{
    ContextBox, ContextEdit, ContextKind, ContextLoss, ContextPart, ContextView, CutBox, CutCause, CutTurns,
    Entry, EntryState, EntryView, Fact, Purpose,
};
pub use error::{Code, ErrorInfo};
pub use event::{CallReason, Envelope, PROTOCOL_VERSION, PhaseCause, TurnEvent};
pub use form::{FORM_FILE, form};
pub use ids::{ApprovalId, BatchId, CallId, ProjectId, RequestId, SessionId, TurnIds};
pub use model::{
    Endpoint, EndpointPreset, KeyInput, KeySource, ModelInfo, ModelSizes, ToolInfo, Usage, WindowInForce,
    WindowSource,
};
pub use notice::NoticeCode;
pub use numbers::{ModelNumbers, Prices};
pub use op::{CONTINUE, EndpointChange, Op, Reply};
pub use options::TurnOptions;
pub use policy::{Mode, Permission, Phase, Policy, ResultForm, Route};
pub use query::{
    Answer, AppState, FileEntry, Preparing, Project, ProjectSettings, ProjectSpace, Query, RouteLimits,
    Settings, Space, StoredCall, Suggestion, TurnPage, TurnPlace, TurnState, TurnView, Update, WatchState,
};
pub use report::{
    CheckReport, Exhausted, PhaseReport, StopReason, ToolCallReport, ToolStatus, TurnReport, TurnStatus,
    WriteReport,
};
pub use sent::{SentCall, SentMessage, SentRequest, SentRole};
pub use session::{Session, SessionPlace, SessionSpent};
pub use settings::{Setting, SettingsChange, TurnLimits};
pub use sha256::{NotADigest, Sha256};
pub use tools::{ToolRule, ToolSettings};
pub use trace::{SpanStatus, TraceKind, TraceSpan};
pub use usd::Usd;
pub use write::{
    DiffHunk, DiffRow, FaultKind, Mark, MarkKind, ProposalCause, Removal, RemovalKind, RepeatsChoice,
    RowKind, Seam, Undone, WriteFault, WriteOperation, WriteProposal, WriteRevision, WriteState, WriteStatus,
    WriteView,
};
