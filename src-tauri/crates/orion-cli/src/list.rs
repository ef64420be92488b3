//! Lists: tools, models, and the trace of a turn.

use std::collections::HashMap;

use orion_engine::Difference;
use orion_engine::config::DEMO;
use orion_engine::runner::ToolRunner;
use orion_protocol::{Answer, Code, ErrorInfo, Permission, Query, SpanStatus, ToolInfo, TraceSpan};
use serde::Serialize;

use crate::args::{ModelsArgs, ReplayArgs, ToolsArgs, TraceArgs};
use crate::endpoint;
use crate::exit::Exit;
use crate::output::{put, unwritable};
use crate::printed::Printed;
use crate::sent;
use crate::startup::Startup;
use crate::terminal::{notice, one_line, remark};

pub(crate) fn tools(args: &ToolsArgs) -> Result<Exit, ErrorInfo> {
    let startup = Startup::new(None)?;
    let in_force = startup.in_project(&args.project)?;
    let tools: Vec<_> = in_force.tools(ToolRunner::default().tools()).iter().map(ToolInfo::from).collect();
    show(args.json, &tools, |tool| {
        let permission = match tool.permission {
            Permission::Allow => "allow",
            Permission::Ask => "ask",
            Permission::Deny => "deny",
        };
        let kind = if tool.read_only { "reads" } else { "writes" };
        format!("{:<14} {permission:<6} {kind:<7} {}", tool.name, one_line(&tool.description, 80))
    })
}

pub(crate) async fn models(args: &ModelsArgs) -> Result<Exit, ErrorInfo> {
    let startup = Startup::new(None)?;
    let chosen = endpoint::choose(&startup, &args.endpoint).await?;
    let in_force = startup.config.without_project();
    let models = match chosen.endpoint.as_ref().or_else(|| in_force.endpoints.get(&chosen.name)) {
        Some(config) => endpoint::connect(&startup, &chosen.name, config).await?.models().await,
        None if chosen.name == DEMO => endpoint::demo(&startup)?.models().await,
        None => Err(ErrorInfo::new(
            Code::NoEndpoint,
            format!("There is no endpoint named {}.", chosen.name),
            "Choose one that is set up, or give --base-url.",
        )),
    };
    let models = models.map_err(|error| startup.keys.redactor().redact_error(error))?;
    show(args.json, &models, |model| one_line(&model.id, 200))
}

pub(crate) async fn trace(args: &TraceArgs) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
    if let Some(call) = args.sent {
        let shown = sent::show(&engine, args.request, call, args.json).await;
        engine.close().await?;
        return shown;
    }
    let answer = engine.query(Query::Trace { request_id: args.request }).await;
    engine.close().await?;
    let Answer::Trace { spans } = answer? else { return Ok(Exit::Failed) };
    let began = spans.first().map_or(0, |span| span.start_ms);
    let depths = depths(&spans);
    show(args.json, &spans, |span| {
        let took =
            span.end_ms.map_or_else(|| "running".to_owned(), |end| format!("{} ms", end - span.start_ms));
        let status = match span.status {
            SpanStatus::Running => "running",
            SpanStatus::Ok => "ok",
            SpanStatus::Refused => "refused",
            SpanStatus::Failed => "failed",
            SpanStatus::Stopped => "stopped",
        };
        let indent = "  ".repeat(depths.get(&span.span_id).copied().unwrap_or(0));
        format!("{:>7} ms {took:>9}  {status:<8} {indent}{}", span.start_ms - began, one_line(&span.name, 80))
    })
}

fn depths(spans: &[TraceSpan]) -> HashMap<u32, usize> {
    let mut depths = HashMap::new();
    for span in spans {
        let parent = span.parent_id.and_then(|parent| depths.get(&parent).copied());
        depths.insert(span.span_id, parent.map_or(0, |depth: usize| depth + 1));
    }
    depths
}

pub(crate) async fn replay(args: &ReplayArgs) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
    let replayed = engine.replay(args.request).await;
    engine.close().await?;
    let replayed = replayed?;
    let mut lines = Printed::default();
    for event in &replayed.replayed {
        lines.push(&Printed::json(event).map_err(unwritable)?.line());
    }
    put(&lines)?;
    if let Some(Difference { number, recorded, replayed }) = replayed.difference {
        for (when, event) in [("recorded", recorded), ("now", replayed)] {
            let event = event.map_or_else(|| "nothing".to_owned(), |event| event.to_string());
            notice(&format!("{when}: {event}"));
        }
        return Err(ErrorInfo::new(
            Code::OtherVersion,
            format!("Event {number} of this turn is not what was recorded."),
            "Another version of Orion wrote it, or its journal was changed: replay it with the version that wrote it.",
        ));
    }
    remark(&format!("{} events, the same as when the turn ran.", replayed.recorded.len()));
    Ok(Exit::Answered)
}

/// A list as JSON, or a line each.
pub(crate) fn show<T: Serialize>(
    json: bool,
    items: &[T],
    line: impl Fn(&T) -> String,
) -> Result<Exit, ErrorInfo> {
    let text = match json {
        true => Printed::json_lines(&items).map_err(unwritable)?.line(),
        false => Printed::record(&items.iter().map(|item| line(item) + "\n").collect::<String>()),
    };
    put(&text)?;
    Ok(Exit::Answered)
}
