//! The project's files: finding, reading, comparing, writing and watching them.
//!
//! Everything goes through the directory handle of [`workspace::Project`], so no path leads out of the folder. The
//! crate uses the types of `orion-protocol` and a few of `orion-core`. Deliberately not here: tools and their results,
//! asking before a write (`orion-engine`), and old contents (`orion-store`).

pub mod clearing;
pub mod compared;
pub mod copying;
pub mod difference;
pub mod held;
pub mod index;
pub mod later;
pub mod passing;
pub mod text;
pub mod watcher;
pub mod workspace;
pub mod writing;
