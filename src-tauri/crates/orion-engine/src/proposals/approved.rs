//! Writing what was approved, recovering a write after a crash, and undoing it (W6, W7).
//!
//! The store knows of each step before the disk changes, so the next start finds out how far it came. Deliberately not
//! here: how one file replaces another (`orion_files::writing`).

use orion_core::turn::WriteOutcome;
use orion_protocol::{ChangedLines, Code, ErrorInfo, Sha256};
use orion_store::{StoreError, StoredWrite, WriteStage};
use tokio_util::sync::CancellationToken;

use super::{Writes, blocking, difference};
use orion_files::workspace::{Located, Project};
use orion_files::writing::{Attempt, Outcome, Performed, Recovered};

/// How a write ended.
#[derive(Debug)]
pub(crate) struct Wrote {
    pub(crate) outcome: WriteOutcome,
    /// Its temporary file is still there; the next start removes it.
    pub(crate) left: bool,
}

/// How an attempt to write ended.
struct Ended {
    wrote: Wrote,
    /// Nothing was written, and no temporary file is left: there is nothing for the next start to find out.
    untouched: bool,
}

impl Ended {
    fn untouched(outcome: WriteOutcome) -> Self {
        Self { wrote: Wrote { outcome, left: false }, untouched: true }
    }

    fn touched(outcome: WriteOutcome) -> Self {
        Self { untouched: false, ..Self::untouched(outcome) }
    }

    fn of(done: Performed, temp: &str) -> Self {
        let left = done.temp_left;
        let untouched = matches!(done.outcome, Outcome::Changed | Outcome::Failed(_)) && !left;
        let outcome = match outcome(done) {
            // If the write were asked about again, its temporary file would be in the way.
            WriteOutcome::Changed if left => WriteOutcome::Failed { error: in_the_way(temp) },
            outcome => outcome,
        };
        Self { wrote: Wrote { outcome, left }, untouched }
    }
}

impl Writes {
    /// Writes what was approved, in place of the file that it was proposed against (W6). `path` is as it was named, and where it
    /// led then.
    pub(crate) async fn write(
        self,
        write: u32,
        path: (String, Option<String>),
        base_sha256: Option<Sha256>,
        sha256: Sha256,
    ) -> Result<Wrote, StoreError> {
        let ended = self.clone().perform(write, path, base_sha256, sha256).await?;
        self.known(write, ended).await
    }

    /// Finds out whether a write whose process died was done, and does it if not. When the turn is being stopped, a
    /// write that was not done stays undone, and the result is none (A4).
    pub(crate) async fn recover(
        self,
        write: u32,
        path: (String, Option<String>),
        base_sha256: Option<Sha256>,
        sha256: Sha256,
        stop: CancellationToken,
    ) -> Result<Option<Wrote>, StoreError> {
        let stored = self.store.writes(self.request_id).await?.into_iter().find(|it| it.number == write);
        // Another start has looked already, and the file may have changed since. What that start found counts.
        let found = stored.and_then(|it| match it {
            StoredWrite { stage: WriteStage::Written, .. } => Some(WriteOutcome::Written),
            StoredWrite { stage: WriteStage::Undoing | WriteStage::Undone, path, .. } => {
                Some(WriteOutcome::Failed { error: undone(&path) })
            }
            StoredWrite { kept: Some(kept), .. } => Some(WriteOutcome::Failed { error: kept_aside(&kept) }),
            _ => None,
        });
        if let Some(outcome) = found {
            return Ok(Some(Wrote { outcome, left: false }));
        }
        // From here on the write counts as begun again, even if it was found not to be done.
        self.store.move_write(self.request_id, write, WriteStage::Writing).await?;
        let stopped = stop.is_cancelled();
        let real = path.1.clone().unwrap_or_else(|| path.0.clone());
        let ended = match self.look(write, real, base_sha256, sha256).await {
            Ok(Recovered::Written) => Ended::touched(WriteOutcome::Written),
            Ok(Recovered::Changed { kept: Some(kept) }) => {
                Ended::untouched(WriteOutcome::Failed { error: kept_aside(&kept.to_string()) })
            }
            Ok(Recovered::Changed { kept: None }) => Ended::untouched(WriteOutcome::Changed),
            Ok(Recovered::NotWritten) if stopped => return Ok(None),
            Err(error) if stopped => Ended::touched(WriteOutcome::Unknown { error }),
            Ok(Recovered::NotWritten) => self.clone().perform(write, path, base_sha256, sha256).await?,
            Err(_) => {
                let ended = self.clone().perform(write, path, base_sha256, sha256).await?;
                Ended { untouched: false, ..ended }
            }
        };
        self.known(write, ended).await.map(Some)
    }

