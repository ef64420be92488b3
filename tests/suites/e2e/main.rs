//! The end-to-end suite: the real window on a virtual display, driven through WebKit's driver, against a scripted model.
//!
//! Deliberately not here: what the page alone can show, which the Playwright tests in `ui/` look at.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should panic and say so"
)]

mod adding;
mod approvals;
mod attention;
mod checks;
mod command_changes;
mod commands;
mod compaction;
mod computer;
mod context;
mod deletion;
mod diagrams;
mod elsewhere;
mod exporting;
mod first_launch;
mod forms;
mod hosts;
mod long;
mod manners;
mod menu;
mod neighbours;
mod pauses;
mod pictures;
mod questions;
mod queue;
mod recovery;
mod rewind;
mod room;
mod scene;
mod tracing;
mod turn;
mod walls;
mod write;
