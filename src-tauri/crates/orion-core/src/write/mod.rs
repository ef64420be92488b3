//! What a write session does with text, and nothing else (W3, W4, W5, W8): the buffer that the model's
//! messages fill, what is wrong with it, what an
//! edit makes of the old text, what a preview offers to take out.
//!
//! Deliberately not here: when the model is asked and what it is told (the turn), and the file itself (the engine).

pub mod blocks;
pub mod capture;
pub mod correct;
mod edit;
mod excerpt;
mod moved;
mod nearest;
mod overlap;
pub mod removal;
pub mod validate;

pub use capture::{Capture, EndLine, MessageEnd};
pub use correct::{Corrected, correct};
pub use edit::apply;
pub use moved::moved;
pub use validate::{Allowed, Faults, unfinished, validate};
