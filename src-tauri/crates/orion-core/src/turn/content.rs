//! How the content of a write session comes in (W1–W4): a message, more of it when it was cut off, the end line. What becomes of
//! it once it is there, or cannot come, is in `complete`.
//!
//! Each of these is a model call of its own, a prompt, and the policy says how many a session may spend (T4). Tools are withheld.

use orion_protocol::{
    CallId, CallReason, Code, ErrorInfo, NoticeCode, Permission, Phase, PhaseCause, StopReason, TurnEvent,
    Usage, WriteStatus,
};

use super::session::{Correcting, Stage, Stream, WriteSession};
use super::tally::{estimated, since};
use super::{Effect, ModelInput, State, Turn};
use crate::merge::{MAX_CALLS, MAX_NAME};
use crate::model::{FinishReason, Message, ModelDelta, ModelRequest};
use crate::prompt;
use crate::tool::{Opening, WRITE_PLAN_BEGIN};
use crate::write::MessageEnd;

/// The largest content, in bytes: 64 MiB, what one response may have (DESIGN).
const MOST_CONTENT: usize = 64 * 1024 * 1024;

/// What a model is asked in a session.
#[derive(Clone, Copy)]
pub(super) enum Ask {
    /// The content, or corrections of it where there are any to make.
    Begin,
    /// The text stopped in the middle (W4).
    GoOn,
    /// The message ended without the end line (W4).
    EndOrMore,
}

impl Turn {
    /// Opens a session and asks for its content (W1).
    pub(super) fn begin_write(&mut self, call_id: CallId, opening: Opening, effects: &mut Vec<Effect>) {
        let number = self.tally.write_begun(&opening);
        let started = TurnEvent::WriteStarted {
            write: number,
            tool_call_id: call_id.clone(),
            path: opening.path.clone(),
            operation: opening.operation,
            intent: opening.intent.clone(),
        };
        self.phase = Phase::ActionPhase;
        self.batch = None;
        self.emit(started, effects);
        self.say_notes();
        let permission = self.setup.tool(WRITE_PLAN_BEGIN).map_or(Permission::Ask, |tool| tool.permission);
        let session = WriteSession::new(number, call_id, opening, permission, Stage::Idle { call: 0 });
        self.prompt(session, Ask::Begin, effects);
    }

    /// One more model call of the session, if it has one left (T4).
    pub(super) fn prompt(&mut self, mut session: WriteSession, ask: Ask, effects: &mut Vec<Effect>) {
        if session.prompts >= self.setup.policy.max_write_prompts {
            let message = format!(
                "The content of {} did not become complete in {} messages.",
                session.opening.path, session.prompts
            );
            self.notice(NoticeCode::WritePromptsUsed, message.clone(), effects);
            let action = "Ask for it again, in smaller parts.";
            let error = ErrorInfo::new(Code::WriteFaulty, message, action);
            if session.has_content() {
                return self.propose_unfinished(session, &error, effects);
            }
            return self.finish_write(session, WriteStatus::Discarded, None, Some(error), effects);
        }
        session.prompts += 1;
        let call = self.tally.prompted();
        let started = TurnEvent::PhaseStarted {
            cycle: self.tally.cycles(),
            model_call: Some(session.prompts),
            write: Some(session.number),
            is_final: false,
        };
        self.emit(started, effects);
        // What was held back of the last message is part of what the model is told.
        session.capture.begin_message();
        let request = self.content_request(&session, ask);
        session.stage = Stage::Streaming(Stream {
            call,
            started_ms: self.now_ms,
            first_ms: None,
            prompt_bytes: request.text_bytes(),
            answer_bytes: 0,
            calls: Vec::new(),
            finish: None,
            usage: None,
        });
        self.state = State::Writing(Box::new(session));
        effects.push(Effect::CallModel { call, request });
    }

    /// The conversation, how content is to be sent, what there is of it, and what is asked. None of it stays in the conversation:
    /// when the session is over, a line says what became of it.
    fn content_request(&self, session: &WriteSession, ask: Ask) -> ModelRequest {
        let WriteSession { opening: Opening { path, operation, .. }, capture, correcting, .. } = session;
        let end = capture.end_line();
        let said = |text: &str| Message::Assistant {
            text: prompt::elided(text),
            reasoning: None,
            tool_calls: Vec::new(),
        };
        let mut messages = self.conversation.clone();
        let mut asked = prompt::send_content(path, *operation, end);
        if let Some(Correcting { content, faults }) = correcting {
            if !content.is_empty() {
                messages.push(self.word(asked));
                messages.push(said(content));
            }
            asked = prompt::corrections(path, *operation, faults, end);
        }
        let so_far = capture.text();
        match ask {
            Ask::Begin => {}
            Ask::GoOn | Ask::EndOrMore if so_far.is_empty() => asked = prompt::nothing_came(&asked),
            Ask::GoOn | Ask::EndOrMore => {
                messages.push(self.word(asked));
                messages.push(said(so_far));
                asked = match ask {
                    Ask::GoOn => prompt::go_on(so_far, end),
                    _ => prompt::end_or_more(so_far, end),
                };
            }
        }
        messages.push(self.word(asked));
        ModelRequest { model: self.setup.model.clone(), messages, tools: [].into() }
    }

