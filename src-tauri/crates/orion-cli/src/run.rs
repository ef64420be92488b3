//! `orion run`: one turn, from the message to the exit code.

use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use orion_engine::{Engine, TurnHandle};
use orion_files::workspace::Project;
use orion_protocol::{
    Answer, CONTINUE, Code, Envelope, ErrorInfo, Exhausted, Op, ProposalCause, Query, Reply, RequestId,
    SessionId, StopReason, TurnEvent, TurnLimits, TurnOptions, TurnPlace, TurnReport, WriteProposal,
};

use crate::args::{RunArgs, Show};
use crate::asked::{Asked, waits};
use crate::display::Display;
use crate::endpoint;
use crate::exit::Exit;
use crate::interrupts::stop_when_interrupted;
use crate::retry::EnterSkipsPauses;
use crate::startup::Startup;
use crate::terminal::{self, count, remark};

/// Bytes of a message from standard input; more than the engine takes, so that it can say that it is too much.
const STDIN_BYTES: u64 = 1_048_576;

pub(crate) async fn run(args: RunArgs) -> Result<Exit, ErrorInfo> {
    let text = args.message.as_deref().map(message).transpose()?;
    let startup = Startup::new(args.folders.data_dir.as_ref())?;
    let folder = folder(&args).await?;
    startup.in_project(&folder)?;
    let chosen = endpoint::choose(&startup, &args.endpoint).await?;
    let chosen = endpoint::with_model(&startup, chosen, args.model.model.as_deref()).await?;
    let options = TurnOptions {
        mode: args.mode(),
        route: args.route(),
        endpoint: Some(chosen.name.clone()),
        model: args.model.model.clone(),
        window: args.model.window,
        limits: args.limits.0,
        edits: args.edits.edits(),
    };
    let engine = startup.engine(chosen.endpoint.map(|endpoint| (chosen.name, endpoint))).await?;
    let turn = begin(&engine, &args, &folder, text, options).await;
    let mut turn = match turn {
        Ok(turn) => turn,
        Err(error) => {
            let how = how_to_answer(&engine, &error).await;
            engine.close().await?;
            if let Some(how) = how {
                remark(&how);
            }
            return Err(error);
        }
    };
    // Until here nothing is under way, and Ctrl-C ends the process as it does any other.
    stop_when_interrupted(&engine, turn.request_id()).map_err(|error| deaf(&error))?;
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
    orion_engine::message(text)
}

/// The folder to work in: that of the session, where there is one, whatever folder the command is run in.
async fn folder(args: &RunArgs) -> Result<PathBuf, ErrorInfo> {
    let Some(session) = args.session else { return Ok(args.folders.folder().to_owned()) };
    let engine = Startup::new(args.folders.data_dir.as_ref())?.engine(None).await?;
    let own = engine.folder_of(session).await;
    engine.close().await?;
    let own = own?;
    let Some(named) = &args.folders.project else { return Ok(own) };
    let named = Project::root_of(named)?;
    if named == own {
        return Ok(own);
    }
    Err(ErrorInfo::new(
        Code::Usage,
        format!(
            "The session {session} belongs to the project {}, not to {}.",
            own.display(),
            named.display()
        ),
        "Leave out --project to continue it, or leave out --session to begin a new one.",
    ))
}

async fn begin(
    engine: &Engine,
    args: &RunArgs,
    folder: &Path,
    text: Option<String>,
    options: TurnOptions,
) -> Result<TurnHandle, ErrorInfo> {
    let session = session(engine, args, folder).await?;
    match (text, session) {
        (Some(text), Some(session)) => engine.run_turn(session, text, options).await,
        (Some(text), None) => engine.run_turn(new_session(engine, folder).await?, text, options).await,
        (None, None) => Err(nothing_to_continue()),
        (None, Some(session)) => {
            let last = last_turn(engine, session).await?.ok_or_else(nothing_to_continue)?;
            let limits = options.limits.over(last.chosen.unwrap_or_default());
            engine.run_turn(session, CONTINUE.to_owned(), TurnOptions { limits, ..options }).await
        }
    }
}

