//! The ToolRunner: it checks a call, runs its tool within limits, and returns the outcome as one type.
//!
//! Whatever a model sends and however a tool behaves, [`ToolRunner::run`] returns an outcome. Wrong arguments, a tool
//! that hangs, panics or floods are ordinary ends (R2). Deliberately not here: duplicates and budgets (the turn),
//! asking the person (the driver), and the tools themselves.

mod arguments;
mod links;

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::join_all;
use jsonschema::Validator;
use orion_core::tool::{Arguments, Seen, ToolKind, ToolOutcome, ToolSet, ToolSpec};
use orion_core::turn::{CommandHeld, Prepared};
use orion_protocol::{CallId, Code, ErrorInfo, Permission, ToolStatus};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::picture;
use crate::tools::{Context, Limits, Output, Tool, ToolSource, built_in, check};
use orion_files::workspace::Project;

/// The longest that a turn waits for a tool source. 5 s: a person waits for the beginning of their turn.
const ASKED: Duration = Duration::from_secs(5);

/// The longest that a call is looked at before it is judged: a minute, for the first one measures the sandbox too.
const PREPARED: Duration = Duration::from_mins(1);

/// The time that a command has beyond its own to end, and to be looked at after it. A minute: it takes a moment, unless the disk is very busy.
const ENDING: Duration = Duration::from_mins(1);

/// Bytes of a line for a person.
const SUMMARY: usize = 400;
/// Bytes of a sentence of an error, which may list all tools of a turn.
const MESSAGE: usize = 4 * 1024;
/// Places that a result depends on, or that a call changed (`MOST_CHANGES` of the ledger).
const PLACES: usize = 1_000;
/// Bytes of what a model is told of one tool: far more than any needs, and little in a request.
const TOLD: usize = 64 * 1024;

/// A call as the turn wants it run.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub tool_call_id: CallId,
    pub name: String,
    pub arguments: Arguments,
    /// The command that it runs, as it was asked about.
    pub command: Option<CommandHeld>,
}

/// The tools there are, by name.
#[derive(Debug)]
pub struct ToolRunner {
    tools: BTreeMap<String, Registered>,
    set: ToolSet,
}

#[derive(Debug)]
struct Registered {
    tool: Arc<dyn Tool>,
    spec: ToolSpec,
    /// Compiled at the first call.
    validator: OnceLock<Validator>,
}

impl Default for ToolRunner {
    fn default() -> Self {
        Self::with_tools(built_in())
    }
}

impl ToolRunner {
    /// A runner of the tools that these sources have in a project now. A source that does not answer in time has none.
    pub async fn of(sources: &[Arc<dyn ToolSource>], project: &Project) -> Self {
        let asked = sources.iter().map(|source| async move {
            let tools = AssertUnwindSafe(async { source.tools(project).await }).catch_unwind();
            tokio::time::timeout(ASKED, tools).await.ok().and_then(Result::ok).unwrap_or_else(|| {
                tracing::warn!(?source, "a tool source does not answer");
                Vec::new()
            })
        });
        Self::with_tools(join_all(asked).await.into_iter().flatten())
    }

    /// A runner of these tools. Of two with one name, or that open writes, the earlier counts. One that no provider would take is left out.
    #[must_use]
    pub fn with_tools(all: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        let mut tools = BTreeMap::new();
        let mut opens = false;
        for tool in all {
            let Some(spec) = std::panic::catch_unwind(AssertUnwindSafe(|| tool.spec())).ok().and_then(sound)
            else {
                tracing::warn!(?tool, "a tool is left out");
                continue;
            };
            if spec.kind == ToolKind::OpensWrite && std::mem::replace(&mut opens, true) {
                tracing::warn!(?tool, "writes are opened by another tool");
                continue;
            }
            let registered = Registered { tool, spec, validator: OnceLock::new() };
            tools.entry(registered.spec.name.clone()).or_insert(registered);
        }
        let set = tools.values().map(|registered| registered.spec.clone()).collect();
        Self { tools, set }
    }

