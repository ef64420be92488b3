//! How much of an answer is gone when the process is killed in the middle of it (J1).

use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};
use orion_protocol::{TurnEvent, TurnPlace};
use orion_store::Store;
use support::{Folder, Gate, Script, Turn};

use crate::measures::{PACE, word};
use crate::subject::{Rig, Subject};

/// Streams of this many chunks are killed at ten different moments.
const CHUNKS: [usize; 10] = [60, 75, 90, 105, 120, 135, 150, 165, 180, 200];

/// The longest stretch of streamed text, in milliseconds before the kill, that the journal does not hold.
pub(crate) fn worst(rig: &Rig) -> Result<f64> {
    let mut worst: f64 = 0.0;
    for chunks in CHUNKS {
        worst = worst.max(lost(rig, chunks)?);
    }
    Ok(worst)
}

fn lost(rig: &Rig, chunks: usize) -> Result<f64> {
    let data = Folder::empty();
    let gates: Vec<Gate> = (0..chunks).map(|_| Gate::new()).collect();
    let scripted = |turn: Turn| {
        let paced = gates.iter().enumerate();
        paced.fold(turn, |turn, (n, gate)| turn.hold(gate).text(&word(n))).hang()
    };
    let model = Script::new().models(["scripted"]).turn(scripted).start();
    let mut child = rig.start(Subject::Orion, &model, &data.path())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(model.request(1));
    let mut sent = Vec::with_capacity(chunks);
    for gate in &gates {
        thread::sleep(PACE);
        gate.open();
        sent.push(Instant::now());
    }
    // SIGKILL.
    child.kill()?;
    let killed = Instant::now();
    child.wait()?;
    runtime.block_on(model.over(1));
    model.finish();

    let kept = runtime.block_on(kept(&data))?;
    let mut length = 0;
    let first_lost = (0..chunks).find(|number| {
        length += word(*number).len();
        length > kept.len()
    });
    Ok(first_lost.map_or(0.0, |number| killed.duration_since(sent[number]).as_secs_f64() * 1_000.0))
}

/// The text of the killed turn that a restart finds.
async fn kept(data: &Folder) -> Result<String> {
    let store = Store::open(&data.path()).await?;
    let session = store.sessions(None, 1).await?.into_iter().next().context("a session")?;
    let turn = store
        .session_page(session.session_id, TurnPlace::Newest, 1)
        .await?
        .turns
        .into_iter()
        .next()
        .context("a turn")?;
    store.close().await?;
    let chunks = turn.envelopes.into_iter().filter_map(|envelope| match envelope.event {
        TurnEvent::TextChunk { text, .. } => Some(text),
        _ => None,
    });
    Ok(chunks.collect())
}
