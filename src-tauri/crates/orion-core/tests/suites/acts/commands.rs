//! Everything that can happen to a call that runs a command, and the turns in which one can be made.

use orion_core::permission::{Kept, Rule, ToolRules, as_asked, commands_of};
use orion_core::signature::digest;
use orion_core::tool::{Arguments, Seen, ToolKind, ToolOutcome, ToolSet, ToolSpec};
use orion_core::turn::TurnSetup;
use orion_protocol::{CommandAsked, CommandEnd, CommandRun, Mode, Permission, SandboxLevel, ToolStatus};
use proptest::prelude::*;
use serde_json::json;

use super::Act;
use super::checks::changed;
use crate::common::{approval, found};

/// The tool that runs commands.
pub(crate) const RUN: &str = "run_command";

/// The program of which a rule is kept.
pub(crate) const BUILD: &str = "build";

/// The command that a rule denies.
pub(crate) const DENIED: &str = "denied";

/// An act on a command alone. A person answers as to any other call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OfCommand {
    Make,
    /// The same call, which says why and is formatted otherwise.
    MakeAgain,
    /// In a folder that it names: the project.
    MakeHere,
    Test,
    /// One that a rule denies.
    Denied,
    /// Three calls in one event: the same command with two reasons, and another one.
    Three,
    /// One that the model writes into its text.
    Leak,
    /// It was looked at: a full sandbox, none, a full one and a reason to ask, and what likely needs to run outside.
    Full,
    NoSandbox,
    AsksSince,
    NeedsOutside,
    /// It can run nothing.
    Unfit,
    /// The word of a look that is over.
    LateLook,
    /// A person has it run outside, and two of them want that at once.
    AllowOutside,
    TwoOutside,
    /// It is kept as its first word, and as no word at all, which is no rule.
    KeepWords,
    KeepNoWords,
    /// A yes with the same command, and another reason.
    EditReason,
    /// It writes a line.
    Output,
    /// It ends, and has changed nothing, or something.
    Ran,
    RanAndChanged,
    TimedOut,
    /// It was told to end, and did.
    Stopped,
}

pub(crate) const COMMANDS: [Act; 22] = [
    Act::Command(OfCommand::KeepWords),
    Act::Command(OfCommand::KeepNoWords),
    Act::Command(OfCommand::Make),
    Act::Command(OfCommand::MakeAgain),
    Act::Command(OfCommand::MakeHere),
    Act::Command(OfCommand::Test),
    Act::Command(OfCommand::Denied),
    Act::Command(OfCommand::Three),
    Act::Command(OfCommand::Leak),
    Act::Command(OfCommand::Full),
    Act::Command(OfCommand::NoSandbox),
    Act::Command(OfCommand::AsksSince),
    Act::Command(OfCommand::NeedsOutside),
    Act::Command(OfCommand::Unfit),
    Act::Command(OfCommand::LateLook),
    Act::Command(OfCommand::AllowOutside),
    Act::Command(OfCommand::TwoOutside),
    Act::Command(OfCommand::EditReason),
    Act::Command(OfCommand::Output),
    Act::Command(OfCommand::Ran),
    Act::Command(OfCommand::RanAndChanged),
    Act::Command(OfCommand::TimedOut),
];

/// The acts of the exhaustive search: those on a call that was made, one of each kind.
pub(crate) const COMMANDING: [Act; 18] = [
    Act::CallA,
    Act::Command(OfCommand::MakeAgain),
    Act::Command(OfCommand::Full),
    Act::Command(OfCommand::NoSandbox),
    Act::Command(OfCommand::Unfit),
    Act::Command(OfCommand::AllowOutside),
    Act::Command(OfCommand::KeepWords),
    Act::Command(OfCommand::Output),
    Act::Command(OfCommand::Ran),
    Act::Command(OfCommand::RanAndChanged),
    Act::Ended,
    Act::Allow,
    Act::Refuse,
    Act::Keep,
    Act::Edit,
    Act::Resumed,
    Act::Interrupted,
    Act::DriverFailed,
];

/// Acts that bring commands on, from one stage to the next.
pub(crate) const COMMAND_STRETCHES: [&[Act]; 21] = [
    &[Act::Command(OfCommand::KeepWords)],
    &[
        Act::Command(OfCommand::Test),
        Act::Ended,
        Act::Command(OfCommand::Full),
        Act::Allow,
        Act::Command(OfCommand::RanAndChanged),
    ],
    &[Act::Command(OfCommand::Make), Act::Ended],
    &[Act::Command(OfCommand::MakeAgain), Act::Ended],
    &[Act::Command(OfCommand::MakeHere), Act::Ended],
    &[Act::Command(OfCommand::Three), Act::Ended],
    &[Act::Command(OfCommand::Leak), Act::Ended],
    &[Act::CallA, Act::Ended, Act::ToolRead],
    &[Act::Command(OfCommand::Full)],
    &[Act::Command(OfCommand::NoSandbox)],
    &[Act::Command(OfCommand::AsksSince)],
    &[Act::Allow],
    &[Act::Command(OfCommand::AllowOutside)],
    &[Act::Keep],
    &[Act::Edit],
    &[Act::Refuse],
    &[Act::Resumed],
    &[Act::Command(OfCommand::RanAndChanged)],
    &[Act::Command(OfCommand::Ran)],
    &[Act::PauseNext],
    &[Act::DropResults],
];

