//! Targets of writes and the bytes they get, on real files.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should panic and say so"
)]

mod composing;
mod fixtures;
mod kinds;
mod races;
mod recovering;
mod replacing;
mod site;
mod targets;
