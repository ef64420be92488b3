//! `package`: what a stranger installs, made of one optimised build, into target/packages.
//!
//! On Linux a Debian package, an archive for people without root, and one with the command line for Windows. `package::table` says what is
//! packed, and where it goes. On macOS and Windows Tauri's bundler makes the system's own kind of package.

mod deb;
mod licences;
mod made;
mod table;
mod tarball;
mod trial;
mod windows;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::step::{self, ask, command, root, say, target};
use crate::{build, system, tools, ui};

/// Tauri's command line, from npm as a finished program; only packing for macOS and Windows needs it.
const BUNDLER: &str = "@tauri-apps/cli@2.12.5";

/// What Tauri's bundler makes.
const BUNDLES: &str = if cfg!(target_os = "macos") { "app,dmg" } else { "nsis" };

/// The most that the Debian package may take, in bytes.
const LARGEST: u64 = 22_000_000;

/// The most that it may take once it is installed, in bytes.
const LARGEST_INSTALLED: u64 = 70_000_000;

/// Makes the packages of this system.
pub(crate) fn run() -> Result<()> {
    make().map(drop)
}

/// Makes them, and tries those for Linux and Windows.
pub(crate) fn and_try() -> Result<()> {
    ensure!(cfg!(target_os = "linux"), "packages are tried on Debian alone");
    trial::all(&make()?)
}

/// What was made.
#[derive(Debug)]
struct Packages {
    version: String,
    deb: PathBuf,
    tar: PathBuf,
    zip: PathBuf,
}

fn make() -> Result<Packages> {
    system::for_building()?;
    ui::install()?;
    if !cfg!(target_os = "linux") {
        return bundled();
    }
    system::for_packing()?;
    tools::exactly("deb", deb::TOOL)?;
    step::run("building the UI", &mut ui::script("build"))?;
    step::run("building the optimised programs", &mut build::optimised())?;
    windows::build()?;

    let packages = folder();
    empty(&packages)?;
    made::everything()?;
    let deb = deb::make(&version(), "")?;
    let tar = tarball::make(&version())?;
    let zip = windows::pack(&version())?;
    sums(&packages, &[&deb, &tar, &zip])?;
    is_small(&deb)?;
    say(&format!("the packages are in {}", packages.display()));
    Ok(Packages { version: version(), deb, tar, zip })
}

fn bundled() -> Result<Packages> {
    step::run("building the UI", &mut ui::script("build"))?;
    step::run("building the optimised programs", &mut build::optimised())?;
    let npx = if cfg!(windows) { "npx.cmd" } else { "npx" };
    step::run("packing it", &mut command(npx, &["--yes", BUNDLER, "bundle", "--bundles", BUNDLES]))?;
    let bundle = target().join("release/bundle");
    say(&format!("the package is in {}", bundle.display()));
    Ok(Packages { version: version(), deb: bundle.clone(), tar: bundle.clone(), zip: bundle })
}

/// The folder for packages and for what they are made of.
fn folder() -> PathBuf {
    target().join("packages")
}

/// The version of all crates, this one among them.
fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// Makes a folder, or removes everything in it.
fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("{} cannot be emptied", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))
}

/// Writes SHA256SUMS beside the packages, in the form that `sha256sum --check` reads.
fn sums(folder: &Path, packages: &[&PathBuf]) -> Result<()> {
    let names = packages.iter().filter_map(|package| package.file_name());
    let sums =
        ask(command("sha256sum", &[]).args(names).current_dir(folder)).context("sha256sum gave no sums")?;
    fs::write(folder.join("SHA256SUMS"), sums + "\n").context("SHA256SUMS cannot be written")
}

/// Refuses a package that is too large, or would be once it is installed.
fn is_small(deb: &Path) -> Result<()> {
    let packed = fs::metadata(deb).with_context(|| format!("{} cannot be read", deb.display()))?.len();
    let kibibytes = ask(command("dpkg-deb", &["--field"]).arg(deb).arg("Installed-Size"));
    let kibibytes: u64 = kibibytes.and_then(|size| size.parse().ok()).context("dpkg-deb gave no size")?;
    let installed = kibibytes * 1024;
    say(&format!("the Debian package takes {} MB, installed {} MB", megabytes(packed), megabytes(installed)));
    if packed > LARGEST || installed > LARGEST_INSTALLED {
        bail!(
            "that is more than {} MB, or {} MB installed",
            megabytes(LARGEST),
            megabytes(LARGEST_INSTALLED)
        );
    }
    Ok(())
}

fn megabytes(bytes: u64) -> String {
    format!("{}.{}", bytes / 1_000_000, bytes % 1_000_000 / 100_000)
}

/// When the commit was made that is packed, in seconds since 1970: the time of every file in an archive, so that the same commit makes the same
/// one.
fn epoch() -> String {
    ask(&mut command("git", &["log", "-1", "--format=%ct"])).unwrap_or_else(|| "0".to_owned())
}

/// The system that the packages for Linux are built on and for, as compilers name it.
fn triple() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// A file of the repository that packages are made of.
fn source(name: &str) -> Result<String> {
    let path = root().join(name);
    fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_said_in_megabytes_with_one_digit() {
        assert_eq!([megabytes(LARGEST), megabytes(13_478_112), megabytes(0)], ["22.0", "13.4", "0.0"]);
    }
}
