//! The instructions that go to a model beside Orion's own, for a person to read and to write.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The most bytes that a person's own instructions can have, those for all projects and those for one each: 4,000 tokens at 4 bytes, which every
/// model call of a turn carries.
pub const OWN_INSTRUCTIONS_BYTES: usize = 16_384;

/// What a model is told in a project beside Orion's own words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Instructions {
    /// The project's AGENTS.md files as they are sent: cut, with what was left out named. Empty without a project.
    pub agents: String,
    /// The bytes of them that may be sent.
    pub agents_bytes: u32,
    /// The person's own for all projects, as they are kept.
    pub everywhere: String,
    /// The person's own for this project.
    pub here: String,
    /// The most bytes that each of the two can have.
    pub own_bytes: u32,
}
