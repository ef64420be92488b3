//! `leaks TEMPLATES FUNCTIONS TEXTS LINES [FOLDER…]`: measures the recogniser of calls in a text. So many texts have a call as models are trained to
//! write it, and it must come out. So many lines (or `all`) of this repository and of the sources in these folders have none, and none may come out.
//!
//! `leaks passages FOLDER`: of the passages about calls in the packages in this folder, hardly any may be read as a call.

mod calls;
mod choice;
mod family;
mod functions;
mod passages;
mod reading;
mod shared;
mod sources;
mod text;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("✗ {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let number = |text: &Path| text.to_string_lossy().parse::<usize>().context(USAGE);
    match &*arguments {
        [word, folder] if word.as_os_str() == "passages" => passages::measure(folder),
        [templates, functions, texts, lines, folders @ ..] => {
            let calls = calls::measure(templates, functions, number(texts)?);
            let lines = if lines.as_os_str() == "all" { usize::MAX } else { number(lines)? };
            let sources = sources::measure(folders, lines);
            calls.and(sources)
        }
        _ => bail!(USAGE),
    }
}

const USAGE: &str = "usage: leaks TEMPLATES FUNCTIONS TEXTS LINES [FOLDER…], or leaks passages FOLDER";
