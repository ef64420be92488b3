//! `orion export`: a turn as plain text, made from its records alone. It reads turns of other versions too (T8).

use orion_core::prompt;
use orion_engine::Engine;
use orion_protocol::{
    Answer, Code, Envelope, ErrorInfo, Purpose, Query, RequestId, TurnEvent, TurnReport, WriteStatus,
};

use crate::args::ExportArgs;
use crate::exit::Exit;
use crate::output::put;
use crate::printed::Printed;
use crate::startup::Startup;

pub(crate) async fn export(args: &ExportArgs) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
    let text = text(&engine, args.request).await;
    engine.close().await?;
    put(&Printed::record(&text?))?;
    Ok(Exit::Answered)
}

async fn text(engine: &Engine, request_id: RequestId) -> Result<String, ErrorInfo> {
    let Answer::Events { envelopes } = engine.query(Query::Events { request_id, after_seq: 0 }).await? else {
        return Ok(String::new());
    };
    let mut text = format!("Turn {request_id}\n");
    for (at, envelope) in envelopes.iter().enumerate() {
        // The pieces of one text are joined in one paragraph.
        let goes_on = at.checked_sub(1).and_then(|before| envelopes.get(before)).is_some_and(|before| {
            before.event.chunk().is_some()
                && std::mem::discriminant(&before.event) == std::mem::discriminant(&envelope.event)
        });
        text.push_str(&part(engine, envelope, goes_on).await?);
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// What an event adds to the text.
async fn part(engine: &Engine, envelope: &Envelope, goes_on: bool) -> Result<String, ErrorInfo> {
    let request_id = envelope.request_id;
    Ok(match &envelope.event {
        TurnEvent::TurnStarted { model, endpoint, purpose: Purpose::Compact, .. } => {
            format!("Session {}\nModel {model} at {endpoint}\n", envelope.session_id)
        }
        TurnEvent::TurnStarted { text, model, endpoint, .. } => {
            format!("Session {}\nModel {model} at {endpoint}\n\n## You\n\n{text}\n", envelope.session_id)
        }
        TurnEvent::TextChunk { text, .. } | TurnEvent::ReasoningChunk { text, .. } if goes_on => text.clone(),
        TurnEvent::TextChunk { text, .. } => format!("\n## Orion\n\n{text}"),
        TurnEvent::ReasoningChunk { text, .. } => format!("\n## Reasoning\n\n{text}"),
        TurnEvent::PhaseEnded { .. } => "\n".to_owned(),
        TurnEvent::ToolCall { name, arguments, .. } => format!("\n## {name} {arguments}\n"),
        TurnEvent::ToolResult { tool_call_id, summary, error, .. } => {
            let query = Query::ToolCall { request_id, tool_call_id: tool_call_id.clone() };
            let result = match engine.query(query).await {
                Ok(Answer::ToolCall { call }) => call.result.unwrap_or_default(),
                // A call that was refused never ran.
                Ok(_) | Err(ErrorInfo { code: Code::TurnUnknown, .. }) => String::new(),
                Err(error) => return Err(error),
            };
            let error = error.as_ref().map_or_else(String::new, |error| format!("{}\n", error.message));
            format!("\n{summary}\n{error}\n{result}\n")
        }
        TurnEvent::DuplicateRefused { name, arguments, .. } => {
            format!("\n## {name} {arguments}\n\nNot run: the same call ran already.\n")
        }
        TurnEvent::CallReused { name, arguments, original, original_request_id, .. } => {
            let place = if *original_request_id == request_id {
                "this turn".to_owned()
            } else {
                format!("turn {original_request_id}")
            };
            format!(
                "\n## {name} {arguments}\n\nNot run: the file has not changed since call {original} of {place} read it.\n"
            )
        }
        TurnEvent::Notice { message, .. } => format!("\n{message}\n"),
        event @ TurnEvent::ContextCut { .. } => {
            crate::context::cut(event).map_or_else(String::new, |cut| format!("\n{cut}\n"))
        }
        TurnEvent::Compacted { entry, .. } => {
            let line = crate::context::compacted(&envelope.event).unwrap_or_default();
            format!("\n{line}\n\n{}\n", prompt::entry(entry))
        }
        TurnEvent::Retrying { cause, attempt, .. } => format!("\n{} Attempt {attempt}.\n", cause.message),
        TurnEvent::WriteReady { write, .. } => match engine.unified(request_id, Some(*write)).await {
            Ok(difference) => format!("\n## Proposed\n\n{difference}"),
            Err(ErrorInfo { code: Code::WriteUnknownSession, .. }) => String::new(),
            Err(error) => return Err(error),
        },
        TurnEvent::WriteDone { path, status, .. } => format!("\n{path}: {}\n", written(*status)),
        TurnEvent::Interrupted => "\nInterrupted.\n".to_owned(),
        event => event.terminal().map_or_else(String::new, ended),
    })
}

fn written(status: WriteStatus) -> &'static str {
    match status {
        WriteStatus::Written => "written",
        WriteStatus::Rejected => "rejected",
        WriteStatus::Discarded => "not written",
        WriteStatus::Failed => "could not be written",
        WriteStatus::Unknown => "it is not known whether it was written",
    }
}

fn ended(report: &TurnReport) -> String {
    let error = report.error.as_ref().map_or_else(String::new, |error| format!(" {}", error.message));
    let status = serde_json::to_value(report.status).unwrap_or_default();
    format!("\nThe turn {}.{error}\n", status.as_str().unwrap_or("ended"))
}
