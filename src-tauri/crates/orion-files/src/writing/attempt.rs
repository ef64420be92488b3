//! One attempt to change a file, with the facts that a journal must hold before it begins. After a crash they tell how
//! far it came.

use std::path::Path;

use orion_protocol::Sha256;

use super::compose::Composed;
use super::folder::Look;
use super::target::Target;
use crate::workspace::ProjectPath;

/// One change of one file. The same value performs it and, after a crash, recovers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Where the file is, links followed: [`Target::real`].
    pub path: ProjectPath,
    /// The name of the temporary file beside it, such as `.orion-0198f….tmp`. No other attempt has it.
    pub temp: String,
    /// SHA-256 that the file must have before. None when there must be no file.
    pub base: Option<Sha256>,
    /// SHA-256 of the new file. None when there will be no file.
    pub new: Option<Sha256>,
}

/// What was found under the name of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum There {
    Nothing,
    Base,
    New,
    Other,
}

/// What was found under the name of the temporary file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    Nothing,
    /// The new content or a part of it, or the old content. It is known, and stored elsewhere.
    Known,
    /// What somebody else wrote between the last look at the file and the exchange.
    Theirs,
}

/// How far an attempt came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Done,
    NotDone,
    Changed,
}

impl Attempt {
    /// The attempt to write what was composed for a target.
    #[must_use]
    pub fn writing(target: &Target, composed: &Composed, temp: impl Into<String>) -> Self {
        Self {
            path: target.real.clone(),
            temp: temp.into(),
            base: target.base_sha256(),
            new: Some(composed.sha256),
        }
    }

    /// The attempt that undoes this one, after it was done.
    #[must_use]
    pub fn undoing(&self, temp: impl Into<String>) -> Self {
        Self { path: self.path.clone(), temp: temp.into(), base: self.new, new: self.base }
    }

    pub(super) fn temp(&self) -> &Path {
        Path::new(&self.temp)
    }

    pub(super) fn there(&self, look: &Look) -> There {
        match look {
            Look::Nothing => There::Nothing,
            Look::File(digest) if self.new == Some(*digest) => There::New,
            Look::File(digest) if self.base == Some(*digest) => There::Base,
            Look::File(_) | Look::Unfinished | Look::NoFile => There::Other,
        }
    }

    pub(super) fn beside(&self, look: &Look) -> Beside {
        match look {
            Look::Nothing => Beside::Nothing,
            // Only an exchange of names can bring somebody else's file here.
            _ if self.base.is_none() => Beside::Known,
            _ if self.new.is_some() && !cfg!(any(target_os = "linux", target_os = "macos")) => Beside::Known,
            Look::Unfinished => Beside::Known,
            Look::File(digest) if [self.new, self.base].contains(&Some(*digest)) => Beside::Known,
            Look::File(_) | Look::NoFile => Beside::Theirs,
        }
    }

    pub(super) fn verdict(&self, there: There) -> Verdict {
        match there {
            There::New => Verdict::Done,
            There::Base => Verdict::NotDone,
            There::Nothing if self.new.is_none() => Verdict::Done,
            There::Nothing if self.base.is_none() => Verdict::NotDone,
            There::Nothing | There::Other => Verdict::Changed,
        }
    }
}
