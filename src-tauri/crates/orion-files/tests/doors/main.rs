//! What stays closed to tools, and how much of a stranger's ignore files is taken in, on real files.
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
mod private;
