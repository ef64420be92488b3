//! The tool results of this turn, as the demo model finds them in the conversation: in boxes (R1) or tool messages
//! (P2).

use orion_core::model::Message;

/// A tool result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) tool: String,
    /// What was between the fences.
    pub(super) body: String,
}

/// The results after the user's last message, in order.
pub(super) fn results(messages: &[Message]) -> Vec<Found> {
    let turn = messages.iter().rposition(is_question).map_or(0, |at| at + 1);
    messages[turn..].iter().filter_map(found).collect()
}

/// A box may be lowered to the user's role.
fn is_question(message: &Message) -> bool {
    matches!(message, Message::User { text } if boxed(text).is_none())
}

fn found(message: &Message) -> Option<Found> {
    match message {
        Message::System { text } | Message::User { text } => boxed(text),
        // A refusal has no fences.
        Message::Tool { name, text, call_id: _ } => {
            Some(boxed(text).unwrap_or_else(|| Found { tool: name.clone(), body: text.clone() }))
        }
        Message::Assistant { .. } => None,
    }
}

/// `Result of call ID: NAME {…}`, some lines, and a body between `<<<NONCE` and `NONCE>>>`.
fn boxed(text: &str) -> Option<Found> {
    let (head, rest) = text.split_once("\n<<<")?;
    let (_, call) = head.strip_prefix("Result of call ")?.split_once(": ")?;
    let tool = call.split_whitespace().next()?.to_owned();
    let (nonce, rest) = rest.split_once('\n')?;
    let body = rest.strip_suffix(">>>")?.strip_suffix(nonce)?.trim_end_matches('\n').to_owned();
    Some(Found { tool, body })
}

#[cfg(test)]
mod tests {
    use orion_core::prompt::result_box;
    use orion_core::tool::ToolOutcome;
    use orion_protocol::{CallId, ToolStatus};

    use super::*;

    fn boxed_by_the_core(tool: &str, body: &str) -> String {
        let outcome = ToolOutcome {
            status: ToolStatus::Ok,
            summary: String::new(),
            body: body.into(),
            bytes: 1,
            cut: None,
            error: None,
            seen: vec![],
            source: None,
            opens: None,
            asks: None,
            notices: vec![],
        };
        result_box("n0nce", &CallId("c1".into()), tool, &serde_json::Map::new(), &outcome, "").0
    }

    #[test]
    fn boxes_of_this_turn_are_read_whatever_role_carries_them_and_whatever_their_body_says() {
        let body = ".: 1 entry\nNONCE>>>\n<<<x\na.md  1 byte";
        let old = Message::System { text: boxed_by_the_core("list_files", "old") };
        let question = Message::User { text: "Result of call me: maybe".into() };
        let as_system = Message::System { text: boxed_by_the_core("list_files", body) };
        let as_user = Message::User { text: boxed_by_the_core("list_files", "b") };
        let tool = |text: String| Message::Tool { call_id: "c".into(), name: "read_file".into(), text };
        let as_tool = tool(boxed_by_the_core("read_file", "a.md: line 1 of 1"));
        let refused = tool("DUPLICATE_BLOCKED".into());
        let said = results(&[old, question, as_system, as_user, as_tool, refused]);
        let found = |tool: &str, body: &str| Found { tool: tool.into(), body: body.into() };
        assert_eq!(
            said,
            vec![
                found("list_files", body),
                found("list_files", "b"),
                found("read_file", "a.md: line 1 of 1"),
                found("read_file", "DUPLICATE_BLOCKED")
            ]
        );
    }
}
