//! The arguments of the command line. Wrong usage ends with exit code 2 and clap's own explanation.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};
use orion_engine::config::{BaseUrl, KeyVariable};
use orion_protocol::{RequestId, SessionId};

use crate::answer_flags::{ApproveFlags, PermissionsArgs, RejectFlags};
use crate::attach_flags::AttachFlags;
use crate::check_flags::CheckArgs;
use crate::compare_flags::{CopyFlags, RouteFlags};
use crate::completions::CompletionsArgs;
use crate::deferred::Deferred;
use crate::doctor::DoctorArgs;
use crate::edit_flags::EditFlags;
use crate::epilogues::{CHAT_KEYS, CHECK, COMPLETIONS, DOCTOR, EXIT_CODES};
use crate::export::ExportArgs;
use crate::fork_flags::ForkArgs;
use crate::ids::{any_id, request_id, session_id};
use crate::import::ImportArgs;
use crate::limit_flags::LimitFlags;
use crate::locate::LocateArgs;
use crate::manual::ManualArgs;
use crate::model_flags::ModelFlags;
use crate::pause_flags::PauseFlags;
use crate::questions::AnswerFlags;
use crate::queue::QueueArgs;
use crate::rewind_flags::RewindArgs;
use crate::serve::ServeArgs;
use crate::session_flags::{ApartArgs, DeleteArgs, RenameArgs};
use crate::stats::StatsArgs;
use crate::trace::TraceArgs;
use crate::turn_flags::TurnFlags;
use crate::values::{base_url, key_variable};

