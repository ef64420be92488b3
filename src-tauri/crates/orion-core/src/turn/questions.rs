//! Questions of the model to the person (A8): the turn waits, and the person's reply is the result of the call.
//!
//! Deliberately not here: whether questions are well formed (the tool).

use orion_protocol::{Given, PendingOf, Question, QuestionsAnswer, Reply, ToolStatus, TurnEvent};

use super::Effect;
use super::course::Course;
use super::job::JobId;
use super::outcomes::{answered, unanswered};
use super::person::Unfit;
use super::phases::{Heard, Questioning, Stage, ToolPhase};
use super::state::Next;
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
        self.ask(digest, PendingOf::Questions { tool_call_id, questions: questions.clone() }, effects);
        phase.stage = Stage::Questioning(Box::new(Questioning { digest, questions }));
        Next::Stay
    }

    /// The call that runs asks the person, and goes on with their answer. What it was told before its process died it is told again. A tool
    /// that asks anew waits for the question before no more.
    pub(super) fn consult(
        &mut self,
        phase: &mut ToolPhase,
        (job, number): (JobId, u32),
        questions: Vec<Question>,
        effects: &mut Vec<Effect>,
    ) {
        if let Stage::Consulting { number: open, .. } = phase.stage {
            self.withdraw(phase, open, effects);
        }
        match phase.heard.get(phase.told) {
            Some(heard) if heard.questions == questions => {
                phase.told += 1;
                effects.push(Effect::Tell { job, number, answer: heard.answer.clone() });
            }
            _ => {
                phase.heard.truncate(phase.told);
                let digest =
                    digest(&format!("questions {} after event {}", phase.current.signature, self.seq));
                let tool_call_id = phase.current.id.clone();
                self.ask(
                    digest,
                    PendingOf::Questions { tool_call_id, questions: questions.clone() },
                    effects,
                );
                let asked = Box::new(Questioning { digest, questions });
                phase.stage = Stage::Consulting { job: Some(job), number, asked };
            }
        }
    }

    /// The tool waits for the answer to this question no more.
    pub(super) fn withdraw(&mut self, phase: &mut ToolPhase, number: u32, effects: &mut Vec<Effect>) {
        if let Stage::Consulting { job: Some(job), number: open, asked } = &phase.stage
            && *open == number
        {
            let job = *job;
            self.emit(TurnEvent::Withdrawn { digest: asked.digest }, effects);
            phase.stage = Stage::Running(job);
        }
    }

    /// A person's reply to the questions. It was judged before.
    pub(super) fn step_questions_replied(
        &mut self,
        phase: &mut ToolPhase,
        answer: QuestionsAnswer,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let Some((digest, questions)) = phase.questions() else { return Next::Stay };
        if let Stage::Consulting { job, number, .. } = phase.stage {
            phase.heard.push(Heard { questions: questions.to_vec(), answer: answer.clone() });
            self.answered(digest, Given::Answered { answer: answer.clone() }, effects);
            match job {
                Some(job) => {
                    phase.told += 1;
                    phase.stage = Stage::Running(job);
                    effects.push(Effect::Tell { job, number, answer });
                }
                None => self.run_again(phase, effects),
            }
            return Next::Stay;
        }
        let outcome = outcome(questions, &answer);
        let is_answered = outcome.status == ToolStatus::Ok;
        self.answered(digest, Given::Answered { answer }, effects);
        let id = phase.current.id.clone();
        let next = self.end_call(phase, outcome, 0, effects);
        if !is_answered {
            self.rejected(&id); // D2: what they do not answer is not asked again in the turn, whatever changes.
        }
        next
    }
}

/// Fails unless every question has its answer, once.
pub(super) fn judge_questions_reply(phase: &ToolPhase, reply: &Reply) -> Result<(), Unfit> {
    let (Some((_, questions)), Reply::Answer { answer }) = (phase.questions(), reply) else {
        return Err(Unfit::NotAsked);
    };
    let QuestionsAnswer::Answered { answers } = answer else { return Ok(()) };
    let fits = |question: &Question| {
        let mut of = answers.iter().filter(|answer| answer.id == question.id);
        of.next().is_some_and(|answer| question.takes(&answer.answer)) && of.next().is_none()
    };
    match answers.len() == questions.len() && questions.iter().all(fits) {
        true => Ok(()),
        false => Err(Unfit::NoAnswer),
    }
}

fn outcome(questions: &[Question], answer: &QuestionsAnswer) -> ToolOutcome {
    match answer {
        QuestionsAnswer::Answered { answers } => answered(prompt::answers(questions, answers), answers.len()),
        QuestionsAnswer::Declined => unanswered(ToolStatus::Denied),
        QuestionsAnswer::Dismissed => unanswered(ToolStatus::Cancelled),
    }
}
