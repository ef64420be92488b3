use super::*;
use crate::Pending;

fn text(offset: u64, text: &str) -> TurnEvent {
    TurnEvent::TextChunk { offset, text: text.into() }
}

fn reasoning(offset: u64, text: &str) -> TurnEvent {
    TurnEvent::ReasoningChunk { offset, text: text.into() }
}

fn output(call: &str, offset: u64, text: &str) -> TurnEvent {
    TurnEvent::ToolOutput { tool_call_id: CallId(call.into()), offset, text: text.into() }
}

fn progress(write: u32, offset: u64, text: &str, lines: u64) -> TurnEvent {
    TurnEvent::WriteProgress { write, offset, text: text.into(), lines, bytes: offset + text.len() as u64 }
}

// T5
#[test]
fn a_chunk_that_goes_on_where_another_ends_becomes_part_of_it() {
    let cases = [
        (text(3, "äb"), text(6, "c"), Some(text(3, "äbc"))),
        (reasoning(0, "a"), reasoning(1, "b"), Some(reasoning(0, "ab"))),
        (progress(1, 0, "a\n", 1), progress(1, 2, "b", 2), Some(progress(1, 0, "a\nb", 2))),
        (output("c", 0, "a"), output("c", 1, "b"), Some(output("c", 0, "ab"))),
        // A gap, another kind of text, another file, another call, something else.
        (output("c", 0, "a"), output("d", 1, "b"), None),
        (text(0, "a"), text(2, "c"), None),
        (text(0, "a"), text(0, "b"), None),
        (text(0, "a"), reasoning(1, "b"), None),
        (progress(1, 0, "a", 1), progress(2, 1, "b", 1), None),
        (text(0, "a"), TurnEvent::Resumed, None),
        (TurnEvent::Resumed, TurnEvent::Resumed, None),
    ];
    for (first, next, joined) in cases {
        let mut both = first.clone();
        let found = both.join(&next);
        assert_eq!((found, both), (joined.is_some(), joined.unwrap_or(first)), "{next:?}");
    }
}

fn digest(number: u8) -> crate::Sha256 {
    crate::Sha256::from([number; 32])
}

fn asks(number: u8) -> TurnEvent {
    let of = PendingOf::Questions { tool_call_id: CallId("a".into()), questions: Vec::new() };
    TurnEvent::Asked { digest: digest(number), of }
}

fn answers(number: u8) -> TurnEvent {
    TurnEvent::Answered { digest: digest(number), given: Given::YES }
}

fn write_done() -> TurnEvent {
    TurnEvent::WriteDone {
        write: 1,
        path: "a".into(),
        status: WriteStatus::Failed,
        sha256: None,
        bytes: None,
        rejected_hunks: Vec::new(),
        revised: false,
        error: None,
    }
}

// A7
#[test]
fn a_question_is_open_until_it_is_answered_or_nothing_is_left_to_answer() {
    let goes_on = || TurnEvent::Steered { text: "And foxes?".into() };
    let cases: [(&[TurnEvent], Option<u8>); 8] = [
        (&[], None),
        (&[asks(1)], Some(1)),
        (&[asks(1), goes_on(), TurnEvent::Interrupted, TurnEvent::Resumed], Some(1)),
        (&[asks(1), answers(1)], None),
        // An approval that was kept answers what nobody was asked.
        (&[asks(1), answers(2)], Some(1)),
        (&[asks(1), asks(2)], Some(2)),
        (&[asks(1), asks(2), answers(1)], Some(2)),
        (&[asks(1), write_done()], None),
    ];
    for (events, open) in cases {
        let found = Pending::after_all(events).map(|pending| pending.digest);
        assert_eq!(found, open.map(digest), "{events:?}");
    }
}
