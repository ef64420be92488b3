//! The promises of commands of a turn under test (C1, C3, A5, D1), counted apart from the machine.

use std::collections::{HashMap, HashSet};

use orion_core::tool::{Arguments, ToolKind};
use orion_core::turn::{CommandHeld, JobId, TurnSetup};
use orion_protocol::{
    Bounds, CallId, CommandAsked, CommandRun, Given, Permission, SandboxLevel, Sha256, Signature,
};
use serde_json::{Map, Value};

use crate::acts::commands::{DENIED, RUN};

#[derive(Clone)]
pub(super) struct Commanding {
    /// In act mode alone.
    offered: bool,
    /// The person chose that commands of the turn are not asked about, or their rules allow all of them.
    unasked: bool,
    /// An approval for all of them is kept.
    kept: bool,
    /// An approval for its first word is.
    kept_words: HashSet<String>,
    /// The project's rules ask about all of them.
    always_asks: bool,
    max_per_turn: u32,
    most_seconds: u32,
    max_seconds: u32,
    runs: u32,
    /// In the order in which they came.
    calls: Vec<Call>,
    /// The job that looks at one, and the arguments that it looks at.
    pub(super) looking: Option<(JobId, Arguments)>,
    /// All jobs that looked at one.
    pub(super) looks: Vec<JobId>,
    signatures: HashMap<String, Signature>,
    rejected: HashSet<Signature>,
    /// The question that somebody said `AllowOutside` to.
    pub(super) said_outside: Option<Sha256>,
}

#[derive(Clone)]
struct Call {
    id: CallId,
    arguments: Map<String, Value>,
    leaked: bool,
    looked_at: Option<CommandAsked>,
    /// Somebody allowed it: inside (false) or outside.
    allowed: Option<bool>,
    /// It runs, or may have run.
    begun: bool,
    /// The bounds in which it began last.
    held: Option<CommandHeld>,
    run: Option<CommandRun>,
    is_over: bool,
}

impl Call {
    fn line(&self) -> &str {
        self.arguments.get("command").and_then(Value::as_str).unwrap_or_default()
    }

    fn program(&self) -> &str {
        self.line().split(' ').next().unwrap_or_default()
    }

    /// C3: what may run unasked at all.
    fn is_held(&self) -> bool {
        let held = |command: &CommandAsked| {
            command.level == SandboxLevel::Full && command.asks_since.is_none() && command.hosts.is_empty()
        };
        !self.leaked && !self.begun && self.looked_at.as_ref().is_some_and(held)
    }
}

impl Commanding {
    pub(super) fn of(setup: &TurnSetup) -> Self {
        let rules = setup.rules.tools.get(RUN);
        let every = |permission| {
            move |rule: &orion_core::permission::Rule| rule.pattern.is_none() && rule.permission == permission
        };
        let tool = setup.tools.get(RUN);
        assert!(tool.is_none_or(|tool| tool.kind == ToolKind::RunsCommands));
        Self {
            offered: tool.is_some(),
            unasked: setup.rules.commands_unasked
                || rules.is_some_and(|rules| rules.user.iter().any(every(Permission::Allow))),
            kept: setup.rules.kept.iter().any(|kept| kept.tool == RUN && kept.pattern.to_string() == "**"),
            kept_words: setup
                .rules
                .kept
                .iter()
                .filter(|kept| kept.tool == RUN)
                .map(|kept| kept.pattern.to_string())
                .collect(),
            always_asks: rules.is_some_and(|rules| rules.project.iter().any(every(Permission::Ask))),
            max_per_turn: tool.and_then(|tool| tool.max_per_turn).unwrap_or(u32::MAX),
            most_seconds: setup.policy.most_command_seconds(),
            max_seconds: setup.policy.max_seconds.unwrap_or(u32::MAX),
            runs: 0,
            calls: Vec::new(),
            looking: None,
            looks: Vec::new(),
            signatures: HashMap::new(),
            rejected: HashSet::new(),
            said_outside: None,
        }
    }