    /// Every tool, by name, with its own permission. The settings of the project and the mode decide which of them a
    /// turn has.
    #[must_use]
    pub fn tools(&self) -> &ToolSet {
        &self.set
    }

    /// The limits of this tool's calls, where those of all are these. The time that the settings give it counts instead of its own.
    #[must_use]
    pub fn limits(&self, name: &str, all: Limits) -> Limits {
        let Some(Registered { spec, .. }) = self.tools.get(name) else { return all };
        let timeout = spec.time_ms.map_or(all.timeout, |own| Duration::from_millis(own.into()));
        let own = spec.output_bytes.and_then(|own| usize::try_from(own).ok());
        Limits { body_bytes: own.map_or(all.body_bytes, |own| own.min(all.body_bytes)), timeout }
    }

    /// Runs one call to its end, whatever that is. Ends at once when `context.cancel` is cancelled (A4), and no later
    /// than `context.limits.timeout`. A tool that runs commands keeps both by itself, and has an outcome then. Dropping the future stops
    /// any tool.
    pub async fn run(&self, call: Call, context: Context) -> ToolOutcome {
        let began = Instant::now();
        let limits = context.limits;
        // J3: sizes and the end, no arguments and no contents; the name only when it is one of ours.
        let name = self.tools.get_key_value(&call.name).map_or("unknown", |(name, _)| name.as_str());
        let span =
            tracing::info_span!("tool", name, status = tracing::field::Empty, bytes = tracing::field::Empty);
        let project = context.project.anew();
        let context = Context { project: project.clone(), ..context };
        let ran = AtomicBool::new(false);
        let kind = self.tools.get(&call.name).map_or(ToolKind::Reads, |registered| registered.spec.kind);
        let mut outcome = match self.answer(&call, context, &ran).await {
            Ok(output) => succeeded(output, kind, limits),
            Err(error) => failed(error, looked_at(&call.arguments, &project)),
        };
        // D3: how far it came is not known.
        if kind.mutates() && outcome.error.is_some() && ran.load(Ordering::Relaxed) {
            outcome.changed = vec![Seen::Tree(String::new())];
        }
        outcome.notices = project.notices();
        span.record("status", tracing::field::debug(outcome.status));
        span.record("bytes", outcome.bytes);
        span.in_scope(|| tracing::debug!(milliseconds = began.elapsed().as_millis() as u64, "tool ended"));
        outcome
    }

    /// Looks at the command that a call would run, before the call is judged (C3). Nothing of it runs.
    pub async fn prepare(&self, name: &str, arguments: &Arguments, context: Context) -> Prepared {
        let project = context.project.clone();
        let stop = CancellationToken::new();
        let _ends = stop.clone().drop_guard();
        let context = Context { cancel: stop, ..context };
        let looking = async {
            let registered = self.find(name, &context.offered)?;
            let arguments = registered.checked(arguments.value())?;
            registered.tool.prepare(arguments, context).await
        };
        let looked = match tokio::time::timeout(PREPARED, AssertUnwindSafe(looking).catch_unwind()).await {
            Ok(looked) => looked.unwrap_or_else(|_panic| Err(broke(name))),
            Err(_late) => Err(ErrorInfo::new(
                Code::ToolTimeout,
                format!("Orion could not look at this call of {name} within {} s.", PREPARED.as_secs()),
                "Try again.",
            )),
        };
        match looked {
            Ok(command) => Prepared::Ready { command: Box::new(command) },
            Err(error) => {
                Prepared::Unfit { outcome: Box::new(failed(error, looked_at(arguments, &project))) }
            }
        }
    }

    /// Whether a call with these arguments would run, as far as its schema says. Nothing runs (A3).
    ///
    /// # Errors
    /// `tool_unknown`, and `tool_arguments` with what is wrong in them.
    pub fn check(&self, name: &str, arguments: &Map<String, Value>) -> Result<(), ErrorInfo> {
        let registered = self.find(name, &self.set)?;
        let action = "Correct the arguments, or reject the call. Nothing was run.";
        let checked = registered.checked(arguments);
        checked.map(|_| ()).map_err(|error| ErrorInfo { action: Some(action.to_owned()), ..error })
    }

