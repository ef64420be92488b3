//! The target of a write: what is there before a model or a person is asked anything.

use std::borrow::Cow;
use std::io::{self, Read};

use cap_std::fs::{File, Metadata};
use orion_protocol::{Code, ErrorInfo, Sha256, WriteOperation};

use super::always_asks::always_asks;
use super::digest::sha256;
use super::pointing::Pointing;
use super::style::Style;
use crate::workspace::{Kind, Located, Node, Project, ProjectPath, fault, mode, names, wrong_kind};

/// The largest file that can be written or changed, in bytes. It is in memory as a whole, and its old content is kept
/// for undoing. 64 MiB: files of 50 MB must be possible.
pub const LARGEST: u64 = 64 * 1024 * 1024;

/// A file that is to be written, as it was when it was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// As it was named.
    pub path: ProjectPath,
    /// Where it is, or will be: links are followed and stay links.
    pub real: ProjectPath,
    /// Names by which links lead there, as far as they matter.
    pub names: Vec<ProjectPath>,
    /// None when there is no file yet. Folders on the way may be missing too.
    pub base: Option<Base>,
    /// Why a write asks, whatever the permission.
    pub always_asks: Option<&'static str>,
}

/// The present file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    pub sha256: Sha256,
    pub bytes: u64,
    /// Permission bits such as 0o644; none where the system has none.
    pub mode: Option<u32>,
    pub style: Style,
}

impl Target {
    /// Looks at the target of a write. Nothing is changed.
    ///
    /// # Errors
    /// Those of reading (`path_outside`, `path_ignored`, `path_wrong_kind`, `file_unreadable`), and:
    /// - `file_exists`: `create`, and there is a file.
    /// - `path_not_found`: `edit`, and there is no file. `append` creates one, as `>>` does.
    /// - `file_binary`: `append` or `edit` of what is no text. `overwrite` may replace it.
    /// - `file_unwritable`: hard links, special permissions, over 64 MiB, or text that would not come back as it is.
    pub fn find(project: &Project, path: &ProjectPath, operation: WriteOperation) -> Result<Self, ErrorInfo> {
        Self::load(project, path, operation).map(|(target, _)| target)
    }

    /// [`Target::find`], and the bytes that it read.
    ///
    /// # Errors
    /// As there.
    pub fn load(
        project: &Project,
        path: &ProjectPath,
        operation: WriteOperation,
    ) -> Result<(Self, Option<Vec<u8>>), ErrorInfo> {
        let (real, bytes, base) = match project.locate(path)? {
            Located::Missing(_) if operation == WriteOperation::Edit => {
                return Err(fault(path, &io::Error::from(io::ErrorKind::NotFound)));
            }
            Located::Missing(real) => (real, None, None),
            Located::There(node) => {
                refuse_kind(path, node.kind)?;
                if operation == WriteOperation::Create {
                    return Err(exists(path));
                }
                let (file, Node { path: real, metadata, .. }) = project.open_file(path)?;
                refuse_metadata(path, &metadata)?;
                let bytes = read(path, file)?;
                let style = Style::of(&bytes);
                refuse_style(path, &style, operation)?;
                let base =
                    Base { sha256: sha256(&bytes), bytes: bytes.len() as u64, mode: mode(&metadata), style };
                (real, Some(bytes), Some(base))
            }
        };
        let by_path = always_asks(project, path).or_else(|| always_asks(project, &real));
        let (always_asks, names) = match by_path {
            Some(_) => (by_path, Vec::new()),
            None => {
                let pointing = Pointing::at(project, &real);
                (pointing.asks, pointing.names)
            }
        };
        Ok((Self { path: path.clone(), real, names, base, always_asks }, bytes))
    }

    /// The bytes of the file, if they are still those that were found. None when there was no file and is none now.
    ///
    /// # Errors
    /// `file_changed` when they are others, and those of reading.
    pub fn read(&self, project: &Project) -> Result<Option<Vec<u8>>, ErrorInfo> {
        let bytes = match project.locate(&self.path)? {
            Located::Missing(_) => None,
            Located::There(_) => Some(read(&self.path, project.open_file(&self.path)?.0)?),
        };
        match (&self.base, bytes) {
            (None, None) => Ok(None),
            (Some(base), Some(bytes)) if sha256(&bytes) == base.sha256 => Ok(Some(bytes)),
            _ => Err(changed(&self.path)),
        }
    }

