//! Makes a proposal against the file on disk, and changes it as the person asks.

use std::collections::BTreeSet;
use std::sync::Arc;

use orion_core::turn::{Approved, Draft, Proposed, Source};
use orion_core::write::removal::{self, Around};
use orion_core::write::{Allowed, Faults, Markup, validate};
use orion_protocol::{
    ChangedLines, Code, ErrorInfo, ProposalCause, Removal, Seam, Sha256, WriteFault, WriteOperation,
    WriteProposal, WriteRevision,
};
use orion_store::{StoreError, StoredWrite, WriteStage};

use super::held::Content;
use super::page::{self, Page, PageError, allowed, page};
use super::{Writes, blocking};
use orion_files::difference::with_line_ends;
use orion_files::workspace::Project;
use orion_files::writing::{self, Composed, Style, Target, Unfit, compose};

/// The parts that a proposal is made from.
#[derive(Debug)]
pub(crate) struct ToPropose {
    pub(crate) write: u32,
    pub(crate) path: String,
    pub(crate) cause: ProposalCause,
    pub(crate) source: Source,
    pub(crate) seams: Vec<Seam>,
    pub(crate) faults: Faults,
    /// The model can be asked about doubts: then there is no proposal yet (W9).
    pub(crate) asks: bool,
}

/// The result, and what is to be recorded with it.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) outcome: Proposed,
    pub(crate) stored: Option<StoredWrite>,
}

