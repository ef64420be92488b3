//! `templates FOLDER`: runs two turns with the command line for each chat template, behind a server that renders as llama.cpp does, and checks that
//! nothing of what was sent is lost, moved or refused.
//!
//! The form of results is the one that Orion chooses by the server's rendering. With ORION_LLAMA_SERVER the real server renders (`server`).

mod server;
mod turns;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail};

use crate::server::Llama;
use crate::turns::Judged;
use chat_template::Template;

/// Of those that this engine prints, so many may be wrong: one that moves tool messages, and one that knows no roles.
const MOST_WRONG: usize = 2;

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
    let folder = std::env::args_os().nth(1).map(PathBuf::from).context("usage: templates FOLDER")?;
    let files = chat_template::files(&folder)?;
    let server = std::env::var_os("ORION_LLAMA_SERVER").map(PathBuf::from);
    let (mut printed, mut right, mut cached) = (0, 0, 0);
    for file in &files {
        let name = chat_template::name(file);
        let judged = match &server {
            Some(program) => {
                let llama = Llama::start(program, file);
                llama.and_then(|llama| turns::judge(Arc::new(move |request| llama.render(request))))
            }
            None => Template::read(file).and_then(|template| {
                turns::judge(Arc::new(move |request| {
                    template.render(request).map_err(|error| error.to_string())
                }))
            }),
        };
        match judged {
            Ok(Judged { form, wrong, share }) => {
                printed += 1;
                right += usize::from(wrong.is_none());
                cached += usize::from(share >= 0.99);
                eprintln!("{name:<52} {form:<6} {:>5.1} %  {}", share * 100.0, wrong.unwrap_or_default());
            }
            Err(error) => eprintln!("{name:<52} not printed: {}", format!("{error:#}").replace('\n', " ")),
        }
    }
    eprintln!(
        "templates: {right} of {printed} print everything in its place, {cached} begin as before, {} are not printed",
        files.len() - printed
    );
    if printed == 0 || printed - right > MOST_WRONG {
        bail!("{} of {printed} templates lose, move or refuse something", printed - right);
    }
    Ok(())
}
