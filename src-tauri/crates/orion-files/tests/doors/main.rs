//! What stays closed to tools, and how much is read of ignore files, which are a stranger's. On real files.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should panic and say so"
)]

#[path = "../watching/bench.rs"]
mod bench;
mod ignores;
mod links;
mod lookalikes;
mod private;
#[cfg(target_os = "linux")]
mod races;
