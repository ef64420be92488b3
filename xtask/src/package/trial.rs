//! Packages as a stranger has them: installed in fresh Debian systems and used by a person without root, upgraded, removed and purged; the one for
//! Windows started under Wine.
//!
//! Not here: Ubuntu, and the window on macOS and Windows. docs/releasing.md says what nobody has seen.

mod left;
mod root;
mod window;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use self::root::{As, Root};
use super::{Packages, deb, folder};
use crate::step::{command, run, say};
use crate::{system, systems};

/// The versions of Debian that the package is for.
const SUITES: [&str; 2] = ["bookworm", "trixie"];

/// What a trial needs besides the package: a display, WebKit's driver, a manual and a shell that completes.
const TOOLS: &str = "bash-completion fonts-dejavu-core man-db webkit2gtk-driver xauth xvfb";

const FOLDER: &str = "/home/person/foxes";

pub(super) fn all(packages: &Packages) -> Result<()> {
    root::ensure_root()?;
    system::for_trying()?;
    judged(packages)?;
    let lower = deb::make(&packages.version, "~try")?;
    for suite in SUITES {
        let began = Instant::now();
        installed(suite, packages, &lower)?;
        say(&format!("{suite}: all as it should be, in {} s", began.elapsed().as_secs()));
    }
    std::fs::remove_file(&lower).context("the lower version cannot be removed")?;
    on_windows(packages)
}

/// Holds the package to Debian's policy, and its entry and its metadata to freedesktop.org's.
fn judged(packages: &Packages) -> Result<()> {
    let mut lintian = command("lintian", &["--fail-on", "error", "--allow-root"]);
    run("holding the package to Debian's policy", lintian.arg(&packages.deb))?;
    let shared = folder().join("tree/usr/share");
    let mut entry = command("desktop-file-validate", &[]);
    run("checking the desktop entry", entry.arg(shared.join("applications/orion-desktop.desktop")))?;
    let mut metadata = command("appstreamcli", &["validate", "--no-net"]);
    run("checking the metadata", metadata.arg(shared.join("metainfo/app.orion.desktop.metainfo.xml")))
}

fn installed(suite: &str, packages: &Packages, lower: &Path) -> Result<()> {
    let root = Root::fresh(suite, &folder().join("try").join(suite))?;
    let (lower, higher) = (root.bring(lower)?, root.bring(&packages.deb)?);
    unpacked(&root, &packages.tar)?;
    root.run("installing what the trial needs", As::Root, &format!("{APT} install {TOOLS}"))?;
    // What it depends on stays, so that only what the package itself brings is compared.
    let install = format!("{APT} install {lower}");
    root.run("installing the package, for what it depends on", As::Root, &install)?;
    root.run("purging it", As::Root, &format!("{APT} purge orion"))?;
    let before = left::files(&root)?;

    root.run("installing the package", As::Root, &install)?;
    used(&root, suite)?;
    upgraded(&root, &higher, &packages.version)?;

    root.run("removing it", As::Root, &format!("{APT} remove orion"))?;
    // No setting of it is left, so that apt no longer knows it.
    root.run("purging it", As::Root, "dpkg --purge orion")?;
    left::nothing(&before, &left::files(&root)?)?;
    let kept = root.said(As::Person, "ls ~/.local/share/orion")?;
    ensure!(!kept.is_empty(), "the person's data is gone");
    Ok(())
}

/// A person without root unpacks the archive where nothing is installed: the command works, and the window says what it needs.
fn unpacked(root: &Root, archive: &Path) -> Result<()> {
    let archive = root.bring(archive)?;
    let script = format!(
        "mkdir .local && tar -xzf {archive} --strip-components=1 -C .local && .local/bin/orion run --demo 'What is here?'"
    );
    root.run("unpacking the archive", As::Person, &script)?;
    let (code, said) = root.ended(As::Person, ".local/bin/orion-desktop")?;
    ensure!(
        code == Some(127)
            && said.contains("apt install libwebkit2gtk-4.1-0")
            && said.trim().lines().count() == 1,
        "without WebKitGTK: {code:?} {said}"
    );
    Ok(())
}

/// Installs what is needed, and not what is recommended: the first is enough.
const APT: &str = "apt-get --yes --quiet --quiet --no-install-recommends";

