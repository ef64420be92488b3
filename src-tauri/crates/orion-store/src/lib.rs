//! Everything that Orion stores: projects, sessions, the journal of every turn and the views of it, in one SQLite file.
//!
//! All SQL of the project is here. A commit is on the disk before its caller is told (WAL, `synchronous=FULL`). One
//! task writes, so records of several turns share a transaction. Readers have connections of their own. Several
//! processes may use one data folder at the same time. Deliberately not here: the meaning of an input (a journal row is
//! opaque JSON), when to flush (`orion-engine`), keys of any kind.

mod approval;
mod blob;
mod column;
mod connection;
mod context;
mod convert;
mod edits;
mod error;
mod files;
mod interrupt;
mod journal;
mod leftover;
mod messages;
mod open;
mod outcome;
mod owner;
mod page;
mod past;
mod project;
mod reclaim;
mod residue;
mod said;
mod session;
mod space;
mod spent;
mod store;
mod text;
mod turn;
mod view;
mod write;
mod writer;

pub use context::{Context, ContextState};
pub use convert::Preparing;
pub use error::{Act, DatabaseFault, StoreError};
pub use files::FILE_NAME;
pub use journal::{Commit, Record, StoredRow};
pub use reclaim::Reclaimed;
pub use said::{Body, Earlier, Item, Reach};
pub use spent::Spent;
pub use store::Store;
pub use text::TextKind;
pub use turn::{Begin, NewTurn, Past, TakenOver, Taking, TurnJournal};
pub use write::{StoredWrite, Stranded, WriteStage};
