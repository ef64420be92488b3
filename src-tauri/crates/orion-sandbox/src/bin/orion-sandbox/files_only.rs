//! Holding a command without a box (C2, C3): Landlock closes the files that it was not granted, and it has no capabilities, no sockets and no other
//! processes.
//!
//! Landlock adds rights from a folder downwards and takes none away, so nothing in the project can be closed or read-only. Deliberately not here: which
//! files are granted, which the library says; the system calls (`filter_files_only`).

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetStatus, Scope, make_bitflags,
};
use orion_sandbox::wire::Grants;
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat2};
use rustix::io::Errno;
use rustix::process::getpid;
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set, remove_capability_from_bounding_set,
    set_capabilities,
};

use crate::{filter, filter_files_only};

/// Nothing that a command needs, anywhere: nodes of devices and sockets, and requests to devices.
const NEVER: BitFlags<AccessFs> = make_bitflags!(AccessFs::{MakeChar | MakeBlock | MakeSock | IoctlDev});

/// Holds this thread and all that it starts, for good.
pub(crate) fn hold(grants: &Grants) -> io::Result<()> {
    close_files(grants)?;
    drop_capabilities()?;
    filter::apply()?;
    filter_files_only::apply(getpid())
}

fn close_files(grants: &Grants) -> io::Result<()> {
    let abi = ABI::from(grants.abi);
    let none = || io::Error::other("this kernel has no Landlock");
    if abi == ABI::Unsupported {
        return Err(none());
    }
    let mut rules = Ruleset::default().handle_access(AccessFs::from_all(abi)).map_err(io::Error::other)?;
    if abi >= ABI::V4 {
        rules = rules.handle_access(AccessNet::from_all(abi)).map_err(io::Error::other)?;
    }
    if abi >= ABI::V6 {
        rules = rules.scope(Scope::from_all(abi)).map_err(io::Error::other)?;
    }
    let mut rules = rules.create().map_err(io::Error::other)?;
    let writable = grants.writable.iter().chain([&grants.temporary]);
    for path in writable {
        rules = granted(rules, path, AccessFs::from_all(abi) & !NEVER)?;
    }
    for path in &grants.readable {
        rules = granted(rules, path, AccessFs::from_read(abi))?;
    }
    for path in &grants.devices {
        rules = granted(rules, path, AccessFs::ReadFile | AccessFs::WriteFile)?;
    }
    match rules.restrict_self().map_err(io::Error::other)?.ruleset {
        RulesetStatus::NotEnforced => Err(none()),
        _ => Ok(()),
    }
}

fn granted(rules: RulesetCreated, path: &OsStr, access: BitFlags<AccessFs>) -> io::Result<RulesetCreated> {
    let place = place(path)?;
    let kind = FileType::from_raw_mode(fstat(&place)?.st_mode);
    let of_kind =
        if kind == FileType::Directory { access } else { access & AccessFs::from_file(ABI::V6) & !NEVER };
    rules.add_rule(PathBeneath::new(place, of_kind)).map_err(io::Error::other)
}

/// A path without any link: somebody may have put one there since it was planned.
fn place(path: &OsStr) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let without_links = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    openat2(CWD, path, flags, Mode::empty(), without_links)
}

/// Root has the rights of any user over its own files alone, and none over the computer.
fn drop_capabilities() -> io::Result<()> {
    for capability in CapabilitySet::all().iter() {
        match remove_capability_from_bounding_set(capability) {
            // Nobody who may not do this has any, and the kernel knows fewer of them than there are.
            Ok(()) | Err(Errno::PERM | Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    Ok(set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?)
}
