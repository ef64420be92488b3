//! Receives the content of a write session (W1–W4): a message, its continuation when it was cut off, the end line.
//! Deliberately not here: content that is complete, or never will be (`complete`).
//!
//! Each message is a model call of its own, a prompt. The policy limits their number (T4). None of them may call a tool.

use orion_protocol::{CallReason, Code, ErrorInfo, NoticeCode, Phase, PhaseCause, TurnEvent};

use super::course::Course;
use super::flags::Flag;
use super::phases::SignedCall;
use super::response::{Most, Over, Response, Sent};
use super::session::{Ask, Correcting, Stage, Stream, WriteSession};
use super::state::Next;
use super::{Effect, ModelInput};
use crate::merge::{MAX_CALLS, MAX_NAME};
use crate::model::{FinishReason, Message, ModelDelta, ModelRequest};
use crate::prompt;
use crate::signature::Hashed;
use crate::tool::Opening;
use crate::write::MessageEnd;

/// The largest content, in bytes: 64 MiB, what one response may have.
const MOST_CONTENT: usize = 64 * 1024 * 1024;

impl Course {
    /// Opens a session and asks for its content (W1).
    pub(super) fn begin_write(
        &mut self,
        call: SignedCall,
        opening: Opening,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let number = self.tally.write_begun(&opening);
        let started = TurnEvent::WriteStarted {
            write: number,
            tool_call_id: call.id.clone(),
            path: opening.path.clone(),
            operation: opening.operation,
            intent: opening.intent.clone(),
        };
        self.phase = Phase::ActionPhase;
        self.batch = None;
        self.emit(started, effects);
        self.say_notes();
        let mut session = WriteSession::new(number, call, opening, Stage::Idle { call: 0 });
        self.prompt(&mut session, Ask::Begin, effects).or_enter(|| Next::Writing(Box::new(session)))
    }

    /// One more model call of the session, if it has one left (T4).
    pub(super) fn prompt(&mut self, session: &mut WriteSession, ask: Ask, effects: &mut Vec<Effect>) -> Next {
        if session.prompts >= self.setup.policy.max_write_prompts {
            let message = format!(
                "The content of {} did not become complete in {} messages.",
                session.opening.path, session.prompts
            );
            let error = ErrorInfo::new(Code::WriteFaulty, message, "Ask for it again, in smaller parts.");
            return self.give_up(session, NoticeCode::WritePromptsUsed, error, effects);
        }
        if session.said_again {
            let path = &session.opening.path;
            let message =
                format!("The model sent the same message again, so it is not asked for more of {path}.");
            let action = "Ask for it in other words, or choose another model.";
            let error = ErrorInfo::new(Code::WriteFaulty, message, action);
            return self.give_up(session, NoticeCode::RepeatedItself, error, effects);
        }
        // The part of the last message that was held back is shown to the model as well.
        session.capture.begin_message();
        if let Err(error) = self.make_content_room(session, ask, effects) {
            return self.give_up(session, NoticeCode::Other, error, effects);
        }
        let mut request = self.content_request(session, ask);
        let bytes = request.bytes();
        let allowance = match self.content_allowance(bytes) {
            Ok(allowance) => allowance,
            Err(exhausted) => return self.content_exhausted(session, exhausted, effects), // T7
        };
        request.max_output_tokens = allowance.at_most(request.max_output_tokens);
        session.prompts += 1;
        let call = self.tally.prompted();
        let started = TurnEvent::PhaseStarted {
            cycle: self.tally.cycles(),
            model_call: Some(session.prompts),
            write: Some(session.number),
            is_final: false,
        };
        self.emit(started, effects);
        let sent = Sent { now_ms: self.now_ms, allowance };
        let response = Response::to(&request, call, sent);
        session.stage = Stage::Streaming(Stream { response, calls: Vec::new(), said: Hashed::default() });
        self.conversation.sent();
        effects.push(Effect::CallModel { call, request });
        Next::Stay
    }

    /// Room for the next request of the session (X3).
    ///
    /// # Errors
    /// `context_too_long`, where the request does not fit whatever leaves the conversation.
    fn make_content_room(
        &mut self,
        session: &WriteSession,
        ask: Ask,
        effects: &mut Vec<Effect>,
    ) -> Result<(), ErrorInfo> {
        let Some(room) = self.content_room() else { return Ok(()) };
        let tools = self.tools_without_calls();
        let own = self.content_request(session, ask).bytes().saturating_sub(self.request_bytes(&tools));
        self.make_room_for(own, room, &tools, effects)
    }

