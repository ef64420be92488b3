//! The first records of a turn, made in the transaction that begins it from what its session has by then.

use orion_core::context::{TELLING, facts};
use orion_core::turn::{Effect, Turn, TurnSetup};
use orion_protocol::{Envelope, Purpose};
use orion_store::{Begin, Past, Reach, Record, StoreError};

use super::continuing;
use super::following::{following, without_what_was_taken_out};
use super::history::{self, Given};
use super::recorded;

/// The first records of a turn, and the turn with its first effects.
type Begun = (Vec<Record>, (Turn, Vec<Effect>));

/// A turn's setup, still without the history.
pub(super) struct Beginning(pub(super) TurnSetup);

impl Begin for Beginning {
    type Out = (Turn, Vec<Effect>);

    fn reach(&self) -> Reach {
        history::reach(&self.0.numbers)
    }

    fn begin(&self, past: Past) -> Result<(Vec<Record>, Self::Out), StoreError> {
        if self.0.purpose() == Purpose::Compact {
            return self.begin_compaction(past);
        }
        let (mut setup, history) = following(&self.0, past)?;
        let items = std::mem::take(&mut setup.history);
        let records = recorded::setup(&setup, history, &self.0.system)?;
        started(records, TurnSetup { history: items, ..setup })
    }

    fn takes_edits(&self) -> bool {
        // What a person takes out by hand is for their next message.
        self.0.purpose() == Purpose::Answer
    }

    fn recalls(&self) -> &[&str] {
        match self.0.purpose() {
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
            return Err(StoreError::NothingToCompact(self.0.ids.session_id));
        }
        let gauged = past.gauge.as_deref().and_then(recorded::gauged);
        let gauge = gauged.filter(|gauged| gauged.model == self.0.model).map(|gauged| gauged.gauge);
        let events: Vec<Envelope> =
            past.events.iter().filter_map(|event| serde_json::from_str(event).ok()).collect();
        let setup = TurnSetup {
            parent: past.parent,
            has_earlier,
            gauge: gauge.unwrap_or_default(),
            compacts: Some(facts(&events)),
            ..self.0.clone()
        };
        let setup = without_what_was_taken_out(setup, past.setup.as_deref(), &items);
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
