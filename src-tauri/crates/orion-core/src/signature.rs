//! Canonical signatures of tool calls (D1): equal for calls that mean the same, whatever their formatting.

use std::borrow::Cow;
use std::fmt;

use orion_protocol::{ProjectId, Sha256, Signature};
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::Digest as _;

/// Why a path given by a model names nothing in the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    #[error("the path holds a NUL character")]
    Nul,
    #[error("the path leads out of the project")]
    Outside,
}

/// A path as the project knows it: relative to its root, with `/`, without `.`, `..` or doubled slashes; the root is the
/// empty string. An absolute path below `root` is made relative. By the text alone: no file is looked at.
///
/// The root is recorded in the journal, and shows which operating system it belongs to (T5). Below a Windows root, `\` also separates
/// names, and letter case does not matter in the root itself.
///
/// # Errors
/// [`PathError`] when the path holds a NUL or leads out of the project.
pub fn project_relative(path: &str, root: &str) -> Result<String, PathError> {
    if path.contains('\0') {
        return Err(PathError::Nul);
    }
    let windows = has_drive(root) || root.starts_with(r"\\");
    // No name begins with a quote there: in a quoted name, `\` is an escape.
    let (path, root) = if windows && !path.starts_with('"') {
        (Cow::from(path.replace('\\', "/")), Cow::from(root.replace('\\', "/")))
    } else {
        (path.into(), root.into())
    };
    let relative = if path.starts_with('/') || (windows && has_drive(&path)) {
        below(&path, root.trim_end_matches('/'), windows).ok_or(PathError::Outside)?
    } else {
        &path
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop().ok_or(PathError::Outside)?;
            }
            name => parts.push(name),
        }
    }
    Ok(parts.join("/"))
}

/// Whether a path is absolute on a drive of Windows, such as `C:\a`.
pub(crate) fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

/// What follows the root in an absolute path: nothing, or a path that begins with `/`.
fn below<'a>(path: &'a str, root: &str, any_case: bool) -> Option<&'a str> {
    let (start, rest) = path.split_at_checked(root.len())?;
    let is_root = start == root || (any_case && start.eq_ignore_ascii_case(root));
    (is_root && (rest.is_empty() || rest.starts_with('/'))).then_some(rest)
}

/// A call's canonical signature: the tool's name and the first 16 hexadecimal digits of the SHA-256 of the RFC 8785 form
/// of tool, action, normalized arguments and project (D1).
#[must_use]
pub fn signature(tool: &str, normalized: &Map<String, Value>, project: ProjectId) -> Signature {
    #[derive(Serialize)]
    struct Canonical<'a> {
        tool: &'a str,
        action: Option<&'a str>,
        arguments: &'a Map<String, Value>,
        project: ProjectId,
    }
    let canonical = Canonical {
        tool,
        action: normalized.get("action").and_then(Value::as_str),
        arguments: normalized,
        project,
    };
    let bytes = match serde_json_canonicalizer::to_vec(&canonical) {
        Ok(bytes) => bytes,
        // RFC 8785 has no form for a number beyond 64-bit floats; its text is still exact.
        Err(_) => serde_json::to_vec(&canonical).unwrap_or_default(),
    };
    Signature(format!("{tool}:{}", Hex(&sha2::Sha256::digest(bytes)[..8])))
}

/// SHA-256 of a text: the exact thing an approval is for (A3).
#[must_use]
pub fn digest(text: &str) -> Sha256 {
    Sha256::from(<[u8; 32]>::from(sha2::Sha256::digest(text)))
}

/// A text that comes in pieces, of which only the digest is wanted.
#[derive(Debug, Clone, Default)]
pub struct Hashed(sha2::Sha256);

impl Hashed {
    /// The next piece.
    pub fn push(&mut self, piece: &str) {
        self.0.update(piece);
    }

    /// SHA-256 of all pieces, as [`digest`] says it of the text.
    #[must_use]
    pub fn digest(&self) -> Sha256 {
        Sha256::from(<[u8; 32]>::from(self.0.clone().finalize()))
    }
}

struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