    /// A request: the conversation, how to send content, the content so far, and what is asked for. None of it stays in the conversation.
    /// When the session is over, one line says how it ended.
    fn content_request(&self, session: &WriteSession, ask: Ask) -> ModelRequest {
        let WriteSession { opening: Opening { path, operation, .. }, capture, correcting, .. } = session;
        let end = capture.end_line();
        let whole = self.content_share(correcting.is_some());
        let said = |text: &str| Message::Assistant {
            text: prompt::elided(text, whole),
            reasoning: None,
            tool_calls: Vec::new(),
        };
        let mut messages = self.messages();
        let mut asked = prompt::send_content(path, *operation, end);
        if let Some(Correcting { content, faults }) = correcting {
            if !content.is_empty() {
                messages.push(Message::System { text: asked });
                messages.push(said(content));
            }
            asked = prompt::corrections(path, *operation, faults, end);
        }
        let so_far = capture.text();
        match ask {
            Ask::Begin => {}
            Ask::GoOn | Ask::EndOrMore if so_far.is_empty() => asked = prompt::nothing_came(&asked),
            Ask::GoOn | Ask::EndOrMore => {
                messages.push(Message::System { text: asked });
                messages.push(said(so_far));
                asked = match ask {
                    Ask::GoOn => prompt::go_on(so_far, end),
                    _ => prompt::end_or_more(so_far, end),
                };
            }
        }
        messages.push(Message::System { text: asked });
        ModelRequest {
            model: self.setup.model.clone(),
            messages,
            tools: self.tools_without_calls(),
            forbids_tools: true,
            max_output_tokens: self.content_limit(),
            tuning: self.setup.tuning,
        }
    }

    pub(super) fn step_content(
        &mut self,
        session: &mut WriteSession,
        call: u32,
        event: ModelInput,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let Stage::Streaming(Stream { response, calls, said }) = &mut session.stage else {
            return Next::Stay;
        };
        if response.call() != call {
            // A call that was dropped changes nothing any more.
            return Next::Stay;
        }
        match event {
            ModelInput::Changed { .. } | ModelInput::Connected => Next::Stay,
            ModelInput::Retrying { attempt, delay_ms, cause } => {
                self.retrying(attempt, delay_ms, cause, effects);
                Next::Stay
            }
            ModelInput::Deltas { deltas } => {
                response.came(self.now_ms);
                let policy = self.setup.policy;
                for mut delta in deltas {
                    let file = policy.max_file_bytes.map(u64::from);
                    let text = file.map(|most| most.saturating_sub(session.sent_bytes));
                    let over = response.take_in(&mut delta, Most { text, aside: policy.most_answer_bytes() });
                    let may_repeat = session.may_repeat && matches!(delta, ModelDelta::Text { .. });
                    let repeating = if may_repeat { None } else { self.watch(response, &mut delta, None) };
                    match delta {
                        ModelDelta::Text { text } => {
                            response.count(text.len());
                            session.sent_bytes += text.len() as u64;
                            said.push(&text);
                            session.capture.push(&text);
                        }
                        ModelDelta::Reasoning { text } if !text.is_empty() => {
                            self.show_reasoning(text, effects);
                        }
                        ModelDelta::Reasoning { .. }
                        | ModelDelta::ReasoningField { .. }
                        | ModelDelta::ReasoningDetails { .. } => {}
                        ModelDelta::ToolCall { delta } => note_name(calls, delta.name),
                        ModelDelta::Finish { reason } => response.finish(reason),
                        ModelDelta::Usage { usage } => response.used(usage),
                    }
                    if let Some(repeating) = repeating {
                        self.show_content(session, effects);
                        effects.push(Effect::DropModel { call });
                        return self.cut_content(session, repeating, effects); // P11
                    }
                    if let Some(over) = over {
                        self.show_content(session, effects);
                        effects.push(Effect::DropModel { call });
                        return self.content_over(session, over, effects); // T7
                    }
                }
                self.show_content(session, effects);
                if session.capture.bytes() > MOST_CONTENT as u64 {
                    effects.push(Effect::DropModel { call });
                    return self.refuse_content(session, effects);
                }
                Next::Stay
            }
            ModelInput::Ended => match response.meaning(&self.setup.profile) {
                // P10: an end line before a failure or a filter proves nothing.
                FinishReason::Failed(_) | FinishReason::ContentFilter => {
                    let error = response.broke_off().unwrap_or_else(filtered);
                    self.content_failed(session, error, effects)
                }
                // With an end line the model itself says that the content is complete. Without one it is asked.
                FinishReason::Complete | FinishReason::Length | FinishReason::Unknown => {
                    self.message_ended(session, PhaseCause::Answered, effects)
                }
            },
            ModelInput::Failed { error } => self.content_failed(session, error, effects),
        }
    }

    /// The message is at its limit: the model is asked to go on, unless it is the file that has no more bytes left.
    fn content_over(&mut self, session: &mut WriteSession, over: Over, effects: &mut Vec<Effect>) -> Next {
        match (over, &mut session.stage) {
            (Over::Response, Stage::Streaming(Stream { response, .. })) => {
                response.cut_off();
                self.message_ended(session, PhaseCause::Answered, effects)
            }
            _ => {
                self.end_content_phase(session, PhaseCause::Length, effects);
                let most = self.setup.policy.max_file_bytes.unwrap_or_default();
                let message = format!("The content of {} is longer than {most} bytes.", session.opening.path);
                let error = ErrorInfo::new(
                    Code::ResponseTooLarge,
                    message,
                    "Ask for a smaller file, or raise max_file_bytes.",
                );
                self.give_up(session, NoticeCode::CutByLength, error, effects)
            }
        }
    }

