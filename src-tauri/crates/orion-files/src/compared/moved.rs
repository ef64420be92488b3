//! Tells a file that was moved to its place from one that was made there.

use std::time::{Duration, SystemTime};

use crate::workspace::{Project, ProjectPath};

/// The clock of a disk is late by a tick of the kernel: 50 ms are several.
const TICKS: Duration = Duration::from_millis(50);

/// True for a file that was made before this time, where the disk keeps that: it has been somewhere before.
pub(super) fn is_older(project: &Project, path: &ProjectPath, than: SystemTime) -> bool {
    let made = project.metadata(path).ok().and_then(|metadata| metadata.created().ok());
    made.is_some_and(|made| made.into_std() + TICKS < than)
}
