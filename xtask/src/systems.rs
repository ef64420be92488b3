//! `systems`: Orion for Windows and macOS, as far as that can be tested on Debian.
//!
//! Everything is built for Windows, and type-checked for macOS. The tests of the crates and of the command line run as Windows
//! programs under Wine. Debian's compiler for the web builds its own standard library for another system, so no second toolchain
//! is needed; mingw compiles the C parts and links. docs/testing.md lists the tests that cannot run under Wine, with the reasons.
//! Deliberately not here: running the window, which Wine does not show as Windows does.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::step::{self, Steps, ask, command, root, run, target};
use crate::{named, system, tools, types, ui};

pub(crate) const WINDOWS: &str = "x86_64-pc-windows-gnu";
const MACOS: &str = "aarch64-apple-darwin";

/// Debian's Cargo and compiler, whatever else is first on the path.
const CARGO: &str = "/usr/bin/cargo";
const RUSTC: &str = "/usr/bin/rustc";
/// Wine, at the same addresses in each start. At random ones, two of 5,000 starts found a place taken that Wine needs for itself.
const WINE: [&str; 3] = ["/usr/bin/setarch", "--addr-no-randomize", "/usr/lib/wine/wine64"];
const WINE_SERVER: &str = "/usr/lib/wine/wineserver64";
const MINGW: &str = "x86_64-w64-mingw32-gcc";

/// What runs under Wine: the tests of the crates, and of the suites those of the command line. All packages are selected
/// whenever Cargo builds: another selection would resolve other features and build half of the crates again.
const TESTS: &str = "(not package(/^(orion|orion-bench|orion-real|orion-tests|xtask)$/) | (package(orion-tests) & test(/^cli::/)))";

/// The parts of the standard library that are built: both kinds of panic, since the profiles use both.
const STANDARD_LIBRARY: &str = "std,panic_abort,panic_unwind";

pub(crate) fn run_all() -> Result<()> {
    system::for_systems()?;
    tools::ensure("nextest")?;
    ui::install()?;
    step::run("building the UI", &mut ui::script("build"))?;
    let wine = Wine::set_up()?;

    let named = named::in_list("wine")?;

    let mut steps = Steps::begin();
    // The suites start the program, which a test run alone does not build.
    steps.run("building everything for Windows, warnings denied", &mut strict("build", WINDOWS));
    // It is among the steps that failed.
    let _ = steps
        .take("looking for the tests that docs/testing.md names", || refuse_gone(&named, &wine.known()?));
    steps.run("running the tests as Windows programs under Wine", &mut wine.tests(&named));
    steps.run("type-checking everything for macOS, warnings denied", without_c(&mut strict("check", MACOS)));
    steps.finish()
}

/// All packages and their tests, without a warning.
fn strict(what: &str, system: &str) -> Command {
    let mut cargo = foreign(&[what, "--workspace", "--bins", "--tests", "--keep-going", "--target", system]);
    // Warnings are denied through Cargo. A flag of the compiler would build the standard library and every crate again.
    cargo.env("CARGO_UNSTABLE_WARNINGS", "true").args(["--config", "build.warnings='deny'"]);
    cargo
}

/// Cargo for another system, in a target folder of its own.
pub(crate) fn foreign(arguments: &[&str]) -> Command {
    let mut cargo = command(CARGO, arguments);
    cargo
        .env("RUSTC", RUSTC)
        .env("CARGO_TARGET_DIR", folder())
        .env("CARGO_UNSTABLE_BUILD_STD", STANDARD_LIBRARY)
        // Building the standard library is unstable, which only a nightly compiler allows without this.
        .env("RUSTC_BOOTSTRAP", "1")
        // The tests compare snapshots by it: Cargo, which they would ask, does not run under Wine. It is compiled into them.
        .env("INSTA_WORKSPACE_ROOT", root())
        // Quicker to build, and nobody debugs these programs.
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env("CARGO_INCREMENTAL", "0")
        // Set by the Cargo that runs this program, for its own compiler.
        .env_remove("LD_LIBRARY_PATH")
        .env_remove("RUSTUP_TOOLCHAIN");
    cargo
}

/// The folder for all files of this command.
pub(crate) fn folder() -> PathBuf {
    target().join("systems")
}

/// Nothing is linked for macOS, so its C parts need not be compiled, and Apple's SDK is not needed.
fn without_c(check: &mut Command) -> &mut Command {
    check
        .env("CC_aarch64_apple_darwin", root().join("xtask/systems/no-cc"))
        // Without this, the crate `cc` looks for the SDK.
        .env("SDKROOT", "/")
}

fn under_wine(program: &[&str]) -> Command {
    let [first, rest @ ..] = WINE;
    let mut wine = command(first, &rest);
    wine.args(program);
    wine
}

