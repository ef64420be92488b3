//! What is measured, how often, and against which goal. Figures are medians.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use support::{Gate, Script, Turn};

use crate::subject::{Rig, Subject};
use crate::table::{Goal, Row};
use crate::{long, loss, machine, search, seed, writes};

/// How often short things are measured, and long ones.
pub(crate) const OFTEN: usize = 21;
pub(crate) const RARELY: usize = 7;

/// The pace of a fast model: a chunk every 5 ms.
pub(crate) const PACE: Duration = Duration::from_millis(5);

/// Sessions in a data directory that has been used for long.
const EARLIER_SESSIONS: usize = 10_000;

/// All rows of the table.
pub(crate) fn all(rig: &Rig) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut add = |row: Row| {
        eprintln!("  {row}");
        rows.push(row);
    };
    let data = rig.data.path();
    // The first run creates the database and is not measured.
    rig.run(Subject::Orion, answer(1), &data)?.model.finish();

    let row = |what, unit, goal| Row { what, unit, goal, floor: None, orion: 0.0 };
    add(row("start to first request sent", "ms", Goal::AtMost(50.0))
        .medians(OFTEN, |s| start(rig, s, &data))?);
    let cpu = |subject, script: fn() -> Script| Ok(rig.used(subject, script(), &data)?.0.cpu_ms);
    add(row("list, read, answer: CPU", "ms", Goal::AtMost(40.0)).medians(OFTEN, |s| cpu(s, tour))?);
    add(row("2,000-chunk answer: CPU", "ms", Goal::AtMost(40.0))
        .medians(OFTEN, |s| cpu(s, || answer(2_000)))?);
    add(row("20,000-chunk answer: CPU", "ms", Goal::TimesFloor(2.0))
        .medians(RARELY, |s| cpu(s, || answer(20_000)))?);
    add(row("tool step with the journal flushed: gap to the next request", "ms", Goal::AtMost(5.0))
        .medians(OFTEN, |s| tool_step(rig, s, &data))?);
    add(row("chunk in to stdout out", "ms", Goal::AtMost(2.0)).medians(3, |s| latency(rig, s, &data))?);
    add(row("last byte to exit, journal flushed, no process left", "ms", Goal::AtMost(20.0))
        .medians(OFTEN, |s| exit(rig, s, &data))?);
    let peak = |subject, chunks| {
        Ok(rig.used(subject, answer(chunks), &data)?.0.peak_bytes as f64 / f64::from(1 << 20))
    };
    let short =
        row("peak memory at 2,000 chunks", "MiB", Goal::AtMost(30.0)).medians(RARELY, |s| peak(s, 2_000))?;
    let long = row("peak memory at 20,000 chunks", "MiB", Goal::AtMost(30.0))
        .medians(RARELY, |s| peak(s, 20_000))?;
    // SQLite keeps up to 2 MiB of pages (its default); the journal of a long answer fills them, and then no more.
    let growth = row("growth of peak memory from 2,000 to 20,000 chunks", "MiB", Goal::AtMost(3.0));
    let growth = Row { floor: None, orion: long.orion - short.orion, ..growth };
    add(short);
    add(long);
    add(growth);
    add(row("first request body", "KB", Goal::AtMost(8.0)).medians(1, |s| first_body(rig, s, &data))?);
    add(row("size of the binary", "MB", Goal::AtMost(25.0))
        .medians(1, |subject| Ok(fs::metadata(rig.program(subject))?.len() as f64 / 1e6))?);
    add(Row {
        orion: loss::worst(rig)?,
        ..row("streamed text lost by kill -9, worst of 10", "ms", Goal::AtMost(250.0))
    });
    for row in earlier_sessions(rig, &data)? {
        add(row);
    }
    add(long::continued(rig)?);
    add(long::remembered(rig)?);
    machine::all(&mut add)?;
    search::all(&mut add)?;
    writes::all(rig, &data, &mut add)?;
    Ok(rows)
}

/// An answer of so many chunks.
pub(crate) fn answer(chunks: usize) -> Script {
    Script::new()
        .turn(|turn| (0..chunks).fold(turn, |turn, n| turn.text(&word(n))).usage(400, 2_000).end("stop"))
}

/// Each chunk is its own, so that none can be taken for another.
pub(crate) fn word(number: usize) -> String {
    format!("w{number} ")
}

fn text(chunks: usize) -> String {
    (0..chunks).map(word).collect()
}

/// List the folder, read a file, answer.
pub(crate) fn tour() -> Script {
    Script::new()
        .turn(|turn| turn.text("I look. ").call("list_files", json!({ "path": "." })).end("tool_calls"))
        .turn(|turn| {
            turn.text("I read. ").call("read_file", json!({ "path": "README.md" })).end("tool_calls")
        })
        .turn(|turn| (0..50).fold(turn, |turn, n| turn.text(&word(n))).end("stop"))
}