    async fn perform(
        self,
        write: u32,
        (path, leads_to): (String, Option<String>),
        base_sha256: Option<Sha256>,
        sha256: Sha256,
    ) -> Result<Ended, StoreError> {
        let bytes = self.counted(write, base_sha256, self.store.body(sha256).await?).await?;
        let ended = blocking(move || match self.attempt(write, &path, base_sha256, sha256) {
            // A3: the path now leads to another file than the one that was shown, even if its content is the same.
            Ok(attempt) if attempt.path.to_string() != leads_to.unwrap_or(path) => {
                Ended::untouched(WriteOutcome::Changed)
            }
            Ok(attempt) => match self.project() {
                Ok(project) => Ended::of(tidied(&attempt, project, Some(&bytes)), &attempt.temp),
                Err(error) => Ended::untouched(WriteOutcome::Failed { error }),
            },
            Err(error) => Ended::untouched(WriteOutcome::Failed { error }),
        });
        Ok(ended.await)
    }

    /// Counts the lines of a file that is not the proposed one, since hunks of it were rejected. The file comes back as it is.
    async fn counted(
        &self,
        write: u32,
        base_sha256: Option<Sha256>,
        bytes: Vec<u8>,
    ) -> Result<Vec<u8>, StoreError> {
        let stored = self.store.writes(self.request_id).await?;
        if stored.iter().any(|it| it.number == write && it.lines.is_some()) {
            return Ok(bytes);
        }
        let old = match base_sha256 {
            Some(base) => Some(self.store.body(base).await?),
            None => None,
        };
        let compare = move || {
            let difference = difference(old.as_deref(), &bytes, |_| Vec::new());
            (ChangedLines { added: difference.added(), removed: difference.removed() }, bytes)
        };
        let (lines, bytes) = blocking(compare).await;
        self.store.count_lines(self.request_id, write, lines).await?;
        Ok(bytes)
    }

    /// Records that a write which is known not to have happened is not under way any more. Otherwise the next start
    /// would look for it on the disk. If somebody else had written exactly the same content, that file would pass for
    /// Orion's own.
    async fn known(&self, write: u32, Ended { wrote, untouched }: Ended) -> Result<Wrote, StoreError> {
        if untouched {
            self.store.move_write(self.request_id, write, WriteStage::Proposed).await?;
        }
        Ok(wrote)
    }

    async fn look(
        &self,
        write: u32,
        path: String,
        base_sha256: Option<Sha256>,
        sha256: Sha256,
    ) -> Result<Recovered, ErrorInfo> {
        let writes = self.clone();
        blocking(move || writes.attempt(write, &path, base_sha256, sha256)?.recover(writes.project()?)).await
    }

    /// Finds out how far a write or its undoing came whose process died. Removes its temporary file, and records what
    /// was found.
    pub(crate) async fn settle(&self, stranded: StoredWrite) -> Result<(), ErrorInfo> {
        let StoredWrite { number, path, base_sha256, sha256, stage, .. } = stranded;
        let back = stage == WriteStage::Undoing;
        let writes = self.clone();
        let recovered = blocking(move || {
            let there = writes.attempt(number, &path, base_sha256, sha256)?;
            let attempt = if back { there.undoing(there.temp.clone()) } else { there };
            attempt.recover(writes.project()?)
        });
        let (done, not_done) = match back {
            true => (WriteStage::Undone, WriteStage::Written),
            false => (WriteStage::Written, WriteStage::Over),
        };
        let (stage, kept) = match recovered.await? {
            Recovered::Written => (done, None),
            Recovered::NotWritten => (not_done, None),
            Recovered::Changed { kept } => (not_done, kept.map(|kept| kept.to_string())),
        };
        if let Some(kept) = &kept {
            tracing::warn!(request_id = %self.request_id, number, kept, "what somebody else wrote at the last instant was put aside");
        }
        Ok(self.store.recovered(self.request_id, number, stage, kept).await?)
    }

