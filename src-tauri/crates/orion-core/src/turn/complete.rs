//! The end of the content (W5). Complete content is validated, corrected and proposed. Content that never became
//! complete is shown as unfinished, or discarded.

use std::sync::Arc;

use orion_protocol::{
    Code, ErrorInfo, NoticeCode, PhaseCause, ProposalCause, TurnEvent, WriteOperation, WriteStatus,
};

use super::Effect;
use super::course::Course;
use super::flags::Flag;
use super::session::Ask;
use super::session::{Correcting, Source, Stage, Stream, WriteSession};
use super::state::Next;
use crate::write::blocks::put_in;
use crate::write::{Allowed, Corrected, Faults, Markup, correct, moved, unfinished, validate};

/// Rounds of correction that a session may have (W5).
const ROUNDS: u32 = 3;

impl Course {
    /// The content is complete: it is validated (W5), and then compared with the file on disk.
    pub(super) fn content_complete(&mut self, session: &mut WriteSession, effects: &mut Vec<Effect>) -> Next {
        let capture = session.capture.renew();
        (session.shown, session.line_ends) = (0, 0);
        let operation = session.opening.operation;
        let seams = capture.seams().to_vec();
        let reply = capture.into_text();
        let content = match session.correcting.take() {
            Some(Correcting { content, faults }) => {
                match correct(operation, Arc::clone(&content), &faults.list, reply) {
                    Corrected::Changed(text) => {
                        session.seams = moved(&content, &text, &session.seams);
                        Arc::new(text)
                    }
                    Corrected::Anew(text) => {
                        session.seams = seams;
                        Arc::new(text)
                    }
                    Corrected::Not(content) => content,
                }
            }
            None => {
                session.seams = seams;
                Arc::new(reply)
            }
        };
        let faults = self.faults(session, &content);
        if faults.count() == 0 || !self.may_correct(session) {
            let source = Source::Content { operation, content };
            self.propose(session, ProposalCause::Content, source, faults, None, effects);
            Next::Stay
        } else {
            self.ask_corrections(session, content, faults, effects)
        }
    }

    /// The model is asked for no more content. What came is proposed, unless there is nothing that a person could look at.
    pub(super) fn give_up(
        &mut self,
        session: &mut WriteSession,
        code: NoticeCode,
        error: ErrorInfo,
        effects: &mut Vec<Effect>,
    ) -> Next {
        self.notice(code, error.message.clone(), effects);
        if session.has_content() {
            self.propose_unfinished(session, &error, effects);
            return Next::Stay;
        }
        self.finish_write(session, WriteStatus::Discarded, None, Some(error), effects)
    }

    /// The model does not finish the content. The content is not thrown away: the person sees it, marked as
    /// unfinished.
    pub(super) fn propose_unfinished(
        &mut self,
        session: &mut WriteSession,
        error: &ErrorInfo,
        effects: &mut Vec<Effect>,
    ) {
        session.unfinished = true;
        // The part of the last message that was held back belongs to the content. An end line does not.
        session.capture.end_message();
        let operation = session.opening.operation;
        let capture = session.capture.renew();
        let (content, faults) = match session.correcting.take() {
            // The content was complete and waited for its correction.
            Some(Correcting { content, .. }) => {
                let faults = self.faults(session, &content);
                (content, faults)
            }
            None => {
                session.seams = capture.seams().to_vec();
                let content = capture.into_text();
                let faults = self.faults(session, &content).and(unfinished(&content, &error.message));
                (Arc::new(content), faults)
            }
        };
        let source = Source::Content { operation, content };
        self.propose(session, ProposalCause::Content, source, faults, None, effects);
    }

    /// In an edit only the new text is validated, since the old text is in the file already.
    fn faults(&self, session: &WriteSession, content: &str) -> Faults {
        let opening = &session.opening;
        let allowed = Allowed::new(opening.has_replacement, &opening.controls);
        let markup = if self.setup.flags.has(Flag::ReadLeaks) { Markup::All } else { Markup::First };
        match opening.operation {
            WriteOperation::Edit => {
                validate(&put_in(content).unwrap_or_else(|| content.to_owned()), allowed, markup)
            }
            _ => validate(content, allowed, markup),
        }
    }

    pub(super) fn may_correct(&self, session: &WriteSession) -> bool {
        !session.unfinished
            && !session.said_again
            && session.rounds < ROUNDS
            && session.prompts < self.setup.policy.max_write_prompts
    }

    /// All faults in one batch (W5).
    pub(super) fn ask_corrections(
        &mut self,
        session: &mut WriteSession,
        content: Arc<String>,
        faults: Faults,
        effects: &mut Vec<Effect>,
    ) -> Next {
        session.rounds += 1;
        let Faults { list, more } = faults.clone();
        let event =
            TurnEvent::WriteFaults { write: session.number, round: session.rounds, faults: list, more };
        self.emit(event, effects);
        session.correcting = Some(Correcting { content, faults });
        self.prompt(session, Ask::Begin, effects)
    }

    pub(super) fn refuse_content(&mut self, session: &mut WriteSession, effects: &mut Vec<Effect>) -> Next {
        self.end_content_phase(session, PhaseCause::Failed, effects);
        let message = format!("The content of {} is larger than 64 MiB.", session.opening.path);
        let error = ErrorInfo::new(Code::ResponseTooLarge, message, "Ask for it in smaller parts.");
        self.finish_write(session, WriteStatus::Discarded, None, Some(error), effects)
    }

    /// The turn ends while the session is open.
    pub(super) fn abandon_write(
        &mut self,
        session: &mut WriteSession,
        cause: PhaseCause,
        effects: &mut Vec<Effect>,
    ) {
        if let Stage::Streaming(Stream { response, .. }) = &session.stage {
            effects.push(Effect::DropModel { call: response.call() });
            self.end_content_phase(session, cause, effects);
        }
        match (&session.stage, cause) {
            // It is not known how the write ended; the next start finds out.
            (Stage::Writing { .. }, PhaseCause::Failed) => {
                self.end_write(session, WriteStatus::Unknown, effects);
            }
            _ => self.discard(session, effects),
        }
    }

    pub(super) fn discard(&mut self, session: &WriteSession, effects: &mut Vec<Effect>) {
        self.end_write(session, WriteStatus::Discarded, effects);
    }

    /// A session ends with its turn. As far as the turn knows, nothing was written.
    fn end_write(&mut self, session: &WriteSession, status: WriteStatus, effects: &mut Vec<Effect>) {
        self.tally.write_done(session.number, status, None);
        let done = TurnEvent::WriteDone {
            write: session.number,
            path: session.opening.path.clone(),
            status,
            sha256: None,
            bytes: None,
            rejected_hunks: Vec::new(),
            revised: session.revised,
            error: None,
        };
        self.emit(done, effects);
    }
}