/// Works with a folder of files in bounded, visible turns.
#[derive(Debug, Parser)]
#[command(name = "orion", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask once and show the answer as it comes
    #[command(after_help = EXIT_CODES)]
    Run(Deferred<RunArgs>),
    /// Talk with a model at this terminal, turn after turn
    #[command(after_help = CHAT_KEYS)]
    Chat(Deferred<ChatArgs>),
    /// List the tools a model can use, with their permissions
    Tools(Deferred<ToolsArgs>),
    /// List the models of the endpoint
    Models(Deferred<ModelsArgs>),
    /// List the sessions of a project, the newest first, find words in all sessions, or delete one
    Sessions(Deferred<SessionsArgs>),
    /// Show what fills the context of a session, and what the next message would cut
    Context(Deferred<ContextArgs>),
    /// Put a summary in the place of a session's conversation, so that the next turns have room
    #[command(after_help = EXIT_CODES)]
    Compact(Deferred<CompactArgs>),
    /// Queue a message for when the turn that runs has ended, or list, change and reorder those that wait
    Queue(Deferred<QueueArgs>),
    /// Show what happened in a turn, step by step
    Trace(Deferred<TraceArgs>),
    /// Run a recorded turn through its machine again, without model or tools, and compare its events
    #[command(
        after_help = "Exit codes: 0 the same as recorded, 1 another version of Orion wrote it, or an error."
    )]
    Replay(Deferred<ReplayArgs>),
    /// Print a turn or a session as text, or write it to a file: for another Orion, or for people
    Export(Deferred<ExportArgs>),
    /// Open a session that was exported, to read and to replay it; it is not continued
    Import(Deferred<ImportArgs>),
    /// Say what turns came to over all sessions: answers, calls, tokens, cost, time
    Stats(Deferred<StatsArgs>),
    /// Approve the write or the call that a turn waits for, and show the turn to its end
    #[command(after_help = EXIT_CODES)]
    Approve(Deferred<ApproveArgs>),
    /// Reject the write or the call that a turn waits for, and show the turn to its end
    #[command(after_help = EXIT_CODES)]
    Reject(Deferred<RejectArgs>),
    /// Answer the questions that a turn waits with, and show the turn to its end
    #[command(after_help = EXIT_CODES)]
    Answer(Deferred<AnswerArgs>),
    /// List the approvals that you keep, or take one back
    Permissions(Deferred<PermissionsArgs>),
    /// Run the checks of a project; list, accept or remove them, or show what its files propose
    #[command(after_help = CHECK)]
    Check(Deferred<CheckArgs>),
    /// Go on with a turn that is paused, or whose process ended before the turn did
    #[command(after_help = EXIT_CODES)]
    Resume(Deferred<PauseArgs>),
    /// Print what a turn would write, or wrote, as a unified diff; or what all turns of a session wrote, file by file
    Diff(Deferred<DiffArgs>),
    /// Make a new session that goes on from a phase of a turn, with what is left of the turn's budget
    #[command(after_help = "Exit codes: 0 done, 1 failed, 2 wrong usage.")]
    Fork(Deferred<ForkArgs>),
    /// Send the message of a turn once more by each route, in sessions of their own, and show what it came to side by side
    #[command(after_help = EXIT_CODES)]
    Compare(Deferred<CompareArgs>),
    /// Go back to an earlier message: the conversation, the files that were written since, or both
    #[command(after_help = "Exit codes: 0 done, 1 failed, or files were kept as they are, 2 wrong usage.")]
    Rewind(Deferred<RewindArgs>),
    /// Undo what a turn, or all turns of a session, wrote
    Undo(Deferred<UndoArgs>),
    /// Say what Orion needs of this computer, what is wrong with it, and what to do; it names no key, person, folder or private address
    #[command(after_help = DOCTOR)]
    Doctor(Deferred<DoctorArgs>),
    /// Serve turns over HTTP, to other programs of this computer
    #[command(disable_help_flag = true, disable_version_flag = true)]
    Serve(Deferred<ServeArgs>),
    /// Print what a shell needs to complete commands and flags
    #[command(after_help = COMPLETIONS)]
    Completions(Deferred<CompletionsArgs>),
    /// Write the pages of the manual into a folder; packages are made with it
    #[command(hide = true)]
    Manual(Deferred<ManualArgs>),
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The message; - reads it from standard input. Without one, a session continues with a fresh budget, the one that was chosen for its
    /// last turn
    #[arg(required_unless_present_any = ["session", "continue_last", "instead_of"])]
    pub(crate) message: Option<String>,
    #[command(flatten)]
    pub(crate) folders: Folders,
    #[command(flatten)]
    pub(crate) endpoint: EndpointArgs,
    #[command(flatten)]
    pub(crate) turn: TurnFlags,
    #[command(flatten)]
    pub(crate) edits: EditFlags,
    #[command(flatten)]
    pub(crate) attach: AttachFlags,
    /// Go on in this session
    #[arg(long, value_name = "ID", value_parser = session_id, conflicts_with = "continue_last")]
    pub(crate) session: Option<SessionId>,
    /// Go on in the project's latest session
    #[arg(long = "continue")]
    pub(crate) continue_last: bool,
    /// Put this turn in the place of an earlier one of its session: with another message, or with the same one when none is given
    #[arg(long, value_name = "TURN", value_parser = request_id, conflicts_with_all = ["session", "continue_last"])]
    pub(crate) instead_of: Option<RequestId>,
    /// Write files without asking, but for those that can run code later and content with faults
    #[arg(long)]
    pub(crate) approve_writes: bool,
    /// Run commands in the sandbox without asking, in this turn; where the sandbox is not full, each is asked about
    #[arg(long)]
    pub(crate) allow_commands: bool,
    /// Run the project's checks after a change, also where the settings have them off; exit code 6 where one fails
    #[arg(long, conflicts_with = "no_checks")]
    pub(crate) checks: bool,
    /// Run no checks after this turn
    #[arg(long)]
    pub(crate) no_checks: bool,
    /// Pause after each step, to look at the results before the model is given them; exit code 3
    #[arg(long)]
    pub(crate) pause_after_tool: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    /// The session to go on in; a new one when it is not given
    #[arg(value_parser = session_id)]
    pub(crate) session: Option<SessionId>,
    /// Go on in the project's latest session
    #[arg(long = "continue", conflicts_with = "session")]
    pub(crate) continue_last: bool,
    #[command(flatten)]
    pub(crate) folders: Folders,
    #[command(flatten)]
    pub(crate) endpoint: EndpointArgs,
    #[command(flatten)]
    pub(crate) turn: TurnFlags,
    /// Pause after each step, to look at the results before the model is given them
    #[arg(long)]
    pub(crate) pause_after_tool: bool,
    /// Print the arguments of each call as JSON, too
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

