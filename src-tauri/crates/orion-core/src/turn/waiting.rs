//! Which answer of a person a turn waits for, and whether it takes the one that came (A3, A7).
//!
//! Every question has a digest, and every answer names one. All channels ask here. Deliberately not here: acting on an answer that is
//! taken (`tools`, `approval`).

use orion_protocol::{BatchId, CallId, Question, QuestionsAnswer, RepeatsChoice, ResultEdit, Sha256};

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
    /// Answers to the questions of this call (A8).
    Questions { digest: Sha256, call_id: &'a CallId },
    /// That a person resumes it (A2). `batch`: the tool phase that it paused after.
    Pause { digest: Sha256, batch: Option<BatchId> },
}

impl Waiting<'_> {
    /// The exact thing that is asked about (A3).
    #[must_use]
    pub fn digest(self) -> Sha256 {
        match self {
            Self::Call { digest, .. }
            | Self::Write { digest, .. }
            | Self::Repeats { digest, .. }
            | Self::Questions { digest, .. }
            | Self::Pause { digest, .. } => digest,
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
        let questions = self.state.tool_phase().and_then(|phase| {
            let (digest, _) = phase.questions()?;
            Some(Waiting::Questions { digest, call_id: &phase.current.id })
        });
        let pause = self.state.paused().map(|paused| paused.digest);
        let pause = pause.or_else(|| self.state.write_session()?.pause());
        let pause = pause.map(|digest| Waiting::Pause { digest, batch: self.course.batch });
        call.or(questions).or(pause).or_else(|| {
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
            Input::Steered { .. } => Some(self.course.judge_steered(&self.state)),
            Input::Pause { .. } if self.course.compacts() => Some(Verdict::Unfit(Unfit::NotPaused)),
            Input::PauseEnded { digest, edits } => Some(match (self.judge(*digest, false), self.waiting()) {
                (Verdict::Taken, Some(Waiting::Pause { .. })) => {
                    if self.has_results_of(edits) {
                        Verdict::Taken
                    } else {
                        Verdict::Unfit(Unfit::NoResult)
                    }
                }
                (Verdict::Taken, _) => Verdict::Unfit(Unfit::NotAsked),
                (verdict, _) => verdict,
            }),
            Input::QuestionsAnswered { digest, answer } => {
                Some(match (self.judge(*digest, false), self.waiting()) {
                    (Verdict::Taken, Some(Waiting::Questions { .. })) => self.judge_answers(answer),
                    (Verdict::Taken, _) => Verdict::Unfit(Unfit::NotAsked),
                    (verdict, _) => verdict,
                })
            }
            Input::Approval { digest, .. }
            | Input::Answered { digest, .. }
            | Input::WriteApproved { digest, .. }
            | Input::RepeatsChosen { digest, .. }
                if self.waits_in_words(*digest) =>
            {
                Some(Verdict::Unfit(Unfit::NotAsked))
            }
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

    /// Whether it waits with this for what no yes or no says.
    fn waits_in_words(&self, digest: Sha256) -> bool {
        match self.waiting() {
            Some(waiting @ (Waiting::Pause { .. } | Waiting::Questions { .. })) => waiting.digest() == digest,
            Some(Waiting::Call { .. } | Waiting::Write { .. } | Waiting::Repeats { .. }) | None => false,
        }
    }

    /// Whether every question has its answer, once.
    fn judge_answers(&self, answer: &QuestionsAnswer) -> Verdict {
        let QuestionsAnswer::Answered { answers } = answer else { return Verdict::Taken };
        let asked = self.state.tool_phase().and_then(|phase| phase.questions());
        let questions = asked.map(|(_, questions)| questions).unwrap_or_default();
        let fits = |question: &Question| {
            let mut of = answers.iter().filter(|answer| answer.id == question.id);
            of.next().is_some_and(|answer| question.takes(&answer.answer)) && of.next().is_none()
        };
        match answers.len() == questions.len() && questions.iter().all(fits) {
            true => Verdict::Taken,
            false => Verdict::Unfit(Unfit::NoAnswer),
        }
    }

    /// Whether each of the edits is of another result that the pause has.
    fn has_results_of(&self, edits: &[ResultEdit]) -> bool {
        let results = self.state.paused().map(|paused| paused.results.as_slice()).unwrap_or_default();
        edits.iter().enumerate().all(|(at, edit)| {
            let id = edit.tool_call_id();
            let again = edits.iter().take(at).any(|before| before.tool_call_id() == id);
            !again && results.iter().any(|result| result.tool_call_id == *id)
        })
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
