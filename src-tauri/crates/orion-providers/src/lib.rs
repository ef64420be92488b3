//! Model endpoints: requests over HTTP, streamed answers, quirks of providers, and the demo model.
//!
//! Input from the wire is hostile, or at least careless. So everything is read tolerantly ([`lenient`]) and within byte
//! limits ([`sse`]), and becomes one of the few types of `orion_core::model`. Deliberately not here: joining the
//! fragments of a tool call and judging a finish reason (`orion-core`, P5, P9, P10), and settings and keys
//! (`orion-engine`).

pub mod answer;
mod body;
mod call;
mod causes;
mod chunk;
mod client;
mod connector;
mod content;
mod demo;
mod error;
mod error_object;
mod fields;
mod halves;
mod lenient;
mod masked;
mod messages;
mod models;
mod pace;
mod patience;
mod plain;
mod presets;
mod probe;
mod quirks;
mod raw;
mod refusal;
mod repair;
mod request;
mod shapes;
mod sse;
mod target;
mod thinking;
mod tuning;
mod whole;
mod window;

pub use connector::Providers;
pub use error::Host;
pub use tuning::{Tuning, Waits};
