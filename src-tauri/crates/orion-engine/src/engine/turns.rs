//! Starting and stopping turns, and what they run with. What they are given before they begin is in `setup`, and resuming them in `resuming`.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use orion_core::turn::{CommandHeld, Prepared, TurnSetup};
use orion_protocol::{
    Code, Envelope, ErrorInfo, Outcome, Policy, ProjectId, Purpose, QueuedMessage, RequestId, SessionId,
    Sha256, TraceParent, TurnIds, TurnOptions, Update,
};
use orion_store::StoreError;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::handle::{BATCHES, TurnHandle};
use super::raw::keeps;
use super::resuming::Purpose as Reaching;
use super::running::{Running, over};
use super::setup::{Next, ProjectContext};
use super::title::title_of;
use super::{Engine, limits, numbers};
use crate::config::InForce;
use crate::driver::{Caller, Clock, CompareFile, Driver, Equipment, Origin, Outlet, PrepareCall, RunTool};
use crate::endpoint::ModelEndpoint;
use crate::proposals::Writes;
use crate::runner::{ToolRunner, failed};
use crate::tools::{CallOf, Compared, Context, Limits, Line, OfCommands, compare};
use orion_files::workspace;

/// Commands that can wait for a turn. When the channel is full, senders wait.
const COMMANDS: usize = 64;

/// What a new turn is asked for.
pub(super) enum Ask {
    /// An answer to this message.
    Answer(String),
    /// The same for one that another program begins.
    Called(String, Caller),
    /// The same for one that leaves the session's queue (A9).
    Queued(Box<QueuedMessage>),
    /// A summary, which takes the place of the conversation (X4).
    Summary,
}

/// The policy of a turn with one model call, no tools, and the further try that a refusal of its length gives it (X5).
fn of_one_call(policy: Policy) -> Policy {
    Policy {
        max_cycles: 0,
        refusals_are_free: true,
        second_chances: 0,
        compacts_at_cuts: false,
        pause_after_tool: false,
        ..policy
    }
}

impl Engine {
    /// Starts a turn and hands it to the caller, who reads it to its end. It is on the disk when this returns.
    ///
    /// # Errors
    /// `turn_active` while another turn of the session runs, `route_disabled`, `no_endpoint`, what the settings or the
    /// folder are at fault with, `usage` for a message that cannot be sent.
    pub async fn run_turn(
        &self,
        session_id: SessionId,
        text: String,
        options: TurnOptions,
    ) -> Result<TurnHandle, ErrorInfo> {
        self.run_called_turn(session_id, text, options, None).await
    }

    /// As [`Engine::run_turn`]; the trace of the turn belongs to the span of another program, where one is given.
    ///
    /// # Errors
    /// Those of [`Engine::run_turn`].
    pub async fn run_called_turn(
        &self,
        session_id: SessionId,
        text: String,
        options: TurnOptions,
        caller: Option<TraceParent>,
    ) -> Result<TurnHandle, ErrorInfo> {
        let (sender, batches) = mpsc::channel(BATCHES);
        let ask = match caller {
            Some(caller) => Ask::Called(text, Caller::Span(caller)),
            None => Ask::Answer(text),
        };
        let running = self.begin(session_id, ask, options, Some(sender)).await?;
        Ok(TurnHandle::new(running, batches))
    }

    pub(super) async fn start_turn(
        &self,
        session_id: SessionId,
        text: String,
        options: TurnOptions,
    ) -> Result<Outcome, ErrorInfo> {
        let Running { ids, .. } = self.begin(session_id, Ask::Answer(text), options, None).await?;
        Ok(Outcome::Turn { request_id: ids.request_id })
    }

    pub(super) async fn stop_turn(&self, request_id: RequestId) -> Result<Outcome, ErrorInfo> {
        match self.reach(request_id, Reaching::Stop).await {
            Ok(running) => {
                running.stop().await;
                Ok(Outcome::Done)
            }
            Err(error) if error.code == Code::OtherVersion => {
                self.end_without_machine(request_id, None).await
            }
            Err(error) => Err(error),
        }
    }

    /// Skips the pause before the next try of a model call.
    pub(super) async fn retry_now(&self, request_id: RequestId) -> Result<Outcome, ErrorInfo> {
        let running = self.shared.turns.get(request_id).ok_or_else(over)?;
        match running.retry_now().await? {
            true => Ok(Outcome::Done),
            false => {
                let message = "The turn is not waiting to try again.";
                Err(ErrorInfo::new(Code::NotWaiting, message, "There is nothing to do."))
            }
        }
    }

