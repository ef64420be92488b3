//! What is packed and made for it: pages of the manual, completions, licences, the changes as Debian and AppStream want them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::{empty, licences, source};
use crate::changelog::{self, Release};
use crate::step::{command, run, say, target};
use crate::systems;

/// The completions of each shell, and the file that it reads them from.
const COMPLETIONS: [(&str, &str); 3] = [("bash", "orion.bash"), ("fish", "orion.fish"), ("zsh", "_orion")];

/// Who made the package: Cargo.toml says the same.
const MAINTAINER: &str = "The Orion developers <orion@users.noreply.invalid>";

pub(super) fn folder() -> PathBuf {
    super::folder().join("made")
}

pub(super) fn everything() -> Result<()> {
    let made = folder();
    empty(&made)?;
    fs::create_dir_all(made.join("windows")).context("a folder cannot be made")?;
    manual(&made.join("man"))?;
    for (shell, file) in COMPLETIONS {
        write(&made.join(file), &said(&["completions", shell])?)?;
    }
    let of_ui = licences::of_ui(&made.join("ui"))?;
    write(
        &made.join("THIRD-PARTY-LICENSES.txt"),
        &licences::text(&["orion", "orion-cli", "orion-sandbox", "orion-server"], &super::triple(), &of_ui)?,
    )?;
    write(
        &made.join("windows/THIRD-PARTY-LICENSES.txt"),
        &licences::text(&["orion-cli"], systems::WINDOWS, &[])?,
    )?;
    let releases = changelog::releases()?;
    let metainfo = source("packaging/linux/app.orion.desktop.metainfo.xml")?;
    ensure!(metainfo.contains(RELEASES), "the metainfo has no place for releases");
    write(
        &made.join("app.orion.desktop.metainfo.xml"),
        &metainfo.replace(RELEASES, &in_metainfo(&releases)),
    )?;
    write(&made.join("changelog"), &in_debian(&releases, &super::version())?)?;
    for file in ["changelog", "THIRD-PARTY-LICENSES.txt"] {
        compress(&made.join(file))?;
    }
    Ok(())
}

/// The pages of all programs.
fn manual(pages: &Path) -> Result<()> {
    empty(pages)?;
    let program = target().join("release/orion");
    run("writing the manual", command(program, &["manual"]).arg(pages))?;
    for page in ["orion-desktop.1", "orion-sandbox.1", "orion-serve.1"] {
        write(&pages.join(page), &source(&format!("packaging/linux/{page}"))?)?;
    }
    let files = fs::read_dir(pages).context("the manual cannot be listed")?;
    files.flatten().try_for_each(|page| compress(&page.path()))
}

/// What the built command line prints.
fn said(arguments: &[&str]) -> Result<String> {
    let output =
        command(target().join("release/orion"), arguments).output().context("orion did not start")?;
    ensure!(output.status.success(), "orion {} failed", arguments.join(" "));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}

/// Compresses a file in its place, without its time and its name, as Debian wants it.
fn compress(path: &Path) -> Result<()> {
    let done = command("gzip", &["-9n"]).arg(path).status().context("gzip did not start")?;
    ensure!(done.success(), "{} cannot be compressed", path.display());
    Ok(())
}

const RELEASES: &str = "@RELEASES@";

fn in_metainfo(releases: &[Release]) -> String {
    let lines = releases
        .iter()
        .map(|release| format!("<release version=\"{}\" date=\"{}\"/>", release.version, release.date));
    lines.collect::<Vec<_>>().join("\n    ")
}

/// The changes of the latest release as deb-changelog(5) has them.
fn in_debian(releases: &[Release], version: &str) -> Result<String> {
    let release = releases.first().context("CHANGELOG.md has no release")?;
    if release.version != version {
        say(&format!("CHANGELOG.md ends with {}, and this is {version}", release.version));
    }
    let changes: Vec<String> = items(&release.notes).iter().map(|item| filled(item)).collect();
    let changes = changes.join("\n");
    let date = release.rfc_2822()?;
    Ok(format!("orion ({version}) unstable; urgency=medium\n\n{changes}\n\n -- {MAINTAINER}  {date}\n"))
}

/// The items of the lists in a text, each on one line.
fn items(notes: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in notes.lines() {
        if let Some(first) = line.strip_prefix("- ") {
            items.push(first.to_owned());
        } else if let (Some(rest), Some(item)) = (line.strip_prefix("  "), items.last_mut()) {
            *item = format!("{item} {rest}");
        }
    }
    items
}

/// The longest line that Debian wants in a list of changes.
const WIDEST: usize = 79;

/// An item of a list of changes, in lines that are not too long.
fn filled(item: &str) -> String {
    let (mut lines, mut line) = (Vec::new(), String::from("  *"));
    for word in item.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDEST {
            lines.push(std::mem::replace(&mut line, "   ".to_owned()));
        }
        line = line + " " + word;
    }
    lines.push(line);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    // The date is written by Debian's `date`.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_changes_are_in_the_forms_of_debian_and_appstream() {
        let release = Release {
            version: "0.2.0".to_owned(),
            date: "2026-11-28".to_owned(),
            notes: format!("### Added\n\n- Foxes,\n  in colour.\n- Hares{}.\n", " again".repeat(13)),
        };
        let releases = [release];
        assert_eq!(in_metainfo(&releases), "<release version=\"0.2.0\" date=\"2026-11-28\"/>");
        let debian = "orion (0.2.0) unstable; urgency=medium\n\n  * Foxes, in colour.\n  * Hares again again again again again again again again again again again\n    again again.\n\n \
                      -- The Orion developers <orion@users.noreply.invalid>  Sat, 28 Nov 2026 00:00:00 +0000\n";
        assert_eq!(in_debian(&releases, "0.2.0").unwrap(), debian);
        assert!(in_debian(&[], "0.2.0").is_err());
    }

    #[test]
    fn the_package_has_the_maintainer_of_its_changes() {
        assert!(source("Cargo.toml").unwrap().contains(&format!("maintainer = \"{MAINTAINER}\"")));
    }
}