    /// The session stays where it is: moving it costs more than a piece of content.
    pub(super) fn step_content(
        &mut self,
        mut session: Box<WriteSession>,
        call: u32,
        event: ModelInput,
        effects: &mut Vec<Effect>,
    ) {
        let Stage::Streaming(stream) = &mut session.stage else {
            return self.state = State::Writing(session);
        };
        if stream.call != call {
            // What a dropped call still says changes nothing.
            return self.state = State::Writing(session);
        }
        match event {
            ModelInput::Retrying { attempt, delay_ms, cause } => {
                self.tally.retried();
                let cause = cause.of_turn(self.setup.ids);
                self.emit(TurnEvent::Retrying { attempt, delay_ms, cause }, effects);
                self.state = State::Writing(session);
            }
            ModelInput::Deltas { deltas } => {
                stream.first_ms.get_or_insert(self.now_ms);
                for delta in deltas {
                    match delta {
                        ModelDelta::Text { text } => {
                            stream.answer_bytes += text.len();
                            session.capture.push(&text);
                        }
                        ModelDelta::Reasoning { text } if !text.is_empty() => {
                            let offset = self.reasoning_bytes;
                            self.reasoning_bytes += text.len() as u64;
                            effects.push(Effect::Show(
                                self.envelope(TurnEvent::ReasoningChunk { offset, text }),
                            ));
                        }
                        ModelDelta::Reasoning { .. } => {}
                        ModelDelta::ToolCall { delta } => {
                            stream.named(delta.name);
                        }
                        // P10: a second finish reason does not undo the first.
                        ModelDelta::Finish { reason } => {
                            stream.finish.get_or_insert(reason);
                        }
                        ModelDelta::Usage { usage } => stream.usage = Some(usage),
                    }
                }
                self.show_content(&mut session, effects);
                if session.capture.bytes() > MOST_CONTENT as u64 {
                    effects.push(Effect::DropModel { call });
                    return self.refuse_content(*session, effects);
                }
                self.state = State::Writing(session);
            }
            ModelInput::Ended => self.message_ended(*session, PhaseCause::Answered, effects),
            ModelInput::Failed { error } => {
                // What came is kept; where the answer broke off it can go on (W4). Without any, asking again would bring no more.
                let cut = error.retryable || error.code == Code::ResponseTooLarge;
                if stream.answer_bytes > 0 && cut {
                    let message = format!("{} Orion asks the model to go on.", error.message);
                    self.notice(NoticeCode::Other, message, effects);
                    return self.message_ended(*session, PhaseCause::Failed, effects);
                }
                self.end_content_phase(&mut session, PhaseCause::Failed, effects);
                if session.has_content() {
                    let message = format!("{} What has come so far can be looked at.", error.message);
                    self.notice(NoticeCode::Other, message, effects);
                    return self.propose_unfinished(*session, &error, effects);
                }
                self.discard(&session, effects);
                let error = error.of_turn(self.setup.ids);
                self.end(StopReason::Error, Some(error), effects);
            }
        }
    }

    /// Content that has become certain since, for the live view.
    fn show_content(&mut self, session: &mut WriteSession, effects: &mut Vec<Effect>) {
        let end = session.capture.shown();
        let Some(text) = session.capture.text().get(session.shown..end).filter(|text| !text.is_empty())
        else {
            return;
        };
        session.line_ends += memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
        // A correction is shown once it is part of the content, in the preview.
        if session.correcting.is_none() {
            let progress = TurnEvent::WriteProgress {
                write: session.number,
                offset: session.shown as u64,
                text: text.to_owned(),
                lines: session.line_ends + u64::from(!text.ends_with('\n')),
                bytes: end as u64,
            };
            effects.push(Effect::Show(self.envelope(progress)));
        }
        session.shown = end;
    }

