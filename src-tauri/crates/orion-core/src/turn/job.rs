//! The number of a job.

use serde::{Deserialize, Serialize};

/// The number of a job in its turn, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobId(pub u32);
