//! The box of one command as arguments of `bwrap` (C2): what of this computer's files it has, where, and whether they can be written.
//!
//! The order is the law here: a later mount covers an earlier one. Nothing is ever mounted onto a path of the project that is not there, since `bwrap`
//! would make it on the disk. Deliberately not here: which files are read-only or closed, which the caller says; system calls, which are the helper's.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

use crate::level::Missing;
use crate::places::Layout;
use crate::wire::{Expected, INSIDE, Seen};

/// Read-only and closed paths of one box, each. A mount takes a system call or two, and each stands in a command's way at its start.
const MOST: usize = 32;

/// Bytes of the box's own /tmp and shared memory. Both are in the computer's memory, so they are bounded (C4).
const TMP_BYTES: u64 = 1 << 30;
const SHARED_BYTES: u64 = 512 << 20;

/// Folders of the system that are read-only in every box, where they are.
pub(crate) const SYSTEM: [&str; 4] = ["/usr", "/opt", "/nix", "/snap"];

/// The names of /etc that root has in a box. Root could read all of it.
const ETC_OF_ROOT: [&str; 42] = [
    "alternatives",
    "bash.bashrc",
    "ca-certificates",
    "ca-certificates.conf",
    "crypto-policies",
    "debian_version",
    "environment.d",
    "fonts",
    "gai.conf",
    "gitconfig",
    "group",
    "host.conf",
    "hostname",
    "hosts",
    "inputrc",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "locale.alias",
    "locale.conf",
    "localtime",
    "login.defs",
    "lsb-release",
    "machine-id",
    "magic",
    "magic.mime",
    "manpath.config",
    "mime.types",
    "networks",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "pki",
    "protocols",
    "resolv.conf",
    "rpc",
    "services",
    "shells",
    "ssl",
    "terminfo",
    "timezone",
    "xattr.conf",
];

/// Beginnings of further names of /etc that root has: settings of compilers and interpreters.
const ETC_BEGINNINGS: [&str; 6] = ["java", "python", "perl", "ruby", "node", "php"];

/// Folders below these with private keys, which root owns and so could read.
pub(crate) const KEYS: [&str; 4] =
    ["/etc/ssl/private", "/etc/pki/tls/private", "/etc/pki/CA/private", "/etc/pki/entitlement"];

/// The facts that are the same for every box on this computer.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    /// The real home.
    pub(crate) home: PathBuf,
    pub(crate) helper: PathBuf,
    pub(crate) is_root: bool,
    pub(crate) disables_userns: bool,
    /// A part of the box that a test leaves out.
    pub(crate) left_out: Option<&'static str>,
    /// The newest interface of Landlock that a test has.
    pub(crate) landlock: Option<i32>,
}

/// A box, planned.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) arguments: Vec<OsString>,
    pub(crate) expected: Vec<Expected>,
    pub(crate) project: PathBuf,
    /// The home as the command sees it.
    pub(crate) home: PathBuf,
    /// The folders that a command can see, and everything below.
    seen: Vec<PathBuf>,
}

impl Plan {
    pub(crate) fn sees(&self, folder: &Path) -> bool {
        self.seen.iter().any(|seen| folder.starts_with(seen))
    }
}

/// One mount of the person's files.
#[derive(Debug)]
struct Mount {
    from: PathBuf,
    at: PathBuf,
    writable: bool,
}

