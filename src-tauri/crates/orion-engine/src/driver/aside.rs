//! Work that goes on while the loop of a turn waits for the disk.
//!
//! Such work may hold the only connection to the database, on its way to an answer. The loop polls nothing while it waits for a commit, which
//! needs that connection: polled by the loop, the two would wait for each other for ever.

use std::future::Future;
use std::panic::resume_unwind;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::task::AbortHandle;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument;

/// Begins the work, as a task of its own. Dropping what is returned ends the task.
pub(super) fn aside<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> BoxFuture<'static, T> {
    let (_, ended) = task(work);
    async move {
        match ended.await {
            Some(done) => done,
            // The runtime ends.
            None => std::future::pending().await,
        }
    }
    .boxed()
}

/// Begins the work, as a task of its own. The future ends with it, or with none once the task was aborted. Dropping the future ends the task
/// too. A panic in the task comes up in whoever waits for it.
pub(super) fn task<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> (AbortHandle, BoxFuture<'static, Option<T>>) {
    let task = AbortOnDropHandle::new(tokio::spawn(work.in_current_span()));
    let abort = task.abort_handle();
    let ended = async move {
        match task.await {
            Ok(done) => Some(done),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_aborted) => None,
            },
        }
    };
    (abort, ended.boxed())
}
