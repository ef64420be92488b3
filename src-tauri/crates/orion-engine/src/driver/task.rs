//! The loop itself.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::stream::StreamExt;
use orion_core::model::ModelDelta;
use orion_core::tool::{ToolOutcome, ToolSpec};
use orion_core::turn::{Effect, Input, Turn, TurnSetup};
use orion_protocol::{Code, Envelope, ErrorInfo, Session, TurnIds};
use orion_store::{Begin, Commit, NewTurn, Past, Reach, Record, Store, StoreError, TakenOver, TurnJournal};
use tokio::time::{Instant, Sleep};
use tokio_util::sync::WaitForCancellationFutureOwned;

use super::clock::Clock;
use super::equipment::{Call, Command, Done, Equipment, Running, Start, Work};
use super::glances::Glances;
use super::history::{self, Chosen};
use super::pending::Pending;
use super::recorded;
use crate::endpoint::ModelEvent;

/// A turn under way.
#[derive(Debug)]
pub(crate) struct Driver {
    pub(super) ids: TurnIds,
    pub(super) clock: Clock,
    pub(super) turn: Turn,
    pub(super) tools: Arc<[ToolSpec]>,
    /// None once the turn is over.
    pub(super) journal: Option<TurnJournal>,
    pub(super) pending: Pending,
    /// Records on their way to the disk that nobody waits for.
    pub(super) flushing: Option<Commit>,
    /// Events that are recorded and not on the disk yet: they are shown after the next commit (J1).
    pub(super) said: Vec<Envelope>,
    /// Until when that commit may wait for a quick tool.
    pub(super) patience: Option<Instant>,
    /// The last event that was shown.
    pub(super) seq: u32,
    pub(super) model: Option<Call>,
    /// Text of the model call that came together and is taken together.
    pub(super) text: Vec<ModelDelta>,
    pub(super) tool: Option<Running>,
    pub(super) glances: Glances,
    /// A proposal that is made, or a write on its way to the disk.
    pub(super) work: Option<Work>,
    /// A write whose temporary file is still there, for the next start to take away.
    pub(super) untidy: Option<u32>,
    /// When the idle timer of a write session's message fires (W4).
    pub(super) idle: Option<(u32, Instant)>,
    pub(super) equipment: Equipment,
    stopped: Pin<Box<WaitForCancellationFutureOwned>>,
    closing: Pin<Box<WaitForCancellationFutureOwned>>,
    /// One timer for all that has its time. Kept, since setting one up costs more than a chunk.
    alarm: Pin<Box<Sleep>>,
}

/// The effects that a turn begins or goes on with.
#[derive(Debug)]
pub(crate) enum First {
    /// Their events are on the disk.
    Recorded(Vec<Effect>),
    Unrecorded(Vec<Effect>),
}

/// What the loop waits for.
enum Event {
    Stop,
    Closing,
    Command(Command),
    Model(Option<ModelEvent>),
    Tool(ToolOutcome),
    Worked(Result<Done, StoreError>),
    Flushed(Result<(), StoreError>),
    Due,
}

/// Why the loop ended early.
pub(super) enum Fault {
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

    fn reach(&self) -> Reach {
        history::REACH
    }

    fn begin(&self, past: Past) -> Result<(Vec<Record>, Self::Out), StoreError> {
        let mut chosen = Chosen::of(&past.earlier)?;
        let messages = std::mem::take(&mut chosen.messages);
        let setup = TurnSetup { parent: past.parent, history: messages, ..self.0.clone() };
        let mut records = recorded::setup(&setup, chosen)?;
        let (turn, effects) = Turn::start(setup);
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
    ) -> Result<(Self, First, Session), StoreError> {
        let ids = setup.ids;
        let tools = setup.tools.clone();
        let turn = NewTurn { ids, at_ms: setup.at_ms, title };
        let (journal, session, (turn, effects)) = store.begin_turn(turn, Beginning(setup)).await?;
        let driver = Self::with(ids, clock, turn, tools, journal, equipment);
        Ok((driver, First::Recorded(effects), session))
    }

    /// Takes over a turn whose write session is open, from its journal (A5, W7). It goes on in [`Driver::run`].
    pub(crate) fn resume(
        clock: Clock,
        (mut turn, setup): (Turn, TurnSetup),
        TakenOver { journal, seq }: TakenOver,
        equipment: Equipment,
    ) -> Result<(Self, First), StoreError> {
        let input = Input::Resumed { seq };
        let at_ms = clock.now_ms();
        let record = Record::input(at_ms, &input)?;
        let effects = turn.step(at_ms, input);
        let mut driver = Self::with(setup.ids, clock, turn, setup.tools, journal, equipment);
        driver.seq = seq;
        driver.pending.record(record)?;
        Ok((driver, First::Unrecorded(effects)))
    }

    fn with(
        ids: TurnIds,
        clock: Clock,
        turn: Turn,
        tools: Arc<[ToolSpec]>,
        journal: TurnJournal,
        equipment: Equipment,
    ) -> Self {
        Self {
            ids,
            clock,
            turn,
            tools,
            journal: Some(journal),
            pending: Pending::default(),
            flushing: None,
            said: Vec::new(),
            patience: None,
            seq: 0,
            model: None,
            text: Vec::new(),
            tool: None,
            glances: Glances::default(),
            work: None,
            untidy: None,
            idle: None,
            stopped: Box::pin(equipment.stop.clone().cancelled_owned()),
            closing: Box::pin(equipment.closing.clone().cancelled_owned()),
            alarm: Box::pin(tokio::time::sleep(Duration::ZERO)),
            equipment,
        }
    }

