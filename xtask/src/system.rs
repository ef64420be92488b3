//! What the system must have before anything can be built or tested, and installing it on Debian and Ubuntu.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::step::{ask, command, root, run, say, target};
use crate::ui;

/// To build the window.
const BUILD: [&str; 3] = ["libwebkit2gtk-4.1-dev", "build-essential", "pkg-config"];

/// To drive the window on a display of its own, to kill a writer at each of its system calls, to install a collector of traces, to put
/// commands into a sandbox, and to run the commands of docs/http.md.
const TEST: [&str; 9] = [
    "xvfb",
    "xauth",
    "webkit2gtk-driver",
    "fonts-dejavu-core",
    "dbus",
    "strace",
    "python3-pip",
    "bubblewrap",
    "curl",
];

/// To build projects of other kinds in a sandbox, in `soak` alone.
const SOAK: [&str; 2] = ["python3-venv", "default-jdk-headless"];

/// To build for Windows and macOS, and to run Windows programs: see `systems`.
const SYSTEMS: [&str; 5] = ["rustc-web", "cargo-web", "rust-web-src", "gcc-mingw-w64-x86-64", "wine64"];

/// To make packages for Linux. `cargo-deb` asks dpkg-dev which libraries a program needs.
const PACK: [&str; 2] = ["dpkg-dev", "zip"];

/// To try them: fresh systems, and what judges a package, a desktop entry and its metadata.
const TRY: [&str; 6] = ["debootstrap", "lintian", "desktop-file-utils", "appstream", "curl", "unzip"];

/// The program that `ui/playwright.config.ts` starts, when it is not Debian's.
const BROWSER: &str = "ORION_CHROMIUM";

/// The oldest Node.js that the UI's tools run on.
const NODE: u32 = 20;

/// Installs what building needs.
pub(crate) fn for_building() -> Result<()> {
    install(&BUILD)
}

/// Installs what building and testing need.
pub(crate) fn for_testing() -> Result<()> {
    for_testing_with(&[])
}

/// Installs what `soak` needs besides.
pub(crate) fn for_soaking() -> Result<()> {
    for_testing_with(&SOAK)
}

fn for_testing_with(more: &[&'static str]) -> Result<()> {
    let named = std::env::var_os(BROWSER).map(PathBuf::from);
    let system = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let browser = browser(named.as_deref(), &system)?;
    install(&[&BUILD[..], &TEST, browser.as_slice(), more].concat())
}

/// The package of the browser that the UI is tested in; none where somebody named a program.
fn browser(named: Option<&Path>, system: &str) -> Result<Option<&'static str>> {
    match named {
        Some(program) if program.is_file() => Ok(None),
        Some(program) => bail!("{BROWSER} is {}, and there is no such program", program.display()),
        None if system.lines().any(|line| line == "ID=ubuntu") => bail!(
            "Ubuntu has Chromium as a snap alone, which cannot be driven from here. Get another one, such as with \
             `npx playwright install --with-deps chromium` in ui/ after `npm ci`, and set {BROWSER} to its program \
             (~/.cache/ms-playwright/chromium-NUMBER/chrome-linux/chrome)"
        ),
        // Without the parts that show a window, it starts and draws faster.
        None => Ok(Some("chromium-headless-shell")),
    }
}

/// Refuses a first build on a disk where it would end in the middle: linkers say that in ways that name no disk.
pub(crate) fn has_room(bytes: u64) -> Result<()> {
    if target().join("debug/orion").is_file() {
        return Ok(());
    }
    let table = ask(command("df", &["-Pk"]).arg(root()));
    match table.as_deref().and_then(free) {
        Some(free) if free < bytes => {
            bail!(
                "the disk of {} has {} MB free, and {} MB are needed",
                root().display(),
                free / MB,
                bytes / MB
            )
        }
        _ => Ok(()),
    }
}

const MB: u64 = 1_000_000;

