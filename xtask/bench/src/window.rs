//! The window's figures, from the real window on a virtual display: what a person would feel of it.
//!
//! Deliberately not here: whether what is shown is right, which the end-to-end suite looks at.

use std::fs;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use support::{Desktop, Folder, Gate, Script, ScriptedModel, Turn, Window};

use crate::measures::{PACE, median};
use crate::table::{Goal, Row};

/// How often the window is opened to measure its first paint.
const OPENED: usize = 7;
/// How many chunks are timed on their way, one every [`PACE`].
const TIMED: usize = 1_000;
/// A stream faster than any model's: 2,000 chunks a second, as ten every 5 ms, for five seconds.
pub(crate) const CHUNKS_PER_TICK: usize = 10;
const TICKS: usize = 1_000;
/// The file that is written while the page's stalls are looked for: its lines, each one chunk at the pace of that stream, and
/// their bytes, one megabyte together. Every tenth line differs from the file that is there.
const LINES: usize = 20_000;
const LINE_BYTES: usize = 50;
const DIFFERS: usize = 10;
const FILE: &str = "lines.txt";
/// A window that has just opened still has work to do. It counts as idle once it has used no more than this share of a
/// core for a second. A window that never becomes idle is measured after this time anyway, and misses its goal.
const SETTLED: f64 = 0.02;
const SETTLING: Duration = Duration::from_secs(20);
/// How long the idle window is watched.
const IDLE: Duration = Duration::from_secs(10);
/// The unit of process times in /proc (`sysconf(_SC_CLK_TCK)`, 100 on every Linux since 2.6).
const TICKS_PER_SECOND: f64 = 100.0;

/// Writes down when the page was given each piece of text, before the page itself sees it.
const RECORD: &str = "
    const internals = window.__TAURI_INTERNALS__;
    window.came = [];
    for (const [id, deliver] of internals.callbacks) {
        internals.callbacks.set(id, (data) => {
            const at = performance.timeOrigin + performance.now();
            for (const update of data?.message ?? []) {
                if (update.envelope?.event.type === 'text_chunk') window.came.push([at, update.envelope.event.text]);
            }
            return deliver(data);
        });
    }";

/// Counts the frames that are painted, from the first text on.
const COUNT_FRAMES: &str = "
    window.frames_ = [];
    const frame = (at) => { window.frames_.push(at); requestAnimationFrame(frame); };
    requestAnimationFrame(frame);";

/// Keeps the longest time between two ticks of a timer: whatever holds up the page holds up the timer.
const WATCH_STALLS: &str = "
    window.stall_ = 0;
    let last = performance.now();
    setInterval(() => {
        const now = performance.now();
        window.stall_ = Math.max(window.stall_, now - last);
        last = now;
    }, 4);";

