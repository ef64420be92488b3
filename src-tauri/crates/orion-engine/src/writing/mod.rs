//! Writing files: the part of a write session that touches the disk (W6).
//!
//! [`Target`] says what is there, [`compose`] makes the bytes of the file as it would be. Everything goes through the
//! project's directory handle. Deliberately not here: what the content is and when it is complete (`orion_core::write`),
//! whether it may be written (the driver asks), and where old content is kept for undoing (`orion-store`).

mod compose;
mod digest;
mod encoding;
mod lacking;
mod line_ends;
mod runs_later;
mod style;
mod target;

pub use compose::{Composed, Unfit, compose};
pub use digest::sha256;
pub use line_ends::LineEnds;
pub use runs_later::runs_later;
pub use style::{Style, TextStyle};
pub use target::{Base, LARGEST, Target};
