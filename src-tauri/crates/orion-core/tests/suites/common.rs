//! A turn without a driver: what the suites of this crate share.

use std::fmt::Write;

use orion_core::context::Gauge;
use orion_core::model::{
    ArgumentsDelta, Message, ModelDelta, ModelNumbers, ModelRequest, ModelTuning, Profile, ToolCallDelta,
};
use orion_core::permission::{Rule, Rules, ToolRules};
use orion_core::signature::digest;
use orion_core::tool::{Arguments, Reveals, Seen, SourceFile, ToolKind, ToolOutcome, ToolSet, ToolSpec};
use orion_core::turn::{
    Approved, BegunIn, Done, Effect, Flags, Input, JobId, ModelInput, Proposed, Source, Supplied, Turn,
    TurnSetup, Work, WriteOutcome,
};
use orion_core::write::Faults;
use orion_protocol::{
    ApprovalId, CallId, Channel, Code, Envelope, ErrorInfo, Mode, Permission, Policy, ProjectId,
    QuestionsAnswer, Reply, RequestId, Route, SessionId, Sha256, ToolStatus, TurnEvent, TurnIds, TurnLimits,
    Usage,
};
use serde_json::{Value, json};

use crate::acts::kept;

pub(crate) fn ids() -> TurnIds {
    TurnIds {
        request_id: "01900000-0000-7000-8000-000000000001".parse::<RequestId>().unwrap(),
        session_id: "01900000-0000-7000-8000-000000000002".parse::<SessionId>().unwrap(),
        project_id: "01900000-0000-7000-8000-000000000003".parse::<ProjectId>().unwrap(),
    }
}

pub(crate) fn approval(number: u32) -> ApprovalId {
    format!("01900000-0000-7000-8000-{number:012}").parse().unwrap()
}

/// The tool that opens write sessions.
pub(crate) const WRITE_PLAN_BEGIN: &str = "write_plan_begin";

/// A tool that is called for a path. `list_files` reveals names alone.
pub(crate) fn tool(name: &str, permission: Permission) -> ToolSpec {
    let parameters = json!({
        "type": "object",
        "properties": {
            "path": { "type": "string", "default": "." },
            "line": { "type": "integer", "default": 1 },
        },
    });
    let kind = match name {
        WRITE_PLAN_BEGIN => ToolKind::OpensWrite,
        "ask" => ToolKind::Mutates,
        _ => ToolKind::Reads,
    };
    let reveals = if name == "list_files" { Reveals::Names } else { Reveals::Contents };
    let spec = ToolSpec::new(name, format!("Does {name}."), parameters, kind);
    ToolSpec { paths: vec!["path".to_owned()], reveals, permission, ..spec }
}

/// The arguments of a call of this tool in the project, or of one that is not known.
pub(crate) fn parsed(tool: Option<&ToolSpec>, given: &Value) -> Arguments {
    parsed_below(tool, given, "/project")
}

pub(crate) fn parsed_below(tool: Option<&ToolSpec>, given: &Value, root: &str) -> Arguments {
    Arguments::parse(tool, given.as_object().unwrap(), root)
}

/// A call of `ask` for the path `denied` is denied.
fn rules() -> Rules {
    let denied = Rule { pattern: "denied".to_owned().try_into().ok(), permission: Permission::Deny };
    let ask = ToolRules { user: vec![denied], project: Vec::new() };
    Rules { tools: [("ask".to_owned(), ask)].into(), ..Rules::default() }
}

/// `read` is allowed, `ask` asks, `never` is denied.
pub(crate) fn setup(policy: Policy) -> TurnSetup {
    TurnSetup {
        begun_in: Some(BegunIn { channel: Channel::Window, project_name: "tea".into() }),
        ids: ids(),
        parent: None,
        at_ms: 1_000,
        policy,
        chosen: None,
        choices: None,
        mode: Mode::Act,
        profile: Profile::default(),
        numbers: ModelNumbers::default(),
        tuning: ModelTuning::default(),
        endpoint: "test".to_owned(),
        model: "scripted".to_owned(),
        project_root: "/project".to_owned(),
        nonce: "NONCE".to_owned(),
        tools: ToolSet::from_iter([
            tool("read", Permission::Allow),
            tool("ask", Permission::Ask),
            tool("never", Permission::Deny),
            tool(WRITE_PLAN_BEGIN, Permission::Ask),
        ]),
        system: "SYSTEM".to_owned(),
        history: Vec::new(),
        gauge: Gauge::default(),
        has_earlier: false,
        changes: String::new(),
        begins_anew: false,
        forgets: false,
        edits: Vec::new(),
        makes_room: false,
        flags: Flags::of_this_version(),
        withheld: Vec::new(),
        begins_paused: false,
        text: "What is in a?".to_owned(),
        attached: Vec::new(),
        compacts: None,
        rewound: None,
        rules: rules(),
        checks: Vec::new(),
        repairs: false,
    }
}

