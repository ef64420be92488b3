//! A measure, kept in a file: for these programs, this kernel, this user and this boot (C3).
//!
//! Only a full sandbox is kept. Anything else a person may mend at any moment, and measuring it again takes a moment.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::bwrap::Bwrap;
use crate::identity::Identity;

/// The things that a measure holds for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct For {
    bwrap: Identity,
    helper: Identity,
    kernel: String,
    boot: String,
    user: u32,
}

/// A full sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    #[serde(rename = "for")]
    pub(crate) is_for: For,
    /// `bwrap` knows the option that keeps other user namespaces from being made.
    pub(crate) disables_userns: bool,
}

impl For {
    /// The ones that are here now.
    pub(crate) fn now(bwrap: &Bwrap, helper: &Path, boot: &Path) -> io::Result<Self> {
        let program = fs::metadata(helper)?;
        let system = rustix::system::uname();
        Ok(Self {
            bwrap: bwrap.identity.clone(),
            helper: Identity::of(helper, &program),
            kernel: format!("{} {}", system.release().to_string_lossy(), system.version().to_string_lossy()),
            boot: fs::read_to_string(boot)?.trim().to_owned(),
            user: rustix::process::geteuid().as_raw(),
        })
    }
}

/// The kept measure, if it is for the things that are here now.
pub(crate) fn read(file: &Path, now: &For) -> Option<Kept> {
    let kept: Kept = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    (kept.is_for == *now).then_some(kept)
}

/// Keeps it. The file is the old one or the new one, whole.
pub(crate) fn write(file: &Path, kept: &Kept) -> io::Result<()> {
    let mut name = file.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.new", std::process::id()));
    let new = file.with_file_name(name);
    fs::write(&new, serde_json::to_vec(kept)?)?;
    fs::rename(&new, file)
}
