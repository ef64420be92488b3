//! Passages about calls, of public packages, with the names of Orion's tools in them: a person may ask for such a text, and nothing in it is to run.
//!
//! No list says which passages are read. `cut` cuts all files into passages, `names` finds calls in them and puts the names in their place, and the
//! packages take turns.

mod cut;
mod names;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ignore::WalkBuilder;
use orion_core::leak::Beginnings;
use orion_core::tool::{ToolKind, ToolSet, ToolSpec};
use orion_engine::runner::ToolRunner;
use serde_json::json;

use crate::{choice, reading};
use cut::{Cut, Kind};
use names::Names;

/// The number of passages that are read.
const PASSAGES: usize = 1_000;

/// The most of them that may be read as calls.
const CALLS: usize = 5;

/// The most bytes that are shown of a passage.
const SHOWN: usize = 400;

#[derive(Debug)]
struct Passage {
    package: String,
    file: PathBuf,
    kind: Kind,
    /// The number of its syntax among those that `names` knows.
    syntax: usize,
    text: String,
}

/// Reads passages of the packages in this folder, each as the whole answer of a model that has not been given the result of a tool.
///
/// # Errors
/// There are too few passages, or too many are read as calls.
pub(crate) fn measure(folder: &Path) -> Result<()> {
    let names = Names::new()?;
    let found = distinct(candidates(folder, &names)?);
    let all = found.len();
    let chosen = chosen(found);
    let tools = tools();
    let ours: Vec<&str> = tools.names().collect();
    let beginnings = Beginnings::of(tools.clone());
    let (mut calls, mut malformed) = (0, 0);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, passage) in chosen.iter().enumerate() {
        *counts.entry(&passage.package).or_default() += 1;
        let theirs = names.of(&passage.text).map(|(_, names)| names).unwrap_or_default();
        let text = names::put(&passage.text, &theirs, &ours, choice::below(ours.len(), [number, 20]));
        let Some(block) = reading::first_named(&beginnings, &tools, &text) else { continue };
        let (count, what) =
            if block.is_call { (&mut calls, "a call") } else { (&mut malformed, "malformed") };
        *count += 1;
        eprintln!(
            "{what} in {}: {:?}",
            passage.file.display(),
            &block.text[..block.text.floor_char_boundary(SHOWN)]
        );
    }
    let counts: Vec<String> = counts.iter().map(|(package, count)| format!("{package} {count}")).collect();
    eprintln!(
        "passages: {calls} calls and {malformed} malformed ones in {} of {all}; of {}",
        chosen.len(),
        counts.join(", ")
    );
    ensure!(
        chosen.len() == PASSAGES,
        "{} passages are too few: delete {}, and they are fetched again",
        chosen.len(),
        folder.display()
    );
    ensure!(calls <= CALLS, "{calls} passages are read as calls: at most {CALLS} may be");
    Ok(())
}

/// Orion's tools, each of which takes any arguments, since those in a passage are of other tools.
fn tools() -> ToolSet {
    let tools = ToolRunner::default().tools().clone();
    let any = |tool: &ToolSpec| ToolSpec::new(&*tool.name, "", json!({ "type": "object" }), ToolKind::Reads);
    tools.iter().map(any).collect()
}

/// All passages about calls, in the order of their files.
fn candidates(folder: &Path, names: &Names) -> Result<Vec<Passage>> {
    let mut found = Vec::new();
    for entry in WalkBuilder::new(folder).standard_filters(false).sort_by_file_name(Ord::cmp).build() {
        let entry = entry?;
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let file = entry.path().strip_prefix(folder)?;
        let package = file.iter().next().context("a file has no name")?.to_string_lossy().into_owned();
        let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
        let Some(cut) = Cut::of(&file.to_string_lossy(), &text) else { continue };
        for text in cut.passages(|text| names.of(text).is_some()) {
            let Some((syntax, _)) = names.of(&text) else { continue };
            found.push(Passage {
                package: package.clone(),
                file: file.to_owned(),
                kind: cut.kind,
                syntax,
                text,
            });
        }
    }
    Ok(found)
}

