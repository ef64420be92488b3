//! Commands in real boxes of `bwrap` (C2–C5). One program, so that the crate is linked into its tests once.

#![allow(clippy::unwrap_used, clippy::expect_used)]
#![cfg(target_os = "linux")]

mod bounds;
mod builds;
mod common;
mod cost;
mod ends;
mod escapes;
mod fetching;
mod files_only;
mod levels;
mod lines;
mod network;
mod running;
mod tools;
