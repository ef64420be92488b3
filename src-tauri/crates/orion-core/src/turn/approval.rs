//! How the content of a write session is proposed, approved, written and reported (W6, W8, A3).

use orion_protocol::{
    AskedBy, ErrorInfo, FaultKind, Given, PendingOf, Permission, ProposalCause, Reply, TurnEvent, WriteFault,
    WriteProposal, WriteStatus,
};

use super::asked::can_keep;
use super::course::Course;
use super::person::{Supplied, Unfit};
use super::session::{Approved, Offer, Proposed, Source, Stage, WriteOutcome, WriteSession};
use super::state::Next;
use super::work::Work;
use super::{Effect, Verdict};
use crate::context::{About, Item};
use crate::model::Message;
use crate::permission::{Pattern, Ruling};
use crate::prompt;
use crate::tool::Seen;
use crate::write::Faults;

impl Course {
    /// Asks for a proposal: the present content against the present file.
    pub(super) fn propose(
        &mut self,
        session: &mut WriteSession,
        cause: ProposalCause,
        source: Source,
        faults: Faults,
        asked: Option<Offer>,
        effects: &mut Vec<Effect>,
    ) {
        let work = Work::Propose {
            write: session.number,
            path: session.opening.path.clone(),
            cause,
            source: source.clone(),
            seams: if session.revised { Vec::new() } else { session.seams.clone() },
            faults: faults.clone(),
            asks: cause == ProposalCause::Content && self.may_correct(session) && !session.doubted,
        };
        session.stage = Stage::Proposing { job: self.begin_job(work, effects), cause, source, faults, asked };
    }

    pub(super) fn step_proposed(
        &mut self,
        session: &mut WriteSession,
        outcome: Proposed,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let may_correct = self.may_correct(session);
        match (&mut session.stage, outcome) {
            // The person changed the proposal.
            (Stage::Asking(asked), Proposed::Ready { proposal, draft }) => {
                let changed = proposal.digest != asked.proposal.digest;
                session.revised |= changed && proposal.cause == ProposalCause::Revised;
                session.stage = Stage::Asking(Offer { proposal, draft });
                if changed {
                    self.ask_about_write(session, effects);
                }
                Next::Stay
            }
            (Stage::Proposing { asked, .. }, Proposed::Ready { proposal, draft }) => {
                let known = asked.as_ref().is_some_and(|asked| asked.proposal.digest == proposal.digest);
                session.stage = Stage::Asking(Offer { proposal, draft });
                // The file changed and changed back: the question is the same.
                if !known {
                    self.ask_about_write(session, effects);
                }
                Next::Stay
            }
            // The file is gone for a moment, or is being written. The question stays, since the file is compared
            // again before the write.
            (
                Stage::Proposing { asked: Some(asked), .. },
                Proposed::Faulty { .. } | Proposed::Failed { .. },
            ) => {
                session.stage = Stage::Asking(asked.clone());
                Next::Stay
            }
            (Stage::Proposing { source, .. }, Proposed::Faulty { faults }) => match source {
                Source::Content { content, .. } if may_correct => {
                    let content = content.clone();
                    session.doubted |= faults.iter().any(|fault| fault.kind.is_doubt());
                    let faults = Faults::of(faults);
                    self.ask_corrections(session, content, faults, effects)
                }
                Source::Content { .. } | Source::Draft(_) => {
                    let error = unfit(&session.opening.path, &faults);
                    self.finish_write(session, WriteStatus::Discarded, None, Some(error), effects)
                }
            },
            (Stage::Proposing { .. }, Proposed::Failed { error }) => {
                self.finish_write(session, WriteStatus::Failed, None, Some(error), effects)
            }
            // The person's change failed: the question stays.
            (Stage::Asking(_), Proposed::Faulty { .. } | Proposed::Failed { .. })
            | (
                Stage::Streaming(_)
                | Stage::Idle { .. }
                | Stage::Paused { .. }
                | Stage::Choosing(_)
                | Stage::Writing { .. },
                _,
            ) => Next::Stay,
        }
    }

