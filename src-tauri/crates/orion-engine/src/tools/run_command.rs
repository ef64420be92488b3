//! `run_command`: one shell line, or one program, in the project (C1). The tool checks the call, says how it would run, has it run, and makes its box
//! of the output.
//!
//! Deliberately not here: whether it may run (the turn), where it runs ([`crate::commands`]), and holding it (`orion-sandbox`).

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use orion_core::command_line::{Unread, read};
use orion_core::permission::{RUN_COMMAND, as_asked, command_of};
use orion_core::tool::{Seen, ToolKind, ToolSpec};
use orion_files::workspace::{Kind, Project};
use orion_protocol::{
    CallId, Code, CommandAsked, CommandEnd, ErrorInfo, RunsLater, SandboxLevel, ToolStatus,
};
use orion_sandbox::{Host, Program};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::command_hosts::{hosts_of, offered, reached, refused_hosts};
use super::page::{count, size};
use super::{Context, Output, Tool, blocking, read_output, schema};
use crate::commands::{Command, Commands, Ended, Setting, Text, line_of, place, said};

pub(super) const NAME: &str = RUN_COMMAND;

/// The arguments that rules are matched against: what runs, and not where, for how long or to what end.
const RULED: [&str; 2] = ["argv", "command"];

/// Characters of a reason.
const REASON: usize = 200;

/// The longest that a run takes: the most seconds of a command, and time to end it.
const TIME_MS: u32 = 660_000;

#[derive(Debug, Deserialize, JsonSchema)]
struct Arguments {
    /// A line for bash. Either this or argv.
    command: Option<String>,
    /// A program and its arguments, without a shell.
    argv: Option<Vec<String>>,
    /// The folder to run in, relative to the project.
    #[schemars(extend("format" = "path"))]
    cwd: Option<String>,
    /// Seconds after which it is ended.
    #[schemars(range(min = 1))]
    timeout_s: Option<u32>,
    /// Exact hosts it needs.
    network: Option<Vec<String>>,
    /// A few words for the person: to what end.
    reason: Option<String>,
}

/// Runs commands.
#[derive(Debug)]
struct RunCommand(Commands);

pub(super) fn tool(commands: Commands) -> Arc<dyn Tool> {
    Arc::new(RunCommand(commands))
}

impl Tool for RunCommand {
    fn spec(&self) -> ToolSpec {
        let description = "Run one shell line or program in the project and get its output. No input, no network but hosts in network; all of it \
                           ends with the command. Start a server with & and test it in one line. The person may be asked first.";
        let (parameters, paths) = schema::of::<Arguments>();
        let spec = ToolSpec::new(NAME, description, parameters, ToolKind::RunsCommands);
        ToolSpec {
            paths,
            time_ms: Some(TIME_MS),
            unsigned: vec!["reason".to_owned()],
            ruled: RULED.map(str::to_owned).into(),
            ..spec
        }
    }

    fn run(&self, arguments: Value, context: Context) -> BoxFuture<'static, Result<Output, ErrorInfo>> {
        let commands = self.0.clone();
        async move {
            let wanted = wanted(arguments, &context).await?;
            let setting =
                commands.setting(&context.project, &context.commands.read, context.cancel.clone()).await?;
            run(&commands, wanted, setting, context).await
        }
        .boxed()
    }

    fn prepare(
        &self,
        arguments: Value,
        context: Context,
    ) -> BoxFuture<'static, Result<CommandAsked, ErrorInfo>> {
        let commands = self.0.clone();
        async move {
            let wanted = wanted(arguments, &context).await?;
            let setting =
                commands.setting(&context.project, &context.commands.read, context.cancel.clone()).await?;
            let understood = match &wanted.program {
                Program::Line(line) => read(line),
                Program::Argv(words) => command_of(words.clone()),
            };
            let by_shell = matches!(wanted.program, Program::Line(_));
            let unread = understood.as_ref().err().map(Unread::to_string);
            let found = setting.clone();
            let runs = blocking(move || {
                understood
                    .map(|line| as_asked(&line, by_shell, |name| found.never_kept(name)))
                    .unwrap_or_default()
            })
            .await;
            let reads = setting.layout.also_readable.iter().map(|path| path.to_string_lossy().into_owned());
            let offered_hosts = offered(&wanted.hosts, &wanted.line, setting.level);
            Ok(CommandAsked {
                hosts: wanted.hosts.iter().map(Host::to_string).collect(),
                offered_hosts,
                needs_outside: setting.level == SandboxLevel::Full && needs_git(&wanted.line),
                line: wanted.line,
                runs,
                unread,
                folder: wanted.folder,
                reason: wanted.reason,
                seconds: wanted.seconds,
                level: setting.level,
                gaps: setting.gaps,
                reads: reads.collect(),
                asks_since: setting.asks_since,
            })
        }
        .boxed()
    }
}