/// Content that is stored while it is still in use elsewhere.
struct Text(Arc<String>);

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl Writes {
    /// Makes a proposal against the present file (W6).
    pub(crate) async fn propose(self, of: ToPropose) -> Result<Made, StoreError> {
        let ToPropose { write, path, cause, source, seams, faults, asks } = of;
        let (operation, content) = match source {
            Source::Content { operation, content } => (operation, content),
            Source::Draft(Draft { operation, content_sha256 }) => {
                (operation, Arc::new(self.store.text(content_sha256).await?))
            }
        };
        let page = {
            let (folder, path, content) = (self.folder.clone(), path.clone(), content.clone());
            let seams = seams.clone();
            let made = move || held(&folder.map_err(PageError::Refused)?, &path, operation, &content, &seams);
            blocking(made).await
        };
        let Held { page: Page { target, old, composed, difference }, doubts, removals } = match page {
            Ok(held) => held,
            Err(PageError::Content(faults)) => {
                return Ok(Made { outcome: Proposed::Faulty { faults }, stored: None });
            }
            Err(PageError::Refused(error)) => {
                return Ok(Made { outcome: Proposed::Failed { error }, stored: None });
            }
        };
        if asks && doubts.iter().any(|doubt| doubt.kind.is_for_the_model()) {
            let faults = faults.list.into_iter().chain(doubts).collect();
            return Ok(Made { outcome: Proposed::Faulty { faults }, stored: None });
        }
        let faults = {
            let Faults { list, more } = faults;
            let sure = list.into_iter().filter(|fault| !fault.kind.is_doubt());
            let faults = Faults::of(doubts.into_iter().chain(sure).collect());
            Faults { more: faults.more + more, ..faults }
        };
        let base_sha256 = target.base_sha256();
        let leads_to = target.leads_to();
        let Composed { bytes, sha256, lines, encoding, line_ends, always_asks } = composed;
        let size = bytes.len() as u64;
        let (added, removed, old_lines) = (difference.added(), difference.removed(), difference.old_lines());
        let hunks = u32::try_from(difference.hunks().len()).unwrap_or(u32::MAX);
        // Dropped early, so that a large text is in memory only once.
        drop(difference);
        let bytes = Some(bytes).filter(|bytes| bytes.as_slice() != content.as_bytes());
        if let Some(old) = old {
            self.store.keep(self.request_id, old).await?;
        }
        let content_sha256 = self.store.keep(self.request_id, Text(content)).await?;
        if let Some(bytes) = bytes {
            self.store.keep(self.request_id, bytes).await?;
        }
        let proposal = WriteProposal {
            digest: digest(write, (&path, leads_to.as_deref()), operation, base_sha256, sha256),
            cause,
            leads_to,
            base_sha256,
            sha256,
            bytes: size,
            lines,
            added,
            removed,
            old_lines,
            hunks,
            encoding,
            line_ends: line_ends.name().to_owned(),
            seams,
            faults: faults.list,
            more_faults: faults.more,
            removals,
            always_asks: always_asks.map(str::to_owned),
        };
        let stage = WriteStage::Proposed;
        let stored = StoredWrite {
            number: write,
            path,
            operation,
            base_sha256,
            sha256,
            content_sha256,
            stage,
            kept: None,
            leads_to: proposal.leads_to.clone(),
            lines: Some(ChangedLines { added, removed }),
        };
        let draft = Draft { operation, content_sha256 };
        let outcome = Proposed::Ready { proposal: Box::new(proposal), draft };
        Ok(Made { outcome, stored: Some(stored) })
    }

    /// Changes the proposal as the person asks.
    pub(crate) async fn revise(
        self,
        write: u32,
        path: String,
        (proposal, draft): (WriteProposal, Draft),
        revision: WriteRevision,
    ) -> Result<Made, StoreError> {
        let WriteProposal { base_sha256, sha256, seams, faults, more_faults, .. } = proposal;
        let faults = Faults { list: faults, more: more_faults };
        let Draft { operation, .. } = draft;
        let of = match revision {
            WriteRevision::Refresh => ToPropose {
                write,
                path,
                cause: ProposalCause::FileChanged,
                source: Source::Draft(draft),
                seams,
                faults,
                asks: false,
            },
            WriteRevision::Text { text } => {
                let operation = match operation {
                    WriteOperation::Create => WriteOperation::Create,
                    _ => WriteOperation::Overwrite,
                };
                let (text, allowed) = self.edited(base_sha256, sha256, text).await?;
                revised(write, path, operation, text, allowed)
            }
            WriteRevision::Remove { removals } => {
                let content = self.store.text(draft.content_sha256).await?;
                let (old, allowed) = self.before(base_sha256).await?;
                let around = Around { path: &path, old: &old, allowed };
                let text = removal::remove(&content, &removals, around);
                revised(write, path, operation, text, allowed)
            }
        };
        self.propose(of).await
    }

    /// The text of the previewed file, and the suspicious characters that it has and that are therefore allowed.
    async fn before(&self, base_sha256: Option<Sha256>) -> Result<(String, Allowed), StoreError> {
        let Some(base) = base_sha256 else { return Ok((String::new(), Allowed::default())) };
        let old = self.store.body(base).await?;
        Ok(blocking(move || {
            let style = Style::of(&old);
            (style.text(&old).unwrap_or_default().into_owned(), allowed(&style))
        })
        .await)
    }

    /// A text that the person edited, with the line ends of the text that was shown, and the suspicious characters
    /// that are allowed in it.
    async fn edited(
        &self,
        base_sha256: Option<Sha256>,
        sha256: Sha256,
        text: String,
    ) -> Result<(String, Allowed), StoreError> {
        let old = match base_sha256 {
            Some(base) => Some(self.store.body(base).await?),
            None => None,
        };
        let shown = self.store.body(sha256).await?;
        Ok(blocking(move || {
            let style = old.as_deref().map(Style::of);
            let text = match page::text(style.as_ref(), &shown) {
                Some(shown) => with_line_ends(&text, &shown),
                None => text,
            };
            (text, style.as_ref().map_or(Allowed::default(), allowed))
        })
        .await)
    }

    /// What is to be written when only these hunks are wanted.
    ///
    /// # Errors
    /// Hunks that are not there, or none at all; content that is not there any more.
    pub(crate) async fn only(
        &self,
        proposal: &WriteProposal,
        path: &str,
        hunks: &[u32],
        despite_faults: bool,
    ) -> Result<Approved, ErrorInfo> {
        if hunks.is_empty() && proposal.hunks > 0 {
            return Err(ErrorInfo::new(
                Code::Usage,
                "No hunk is accepted, so there is nothing to write.",
                "Accept at least one, or reject the write.",
            ));
        }
        if let Some(unknown) = hunks.iter().find(|number| !(1..=proposal.hunks).contains(number)) {
            return Err(ErrorInfo::new(
                Code::Usage,
                format!("There is no hunk {unknown}; the difference has {}.", proposal.hunks),
                "Name hunks by their numbers.",
            ));
        }
        let wanted: BTreeSet<u32> = hunks.iter().copied().collect();
        let rejected_hunks: Vec<u32> =
            (1..=proposal.hunks).filter(|number| !wanted.contains(number)).collect();
        if rejected_hunks.is_empty() {
            return Ok(Approved {
                sha256: proposal.sha256,
                bytes: proposal.bytes,
                lines: proposal.lines,
                rejected_hunks,
                despite_faults,
            });
        }
        let wanted: Vec<u32> = wanted.into_iter().collect();
        let count = proposal.hunks as usize;
        let new = self.store.body(proposal.sha256).await?;
        let (project, path) = (self.project()?.clone(), path.to_owned());
        let (base, leads_to) = (proposal.base_sha256, proposal.leads_to.clone());
        let (bytes, lines) = blocking(move || {
            let (target, old) = Target::load(&project, &project.path(&path)?, WriteOperation::Overwrite)?;
            if target.base_sha256() != base || target.leads_to() != leads_to {
                return Err(changed(&path));
            }
            let difference = page::difference(old.as_deref(), &new, |_| Vec::new());
            if difference.hunks().len() != count {
                return Err(otherwise(&path));
            }
            let text = difference.accept(&wanted);
            match compose(&target, old.as_deref(), WriteOperation::Overwrite, &text) {
                Ok(composed) => Ok((composed.bytes, composed.lines)),
                Err(Unfit::Refused(error)) => Err(error),
                Err(Unfit::Faults(_)) => Err(changed(&path)),
            }
        })
        .await?;
        let size = bytes.len() as u64;
        let sha256 = self.store.keep(self.request_id, bytes).await?;
        Ok(Approved { sha256, bytes: size, lines, rejected_hunks, despite_faults })
    }
}

