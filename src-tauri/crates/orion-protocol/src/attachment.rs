//! Attachments that are not of the project: files that a person pasted, dropped or picked.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{PictureKind, Sha256};

/// A file that was attached to a message. Its content is kept until no draft, queued message or turn has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Attachment {
    /// As it was called, without a folder: one line.
    pub name: String,
    /// Of its content as it is kept: a text as it is, an image in base64.
    pub sha256: Sha256,
    /// Of the file.
    #[ts(type = "number")]
    pub bytes: u64,
    pub content: AttachmentContent,
}

/// What is in it, by its bytes and never by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum AttachmentContent {
    Text {
        #[ts(type = "number")]
        lines: u64,
    },
    Image {
        kind: PictureKind,
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
    },
}
