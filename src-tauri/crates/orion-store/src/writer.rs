//! The one task that writes. What waits when it is free goes into one transaction, so that turns that run at the same
//! time share the cost of a flush.

use std::future::Future;

use futures_util::future::BoxFuture;
use sqlx::{Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};

use crate::error::{Act, StoreError};
use crate::open;

/// Writes that may wait. When full, a writer waits for room: a turn then journals more slowly, and what it streams is
/// still shown at once.
const QUEUE: usize = 256;

/// Writes that share a commit at most; bounds the time a commit takes.
const GROUP: usize = 64;

/// One change of the database. Applied again alone when a write that shared its transaction failed.
pub(crate) trait Write: Send + Sync + 'static {
    type Out: Send + 'static;
    fn apply<'a>(
        &'a self,
        connection: &'a mut SqliteConnection,
    ) -> impl Future<Output = Result<Self::Out, StoreError>> + Send + 'a;
}

/// The way to the writing task. Cheap to clone; the task ends when the last one is gone or [`Writer::close`] is called.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    queue: mpsc::Sender<Request>,
}

enum Request {
    Write(Box<dyn Job>),
    Close(oneshot::Sender<Result<(), StoreError>>),
}

impl Writer {
    pub(crate) fn start(connection: SqliteConnection) -> Self {
        let (queue, requests) = mpsc::channel(QUEUE);
        tokio::spawn(run(connection, requests));
        Self { queue }
    }

    /// Queues a write; what is returned is kept once the commit is on the disk.
    pub(crate) async fn send<W: Write>(&self, write: W) -> oneshot::Receiver<Result<W::Out, StoreError>> {
        let (done, receiver) = oneshot::channel();
        let job = Waiting { write, out: None, done };
        // A refused job drops `done`: the receiver then says that the store is closed.
        let _ = self.queue.send(Request::Write(Box::new(job))).await;
        receiver
    }

    pub(crate) async fn write<W: Write>(&self, write: W) -> Result<W::Out, StoreError> {
        self.send(write).await.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Commits what waits and closes the connection.
    pub(crate) async fn close(&self) -> Result<(), StoreError> {
        let (done, receiver) = oneshot::channel();
        let _ = self.queue.send(Request::Close(done)).await;
        receiver.await.unwrap_or(Ok(()))
    }
}

/// A write and who waits for it, with its type taken away.
trait Job: Send {
    fn apply<'a>(&'a mut self, connection: &'a mut SqliteConnection)
    -> BoxFuture<'a, Result<(), StoreError>>;
    fn settle(self: Box<Self>, commit: Result<(), StoreError>);
}

struct Waiting<W: Write> {
    write: W,
    out: Option<W::Out>,
    done: oneshot::Sender<Result<W::Out, StoreError>>,
}

impl<W: Write> Job for Waiting<W> {
    fn apply<'a>(
        &'a mut self,
        connection: &'a mut SqliteConnection,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.out = Some(self.write.apply(connection).await?);
            Ok(())
        })
    }

    fn settle(self: Box<Self>, commit: Result<(), StoreError>) {
        let Self { out, done, .. } = *self;
        // Whoever waited may have gone; the write is done all the same.
        let _ = done.send(commit.and_then(|()| out.ok_or(StoreError::Closed)));
    }
}

async fn run(mut connection: SqliteConnection, mut requests: mpsc::Receiver<Request>) {
    let mut group: Vec<Box<dyn Job>> = Vec::new();
    while let Some(first) = requests.recv().await {
        let mut closing = None;
        let mut next = Some(first);
        while let Some(request) = next {
            match request {
                Request::Write(job) => group.push(job),
                Request::Close(done) => {
                    closing = Some(done);
                    break;
                }
            }
            next = if group.len() < GROUP { requests.try_recv().ok() } else { None };
        }
        commit_all(&mut connection, &mut group).await;
        if let Some(done) = closing {
            let _ = done.send(open::close(connection).await);
            return;
        }
    }
}

/// Commits a group together; if that fails, each of its writes alone, so that one bad write fails by itself.
async fn commit_all(connection: &mut SqliteConnection, group: &mut Vec<Box<dyn Job>>) {
    if group.is_empty() {
        return;
    }
    let together = commit(connection, group).await;
    if together.is_ok() || group.len() == 1 {
        group.drain(..).for_each(|job| job.settle(together.clone()));
        return;
    }
    for job in group.drain(..) {
        let mut alone = [job];
        let result = commit(connection, &mut alone).await;
        let [job] = alone;
        job.settle(result);
    }
}

async fn commit(connection: &mut SqliteConnection, jobs: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
    let failed = |e: sqlx::Error| StoreError::database(Act::Write, &e);
    // Dropped before its commit, the transaction rolls back.
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
    for job in jobs {
        job.apply(&mut transaction).await?;
    }
    transaction.commit().await.map_err(failed)
}