/// Wine, with a home of its own and the library that it lacks.
pub(crate) struct Wine {
    prefix: PathBuf,
}

impl Wine {
    pub(crate) fn set_up() -> Result<Self> {
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
            run("setting up Wine", wine.environment(&mut under_wine(&["wineboot", "--init"])))?;
        }
        if ask(wine.environment(&mut under_wine(&["cmd", "/c", "ver"]))).is_none() {
            bail!("{} starts no program", WINE.join(" "));
        }
        Ok(wine)
    }

    /// Puts the library that Wine lacks beside a program in this folder.
    pub(crate) fn complete(&self, folder: &Path) -> Result<()> {
        let library = self.prefix.with_file_name(WINDOWS).join("debug/bcryptprimitives.dll");
        fs::copy(library, folder.join("bcryptprimitives.dll")).context("the library cannot be copied")?;
        Ok(())
    }

    /// A program for Windows, as a command.
    pub(crate) fn program(&self, program: &Path) -> Command {
        let mut wine = under_wine(&[]);
        self.environment(wine.arg(program));
        wine
    }

    fn environment<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env("WINEPREFIX", &self.prefix)
            .env("WINEDEBUG", "-all")
            // It offers to install two frameworks that nothing here needs.
            .env("WINEDLLOVERRIDES", "mscoree,mshtml=")
    }

    /// Runs the tests but those that are named as `BINARY TEST`.
    fn tests(&self, named: &BTreeSet<String>) -> Command {
        let mut tests = self.nextest("run", &filter(named));
        // The core has no I/O: a little search says as much about it here as a long one.
        tests.arg("--no-fail-fast").env("ORION_SEARCH", "little");
        tests
    }

    /// The tests that there are, as they are named.
    fn known(&self) -> Result<BTreeSet<String>> {
        let mut list = self.nextest("list", TESTS);
        let list = ask(list.args(["--message-format", "oneline"])).context("the tests cannot be listed")?;
        Ok(list.lines().map(str::to_owned).collect())
    }

    fn nextest(&self, what: &str, filter: &str) -> Command {
        let mut nextest =
            foreign(&["nextest", what, "--workspace", "--target", WINDOWS, "--filterset", filter]);
        types::apart(self.environment(&mut nextest))
            .env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", WINE.join(" "));
        nextest
    }
}

impl Drop for Wine {
    /// Ends what Wine keeps running behind its programs.
    fn drop(&mut self) {
        _ = ask(self.environment(&mut command(WINE_SERVER, &["--kill"])));
    }
}

/// The tests of a run without those that docs/testing.md names.
fn filter(named: &BTreeSet<String>) -> String {
    let without = named.iter().filter_map(|name| name.split_once(' '));
    let without = without.map(|(binary, test)| format!(" - (binary_id(={binary}) & test(={test}))"));
    format!("{TESTS}{}", without.collect::<String>())
}

/// A test that is gone has no place in the list.
fn refuse_gone(named: &BTreeSet<String>, known: &BTreeSet<String>) -> Result<()> {
    let gone: Vec<&str> = named.difference(known).map(String::as_str).collect();
    if !gone.is_empty() {
        bail!("docs/testing.md names tests that there are not: {}", gone.join(", "));
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_tests_that_are_named_are_left_out_and_must_be_there() {
        let named = BTreeSet::from(["orion-files::difference unified::git".to_owned()]);
        let without = " - (binary_id(=orion-files::difference) & test(=unified::git))";
        assert_eq!(filter(&named), format!("{TESTS}{without}"));
        assert!(refuse_gone(&named, &named).is_ok());
        let refusal = refuse_gone(&named, &BTreeSet::new()).unwrap_err().to_string();
        assert_eq!(
            refusal,
            "docs/testing.md names tests that there are not: orion-files::difference unified::git"
        );
    }

    #[test]
    fn the_compiler_that_compiles_nothing_makes_what_it_is_asked_for() {
        let folder = std::env::temp_dir().join(format!("orion-no-cc-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let object = folder.join("a b.o");
        let mut compiler = command(root().join("xtask/systems/no-cc"), &["-O0", "-c", "a.c", "-o"]);
        assert_eq!(ask(compiler.arg(&object)).unwrap(), "");
        assert_eq!(fs::read(&object).unwrap(), b"");
        fs::remove_dir_all(&folder).unwrap();
        let mut compiler = command(root().join("xtask/systems/no-cc"), &["-E", "a.c"]);
        assert_eq!(ask(&mut compiler).unwrap(), "\"clang\"");
        assert!(ask(&mut command(root().join("xtask/systems/no-cc"), &["-?"])).is_none());
    }
}