    /// Shows the proposal and asks about it. If writing is allowed and nothing is wrong with the proposal, it is
    /// written at once (A1).
    fn ask_about_write(&mut self, session: &mut WriteSession, effects: &mut Vec<Effect>) {
        let Stage::Asking(asked) = &session.stage else { return };
        let proposal = asked.proposal.clone();
        let ready = TurnEvent::WriteReady { write: session.number, proposal: proposal.clone() };
        self.emit(ready, effects);
        let ruling = self.write_ruling(session);
        if ruling.permission() == Permission::Allow && proposal.may_go_unseen() {
            if let Ruling::Kept(approval_id) = ruling {
                self.kept_allows(proposal.digest, approval_id, Vec::new(), effects);
            }
            return self.write(session, whole(&proposal), effects);
        }
        let keeps = self.would_keep_write(session).map(String::from);
        let of = PendingOf::Write {
            write: session.number,
            path: session.opening.path.clone(),
            tool_call_id: session.call.id.clone(),
            name: session.call.name.clone(),
            summary: format!(
                "{}: {} lines added, {} removed",
                session.opening.path, proposal.added, proposal.removed
            ),
            by: match ruling {
                _ if proposal.always_asks.is_some() => AskedBy::Always,
                Ruling::Ask(by) | Ruling::Deny(by) => by,
                // A fault, a change on disk or a person's own change makes it ask.
                Ruling::Allow | Ruling::Kept(_) => AskedBy::Always,
            },
            keeps,
        };
        self.ask(proposal.digest, of, effects);
    }

    /// What the session may write unasked (A1). A link is judged by the places that it leads to as well: when the session began, and now.
    fn write_ruling(&self, session: &WriteSession) -> Ruling {
        let (name, arguments) = (&session.call.name, &session.call.arguments);
        if self.setup.tools.get(name).is_none() {
            return Ruling::Ask(AskedBy::Default);
        }
        let root = &self.setup.project_root;
        let at = |real: &String| self.ruling(name, &arguments.at(|_| Some(real.clone()), root));
        let now = session.asked().and_then(|asked| asked.proposal.leads_to.as_ref());
        let places = session.opening.real.iter().chain(now);
        places.fold(self.ruling(name, arguments), |ruling, real| ruling.and(at(real)))
    }

    /// The rule that an approval of this write would be kept as (A1): none where the write would be asked about all the same.
    pub(super) fn would_keep_write(&self, session: &WriteSession) -> Option<Pattern> {
        let proposal = &session.asked()?.proposal;
        let is_link = session.opening.real.is_some() || proposal.leads_to.is_some();
        (proposal.is_clean() && !is_link).then(|| self.would_keep(&session.call))?
    }

    /// Judges a reply to the proposal. A yes names the faults that are left (W5), and the file beside it is the one that it says (A3).
    /// `keeps` is the rule that the question named.
    pub(super) fn judge_write_reply(
        &self,
        session: &WriteSession,
        keeps: Option<&str>,
        reply: &Reply,
        supplied: &Supplied,
    ) -> Verdict {
        let Some(asked) = session.asked() else { return Verdict::Unfit(Unfit::NotAsked) };
        let is_faulty = asked.faults().count() > 0;
        match reply {
            Reply::Allow { .. } | Reply::Write { despite_faults: false, .. } if is_faulty => Verdict::Faulty,
            Reply::Allow { keep: Some(_) } => {
                can_keep(keeps, self.would_keep_write(session), supplied).into()
            }
            Reply::Allow { keep: None } => whether(is_what_they_approve(&asked.proposal, None, supplied)),
            Reply::Write { hunks, .. } => {
                whether(is_what_they_approve(&asked.proposal, hunks.as_deref(), supplied))
            }
            Reply::Reject { .. } => Verdict::Taken,
            Reply::AllowOutside | Reply::AllowWords { .. } | Reply::AllowEdited { .. } => {
                Verdict::Unfit(Unfit::NoCall)
            }
            Reply::Choose { .. } | Reply::Answer { .. } | Reply::Resume { .. } => {
                Verdict::Unfit(Unfit::NotAsked)
            }
        }
    }

