//! The loop itself.

use std::fmt::{self, Debug};
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, StreamExt};
use orion_core::model::{ModelDelta, ModelRequest};
use orion_core::tool::{Seen, ToolOutcome};
use orion_core::turn::{Effect, Input, ModelInput, Turn, TurnSetup};
use orion_protocol::{
    BatchId, CallId, Code, Envelope, ErrorInfo, PROTOCOL_VERSION, Permission, Phase, Session, StopReason,
    ToolStatus, TurnEvent, TurnIds, TurnReport, TurnStatus,
};
use orion_store::{Begin, Commit, Exchange, NewTurn, Record, Store, StoreError, TurnJournal};
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::clock::Clock;
use super::outlet::Outlet;
use super::pending::Pending;
use super::recorded;
use crate::endpoint::{ModelEndpoint, ModelEvent};
use crate::secrets::Redactor;

/// How much of the session goes into a turn's prompt, newest first. 64 KiB: 16,000 tokens at 4 bytes each.
const HISTORY_BYTES: usize = 64 * 1024;

/// Events of a stream that are taken in one go before anything else is looked at; a stop waits for no more than these.
const RUN: usize = 256;

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

/// A turn under way.
#[derive(Debug)]
pub(crate) struct Driver {
    ids: TurnIds,
    clock: Clock,
    turn: Turn,
    permissions: Vec<(String, Permission)>,
    /// None once the turn is over.
    journal: Option<TurnJournal>,
    pending: Pending,
    /// Records on their way to the disk that nobody waits for.
    flushing: Option<Commit>,
    /// The last event that was shown.
    seq: u32,
    model: Option<Call>,
    tool: Option<Running>,
    equipment: Equipment,
}

struct Call {
    number: u32,
    events: BoxStream<'static, ModelEvent>,
}

impl Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("number", &self.number).finish_non_exhaustive()
    }
}

struct Running {
    batch: BatchId,
    call_id: CallId,
    began: Instant,
    outcome: BoxFuture<'static, ToolOutcome>,
}

impl Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("call_id", &self.call_id).finish_non_exhaustive()
    }
}

/// What a step wants begun, once its events are on the disk.
enum Start {
    Model { number: u32, request: ModelRequest },
    Tool { batch: BatchId, call_id: CallId, name: String, arguments: Map<String, Value> },
}

/// What the loop waits for.
enum Event {
    Stop,
    Closing,
    Command(Command),
    Model(Option<ModelEvent>),
    Tool(ToolOutcome),
    Flushed(Result<(), StoreError>),
    FlushDue,
}

/// Why the loop ended early.
enum Fault {
    Store(StoreError),
    /// Nobody reads the turn any more.
    Unread,
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// A turn's setup, to which the history is yet to come.
struct Beginning(TurnSetup);

impl Begin for Beginning {
    type Out = (Turn, Vec<Effect>);

    fn begin(&self, history: Vec<Exchange>) -> Result<(Vec<Record>, Self::Out), StoreError> {
        let mut records = vec![recorded::setup(&self.0, HISTORY_BYTES)?];
        let (turn, effects) =
            Turn::start(TurnSetup { history: recorded::history(history), ..self.0.clone() });
        for effect in &effects {
            if let Effect::Emit(envelope) = effect {
                records.push(Record::event(envelope)?);
            }
        }
        Ok((records, (turn, effects)))
    }
}

impl Driver {
    /// Begins a turn: when this returns, its first events are on the disk. It goes on in [`Driver::run`].
    pub(crate) async fn begin(
        store: &Store,
        clock: Clock,
        setup: TurnSetup,
        title: String,
        equipment: Equipment,
    ) -> Result<(Self, Vec<Effect>, Session), StoreError> {
        let ids = setup.ids;
        let (at_ms, text) = (setup.at_ms, setup.text.clone());
        let permissions = setup.tools.iter().map(|tool| (tool.name.clone(), tool.permission)).collect();
        let turn = NewTurn { ids, at_ms, text, title, history_bytes: HISTORY_BYTES };
        let (journal, session, (turn, effects)) = store.begin_turn(turn, Beginning(setup)).await?;
        let driver = Self {
            ids,
            clock,
            turn,
            permissions,
            journal: Some(journal),
            pending: Pending::default(),
            flushing: None,
            seq: 0,
            model: None,
            tool: None,
            equipment,
        };
        Ok((driver, effects, session))
    }

