//! Memory of the webview: what a large file and a long answer take while they are shown, and what is left of that when another session is.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use support::{Script, Turn};

use crate::long_window::figure;
use crate::table::Goal;
use crate::window::{ask, ready, settle, stat, word};

/// Lines of the file that is written, and of the answer that follows it.
const FILE_LINES: usize = 20_000;
const ANSWER_LINES: usize = 3_000;
/// What the answer ends with.
const END: &str = "and the end";

/// Opens the session that is the older one of the two in the list, and keeps a mark in the page once the newer one is gone from it.
const OPEN_OLDER: &str = "
    const shown = document.querySelector('[data-turn]').dataset.turn;
    [...document.querySelectorAll(\"[data-testid='session-item']\")].at(-1).click();
    window.other_ = null;
    const look = () => {
        const turn = document.querySelector('[data-turn]');
        if (turn && turn.dataset.turn !== shown) window.other_ = true;
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);";

/// How long after another session was opened: the window has made WebKit collect by then (`ui/src/lib/app/collecting.ts`).
const LATER: Duration = Duration::from_secs(10);

pub(crate) async fn all(add: &mut impl FnMut(&'static str, &'static str, Goal, f64)) -> Result<()> {
    let plan = json!({ "intent": "Write the lines.", "target_file": "lines.txt", "operation": "create" });
    let model = Script::new()
        .turn(|turn| turn.text("A short answer.").end("stop"))
        .turn(|turn| turn.call("write_plan_begin", plan).end("tool_calls"))
        .turn(|turn| (0..FILE_LINES).fold(turn, file_line).text("DONE\n").end("stop"))
        .turn(|turn| (0..ANSWER_LINES).fold(turn, answer_line).text(END).end("stop"))
        .start();
    let (_home, window) = ready(&model).await?;
    ask(&window).await;
    window.reads("state", "Answered").await;
    settle(window.process()).await?;
    let start = webview_memory(window.process())?;

    window.click("new-chat").await;
    window.gone("answer").await;
    ask(&window).await;
    window.see("row").await;
    window.click("write-approve").await;
    window.reads("answer", END).await;
    window.reads("state", "Answered").await;
    settle(window.process()).await?;
    let full = webview_memory(window.process())?;

    window.script(OPEN_OLDER, json!([])).await;
    figure(&window, "other_").await?;
    tokio::time::sleep(LATER).await;
    settle(window.process()).await?;
    let after = webview_memory(window.process())?;
    window.quit().await;
    model.finish();

    let what = "the webview's memory after a file of 20,000 lines and an answer of 3,000";
    add(what, "MiB", Goal::AtMost(300.0), full);
    add("the same with another session shown for 10 s", "MiB", Goal::SameAs(start, start * 1.2), after);
    Ok(())
}

fn file_line(turn: Turn, number: usize) -> Turn {
    turn.text(&format!("line {number} of a file as long as files are\n"))
}

fn answer_line(turn: Turn, number: usize) -> Turn {
    turn.text(&format!("{} is in line {number} of an answer  \n", word(number).trim()))
}

/// Memory of the processes that a window's pages run in, in MiB, each page of memory by its share (`Pss` of /proc/PID/smaps_rollup, proc(5)).
fn webview_memory(process: u32) -> Result<f64> {
    let mut all = 0.0;
    for entry in fs::read_dir("/proc")?.flatten() {
        let Some(child) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let (Ok(fields), Ok(name)) = (stat(child), fs::read_to_string(format!("/proc/{child}/comm"))) else {
            continue;
        };
        // The kernel keeps 15 bytes of a name.
        if fields[1] == process.to_string() && name.trim() == "WebKitWebProces" {
            let rollup = fs::read_to_string(format!("/proc/{child}/smaps_rollup"))?;
            let line = rollup.lines().find(|line| line.starts_with("Pss:")).context("a sum")?;
            all += line.split_whitespace().nth(1).context("a size")?.parse::<f64>()? / 1_024.0;
        }
    }
    ensure!(all > 0.0, "no process of the webview was found");
    Ok(all)
}