/// Plans the box of this layout, or says why it would not be full.
pub(crate) fn plan(layout: &Layout, host: &Host) -> Result<Plan, Vec<Missing>> {
    let one = |what: String| vec![Missing::of(what)];
    let real = |path: &Path| {
        fs::canonicalize(path).map_err(|error| one(format!("{} cannot be used: {error}.", path.display())))
    };
    let (project, own_home) = (real(&layout.project)?, real(&layout.home)?);
    let home = fs::canonicalize(&host.home).unwrap_or_else(|_| host.home.clone());
    refuse(&project, &own_home, &home, host).map_err(one)?;
    let mut missing = Vec::new();
    let read_only = read_only(layout, &project, &mut missing);
    let masked = masked(layout, &project);
    // A file that nobody can see needs no more.
    let read_only: Vec<PathBuf> =
        read_only.into_iter().filter(|path| !masked.iter().any(|masked| path.starts_with(masked))).collect();
    for (which, count) in [("read-only", read_only.len()), ("closed", masked.len())] {
        if count > MOST {
            missing.push(Missing::of(format!(
                "The project has {count} {which} files and folders, and a sandbox can have {MOST}."
            )));
        }
    }
    if !missing.is_empty() {
        return Err(missing);
    }
    let mut mounts = vec![Mount { from: own_home.clone(), at: home.clone(), writable: true }];
    let readable = readable(layout, &project, &own_home, &home);
    mounts.extend(readable.into_iter().map(|(from, at)| Mount { from, at, writable: false }));
    mounts.push(Mount { from: project.clone(), at: project.clone(), writable: true });
    // A mount below another comes after it. None but those below the home depends on the home, which comes first.
    mounts.sort_by_key(|mount| mount.at.components().count());
    let mut seen: Vec<PathBuf> = mounts.iter().map(|mount| mount.at.clone()).collect();
    let mut all = Arguments(Vec::new());
    all.flags(host);
    seen.extend(all.system(host));
    if home != host.home {
        // The home is reached by a link, as where /home is one.
        all.three("--symlink", &home, &host.home);
        seen.push(host.home.clone());
    }
    let mut expected = Vec::new();
    let mut parents = BTreeSet::new();
    for mount in &mounts {
        let covers =
            |other: &&Mount| other.at != home && other.at != mount.at && mount.at.starts_with(&other.at);
        if !mounts.iter().any(|other| covers(&other)) {
            parents.extend(own_parents(&own_home, &home, mount).map_err(one)?);
        }
    }
    let (of_home, others): (Vec<Mount>, Vec<Mount>) = mounts.into_iter().partition(|mount| mount.at == home);
    for mount in &of_home {
        all.mount(mount);
    }
    for (from, at) in &parents {
        // A mount cannot be renamed: else a command puts a link in the place of such a folder, and the next box is made through it.
        all.three("--bind", from, at);
    }
    for mount in &others {
        all.mount(mount);
    }
    expected.extend(as_it_is(&project, Seen::Writable));
    // A repository of a work tree is elsewhere.
    let pinned = masked.iter().chain(read_only.iter().filter(|path| path.starts_with(&project)));
    for folder in above(&pinned.cloned().collect::<Vec<_>>(), &project) {
        // A mount cannot be renamed: else a command moves the folder, and what is closed by its path is open at the next.
        all.three("--bind", &folder, &folder);
        expected.extend(as_it_is(&folder, Seen::Writable));
    }
    for path in &read_only {
        all.three("--ro-bind", path, path);
        expected.extend(as_it_is(path, Seen::ReadOnly));
    }
    for path in &masked {
        expected.extend(as_it_is(path, Seen::Covered));
        if path.is_dir() {
            all.words(&["--perms", "0000", "--tmpfs"]).path(path).word("--remount-ro").path(path);
        } else {
            // A device cannot be opened here, so this is a file that nobody can read or write.
            all.three("--ro-bind", Path::new("/dev/null"), path);
        }
    }
    all.three("--ro-bind", &host.helper, Path::new(INSIDE));
    // Root could change settings of the kernel in /proc, and the root of the box is in memory.
    all.words(&["--remount-ro", "/proc", "--remount-ro", "/", "--chdir", "/", "--", INSIDE]);
    let arguments = all.0.into_iter().filter(|word| host.left_out.is_none_or(|left_out| word != left_out));
    Ok(Plan { arguments: arguments.collect(), expected, project, home, seen })
}

/// The other readable paths of a layout that can be given, each as it really is and where a command looks for it.
pub(crate) fn readable(
    layout: &Layout,
    project: &Path,
    own_home: &Path,
    home: &Path,
) -> Vec<(PathBuf, PathBuf)> {
    let mut found = Vec::new();
    for path in &layout.also_readable {
        let Ok(from) = fs::canonicalize(path) else { continue };
        // What is closed in the project is closed at its own place alone, so the project has no second one.
        let at = if project.starts_with(&from) { from.clone() } else { path.clone() };
        // The system's folders are there, and nothing can be mounted onto a link in them.
        let is_there = SYSTEM.iter().any(|folder| at.starts_with(folder) && !home.starts_with(folder));
        let of_project = at.starts_with(project) || from.starts_with(project);
        let of_orion = from.starts_with(own_home) || own_home.starts_with(&from);
        let is_home = home.starts_with(&from) || home.starts_with(&at);
        if at.is_absolute() && !is_there && !of_project && !of_orion && !is_home {
            found.push((from, at));
        }
    }
    found
}

/// The reason for which no box can be made of these folders at all.
pub(crate) fn refuse(project: &Path, own_home: &Path, home: &Path, host: &Host) -> Result<(), String> {
    if home.starts_with(project) {
        return Err("The project has your home folder in it.".to_owned());
    }
    if project.starts_with(own_home) || own_home.starts_with(project) {
        return Err("The project and Orion's own folder are in each other.".to_owned());
    }
    let helper = fs::canonicalize(&host.helper);
    if helper.is_ok_and(|helper| helper.starts_with(project)) {
        return Err("The project has the program in it that rules the sandbox.".to_owned());
    }
    let system = SYSTEM.iter().copied().chain(["/etc", "/proc", "/dev", "/tmp", "/run"]);
    match system.map(Path::new).find(|folder| folder.starts_with(project)) {
        Some(folder) => Err(format!("The project has {} in it.", folder.display())),
        None if project.starts_with("/proc") || project.starts_with("/dev") => {
            Err("The project is in a folder that each sandbox has of its own.".to_owned())
        }
        None => Ok(()),
    }
}

