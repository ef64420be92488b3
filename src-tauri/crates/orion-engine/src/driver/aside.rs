//! Work that goes on while the loop of a turn waits for the disk.
//!
//! Such work may hold the only connection to the database, on its way to an answer. The loop polls nothing while it waits for a commit, which
//! needs that connection: polled by the loop, the two would wait for each other for ever.

use std::any::Any;
use std::future::Future;
use std::panic::resume_unwind;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::task::AbortHandle;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument;

/// The end of a task: its work, none once it was aborted, or what it panicked with.
pub(super) type End<T> = Result<Option<T>, Box<dyn Any + Send>>;

/// Begins the work, as a task of its own. Dropping what is returned ends the task. A panic in the task comes up in whoever waits for it.
pub(super) fn aside<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> BoxFuture<'static, T> {
    let (_, ended) = task(work);
    async move {
        match ended.await {
            Ok(Some(done)) => done,
            // The runtime ends.
            Ok(None) => std::future::pending().await,
            Err(panic) => resume_unwind(panic),
        }
    }
    .boxed()
}

/// Begins the work, as a task of its own. Dropping the future ends the task too.
pub(super) fn task<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> (AbortHandle, BoxFuture<'static, End<T>>) {
    let task = AbortOnDropHandle::new(tokio::spawn(work.in_current_span()));
    let abort = task.abort_handle();
    let ended = async move {
        match task.await {
            Ok(done) => Ok(Some(done)),
            Err(error) => error.try_into_panic().map_or(Ok(None), Err),
        }
    };
    (abort, ended.boxed())
}