/// A call that can run.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    program: Program,
    /// The line as a shell takes it.
    line: String,
    /// Project-relative, as it is shown.
    folder: String,
    cwd: PathBuf,
    seconds: u32,
    /// The call asked for more seconds.
    lowered: bool,
    hosts: Vec<Host>,
    reason: Option<String>,
}

fn refused(what: impl Into<String>) -> ErrorInfo {
    ErrorInfo::new(
        Code::ToolArguments,
        format!("{NAME}: {}.", what.into()),
        "Call it again with arguments that fit.",
    )
}

async fn wanted(arguments: Value, context: &Context) -> Result<Wanted, ErrorInfo> {
    let arguments: Arguments =
        serde_json::from_value(arguments).map_err(|cause| refused(cause.to_string()))?;
    let Arguments { command, argv, cwd, timeout_s, network, reason } = arguments;
    let program = match (command, argv) {
        (Some(line), None) => Program::Line(line),
        (None, Some(argv)) => Program::Argv(argv),
        (Some(_), Some(_)) => return Err(refused("give either command or argv, not both")),
        (None, None) => return Err(refused("command is missing")),
    };
    let line = line_of(&program).map_err(refused)?;
    let hosts = hosts_of(&network.unwrap_or_default())?;
    let project = context.project.clone();
    let (folder, cwd) = blocking(move || folder_of(&project, cwd.as_deref().unwrap_or("."))).await?;
    let most = context.commands.most_seconds.min(whole_seconds(context.limits.timeout));
    let asked = timeout_s.unwrap_or(most).max(1);
    let reason = reason.map(|reason| reason.chars().take(REASON).collect());
    Ok(Wanted { program, line, folder, cwd, seconds: asked.min(most), lowered: asked > most, hosts, reason })
}

/// A folder of the project, as it is shown, and its place on the disk.
fn folder_of(project: &Project, path: &str) -> Result<(String, PathBuf), ErrorInfo> {
    let path = project.path(path)?;
    let node = project.find(&path)?;
    if node.kind != Kind::Folder {
        return Err(ErrorInfo::new(
            Code::PathWrongKind,
            format!("{path} is not a folder."),
            "Name a folder as cwd.",
        ));
    }
    let shown = if node.path.is_root() { ".".to_owned() } else { node.path.to_string() };
    Ok((shown, project.root().join(node.path.as_path())))
}

/// True for a line that likely writes into `.git`, which is read-only in the sandbox. Only an offer hangs on it.
fn needs_git(line: &str) -> bool {
    const WRITES: [&str; 10] =
        ["add", "commit", "stash", "checkout", "switch", "merge", "rebase", "cherry-pick", "reset", "tag"];
    line.split([';', '&', '|', '\n', '(', ')']).any(|command| {
        let mut words = command.split_whitespace().skip_while(|word| *word != "git").skip(1);
        words.any(|word| WRITES.contains(&word))
    })
}

async fn run(
    commands: &Commands,
    wanted: Wanted,
    setting: Setting,
    context: Context,
) -> Result<Output, ErrorInfo> {
    let Some(call) = context.call.clone() else { return Err(refused("a command belongs to a turn")) };
    let outside = context.commands.outside;
    // C3: nobody is told of a sandbox that there is not.
    if !outside && context.commands.asked_at.is_some_and(|asked_at| !setting.level.holds_as(asked_at)) {
        let message = "The sandbox holds less than it did when this command was allowed. It did not run.";
        return Err(ErrorInfo::new(Code::ToolDenied, message, "Call it again: the person is asked anew."));
    }
    // A3, C2: a question that told of another sandbox named no hosts, and told of no network.
    let are_granted = [Some(setting.level), context.commands.asked_at] == [Some(SandboxLevel::Full); 2];
    let Wanted { program, line, folder, cwd, seconds, lowered, hosts, .. } = wanted;
    let asked_for = !hosts.is_empty();
    let hosts = if are_granted && !outside { hosts } else { Vec::new() };
    let env = context.commands.env.clone();
    let command = Command { program, line, folder, cwd, seconds, hosts, env, outside };
    let kept_at = place(&commands.outputs, call.session_id, call.request_id, &call.call_id);
    let person = context.person.clone();
    let show = Box::new(move |text: &str| person.show(text));
    let mut ended = commands.run(command, setting, &context.project, kept_at, show, &context.cancel).await?;
    let to_keep = std::mem::take(&mut ended.contents);
    if let Some(store) = &context.store
        && let Err(error) = store.keep_command_files(call.request_id, &call.call_id, to_keep).await
    {
        // The command ran: what came of it is told all the same.
        tracing::warn!(%error, "the files that a command changed could not be stored");
        ended.keeps_none("its contents could not be stored");
    }
    let mut notes = String::new();
    if lowered {
        notes.push_str(&format!("\nThe most seconds of a command are {seconds}: it was given as many."));
    }
    if asked_for && ended.run.level == SandboxLevel::FilesOnly {
        notes.push_str("\nIt had no network: hosts can be granted in a full sandbox alone.");
    }
    Ok(answer(ended, &notes, &call.call_id, context.limits.body_bytes))
}

