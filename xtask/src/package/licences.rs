//! The licences of all that is linked into the programs, as one text. Packing fails where a part has none.
//!
//! Texts come from the packages themselves: Cargo has unpacked the crates, and Vite gathers those of the npm packages that it bundles. Tools for
//! it take longer to build than everything else that packs, or ask a server. Not here: which licences are allowed, which the suite
//! `dependencies` knows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::source;
use crate::step::{ask, cargo, command, root, run};
use crate::tools;

/// The beginnings of the names of files with a licence, in small letters.
const NAMES: [&str; 6] = ["licen", "copying", "unlicense", "copyright", "notice", "authors"];

/// The licences whose text stands in packaging/licences, for crates whose package declares one of them and has no text.
const KNOWN: [&str; 3] = ["MIT", "Apache-2.0", "BSD-3-Clause"];

/// What is linked and is neither a crate nor an npm package.
const OTHERS: [(&str, &str, &str); 2] = [
    (
        "SQLite",
        "public domain",
        "The authors of SQLite have dedicated its code to the public domain; see https://sqlite.org/copyright.html.",
    ),
    (
        "Rust's standard library",
        "MIT OR Apache-2.0",
        "Copyright (c) The Rust Project contributors; see https://github.com/rust-lang/rust for a list of them.",
    ),
];

/// A crate or a package, its version and its licence; and its licence's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    name: String,
    text: String,
}

/// The texts for the programs of these packages, built for this system, with those of the window's page.
pub(super) fn text(packages: &[&str], system: &str, of_ui: &[Part]) -> Result<String> {
    let mut parts = crates(packages, system)?;
    parts.extend_from_slice(of_ui);
    for (name, licence, text) in OTHERS {
        let text = match licence {
            "public domain" => text.to_owned(),
            _ => format!("{text}\n\n{}", source("packaging/licences/MIT.txt")?),
        };
        parts.push(Part { name: format!("{name}, {licence}"), text });
    }
    Ok(joined(&parts))
}

/// The crates that are linked, without those that run while it is compiled.
fn crates(packages: &[&str], system: &str) -> Result<Vec<Part>> {
    let mut tree = cargo(&["tree", "--locked", "--target", system, "--edges", "normal,no-proc-macro"]);
    tree.args(["--prefix", "none", "--format", "{p}|{l}|{r}"]);
    for package in packages {
        tree.args(["--package", package]);
    }
    let tree = ask(&mut tree).context("`cargo tree` failed")?;
    let lines: BTreeSet<&str> = tree.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    // A crate of this repository is followed by its folder.
    let lines = lines.into_iter().filter(|line| !line.is_empty() && !line.contains(" ("));
    let parts: Vec<Part> = lines.map(of_crate).collect::<Result<_>>()?;
    ensure!(parts.len() > 50, "`cargo tree` names {} crates alone", parts.len());
    Ok(parts)
}

fn of_crate(line: &str) -> Result<Part> {
    let fields: Vec<&str> = line.split('|').collect();
    let &[crate_and_version, licence, repository] = &fields[..] else { bail!("`cargo tree` printed {line}") };
    let (name, version) =
        crate_and_version.split_once(" v").with_context(|| format!("{line} has no version"))?;
    let mut text = texts(&unpacked(name, version)?)?;
    if text.is_empty() {
        let known = declared(licence);
        let known = known.with_context(|| {
            format!("{name} {version} has no text of its licence ({licence}), and packaging/licences has none either")
        })?;
        text = format!(
            "The package has no text of its own. Its authors, who are named at {repository}, declare this licence:\n\n{}",
            source(&format!("packaging/licences/{known}.txt"))?
        );
    }
    Ok(Part { name: format!("{name} {version}, {licence}"), text })
}

/// The licence with a known text that is enough to meet what a crate declares.
fn declared(licence: &str) -> Option<&'static str> {
    let ways = licence.split(" OR ").flat_map(|way| way.split('/'));
    ways.into_iter().find_map(|way| KNOWN.into_iter().find(|known| *known == way))
}

/// The folder in which Cargo has unpacked a crate.
fn unpacked(name: &str, version: &str) -> Result<PathBuf> {
    let registries = tools::registries()?;
    let found = fs::read_dir(&registries).into_iter().flatten().flatten();
    let mut found = found.map(|registry| registry.path().join(format!("{name}-{version}")));
    found
        .find(|folder| folder.is_dir())
        .with_context(|| format!("{name} {version} is not below {}", registries.display()))
}

/// The texts in a folder and in those of its folders whose name says it, in the order of their names.
fn texts(folder: &Path) -> Result<String> {
    let entries = fs::read_dir(folder).with_context(|| format!("{} cannot be listed", folder.display()))?;
    let mut paths: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| is_licence(path)).collect();
    paths.sort();
    let mut texts = Vec::new();
    for path in paths {
        if path.is_dir() {
            for file in fs::read_dir(&path).into_iter().flatten().flatten() {
                texts.push(plain(&file.path())?);
            }
        } else {
            texts.push(plain(&path)?);
        }
    }
    texts.retain(|text| !text.is_empty());
    Ok(texts.join("\n\n"))
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    NAMES.iter().any(|begin| name.starts_with(begin)) && !name.ends_with(".rs")
}

