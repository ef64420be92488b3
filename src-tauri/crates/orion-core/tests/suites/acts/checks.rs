//! Everything that can happen to a check, and the turns that have checks.

use orion_core::signature::digest;
use orion_core::turn::{TurnCheck, TurnSetup};
use orion_protocol::{
    Check, CheckCommand, CheckRun, CheckSkipped, CheckStatus, CommandChange, CommandEnd, CommandRun,
    FileChange, SandboxLevel,
};
use proptest::prelude::*;

use super::Act;
use super::commands::OfCommand;

/// An act on a check alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OfCheck {
    Passed,
    /// It passed, and changed a file.
    PassedAndChanged,
    Failed,
    TimedOut,
    /// It did not run: its script is another one.
    ScriptChanged,
    /// The driver says that it passed, and it did not run.
    PassedWithoutRun,
    /// It was told to end, and did.
    Stopped,
}

pub(crate) const CHECKS: [Act; 6] = [
    Act::Check(OfCheck::Passed),
    Act::Check(OfCheck::PassedAndChanged),
    Act::Check(OfCheck::Failed),
    Act::Check(OfCheck::TimedOut),
    Act::Check(OfCheck::ScriptChanged),
    Act::Check(OfCheck::PassedWithoutRun),
];

/// Acts that bring checks on, from one stage to the next.
pub(crate) const CHECK_STRETCHES: [&[Act]; 16] = [
    &[
        Act::CallWrite,
        Act::Ended,
        Act::Opened,
        Act::Line,
        Act::Done,
        Act::Ended,
        Act::Proposed,
        Act::Allow,
        Act::Wrote,
    ],
    &[Act::Text, Act::Ended],
    &[Act::Text, Act::Ended],
    &[Act::Check(OfCheck::Failed)],
    &[Act::Check(OfCheck::Failed)],
    &[Act::Check(OfCheck::Passed)],
    &[Act::Check(OfCheck::Passed)],
    &[
        Act::Command(OfCommand::Test),
        Act::Ended,
        Act::Command(OfCommand::Full),
        Act::Allow,
        Act::Command(OfCommand::Ran),
    ],
    &[
        Act::Command(OfCommand::Make),
        Act::Ended,
        Act::Command(OfCommand::Full),
        Act::Allow,
        Act::Command(OfCommand::RanAndChanged),
    ],
    &[Act::Refuse],
    &[Act::Resumed],
    &[Act::PauseNext],
    &[Act::ResumePause],
    &[Act::Steer],
    &[Act::TenMinutes, Act::Expired],
    &[Act::Expired],
];

/// The acts of the exhaustive search: those on a turn whose checks run, one of each kind.
pub(crate) const CHECKING: [Act; 17] = [
    Act::Check(OfCheck::Passed),
    Act::Check(OfCheck::Failed),
    Act::Check(OfCheck::ScriptChanged),
    Act::CallWrite,
    Act::CallA,
    Act::Text,
    Act::Ended,
    Act::Failed,
    Act::Resumed,
    Act::Interrupted,
    Act::DriverFailed,
    Act::PauseNext,
    Act::ResumePause,
    Act::Stop,
    Act::Steer,
    Act::TenMinutes,
    Act::Expired,
];

/// The line that the model can run as well.
pub(crate) const LINE: &str = "check";

pub(crate) fn check(name: &str, line: &str, paths: &[&str], last: Option<CheckStatus>) -> TurnCheck {
    TurnCheck {
        check: Check {
            name: name.to_owned(),
            command: CheckCommand::Line(line.to_owned()),
            timeout_s: 60,
            paths: paths.iter().map(|&path| path.to_owned()).collect(),
            on: true,
        },
        line: line.to_owned(),
        script_sha256: digest(line),
        last,
    }
}

/// The checks of a turn under test.
#[derive(Debug, Clone)]
pub(crate) struct Checks(Vec<TurnCheck>, bool);

impl Checks {
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        let last = prop::sample::select(
            &[Some(CheckStatus::Passed), Some(CheckStatus::Passed), Some(CheckStatus::Failed), None][..],
        );
        const PATHS: [&[&str]; 4] = [&[], &["a"], &["elsewhere/**"], &["["]];
        let paths = prop::sample::select(&PATHS[..]);
        let of = prop::collection::vec((last, paths), 0..=3);
        (of, prop::bool::weighted(0.9)).prop_map(|(of, repairs)| {
            let lines = [LINE, "lint", "types"];
            let checks = of.into_iter().zip(lines);
            Self(checks.map(|((last, paths), line)| check(line, line, paths, last)).collect(), repairs)
        })
    }

    pub(crate) fn of(self, setup: TurnSetup) -> TurnSetup {
        TurnSetup { checks: self.0, repairs: self.1, ..setup }
    }
}

/// A command that ended so.
pub(crate) fn ended(line: &str, ended: CommandEnd) -> CommandRun {
    CommandRun {
        line: line.to_owned(),
        folder: ".".to_owned(),
        level: SandboxLevel::Full,
        outside: false,
        ended,
        duration_ms: 7,
        bytes: 5,
        sha256: digest("wrong"),
        kept_bytes: 5,
        left_running: Vec::new(),
        ports: Vec::new(),
        runs_later: Vec::new(),
        more_run_later: false,
        unprotected: Vec::new(),
        more_unprotected: false,
        network: None,
        changed: Vec::new(),
        more_changed: 0,
        partly_compared: false,
    }
}

/// A file that a command changed.
pub(crate) fn changed(path: &str) -> CommandChange {
    CommandChange {
        path: path.to_owned(),
        change: FileChange::Changed,
        before: Some(digest("before")),
        after: Some(digest("after")),
        added: None,
        removed: None,
        kept: None,
        leads_out: false,
    }
}

/// The end of a check. `passed`: the model has run its line already.
pub(crate) fn checked(of: &TurnCheck, passed: Option<CommandRun>, act: OfCheck) -> CheckRun {
    let run = |end| passed.clone().unwrap_or_else(|| ended(&of.line, end));
    let (status, skipped, command) = match act {
        OfCheck::ScriptChanged => (CheckStatus::Skipped, Some(CheckSkipped::ScriptChanged), None),
        OfCheck::PassedWithoutRun => (CheckStatus::Passed, None, None),
        _ if passed.is_some() => (CheckStatus::Passed, None, Some(run(CommandEnd::Exited { code: 0 }))),
        OfCheck::Passed => (CheckStatus::Passed, None, Some(run(CommandEnd::Exited { code: 0 }))),
        OfCheck::PassedAndChanged => {
            let run = run(CommandEnd::Exited { code: 0 });
            (CheckStatus::Passed, None, Some(CommandRun { changed: vec![changed("made")], ..run }))
        }
        OfCheck::Failed => (CheckStatus::Failed, None, Some(run(CommandEnd::Exited { code: 1 }))),
        OfCheck::TimedOut => (CheckStatus::TimedOut, None, Some(run(CommandEnd::TimedOut))),
        OfCheck::Stopped => (CheckStatus::Stopped, None, Some(run(CommandEnd::Stopped))),
    };
    let excerpt = if command.is_some() { "wrong".to_owned() } else { String::new() };
    let (name, script_sha256) = (of.check.name.clone(), of.script_sha256);
    CheckRun { name, status, skipped, script_sha256, excerpt, command: command.map(Box::new) }
}
