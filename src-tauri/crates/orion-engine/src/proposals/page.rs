//! A file before and after a write: its bytes, its text, its difference. Made on a thread that may block.

use std::borrow::Cow;
use std::sync::Arc;

use orion_core::write::{Allowed, apply, blocks};
use orion_protocol::{Code, ErrorInfo, WriteFault, WriteOperation};

use orion_files::difference::Difference;
use orion_files::workspace::Project;
use orion_files::writing::{Composed, Style, Target, Unfit, compose};

/// Bytes that were made off the runtime's threads, to be stored.
pub(super) struct Page {
    pub(super) target: Target,
    pub(super) old: Option<Vec<u8>>,
    pub(super) composed: Composed,
    pub(super) difference: Difference,
}

/// Why a page could not be made.
pub(super) enum PageError {
    Content(Vec<WriteFault>),
    Refused(ErrorInfo),
}

/// Suspicious characters that the present file already has are allowed.
pub(super) fn allowed(style: &Style) -> Allowed {
    match style {
        Style::Text(text) => text.allowed,
        Style::Binary(_) | Style::Inexact(_) => Allowed::default(),
    }
}

pub(super) fn page(
    project: &Project,
    path: &str,
    operation: WriteOperation,
    content: &str,
) -> Result<Page, PageError> {
    let path = project.path(path).map_err(PageError::Refused)?;
    let (target, old) = Target::load(project, &path, operation).map_err(PageError::Refused)?;
    let edited;
    let text = if operation == WriteOperation::Edit {
        let parsed = blocks::parse(content).map_err(PageError::Content)?;
        let old = target.text(old.as_deref().unwrap_or_default());
        edited = apply(&old, &parsed).map_err(PageError::Content)?;
        edited.as_str()
    } else {
        content
    };
    let composed = compose(&target, old.as_deref(), operation, text).map_err(|unfit| match unfit {
        Unfit::Faults(faults) => PageError::Content(faults),
        Unfit::Refused(error) => PageError::Refused(error),
    })?;
    if target.base_sha256() == Some(composed.sha256) {
        return Err(PageError::Refused(ErrorInfo::new(
            Code::WriteFailed,
            format!("{path} has exactly this content already."),
            "There is nothing to write.",
        )));
    }
    let difference = difference(old.as_deref(), &composed.bytes, |_| Vec::new());
    Ok(Page { target, old, composed, difference })
}

/// The difference between the present file and the new one. A file that is not text has no lines and is shown as replaced.
/// `seams` finds places in the text of the file as it would be, by the bytes before them.
pub(crate) fn difference(
    old: Option<&[u8]>,
    new: &[u8],
    seams: impl FnOnce(&str) -> Vec<usize>,
) -> Difference {
    let style = old.map(Style::of);
    let after: Arc<str> =
        text(style.as_ref(), new).map_or_else(Arc::default, |text| Arc::from(text.as_ref()));
    let seams = seams(&after);
    match style.as_ref().zip(old) {
        None => Difference::of(None, after, &seams),
        Some((style, old)) => match style.text(old) {
            Some(before) => Difference::of(Some(Arc::from(before.as_ref())), after, &seams),
            None => Difference::replacing(old.len() as u64, after, &seams),
        },
    }
}

/// The text of the new file. It keeps the encoding of the present text, and is UTF-8 where there is none.
pub(crate) fn text<'a>(old: Option<&Style>, new: &'a [u8]) -> Option<Cow<'a, str>> {
    match old {
        Some(style @ Style::Text(_)) => style.text(new),
        Some(Style::Binary(_) | Style::Inexact(_)) | None => std::str::from_utf8(new).ok().map(Cow::Borrowed),
    }
}
