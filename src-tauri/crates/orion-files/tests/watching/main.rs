//! The watcher on real files (D3).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should panic and say so"
)]

mod bench;
#[cfg(not(any(target_os = "macos", windows)))]
mod by_folder;
mod changes;