    /// Runs the turn to its end. Whatever happens inside, the turn gets its one terminal event (T3), unless the program
    /// ends first.
    pub(crate) async fn run(mut self, first: Vec<Effect>) {
        let work = AssertUnwindSafe(self.drive(first)).catch_unwind().await;
        self.model = None;
        self.tool = None;
        match work {
            Ok(Ok(())) => {}
            Ok(Err(Fault::Store(error))) => self.fail(error.into()).await,
            Ok(Err(Fault::Unread)) => self.equipment.stop.cancel(),
            Err(_panic) => {
                let message = "Orion failed inside while it worked on this turn.";
                self.fail(ErrorInfo::new(Code::Internal, message, "Send the message again.")).await;
            }
        }
        self.equipment.outlet.deliver().await;
    }

    async fn drive(&mut self, first: Vec<Effect>) -> Result<(), Fault> {
        let mut start = None;
        for effect in first {
            match effect {
                Effect::Emit(envelope) => self.show(envelope),
                Effect::CallModel { call, request } => start = Some(Start::Model { number: call, request }),
                _ => {}
            }
        }
        self.start(start);
        loop {
            let over = self.turn.is_over();
            let read = tokio::select! {
                biased;
                read = self.equipment.outlet.deliver() => read,
                // A reader that does not keep up holds up no stop (A4).
                () = self.equipment.stop.cancelled(), if !over => true,
            };
            if !read {
                return self.unread().await;
            }
            if over {
                return Ok(());
            }
            match self.next().await {
                Event::Stop => self.feed(Input::Stop).await?,
                Event::Closing => {
                    self.model = None;
                    self.tool = None;
                    return Ok(self.commit().await?);
                }
                Event::Command(command) => self.obey(command).await?,
                Event::Model(event) => self.stream(event).await?,
                Event::Tool(outcome) => self.tool_ended(outcome).await?,
                Event::Flushed(result) => {
                    self.flushing = None;
                    result?;
                }
                Event::FlushDue => self.flush().await?,
            }
        }
    }

    /// What happens next; a stop before everything else (A4).
    async fn next(&mut self) -> Event {
        let Self { equipment, flushing, pending, tool, model, .. } = self;
        // One flush at a time: while the disk is slow, text gathers here and is shown all the same.
        let due = if flushing.is_some() { None } else { pending.due() };
        tokio::select! {
            biased;
            () = equipment.stop.cancelled() => Event::Stop,
            () = equipment.closing.cancelled() => Event::Closing,
            Some(command) = equipment.commands.recv() => Event::Command(command),
            result = some(flushing.as_mut()) => Event::Flushed(result),
            () = tokio::time::sleep_until(due.unwrap_or_else(tokio::time::Instant::now)), if due.is_some() => Event::FlushDue,
            outcome = some(tool.as_mut().map(|tool| &mut tool.outcome)) => Event::Tool(outcome),
            event = some(model.as_mut().map(|call| call.events.next())) => Event::Model(event),
        }
    }

    /// Takes what a model call says, and all that it has said already.
    async fn stream(&mut self, first: Option<ModelEvent>) -> Result<(), Fault> {
        let mut event = first;
        for taken in 1.. {
            let Some(number) = self.model.as_ref().map(|call| call.number) else { break };
            match event {
                Some(ModelEvent::Deltas(deltas)) => self.take(number, deltas).await?,
                Some(ModelEvent::Retrying { attempt, delay_ms, cause }) => {
                    let cause = self.equipment.redactor.redact_error(cause);
                    self.model_says(number, ModelInput::Retrying { attempt, delay_ms, cause }).await?;
                }
                Some(ModelEvent::Ended) => {
                    self.model = None;
                    return self.model_says(number, ModelInput::Ended).await;
                }
                Some(ModelEvent::Failed(error)) => {
                    self.model = None;
                    let error = self.equipment.redactor.redact_error(error);
                    return self.model_says(number, ModelInput::Failed { error }).await;
                }
                None => {
                    self.model = None;
                    let message = "The model's answer broke off inside Orion.";
                    let error =
                        ErrorInfo::new(Code::Internal, message, "Send the message again.").retryable();
                    return self.model_says(number, ModelInput::Failed { error }).await;
                }
            }
            if taken == RUN || self.equipment.stop.is_cancelled() {
                break;
            }
            match self.model.as_mut().and_then(|call| call.events.next().now_or_never()) {
                Some(next) => event = next,
                None => break,
            }
        }
        Ok(())
    }

    async fn model_says(&mut self, call: u32, event: ModelInput) -> Result<(), Fault> {
        self.feed(Input::Model { call, event }).await
    }

