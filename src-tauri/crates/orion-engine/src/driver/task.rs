//! The loop of a turn.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::stream::StreamExt;
use orion_core::model::ModelDelta;
use orion_core::turn::{Effect, Input, Turn, TurnSetup};
use orion_protocol::{Code, Envelope, ErrorInfo, TurnIds};
use orion_store::{Commit, NewTurn, Record, Store, StoreError, TakenOver, TurnJournal};
use tokio::time::{Instant, Sleep};
use tokio_util::sync::WaitForCancellationFutureOwned;

use super::beginning::{Beginning, Origin};
use super::broken;
use super::clock::Clock;
use super::equipment::{Call, Command, Equipment, Start};
use super::glances::Glances;
use super::jobs::{JobEvent, Jobs};
use super::learning::Shown;
use super::pending::Pending;
use super::said::Said;
use crate::endpoint::ModelEvent;

/// How long a stop waits for the disk: for an approved write, or for the folder of a turn that no process runs. 2 s: a disk that works at all needs far less,
/// and a person still waits that long without worry.
pub(crate) const LATE: Duration = Duration::from_secs(2);

/// A running turn.
#[derive(Debug)]
pub(crate) struct Driver {
    pub(super) ids: TurnIds,
    pub(super) clock: Clock,
    pub(super) turn: Turn,
    /// What its session has of it already.
    pub(super) said_before: Said,
    /// None once the turn is over.
    pub(super) journal: Option<TurnJournal>,
    pub(super) pending: Pending,
    /// Records on their way to the disk that nobody waits for.
    pub(super) flushing: Option<Commit>,
    /// Events that are recorded and not on the disk yet: they are shown after the next commit (J1).
    pub(super) said: Vec<Envelope>,
    /// How long that commit may wait for a quick tool.
    pub(super) patience: Option<Instant>,
    /// The last event that was shown.
    pub(super) seq: u32,
    pub(super) model: Option<Call>,
    /// Text of the model call that arrived together, taken as one input.
    pub(super) text: Vec<ModelDelta>,
    /// The model's response, which waits for a second look at the project.
    pub(super) held: Option<ModelEvent>,
    pub(super) glances: Glances,
    /// The work that runs beside the loop.
    pub(super) jobs: Jobs,
    /// The moment until which a write or a command is waited for, once the turn is to end.
    pub(super) overdue: Option<Instant>,
    /// The machine was told of the stop.
    stopping: bool,
    /// A write whose temporary file is still there; the next start removes it.
    pub(super) untidy: Option<u32>,
    /// When the idle timer of a write session's message fires (W4).
    pub(super) idle: Option<(u32, Instant)>,
    /// What its events have shown of the model (X2).
    pub(super) shown: Shown,
    pub(super) equipment: Equipment,
    pub(super) stopped: Pin<Box<WaitForCancellationFutureOwned>>,
    closing: Pin<Box<WaitForCancellationFutureOwned>>,
    /// The one timer for everything that is due at some time. It is kept, since making one costs more than a chunk.
    alarm: Pin<Box<Sleep>>,
}

/// The effects that a turn begins or resumes with.
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
    Job(JobEvent),
    Flushed(Result<(), StoreError>),
    /// The reader that was behind took everything; false when it is gone.
    Delivered(bool),
    Due,
}

impl Driver {
    /// Begins a turn. When this returns, its first events are on the disk. [`Driver::run`] does the rest. If turns before it were
    /// interrupted, what they have read and said is kept first (X1).
    pub(crate) async fn begin(
        store: &Store,
        clock: Clock,
        setup: TurnSetup,
        title: String,
        origin: Origin,
        equipment: Equipment,
    ) -> Result<(Self, First), StoreError> {
        let ids = setup.ids;
        let turn = NewTurn { ids, at_ms: setup.at_ms, title };
        let (mut interrupted, mut forgets) = (Vec::new(), false);
        loop {
            let setup = TurnSetup { forgets, ..setup.clone() };
            let beginning = Beginning { setup, origin: origin.clone(), interrupted: interrupted.clone() };
            match store.begin_turn(turn.clone(), beginning).await {
                Err(StoreError::BrokeOff(turn)) => {
                    forgets |= !broken::keep(store, turn).await?;
                    interrupted.push(turn);
                }
                begun => {
                    let (journal, (turn, effects)) = begun?;
                    let driver = Self::with(ids, clock, (turn, Said::default()), journal, equipment);
                    return Ok((driver, First::Recorded(effects)));
                }
            }
        }
    }

