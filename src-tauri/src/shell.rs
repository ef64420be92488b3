//! The state that the commands share: the engine, once it is open, and the bridge to the webview that subscribed last.
//!
//! The engine opens while the window paints its first frame, and commands wait for it. Deliberately not here: how the
//! engine is opened (`opening`) and what it does.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use orion_engine::{Engine, Updates};
use orion_protocol::{DesktopAction, ErrorInfo, Update};
use tauri::ipc::Channel;
use tokio::sync::SetOnce;
use tokio_util::task::AbortOnDropHandle;

use crate::bridge;
use crate::opening::Opened;

/// How long closing the window may take. Turns are ended and the journal is flushed (J1), which takes milliseconds; a
/// disk that hangs must not keep the process alive.
const CLOSING: Duration = Duration::from_secs(3);

#[derive(Debug, Default)]
pub(crate) struct Shell {
    engine: SetOnce<Result<Engine, ErrorInfo>>,
    /// What went wrong before a webview was there to be told; the first one is.
    problems: Mutex<Vec<ErrorInfo>>,
    /// What was asked of the window before a webview was there to do it; the first one does.
    act: Mutex<Option<DesktopAction>>,
    bridge: Mutex<Option<AbortOnDropHandle<()>>>,
}

impl Shell {
    /// The engine, or why it did not open. Waits while it opens.
    pub(crate) async fn engine(&self) -> Result<Engine, ErrorInfo> {
        self.engine.wait().await.clone()
    }

    /// Says how the opening went.
    pub(crate) fn opened(&self, opened: Opened) {
        *self.problems.lock().unwrap_or_else(PoisonError::into_inner) = opened.problems;
        *self.act.lock().unwrap_or_else(PoisonError::into_inner) = opened.act;
        if self.engine.set(opened.engine).is_err() {
            tracing::error!("the engine was opened twice");
        }
    }

    pub(crate) fn take_problems(&self) -> Vec<ErrorInfo> {
        std::mem::take(&mut self.problems.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Has the window do what a further start asks for, once the engine is open.
    pub(crate) async fn ask(&self, act: DesktopAction) {
        let Ok(engine) = self.engine().await else { return };
        // Held until it is told: a webview that subscribes meanwhile is asked once.
        let bridge = self.bridge.lock().unwrap_or_else(PoisonError::into_inner);
        if bridge.is_some() {
            engine.ask_window(act);
        } else {
            *self.act.lock().unwrap_or_else(PoisonError::into_inner) = Some(act);
        }
    }

    /// Starts the bridge to a webview; the one before it ends, and its channel is dropped.
    pub(crate) fn bridge(&self, updates: Updates, channel: Channel<Vec<Update>>) {
        let mut bridge = self.bridge.lock().unwrap_or_else(PoisonError::into_inner);
        let act = self.act.lock().unwrap_or_else(PoisonError::into_inner).take();
        let updates = updates.then(act.map(|act| Update::Asked { act }));
        *bridge = Some(AbortOnDropHandle::new(tokio::spawn(bridge::run(updates, channel))));
    }

    /// Ends what runs and flushes it, within [`CLOSING`].
    pub(crate) async fn close(&self) {
        let Some(Ok(engine)) = self.engine.get() else { return };
        match tokio::time::timeout(CLOSING, engine.close()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "the engine did not close in order"),
            Err(_) => tracing::error!("the engine did not close in time"),
        }
    }
}
