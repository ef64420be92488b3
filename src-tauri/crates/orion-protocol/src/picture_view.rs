//! A picture of a project as a person sees it in the window.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a picture is, by its first bytes and never by its name. None of them can hold a program, as SVG can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub enum PictureKind {
    #[serde(rename = "image/png")]
    Png,
    #[serde(rename = "image/jpeg")]
    Jpeg,
    #[serde(rename = "image/gif")]
    Gif,
    #[serde(rename = "image/webp")]
    WebP,
}

/// The whole file of a picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct PictureView {
    /// Project-relative, with `/`.
    pub path: String,
    pub kind: PictureKind,
    /// Of the file.
    #[ts(type = "number")]
    pub bytes: u64,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// The file in base64.
    pub data: String,
}
