//! Everything Orion keeps: projects, sessions, the journal of every turn and the views of it, in one SQLite file.
//!
//! All SQL of the project is here. A commit is on the disk before its promise is kept (WAL, `synchronous=FULL`); one task
//! writes, so that what several turns have to say goes into one transaction; reading has connections of its own. Several
//! processes may use one data directory at once. Deliberately not here: what an input of the machine means (a journal row
//! is opaque JSON), when to flush (`orion-engine`), keys of any kind.

mod blob;
mod convert;
mod error;
mod interrupt;
mod journal;
mod leftover;
mod open;
mod outcome;
mod owner;
mod page;
mod project;
mod reclaim;
mod residue;
mod said;
mod session;
mod space;
mod store;
mod turn;
mod view;
mod write;
mod writer;

pub use convert::Preparing;
pub use error::{Act, Fault, StoreError};
pub use journal::{Commit, Record, StoredRow};
pub use open::FILE_NAME;
pub use reclaim::Reclaimed;
pub use said::{Earlier, Item, Reach, TextKind};
pub use store::Store;
pub use turn::{Begin, NewTurn, Past, TakenOver, Taking, TurnJournal};
pub use write::{StoredWrite, Stranded, WriteStage};
