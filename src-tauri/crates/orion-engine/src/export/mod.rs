//! A session as one file: written, read again, and checked. docs/export.md is the format.
//!
//! What leaves has gone through the redactor. What comes in is from anybody: it is bounded, each body has its digest, and nothing of it is
//! stored before all of it fits together. Deliberately not here: the tables (`orion-store`), and where the file is (`engine`).

mod check;
mod file;
mod lines;
mod masking;
pub(crate) mod people;
#[cfg(test)]
mod tests;

pub(crate) use check::check;
pub(crate) use file::{read, save};
pub(crate) use lines::{Header, Scope, pack, unpack};
pub(crate) use masking::mask;

/// Bytes of an export before it is packed: 256 MiB. It is held in memory, and a small file may unpack to any size.
pub(crate) const MOST: u64 = 256 << 20;
