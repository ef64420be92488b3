//! Questions of the model to the person (A8): the turn waits, and the person's reply is the result of the call.
//!
//! Deliberately not here: whether questions are well formed (the tool), and which answers the turn takes (`waiting`).

use orion_protocol::{Question, QuestionsAnswer, Sha256, ToolStatus, TurnEvent};

use super::Effect;
use super::course::Course;
use super::outcomes::{answered, unanswered};
use super::phases::{Questioning, Stage, ToolPhase};
use super::state::{Next, State};
use crate::prompt;
use crate::signature::digest;
use crate::tool::ToolOutcome;

impl Course {
    /// The call that runs asks the person. Its result follows from their answer.
    pub(super) fn ask_questions(
        &mut self,
        phase: &mut ToolPhase,
        questions: Vec<Question>,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let digest = digest(&format!("questions {} after event {}", phase.current.signature, self.seq));
        let tool_call_id = phase.current.id.clone();
        self.emit(TurnEvent::QuestionAsked { digest, tool_call_id, questions: questions.clone() }, effects);
        phase.stage = Stage::Questioning(Box::new(Questioning { digest, questions }));
        Next::Stay
    }

    /// What a person made of the questions. Whether it fits was looked at before.
    pub(super) fn step_questions(
        &mut self,
        state: &mut State,
        digest: Sha256,
        answer: QuestionsAnswer,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let Some(phase) = state.tools() else { return Next::Stay };
        let Some((_, questions)) = phase.questions() else { return Next::Stay };
        let outcome = outcome(questions, &answer);
        let is_answered = outcome.status == ToolStatus::Ok;
        self.answered(digest);
        self.emit(TurnEvent::QuestionAnswered { digest, answer }, effects);
        let id = phase.current.id.clone();
        let next = self.end_call(phase, outcome, 0, effects);
        if !is_answered {
            self.rejected(&id); // D2: what they do not answer is not asked again in the turn, whatever changes.
        }
        next
    }
}

fn outcome(questions: &[Question], answer: &QuestionsAnswer) -> ToolOutcome {
    match answer {
        QuestionsAnswer::Answered { answers } => answered(prompt::answers(questions, answers), answers.len()),
        QuestionsAnswer::Declined => unanswered(ToolStatus::Denied),
        QuestionsAnswer::Dismissed => unanswered(ToolStatus::Cancelled),
    }
}
