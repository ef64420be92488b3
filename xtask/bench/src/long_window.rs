//! A session with a long history, in the real window: opening it, scrolling back in it, and text that streams into
//! it.

use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use support::{Desktop, Folder, Gate, Script, ScriptedModel, Window, seed};

use crate::long::TURNS;
use crate::measures::{PACE, median};
use crate::table::Goal;
use crate::window::{ask, cpu_seconds, ready, settle, stat, word};

/// Turns of the session that a long one is compared with.
const FEW: u32 = 10;
/// Turns of the session that text streams into.
const KNOWN: u32 = 10_000;
/// How often the long session is opened, and a page of it asked for.
const TIMES: usize = 7;
/// Chunks that stream into a session, one every [`PACE`]; as often into the short one and the long one.
const CHUNKS: usize = 1_000;
const STREAMS: usize = 3;

/// Clicks a session in the list, and keeps the time until the frame that shows its newest answer.
const OPEN: &str = "
    const [title, text] = arguments;
    const item = [...document.querySelectorAll(\"[data-testid='session-item']\")].find((each) => each.title === title);
    window.opened_ = null;
    const began = performance.now();
    item.click();
    const look = () => {
        const last = [...document.querySelectorAll('[data-turn]')].at(-1);
        if (last?.textContent.includes(text)) window.opened_ = performance.now() - began;
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);";

/// Scrolls to the top, and keeps the time until the frame that shows the page before, and how far what was read moved meanwhile.
const PAGE: &str = "
    const region = document.querySelector(\"[aria-label='Conversation']\");
    const turns = () => [...region.querySelectorAll('[data-turn]')];
    const read = turns()[0];
    region.scrollTop = 0;
    const at = () => read.getBoundingClientRect().top - region.getBoundingClientRect().top;
    const [began, before, first] = [performance.now(), at(), read.dataset.turn];
    let moved = 0;
    window.page_ = null;
    const look = () => {
        moved = Math.max(moved, Math.abs(at() - before));
        if (turns()[0].dataset.turn !== first) window.page_ = [performance.now() - began, moved];
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);";

const TITLE: &str = "Say many words.";

pub(crate) async fn all(add: &mut impl FnMut(&'static str, &'static str, Goal, f64)) -> Result<()> {
    let short = opened(FEW).await?;
    let long = opened(TURNS).await?;
    add("a session of 5,000 turns: click to the newest turn's text", "ms", Goal::AtMost(200.0), long.opening);
    let what = "memory with that session open, more than with one of 10";
    add(what, "MiB", Goal::AtMost(30.0), long.memory - short.memory);
    add("a page of earlier turns: asked for to shown", "ms", Goal::AtMost(100.0), long.page);
    add("what is read moves meanwhile by", "px", Goal::AtMost(0.5), long.moved);
    let few = chunk(FEW).await?;
    let many = chunk(KNOWN).await?;
    let what = "a streamed chunk in a session of 10,000 turns: CPU of the window";
    add(what, "ms", Goal::SameAs(few, few * 1.2), many);
    Ok(())
}

struct Opened {
    opening: f64,
    memory: f64,
    page: f64,
    moved: f64,
}

/// A desktop whose newest session has so many turns, and a window on it.
pub(crate) async fn long_session(model: &ScriptedModel, turns: u32) -> Result<((Desktop, Folder), Window)> {
    let (home, window) = ready(model).await?;
    ask(&window).await;
    window.reads("state", "Answered").await;
    window.quit().await;
    seed::long_session(&home.0.data_dir(), turns).await;
    let window = home.0.open(None).await;
    window.reads("answer", "the last word").await;
    Ok((home, window))
}

/// What the harness's own turn says: some text, so that turns have a height.
fn said(turn: support::Turn) -> support::Turn {
    (0..50).fold(turn, |turn, n| turn.text(&word(n))).text("the last word").end("stop")
}

async fn opened(turns: u32) -> Result<Opened> {
    let model = Script::new().turn(said).start();
    let (home, window) = long_session(&model, turns).await?;
    settle(window.process()).await?;
    let memory = memory(window.process())?;
    let mut opening = Vec::new();
    let (mut pages, mut moved) = (Vec::new(), 0.0_f64);
    for _ in 0..TIMES {
        window.click("new-chat").await;
        window.gone("answer").await;
        window.script(OPEN, json!([TITLE, "the last word"])).await;
        opening.push(figure(&window, "opened_").await?.as_f64().context("a time")?);
        if turns > FEW {
            window.script(PAGE, json!([])).await;
            let page = figure(&window, "page_").await?;
            pages.push(page[0].as_f64().context("a time")?);
            moved = moved.max(page[1].as_f64().context("a distance")?);
        }
    }
    window.quit().await;
    drop(home);
    model.finish();
    let page = if pages.is_empty() { 0.0 } else { median(pages) };
    Ok(Opened { opening: median(opening), memory, page, moved })
}

/// What a script of this file left in the page, once it is there.
pub(crate) async fn figure(window: &Window, name: &str) -> Result<Value> {
    let look = format!("return window.{name}");
    Ok(window
        .until("the figure", async || {
            let figure = window.session.execute(&look, json!([])).await?;
            Ok((!figure.is_null()).then_some(figure))
        })
        .await)
}

/// CPU milliseconds of the window for each chunk of an answer that streams into a session of so many turns: the median of a few.
async fn chunk(turns: u32) -> Result<f64> {
    let mut figures = Vec::new();
    let gates: Vec<Vec<Gate>> = (0..STREAMS).map(|_| (0..CHUNKS).map(|_| Gate::new()).collect()).collect();
    let streams = gates.iter().fold(Script::new().turn(said), |script, gates| {
        script.turn(|turn| {
            let held = gates.iter().enumerate().fold(turn, |turn, (n, gate)| turn.hold(gate).text(&word(n)));
            held.text(" and the end").end("stop")
        })
    });
    let model = streams.start();
    let (home, window) = long_session(&model, turns).await?;
    for gates in &gates {
        settle(window.process()).await?;
        ask(&window).await;
        gates[0].reached().await;
        let before = cpu_seconds(window.process())?;
        let mut tick = tokio::time::interval(PACE);
        for gate in gates {
            tick.tick().await;
            gate.open();
        }
        window.reads("state", "Answered").await;
        figures.push((cpu_seconds(window.process())? - before) * 1_000.0 / CHUNKS as f64);
    }
    window.quit().await;
    drop(home);
    model.finish();
    Ok(median(figures))
}

/// Memory of a window and of what it started, in MiB: each page by its share (`Pss` of /proc/PID/smaps_rollup, proc(5)).
fn memory(process: u32) -> Result<f64> {
    let rollup = fs::read_to_string(format!("/proc/{process}/smaps_rollup"))?;
    let line = rollup.lines().find(|line| line.starts_with("Pss:")).context("a sum")?;
    let kib: f64 = line.split_whitespace().nth(1).context("a size")?.parse()?;
    ensure!(kib > 0.0, "the memory of {process} cannot be read");
    let mut all = kib / 1_024.0;
    for entry in fs::read_dir("/proc")?.flatten() {
        let Some(child) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if stat(child).is_ok_and(|fields| fields[1] == process.to_string()) {
            all += memory(child)?;
        }
    }
    Ok(all)
}
