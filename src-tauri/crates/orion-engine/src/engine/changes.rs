//! All files that a turn, a session or a command has changed: a list, their differences, and undoing them.
//!
//! Deliberately not here: undoing one write, and one change of a command (`writes`).

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use orion_files::difference::Difference;
use orion_files::writing;
use orion_protocol::{
    ChangedFile, ChangesOf, Code, DiffRow, ErrorInfo, FileDifference, Outcome, RewoundWrite, SessionId,
    Sha256, Undone,
};
use orion_store::{Written, WrittenBy};

use super::Engine;
use super::preview::Look;
use crate::proposals;

/// Rows that one question may ask for.
const MOST_ROWS: u32 = 5_000;

/// A file with what changed it, oldest first.
struct Change {
    path: String,
    written: Vec<Written>,
}

/// SHA-256 of a file before the first change and after the last; none where there was no file.
type Ends = (Option<Sha256>, Option<Sha256>);

impl Change {
    /// The changes of its content.
    fn contents(&self) -> impl DoubleEndedIterator<Item = &Written> {
        self.written.iter().filter(|it| !it.mode_alone)
    }

    /// Its content before and after, where both are known.
    fn ends(&self) -> Option<Ends> {
        let (first, last) = (self.contents().next()?, self.contents().next_back()?);
        (first.kept.is_none() && last.kept.is_none()).then_some((first.base, last.new))
    }

    /// The reason for which it cannot be undone. Permissions alone count where nothing else changed.
    fn kept(&self) -> Option<String> {
        let has_contents = self.contents().next().is_some();
        self.written.iter().filter(|it| !has_contents || !it.mode_alone).find_map(|it| it.kept.clone())
    }

    fn shown(&self) -> ChangedFile {
        let (base, new) = self.ends().unwrap_or_default();
        let write = |it: &Written| match it.by {
            WrittenBy::Write(write) => Some(RewoundWrite { request_id: it.request_id, write }),
            WrittenBy::Command(..) => None,
        };
        let writes: Vec<RewoundWrite> = self.written.iter().filter_map(write).collect();
        ChangedFile {
            path: self.path.clone(),
            created: self.ends().is_some_and(|(base, _)| base.is_none()),
            commands: u32::try_from(self.written.len() - writes.len()).unwrap_or(u32::MAX),
            writes,
            removed: self.ends().is_some_and(|(_, new)| new.is_none()),
            kept: self.kept(),
            digest: digest(base, new),
        }
    }
}

/// Names the difference of two contents.
fn digest(base: Option<Sha256>, new: Option<Sha256>) -> Sha256 {
    let name = |sha256: Option<Sha256>| sha256.map_or_else(|| "-".to_owned(), |sha256| sha256.to_string());
    writing::sha256(format!("{} {}", name(base), name(new)).as_bytes())
}

impl Engine {
    pub(super) async fn changes(&self, of: ChangesOf) -> Result<Vec<ChangedFile>, ErrorInfo> {
        Ok(self.changed(&of).await?.iter().map(Change::shown).collect())
    }

    pub(super) async fn change(&self, of: ChangesOf, path: &str) -> Result<FileDifference, ErrorInfo> {
        let change = self.one_change(&of, path).await?;
        let (base, new) = change.ends().ok_or_else(not_known)?;
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
            changed_since: on_disk.and_then(|target| target.base_sha256()) != new,
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
        let change = self.one_change(&of, path).await?;
        let (base, new) = change.ends().ok_or_else(not_known)?;
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
        let changes = self.changed(&ChangesOf::Session { session_id }).await?;
        if changes.is_empty() {
            return Err(not_written());
        }
        let mut out = String::new();
        for change in &changes {
            let Some((base, new)) = change.ends() else { continue };
            let name = |side: &str, sha256: Option<Sha256>| match sha256 {
                Some(_) => format!("{side}/{}", change.path),
                None => "/dev/null".to_owned(),
            };
            out.push_str(&self.difference_of(change).await?.unified(&name("a", base), &name("b", new)));
        }
        Ok(out)
    }

    /// Undoes what was changed, newest first: all of it, or to one file (W7).
    pub(super) async fn undo_changes(
        &self,
        of: ChangesOf,
        path: Option<String>,
    ) -> Result<Outcome, ErrorInfo> {
        let session_id = match of {
            ChangesOf::Session { session_id } => session_id,
            ChangesOf::Turn { request_id } | ChangesOf::Command { request_id, .. } => {
                self.shared.store.turn_ids(request_id).await?.session_id
            }
        };
        let undone = self.undone(&of, path.as_deref()).await;
        // Some of it may be undone where the rest is not.
        self.tell_of_session(session_id).await;
        Ok(Outcome::Undone { writes: undone? })
    }

