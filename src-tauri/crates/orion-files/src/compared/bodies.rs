//! Copies of the small files of a project, in memory, from before a command (C6).
//!
//! Deliberately not here: which of them changed.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::Read;

use super::{NO_FILE, Was};
use crate::workspace::{Budget, Kind, Project, ProjectPath, Stamp};

/// Bytes of a file that is copied: 1 MiB.
pub const BODY: u64 = 1 << 20;

/// Bytes of all copies: 64 MiB.
pub const BODIES: u64 = 64 << 20;

/// Files that are copied, and files that are kept after a command: 2,000.
pub const FILES: usize = 2_000;

pub(super) const TOO_LARGE: &str = "it is or was larger than 1 MiB";
const NOT_COPIED: &str = "the project has more small files than are copied before a command";
const UNREADABLE: &str = "it could not be read";

/// The copies, by path.
#[derive(Debug, Default)]
pub(super) struct Bodies(HashMap<ProjectPath, Vec<u8>>);

impl Bodies {
    /// Copies of these files, the last changed first: of those more is likely to change again.
    pub(super) fn of(project: &Project, mut small: Vec<(&ProjectPath, Stamp)>, budget: &Budget) -> Self {
        small.sort_by_key(|(path, stamp)| (Reverse(stamp.modified), *path));
        let (mut bodies, mut bytes) = (HashMap::new(), 0);
        for (path, stamp) in small {
            if bodies.len() == FILES || budget.spent().is_some() {
                break;
            }
            if bytes + stamp.bytes <= BODIES
                && let Ok(body) = read(project, path, stamp, BODY)
            {
                bytes += stamp.bytes;
                bodies.insert(path.clone(), body);
            }
        }
        Self(bodies)
    }

    pub(super) fn has(&self, path: &ProjectPath) -> bool {
        self.0.contains_key(path)
    }

    /// Takes a content that is known from elsewhere.
    pub(super) fn supply(&mut self, path: ProjectPath, body: Vec<u8>) {
        self.0.insert(path, body);
    }

    /// Takes the content of a file out, or says why there is none.
    pub(super) fn take(&mut self, path: &ProjectPath, was: &Was) -> Result<Vec<u8>, &'static str> {
        let missing = match was {
            Was { kind: Kind::File, stamp } if stamp.bytes > BODY => TOO_LARGE,
            Was { kind: Kind::File, .. } => NOT_COPIED,
            _ => NO_FILE,
        };
        self.0.remove(path).ok_or(missing)
    }
}

/// The content of a file of at most so many bytes that has these numbers, before and after it is read.
pub(super) fn read(
    project: &Project,
    path: &ProjectPath,
    stamp: Stamp,
    most: u64,
) -> Result<Vec<u8>, &'static str> {
    if stamp.bytes > most {
        return Err(TOO_LARGE);
    }
    let (mut file, metadata) = project.open_found(path).map_err(|_| UNREADABLE)?;
    let mut body = Vec::with_capacity(usize::try_from(stamp.bytes).unwrap_or(0));
    file.by_ref().take(most + 1).read_to_end(&mut body).map_err(|_| UNREADABLE)?;
    let is_same = Stamp::of(&metadata) == stamp
        && body.len() as u64 == stamp.bytes
        && file.metadata().is_ok_and(|now| Stamp::of(&now) == stamp);
    if is_same { Ok(body) } else { Err(UNREADABLE) }
}
