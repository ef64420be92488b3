//! All suites of the whole program, in one test binary: one link instead of one per suite.
//! Tests of a single crate live in that crate.
#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, unused_imports, reason = "some of what is shared is for suites that only Linux has")
)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should panic and say so"
)]

#[cfg(unix)]
mod ancestors;
mod attachments;
mod changes;
mod chunking;
mod circles;
mod cli;
mod command_changes;
mod config;
mod config_commands;
mod config_declared;
mod config_endpoints;
mod config_keys;
mod config_log;
mod config_models;
mod config_project;
mod config_saving;
#[cfg(target_os = "linux")]
mod copies;
mod dependencies;
mod driver;
mod driver_answers;
mod driver_command_home;
mod driver_desk;
mod driver_edits;
mod driver_facade;
mod driver_failed;
mod driver_faults;
mod driver_hanging;
mod driver_numbers;
mod driver_processes;
mod driver_stop;
mod driver_summing;
mod driver_told;
mod encodings;
mod figures;
mod following;
mod forgotten;
mod generated_types;
mod golden;
mod half_answers;
mod http;
mod interrupted;
mod jobs;
mod layering;
mod one_call;
mod pinned;
mod providers;
mod queue;
mod recipes;
mod repeats;
#[cfg(unix)]
mod rewind;
#[cfg(unix)]
mod rewind_histories;
mod rulebook;
mod schemas;
mod scripted_model;
mod sent_requests;
mod session_lines;
mod session_pages;
mod sessions_apart;
mod source_rules;
mod steering;
mod stops;
mod store;
mod store_processes;
mod streams;
mod texts;
mod tool_sources;
#[cfg(unix)]
mod write_cleaning;
#[cfg(target_os = "linux")]
mod write_disk;
mod writing;
mod writing_changed;
mod writing_exact;
mod writing_sessions;
mod writing_text;
mod writing_unseen;
mod writing_watched;
