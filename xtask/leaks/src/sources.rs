//! Sources that nobody wrote as a call: no block in them may be one that runs.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use ignore::WalkBuilder;
use orion_core::leak::Beginnings;
use orion_engine::runner::ToolRunner;

use crate::{choice, reading, shared};

/// The largest file that is read, in bytes. Larger ones are data.
const LARGEST: u64 = 4_000_000;

/// The size of a chunk, in bytes: that of a server which sends much at once.
const CHUNK: usize = 4096;

/// The number of files after which the lines are counted.
const BATCH: usize = 256;

/// Files of this repository that have calls on purpose.
const ON_PURPOSE: [&str; 1] = ["src-tauri/crates/orion-core/tests/suites/leaks.rs"];

/// Of some files.
#[derive(Debug, Default)]
struct Count {
    files: usize,
    lines: usize,
    bytes: usize,
    calls: Vec<String>,
}

/// Reads this repository, and files of these folders until there are so many lines.
///
/// # Errors
/// A block is a call of one of Orion's tools.
pub(crate) fn measure(folders: &[PathBuf], lines: usize) -> Result<()> {
    let mut packages: Vec<(usize, PathBuf)> = folders
        .iter()
        .flat_map(|folder| files(WalkBuilder::new(folder).standard_filters(false)))
        .enumerate()
        .map(|(at, file)| (choice::number([at, 0]), file))
        .collect();
    packages.sort();
    let own = files(
        WalkBuilder::new(".")
            .hidden(false)
            .require_git(false)
            .filter_entry(|entry| entry.file_name() != ".git"),
    );
    let on_purpose = |file: &PathBuf| ON_PURPOSE.iter().any(|known| file.ends_with(known));
    let own = own.into_iter().filter(|file| !on_purpose(file));
    let all: Vec<PathBuf> = own.chain(packages.into_iter().map(|(_, file)| file)).collect();
    let (tools, mut sum) = (ToolRunner::default().tools().clone(), Count::default());
    let beginnings = Beginnings::of(tools.clone());
    for batch in all.chunks(BATCH) {
        if sum.lines >= lines {
            break;
        }
        for count in shared::fold(batch.len(), |count: &mut Count, number| {
            let Some(text) = text(&batch[number]) else { return };
            count.files += 1;
            count.lines += text.matches('\n').count();
            count.bytes += text.len();
            if let Some(found) = reading::first_call(&beginnings, &tools, false, chunks(&text)) {
                count.calls.push(format!("{}: {:?}", batch[number].display(), found.block));
            }
        }) {
            sum.files += count.files;
            sum.lines += count.lines;
            sum.bytes += count.bytes;
            sum.calls.extend(count.calls);
        }
    }
    sum.calls.sort();
    sum.calls.iter().for_each(|call| eprintln!("a call in {call}"));
    eprintln!(
        "sources: {} calls in {} files of {} lines and {} bytes",
        sum.calls.len(),
        sum.files,
        sum.lines,
        sum.bytes
    );
    ensure!(sum.files > 0, "no sources were read: start it in the repository");
    if !sum.calls.is_empty() {
        bail!(
            "{} files have blocks that would run; one that has them on purpose belongs into ON_PURPOSE",
            sum.calls.len()
        );
    }
    Ok(())
}

/// The files of a walk, in the order of their names.
fn files(walk: &mut WalkBuilder) -> Vec<PathBuf> {
    let entries = walk.sort_by_file_name(Ord::cmp).build().filter_map(Result::ok);
    let files = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    files.map(ignore::DirEntry::into_path).collect()
}

/// The text of a file. None where it is none, or data.
fn text(file: &Path) -> Option<String> {
    let small = std::fs::metadata(file).ok()?.len() <= LARGEST;
    String::from_utf8(std::fs::read(file).ok().filter(|_| small)?).ok()
}

/// Parts of so many bytes, or a few less.
fn chunks(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (chunk, after) = rest.split_at(rest.floor_char_boundary(CHUNK));
        rest = after;
        (!chunk.is_empty()).then_some(chunk)
    })
}