/// The same turn, with this permission to write.
pub(crate) fn writing_is(permission: Permission, setup: TurnSetup) -> TurnSetup {
    let tools = setup.tools.permitted(|tool| match tool.kind {
        ToolKind::OpensWrite => permission,
        ToolKind::Reads | ToolKind::Mutates | ToolKind::RunsCommands => tool.permission,
    });
    TurnSetup { tools, ..setup }
}

pub(crate) fn text(text: &str) -> ModelDelta {
    ModelDelta::Text { text: text.to_owned() }
}

pub(crate) fn finish(reason: &str) -> ModelDelta {
    ModelDelta::Finish { reason: reason.to_owned() }
}

/// A whole call in one piece.
pub(crate) fn call(index: u32, id: &str, name: &str, arguments: &str) -> ModelDelta {
    piece(Some(index), Some(id), Some(name), Some(arguments))
}

pub(crate) fn piece(
    index: Option<u32>,
    id: Option<&str>,
    name: Option<&str>,
    arguments: Option<&str>,
) -> ModelDelta {
    ModelDelta::ToolCall {
        delta: ToolCallDelta {
            index,
            id: id.map(str::to_owned),
            name: name.map(str::to_owned),
            arguments: arguments.map(|text| ArgumentsDelta::Fragment(text.to_owned())),
            extra: None,
        },
    }
}

pub(crate) fn whole(index: u32, name: &str, arguments: Value) -> ModelDelta {
    ModelDelta::ToolCall {
        delta: ToolCallDelta {
            index: Some(index),
            id: None,
            name: Some(name.to_owned()),
            arguments: Some(ArgumentsDelta::Whole(arguments.to_string())),
            extra: None,
        },
    }
}

pub(crate) fn found(body: &str) -> ToolOutcome {
    ToolOutcome {
        body: body.to_owned(),
        bytes: body.len() as u64,
        seen: vec![Seen::Path("a".to_owned())],
        ..ToolOutcome::ended(ToolStatus::Ok, "1 line")
    }
}

/// What a file at this path holds.
pub(crate) fn file(path: &str, body: &str) -> SourceFile {
    SourceFile { path: path.to_owned(), sha256: digest(body), bytes: body.len() as u64 }
}

/// A read of one file.
pub(crate) fn read_from(path: &str, body: &str) -> ToolOutcome {
    ToolOutcome {
        source: Some(Box::new(file(path, body))),
        seen: vec![Seen::Path(path.to_owned())],
        ..found(body)
    }
}

pub(crate) fn failed() -> ToolOutcome {
    ToolOutcome {
        error: Some(ErrorInfo::new(Code::PathNotFound, "There is no file a.", "List the folder first.")),
        seen: vec![Seen::Path("a".to_owned())],
        ..ToolOutcome::ended(ToolStatus::Failed, "Not found")
    }
}

/// A turn at work, with what it asked for last and everything it did, as lines.
pub(crate) struct Played {
    pub(crate) turn: Turn,
    pub(crate) now_ms: i64,
    pub(crate) lines: String,
    pub(crate) envelopes: Vec<Envelope>,
    pub(crate) requests: Vec<ModelRequest>,
    /// The call whose tool runs, and its job.
    pub(crate) running: Option<CallId>,
    pub(crate) tool_job: Option<JobId>,
    pub(crate) comparing: Option<(JobId, SourceFile)>,
    /// The job that reads facts for a summary.
    pub(crate) gathering: Option<JobId>,
    /// The job that proposes or writes.
    pub(crate) write_job: Option<JobId>,
    /// The job that runs a check.
    pub(crate) check_job: Option<JobId>,
    /// The answers that jobs were given.
    pub(crate) told: Vec<(JobId, QuestionsAnswer)>,
    pub(crate) asked: Option<Sha256>,
    pub(crate) live_call: Option<u32>,
    pub(crate) idle: Option<u32>,
    pub(crate) offer: Option<Offer>,
}

/// What the driver is to propose, of content that the model sent.
pub(crate) struct Offer {
    pub(crate) content: String,
    /// Bytes before each.
    pub(crate) seams: Vec<u64>,
    pub(crate) faults: Faults,
    /// The model can be asked about doubts (W9).
    pub(crate) asks: bool,
}

