//! What is taken out of the conversation, or pinned, before a message (X3), as flags.

use clap::Args;
use orion_protocol::{CallId, ContextEdit, RequestId};

/// A turn, or the result of one of its calls: `REQUEST` or `REQUEST:CALL`. `orion context` lists both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TurnOrResult {
    request_id: RequestId,
    tool_call_id: Option<CallId>,
}

fn turn_or_result(text: &str) -> Result<TurnOrResult, &'static str> {
    let (turn, call) = text.split_once(':').map_or((text, None), |(turn, call)| (turn, Some(call)));
    let request_id =
        turn.parse().map_err(|_| "expected the id of a turn, or TURN:CALL; orion context lists them")?;
    Ok(TurnOrResult { request_id, tool_call_id: call.map(|call| CallId(call.to_owned())) })
}

#[derive(Debug, Args)]
pub(crate) struct EditFlags {
    /// Take a turn out of the conversation, or the text of one result
    #[arg(long, value_name = "TURN[:CALL]", value_parser = turn_or_result)]
    take_out: Vec<TurnOrResult>,
    /// Cut the conversation to half before the message
    #[arg(long)]
    make_room: bool,
    /// Keep a turn, or one result, in the conversation whatever is cut
    #[arg(long, value_name = "TURN[:CALL]", value_parser = turn_or_result)]
    pin: Vec<TurnOrResult>,
    /// Take a pin off
    #[arg(long, value_name = "TURN[:CALL]", value_parser = turn_or_result)]
    unpin: Vec<TurnOrResult>,
}

impl EditFlags {
    pub(crate) fn make_room(&self) -> bool {
        self.make_room
    }

    pub(crate) fn edits(&self) -> Vec<ContextEdit> {
        let out =
            self.take_out.iter().cloned().map(
                |TurnOrResult { request_id, tool_call_id }| match tool_call_id {
                    Some(tool_call_id) => ContextEdit::EmptyBox { request_id, tool_call_id },
                    None => ContextEdit::RemoveTurn { request_id },
                },
            );
        out.chain(self.pin.iter().map(|of| pin(of, true)))
            .chain(self.unpin.iter().map(|of| pin(of, false)))
            .collect()
    }
}

fn pin(of: &TurnOrResult, pinned: bool) -> ContextEdit {
    let TurnOrResult { request_id, tool_call_id } = of.clone();
    match tool_call_id {
        Some(tool_call_id) => ContextEdit::PinBox { request_id, tool_call_id, pinned },
        None => ContextEdit::PinTurn { request_id, pinned },
    }
}
