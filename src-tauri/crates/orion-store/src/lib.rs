//! Everything that Orion stores: projects, sessions, the journal of every turn and the views of it, in one SQLite file.
//!
//! All SQL of the project is here. A commit is on the disk before its caller is told (WAL, `synchronous=FULL`). One
//! task writes, so records of several turns share a transaction. In a window, readers have connections of their own; a
//! command reads on the one that writes ([`Readers`]). Several processes may use one data folder at the same time.
//! Deliberately not here: the meaning of an input (a journal row is opaque JSON), when to flush (`orion-engine`), keys
//! of any kind.

mod aftermath;
mod ancestors;
mod approval;
mod aside;
mod asked;
mod attachment;
mod blob;
mod branch;
mod broken;
mod check;
mod column;
mod command_file;
mod connection;
mod context;
mod damaged;
mod draft;
mod edits;
mod error;
mod exporting;
mod files;
mod fork;
mod forwarded;
mod found;
mod health;
mod http_message;
mod ids;
mod importing;
mod interrupt;
mod journal;
mod leftover;
mod open;
mod origin;
mod outcome;
mod owner;
mod page;
mod part;
mod past;
mod path;
mod project;
mod queue;
mod raw_response;
mod readable;
mod reclaim;
mod residue;
mod rewind;
mod rewinding;
mod said;
mod search;
mod session;
mod space;
mod spent;
mod stats;
mod store;
mod take_over;
mod taken_out;
mod text;
mod trace_parent;
mod turn;
mod view;
mod write;
mod writer;
mod written;

pub use aside::SetAside;
pub use check::{CheckPlace, StoredCheck};
pub use command_file::{CommandFile, CommandFileStage, NewCommandFile};
pub use connection::Readers;
pub use context::{Context, ContextState};
pub use error::{Act, DatabaseErrorKind, StoreError};
pub use exporting::{Exported, Imported};
pub use files::FILE_NAME;
pub use fork::{CopiedTurn, Fork};
pub use forwarded::{Forwarded, ForwardedState, Neighbour};
pub use health::{Health, health};
pub use http_message::HttpMessage;
pub use ids::new_id;
pub use importing::{NO_FOLDER, NewImport};
pub use journal::{Commit, Record, StoredRow};
pub use part::{
    CallPart, ContextPart, ForkPart, FormerContextPart, Part, RewindPart, RewoundFilePart, RowPart,
    SessionPart, TextPart, TurnPart, WritePart,
};
pub use queue::QueueChange;
pub use raw_response::{Retention, StoredResponse};
pub use reclaim::Reclaimed;
pub use rewind::{RewoundFile, StoredRewind};
pub use rewinding::{FileStage, NewRewind, PlannedFile, RewindStage};
pub use said::{Body, Earlier, Item, Reach};
pub use session::InProject;
pub use spent::Spent;
pub use stats::{EndsOf, TurnEnds};
pub use store::Store;
pub use take_over::{TakenOver, Taking};
pub use text::TextKind;
pub use turn::{Begin, NewTurn, Past, TurnJournal};
pub use write::{StoredWrite, Stranded, WriteStage};
pub use written::{Written, WrittenBy};