/// How the last turn of a session began.
pub(crate) struct LastTurn {
    pub(crate) model: String,
    /// The budgets that were chosen for it (X7).
    chosen: Option<TurnLimits>,
}

/// The last turn of a session. None where it has none.
pub(crate) async fn last_turn(engine: &Engine, session_id: SessionId) -> Result<Option<LastTurn>, ErrorInfo> {
    let newest = Query::Session { session_id, place: TurnPlace::Newest, turns: 1 };
    let Answer::Session { page } = engine.query(newest).await? else { return Ok(None) };
    let mut envelopes = page.turns.iter().flat_map(|turn| &turn.envelopes);
    Ok(envelopes.find_map(|envelope| match &envelope.event {
        TurnEvent::TurnStarted { model, chosen, .. } => {
            Some(LastTurn { model: model.clone(), chosen: *chosen })
        }
        _ => None,
    }))
}

fn nothing_to_continue() -> ErrorInfo {
    ErrorInfo::new(Code::Usage, "There is nothing to continue here.", "Give a message: orion run \"…\".")
}

/// The session to go on in. None where a new one is to begin.
async fn session(engine: &Engine, args: &RunArgs, folder: &Path) -> Result<Option<SessionId>, ErrorInfo> {
    if args.session.is_some() || !args.continue_last {
        return Ok(args.session);
    }
    let latest = engine.sessions_in(&absolute(folder), 1).await?.into_iter().next();
    Ok(latest.map(|latest| latest.session_id))
}

fn absolute(folder: &Path) -> PathBuf {
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned())
}