/// At least one.
fn whole_seconds(time: Duration) -> u32 {
    u32::try_from(time.as_secs()).unwrap_or(u32::MAX).max(1)
}

fn named(file: &RunsLater) -> String {
    format!("{} ({})", file.path, if file.is_new { "new" } else { "changed" })
}

/// The result of a command: one line about its end, and as much of its output as the model is given (C4, R3). `notes` are sentences
/// about what it was not given.
fn answer(ended: Ended, notes: &str, call: &CallId, most: usize) -> Output {
    let Ended { run, ran, output, .. } = ended;
    let mut head = format!("{}, {:.1} s, {}", run.ended, ran.duration.as_secs_f64(), run.held());
    if !run.left_running.is_empty() {
        head.push_str(&format!(", left running and ended with it: {}", run.left_running.join(", ")));
    }
    if !ran.remaining.is_empty() {
        head.push_str(&format!(
            ", still running, since they could not be ended: {}",
            ran.remaining.join(", ")
        ));
    }
    let summary = head.clone();
    head.push_str(notes);
    if run.ended == CommandEnd::TimedOut && !run.ports.is_empty() {
        let ports: Vec<String> = run.ports.iter().map(u16::to_string).collect();
        head.push_str(&format!(
            "\nIt listened on port {}: a server. Start it with & and test it in the same line.",
            ports.join(", ")
        ));
    }
    if !run.runs_later.is_empty() {
        let named: Vec<String> = run.runs_later.iter().map(named).collect();
        head.push_str(&format!("\nFiles that can run code later: {}.", named.join(", ")));
    }
    if !run.unprotected.is_empty() {
        let (paths, more) =
            (run.unprotected.join(", "), if run.more_unprotected { " and maybe more" } else { "" });
        head.push_str(&format!("\nChanged, which a full sandbox would not have let it: {paths}{more}."));
    }
    if let Some(network) = &run.network {
        head.push_str(&reached(network));
    }
    head.push_str(&said(&run));
    head.push('\n');
    let text = Text::of(&output);
    let lines = text.count();
    if run.bytes == 0 {
        head.push_str("It wrote nothing.\n");
    } else if run.kept_bytes == 0 || lines == 0 {
        head.push_str(&format!("Its output, {}, could not be kept.\n", size(run.bytes)));
    }
    let reads_on = |from| read_output::reads_on(call, from);
    let body = head.clone() + &text.within(most.saturating_sub(head.len()), reads_on);
    let status = match run.ended {
        CommandEnd::TimedOut => Some(ToolStatus::TimedOut),
        CommandEnd::Stopped => Some(ToolStatus::Cancelled),
        CommandEnd::Exited { code: 0 } => None,
        _ => Some(ToolStatus::Failed),
    };
    let later = match run.runs_later.len() as u64 {
        0 => String::new(),
        files => format!(", {} that can run code later", count(files, "file", "files")),
    };
    let changed = match run.changed.len() as u64 + run.more_changed {
        0 => String::new(),
        files => format!(", {} changed", count(files, "file", "files")),
    };
    let refused = run.network.as_deref().map(refused_hosts).unwrap_or_default();
    Output {
        summary: format!("{summary}, {}{later}{changed}{refused}", count(lines, "line", "lines")),
        bytes: Some(run.bytes.max(body.len() as u64)),
        body,
        status,
        // C6: whatever changes in the project, the same command may run again.
        seen: vec![Seen::Tree(String::new())],
        command: Some(run),
        ..Output::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_writes_into_git_is_offered_to_run_outside_at_first() {
        for line in
            ["git commit -m x", "make && git add .", "cd a; git -C b stash", "git --no-pager checkout main"]
        {
            assert!(needs_git(line), "{line}");
        }
        for line in [
            "git status",
            "git log --oneline",
            "echo commit",
            "cargo add serde",
            "gitk commit",
            "git status; cargo add x",
            "",
        ] {
            assert!(!needs_git(line), "{line}");
        }
    }
}