fn revised(write: u32, path: String, operation: WriteOperation, text: String, allowed: Allowed) -> ToPropose {
    // The person is told again which faults are left.
    let faults = validate(&text, allowed, Markup::All);
    ToPropose {
        write,
        path,
        cause: ProposalCause::Revised,
        source: Source::Content { operation, content: Arc::new(text) },
        seams: Vec::new(),
        faults,
        asks: false,
    }
}

/// A page, and what speaks against writing it unseen.
struct Held {
    page: Page,
    doubts: Vec<WriteFault>,
    removals: Vec<Removal>,
}

fn held(
    project: &Project,
    path: &str,
    operation: WriteOperation,
    text: &str,
    seams: &[Seam],
) -> Result<Held, PageError> {
    let page = page(project, path, operation, text)?;
    let allowed = page.target.base.as_ref().map_or(Allowed::default(), |base| allowed(&base.style));
    let content = Content { path, operation, text, seams, allowed };
    let (doubts, removals) = (content.doubts(&page.difference), content.removals(&page.difference));
    Ok(Held { page, doubts, removals })
}

/// SHA-256 of the exact thing that a person is asked about (A3). It covers the number of the write session, so that a later session of the
/// turn that proposes the same change has another digest: an answer counts once.
fn digest(
    write: u32,
    (path, leads_to): (&str, Option<&str>),
    operation: WriteOperation,
    base: Option<Sha256>,
    new: Sha256,
) -> Sha256 {
    let (real, base) =
        (leads_to.unwrap_or_default(), base.map_or("none".to_owned(), |base| base.to_string()));
    writing::sha256(format!("{write}\0{path}\0{real}\0{operation:?}\0{base}\0{new}").as_bytes())
}

fn changed(path: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::FileChanged,
        format!("{path} changed on disk since the preview."),
        "Look at the new difference and approve that.",
    )
}

/// The numbers are of hunks as another version of Orion found them.
fn otherwise(path: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::ApprovalStale,
        format!("The hunks of {path} differ from those that were shown."),
        "Refresh the difference and choose again.",
    )
}
