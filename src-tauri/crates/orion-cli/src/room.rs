//! `orion context`: what fills the model's room in a session.

use orion_protocol::{
    Answer, ContextKind, ContextLoss, ContextPart, ContextView, ErrorInfo, Query, TurnOptions, WindowSource,
};
use serde_json::Value;

use crate::args::ContextArgs;
use crate::endpoint;
use crate::exit::Exit;
use crate::output::{put, unwritable};
use crate::place::last_turn;
use crate::printed::Printed;
use crate::startup::Startup;
use crate::terminal::{count, one_line};

pub(crate) async fn context(args: &ContextArgs) -> Result<Exit, ErrorInfo> {
    let startup = Startup::new(args.data_dir.as_ref())?;
    let chosen = endpoint::choose(&startup, &args.endpoint).await?;
    let endpoint = Some(chosen.name.clone());
    let engine = startup.engine(chosen.endpoint.map(|endpoint| (chosen.name, endpoint))).await?;
    let answer = async {
        let last = last_turn(&engine, args.session).await?;
        let window = args.model.window;
        let model = args.model.model.clone().or(last.map(|last| last.model));
        let options = TurnOptions { endpoint, model, window, ..TurnOptions::default() };
        engine.query(Query::Context { session_id: args.session, options }).await
    }
    .await;
    engine.close().await?;
    let Answer::Context { view } = answer? else { return Ok(Exit::Failed) };
    put(&match args.json {
        true => Printed::json_lines(&view).map_err(unwritable)?.line(),
        false => Printed::record(&table(&view)),
    })?;
    Ok(Exit::Answered)
}

/// The parts that fill the room, largest first or in their order, with what the next message would cut.
pub(crate) fn table(view: &ContextView) -> String {
    let ContextView { model, window, window_source, answer, room, tokens, counted, parts, cut, .. } = view;
    let about = if *counted { "" } else { "about " };
    let model = one_line(model, 60);
    let mut text = match window {
        None => format!("{model}: {about}{tokens} tokens; the size of its window is not known\n"),
        Some(window) => {
            let full = share(*tokens, *room);
            let assumed = if *window_source == Some(WindowSource::Assumed) { " (assumed)" } else { "" };
            format!(
                "{model}: {about}{tokens} of {room} tokens, {full}; its window has {window}{assumed}, and {answer} are for the answer\n"
            )
        }
    };
    for part in parts {
        text.push_str(&line(part.tokens, *room, "", &named(part)));
        for it in &part.boxes {
            let main = it.arguments.get("path").or_else(|| it.arguments.get("pattern"));
            let what = main.and_then(Value::as_str).unwrap_or_default();
            let emptied = if it.emptied { ", emptied" } else { "" };
            text.push_str(&line(it.tokens, *room, "  ", &format!("{} {what}{emptied}", it.name)));
        }
    }
    if let Some(cut) = cut {
        text.push_str(&loss(cut));
        text.push('\n');
    }
    text
}

fn line(tokens: u64, room: u64, indent: &str, name: &str) -> String {
    format!("{tokens:>9} {:>5}  {indent}{}\n", share(tokens, room), one_line(name, 80).trim_end())
}

fn share(tokens: u64, room: u64) -> String {
    match (tokens * 100).checked_div(room) {
        Some(0) if tokens > 0 => "<1 %".to_owned(),
        Some(percent) => format!("{percent} %"),
        None => String::new(),
    }
}

fn named(part: &ContextPart) -> String {
    match part.kind {
        ContextKind::System => "Orion's own words".to_owned(),
        ContextKind::Instructions => "AGENTS.md".to_owned(),
        ContextKind::Tools => count(part.count, "tool"),
        ContextKind::Turn => format!("{} ({})", one_line(&part.text, 60), count(part.count, "message")),
    }
}

/// What the next message would cut.
fn loss(cut: &ContextLoss) -> String {
    let ContextLoss { results, of_results, messages, of_messages, earlier, fits } = cut;
    if !fits {
        return "The next message does not fit, whatever is cut.".to_owned();
    }
    let mut left = Vec::new();
    if *results > 0 {
        left.push(format!("{results} of {}", count(*of_results, "result")));
    }
    if *messages > 0 {
        left.push(format!("{messages} of {}", count(*of_messages, "message")));
    }
    if *earlier {
        left.push("the first turns".to_owned());
    }
    format!("The next message would cut {}.", left.join(" and "))
}
