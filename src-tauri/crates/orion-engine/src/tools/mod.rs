//! The tools that a model can call, and what they have in common.
//!
//! A [`Tool`] describes itself and runs. The `ToolRunner` decides whether it may run, for how long, and how much of its
//! result is kept. The tools here only read, through the project's handle; one of them opens write sessions. Their
//! results are compact plain text in a fixed order. A result that leaves something out names the call that reads on
//! (R3).

mod ask_user;
mod command_hosts;
mod compare;
mod file_info;
mod line;
mod list_files;
mod page;
pub(crate) use list_files::LIST_FILES;
pub(crate) use page::size;
pub(crate) use read_file::READ_FILE;
mod read_file;
mod read_output;
mod run_command;
mod schema;
mod search_files;
mod search_page;
mod source;
mod write_plan_begin;

use std::fmt::{self, Debug};
use std::marker::PhantomData;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use orion_core::permission::Rules;
use orion_core::tool::{Opening, Reveals, Seen, SourceFile, ToolKind, ToolSet, ToolSpec};
use orion_protocol::{
    CallId, Code, CommandAsked, CommandRun, ErrorInfo, Policy, Question, RequestId, SandboxLevel, SessionId,
    ToolStatus,
};
use orion_store::Store;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use ask_user::ask_user;
pub(crate) use ask_user::check;
pub(crate) use compare::{Compared, compare};
pub use line::Line;
pub(crate) use line::{Asks, Ends, Shows};
pub use source::{Fixed, ToolSource, built_in};

use crate::blocking::blocking;
use crate::commands::Commands;
use orion_files::workspace::{Budget, Project, ProjectPath};

/// What a tool call may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the answer that the model gets (R3).
    pub body_bytes: usize,
    pub timeout: Duration,
}

/// 32 KiB, about 8,000 tokens: three of them fit the smallest contexts in use; 30 s.
impl Default for Limits {
    fn default() -> Self {
        Self { body_bytes: 32 * 1024, timeout: Duration::from_secs(30) }
    }
}

/// Where and within what bounds a tool runs.
#[derive(Debug, Clone)]
pub struct Context {
    pub project: Project,
    /// The tools of this turn. Others are refused, whatever the model says (A1).
    pub offered: ToolSet,
    /// What single calls of them may do (A1).
    pub rules: Rules,
    pub limits: Limits,
    /// Content always ends with a line of its own session instead of `DONE` (W3).
    pub strict_end_line: bool,
    /// Stops the tool at once (A4).
    pub cancel: CancellationToken,
    /// The line to the person (A8).
    pub person: Line,
    /// The call that runs; none where a person named what is read.
    pub call: Option<CallOf>,
    /// The project's commands.
    pub commands: OfCommands,
    /// The store that keeps the files that a command changed; none where nothing is kept.
    pub store: Option<Store>,
}

/// The place of a call in its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallOf {
    pub session_id: SessionId,
    pub request_id: RequestId,
    pub call_id: CallId,
}

/// The bounds of a call's command and what the person gives it, whatever the model says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfCommands {
    /// The level of the sandbox that the person was told of, or that a rule allowed it for (C3).
    pub asked_at: Option<SandboxLevel>,
    /// Seconds that one may take (C4).
    pub most_seconds: u32,
    /// The person has this one run outside the sandbox (C3).
    pub outside: bool,
    /// The names of variables that it gets beyond the list of the sandbox (C2).
    pub env: Vec<String>,
    /// The folders of the person that it can read, as the settings name them (C2).
    pub read: Vec<String>,
}

impl Default for OfCommands {
    fn default() -> Self {
        let most_seconds = Policy::two_stage().most_command_seconds();
        Self { asked_at: None, most_seconds, outside: false, env: Vec::new(), read: Vec::new() }
    }
}

impl Context {
    /// The bounds of one call's reading: a third of its time, so that a slow disk gives half an answer and no timeout.
    pub(crate) fn budget(&self) -> Budget {
        Budget::new(Budget::ENTRIES, self.limits.timeout / 3, self.cancel.clone())
    }
}

