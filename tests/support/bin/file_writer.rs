//! Changes one file, or recovers such a change, and reports how it ended. It is a process of its own, so that strace
//! can act on it.
//!
//! `file-writer perform|recover ROOT PATH TEMP BASE NEW`, where BASE and NEW are files outside the project that hold what
//! is there before and after, or `-` for nothing. Prints one line.
#![allow(clippy::print_stdout, reason = "what it says is read by a test")]

use std::path::Path;

use anyhow::{Context, Result, bail};
use orion_files::workspace::{Private, Project};
use orion_files::writing::{Attempt, Outcome, Recovered, sha256};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [act, root, path, temp, base, new] = &arguments[..] else { bail!("six arguments are needed") };
    let project = Project::open(Path::new(root), &Private::none())?;
    let content = |name: &str| match name {
        "-" => Ok(None),
        name => std::fs::read(name).map(Some).with_context(|| name.to_owned()),
    };
    let new = content(new)?;
    let attempt = Attempt {
        path: project.path(path)?,
        temp: temp.clone(),
        base: content(base)?.as_deref().map(sha256),
        new: new.as_deref().map(sha256),
    };
    match act.as_str() {
        "perform" => {
            let performed = attempt.perform(&project, new.as_deref());
            let left = if performed.temp_left { " and left its temporary file" } else { "" };
            match performed.outcome {
                Outcome::Written => println!("written{left}"),
                Outcome::Changed => println!("changed{left}"),
                Outcome::Failed(error) => {
                    println!("failed{left}: {:?} {error} {:?}", error.code, error.detail)
                }
                Outcome::Unknown(error) => {
                    println!("unknown{left}: {:?} {error} {:?}", error.code, error.detail)
                }
            }
        }
        "recover" => match attempt.recover(&project)? {
            Recovered::Written => println!("written"),
            Recovered::NotWritten => println!("not written"),
            Recovered::Changed { .. } => println!("changed"),
        },
        other => bail!("{other} is neither perform nor recover"),
    }
    Ok(())
}
