use super::*;
use crate::{PROTOCOL_VERSION, Phase, ProjectId, RequestId, SessionId};

fn envelope(seq: u32, event: TurnEvent) -> Envelope {
    Envelope {
        v: PROTOCOL_VERSION,
        request_id: RequestId(uuid::Uuid::nil()),
        session_id: SessionId(uuid::Uuid::nil()),
        project_id: ProjectId(uuid::Uuid::nil()),
        seq,
        at_ms: 1,
        phase: Phase::ActionPhase,
        tool_batch_id: None,
        event,
    }
}

fn text(seq: u32, offset: u64, text: &str) -> Envelope {
    envelope(seq, TurnEvent::TextChunk { offset, text: text.into() })
}

fn reasoning(seq: u32, offset: u64, text: &str) -> Envelope {
    envelope(seq, TurnEvent::ReasoningChunk { offset, text: text.into() })
}

fn steered(seq: u32) -> Envelope {
    envelope(seq, TurnEvent::Steered { text: "Shorter.".into() })
}

fn phase(seq: u32) -> Envelope {
    let event = TurnEvent::PhaseStarted { cycle: 0, model_call: Some(seq), write: None, is_final: false };
    envelope(seq, event)
}

// T5, A9
#[test]
fn the_text_of_a_response_is_one_whatever_comes_between_its_chunks() {
    let told = vec![
        phase(1),
        reasoning(1, 0, "Let "),
        text(1, 0, "It is un"),
        reasoning(1, 4, "me see."),
        text(1, 8, "cha"),
        steered(2),
        text(2, 11, "nged."),
    ];
    let whole = vec![phase(1), reasoning(1, 0, "Let me see."), text(1, 0, "It is unchanged."), steered(2)];
    assert_eq!(whole_texts(told), whole);
}

// P1
#[test]
fn the_texts_of_two_responses_stay_apart() {
    let told = vec![phase(1), text(1, 0, "I look."), phase(2), text(2, 7, "It "), text(2, 10, "is.")];
    assert_eq!(whole_texts(told), [phase(1), text(1, 0, "I look."), phase(2), text(2, 7, "It is.")]);
}

#[test]
fn texts_between_which_something_is_missing_are_not_joined() {
    let told = vec![phase(1), text(1, 0, "a"), text(1, 2, "c"), text(1, 3, "d")];
    assert_eq!(whole_texts(told), [phase(1), text(1, 0, "a"), text(1, 2, "cd")]);
}

// J5
#[test]
fn an_answer_is_the_texts_of_all_responses_in_paragraphs_of_their_own() {
    let told = [phase(1), text(1, 0, "I look."), phase(2), text(2, 7, ""), phase(3), text(3, 7, "It is.")];
    assert_eq!(answer_in(&told), "I look.\n\nIt is.");
    assert_eq!(answer_in(&[phase(1)]), "");
}
