//! An image that a model is given: its digest and its size. Its content is kept beside the journal.

use std::sync::Arc;

use orion_protocol::{PictureKind, Sha256};
use serde::{Deserialize, Serialize};

/// An image in a message. Its content is kept beside the journal, and is in it only on the way to a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// Of the content in base64, by which it is kept.
    pub sha256: Sha256,
    pub kind: PictureKind,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// In base64. Shared, since a request is cloned and a file may have megabytes.
    #[serde(skip)]
    pub data: Option<Arc<str>>,
}

/// Pixels that a token of an image stands for, and the most tokens that one has: providers make larger ones smaller
/// (platform.claude.com/docs/en/build-with-claude/vision).
const PIXELS_A_TOKEN: u64 = 750;
const MOST_TOKENS: u64 = 1_600;

impl Image {
    /// The bytes of text that weigh as much in a request, at 4 a token (T7).
    #[must_use]
    pub fn weight(&self) -> usize {
        let pixels = u64::from(self.width) * u64::from(self.height);
        let tokens = pixels.div_ceil(PIXELS_A_TOKEN).min(MOST_TOKENS);
        usize::try_from(tokens * 4).unwrap_or(usize::MAX)
    }
}