    /// A person's reply to the proposal (A3). It was judged before.
    pub(super) fn step_write_replied(
        &mut self,
        session: &mut WriteSession,
        reply: Reply,
        supplied: &Supplied,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let Some(asked) = session.asked() else { return Next::Stay };
        let digest = asked.proposal.digest;
        match reply {
            Reply::Allow { .. } | Reply::Write { .. } => {
                let approved = match supplied {
                    Supplied::File { approved } => approved.clone(),
                    Supplied::Nothing | Supplied::Approval { .. } => whole(&asked.proposal),
                };
                let keep = if let Reply::Allow { keep } = reply { keep } else { None };
                let pattern = self.would_keep_write(session);
                let kept = self.keep(keep, supplied, &session.call.name, pattern);
                effects.extend(session.take_up().map(|job| Effect::Cancel { job }));
                self.answered(digest, Given::Allowed { edited: None, kept, outside: false }, effects);
                self.write(session, approved, effects);
                Next::Stay
            }
            Reply::Reject { reason, stop } => {
                effects.extend(session.take_up().map(|job| Effect::Cancel { job }));
                self.answered(digest, Given::Rejected { reason: reason.clone(), stopped: stop }, effects);
                self.rejected(&session.call.id);
                let why = reason.map(|reason| prompt::says_why(&reason)).unwrap_or_default();
                self.conclude_write(session, WriteStatus::Rejected, None, None, &why, effects);
                if stop {
                    self.end(self.checked.end_when_stopped(), None, effects)
                } else {
                    self.begin_action(effects)
                }
            }
            Reply::AllowOutside
            | Reply::AllowWords { .. }
            | Reply::AllowEdited { .. }
            | Reply::Choose { .. }
            | Reply::Answer { .. }
            | Reply::Resume { .. } => Next::Stay,
        }
    }

    pub(super) fn step_wrote(
        &mut self,
        session: &mut WriteSession,
        outcome: WriteOutcome,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let Stage::Writing { asked, approved, .. } = session.stage.clone() else { return Next::Stay };
        match outcome {
            WriteOutcome::Written => {
                self.finish_write(session, WriteStatus::Written, Some(approved), None, effects)
            }
            // A change that nobody has seen is never overwritten: the difference is made again, and the person is
            // asked again (W6).
            WriteOutcome::Changed => {
                let source = Source::Draft(asked.draft.clone());
                let faults = asked.faults();
                self.propose(session, ProposalCause::FileChanged, source, faults, None, effects);
                Next::Stay
            }
            WriteOutcome::Failed { error } => {
                self.finish_write(session, WriteStatus::Failed, None, Some(error), effects)
            }
            WriteOutcome::Unknown { error } => {
                self.finish_write(session, WriteStatus::Unknown, None, Some(error), effects)
            }
        }
    }

    /// Ends the session. The model gets a box that says how it ended, and goes on.
    pub(super) fn finish_write(
        &mut self,
        session: &mut WriteSession,
        status: WriteStatus,
        approved: Option<Approved>,
        error: Option<ErrorInfo>,
        effects: &mut Vec<Effect>,
    ) -> Next {
        self.conclude_write(session, status, approved, error, "", effects);
        self.begin_action(effects)
    }