/// The answer of a tool that worked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    /// One line for a person.
    pub summary: String,
    /// For the model.
    pub body: String,
    /// The part that was left out, and how to read on; null when nothing was.
    pub cut: Option<String>,
    /// Size of the whole answer where the tool itself left some out and knows it; else that of `body`.
    pub bytes: Option<u64>,
    pub seen: Vec<Seen>,
    /// The one file that it was made from (X6).
    pub source: Option<Box<SourceFile>>,
    /// The write session that it opens (W1).
    pub opens: Option<Box<Opening>>,
    /// The questions to the person (A8).
    pub asks: Option<Vec<Question>>,
    /// The bytes of an image (PNG, JPEG, GIF or WebP) that the model is given beside the body.
    pub image: Option<Vec<u8>>,
    /// The files that it changed: results that were made from them are no longer fresh (D3).
    pub changed: Vec<Seen>,
    /// The command that it ran (C4).
    pub command: Option<CommandRun>,
    /// The end of a run that gave a result and did not come to its own end; none for one that did.
    pub status: Option<ToolStatus>,
}

/// Something a model can call.
pub trait Tool: Debug + Send + Sync + 'static {
    /// The tool's own word on what it is. Asked for once in a turn.
    fn spec(&self) -> ToolSpec;

    /// Runs with arguments that fit the schema. Dropping the future, or `context.cancel`, ends it. A tool that runs commands has an outcome when it is
    /// cancelled, soon.
    fn run(&self, arguments: Value, context: Context) -> BoxFuture<'static, Result<Output, ErrorInfo>>;

    /// Looks at the command that a call would run, for a tool that runs commands. Nothing of it runs.
    fn prepare(
        &self,
        _arguments: Value,
        _context: Context,
    ) -> BoxFuture<'static, Result<CommandAsked, ErrorInfo>> {
        let error = ErrorInfo::new(Code::Internal, "This tool runs no commands.", "Try another tool.");
        Box::pin(ready(Err(error)))
    }
}

/// A tool that only reads files. It blocks its thread, and asks its budget again and again whether to go on.
pub(crate) trait Reads: Send + Sync + 'static {
    type Arguments: DeserializeOwned + JsonSchema + Send + 'static;
    const NAME: &'static str;
    const DESCRIPTION: &'static str;
    const REVEALS: Reveals = Reveals::Contents;

    fn read(arguments: Self::Arguments, context: &Context) -> Result<Output, ErrorInfo>;
}

/// Makes a [`Tool`] of one that [`Reads`], on a thread where blocking is allowed.
struct Reading<T>(PhantomData<T>);

impl<T: Reads> Debug for Reading<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::NAME)
    }
}

impl<T: Reads> Tool for Reading<T> {
    fn spec(&self) -> ToolSpec {
        let (parameters, paths) = schema::of::<T::Arguments>();
        let spec = ToolSpec::new(T::NAME, T::DESCRIPTION, parameters, ToolKind::Reads);
        ToolSpec { paths, reveals: T::REVEALS, ..spec }
    }

    fn run(&self, arguments: Value, context: Context) -> BoxFuture<'static, Result<Output, ErrorInfo>> {
        async move {
            let arguments = serde_json::from_value(arguments).map_err(|cause| {
                ErrorInfo::new(
                    Code::ToolArguments,
                    format!("{}: {cause}.", T::NAME),
                    "Call it again with arguments that fit.",
                )
            })?;
            let cancel = context.cancel.clone();
            // Dropping this future tells the thread to end.
            let stop = cancel.clone().drop_guard();
            let answer = tokio::task::spawn_blocking(move || T::read(arguments, &context)).await;
            drop(stop.disarm());
            match answer {
                Ok(answer) => answer,
                Err(panicked) => resume_unwind(panicked.into_panic()),
            }
        }
        .boxed()
    }
}

/// The tools for files: those that read, and the one that opens write sessions.
#[must_use]
pub fn file_tools() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(Reading::<list_files::ListFiles>(PhantomData)),
        Arc::new(Reading::<read_file::ReadFile>(PhantomData)),
        Arc::new(Reading::<search_files::SearchFiles>(PhantomData)),
        Arc::new(Reading::<file_info::FileInfo>(PhantomData)),
        write_plan_begin::tool(),
    ]
}

/// The tools that run commands, and read what they wrote.
#[must_use]
pub(crate) fn command_tools(commands: Commands) -> Vec<Arc<dyn Tool>> {
    vec![run_command::tool(commands.clone()), read_output::tool(commands)]
}

/// A result depends on what was named and, through links, on what that led to.
pub(crate) fn seen(part: fn(String) -> Seen, named: &ProjectPath, real: &ProjectPath) -> Vec<Seen> {
    let mut seen = vec![part(named.seen())];
    if real != named {
        seen.push(part(real.seen()));
    }
    seen
}

/// What a tool returns when a stop ended its budget.
pub(crate) fn stopped() -> ErrorInfo {
    ErrorInfo::new(Code::Stopped, "The tool was stopped.", "")
}
