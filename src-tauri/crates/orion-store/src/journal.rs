//! The journal: the inputs and events of a turn. It is append-only, and the only truth about the turn.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use orion_protocol::{
    ApprovalId, BatchId, CallId, Envelope, KeptRule, Permission, QueuedMessage, RequestId, Sha256,
    ToolStatus, TraceParent,
};
use serde::Serialize;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};
use tokio::sync::oneshot;

use crate::approval;
use crate::error::{StoreError, reading, writing};
use crate::http_message::{self, HttpMessage};
use crate::outcome;
use crate::queue;
use crate::said;
use crate::spent::{self, Spent};
use crate::store::Store;
use crate::taken_out;
use crate::text::{self, TextKind};
use crate::trace_parent;
use crate::write::{self, StoredWrite, WriteStage};

/// Rows of one INSERT at most; SQLite allows 32,766 values in a statement, a row takes six.
const ROWS_OF_A_STATEMENT: usize = 1_000;

/// Statements of up to this many rows are kept prepared: a step of a turn rarely has more.
const ROWS_KEPT_PREPARED: usize = 8;

/// One thing to record of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// What came into the machine, as JSON; its meaning is the engine's.
    Input { at_ms: i64, body: String },
    /// An envelope, as JSON; the terminal one with what the turn has cost.
    Event { seq: u32, at_ms: i64, body: String, spent: Option<Spent> },
    /// A tool began to run.
    CallStarted { batch: BatchId, call_id: CallId, name: String, arguments: String, permission: Permission },
    /// It ended; `body` is what the model sees. The next record is the input that says so.
    CallEnded { batch: BatchId, call_id: CallId, status: ToolStatus, body: String },
    /// A text that the turn was given or that was said in it, kept once by its digest (T8).
    Text { kind: TextKind, body: String },
    /// The context as a cut left it, as a JSON list: what stands for everything before the turn from now on (X3).
    Context { items: String },
    /// The last count of the model's tokens, as JSON (X2).
    Gauge(String),
    /// The span of another program that the turn was begun from.
    TraceParent(TraceParent),
    /// The message over HTTP that the turn was begun by.
    HttpMessage(HttpMessage),
    /// What a person took out of the session, as a JSON list (X6). It is added to what the session keeps of it.
    TakenOut(String),
    /// A write is proposed; what it refers to is kept already.
    WriteProposed(StoredWrite),
    /// A write has reached its next stage. With a digest when the approved file is not the proposed one.
    WriteMoved { number: u32, stage: WriteStage, sha256: Option<Sha256> },
    /// Messages that become the first ones in the queue of its session (A9).
    QueuesFirst(Vec<QueuedMessage>),
    /// The queue of its session does not go on by itself (A9).
    HoldsQueue,
    /// Whether the turn waits for a person: it then needs no process.
    Waits(bool),
    /// A person keeps an approval, in the project's folder as it is on its disk (A1).
    ApprovalKept { rule: KeptRule, folder: String, at_ms: i64 },
    /// An approval that is kept allowed a call.
    ApprovalUsed { approval_id: ApprovalId, at_ms: i64 },
}

impl Record {
    /// An input of the machine, serialised here, once.
    ///
    /// # Errors
    /// A value that is no JSON.
    pub fn input(at_ms: i64, input: &impl Serialize) -> Result<Self, StoreError> {
        let body = serde_json::to_string(input).map_err(StoreError::value)?;
        Ok(Self::Input { at_ms, body })
    }

    /// An envelope in its stored and sent form. It is serialised here, once.
    ///
    /// # Errors
    /// An envelope that is no JSON, which none is.
    pub fn event(envelope: &Envelope) -> Result<Self, StoreError> {
        let body = serde_json::to_string(envelope).map_err(StoreError::value)?;
        let spent = envelope.event.terminal().map(Spent::from);
        Ok(Self::Event { seq: envelope.seq, at_ms: envelope.at_ms, body, spent })
    }
}

impl Record {
    /// Whether it is the terminal event, which says what the turn has cost.
    pub(crate) fn ends_the_turn(&self) -> bool {
        matches!(self, Self::Event { spent: Some(_), .. })
    }
}

/// The promise of a commit: ready when the records are on the disk, or with the reason why they are not.
#[derive(Debug)]
#[must_use = "a record is on the disk only once its commit says so"]
pub struct Commit(pub(crate) oneshot::Receiver<Result<(), StoreError>>);

impl Future for Commit {
    type Output = Result<(), StoreError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx).map(|received| received.unwrap_or(Err(StoreError::Closed)))
    }
}

/// A journal row as it was written, for replay and export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredRow {
    Input { at_ms: i64, body: String },
    Event { seq: u32, at_ms: i64, body: String },
}

