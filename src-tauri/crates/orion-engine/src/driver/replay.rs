//! Runs a recorded turn through the machine again and compares the events (T5, T8).

use orion_core::turn::{Done, Effect, Input, Turn, TurnSetup};
use orion_protocol::{Envelope, ErrorInfo, RequestId, TurnEvent};
use orion_store::{Store, StoreError, StoredRow};
use serde_json::Value;

use super::recorded::{read_input, read_setup};
use super::sealed;
use super::texts::{altered_row, unreadable};

/// The recorded events of a turn and those that its inputs give now. In both, the text between two events is one chunk, whose
/// time is left out: chunk boundaries are the one thing that may differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    pub recorded: Vec<Envelope>,
    pub replayed: Vec<Envelope>,
    /// Rules of a later version that the turn keeps and this one does not know, by their numbers (T8).
    pub unknown_flags: Vec<u16>,
    /// The first difference between the two. None when the turn is what its journal says.
    pub difference: Option<Difference>,
}

impl Replayed {
    /// True when the turn is what its journal says (T5).
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.difference.is_none()
    }
}

/// The first event that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Its place among the events, from 1.
    pub number: usize,
    /// The first field that differs, such as `event.summary`. None where one of the two events is missing.
    pub field: Option<String>,
    /// The recorded event. None when there is no more.
    pub recorded: Option<Value>,
    /// The replayed event. None when there is no more.
    pub replayed: Option<Value>,
}

/// A journal that was run through the machine.
pub(super) struct Run {
    pub(super) turn: Turn,
    pub(super) setup: TurnSetup,
    /// The last event in the journal.
    pub(super) seq: u32,
    /// The turn keeps rules that this version does not know.
    pub(super) is_newer: bool,
    pub(super) replayed: Replayed,
}

/// Replays a turn. Two kinds of recorded events are left out, since no input leads to them: that the turn was
/// interrupted, which a later process found out, and the content of write sessions, which is recorded only as input.
///
/// # Errors
/// `turn_unknown`, and `other_version` for a journal that this version cannot read.
pub(super) async fn run(store: &Store, request_id: RequestId) -> Result<Run, ErrorInfo> {
    run_watched(store, request_id, &mut |_| ()).await
}

