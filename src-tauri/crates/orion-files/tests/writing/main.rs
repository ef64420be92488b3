//! Targets of writes and the bytes they get, on real files.
#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, unused_imports, reason = "some of what is shared is for suites that only Linux has")
)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should panic and say so"
)]

mod composing;
mod fixtures;
mod kinds;
mod layouts;
mod listed;
#[cfg(target_os = "linux")]
mod memory;
mod ordinary;
#[cfg(unix)]
mod pointing;
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod races;
#[cfg(unix)]
mod recovering;
#[cfg(unix)]
mod replacing;
mod site;
#[cfg(unix)]
mod targets;
