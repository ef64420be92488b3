//! The driver: it performs the effects of the turn machine and feeds the results back.
//!
//! Here are the turn loop, the ToolRunner and its tools, permissions, configuration, secrets and logs. Deliberately not
//! here: decisions of a turn (`orion-core`), the project's files (`orion-files`), SQL (`orion-store`), HTTP
//! (`orion-providers`), windows (the root package).

pub mod config;
mod driver;
pub mod endpoint;
mod engine;
pub mod files;
pub mod instructions;
pub mod logging;
pub mod paths;
mod proposals;
pub mod runner;
pub mod secrets;
pub mod tools;

pub use driver::{Difference, Replayed};
pub use engine::{Engine, EngineOptions, TurnHandle};