/// The free bytes in what `df -Pk` says of one folder.
fn free(table: &str) -> Option<u64> {
    let kibibytes: u64 = table.lines().last()?.split_whitespace().nth(3)?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// Installs what building for other systems needs, and running their programs.
pub(crate) fn for_systems() -> Result<()> {
    on_debian(&SYSTEMS)
}

/// Installs what packing needs, also for Windows.
pub(crate) fn for_packing() -> Result<()> {
    on_debian(&[&PACK[..], &SYSTEMS].concat())
}

/// Installs what trying packages needs.
pub(crate) fn for_trying() -> Result<()> {
    on_debian(&TRY)
}

fn on_debian(packages: &[&str]) -> Result<()> {
    if ask(&mut command("dpkg-query", &["--version"])).is_none() {
        bail!("this is not Debian, whose packages it takes: {}", packages.join(" "));
    }
    install(packages)
}

fn install(packages: &[&str]) -> Result<()> {
    node()?;
    if cfg!(target_os = "macos") {
        return by_hand(
            "xcode-select",
            &["-p"],
            "install Xcode's command line tools: xcode-select --install",
        );
    }
    if cfg!(target_os = "windows") {
        say(
            "on Windows install two things by hand: Microsoft's C++ build tools, and WebView2 (part of Windows 11)",
        );
        return Ok(());
    }
    if ask(&mut command("dpkg-query", &["--version"])).is_none() {
        return by_hand(
            "pkg-config",
            &["--exists", "webkit2gtk-4.1"],
            "this is not Debian or Ubuntu: install the development files of WebKitGTK 4.1, a C compiler and pkg-config by hand",
        );
    }
    let missing: Vec<&str> = packages.iter().copied().filter(|package| !is_installed(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    let mut wrapper = vec!["env", "DEBIAN_FRONTEND=noninteractive"];
    if ask(&mut command("id", &["-u"])).as_deref() != Some("0") {
        if ask(&mut command("sudo", &["--version"])).is_none() {
            bail!(
                "these packages are missing, and there is no sudo to install them; as root: apt-get install {list}"
            );
        }
        wrapper.insert(0, "sudo");
    }
    let apt = |arguments: &[&str]| {
        let all = [&wrapper[1..], &["apt-get"], arguments].concat();
        command(wrapper[0], &all)
    };
    let arguments = [&["install", "--yes", "--no-install-recommends"], &missing[..]].concat();
    if run(&format!("installing {list}"), &mut apt(&arguments)).is_err() {
        // The package lists may be empty or too old to install from.
        run("asking for the current package lists", &mut apt(&["update"]))?;
        run(&format!("installing {list}"), &mut apt(&arguments))?;
    }
    Ok(())
}

fn is_installed(package: &str) -> bool {
    let status = ask(&mut command("dpkg-query", &["--show", "--showformat=${db:Status-Status}", package]));
    status.as_deref() == Some("installed")
}

/// Succeeds when the command does; else fails with what a person must do.
fn by_hand(program: &str, arguments: &[&str], advice: &str) -> Result<()> {
    match ask(&mut command(program, arguments)) {
        Some(_) => Ok(()),
        None => bail!("{advice}"),
    }
}

fn node() -> Result<()> {
    let Some(version) = ask(&mut command("node", &["--version"])) else {
        bail!("Node.js is missing: install version {NODE} or later, with npm");
    };
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_none_or(|major| major < NODE) {
        bail!("Node.js {version} is too old: install version {NODE} or later");
    }
    if ask(&mut ui::npm(&["--version"])).is_none() {
        bail!("npm is missing: install it beside Node.js");
    }
    Ok(())
}

/// True when there is a display to open a window on.
pub(crate) fn has_display() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

#[cfg(test)]
mod tests {
    use super::*;

    const UBUNTU: &str = "PRETTY_NAME=\"Ubuntu 24.04 LTS\"\nID=ubuntu\nID_LIKE=debian\n";
    const DEBIAN: &str = "PRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian\n";

    #[test]
    fn debian_has_a_browser_and_on_ubuntu_one_has_to_be_named() {
        assert_eq!(browser(None, DEBIAN).unwrap(), Some("chromium-headless-shell"));
        let refusal = browser(None, UBUNTU).unwrap_err().to_string();
        assert!(refusal.contains("ORION_CHROMIUM") && refusal.contains("playwright install"), "{refusal}");
        let program = std::env::current_exe().unwrap();
        for system in [DEBIAN, UBUNTU] {
            assert_eq!(browser(Some(&program), system).unwrap(), None);
            let refusal = browser(Some(Path::new("/nowhere/chrome")), system).unwrap_err().to_string();
            assert_eq!(refusal, "ORION_CHROMIUM is /nowhere/chrome, and there is no such program");
        }
    }

    #[test]
    fn what_is_free_is_read_from_the_table_of_one_folder() {
        let table = "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/vda 264212084 28375784 66910104 30% /\n";
        assert_eq!(free(table), Some(66_910_104 * 1024));
        assert_eq!(free("df: nothing\n"), None);
    }
}