fn millis(from: Instant, to: Instant) -> Result<f64> {
    let passed = to.checked_duration_since(from).context("time went backwards")?;
    Ok(passed.as_secs_f64() * 1_000.0)
}

fn start(rig: &Rig, subject: Subject, data: &Path) -> Result<f64> {
    let run = rig.run(subject, answer(1), data)?;
    let request = run.model.requests().into_iter().next().context("a request")?;
    run.model.finish();
    millis(run.began, request.at)
}

fn first_body(rig: &Rig, subject: Subject, data: &Path) -> Result<f64> {
    let run = rig.run(subject, answer(1), data)?;
    let request = run.model.requests().into_iter().next().context("a request")?;
    run.model.finish();
    Ok(request.raw.len() as f64 / 1e3)
}

/// From the last piece of the answer that holds the call to the next request, with the tool run in between.
fn tool_step(rig: &Rig, subject: Subject, data: &Path) -> Result<f64> {
    let run = rig.run(subject, tour(), data)?;
    let exchanges = run.model.exchanges();
    run.model.finish();
    let [_, reads, answers] = &exchanges[..] else { bail!("{} requests instead of 3", exchanges.len()) };
    millis(reads.written_at.context("an answer")?, answers.request.at)
}

fn exit(rig: &Rig, subject: Subject, data: &Path) -> Result<f64> {
    let run = rig.run(subject, answer(200), data)?;
    let exchange = run.model.exchanges().into_iter().next().context("a request")?;
    ensure!(run.output.contains(text(200).trim_end()), "{subject:?} printed something else than the answer");
    run.model.finish();
    millis(exchange.written_at.context("an answer")?, run.ended)
}

/// The median time from a chunk handed to the socket to its text read from standard output, at the pace of a fast model.
fn latency(rig: &Rig, subject: Subject, data: &Path) -> Result<f64> {
    const CHUNKS: usize = 200;
    let gates: Vec<Gate> = (0..CHUNKS).map(|_| Gate::new()).collect();
    let scripted = |turn: Turn| {
        let chunks = gates.iter().enumerate();
        chunks.fold(turn, |turn, (n, gate)| turn.hold(gate).text(&word(n))).end("stop")
    };
    let model = Script::new().models(["scripted"]).turn(scripted).start();
    let mut child = rig.start(subject, &model, data)?;
    let mut output = child.stdout.take().context("its output")?;
    let mut read = Vec::new();
    let mut times = Vec::with_capacity(CHUNKS);
    for (number, gate) in gates.iter().enumerate() {
        thread::sleep(PACE);
        gate.open();
        let word = word(number);
        let mut piece = [0; 4096];
        while !read.windows(word.len()).any(|window| window == word.as_bytes()) {
            let length = output.read(&mut piece)?;
            ensure!(length > 0, "{subject:?} ended before chunk {number}");
            read.extend_from_slice(&piece[..length]);
        }
        let arrived = Instant::now();
        read.clear();
        let exchange = model.exchanges().into_iter().next().context("a request")?;
        times.push(millis(exchange.written_at.context("a chunk")?, arrived)?);
    }
    std::io::copy(&mut output, &mut std::io::sink())?;
    child.wait()?;
    model.finish();
    Ok(median(times))
}

/// A turn in a data directory with many earlier sessions, against one with a handful.
fn earlier_sessions(rig: &Rig, few: &Path) -> Result<[Row; 2]> {
    let many = support::Folder::empty();
    rig.run(Subject::Orion, tour(), &many.path())?.model.finish();
    seed::sessions(&many.path(), EARLIER_SESSIONS)?;
    let compare =
        |what, unit, times: usize, measure: &dyn Fn(&Path) -> Result<f64>, goal: &dyn Fn(f64) -> Goal| {
            let (mut before, mut after) = (Vec::new(), Vec::new());
            for _ in 0..times {
                before.push(measure(few)?);
                after.push(measure(&many.path())?);
            }
            let before = median(before);
            anyhow::Ok(Row { what, unit, goal: goal(before), floor: None, orion: median(after) })
        };
    // The same cost: at most a tenth and a millisecond more.
    let same = |before: f64| Goal::SameAs(before, before * 1.1 + 1.0);
    let cpu = |data: &Path| Ok(rig.used(Subject::Orion, tour(), data)?.0.cpu_ms);
    let first = |data: &Path| start(rig, Subject::Orion, data);
    Ok([
        compare("with 10,000 earlier sessions: list, read, answer: CPU", "ms", OFTEN, &cpu, &same)?,
        compare("with 10,000 earlier sessions: start to first request", "ms", OFTEN, &first, &same)?,
    ])
}

pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}
