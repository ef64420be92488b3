//! The errors of a refused path.

use std::io;

use orion_protocol::{Code, ErrorInfo};

use super::ProjectPath;

pub(super) fn escaped(path: &ProjectPath) -> ErrorInfo {
    ErrorInfo::new(
        Code::PathOutside,
        format!("`{path}` leads out of the project through a link."),
        "Links are followed inside the project only. Give another path.",
    )
}

pub(super) fn closed(path: &ProjectPath, why: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::PathIgnored,
        format!("`{path}` {why}."),
        "Go on without it, or tell the user what you need.",
    )
}

/// A private folder, or what is in one, under whatever name.
pub(super) fn private(path: &ProjectPath) -> ErrorInfo {
    closed(path, "is where Orion keeps its own settings or data")
}

/// A path in a folder that may not be entered.
pub(super) fn unreachable(path: &ProjectPath) -> ErrorInfo {
    ErrorInfo::new(
        Code::FileUnreadable,
        format!("`{path}` is in a folder that may not be entered."),
        "Tell the user, who can change the permissions of the folder, or go on without it.",
    )
}

/// Nothing is at this path, and something under a name that looks the same.
pub(super) fn looks_like(path: &ProjectPath, there: &ProjectPath) -> ErrorInfo {
    let spelled: String = there
        .to_string()
        .chars()
        .flat_map(|c| match c {
            ' '..='~' => vec![c],
            _ => c.escape_unicode().collect(),
        })
        .collect();
    ErrorInfo::new(
        Code::PathNotFound,
        format!("There is no `{path}` in the project, but `{there}`, which looks the same."),
        format!("Give it exactly as it is: `{there}`, spelled {spelled}."),
    )
}

pub(crate) fn wrong_kind(path: &ProjectPath, what: &str, action: &str) -> ErrorInfo {
    ErrorInfo::new(Code::PathWrongKind, format!("`{path}` {what}."), action)
}

/// Makes an error of what the operating system, or the handle, refused about a path.
pub(crate) fn fault(path: &ProjectPath, cause: &io::Error) -> ErrorInfo {
    // The handle reports an escape as a refusal of its own, which therefore has no number from the operating system.
    let escapes = cause.kind() == io::ErrorKind::PermissionDenied && cause.raw_os_error().is_none();
    match cause.kind() {
        _ if escapes => escaped(path),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ErrorInfo::new(
            Code::PathNotFound,
            format!("There is no `{path}` in the project."),
            format!(
                "Look at what is there with list_files {}.",
                serde_json::json!({ "path": nearest(path).to_string() })
            ),
        ),
        _ => ErrorInfo::new(
            Code::FileUnreadable,
            format!("`{path}` could not be read."),
            "Tell the user, or go on without it.",
        )
        .with_detail(cause.to_string()),
    }
}

fn nearest(path: &ProjectPath) -> ProjectPath {
    path.parent().unwrap_or_default()
}