/// What can be seen of a turn while it is replayed.
pub(super) enum Seen<'a> {
    Input(&'a Input),
    Effect(&'a Effect),
}

/// Replays a turn, and shows its inputs and its effects.
pub(super) async fn run_watched(
    store: &Store,
    request_id: RequestId,
    watch: &mut (dyn FnMut(Seen<'_>) + Send),
) -> Result<Run, ErrorInfo> {
    let mut under_way: Option<(Turn, TurnSetup)> = None;
    let (mut recorded, mut said) = (Events::default(), Events::default());
    let (mut last, mut is_altered) = (0, false);
    for row in store.journal(request_id).await? {
        match row {
            StoredRow::Event { seq, body, .. } => {
                last = seq.max(last);
                recorded.push(serde_json::from_str(&body).map_err(unreadable)?)?
            }
            StoredRow::Input { at_ms, body } => {
                let effects = match &mut under_way {
                    Some((turn, _)) => {
                        let input = read_input(store, &body).await?;
                        is_altered |= matches!(input, Input::Done { done: Done::Tool { .. }, .. })
                            && !sealed::is_whole(&body);
                        watch(Seen::Input(&input));
                        turn.step(at_ms, input)
                    }
                    None => {
                        let setup = read_setup(store, request_id, &body).await?;
                        is_altered |= !sealed::is_whole(&body);
                        let (turn, effects) = Turn::start(setup.clone());
                        under_way = Some((turn, setup));
                        effects
                    }
                };
                for effect in effects {
                    watch(Seen::Effect(&effect));
                    if let Effect::Emit(envelope) | Effect::Show(envelope) = effect {
                        said.push(serde_json::to_value(envelope).map_err(unreadable)?)?;
                    }
                }
            }
        }
    }
    let (turn, setup) = under_way.ok_or(StoreError::TurnUnknown(request_id))?;
    let difference = recorded.difference(&said)?;
    // What a later version made of a row is not known, and a difference says more.
    let unknown_flags = setup.flags.unknown();
    let is_newer = !unknown_flags.is_empty();
    if !is_newer && difference.is_none() && is_altered {
        return Err(altered_row());
    }
    let replayed =
        Replayed { recorded: recorded.envelopes, replayed: said.envelopes, unknown_flags, difference };
    Ok(Run { turn, setup, seq: last, is_newer, replayed })
}

/// Events as they are read and as they are written down.
#[derive(Default)]
struct Events {
    envelopes: Vec<Envelope>,
    /// For durable events, since they may have fields that this version does not know.
    values: Vec<Value>,
}

impl Events {
    fn push(&mut self, value: Value) -> Result<(), ErrorInfo> {
        let mut envelope: Envelope = serde_json::from_value(value.clone()).map_err(unreadable)?;
        match &envelope.event {
            TurnEvent::Interrupted | TurnEvent::WriteProgress { .. } => return Ok(()),
            event if event.is_durable() => {}
            _ => {
                envelope.at_ms = 0;
                if self.envelopes.last_mut().is_some_and(|last| last.event.join(&envelope.event)) {
                    return Ok(());
                }
            }
        }
        self.envelopes.push(envelope);
        self.values.push(value);
        Ok(())
    }

    fn difference(&self, said: &Self) -> Result<Option<Difference>, ErrorInfo> {
        let count = self.envelopes.len().max(said.envelopes.len());
        for at in 0..count {
            let (recorded, replayed) = (self.value(at)?, said.value(at)?);
            let field = match (&recorded, &replayed) {
                (Some(recorded), Some(replayed)) => match differs(replayed, recorded, &self.known(at)?) {
                    None => continue,
                    field => field,
                },
                (None, _) | (_, None) => None,
            };
            return Ok(Some(Difference { number: at + 1, field, recorded, replayed }));
        }
        Ok(None)
    }

    /// An event without the fields that this version does not know.
    fn known(&self, at: usize) -> Result<Value, ErrorInfo> {
        serde_json::to_value(self.envelopes.get(at)).map_err(unreadable)
    }

    fn value(&self, at: usize) -> Result<Option<Value>, ErrorInfo> {
        match self.envelopes.get(at) {
            Some(envelope) if envelope.event.is_durable() => Ok(self.values.get(at).cloned()),
            // The text of a chunk is whole only in the envelope.
            Some(envelope) => serde_json::to_value(envelope).map(Some).map_err(unreadable),
            None => Ok(None),
        }
    }
}

/// The first field in which an event is not the recorded one, by the recorded fields; empty where the whole of it is another. Fields that
/// were added since, and fields that no version knows any more, do not count (T8). `known` is the recorded event without the latter.
fn differs(said: &Value, recorded: &Value, known: &Value) -> Option<String> {
    let below = |name: String, inner: String| match inner.as_str() {
        "" => name,
        inner => format!("{name}.{inner}"),
    };
    match (said, recorded) {
        (Value::Object(said), Value::Object(recorded)) => {
            recorded.iter().find_map(|(name, recorded)| match (said.get(name), known.get(name)) {
                (Some(said), known) => {
                    let known = known.unwrap_or(&Value::Null);
                    differs(said, recorded, known).map(|inner| below(name.clone(), inner))
                }
                (None, Some(_)) => Some(name.clone()),
                (None, None) => None,
            })
        }
        (Value::Array(said), Value::Array(recorded)) if said.len() == recorded.len() => {
            let mut pairs = said.iter().zip(recorded).enumerate();
            pairs.find_map(|(at, (said, recorded))| {
                let known = known.get(at).unwrap_or(&Value::Null);
                differs(said, recorded, known).map(|inner| below(at.to_string(), inner))
            })
        }
        (said, recorded) => (said != recorded).then(String::new),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // T8
    #[test]
    fn only_the_recorded_fields_that_are_known_are_compared() {
        let recorded = json!({"type": "a", "list": [{"x": 1}], "gone": true, "nothing": null});
        let known = json!({"type": "a", "list": [{"x": 1}], "nothing": null});
        let cases = [
            (json!({"type": "a", "list": [{"x": 1}], "nothing": null}), None),
            (json!({"type": "a", "list": [{"x": 1, "new": 2}], "nothing": null, "new": []}), None),
            (json!({"type": "b", "list": [{"x": 1}], "nothing": null}), Some("type")),
            (json!({"type": "a", "list": [{"x": 2}], "nothing": null}), Some("list.0.x")),
            (json!({"type": "a", "list": [{"x": 1}, {"x": 1}], "nothing": null}), Some("list")),
            (json!({"type": "a", "list": [{"x": 1}], "nothing": 0}), Some("nothing")),
            (json!({"type": "a", "list": [{}], "nothing": null}), Some("list.0.x")),
            (json!({"type": "a", "nothing": null}), Some("list")),
            (json!([]), Some("")),
        ];
        for (said, field) in cases {
            assert_eq!(differs(&said, &recorded, &known).as_deref(), field, "{said}");
        }
    }

    // T5, T8
    #[tokio::test]
    async fn generated_turns_replay_the_same_and_a_planted_difference_is_named() {
        use proptest::strategy::{Strategy, ValueTree};
        use proptest::test_runner::TestRunner;

        use crate::driver::generated::{Recorded, Script, record, scripts, session_ids};

        let folder = tempfile::TempDir::new().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let mut runner = TestRunner::deterministic();
        let (mut here, mut before) = (session_ids(&store).await, None);
        let mut ends = std::collections::BTreeSet::new();
        let turns = orion_thorough::cases(200, 1_000).max(200) as u32;
        for number in 0..turns {
            if number.is_multiple_of(8) {
                (here, before) = (session_ids(&store).await, None);
            }
            let script = scripts().new_tree(&mut runner).unwrap().current();
            let Recorded { request_id, begun, events } = record(&store, here, &script, before, None).await;
            let Replayed { recorded, replayed, difference, unknown_flags } =
                run(&store, request_id).await.unwrap().replayed;
            assert_eq!((difference, unknown_flags), (None, Vec::new()), "{script:?}");
            assert_eq!(recorded, replayed, "{script:?}");
            let report = recorded.last().unwrap().event.terminal().unwrap();
            ends.insert(format!("{:?}", report.stop_reason));

            before = Some(request_id);
            if !number.is_multiple_of(4) {
                continue;
            }
            // The same turn, in which one event was recorded as another.
            let seq = begun + 1 + number / 4 % (events - begun);
            let other = session_ids(&store).await;
            let planted =
                record(&store, other, &Script { instead: false, ..script.clone() }, None, Some(seq)).await;
            let Replayed { recorded, difference, .. } =
                run(&store, planted.request_id).await.unwrap().replayed;
            let difference = difference.unwrap_or_else(|| panic!("event {seq} of {script:?}"));
            let place =
                recorded.iter().position(|event| event.event.is_durable() && event.seq == seq).unwrap();
            assert_eq!((difference.number, difference.field.as_deref()), (place + 1, Some("atMs")));
            let at_ms = |value: Option<Value>| value.unwrap()["atMs"].as_i64().unwrap();
            assert_eq!(at_ms(difference.recorded), at_ms(difference.replayed) + 1);
        }
        let all = ["Answered", "BudgetExhausted", "Error", "Length", "Stopped", "Unknown"];
        assert!(all.iter().all(|end| ends.contains(*end)), "{ends:?}");
    }
}
