//! The proposals of one turn: what is shown to the person, and how the approved part of it reaches the disk.
//!
//! Everything that a proposal consists of is stored before anybody hears of it (J1, W7): the present file, the new
//! file, and the content that it was made from. `propose` makes a proposal and changes it, `held` says what speaks against it, and
//! `approved` writes it, recovers a write and undoes it. Deliberately not here: what a turn does with a proposal (the turn),
//! when one is made (the driver), what a person asks of one (`engine::writes`) and sees of it (`engine::preview`), and how bytes are
//! composed and files replaced (`orion_files::writing`).

mod approved;
mod held;
mod page;
mod propose;
mod seams;

use orion_protocol::{ErrorInfo, RequestId};
use orion_store::Store;

use crate::blocking::blocking;
use orion_files::workspace::Project;

pub(crate) use approved::Wrote;
pub(crate) use page::{difference, text};
pub(crate) use propose::{Made, ToPropose};
pub(crate) use seams::{Position, offsets, positions};

/// What the writes of one turn need.
#[derive(Debug, Clone)]
pub(crate) struct Writes {
    pub(crate) store: Store,
    /// The project's folder, or why it cannot be opened: a turn that waits can be stopped, and answered with *no*,
    /// without the folder (T8).
    pub(crate) folder: Result<Project, ErrorInfo>,
    pub(crate) request_id: RequestId,
}

impl Writes {
    /// # Errors
    /// The folder is gone, or may not be read.
    pub(crate) fn project(&self) -> Result<&Project, ErrorInfo> {
        self.folder.as_ref().map_err(Clone::clone)
    }
}