    pub(super) fn comes(
        &mut self,
        id: &CallId,
        arguments: &Map<String, Value>,
        leaked: bool,
        of: &Signature,
    ) {
        let mut signed = arguments.clone();
        if self.offered {
            signed.remove("reason");
        }
        let known = self.signatures.entry(Value::Object(signed).to_string()).or_insert_with(|| of.clone());
        assert_eq!(known, of, "D1: the reason is no part of the signature");
        self.calls.push(Call {
            id: id.clone(),
            arguments: arguments.clone(),
            leaked,
            looked_at: None,
            allowed: None,
            begun: false,
            held: None,
            run: None,
            is_over: false,
        });
    }

    fn call(&mut self, id: &CallId) -> Option<&mut Call> {
        self.calls.iter_mut().find(|call| call.id == *id)
    }

    /// The first that has no outcome.
    fn current(&mut self) -> &mut Call {
        self.calls.iter_mut().find(|call| !call.is_over).expect("a command is the current call")
    }

    /// A job begins to look at the current call.
    pub(super) fn begins(&mut self, job: JobId, arguments: Arguments) {
        assert!(self.offered, "A1: no command in plan mode");
        assert!(self.looking.is_none(), "one command is looked at at a time");
        let call = self.current();
        assert_ne!(call.line(), DENIED, "C1: a command that a rule denies is not even looked at");
        assert_eq!(&call.arguments, arguments.value(), "C3: the very call is looked at");
        assert_eq!(call.allowed, None, "A3: what was allowed runs as it was asked about");
        call.looked_at = None;
        self.looking = Some((job, arguments));
        self.looks.push(job);
    }

    pub(super) fn looked(&mut self, command: &CommandAsked) {
        self.current().looked_at = Some(command.clone());
    }

    pub(super) fn cancelled(&mut self, job: JobId) {
        self.looking.take_if(|(looking, _)| *looking == job);
    }

    /// A person is asked about it. `withheld`: it would bring back what they took out.
    pub(super) fn asked(
        &mut self,
        id: &CallId,
        keeps: Option<&str>,
        command: Option<&CommandAsked>,
        signature: &Signature,
        withheld: bool,
    ) {
        assert!(!self.rejected.contains(signature), "A6: it was rejected before");
        assert!(self.looking.is_none(), "C3: nobody is asked before it is known what would hold it");
        let words = self.kept_words.clone();
        let lifted = (self.unasked || self.kept, !self.always_asks);
        let call = self.call(id).expect("A3: what is asked about is a call");
        let lifted = (lifted.0 || words.contains(call.program())) && lifted.1;
        call.allowed = None;
        assert!(command.is_some(), "C3: the question says how it would run");
        assert_eq!(command, call.looked_at.as_ref(), "C3: as it was looked at last");
        assert_eq!(
            command.map(|command| command.line.as_str()),
            Some(call.line()),
            "A3: what would run is shown"
        );
        assert_ne!(call.line(), DENIED, "C1: what a rule denies is not asked about");
        assert!(!(lifted && call.is_held() && !withheld), "C1: it runs without a question");
        assert!(keeps.is_none() || (keeps == Some("**") && call.is_held()), "C3: {keeps:?} is not kept");
    }

