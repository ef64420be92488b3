//! What left a conversation, and how a person went back in it, in words (X3, A10).

use orion_protocol::{CutCause, RewoundFile, TurnEvent};

use crate::terminal::count;

/// A line about a cut of the context; none for any other event.
pub(crate) fn cut(event: &TurnEvent) -> Option<String> {
    let TurnEvent::ContextCut { cause, tokens_before, tokens_after, room, boxes, turns, pins, .. } = event
    else {
        return None;
    };
    let why = match cause {
        CutCause::Full => "The conversation was getting too long",
        CutCause::Refused => "The provider said that the conversation is too long",
        CutCause::Person => "The conversation was changed by hand",
        CutCause::Changed => {
            return Some("The conversation is sent again from the start: its tools changed.".to_owned());
        }
    };
    if boxes.is_empty() && turns.is_empty() && *cause == CutCause::Person {
        return Some(format!("{why}: {} pinned or unpinned.", count(*pins, "message")));
    }
    if boxes.is_empty() && turns.is_empty() {
        return Some(
            "The session is longer than the model can take: its first turns are not sent.".to_owned(),
        );
    }
    let messages = turns.iter().map(|turns| turns.messages).sum();
    let left = match (boxes.len(), messages) {
        (0, messages) => count(messages, "message"),
        (boxes, 0) => count(number(boxes), "tool result"),
        (boxes, messages) => {
            format!("{} and {}", count(number(boxes), "tool result"), count(messages, "message"))
        }
    };
    Some(format!("{why}: {left} taken out, about {tokens_before} tokens became {tokens_after} of {room}."))
}

/// A line about a compaction (X4); none for any other event.
pub(crate) fn compacted(event: &TurnEvent) -> Option<String> {
    let TurnEvent::Compacted { tokens_before, tokens_after, turns, .. } = event else { return None };
    let turns = count(*turns, "turn");
    Some(format!(
        "The conversation was compacted: {turns}, about {tokens_before} tokens became {tokens_after}."
    ))
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// What a turn says of a rewind before it.
pub(crate) fn rewound(files: &[RewoundFile]) -> String {
    let back = files.iter().filter(|file| file.change.is_some()).count();
    match back {
        0 => "You went back to an earlier message before this one.".to_owned(),
        _ => format!(
            "You went back to an earlier message before this one, with {}.",
            count(u32::try_from(back).unwrap_or(u32::MAX), "file")
        ),
    }
}
