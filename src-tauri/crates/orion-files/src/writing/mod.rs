//! Writing files: the part of a write session that touches the disk (W6).
//!
//! [`Target`] is the present file. [`compose`] makes the bytes of the new one. An [`Attempt`] replaces the first by the
//! second, undoes that, or finds out after a crash how far it came. Everything goes through the project's directory
//! handle.
//!
//! - `target`, `style`: the present file, and what it is: text with an encoding and line ends, or binary.
//! - `compose`: the new bytes. `strays` keeps bytes that are not UTF-8, and `unproven` and `lacking` find characters that the file's
//!   encoding may write wrongly, or lacks.
//! - `attempt`, `replace`: the new file takes the place of the old one. `settle` and `recover` find out after an error or a crash which
//!   of the two is there.
//! - `permissions`: those of a file that is put back.
//! - `always_asks`: the files that always ask, by the names in `table`. `manifest` has what a package manifest runs, `pointing` the links that lead to the file.
//!
//! Deliberately not here: collecting the content (`orion_core::write`), approval (the driver asks), and old
//! contents for undoing (`orion-store`).

mod always_asks;
mod attempt;
mod compose;
mod digest;
mod encoding;
mod folder;
mod lacking;
mod line_ends;
mod manifest;
mod permissions;
mod pointing;
mod present;
mod recover;
mod replace;
mod settle;
mod strays;
mod style;
mod swap;
mod table;
mod target;
mod temp;
mod unproven;

pub(crate) use always_asks::{SCRIPTS, has_files_that_ask, is_held};
pub use always_asks::{always_asks, listed};
pub use attempt::Attempt;
pub use compose::{Composed, Unfit, compose};
pub use digest::{sha256, sha256_of};
pub use line_ends::LineEnds;
pub(crate) use manifest::{LARGEST as MANIFEST, is_manifest, runs_else};
pub use permissions::permit;
pub use present::present;
pub use recover::Recovered;
pub use replace::{Outcome, Performed};
pub use style::{Style, TextStyle};
pub use target::{Base, LARGEST, Target};
