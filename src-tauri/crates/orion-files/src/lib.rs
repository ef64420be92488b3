//! The project's files: finding, reading, comparing, writing and watching them.
//!
//! Everything happens through the directory handle of [`workspace::Project`], so that no path leads out of the folder. The
//! crate knows the words of `orion-protocol` and the few types of `orion-core` in which it answers. Deliberately not here:
//! tools and what they answer, who is asked before a write, and when (`orion-engine`); old contents (`orion-store`).

pub mod difference;
pub mod text;
pub mod watcher;
pub mod workspace;
pub mod writing;
