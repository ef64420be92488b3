//! The messages of the person that no request has held yet (A9). What is done with them is in `steering`.

/// Messages that a person gave to the turn.
#[derive(Debug, Clone, Default)]
pub(super) struct Steered {
    /// They wait for the next request.
    pub(super) pending: Vec<String>,
    /// The turn has ended without one.
    pub(super) left: Vec<String>,
}