impl Played {
    pub(crate) fn start(setup: TurnSetup) -> Self {
        let now_ms = setup.at_ms;
        let (turn, effects) = Turn::start(setup);
        let mut played = Self {
            turn,
            now_ms,
            lines: String::new(),
            envelopes: Vec::new(),
            requests: Vec::new(),
            running: None,
            tool_job: None,
            comparing: None,
            gathering: None,
            write_job: None,
            check_job: None,
            told: Vec::new(),
            asked: None,
            live_call: None,
            idle: None,
            offer: None,
        };
        played.take(effects);
        played
    }

    /// One input, 10 ms after the last.
    pub(crate) fn input(&mut self, input: Input) -> &mut Self {
        self.now_ms += 10;
        let effects = self.turn.step(self.now_ms, input);
        self.take(effects);
        self
    }

    pub(crate) fn model(&mut self, event: ModelInput) -> &mut Self {
        let call = self.requests.len() as u32;
        self.input(Input::Model { call, event })
    }

    /// One event of the stream for each group of pieces.
    pub(crate) fn says<const N: usize>(&mut self, deltas: [ModelDelta; N]) -> &mut Self {
        self.model(ModelInput::Deltas { deltas: deltas.into() })
    }

    pub(crate) fn ends(&mut self) -> &mut Self {
        self.model(ModelInput::Ended)
    }

    /// A whole response: its pieces in one event, then a clean end.
    pub(crate) fn answers<const N: usize>(&mut self, deltas: [ModelDelta; N]) -> &mut Self {
        self.says(deltas).ends()
    }

    /// The running tool call comes to this.
    pub(crate) fn tool(&mut self, outcome: ToolOutcome) -> &mut Self {
        self.running.take().expect("a tool call runs");
        let job = self.tool_job.take().unwrap();
        self.input(Input::Done { job, done: Done::Tool { outcome: outcome.into(), duration_ms: 4 } })
    }

    /// The proposal comes to this: that of the job that makes one, or else what a person made of it.
    pub(crate) fn proposed(&mut self, outcome: Proposed) -> &mut Self {
        match self.write_job.take() {
            Some(job) => self.input(Input::Done { job, done: Done::Proposed { outcome } }),
            None => self.input(Input::Revised { write: 1, outcome }),
        }
    }

    /// The write comes to this.
    pub(crate) fn wrote(&mut self, outcome: WriteOutcome) -> &mut Self {
        let job = self.write_job.take().expect("a file is written");
        self.input(Input::Done { job, done: Done::Wrote { outcome } })
    }

    /// The file that is compared is the same, or is not.
    pub(crate) fn compared(&mut self, same: bool) -> &mut Self {
        let (job, file) = self.comparing.take().expect("a file is compared");
        self.input(Input::Done { job, done: Done::Compared { same, seen: vec![Seen::Path(file.path)] } })
    }

    pub(crate) fn allow(&mut self, granted: bool) -> &mut Self {
        let digest = self.asked.expect("something was asked");
        self.input(yes_or_no(digest, granted))
    }

    pub(crate) fn messages(&self) -> &[Message] {
        &self.requests.last().expect("a request").messages
    }

    pub(crate) fn events(&self) -> impl Iterator<Item = &TurnEvent> {
        self.envelopes.iter().map(|envelope| &envelope.event)
    }

