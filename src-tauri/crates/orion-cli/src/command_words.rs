//! Commands of a turn in words: the question about one, and the end of one (C3, C5).
//!
//! Deliberately not here: the answers to the question (`chat/answer`, `answer_flags`), and output while one runs (`live_output`).

use orion_protocol::{
    CommandAsked, CommandChange, CommandNetwork, CommandRun, FileChange, Reply, RunsLater, SandboxLevel,
};
use serde_json::{Map, Value};

use crate::kept_words;
use crate::terminal::{one_line, size};

/// The words for the choice that is kept as the pattern of every command.
pub(crate) const UNASKED: &str = "run commands in the sandbox without asking";

/// Characters of a sentence about the sandbox. Longer than any of ours; what `bwrap` says may be anything.
const SENTENCE: usize = 500;

/// The question about a command, line by line: all of the command, and what it can do where it runs. What only a person can judge comes whole.
pub(crate) fn question(command: &CommandAsked) -> Vec<String> {
    let CommandAsked {
        line,
        folder,
        reason,
        seconds,
        level,
        gaps,
        hosts,
        offered_hosts,
        needs_outside,
        asks_since,
        ..
    } = command;
    let mut said: Vec<String> =
        line.split('\n').zip(["  $ "].into_iter().chain(std::iter::repeat("  > "))).map(prefixed).collect();
    if let Some(reason) = reason {
        said.push(format!("  The model's reason: {}", one_line(reason, 200)));
    }
    said.push(format!("  In {}, for at most {seconds} s.", place(folder)));
    match level {
        SandboxLevel::Full if !hosts.is_empty() => {
            said.push(format!(
                "  It runs in the sandbox, and may reach {} and nothing else of the network.",
                and(hosts)
            ));
        }
        SandboxLevel::Full => {
            said.push("  It runs in the sandbox, without a network.".to_owned());
            if !offered_hosts.is_empty() {
                said.push(format!("  It likely needs {}.", and(offered_hosts)));
            }
        }
        SandboxLevel::FilesOnly => said.push(
            "  It has no network, and of your files the project alone. There nothing is closed or read-only."
                .to_owned(),
        ),
        SandboxLevel::None => {
            said.push("  Nothing holds it: it can do all that you can do.".to_owned());
        }
    }
    if *level != SandboxLevel::Full {
        for gap in gaps {
            said.push(format!("  {}", one_line(&gap.gap, SENTENCE)));
            said.extend(gap.mends.iter().map(|mend| format!("    mend it: {}", one_line(mend, SENTENCE))));
        }
    }
    if *needs_outside {
        said.push("  It likely needs what the sandbox keeps from it.".to_owned());
    }
    if *level == SandboxLevel::Full && asks_since.is_none() {
        said.extend(kept_words::never(command));
    }
    if let Some(why) = asks_since {
        said.push(format!("  Asked about, whatever you allowed: {}", one_line(why, SENTENCE)));
    }
    said
}

fn and(hosts: &[String]) -> String {
    one_line(&hosts.join(", "), 4_000)
}

/// The reply that grants these hosts for one run, and no others: the call with them in the place of those that it asks for (A3, C2).
pub(crate) fn with_hosts(arguments: &Map<String, Value>, hosts: impl IntoIterator<Item = String>) -> Reply {
    let mut arguments = arguments.clone();
    arguments.insert("network".to_owned(), hosts.into_iter().map(Value::from).collect());
    Reply::AllowEdited { arguments }
}

/// The folders of the person's home that a command can read in the sandbox. None where there are none, or nothing hides the others.
pub(crate) fn reads(command: &CommandAsked) -> Option<String> {
    let is_held = command.level != SandboxLevel::None && !command.reads.is_empty();
    is_held.then(|| format!("  Of your home it can read {}.", one_line(&command.reads.join(", "), 2_000)))
}

fn prefixed((line, prefix): (&str, &str)) -> String {
    format!("{prefix}{line}")
}

fn place(folder: &str) -> String {
    if folder == "." { "the project's folder".to_owned() } else { one_line(folder, SENTENCE) }
}

/// The end of a command on one line, what matters most first.
pub(crate) fn ended(run: &CommandRun) -> String {
    let seconds = run.duration_ms as f64 / 1_000.0;
    let mut said = format!("{}, {seconds:.1} s, {}", run.ended, run.held());
    if !run.left_running.is_empty() {
        said.push_str(&format!(", left running and ended with it: {}", run.left_running.join(", ")));
    }
    if !run.ports.is_empty() {
        let ports: Vec<String> = run.ports.iter().map(u16::to_string).collect();
        said.push_str(&format!(", listened on port {}", ports.join(", ")));
    }
    match run.bytes {
        0 => said.push_str(", no output"),
        bytes => said.push_str(&format!(", {} of output", size(bytes))),
    }
    if !run.runs_later.is_empty() {
        let named = |RunsLater { path, is_new, .. }: &RunsLater| {
            format!("`{}` ({})", one_line(path, 200), if *is_new { "new" } else { "changed" })
        };
        let files: Vec<String> = run.runs_later.iter().map(named).collect();
        said.push_str(&format!(", files that can run code later: {}", files.join(", ")));
        if run.more_run_later {
            said.push_str(" and maybe more");
        }
    }
    if !run.unprotected.is_empty() || run.more_unprotected {
        let paths: Vec<String> =
            run.unprotected.iter().map(|path| format!("`{}`", one_line(path, 200))).collect();
        let more = match (run.more_unprotected, paths.is_empty()) {
            (false, _) => "",
            (true, true) => "maybe some",
            (true, false) => " and maybe more",
        };
        said.push_str(&format!(", changed what a full sandbox keeps as it is: {}{more}", paths.join(", ")));
    }
    if let Some(network) = &run.network {
        said.push_str(&reached(network));
    }
    said.push_str(&changed(run));
    said
}

