//! Approving, resuming, showing and undoing the writes of a turn.

use std::borrow::Cow;
use std::io::{self, IsTerminal};

use orion_engine::config::COMMAND_LINE;
use orion_engine::{Engine, Host, TurnHandle};
use orion_protocol::{
    Answer, ChangesOf, Code, CommandAsked, ErrorInfo, Op, Outcome, Pending, PendingOf, Query, Reply,
    RequestId, SandboxLevel, SessionId, Undone,
};
use uuid::Uuid;

use crate::answer_flags::{ApproveFlags, KeepArg, RejectFlags};
use crate::args::{AnswerArgs, ApproveArgs, DiffArgs, PauseArgs, RejectArgs, ResumeArgs, UndoArgs};
use crate::asking::{Asking, how};
use crate::command_words::with_hosts;
use crate::display::Display;
use crate::endpoint::{self, Chosen};
use crate::exit::Exit;
use crate::held::has_faults;
use crate::ids::neither;
use crate::interrupts::stop_when_interrupted;
use crate::kept_words;
use crate::pause_flags::another_pause;
use crate::printed::{Printed, with_line_ends};
use crate::questions::asks_no_questions;
use crate::run::{Approval, approval, conclude, follow, leave};
use crate::startup::Startup;
use crate::terminal::{out, remark};

/// `orion approve`: answers what a turn waits for, and shows the turn to its end.
pub(crate) async fn approve(args: ApproveArgs) -> Result<Exit, ErrorInfo> {
    let ApproveArgs { resume, flags } = args;
    if flags.reject {
        return reject(RejectArgs { resume, flags: RejectFlags::default() }).await;
    }
    let request_id = resume.request;
    answer_with(&resume, |asking| approval_of(request_id, &flags, asking)).await
}

/// `orion reject`: rejects what a turn waits for, and shows the turn to its end.
pub(crate) async fn reject(args: RejectArgs) -> Result<Exit, ErrorInfo> {
    let RejectArgs { resume, flags } = args;
    let request_id = resume.request;
    let rejection = |asking: Option<&Asking>| {
        let pending = &asking.ok_or_else(waits_for_nothing)?.pending;
        let takes_a_no = pending.of.is_yes_or_no();
        match &pending.of {
            PendingOf::Repeats { .. } if flags.reason.is_some() => Err(takes_no_reason(request_id)),
            _ if flags.stop && !takes_a_no => Ok(Op::StopTurn { request_id }),
            of if takes_a_no || matches!(of, PendingOf::Repeats { .. }) => {
                Ok(Op::Reply { request_id, digest: pending.digest, reply: flags.reply() })
            }
            _ => Err(asks_for_no_approval(pending, request_id)),
        }
    };
    answer_with(&resume, rejection).await
}

/// `orion answer`: answers the questions that a turn waits with, and shows the turn to its end.
pub(crate) async fn answer(args: AnswerArgs) -> Result<Exit, ErrorInfo> {
    let AnswerArgs { resume, flags } = args;
    let (request_id, answer) = (resume.request, flags.answer());
    let answers = |asking: Option<&Asking>| match asking.map(|asking| &asking.pending) {
        Some(Pending { digest, of: PendingOf::Questions { .. } }) => {
            Ok(Op::Reply { request_id, digest: *digest, reply: Reply::Answer { answer } })
        }
        _ => Err(asks_no_questions(request_id)),
    };
    answer_with(&resume, answers).await
}

async fn answer_with(
    resume: &ResumeArgs,
    answer: impl FnOnce(Option<&Asking>) -> Result<Op, ErrorInfo>,
) -> Result<Exit, ErrorInfo> {
    let Resumption { engine, endpoint } = Resumption::of(resume).await?;
    let request_id = resume.request;
    let asking = or_close(&engine, asked_in(&engine, request_id).await).await?;
    let answer = or_close(&engine, answer(asking.as_ref())).await?;
    // The answer takes effect even if the model cannot be reached. The turn then ends with that error.
    let turn = match engine.resume_to_answer(request_id, endpoint.name()).await {
        Err(error) if error.code == Code::OtherVersion && refuses(&answer) => {
            let done = if matches!(answer, Op::StopTurn { .. }) { "Stopped" } else { "Rejected" };
            or_close(&engine, engine.submit(answer).await).await?;
            engine.close().await?;
            remark(&format!("{done}. The turn ends here, because another version of Orion wrote it."));
            return Ok(Exit::Stopped);
        }
        // Another Orion has the turn, so that one is answered (A7).
        Err(error) if error.code == Code::TurnActive => {
            let (said, exit) = match answer {
                Op::StopTurn { .. } | Op::Reply { reply: Reply::Reject { stop: true, .. }, .. } => {
                    ("Stopped.", Exit::Stopped)
                }
                _ => ("Answered. The turn goes on in the Orion that has it.", Exit::Answered),
            };
            or_close(&engine, engine.submit(answer).await).await?;
            engine.close().await?;
            remark(said);
            return Ok(exit);
        }
        turn => or_close(&engine, turn).await?,
    };
    go_on(&engine, turn, resume, Some(answer)).await
}