    pub(super) async fn begin(
        &self,
        session_id: SessionId,
        ask: Ask,
        options: TurnOptions,
        reader: Option<mpsc::Sender<Vec<Envelope>>>,
    ) -> Result<Running, ErrorInfo> {
        if self.shared.closing.is_cancelled() {
            return Err(ErrorInfo::new(Code::Stopped, "Orion is closing.", "Start Orion again."));
        }
        let clock = Clock::start();
        let caller = if let Ask::Called(_, caller) = &ask { Some(*caller) } else { None };
        // A message that waited has its files itself, and over HTTP they are kept apart: a draft with the same ones is the person's.
        let was_drafted = !matches!(ask, Ask::Queued(_) | Ask::Called(_, Caller::Http(_)));
        let (text, options, queued, compacts) = match ask {
            Ask::Answer(text) | Ask::Called(text, _) => (limits::message(text)?, options, None, None),
            Ask::Queued(message) => (message.text.clone(), options, Some(*message), None),
            // What a person takes out by hand is for their next message.
            Ask::Summary => (
                String::new(),
                TurnOptions { edits: Vec::new(), make_room: false, ..options },
                None,
                Some(Vec::new()),
            ),
        };
        let Next { mut setup, context, endpoint } =
            self.next(session_id, text, &options, clock.now_ms()).await?;
        if compacts.is_some() {
            setup = TurnSetup { policy: of_one_call(setup.policy), compacts, ..setup };
        }
        if setup.purpose() == Purpose::Answer {
            setup.attached = self.attached(&setup, &context, &options).await?;
        }
        let ids = setup.ids;
        let attachments: Vec<Sha256> = options.attachments.iter().map(|file| file.sha256).collect();
        let settings = self.settings_in(ids.project_id, &context.in_force, context.tools.tools());
        self.tell(Update::ProjectSettings { settings });
        let (running, equipment) = self.equip(&setup, context, endpoint, reader);
        let title = title_of(&setup.text);
        let origin = Origin { instead_of: options.instead_of, queued, caller };
        let begun = Driver::begin(&self.shared.store, clock, setup, title, origin, equipment).await;
        let (driver, first) = match begun {
            Err(StoreError::TurnActive(_)) => return Err(self.occupied(session_id).await),
            begun => begun?,
        };
        if was_drafted && !attachments.is_empty() {
            self.shared.store.attachments_begun(ids.session_id, ids.project_id, attachments).await?;
        }
        self.tell_of_session(session_id).await;
        // Where it is a branch, what listeners hold after its parent has left the path.
        if self.is_listened_to()
            && let Ok(true) = self.shared.store.is_branch(ids.request_id).await
            && let Ok(tip) = self.shared.store.parent(ids.request_id).await
        {
            self.tell(Update::TipMoved { session_id, tip });
        }
        self.shared.turns.enter(running.clone());
        self.spawn(ids, async move { driver.run(first).await });
        Ok(running)
    }

    /// What a turn runs with.
    pub(super) fn equip(
        &self,
        setup: &TurnSetup,
        context: ProjectContext,
        endpoint: Arc<dyn ModelEndpoint>,
        reader: Option<mpsc::Sender<Vec<Envelope>>>,
    ) -> (Running, Equipment) {
        let ids = setup.ids;
        let learned = self.learned(&context.in_force, endpoint.name(), endpoint.model());
        let writes = Writes {
            store: self.shared.store.clone(),
            folder: context.folder.clone(),
            request_id: ids.request_id,
        };
        let write_idle = Duration::from_millis(context.in_force.values.write_session_idle_ms().into());
        let keeps = keeps(&context.in_force);
        let compare_file = self.comparer(ids.project_id, context.folder.clone());
        let run_check = self.check_runner(ids, &context);
        let (run_tool, prepare_call) = match context.folder {
            Ok(project) => {
                let body_bytes = numbers::result_bytes(&context.in_force, &setup.numbers);
                let tool_context = Context {
                    project,
                    strict_end_line: context.in_force.values.strict_end_line(),
                    offered: setup.tools.clone(),
                    rules: setup.rules.clone(),
                    limits: Limits { body_bytes, ..Limits::default() },
                    cancel: CancellationToken::new(),
                    person: Line::default(),
                    call: None,
                    commands: OfCommands {
                        most_seconds: setup.policy.most_command_seconds(),
                        env: context.in_force.command_env(),
                        read: context.in_force.values.commands.read.clone().unwrap_or_default(),
                        ..OfCommands::default()
                    },
                    store: Some(self.shared.store.clone()),
                };
                let prepare = preparer(context.tools.clone(), tool_context.clone());
                (self.tool_runner(ids, context.tools.clone(), tool_context, context.in_force), prepare)
            }
            Err(gone) => nowhere(gone),
        };
        let (commands, inbox) = mpsc::channel(COMMANDS);
        let running = Running { ids, stop: CancellationToken::new(), commands, tools: context.tools.clone() };
        let equipment = Equipment {
            endpoint,
            learned,
            run_tool,
            run_check,
            prepare_call,
            compare_file,
            writes,
            identity: context.identity,
            write_idle,
            redactor: self.shared.options.keys.redactor().clone(),
            keeps,
            stop: running.stop.clone(),
            closing: self.shared.closing.clone(),
            commands: inbox,
            outlet: Outlet::new(self.shared.updates.clone(), reader, setup.numbers.prices),
        };
        (running, equipment)
    }

