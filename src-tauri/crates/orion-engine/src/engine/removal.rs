//! Removes what a deletion leaves in the data folder, to the last byte.
//!
//! The store records what is still to be done, so the next start completes a deletion that was interrupted. Deliberately not here: what
//! is deleted (`sessions`, `projects`), and how the database removes it (`orion-store`).

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use orion_protocol::{Code, ErrorInfo, Outcome};
use orion_store::Reclaimed;

use super::{Engine, blocking};
use crate::logging;

/// Pauses between two attempts while another process still reads the database: 1 s at first, then twice as long each time, up to 30 s.
const FIRST_LOOK: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

impl Engine {
    /// Removes what a deletion left, and reports what remains.
    pub(super) async fn deleted(&self) -> Outcome {
        let remains = self.remove_leftovers().await.err();
        if remains.is_some() {
            self.remove_later();
        }
        Outcome::Deleted { remains }
    }

    /// Completes deletions that were interrupted. Nearly always there are none.
    pub(super) async fn complete_deletions(&self) {
        // The start does not wait for either; the end of the process does.
        let engine = self.clone();
        self.shared.tasks.spawn(async move { engine.forget_old_responses().await });
        match self.shared.store.has_leftovers().await {
            Ok(false) => {}
            Ok(true) => {
                let engine = self.clone();
                self.shared.tasks.spawn(async move { engine.remove_rest().await });
            }
            Err(error) => {
                let code = ErrorInfo::from(error).code;
                tracing::warn!(?code, "what deletions left cannot be looked up");
            }
        }
    }

    /// Removes what is left, now or, where that fails, later.
    pub(super) async fn remove_rest(&self) {
        if self.remove_leftovers().await.is_err() {
            self.remove_later();
        }
    }

    /// Fails when something is left, which is then tried again.
    async fn remove_leftovers(&self) -> Result<(), ErrorInfo> {
        let _alone = self.shared.removing.lock().await;
        match self.try_to_remove().await {
            Ok(Reclaimed::All) => Ok(()),
            Ok(Reclaimed::Held) => Err(held()),
            Err(error) => {
                tracing::warn!(code = ?error.code, "what was deleted is not all gone from the disk yet");
                Err(refused(error))
            }
        }
    }

    async fn try_to_remove(&self) -> Result<Reclaimed, ErrorInfo> {
        // Either may fail without the other.
        let erased = self.erase_from_log().await;
        let reclaimed = self.shared.store.reclaim().await?;
        erased.map(|()| reclaimed)
    }

    /// Removes lines about deleted sessions from the log.
    async fn erase_from_log(&self) -> Result<(), ErrorInfo> {
        let ids = self.shared.store.deleted_ids().await?;
        if ids.is_empty() {
            return Ok(());
        }
        let (log_dir, erased) = (self.shared.options.paths.log_dir(), ids.clone());
        blocking(move || {
            let erased = erased.iter().map(String::as_str).collect::<HashSet<_>>();
            logging::erase(&log_dir, &erased).map_err(|error| unwritable(&error))
        })
        .await?;
        Ok(self.shared.store.forget_ids(ids).await?)
    }

    /// Another process has changed something: if it deleted something that it could not remove whole, this one goes on with that.
    pub(super) async fn remove_what_neighbours_left(&self) {
        if self.shared.removes_later.load(Ordering::Relaxed) {
            return;
        }
        // A database that cannot be read now is looked at after the next change.
        if self.shared.store.has_leftovers().await.unwrap_or_default() {
            self.remove_later();
        }
    }

    /// Tries again until nothing is left or Orion closes. The process that closes the database last, or the next start, does the rest.
    fn remove_later(&self) {
        if self.shared.removes_later.swap(true, Ordering::Relaxed) {
            return;
        }
        let engine = self.clone();
        self.shared.tasks.spawn(async move {
            let mut wait = FIRST_LOOK;
            loop {
                tokio::select! {
                    () = engine.shared.closing.cancelled() => return,
                    () = tokio::time::sleep(wait) => {}
                }
                if engine.remove_leftovers().await.is_ok() {
                    break;
                }
                wait = LONGEST_WAIT.min(wait * 2);
            }
            engine.shared.removes_later.store(false, Ordering::Relaxed);
            // What another process left while this one was at the last of it.
            engine.remove_what_neighbours_left().await;
        });
    }
}

fn held() -> ErrorInfo {
    ErrorInfo::new(
        Code::Storage,
        "Part of what was deleted is still on the disk, because another program reads Orion's database.",
        "It is removed when that program closes the database, or when Orion starts next.",
    )
}

fn refused(error: ErrorInfo) -> ErrorInfo {
    let cause = error.detail.map_or(error.message.clone(), |detail| format!("{} {detail}", error.message));
    ErrorInfo::new(
        Code::Storage,
        "Part of what was deleted is still on the disk, because the disk refused to overwrite it.",
        "Check the disk. Orion tries again, also when it starts next.",
    )
    .with_detail(cause)
}

fn unwritable(error: &std::io::Error) -> ErrorInfo {
    ErrorInfo::new(
        Code::Storage,
        "The log still names what was deleted, and Orion cannot write to it.",
        "Give yourself write permission on the folder of the log.",
    )
    .with_detail(error.to_string())
}
