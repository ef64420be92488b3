//! `orion run`: one turn, from the message to the exit code.

use std::io::{self, ErrorKind, Read};
use std::path::Path;

use orion_engine::config::Environment;
use orion_engine::{Engine, TurnHandle};
use orion_otlp::Otlp;
use orion_protocol::{
    Answer, CONTINUE, Code, Envelope, ErrorInfo, Op, Pending, PendingOf, Query, Reply, RequestId, SessionId,
    Sha256, StopReason, TraceParent, TurnEvent, TurnOptions, TurnReport,
};

use crate::args::{RunArgs, Show};
use crate::asking::{self, Asking, how, with_answer};
use crate::display::Display;
use crate::ending;
use crate::endpoint;
use crate::exit::Exit;
use crate::interrupts::stop_when_interrupted;
use crate::keyboard::Keyboard;
use crate::place::{folder, last_turn, latest_session, new_session, project};
use crate::startup::Startup;
use crate::terminal::{self, notice, remark};

/// Bytes of a message from standard input; more than the engine takes, so that it can say that it is too much.
const STDIN_BYTES: u64 = 1_048_576;

pub(crate) async fn run(mut args: RunArgs) -> Result<Exit, ErrorInfo> {
    let mut text = args.message.as_deref().map(message).transpose()?;
    if let Some(turn) = args.instead_of {
        let earlier = earlier_turn(&args, turn).await?;
        args.session = Some(earlier.session_id);
        text = text.or(Some(earlier.text));
    }
    let startup = Startup::new(args.folders.data_dir.as_ref())?;
    let folder = folder(&args.folders, args.session).await?;
    startup.in_project(&folder)?;
    if let Err(problem) = Otlp::of(&startup.environment) {
        terminal::error(&problem);
    }
    let chosen = endpoint::choose(&startup, &args.endpoint).await?;
    let chosen = endpoint::with_model(&startup, chosen, args.turn.model.model.as_deref()).await?;
    let options = TurnOptions {
        edits: args.edits.edits(),
        make_room: args.edits.make_room(),
        instead_of: args.instead_of,
        attach: args.attach.attach.clone(),
        pause_after_tool: args.pause_after_tool.then_some(true),
        allow_commands: args.allow_commands,
        checks: match (args.checks, args.no_checks) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        },
        ..args.turn.options(chosen.name.clone())
    };
    let caller = caller(&startup.environment);
    let engine = startup.engine(chosen.endpoint.map(|endpoint| (chosen.name, endpoint))).await?;
    let turn = begin(&engine, &args, &folder, text, options, caller).await;
    let mut turn = match turn {
        Ok(turn) => turn,
        Err(error) => {
            let error = with_answer(&engine, error).await;
            engine.close().await?;
            return Err(error);
        }
    };
    // Until here nothing is under way, and Ctrl-C ends the process as it does any other.
    stop_when_interrupted(&engine, turn.request_id())?;
    let ended = follow(&engine, &mut turn, args.output.show(), Approval::of(args.approve_writes)).await;
    leave(&engine, turn, ended).await
}

/// Who answers when a write asks for approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Approval {
    /// The person has approved all writes in advance that nothing speaks against, of files as the model saw them.
    Given,
    /// A person, later: the command ends.
    Waits,
}

impl Approval {
    /// By `--approve-writes`.
    pub(crate) fn of(approve_writes: bool) -> Self {
        if approve_writes { Self::Given } else { Self::Waits }
    }
}

/// Ends this process's part in the turn. Dropping a turn stops it; one that waits is left waiting, to be answered later.
pub(crate) async fn leave(
    engine: &Engine,
    turn: TurnHandle,
    ended: Result<Exit, ErrorInfo>,
) -> Result<Exit, ErrorInfo> {
    let waiting = matches!(ended, Ok(Exit::WaitsForPerson)).then_some(turn);
    engine.close().await?;
    drop(waiting);
    ended
}

/// The message, as it will be sent. What is wrong with it is said before anything else is looked for.
fn message(argument: &str) -> Result<String, ErrorInfo> {
    if argument != "-" {
        return orion_engine::message(argument.to_owned());
    }
    let mut text = String::new();
    io::stdin().lock().take(STDIN_BYTES).read_to_string(&mut text).map_err(|error| {
        ErrorInfo::new(Code::Usage, "The message on standard input is not text.", "Send UTF-8 text.")
            .with_detail(error.to_string())
    })?;
    // Programs of Windows mark a text with it.
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    orion_engine::message(text)
}

