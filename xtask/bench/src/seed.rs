//! A data directory with a long history: copies of a real turn, in sessions of their own.

use std::path::Path;

use anyhow::{Context, Result};
use futures_util::{StreamExt, TryStreamExt, stream};
use orion_protocol::{RequestId, TurnIds, TurnPlace};
use orion_store::{Begin, NewTurn, Past, Record, Store, StoreError, StoredRow};

/// So many copies are written at once; the store commits what waits together.
const AT_ONCE: usize = 256;

/// Copies the one turn that is there into so many new sessions.
pub(crate) fn sessions(data: &Path, count: usize) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let store = Store::open(data).await?;
        let session = store.sessions(None, 1).await?.into_iter().next().context("a session to copy")?;
        let turn = store
            .session_page(session.session_id, TurnPlace::Newest, 1)
            .await?
            .turns
            .into_iter()
            .next()
            .context("a turn to copy")?;
        let rows = store.journal(turn.request_id).await?;
        let copies = stream::iter(0..count).map(|_| copy(&store, session.project_id, turn.request_id, &rows));
        copies.buffer_unordered(AT_ONCE).try_collect::<()>().await?;
        store.close().await?;
        Ok(())
    })
}

async fn copy(
    store: &Store,
    project_id: orion_protocol::ProjectId,
    of: RequestId,
    rows: &[StoredRow],
) -> Result<()> {
    let at_ms = 1_750_000_000_000;
    let session_id = store.new_session(project_id, at_ms).await?.session_id;
    let ids = TurnIds { request_id: RequestId(uuid::Uuid::now_v7()), session_id, project_id };
    let own = |body: &str| body.replace(&of.to_string(), &ids.request_id.to_string());
    let mut records = rows.iter().map(|row| match row {
        StoredRow::Input { at_ms, body } => Record::Input { at_ms: *at_ms, body: open(own(body)) },
        StoredRow::Event { seq, at_ms, body } => {
            Record::Event { seq: *seq, at_ms: *at_ms, body: own(body), spent: None }
        }
    });
    let first = Copied(records.by_ref().take(1).collect());
    let turn = NewTurn { ids, at_ms, title: "Folder".to_owned() };
    let (journal, ()) = store.begin_turn(turn, first).await?;
    journal.finish(records.collect(), at_ms).await?;
    Ok(())
}

/// T8: the digest at a row's end is not that of its copy, which names another turn. A row without one is read as well.
fn open(row: String) -> String {
    match row.rsplit_once(r#","sha256":""#) {
        Some((fields, digest)) if digest.len() == r#""}"#.len() + 64 => format!("{fields}}}"),
        _ => row,
    }
}

/// The first records of a turn that is copied: no history changes them.
struct Copied(Vec<Record>);

impl Begin for Copied {
    type Out = ();

    fn begin(&self, _: Past) -> Result<(Vec<Record>, ()), StoreError> {
        Ok((self.0.clone(), ()))
    }
}