/// A new session in the project.
async fn new_session(engine: &Engine, folder: &Path) -> Result<SessionId, ErrorInfo> {
    let path = absolute(folder);
    let project = match engine.submit(Op::OpenProject { path: Some(path.display().to_string()) }).await? {
        Reply::Project { project } => project.project_id,
        other => return Err(unexpected(&other)),
    };
    match engine.submit(Op::NewSession { project_id: project }).await? {
        Reply::Session { session } => Ok(session.session_id),
        other => Err(unexpected(&other)),
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
    let mut enter = EnterSkipsPauses::default();
    while let Some(batch) = turn.next().await {
        for envelope in &batch {
            enter.saw(engine, envelope.request_id, &envelope.event);
        }
        if let Err(error) = display.events(&batch).await {
            return unread(&error);
        }
        let report = match batch.iter().rev().find_map(|envelope| envelope.event.terminal()) {
            Some(report) => report.clone(),
            None if approval == Approval::Given && approved(engine, &batch).await? => continue,
            None if batch.last().is_some_and(waits) => turn.report_now().await?,
            None => continue,
        };
        return conclude(display, &report, show).await;
    }
    Err(ErrorInfo::new(Code::Interrupted, "The turn was interrupted.", "Open the session again to continue."))
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
async fn approved(engine: &Engine, batch: &[Envelope]) -> Result<bool, ErrorInfo> {
    let (Some(Asked::Write(proposal)), Some(last)) = (Asked::in_events(batch), batch.last()) else {
        return Ok(false);
    };
    if !unseen(&proposal) {
        return Ok(false);
    }
    match engine.submit(approval(last.request_id, &proposal)).await {
        Ok(_) => Ok(true),
        // The file changed meanwhile: the new difference is asked about next. Or somebody else was first.
        Err(error) if matches!(error.code, Code::ApprovalStale | Code::NotWaiting) => Ok(true),
        Err(error) => Err(error),
    }
}

/// How to answer the turn that a session waits with.
async fn how_to_answer(engine: &Engine, error: &ErrorInfo) -> Option<String> {
    let request = error.request_id.filter(|_| error.code == Code::TurnWaiting)?;
    let Ok(Answer::Events { envelopes }) =
        engine.query(Query::Events { request_id: request, after_seq: 0 }).await
    else {
        return None;
    };
    let asked = Asked::in_events(&envelopes);
    Some(asked.map_or_else(|| "Answer it in Orion's window.".to_owned(), |asked| asked.how(request)))
}

/// Whether a word given for all writes is one for this proposal. Over a file that changed since the content was made for it, or with
/// changes of a person, it is not: that is to be seen first (W6, A3).
pub(crate) fn unseen(proposal: &WriteProposal) -> bool {
    proposal.is_clean() && proposal.cause == ProposalCause::Content
}

/// The answer of a person who approved all writes in advance that nothing speaks against.
pub(crate) fn approval(request_id: RequestId, proposal: &WriteProposal) -> Op {
    Op::ApproveWrite { request_id, digest: proposal.digest, hunks: None, despite_faults: false }
}

/// Standard output cannot be written to. A reader that is gone needs no more; dropping the turn stops it.
fn unread(error: &io::Error) -> Result<Exit, ErrorInfo> {
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
    if show != Show::Answer {
        return;
    }
    let session = report.session_id;
    match report.stop_reason {
        reason @ (StopReason::BudgetExhausted | StopReason::DuplicatesExhausted | StopReason::Length) => {
            let at_limit = matches!(report.exhausted, Some(Exhausted::Seconds | Exhausted::Cost));
            let why = match reason {
                _ if report.exhausted == Some(Exhausted::Seconds) => "its time is used up".to_owned(),
                _ if report.exhausted == Some(Exhausted::Cost) => "its money is used up".to_owned(),
                StopReason::BudgetExhausted => format!("all {} used", count(report.cycles, "step")),
                StopReason::Length => "cut off at the limit of its length".to_owned(),
                _ => "the model kept repeating a call".to_owned(),
            };
            let answered = !display.wants_more() && !at_limit && reason != StopReason::Length;
            remark(&format!("{}: {why}.", if answered { "Answered" } else { "Not finished" }));
            remark(&format!("Continue with a fresh budget: orion run --session {session}"));
        }
        StopReason::Approval | StopReason::Paused => {
            let request = report.request_id;
            match display.repeats() {
                Some(asked) => remark(&asked.how(request)),
                None if waits_with_call(report) => remark(&format!(
                    "It waits for you: orion approve {request}, orion reject {request}, or Orion's window."
                )),
                None => remark(&format!(
                    "It waits for you: orion diff {request}, then orion approve {request}, or Orion's window."
                )),
            }
        }
        StopReason::Unknown => {
            remark(
                "If this reason means a complete answer, add it to accepted_finish_reasons of the endpoint in the settings.",
            );
            remark(&format!("Continue: orion run --session {session} \"Go on.\""));
        }
        StopReason::Error if report.error.as_ref().is_some_and(|error| error.code == Code::NoEndpoint) => {
            remark(&format!(
                "Continue with a model: orion run --session {session} --base-url URL \"Go on.\""
            ));
        }
        _ => {}
    }
    let mut spent = vec![count(report.model_calls, "model call"), count(report.tool_runs, "tool run")];
    if report.write_prompts > 0 {
        spent.push(count(report.write_prompts, "write prompt"));
    }
    if let Some(cost) = report.cost_usd {
        let about = if report.usage.estimated { "about " } else { "" };
        spent.push(format!("{about}{cost}"));
    }
    let seconds = report.duration_ms as f64 / 1_000.0;
    remark(&format!("{}, {seconds:.1} s, orion trace {}", spent.join(", "), report.request_id));
}

/// It waits with a call of a tool, and not with a write.
fn waits_with_call(report: &TurnReport) -> bool {
    let writes = report.writes.iter().any(|write| write.status.is_none());
    !writes && report.tool_calls.iter().any(|call| call.status.is_none())
}

fn unexpected(reply: &Reply) -> ErrorInfo {
    ErrorInfo::new(Code::Internal, "The engine gave another answer than was asked for.", "Try again.")
        .with_detail(format!("{reply:?}"))
}

pub(crate) fn deaf(error: &io::Error) -> ErrorInfo {
    ErrorInfo::new(Code::Internal, "Orion cannot listen for Ctrl-C.", "Try again.")
        .with_detail(error.to_string())
}
