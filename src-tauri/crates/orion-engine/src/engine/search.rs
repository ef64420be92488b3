//! Enters texts that the index of words does not have yet, in steps: those of an earlier version (0050), and long ones (0063).
//!
//! Deliberately not here: the search itself, which is the store's, and finding a text in one session (`find`).

use orion_protocol::ErrorInfo;

use super::Engine;

impl Engine {
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
                Err(error) => {
                    let code = ErrorInfo::from(error).code;
                    tracing::warn!(?code, "what was said cannot be entered for searching");
                    return;
                }
            }
        }
    }
}
