//! The end of the server: no new turns, streams that say so, turns that can be resumed, all of it in time (H8).

use std::time::Duration;

/// The time that the connections have to end, and then the engine.
pub(crate) const CONNECTIONS: Duration = Duration::from_secs(1);
pub(crate) const ENGINE: Duration = Duration::from_secs(3);

/// Returns when the system or a person asks for the end.
pub(crate) async fn asked_for() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminated.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    // Without signals there is only the end of the process.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
