//! CHANGELOG.md, in the form of Keep a Changelog: its releases, and `notes`, which prints those of one.

use std::fs;

use anyhow::{Context, Result, bail, ensure};

use crate::step::{ask, command, root};

/// A version that was released, the newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Release {
    pub(crate) version: String,
    /// Such as 2026-11-28.
    pub(crate) date: String,
    /// What changed, in Markdown.
    pub(crate) notes: String,
}

impl Release {
    /// The date as mails and Debian have it.
    pub(crate) fn rfc_2822(&self) -> Result<String> {
        let mut date = command("date", &["--utc", "--rfc-email", "--date"]);
        ask(date.arg(&self.date).env("LC_ALL", "C")).with_context(|| format!("{} is no date", self.date))
    }
}

/// Prints the notes of a release; its tag must be the version of Cargo.toml.
pub(crate) fn notes(tag: &str) -> Result<()> {
    print_out(&notes_of(tag, env!("CARGO_PKG_VERSION"), &releases()?)?)
}

pub(crate) fn releases() -> Result<Vec<Release>> {
    read(&fs::read_to_string(root().join("CHANGELOG.md")).context("CHANGELOG.md cannot be read")?)
}

fn read(text: &str) -> Result<Vec<Release>> {
    let mut releases = Vec::new();
    for section in text.split("\n## [").skip(1) {
        let (title, notes) = section.split_once('\n').unwrap_or((section, ""));
        if title.trim_end() == "Unreleased]" {
            continue;
        }
        let (version, date) = title
            .split_once("] - ")
            .with_context(|| format!("CHANGELOG.md has a release without a date: {title}"))?;
        let (version, date, notes) = (version.to_owned(), date.trim().to_owned(), notes.trim().to_owned());
        releases.push(Release { version, date, notes });
    }
    Ok(releases)
}

fn notes_of(tag: &str, version: &str, releases: &[Release]) -> Result<String> {
    ensure!(
        tag.strip_prefix('v') == Some(version),
        "the tag is {tag}, and Cargo.toml has the version {version}: it must be v{version}"
    );
    match releases.iter().find(|release| release.version == version) {
        Some(release) if !release.notes.is_empty() => Ok(release.notes.clone() + "\n"),
        _ => bail!("CHANGELOG.md says nothing of {version}"),
    }
}

fn print_out(text: &str) -> Result<()> {
    use std::io::Write;
    std::io::stdout().write_all(text.as_bytes()).context("the notes cannot be printed")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-28\n\n### Added\n\n- Foxes.\n\n## [0.1.0] - 2026-01-01\n";

    #[test]
    fn a_release_is_its_section_and_a_tag_is_its_version() {
        let releases = read(TEXT).unwrap();
        assert_eq!(releases.len(), 2);
        assert_eq!(notes_of("v0.2.0", "0.2.0", &releases).unwrap(), "### Added\n\n- Foxes.\n");
        for (tag, version) in
            [("v0.2.0", "0.3.0"), ("0.2.0", "0.2.0"), ("v0.1.0", "0.1.0"), ("v0.3.0", "0.3.0")]
        {
            assert!(notes_of(tag, version, &releases).is_err(), "{tag}");
        }
        assert!(read("\n## [0.2.0]\n").is_err());
    }

    #[test]
    fn the_version_of_cargo_toml_has_notes() {
        let releases = releases().unwrap();
        assert!(
            notes_of(concat!("v", env!("CARGO_PKG_VERSION")), env!("CARGO_PKG_VERSION"), &releases).is_ok()
        );
    }
}
