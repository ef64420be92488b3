//! The difference of a write on the wire, row by row (W6). What is approved was seen, so a person can ask for all of a line.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A part of the difference that can be accepted or rejected by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct DiffHunk {
    /// From 1.
    pub number: u32,
    /// Its place among the rows of the whole difference, from 0, with up to 3 unchanged lines around it.
    #[ts(type = "number")]
    pub first_row: u64,
    #[ts(type = "number")]
    pub rows: u64,
    /// As in a unified diff: from 1, 0 when there are no lines.
    #[ts(type = "number")]
    pub old_start: u64,
    #[ts(type = "number")]
    pub old_lines: u64,
    #[ts(type = "number")]
    pub new_start: u64,
    #[ts(type = "number")]
    pub new_lines: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum RowKind {
    Unchanged,
    Added,
    Removed,
}

/// Why a stretch of a row is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum MarkKind {
    /// The words that differ within a line that was changed.
    Changed,
    /// A character that turns the direction of text (bidirectional control).
    Direction,
    /// An invisible character: zero width, tag, variation.
    Invisible,
    /// A control character.
    Control,
    /// U+FFFD.
    Replacement,
    /// The model's next message went on here (W4).
    Seam,
}

/// A stretch of a row's text, in UTF-16 units as the webview counts. An empty one marks a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Mark {
    pub from: u32,
    pub to: u32,
    pub kind: MarkKind,
}

/// One line of the difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct DiffRow {
    pub kind: RowKind,
    /// Its number in the present file; null when it is not in it.
    #[ts(type = "number | null")]
    pub old: Option<u64>,
    /// Its number in the file as it would be; null when it is not in it.
    #[ts(type = "number | null")]
    pub new: Option<u64>,
    /// Without its line end, cut to 2,000 characters.
    pub text: String,
    /// Characters that were cut off.
    #[ts(type = "number")]
    pub cut: u64,
    /// True for a last line without a line end.
    pub no_line_end: bool,
    pub marks: Vec<Mark>,
}

/// A changed line of which its row has the beginning only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CutRow {
    /// Its place among the rows of the whole difference, from 0.
    #[ts(type = "number")]
    pub row: u64,
    /// Characters that the row does not have.
    #[ts(type = "number")]
    pub cut: u64,
}

/// A further stretch of the line of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct RowRest {
    /// At most 20,000 characters.
    pub text: String,
    /// Characters of the line behind this stretch.
    #[ts(type = "number")]
    pub cut: u64,
    /// As in a row, counted from the beginning of this stretch.
    pub marks: Vec<Mark>,
}
