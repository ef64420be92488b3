//! What a model is sent of its session (X).
//!
//! - `item`: a message, with what Orion knows of it.
//! - `boxes`: how a box loses its body.
//! - `conversation`: the items of a turn: those that its session gave it, and its own (X1).
//! - `gauge`: how many tokens a request has, by Orion's own count (X2).
//! - `room`: how many it may have.
//! - `cut`: what leaves when there is no more room (X3).
//! - `facts`: what was done in a session, for the entry of a compaction (X4).
//! - `withheld`: what a person took out, which is not read back unasked (X6).
//! - `parts`: what fills the room, for a person to see.
//! - `unsaid`: what a turn adds to what its session has of it already (X1).
//!
//! All of it is computed from sizes. Deliberately not here: where items are kept, and when a turn cuts (`turn::room`).

mod boxes;
mod conversation;
mod cut;
mod facts;
mod gauge;
mod item;
mod parts;
mod room;
mod unsaid;
mod withheld;

pub use conversation::{Conversation, Given, Left};
pub use facts::{TELLING, facts};
pub use gauge::{Count, Gauge};
pub use item::{About, BoxItem, Held, Item};
pub use parts::parts;
pub(crate) use parts::said_in;
pub use room::Room;
pub use unsaid::unsaid;
pub use withheld::{Withheld, undone};