    /// Ends the session, and no more. `why` follows the box.
    fn conclude_write(
        &mut self,
        session: &mut WriteSession,
        status: WriteStatus,
        approved: Option<Approved>,
        error: Option<ErrorInfo>,
        why: &str,
        effects: &mut Vec<Effect>,
    ) {
        let path = session.opening.path.clone();
        let written = approved.as_ref().map(|approved| (approved.sha256, approved.bytes));
        self.tally.write_done(session.number, status, written);
        let rejected_hunks = approved.as_ref().map(|it| it.rejected_hunks.clone()).unwrap_or_default();
        let done = TurnEvent::WriteDone {
            write: session.number,
            path: path.clone(),
            status,
            sha256: written.map(|(sha256, _)| sha256),
            bytes: written.map(|(_, bytes)| bytes),
            rejected_hunks,
            revised: session.revised,
            error: error.clone().map(|error| error.of_turn(self.setup.ids)),
        };
        self.emit(done, effects);
        if matches!(status, WriteStatus::Written | WriteStatus::Unknown) {
            self.ledger.change(&session.opening.changed()); // D3
            self.checked.touch(session.opening.paths().cloned(), false); // V1
        }
        let text = prompt::content_sent(&path);
        let sent = Message::Assistant { text, reasoning: None, tool_calls: Vec::new() };
        self.conversation.push(Item::new(sent, About::Write));
        self.conversation.answered();
        let proposal = match &session.stage {
            Stage::Writing { asked, .. } | Stage::Asking(asked) => Some(&*asked.proposal),
            _ => None,
        };
        let ended = prompt::EndedWrite {
            path: &path,
            operation: session.opening.operation,
            status,
            approved: approved.as_ref(),
            proposal,
            revised: session.revised,
            error: error.as_ref(),
        };
        self.say(prompt::write_box(&self.setup.nonce, &ended) + why, About::Write);
    }

    /// The proposal is approved and goes to the disk.
    fn write(&mut self, session: &mut WriteSession, approved: Approved, effects: &mut Vec<Effect>) {
        let Stage::Asking(asked) = &session.stage else { return };
        let work = Work::Write {
            write: session.number,
            path: session.opening.path.clone(),
            leads_to: asked.proposal.leads_to.clone(),
            base_sha256: asked.proposal.base_sha256,
            sha256: approved.sha256,
        };
        let asked = asked.clone();
        session.stage = Stage::Writing { job: self.begin_job(work, effects), asked, approved };
    }

    /// The file changed on disk since the preview: the difference is made again (W6).
    pub(super) fn renew(&mut self, session: &mut WriteSession, changes: &[Seen], effects: &mut Vec<Effect>) {
        if session.asks_about(changes)
            && let Stage::Asking(asked) = session.stage.clone()
        {
            let source = Source::Draft(asked.draft.clone());
            let faults = asked.faults();
            self.propose(session, ProposalCause::FileChanged, source, faults, Some(asked), effects);
        }
    }
}

/// Checks that the file beside a yes is the approved one: the proposal, or the result of these hunks of it.
fn is_what_they_approve(proposal: &WriteProposal, hunks: Option<&[u32]>, supplied: &Supplied) -> bool {
    let Supplied::File { approved } = supplied else { return hunks.is_none() };
    let kept = |hunk: &u32| hunks.is_none_or(|hunks| hunks.contains(hunk));
    let rejected = (1..=proposal.hunks).filter(|hunk| !kept(hunk));
    let is_whole = approved.rejected_hunks.is_empty();
    rejected.eq(approved.rejected_hunks.iter().copied()) && (!is_whole || approved.sha256 == proposal.sha256)
}

fn whether(is_so: bool) -> Verdict {
    if is_so { Verdict::Taken } else { Verdict::Stale }
}

/// An approval of the whole proposal.
fn whole(proposal: &WriteProposal) -> Approved {
    Approved {
        sha256: proposal.sha256,
        bytes: proposal.bytes,
        lines: proposal.lines,
        rejected_hunks: Vec::new(),
        despite_faults: false,
    }
}

fn unfit(path: &str, faults: &[WriteFault]) -> ErrorInfo {
    let blocks = faults.iter().any(|fault| fault.kind != FaultKind::Unencodable);
    let (message, action) = if blocks {
        (format!("The changes do not fit {path}."), "Read the file again and send changes that match it.")
    } else {
        let message = format!("{path} cannot hold some of the characters.");
        (message, "Use other characters, or convert the file to UTF-8.")
    };
    ErrorInfo::new(orion_protocol::Code::WriteFaulty, message, action)
}
