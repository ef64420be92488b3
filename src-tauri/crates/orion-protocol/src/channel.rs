//! The ways in which a person reaches Orion.

/// A way in which a person reaches the engine. All have the same sessions, rules and bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    Window,
    CommandLine,
    Http,
}
