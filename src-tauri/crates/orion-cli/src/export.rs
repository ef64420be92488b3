//! `orion export`: a turn or a session as a file for another Orion, as a document for people, or as plain text, which is made from the
//! records alone. Turns of other versions can be exported too (T8).

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use orion_core::prompt;
use orion_engine::Engine;
use orion_protocol::{
    Answer, ChangesOf, Code, EditedResult, Envelope, ErrorInfo, ExportFormat, ExportedFile, Given, Op,
    Outcome, PendingOf, Purpose, Query, RequestId, SessionId, TurnEvent, TurnReport, WriteStatus,
    whole_texts,
};
use uuid::Uuid;

use crate::exit::Exit;
use crate::ids::{any_id, neither};
use crate::output::put;
use crate::printed::Printed;
use crate::startup::Startup;
use crate::terminal::{count, remark, size};

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The id of a turn or of a session
    #[arg(value_parser = any_id)]
    id: Uuid,
    /// Write to this file; without it, to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What to write; by the end of the file's name (.md, .html, .txt, else orion) or text when it is not given
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
    /// With the contents of the files that were written; without it, their digests and sizes stay
    #[arg(long)]
    files: bool,
    /// Replace a file that is there
    #[arg(long, requires = "output")]
    force: bool,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    /// Everything that another Orion needs to show and to replay it
    Orion,
    /// The conversation, for people
    Markdown,
    /// The same as one page
    Html,
    Text,
}

impl ExportArgs {
    fn format(&self) -> FormatArg {
        let by_name = |path: &Path| match path.extension().and_then(|end| end.to_str()) {
            Some("md" | "markdown") => FormatArg::Markdown,
            Some("html" | "htm") => FormatArg::Html,
            Some("txt") => FormatArg::Text,
            _ => FormatArg::Orion,
        };
        self.format.unwrap_or_else(|| self.output.as_deref().map_or(FormatArg::Text, by_name))
    }
}

pub(crate) async fn export(args: &ExportArgs) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
    let exported = exported(&engine, args).await;
    engine.close().await?;
    exported
}

async fn exported(engine: &Engine, args: &ExportArgs) -> Result<Exit, ErrorInfo> {
    let of = found(engine, args.id).await?;
    let format = match args.format() {
        FormatArg::Orion => ExportFormat::Orion,
        FormatArg::Markdown => ExportFormat::Markdown,
        FormatArg::Html => ExportFormat::Html,
        FormatArg::Text => return as_text(engine, of, args).await,
    };
    let Some(path) = &args.output else {
        if format == ExportFormat::Orion {
            return Err(ErrorInfo::new(
                Code::Usage,
                "This format is not for a terminal.",
                "Name a file with --output.",
            ));
        }
        let export = engine.export(of, format, args.files).await?;
        put(&Printed::answer(&String::from_utf8_lossy(&export.content), true))?;
        say_keys(&export.keys_not_read);
        return Ok(Exit::Answered);
    };
    let path = std::path::absolute(path).map_err(|error| unnamed(path).with_detail(error.to_string()))?;
    let path = path.into_os_string().into_string().map_err(|path| unnamed(Path::new(&path)))?;
    let op = Op::Export { of, path: Some(path), format, files: args.files, replaces: args.force };
    let Outcome::Exported { file } = engine.submit(op).await? else { return Ok(Exit::Failed) };
    say(&file, args.files, format);
    Ok(Exit::Answered)
}

fn unnamed(path: &Path) -> ErrorInfo {
    let message = format!("{} is not a file name that Orion can write.", path.display());
    ErrorInfo::new(Code::Usage, message, "Name another file.")
}

fn say(file: &ExportedFile, files: bool, format: ExportFormat) {
    remark(&format!("{} · {}", file.path, size(file.bytes)));
    if format == ExportFormat::Orion && !files {
        remark("Without the contents of written files; --files adds them.");
    }
    if file.redacted > 0 {
        let turns = count(file.redacted, "turn");
        remark(&format!(
            "Keys were taken out of {turns}; what they were in cannot be replayed from the file."
        ));
    }
    say_keys(&file.keys_not_read);
}

