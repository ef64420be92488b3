//! Work that blocks, on a thread for it.
//!
//! Deliberately not here: the work of one question to the engine, which ends in an error where it panics (`engine`).

use std::panic::resume_unwind;

/// Runs what blocks on the disk where blocking is allowed. A panic goes on here.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|panicked| resume_unwind(panicked.into_panic()))
}
