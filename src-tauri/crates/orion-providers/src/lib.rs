//! Model endpoints: requests over HTTP, streamed answers, quirks of providers, and the demo model.
//!
//! What comes over the wire is hostile or at least careless, so everything is read tolerantly ([`lenient`]) behind byte
//! caps ([`sse`]) and turned into the few words of `orion_core::model`. Deliberately not here: putting fragments of a
//! tool call together and deciding what a finish reason means (`orion-core`, P5, P9, P10), and where settings and keys
//! come from (`orion-engine`).

pub mod answer;
mod body;
mod call;
mod chunk;
mod client;
mod connector;
mod demo;
mod error;
mod error_object;
mod halves;
mod lenient;
mod models;
mod plain;
mod presets;
mod quirks;
mod refusal;
mod repair;
mod request;
pub mod sse;
mod target;
mod tuning;

pub use connector::Providers;
pub use error::Host;
pub use tuning::Tuning;