/// The passages without those of which an earlier one has half of the lines.
fn distinct(passages: Vec<Passage>) -> Vec<Passage> {
    let mut owners: HashMap<String, Vec<usize>> = HashMap::new();
    let mut kept: Vec<Passage> = Vec::new();
    for passage in passages {
        let lines: HashSet<String> =
            passage.text.lines().map(letters).filter(|line| !line.is_empty()).collect();
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for earlier in lines.iter().filter_map(|line| owners.get(line)).flatten() {
            *shared.entry(*earlier).or_default() += 1;
        }
        if shared.values().all(|shared| shared * 2 < lines.len()) {
            lines.into_iter().for_each(|line| owners.entry(line).or_default().push(kept.len()));
            kept.push(passage);
        }
    }
    kept
}

/// The letters of a line alone.
fn letters(line: &str) -> String {
    line.chars().filter(|c| c.is_alphabetic()).collect()
}

/// As many passages as are read. The packages take turns, and in each package its kinds and syntaxes.
fn chosen(passages: Vec<Passage>) -> Vec<Passage> {
    let mut mixed: Vec<(usize, Passage)> =
        passages.into_iter().enumerate().map(|(at, passage)| (choice::number([at, 21]), passage)).collect();
    mixed.sort_by_key(|(number, _)| *number);
    let mut passages: Vec<Passage> = mixed.into_iter().map(|(_, passage)| passage).collect();
    in_turns(&mut passages, |passage| (passage.package.clone(), passage.kind, passage.syntax));
    in_turns(&mut passages, |passage| passage.package.clone());
    passages.truncate(PASSAGES);
    passages
}

/// Sorts them so that the groups take turns, without another change of their order.
fn in_turns<K: Ord>(passages: &mut Vec<Passage>, group: impl Fn(&Passage) -> K) {
    let mut counts: BTreeMap<K, usize> = BTreeMap::new();
    let mut turns: Vec<(usize, Passage)> = std::mem::take(passages)
        .into_iter()
        .map(|passage| {
            let count = counts.entry(group(&passage)).or_default();
            *count += 1;
            (*count, passage)
        })
        .collect();
    turns.sort_by_key(|(turn, _)| *turn);
    passages.extend(turns.into_iter().map(|(_, passage)| passage));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(package: &str, kind: Kind, text: &str) -> Passage {
        Passage {
            package: package.to_owned(),
            file: PathBuf::from(package),
            kind,
            syntax: 0,
            text: text.to_owned(),
        }
    }

    #[test]
    fn a_passage_counts_once_however_its_lines_are_written() {
        let texts =
            ["One\ntwo\nthree", "# one\n2\n# two\nfour", "ONE\nfive\nsix", "  two\n * three", "seven"];
        let found = distinct(texts.map(|text| passage("a", Kind::Test, text)).into());
        let found: Vec<&str> = found.iter().map(|passage| &*passage.text).collect();
        assert_eq!(found, [texts[0], texts[1], texts[2], texts[4]]);
    }

    #[test]
    fn packages_take_turns_and_in_each_its_kinds() {
        let of = |package: &'static str, kind, count| (0..count).map(move |_| passage(package, kind, ""));
        let all = of("a", Kind::Test, 2_000).chain(of("a", Kind::Document, 2)).chain(of("b", Kind::Test, 3));
        let chosen = chosen(all.collect());
        assert_eq!(chosen.len(), PASSAGES);
        let first = chosen[..6].iter();
        let count = |is: fn(&&Passage) -> bool| first.clone().filter(is).count();
        assert_eq!([count(|one| one.package == "a"), count(|one| one.package == "b")], [3, 3]);
        assert_eq!(chosen[..8].iter().filter(|one| one.kind == Kind::Document).count(), 2);
    }
}
