//! The turn loop. Each turn has one task, which performs the machine's effects and feeds the results back.
//!
//! Each input is recorded before it is acted on. The events of a step are committed in one transaction before they are
//! shown (J1). Streamed text is the exception: it is shown at once and recorded soon after, in joined pieces.
//!
//! - `task`: the loop. `streaming` takes what a model's stream brings, `obeying` everything else.
//! - `acting`: performs effects. `jobs` holds the work that runs beside the loop, `aside` what goes on while it waits for the disk.
//! - `saving`: brings records to the disk before they are shown, also to a disk that does not answer. `failing` ends a turn that cannot
//!   go on, since the disk refused or Orion has a defect.
//! - `recorded`, `sealed`: the rows of a journal. `texts` and `history` are what they name by digest (T8).
//! - `beginning`, `following`, `continuing`: what a turn takes from the turns before it.
//! - `rebuild`, `replay`: a turn out of its journal. `sent`, `spans` and `forking` read one, too.
//! - `broken`, `said`: what a turn whose process died leaves. `ending` ends a turn of another version.
//! - `glances`: looks again at the files that a turn has read.
//!
//! A turn waits at two points: at the `select` of its loop (`task`), and at a commit (`saving`). It notices a stop at both. Neither a project's
//! disk that hangs nor a reader that stops reading can hold up a stop, an answer or the end of a turn. While the database hangs, a stop still
//! drops the work in progress; only the reply to the stop waits until the database answers. A command has only the connection that writes,
//! which hangs then, so a stop of a turn that runs in the same process makes no query. For the same reason, what a turn asks of the database
//! beside its loop is a task of its own (`aside`): the loop polls nothing while it waits for a commit, and the commit waits for the connection
//! that such a query holds.
//!
//! Deliberately not here: what a turn does next (`orion-core`), how a record is stored (`orion-store`), and how a turn
//! is set up (`engine`).

mod acting;
mod aside;
mod beginning;
mod broken;
mod clock;
mod continuing;
mod ending;
mod equipment;
mod failing;
mod following;
mod forking;
#[cfg(test)]
pub(crate) mod generated;
mod glances;
mod history;
mod images;
mod jobs;
mod learning;
mod obeying;
mod outlet;
mod pending;
mod raw;
mod rebuild;
mod recorded;
mod replay;
mod said;
mod saving;
mod sealed;
mod sent;
mod spans;
mod streaming;
mod taken_out;
mod task;
mod texts;

pub(crate) use beginning::{Caller, Origin};
pub(crate) use clock::Clock;
pub(crate) use ending::end;
pub(crate) use equipment::{
    CheckToRun, Command, CompareFile, Equipment, OpenWrite, PrepareCall, RunCheck, RunTool,
};
pub(crate) use following::{keep_edits, kept_edits, would_follow};
pub(crate) use forking::{fork, fork_before};
pub(crate) use outlet::Outlet;
pub use rebuild::replay;
pub(crate) use rebuild::{Rebuilt, rebuild};
pub(crate) use recorded::result_text;
pub use replay::{Difference, Replayed};
pub(crate) use said::Said;
pub(crate) use sealed::unseal;
pub(crate) use sent::{Sent, sent};
pub(crate) use spans::{Traced, traced};
pub(crate) use task::{Driver, LATE};