/// Leaves the pane, and keeps the frames in which it is there again and in which its rows are.
const WATCH_ROWS: &str = "
    document.querySelector(\"[role='tab'][data-value='trace']\").click();
    const seen = { pane: null, rows: null };
    const look = () => {
        if (document.querySelector(\"[data-testid='diff-pane']\")) seen.pane ??= performance.now();
        if (document.querySelector(\"[data-testid='row']\")) seen.rows ??= performance.now();
        if (seen.rows === null) requestAnimationFrame(look);
    };
    requestAnimationFrame(() => requestAnimationFrame(look));
    window.seen_ = seen;";

pub(crate) fn all() -> Result<Vec<Row>> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let mut rows = Vec::new();
        let mut add = |what, unit, goal, orion| {
            let row = Row { what, unit, goal, floor: None, orion };
            eprintln!("  {row}");
            rows.push(row);
        };
        let (paint, idle) = first_paint_and_idle().await?;
        add("first paint of the window", "ms", Goal::AtMost(500.0), paint);
        add("CPU of the idle window, over 10 s", "%", Goal::AtMost(1.0), idle);
        add("socket to webview, 99th percentile", "ms", Goal::AtMost(20.0), socket_to_webview().await?);
        add("frames a second at 2,000 chunks a second", "", Goal::AtLeast(50.0), frames().await?);
        let (stall, opening) = stall_and_opening().await?;
        let what = "longest stall while a 1 MB file streams through a write session";
        add(what, "ms", Goal::AtMost(100.0), stall);
        add("a difference of 20,000 lines: Diff shown to rows seen", "ms", Goal::AtMost(1_000.0), opening);
        crate::long_window::all(&mut add).await?;
        crate::trace_window::all(&mut add).await?;
        crate::naming_window::all(&mut add).await?;
        crate::memory_window::all(&mut add).await?;
        Ok(rows)
    })
}

/// The median time from the start of the process to its first painted content, and the share of one core that the last of
/// the windows takes when nothing happens.
async fn first_paint_and_idle() -> Result<(f64, f64)> {
    let desktop = Desktop::start();
    let mut paints = Vec::new();
    for opened in 1.. {
        let window = desktop.open(None).await;
        let painted = "
            const paint = performance.getEntriesByName('first-contentful-paint')[0];
            return paint ? performance.timeOrigin + paint.startTime : null";
        let painted = window
            .until("the first paint", async || Ok(window.session.execute(painted, json!([])).await?.as_f64()))
            .await;
        let started = started_ms(window.process())?;
        window.see("welcome").await;
        if opened > 1 {
            // The first start fills the webview's caches, which happens only once on a computer.
            paints.push(painted - started);
        }
        if opened == OPENED {
            let settled = settle(window.process()).await?;
            let share = share_of_core(window.process(), IDLE).await?;
            eprintln!("  the window was idle {:.0} s after it could be seen", settled.as_secs_f64());
            window.quit().await;
            return Ok((median(paints), share * 100.0));
        }
        window.quit().await;
    }
    unreachable!("the loop returns")
}

/// Waits until a window has done what it has to do by itself; how long that took.
pub(crate) async fn settle(process: u32) -> Result<Duration> {
    let began = Instant::now();
    while began.elapsed() < SETTLING && share_of_core(process, Duration::from_secs(1)).await? > SETTLED {}
    Ok(began.elapsed())
}

/// The share of one core that a process and those it started take over so long.
async fn share_of_core(process: u32, watched: Duration) -> Result<f64> {
    let (began, before) = (Instant::now(), cpu_seconds(process)?);
    tokio::time::sleep(watched).await;
    Ok((cpu_seconds(process)? - before) / began.elapsed().as_secs_f64())
}

/// From handing a chunk to the socket to the webview's handler, at the pace of a fast model.
async fn socket_to_webview() -> Result<f64> {
    let gates: Vec<Gate> = (0..TIMED).map(|_| Gate::new()).collect();
    let model = Script::new().turn(|turn| stream(turn, &gates, 1)).start();
    let (_home, window) = ready(&model).await?;
    window.script(RECORD, json!([])).await;
    ask(&window).await;
    gates[0].reached().await;
    let mut sent = Vec::with_capacity(TIMED);
    let mut tick = tokio::time::interval(PACE);
    for gate in &gates {
        tick.tick().await;
        gate.reached().await;
        sent.push(epoch_ms()?);
        gate.open();
    }
    window.reads("state", "Answered").await;
    let came = window.script("return window.came", json!([])).await;
    let mut waits = Vec::with_capacity(TIMED);
    let mut text = String::new();
    for piece in came.as_array().context("a list of pieces")? {
        let at = piece[0].as_f64().context("a time")?;
        text += piece[1].as_str().context("a text")?;
        // A chunk has come once its whole word has.
        while waits.len() < TIMED && text.contains(&word(waits.len())) {
            waits.push(at - sent[waits.len()]);
        }
    }
    ensure!(waits.len() == TIMED, "{} of {TIMED} chunks came", waits.len());
    waits.sort_by(f64::total_cmp);
    eprintln!("  socket to webview: median {:.1} ms, longest {:.1} ms", waits[TIMED / 2], waits[TIMED - 1]);
    window.quit().await;
    model.finish();
    Ok(waits[TIMED * 99 / 100])
}

/// Frames a second while chunks flow as no model sends them.
async fn frames() -> Result<f64> {
    let gates: Vec<Gate> = (0..TICKS).map(|_| Gate::new()).collect();
    let model = Script::new().turn(|turn| stream(turn, &gates, CHUNKS_PER_TICK)).start();
    let (_home, window) = ready(&model).await?;
    ask(&window).await;
    gates[0].reached().await;
    window.script(COUNT_FRAMES, json!([])).await;
    let began = Instant::now();
    let mut tick = tokio::time::interval(PACE);
    for gate in &gates {
        tick.tick().await;
        gate.open();
    }
    gates[TICKS - 1].reached().await;
    let seconds = began.elapsed().as_secs_f64();
    let frames = window.script("return window.frames_", json!([])).await;
    window.reads("answer", word(TICKS * CHUNKS_PER_TICK - 1).trim()).await;
    window.quit().await;
    model.finish();
    let rate = (TICKS * CHUNKS_PER_TICK) as f64 / seconds;
    ensure!(rate > 1_900.0, "the stream ran at {rate:.0} chunks a second only");
    let frames: Vec<f64> = frames.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    let span = frames.last().zip(frames.first()).map_or(f64::NAN, |(last, first)| last - first);
    Ok((frames.len() - 1) as f64 * 1_000.0 / span)
}

/// The longest time for which the page stands still while a file streams into it, and the time from the frame that shows the
/// Diff tab to the one that shows rows of the difference.
async fn stall_and_opening() -> Result<(f64, f64)> {
    let gates: Vec<Gate> = (0..LINES / CHUNKS_PER_TICK).map(|_| Gate::new()).collect();
    let end = Gate::new();
    let plan = json!({ "intent": "Write the lines.", "target_file": FILE, "operation": "overwrite" });
    let streamed = |turn: Turn| {
        let held = gates.iter().enumerate().fold(turn, |turn, (n, gate)| {
            (0..CHUNKS_PER_TICK)
                .fold(turn.hold(gate), |turn, m| turn.text(&line(n * CHUNKS_PER_TICK + m, "new")))
        });
        held.hold(&end).text("DONE\n").end("stop")
    };
    let model = Script::new()
        .turn(|turn| turn.call("write_plan_begin", plan).end("tool_calls"))
        .turn(streamed)
        .start();
    let (home, window) = ready(&model).await?;
    fs::write(home.1.path().join(FILE), (0..LINES).map(|number| line(number, "old")).collect::<String>())?;
    ask(&window).await;
    gates[0].reached().await;
    window.see("diff-pane").await;
    window.script(WATCH_STALLS, json!([])).await;
    let began = Instant::now();
    let mut tick = tokio::time::interval(PACE);
    for gate in &gates {
        tick.tick().await;
        gate.open();
    }
    end.reached().await;
    let seconds = began.elapsed().as_secs_f64();
    window.reads("figure", "20,000 lines").await;
    let stall = window.script("return window.stall_", json!([])).await;
    window.script(WATCH_ROWS, json!([])).await;
    window.gone("diff-pane").await;
    end.open();
    let rows = window
        .until("rows of the difference", async || {
            let seen = window.session.execute("return window.seen_", json!([])).await?;
            Ok(seen["pane"].as_f64().zip(seen["rows"].as_f64()))
        })
        .await;
    window.quit().await;
    model.finish();
    let rate = LINES as f64 / seconds;
    ensure!(rate > 1_900.0, "the stream ran at {rate:.0} chunks a second only");
    Ok((stall.as_f64().context("a time")?, rows.1 - rows.0))
}

/// One line of the file, with its end.
fn line(number: usize, version: &str) -> String {
    let version = if number.is_multiple_of(DIFFERS) { version } else { "same" };
    let line = format!("{version} line {number} of a file as long as files are ");
    format!("{line:.<width$.width$}\n", width = LINE_BYTES - 1)
}

/// An answer held at each gate, with so many chunks behind each.
fn stream(turn: Turn, gates: &[Gate], chunks: usize) -> Turn {
    let held = gates.iter().enumerate().fold(turn, |turn, (n, gate)| {
        (0..chunks).fold(turn.hold(gate), |turn, m| turn.text(&word(n * chunks + m)))
    });
    held.end("stop")
}

/// Each chunk is its own, and every fortieth begins a paragraph, as answers have.
pub(crate) fn word(number: usize) -> String {
    let end = if number % 40 == 39 { "\n\n" } else { " " };
    format!("w{number},{end}")
}

/// A desktop with the scripted model in its settings.
pub(crate) fn desktop(model: &ScriptedModel) -> Result<Desktop> {
    let desktop = Desktop::start();
    fs::create_dir_all(desktop.config_dir())?;
    let settings = format!(
        "default_endpoint = \"scripted\"\n[endpoints.scripted]\nbase_url = \"{}\"\nmodel = \"scripted\"\n",
        model.base_url()
    );
    fs::write(desktop.config_dir().join("config.toml"), settings)?;
    Ok(desktop)
}

/// A window with this model and a folder, and no turn yet.
pub(crate) async fn ready(model: &ScriptedModel) -> Result<((Desktop, Folder), Window)> {
    let desktop = desktop(model)?;
    let folder = Folder::with([("README.md", "# Foxes\n")]);
    let window = desktop.open(Some(&folder.path())).await;
    window.see("composer").await;
    Ok(((desktop, folder), window))
}

pub(crate) async fn ask(window: &Window) {
    window.write("composer", "Say many words.").await;
    window.click("send").await;
}

fn epoch_ms() -> Result<f64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64() * 1_000.0)
}