    /// `began` says whether the tool itself ran.
    async fn answer(
        &self,
        call: &Call,
        mut context: Context,
        began: &AtomicBool,
    ) -> Result<Output, ErrorInfo> {
        let registered = self.find(&call.name, &context.offered)?;
        let Limits { timeout, .. } = context.limits;
        let (stop, line) = (context.cancel.clone(), context.person.clone());
        context.cancel = stop.child_token();
        let ours = context.cancel.clone().drop_guard();
        let running = async {
            if !context.rules.tools.is_empty() {
                look_at_links(registered, call, &context).await?;
            }
            let arguments = registered.checked(call.arguments.value())?;
            began.store(true, Ordering::Relaxed);
            registered.tool.run(arguments, context).await
        };
        let running = AssertUnwindSafe(running).catch_unwind();
        // C6: its outcome is wanted also where it is stopped; its caller waits for that as long as it will.
        let ends_itself = registered.spec.kind == ToolKind::RunsCommands;
        let longest = if ends_itself { timeout + ENDING } else { timeout };
        let answer = tokio::select! {
            biased;
            () = stop.cancelled(), if !ends_itself => Err(crate::tools::stopped()),
            // First, or a tool that is always ready would leave it no turn.
            () = line.used_up(longest) => Err(ErrorInfo::new(
                Code::ToolTimeout,
                format!("{} took longer than {} s and was stopped.", call.name, timeout.as_secs_f32()),
                "Ask for less at once, such as a folder below.",
            )),
            answer = running => answer.unwrap_or_else(|_panic| Err(broke(&call.name))),
        };
        drop(ours);
        answer
    }

    fn find(&self, name: &str, offered: &ToolSet) -> Result<&Registered, ErrorInfo> {
        match self.tools.get(name) {
            Some(registered) if offered.get(name).is_some_and(|begun| registered.spec.acts_as(begun)) => {
                Ok(registered)
            }
            // A5: it was judged by what it said of itself.
            Some(_) if offered.get(name).is_some() => Err(ErrorInfo::new(
                Code::ToolDenied,
                format!("{name} is another tool now than when this turn began."),
                "Go on without it.",
            )),
            Some(_) => Err(ErrorInfo::new(
                Code::ToolDenied,
                format!("{name} is not available in this turn."),
                format!("Available: {}.", names(offered)),
            )),
            None => {
                // A name of megabytes is neither compared nor shown as a whole.
                let begin = &name[..name.floor_char_boundary(64)];
                let near = offered
                    .names()
                    .map(|name| (strsim::damerau_levenshtein(begin, name), name))
                    .min()
                    .filter(|(distance, near)| *distance <= near.len() / 2)
                    .map_or_else(String::new, |(_, near)| format!("Did you mean {near}? "));
                Err(ErrorInfo::new(
                    Code::ToolUnknown,
                    format!("There is no tool `{}`.", begin.escape_debug()),
                    format!("{near}Available: {}.", names(offered)),
                ))
            }
        }
    }
}

/// A description that a provider takes: a name of letters, digits, `_` and `-`, an object as schema, and not too much. One that changes something
/// does not say itself that it may run unasked.
fn sound(mut spec: ToolSpec) -> Option<ToolSpec> {
    let is_word = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'_' || letter == b'-';
    let is_name = (1..=64).contains(&spec.name.len()) && spec.name.bytes().all(is_word);
    let bytes = spec.description.len() + spec.parameters.to_string().len();
    if !spec.kind.only_reads() && spec.permission == Permission::Allow {
        spec.permission = Permission::Ask;
    }
    (is_name && spec.parameters.is_object() && bytes <= TOLD).then_some(spec)
}

impl Registered {
    /// The arguments, when they fit the tool's schema.
    fn checked(&self, given: &Map<String, Value>) -> Result<Value, ErrorInfo> {
        let validator = match self.validator.get() {
            Some(validator) => validator,
            None => {
                let compiled =
                    arguments::validator(&self.spec.parameters).map_err(|_| broke(&self.spec.name))?;
                self.validator.get_or_init(|| compiled)
            }
        };
        arguments::checked(&self.spec, validator, given)
    }
}