    pub(super) fn answered(&mut self, id: &CallId, digest: Sha256, given: &Given, signature: &Signature) {
        let said_outside = self.said_outside.take_if(|said| *said == digest).is_some();
        let Some(call) = self.calls.iter_mut().find(|call| call.id == *id && !call.is_over) else {
            let outside = matches!(given, Given::Allowed { outside: true, .. });
            return assert!(!outside, "C3: nothing but a command runs outside");
        };
        match given {
            Given::Allowed { edited, kept, outside } => {
                assert_eq!(*outside, said_outside, "C3: the person alone has it run outside");
                if let Some(edited) = edited {
                    let folder = edited.arguments.get("cwd").and_then(Value::as_str);
                    assert!(
                        folder.is_none_or(|folder| !folder.starts_with("..")),
                        "A3: {folder:?} was taken"
                    );
                    call.arguments = edited.arguments.as_object().cloned().unwrap();
                }
                assert!(kept.is_none() || call.is_held(), "C3: kept for a full sandbox");
                call.allowed = Some(*outside);
                match kept {
                    Some(rule) if rule.pattern == "**" => self.kept = true,
                    Some(rule) => {
                        assert_eq!(rule.pattern, call.program(), "A1: the rule is what the person chose");
                        self.kept_words.insert(rule.pattern.clone());
                    }
                    None => {}
                }
            }
            Given::Kept { .. } => {
                assert!(
                    (self.kept || self.kept_words.contains(call.program()))
                        && !self.always_asks
                        && call.is_held(),
                    "A1: no approval lifts this question"
                );
                call.allowed = Some(false);
            }
            Given::Rejected { .. } => _ = self.rejected.insert(signature.clone()),
            Given::Chosen { .. } | Given::Answered { .. } | Given::Resumed { .. } => {}
        }
    }

    pub(super) fn revoked(&mut self) {
        self.kept = false;
        self.kept_words.clear();
    }

    /// It runs. `withheld`: it would bring back what a person took out.
    pub(super) fn runs(
        &mut self,
        id: &CallId,
        arguments: &Arguments,
        held: Option<CommandHeld>,
        bounds: &Bounds,
        withheld: bool,
    ) {
        assert!(self.looking.is_none(), "C3: it is looked at before it runs");
        if !self.offered {
            assert_eq!(held, None, "A1: the ToolRunner refuses it, and nothing runs");
            return;
        }
        let (words, every) = (self.kept_words.clone(), self.unasked || self.kept);
        let may = !self.always_asks && !withheld;
        let call = self.call(id).expect("its tool_call came first");
        let unasked = (every || words.contains(call.program())) && may;
        assert_eq!(arguments.value(), &call.arguments, "A3: the very call that was allowed runs");
        assert_ne!(call.line(), DENIED, "C1: a rule that denies always wins");
        let looked_at = call.looked_at.as_ref().expect("C3: no command runs that was not looked at");
        let outside = match call.allowed.take() {
            Some(outside) => outside,
            None => {
                assert!(unasked && call.is_held(), "C1, C3, A5: nobody allowed it");
                false
            }
        };
        let expected = CommandHeld { level: looked_at.level, outside };
        assert_eq!(held, Some(expected), "C3: it runs as it was allowed");
        let is_first = !std::mem::replace(&mut call.begun, true);
        call.held = held;
        self.runs += u32::from(is_first);
        assert!(self.runs <= self.max_per_turn, "T4: {} commands", self.runs);
        let seconds = self.runs.saturating_mul(self.most_seconds).min(self.max_seconds);
        assert!(bounds.command_seconds.is_some_and(|most| seconds <= most), "T4: {seconds} s of commands");
    }

    /// The command that runs now, and true if it runs outside.
    pub(super) fn running(&mut self, id: &CallId) -> Option<(CommandAsked, bool)> {
        let call = self.call(id)?;
        Some((call.looked_at.clone()?, call.held?.outside))
    }

    /// The result says how it ran.
    pub(super) fn ran(&mut self, id: &CallId, run: Option<Box<CommandRun>>) {
        if let Some(call) = self.call(id) {
            call.run = run.map(|run| *run);
        }
    }

    pub(super) fn over(&mut self, id: &CallId, run: Option<&CommandRun>) {
        let Some(call) = self.call(id) else { return assert_eq!(run, None) };
        assert_eq!(run, call.run.as_ref(), "C3: the result says how it ran");
        call.is_over = true;
    }

    /// True if the result of this call names a path; none for a call of another tool.
    pub(super) fn names_path(&self, id: &CallId) -> Option<bool> {
        let call = self.calls.iter().find(|call| call.id == *id)?;
        Some(self.offered && call.arguments.contains_key("cwd"))
    }

    /// Another process goes on.
    pub(super) fn died(&mut self) {
        self.looking = None;
    }
}
