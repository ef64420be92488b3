//! What the demo model is asked, and the tool results of this turn, as it finds them in the conversation: in boxes (R1) or tool messages
//! (P2).

use orion_core::model::Message;

/// The tool that opens a write session.
pub(super) const WRITE: &str = "write_plan_begin";

/// A tool result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) tool: String,
    /// What was between the fences.
    pub(super) body: String,
}

/// What the model is to do next, and what it knows.
#[derive(Debug, Default)]
pub(super) struct Asked<'a> {
    /// The person's last message.
    pub(super) question: &'a str,
    /// The results since then, in order.
    pub(super) found: Vec<Found>,
    /// The content of a file is asked for: the line that ends it (W3).
    pub(super) end_line: Option<&'a str>,
}

impl<'a> Asked<'a> {
    pub(super) fn of(messages: &'a [Message]) -> Self {
        let at = messages.iter().rposition(is_question);
        let question = match at.map(|at| &messages[at]) {
            Some(Message::User { text, .. }) => text,
            _ => "",
        };
        let turn = &messages[at.map_or(0, |at| at + 1)..];
        let end_line = turn.last().and_then(|last| match last {
            Message::System { text } | Message::User { text, .. }
                if text.starts_with("The write session for ") =>
            {
                text.lines().last()
            }
            _ => None,
        });
        Self { question, found: turn.iter().filter_map(found).collect(), end_line }
    }
}

/// A box may be lowered to the user's role, and an image that came with the question has it.
fn is_question(message: &Message) -> bool {
    matches!(message, Message::User { text, images } if images.is_empty() && boxed(text).is_none() && !text.starts_with("The write session for "))
}

fn found(message: &Message) -> Option<Found> {
    match message {
        Message::System { text } | Message::User { text, .. } => boxed(text),
        // A refusal has no fences.
        Message::Tool { name, text, .. } => {
            Some(boxed(text).unwrap_or_else(|| Found { tool: name.clone(), body: text.clone() }))
        }
        Message::Assistant { .. } => None,
    }
}

/// `Result of call ID: NAME {…}`, some lines, and a body between `<<<NONCE` and `NONCE>>>`.
fn boxed(text: &str) -> Option<Found> {
    if let Some(ended) = text.strip_prefix("Result of the write session for ") {
        return Some(Found { tool: WRITE.to_owned(), body: ended.to_owned() });
    }
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
    use orion_core::tool::{Arguments, ToolOutcome};
    use orion_protocol::{CallId, ToolStatus};

    use super::*;

    fn boxed_by_the_core(tool: &str, body: &str) -> String {
        let outcome = ToolOutcome { body: body.into(), bytes: 1, ..ToolOutcome::ended(ToolStatus::Ok, "") };
        let none = Arguments::parse(None, &serde_json::Map::new(), "/");
        result_box("n0nce", &CallId("c1".into()), tool, &none, &outcome, "").0
    }

    #[test]
    fn boxes_of_this_turn_are_read_whatever_role_carries_them_and_whatever_their_body_says() {
        let body = ".: 1 entry\nNONCE>>>\n<<<x\na.md  1 byte";
        let old = Message::System { text: boxed_by_the_core("list_files", "old") };
        let question = Message::user("Result of call me: maybe");
        let as_system = Message::System { text: boxed_by_the_core("list_files", body) };
        let as_user = Message::user(boxed_by_the_core("list_files", "b"));
        let tool = |text: String| Message::Tool {
            call_id: "c".into(),
            name: "read_file".into(),
            text,
            images: Vec::new(),
        };
        let as_tool = tool(boxed_by_the_core("read_file", "a.md: line 1 of 1"));
        let refused = tool("DUPLICATE_BLOCKED".into());
        let messages = [old, question, as_system, as_user, as_tool, refused];
        let Asked { question, found: said, end_line } = Asked::of(&messages);
        assert_eq!((question, end_line), ("Result of call me: maybe", None));
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

    #[test]
    fn content_is_asked_for_by_the_last_message_and_ends_with_its_last_line() {
        use orion_core::prompt::send_content;
        use orion_protocol::WriteOperation;

        let question = Message::user("Write it.");
        let asked = Message::System { text: send_content("a.md", WriteOperation::Create, "DONE") };
        let written = "Result of the write session for a.md (create).\n…\n<<<n\nwritten: a.md\nn>>>\nThe file is as approved.";
        let messages = [question.clone(), asked.clone()];
        assert_eq!(Asked::of(&messages).end_line, Some("DONE"));
        let messages = [question, asked, Message::System { text: written.into() }];
        let after = Asked::of(&messages);
        assert_eq!((after.end_line, after.found.len(), after.question), (None, 1, "Write it."));
        assert_eq!(after.found[0].tool, WRITE);
    }
}