    pub(super) fn spawn(&self, ids: TurnIds, turn: impl Future<Output = ()> + Send + 'static) {
        let TurnIds { request_id, session_id, project_id } = ids;
        // T1: every line of the log that the turn writes carries its ids.
        let span = tracing::info_span!("turn", %request_id, %session_id, %project_id);
        let engine = self.clone();
        let task = async move {
            let ended = CancellationToken::new();
            let (neighbours, until) = (engine.clone(), ended.clone());
            engine.shared.tasks.spawn(async move { neighbours.obey_neighbours(request_id, until).await });
            let ends = ended.drop_guard();
            turn.await;
            drop(ends);
            engine.shared.turns.leave(request_id);
            engine.send_trace(request_id);
            engine.after_turn(session_id).await;
            if engine.is_bounded() {
                engine.send_due().await;
            }
            engine.keep_learned().await;
            engine.tell_of_thinking().await;
            engine.forget_old_responses().await;
            // 0067: a command that runs one turn leaves it to the window, or to the next search.
            if engine.goes_on() {
                engine.fill_search_meanwhile().await;
            }
        };
        self.shared.tasks.spawn(task.instrument(span));
    }

    fn tool_runner(
        &self,
        ids: TurnIds,
        tools: Arc<ToolRunner>,
        context: Context,
        in_force: InForce,
    ) -> RunTool {
        let engine = self.clone();
        Box::new(move |call, person, stop| {
            // D3: from here on it matters whether files change.
            engine.watch(ids.project_id, &context.project);
            let mut context = context.clone();
            context.limits = tools.limits(&call.name, context.limits);
            context.limits.timeout = in_force.timeout(&call.name, context.limits.timeout);
            context.cancel = stop;
            context.person = person;
            let TurnIds { request_id, session_id, .. } = ids;
            context.call = Some(CallOf { session_id, request_id, call_id: call.tool_call_id.clone() });
            if let Some(CommandHeld { level, outside }) = call.command {
                context.commands = OfCommands { asked_at: Some(level), outside, ..context.commands };
            }
            let tools = tools.clone();
            async move { tools.run(call, context).await }.boxed()
        })
    }

    fn comparer(&self, project_id: ProjectId, folder: Result<workspace::Project, ErrorInfo>) -> CompareFile {
        let engine = self.clone();
        Box::new(move |file| match &folder {
            Ok(project) => {
                // D3: what was compared counts as read.
                engine.watch(project_id, project);
                compare(project.clone(), file).boxed()
            }
            Err(_gone) => std::future::ready(Compared::default()).boxed(),
        })
    }
}

/// Tools of a turn whose folder is gone: each one returns that error.
fn nowhere(gone: ErrorInfo) -> (RunTool, PrepareCall) {
    let outcome = failed(gone, Vec::new());
    let unfit = Prepared::Unfit { outcome: Box::new(outcome.clone()) };
    (
        Box::new(move |_, _, _| std::future::ready(outcome.clone()).boxed()),
        Box::new(move |_, _| std::future::ready(unfit.clone()).boxed()),
    )
}

/// Looks at the commands that calls would run.
fn preparer(tools: Arc<ToolRunner>, context: Context) -> PrepareCall {
    Box::new(move |name, arguments| {
        let (tools, context) = (tools.clone(), context.clone());
        async move { tools.prepare(&name, &arguments, context).await }.boxed()
    })
}
