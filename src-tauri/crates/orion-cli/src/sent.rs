//! `orion trace --sent`: what a model was sent in one call.

use orion_engine::Engine;
use orion_protocol::{Answer, Code, ErrorInfo, Query, RequestId, SentMessage, SentRequest, SentRole};

use crate::exit::Exit;
use crate::output::put;
use crate::printed::Printed;
use crate::terminal::size;

pub(crate) async fn show(
    engine: &Engine,
    request_id: RequestId,
    call: u32,
    json: bool,
) -> Result<Exit, ErrorInfo> {
    if json {
        return body(engine, request_id, call).await;
    }
    let mut request = page(engine, request_id, call, 0).await?;
    loop {
        let from = u32::try_from(request.messages.len()).unwrap_or(u32::MAX);
        if from >= request.count {
            break;
        }
        request.messages.extend(page(engine, request_id, call, from).await?.messages);
    }
    put(&Printed::record(&text(&request)))?;
    Ok(Exit::Answered)
}

/// The body as it was sent.
async fn body(engine: &Engine, request_id: RequestId, call: u32) -> Result<Exit, ErrorInfo> {
    let Answer::SentBody { body } = engine.query(Query::SentBody { request_id, call }).await? else {
        return Ok(Exit::Failed);
    };
    put(&Printed::written_json(body).line())?;
    Ok(Exit::Answered)
}

async fn page(
    engine: &Engine,
    request_id: RequestId,
    call: u32,
    from: u32,
) -> Result<SentRequest, ErrorInfo> {
    match engine.query(Query::Sent { request_id, call, from }).await? {
        // Without a message the next page would be asked for without end.
        Answer::Sent { request } if from == 0 || !request.messages.is_empty() => Ok(request),
        _ => Err(ErrorInfo::new(Code::Internal, "The request has no such messages.", "Try again.")),
    }
}

fn text(request: &SentRequest) -> String {
    let SentRequest { call, calls, model, count, bytes, same, tools, .. } = request;
    let tools = if tools.is_empty() { "none".to_owned() } else { tools.join(", ") };
    let mut text = format!(
        "Call {call} of {calls} to {model}: {count} messages, {}, the first {same} as before. Tools: {tools}.\n",
        size(*bytes)
    );
    for (number, message) in (1..).zip(&request.messages) {
        let new = if number > *same { ", new" } else { "" };
        text.push_str(&format!("\n--- {number} {}{new}, {}\n", role(message), size(message.bytes)));
        if let Some(reasoning) = &message.reasoning {
            text.push_str(&format!("[reasoning] {reasoning}\n"));
        }
        if !message.text.is_empty() {
            text.push_str(&message.text);
            text.push('\n');
        }
        if message.bytes > message.text.len() as u64 {
            text.push_str("[the rest is not shown]\n");
        }
        for call in &message.calls {
            text.push_str(&format!("[call {}] {} {}\n", call.id, call.name, call.arguments));
        }
    }
    text
}

fn role(message: &SentMessage) -> &'static str {
    match (message.role, message.orions) {
        (SentRole::System, _) => "system",
        (SentRole::User, true) => "user, written by Orion",
        (SentRole::User, false) => "user",
        (SentRole::Assistant, _) => "assistant",
        (SentRole::Tool, _) => "tool",
    }
}