    /// Undoes all that a session changed, newest first.
    ///
    /// # Errors
    /// A session that is not there, or in which nothing is to be undone.
    pub async fn undo_session(&self, session_id: SessionId) -> Result<Vec<Undone>, ErrorInfo> {
        self.shared.store.session_in_project(session_id).await?;
        self.undone(&ChangesOf::Session { session_id }, None).await
    }

    /// Undoes the writes and the changes of commands, of one path or of all.
    ///
    /// # Errors
    /// Nothing was changed there.
    async fn undone(&self, of: &ChangesOf, path: Option<&str>) -> Result<Vec<Undone>, ErrorInfo> {
        {
            // First find out how what was under way ended when its process died.
            let _alone = self.shared.undoing.lock().await;
            self.settle_all().await;
        }
        let mut written = self.written(of).await?;
        written.retain(|it| path.is_none_or(|path| it.path == path));
        // Permissions alone are not put back, and keep nothing else from being undone.
        let with_contents: HashSet<String> =
            written.iter().filter(|it| !it.mode_alone).map(|it| it.path.clone()).collect();
        written.retain(|it| !it.mode_alone || !with_contents.contains(&it.path));
        let mut undone: Vec<Undone> = Vec::new();
        for Written { request_id, by, .. } in written.into_iter().rev() {
            match by {
                WrittenBy::Write(number) => undone.extend(self.undo(request_id, Some(number)).await?),
                WrittenBy::Command(_, number) => {
                    undone.extend(self.undo_command_file(request_id, number).await?);
                }
            }
        }
        super::writes::something(undone)
    }

    async fn written(&self, of: &ChangesOf) -> Result<Vec<Written>, ErrorInfo> {
        let store = &self.shared.store;
        Ok(match of {
            ChangesOf::Turn { request_id } => store.written_by(*request_id).await?,
            ChangesOf::Session { session_id } => store.written_in(*session_id).await?,
            ChangesOf::Command { request_id, tool_call_id } => {
                let mut written = store.written_by(*request_id).await?;
                written.retain(|it| matches!(&it.by, WrittenBy::Command(call, _) if call == tool_call_id));
                written
            }
        })
    }

    /// In the order of their paths.
    async fn changed(&self, of: &ChangesOf) -> Result<Vec<Change>, ErrorInfo> {
        let mut files: BTreeMap<String, Vec<Written>> = BTreeMap::new();
        for it in self.written(of).await? {
            files.entry(it.path.clone()).or_default().push(it);
        }
        Ok(files.into_iter().map(|(path, written)| Change { path, written }).collect())
    }

    async fn one_change(&self, of: &ChangesOf, path: &str) -> Result<Change, ErrorInfo> {
        self.changed(of).await?.into_iter().find(|change| change.path == path).ok_or_else(not_written)
    }

    async fn difference_of(&self, change: &Change) -> Result<Arc<Difference>, ErrorInfo> {
        let (base, new) = change.ends().ok_or_else(not_known)?;
        let last = change.written.last().ok_or_else(not_written)?;
        // A file that is gone has no lines.
        let after = new.unwrap_or_else(|| writing::sha256(b""));
        let number = match last.by {
            WrittenBy::Write(number) | WrittenBy::Command(_, number) => number,
        };
        let look = Look::between((last.request_id, number), digest(base, new), base, after);
        if let Some(difference) = self.shared.shown.of(&look) {
            return Ok(difference);
        }
        let difference = match new {
            Some(new) => self.difference(new, base, Vec::new()).await?,
            None => {
                let old = match base {
                    Some(base) => Some(self.shared.store.body(base).await?),
                    None => None,
                };
                let made = move || Ok(Arc::new(proposals::difference(old.as_deref(), b"", |_| Vec::new())));
                super::blocking(made).await?
            }
        };
        self.shared.shown.keep(look, difference.clone());
        Ok(difference)
    }
}

fn not_written() -> ErrorInfo {
    let message = "Nothing was changed there, or it was undone.";
    ErrorInfo::new(Code::WriteUnknownSession, message, "Look at what was done in the trace.")
}

fn not_known() -> ErrorInfo {
    let message = "There is no difference to show: the content before or after is not kept.";
    ErrorInfo::new(Code::WriteUnknownSession, message, "Look at the file itself.")
}
