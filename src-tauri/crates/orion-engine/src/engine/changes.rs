//! All files that a turn or a session has written: a list, their differences, and undoing them.

use std::collections::BTreeMap;
use std::sync::Arc;

use orion_files::difference::Difference;
use orion_files::writing;
use orion_protocol::{
    ChangedFile, ChangesOf, Code, DiffRow, ErrorInfo, FileDifference, Outcome, RewoundWrite, SessionId,
    Sha256, Undone,
};
use orion_store::Written;

use super::Engine;
use super::preview::Look;

/// Rows that one question may ask for.
const MOST_ROWS: u32 = 5_000;

/// A file with what was written to it, oldest first.
struct Change {
    path: String,
    written: Vec<Written>,
}

impl Change {
    /// SHA-256 of the file before the first write; and after the last.
    fn ends(&self) -> Option<(Option<Sha256>, Sha256)> {
        Some((self.written.first()?.write.base_sha256, self.written.last()?.write.sha256))
    }

    fn shown(&self) -> Option<ChangedFile> {
        let (base, new) = self.ends()?;
        let write = |it: &Written| RewoundWrite { request_id: it.request_id, write: it.write.number };
        let writes = self.written.iter().map(write).collect();
        Some(ChangedFile {
            path: self.path.clone(),
            created: base.is_none(),
            writes,
            digest: digest(base, new),
        })
    }
}

/// Names the difference of two contents.
fn digest(base: Option<Sha256>, new: Sha256) -> Sha256 {
    let base = base.map_or_else(|| "-".to_owned(), |base| base.to_string());
    writing::sha256(format!("{base} {new}").as_bytes())
}

impl Engine {
    pub(super) async fn changes(&self, of: ChangesOf) -> Result<Vec<ChangedFile>, ErrorInfo> {
        Ok(self.changed(of).await?.iter().filter_map(Change::shown).collect())
    }

    pub(super) async fn change(&self, of: ChangesOf, path: &str) -> Result<FileDifference, ErrorInfo> {
        let change = self.one_change(of, path).await?;
        let (base, new) = change.ends().ok_or_else(not_written)?;
        let difference = self.difference_of(&change).await?;
        let on_disk = match change.written.last() {
            Some(last) => self.on_disk(last.request_id, path).await,
            None => None,
        };
        Ok(FileDifference {
            path: change.path,
            digest: digest(base, new),
            added: difference.added(),
            removed: difference.removed(),
            hunks: difference.hunks(),
            rows: difference.rows_total(),
            changed_since: on_disk.and_then(|target| target.base_sha256()) != Some(new),
        })
    }

    /// Rows of the difference that the digest names.
    pub(super) async fn change_rows(
        &self,
        of: ChangesOf,
        path: &str,
        seen: Sha256,
        from: u64,
        count: u32,
    ) -> Result<Vec<DiffRow>, ErrorInfo> {
        let change = self.one_change(of, path).await?;
        let (base, new) = change.ends().ok_or_else(not_written)?;
        if digest(base, new) != seen {
            return Err(super::running::stale());
        }
        Ok(self.difference_of(&change).await?.rows(from, count.min(MOST_ROWS)))
    }

    /// The unified difference of all files of a session, each before its first write and after its last.
    ///
    /// # Errors
    /// `session_unknown`, and where nothing was written.
    pub async fn unified_of_session(&self, session_id: SessionId) -> Result<String, ErrorInfo> {
        let changes = self.changed(ChangesOf::Session { session_id }).await?;
        if changes.is_empty() {
            return Err(not_written());
        }
        let mut out = String::new();
        for change in &changes {
            let Some((base, _)) = change.ends() else { continue };
            let old = base.map_or_else(|| "/dev/null".to_owned(), |_| format!("a/{}", change.path));
            out.push_str(&self.difference_of(change).await?.unified(&old, &format!("b/{}", change.path)));
        }
        Ok(out)
    }

    /// Undoes what was written, newest first: all of it, or to one file (W7).
    pub(super) async fn undo_changes(
        &self,
        of: ChangesOf,
        path: Option<String>,
    ) -> Result<Outcome, ErrorInfo> {
        let written = self.written(of).await?.into_iter().rev();
        let of_path = |it: &Written| path.as_ref().is_none_or(|path| it.write.path == *path);
        let mut undone: Vec<Undone> = Vec::new();
        for Written { request_id, write } in written.filter(of_path) {
            undone.extend(self.undo(request_id, Some(write.number)).await?);
        }
        Ok(Outcome::Undone { writes: super::writes::something(undone)? })
    }

    async fn written(&self, of: ChangesOf) -> Result<Vec<Written>, ErrorInfo> {
        let store = &self.shared.store;
        Ok(match of {
            ChangesOf::Turn { request_id } => store.written_by(request_id).await?,
            ChangesOf::Session { session_id } => store.written_in(session_id).await?,
        })
    }

    /// In the order of their paths.
    async fn changed(&self, of: ChangesOf) -> Result<Vec<Change>, ErrorInfo> {
        let mut files: BTreeMap<String, Vec<Written>> = BTreeMap::new();
        for it in self.written(of).await? {
            files.entry(it.write.path.clone()).or_default().push(it);
        }
        Ok(files.into_iter().map(|(path, written)| Change { path, written }).collect())
    }

    async fn one_change(&self, of: ChangesOf, path: &str) -> Result<Change, ErrorInfo> {
        self.changed(of).await?.into_iter().find(|change| change.path == path).ok_or_else(not_written)
    }

    async fn difference_of(&self, change: &Change) -> Result<Arc<Difference>, ErrorInfo> {
        let (Some((base, new)), Some(last)) = (change.ends(), change.written.last()) else {
            return Err(not_written());
        };
        let look = Look::between((last.request_id, last.write.number), digest(base, new), base, new);
        if let Some(difference) = self.shared.shown.of(&look) {
            return Ok(difference);
        }
        let difference = self.difference(new, base, Vec::new()).await?;
        self.shared.shown.keep(look, difference.clone());
        Ok(difference)
    }
}

fn not_written() -> ErrorInfo {
    let message = "Orion has written nothing there, or it was undone.";
    ErrorInfo::new(Code::WriteUnknownSession, message, "Look at what was done in the trace.")
}
