//! The trace panel in the real window: opening it in a session of very many spans, looking closer, and what it costs while a turn runs.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use support::{Gate, Script, Turn, Window};

use crate::long_window::{figure, long_session};
use crate::measures::{PACE, median};
use crate::table::Goal;
use crate::window::{CHUNKS_PER_TICK, ask, cpu_seconds, ready, settle, word};

/// Spans of the session whose trace is opened, at least.
const SPANS: u64 = 100_000;
/// Turns that have as many, with 16 spans each.
const TURNS: u32 = 6_400;
/// How often it is opened.
const TIMES: usize = 7;
/// Ticks of the stream that is watched with the panel and without it: 2,000 chunks a second for five seconds, as often in turn.
const TICKS: usize = 1_000;
const STREAMS: usize = 3;

/// Closes the panel, asks for the trace of the turn before the newest or the one before that, and keeps the time until its bars are there.
const OPEN: &str = "
    const [which] = arguments;
    const panel = document.querySelector(\"main > header button[aria-label='Side panel']\");
    if (panel.getAttribute('aria-pressed') === 'true') panel.click();
    window.traced_ = null;
    const shown = () => document.querySelector(\"[data-testid='timeline-row']\") !== null;
    const open = () => {
        if (shown()) return requestAnimationFrame(open);
        const turn = [...document.querySelectorAll('[data-turn]')].at(which);
        const began = performance.now();
        [...turn.querySelectorAll('button')].find((button) => button.textContent === 'Show trace').click();
        const look = () => {
            if (shown()) window.traced_ = performance.now() - began;
            else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
    };
    requestAnimationFrame(open);";

/// Turns the wheel in each frame for three seconds, closer and back and to the side, and keeps the frames a second.
const ZOOM: &str = "
    window.zoomed_ = null;
    const head = document.querySelector(\"[data-testid='timeline'] [data-zone='head']\");
    const { left, top, width } = head.getBoundingClientRect();
    const [began, frames] = [performance.now(), []];
    const turn = (at) => {
        frames.push(at);
        const closer = Math.floor(frames.length / 20) % 2 === 0;
        const wheel = { bubbles: true, cancelable: true, clientX: left + width * 0.4, clientY: top + 10 };
        head.dispatchEvent(new WheelEvent('wheel', { ...wheel, deltaY: closer ? -40 : 40 }));
        head.dispatchEvent(new WheelEvent('wheel', { ...wheel, deltaX: closer ? 15 : -15 }));
        if (at - began < 3000) requestAnimationFrame(turn);
        else window.zoomed_ = (frames.length - 1) * 1000 / (frames.at(-1) - frames[0]);
    };
    requestAnimationFrame(turn);";

/// How many spans the newest turn has.
const COUNT: &str = "
    const requestId = [...document.querySelectorAll('[data-turn]')].at(-1).dataset.turn;
    const { spans } = await window.__TAURI_INTERNALS__.invoke('query', { query: { type: 'trace', requestId } });
    return spans.length";

pub(crate) async fn all(add: &mut impl FnMut(&'static str, &'static str, Goal, f64)) -> Result<()> {
    let (opening, frames) = opened().await?;
    add("a session of 100,000 spans: a trace asked for to its bars seen", "ms", Goal::AtMost(500.0), opening);
    add("frames a second while one looks closer, and to the side", "", Goal::AtLeast(50.0), frames);
    let (closed, open) = streamed().await?;
    let what = "2,000 chunks a second with the trace open: CPU of the window";
    add(what, "ms", Goal::SameAs(closed, closed * 1.1), open);
    Ok(())
}

/// A turn that reads three files and answers.
fn reads(script: Script) -> Script {
    let read = |script: Script, lines: u32| {
        let call = json!({"path": "README.md", "limit": lines});
        script.turn(move |turn: Turn| turn.text("I look. ").call("read_file", call.clone()).end("tool_calls"))
    };
    let read = read(read(read(script, 1), 2), 3);
    read.turn(|turn| turn.text("That is the last word").end("stop"))
}

async fn opened() -> Result<(f64, f64)> {
    let model = reads(Script::new()).start();
    let (home, window) = long_session(&model, TURNS).await?;
    settle(window.process()).await?;
    let spans = window.script(COUNT, json!([])).await.as_u64().context("a number of spans")?;
    ensure!(spans * u64::from(TURNS) >= SPANS, "a turn has {spans} spans only");
    let mut times = Vec::new();
    for time in 0..TIMES {
        let which = if time % 2 == 0 { -2 } else { -3 };
        window.script(OPEN, json!([which])).await;
        times.push(figure(&window, "traced_").await?.as_f64().context("a time")?);
    }
    window.script(ZOOM, json!([])).await;
    let frames = figure(&window, "zoomed_").await?.as_f64().context("a rate")?;
    window.quit().await;
    drop(home);
    model.finish();
    Ok((median(times), frames))
}

/// CPU milliseconds of the window while an answer streams, without the trace and with it, each the median of a few.
async fn streamed() -> Result<(f64, f64)> {
    let gates: Vec<Vec<Gate>> = (0..2 * STREAMS).map(|_| (0..TICKS).map(|_| Gate::new()).collect()).collect();
    let script = gates.iter().fold(Script::new(), |script, gates| {
        script.turn(|turn| {
            let held = gates.iter().enumerate().fold(turn, |turn, (n, gate)| {
                (0..CHUNKS_PER_TICK)
                    .fold(turn.hold(gate), |turn, m| turn.text(&word(n * CHUNKS_PER_TICK + m)))
            });
            held.end("stop")
        })
    });
    let model = script.start();
    let (home, window) = ready(&model).await?;
    let (mut closed, mut open) = (Vec::new(), Vec::new());
    for (number, gates) in gates.iter().enumerate() {
        let with = number % 2 == 1;
        panel(&window, with).await;
        // A new session each time: both have the same text around them.
        window.click("new-chat").await;
        settle(window.process()).await?;
        ask(&window).await;
        gates[0].reached().await;
        let (before, began) = (cpu_seconds(window.process())?, Instant::now());
        let mut tick = tokio::time::interval(PACE);
        for gate in gates {
            tick.tick().await;
            gate.open();
        }
        window.reads("state", "Answered").await;
        let used = (cpu_seconds(window.process())? - before) * 1_000.0;
        let rate = (TICKS * CHUNKS_PER_TICK) as f64 / began.elapsed().as_secs_f64();
        ensure!(rate > 1_500.0, "the stream ran at {rate:.0} chunks a second only");
        if with { open.push(used) } else { closed.push(used) }
    }
    window.quit().await;
    drop(home);
    model.finish();
    Ok((median(closed), median(open)))
}

/// Opens the panel at the trace, or closes it.
async fn panel(window: &Window, open: bool) {
    let set = "
        const panel = document.querySelector(\"main > header button[aria-label='Side panel']\");
        if ((panel.getAttribute('aria-pressed') === 'true') !== arguments[0]) panel.click();
        await new Promise((next) => setTimeout(next));
        if (arguments[0]) document.querySelector(\"[role='tab'][data-value='trace']\").click();
        return null";
    let done: Value = window.script(set, json!([open])).await;
    debug_assert!(done.is_null());
}