/// The hosts that a command asked for.
fn reached(network: &CommandNetwork) -> String {
    let mut said = String::new();
    for used in &network.hosts {
        let host = one_line(&used.host, 300);
        said.push_str(&match &used.failed {
            Some(why) if used.connections == 0 => format!(", {host} {}", one_line(why, SENTENCE)),
            _ => format!(", {host}: {} in, {} out", size(used.bytes_in), size(used.bytes_out)),
        });
    }
    if network.cut {
        said.push_str(", cut off at the most bytes of a command");
    }
    if !network.refused.is_empty() {
        said.push_str(&format!(", refused: {}", and(&network.refused)));
    }
    said
}

/// Files that are named on the line of a command; all of them are in its result.
const NAMED: usize = 8;

/// The files that it changed, links out of the project first (C6).
fn changed(run: &CommandRun) -> String {
    let mut said = String::new();
    if !run.changed.is_empty() {
        let named = |file: &CommandChange| {
            let word = match file.change {
                FileChange::Created => "new",
                FileChange::Changed => "changed",
                FileChange::Removed => "removed",
                FileChange::Mode => "permissions",
            };
            let out = if file.leads_out { ", a link out of the project" } else { "" };
            let kept = if file.kept.is_some() { ", cannot be undone" } else { "" };
            format!("`{}` ({word}{out}{kept})", one_line(&file.path, 200))
        };
        let files: Vec<String> = run.changed.iter().take(NAMED).map(named).collect();
        let more = run.more_changed + run.changed.len().saturating_sub(NAMED) as u64;
        said.push_str(&format!(", files that changed: {}", files.join(", ")));
        if more > 0 {
            said.push_str(&format!(" and {more} more"));
        }
    }
    if run.partly_compared {
        said.push_str(", not all of the project could be looked at");
    }
    said
}

#[cfg(test)]
mod tests {
    use orion_protocol::{CommandEnd, HostUse, SandboxGap, Sha256};

    use super::*;

    fn asked() -> CommandAsked {
        CommandAsked {
            line: "make \\\n  all".to_owned(),
            folder: ".".to_owned(),
            reason: None,
            seconds: 60,
            level: SandboxLevel::Full,
            gaps: Vec::new(),
            reads: Vec::new(),
            hosts: Vec::new(),
            offered_hosts: Vec::new(),
            needs_outside: false,
            asks_since: None,
            runs: Vec::new(),
            unread: None,
        }
    }

    // C3
    #[test]
    fn the_question_has_all_of_the_line_and_says_that_the_sandbox_holds_it() {
        let long = "x".repeat(5_000);
        assert_eq!(question(&CommandAsked { line: long.clone(), ..asked() })[0], format!("  $ {long}"));
        let of_folder =
            CommandAsked { folder: "src".to_owned(), reason: Some("to\nbuild".to_owned()), ..asked() };
        assert_eq!(
            question(&of_folder),
            [
                "  $ make \\",
                "  >   all",
                "  The model's reason: to build",
                "  In src, for at most 60 s.",
                "  It runs in the sandbox, without a network.",
            ]
        );
        let reads = ["/home/me/.cargo".to_owned()].into();
        assert_eq!(
            super::reads(&CommandAsked { reads, ..asked() }).as_deref(),
            Some("  Of your home it can read /home/me/.cargo.")
        );
        assert_eq!(super::reads(&asked()), None);
    }