    /// The text of the bytes of this file, without its byte order mark. Empty when it is not text.
    #[must_use]
    pub fn text<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        self.base.as_ref().and_then(|base| base.style.text(bytes)).unwrap_or_default()
    }

    /// Where the file is, when the path that was named leads there through links.
    #[must_use]
    pub fn leads_to(&self) -> Option<String> {
        (self.real != self.path).then(|| self.real.to_string())
    }

    /// The digest that the file had. None when there was no file.
    #[must_use]
    pub fn base_sha256(&self) -> Option<Sha256> {
        self.base.as_ref().map(|base| base.sha256)
    }
}

/// Reads a file whole, unless it is or grows too large.
fn read(path: &ProjectPath, file: File) -> Result<Vec<u8>, ErrorInfo> {
    let unreadable = |cause: io::Error| fault(path, &cause);
    let length = file.metadata().map_err(unreadable)?.len();
    if length > LARGEST {
        return Err(too_large(path));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default() + 1);
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST { Err(too_large(path)) } else { Ok(bytes) }
}

pub(super) fn refuse_kind(path: &ProjectPath, kind: Kind) -> Result<(), ErrorInfo> {
    match kind {
        Kind::File => Ok(()),
        Kind::Folder => Err(wrong_kind(path, "is a folder", "Give the path of a file.")),
        Kind::Link | Kind::Special => {
            Err(wrong_kind(path, "is a device, pipe or socket", "Only files can be written."))
        }
    }
}

/// Refuses a file that has another name somewhere, perhaps outside of the project, or that runs with other rights
/// than its caller's. `metadata` is that of an open file, since Windows counts the names of no other.
pub(super) fn refuse_metadata(path: &ProjectPath, metadata: &Metadata) -> Result<(), ErrorInfo> {
    if names(metadata) > 1 {
        return Err(unwritable(
            path,
            "has hard links: the same file has other names, perhaps outside the project",
            "Replace it with a copy of its own first, or write another file.",
        ));
    }
    if mode(metadata).is_some_and(|mode| mode & 0o6000 != 0) {
        return Err(unwritable(
            path,
            "runs with the rights of its owner or group (setuid, setgid)",
            "Remove these permissions first.",
        ));
    }
    Ok(())
}

fn refuse_style(path: &ProjectPath, style: &Style, operation: WriteOperation) -> Result<(), ErrorInfo> {
    match style {
        Style::Text(_) => Ok(()),
        Style::Binary(_) if operation == WriteOperation::Overwrite => Ok(()),
        Style::Binary(kind) => Err(ErrorInfo::new(
            Code::FileBinary,
            format!("`{path}` is a binary file ({}).", kind.unwrap_or("unknown kind")),
            "Only text can be appended to or edited.",
        )),
        Style::Inexact(encoding) => Err(unwritable(
            path,
            &format!("is text whose bytes are not all {encoding}, so it could not be kept as it is"),
            "Convert it to UTF-8 first, or write another file.",
        )),
    }
}

fn exists(path: &ProjectPath) -> ErrorInfo {
    ErrorInfo::new(
        Code::FileExists,
        format!("There is a file `{path}` already."),
        "Read it and use overwrite, append or edit, or give another path.",
    )
}

pub(super) fn changed(path: &ProjectPath) -> ErrorInfo {
    ErrorInfo::new(
        Code::FileChanged,
        format!("`{path}` changed since it was looked at."),
        "Look at the difference to the present file.",
    )
}

fn too_large(path: &ProjectPath) -> ErrorInfo {
    unwritable(path, "is larger than 64 MiB", "Write smaller files, or change this one with another program.")
}

pub(super) fn unwritable(path: &ProjectPath, what: &str, action: &str) -> ErrorInfo {
    ErrorInfo::new(Code::FileUnwritable, format!("`{path}` {what}."), action)
}