    /// Streamed pieces. Those that lead to chunks alone are shown at once and recorded soon (J1).
    async fn take(&mut self, call: u32, deltas: Vec<ModelDelta>) -> Result<(), Fault> {
        let at_ms = self.clock.now_ms();
        let copy = deltas.clone();
        let effects = self.turn.step(at_ms, Input::Model { call, event: ModelInput::Deltas { deltas } });
        if !effects.iter().all(|effect| matches!(effect, Effect::Show(_))) {
            let input = Input::Model { call, event: ModelInput::Deltas { deltas: copy } };
            self.pending.input(at_ms, &input)?;
            return self.act(effects).await;
        }
        let chunks = effects.iter().filter_map(|effect| match effect {
            Effect::Show(envelope) => Some(envelope),
            _ => None,
        });
        self.pending.stream(call, at_ms, copy, chunks)?;
        for effect in effects {
            if let Effect::Show(envelope) = effect {
                self.show(envelope);
            }
        }
        Ok(())
    }

    async fn tool_ended(&mut self, outcome: ToolOutcome) -> Result<(), Fault> {
        let Some(Running { batch, call_id, began, .. }) = self.tool.take() else { return Ok(()) };
        let at_ms = self.clock.now_ms();
        let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (records, input) = recorded::tool_ended(at_ms, batch, call_id, outcome, duration_ms)?;
        for record in records {
            self.pending.record(record)?;
        }
        let effects = self.turn.step(at_ms, input);
        self.act(effects).await
    }

    async fn obey(&mut self, command: Command) -> Result<(), Fault> {
        match command {
            Command::Changed(changes) => self.feed(Input::Changed { changes }).await,
            Command::Approval { digest, granted } => self.feed(Input::Approval { digest, granted }).await,
            Command::Report(told) => {
                // Whoever asked may have gone.
                let _ = told.send(self.turn.report());
                Ok(())
            }
            Command::Flush(done) => {
                self.commit().await?;
                // Whoever asked may have gone.
                let _ = done.send(());
                Ok(())
            }
        }
    }

    /// Records an input, steps, and acts.
    async fn feed(&mut self, input: Input) -> Result<(), Fault> {
        let at_ms = self.clock.now_ms();
        self.pending.input(at_ms, &input)?;
        let effects = self.turn.step(at_ms, input);
        self.act(effects).await
    }

    /// Performs the effects of a step: what ends ends now, what is said is committed and then shown, what begins begins
    /// last.
    async fn act(&mut self, effects: Vec<Effect>) -> Result<(), Fault> {
        let mut said = Vec::new();
        let mut begins = None;
        for effect in effects {
            match effect {
                // A chunk before the first durable event of the step need not wait for it.
                Effect::Show(envelope) if said.is_empty() => {
                    self.pending.event(&envelope)?;
                    self.show(envelope);
                }
                Effect::Show(envelope) | Effect::Emit(envelope) => {
                    self.pending.event(&envelope)?;
                    said.push(envelope);
                }
                Effect::DropModel { call } => drop(self.model.take_if(|running| running.number == call)),
                Effect::CancelTool { call_id } => self.cancel_tool(&call_id)?,
                Effect::CallModel { call, request } => begins = Some(Start::Model { number: call, request }),
                Effect::RunTool { batch, call_id, name, arguments } => {
                    self.pending.record(Record::CallStarted {
                        batch,
                        call_id: call_id.clone(),
                        name: name.clone(),
                        arguments: Value::Object(arguments.clone()).to_string(),
                        permission: self.permission(&name),
                    })?;
                    begins = Some(Start::Tool { batch, call_id, name, arguments });
                }
            }
        }
        match said.last().and_then(|envelope| envelope.event.terminal()).map(|report| report.answer.clone()) {
            Some(answer) => self.finish(answer).await?,
            None if !said.is_empty() || begins.is_some() => self.commit().await?,
            None => {}
        }
        said.into_iter().for_each(|envelope| self.show(envelope));
        self.start(begins);
        Ok(())
    }

    fn start(&mut self, start: Option<Start>) {
        // A4: nothing starts after a stop; the machine hears of it next.
        if self.equipment.stop.is_cancelled() {
            return;
        }
        match start {
            Some(Start::Model { number, request }) => {
                self.model = Some(Call { number, events: self.equipment.endpoint.stream(request) });
            }
            Some(Start::Tool { batch, call_id, name, arguments }) => {
                let outcome = (self.equipment.run_tool)(call_id.clone(), name, arguments);
                self.tool = Some(Running { batch, call_id, began: Instant::now(), outcome });
            }
            None => {}
        }
    }

