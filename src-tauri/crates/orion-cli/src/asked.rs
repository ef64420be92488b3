//! What a turn waits for, by its events, and how to answer it from the command line.
//!
//! Deliberately not here: giving the answer (`approve`).

use orion_engine::Engine;
use orion_protocol::{
    Answer, BatchId, Code, Envelope, ErrorInfo, PausedResult, Query, Question, RepeatsChoice, RequestId,
    ResumeCost, Sha256, TurnEvent, TurnPlace, TurnState, WriteProposal,
};

use crate::questions::{Questions, in_full};

/// What a person is asked.
#[derive(Debug, Clone)]
pub(crate) enum Asked {
    /// Whether it is written (W6).
    Write(Box<WriteProposal>),
    /// What becomes of content that only repeats itself (P11).
    Repeats { digest: Sha256, choices: Vec<RepeatsChoice> },
    /// Whether this call of a tool runs (A3).
    Call { digest: Sha256 },
    /// Answers to questions of the model (A8).
    Questions(Questions),
    /// That it is resumed (A2). `batch`: the tool phase that it paused after.
    Pause { digest: Sha256, batch: Option<BatchId>, results: Vec<PausedResult>, costs: ResumeCost },
}

impl Asked {
    /// What these events ask, unless it was answered since.
    pub(crate) fn in_events(envelopes: &[Envelope]) -> Option<Self> {
        let mut proposals = Vec::new();
        let mut asked = None;
        for envelope in envelopes {
            match &envelope.event {
                TurnEvent::WriteReady { proposal, .. } => proposals.push(proposal),
                TurnEvent::ApprovalRequested { digest, .. } => {
                    let proposal = proposals.iter().rev().find(|proposal| proposal.digest == *digest);
                    asked = Some(match proposal {
                        Some(proposal) => Self::Write((*proposal).clone()),
                        None => Self::Call { digest: *digest },
                    });
                }
                TurnEvent::WriteRepeats { digest, choices, .. } => {
                    asked = Some(Self::Repeats { digest: *digest, choices: choices.clone() });
                }
                TurnEvent::QuestionAsked { digest, questions, .. } => {
                    let questions = questions.clone();
                    asked = Some(Self::Questions(Questions { digest: *digest, questions }));
                }
                TurnEvent::Paused { digest, results, costs, .. } => {
                    let (batch, results) = (envelope.tool_batch_id, results.clone());
                    asked = Some(Self::Pause { digest: *digest, batch, results, costs: *costs });
                }
                TurnEvent::ApprovalGiven { .. }
                | TurnEvent::QuestionAnswered { .. }
                | TurnEvent::Resumed { pause: Some(_) }
                | TurnEvent::WriteChosen { .. }
                | TurnEvent::WriteDone { .. } => asked = None,
                event if event.terminal().is_some() => asked = None,
                _ => {}
            }
        }
        asked
    }

    /// The exact thing that is asked about (A3).
    pub(crate) fn digest(&self) -> Sha256 {
        match self {
            Self::Write(proposal) => proposal.digest,
            Self::Questions(questions) => questions.digest,
            Self::Repeats { digest, .. } | Self::Call { digest } | Self::Pause { digest, .. } => *digest,
        }
    }

    /// Each question of the model, for a person who answers with a command. None where something else is asked.
    pub(crate) fn questions(&self) -> impl Iterator<Item = String> {
        let questions: &[Question] = if let Self::Questions(asked) = self { &asked.questions } else { &[] };
        questions.iter().map(in_full)
    }

    /// How to answer it.
    pub(crate) fn how(&self, request: RequestId) -> String {
        match self {
            Self::Write(_) => {
                format!(
                    "Look at the write with `orion diff {request}` and answer with `orion approve {request}`."
                )
            }
            Self::Call { .. } => {
                format!("Answer it with `orion approve {request}` or `orion reject {request}`.")
            }
            Self::Questions(questions) => questions.how(request),
            Self::Pause { results, costs, .. } => {
                let look = match results.as_slice() {
                    [] => String::new(),
                    _ => format!(
                        " Look at the result with `orion export {request}`; --edit-result FILE or --drop-result changes what the model is given."
                    ),
                };
                format!("It is paused. Resume it with `orion resume {request}`{}.{look}", cost_of(*costs))
            }
            Self::Repeats { choices, .. } => {
                let choices: Vec<&str> = choices.iter().map(|choice| word_of(*choice)).collect();
                let choices = choices.join("|");
                format!(
                    "The content only repeats itself. Choose: orion approve {request} --repeats {choices}"
                )
            }
        }
    }
}

pub(crate) fn cost_of(costs: ResumeCost) -> &'static str {
    match costs {
        ResumeCost::Nothing => "",
        ResumeCost::Step => ", which takes one step",
        ResumeCost::WritePrompt => ", which takes one write prompt",
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
        && let Some(asked) = Asked::in_events(&turn.envelopes)
    {
        error.action = Some(match turn.state {
            // T8: what it asks can be refused, and not answered.
            TurnState::OtherVersion => format!("End it with `orion reject {request_id} --stop`."),
            TurnState::Running | TurnState::Waiting | TurnState::Interrupted | TurnState::Over => {
                asked.how(request_id)
            }
        });
    }
    error
}

/// After this event the turn waits for a person.
pub(crate) fn waits(envelope: &Envelope) -> bool {
    matches!(
        envelope.event,
        TurnEvent::ApprovalRequested { .. }
            | TurnEvent::WriteRepeats { .. }
            | TurnEvent::QuestionAsked { .. }
            | TurnEvent::Paused { .. }
    )
}