    /// Runs the turn to its end. Whatever happens inside, the turn gets its one terminal event (T3), unless the program
    /// ends first.
    pub(crate) async fn run(mut self, first: First) {
        let work = AssertUnwindSafe(self.drive(first)).catch_unwind().await.map_err(|_panic| ());
        let call = self.model.take();
        if let (Err(()), Some(call)) = (&work, call) {
            // What came before the defect is kept; when that is what fails, the turn fails all the same.
            let _ = AssertUnwindSafe(self.take_text(call.number)).catch_unwind().await.map_err(|_panic| ());
        }
        self.tool = None;
        match work {
            Ok(Ok(())) => {}
            Ok(Err(Fault::Store(error))) => self.fail(error.into()).await,
            Ok(Err(Fault::Unread)) => self.equipment.stop.cancel(),
            Err(()) => {
                let message = "Orion hit an internal error while working on this turn.";
                self.fail(ErrorInfo::new(Code::Internal, message, "Send the message again.")).await;
            }
        }
        self.equipment.outlet.deliver().await;
    }

    async fn drive(&mut self, first: First) -> Result<(), Fault> {
        match first {
            First::Recorded(effects) => self.begin_recorded(effects),
            First::Unrecorded(effects) => self.act(effects).await?,
        }
        loop {
            let over = self.turn.is_over();
            if over || self.equipment.outlet.due().is_some_and(|due| due <= Instant::now()) {
                let waits = self.equipment.outlet.deliver().now_or_never();
                // J1: while a reader is behind, what was shown reaches the disk all the same.
                if waits.is_none() && !over {
                    self.commit().await?;
                }
                let read = tokio::select! {
                    biased;
                    read = std::future::ready(waits.unwrap_or_default()), if waits.is_some() => read,
                    read = self.equipment.outlet.deliver() => read,
                    // A reader that does not keep up holds up no stop (A4).
                    () = self.equipment.stop.cancelled(), if !over => true,
                };
                if !read {
                    return self.unread().await;
                }
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
                Event::Worked(done) => {
                    self.work = None;
                    self.worked(done?).await?;
                }
                Event::Flushed(result) => {
                    self.flushing = None;
                    result?;
                    self.pending.flushed();
                }
                Event::Due => self.due().await?,
            }
        }
    }

    fn begin_recorded(&mut self, effects: Vec<Effect>) {
        let mut start = None;
        for effect in effects {
            match effect {
                Effect::Emit(envelope) => self.show(envelope),
                Effect::CallModel { call, request } => start = Some(Start::Model { number: call, request }),
                _ => {}
            }
        }
        self.start(start);
    }

    /// What happens next; a stop before everything else (A4).
    async fn next(&mut self) -> Event {
        let idle = self.idle.map(|(_, at)| at);
        let due = [self.flush_due(), self.patience, self.equipment.outlet.due(), idle, self.paused_until()]
            .into_iter()
            .flatten()
            .min();
        let writes = self.writes();
        // No more is asked of the model while the disk is behind, or before its next try is due.
        let waits = self.disk_is_behind() || self.paused_until().is_some();
        let Self { equipment, flushing, tool, work, model, stopped, closing, alarm, .. } = self;
        if let Some(due) = due
            && alarm.deadline() != due
        {
            alarm.as_mut().reset(due);
        }
        tokio::select! {
            biased;
            () = stopped, if !writes => Event::Stop,
            () = closing, if !writes => Event::Closing,
            Some(command) = equipment.commands.recv() => Event::Command(command),
            result = some(flushing.as_mut()) => Event::Flushed(result),
            () = alarm, if due.is_some() => Event::Due,
            done = some(work.as_mut().map(|work| &mut work.0)) => Event::Worked(done),
            outcome = some(tool.as_mut().map(|tool| &mut tool.outcome)) => Event::Tool(outcome),
            event = some(model.as_mut().map(|call| call.events.next())), if !waits => Event::Model(event),
        }
    }

    /// Until when the next try of the model call waits.
    pub(super) fn paused_until(&self) -> Option<Instant> {
        self.model.as_ref()?.paused_until
    }

    /// Does what had its time; what was shown is handed on by the loop itself.
    async fn due(&mut self) -> Result<(), Fault> {
        let now = Instant::now();
        if let Some(call) = &mut self.model {
            call.paused_until.take_if(|until| *until <= now);
        }
        if let Some((call, _)) = self.idle.take_if(|(_, at)| *at <= now) {
            self.feed(Input::Idle { call }).await
        } else if self.patience.is_some_and(|until| until <= now) {
            Ok(self.commit().await?)
        } else if self.flush_due().is_some_and(|due| due <= now) {
            Ok(self.flush().await?)
        } else {
            Ok(())
        }
    }

    /// Records an input, steps, and acts.
    pub(super) async fn feed(&mut self, input: Input) -> Result<(), Fault> {
        let at_ms = self.clock.now_ms();
        self.pending.input(at_ms, &input)?;
        let effects = self.turn.step(at_ms, input);
        self.act(effects).await
    }
}

/// The future that is there, or one that never ends.
async fn some<F: Future + Unpin>(future: Option<F>) -> F::Output {
    match future {
        Some(future) => future.await,
        None => std::future::pending().await,
    }
}
