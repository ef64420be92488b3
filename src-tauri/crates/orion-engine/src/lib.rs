//! The engine: it runs the turn machine, performs its effects and feeds the results back.
//!
//! It has the turn loop, the ToolRunner and its tools, permissions, settings, keys and logs. Deliberately not here: the
//! decisions of a turn (`orion-core`), the project's files (`orion-files`), SQL (`orion-store`), HTTP
//! (`orion-providers`), windows (the root package).

mod blocking;
mod checks;
mod commands;
pub mod config;
pub mod doctor;
mod driver;
pub mod endpoint;
mod engine;
mod export;
pub mod files;
pub mod instructions;
mod known_models;
pub mod learned;
pub mod logging;
mod own;
pub mod paths;
mod picture;
mod prompts;
mod proposals;
pub mod received;
mod rewinds;
pub mod runner;
pub mod secrets;
pub mod thinking;
pub mod tools;
mod viewer;

pub use driver::{Difference, Replayed, replay};
pub use engine::{
    Engine, EngineOptions, Export, Following, Place, Readers, StatsOf, ToldTrace, TraceSink, TurnHandle,
    Updates, message,
};
pub use export::people::visible;
pub use orion_sandbox::Host;
pub use orion_store::HttpMessage;
