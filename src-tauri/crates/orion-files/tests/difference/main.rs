//! The difference between the present file and the new one (W6): what is shown of it, and which parts of it can be
//! accepted.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should panic and say so"
)]

mod any;
mod edited;
mod hunks;
mod long_lines;
mod marks;
#[cfg(target_os = "linux")]
mod memory;
mod properties;
mod rows;
mod size;
mod unified;

use orion_files::difference::Difference;

pub(crate) fn difference(old: &str, new: &str) -> Difference {
    Difference::of(Some(old.into()), new.into(), &[])
}
