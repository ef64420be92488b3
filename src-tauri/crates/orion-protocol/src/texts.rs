//! Texts as people read them: whole, whatever chunks they came in.

use crate::{Envelope, TurnEvent};

/// The envelopes with one event for all text of a response, and one for all its reasoning. Each stands where its text began.
///
/// Where chunks are cut means nothing (T5), and what a person does meanwhile, such as giving a message to the running turn (A9), does not
/// part a text. Each response has a phase of its own (P1), so a text ends with its phase.
#[must_use]
pub fn whole_texts(envelopes: Vec<Envelope>) -> Vec<Envelope> {
    let mut whole: Vec<Envelope> = Vec::with_capacity(envelopes.len());
    // Where the text and the reasoning of the present response are.
    let (mut text, mut reasoning) = (None, None);
    for next in envelopes {
        let place = match next.event {
            TurnEvent::PhaseStarted { .. } => {
                (text, reasoning) = (None, None);
                None
            }
            TurnEvent::TextChunk { .. } => Some(&mut text),
            TurnEvent::ReasoningChunk { .. } => Some(&mut reasoning),
            _ => None,
        };
        if let Some(place) = place {
            let begun = place.and_then(|at: usize| whole.get_mut(at));
            if begun.is_some_and(|begun| begun.event.join(&next.event)) {
                continue;
            }
            *place = Some(whole.len());
        }
        whole.push(next);
    }
    whole
}

/// The answer of a turn, as its report has it: the texts of its responses, with a blank line between two. The envelopes have whole texts.
#[must_use]
pub fn answer_in(envelopes: &[Envelope]) -> String {
    let texts = envelopes.iter().filter_map(|envelope| match &envelope.event {
        TurnEvent::TextChunk { text, .. } if !text.is_empty() => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests;
