//! Answers to questions of the model (A8, A7).

use orion_core::prompt;
use orion_protocol::{
    CallId, Code, Envelope, ErrorInfo, QuestionsAnswer, Reply, RequestId, Sha256, TurnEvent,
};

use super::resuming::Purpose;
use super::{Engine, limits};
use crate::driver::{Command, Refusal};

impl Engine {
    pub(super) async fn answer_questions(
        &self,
        request_id: RequestId,
        digest: Sha256,
        answer: QuestionsAnswer,
    ) -> Result<Reply, ErrorInfo> {
        limits::answers(&answer)?;
        let answers = matches!(answer, QuestionsAnswer::Answered { .. });
        let running = match self.to_answer(request_id, Purpose::Answer).await {
            // T8: a no needs no machine.
            Err(error) if error.code == Code::OtherVersion && !answers => {
                let refusal = Refusal::Questions(digest, answer);
                return self.end_without_machine(request_id, Some(refusal)).await;
            }
            reached => reached?,
        };
        running.answer(|told| Command::QuestionsAnswered { digest, answer, told }).await
    }
}

/// What the person answered to the questions of this call, as the model was given it. None where they did not.
pub(super) fn answered_in(events: &[Envelope], call: &CallId) -> Option<String> {
    let (asked, questions) = events.iter().find_map(|envelope| match &envelope.event {
        TurnEvent::QuestionAsked { digest, tool_call_id, questions } if tool_call_id == call => {
            Some((*digest, questions))
        }
        _ => None,
    })?;
    events.iter().find_map(|envelope| match &envelope.event {
        TurnEvent::QuestionAnswered { digest, answer: QuestionsAnswer::Answered { answers } }
            if *digest == asked =>
        {
            Some(prompt::answers(questions, answers))
        }
        _ => None,
    })
}
