//! Questions of a model, and what a person makes of them (A8).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What kind of answer a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum QuestionKind {
    /// One of the options, or words of the person's own.
    Choice,
    /// Any of the options, and words of the person's own.
    Several,
    /// Words.
    Text,
    YesNo,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(export)]
pub struct Question {
    /// Short; names the question in the answer.
    pub id: String,
    pub question: String,
    pub kind: QuestionKind,
    /// For choice and several: what can be chosen.
    #[serde(default)]
    pub options: Vec<String>,
}

impl Question {
    /// The most questions of one call (A8).
    pub const MOST: usize = 3;
    /// The answers to a question of the kind [`QuestionKind::YesNo`].
    pub const YES_NO: [&'static str; 2] = ["yes", "no"];

    /// Whether these words answer it: at least one to each kind, and no more than one but to [`QuestionKind::Several`].
    #[must_use]
    pub fn takes(&self, answer: &[String]) -> bool {
        let is_said = !answer.is_empty() && answer.iter().all(|said| !said.trim().is_empty());
        let is_one = answer.len() == 1;
        is_said
            && match self.kind {
                QuestionKind::Several => true,
                QuestionKind::Choice | QuestionKind::Text => is_one,
                QuestionKind::YesNo => {
                    is_one && answer.iter().all(|said| Self::YES_NO.contains(&said.as_str()))
                }
            }
    }
}

/// A person's answer to one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[ts(export)]
pub struct QuestionAnswer {
    /// The question's id.
    pub id: String,
    /// What was chosen or written: one entry, or several for [`QuestionKind::Several`].
    pub answer: Vec<String>,
}

/// What a person makes of the questions of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[ts(export)]
pub enum QuestionsAnswer {
    /// Each question has its answer.
    Answered { answers: Vec<QuestionAnswer> },
    /// The person does not want to answer.
    Declined,
    /// The person leaves it to the model.
    Dismissed,
}
