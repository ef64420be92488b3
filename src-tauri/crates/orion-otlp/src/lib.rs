//! Traces for the tools of others: the spans of a turn as OTLP over HTTP (J2, J3; 0043).
//!
//! A trace is made from the journal when it is sent, so sending it again is the same trace: ids, times and names come from nothing else.
//! Deliberately not here: which spans there are (`orion-core`), what is secret in them and when they are sent (`orion-engine`), and the span
//! of the program that began the turn (`TRACEPARENT`), which `orion-store` keeps.

mod attributes;
mod content;
mod environment;
mod errors;
mod ids;
mod names;
mod resource;
mod sending;
mod spans;
mod text;

pub use sending::{Otlp, Sent};
