//! `orion doctor`: a report of this computer, and what to do about what is wrong.
//!
//! It opens neither the log nor the database, so it works where these cannot be used. Deliberately not here: what is looked at
//! (`orion_engine::doctor`).

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use clap::Args;
use orion_engine::config::{Config, Environment};
use orion_engine::doctor::{Examined, Unstarted, WindowFacts, examine, window};
use orion_engine::paths::Paths;
use orion_engine::secrets::{KeyStore, Keychain, Redactor};
use orion_protocol::{DoctorReport, ErrorInfo, Severity, Subject};
use orion_providers::Providers;
use tokio::process::Command;

use crate::exit::Exit;
use crate::output::{put, unwritable};
use crate::printed::Printed;
use crate::terminal::is_coloured;

/// The program with the window starts within a second; a cold disk takes some more.
const PATIENCE: Duration = Duration::from_secs(10);

/// The exit code of a shell where a program or a library of it is not found (POSIX, 2.8.2), and the loader of Linux as well.
const NOT_FOUND: i32 = 127;

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn doctor(args: &DoctorArgs) -> Result<Exit, ErrorInfo> {
    let environment = Environment::of_process();
    let paths = Paths::find(&environment, args.data_dir.as_deref())?;
    let config = Config::of(&paths, &environment);
    let keys = KeyStore::new(environment.clone(), Keychain::of_system(), Redactor::default());
    let connector = Providers::default();
    let (mut report, facts) = tokio::join!(
        examine(Examined {
            paths: &paths,
            environment: &environment,
            config: &config,
            keys: &keys,
            connector: &connector
        }),
        facts(),
    );
    report.add(window(facts));
    if args.json {
        put(&Printed::json_lines(&report).map_err(unwritable)?.line())?;
    } else {
        put(&shown(&report))?;
    }
    Ok(match report.worst() {
        Some(Severity::Error) => Exit::Failed,
        Some(Severity::Warning) | None => Exit::Answered,
    })
}

/// The facts that the program with the window finds.
async fn facts() -> Result<WindowFacts, Unstarted> {
    let beside = std::env::current_exe().ok().and_then(|orion| {
        let name = format!("orion-desktop{}", std::env::consts::EXE_SUFFIX);
        let places = [orion.canonicalize().ok(), Some(orion)].into_iter().flatten();
        places.map(|orion| orion.with_file_name(&name)).find(|program| program.is_file())
    });
    asked(&beside.ok_or(Unstarted::Absent)?).await
}

async fn asked(program: &Path) -> Result<WindowFacts, Unstarted> {
    let mut command = Command::new(program);
    command.arg("--facts").stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(PATIENCE, command.output()).await;
    let output = output.map_err(|_| Unstarted::Silent)?.map_err(|_| Unstarted::Silent)?;
    if output.status.code() == Some(NOT_FOUND) {
        return Err(Unstarted::LibraryMissing(missing(&String::from_utf8_lossy(&output.stderr))));
    }
    serde_json::from_slice(&output.stdout).map_err(|_| Unstarted::Silent)
}

/// The library that the loader of Linux names: `PROGRAM: error while loading shared libraries: NAME: cannot open …`.
fn missing(said: &str) -> Option<String> {
    let named = said.split("error while loading shared libraries: ").nth(1)?;
    named.split(':').next().map(|name| name.trim().to_owned())
}

fn shown(report: &DoctorReport) -> Printed {
    let commit = report.commit.as_deref().map_or_else(String::new, |commit| format!(" ({commit})"));
    let mut shown = Printed::record(&format!("Orion {}{commit}\n", report.version));
    for finding in &report.findings {
        let (mark, style) = match finding.trouble.as_ref().map(|trouble| trouble.severity) {
            None => ("✓", AnsiColor::Green.on_default()),
            Some(Severity::Warning) => ("!", AnsiColor::Yellow.on_default()),
            Some(Severity::Error) => ("✗", AnsiColor::Red.on_default()),
        };
        shown.push(&in_style(mark, style));
        let label = label(finding.subject);
        shown.push(&Printed::record(&format!(" {label:<10} {}\n", finding.says)));
        if let Some(trouble) = &finding.trouble {
            shown.push(&Printed::record(&" ".repeat(13)));
            shown.push(&in_style(&trouble.action, Style::new().dimmed()).line());
        }
    }
    shown
}

fn in_style(text: &str, style: Style) -> Printed {
    if is_coloured() { Printed::styled_record(text, style) } else { Printed::record(text) }
}

fn label(subject: Subject) -> &'static str {
    match subject {
        Subject::System => "system",
        Subject::Window => "window",
        Subject::Display => "display",
        Subject::Keychain => "keychain",
        Subject::Settings => "settings",
        Subject::Data => "data",
        Subject::Disk => "disk",
        Subject::Clock => "clock",
        Subject::Sandbox => "sandbox",
        Subject::Proxy => "proxy",
        Subject::Endpoint => "endpoint",
        Subject::Servers => "servers",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_that_is_missing_is_named_by_the_loader() {
        let said = "/usr/bin/orion-desktop: error while loading shared libraries: libwebkit2gtk-4.1.so.0: cannot open shared object file: No such \
                    file or directory\n";
        assert_eq!(missing(said).as_deref(), Some("libwebkit2gtk-4.1.so.0"));
        assert_eq!(missing("Segmentation fault"), None);
    }
}
