//! The line in which a report sums its turn up (J5), for notifications and lists of other programs.
//!
//! It is recorded with the end of the turn, which a replay has to say again (T8): other words need a flag of the turn.

use crate::{Channel, Evaluation, Exhausted, Exit, StopReason, TurnReport, WriteStatus};

impl TurnReport {
    /// The report of a turn that was begun in this channel, with all that follows from the rest of it.
    #[must_use]
    pub fn begun_in(self, channel: Channel, project_name: String) -> Self {
        Self { channel: Some(channel), project_name: Some(project_name), ..self }.summed_up()
    }

    /// The same after a change of how the turn ended.
    #[must_use]
    pub fn summed_up(self) -> Self {
        match self.channel {
            None => self,
            Some(_) => Self {
                summary: Some(format!("{}.", self.sentence())),
                exit_code: Some(Exit::of(&self) as u8),
                ..self
            },
        }
    }

    fn sentence(&self) -> String {
        let ending = match self.stop_reason {
            StopReason::Answered if self.evaluation == Some(Evaluation::Failed) => {
                "Answered, and a check failed"
            }
            StopReason::Answered => "Answered",
            StopReason::BudgetExhausted => match self.exhausted {
                Some(Exhausted::Seconds) => "Ended at the limit of its time",
                Some(Exhausted::Cost) => "Ended at the limit of its cost",
                Some(Exhausted::Tokens) => "Ended at the limit of its tokens",
                Some(Exhausted::Cycles) | None => "Ended at the limit of its steps",
            },
            StopReason::DuplicatesExhausted => "Ended because the model kept repeating a call",
            StopReason::Length => "Cut off at the limit of an answer",
            StopReason::Unknown => "Answered, and perhaps not to its end",
            StopReason::ContentFilter => "Ended by the provider's filter",
            StopReason::Empty => "Ended without an answer",
            StopReason::Approval => "Waits for an approval",
            StopReason::Clarification => "Waits for an answer",
            StopReason::Paused => "Paused",
            StopReason::Stopped => "Stopped",
            StopReason::Error => "Failed",
        };
        let written = self.writes.iter().filter(|write| write.status == Some(WriteStatus::Written)).count();
        let did = [
            (u64::from(self.tool_runs), "tool run", "tool runs"),
            (written as u64, "file written", "files written"),
            (self.changes.len() as u64, "file changed by commands", "files changed by commands"),
        ];
        let did: Vec<String> = did
            .into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, several)| format!("{count} {}", if count == 1 { one } else { several }))
            .collect();
        if did.is_empty() { ending.to_owned() } else { format!("{ending}: {}", did.join(", ")) }
    }
}
