//! The files that a command has where no box can be set up (C2, C3): the project and its home to write, the system and toolchains to read.
//!
//! Nothing can be hidden or read-only below the project, since rights are only ever added. Deliberately not here: closing all others, which is the
//! helper's; what a box has (`mounts`).

use std::fs;
use std::path::{Path, PathBuf};

use crate::level::Missing;
use crate::mends;
use crate::mounts::{
    Host, KEYS, SYSTEM, as_it_is, etc_of_root, masked, of_root, readable, refuse, work_tree,
};
use crate::places::Layout;
use crate::wire::{Expected, Grants, Seen};

/// The interface of Landlock whose rights are all used: it is the first in which signals stay inside (Linux 6.12). An older kernel uses what it has.
pub(crate) const LANDLOCK: i32 = 6;

/// Devices that any program may need. Not those of terminals: they are the person's own.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// A command without a box, planned.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) grants: Grants,
    pub(crate) expected: Vec<Expected>,
    pub(crate) project: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) temporary: PathBuf,
    /// The folders that a command can see, and everything below.
    seen: Vec<PathBuf>,
}

impl Plan {
    pub(crate) fn sees(&self, folder: &Path) -> bool {
        self.seen.iter().any(|seen| folder.starts_with(seen))
    }
}

/// Plans it, or says why nothing would hold the command. `name` is nobody else's.
pub(crate) fn plan(layout: &Layout, host: &Host, name: &str) -> Result<Plan, Vec<Missing>> {
    let one = |what: String| vec![Missing::of(what)];
    let real = |path: &Path| {
        fs::canonicalize(path).map_err(|error| one(format!("{} cannot be used: {error}.", path.display())))
    };
    let (project, own_home) = (real(&layout.project)?, real(&layout.home)?);
    let temporary = real(&std::env::temp_dir())?.join(format!("orion-{name}"));
    let home = fs::canonicalize(&host.home).unwrap_or_else(|_| host.home.clone());
    refuse(&project, &own_home, &home, host).map_err(one)?;
    let toolchains = readable(layout, &project, &own_home, &home);
    // The repository of a work tree lies outside of the project, so this one is read-only.
    let repository = work_tree(&project.join(".git")).filter(|path| !path.starts_with(&project));
    let system = system(host.is_root);
    let given = toolchains.iter().map(|(from, _)| from.clone()).chain(repository);
    let all: Vec<PathBuf> = system.iter().cloned().chain(given).collect();
    let devices = DEVICES.map(PathBuf::from).into_iter().filter(|device| device.exists());
    let mut seen: Vec<PathBuf> = toolchains.into_iter().flat_map(|(from, at)| [from, at]).collect();
    seen.extend(SYSTEM.map(PathBuf::from).into_iter().chain(of_root()));
    seen.extend([project.clone(), own_home.clone()]);
    let grants = Grants {
        writable: [&project, &own_home].map(Into::into).into(),
        readable: all.into_iter().map(Into::into).collect(),
        devices: devices.map(Into::into).collect(),
        temporary: temporary.clone().into(),
        abi: host.landlock.unwrap_or(LANDLOCK),
    };
    let expected = as_it_is(&project, Seen::Writable).into_iter().collect();
    Ok(Plan { grants, expected, project, home: own_home, temporary, seen })
}

/// The things of a full sandbox that this one has not, in sentences for a person.
pub(crate) fn gaps(layout: &Layout) -> Vec<Missing> {
    let closed: Vec<PathBuf> = match fs::canonicalize(&layout.project) {
        Ok(project) => masked(layout, &project)
            .iter()
            .filter_map(|path| path.strip_prefix(&project).ok().map(Path::to_path_buf))
            .collect(),
        Err(_) => layout.masked.clone(),
    };
    mends::without_namespaces(&closed)
}

/// The system's own files, each as it really is. Keys that root could read are left out.
fn system(is_root: bool) -> Vec<PathBuf> {
    let etc = if is_root { etc_of_root() } else { vec!["/etc".into()] };
    let folders = SYSTEM.map(PathBuf::from).into_iter().chain(of_root());
    let all = folders.chain(etc.into_iter().flat_map(|path| without_keys(path, is_root)));
    // /proc is everybody's: the kernel closes what a process there has, but not its name and its command line.
    let all = all.chain(["/proc".into()]).filter_map(|path| fs::canonicalize(path).ok());
    let mut all: Vec<PathBuf> = all.collect();
    all.sort();
    all.dedup();
    all
}

/// This path, or where folders with keys lie below it, all that lies beside them.
fn without_keys(path: PathBuf, is_root: bool) -> Vec<PathBuf> {
    let is_closed = |path: &Path| KEYS.iter().any(|keys| Path::new(keys) == path);
    let has_keys = |path: &Path| KEYS.iter().any(|keys| Path::new(keys).starts_with(path));
    if !is_root || !has_keys(&path) {
        return vec![path];
    }
    if is_closed(&path) {
        return Vec::new();
    }
    let entries = fs::read_dir(&path).into_iter().flatten().flatten();
    entries.flat_map(|entry| without_keys(entry.path(), is_root)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // C2
    #[test]
    fn root_is_given_what_lies_beside_keys_and_not_the_keys() {
        let system = system(true);
        for keys in KEYS.map(Path::new).into_iter().filter(|keys| keys.exists()) {
            let gives = |path: &&PathBuf| keys.starts_with(path) || path.starts_with(keys);
            assert_eq!(system.iter().find(gives), None, "{}", keys.display());
        }
        for never in ["/", "/etc", "/root", "/home", "/var", "/run", "/sys", "/dev", "/tmp"] {
            assert!(!system.contains(&PathBuf::from(never)), "{never}");
        }
        assert!(system.contains(&PathBuf::from("/usr")) && system.contains(&PathBuf::from("/proc")));
    }
}
