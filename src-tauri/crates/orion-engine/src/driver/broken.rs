//! What a turn whose process died has read and said, kept for the turns that follow it (X1). It is found in the turn's journal before the
//! next turn of its session begins, and not at the crash: until then the turn may be resumed, and come to its end as if nothing had happened. A
//! turn that is resumed after that, and interrupted again, is looked at again.
//!
//! Deliberately not here: what a session is given of such a turn (`Turn::broken_off`).

use orion_core::signature::digest;
use orion_protocol::{Code, ErrorInfo, RequestId};
use orion_store::{Body, Item as Kept, Past, Record, Store, StoreError, TextKind};

use super::rebuild::{Rebuilt, rebuild};
use super::recorded;
use super::said::Said;

/// How often it is tried again when another process changes the turn meanwhile. Two that begin a turn at once do so once.
const TRIES: u32 = 8;

/// An interrupted turn, as far as its session does not have it.
struct Broken {
    /// What identifies the state of the turn: its last event, and how many items of it are kept.
    state: (u32, usize),
    records: Vec<Record>,
}

impl Broken {
    async fn of(store: &Store, request_id: RequestId) -> Result<Self, ErrorInfo> {
        let Rebuilt { turn, seq, .. } = rebuild(store, request_id).await?;
        let kept = store.said_in(request_id).await?;
        let said = Said::among(&turn, kept.as_ref())?;
        let records = recorded::left(&turn.broken_off(), &said)?;
        Ok(Self { state: (seq, kept.map_or(0, |kept| kept.items.len())), records })
    }
}

/// Keeps what was said in an interrupted turn. If this process dies meanwhile, the next one does it. False where it cannot be known,
/// since the journal is damaged or of another version (T8); nobody looks at it again then.
///
/// # Errors
/// Those of a disk that refuses to keep it.
pub(super) async fn keep(store: &Store, request_id: RequestId) -> Result<bool, StoreError> {
    for _ in 0..TRIES {
        let Broken { state, records } = match Broken::of(store, request_id).await {
            Ok(broken) => broken,
            Err(error) => {
                let (code, detail) = (error.code, error.detail);
                tracing::warn!(%request_id, ?code, detail, "an interrupted turn cannot be replayed");
                if code == Code::OtherVersion {
                    store.give_up_broken_off(request_id).await?;
                }
                return Ok(false);
            }
        };
        if store.keep_broken_off(request_id, state, records).await? {
            break;
        }
    }
    Ok(true)
}

/// What the next turn of a session would follow once what was said in interrupted turns is kept. False beside it where that cannot be known.
/// Nothing is kept.
pub(super) async fn known(store: &Store, mut past: Past) -> (Past, bool) {
    let mut is_known = true;
    let mut turn = 0;
    while let Some(earlier) = past.earlier.get_mut(turn) {
        turn += 1;
        if !earlier.broke_off {
            continue;
        }
        let Ok(Broken { records, .. }) = Broken::of(store, earlier.request_id).await else {
            is_known = false;
            continue;
        };
        for record in records {
            match record {
                Record::Text { kind: TextKind::Said, body } => {
                    earlier.items.push(Kept { id: i64::MAX, sha256: digest(&body), body });
                }
                Record::Context { items: text } => {
                    earlier.context = Some(Body { sha256: digest(&text), text });
                }
                Record::Gauge(gauge) if past.parent == Some(earlier.request_id) => past.gauge = Some(gauge),
                _ => {}
            }
        }
        if earlier.context.is_some() {
            past.earlier.truncate(turn);
        }
    }
    (past, is_known)
}
