//! The core against the protocol. One program, so that a change of the core is linked into its tests once.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod acts;
mod answers;
mod common;
mod context;
mod context_turns;
mod finish_reasons;
mod merge;
mod repeats;
mod sent_limit;
mod signature;
mod states;
mod thorough;
mod tools;
mod turn_evidence;
mod turn_failed;
mod turn_props;
mod turn_repeating;
mod turn_replay;
mod turn_rules;
mod turn_writes;
mod watched;
mod words;
mod write_asked;
mod write_blocks;
mod write_capture;
mod write_capture_any;
mod write_capture_shown;
mod write_moved;
mod write_removal;
mod write_rounds;
mod write_same;
mod write_unfinished;
mod write_validate;
mod write_words;