    /// A message is over: the content is complete, or it goes on (W3, W4).
    fn message_ended(&mut self, mut session: WriteSession, cause: PhaseCause, effects: &mut Vec<Effect>) {
        let Stage::Streaming(stream) = &session.stage else {
            return self.state = State::Writing(Box::new(session));
        };
        let call = stream.call;
        let length = stream.finish.as_deref().map(FinishReason::of) == Some(FinishReason::Length);
        // P10: `length` is never taken for a finished file, and neither is a broken connection.
        let cut = length || cause != PhaseCause::Answered;
        let cause = if length { PhaseCause::Length } else { cause };
        // One that was cut off stays open: what looks like an end line may be the middle of the content.
        let end = if cut { MessageEnd::Open } else { session.capture.end_message() };
        self.show_content(&mut session, effects);
        self.end_content_phase(&mut session, cause, effects);
        match end {
            MessageEnd::Complete => self.content_complete(session, effects),
            MessageEnd::Open if cut => self.prompt(session, Ask::GoOn, effects),
            MessageEnd::Open => {
                session.stage = Stage::Idle { call };
                self.state = State::Writing(Box::new(session));
                effects.push(Effect::AwaitIdle { call });
            }
        }
    }

    /// The idle timer fired (W4).
    pub(super) fn step_idle(&mut self, call: u32, effects: &mut Vec<Effect>) {
        match std::mem::replace(&mut self.state, State::Over) {
            State::Writing(session) if matches!(session.stage, Stage::Idle { call: idle } if idle == call) => {
                self.prompt(*session, Ask::EndOrMore, effects);
            }
            other => self.state = other,
        }
    }

    /// Ends the phase of the model call that streams.
    pub(super) fn end_content_phase(
        &mut self,
        session: &mut WriteSession,
        cause: PhaseCause,
        effects: &mut Vec<Effect>,
    ) {
        let Stage::Streaming(stream) = &mut session.stage else { return };
        let usage = stream.usage();
        if let Some(usage) = usage {
            self.tally.used(usage);
        }
        let duration_ms = since(stream.started_ms, self.now_ms);
        self.tally.phase(self.phase, None, duration_ms);
        let ended = TurnEvent::PhaseEnded {
            duration_ms,
            cause,
            finish_reason: stream.finish.take(),
            usage,
            first_chunk_ms: stream.first_ms.map(|first_ms| since(stream.started_ms, first_ms)),
        };
        let names = std::mem::take(&mut stream.calls);
        self.emit(ended, effects);
        if !names.is_empty() {
            let reason = CallReason::WriteOpen;
            self.emit(TurnEvent::CallsBlocked { blocked_signatures: Vec::new(), names, reason }, effects);
            let message = "The model called a tool where content was due. It was not run.";
            self.notice(NoticeCode::WriteCallRefused, message, effects);
        }
    }

    /// Goes on in another process (A5, W7). `seq` is the last event that the journal has.
    pub(super) fn resume(&mut self, seq: u32, effects: &mut Vec<Effect>) {
        match std::mem::replace(&mut self.state, State::Over) {
            State::Writing(session) => {
                self.seq = self.seq.max(seq);
                self.resume_write(*session, effects);
            }
            other => self.state = other,
        }
    }

    fn resume_write(&mut self, session: WriteSession, effects: &mut Vec<Effect>) {
        self.emit(TurnEvent::Resumed, effects);
        match &session.stage {
            Stage::Streaming(_) => self.message_ended(session, PhaseCause::Interrupted, effects),
            Stage::Idle { .. } => self.prompt(session, Ask::EndOrMore, effects),
            Stage::Proposing { cause, source, faults, asked } => {
                let (cause, source, faults, asked) = (*cause, source.clone(), faults.clone(), asked.clone());
                self.propose(session, cause, source, faults, asked, effects);
            }
            Stage::Asking(_) => self.state = State::Writing(Box::new(session)),
            Stage::Writing { asked, approved } => {
                effects.push(Effect::RecoverWrite {
                    write: session.number,
                    path: session.opening.path.clone(),
                    leads_to: asked.proposal.leads_to.clone(),
                    base_sha256: asked.proposal.base_sha256.clone(),
                    sha256: approved.sha256.clone(),
                });
                self.state = State::Writing(Box::new(session));
            }
        }
    }
}

impl Stream {
    /// A call came where content was due. Of a hostile stream no more names are kept than of calls elsewhere.
    fn named(&mut self, name: Option<String>) {
        let fits = |name: &String| (1..=MAX_NAME).contains(&name.len()) && !self.calls.contains(name);
        if self.calls.len() < MAX_CALLS {
            self.calls.extend(name.filter(fits));
        }
    }

    /// The provider's word, else an estimate of 4 bytes a token; nothing when nothing came back.
    fn usage(&self) -> Option<Usage> {
        self.usage.or_else(|| {
            self.first_ms?;
            Some(estimated(self.prompt_bytes, self.answer_bytes))
        })
    }
}