    /// The call failed. Text that came is kept, and the model can go on where it broke off (W4). If nothing came,
    /// asking again helps only with a shorter conversation (X5).
    fn content_failed(
        &mut self,
        session: &mut WriteSession,
        error: ErrorInfo,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let said = matches!(&session.stage, Stage::Streaming(Stream { response, .. }) if response.answer_bytes() > 0);
        let cut = error.retryable || error.code == Code::ResponseTooLarge;
        if said && cut {
            let message = format!("{} Orion asks the model to go on.", error.message);
            self.notice(NoticeCode::Other, message, effects);
            return self.message_ended(session, PhaseCause::Failed, effects);
        }
        self.end_content_phase(session, PhaseCause::Failed, effects);
        if error.code == Code::ContextTooLong && !said && self.make_half_room(effects) {
            // X5
            let ask = if session.capture.bytes() == 0 { Ask::Begin } else { Ask::GoOn };
            return self.prompt(session, ask, effects);
        }
        if session.has_content() {
            let message = format!("{} What has come so far can be looked at.", error.message);
            self.notice(NoticeCode::Other, message, effects);
            self.propose_unfinished(session, &error, effects);
            return Next::Stay;
        }
        self.discard(session, effects);
        self.end_failed(error, effects)
    }

    /// Shows the content that has become certain, in the live view.
    pub(super) fn show_content(&mut self, session: &mut WriteSession, effects: &mut Vec<Effect>) {
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

    /// A message has ended: the content is complete, or it goes on (W3, W4).
    pub(super) fn message_ended(
        &mut self,
        session: &mut WriteSession,
        cause: PhaseCause,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let Stage::Streaming(Stream { response, said, .. }) = &session.stage else { return Next::Stay };
        let call = response.call();
        let said = (cause == PhaseCause::Answered).then(|| said.digest());
        let same = said.is_some() && session.last_said == said;
        session.said_again = self.setup.flags.has(Flag::CutRepeats) && !session.may_repeat && same;
        session.last_said = said;
        let length = response.meaning(&self.setup.profile) == FinishReason::Length;
        // P10: `length` is never taken for a finished file, and neither is a broken connection.
        let cut = length || cause != PhaseCause::Answered;
        let cause = if length { PhaseCause::Length } else { cause };
        // A message that was cut off stays open, since what looks like an end line may be the middle of the content.
        let end = if cut { MessageEnd::Open } else { session.capture.end_message() };
        self.show_content(session, effects);
        self.end_content_phase(session, cause, effects);
        match end {
            MessageEnd::Complete => self.content_complete(session, effects),
            MessageEnd::Open if cut || session.said_again => self.prompt(session, Ask::GoOn, effects),
            MessageEnd::Open => {
                session.stage = Stage::Idle { call };
                effects.push(Effect::AwaitIdle { call });
                Next::Stay
            }
        }
    }

    /// The idle timer fired (W4).
    pub(super) fn step_idle(
        &mut self,
        session: &mut WriteSession,
        call: u32,
        effects: &mut Vec<Effect>,
    ) -> Next {
        if matches!(session.stage, Stage::Idle { call: idle } if idle == call) {
            self.prompt(session, Ask::EndOrMore, effects)
        } else {
            Next::Stay
        }
    }

    /// Ends the phase of the model call that streams.
    pub(super) fn end_content_phase(
        &mut self,
        session: &mut WriteSession,
        cause: PhaseCause,
        effects: &mut Vec<Effect>,
    ) {
        let Stage::Streaming(Stream { response, calls, .. }) = &mut session.stage else { return };
        let names = std::mem::take(calls);
        self.end_response(response, cause, effects);
        if !names.is_empty() {
            let reason = CallReason::WriteOpen;
            self.emit(TurnEvent::CallsBlocked { blocked_signatures: Vec::new(), names, reason }, effects);
            let message = "The model called a tool where content was due. It was not run.";
            self.notice(NoticeCode::WriteCallRefused, message, effects);
        }
    }
}

fn filtered() -> ErrorInfo {
    let message = "The provider's content filter ended the content.";
    ErrorInfo::new(Code::CutOff, message, "Ask for it in other words, or choose another endpoint.")
}

/// A call came instead of content. The stream may be hostile, so no more names are kept than of calls elsewhere.
fn note_name(calls: &mut Vec<String>, name: Option<String>) {
    let fits = |name: &String| (1..=MAX_NAME).contains(&name.len()) && !calls.contains(name);
    if calls.len() < MAX_CALLS
        && let Some(name) = name.filter(fits)
    {
        calls.push(name);
    }
}
