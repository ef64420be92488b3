//! Commands in a sandbox (C2–C5): what a command sees, what it may use, and that nothing of it is left when it has ended.
//!
//! On Linux a command runs in a box, which the system's `bwrap` sets up and our program `orion-sandbox` (the helper) rules from inside. Where no box can
//! be set up, the helper holds it by Landlock, and then only its files are held (`files_only`). How complete the sandbox is, is measured by attempts to
//! get out of it (`level`), never assumed. Deliberately not here: whether a command may run (A1) and what
//! the model sees of its output (R3), which are the engine's; which files always ask, which `orion-files` knows.

mod environment;
mod host;
mod level;
mod places;
#[cfg(target_os = "linux")]
mod run;
mod sandbox;
#[cfg(target_os = "linux")]
mod spawning;
mod toolchains;

#[cfg(target_os = "linux")]
mod bwrap;
#[cfg(target_os = "linux")]
mod files_only;
#[cfg(target_os = "linux")]
mod handed;
#[cfg(target_os = "linux")]
mod identity;
#[cfg(target_os = "linux")]
mod kept;
#[cfg(target_os = "linux")]
mod mends;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod network;
#[cfg(not(target_os = "linux"))]
mod outside;
#[cfg(target_os = "linux")]
mod probing;

/// The words between this library and the helper. Public for the helper alone.
#[doc(hidden)]
pub mod wire;

pub use environment::withheld;
pub use host::Host;
pub use level::{Found, Missing};
#[cfg(target_os = "linux")]
#[doc(hidden)]
pub use network::Internet;
pub use places::{Layout, Limits, Order, Place, Program, Ran};
pub use sandbox::Sandbox;
#[doc(hidden)]
pub use sandbox::Trial;
pub use toolchains::toolchains;