/// A person without root uses all that the package brings.
fn used(root: &Root, suite: &str) -> Result<()> {
    let script = format!(
        "mkdir -p {FOLDER} ~/.config/orion
         printf '# Foxes\\n\\nCounts foxes by colour.\\n' > {FOLDER}/README.md
         printf 'default_endpoint = \"demo\"\\n' > ~/.config/orion/config.toml
         orion --version
         orion run --demo --project {FOLDER} 'What is in this folder?'
         man -w orion orion-run orion-desktop
         man orion-run | grep -q approve-writes"
    );
    root.run("asking at a terminal, and reading the manual", As::Person, &script)?;
    let completes = "bash -c '. /usr/share/bash-completion/bash_completion
        { _comp_load orion || _completion_loader orion; } 2>/dev/null; complete -p orion'";
    let completed = root.said(As::Person, completes)?;
    ensure!(completed.contains("-F _orion"), "bash completes nothing: {completed}");
    for program in ["orion-desktop", ".local/bin/orion-desktop"] {
        let (code, said) = root.ended(As::Person, program)?;
        ensure!(
            code == Some(1) && said.contains("orion chat") && said.trim().lines().count() == 1,
            "without a display: {code:?} {said}"
        );
    }
    // From here on there is the installed one alone.
    root.run("removing what was unpacked", As::Person, "rm -r .local/bin .local/lib .local/share/[!o]*")?;
    let picture = folder().join(format!("try-{suite}.png"));
    window::ask_in_window(root, FOLDER, "How many colours are there?", &picture)?;
    let sessions = root.said(As::Person, &format!("orion sessions --project {FOLDER}"))?;
    ensure!(sessions.contains("How many colours"), "the window answered nothing: {sessions}");
    Ok(())
}

/// A turn waits for a person while the package is upgraded, and goes on afterwards.
fn upgraded(root: &Root, package: &str, version: &str) -> Result<()> {
    let ask = format!(
        "orion run --json --demo --max-cycles 6 --project {FOLDER} 'Summarize README.md, and write the summary to short.md.'"
    );
    let (code, report) = root.ended(As::Person, &ask)?;
    ensure!(code == Some(3), "no turn waits: {code:?} {report}");
    let request = report.split_once("\"requestId\":\"").and_then(|(_, rest)| rest.split_once('"'));
    let (request, _) = request.context("the report names no turn")?;
    root.run("upgrading it while a turn waits", As::Root, &format!("{APT} install {package}"))?;
    let now = root.said(As::Root, "dpkg-query --show --showformat='${Version}' orion")?;
    ensure!(now == version, "it was upgraded to {now}");
    let (code, said) = root.ended(As::Person, &format!("orion approve --demo {request}"))?;
    ensure!(code == Some(0), "the turn did not go on: {code:?} {said}");
    root.run("reading what the turn wrote", As::Person, &format!("grep Foxes {FOLDER}/short.md"))
}

/// The command line from the archive for Windows, under Wine.
fn on_windows(packages: &Packages) -> Result<()> {
    let wine = systems::Wine::set_up()?;
    let above = folder().join("try/windows");
    super::empty(&above)?;
    run(
        "unpacking the archive for Windows",
        command("unzip", &["-q"]).arg(&packages.zip).arg("-d").arg(&above),
    )?;
    let unpacked: PathBuf = above.join(format!("orion-{}-windows-x86_64", packages.version));
    wine.complete(&unpacked)?;
    let program = |arguments: &[&str]| -> Command {
        let mut program = wine.program(&unpacked.join("orion.exe"));
        program.args(arguments).args(["--data-dir", "data"]).current_dir(&unpacked);
        program
    };
    run("asking the demo model under Wine", &mut program(&["run", "--demo", "What is in this folder?"]))?;
    say("asking how the computer is under Wine");
    // It ends with 1 where it found a problem, and Wine has some.
    let told = program(&["doctor"]).output().context("orion.exe did not start")?;
    let said = String::from_utf8_lossy(&told.stdout);
    ensure!(
        matches!(told.status.code(), Some(0 | 1)) && said.contains(&packages.version),
        "doctor under Wine: {} {said}{}",
        told.status,
        String::from_utf8_lossy(&told.stderr)
    );
    std::fs::remove_dir_all(folder().join("try")).context("what the trial made cannot be removed")
}