    fn take(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Emit(envelope) => {
                    let phase = serde_json::to_value(envelope.phase).unwrap();
                    let batch = envelope.tool_batch_id.map_or(String::new(), |batch| format!(" {batch}"));
                    let event = serde_json::to_string(&envelope.event).unwrap();
                    let (seq, at) = (envelope.seq, envelope.at_ms);
                    writeln!(self.lines, "{seq} {at} {}{batch} {event}", phase.as_str().unwrap()).unwrap();
                    if let TurnEvent::Asked { digest, .. } = &envelope.event {
                        self.asked = Some(*digest);
                    }
                    self.envelopes.push(envelope);
                }
                Effect::Show(envelope) => {
                    let event = serde_json::to_string(&envelope.event).unwrap();
                    writeln!(self.lines, "~ {} {event}", envelope.seq).unwrap();
                    self.envelopes.push(envelope);
                }
                Effect::CallModel { call, request } => {
                    writeln!(self.lines, "> call model {call}, {} tools", request.tools.len()).unwrap();
                    self.requests.push(request);
                    self.live_call = Some(call);
                }
                Effect::DropModel { call } => {
                    writeln!(self.lines, "> drop model {call}").unwrap();
                    self.live_call = None;
                }
                Effect::Begin { job, work } => self.begin(job, work),
                Effect::Cancel { job } => {
                    let call = self.running.take_if(|_| self.tool_job == Some(job));
                    let what = call.map_or_else(|| format!("job {}", job.0), |call| call.0);
                    writeln!(self.lines, "> cancel {what}").unwrap();
                    self.write_job.take_if(|running| *running == job);
                    self.gathering.take_if(|running| *running == job);
                    self.comparing.take_if(|(running, _)| *running == job);
                }
                Effect::End { job } => writeln!(self.lines, "> end job {}", job.0).unwrap(),
                Effect::Tell { job, answer, .. } => {
                    writeln!(self.lines, "> tell {} {answer:?}", job.0).unwrap();
                    self.told.push((job, answer));
                }
                Effect::AwaitIdle { call } => {
                    writeln!(self.lines, "> await idle {call}").unwrap();
                    self.idle = Some(call);
                }
            }
        }
    }

    fn begin(&mut self, job: JobId, work: Work) {
        let line = match work {
            Work::Tool { batch, call_id, name, arguments, command } => {
                let outside = if command.is_some_and(|command| command.outside) { " outside" } else { "" };
                let line = format!("run {batch} {call_id} {name} {arguments}{outside}");
                (self.running, self.tool_job) = (Some(call_id), Some(job));
                line
            }
            Work::Propose { write, path, cause, source, seams, faults, asks } => {
                let line = format!("propose {write} {path} {cause:?} {source:?}");
                let content = match source {
                    Source::Content { content, .. } => content.to_string(),
                    Source::Draft(draft) => kept(draft.content_sha256),
                };
                let seams = seams.iter().map(|seam| seam.offset).collect();
                self.offer = Some(Offer { content, seams, faults, asks });
                self.write_job = Some(job);
                line
            }
            Work::Write { write, path, sha256, .. } => {
                self.write_job = Some(job);
                format!("write {write} {path} {sha256}")
            }
            Work::RecoverWrite { write, path, sha256, .. } => {
                self.write_job = Some(job);
                format!("recover {write} {path} {sha256}")
            }
            Work::Prepare { name, arguments } => {
                self.tool_job = Some(job);
                format!("prepare {name} {arguments}")
            }
            Work::Check { of, attempt, passed } => {
                self.check_job = Some(job);
                let as_run = if passed.is_some() { " as it ran" } else { "" };
                format!("check {} {attempt}{as_run}", of.check.name)
            }
            Work::Compare { file } => {
                let line = format!("compare {}", file.path);
                self.comparing = Some((job, file));
                line
            }
            Work::GatherFacts => {
                self.gathering = Some(job);
                "gather facts".to_owned()
            }
        };
        writeln!(self.lines, "> {line}").unwrap();
    }
}

pub(crate) fn two_stage() -> Played {
    Played::start(setup(Policy::two_stage()))
}

/// A policy with these budgets.
pub(crate) fn limited(route: Route, max_cycles: u32, max_tools: u32, max_duplicates: u32) -> Policy {
    let limits = TurnLimits {
        max_cycles: Some(max_cycles),
        max_tools: Some(max_tools),
        max_duplicates: Some(max_duplicates),
        ..TurnLimits::default()
    };
    Policy::of(route, limits)
}

pub(crate) fn usage(prompt: u32, completion: u32) -> ModelDelta {
    let usage = Usage {
        prompt_tokens: Some(prompt),
        completion_tokens: Some(completion),
        reasoning_tokens: Some(1),
        cached_tokens: None,
        estimated: false,
    };
    ModelDelta::Usage { usage }
}

/// A person's reply, to which nothing has to be added.
pub(crate) fn replied(digest: Sha256, reply: Reply) -> Input {
    Input::Replied { digest, reply, supplied: Supplied::Nothing }
}

/// A plain yes or no.
pub(crate) fn yes_or_no(digest: Sha256, granted: bool) -> Input {
    replied(digest, if granted { Reply::YES } else { Reply::NO })
}

/// A yes to a write of two hunks, or to those that are not rejected.
pub(crate) fn write_approved(digest: Sha256, approved: Approved) -> Input {
    let rejected = approved.rejected_hunks.clone();
    let hunks = (!rejected.is_empty()).then(|| (1..=2).filter(|hunk| !rejected.contains(hunk)).collect());
    let reply = Reply::Write { hunks, despite_faults: approved.despite_faults };
    Input::Replied { digest, reply, supplied: Supplied::File { approved } }
}
