//! `systems`: Orion for Windows and macOS, as far as that can be tested on Debian.
//!
//! Everything is type-checked for both. The tests of the crates and of the command line also run as Windows programs under
//! Wine. Debian's compiler for the web builds its own standard library for another system, so no second toolchain is needed;
//! mingw and Zig compile the C parts. Deliberately not here: the window, which Wine does not show as Windows does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::step::{self, Steps, ask, command, root, run, target};
use crate::{system, tools, types, ui};

const WINDOWS: &str = "x86_64-pc-windows-gnu";
const MACOS: &str = "aarch64-apple-darwin";

/// Debian's Cargo and compiler, whatever else is first on the path.
const CARGO: &str = "/usr/bin/cargo";
const RUSTC: &str = "/usr/bin/rustc";
const WINE: &str = "/usr/lib/wine/wine64";
const MINGW: &str = "x86_64-w64-mingw32-gcc";

/// What is built for Wine: not the window, and not what only runs here.
const SELECTION: [&str; 7] =
    ["--workspace", "--exclude", "orion", "--exclude", "orion-bench", "--exclude", "xtask"];

/// What runs there: the crates' own tests, but those that start git, which Wine does not have; and of the suites those of the
/// command line.
const TESTS: &str = "not (package(orion-tests) | test(/^unified::/)) | test(/^cli::/)";

/// What of the standard library is built: both kinds of panic, since the profiles use both.
const STANDARD_LIBRARY: &str = "std,panic_abort,panic_unwind";

pub(crate) fn run_all() -> Result<()> {
    system::for_systems()?;
    tools::ensure("nextest")?;
    ui::install()?;
    step::run("building the UI", &mut ui::script("build"))?;
    let zig = zig()?;
    let wine = Wine::set_up()?;

    let mut steps = Steps::default();
    steps.run("type-checking everything for Windows, warnings denied", &mut check(WINDOWS));
    steps.run("type-checking everything for macOS, warnings denied", with_zig(&mut check(MACOS), &zig));
    // The suites start the program, which a test run alone does not build.
    let build = [&["build", "--bins", "--tests", "--target", WINDOWS], &SELECTION[..]].concat();
    steps.run("building the tests and the command line for Windows", &mut foreign(&build));
    steps.run("running them as Windows programs under Wine", &mut wine.tests());
    steps.finish()
}

/// All packages and their tests.
fn check(system: &str) -> Command {
    let mut check = foreign(&["check", "--workspace", "--all-targets", "--target", system]);
    // Denied by Cargo and not by a flag of the compiler, which would build the standard library and every crate again.
    check.env("CARGO_UNSTABLE_WARNINGS", "true").args(["--config", "build.warnings='deny'"]);
    check
}

/// Cargo for another system, in a target folder of its own.
fn foreign(arguments: &[&str]) -> Command {
    let mut cargo = command(CARGO, arguments);
    cargo
        .env("RUSTC", RUSTC)
        .env("CARGO_TARGET_DIR", folder())
        .env("CARGO_UNSTABLE_BUILD_STD", STANDARD_LIBRARY)
        // Building the standard library is unstable, which only a nightly compiler allows without this.
        .env("RUSTC_BOOTSTRAP", "1")
        // Quicker to build, and nobody debugs these programs.
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        // Set by the Cargo that runs this program, for its own compiler.
        .env_remove("LD_LIBRARY_PATH")
        .env_remove("RUSTUP_TOOLCHAIN");
    cargo
}

/// Where everything of this command is kept.
fn folder() -> PathBuf {
    target().join("systems")
}

/// Zig's program, from Python's package of it.
fn zig() -> Result<PathBuf> {
    let packages = folder().join("zig");
    let program = packages.join("ziglang/zig");
    if !program.is_file() {
        let mut pip = command("python3", &["-m", "pip", "install", "--quiet", "--target"]);
        run("installing ziglang", pip.arg(&packages).arg("ziglang"))?;
    }
    Ok(program)
}

fn with_zig<'a>(check: &'a mut Command, zig: &Path) -> &'a mut Command {
    check
        .env("ZIG", zig)
        .env("CC_aarch64_apple_darwin", root().join("xtask/systems/zig-cc"))
        // Nothing is linked, so Apple's SDK is not needed. Without this, `cc` looks for it.
        .env("SDKROOT", "/")
}

/// Wine, with a home of its own and the library that it lacks.
struct Wine {
    prefix: PathBuf,
}

impl Wine {
    fn set_up() -> Result<Self> {
        let wine = Self { prefix: folder().join("wine") };
        let programs = folder().join(WINDOWS).join("debug");
        let library = programs.join("bcryptprimitives.dll");
        fs::create_dir_all(programs.join("deps"))
            .with_context(|| format!("{} cannot be made", programs.display()))?;
        let source = root().join("xtask/systems/bcryptprimitives.c");
        let mut compiler = command(MINGW, &["-shared", "-O2", "-o"]);
        run("compiling the library that Wine lacks", compiler.arg(&library).arg(source).arg("-ladvapi32"))?;
        // Windows looks for libraries beside the program.
        fs::copy(&library, programs.join("deps/bcryptprimitives.dll"))
            .context("the library cannot be copied")?;
        if !wine.prefix.join("system.reg").is_file() {
            run("setting up Wine", wine.environment(&mut command(WINE, &["wineboot", "--init"])))?;
        }
        if ask(wine.environment(&mut command(WINE, &["cmd", "/c", "ver"]))).is_none() {
            bail!("{WINE} starts no program");
        }
        Ok(wine)
    }

    fn environment<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env("WINEPREFIX", &self.prefix)
            .env("WINEDEBUG", "-all")
            // It offers to install two frameworks that nothing here needs.
            .env("WINEDLLOVERRIDES", "mscoree,mshtml=")
    }

    fn tests(&self) -> Command {
        let run = ["nextest", "run", "--target", WINDOWS, "--no-fail-fast", "-E", TESTS];
        let mut tests = foreign(&[&run[..], &SELECTION].concat());
        types::apart(self.environment(&mut tests)).env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", WINE);
        tests
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn zig_gets_no_flag_that_only_apples_compiler_knows() {
        let mut compiler =
            command(root().join("xtask/systems/zig-cc"), &["-O0", "--target=arm64-apple-macosx"]);
        compiler.args(["-mmacosx-version-min=11.0", "-arch", "arm64", "-DA=a b", "-c", "a.c"]);
        let told = ask(compiler.env("ZIG", "echo")).unwrap();
        assert_eq!(told, "cc -target aarch64-macos -O0 -DA=a b -c a.c");
    }
}
