//! The state machines of Orion, without I/O: the turn, its delta merge, canonical signatures, prompts, the trace fold,
//! the content of a write session.
//!
//! Nothing here knows a clock, a file, a socket or chance: time and ids come in with the inputs (T5). That is what lets
//! a turn be replayed from its journal and its bounds be proved by property tests. Deliberately not here: performing
//! effects (`orion-engine`), the wire format of a provider (`orion-providers`), storage (`orion-store`).

mod ledger;
pub mod merge;
pub mod model;
pub mod prompt;
pub mod signature;
pub mod tool;
pub mod trace;
pub mod turn;
pub mod write;
