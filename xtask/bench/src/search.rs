//! Words in all sessions: 200 sessions with 5,000 turns, of which each asks 20 words and answers 300.

use std::time::Instant;

use anyhow::Result;
use orion_protocol::{ProjectId, RequestId, SessionId, TurnIds};
use orion_store::{Begin, NewTurn, Past, Record, Store, StoreError, TextKind};
use serde_json::json;

use crate::measures::{OFTEN, median};
use crate::table::{Goal, Row};

const SESSIONS: u32 = 200;
const TURNS: u32 = 25;

/// Different words there are, as in a long novel. Some are in nearly every text, and most in few.
const WORDS: u64 = 20_000;

/// What the palette asks for with each key.
const PALETTE: u32 = 60;

/// Words that are in nearly all texts, in some, in few, and in none, by their numbers: each of these is a search.
const SEARCHED: [&[u64]; 6] = [&[0], &[17, 3], &[900], &[19_999], &[1, 2, 3, 4], &[20_001]];

/// Typed letter by letter: words that begin as most others do.
const TYPED: [u64; 3] = [676, 345, 26];

/// Letters that words begin with, those of the most words first, as in English.
const LETTERS: &[u8; 26] = b"tascwbphfmdrelngouvjkqyzxi";

/// A search for each of some words, and for each letter that is typed: the slowest of them, by their medians.
pub(crate) fn all(add: &mut impl FnMut(Row)) -> Result<()> {
    let data = support::Folder::empty();
    // Its turns are texts alone.
    data.changes_journals();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let store = Store::open(&data.path()).await?;
        fill(&store).await?;
        let mut worst = [0.0_f64; 2];
        for numbers in SEARCHED {
            worst[0] = worst[0].max(search(&store, &sentence(numbers), 100).await?);
        }
        let typed = sentence(&TYPED);
        for (end, _) in typed.char_indices().skip(1) {
            worst[1] = worst[1].max(search(&store, &typed[..end], PALETTE).await?);
        }
        store.close().await?;
        let row = |what, most, orion| Row { what, unit: "ms", goal: Goal::AtMost(most), floor: None, orion };
        add(row("words in 200 sessions of 25 turns: the slowest search", 100.0, worst[0]));
        add(row("the same for each letter in the palette: the slowest", 50.0, worst[1]));
        Ok(())
    })
}

async fn search(store: &Store, text: &str, limit: u32) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..OFTEN {
        let began = Instant::now();
        store.search(text, None, limit).await?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    Ok(median(times))
}

async fn fill(store: &Store) -> Result<()> {
    let project = store.open_project("/a/project", "project", 1).await?;
    let mut seed = 0x9e37_79b9_7f4a_7c15;
    for number in 0..SESSIONS {
        let session_id = store.new_session(project.project_id, i64::from(number)).await?.session_id;
        for at_ms in 0..TURNS {
            turn(store, project.project_id, session_id, i64::from(at_ms), &mut seed).await?;
        }
    }
    while store.fill_search().await? > 0 {}
    Ok(())
}

async fn turn(
    store: &Store,
    project_id: ProjectId,
    session_id: SessionId,
    at_ms: i64,
    seed: &mut u64,
) -> Result<()> {
    let said = [("user", 20), ("assistant", 300)].map(|(role, count)| Record::Text {
        kind: TextKind::Said,
        body: json!({ "role": role, "text": words(count, seed) }).to_string(),
    });
    let ids = TurnIds { request_id: RequestId(uuid::Uuid::now_v7()), session_id, project_id };
    let turn = NewTurn { ids, at_ms, title: words(5, seed) };
    let (journal, ()) = store.begin_turn(turn, Says(said.to_vec())).await?;
    journal.finish(Vec::new(), at_ms).await?;
    Ok(())
}

/// Words by their numbers.
fn sentence(numbers: &[u64]) -> String {
    numbers.iter().copied().map(word).collect::<Vec<_>>().join(" ")
}

/// A word of its own for each number. Words begin with all letters: if all began with one, its first letter would find each of them.
fn word(number: u64) -> String {
    let letter = |number: u64| char::from(LETTERS[(number % 26) as usize]);
    format!("{}{}{number}", letter(number), letter(number / 26))
}

/// Words, of which the first ones come most often.
fn words(count: usize, seed: &mut u64) -> String {
    let mut next = || {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        (*seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let all: Vec<String> = (0..count).map(|_| word((WORDS as f64 * next().powi(4)) as u64)).collect();
    all.join(" ")
}

struct Says(Vec<Record>);

impl Begin for Says {
    type Out = ();

    fn begin(&self, _: Past) -> Result<(Vec<Record>, ()), StoreError> {
        Ok((self.0.clone(), ()))
    }
}
