//! What a notice tells a person in the middle of a turn.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a notice is about, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum NoticeCode {
    /// The cycles are used; the final answer follows without tools (P3).
    BudgetExhausted,
    /// The refused duplicates are used; the final answer follows without tools.
    DuplicatesExhausted,
    /// The model called a tool in the final answer (P8).
    FinalCallRefused,
    /// The answer has a call that the model wrote as text. It did not run (P5).
    LeakedCall,
    /// A call's arguments never parsed (P6).
    MalformedCall,
    /// The answer was cut off at its limit, by the provider or by Orion (T7).
    CutByLength,
    /// The seconds of the turn are used up (T7).
    SecondsUsed,
    /// The next model call could cost more than the turn may still spend (T7).
    CostReached,
    /// A limit on the cost is set, and the model's price is not known (T7).
    PriceUnknown,
    ContentFiltered,
    /// The finish reason is not known to mean a complete answer (P10). The phase that ended has it word for word.
    UnknownFinish,
    /// The model gave no answer.
    EmptyAnswer,
    /// The model gave no answer, and is asked once more (P7).
    AskedAgain,
    /// A tool call in a write session: content has no calls (W2).
    WriteCallRefused,
    /// The prompts of a write session are used (T4).
    WritePromptsUsed,
    /// The model only repeated itself: it was cut off (P11), or is asked for no more content (W4).
    RepeatedItself,
    /// The call that is asked about next would bring back what the person took out of the conversation (X6).
    TakenOut,
    /// The server read far less of the conversation than was sent (X2).
    ServerCut,
    /// A compaction ended without an entry: the conversation is as it was, or is cut (X4).
    NotCompacted,
    /// The next model call sums the conversation up, to make room (X4). What it says is no part of the answer.
    SummingUp,
    /// A tool that changes something had begun when its process died (A5).
    OutcomeUnknown,
    /// What an interrupted turn before this one read and said is not known to the model (X1).
    Forgotten,
    /// The model is not told of its tools: its chat template leaves them out (R1).
    ToolsUntold,
    /// An ignore file is too large or cannot be read.
    IgnoreFile,
    Other,
}

/// The words of a journal for an answer that its endpoint ended at a limit of length.
pub const OUTPUT_LIMIT: &str = "The answer was cut off at the model's output limit.";

impl NoticeCode {
    /// The words of a notice for a person. A journal counts cycles (P3), which a person knows as steps, and its words are
    /// pinned (T8): the person is given others.
    #[must_use]
    pub fn words(self, message: &str) -> String {
        match self {
            Self::BudgetExhausted => "All steps of this turn are used.".to_owned(),
            // It may be the model's own, or one that Orion sent with the request.
            Self::CutByLength if message == OUTPUT_LIMIT => {
                "The answer was cut off: it is as long as an answer may be here.".to_owned()
            }
            _ => message.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_reads_of_steps_where_a_journal_says_cycles() {
        assert_eq!(
            NoticeCode::BudgetExhausted.words("Budget used: 3 of 3 cycles."),
            "All steps of this turn are used."
        );
        assert_eq!(NoticeCode::Other.words("It speaks of cycles."), "It speaks of cycles.");
        assert_eq!(
            NoticeCode::CutByLength.words(OUTPUT_LIMIT),
            "The answer was cut off: it is as long as an answer may be here."
        );
        let of_a_file = "The content of a is longer than 2000 bytes.";
        assert_eq!(NoticeCode::CutByLength.words(of_a_file), of_a_file);
    }
}
