//! `orion compare`: the same message by each route, one after the other, and what it came to, side by side (P2, T9).
//!
//! One after the other, so that their times can be compared: a server on this computer would have both at once.

use std::io::{self, IsTerminal};

use orion_engine::{Engine, TurnHandle};
use orion_protocol::{
    Answer, Code, ComparedSide, Comparison, CopySize, ErrorInfo, Op, Outcome, Pending, Query, RequestId,
    Route, SessionId, StopReason, TurnEvent, TurnOptions, TurnReport, grouped,
};
use serde_json::{Value, json};

use crate::args::CompareArgs;
use crate::asking::{self, how};
use crate::endpoint::{self, Chosen};
use crate::exit::Exit;
use crate::interrupts::{Pressed, stop_each_when_interrupted};
use crate::outcomes::unexpected;
use crate::output::{put, unwritable};
use crate::printed::Printed;
use crate::run::{approved, interrupted};
use crate::startup::Startup;
use crate::stats::time;
use crate::table::{Column, table};
use crate::terminal::{self, notice, remark, size};

pub(crate) async fn compare(args: &CompareArgs) -> Result<Exit, ErrorInfo> {
    let (engine, endpoint) = connected(args).await?;
    let (mut sides, mut waiting) = (Vec::new(), Vec::new());
    let compared = side_by_side(&engine, args, &endpoint, &mut sides, &mut waiting).await;
    // Also where the next side could not begin.
    for side in &mut sides {
        side.leave_copy(&engine, args.copies.keep_copies).await;
    }
    engine.close().await?;
    // Dropping a turn stops it; one that waits is left waiting.
    drop(waiting);
    compared?;
    let text = if args.json { as_json(args.request, &sides)? } else { as_text(&sides) };
    put(&text)?;
    for Side { route, report, pending, copy } in &sides {
        let (request, session) = (report.request_id, report.session_id);
        report.error.iter().for_each(terminal::error);
        if let Some(pending) = pending {
            notice(&format!("{} waits: {}", name(*route), how(pending, request)));
            asking::questions(pending).iter().for_each(|line| notice(line));
        }
        match copy {
            _ if !args.copies.copy_project => {
                remark(&format!("{}: orion trace {request}, orion run --session {session}", name(*route)));
            }
            Some(copy) => {
                notice(&format!("{}: orion trace {request}, and its files are in {copy}", name(*route)))
            }
            None => remark(&format!("{}: orion trace {request}, orion diff {session}", name(*route))),
        }
    }
    Ok(exit(&sides))
}

/// One route's turn, and what it waits for.
struct Side {
    route: Route,
    report: TurnReport,
    pending: Option<Pending>,
    /// The copy of the project that it worked in, while it is there.
    copy: Option<String>,
}

impl Side {
    /// Removes the copy, unless the turn waits in it or the person keeps it.
    async fn leave_copy(&mut self, engine: &Engine, keeps: bool) {
        if keeps || self.pending.is_some() || self.copy.is_none() {
            return;
        }
        match engine.submit(Op::RemoveCopy { session_id: self.report.session_id }).await {
            Ok(_) => self.copy = None,
            Err(error) => terminal::error(&error),
        }
    }
}

/// The engine, with the endpoint that was asked for, or else the turn's own, and its name.
async fn connected(args: &CompareArgs) -> Result<(Engine, String), ErrorInfo> {
    let startup = Startup::new(args.data_dir.as_ref())?;
    let own = endpoint::began_with(args.data_dir.as_ref(), args.request).await?;
    let chosen = match args.endpoint.is_default() {
        true => endpoint::named(&startup, &args.endpoint, &own.endpoint).await?,
        false => Some(endpoint::choose(&startup, &args.endpoint).await?),
    };
    let chosen = chosen.ok_or_else(|| {
        let message = format!("This turn began with the endpoint {}, which is not available.", own.endpoint);
        ErrorInfo::new(Code::NoEndpoint, message, "Name an endpoint: --base-url URL, or --demo.")
    })?;
    let model = args.model.model.as_deref().or(chosen.endpoint.as_ref().map(|_| own.model.as_str()));
    let Chosen { name, endpoint } = endpoint::with_model(&startup, chosen, model).await?;
    let engine = startup.engine(endpoint.map(|endpoint| (name.clone(), endpoint))).await?;
    Ok((engine, name))
}