    /// Resumes a turn from its journal (A5, W7). [`Driver::run`] does the rest.
    pub(crate) fn resume(
        clock: Clock,
        (mut turn, setup, said): (Turn, TurnSetup, Said),
        TakenOver { journal, seq }: TakenOver,
        equipment: Equipment,
    ) -> Result<(Self, First), StoreError> {
        let input = Input::Resumed { seq };
        let at_ms = clock.now_ms();
        let record = Record::input(at_ms, &input)?;
        let effects = turn.step(at_ms, input);
        let mut driver = Self::with(setup.ids, clock, (turn, said), journal, equipment);
        driver.seq = seq;
        driver.pending.record(record)?;
        Ok((driver, First::Unrecorded(effects)))
    }

    fn with(
        ids: TurnIds,
        clock: Clock,
        (turn, said_before): (Turn, Said),
        journal: TurnJournal,
        equipment: Equipment,
    ) -> Self {
        Self {
            ids,
            clock,
            turn,
            said_before,
            journal: Some(journal),
            pending: Pending::default(),
            flushing: None,
            said: Vec::new(),
            patience: None,
            seq: 0,
            model: None,
            text: Vec::new(),
            held: None,
            glances: Glances::default(),
            jobs: Jobs::default(),
            overdue: None,
            stopping: false,
            untidy: None,
            idle: None,
            shown: Shown::default(),
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
            // Everything before the defect is kept. If that fails too, the turn still fails.
            let _ = AssertUnwindSafe(self.take_text(call.number)).catch_unwind().await.map_err(|_panic| ());
        }
        match work {
            Ok(Ok(())) => {}
            Ok(Err(error)) => self.fail(error.into()).await,
            Err(()) => {
                let message = "Orion hit an internal error while working on this turn.";
                self.fail(ErrorInfo::new(Code::Internal, message, "Send the message again.")).await;
            }
        }
        // Whoever waits for the turn finds nothing afterwards that still runs for it.
        self.jobs.end().await;
        self.equipment.outlet.end();
    }

    async fn drive(&mut self, first: First) -> Result<(), StoreError> {
        match first {
            First::Recorded(effects) => {
                self.begin_recorded(effects);
                // It may have ended before its first call, for want of room (X3).
                if self.turn.is_over() {
                    self.finish().await?;
                }
            }
            First::Unrecorded(effects) => self.act(effects).await?,
        }
        while !self.turn.is_over() {
            if self.equipment.outlet.due().is_some_and(|due| due <= Instant::now()) {
                self.equipment.outlet.offer();
            }
            match self.next().await {
                // An approved write may finish first, so that it is known what became of it.
                Event::Stop | Event::Closing if self.writes() => {
                    self.overdue = Some(Instant::now() + LATE);
                }
                Event::Stop => {
                    self.stopping = true;
                    self.feed(Input::Stop).await?;
                }
                Event::Closing => {
                    self.end_call();
                    self.jobs.cancel_all(|_| true);
                    self.waits_on()?;
                    return self.commit().await;
                }
                Event::Command(command) => self.obey(command).await?,
                Event::Model(event) => self.stream(event).await?,
                Event::Job(event) => self.job(event).await?,
                Event::Flushed(result) => {
                    self.flushing = None;
                    result?;
                    self.pending.flushed();
                }
                Event::Delivered(true) => {}
                // The caller who started the turn is gone without waiting for its end: it is stopped.
                Event::Delivered(false) => self.equipment.stop.cancel(),
                Event::Due => self.due().await?,
            }
        }
        Ok(())
    }

