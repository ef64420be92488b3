//! What was approved, put on the disk, found again after a crash, and taken back (W6, W7).
//!
//! Deliberately not here: how a file takes another's place (`writing`).

use orion_core::turn::WriteOutcome;
use orion_protocol::{Code, ErrorInfo};
use orion_store::{StoreError, StoredWrite, WriteStage};

use super::writes::{Writes, blocking};
use crate::workspace::Located;
use crate::writing::{Attempt, Outcome, Performed, Recovered};

/// How a write ended.
struct Ended {
    outcome: WriteOutcome,
    /// Nothing was written, and no temporary file is left: there is nothing for the next start to find out.
    untouched: bool,
}

impl Writes {
    /// Writes what was approved, in place of the file that it was proposed against (W6). `path` is as it was named, and where it
    /// led then.
    pub(crate) async fn write(
        self,
        write: u32,
        path: (String, Option<String>),
        base_sha256: Option<String>,
        sha256: String,
    ) -> Result<WriteOutcome, StoreError> {
        let ended = self.clone().perform(write, path, base_sha256, sha256).await?;
        self.known(write, ended).await
    }

    /// Finds out what became of a write whose process died, and does it if it was not done.
    pub(crate) async fn recover(
        self,
        write: u32,
        path: (String, Option<String>),
        base_sha256: Option<String>,
        sha256: String,
    ) -> Result<WriteOutcome, StoreError> {
        let real = path.1.clone().unwrap_or_else(|| path.0.clone());
        let ended = match self.clean(write, real, base_sha256.clone(), sha256.clone()).await {
            Ok(Recovered::Written) => Ended { outcome: WriteOutcome::Written, untouched: false },
            Ok(Recovered::Changed { .. }) => Ended { outcome: WriteOutcome::Changed, untouched: true },
            Ok(Recovered::NotWritten) => self.clone().perform(write, path, base_sha256, sha256).await?,
            Err(_) => {
                let ended = self.clone().perform(write, path, base_sha256, sha256).await?;
                Ended { untouched: false, ..ended }
            }
        };
        self.known(write, ended).await
    }

    async fn perform(
        self,
        write: u32,
        (path, leads_to): (String, Option<String>),
        base_sha256: Option<String>,
        sha256: String,
    ) -> Result<Ended, StoreError> {
        let bytes = self.store.body(&sha256).await?;
        let ended = blocking(move || match self.attempt(write, &path, base_sha256, sha256) {
            // A3: another file was shown, be it the same in content.
            Ok(attempt) if attempt.path.to_string() != leads_to.unwrap_or(path) => {
                Ended { outcome: WriteOutcome::Changed, untouched: true }
            }
            Ok(attempt) => {
                let done = attempt.perform(&self.project, Some(&bytes));
                let untouched =
                    matches!(done.outcome, Outcome::Changed | Outcome::Failed(_)) && !done.temp_left;
                Ended { outcome: performed(done), untouched }
            }
            Err(error) => Ended { outcome: WriteOutcome::Failed { error }, untouched: true },
        });
        Ok(ended.await)
    }

    /// What is known not to be written is on its way no more. The next start would look for it on the disk, and take a file for
    /// Orion's own in which somebody else wrote the very same.
    async fn known(
        &self,
        write: u32,
        Ended { outcome, untouched }: Ended,
    ) -> Result<WriteOutcome, StoreError> {
        if untouched {
            self.store.move_write(self.request_id, write, WriteStage::Proposed).await?;
        }
        Ok(outcome)
    }

    /// Finds out how far a write came that a dead process had under way, and leaves no temporary file of it.
    pub(crate) async fn clean(
        &self,
        write: u32,
        path: String,
        base_sha256: Option<String>,
        sha256: String,
    ) -> Result<Recovered, ErrorInfo> {
        let writes = self.clone();
        blocking(move || writes.attempt(write, &path, base_sha256, sha256)?.recover(&writes.project)).await
    }

    /// Takes a write back while the file still holds what was written (W7).
    ///
    /// # Errors
    /// `undo_stale`, and what the disk says.
    pub(crate) async fn undo(&self, stored: &StoredWrite) -> Result<(), ErrorInfo> {
        let StoredWrite { number, path, base_sha256, sha256, .. } = stored.clone();
        let old = match &base_sha256 {
            Some(base) => Some(self.store.body(base).await?),
            None => None,
        };
        let writes = self.clone();
        let outcome = blocking(move || {
            let done = writes.attempt(number, &path, base_sha256, sha256)?;
            let undoing = done.undoing(done.temp.clone());
            Ok::<_, ErrorInfo>(performed(undoing.perform(&writes.project, old.as_deref())))
        })
        .await?;
        match outcome {
            WriteOutcome::Written => {
                Ok(self.store.move_write(self.request_id, number, WriteStage::Undone).await?)
            }
            WriteOutcome::Changed => Err(ErrorInfo::new(
                Code::UndoStale,
                format!("{} is not what was written any more.", stored.path),
                "Change it by hand, or ask the model to.",
            )),
            WriteOutcome::Failed { error } | WriteOutcome::Unknown { error } => Err(error),
        }
    }

    fn attempt(
        &self,
        write: u32,
        path: &str,
        base: Option<String>,
        new: String,
    ) -> Result<Attempt, ErrorInfo> {
        // Where it is, and not what: a file that can no longer be a target must still be recovered.
        let path = match self.project.locate(&self.project.path(path)?)? {
            Located::There(node) => node.path,
            Located::Missing(path) => path,
        };
        Ok(Attempt { path, temp: self.temporary(write), base, new: Some(new) })
    }

    /// The name of the temporary file of a write: known to whoever cleans up after a crash.
    fn temporary(&self, write: u32) -> String {
        format!(".orion-{}-{write}.tmp", self.request_id.0.simple())
    }
}

fn performed(performed: Performed) -> WriteOutcome {
    match performed {
        Performed { kept: Some(kept), .. } => WriteOutcome::Failed {
            error: ErrorInfo::new(
                Code::FileChanged,
                "The file changed while it was written, and that change could not be put back in its place.",
                format!("It is in {kept}. Compare the two."),
            ),
        },
        Performed { outcome: Outcome::Written, .. } => WriteOutcome::Written,
        Performed { outcome: Outcome::Changed, .. } => WriteOutcome::Changed,
        Performed { outcome: Outcome::Failed(error), .. } => WriteOutcome::Failed { error },
        Performed { outcome: Outcome::Unknown(error), .. } => WriteOutcome::Unknown { error },
    }
}
