//! Which answer of a person a turn waits for, and whether it takes the one that came (A3, A7).
//!
//! Every question has a digest, and every answer names one. All channels ask here. Deliberately not here: acting on an answer that is
//! taken (`tools`, `approval`).

use orion_protocol::{CallId, RepeatsChoice, Sha256};

use super::{Approved, Input, Turn, Unfit};

/// What a turn waits for. Only a person can answer it, and nothing goes on before they do (A7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting<'a> {
    /// A yes or no to this call of a tool.
    Call { digest: Sha256, call_id: &'a CallId, name: &'a str },
    /// An answer to this proposal, until another one takes its place.
    Write { digest: Sha256, write: u32, path: &'a str },
    /// A choice of what becomes of content that only repeats itself (P11).
    Repeats { digest: Sha256, write: u32, path: &'a str },
}

impl Waiting<'_> {
    /// The exact thing that is asked about (A3).
    #[must_use]
    pub fn digest(self) -> Sha256 {
        match self {
            Self::Call { digest, .. } | Self::Write { digest, .. } | Self::Repeats { digest, .. } => digest,
        }
    }
}

/// What the turn makes of an answer. Only one that is taken becomes an input.
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
    /// The question takes no such answer.
    Unfit(Unfit),
}

impl Turn {
    /// What the turn waits for. A proposal can be answered even while a new one is made: it is compared with the file before it is written.
    #[must_use]
    pub fn waiting(&self) -> Option<Waiting<'_>> {
        let call = self.state.tool_phase().and_then(|phase| {
            let (call, digest) = phase.asked()?;
            Some(Waiting::Call { digest, call_id: &call.id, name: &call.name })
        });
        call.or_else(|| {
            let session = self.state.write_session()?;
            let (write, path) = (session.number, session.opening.path.as_str());
            match session.repeated() {
                Some(repeated) => Some(Waiting::Repeats { digest: repeated.digest, write, path }),
                None => Some(Waiting::Write { digest: session.asked()?.proposal.digest, write, path }),
            }
        })
    }

    /// What the turn would make of an answer now; none for an input that is no answer.
    #[must_use]
    pub fn verdict(&self, input: &Input) -> Option<Verdict> {
        match input {
            Input::Approval { digest, granted } => {
                Some(match (self.judge(*digest, *granted), self.waiting()) {
                    // A plain yes to content that only repeats itself says nothing.
                    (Verdict::Taken, Some(Waiting::Repeats { .. })) if *granted => Verdict::NotOffered,
                    (verdict, _) => verdict,
                })
            }
            Input::Answered { digest, answer } => {
                Some(match (self.judge(*digest, answer.allows()), self.waiting()) {
                    (Verdict::Taken, Some(Waiting::Repeats { .. })) => Verdict::NotOffered,
                    (Verdict::Taken, _) => self.unfit(answer).map_or(Verdict::Taken, Verdict::Unfit),
                    (verdict, _) => verdict,
                })
            }
            Input::WriteApproved { digest, approved: Approved { despite_faults, .. } } => {
                Some(match (self.judge(*digest, !despite_faults), self.waiting()) {
                    // A call is no write, whatever the digest.
                    (Verdict::Taken, Some(Waiting::Call { .. } | Waiting::Repeats { .. })) => Verdict::Stale,
                    (verdict, _) => verdict,
                })
            }
            Input::RepeatsChosen { digest, choice } => {
                Some(match (self.judge(*digest, false), self.waiting()) {
                    (Verdict::Taken, Some(Waiting::Call { .. } | Waiting::Write { .. })) => Verdict::Stale,
                    (Verdict::Taken, _) if !self.offers(*choice) => Verdict::NotOffered,
                    (verdict, _) => verdict,
                })
            }
            _ => None,
        }
    }

    fn offers(&self, choice: RepeatsChoice) -> bool {
        self.state.write_session().is_some_and(|session| session.choices().contains(&choice))
    }

    /// `blindly`: a yes that does not say that faults were seen.
    fn judge(&self, digest: Sha256, blindly: bool) -> Verdict {
        match self.waiting() {
            Some(waiting) if waiting.digest() == digest => {
                let session = self.state.write_session();
                let faulty =
                    session.and_then(|it| it.asked()).is_some_and(|asked| asked.faults().count() > 0);
                if blindly && faulty { Verdict::Faulty } else { Verdict::Taken }
            }
            Some(_) if !self.course.was_answered(digest) => Verdict::Stale,
            Some(_) | None => Verdict::NotWaiting,
        }
    }
}
