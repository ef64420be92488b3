//! The program `bwrap` of the system: where it is, and that nobody but root can have changed it.
//!
//! Deliberately not here: its arguments (`mounts`).

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tokio::process::Command;

use crate::identity::Identity;

/// The folders that are searched. Not the search path: a project or a tool may have put its own first.
pub(crate) const FOLDERS: [&str; 3] = ["/usr/bin", "/bin", "/usr/local/bin"];

/// Bits of a mode: set-uid and set-gid, and writable by the group or by others.
const SET_ID: u32 = 0o6000;
const WRITABLE: u32 = 0o022;

/// The program, found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bwrap {
    pub(crate) program: PathBuf,
    pub(crate) identity: Identity,
}

/// The first program that can be used, or the reasons for which none can. It belongs to this user: root, but for a test.
pub(crate) fn find(folders: &[PathBuf], owner: u32) -> Result<Bwrap, Vec<String>> {
    let mut unfit = Vec::new();
    for program in folders.iter().map(|folder| folder.join("bwrap")) {
        let Ok(metadata) = fs::metadata(&program) else { continue };
        match unfitness(&program, &metadata, owner) {
            None => {
                let identity = Identity::of(&program, &metadata);
                return Ok(Bwrap { program, identity });
            }
            Some(why) => unfit.push(why),
        }
    }
    Err(unfit)
}

fn unfitness(program: &Path, metadata: &Metadata, owner: u32) -> Option<String> {
    let why = match metadata {
        _ if !metadata.is_file() => "is not a file",
        _ if metadata.uid() != owner => "does not belong to root",
        _ if metadata.mode() & SET_ID != 0 => "runs with the rights of another user",
        _ if metadata.mode() & WRITABLE != 0 => "can be changed by other users",
        _ => return None,
    };
    Some(format!("{} {why}.", program.display()))
}

/// True if this program knows an option, by its own help.
pub(crate) async fn knows(program: &Path, option: &str) -> bool {
    let mut help = Command::new(program);
    help.arg("--help").env_clear().stdin(std::process::Stdio::null());
    let said = help.output().await;
    said.is_ok_and(|said| {
        [said.stdout, said.stderr].iter().any(|text| String::from_utf8_lossy(text).contains(option))
    })
}

#[cfg(test)]
mod tests {
    use super::find;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_program_that_others_may_have_changed_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("bwrap");
        let folders = [folder.path().to_path_buf()];
        let own = rustix::process::geteuid().as_raw();
        assert_eq!(find(&folders, own), Err(Vec::new()));
        fs::write(&program, "").unwrap();
        let refused = |why: &str| Err(vec![format!("{} {why}.", program.display())]);
        for (mode, why) in [
            (0o4755, "runs with the rights of another user"),
            (0o2755, "runs with the rights of another user"),
            (0o775, "can be changed by other users"),
            (0o757, "can be changed by other users"),
        ] {
            fs::set_permissions(&program, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(find(&folders, own), refused(why), "{mode:o}");
        }
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find(&folders, own + 1), refused("does not belong to root"));
        assert_eq!(find(&folders, own).unwrap().program, program);
    }
}