fn say_keys(not_read: &[String]) {
    for name in not_read {
        remark(&format!("The key of {name} cannot be read, so the file may still hold it."));
    }
}

/// What has this id.
async fn found(engine: &Engine, id: Uuid) -> Result<ChangesOf, ErrorInfo> {
    let (request_id, session_id) = (RequestId(id), SessionId(id));
    match engine.query(Query::Events { request_id, after_seq: u32::MAX }).await {
        Ok(_) => return Ok(ChangesOf::Turn { request_id }),
        Err(error) if error.code == Code::TurnUnknown => {}
        Err(error) => return Err(error),
    }
    match engine.title_of(session_id).await {
        Ok(_) => Ok(ChangesOf::Session { session_id }),
        Err(error) if error.code == Code::SessionUnknown => Err(neither()),
        Err(error) => Err(error),
    }
}

async fn as_text(engine: &Engine, of: ChangesOf, args: &ExportArgs) -> Result<Exit, ErrorInfo> {
    let mut whole = String::new();
    for request_id in engine.path_of(of).await? {
        if !whole.is_empty() {
            whole.push('\n');
        }
        whole.push_str(&text(engine, request_id).await?);
    }
    let shown = Printed::record(&engine.without_secrets(&whole).await);
    match &args.output {
        None => put(&shown)?,
        Some(path) => engine.write_file(path, shown.as_str().as_bytes().to_vec(), args.force).await?,
    }
    Ok(Exit::Answered)
}

async fn text(engine: &Engine, request_id: RequestId) -> Result<String, ErrorInfo> {
    let Answer::Events { envelopes } = engine.query(Query::Events { request_id, after_seq: 0 }).await? else {
        return Ok(String::new());
    };
    let mut text = format!("Turn {request_id}\n");
    for envelope in whole_texts(envelopes) {
        text.push_str(&part(engine, &envelope).await?);
    }
    Ok(text)
}

/// What an event adds to the text.
async fn part(engine: &Engine, envelope: &Envelope) -> Result<String, ErrorInfo> {
    let request_id = envelope.request_id;
    Ok(match &envelope.event {
        TurnEvent::TurnStarted { model, endpoint, purpose: Purpose::Compact, .. } => {
            format!("Session {}\nModel {model} at {endpoint}\n", envelope.session_id)
        }
        TurnEvent::TurnStarted { text, model, endpoint, .. } => {
            format!("Session {}\nModel {model} at {endpoint}\n\n## You\n\n{text}\n", envelope.session_id)
        }
        TurnEvent::Steered { text } => format!("\n## You\n\n{text}\n"),
        TurnEvent::TextChunk { text, .. } => format!("\n## Orion\n\n{text}\n"),
        TurnEvent::ReasoningChunk { text, .. } => format!("\n## Reasoning\n\n{text}\n"),
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
        TurnEvent::Notice { code, message } => format!("\n{}\n", code.words(message)),
        event @ TurnEvent::ContextCut { .. } => {
            crate::context::cut(event).map_or_else(String::new, |cut| format!("\n{cut}\n"))
        }
        TurnEvent::Rewound { files, .. } => format!("\n{}\n", crate::context::rewound(files)),
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
        TurnEvent::Asked { of: PendingOf::Pause { .. }, .. } => "\nPaused.\n".to_owned(),
        TurnEvent::Answered { given: Given::Resumed { edited: results }, .. } => {
            results.iter().map(edited).collect()
        }
        TurnEvent::Interrupted => "\nInterrupted.\n".to_owned(),
        event => event.terminal().map_or_else(String::new, ended),
    })
}

fn edited(result: &EditedResult) -> String {
    let what = if result.sha256.is_some() { "edited" } else { "dropped" };
    format!("\nThe result of {} was {what} before the model was given it.\n", result.tool_call_id)
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
