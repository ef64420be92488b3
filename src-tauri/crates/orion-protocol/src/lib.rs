//! The types that Orion's parts share with each other and with the webview: ids, events, operations, queries, reports,
//! errors.
//!
//! Every type here crosses a process boundary (webview, journal, command line) as JSON, so a change here is a change of
//! the protocol (E3). Deliberately not here: behaviour. The machines are in `orion-core`, SQL is in `orion-store`.

mod answer;
mod app_state;
mod approval;
mod attachment;
mod bounds;
mod causes;
mod changes;
mod channel;
mod check;
mod command;
mod command_change;
mod comparison;
mod composing;
mod context;
mod difference;
mod doctor;
mod dropped;
mod endpoint;
mod error;
mod event;
mod exit;
mod export;
mod external;
mod figures;
mod file_view;
mod folder_view;
mod fork;
mod form;
mod grouped;
mod ids;
mod instructions;
mod limits;
mod model;
mod model_settings;
mod notice;
mod notifications;
mod numbers;
mod op;
mod operations;
mod options;
mod pause;
mod pending;
mod picture_view;
mod policy;
mod project_checks;
mod query;
mod question;
mod queue;
mod raw;
mod replay;
mod reply;
mod report;
mod rewind;
mod search;
mod sent;
mod session;
pub mod setting;
mod settings;
mod settings_view;
mod sha256;
mod shape;
mod space;
mod spoken;
mod stats;
mod summary;
mod texts;
mod tools;
mod trace;
mod trace_parent;
mod turn_view;
mod update;
mod usd;
mod write;

pub use answer::{Answer, StoredCall};
pub use app_state::{AppState, Project};
pub use approval::{AskedBy, EditedCall, KeptApproval, KeptFor, KeptRule, MadeCall};
pub use attachment::{AttachedFile, Attachment, AttachmentContent, NamedFile};
pub use bounds::{Bounds, ToolCaps};
pub use causes::{CallReason, PhaseCause};
pub use changes::{ChangedFile, ChangesOf, FileDifference};
pub use channel::Channel;
pub use check::{Check, CheckCommand, CheckRun, CheckSkipped, CheckStatus, Evaluation};
pub use command::{
    CommandAsked, CommandEnd, CommandNetwork, CommandOutput, CommandRun, HostUse, RuleFor, RunsLater,
    SandboxGap, SandboxLevel, SimpleCommand,
};
pub use command_change::{ChangeReport, CommandChange, FileChange};
pub use comparison::{ComparedSide, Comparison, CopySize};
pub use composing::{DraftOf, Prompt};
pub use context::{
    ContextBox, ContextEdit, ContextKind, ContextLoss, ContextPart, ContextView, CutBox, CutCause, CutTurns,
    Entry, EntryState, EntryView, Fact, Purpose,
};
pub use difference::{CutRow, DiffHunk, DiffRow, Mark, MarkKind, RowKind, RowRest};
pub use doctor::{DoctorReport, Finding, Severity, Subject, Trouble, TroubleKind};
pub use dropped::{DroppedFile, DroppedFiles};
pub use endpoint::Endpoint;
pub use error::{Code, ErrorInfo};
pub use event::{Envelope, PROTOCOL_VERSION, PromptProgress, TurnEvent};
pub use exit::Exit;
pub use export::{ExportFormat, ExportedFile};
pub use external::External;
pub use figures::{Figures, FiguresOf, SlowCall, TurnFigures};
pub use file_view::FileView;
pub use folder_view::{FileEntry, FolderFound, Suggestion, WatchState};
pub use fork::ForkedFrom;
pub use form::{FORM_FILE, form};
pub use grouped::grouped;
pub use ids::{ApprovalId, BatchId, CallId, ProjectId, QueuedId, RequestId, SessionId, Signature, TurnIds};
pub use instructions::{Instructions, OWN_INSTRUCTIONS_BYTES};
pub use model::{
    EndpointPreset, KeyInput, KeySource, ModelInfo, ModelSizes, ToolInfo, Usage, WindowInForce, WindowSource,
};
pub use model_settings::{
    ModelChange, ModelSettings, ModelTuning, ReasoningEffort, ResultsAs, Temperature, Thinking,
};
pub use notice::{NoticeCode, OUTPUT_LIMIT};
pub use notifications::Notifications;
pub use numbers::{ModelNumbers, Prices};
pub use op::{CONTINUE, EndpointChange, Op, Outcome};
pub use operations::{Askers, Change, Declared, Named, Row, Touched};
pub use options::{TurnChoices, TurnOptions};
pub use pause::{EditedResult, PauseCause, PauseRequest, PausedResult, ResultEdit, ResumeCost};
pub use pending::{Pending, PendingOf};
pub use picture_view::{PictureKind, PictureView};
pub use policy::{Mode, Permission, Phase, Policy, ResultForm, Route};
pub use project_checks::{AcceptedCheck, CheckBounds, CheckScript, ProjectChecks, ProposedCheck, ScriptPart};
pub use query::Query;
pub use question::{Question, QuestionAnswer, QuestionKind, QuestionsAnswer};
pub use queue::{Queue, QueuedMessage};
pub use raw::RawResponse;
pub use replay::{Replay, ReplayDifference};
pub use reply::{Given, Reply};
pub use report::{
    CheckReport, Exhausted, PhaseReport, StopReason, ToolCallReport, ToolStatus, TurnReport, TurnStatus,
    WriteReport,
};
pub use rewind::{Rewind, RewindPreview, RewoundChange, RewoundFile, RewoundWrite};
pub use search::{ByteRange, FindHit, FindPage, FindPart, Found, FoundIn, SearchPage};
pub use sent::{SentCall, SentMessage, SentRequest, SentRole};
pub use session::{ChangedLines, Happened, Session, SessionPlace, SessionSpent};
pub use settings::{CommandSettings, Setting, SettingsChange, TurnLimits};
pub use settings_view::{ProjectSettings, RouteLimits, Settings};
pub use sha256::{NotADigest, Sha256};
pub use shape::Shape;
pub use space::{CommandHome, ProjectSpace, Space};
pub use spoken::{FormSource, Spoken};
pub use stats::{Stats, StatsBy, StatsRow};
pub use texts::{answer_in, whole_texts};
pub use tools::{ToolRule, ToolSettings};
pub use trace::{CallPart, CallPartKind, LinkKind, SpanLink, SpanStatus, StreamRate, TraceKind, TraceSpan};
pub use trace_parent::{NoTraceParent, TraceParent};
pub use turn_view::{Aftermath, TurnPage, TurnPlace, TurnState, TurnView};
pub use update::{DesktopAction, Update};
pub use usd::Usd;
pub use write::{
    FaultKind, ProposalCause, Removal, RemovalKind, RepeatsChoice, Seam, Undone, WriteFault, WriteOperation,
    WriteProposal, WriteRevision, WriteState, WriteStatus, WriteView,
};