    fn begin_recorded(&mut self, effects: Vec<Effect>) {
        let mut begins = Vec::new();
        for effect in effects {
            match effect {
                Effect::Emit(envelope) => self.show(envelope),
                Effect::CallModel { call, request } => begins.push(Start::Model { number: call, request }),
                Effect::Begin { job, work } => begins.push(Start::Job { job, work }),
                _ => {}
            }
        }
        self.start(begins);
    }

    /// Waits for what happens next; a stop comes before everything else (A4). Everything that can take long is waited
    /// for here, except for commits (`saving`), so neither a hanging disk nor a reader that stops reading can hold up
    /// a stop.
    async fn next(&mut self) -> Event {
        let outlet = &self.equipment.outlet;
        let idle = self.idle.map(|(_, at)| at);
        let due = [
            self.flush_due(),
            self.patience,
            outlet.due(),
            idle,
            self.overdue,
            self.paused_until(),
            self.deadline(),
        ];
        let due = due.into_iter().flatten().min();
        let reader_is_behind = outlet.is_behind();
        // The model is not read while the disk or the reader is behind, or while a retry pauses.
        let held_back = self.jobs.looks() || self.paused_until().is_some();
        let reads = !self.disk_is_behind() && !reader_is_behind && !held_back;
        // An approved write is waited for, and so is a command that ends, but not for ever.
        let is_waited_for = self.overdue.is_some() && (self.writes() || self.jobs.ending().is_some());
        // T7: one that was told to end for another reason is stopped all the same.
        let stops = !is_waited_for || !(self.writes() || self.stopping);
        let Self { equipment, flushing, jobs, model, .. } = self;
        let Self { stopped, closing, alarm, .. } = self;
        let Equipment { commands, outlet, .. } = equipment;
        if let Some(due) = due
            && alarm.deadline() != due
        {
            alarm.as_mut().reset(due);
        }
        tokio::select! {
            biased;
            () = stopped, if stops => Event::Stop,
            () = closing, if !is_waited_for => Event::Closing,
            Some(command) = commands.recv() => Event::Command(command),
            result = some(flushing.as_mut()) => Event::Flushed(result),
            () = alarm, if due.is_some() => Event::Due,
            read = outlet.deliver(), if reader_is_behind => Event::Delivered(read),
            event = jobs.next(!reader_is_behind) => Event::Job(event),
            event = some(model.as_mut().map(|call| call.events.next())), if reads => Event::Model(event),
        }
    }

    /// When the seconds of the turn are used up (T7).
    fn deadline(&self) -> Option<Instant> {
        self.turn.deadline().map(|at_ms| Instant::from_std(self.clock.at(at_ms)))
    }

    /// The time until which the next try of the model call waits.
    pub(super) fn paused_until(&self) -> Option<Instant> {
        self.model.as_ref()?.paused_until
    }

    /// Does what is due. What was shown is handed on by the loop itself.
    async fn due(&mut self) -> Result<(), StoreError> {
        let now = Instant::now();
        if let Some(call) = &mut self.model {
            call.paused_until.take_if(|until| *until <= now);
        }
        if self.overdue.take_if(|at| *at <= now).is_some() {
            self.give_up().await
        } else if self.deadline().is_some_and(|at| at <= now) {
            self.feed(Input::Expired).await
        } else if let Some((call, _)) = self.idle.take_if(|(_, at)| *at <= now) {
            self.feed(Input::Idle { call }).await
        } else if self.patience.is_some_and(|until| until <= now) {
            self.commit().await
        } else if self.flush_due().is_some_and(|due| due <= now) {
            self.flush().await
        } else {
            Ok(())
        }
    }

    /// Records an input, steps, and acts.
    pub(super) async fn feed(&mut self, input: Input) -> Result<(), StoreError> {
        let at_ms = self.clock.now_ms();
        let record = Record::input(at_ms, &input)?;
        self.equipment.outlet.takes(at_ms, &input);
        let effects = self.turn.step(at_ms, input);
        // The input is recorded after the step: one on which the machine panics is not in the journal.
        self.pending.record(record)?;
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