    /// Undoes a write while the file still holds what was written (W7).
    ///
    /// # Errors
    /// `undo_stale`, and what the disk says.
    pub(crate) async fn undo(&self, stored: &StoredWrite) -> Result<(), ErrorInfo> {
        let StoredWrite { number, path, base_sha256, sha256, .. } = stored.clone();
        let old = match base_sha256 {
            Some(base) => Some(self.store.body(base).await?),
            None => None,
        };
        if !self.store.begin_undo(self.request_id, number).await? {
            return Err(undo_stale(stored));
        }
        let writes = self.clone();
        let done = blocking(move || {
            let there = writes.attempt(number, &path, base_sha256, sha256)?;
            let undoing = there.undoing(there.temp.clone());
            // A file that an earlier attempt left must not be in the way. If it cannot be removed, the next attempt
            // says so.
            let project = writes.project()?;
            let _ = undoing.recover(project);
            Ok::<_, ErrorInfo>(tidied(&undoing, project, old.as_deref()))
        });
        let (stage, undone) = match done.await {
            Err(error) => (Some(WriteStage::Written), Err(error)),
            Ok(done) => {
                let stage = match done.outcome {
                    // The next start finds out.
                    Outcome::Unknown(_) => None,
                    _ if done.temp_left => None,
                    Outcome::Written => Some(WriteStage::Undone),
                    Outcome::Changed | Outcome::Failed(_) => Some(WriteStage::Written),
                };
                let undone = match outcome(done) {
                    WriteOutcome::Written => Ok(()),
                    WriteOutcome::Changed => Err(undo_stale(stored)),
                    WriteOutcome::Failed { error } | WriteOutcome::Unknown { error } => Err(error),
                };
                (stage, undone)
            }
        };
        if let Some(stage) = stage {
            self.store.move_write(self.request_id, number, stage).await?;
        }
        undone
    }

    fn attempt(
        &self,
        write: u32,
        path: &str,
        base: Option<Sha256>,
        new: Sha256,
    ) -> Result<Attempt, ErrorInfo> {
        // The path alone, without looking at the file: a file that can no longer be a target must still be recovered.
        let project = self.project()?;
        let path = match project.locate(&project.path(path)?)? {
            Located::There(node) => node.path,
            Located::Missing(path) => path,
        };
        Ok(Attempt { path, temp: self.temporary(write), base, new: Some(new) })
    }

    /// The name of the temporary file of a write. It follows from the write, so that a clean-up after a crash finds it.
    fn temporary(&self, write: u32) -> String {
        format!(".orion-{}-{write}.tmp", self.request_id.0.simple())
    }
}

/// Performs an attempt. If its temporary file could not be removed, tries that once more.
fn tidied(attempt: &Attempt, project: &Project, bytes: Option<&[u8]>) -> Performed {
    let mut done = attempt.perform(project, bytes);
    if done.temp_left
        && !matches!(done.outcome, Outcome::Unknown(_))
        && let Ok(recovered) = attempt.recover(project)
    {
        done.temp_left = false;
        if let Recovered::Changed { kept: Some(kept) } = recovered {
            done.kept = Some(kept);
        }
    }
    done
}

fn outcome(done: Performed) -> WriteOutcome {
    match done {
        Performed { kept: Some(kept), .. } => WriteOutcome::Failed { error: kept_aside(&kept.to_string()) },
        Performed { outcome: Outcome::Written, .. } => WriteOutcome::Written,
        Performed { outcome: Outcome::Changed, .. } => WriteOutcome::Changed,
        Performed { outcome: Outcome::Failed(error), .. } => WriteOutcome::Failed { error },
        Performed { outcome: Outcome::Unknown(error), .. } => WriteOutcome::Unknown { error },
    }
}

fn kept_aside(kept: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::FileChanged,
        "The file changed while it was written, and that change could not be put back in its place.",
        format!("It is in {kept}. Compare the two."),
    )
}

fn undone(path: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::ApprovalStale,
        format!("{path} was written, and undone before the turn went on."),
        "Ask for it again if you want it after all.",
    )
}

fn in_the_way(temp: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::WriteFailed,
        format!("The file changed, so nothing was written, and the temporary file {temp} cannot be removed."),
        "Check the disk. Orion tries again when it starts.",
    )
}

fn undo_stale(StoredWrite { path, kept, .. }: &StoredWrite) -> ErrorInfo {
    let action = match kept {
        Some(kept) => format!("What somebody else wrote at the last instant is in {kept}. Compare the two."),
        None => "Change it by hand, or ask the model to.".to_owned(),
    };
    ErrorInfo::new(Code::UndoStale, format!("{path} no longer holds what was written."), action)
}
