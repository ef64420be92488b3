//! What is at a path at this moment, for a change that is not a model's.

use std::io;

use orion_protocol::{ErrorInfo, Sha256};

use super::digest::sha256_of;
use super::target::{refuse_kind, refuse_metadata};
use crate::workspace::{Located, Project, ProjectPath, fault, wrong_kind};

/// The digest of the file at a path, which goes through no link. None when nothing is there.
///
/// # Errors
/// Those of reading, and `path_wrong_kind` and `file_unwritable` for what cannot be replaced: a folder, a link, a file with hard links.
pub fn present(project: &Project, path: &ProjectPath) -> Result<Option<Sha256>, ErrorInfo> {
    match project.locate(path)? {
        Located::Missing(real) if real == *path => Ok(None),
        Located::There(node) if node.path == *path => {
            refuse_kind(path, node.kind)?;
            let (file, node) = project.open_file(path)?;
            refuse_metadata(path, &node.metadata)?;
            sha256_of(file).map(Some).map_err(|cause: io::Error| fault(path, &cause))
        }
        Located::Missing(real) => Err(led_away(path, &real)),
        Located::There(node) => Err(led_away(path, &node.path)),
    }
}

fn led_away(path: &ProjectPath, real: &ProjectPath) -> ErrorInfo {
    wrong_kind(path, &format!("goes through a link now, and leads to `{real}`"), "Look at both by hand.")
}
