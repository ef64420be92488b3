//! The trace of a turn: for the window, and for those who take it elsewhere, without secrets (J2, J3). It leaves for
//! a collector when its turn has ended. Deliberately not here: how it is sent (`orion-otlp`).

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use orion_protocol::{ErrorInfo, RequestId, TraceParent, TraceSpan};
use tracing::Instrument as _;

use super::Engine;
use crate::driver::{Traced, traced};
use crate::export;
use crate::secrets::Redactor;

/// The trace of a turn as it may leave Orion.
#[derive(Debug, Clone, PartialEq)]
pub struct ToldTrace {
    /// In the order of their starts.
    pub spans: Vec<TraceSpan>,
    /// What the person wrote.
    pub asked: String,
    /// What the model answered in the end; empty where it has not.
    pub answered: String,
    /// Of this turn and those that its spans point to: the spans of other programs that they were begun from.
    pub callers: Vec<(RequestId, TraceParent)>,
}

impl ToldTrace {
    /// The span of another program that a turn was begun from, where it is known here.
    #[must_use]
    pub fn caller_of(&self, request_id: RequestId) -> Option<TraceParent> {
        let caller = self.callers.iter().find(|(turn, _)| *turn == request_id);
        caller.map(|(_, parent)| *parent)
    }
}

/// Where the traces of turns are sent to when they have ended.
pub trait TraceSink: Debug + Send + Sync {
    /// Sends the trace of a turn. Dropping the future gives it up.
    fn send(&self, trace: ToldTrace) -> BoxFuture<'_, Result<(), ErrorInfo>>;
}

/// How long a trace may still take to be sent once the engine closes: 2 s, as a write may while its turn stops.
const LATE: Duration = Duration::from_secs(2);

impl Engine {
    /// From now on, the trace of each turn that ends here is sent there. Whatever becomes of it, the turn is what it was: a failure is only
    /// logged. The first one stays.
    pub fn send_traces_to(&self, sink: Arc<dyn TraceSink>) {
        let _ = self.shared.sink.set(sink);
    }

    /// Sends the trace of a turn that has ended, beside everything else. When the engine closes, it is given up soon.
    pub(super) fn send_trace(&self, request_id: RequestId) {
        let Some(sink) = self.shared.sink.get().cloned() else { return };
        let engine = self.clone();
        let sending = async move {
            let sent = async {
                // Only keys that this process has used: no keychain is asked for the sake of a trace.
                let options = &engine.shared.options;
                let redactor = options.keys.redactor().with(options.environment.secrets());
                let trace = engine.trace_without(request_id, &redactor).await?;
                match trace.spans.first() {
                    Some(turn) if turn.end_ms.is_some() => sink.send(trace).await,
                    // It waits, and another process may go on with it.
                    _ => Ok(()),
                }
            };
            let late = async {
                engine.shared.closing.cancelled().await;
                tokio::time::sleep(LATE).await;
            };
            tokio::select! {
                sent = sent => {
                    if let Err(error) = sent {
                        let error = engine.shared.options.keys.redactor().redact_error(error);
                        tracing::warn!(code = ?error.code, detail = error.detail, "the trace could not be sent");
                    }
                }
                () = late => tracing::warn!("the trace could not be sent in time"),
            }
        };
        self.shared.tasks.spawn(sending.in_current_span());
    }

    /// The spans of a turn, in the order of their starts.
    ///
    /// # Errors
    /// `turn_unknown`.
    pub(super) async fn spans(&self, request_id: RequestId) -> Result<Vec<TraceSpan>, ErrorInfo> {
        self.flush(request_id).await;
        Ok(traced(&self.shared.store, request_id, |row| Cow::Borrowed(row)).await?.spans)
    }

    /// The trace of a turn without anything that is known to be secret.
    ///
    /// # Errors
    /// `turn_unknown`.
    pub async fn told_trace(&self, request_id: RequestId) -> Result<ToldTrace, ErrorInfo> {
        self.flush(request_id).await;
        let (redactor, _) = self.everything_secret().await;
        self.trace_without(request_id, &redactor).await
    }

    async fn trace_without(
        &self,
        request_id: RequestId,
        redactor: &Redactor,
    ) -> Result<ToldTrace, ErrorInfo> {
        let Traced { spans, asked, answered, callers } =
            traced(&self.shared.store, request_id, |row| redactor.redact(row)).await?;
        Ok(ToldTrace { spans, asked, answered, callers })
    }

    /// The trace of a turn as one page that needs nothing else, without secrets.
    ///
    /// # Errors
    /// `turn_unknown`.
    pub async fn trace_page(&self, request_id: RequestId) -> Result<String, ErrorInfo> {
        Ok(export::people::trace_page(&self.told_trace(request_id).await?.spans))
    }

    async fn flush(&self, request_id: RequestId) {
        if let Some(turn) = self.shared.turns.get(request_id) {
            turn.flush().await;
        }
    }
}