/// When a process started, in milliseconds since the epoch (proc(5): field 22 of stat, in ticks since the boot).
fn started_ms(process: u32) -> Result<f64> {
    let uptime = fs::read_to_string("/proc/uptime")?;
    let uptime: f64 = uptime.split(' ').next().context("an uptime")?.parse()?;
    let ticks: f64 = stat(process)?.get(19).context("a start time")?.parse()?;
    Ok(epoch_ms()? - (uptime - ticks / TICKS_PER_SECOND) * 1_000.0)
}

/// User and system time of a process and of those it started.
pub(crate) fn cpu_seconds(process: u32) -> Result<f64> {
    let fields = stat(process)?;
    let mut ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
    for entry in fs::read_dir("/proc")?.flatten() {
        let Some(child) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if stat(child).is_ok_and(|fields| fields[1] == process.to_string()) {
            ticks += cpu_seconds(child)? * TICKS_PER_SECOND;
        }
    }
    Ok(ticks / TICKS_PER_SECOND)
}

/// The fields of /proc/PID/stat behind the name in brackets, the state first (proc(5)).
pub(crate) fn stat(process: u32) -> Result<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    let (_, fields) = stat.rsplit_once(") ").context("a name in brackets")?;
    Ok(fields.split_whitespace().map(str::to_owned).collect())
}