/// A session for each route. How large a copy is, is said before one is made.
async fn made(engine: &Engine, args: &CompareArgs) -> Result<Comparison, ErrorInfo> {
    let copy_at_most = args.copies.at_most();
    if let Some(most) = copy_at_most {
        let found = engine.query(Query::CopySize { request_id: args.request }).await?;
        let Answer::CopySize { size: CopySize { files, bytes, left_out } } = found else {
            return Err(ErrorInfo::new(Code::Internal, "The project was not looked at.", "Try again."));
        };
        let without = if left_out == 0 {
            String::new()
        } else {
            format!(", without {left_out} links and special files")
        };
        remark(&format!("A copy of the project has {files} files and {}{without}.", size(bytes)));
        if bytes > most {
            let message = format!("That is more than the {} that may be copied.", size(most));
            return Err(ErrorInfo::new(Code::Usage, message, "Allow more with --copy-limit, in megabytes."));
        }
    }
    let op = Op::Compare { request_id: args.request, routes: args.routes.routes(), copy_at_most };
    let comparison = match engine.submit(op).await? {
        Outcome::Compared { comparison } => comparison,
        other => return Err(unexpected(&other)),
    };
    for side in &comparison.sides {
        side.copy.iter().for_each(|copy| notice(&format!("{} works in {copy}", name(side.route))));
    }
    Ok(comparison)
}

/// Sends the message by each route, and adds each side when its turn is over or waits. A person who stops one of the turns wants no other.
async fn side_by_side(
    engine: &Engine,
    args: &CompareArgs,
    endpoint: &str,
    compared: &mut Vec<Side>,
    waiting: &mut Vec<TurnHandle>,
) -> Result<(), ErrorInfo> {
    let pressed = Pressed::default();
    stop_each_when_interrupted(engine, &pressed, || ())?;
    let Comparison { text, sides, .. } = tokio::select! {
        made = made(engine, args) => made?,
        () = pressed.next() => return Ok(()),
    };
    let mut left = sides.into_iter();
    while let Some(ComparedSide { route, session, copy, options }) = left.next() {
        let options = TurnOptions {
            endpoint: Some(endpoint.to_owned()),
            model: args.model.model.clone().or(options.model.filter(|_| args.endpoint.is_default())),
            window: args.model.window,
            limits: args.limits.0.over(options.limits),
            ..options
        };
        remark(&format!("{} begins …", name(route)));
        let turn = match engine.run_turn(session.session_id, text.clone(), options).await {
            Ok(turn) => turn,
            Err(error) => {
                let begun_in_none =
                    std::iter::once(session.session_id).chain(left.map(|side| side.session.session_id));
                return Err(without(engine, begun_in_none, error).await);
            }
        };
        pressed.stops(turn.request_id());
        let (turn, report, pending) = to_its_end(engine, turn, args.copies.approve_writes).await?;
        pressed.is_told();
        waiting.extend(pending.is_some().then_some(turn));
        let was_stopped = report.stop_reason == StopReason::Stopped || pressed.was_pressed();
        compared.push(Side { route, report, pending, copy });
        if was_stopped {
            let begun_in_none = left.by_ref().map(|side| side.session.session_id);
            delete(engine, begun_in_none).await?;
        }
    }
    Ok(())
}

/// Deletes the sessions in which nothing began, and gives back why.
async fn without(engine: &Engine, sessions: impl Iterator<Item = SessionId>, why: ErrorInfo) -> ErrorInfo {
    match delete(engine, sessions).await {
        Ok(()) => why,
        Err(error) => error,
    }
}

async fn delete(engine: &Engine, sessions: impl Iterator<Item = SessionId>) -> Result<(), ErrorInfo> {
    for session_id in sessions {
        engine.submit(Op::DeleteSession { session_id }).await?;
    }
    Ok(())
}

