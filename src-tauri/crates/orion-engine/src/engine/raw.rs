//! The responses of model calls as they came, for a person to read, and how long they are kept (0046).
//!
//! Beside the log, which is rotated, nothing else is deleted by its age or its size.

use orion_protocol::{ErrorInfo, RawResponse, RequestId};
use orion_store::{Retention, StoredResponse};

use super::Engine;
use crate::config::InForce;
use crate::driver::Clock;
use crate::received::Keeps;

/// A day in milliseconds. Age counts in whole days of UTC, so that at most one removal a day is for it.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// Of which model calls of a turn what came back is kept.
pub(super) fn keeps(in_force: &InForce) -> Keeps {
    match in_force.values.raw_responses_mib() {
        0 => Keeps::Nothing,
        _ if in_force.values.keep_raw_responses() => Keeps::Everything,
        _ => Keeps::Failures,
    }
}

/// What stays at this time.
fn retention(in_force: &InForce, now_ms: i64) -> Retention {
    let days = i64::from(in_force.values.raw_responses_days());
    let today_ms = now_ms - now_ms.rem_euclid(DAY_MS);
    Retention {
        since_ms: today_ms - days * DAY_MS,
        bytes: u64::from(in_force.values.raw_responses_mib()) << 20,
    }
}

impl Engine {
    /// What came back in a model call. None where nothing of it is kept.
    ///
    /// # Errors
    /// `turn_unknown`.
    pub(super) async fn raw_response(
        &self,
        request_id: RequestId,
        call: u32,
    ) -> Result<Option<RawResponse>, ErrorInfo> {
        if let Some(turn) = self.shared.turns.get(request_id) {
            turn.flush().await;
        }
        let store = &self.shared.store;
        store.turn_ids(request_id).await?;
        let Some(StoredResponse { at_ms, body, start, left_out, .. }) =
            store.response(request_id, call).await?
        else {
            return Ok(None);
        };
        // A key that was not known when it was kept may be by now.
        let redactor = self.shared.options.keys.redactor();
        let text = |bytes: &[u8]| redactor.redact(&String::from_utf8_lossy(bytes)).into_owned();
        let (start, end) = body.split_at(usize::try_from(start).unwrap_or(usize::MAX).min(body.len()));
        Ok(Some(RawResponse { request_id, call, at_ms, start: text(start), left_out, end: text(end) }))
    }

    /// Removes raw responses that are older, or more, than the settings say. What they leave on the disk is overwritten in steps, as after a deletion.
    pub(super) async fn forget_old_responses(&self) {
        let in_force = self.config().without_project();
        match self.shared.store.forget_responses(retention(&in_force, Clock::start().now_ms())).await {
            Ok(false) => {}
            Ok(true) => self.remove_rest().await,
            Err(error) => {
                let code = ErrorInfo::from(error).code;
                tracing::warn!(?code, "old raw responses could not be removed");
            }
        }
    }
}
