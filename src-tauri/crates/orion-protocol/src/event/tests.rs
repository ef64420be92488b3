use super::*;

fn text(offset: u64, text: &str) -> TurnEvent {
    TurnEvent::TextChunk { offset, text: text.into() }
}

fn reasoning(offset: u64, text: &str) -> TurnEvent {
    TurnEvent::ReasoningChunk { offset, text: text.into() }
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
        // A gap, another kind of text, another file, something else.
        (text(0, "a"), text(2, "c"), None),
        (text(0, "a"), text(0, "b"), None),
        (text(0, "a"), reasoning(1, "b"), None),
        (progress(1, 0, "a", 1), progress(2, 1, "b", 1), None),
        (text(0, "a"), TurnEvent::Resumed { pause: None }, None),
        (TurnEvent::Resumed { pause: None }, TurnEvent::Resumed { pause: None }, None),
    ];
    for (first, next, joined) in cases {
        let mut both = first.clone();
        let found = both.join(&next);
        assert_eq!((found, both), (joined.is_some(), joined.unwrap_or(first)), "{next:?}");
    }
}