/// The settings for commands, and the person's choice for those of the turn.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Commands {
    pub(crate) unasked: bool,
    /// An approval for every command is kept.
    pub(crate) kept: bool,
    /// An approval for the first word of one is.
    pub(crate) kept_words: bool,
    /// The person's rules allow all of them.
    pub(crate) allowed: bool,
    /// The project's rules ask about all of them.
    pub(crate) project_asks: bool,
    pub(crate) plans: bool,
    pub(crate) most: Option<u32>,
}

impl Commands {
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        let seldom = || prop::bool::weighted(0.1);
        let rules = (
            prop::bool::weighted(0.4),
            prop::bool::weighted(0.3),
            prop::bool::weighted(0.4),
            seldom(),
            seldom(),
            seldom(),
        );
        (rules, prop::option::weighted(0.3, 1..3u32)).prop_map(|(rules, most)| {
            let (unasked, kept, kept_words, allowed, project_asks, plans) = rules;
            Self { unasked, kept, kept_words, allowed, project_asks, plans, most }
        })
    }

    /// The same turn, with a tool that runs commands.
    pub(crate) fn of(self, setup: TurnSetup) -> TurnSetup {
        let every = |permission| Rule { pattern: None, permission };
        let denied = DENIED.to_owned().try_into().ok();
        let user = self.allowed.then(|| every(Permission::Allow));
        let user = user.into_iter().chain([Rule { pattern: denied, permission: Permission::Deny }]).collect();
        let project = self.project_asks.then(|| every(Permission::Ask)).into_iter().collect();
        let mut rules = setup.rules;
        rules.tools.insert(RUN.to_owned(), ToolRules { user, project });
        rules.commands_unasked = self.unasked;
        let kept = |text: &str| Kept {
            approval_id: approval(1),
            tool: RUN.to_owned(),
            pattern: text.to_owned().try_into().unwrap(),
        };
        rules.kept.extend(self.kept.then(|| kept("**")));
        rules.kept.extend(self.kept_words.then(|| kept(BUILD)));
        let mode = if self.plans { Mode::Plan } else { Mode::Act };
        let runner = ToolSpec { max_per_turn: self.most, ..runner() };
        let tools = setup.tools.iter().cloned().chain([runner]);
        // A1. What is denied stays, so that calls of it are refused by the turn too.
        let tools: ToolSet = tools.filter(|tool| !self.plans || tool.kind.only_reads()).collect();
        TurnSetup { rules, mode, tools, ..setup }
    }
}

fn runner() -> ToolSpec {
    let parameters = json!({
        "type": "object",
        "properties": {
            "command": { "type": "string" },
            "cwd": { "type": "string" },
            "reason": { "type": "string" },
        },
    });
    ToolSpec {
        paths: vec!["cwd".to_owned()],
        ruled: vec!["command".to_owned()],
        unsigned: vec!["reason".to_owned()],
        ..ToolSpec::new(RUN, "Runs a command.", parameters, ToolKind::RunsCommands)
    }
}

/// The command that a call with these arguments would run.
pub(crate) fn looked_at(arguments: &Arguments, act: OfCommand) -> CommandAsked {
    let text = |name: &str| arguments.value().get(name).and_then(|value| value.as_str());
    let level = if act == OfCommand::NoSandbox { SandboxLevel::None } else { SandboxLevel::Full };
    let line = commands_of(arguments);
    CommandAsked {
        line: text("command").unwrap_or_default().to_owned(),
        unread: line.as_ref().err().map(ToString::to_string),
        runs: line.map(|line| as_asked(&line, true, |_| None)).unwrap_or_default(),
        folder: text("cwd").unwrap_or(".").to_owned(),
        reason: text("reason").map(str::to_owned),
        seconds: 60,
        level,
        gaps: Vec::new(),
        reads: Vec::new(),
        hosts: Vec::new(),
        offered_hosts: Vec::new(),
        needs_outside: act == OfCommand::NeedsOutside,
        asks_since: (act == OfCommand::AsksSince).then(|| "The home is large.".to_owned()),
    }
}

/// The end of a command that was looked at.
pub(crate) fn ran(command: &CommandAsked, outside: bool, act: OfCommand) -> ToolOutcome {
    let (ended, status) = match act {
        OfCommand::TimedOut => (CommandEnd::TimedOut, ToolStatus::TimedOut),
        OfCommand::Stopped => (CommandEnd::Stopped, ToolStatus::Cancelled),
        _ => (CommandEnd::Exited { code: 0 }, ToolStatus::Ok),
    };
    let everything = || vec![Seen::Tree(String::new())];
    let run = CommandRun {
        line: command.line.clone(),
        folder: command.folder.clone(),
        level: if outside { SandboxLevel::None } else { command.level },
        outside,
        ended,
        duration_ms: 1,
        bytes: 1,
        sha256: digest("x"),
        kept_bytes: 1,
        left_running: Vec::new(),
        ports: Vec::new(),
        runs_later: Vec::new(),
        more_run_later: false,
        unprotected: Vec::new(),
        more_unprotected: false,
        network: None,
        changed: if act == OfCommand::RanAndChanged { vec![changed("made")] } else { Vec::new() },
        more_changed: 0,
        partly_compared: false,
    };
    ToolOutcome {
        status,
        seen: everything(),
        changed: if act == OfCommand::Ran { Vec::new() } else { everything() },
        command: Some(Box::new(run)),
        ..found("x")
    }
}
