//! The program `bwrap` of the system: where it is, and that nobody but root can have changed it.
//!
//! Deliberately not here: its arguments (`mounts`).

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tokio::process::Command;

/// The folders that are searched. Not the search path: a project or a tool may have put its own first.
pub(crate) const FOLDERS: [&str; 3] = ["/usr/bin", "/bin", "/usr/local/bin"];

/// Bits of a mode: set-uid and set-gid, and writable by the group or by others.
const SET_ID: u32 = 0o6000;
const WRITABLE: u32 = 0o022;

/// The program, found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bwrap {
    pub(crate) program: PathBuf,
    pub(crate) size: u64,
    pub(crate) modified: i64,
}

/// The first program that can be used, or the reasons for which none can.
pub(crate) fn find(folders: &[PathBuf]) -> Result<Bwrap, Vec<String>> {
    let mut unfit = Vec::new();
    for program in folders.iter().map(|folder| folder.join("bwrap")) {
        let Ok(metadata) = fs::metadata(&program) else { continue };
        match unfitness(&program, &metadata) {
            None => {
                return Ok(Bwrap { program, size: metadata.size(), modified: metadata.mtime() });
            }
            Some(why) => unfit.push(why),
        }
    }
    Err(unfit)
}

fn unfitness(program: &Path, metadata: &Metadata) -> Option<String> {
    let why = match metadata {
        _ if !metadata.is_file() => "is not a file",
        _ if metadata.uid() != 0 => "does not belong to root",
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
        assert_eq!(find(&folders), Err(Vec::new()));
        fs::write(&program, "").unwrap();
        // Of another user, a file belongs to that user already.
        let is_root = rustix::process::geteuid().is_root();
        for (mode, why) in [
            (0o4755, "runs with the rights of another user"),
            (0o2755, "runs with the rights of another user"),
            (0o775, "can be changed by other users"),
            (0o757, "can be changed by other users"),
        ] {
            fs::set_permissions(&program, fs::Permissions::from_mode(mode)).unwrap();
            let why = if is_root { why } else { "does not belong to root" };
            assert_eq!(find(&folders), Err(vec![format!("{} {why}.", program.display())]), "{mode:o}");
        }
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find(&folders).is_ok(), is_root);
    }
}