/// The places that a call that failed depends on, by the paths that it named (D3). It may run again once something changes there. It is not known how far
/// below a path the tool looked, so each path stands for everything below it too.
fn looked_at(arguments: &Arguments, project: &Project) -> Vec<Seen> {
    arguments.paths().filter_map(|path| Some(Seen::Tree(project.path(path).ok()?.seen()))).collect()
}

/// A1: what the call names may be a link.
async fn look_at_links(of: &Registered, call: &Call, context: &Context) -> Result<(), ErrorInfo> {
    let (rules, spec, arguments) = (context.rules.clone(), of.spec.clone(), call.arguments.clone());
    // The settings decide, and not the tool alone.
    let spec = context.offered.get(&call.name).cloned().unwrap_or(spec);
    let project = context.project.clone();
    let looked = tokio::task::spawn_blocking(move || links::refusal(&rules, &spec, &arguments, &project));
    match looked.await {
        Ok(None) => Ok(()),
        Ok(Some(refusal)) => Err(refusal),
        Err(_panic) => Err(broke(&call.name)),
    }
}

fn names(tools: &ToolSet) -> String {
    tools.names().collect::<Vec<_>>().join(", ")
}

fn broke(name: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::ToolFailed,
        format!("Orion hit an internal error in {name}."),
        "Try another tool or other arguments.",
    )
}

fn succeeded(output: Output, kind: ToolKind, limits: Limits) -> ToolOutcome {
    let Output {
        mut summary,
        mut body,
        mut cut,
        bytes,
        seen,
        source,
        opens,
        asks,
        image,
        changed,
        command,
        status,
    } = output;
    let whole = bytes.unwrap_or(body.len() as u64).max(body.len() as u64);
    if body.len() > limits.body_bytes {
        // R3: cut on a character boundary. Tools keep within the limit themselves, since they know better how to read
        // on.
        let end = body.floor_char_boundary(limits.body_bytes);
        let lost = body.len() - end;
        body.truncate(end);
        cut.get_or_insert_with(|| format!("The last {lost} bytes are left out; ask for less at once"));
    }
    shorten(&mut summary, SUMMARY);
    let image = image.and_then(|image| match picture::of_result(&image) {
        Ok(image) => {
            let comma = if summary.is_empty() { "" } else { ", " };
            summary.push_str(&format!("{comma}an image of {} × {}", image.width, image.height));
            Some(Box::new(image))
        }
        Err(why) => {
            cut.get_or_insert(why);
            None
        }
    });
    ToolOutcome {
        body,
        bytes: whole,
        cut,
        seen: few(seen),
        source,
        // W1: no other kind of tool opens a write.
        opens: opens.filter(|_| kind == ToolKind::OpensWrite),
        // A8: a person is asked at once, and not too much.
        asks: asks.filter(|questions| check(questions).is_ok()),
        image,
        changed: if kind.mutates() { few(changed) } else { Vec::new() },
        command: command.filter(|_| kind == ToolKind::RunsCommands).map(Box::new),
        ..ToolOutcome::ended(status.unwrap_or(ToolStatus::Ok), summary)
    }
}

/// Beyond so many places, everything counts.
fn few(seen: Vec<Seen>) -> Vec<Seen> {
    if seen.len() > PLACES { vec![Seen::Tree(String::new())] } else { seen }
}

fn shorten(text: &mut String, most: usize) {
    text.truncate(text.floor_char_boundary(most));
}

pub(crate) fn failed(mut error: ErrorInfo, seen: Vec<Seen>) -> ToolOutcome {
    shorten(&mut error.message, MESSAGE);
    error.action.iter_mut().for_each(|action| shorten(action, MESSAGE));
    let status = match error.code {
        Code::Stopped => ToolStatus::Cancelled,
        Code::ToolTimeout => ToolStatus::TimedOut,
        Code::ToolDenied => ToolStatus::Denied,
        _ => ToolStatus::Failed,
    };
    let summary = error.message.clone();
    ToolOutcome { error: Some(error), seen, ..ToolOutcome::ended(status, summary) }
}