/// A path from the project that stays in it by its own names.
fn below(project: &Path, path: &Path) -> Option<PathBuf> {
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    (is_plain && path.components().next().is_some()).then(|| project.join(path))
}

/// The read-only paths, those nearest to the top first; none is a link or has one in it, and none is below another.
fn read_only(layout: &Layout, project: &Path, missing: &mut Vec<Missing>) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for name in [".git", ".orion"] {
        let path = project.join(name);
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {
                missing.push(Missing::of(format!("{name} of the project is a link.")));
            }
            Ok(metadata) if name == ".git" && metadata.is_file() => {
                paths.extend(work_tree(&path));
                paths.push(path);
            }
            Ok(_) => paths.push(path),
            Err(_) => {}
        }
    }
    let listed = layout.read_only.iter().filter_map(|path| below(project, path));
    paths.extend(listed.filter(|path| fs::canonicalize(path).is_ok_and(|real| real == *path)));
    topmost(paths)
}

/// The closed paths, as they really are: a path that leads over a link is closed where it leads to.
pub(crate) fn masked(layout: &Layout, project: &Path) -> Vec<PathBuf> {
    let listed = layout.masked.iter().filter_map(|path| below(project, path));
    let real = listed.filter_map(|path| fs::canonicalize(path).ok());
    topmost(real.filter(|path| path.starts_with(project) && path != project).collect())
}

fn topmost(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort_by_key(|path| (path.components().count(), path.clone()));
    let mut kept: Vec<PathBuf> = Vec::new();
    for path in paths {
        if !kept.iter().any(|above| path.starts_with(above)) {
            kept.push(path);
        }
    }
    kept
}

/// The repository of a work tree or a submodule whose `.git` is a file (gitrepository-layout(5)).
///
/// The file may have come from anywhere, so a folder outside of the project counts only if it names this very file.
pub(crate) fn work_tree(file: &Path) -> Option<PathBuf> {
    let folder = file.parent()?;
    let text = small(file)?;
    let named = folder.join(text.strip_prefix("gitdir:")?.trim());
    let named = fs::canonicalize(named).ok()?;
    if named.starts_with(folder) && named != folder {
        return Some(named);
    }
    let back = small(&named.join("gitdir"))?;
    let back = fs::canonicalize(named.join(back.trim())).ok()?;
    let common = small(&named.join("commondir"))?;
    let common = fs::canonicalize(named.join(common.trim())).ok()?;
    let is_its_own =
        back == file && named.parent()?.file_name()? == "worktrees" && named.parent()?.parent()? == common;
    is_its_own.then_some(common)
}

/// The folders of Orion's own home in which a mount below the home stands, each with its place in the box. They are made where they are missing: what
/// bwrap makes by itself it makes through links that a command may have put there.
fn own_parents(own_home: &Path, home: &Path, mount: &Mount) -> Result<Vec<(PathBuf, PathBuf)>, String> {
    let Ok(rest) = mount.at.strip_prefix(home) else { return Ok(Vec::new()) };
    let (mut from, mut at) = (own_home.to_owned(), home.to_owned());
    let mut parents = Vec::new();
    let mut parts = rest.components().peekable();
    while let Some(part) = parts.next() {
        from.push(part);
        at.push(part);
        let is_parent = parts.peek().is_some();
        let is_folder = is_parent || mount.from.is_dir();
        match fs::symlink_metadata(&from) {
            Ok(found) if found.is_symlink() || found.is_dir() != is_folder => {
                return Err(format!(
                    "A command has put something else where {} belongs; remove it.",
                    from.display()
                ));
            }
            Ok(_) => {}
            Err(_) if is_folder => {
                fs::create_dir(&from)
                    .map_err(|error| format!("{} cannot be made: {error}.", from.display()))?;
            }
            Err(_) => {
                let made = fs::File::create_new(&from);
                made.map_err(|error| format!("{} cannot be made: {error}.", from.display()))?;
            }
        }
        if is_parent {
            parents.push((from.clone(), at.clone()));
        }
    }
    Ok(parents)
}

/// The flag with which a pipe is opened without waiting for it.
const NONBLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();

