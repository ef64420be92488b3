//! `write_plan_begin`: the only way in which a model writes a file (W1). It writes nothing itself. It looks at the
//! target and opens a write session, in which the content follows as plain text.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use orion_core::tool::{Opening, ToolKind, ToolSpec};
use orion_protocol::{Code, ErrorInfo, WriteOperation};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;

use super::{Context, Output, Tool, schema, seen};
use orion_core::tool::Seen;
use orion_files::writing::{Style, Target};

const NAME: &str = "write_plan_begin";

/// The most of an intent that is kept, in bytes: it is shown in one line.
const LONGEST_INTENT: usize = 400;

#[derive(Debug, Deserialize, JsonSchema)]
struct Arguments {
    /// One sentence: what the file is for or what changes.
    intent: String,
    /// Path of the file, relative to the project.
    #[schemars(extend("format" = "path"))]
    target_file: String,
    /// create: a new file. overwrite: replace all of it. append: add to its end. edit: search/replace blocks, best for changes.
    #[schemars(schema_with = "operations")]
    operation: WriteOperation,
}

/// The names alone. Every request has this schema: the description above takes fewer bytes than one for each name.
fn operations(_: &mut SchemaGenerator) -> Schema {
    use WriteOperation::{Append, Create, Edit, Overwrite};
    json_schema!({ "type": "string", "enum": [Create, Overwrite, Append, Edit] })
}

/// Opens write sessions.
#[derive(Debug)]
pub(super) struct WritePlanBegin;

impl Tool for WritePlanBegin {
    fn spec(&self) -> ToolSpec {
        let description = "Open a write session to create or change one file. The call has no content: you are asked for it next, \
                          as plain text. The person sees the difference and approves it before anything is written.";
        let (parameters, paths) = schema::of::<Arguments>();
        ToolSpec { paths, ..ToolSpec::new(NAME, description, parameters, ToolKind::OpensWrite) }
    }

    fn run(&self, arguments: Value, context: Context) -> BoxFuture<'static, Result<Output, ErrorInfo>> {
        async move {
            let arguments: Arguments = serde_json::from_value(arguments).map_err(|cause| {
                ErrorInfo::new(
                    Code::ToolArguments,
                    format!("{NAME}: {cause}."),
                    "Call it again with arguments that fit.",
                )
            })?;
            let opened = tokio::task::spawn_blocking(move || open(arguments, &context)).await;
            opened.unwrap_or_else(|panicked| std::panic::resume_unwind(panicked.into_panic()))
        }
        .boxed()
    }
}

fn open(arguments: Arguments, context: &Context) -> Result<Output, ErrorInfo> {
    let Arguments { mut intent, target_file, operation } = arguments;
    let path = context.project.path(&target_file)?;
    let target = Target::find(&context.project, &path, operation)?;
    intent.truncate(intent.floor_char_boundary(LONGEST_INTENT));
    let text = target.base.as_ref().and_then(|base| match &base.style {
        Style::Text(text) => Some(text),
        _ => None,
    });
    // W3: a file may end in `DONE`.
    let strict = context.strict_end_line || text.is_some_and(|text| text.ends_in_done);
    let nonce = strict.then(end_line).transpose()?;
    let opening = Opening {
        path: path.to_string(),
        real: (target.real != target.path).then(|| target.real.seen()),
        operation,
        intent,
        bytes: target.base.as_ref().map(|base| base.bytes),
        has_replacement: text.is_some_and(|text| text.allowed.replacement),
        controls: text.map(|text| text.allowed.controls()).unwrap_or_default(),
        nonce,
    };
    let now = match opening.bytes {
        Some(bytes) => format!("{bytes} bytes now"),
        None => "a new file".to_owned(),
    };
    Ok(Output {
        summary: format!("Write session for {path}"),
        body: format!("The write session for {path} is open ({now}). Its content comes next."),
        seen: seen(Seen::Path, &target.path, &target.real),
        opens: Some(Box::new(opening)),
        ..Output::default()
    })
}

/// An end line that no file has (W3): 32 random bits in hexadecimal.
fn end_line() -> Result<String, ErrorInfo> {
    let bits = getrandom::u32().map_err(|error| {
        ErrorInfo::new(Code::Internal, "The system provides no random numbers.", "Start Orion again.")
            .with_detail(error.to_string())
    })?;
    Ok(format!("DONE-{bits:08x}"))
}

pub(super) fn tool() -> Arc<dyn Tool> {
    Arc::new(WritePlanBegin)
}
