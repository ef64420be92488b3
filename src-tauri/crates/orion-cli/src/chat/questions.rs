//! Questions of the model, one after the other (A8).

use orion_protocol::{ErrorInfo, Question, QuestionAnswer, QuestionsAnswer, Reply};

use super::Chat;
use super::answer::{Decision, To};
use super::prompt::{For, Typed};
use crate::questions::{read, shown};
use crate::terminal::{remark, say};

pub(super) async fn ask(chat: &mut Chat, to: To, questions: &[Question]) -> Result<Decision, ErrorInfo> {
    let give = |answer| Ok(to.give(Reply::Answer { answer }));
    remark("An empty line declines, - leaves it to the model.");
    chat.forget_typed();
    let mut answers = Vec::new();
    for question in questions {
        say(&shown(question));
        let answer = loop {
            let line = match chat.lines.next(For::Answer, "answer> ", "").await? {
                Typed::Line(line) => line,
                Typed::Interrupt { empty: false } | Typed::Continue => continue,
                Typed::Interrupt { empty: true } => return Ok(to.stop()),
                Typed::Leave => return Ok(Decision::Leave),
            };
            match line.trim() {
                "" => return give(QuestionsAnswer::Declined),
                "-" => return give(QuestionsAnswer::Dismissed),
                line => {
                    let answer = read(question, line);
                    if question.takes(&answer) {
                        break answer;
                    }
                    remark("This does not answer the question.");
                }
            }
        };
        answers.push(QuestionAnswer { id: question.id.clone(), answer });
    }
    give(QuestionsAnswer::Answered { answers })
}
