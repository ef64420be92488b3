//! What came back in one model call, for a person to read.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::RequestId;

/// The responses of a model call as they came, its failed tries included: of each the status line, the headers that say something, and the
/// body without its compression. Known keys are stars in it. At most 256 KiB are kept, from the beginning and from the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct RawResponse {
    pub request_id: RequestId,
    /// The number of the call in its turn, from 1; write prompts count too.
    pub call: u32,
    /// When the call was over, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub at_ms: i64,
    /// The beginning; all of it where nothing was left out. Bytes that are not UTF-8 are U+FFFD here.
    pub start: String,
    /// Bytes after the beginning that were left out.
    #[ts(type = "number")]
    pub left_out: u64,
    /// The end, after what was left out.
    pub end: String,
}
