//! A small disk of a test's own.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A file system of 1 MiB in memory, taken away with the test.
#[derive(Debug)]
pub struct Disk(TempDir);

impl Disk {
    /// Panics where the test does not run as root.
    #[must_use]
    pub fn of_one_mib() -> Self {
        let disk = Self(tempfile::tempdir().expect("a folder to mount it on"));
        disk.mount(&["-t", "tmpfs", "-o", "size=1m", "tmpfs"]);
        disk
    }

    /// Mounts it once more, with these arguments of `mount`.
    pub fn mount(&self, arguments: &[&str]) {
        let output = Command::new("mount").args(arguments).arg(self.path()).output().expect("mount");
        assert!(
            output.status.success(),
            "this test mounts a disk of 1 MiB and so must run as root: mount: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.path()).status();
    }
}
