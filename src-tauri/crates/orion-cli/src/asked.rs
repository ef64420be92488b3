//! What a turn waits for, by its events, and how to answer it from the command line.
//!
//! Deliberately not here: giving the answer (`approve`).

use orion_protocol::{Envelope, RepeatsChoice, RequestId, Sha256, TurnEvent, WriteProposal};

/// What a person is asked.
#[derive(Debug, Clone)]
pub(crate) enum Asked {
    /// Whether it is written (W6).
    Write(Box<WriteProposal>),
    /// What becomes of content that only repeats itself (P11).
    Repeats { digest: Sha256, choices: Vec<RepeatsChoice> },
    /// Whether this call of a tool runs (A3).
    Call { digest: Sha256 },
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
                TurnEvent::ApprovalGiven { .. }
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
            Self::Repeats { digest, .. } | Self::Call { digest } => *digest,
        }
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

/// The choice as it is typed.
pub(crate) fn word_of(choice: RepeatsChoice) -> &'static str {
    match choice {
        RepeatsChoice::GoOn => "go-on",
        RepeatsChoice::KeepOne => "keep-one",
        RepeatsChoice::Discard => "discard",
    }
}

/// After this event the turn waits for a person.
pub(crate) fn waits(envelope: &Envelope) -> bool {
    matches!(
        envelope.event,
        TurnEvent::ApprovalRequested { .. } | TurnEvent::WriteRepeats { .. } | TurnEvent::Paused { .. }
    )
}
