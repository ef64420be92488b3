//! A fresh Debian in a folder: made by debootstrap, entered by chroot, and removed at the end, also of a trial that failed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::step::{ask, command, run, say};

/// The person who uses the computer, without root.
const PERSON: &str = "person";

#[derive(Debug)]
pub(super) struct Root {
    folder: PathBuf,
}

/// Who runs a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum As {
    Root,
    Person,
}

/// Mounts what programs expect, in a view of its own that ends with the command, and enters.
const ENTER: &str = r#"
mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/dev/shm" && mkdir -p "$1/dev/pts" && mount -t devpts devpts "$1/dev/pts"
exec chroot --userspec="$2" "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME="$3" DEBIAN_FRONTEND=noninteractive \
    XDG_RUNTIME_DIR=/tmp GDK_BACKEND=x11 NO_AT_BRIDGE=1 DBUS_SESSION_BUS_ADDRESS=disabled: TAURI_WEBVIEW_AUTOMATION=true \
    ${http_proxy:+http_proxy="$http_proxy"} sh -euc "cd; $4"
"#;

impl Root {
    /// Makes a Debian of this name in the folder, with a person.
    pub(super) fn fresh(suite: &str, folder: &Path) -> Result<Self> {
        let root = Self { folder: folder.to_owned() };
        super::super::empty(folder)?;
        let mut make = command("debootstrap", &["--variant=minbase", suite]);
        run(&format!("making a fresh Debian, {suite}"), make.arg(folder).arg(mirror()?))?;
        fs::copy("/etc/resolv.conf", folder.join("etc/resolv.conf"))
            .context("resolv.conf cannot be copied")?;
        // It is gone in a quarter of an hour: nothing waits for the disk.
        fs::write(folder.join("etc/dpkg/dpkg.cfg.d/trial"), "force-unsafe-io\n")
            .context("dpkg cannot be set up")?;
        root.run("adding a person", As::Root, &format!("useradd --create-home --shell /bin/bash {PERSON}"))?;
        Ok(root)
    }

    /// A script in this Debian. All that it starts ends with it.
    pub(super) fn script(&self, who: As, script: &str) -> Command {
        let (user, home) = match who {
            As::Root => ("root:root", "/root".to_owned()),
            As::Person => ("person:person", format!("/home/{PERSON}")),
        };
        let mut enter =
            command("unshare", &["--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "sh"]);
        enter.arg(&self.folder).args([user, &home, script]);
        enter
    }

    pub(super) fn run(&self, what: &str, who: As, script: &str) -> Result<()> {
        run(what, &mut self.script(who, script))
    }

    /// What a script prints.
    pub(super) fn said(&self, who: As, script: &str) -> Result<String> {
        ask(self.script(who, script).stderr(Stdio::inherit()))
            .with_context(|| format!("this failed: {script}"))
    }

    /// The code that a script ends with, and what it prints.
    pub(super) fn ended(&self, who: As, script: &str) -> Result<(Option<i32>, String)> {
        let output =
            self.script(who, script).stdin(Stdio::null()).output().context("unshare did not start")?;
        let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        Ok((output.status.code(), said.concat()))
    }

    /// A script that goes on until it is dropped.
    pub(super) fn start(&self, who: As, script: &str) -> Result<Running> {
        let child = self.script(who, script).stdin(Stdio::null()).spawn().context("unshare did not start")?;
        Ok(Running(child))
    }

    /// Copies a file into the folder /tmp.
    pub(super) fn bring(&self, file: &Path) -> Result<String> {
        let name = file.file_name().context("a file has a name")?.to_string_lossy().into_owned();
        fs::copy(file, self.folder.join("tmp").join(&name))
            .with_context(|| format!("{name} cannot be copied"))?;
        Ok(format!("/tmp/{name}"))
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            say(&format!("{} is still there: {error}", self.folder.display()));
        }
    }
}

/// A script, and all that it started.
#[derive(Debug)]
pub(super) struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The mirror of Debian that this computer installs from.
fn mirror() -> Result<String> {
    let mut targets =
        command("apt-get", &["indextargets", "--format", "$(LABEL) $(SITE)", "Created-By: Packages"]);
    let targets = ask(&mut targets).context("apt-get names no sources")?;
    match mirror_in(&targets) {
        Some(mirror) => Ok(mirror.to_owned()),
        None => bail!("apt-get names no mirror of Debian among its sources: {targets}"),
    }
}

fn mirror_in(targets: &str) -> Option<&str> {
    targets.lines().find_map(|target| target.strip_prefix("Debian "))
}

/// Trials are for root: a fresh system is made and entered.
pub(super) fn ensure_root() -> Result<()> {
    ensure!(
        ask(&mut command("id", &["-u"])).as_deref() == Some("0"),
        "packages are tried as root: it makes fresh systems"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mirror_is_one_of_debian_itself() {
        let targets =
            "Debian-Security http://example.org/debian-security\nDebian http://example.org/debian\n";
        assert_eq!(mirror_in(targets), Some("http://example.org/debian"));
        assert_eq!(mirror_in("Ubuntu http://example.org/ubuntu\n"), None);
    }
}