fn waits_for_nothing() -> ErrorInfo {
    ErrorInfo::new(
        Code::NotWaiting,
        "This turn waits for no approval.",
        "See what it is doing with `orion trace`, or resume it with `orion resume`.",
    )
}

fn asks_for_no_approval(pending: &Pending, request_id: RequestId) -> ErrorInfo {
    let message = match pending.of {
        PendingOf::Questions { .. } => "This turn waits for answers, and asks for no approval.",
        _ => "This turn is paused, and asks for no approval.",
    };
    ErrorInfo::new(Code::Usage, message, how(pending, request_id))
}

/// P11: what becomes of content that repeats itself is a choice, of which the model hears no reason.
fn takes_no_reason(request_id: RequestId) -> ErrorInfo {
    let message = "This turn waits for a choice about repeats, which takes no reason.";
    let action = format!("Discard the content without one: orion approve {request_id} --repeats discard");
    ErrorInfo::new(Code::Usage, message, action)
}

/// The answer to what a turn waits for.
///
/// # Errors
/// `not_waiting`; `usage` where the answer is one to another question.
fn approval_of(
    request_id: RequestId,
    flags: &ApproveFlags,
    asking: Option<&Asking>,
) -> Result<Op, ErrorInfo> {
    let ApproveFlags { hunks, despite_faults, edit, keep, words, repeats, outside, host: hosts, .. } = flags;
    let is_for =
        |asking: &&Asking| repeats.is_none() || matches!(asking.pending.of, PendingOf::Repeats { .. });
    let Some(asking) = asking.filter(is_for) else {
        return Err(match repeats {
            None => waits_for_nothing(),
            Some(_) => ErrorInfo::new(
                Code::NotWaiting,
                "This turn does not wait for a choice about repeats.",
                format!("See what it is doing with `orion trace {request_id}`."),
            ),
        });
    };
    let Asking { pending, .. } = asking;
    let reply = match &pending.of {
        of if *outside && !matches!(of, PendingOf::Call { command: Some(_), .. }) => {
            let message = "This turn asks about no command, and only a command runs outside the sandbox.";
            return Err(ErrorInfo::new(Code::Usage, message, how(pending, request_id)));
        }
        PendingOf::Call { command: Some(command), .. } if words.is_some() => {
            words_kept(command, *keep, words.as_deref().unwrap_or_default())
                .ok_or_else(|| keeps_no_words(command, pending, request_id))?
        }
        _ if words.is_some() => {
            let message = "This turn asks about no command, and only a rule for commands is made of words.";
            return Err(ErrorInfo::new(Code::Usage, message, how(pending, request_id)));
        }
        PendingOf::Call { command: Some(command), summary, .. }
            if !hosts.is_empty() && command.level == SandboxLevel::Full =>
        {
            let arguments = serde_json::from_str(summary).unwrap_or_default();
            with_hosts(&arguments, hosts.iter().map(Host::to_string))
        }
        _ if !hosts.is_empty() => {
            let message = "This turn asks about no command in a full sandbox, and only to such a command hosts are granted.";
            return Err(ErrorInfo::new(Code::Usage, message, how(pending, request_id)));
        }
        PendingOf::Repeats { .. } => match repeats {
            Some(choice) => Reply::Choose { choice: (*choice).into() },
            // P11: nobody but the person chooses.
            None => {
                let message = "There is nothing to approve yet.";
                return Err(ErrorInfo::new(Code::Usage, message, how(pending, request_id)));
            }
        },
        PendingOf::Write { .. } if edit.is_none() => match asking.write() {
            Some(proposal) if !proposal.faults.is_empty() && !despite_faults => {
                return Err(has_faults(request_id, proposal));
            }
            _ if keep.is_none() => Reply::Write { hunks: hunks.clone(), despite_faults: *despite_faults },
            _ => flags.reply(),
        },
        PendingOf::Call { .. } if hunks.is_some() || *despite_faults => {
            return Err(ErrorInfo::new(
                Code::Usage,
                "This turn asks about a call of a tool, which has no hunks and no faults.",
                "Approve it without these options.",
            ));
        }
        of if of.is_yes_or_no() => flags.reply(),
        _ => return Err(asks_for_no_approval(pending, request_id)),
    };
    Ok(Op::Reply { request_id, digest: pending.digest, reply })
}

