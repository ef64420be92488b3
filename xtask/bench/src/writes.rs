//! What a file costs that is written through a write session (W): time for each piece, memory for a large one, and tokens
//! for one that is cut off at the model's output limit.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use support::{Script, Turn};

use crate::measures::RARELY;
use crate::stopwatch::Used;
use crate::subject::{Rig, Subject};
use crate::table::{Goal, Row};

/// The file that is written. It is not there before a run, and gone after it.
const TARGET: &str = "written.txt";

/// Bytes of a piece, as models send them: some four tokens.
const PIECE: usize = 16;
/// Bytes of the file of many pieces, and of one that needs everything but the pieces.
const LONG: usize = 1_000_000;
const SHORT: usize = 32_000;

/// Bytes of the largest file, and of its pieces: with smaller ones its events would be more than a response may hold.
const LARGEST: usize = 50_000_000;
const LARGE_PIECE: usize = 4_096;

/// A file of 40,000 tokens, where it is cut off, and how much the model says again when it goes on.
const CUT_FILE: usize = 160_000;
const CUT_AT: usize = 96_010;
const REPEATED: usize = 200;

/// The rows of the table about written files.
pub(crate) fn all(rig: &Rig, data: &Path, mut add: impl FnMut(Row)) -> Result<()> {
    let row = |what, unit, goal| Row { what, unit, goal, floor: None, orion: 0.0 };
    let cpu = |subject, length| Ok(write(rig, subject, &text(length), PIECE, data)?.cpu_ms);
    let long = row("1 MB written in pieces of 16 characters: CPU", "ms", Goal::AtMost(180.0))
        .medians(RARELY, |subject| cpu(subject, LONG))?;
    add(long.clone());
    add(Row { what: "the same, against the floor", goal: Goal::TimesFloor(3.0), ..long });
    let further = ((LONG - SHORT) / PIECE) as f64;
    add(row("each further piece of a written file: CPU", "µs", Goal::AtMost(3.0))
        .medians(RARELY, |subject| Ok((cpu(subject, LONG)? - cpu(subject, SHORT)?) * 1_000.0 / further))?);
    let largest = text(LARGEST);
    add(row("50 MB written: peak memory", "MiB", Goal::AtMost(300.0)).medians(1, |subject| {
        Ok(write(rig, subject, &largest, LARGE_PIECE, data)?.peak_bytes as f64 / f64::from(1 << 20))
    })?);
    add(Row {
        orion: cut(rig, data)?,
        ..row("a file cut off once: what the model sends, against the file", "×", Goal::AtMost(1.1))
    });
    Ok(())
}

/// Lines of a file, of exactly so many bytes, the last one with its end.
fn text(length: usize) -> String {
    let mut text = String::with_capacity(length + 64);
    for line in 0.. {
        if text.len() >= length {
            break;
        }
        text += &format!("{line:08} a line of a file, as long as lines often are\n");
    }
    text.truncate(length - 1);
    text.push('\n');
    text
}

fn pieces(turn: Turn, text: &str, size: usize) -> Turn {
    text.as_bytes().chunks(size).fold(turn, |turn, piece| turn.text(&String::from_utf8_lossy(piece)))
}

fn opened() -> Script {
    let plan = json!({ "intent": "Write the lines.", "target_file": TARGET, "operation": "create" });
    Script::new().turn(|turn| turn.call("write_plan_begin", plan).end("tool_calls"))
}

fn answered(script: Script) -> Script {
    script.turn(|turn| turn.text("It is written.").end("stop"))
}

/// Has a program write a file, and looks whether it did.
fn write(rig: &Rig, subject: Subject, text: &str, size: usize, data: &Path) -> Result<Used> {
    let script = opened().turn(|turn| pieces(turn, text, size).text("DONE\n").end("stop"));
    written(rig, subject, answered(script), text, data)
}

/// How many bytes of the file the model sends for each of its bytes, when no message of it may be longer than its output limit.
/// Whenever it is asked, it goes on a little before where it stopped, as models do, and what it then sends is counted.
fn cut(rig: &Rig, data: &Path) -> Result<f64> {
    let text = text(CUT_FILE);
    let file = text.clone();
    let served = Arc::new(AtomicUsize::new(0));
    let count = served.clone();
    let mut sent = 0;
    let script = opened().forever(move |_, _| {
        if sent == file.len() {
            return Turn::default().text("It is written.").end("stop");
        }
        let from = sent.saturating_sub(REPEATED);
        sent = file.len().min(from + CUT_AT);
        count.fetch_add(sent - from, Ordering::Relaxed);
        let turn = pieces(Turn::default(), &file[from..sent], PIECE);
        if sent == file.len() { turn.text("DONE\n").end("stop") } else { turn.end("length") }
    });
    written(rig, Subject::Orion, script, &text, data)?;
    Ok(served.load(Ordering::Relaxed) as f64 / text.len() as f64)
}

fn written(rig: &Rig, subject: Subject, script: Script, text: &str, data: &Path) -> Result<Used> {
    let target = rig.in_project(TARGET);
    let (used, _) = rig.used(subject, script, data)?;
    let found = fs::read(&target).with_context(|| format!("{subject:?} wrote no file"))?;
    ensure!(found == text.as_bytes(), "{subject:?} wrote something else than the file");
    fs::remove_file(&target)?;
    Ok(used)
}
