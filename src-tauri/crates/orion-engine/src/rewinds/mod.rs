//! Putting back the files of a session to what they were at an earlier message (A10).
//!
//! Deliberately not here: the operations of a person (`engine::rewind`), how one file replaces another (`orion_files::writing`), and what is
//! recorded (`orion_store`).

mod perform;
mod plan;

pub(crate) use perform::{Ended, Rewinding, attempted};
pub(crate) use plan::{cannot, digest, plan, shown, told};