    // C2
    #[test]
    fn the_question_names_the_hosts_that_it_may_reach_or_those_that_it_likely_needs() {
        let hosts = || vec!["a.test".to_owned(), "b.test:8080".to_owned()];
        let last = |command: CommandAsked| question(&command).split_off(3);
        assert_eq!(
            last(CommandAsked { hosts: hosts(), ..asked() }),
            ["  It runs in the sandbox, and may reach a.test, b.test:8080 and nothing else of the network."]
        );
        assert_eq!(
            last(CommandAsked { offered_hosts: hosts(), ..asked() }),
            ["  It runs in the sandbox, without a network.", "  It likely needs a.test, b.test:8080."]
        );
        let arguments = serde_json::from_str(r#"{"command":"make","network":["c.test"]}"#).unwrap();
        let reply = with_hosts(&arguments, hosts());
        let Reply::AllowEdited { arguments } = reply else { panic!("{reply:?}") };
        assert_eq!(Value::from(arguments), serde_json::json!({"command": "make", "network": hosts()}));
    }

    // C3
    #[test]
    fn without_a_full_sandbox_the_question_says_so_with_what_is_missing_and_how_it_is_mended() {
        let gap = SandboxGap {
            gap: "There is no bwrap.".to_owned(),
            mends: vec!["sudo apt install bubblewrap".to_owned()],
        };
        let none = CommandAsked {
            level: SandboxLevel::None,
            gaps: vec![gap],
            asks_since: Some("The home is large.".to_owned()),
            ..asked()
        };
        assert_eq!(
            question(&none)[2..],
            [
                "  In the project's folder, for at most 60 s.",
                "  Nothing holds it: it can do all that you can do.",
                "  There is no bwrap.",
                "    mend it: sudo apt install bubblewrap",
                "  Asked about, whatever you allowed: The home is large.",
            ]
        );
    }

    // C3
    #[test]
    fn where_files_alone_are_held_the_question_says_what_is_held_and_what_is_not() {
        let gap = SandboxGap { gap: "It can change .git.".to_owned(), mends: Vec::new() };
        let files_only = CommandAsked { level: SandboxLevel::FilesOnly, gaps: vec![gap], ..asked() };
        assert_eq!(
            question(&files_only)[2..],
            [
                "  In the project's folder, for at most 60 s.",
                "  It has no network, and of your files the project alone. There nothing is closed or read-only.",
                "  It can change .git.",
            ]
        );
    }

    fn later(path: &str, is_new: bool) -> RunsLater {
        RunsLater { path: path.to_owned(), why: String::new(), is_new, sha256: None }
    }

    // C2, C5
    #[test]
    fn the_end_names_what_was_left_running_and_where_it_listened() {
        let run = CommandRun {
            line: "make".to_owned(),
            folder: ".".to_owned(),
            level: SandboxLevel::Full,
            outside: false,
            ended: CommandEnd::Exited { code: 2 },
            duration_ms: 3_240,
            bytes: 4_249,
            sha256: Sha256::from([0; 32]),
            kept_bytes: 4_249,
            left_running: vec!["node".to_owned()],
            ports: vec![3000, 3001],
            runs_later: vec![later("a (new),\nb", true), later("Makefile", false)],
            more_run_later: true,
            unprotected: Vec::new(),
            more_unprotected: false,
            network: None,
            changed: Vec::new(),
            more_changed: 0,
            partly_compared: false,
        };
        let whole = "exit code 2, 3.2 s, in the sandbox, left running and ended with it: node, listened on port 3000, 3001, 4.2 KB of output, \
                     files that can run code later: `a (new), b` (new), `Makefile` (changed) and maybe more";
        assert_eq!(ended(&run), whole);
        let quiet = CommandRun {
            outside: true,
            ended: CommandEnd::TimedOut,
            bytes: 0,
            left_running: Vec::new(),
            ports: Vec::new(),
            runs_later: vec![],
            ..run
        };
        assert_eq!(ended(&quiet), "timed out, 3.2 s, outside the sandbox, no output");
        let files_only = CommandRun {
            level: SandboxLevel::FilesOnly,
            outside: false,
            unprotected: vec![".git/hooks/post-commit".to_owned(), ".git/index".to_owned()],
            more_unprotected: true,
            ..quiet.clone()
        };
        assert_eq!(
            ended(&files_only),
            "timed out, 3.2 s, in a sandbox for files alone, no output, changed what a full sandbox keeps as it is: \
             `.git/hooks/post-commit`, `.git/index` and maybe more"
        );
        let used = |host: &str, failed: Option<&str>| HostUse {
            host: host.to_owned(),
            connections: u32::from(failed.is_none()),
            bytes_in: 4_249,
            bytes_out: 100,
            failed: failed.map(str::to_owned),
        };
        let network = CommandNetwork {
            hosts: vec![used("a.test", None), used("b.test", Some("could not be reached"))],
            refused: vec!["c.test".to_owned(), "d.test:22".to_owned()],
            offered: Vec::new(),
            cut: true,
        };
        let reached = "a.test: 4.2 KB in, 100 B out, b.test could not be reached, cut off at the most bytes of a command, refused: c.test, d.test:22";
        let run = CommandRun { network: Some(Box::new(network)), ..quiet.clone() };
        assert_eq!(ended(&run), format!("timed out, 3.2 s, outside the sandbox, no output, {reached}"));
        // C6
        let file = |path: &str, change, kept: Option<&str>, leads_out| CommandChange {
            path: path.to_owned(),
            change,
            before: None,
            after: None,
            added: None,
            removed: None,
            kept: kept.map(str::to_owned),
            leads_out,
        };
        let changed = vec![
            file("out", FileChange::Created, Some("it is no file"), true),
            file("a\nb", FileChange::Changed, None, false),
        ];
        let changing = CommandRun { changed, more_changed: 3, partly_compared: true, ..quiet };
        let whole = "timed out, 3.2 s, outside the sandbox, no output, files that changed: `out` (new, a link out of the project, cannot be undone), \
                     `a b` (changed) and 3 more, not all of the project could be looked at";
        assert_eq!(ended(&changing), whole);
    }
}