/// The reply that keeps so many first words of each command; with no numbers those that are proposed.
fn words_kept(command: &CommandAsked, keep: Option<KeepArg>, words: &[u32]) -> Option<Reply> {
    let least = kept_words::proposed(command)?;
    let words = if words.is_empty() { least } else { words.to_vec() };
    let keep = keep.filter(|_| words.len() == command.runs.len())?;
    Some(kept_words::reply(keep.into(), words))
}

fn keeps_no_words(command: &CommandAsked, pending: &Pending, request_id: RequestId) -> ErrorInfo {
    let message = match command.runs.len() {
        0 => "No rule of words can be kept of this line.".to_owned(),
        commands => format!(
            "The line has {commands} simple commands, and a rule can be kept of some: --words has a number for each."
        ),
    };
    ErrorInfo::new(Code::Usage, message, how(pending, request_id))
}

/// An answer that any version of Orion can take (T8).
fn refuses(answer: &Op) -> bool {
    match answer {
        Op::Reply { reply, .. } => reply.refuses(),
        answer => matches!(answer, Op::StopTurn { .. }),
    }
}

/// `orion resume`: resumes a turn that is paused, or whose process ended.
pub(crate) async fn resume(args: PauseArgs) -> Result<Exit, ErrorInfo> {
    let PauseArgs { resume: args, flags } = args;
    let Resumption { engine, endpoint } = Resumption::of(&args).await?;
    let asking = or_close(&engine, asked_in(&engine, args.request).await).await?;
    if let Some(Pending { digest, of: PendingOf::Pause { batch, results, .. } }) =
        asking.as_ref().map(|asking| &asking.pending)
    {
        let another = flags.batch.is_some() && flags.batch != *batch;
        let edits = if another { Err(another_pause(args.request)) } else { flags.edits(results) };
        let edits = or_close(&engine, edits).await?;
        let answer = Op::Reply { request_id: args.request, digest: *digest, reply: Reply::Resume { edits } };
        let turn = engine.resume_to_answer(args.request, endpoint.name()).await;
        let turn = or_close(&engine, turn).await?;
        return go_on(&engine, turn, &args, Some(answer)).await;
    }
    if flags.name_a_pause() {
        return or_close(&engine, Err(another_pause(args.request))).await;
    }
    // Only a turn that waits can go on without calling its model.
    if let (None, Answers::Unknown(name)) = (&asking, &endpoint) {
        engine.close().await?;
        return Err(unknown(name, args.request));
    }
    let turn = or_close(&engine, engine.resume_turn(args.request, endpoint.name()).await).await?;
    if args.approve_writes
        && let Some(proposal) = asking.as_ref().and_then(Asking::write)
        && proposal.may_go_unseen()
    {
        let yes = approval(args.request, proposal.digest);
        return go_on(&engine, turn, &args, Some(yes)).await;
    }
    match asking {
        // A turn that waits has no new events.
        Some(Asking { pending, .. }) => {
            let show = args.output.show();
            let told = match turn.report_now().await {
                Ok(report) => conclude(Display::of_waiting(show, pending), &report, show).await,
                Err(error) => Err(error),
            };
            let_wait(&engine, turn).await?;
            told
        }
        None => go_on(&engine, turn, &args, None).await,
    }
}

/// Gives the answer, if there is one, and shows the turn to its end or to its next question.
async fn go_on(
    engine: &Engine,
    mut turn: TurnHandle,
    args: &ResumeArgs,
    answer: Option<Op>,
) -> Result<Exit, ErrorInfo> {
    let answered = async {
        stop_when_interrupted(engine, args.request)?;
        if let Some(answer) = answer {
            engine.submit(answer).await?;
        }
        Ok(())
    };
    if let Err(error) = answered.await {
        let_wait(engine, turn).await?;
        return Err(error);
    }
    let ended = follow(engine, &mut turn, args.output.show(), Approval::of(args.approve_writes)).await;
    leave(engine, turn, ended).await
}

/// Leaves a turn waiting. If it were dropped before its engine is closed, it would be stopped for good.
async fn let_wait(engine: &Engine, turn: TurnHandle) -> Result<(), ErrorInfo> {
    engine.close().await?;
    drop(turn);
    Ok(())
}

async fn or_close<T>(engine: &Engine, done: Result<T, ErrorInfo>) -> Result<T, ErrorInfo> {
    if done.is_err() {
        engine.close().await?;
    }
    done
}

/// What a turn waits for.
async fn asked_in(engine: &Engine, request_id: RequestId) -> Result<Option<Asking>, ErrorInfo> {
    match engine.query(Query::Events { request_id, after_seq: 0 }).await? {
        Answer::Events { envelopes } => Ok(Asking::in_events(&envelopes)),
        _ => Ok(None),
    }
}

