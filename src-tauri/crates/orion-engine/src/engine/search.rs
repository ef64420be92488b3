//! Enters the texts of an earlier version into the index of words, in steps (0050).
//!
//! Deliberately not here: the search itself, which is the store's, and finding a text in one session (`find`).

use orion_protocol::ErrorInfo;

use super::Engine;

impl Engine {
    /// Enters everything that an earlier version left, and says before each step how much of it is there, in percent.
    ///
    /// # Errors
    /// The database cannot be written to.
    pub async fn fill_search(&self, tell: &(dyn Fn(u8) + Sync)) -> Result<(), ErrorInfo> {
        let store = &self.shared.store;
        let Some(all) = store.search_to_come().await? else { return Ok(()) };
        let mut left = Some(all);
        while let Some(below) = left {
            let entered = all.saturating_sub(below).saturating_mul(100) / all.max(1);
            tell(u8::try_from(entered).unwrap_or(100));
            left = store.fill_search().await?;
        }
        Ok(())
    }

    /// The same beside everything else, until Orion closes. The next start goes on.
    pub(super) async fn fill_search_meanwhile(&self) {
        loop {
            match self.shared.store.fill_search().await {
                Ok(Some(_)) if !self.shared.closing.is_cancelled() => {}
                Ok(_) => return,
                Err(error) => {
                    let code = ErrorInfo::from(error).code;
                    tracing::warn!(
                        ?code,
                        "what was said in earlier sessions cannot be entered for searching"
                    );
                    return;
                }
            }
        }
    }
}