/// The text of a small file that anybody may have put there. A pipe is not waited for.
fn small(path: &Path) -> Option<String> {
    let open = fs::OpenOptions::new().read(true).custom_flags(NONBLOCK).open(path).ok()?;
    let mut text = String::new();
    let is_file = open.metadata().ok()?.is_file();
    open.take(64 << 10).read_to_string(&mut text).ok().filter(|_| is_file)?;
    Some(text)
}

/// The folders between the project and these paths.
fn above(paths: &[PathBuf], project: &Path) -> Vec<PathBuf> {
    let between = |path: &Path| -> Vec<PathBuf> {
        let folders = path.ancestors().skip(1).take_while(|folder| *folder != project);
        folders.map(Path::to_path_buf).collect()
    };
    let mut folders: Vec<PathBuf> = paths.iter().flat_map(|path| between(path)).collect();
    folders.sort_by_key(|folder| (folder.components().count(), folder.clone()));
    folders.dedup();
    folders
}

pub(crate) fn as_it_is(path: &Path, seen: Seen) -> Option<Expected> {
    let metadata = fs::symlink_metadata(path).ok()?;
    Some(Expected { path: path.into(), device: metadata.dev(), inode: metadata.ino(), seen })
}

/// Arguments, in their order.
#[derive(Debug)]
struct Arguments(Vec<OsString>);

impl Arguments {
    fn word(&mut self, word: &str) -> &mut Self {
        self.0.push(word.into());
        self
    }

    fn path(&mut self, path: &Path) -> &mut Self {
        self.0.push(path.into());
        self
    }

    fn words(&mut self, words: &[&str]) -> &mut Self {
        self.0.extend(words.iter().map(OsString::from));
        self
    }

    fn mount(&mut self, mount: &Mount) {
        self.three(if mount.writable { "--bind" } else { "--ro-bind" }, &mount.from, &mount.at);
    }

    fn three(&mut self, option: &str, from: &Path, to: &Path) {
        self.word(option).path(from).path(to);
    }

    /// Namespaces, capabilities, and that the box ends with whoever started it.
    fn flags(&mut self, host: &Host) {
        self.words(&["--unshare-user", "--unshare-all"]);
        if host.disables_userns {
            self.word("--disable-userns");
        }
        self.words(&["--as-pid-1", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]);
    }

    /// The empty root with the system's own files, and the folders that the box has of its own. These can be seen.
    fn system(&mut self, host: &Host) -> Vec<PathBuf> {
        let mut seen = Vec::new();
        for folder in SYSTEM.map(PathBuf::from).into_iter().filter(|folder| folder.is_dir()) {
            self.three("--ro-bind", &folder, &folder);
            seen.push(folder);
        }
        for path in of_root() {
            match fs::read_link(&path) {
                Ok(target) => self.three("--symlink", &target, &path),
                Err(_) => self.three("--ro-bind", &path, &path),
            }
            seen.push(path);
        }
        let etc = Path::new("/etc");
        if host.is_root {
            for path in etc_of_root() {
                match fs::read_link(&path) {
                    Ok(target) => self.three("--symlink", &target, &path),
                    Err(_) => self.three("--ro-bind", &path, &path),
                }
            }
            for keys in KEYS.map(Path::new).into_iter().filter(|keys| keys.is_dir()) {
                self.words(&["--perms", "0000", "--tmpfs"]).path(keys).word("--remount-ro").path(keys);
            }
        } else if etc.is_dir() {
            self.three("--ro-bind", etc, etc);
        }
        self.words(&[
            "--proc",
            "/proc",
            "--dev",
            "/dev",
            "--perms",
            "1777",
            "--size",
            &SHARED_BYTES.to_string(),
        ]);
        self.words(&["--tmpfs", "/dev/shm", "--remount-ro", "/dev"]);
        self.words(&["--perms", "1777", "--size", &TMP_BYTES.to_string(), "--tmpfs", "/tmp"]);
        seen
    }
}

/// `/bin`, `/sbin` and each `/lib…` of this computer, in the order of their names.
pub(crate) fn of_root() -> Vec<PathBuf> {
    let names = fs::read_dir("/").into_iter().flatten().flatten().map(|entry| entry.file_name());
    let is_one = |name: &OsStr| name == "bin" || name == "sbin" || name.as_bytes().starts_with(b"lib");
    let mut paths: Vec<PathBuf> =
        names.filter(|name| is_one(name)).map(|name| Path::new("/").join(name)).collect();
    paths.retain(|path| path.is_dir());
    paths.sort();
    paths
}

/// The paths of /etc that root has, in the order of their names.
pub(crate) fn etc_of_root() -> Vec<PathBuf> {
    let names = fs::read_dir("/etc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    let is_one = |name: &String| {
        ETC_OF_ROOT.contains(&name.as_str())
            || ETC_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
    };
    let mut paths: Vec<PathBuf> = names.filter(is_one).map(|name| Path::new("/etc").join(name)).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests;
