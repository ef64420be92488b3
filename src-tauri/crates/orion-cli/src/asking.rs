//! The question that a turn waits with, and how to answer it from the command line.
//!
//! Deliberately not here: giving the reply (`approve`).

use orion_engine::Engine;
use orion_protocol::{
    Answer, Code, CommandAsked, Envelope, ErrorInfo, Pending, PendingOf, Query, RepeatsChoice, RequestId,
    ResumeCost, SandboxLevel, TurnEvent, TurnPlace, TurnState, WriteProposal,
};

use crate::command_words::{UNASKED, question, reads};
use crate::kept_words;
use crate::questions::{how_to_answer, in_full};
use crate::terminal::{one_line, size};

/// A question that is open.
#[derive(Debug, Clone)]
pub(crate) struct Asking {
    pub(crate) pending: Pending,
    /// The proposal, where the question is about one.
    proposal: Option<Box<WriteProposal>>,
}

impl Asking {
    /// The question that these events ask, unless they answer it too.
    pub(crate) fn in_events(envelopes: &[Envelope]) -> Option<Self> {
        let pending = Pending::after_all(envelopes.iter().map(|envelope| &envelope.event))?;
        let proposal = envelopes.iter().rev().find_map(|envelope| match &envelope.event {
            TurnEvent::WriteReady { proposal, .. } if proposal.digest == pending.digest => Some(proposal),
            _ => None,
        });
        Some(Self { proposal: proposal.cloned(), pending })
    }

    /// The proposal that is to be written or not (W6).
    pub(crate) fn write(&self) -> Option<&WriteProposal> {
        match self.pending.of {
            PendingOf::Write { .. } => self.proposal.as_deref(),
            _ => None,
        }
    }
}

/// Each line of the question, for a person who answers with a command: the questions of the model, or the command that it wants to run. None where
/// something else is asked.
pub(crate) fn questions(pending: &Pending) -> Vec<String> {
    match &pending.of {
        PendingOf::Questions { questions, .. } => questions.iter().map(in_full).collect(),
        PendingOf::Call { command: Some(command), .. } => {
            question(command).into_iter().chain(reads(command)).collect()
        }
        PendingOf::Call { command: None, .. }
        | PendingOf::Write { .. }
        | PendingOf::Repeats { .. }
        | PendingOf::Pause { .. } => Vec::new(),
    }
}

/// The command that answers it.
pub(crate) fn how(pending: &Pending, request: RequestId) -> String {
    match &pending.of {
        PendingOf::Write { .. } => {
            format!(
                "Look at the write with `orion diff {request}` and answer with `orion approve {request}`."
            )
        }
        PendingOf::Call { command: Some(command), keeps, .. } => {
            how_to_run(command, keeps.is_some(), request)
        }
        PendingOf::Call { command: None, .. } => {
            format!("Answer it with `orion approve {request}` or `orion reject {request}`.")
        }
        PendingOf::Questions { questions, .. } => how_to_answer(questions, request),
        PendingOf::Pause { results, costs, .. } => {
            let look = match results.as_slice() {
                [] => String::new(),
                _ => format!(
                    " Look at the result with `orion export {request}`; --edit-result FILE or --drop-result changes what the model is given."
                ),
            };
            format!("It is paused. Resume it with `orion resume {request}`{}.{look}", cost_of(*costs))
        }
        PendingOf::Repeats { choices, .. } => {
            let choices: Vec<&str> = choices.iter().map(|choice| word_of(*choice)).collect();
            let choices = choices.join("|");
            format!("The content only repeats itself. Choose: orion approve {request} --repeats {choices}")
        }
    }
}

/// C3: outside is offered where there is a sandbox that it would be outside of.
fn how_to_run(command: &CommandAsked, keeps: bool, request: RequestId) -> String {
    let mut said = format!("Answer it with `orion approve {request}` or `orion reject {request}`.");
    if command.level != SandboxLevel::None {
        said.push_str(" --outside runs it outside the sandbox, this once.");
    }
    if command.level == SandboxLevel::Full && !command.offered_hosts.is_empty() {
        said.push_str(" --host NAME lets it reach a host, this once.");
    }
    if keeps && command.level == SandboxLevel::FilesOnly {
        said.push_str(" --keep session: run this exact line without asking from now on, in this session.");
    } else if keeps {
        said.push_str(&format!(" --keep session or --keep project: {UNASKED} from now on."));
        if let Some(counts) = kept_words::proposed(command) {
            let rule = kept_words::rule(command, &counts);
            said.push_str(&format!(
                " With --words as well, only what begins so: {rule}; --words N,N keeps more of its words."
            ));
        }
    }
    said
}

/// The line that says what is asked; none of questions of the model, which are shown by themselves.
pub(crate) fn remark_on(of: &PendingOf) -> Option<String> {
    Some(match of {
        // All of it is in the question.
        PendingOf::Call { name, command: Some(_), .. } => format!("{name} waits for your approval."),
        PendingOf::Call { name, summary, .. } | PendingOf::Write { name, summary, .. } => {
            format!("{name} waits for your approval: {summary}")
        }
        PendingOf::Repeats { stretch, times, .. } => {
            format!("  {times} times in a row: {}", one_line(stretch, 80))
        }
        PendingOf::Pause { results, .. } => {
            let results = results.iter().map(|of| format!(" {}: {}.", of.name, size(of.bytes)));
            format!("The turn is paused.{}", results.collect::<String>())
        }
        PendingOf::Questions { .. } => return None,
    })
}

pub(crate) fn cost_of(costs: ResumeCost) -> &'static str {
    match costs {
        ResumeCost::Nothing => "",
        ResumeCost::Step => ", which takes one step",
        ResumeCost::WritePrompt => ", which takes one of the requests for file content",
        ResumeCost::EndsTurn => ", which ends the turn with what came",
    }
}

/// The choice as it is typed.
pub(crate) fn word_of(choice: RepeatsChoice) -> &'static str {
    match choice {
        RepeatsChoice::GoOn => "go-on",
        RepeatsChoice::KeepOne => "keep-one",
        RepeatsChoice::Discard => "discard",
    }
}

/// The error with what to do about it, where a session takes no message because its turn waits: the answer, with the id of the turn.
pub(crate) async fn with_answer(engine: &Engine, mut error: ErrorInfo) -> ErrorInfo {
    let (Code::TurnWaiting, Some(request_id), Some(session_id)) =
        (error.code, error.request_id, error.session_id)
    else {
        return error;
    };
    let query = Query::Session { session_id, place: TurnPlace::Newest, turns: 1 };
    if let Ok(Answer::Session { page }) = engine.query(query).await
        && let Some(turn) = page.turns.iter().find(|turn| turn.request_id == request_id)
        && let Some(asking) = Asking::in_events(&turn.envelopes)
    {
        error.action = Some(match turn.state {
            // T8: what it asks can be refused, and not answered.
            TurnState::OtherVersion => format!("End it with `orion reject {request_id} --stop`."),
            TurnState::Running | TurnState::Waiting | TurnState::Interrupted | TurnState::Over => {
                how(&asking.pending, request_id)
            }
        });
    }
    error
}
