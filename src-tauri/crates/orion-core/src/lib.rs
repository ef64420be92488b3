//! The state machines of Orion, without I/O: the turn, the merging of deltas, canonical signatures, prompts, the trace, and
//! the content of a write session.
//!
//! Nothing here has a clock, files, sockets or randomness: time and ids come in with the inputs (T5). So a turn can be
//! replayed from its journal, and property tests can check its bounds. Deliberately not here: performing effects
//! (`orion-engine`), the wire format of a provider (`orion-providers`), storage (`orion-store`).

pub mod command_line;
pub mod context;
pub mod image;
pub mod invisible;
pub mod leak;
mod ledger;
pub mod lines;
pub mod mention;
pub mod merge;
pub mod model;
pub mod nesting;
pub mod permission;
pub mod prompt;
pub mod quoting;
pub mod repeats;
pub mod signature;
pub mod thoughts;
pub mod tool;
pub mod trace;
pub mod turn;
pub mod write;
