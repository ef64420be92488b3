//! The attachments of a message: files and folders that come with it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{CallId, ErrorInfo, PictureKind, Sha256, ToolStatus};

/// A file or folder that a message names, before the message is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct NamedFile {
    /// Project-relative, with `/`; as it was written where it was not found.
    pub path: String,
    /// The first line, and the last one, where lines were asked for.
    #[ts(type = "[number, number] | null")]
    pub lines: Option<(u64, u64)>,
    pub directory: bool,
    /// Of the file.
    #[ts(type = "number | null")]
    pub bytes: Option<u64>,
    /// Why the model will not be given it. With `path_not_found`, the name is sent as text and no more.
    pub error: Option<ErrorInfo>,
}

/// A file or folder that came with a message, as the model was given it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct AttachedFile {
    /// The name of its box in the conversation.
    pub tool_call_id: CallId,
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "[number, number]")]
    pub lines: Option<(u64, u64)>,
    pub is_folder: bool,
    /// Its content, where it is not of the project: then `path` is its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub content: Option<AttachmentContent>,
    /// SHA-256 of all of it, where it is not of the project and the model is given less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uncut: Option<Sha256>,
    /// `reused` where the conversation held the file already, as it is now (X6).
    pub status: ToolStatus,
    /// One line for a person, such as `212 lines`.
    pub summary: String,
    /// Size of the result before it was cut.
    #[ts(type = "number")]
    pub bytes: u64,
    /// The model is given less than there is (R3).
    pub truncated: bool,
    /// SHA-256 of what the model is given of it.
    pub sha256: Sha256,
    pub error: Option<ErrorInfo>,
}

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

/// The content of an attachment, by its bytes and never by its name.
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
