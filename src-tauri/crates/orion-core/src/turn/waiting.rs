//! The reply of a person that a turn waits for, and whether it takes the one that came (A3, A7).
//!
//! Every question has a digest, and every reply names one. All channels ask here. Deliberately not here: which replies a question takes, and
//! what follows from one (`replied`).

use orion_protocol::{Pending, Sha256};

use super::{Input, Turn, Unfit};

/// The turn's word on a reply. Only one that is taken becomes an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Taken,
    /// The question is no longer open: it was answered, or the turn went on.
    NotWaiting,
    /// What was asked about has changed since, and is asked again.
    Stale,
    /// A yes to content with faults, without the word that the person saw them (W5).
    Faulty,
    /// Not one of the choices for content that only repeats itself (P11).
    NotOffered,
    /// The question takes no such reply.
    Unfit(Unfit),
}

impl From<Result<(), Unfit>> for Verdict {
    fn from(fits: Result<(), Unfit>) -> Self {
        fits.map_or_else(Self::Unfit, |()| Self::Taken)
    }
}

impl Turn {
    /// The question that it waits with. A proposal can be answered even while a new one is made: it is compared with the file before it is
    /// written.
    #[must_use]
    pub fn pending(&self) -> Option<&Pending> {
        // A5: only a stop follows an interruption.
        self.course.pending.as_ref().filter(|_| !self.state.is_interrupted())
    }

    /// Its word on this input; none for one that it takes whatever it waits for.
    #[must_use]
    pub fn verdict(&self, input: &Input) -> Option<Verdict> {
        match input {
            Input::Steered { .. } => Some(self.course.judge_steered(&self.state)),
            Input::Pause { .. } if self.course.compacts() => Some(Verdict::Unfit(Unfit::NotPaused)),
            Input::Replied { digest, reply, supplied } => Some(match self.judge(*digest) {
                Verdict::Taken => self.course.judge_reply(&self.state, reply, supplied),
                verdict => verdict,
            }),
            _ => None,
        }
    }

    /// Its word on a reply to this, before it is known what the reply says.
    #[must_use]
    pub fn judge(&self, digest: Sha256) -> Verdict {
        match self.pending() {
            Some(pending) if pending.digest == digest => Verdict::Taken,
            Some(_) if !self.course.was_answered(digest) => Verdict::Stale,
            Some(_) | None => Verdict::NotWaiting,
        }
    }
}
