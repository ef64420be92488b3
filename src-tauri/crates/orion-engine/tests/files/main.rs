//! The tools and the ToolRunner on real files.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should panic and say so"
)]

mod bench;
mod hostile_names;
mod info;
mod instructions;
mod listing;
mod paths;
mod reading;
mod runner;
mod searching;
mod window;