async fn begin(
    engine: &Engine,
    args: &RunArgs,
    folder: &Path,
    text: Option<String>,
    options: TurnOptions,
    caller: Option<TraceParent>,
) -> Result<TurnHandle, ErrorInfo> {
    let session = session(engine, args, folder).await?;
    match (text, session) {
        (Some(text), Some(session)) => engine.run_called_turn(session, text, options, caller).await,
        (Some(text), None) => {
            let session = new_session(engine, project(engine, folder).await?).await?;
            engine.run_called_turn(session, text, options, caller).await
        }
        (None, None) => Err(nothing_to_continue()),
        (None, Some(session)) => {
            let last = last_turn(engine, session).await?.ok_or_else(nothing_to_continue)?;
            let limits = options.limits.over(last.chosen.unwrap_or_default());
            engine
                .run_called_turn(
                    session,
                    CONTINUE.to_owned(),
                    TurnOptions { limits, attach: Vec::new(), ..options },
                    caller,
                )
                .await
        }
    }
}

/// The span of the program that runs this command. One that cannot be read is as none, as W3C Trace Context says.
fn caller(environment: &Environment) -> Option<TraceParent> {
    let parent = environment.get("TRACEPARENT")?.parse();
    if let Err(problem) = &parent {
        remark(&format!("TRACEPARENT is left out: {problem}."));
    }
    parent.ok()
}

/// A turn that another one comes in the place of (T9).
struct EarlierTurn {
    session_id: SessionId,
    text: String,
}

async fn earlier_turn(args: &RunArgs, request_id: RequestId) -> Result<EarlierTurn, ErrorInfo> {
    let engine = Startup::new(args.folders.data_dir.as_ref())?.engine(None).await?;
    let answer = engine.query(Query::Events { request_id, after_seq: 0 }).await;
    engine.close().await?;
    let Answer::Events { envelopes } = answer? else { return Err(nothing_to_continue()) };
    let earlier = envelopes.into_iter().find_map(|Envelope { session_id, event, .. }| match event {
        TurnEvent::TurnStarted { text, .. } => Some(EarlierTurn { session_id, text }),
        _ => None,
    });
    earlier.ok_or_else(nothing_to_continue)
}

fn nothing_to_continue() -> ErrorInfo {
    ErrorInfo::new(Code::Usage, "There is nothing to continue here.", "Give a message: orion run \"…\".")
}

/// The session to go on in. None where a new one is to begin.
async fn session(engine: &Engine, args: &RunArgs, folder: &Path) -> Result<Option<SessionId>, ErrorInfo> {
    match (args.session, args.continue_last) {
        (None, true) => latest_session(engine, folder).await,
        (session, _) => Ok(session),
    }
}

/// Shows the turn to its end, or until it waits for a person, or until nobody reads.
pub(crate) async fn follow(
    engine: &Engine,
    turn: &mut TurnHandle,
    show: Show,
    approval: Approval,
) -> Result<Exit, ErrorInfo> {
    let mut display = Display::new(show);
    let mut keyboard = Keyboard::default();
    loop {
        let batch = tokio::select! {
            biased;
            batch = turn.next() => batch,
            () = keyboard.skipped() => {
                display.tried().await;
                continue;
            }
            () = display.tick() => continue,
        };
        let Some(batch) = batch else { break };
        for envelope in &batch {
            keyboard.saw(engine, envelope.request_id, &envelope.event);
        }
        if let Err(error) = display.events(&batch).await {
            return unread(&error);
        }
        let report = match batch.iter().rev().find_map(|envelope| envelope.event.terminal()) {
            Some(report) => report.clone(),
            None if approval == Approval::Given && approved(engine, &batch).await? => continue,
            None if show.is_for_people() && answered(engine, &batch, &keyboard).await? => continue,
            None if batch.last().is_some_and(|last| last.event.asks()) => turn.report_now().await?,
            None => continue,
        };
        return conclude(display, &report, show).await;
    }
    display.pause().await;
    Err(interrupted(turn.request_id()))
}

/// The turn gave no more events before its end.
pub(crate) fn interrupted(request_id: RequestId) -> ErrorInfo {
    let action = format!("Go on with it: orion resume {request_id}");
    ErrorInfo::new(Code::Interrupted, "The turn was interrupted.", action)
}

