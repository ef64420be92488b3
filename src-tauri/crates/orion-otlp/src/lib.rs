//! Traces for the tools of others: the spans of a turn as OTLP over HTTP (J2, J3).
//!
//! A trace is made from the journal when it is sent, so sending it again is the same trace: ids, times and names come from nothing else.
//! Deliberately not here: which spans there are (`orion-core`), and what is secret in them (`orion-engine`).

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