impl Store {
    /// The whole journal of a turn in order, nothing interpreted (E3).
    pub async fn journal(&self, request_id: RequestId) -> Result<Vec<StoredRow>, StoreError> {
        let sql = "SELECT seq, at_ms, body FROM journal WHERE request_id = ? ORDER BY n";
        let rows: Vec<(Option<u32>, i64, String)> = sqlx::query_as(sql)
            .bind(request_id.to_string())
            .fetch_all(&mut *self.reader().await?)
            .await
            .map_err(reading)?;
        if rows.is_empty() {
            return Err(StoreError::TurnUnknown(request_id));
        }
        let row = |(seq, at_ms, body)| match seq {
            Some(seq) => StoredRow::Event { seq, at_ms, body },
            None => StoredRow::Input { at_ms, body },
        };
        Ok(rows.into_iter().map(row).collect())
    }
}

/// Events of these types, of a turn and of those that it follows, oldest first, as JSON.
pub(crate) async fn events_before(
    connection: &mut SqliteConnection,
    nearest: RequestId,
    types: &[&str],
) -> Result<Vec<String>, StoreError> {
    let sql = "WITH RECURSIVE path (request_id, parent, back) AS (
                   SELECT request_id, parent_request_id, 1 FROM turns WHERE request_id = ?1
                   UNION ALL
                   SELECT turns.request_id, turns.parent_request_id, back + 1
                   FROM path JOIN turns ON turns.request_id = path.parent
               )
               SELECT body FROM path CROSS JOIN journal USING (request_id)
               WHERE kind = 'event' AND json_extract(body, '$.event.type') IN (SELECT value FROM json_each(?2))
               ORDER BY back DESC, n";
    sqlx::query_scalar(sql)
        .bind(nearest.to_string())
        .bind(serde_json::to_string(types).map_err(StoreError::value)?)
        .fetch_all(connection)
        .await
        .map_err(reading)
}

/// Writes records in order, the first of them as number `n`.
pub(crate) async fn insert(
    connection: &mut SqliteConnection,
    request_id: RequestId,
    n: i64,
    records: &[Record],
) -> Result<(), StoreError> {
    let id = request_id.to_string();
    let mut rows = Vec::with_capacity(records.len());
    let (mut texts, mut context) = (Vec::new(), None);
    for (number, record) in (n..).zip(records) {
        match record {
            Record::Input { at_ms, body } => rows.push((number, "input", None, *at_ms, body)),
            Record::Event { seq, at_ms, body, spent } => {
                rows.push((number, "event", Some(*seq), *at_ms, body));
                if let Some(spent) = spent {
                    spent::add(connection, &id, *spent, *at_ms).await?;
                }
            }
            Record::CallStarted { batch, call_id, name, arguments, permission } => {
                outcome::start(connection, &id, *batch, call_id, name, arguments, *permission).await?;
            }
            Record::CallEnded { batch, call_id, status, body } => {
                // The next record is the input that reports it.
                outcome::end(connection, &id, *batch, call_id, *status, body, number + 1).await?;
            }
            Record::Text { kind, body } => texts.push((*kind, body.as_str())),
            Record::Context { items } => context = Some(items),
            Record::Gauge(gauge) => keep_gauge(connection, &id, gauge).await?,
            Record::TraceParent(parent) => trace_parent::keep(connection, &id, *parent).await?,
            Record::HttpMessage(message) => http_message::keep(connection, &id, message).await?,
            Record::TakenOut(list) => taken_out::keep(connection, &id, list).await?,
            Record::WriteProposed(proposed) => write::propose(connection, &id, proposed).await?,
            Record::WriteMoved { number, stage, sha256 } => {
                write::move_to(connection, &id, *number, *stage, *sha256).await?;
            }
            Record::Waits(waits) => write::waits(connection, &id, *waits).await?,
            Record::QueuesFirst(messages) => queue::put_first(connection, request_id, messages).await?,
            Record::HoldsQueue => queue::hold_after(connection, request_id).await?,
            Record::ApprovalKept { rule, folder, at_ms } => {
                approval::keep(connection, &id, rule, folder, *at_ms).await?;
            }
            Record::ApprovalUsed { approval_id, at_ms } => {
                approval::used(connection, *approval_id, *at_ms).await?;
            }
        }
    }
    text::insert(connection, &id, &texts).await?;
    if let Some(items) = context {
        said::keep_context(connection, &id, items).await?;
    }
    for part in rows.chunks(ROWS_OF_A_STATEMENT) {
        let mut query: QueryBuilder<Sqlite> =
            QueryBuilder::new("INSERT INTO journal (request_id, n, kind, seq, at_ms, body) ");
        query.push_values(part, |mut row, (number, kind, seq, at_ms, body)| {
            row.push_bind(id.clone()).push_bind(*number).push_bind(*kind).push_bind(*seq).push_bind(*at_ms);
            row.push_bind((*body).clone());
        });
        query
            .build()
            .persistent(part.len() <= ROWS_KEPT_PREPARED)
            .execute(&mut *connection)
            .await
            .map_err(writing)?;
    }
    Ok(())
}

async fn keep_gauge(
    connection: &mut SqliteConnection,
    request_id: &str,
    gauge: &str,
) -> Result<(), StoreError> {
    sqlx::query("UPDATE turns SET gauge = ? WHERE request_id = ?")
        .bind(gauge.to_owned())
        .bind(request_id.to_owned())
        .execute(connection)
        .await
        .map_err(writing)?;
    Ok(())
}
