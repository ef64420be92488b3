//! The one task that writes. Everything that waits when it is free goes into one transaction, so that turns that run at
//! the same time share the cost of a flush.

use std::future::Future;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use sqlx::{Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};

use crate::connection::{self, Shared};
use crate::error::{Act, StoreError};

/// The most transactions that may wait. When the queue is full, senders wait for room: a turn then journals more
/// slowly, but its stream is still shown at once.
const QUEUE: usize = 256;

/// The most transactions that share a commit. This limits the time that a commit takes.
const GROUP: usize = 64;

/// One change of the database, all of it or nothing. It may share a commit with others; if that commit fails, it is
/// applied again alone.
pub(crate) trait Transaction: Send + Sync + 'static {
    type Out: Send + 'static;
    fn apply<'a>(
        &'a self,
        connection: &'a mut SqliteConnection,
    ) -> impl Future<Output = Result<Self::Out, StoreError>> + Send + 'a;
}

/// One that its caller keeps, to try it again.
impl<T: Transaction> Transaction for Arc<T> {
    type Out = T::Out;

    async fn apply(&self, connection: &mut SqliteConnection) -> Result<Self::Out, StoreError> {
        (**self).apply(connection).await
    }
}

/// The sender to the writing task. Cheap to clone. The task ends when the last sender is dropped or [`Writer::close`]
/// is called.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    queue: mpsc::Sender<Request>,
}

enum Request {
    Transact(Box<dyn Job>),
    DataVersion(oneshot::Sender<Result<i64, StoreError>>),
    Close(oneshot::Sender<Result<(), StoreError>>),
}

impl Writer {
    pub(crate) fn start(connection: Shared) -> Self {
        let (queue, requests) = mpsc::channel(QUEUE);
        tokio::spawn(run(connection, requests));
        Self { queue }
    }

    /// Queues a transaction. The receiver gets its result once the commit is on the disk.
    pub(crate) async fn send<T: Transaction>(
        &self,
        transaction: T,
    ) -> oneshot::Receiver<Result<T::Out, StoreError>> {
        let (done, receiver) = oneshot::channel();
        let job = Waiting { transaction, out: None, done };
        // A refused job drops `done`: the receiver then says that the store is closed.
        let _ = self.queue.send(Request::Transact(Box::new(job))).await;
        receiver
    }

    /// Queues a transaction without waiting for room. None where there is none.
    pub(crate) fn offer<T: Transaction>(
        &self,
        transaction: T,
    ) -> Option<oneshot::Receiver<Result<T::Out, StoreError>>> {
        let (done, receiver) = oneshot::channel();
        let job = Waiting { transaction, out: None, done };
        self.queue.try_send(Request::Transact(Box::new(job))).ok().map(|()| receiver)
    }

    pub(crate) async fn transact<T: Transaction>(&self, transaction: T) -> Result<T::Out, StoreError> {
        self.send(transaction).await.await.unwrap_or(Err(StoreError::Closed))
    }

    /// A number that is another one after another process has committed something, and only then: in this one, only this connection writes
    /// (sqlite.org/pragma.html, `data_version`).
    pub(crate) async fn data_version(&self) -> Result<i64, StoreError> {
        let (done, receiver) = oneshot::channel();
        let _ = self.queue.send(Request::DataVersion(done)).await;
        receiver.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Commits what waits and closes the connection.
    pub(crate) async fn close(&self) -> Result<(), StoreError> {
        let (done, receiver) = oneshot::channel();
        let _ = self.queue.send(Request::Close(done)).await;
        receiver.await.unwrap_or(Ok(()))
    }
}

/// A transaction and its caller, without their types.
trait Job: Send {
    fn apply<'a>(&'a mut self, connection: &'a mut SqliteConnection)
    -> BoxFuture<'a, Result<(), StoreError>>;
    fn settle(self: Box<Self>, commit: Result<(), StoreError>);
}

struct Waiting<T: Transaction> {
    transaction: T,
    out: Option<T::Out>,
    done: oneshot::Sender<Result<T::Out, StoreError>>,
}

impl<T: Transaction> Job for Waiting<T> {
    fn apply<'a>(
        &'a mut self,
        connection: &'a mut SqliteConnection,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.out = Some(self.transaction.apply(connection).await?);
            Ok(())
        })
    }

    fn settle(self: Box<Self>, commit: Result<(), StoreError>) {
        let Self { out, done, .. } = *self;
        // The caller may be gone; the change is made anyway.
        let _ = done.send(commit.and_then(|()| out.ok_or(StoreError::Closed)));
    }
}

async fn run(shared: Shared, mut requests: mpsc::Receiver<Request>) {
    let mut group: Vec<Box<dyn Job>> = Vec::new();
    while let Some(first) = requests.recv().await {
        let mut guard = shared.lock().await;
        // Only this task closes it.
        let Some(connection) = guard.as_mut() else { return };
        let mut closing = None;
        let mut next = Some(first);
        while let Some(request) = next {
            match request {
                Request::Transact(job) => group.push(job),
                Request::DataVersion(done) => {
                    let _ = done.send(connection::data_version(connection).await);
                }
                Request::Close(done) => {
                    closing = Some(done);
                    break;
                }
            }
            next = if group.len() < GROUP { requests.try_recv().ok() } else { None };
        }
        commit_all(connection, &mut group).await;
        if let Some(done) = closing {
            let closed = match guard.take() {
                Some(connection) => connection::close(connection).await,
                None => Ok(()),
            };
            let _ = done.send(closed);
            return;
        }
    }
}

/// Commits a group together. If that fails, each of the group is committed alone, so that one bad transaction fails by itself.
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
