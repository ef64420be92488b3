//! Text in a write session (W3, W4, W5, W8), and nothing else.
//!
//! This is the buffer that the model's messages fill, the check of the content, the result of an edit, and what a preview
//! offers to remove. Deliberately not here: when the model is asked and what it is told (the turn), and the file itself
//! (`orion-files`).

pub mod blocks;
pub mod capture;
pub mod correct;
pub mod doubts;
mod edit;
mod excerpt;
mod moved;
mod nearest;
mod overlap;
mod prose;
pub mod removal;
pub mod validate;

pub use capture::{Capture, EndLine, MessageEnd};
pub use correct::{Corrected, correct};
pub use doubts::{Stretch, Written, doubts};
pub use edit::apply;
pub use moved::moved;
pub use validate::{Allowed, Faults, Markup, unfinished, validate};
