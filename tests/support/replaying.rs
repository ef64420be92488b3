//! T5 of every turn that a test runs: when its data folder goes, each turn in it is replayed, and a difference fails the test.

use std::path::Path;
use std::thread;

use orion_engine::Replayed;
use orion_protocol::RequestId;
use orion_store::{FILE_NAME, Store};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};

use crate::seed;

/// Replays every turn of this data folder, if it is one.
///
/// # Panics
/// At the first event of a turn that is not what was recorded, which it names.
pub(crate) fn every_turn(data: &Path) {
    if thread::panicking() || !data.join(FILE_NAME).is_file() {
        return;
    }
    let data = data.to_owned();
    // A runtime of the test may be waiting for this thread.
    let replayed = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(differences(&data))
    });
    let differences = replayed.join().expect("the journals of this test can be read");
    assert_eq!(
        differences,
        Vec::<String>::new(),
        "T5: a turn of this test does not replay as it was recorded"
    );
}

async fn differences(data: &Path) -> Vec<String> {
    let turns = turns(data).await;
    if turns.is_empty() {
        return Vec::new();
    }
    let store = Store::open(data).await.expect("the data folder of this test can be opened");
    let mut differences = Vec::new();
    for request_id in turns {
        match orion_engine::replay(&store, request_id).await {
            Ok(Replayed { difference: None, .. }) => {}
            Ok(Replayed { difference: Some(difference), .. }) => {
                differences.push(format!("{request_id}: {difference}"));
            }
            Err(error) => differences.push(format!("{request_id}: {error:?}")),
        }
    }
    store.close().await.expect("a store that can be closed");
    differences
}

/// The turns that ran here: none that was imported, and no copy of one.
async fn turns(data: &Path) -> Vec<RequestId> {
    let options = SqliteConnectOptions::new().filename(data.join(FILE_NAME));
    let mut connection = options.connect().await.expect("the database of this test can be opened");
    let sql = "SELECT request_id FROM turns WHERE session_id NOT IN (SELECT session_id FROM imported) ORDER BY started_at_ms";
    let turns: Vec<String> = sqlx::query_scalar(sql).fetch_all(&mut connection).await.unwrap_or_default();
    connection.close().await.expect("a database that can be closed");
    turns.iter().filter(|id| !seed::is_copy(id)).filter_map(|id| id.parse().ok()).collect()
}
