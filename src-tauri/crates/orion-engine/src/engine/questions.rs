//! The answers of a person to questions of the model (A8).

use orion_core::prompt;
use orion_protocol::{CallId, Envelope, Given, PendingOf, QuestionsAnswer, TurnEvent};

/// The person's answers to the questions of this call, as the model was given them; none where they gave none.
pub(super) fn answered_in(events: &[Envelope], call: &CallId) -> Option<String> {
    let (asked, questions) = events.iter().find_map(|envelope| match &envelope.event {
        TurnEvent::Asked { digest, of: PendingOf::Questions { tool_call_id, questions } }
            if tool_call_id == call =>
        {
            Some((*digest, questions))
        }
        _ => None,
    })?;
    events.iter().find_map(|envelope| match &envelope.event {
        TurnEvent::Answered {
            digest,
            given: Given::Answered { answer: QuestionsAnswer::Answered { answers } },
        } if *digest == asked => Some(prompt::answers(questions, answers)),
        _ => None,
    })
}
