//! `ask_user`: the model asks the person (A8). The tool only checks the questions: the turn waits, and a person answers.

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use orion_core::tool::{ToolKind, ToolSpec};
use orion_protocol::{Code, ErrorInfo, Question, QuestionKind};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Context, Output, Tool};

const NAME: &str = "ask_user";

/// Characters of an id, of a question and of an option: what a card shows at a glance.
const ID: usize = 40;
const QUESTION: usize = 1_000;
const OPTION: usize = 200;

/// Options of a question: more are no choice.
const OPTIONS: usize = 10;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    questions: Vec<Question>,
}

/// Written by hand: the one of the types is three times as long, and every model call sends it.
fn parameters() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["questions"],
        "properties": { "questions": { "type": "array", "description": "The questions", "minItems": 1, "maxItems": Question::MOST, "items": {
            "type": "object",
            "additionalProperties": false,
            "required": ["id", "question", "kind"],
            "properties": {
                "id": { "type": "string", "description": "A name for the answer" },
                "question": { "type": "string", "description": "What the person reads" },
                "kind": { "type": "string", "enum": ["choice", "several", "text", "yes_no"], "description": "How it is answered" },
                "options": { "type": "array", "items": { "type": "string" }, "description": "Of a choice" },
            },
        } } },
    })
}

#[derive(Debug)]
struct AskUser;

impl Tool for AskUser {
    fn spec(&self) -> ToolSpec {
        let description = "Ask the person up to three questions that no file answers. They may decline.";
        ToolSpec::new(NAME, description, parameters(), ToolKind::Reads)
    }

    fn run(&self, arguments: Value, _: Context) -> BoxFuture<'static, Result<Output, ErrorInfo>> {
        ready(questions(arguments)).boxed()
    }
}

/// The tool through which a model asks the person.
pub(super) fn ask_user() -> Arc<dyn Tool> {
    Arc::new(AskUser)
}

fn questions(arguments: Value) -> Result<Output, ErrorInfo> {
    let Arguments { questions } =
        serde_json::from_value(arguments).map_err(|cause| refused(&format!("{cause}")))?;
    check(&questions)?;
    let count = questions.len();
    let summary = if count == 1 { "1 question".to_owned() } else { format!("{count} questions") };
    Ok(Output { summary, asks: Some(questions), ..Output::default() })
}

/// Fails unless these are questions that a person can be asked at once.
///
/// # Errors
/// `tool_arguments`, with what is wrong.
pub(crate) fn check(questions: &[Question]) -> Result<(), ErrorInfo> {
    if questions.is_empty() || questions.len() > Question::MOST {
        return Err(refused(&format!(
            "a call has 1 to {} questions, not {}",
            Question::MOST,
            questions.len()
        )));
    }
    let mut ids = HashSet::new();
    for question in questions {
        if let Some(fault) = fault(question) {
            return Err(refused(&format!("question `{}`: {fault}", question.id.escape_debug())));
        }
        if !ids.insert(&question.id) {
            return Err(refused(&format!("two questions have the id `{}`", question.id)));
        }
    }
    Ok(())
}

/// The fault of a question.
fn fault(question: &Question) -> Option<&'static str> {
    let Question { id, question, kind, options } = question;
    let said = |text: &String, most: usize| !text.trim().is_empty() && text.chars().count() <= most;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    let takes_options = matches!(kind, QuestionKind::Choice | QuestionKind::Several);
    if !said(id, ID) || !id.chars().all(plain) {
        Some("its id has 1 to 40 letters, digits, `_`, `-` or `.`")
    } else if !said(question, QUESTION) {
        Some("its text has 1 to 1000 characters")
    } else if !takes_options && !options.is_empty() {
        Some("only choice and several have options")
    } else if takes_options && !(2..=OPTIONS).contains(&options.len()) {
        Some("it has 2 to 10 options")
    } else if !options.iter().all(|option| said(option, OPTION)) {
        Some("an option has 1 to 200 characters")
    } else if options.iter().collect::<HashSet<_>>().len() < options.len() {
        Some("two of its options are the same")
    } else {
        None
    }
}

fn refused(fault: &str) -> ErrorInfo {
    let action = "Call it again with: questions (1 to 3 of { id, question, kind: choice | several | text | yes_no, options }).";
    ErrorInfo::new(Code::ToolArguments, format!("{NAME}: {fault}."), action)
}