/// Follows a turn until it is over, or waits for a person.
async fn to_its_end(
    engine: &Engine,
    mut turn: TurnHandle,
    approve_writes: bool,
) -> Result<(TurnHandle, TurnReport, Option<Pending>), ErrorInfo> {
    let mut pending = None;
    while let Some(batch) = turn.next().await {
        for envelope in &batch {
            if let TurnEvent::ToolCall { name, .. } = &envelope.event {
                remark(&format!("  {name}"));
            }
        }
        if let Some(report) = batch.iter().find_map(|envelope| envelope.event.terminal()) {
            return Ok((turn, report.clone(), None));
        }
        if approve_writes && approved(engine, &batch).await? {
            continue;
        }
        pending = batch.iter().fold(pending, |open, envelope| Pending::after(open, &envelope.event));
        if batch.last().is_some_and(|last| last.event.asks())
            && let Some(pending) = pending
        {
            let report = turn.report_now().await?;
            return Ok((turn, report, Some(pending)));
        }
    }
    Err(interrupted(turn.request_id()))
}

/// That of the first turn that was not answered.
fn exit(sides: &[Side]) -> Exit {
    if sides.is_empty() {
        return Exit::Stopped;
    }
    let ends = sides.iter().map(|side| Exit::of(&side.report));
    ends.into_iter().find(|exit| *exit != Exit::Answered).unwrap_or(Exit::Answered)
}

fn as_json(request_id: RequestId, sides: &[Side]) -> Result<Printed, ErrorInfo> {
    let sides: Vec<Value> = sides
        .iter()
        .map(|Side { route, report, copy, .. }| {
            json!({ "route": route, "sessionId": report.session_id, "copy": copy, "report": report })
        })
        .collect();
    let compared = json!({ "requestId": request_id, "sides": sides });
    Ok(Printed::json(&compared).map_err(unwritable)?.line())
}

/// The figures as a table with a column for each route, and the answers below.
fn as_text(sides: &[Side]) -> Printed {
    let columns: Vec<(&str, Column)> = std::iter::once(("", Column::Words))
        .chain(sides.iter().map(|side| (name(side.route), Column::Numbers)))
        .collect();
    let rows: Vec<Vec<String>> = FIGURES
        .iter()
        .map(|(what, figure)| {
            std::iter::once((*what).to_owned()).chain(sides.iter().map(|side| figure(&side.report))).collect()
        })
        .collect();
    let mut text = Printed::record(&table(&columns, &rows));
    for Side { route, report, .. } in sides {
        text.push(&Printed::record(&format!("\n{}\n\n", name(*route))));
        let answer = if report.answer.is_empty() { "No answer." } else { report.answer.trim_end() };
        text.push(&Printed::answer(answer, io::stdout().is_terminal()).line());
    }
    text
}

type Figure = fn(&TurnReport) -> String;

const FIGURES: [(&str, Figure); 9] = [
    ("ended", |report| ended(report.stop_reason).to_owned()),
    ("model calls", |report| grouped(report.model_calls)),
    ("tool runs", |report| grouped(report.tool_runs)),
    ("refused repeats", |report| grouped(report.duplicates_refused)),
    ("reused", |report| grouped(report.reused)),
    ("tokens in", |report| tokens(report, report.usage.prompt_tokens)),
    ("tokens out", |report| tokens(report, report.usage.completion_tokens)),
    ("cost", |report| about(report, report.cost_usd.map(|cost| cost.to_string()))),
    ("time", |report| time(report.duration_ms)),
];

fn tokens(report: &TurnReport, tokens: Option<u32>) -> String {
    about(report, tokens.map(grouped))
}

/// T7: what is not known is never taken for 0.
fn about(report: &TurnReport, figure: Option<String>) -> String {
    match figure {
        None => "unknown".to_owned(),
        Some(figure) if report.usage.estimated => format!("about {figure}"),
        Some(figure) => figure,
    }
}

fn ended(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Answered => "answered",
        StopReason::BudgetExhausted => "budget spent",
        StopReason::DuplicatesExhausted => "repeats spent",
        StopReason::Length => "cut off",
        StopReason::Empty => "no answer",
        StopReason::Unknown => "reason unknown",
        StopReason::ContentFilter => "filtered",
        StopReason::Approval | StopReason::Clarification | StopReason::Paused => "waits for you",
        StopReason::Stopped => "stopped",
        StopReason::Error => "failed",
    }
}

fn name(route: Route) -> &'static str {
    match route {
        Route::TwoStage => "two_stage",
        Route::Unified => "unified",
    }
}
