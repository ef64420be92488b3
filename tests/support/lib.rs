//! What the test suites share: the scripted model, folders of files, the built programs, and waiting without sleeping.
//!
//! # Scripting a model
//!
//! One vocabulary scripts every model in every test. A [`Script`] holds the answers of a model in order; [`Script::start`]
//! serves them over real HTTP/1.1 on 127.0.0.1 from a thread of its own, so it works beside any runtime, a paused clock
//! and a child process alike.
//!
//! ```no_run
//! use serde_json::json;
//! use support::Script;
//!
//! let model = Script::new()
//!     .turn(|t| t.text("I look. ").call("read_file", json!({"path": "a.txt"})).end("tool_calls"))
//!     .turn(|t| t.reasoning("It says 1.").text("One.").usage(40, 2).end("stop"))
//!     .start();
//! // … a program talks to model.base_url() …
//! model.finish();
//! ```
//!
//! | word | what the model does |
//! |---|---|
//! | `.text("…")` `.reasoning("…")` | streams one piece of the answer, or of the thinking before it |
//! | `.call("read_file", json)` | calls a tool, whole, in one event; `.call_in_pieces(name, json, n)` spreads the arguments |
//! | `.usage(prompt, completion)` | says the tokens, in an event without choices |
//! | `.end("stop")` | gives the finish reason and `[DONE]`; without it the stream just ends (P10) |
//! | `.delta(json)` `.event(json)` `.comment("…")` `.raw(bytes)` | sends what the other words cannot say |
//! | `.cut_after(n)` `.reset_after(n)` | breaks the connection after `n` bytes of the body |
//! | `.drip(Drip::…)` | goes on for ever, a little every 20 ms: text, reasoning, arguments or comments |
//! | `.hang()` | says no more and keeps the connection; alone it never even answers |
//! | `.hold(&gate)` | stops here until the test opens the [`Gate`], which also says when the stream got here |
//! | `.status(503)` `.header("retry-after", "1")` `.body("…")` | answers with an error |
//! | `.chunking(…)` | how the bytes are cut: whole, per event, every byte, at offsets, at random ([`Chunking`]) |
//! | `.framing(…)` | chunked, by length, or until the connection closes ([`Framing`]) |
//! | `.expect(\|ask\| …)` | checks the request with assertions |
//!
//! On the script: `.turn(…)` adds an answer, `.forever(…)` answers everything that comes after, `.models([…])` lists models.
//! Every request is checked as a strict endpoint would ([`Request`]). The test fails, by [`ScriptedModel::finish`] or when
//! the model is dropped, on a request nobody scripted, on an answer nobody asked for and on a request that is wrong.
//! [`hostile`] has models that never stop on their own.
//!
//! # Driving the window
//!
//! `Desktop` and `Window` open the real window on a display of its own and drive it through WebKit's driver, on Linux.
//!
//! Deliberately not here: anything of Orion itself. Suites drive the real crates and programs.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should panic and say so"
)]

mod binaries;
#[cfg(target_os = "linux")]
mod bus;
mod check;
mod collector;
mod cost;
#[cfg(target_os = "linux")]
mod desktop;
#[cfg(target_os = "linux")]
mod dialog;
#[cfg(target_os = "linux")]
mod disk;
#[cfg(target_os = "linux")]
mod display;
mod folder;
mod found;
#[cfg(target_os = "linux")]
mod grab;
pub mod hostile;
mod http;
mod log;
#[cfg(target_os = "linux")]
mod mouse;
mod neighbour;
mod plan;
mod processes;
mod proxy;
mod replaying;
mod script;
pub mod seed;
mod server;
mod wait;
#[cfg(target_os = "linux")]
pub mod webdriver;

pub use binaries::{alone, binary};
#[cfg(target_os = "linux")]
pub use bus::{Bus, Told};
pub use collector::{Collector, Does, Got};
pub use cost::processor_time;
#[cfg(target_os = "linux")]
pub use desktop::{Desktop, Window};
#[cfg(target_os = "linux")]
pub use disk::Disk;
pub use folder::Folder;
pub use found::found;
pub use http::Request;
pub use log::{Exchange, Fate};
pub use plan::{Chunking, Framing};
pub use processes::with_argument;
pub use proxy::{PROXIED, PROXIED_SAYS, system_proxy};
pub use script::{Drip, Script, Turn};
pub use server::ScriptedModel;
pub use wait::{Gate, within};