/// What is printed.
#[derive(Debug, Args)]
pub(crate) struct Output {
    /// Print the turn's report as one JSON object, and nothing else
    #[arg(long, conflicts_with = "events")]
    json: bool,
    /// Print every event as a line of JSON
    #[arg(long)]
    events: bool,
    /// Print the arguments of each call as JSON, too
    #[arg(long, short, conflicts_with_all = ["json", "events"])]
    verbose: bool,
}

impl Output {
    pub(crate) fn show(&self) -> Show {
        match (self.json, self.events, self.verbose) {
            (true, ..) => Show::Report,
            (_, true, _) => Show::Events,
            (_, _, true) => Show::Verbose,
            _ => Show::Answer,
        }
    }
}

/// What standard output is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Show {
    Answer,
    /// The answer, and in the remarks the arguments of each call.
    Verbose,
    Report,
    Events,
}

impl Show {
    /// The answer as it comes, with remarks.
    pub(crate) fn is_for_people(self) -> bool {
        matches!(self, Self::Answer | Self::Verbose)
    }
}

/// The folders that Orion works in and keeps its data in.
#[derive(Debug, Args)]
pub(crate) struct Folders {
    /// The project's folder; that of the session, or else the current one, when it is not given
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

impl Folders {
    /// The folder that was named, or the current one.
    pub(crate) fn folder(&self) -> &Path {
        self.project.as_deref().unwrap_or(Path::new("."))
    }
}

/// Which model answers.
#[derive(Debug, Args)]
pub(crate) struct EndpointArgs {
    /// An OpenAI-compatible endpoint, such as https://api.deepseek.com/v1
    #[arg(long, value_name = "URL", value_parser = base_url)]
    pub(crate) base_url: Option<BaseUrl>,
    /// The environment variable that holds its key
    #[arg(long, value_name = "NAME", requires = "base_url", value_parser = key_variable)]
    pub(crate) api_key_env: Option<KeyVariable>,
    /// Send messages to another computer over plain http://, where they can be read on their way
    #[arg(long)]
    pub(crate) allow_http: bool,
    /// The built-in demo model, which is scripted and needs no network
    #[arg(long, conflicts_with = "base_url")]
    pub(crate) demo: bool,
}

impl EndpointArgs {
    /// Whether the person named none.
    pub(crate) fn is_default(&self) -> bool {
        self.base_url.is_none() && !self.demo
    }
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct SessionsArgs {
    #[command(subcommand)]
    pub(crate) act: Option<SessionsAct>,
    #[command(flatten)]
    pub(crate) list: ListArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsAct {
    /// Delete a session and everything that is kept of it; the project's files stay as they are
    Delete(DeleteArgs),
    /// Give a session another title
    Rename(RenameArgs),
    /// Keep a session at the top of its project
    Pin(ApartArgs),
    /// Put a session away: lists have it only with --archived, and a message in it brings it back
    Archive(ApartArgs),
    /// Say where a folder is that was moved or renamed: its sessions go on there
    Locate(LocateArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CompactArgs {
    /// The session's id
    #[arg(value_parser = session_id)]
    pub(crate) session: SessionId,
    /// Print what stands in the place of the conversation; no model is called
    #[arg(long, conflicts_with_all = ["undo", "events"])]
    pub(crate) show: bool,
    /// Give the next turns again what the last compaction stands for; no model is called
    #[arg(long, conflicts_with_all = ["json", "events"])]
    pub(crate) undo: bool,
    #[command(flatten)]
    pub(crate) endpoint: EndpointArgs,
    #[command(flatten)]
    pub(crate) model: ModelFlags,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The turn whose message is sent again; it stays as it is
    #[arg(value_parser = request_id)]
    pub(crate) request: RequestId,
    #[command(flatten)]
    pub(crate) routes: RouteFlags,
    #[command(flatten)]
    pub(crate) copies: CopyFlags,
    #[command(flatten)]
    pub(crate) endpoint: EndpointArgs,
    #[command(flatten)]
    pub(crate) model: ModelFlags,
    #[command(flatten)]
    pub(crate) limits: LimitFlags,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) folders: Folders,
    /// List the sessions that were imported from files
    #[arg(long, conflicts_with = "project")]
    pub(crate) imported: bool,
    /// List the archived sessions
    #[arg(long)]
    pub(crate) archived: bool,
    /// Find these words in what was said in all sessions, and in their titles; the last one may be the beginning of a word
    #[arg(long, value_name = "WORDS", conflicts_with_all = ["project", "imported", "archived"])]
    pub(crate) search: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ToolsArgs {
    /// The project's folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) project: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ModelsArgs {
    #[command(subcommand)]
    pub(crate) act: Option<ModelsAct>,
    #[command(flatten)]
    pub(crate) list: ListModelsArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsAct {
    /// Ask the server how a model is to be spoken to, and say what is known of it and why; nothing is generated
    Check(CheckModelArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CheckModelArgs {
    /// An endpoint that is set up; without it, the one that turns use
    #[arg(conflicts_with_all = ["base_url", "demo"])]
    pub(crate) name: Option<String>,
    /// The model to check
    #[arg(long, value_name = "M")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) endpoint: EndpointArgs,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Where sessions are kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ListModelsArgs {
    #[command(flatten)]
    pub(crate) endpoint: EndpointArgs,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ContextArgs {
    /// The session's id
    #[arg(value_parser = session_id)]
    pub(crate) session: SessionId,
    #[command(flatten)]
    pub(crate) endpoint: EndpointArgs,
    #[command(flatten)]
    pub(crate) model: ModelFlags,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The turn's request id
    #[arg(value_parser = request_id)]
    pub(crate) request: RequestId,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

/// Which turn to go on with, and how.
#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The turn's request id
    #[arg(value_parser = request_id)]
    pub(crate) request: RequestId,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) endpoint: EndpointArgs,
    /// Write files without asking, but for those that can run code later and content with faults
    #[arg(long)]
    pub(crate) approve_writes: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct PauseArgs {
    #[command(flatten)]
    pub(crate) resume: ResumeArgs,
    #[command(flatten)]
    pub(crate) flags: PauseFlags,
}

#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    #[command(flatten)]
    pub(crate) resume: ResumeArgs,
    #[command(flatten)]
    pub(crate) flags: AnswerFlags,
}

#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    #[command(flatten)]
    pub(crate) resume: ResumeArgs,
    #[command(flatten)]
    pub(crate) flags: ApproveFlags,
}

#[derive(Debug, Args)]
pub(crate) struct RejectArgs {
    #[command(flatten)]
    pub(crate) resume: ResumeArgs,
    #[command(flatten)]
    pub(crate) flags: RejectFlags,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The id of a turn or of a session
    #[arg(value_parser = any_id)]
    pub(crate) id: uuid::Uuid,
    /// The number of the write in the turn; all when it is not given
    #[arg(long, value_name = "N")]
    pub(crate) write: Option<u32>,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct UndoArgs {
    /// The id of a turn or of a session
    #[arg(value_parser = any_id)]
    pub(crate) id: uuid::Uuid,
    /// The number of the write in the turn; all when it is not given
    #[arg(long, value_name = "N")]
    pub(crate) write: Option<u32>,
    /// Where sessions and logs are kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}
