//! Enters texts that the index of words does not have yet, in steps (0050, 0067).
//!
//! Deliberately not here: how the index is searched, which is the store's, and finding a text in one session (`find`).

use std::time::Duration;

use orion_protocol::{ErrorInfo, SearchPage};
use orion_store::StoreError;

use super::Engine;

/// How long a search waits for texts to be entered. 100 ms: a step takes some milliseconds, and a person would notice more. Another
/// process that writes may take longer.
const PATIENCE: Duration = Duration::from_millis(100);

impl Engine {
    /// Searches all sessions. What a turn that still runs has said is entered first.
    pub(super) async fn search(
        &self,
        text: &str,
        after: Option<i64>,
        limit: u32,
    ) -> Result<SearchPage, ErrorInfo> {
        let store = &self.shared.store;
        if let Ok(_one) = self.shared.filling.try_lock()
            && store.search_to_come().await? > 0
        {
            match tokio::time::timeout(PATIENCE, store.fill_search()).await {
                Ok(Ok(0)) => {}
                Ok(Err(error)) => not_entered(error),
                _ => self.fill_search_later(),
            }
        }
        Ok(store.search(text, after, limit).await?)
    }

    /// Enters all of them, and says before each step how much of it is there, in percent.
    ///
    /// # Errors
    /// The database cannot be written to.
    pub async fn fill_search(&self, tell: &(dyn Fn(u8) + Sync)) -> Result<(), ErrorInfo> {
        let store = &self.shared.store;
        let all = store.search_to_come().await?;
        let mut left = all;
        while left > 0 {
            let entered = (all - left).max(0).saturating_mul(100) / all;
            tell(u8::try_from(entered).unwrap_or(100));
            left = store.fill_search().await?;
        }
        Ok(())
    }

    /// Begins the same, and does not wait for it.
    pub(super) fn fill_search_later(&self) {
        let engine = self.clone();
        self.shared.tasks.spawn(async move { engine.fill_search_meanwhile().await });
    }

    /// The same beside everything else, until Orion closes. The next start goes on.
    pub(super) async fn fill_search_meanwhile(&self) {
        let _one = self.shared.filling.lock().await;
        let store = &self.shared.store;
        let mut left = store.search_to_come().await;
        loop {
            match left {
                Ok(1..) if !self.shared.closing.is_cancelled() => left = store.fill_search().await,
                Ok(_) => return,
                Err(error) => return not_entered(error),
            }
        }
    }
}

fn not_entered(error: StoreError) {
    let code = ErrorInfo::from(error).code;
    tracing::warn!(?code, "what was said cannot be entered for searching");
}
