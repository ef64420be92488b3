use orion_protocol::{PROTOCOL_VERSION, Phase, ProjectId, RequestId, SessionId};
use uuid::Uuid;

use super::*;

fn envelope(seq: u32, event: TurnEvent) -> Envelope {
    Envelope {
        v: PROTOCOL_VERSION,
        request_id: RequestId(Uuid::nil()),
        session_id: SessionId(Uuid::nil()),
        project_id: ProjectId(Uuid::nil()),
        seq,
        at_ms: 0,
        phase: Phase::ActionPhase,
        tool_batch_id: None,
        event,
    }
}

fn durable(seq: u32) -> Envelope {
    envelope(seq, TurnEvent::Interrupted)
}

fn text(seq: u32, offset: u64, text: &str) -> Envelope {
    envelope(seq, TurnEvent::TextChunk { offset, text: text.to_owned() })
}

fn thought(seq: u32, offset: u64, text: &str) -> Envelope {
    envelope(seq, TurnEvent::ReasoningChunk { offset, text: text.to_owned() })
}

#[test]
fn each_durable_event_is_told_once_and_a_missing_one_is_noticed() {
    let mut place = Place::default();
    assert_eq!(place.take(durable(1)), Fit::Next(durable(1)));
    assert_eq!(place.take(durable(1)), Fit::Told);
    assert_eq!(place.take(durable(3)), Fit::Gap(durable(3)));
    assert_eq!(place.take(durable(2)), Fit::Next(durable(2)));
    assert_eq!(place.seq(), 2);
}

#[test]
fn text_is_told_without_a_gap_or_a_repeat() {
    let mut place = Place::after(1, 0);
    assert_eq!(place.take(thought(1, 0, "Hm. ")), Fit::Next(thought(1, 0, "Hm. ")));
    // The journal joins what came in pieces.
    assert_eq!(place.take(thought(1, 0, "Hm. So.")), Fit::Next(thought(1, 4, "So.")));
    assert_eq!(place.take(text(1, 20, "Al")), Fit::Next(text(1, 20, "Al")));
    assert_eq!(place.take(text(1, 20, "Al")), Fit::Told);
    assert_eq!(place.take(text(1, 21, "lpha")), Fit::Next(text(1, 22, "pha")));
    assert_eq!(place.take(text(1, 26, "!")), Fit::Gap(text(1, 26, "!")));
    assert_eq!(place.take(durable(2)), Fit::Next(durable(2)));
    assert_eq!(place.take(text(1, 22, "pha")), Fit::Told);
    assert_eq!(place.take(text(3, 26, "!")), Fit::Gap(text(3, 26, "!")));
}

#[test]
fn a_reader_that_comes_again_is_told_the_rest_wherever_the_pieces_end_now() {
    // Told before: "Hm. ", "Grüß".
    let mut place = Place::after(4, 4 + 6);
    assert_eq!(place.take(thought(4, 0, "Hm. ")), Fit::Told);
    assert_eq!(place.take(text(4, 7, "Grüße!")), Fit::Next(text(4, 13, "e!")));
    assert_eq!(place.take(text(4, 15, " Ja.")), Fit::Next(text(4, 15, " Ja.")));
    // A place in the middle of a character, which nobody was told, is read as after it.
    let mut place = Place::after(4, 3);
    assert_eq!(place.take(text(4, 0, "Grüße")), Fit::Next(text(4, 4, "ße")));
    // What was told and is not there any more hides nothing that comes after the next event.
    let mut place = Place::after(4, 1_000);
    assert_eq!(place.take(text(4, 0, "Alpha")), Fit::Told);
    assert_eq!(place.take(durable(5)), Fit::Next(durable(5)));
    assert_eq!(place.take(text(5, 5, "beta")), Fit::Next(text(5, 5, "beta")));
}
