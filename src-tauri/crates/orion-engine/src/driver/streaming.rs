//! The stream of a model call. Text that comes fast is joined; everything else is taken event by event (P5).

use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::stream::StreamExt;
use orion_core::model::ModelDelta;
use orion_core::turn::{Effect, Input, ModelInput};
use orion_protocol::{Code, ErrorInfo, TurnEvent};
use orion_store::{Record, StoreError};
use tokio::time::Instant;

use super::jobs::{Ended, Key, Kind};
use super::pending::join_delta;
use super::task::Driver;
use crate::endpoint::ModelEvent;

/// Events of a stream that are taken together before anything else is checked; a stop waits for no more than these.
const RUN: usize = 256;

/// After this many events the stop is checked.
const LOOK: usize = 16;

impl Driver {
    /// Takes the next event of a model call, and all that are there already. Text that comes fast is joined: a step
    /// for each piece would cost more than reading it.
    pub(super) async fn stream(&mut self, first: Option<ModelEvent>) -> Result<(), StoreError> {
        let Some(number) = self.model.as_ref().map(|call| call.number) else { return Ok(()) };
        let mut event = first;
        let mut together = 0;
        for taken in 1.. {
            match event {
                // Other pieces stay separate, since a phase is cut at the event in which a call becomes complete
                // (P5).
                Some(ModelEvent::Deltas(deltas)) if deltas.iter().all(is_text) => {
                    together +=
                        deltas.into_iter().map(|delta| join_delta(&mut self.text, delta)).sum::<usize>();
                }
                event => {
                    self.take_text(number).await?;
                    // The text may have ended the call, and another may run now: what is left of this one is not for it.
                    if self.model.as_ref().is_none_or(|call| call.number != number) {
                        return Ok(());
                    }
                    if has_call(&event)
                        && let Ok(project) = &self.equipment.writes.folder
                        && let Some(looking) = self.glances.again(number, project)
                    {
                        self.jobs.begin(Key::Look, Kind::Look, async move { Ended::Looked(looking.await) });
                        self.held = event;
                        return Ok(());
                    }
                    if !self.say(number, event).await? || self.paused_until().is_some() {
                        return Ok(());
                    }
                }
            }
            let looks = taken % LOOK == 0;
            if taken == RUN || looks && self.equipment.stop.is_cancelled() || self.pending.is_full(together) {
                break;
            }
            others_first().await;
            match self.model.as_mut().and_then(|call| call.events.next().now_or_never()) {
                Some(next) => event = next,
                None => break,
            }
        }
        self.take_text(number).await
    }

    pub(super) async fn take_text(&mut self, call: u32) -> Result<(), StoreError> {
        let text = std::mem::take(&mut self.text);
        if text.is_empty() { Ok(()) } else { self.take(call, text).await }
    }

    /// Takes one event of a model call; false when it was the last.
    async fn say(&mut self, number: u32, event: Option<ModelEvent>) -> Result<bool, StoreError> {
        let (said, goes_on) = match event {
            Some(ModelEvent::Deltas(deltas)) => {
                self.take(number, deltas).await?;
                return Ok(self.model.as_ref().is_some_and(|call| call.number == number));
            }
            Some(ModelEvent::Retrying { attempt, delay_ms, cause }) => {
                self.log_failure("a model call failed and is tried again", &cause);
                if let Some(call) = &mut self.model {
                    call.failed = true;
                    call.paused_until = Some(Instant::now() + Duration::from_millis(delay_ms));
                }
                let cause = self.equipment.redactor.redact_error(cause);
                (ModelInput::Retrying { attempt, delay_ms, cause }, true)
            }
            Some(ModelEvent::Changed(shape)) => (ModelInput::Changed { shape }, true),
            Some(ModelEvent::Connected) => (ModelInput::Connected, true),
            Some(ModelEvent::Reading(progress)) => {
                self.show_aside(TurnEvent::PromptProgress(progress)).await?;
                return Ok(true);
            }
            Some(ModelEvent::Ended) => (ModelInput::Ended, false),
            Some(ModelEvent::Failed(error)) => {
                self.log_failure("a model call failed", &error);
                self.shown.failure(&error);
                (ModelInput::Failed { error: self.equipment.redactor.redact_error(error) }, false)
            }
            None => {
                let message = "Orion hit an internal error while it read the model's answer.";
                let error = ErrorInfo::new(Code::Internal, message, "Send the message again.").retryable();
                self.log_failure("a model call ended without a last event", &error);
                (ModelInput::Failed { error }, false)
            }
        };
        if !goes_on {
            if let (Some(call), ModelInput::Failed { .. }) = (&mut self.model, &said) {
                call.failed = true;
            }
            self.end_call();
        }
        self.feed(Input::Model { call: number, event: said }).await?;
        Ok(goes_on)
    }

    /// What a person needs to look into it later. The provider's own words are left out: they may quote the
    /// conversation, or a key.
    fn log_failure(&self, what: &str, error: &ErrorInfo) {
        let endpoint = &self.equipment.endpoint;
        tracing::warn!(
            endpoint = endpoint.name(),
            model = endpoint.model(),
            code = ?error.code,
            message = %error.message,
            "{what}"
        );
    }

    /// Streamed pieces. Those that lead to chunks alone are shown at once and recorded soon (J1).
    async fn take(&mut self, call: u32, deltas: Vec<ModelDelta>) -> Result<(), StoreError> {
        let at_ms = self.clock.now_ms();
        let copy = deltas.clone();
        let effects = self.turn.step(at_ms, Input::Model { call, event: ModelInput::Deltas { deltas } });
        self.equipment.outlet.streams(at_ms, call, &copy);
        if !effects.iter().all(|effect| matches!(effect, Effect::Show(_))) {
            let input = Input::Model { call, event: ModelInput::Deltas { deltas: copy } };
            self.pending.record(Record::input(at_ms, &input)?)?;
            return self.act(effects).await;
        }
        let chunks = effects.iter().filter_map(|effect| match effect {
            Effect::Show(envelope) => Some(envelope),
            _ => None,
        });
        self.pending.stream(call, at_ms, copy, chunks)?;
        for effect in effects {
            if let Effect::Show(envelope) = effect {
                self.show(envelope);
            }
        }
        // This is not left to a timer: while text comes as fast as it can be read, no timer gets its turn.
        if self.pending.is_full(0) && self.flushing.is_none() {
            self.flush().await?;
        }
        Ok(())
    }
}

/// Lets other ready tasks run first, especially the one that reads the socket. Tokio's own `yield_now` would also ask the system for
/// new events each time, which costs more than a piece of text.
async fn others_first() {
    let mut asked = false;
    std::future::poll_fn(|context| {
        if asked {
            return Poll::Ready(());
        }
        asked = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn has_call(event: &Option<ModelEvent>) -> bool {
    let Some(ModelEvent::Deltas(deltas)) = event else { return false };
    deltas.iter().any(|delta| matches!(delta, ModelDelta::ToolCall { .. }))
}

fn is_text(delta: &ModelDelta) -> bool {
    matches!(delta, ModelDelta::Text { .. } | ModelDelta::Reasoning { .. })
}