/// Ends a display with the outcome of the turn, and how to continue.
pub(crate) async fn conclude(
    mut display: Display,
    report: &TurnReport,
    show: Show,
) -> Result<Exit, ErrorInfo> {
    if let Err(error) = display.report(report).await {
        return unread(&error);
    }
    epilogue(report, &display, show);
    Ok(Exit::of(report))
}

/// Approves the write that these events ask for, if it may be written unseen; the rest is for a person.
pub(crate) async fn approved(engine: &Engine, batch: &[Envelope]) -> Result<bool, ErrorInfo> {
    let asking = Asking::in_events(batch);
    let (Some(proposal), Some(last)) = (asking.as_ref().and_then(Asking::write), batch.last()) else {
        return Ok(false);
    };
    if !proposal.may_go_unseen() {
        return Ok(false);
    }
    match engine.submit(approval(last.request_id, proposal.digest)).await {
        Ok(_) => Ok(true),
        // The file changed meanwhile: the new difference is asked about next. Or somebody else was first.
        Err(error) if matches!(error.code, Code::ApprovalStale | Code::NotWaiting) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Asks the person at the terminal what these events ask, where there is one.
async fn answered(engine: &Engine, batch: &[Envelope], keyboard: &Keyboard) -> Result<bool, ErrorInfo> {
    let Some(last) = batch.last() else { return Ok(false) };
    let events = batch.iter().map(|envelope| &envelope.event);
    let Some(Pending { digest, of: PendingOf::Questions { questions, .. } }) = Pending::after_all(events)
    else {
        return Ok(false);
    };
    let Some(answer) = crate::questions::ask(&questions, keyboard).await else { return Ok(false) };
    let op = Op::Reply { request_id: last.request_id, digest, reply: Reply::Answer { answer } };
    match engine.submit(op).await {
        Ok(_) => Ok(true),
        // Somebody else was first.
        Err(error) if matches!(error.code, Code::NotWaiting) => Ok(true),
        Err(error) => Err(error),
    }
}

/// The answer of a person who approved all writes in advance that nothing speaks against.
pub(crate) fn approval(request_id: RequestId, digest: Sha256) -> Op {
    Op::Reply { request_id, digest, reply: Reply::YES }
}

/// Standard output cannot be written to. A reader that is gone needs no more; dropping the turn stops it.
pub(crate) fn unread(error: &io::Error) -> Result<Exit, ErrorInfo> {
    if error.kind() == ErrorKind::BrokenPipe {
        return Ok(Exit::Stopped);
    }
    let message = "The answer cannot be written to standard output.";
    Err(ErrorInfo::new(Code::Storage, message, "Check where the output goes, and whether the disk is full.")
        .with_detail(error.to_string()))
}

/// The outcome of the turn, and how to continue.
fn epilogue(report: &TurnReport, display: &Display, show: Show) {
    if let Some(error) = &report.error {
        terminal::error(error);
    }
    if !show.is_for_people() {
        return;
    }
    let session = report.session_id;
    match report.stop_reason {
        StopReason::Approval | StopReason::Clarification | StopReason::Paused => {
            let request = report.request_id;
            match display.asked_in_its_own_way() {
                Some(pending) => {
                    asking::questions(pending).iter().for_each(|line| notice(line));
                    notice(&how(pending, request));
                }
                None if waits_with_call(report) => remark(&format!(
                    "It waits for you: orion approve {request}, orion reject {request}, or Orion's window."
                )),
                None => remark(&format!(
                    "It waits for you: orion diff {request}, then orion approve {request}, or Orion's window."
                )),
            }
        }
        StopReason::Unknown => {
            remark(ending::UNKNOWN_REASON);
            remark(&format!("Continue: orion run --session {session} \"Go on.\""));
        }
        StopReason::Empty => {
            remark(ending::NO_ANSWER);
            remark(&format!("Try again: orion run --session {session}"));
        }
        StopReason::Error if report.error.as_ref().is_some_and(|error| error.code == Code::NoEndpoint) => {
            remark(&format!(
                "Continue with a model: orion run --session {session} --base-url URL \"Go on.\""
            ));
        }
        _ => {
            if let Some(why) = ending::why_no_further(report, display.wants_more()) {
                remark(&why);
                remark(&format!("Continue with a fresh budget: orion run --session {session}"));
            }
        }
    }
    remark(&ending::spent(report));
}

/// It waits with a call of a tool, and not with a write.
fn waits_with_call(report: &TurnReport) -> bool {
    let writes = report.writes.iter().any(|write| write.status.is_none());
    !writes && report.tool_calls.iter().any(|call| call.status.is_none())
}