fn plain(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// The npm packages that Vite bundles, as it lists them.
pub(super) fn of_ui(folder: &Path) -> Result<Vec<Part>> {
    let mut node = command("node", &["scripts/licences.mjs"]);
    run("gathering the licences of the UI", node.arg(folder).current_dir(root().join("ui")))?;
    let list = fs::read_to_string(folder.join("licences.md")).context("Vite wrote no licences")?;
    in_list(&list)
}

/// The parts of a list in Markdown: a heading `## NAME - VERSION (LICENCE)`, and the text below it.
fn in_list(list: &str) -> Result<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    for line in list.lines() {
        let heading = line.strip_prefix("## ").and_then(|heading| heading.strip_suffix(')'));
        let heading =
            heading.and_then(|heading| heading.rsplit_once(" (")).filter(|(name, _)| name.contains(" - "));
        if let Some((name, licence)) = heading {
            let name = format!("{}, {licence}", name.replacen(" - ", " ", 1));
            parts.push(Part { name, text: String::new() });
        } else if let Some(part) = parts.last_mut() {
            part.text += line;
            part.text += "\n";
        }
    }
    for part in &mut parts {
        part.text = part.text.trim().to_owned();
        ensure!(!part.text.is_empty(), "{} has no text of its licence", part.name);
    }
    ensure!(!parts.is_empty(), "Vite lists no package");
    Ok(parts)
}

/// All texts, each once, behind the names of those that it is of.
fn joined(parts: &[Part]) -> String {
    let mut texts: BTreeMap<String, (&str, BTreeSet<&str>)> = BTreeMap::new();
    for part in parts {
        // Texts that differ in their lines alone are one.
        let words = part.text.split_whitespace().collect::<Vec<_>>().join(" ");
        texts.entry(words).or_insert((&part.text, BTreeSet::new())).1.insert(&part.name);
    }
    let mut texts: Vec<_> = texts.into_values().collect();
    texts.sort_by(|(_, these), (_, those)| these.cmp(those));
    let mut all = String::from(
        "Orion is made with the parts below. Behind the names of parts is the text of their licence.\n",
    );
    for (text, names) in texts {
        let names: Vec<&str> = names.into_iter().collect();
        // A `String` takes everything.
        let _ = write!(all, "\n{}\n\n{}\n\n{text}\n", "=".repeat(80), names.join("\n"));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, text: &str) -> Part {
        Part { name: name.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_text_stands_once_behind_the_names_of_all_that_have_it() {
        let all = joined(&[
            part("hare 1, MIT", "Take\nit."),
            part("ape 2, 0BSD", "Run."),
            part("fox 1, MIT", "Take it."),
        ]);
        let parts: Vec<&str> = all.split(&"=".repeat(80)).skip(1).map(str::trim).collect();
        assert_eq!(parts, ["ape 2, 0BSD\n\nRun.", "fox 1, MIT\nhare 1, MIT\n\nTake\nit."]);
    }

    #[test]
    fn a_list_is_read_part_by_part_and_one_without_a_text_is_refused() {
        let list = "# Licenses\n\n## @foxes/red - 1.2.0 (MIT)\n\nTake it.\n\n## 1. Definitions (all)\n\n## hare - 2.0.0 (ISC)\n\nRun.\n";
        let parts = in_list(list).unwrap();
        assert_eq!(
            parts,
            [
                part("@foxes/red 1.2.0, MIT", "Take it.\n\n## 1. Definitions (all)"),
                part("hare 2.0.0, ISC", "Run.")
            ]
        );
        assert!(in_list("## hare - 2.0.0 (ISC)\n").is_err());
        assert!(in_list("# Licenses\n").is_err());
    }

    #[test]
    fn files_with_a_licence_are_known_by_their_names() {
        for name in [
            "LICENSE",
            "LICENSE-MIT",
            "license.md",
            "LICENCE.txt",
            "COPYING",
            "UNLICENSE",
            "NOTICE",
            "LICENSES",
        ] {
            assert!(is_licence(Path::new(name)), "{name}");
        }
        for name in ["Cargo.toml", "licenses.rs", "README.md"] {
            assert!(!is_licence(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn a_crate_without_a_text_has_the_one_that_it_declares_and_none_otherwise() {
        for (licence, known) in [
            ("MIT", Some("MIT")),
            ("ISC OR MIT", Some("MIT")),
            // As older crates write it.
            ("Unlicense/Apache-2.0", Some("Apache-2.0")),
            ("ISC", None),
            ("MIT AND ISC", None),
            ("", None),
        ] {
            assert_eq!(declared(licence), known, "{licence}");
        }
        for known in KNOWN {
            assert!(!source(&format!("packaging/licences/{known}.txt")).unwrap().is_empty());
        }
        assert!(of_crate("no-such-crate v1.0.0|MIT|").is_err());
    }
}