    fn cancel_tool(&mut self, call_id: &CallId) -> Result<(), StoreError> {
        match self.tool.take_if(|running| running.call_id == *call_id) {
            Some(Running { batch, call_id, .. }) => {
                let (status, body) = (ToolStatus::Cancelled, String::new());
                self.pending.record(Record::CallEnded { batch, call_id, status, body })
            }
            None => Ok(()),
        }
    }

    fn permission(&self, tool: &str) -> Permission {
        let known = self.permissions.iter().find(|(name, _)| name == tool);
        known.map_or(Permission::Allow, |(_, permission)| *permission)
    }

    fn show(&mut self, envelope: Envelope) {
        self.seq = envelope.seq;
        self.equipment.outlet.show(envelope);
    }

    /// Sends what waits to the store, and goes on before it is on the disk.
    async fn flush(&mut self) -> Result<(), StoreError> {
        let records = self.pending.take()?;
        if let Some(journal) = &mut self.journal {
            self.flushing = Some(journal.append(records).await);
        }
        Ok(())
    }

    /// Everything that was said so far is on the disk when this returns.
    async fn commit(&mut self) -> Result<(), StoreError> {
        let earlier = self.flushing.take();
        self.flush().await?;
        if let Some(earlier) = earlier {
            earlier.await?;
        }
        match self.flushing.take() {
            Some(commit) => commit.await,
            None => Ok(()),
        }
    }

    /// T3: the terminal event and the assistant's message in one transaction.
    async fn finish(&mut self, answer: String) -> Result<(), StoreError> {
        if let Some(earlier) = self.flushing.take() {
            earlier.await?;
        }
        let records = self.pending.take()?;
        if let Some(journal) = self.journal.take() {
            let session = journal.finish(records, answer, self.clock.now_ms()).await?;
            self.equipment.outlet.session(session);
        }
        Ok(())
    }

    /// Whoever started the turn has gone without waiting for its end: it is stopped.
    async fn unread(&mut self) -> Result<(), Fault> {
        self.equipment.stop.cancel();
        if !self.turn.is_over() {
            self.feed(Input::Stop).await?;
        }
        Err(Fault::Unread)
    }

    /// Ends a turn that cannot go on by its machine: the disk refused, or Orion has a defect. The terminal event is
    /// recorded if the disk takes it, and shown in any case.
    async fn fail(&mut self, error: ErrorInfo) {
        tracing::error!(code = ?error.code, detail = error.detail, "the turn cannot go on");
        let at_ms = self.clock.now_ms();
        let last = AssertUnwindSafe(|| self.turn.step(at_ms, Input::Stop));
        let effects = std::panic::catch_unwind(last).unwrap_or_default();
        let stopped = effects.into_iter().find_map(|effect| match effect {
            Effect::Emit(envelope) => envelope.event.terminal().cloned(),
            _ => None,
        });
        let report = TurnReport {
            status: TurnStatus::Failed,
            stop_reason: StopReason::Error,
            error: Some(error.of_turn(self.ids)),
            ..stopped.unwrap_or_else(|| self.turn.report())
        };
        let answer = report.answer.clone();
        let envelope = Envelope {
            v: PROTOCOL_VERSION,
            request_id: self.ids.request_id,
            session_id: self.ids.session_id,
            project_id: self.ids.project_id,
            seq: self.seq.saturating_add(1),
            at_ms,
            phase: Phase::Complete,
            tool_batch_id: None,
            event: TurnEvent::Failed { report: Box::new(report) },
        };
        if let (Some(journal), Ok(record)) = (self.journal.take(), Record::event(&envelope)) {
            let mut records = self.pending.take().unwrap_or_default();
            // What was never shown never was: the end takes its place.
            records.retain(|record| !matches!(record, Record::Event { seq, .. } if *seq > self.seq));
            records.push(record);
            match journal.finish(records, answer, at_ms).await {
                Ok(session) => self.equipment.outlet.session(session),
                Err(error) => tracing::error!(%error, "the end of the turn could not be recorded"),
            }
        }
        self.show(envelope);
    }
}

/// The future that is there, or one that never ends.
async fn some<F: Future + Unpin>(future: Option<F>) -> F::Output {
    match future {
        Some(future) => future.await,
        None => std::future::pending().await,
    }
}
