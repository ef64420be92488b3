//! `orion trace`: what happened in a turn, as a list, as bars, as a page, as JSON and for tools that take OTLP.

mod otlp;
mod tree;

use std::collections::HashMap;
use std::path::PathBuf;

use clap::Args;
use orion_engine::Engine;
use orion_otlp::Otlp;
use orion_protocol::{ErrorInfo, RequestId, SpanStatus, TraceKind, TraceSpan};

use crate::exit::Exit;
use crate::ids::request_id;
use crate::output::{put, show, unwritable};
use crate::printed::Printed;
use crate::raw;
use crate::sent;
use crate::startup::Startup;
use crate::terminal::{columns, one_line, remark};

#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// The turn's request id
    #[arg(value_parser = request_id)]
    request: RequestId,
    /// Draw what took how long
    #[arg(long, group = "form")]
    tree: bool,
    /// Print a line of JSON for each step
    #[arg(long, group = "form")]
    jsonl: bool,
    /// Write it to this file, as a page that opens in any browser
    #[arg(long, value_name = "FILE", group = "form")]
    html: Option<PathBuf>,
    /// Send it to the collector of OpenTelemetry at this base address, to which /v1/traces is added
    #[arg(long, value_name = "URL", group = "form")]
    otlp: Option<String>,
    /// Let it travel over http:// to another computer
    #[arg(long, requires = "otlp")]
    allow_http: bool,
    /// Replace a file that is there
    #[arg(long, requires = "html")]
    force: bool,
    /// Show what the model was sent in this call of the turn, counted from 1; with --json as the endpoint got it
    #[arg(long, value_name = "CALL", conflicts_with = "form")]
    sent: Option<u32>,
    /// Show what came back in this call of the turn, as it came: kept for calls that failed, or for all by the settings
    #[arg(long, value_name = "CALL", conflicts_with_all = ["form", "sent"])]
    raw: Option<u32>,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long, conflicts_with = "form")]
    json: bool,
}

pub(crate) async fn trace(args: &TraceArgs) -> Result<Exit, ErrorInfo> {
    let startup = Startup::new(args.data_dir.as_ref())?;
    let to = |base: &String| Otlp::to(base, &startup.environment, args.allow_http);
    let collector = args.otlp.as_ref().map(to).transpose()?;
    let engine = startup.engine(None).await?;
    let shown = match &collector {
        Some(collector) => otlp::send(&engine, args.request, collector).await,
        None => shown(&engine, args).await,
    };
    engine.close().await?;
    shown
}

async fn shown(engine: &Engine, args: &TraceArgs) -> Result<Exit, ErrorInfo> {
    if let Some(call) = args.sent {
        return sent::show(engine, args.request, call, args.json).await;
    }
    if let Some(call) = args.raw {
        return raw::show(engine, args.request, call, args.json).await;
    }
    if let Some(path) = &args.html {
        let page = engine.trace_page(args.request).await?;
        engine.write_file(path, page.into_bytes(), args.force).await?;
        remark(&format!("{}", path.display()));
        return Ok(Exit::Answered);
    }
    let spans = engine.told_trace(args.request).await?.spans;
    if args.jsonl {
        for span in &spans {
            put(&Printed::json(span).map_err(unwritable)?.line())?;
        }
        return Ok(Exit::Answered);
    }
    if args.tree {
        let width = match columns() {
            0 => tree::WIDTH,
            columns => columns,
        };
        put(&Printed::record(&tree::tree(&spans, width)))?;
        return Ok(Exit::Answered);
    }
    let began = spans.first().map_or(0, |span| span.start_ms);
    let (depths, phases) = (depths(&spans), phases(&spans));
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
        let phase = phases.get(&span.span_id).map_or_else(String::new, |number| format!(", phase {number}"));
        let name = one_line(&named(span), 80);
        format!("{:>7} ms {took:>9}  {status:<8} {indent}{name}{phase}", span.start_ms - began)
    })
}

/// The numbers of the phases, from 1, as `orion fork` takes them.
fn phases(spans: &[TraceSpan]) -> HashMap<u32, u32> {
    let phases = spans.iter().filter(|span| span.kind == TraceKind::OrchestrationPhase);
    phases.map(|span| span.span_id).zip(1..).collect()
}

/// A span by its name, and what it is about.
fn named(span: &TraceSpan) -> String {
    match (&span.path, span.call) {
        (Some(path), _) if *path != span.name => format!("{} {path}", span.name),
        (_, Some(call)) => format!("{} {call}", span.name),
        _ => span.name.clone(),
    }
}

/// How far each span is below the turn.
fn depths(spans: &[TraceSpan]) -> HashMap<u32, usize> {
    let mut depths = HashMap::new();
    for span in spans {
        let parent = span.parent_id.and_then(|parent| depths.get(&parent).copied());
        depths.insert(span.span_id, parent.map_or(0, |depth: usize| depth + 1));
    }
    depths
}
