//! What a model was sent, for a person to read.

use orion_core::model::{CallMade, Message, Profile, Reasoning, ResultsAs};
use orion_core::turn::TurnSetup;
use orion_protocol::{Code, ErrorInfo, RequestId, SentCall, SentMessage, SentRequest, SentRole};

use super::Engine;
use crate::config::DEMO;
use crate::driver::{Sent, sent};

/// Messages in a page.
const MESSAGES: usize = 100;

/// Bytes of text in a page, unless its first message has more.
const PAGE: usize = 262_144;

/// Bytes of one message that are shown: twice the largest result by default.
const MESSAGE: usize = 65_536;

impl Engine {
    /// A page of the request of a model call.
    ///
    /// # Errors
    /// Those of [`sent`].
    pub(super) async fn sent(
        &self,
        request_id: RequestId,
        call: u32,
        from: u32,
    ) -> Result<SentRequest, ErrorInfo> {
        if let Some(turn) = self.shared.turns.get(request_id) {
            turn.flush().await;
        }
        let Sent { setup, request, same, before, changed, tools_changed, calls } =
            sent(&self.shared.store, request_id, call).await?;
        let mut messages = Vec::new();
        let mut bytes = 0;
        let first = usize::try_from(from).unwrap_or(usize::MAX);
        for (at, message) in request.messages.iter().enumerate().skip(first).take(MESSAGES) {
            let before = request.messages.get(..at).unwrap_or_default();
            let message = self.readable(before, message, &setup.profile);
            bytes += message.text.len() + message.reasoning.as_ref().map_or(0, String::len);
            if bytes > PAGE && !messages.is_empty() {
                break;
            }
            messages.push(message);
        }
        Ok(SentRequest {
            request_id,
            call,
            calls,
            endpoint: setup.endpoint,
            model: request.model,
            tuning: request.tuning,
            tools: request.tools.names().map(str::to_owned).collect(),
            tools_bytes: request.tools.bytes(),
            bytes: request.messages.iter().map(|message| message.text_bytes() as u64).sum(),
            count: number(request.messages.len()),
            same: number(same),
            before: number(before),
            same_bytes: request.messages.iter().take(same).map(|message| message.text_bytes() as u64).sum(),
            changed: changed.map(|message| {
                self.readable(request.messages.get(..same).unwrap_or_default(), &message, &setup.profile)
            }),
            tools_changed,
            from,
            messages,
        })
    }

    /// The body of the request of a model call, as it was sent: JSON on one line. Only a key that stands in it is not shown.
    ///
    /// # Errors
    /// Those of [`sent`], and `usage` where no request was sent or the turn does not say how it was written.
    pub(super) async fn sent_body(&self, request_id: RequestId, call: u32) -> Result<String, ErrorInfo> {
        if let Some(turn) = self.shared.turns.get(request_id) {
            turn.flush().await;
        }
        let Sent { setup, request, .. } = sent(&self.shared.store, request_id, call).await?;
        let body =
            self.shared.options.connector.body(&request, &setup.profile).ok_or_else(|| unwritten(&setup))?;
        let body = String::from_utf8(body).map_err(|_| unwritten(&setup))?;
        Ok(self.shared.options.keys.redactor().redact(&body).into_owned())
    }

    /// A message in the role in which the provider took it (R1).
    fn readable(&self, before: &[Message], message: &Message, profile: &Profile) -> SentMessage {
        let orions = if before.is_empty() { SentRole::System } else { role_of_words(before, profile) };
        let (role, orions, text) = match message {
            Message::System { text } => (orions, true, text),
            Message::User { text, .. } => (SentRole::User, false, text),
            Message::Assistant { text, .. } => (SentRole::Assistant, false, text),
            Message::Tool { text, .. } if profile.no_tool_messages => (SentRole::User, true, text),
            Message::Tool { text, .. } => (SentRole::Tool, true, text),
        };
        let (reasoning, calls, call_id) = match message {
            Message::Assistant { reasoning, tool_calls, .. } => {
                let sent =
                    |reasoning: &&Reasoning| profile.sends_reasoning() && reasoning.is_for(profile.origin);
                let reasoning = reasoning.as_ref().filter(sent);
                let calls = if profile.no_tool_messages { &[][..] } else { tool_calls };
                (reasoning.map(|reasoning| self.shortened(&reasoning.text)), calls, None)
            }
            Message::Tool { call_id, .. } => (None, &[][..], Some(call_id.clone())),
            Message::System { .. } | Message::User { .. } => (None, &[][..], None),
        };
        SentMessage {
            role,
            orions,
            text: self.shortened(text),
            bytes: text.len() as u64,
            reasoning,
            calls: calls.iter().map(|call| self.sent_call(call)).collect(),
            call_id,
        }
    }

    fn sent_call(&self, call: &CallMade) -> SentCall {
        let CallMade { id, name, arguments, .. } = call;
        SentCall { id: id.clone(), name: name.clone(), arguments: self.shortened(arguments) }
    }

    /// The beginning of a text, without secrets.
    fn shortened(&self, text: &str) -> String {
        let redacted = self.shared.options.keys.redactor().redact(text);
        redacted.get(..redacted.floor_char_boundary(MESSAGE)).unwrap_or_default().to_owned()
    }
}

/// The role of Orion's words after these messages: in the form `tool` they join the last tool message.
fn role_of_words(before: &[Message], profile: &Profile) -> SentRole {
    let last = before.iter().rfind(|message| !matches!(message, Message::System { .. }));
    match (profile.results_as, last) {
        (ResultsAs::System, _) => SentRole::System,
        (ResultsAs::Tool, Some(Message::Tool { .. })) if !profile.no_tool_messages => SentRole::Tool,
        (ResultsAs::Tool | ResultsAs::User, _) => SentRole::User,
    }
}

fn unwritten(setup: &TurnSetup) -> ErrorInfo {
    if setup.endpoint == DEMO {
        let message = "The demo model is built in: no request was sent.";
        return ErrorInfo::new(Code::Usage, message, "Ask a model that is connected.");
    }
    let message = "The endpoint of this turn did not say how its requests are written.";
    ErrorInfo::new(Code::OtherVersion, message, "Read what was sent message by message instead.")
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
