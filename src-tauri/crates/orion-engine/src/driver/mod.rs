//! The turn loop: one task per turn that performs the machine's effects and feeds it what comes of them.
//!
//! Each input is recorded before it is acted on, and what a step says is committed before it is shown (J1), all of a step
//! in one transaction. Streamed text is the exception: it is shown at once and recorded in joined pieces soon after.
//! Deliberately not here: what follows from an input (`orion-core`), how a record is stored (`orion-store`), how a turn
//! is set up (`engine`).

mod acting;
mod clock;
mod ending;
mod equipment;
mod failing;
mod glances;
mod history;
mod obeying;
mod outlet;
mod pending;
mod rebuild;
mod recorded;
mod replay;
mod saving;
mod streaming;
mod task;

pub(crate) use clock::Clock;
pub(crate) use ending::{end, open_write};
pub(crate) use equipment::{Command, Equipment, OpenWrite, RunTool};
pub(crate) use outlet::Outlet;
pub(crate) use rebuild::{Rebuilt, rebuild, replay};
pub(crate) use recorded::result_text;
pub use replay::{Difference, Replayed};
pub(crate) use task::Driver;
