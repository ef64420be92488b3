//! The first records of a turn, made in the transaction that begins it from what its session has by then.

use orion_core::context::{TELLING, facts};
use orion_core::turn::{Effect, Turn, TurnSetup};
use orion_protocol::{Envelope, Purpose, QueuedMessage, RequestId, TraceParent};
use orion_store::{Begin, HttpMessage, Past, Reach, Record, StoreError};

use super::continuing;
use super::following::following;
use super::history::{self, Given};
use super::recorded;
use super::taken_out;

/// The first records of a turn, and the turn with its first effects.
type Begun = (Vec<Record>, (Turn, Vec<Effect>));

/// What a turn begins with.
pub(super) struct Beginning {
    /// Still without the history.
    pub(super) setup: TurnSetup,
    pub(super) origin: Origin,
    /// The interrupted turns before it that were looked at: what was said in them is kept, or cannot be known (X1).
    pub(super) interrupted: Vec<RequestId>,
}

/// What a turn comes from, beside its message.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    /// The turn in whose place it comes (T9).
    pub(crate) instead_of: Option<RequestId>,
    /// The message that it takes out of the queue (A9).
    pub(crate) queued: Option<QueuedMessage>,
    /// The program that began it, where one did.
    pub(crate) caller: Option<Caller>,
}

/// Another program that began a turn.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Caller {
    /// By this span of its own.
    Span(TraceParent),
    /// By a message over HTTP.
    Http(HttpMessage),
}

impl From<Caller> for Record {
    fn from(caller: Caller) -> Self {
        match caller {
            Caller::Span(parent) => Self::TraceParent(parent),
            Caller::Http(message) => Self::HttpMessage(message),
        }
    }
}

impl Begin for Beginning {
    type Out = (Turn, Vec<Effect>);

    fn reach(&self) -> Reach {
        history::reach(&self.setup.numbers)
    }

    fn begin(&self, past: Past) -> Result<(Vec<Record>, Self::Out), StoreError> {
        if self.setup.purpose() == Purpose::Compact {
            return self.begin_compaction(past);
        }
        let (mut setup, history) = following(&self.setup, past)?;
        let items = std::mem::take(&mut setup.history);
        let mut records = recorded::setup(&setup, history, &self.setup.system)?;
        records.extend(self.origin.caller.map(Record::from));
        started(records, TurnSetup { history: items, ..setup })
    }

    fn takes_edits(&self) -> bool {
        // What a person takes out by hand is for their next message.
        self.setup.purpose() == Purpose::Answer
    }

    fn instead_of(&self) -> Option<RequestId> {
        self.origin.instead_of
    }

    fn queued(&self) -> Option<&QueuedMessage> {
        self.origin.queued.as_ref()
    }

    fn knows(&self, interrupted: RequestId) -> bool {
        self.interrupted.contains(&interrupted)
    }

    fn recalls(&self) -> &[&str] {
        match self.setup.purpose() {
            Purpose::Answer => &[],
            Purpose::Compact => &TELLING,
        }
    }
}

impl Beginning {
    /// X4: the turns that follow take up the gauge where the turn before left it, as they would without this one.
    fn begin_compaction(&self, past: Past) -> Result<Begun, StoreError> {
        let Given { items, history, has_earlier } = Given::of(past.earlier)?;
        if items.iter().all(|item| item.entry.is_some()) {
            return Err(StoreError::NothingToCompact(self.setup.ids.session_id));
        }
        let gauged = past.gauge.as_deref().and_then(recorded::gauged);
        let gauge = gauged.filter(|gauged| gauged.model == self.setup.model).map(|gauged| gauged.gauge);
        let events: Vec<Envelope> =
            past.events.iter().filter_map(|event| serde_json::from_str(event).ok()).collect();
        let setup = TurnSetup {
            parent: past.parent,
            has_earlier,
            gauge: gauge.unwrap_or_default(),
            compacts: Some(facts(&events)),
            ..self.setup.clone()
        };
        let setup = taken_out::without(setup, &past.taken_out, &items);
        let (setup, in_force) = continuing::compacting(setup, past.given)?;
        let mut records = recorded::setup(&setup, history, &in_force)?;
        records.extend(past.gauge.map(Record::Gauge));
        started(records, TurnSetup { history: items, ..setup })
    }
}

/// The first records of a turn, and the turn.
fn started(mut records: Vec<Record>, setup: TurnSetup) -> Result<Begun, StoreError> {
    let (turn, effects) = Turn::start(setup);
    records.extend(recorded::begins(&turn)?);
    for effect in &effects {
        if let Effect::Emit(envelope) = effect {
            records.push(Record::event(envelope)?);
        }
    }
    Ok((records, (turn, effects)))
}
