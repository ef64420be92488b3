//! The places where a command finds its programs, and whether a command may write there (C1).
//!
//! No rule is kept for a program that another command may have put in its place. Deliberately not here: programs that are never kept by their name
//! (`orion-core`), and what a box shows of this computer (`orion-sandbox`).

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use orion_sandbox::Layout;

/// The folders of which a box has some of its own, that commands write.
const SHARED: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// The search path of bash where none is set: it ends with the folder of the command.
pub(super) const WITHOUT_PATH: &str = "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin:.";

/// The reason for which no rule is kept for a program by where it is found, as the end of a sentence that begins with its name. `path` is the search
/// path, and `home` the person's, in whose place commands have one of their own.
pub(crate) fn never_kept(name: &str, layout: &Layout, path: &OsStr, home: Option<&Path>) -> Option<String> {
    looked_for(name, layout, path, home, &SHARED.map(Path::new))
}

/// The same with these folders of which a box has some of its own.
fn looked_for(
    name: &str,
    layout: &Layout,
    path: &OsStr,
    home: Option<&Path>,
    shared: &[&Path],
) -> Option<String> {
    for entry in std::env::split_paths(path) {
        if entry.is_relative() {
            return Some("is looked for in the folder of the command".to_owned());
        }
        let is_seen = |place: &Path| layout.also_readable.iter().any(|seen| place.starts_with(seen));
        let of_commands = home.filter(|home| entry.starts_with(home) && !is_seen(&entry));
        let place = match of_commands.and_then(|home| entry.strip_prefix(home).ok()) {
            Some(below) => layout.home.join(below),
            None => entry.clone(),
        };
        let Some(program) = found(&place.join(name)) else { continue };
        let writable = |folder: &Path| {
            let real = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
            program.starts_with(&real) || place.starts_with(folder) || entry.starts_with(folder)
        };
        let own = [layout.project.as_path(), layout.home.as_path()];
        let is_writable = own.into_iter().chain(shared.iter().copied()).any(writable);
        return is_writable.then(|| format!("lies in {}, where commands write", entry.display()));
    }
    Some("is not found".to_owned())
}

/// The file of a program without links, if it can be run.
fn found(program: &Path) -> Option<PathBuf> {
    let real = fs::canonicalize(program).ok()?;
    let about = fs::metadata(&real).ok()?;
    (about.is_file() && about.permissions().mode() & 0o111 != 0).then_some(real)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use orion_sandbox::Layout;

    use super::{looked_for, never_kept};

    fn program(at: &Path) {
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        fs::write(at, "#!/bin/sh\n").unwrap();
        fs::set_permissions(at, fs::Permissions::from_mode(0o755)).unwrap();
    }

    // C1
    #[test]
    fn no_rule_is_kept_for_a_program_in_a_place_where_a_command_may_write() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [
            "usr/ls",
            "project/bin/mine",
            "person/.cargo/bin/cargo",
            "own/bin/made",
            "usr/both",
            "project/bin/both",
            "tmp/x",
        ] {
            program(&at(name));
        }
        fs::write(at("usr/text"), "").unwrap();
        symlink(at("project/bin/mine"), at("usr/linked")).unwrap();
        let layout = Layout {
            project: at("project"),
            home: at("own"),
            also_readable: vec![at("person/.cargo/bin")],
            ..Layout::default()
        };
        let never = |name: &str, entries: &[&str]| {
            let path = std::env::join_paths(entries.iter().map(|entry| at(entry))).unwrap();
            looked_for(name, &layout, &path, Some(&at("person")), &[&at("tmp")])
        };
        let all = ["person/.cargo/bin", "person/bin", "usr", "project/bin", "tmp"];
        assert_eq!(never("ls", &all), None);
        assert_eq!(never("cargo", &all), None);
        assert_eq!(never("both", &all), None, "the first one runs");
        for (name, why) in [("made", "person/bin"), ("mine", "project/bin"), ("linked", "usr"), ("x", "tmp")]
        {
            let why = format!("lies in {}, where commands write", at(why).display());
            assert_eq!(never(name, &all), Some(why), "{name}");
        }
        for name in ["none", "text"] {
            assert_eq!(never(name, &all).as_deref(), Some("is not found"));
        }
        let here = OsString::from("bin:/usr/bin");
        assert_eq!(
            never_kept("ls", &layout, &here, None).as_deref(),
            Some("is looked for in the folder of the command")
        );
    }
}
