//! Questions of the model (A8): `orion answer`, and the prompt at a terminal.

use clap::Args;
use orion_protocol::{Code, ErrorInfo, Question, QuestionAnswer, QuestionKind, QuestionsAnswer, RequestId};

use crate::keyboard::Keyboard;
use crate::terminal::notice;

#[derive(Debug, Args)]
pub(crate) struct AnswerFlags {
    /// What you answer to the question of this id; again for more than one answer to the same question
    #[arg(value_name = "ID=ANSWER", value_parser = pair, required_unless_present_any = ["decline", "dismiss"])]
    pub(crate) answers: Vec<Pair>,
    /// Answer nothing, and tell the model that you do not want to
    #[arg(long, conflicts_with = "answers")]
    pub(crate) decline: bool,
    /// Answer nothing, and leave it to the model
    #[arg(long, conflicts_with_all = ["answers", "decline"])]
    pub(crate) dismiss: bool,
}

/// An id and an answer.
#[derive(Debug, Clone)]
pub(crate) struct Pair(String, String);

fn pair(text: &str) -> Result<Pair, &'static str> {
    let (id, answer) = text.split_once('=').ok_or("expected the id of a question, =, and your answer")?;
    Ok(Pair(id.to_owned(), answer.to_owned()))
}

impl AnswerFlags {
    pub(crate) fn answer(&self) -> QuestionsAnswer {
        if self.decline {
            return QuestionsAnswer::Declined;
        }
        if self.dismiss {
            return QuestionsAnswer::Dismissed;
        }
        let mut answers: Vec<QuestionAnswer> = Vec::new();
        for Pair(id, said) in &self.answers {
            match answers.iter_mut().find(|answer| answer.id == *id) {
                Some(answer) => answer.answer.push(said.clone()),
                None => answers.push(QuestionAnswer { id: id.clone(), answer: vec![said.clone()] }),
            }
        }
        QuestionsAnswer::Answered { answers }
    }
}

/// The command that answers questions.
pub(crate) fn how_to_answer(questions: &[Question], request: RequestId) -> String {
    let each: Vec<String> = questions.iter().map(|question| format!(" {}=…", question.id)).collect();
    format!("Answer with `orion answer {request}{}`, or `--decline`.", each.concat())
}

/// Asks the person at the terminal. None where nobody is there any more.
pub(crate) async fn ask(questions: &[Question], keyboard: &Keyboard) -> Option<QuestionsAnswer> {
    let mut lines = keyboard.lines()?;
    notice("An empty line declines.");
    let mut answers = Vec::new();
    for question in questions {
        let answer = loop {
            notice(&shown(question));
            let line = lines.next().await?;
            if line.trim().is_empty() {
                return Some(QuestionsAnswer::Declined);
            }
            let answer = read(question, line.trim());
            if question.takes(&answer) {
                break answer;
            }
            notice("This does not answer the question.");
        };
        answers.push(QuestionAnswer { id: question.id.clone(), answer });
    }
    Some(QuestionsAnswer::Answered { answers })
}

/// A question with its options, numbered.
pub(crate) fn shown(question: &Question) -> String {
    let options: Vec<String> =
        (1..).zip(&question.options).map(|(number, option)| format!("\n  {number}. {option}")).collect();
    let how = match question.kind {
        QuestionKind::Choice => "\nA number, or your own words:",
        QuestionKind::Several => "\nNumbers or your own words, with commas between:",
        QuestionKind::Text => "",
        QuestionKind::YesNo => " (yes or no)",
    };
    format!("{}{}{how}", question.question, options.concat())
}

/// A question with its id and its options, as `orion answer` takes them.
pub(crate) fn in_full(question: &Question) -> String {
    let options: Vec<String> = question.options.iter().map(|option| format!("\n  - {option}")).collect();
    let how = match question.kind {
        QuestionKind::Several => " (one or more)",
        QuestionKind::YesNo => " (yes or no)",
        QuestionKind::Choice | QuestionKind::Text => "",
    };
    format!("{}: {}{how}{}", question.id, question.question, options.concat())
}

/// What a line says, as answers to this question.
pub(crate) fn read(question: &Question, line: &str) -> Vec<String> {
    let option = |word: &str| {
        let number = word.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        number.and_then(|at| question.options.get(at)).cloned().unwrap_or_else(|| word.to_owned())
    };
    match question.kind {
        QuestionKind::Text => vec![line.to_owned()],
        QuestionKind::Choice => vec![option(line)],
        QuestionKind::Several => line.split(',').map(|word| option(word.trim())).collect(),
        QuestionKind::YesNo => vec![match line.to_lowercase().as_str() {
            "y" | "yes" => "yes".to_owned(),
            "n" | "no" => "no".to_owned(),
            other => other.to_owned(),
        }],
    }
}

/// The turn asks no questions now.
pub(crate) fn asks_no_questions(request_id: RequestId) -> ErrorInfo {
    ErrorInfo::new(
        Code::NotWaiting,
        "This turn waits for no answer.",
        format!("See what it is doing with `orion trace {request_id}`."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    // A8
    #[test]
    fn a_line_chooses_by_number_or_says_it_in_own_words() {
        let of = |kind| Question {
            id: "q".to_owned(),
            question: "Which?".to_owned(),
            kind,
            options: vec!["red".to_owned(), "grey".to_owned()],
        };
        let cases = [
            (QuestionKind::Choice, "2", vec!["grey"]),
            (QuestionKind::Choice, "3", vec!["3"]),
            (QuestionKind::Several, "1, blue", vec!["red", "blue"]),
            (QuestionKind::Text, "1, 2", vec!["1, 2"]),
            (QuestionKind::YesNo, "Y", vec!["yes"]),
        ];
        for (kind, line, expected) in cases {
            assert_eq!(read(&of(kind), line), expected);
        }
        assert!(!of(QuestionKind::YesNo).takes(&read(&of(QuestionKind::YesNo), "perhaps")));
    }
}
