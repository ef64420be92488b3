//! The level of the sandbox on this computer (C3), and what keeps it from being full.

use orion_protocol::SandboxLevel;
use serde::{Deserialize, Serialize};

/// The outcome of a measure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    pub level: SandboxLevel,
    /// Empty where the level is full. Where it is not, what keeps it from being so.
    pub missing: Vec<Missing>,
}

/// One thing that keeps the sandbox from being full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// A sentence for a person.
    pub what: String,
    /// The commands that mend it, in their order.
    pub mend: Vec<String>,
}

impl Missing {
    pub(crate) fn of(what: impl Into<String>) -> Self {
        Self { what: what.into(), mend: Vec::new() }
    }
}

impl Found {
    #[cfg(target_os = "linux")]
    pub(crate) fn files_only(missing: Vec<Missing>) -> Self {
        Self { level: SandboxLevel::FilesOnly, missing }
    }

    pub(crate) fn none(missing: Vec<Missing>) -> Self {
        Self { level: SandboxLevel::None, missing }
    }
}
