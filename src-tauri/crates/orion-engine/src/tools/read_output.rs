//! `read_output`: pages through the kept output of a command, or looks for a text in it (C4).

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use orion_core::tool::{Reveals, ToolKind, ToolSpec};
use orion_protocol::{CallId, Code, ErrorInfo, SessionId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::page::{Page, count};
use super::{Context, Output, Tool, blocking, schema};
use crate::commands::{Commands, Kept, Text, latest};

const NAME: &str = "read_output";

#[derive(Debug, Deserialize, JsonSchema)]
struct Arguments {
    /// The id of the call that ran the command.
    call: String,
    /// The first line, from 1.
    #[schemars(range(min = 1))]
    from_line: Option<u64>,
    /// The most lines.
    #[schemars(range(min = 1))]
    lines: Option<u64>,
    /// Only lines with this text.
    find: Option<String>,
}

/// Reads outputs.
#[derive(Debug)]
struct ReadOutput(Commands);

pub(super) fn tool(commands: Commands) -> Arc<dyn Tool> {
    Arc::new(ReadOutput(commands))
}

/// The words that name the call which reads on from a line.
pub(super) fn reads_on(call: &CallId, from: u64) -> String {
    // The id is the model's own, and it may be long.
    let id = &call.0[..call.0.floor_char_boundary(64)];
    format!("{NAME} with call {id:?} and from_line {from} reads them.")
}

impl Tool for ReadOutput {
    fn spec(&self) -> ToolSpec {
        let description = "Read more of the output of a command that run_command ran in this session.";
        let (parameters, _) = schema::of::<Arguments>();
        // It reads no file of the project.
        ToolSpec { reveals: Reveals::Names, ..ToolSpec::new(NAME, description, parameters, ToolKind::Reads) }
    }

    fn run(&self, arguments: Value, context: Context) -> BoxFuture<'static, Result<Output, ErrorInfo>> {
        let commands = self.0.clone();
        async move {
            let arguments: Arguments = serde_json::from_value(arguments).map_err(|cause| {
                ErrorInfo::new(
                    Code::ToolArguments,
                    format!("{NAME}: {cause}."),
                    "Call it again with arguments that fit.",
                )
            })?;
            let session = context.call.as_ref().map(|call| call.session_id);
            let most = context.limits.body_bytes;
            blocking(move || read(&commands, session, &arguments, most)).await
        }
        .boxed()
    }
}

fn read(
    commands: &Commands,
    session: Option<SessionId>,
    arguments: &Arguments,
    most: usize,
) -> Result<Output, ErrorInfo> {
    let call = CallId(arguments.call.clone());
    let kept = session.and_then(|session| latest(&commands.outputs, session, &call));
    let kept = kept.and_then(|place| Kept::read(&place).ok().flatten()).ok_or_else(|| unknown(&call))?;
    let text = Text::of(&kept);
    let from = arguments.from_line.unwrap_or(1);
    let finds = |line: &str| arguments.find.as_deref().is_none_or(|find| line.contains(find));
    // Room for the line about what is shown.
    let mut page = Page::new(most.saturating_sub(200));
    let (mut shown, mut next) = (0_u64, None);
    for (number, line) in text.lines().filter(|(number, line)| *number >= from && finds(line)) {
        let numbered = match arguments.find {
            Some(_) => format!("{number}: {line}"),
            None => line.to_owned(),
        };
        if arguments.lines.is_some_and(|lines| shown >= lines) || !page.line(&numbered) {
            next = Some(number);
            break;
        }
        shown += 1;
    }
    let (all, body) = (text.count(), page.into_text());
    let head = match (&arguments.find, shown) {
        (_, 0) => format!("No such line: the output has {}.", count(all, "line", "lines")),
        (Some(_), _) => format!("{} of {} with this text.", count(shown, "line", "lines"), all),
        (None, _) => format!("{} from line {from}, of {all}.", count(shown, "line", "lines")),
    };
    let gap = kept.lines_left_out;
    let gap = if gap > 0 {
        format!(" {} in the middle are not kept.", count(gap, "line", "lines"))
    } else {
        String::new()
    };
    Ok(Output {
        summary: head.clone(),
        body: format!("{head}{gap}\n{body}"),
        cut: next.map(|next| format!("There are more: from_line {next} reads on")),
        ..Output::default()
    })
}

fn unknown(call: &CallId) -> ErrorInfo {
    let id = &call.0[..call.0.floor_char_boundary(64)];
    ErrorInfo::new(
        Code::PathNotFound,
        format!("No output of a call {id:?} is kept in this session."),
        "Name the id of a call of run_command, as its result says it, or run the command again.",
    )
}
