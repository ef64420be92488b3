//! The two programs that are measured, and running one of them.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use support::{Folder, Script, ScriptedModel};

use crate::stopwatch::Used;

/// Which program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    Floor,
    Orion,
}

/// Where everything lies: the programs, a project for them to look at, and Orion's data.
#[derive(Debug)]
pub(crate) struct Rig {
    programs: PathBuf,
    project: Folder,
    home: Folder,
    pub(crate) data: Folder,
}

/// One run to its end.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) began: Instant,
    pub(crate) ended: Instant,
    pub(crate) output: String,
    pub(crate) model: ScriptedModel,
}

impl Rig {
    pub(crate) fn new() -> Result<Self> {
        let harness = std::env::current_exe()?;
        let programs = harness.parent().context("the harness lies in a folder")?.to_path_buf();
        for name in ["orion", "floor"] {
            if !programs.join(name).is_file() {
                bail!("{} is not built: run `cargo xtask bench`", programs.join(name).display());
            }
        }
        let text = "A line of a small file, such as people keep in folders.\n".repeat(20);
        let files = ["README.md", "notes.txt", "src/main.c", "src/util.c", "data/table.csv"]
            .map(|name| (name, &text));
        Ok(Self { programs, project: Folder::with(files), home: Folder::empty(), data: Folder::empty() })
    }

    pub(crate) fn program(&self, subject: Subject) -> PathBuf {
        self.programs.join(match subject {
            Subject::Floor => "floor",
            Subject::Orion => "orion",
        })
    }

    /// A file of the project.
    pub(crate) fn in_project(&self, name: &str) -> PathBuf {
        self.project.path().join(name)
    }

    fn arguments(&self, subject: Subject, model: &ScriptedModel, data: &Path) -> Vec<String> {
        let (url, project) = (model.base_url(), self.project.path().display().to_string());
        let message = "What is in this folder?".to_owned();
        match subject {
            Subject::Floor => vec![url, project, message],
            Subject::Orion => {
                let data = data.display().to_string();
                let flags = [
                    "run",
                    "--project",
                    &project,
                    "--base-url",
                    &url,
                    "--model",
                    "scripted",
                    "--data-dir",
                    &data,
                    "--approve-writes",
                    // T7: the largest file that is measured has 50 MB.
                    "--max-file-bytes",
                    "67108864",
                ];
                flags.iter().map(ToString::to_string).chain([message]).collect()
            }
        }
    }

    /// Nothing of the person's own settings, in a process group of its own.
    fn clean(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", self.home.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
    }

    /// Starts a program on a model.
    pub(crate) fn start(&self, subject: Subject, model: &ScriptedModel, data: &Path) -> Result<Child> {
        let mut command = self.clean(self.program(subject));
        command
            .args(self.arguments(subject, model, data))
            .spawn()
            .with_context(|| format!("{subject:?} did not start"))
    }

    /// Runs a program on a script to its end, and checks that it leaves no process behind.
    pub(crate) fn run(&self, subject: Subject, script: Script, data: &Path) -> Result<Run> {
        let model = script.models(["scripted"]).start();
        let began = Instant::now();
        let mut child = self.start(subject, &model, data)?;
        let mut output = String::new();
        child.stdout.take().context("its output")?.read_to_string(&mut output)?;
        let status = child.wait()?;
        let ended = Instant::now();
        if !status.success() {
            bail!("{subject:?} failed ({status})");
        }
        let left = processes_of_group(child.id())?;
        if !left.is_empty() {
            bail!("{subject:?} left processes behind: {left:?}");
        }
        Ok(Run { began, ended, output, model })
    }

    /// Runs a program on a script under the stopwatch.
    pub(crate) fn used(&self, subject: Subject, script: Script, data: &Path) -> Result<(Used, String)> {
        self.used_with(subject, script, data, &[])
    }

    /// The same with further flags.
    pub(crate) fn used_with(
        &self,
        subject: Subject,
        script: Script,
        data: &Path,
        flags: &[&str],
    ) -> Result<(Used, String)> {
        let model = script.models(["scripted"]).start();
        let arguments = self.arguments(subject, &model, data);
        let used = self.timed(subject, arguments.iter().map(String::as_str).chain(flags.iter().copied()));
        model.finish();
        used
    }

    /// CPU time in milliseconds of `orion run` with a model whose window has so many tokens, which only the settings can say.
    pub(crate) fn cpu_with_window(
        &self,
        window: u32,
        script: Script,
        data: &Path,
        flags: &[&str],
    ) -> Result<f64> {
        let model = script.models(["scripted"]).start();
        let settings = self.home.path().join(".config/orion/config.toml");
        fs::create_dir_all(settings.parent().context("it is in a folder")?)?;
        let url = model.base_url();
        fs::write(
            &settings,
            format!(
                "default_endpoint = 'bench'\n[endpoints.bench]\nbase_url = '{url}'\nmodel = 'scripted'\nwindow = {window}\n"
            ),
        )?;
        let (data, project) = (data.display().to_string(), self.project.path().display().to_string());
        let run = ["run", "--data-dir", &data, "--project", &project, "What is in this folder?"];
        let used = self.timed(Subject::Orion, run.into_iter().chain(flags.iter().copied()));
        // The other measures have no settings.
        fs::remove_file(&settings)?;
        model.finish();
        Ok(used?.0.cpu_ms)
    }

    /// Runs a program under the stopwatch.
    fn timed<'a>(
        &self,
        subject: Subject,
        arguments: impl Iterator<Item = &'a str>,
    ) -> Result<(Used, String)> {
        let mut command = self.clean(std::env::current_exe()?);
        command.arg("stopwatch").arg(self.program(subject)).args(arguments);
        let output = command.stderr(Stdio::piped()).output()?;
        let used: Used = serde_json::from_slice(&output.stderr)
            .with_context(|| format!("the stopwatch said {}", String::from_utf8_lossy(&output.stderr)))?;
        if used.code != 0 {
            bail!("{subject:?} ended with code {}", used.code);
        }
        Ok((used, String::from_utf8(output.stdout)?))
    }
}

/// The processes of a process group that are still there.
fn processes_of_group(group: u32) -> Result<Vec<String>> {
    let mut left = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let Ok(stat) = fs::read_to_string(entry?.path().join("stat")) else { continue };
        // pid (comm) state ppid pgrp …, and comm may hold anything.
        let Some((name, rest)) = stat.rsplit_once(") ") else { continue };
        if rest.split(' ').nth(2) == Some(&group.to_string()) {
            left.push(format!("{name})"));
        }
    }
    Ok(left)
}
