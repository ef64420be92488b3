//! The tools and the ToolRunner on real files.
#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, unused_imports, reason = "some of what is shared is for suites that only Linux has")
)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should panic and say so"
)]

mod bench;
#[cfg(unix)]
mod hostile_names;
mod info;
mod instructions;
mod listing;
#[cfg(unix)]
mod paths;
mod reading;
mod runner;
mod searching;
mod window;
