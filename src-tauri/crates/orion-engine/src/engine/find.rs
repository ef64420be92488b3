//! Finds a text in one session, wherever it stands in its turns: in messages, answers, reasoning, calls and results.
//!
//! Each answer reads the events of only a few pages of turns, so searching a long session takes several answers. What counts is what the
//! window shows of a turn, so the two agree on how often a text is there.

use orion_protocol::{
    CallId, Envelope, ErrorInfo, FindHit, FindPage, FindPart, Purpose, RequestId, SessionId, TurnEvent,
    TurnPlace, TurnView, whole_texts,
};
use serde_json::Value;

use super::Engine;

/// Turns that are read at once, and how many such pages and bytes of text one answer looks through: some tens of milliseconds.
const TURNS: u32 = 50;
const PAGES: u32 = 8;
const BYTES: usize = 4 << 20;

/// The longest text that is looked for, in bytes: no person types more.
const LONGEST: usize = 1_000;

impl Engine {
    /// Where a text stands in the turns of the path, from the first one or this one on, whatever the case of its letters.
    ///
    /// # Errors
    /// `session_unknown`, `turn_unknown`.
    pub(super) async fn find(
        &self,
        session_id: SessionId,
        text: &str,
        from: Option<RequestId>,
    ) -> Result<FindPage, ErrorInfo> {
        let wanted = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default().to_lowercase();
        let mut page = FindPage { hits: Vec::new(), next: None };
        if wanted.is_empty() {
            return Ok(page);
        }
        let mut from = match from {
            Some(from) => from,
            None => match self.shared.store.first_of_path(session_id).await? {
                Some(first) => first,
                None => return Ok(page),
            },
        };
        let mut looked_at = 0;
        for number in 1_u32.. {
            let read = self.session_page(session_id, TurnPlace::From { request_id: from }, TURNS).await?;
            // The path has left that turn meanwhile.
            if read.anew {
                break;
            }
            let Some(last) = read.turns.last().map(|turn| turn.request_id) else { break };
            for turn in read.turns {
                looked_at += self.find_in(turn, &wanted, &mut page.hits).await?;
            }
            if !read.later {
                break;
            }
            let Some(next) = self.shared.store.after_on_path(last).await? else { break };
            from = next;
            if number >= PAGES || looked_at >= BYTES {
                page.next = Some(next);
                break;
            }
        }
        Ok(page)
    }

    /// Adds the hits of one turn, and returns how many bytes it looked at.
    async fn find_in(
        &self,
        turn: TurnView,
        wanted: &str,
        hits: &mut Vec<FindHit>,
    ) -> Result<usize, ErrorInfo> {
        let request_id = turn.request_id;
        let mut bytes = 0;
        for (part, mut text) in parts(turn.envelopes) {
            if let FindPart::Tool { tool_call_id } = &part
                && let Ok(call) = self.tool_call(request_id, tool_call_id.clone()).await
                && let Some(result) = call.result
            {
                text.push('\n');
                text.push_str(&result);
            }
            bytes += text.len();
            let times = u32::try_from(text.to_lowercase().matches(wanted).count()).unwrap_or(u32::MAX);
            if times > 0 {
                hits.push(FindHit { request_id, part, times });
            }
        }
        Ok(bytes)
    }
}

/// The texts of a turn in the order in which they are shown; of a call, those of its arguments.
fn parts(envelopes: Vec<Envelope>) -> Vec<(FindPart, String)> {
    let mut parts: Vec<(FindPart, String)> = Vec::new();
    for Envelope { seq, event, .. } in whole_texts(envelopes) {
        match event {
            // A compaction shows its entry, and neither what asked for it nor the words of the model.
            TurnEvent::TurnStarted { purpose: Purpose::Compact, .. } => return Vec::new(),
            TurnEvent::TurnStarted { text, .. } => parts.push((FindPart::Message, text)),
            TurnEvent::Steered { text } => parts.push((FindPart::Steered { seq }, text)),
            TurnEvent::TextChunk { text, .. } => parts.push((FindPart::Text { seq }, text)),
            TurnEvent::ReasoningChunk { text, .. } => parts.push((FindPart::Reasoning { seq }, text)),
            TurnEvent::ToolCall { tool_call_id, arguments, .. } => {
                parts.push((FindPart::Tool { tool_call_id }, strings(&arguments)));
            }
            // The call that opened it is shown as the file that it writes.
            TurnEvent::WriteStarted { tool_call_id, .. } => {
                parts.retain(|(part, _)| !is_of(part, &tool_call_id))
            }
            _ => {}
        }
    }
    parts
}

fn is_of(part: &FindPart, call: &CallId) -> bool {
    matches!(part, FindPart::Tool { tool_call_id } if tool_call_id == call)
}

/// The texts in arguments, each on a line.
fn strings(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(strings).collect::<Vec<_>>().join("\n"),
        Value::Object(fields) => fields.values().map(strings).collect::<Vec<_>>().join("\n"),
    }
}