/// What a turn of another process is resumed with.
struct Resumption {
    engine: Engine,
    endpoint: Answers,
}

/// The model that answers in it.
enum Answers {
    /// The endpoint of this name.
    Named(String),
    /// The turn's own endpoint has this name and is not available. No other one replaces it unasked.
    Unknown(String),
}

impl Answers {
    fn name(&self) -> Option<String> {
        let (Self::Named(name) | Self::Unknown(name)) = self;
        Some(name.clone())
    }
}

impl Resumption {
    /// Uses the endpoint that was asked for, or else the turn's own. To find it, only servers on this computer are
    /// called.
    async fn of(args: &ResumeArgs) -> Result<Self, ErrorInfo> {
        let startup = Startup::new(args.data_dir.as_ref())?;
        let own = endpoint::began_with(args.data_dir.as_ref(), args.request).await?.endpoint;
        let chosen = match args.endpoint.is_default() {
            true => endpoint::named(&startup, &args.endpoint, &own).await?,
            false => Some(endpoint::choose(&startup, &args.endpoint).await?),
        };
        Ok(match chosen {
            Some(Chosen { name, endpoint }) => {
                let endpoint = endpoint.map(|endpoint| (name.clone(), endpoint));
                Self { engine: startup.engine(endpoint).await?, endpoint: Answers::Named(name) }
            }
            None => Self { engine: startup.engine(None).await?, endpoint: Answers::Unknown(own) },
        })
    }
}

fn unknown(name: &str, request_id: RequestId) -> ErrorInfo {
    let message = match name {
        COMMAND_LINE => {
            "This turn began with an endpoint of the command line, which Orion does not save.".to_owned()
        }
        _ => format!("This turn began with the endpoint {name}, which is not set up here."),
    };
    let action = format!("Name an endpoint to resume it with: orion resume {request_id} --base-url URL");
    ErrorInfo::new(Code::NoEndpoint, message, action)
}

/// `orion diff`: what a turn would write, or wrote, as a unified difference.
pub(crate) async fn diff(args: &DiffArgs) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
    let text = match (engine.unified(RequestId(args.id), args.write).await, args.write) {
        // The id may be that of a session.
        (Err(error), None) if error.code == Code::TurnUnknown => {
            let text = engine.unified_of_session(SessionId(args.id)).await;
            text.map_err(|error| if error.code == Code::SessionUnknown { neither() } else { error })
        }
        (text, _) => text,
    };
    engine.close().await?;
    print(&text?)
}

/// `orion undo`: undoes what a turn, or all turns of a session, wrote, and what their commands changed.
pub(crate) async fn undo(args: &UndoArgs) -> Result<Exit, ErrorInfo> {
    let engine = Startup::new(args.data_dir.as_ref())?.engine(None).await?;
    let undone = undo_writes(&engine, args.id, args.write).await;
    engine.close().await?;
    let mut exit = Exit::Answered;
    for Undone { path, error, .. } in undone? {
        match error {
            None => remark(&format!("undid {path}")),
            Some(error) => {
                crate::terminal::error(&error);
                exit = Exit::Failed;
            }
        }
    }
    Ok(exit)
}

async fn undo_writes(engine: &Engine, id: Uuid, write: Option<u32>) -> Result<Vec<Undone>, ErrorInfo> {
    let request_id = RequestId(id);
    let op = match write {
        Some(_) => Op::UndoWrite { request_id, write },
        None => Op::UndoChanges { of: ChangesOf::Turn { request_id }, path: None },
    };
    match engine.submit(op).await {
        Ok(Outcome::Undone { writes }) => Ok(writes),
        Ok(_) => Ok(Vec::new()),
        // The id may be that of a session.
        Err(error) if error.code == Code::TurnUnknown => {
            let undone = match write {
                None => engine.undo_session(SessionId(id)).await,
                Some(_) => engine.folder_of(SessionId(id)).await.and(Err(ErrorInfo::new(
                    Code::Usage,
                    "Only the writes of a turn have numbers.",
                    "Give the id of the turn, or leave out --write.",
                ))),
            };
            undone.map_err(|error| if error.code == Code::SessionUnknown { neither() } else { error })
        }
        Err(error) => Err(error),
    }
}

fn print(text: &str) -> Result<Exit, ErrorInfo> {
    // A person approves from this diff, perhaps in a pager.
    // A pager and an editor show line ends by themselves, and `git apply` needs them as they are.
    let text = if io::stdout().is_terminal() { with_line_ends(text) } else { Cow::Borrowed(text) };
    match out(&Printed::record(&text)) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let message = "The difference cannot be written to standard output.";
            Err(ErrorInfo::new(Code::Internal, message, "Check where the output goes.")
                .with_detail(error.to_string()))
        }
        _ => Ok(Exit::Answered),
    }
}
