//! When a turn is to pause, by its setup and by what a person asked for since (A2).

/// When a turn is to pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pausing {
    /// After each tool phase.
    pub(super) after_tools: bool,
    /// Once, before the next model call.
    pub(super) next: bool,
}
