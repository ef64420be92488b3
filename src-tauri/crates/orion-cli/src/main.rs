//! Orion without a window: the same engine, one command, text or JSON.
//!
//! Standard output has only what was asked for. Progress and remarks go to standard error. Deliberately not here:
//! anything that decides about a turn (`orion-core`, `orion-engine`).

mod answer_flags;
mod approve;
mod args;
mod asking;
mod attach_flags;
mod call_words;
mod chat;
mod check;
mod check_accept;
mod check_flags;
mod check_runs;
mod check_words;
mod command_words;
mod compact;
mod compare;
mod compare_flags;
mod completions;
mod context;
mod countdown;
mod deferred;
mod display;
mod doctor;
mod edit_flags;
mod ending;
mod endpoint;
mod epilogues;
mod exit;
mod export;
mod fork;
mod fork_flags;
mod held;
mod ids;
mod import;
mod interrupts;
mod kept_words;
mod keyboard;
mod limit_flags;
mod list;
mod live_output;
mod locate;
mod manual;
mod markdown;
mod model_flags;
mod outcomes;
mod output;
mod pause_flags;
mod permissions;
mod place;
mod printed;
mod questions;
mod queue;
mod raw;
mod replay;
mod rewind;
mod rewind_flags;
mod room;
mod run;
mod search;
mod sent;
mod serve;
mod session_flags;
mod sessions;
mod spoken;
mod startup;
mod stats;
mod table;
mod terminal;
mod trace;
mod turn_check_words;
mod turn_flags;
mod values;
mod waiting;

use std::io::Write;
use std::process::ExitCode;

use clap::builder::Styles;
use clap::{CommandFactory, Parser};
use orion_engine::secrets::hide_in_usage;
use orion_protocol::{Code, ErrorInfo};

use args::{Cli, Command};
use deferred::Deferred;
use exit::Exit;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_parsed(error),
    };
    // One thread from the socket to standard output, so a chunk needs no switch between threads.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ended = match runtime {
        Ok(runtime) => {
            let ended = runtime.block_on(Box::pin(obey(cli.command)));
            // The end of the process does not wait for a thread that a disk holds up.
            runtime.shutdown_background();
            ended
        }
        Err(error) => Err(no_runtime(&error)),
    };
    ended.unwrap_or_else(|error| failed(&error)).into()
}

async fn obey(command: Command) -> Result<Exit, ErrorInfo> {
    match command {
        Command::Run(Deferred(args)) => run::run(*args).await,
        Command::Chat(Deferred(args)) => chat::chat(*args).await,
        Command::Tools(Deferred(args)) => list::tools(&args),
        Command::Models(Deferred(args)) => spoken::models(*args).await,
        Command::Sessions(Deferred(args)) => sessions::sessions(&args).await,
        Command::Context(Deferred(args)) => room::context(&args).await,
        Command::Compact(Deferred(args)) => compact::compact(*args).await,
        Command::Queue(Deferred(args)) => queue::queue(&args).await,
        Command::Trace(Deferred(args)) => trace::trace(&args).await,
        Command::Replay(Deferred(args)) => replay::replay(&args).await,
        Command::Export(Deferred(args)) => export::export(&args).await,
        Command::Import(Deferred(args)) => import::import(&args).await,
        Command::Stats(Deferred(args)) => stats::stats(*args).await,
        Command::Approve(Deferred(args)) => approve::approve(*args).await,
        Command::Reject(Deferred(args)) => approve::reject(*args).await,
        Command::Answer(Deferred(args)) => approve::answer(*args).await,
        Command::Permissions(Deferred(args)) => permissions::permissions(&args).await,
        Command::Check(Deferred(args)) => check::check(&args).await,
        Command::Resume(Deferred(args)) => approve::resume(*args).await,
        Command::Diff(Deferred(args)) => approve::diff(&args).await,
        Command::Fork(Deferred(args)) => fork::fork(&args).await,
        Command::Compare(Deferred(args)) => compare::compare(&args).await,
        Command::Rewind(Deferred(args)) => rewind::rewind(&args).await,
        Command::Doctor(Deferred(args)) => doctor::doctor(&args).await,
        Command::Undo(Deferred(args)) => approve::undo(&args).await,
        Command::Serve(Deferred(args)) => serve::serve(&args),
        Command::Completions(Deferred(args)) => completions::completions(&args, &Cli::command()),
        Command::Manual(Deferred(args)) => manual::manual(&args, Cli::command()),
    }
}

/// The parser's own words. Help and the version are no errors.
fn not_parsed(error: clap::Error) -> ExitCode {
    if error.use_stderr() {
        let arguments: Vec<String> =
            std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
        // Without styles: no sequence of an argument can then be taken for one of the parser.
        let plain = Cli::command().styles(Styles::plain()).try_get_matches().err().unwrap_or(error);
        terminal::usage(&hide_in_usage(&plain.render().ansi().to_string(), &arguments));
        return Exit::Usage.into();
    }
    // Nobody who listens is no reason to end otherwise.
    _ = write!(anstream::stdout(), "{}", error.render().ansi());
    Exit::Answered.into()
}

fn failed(error: &ErrorInfo) -> Exit {
    terminal::error(error);
    match error.code {
        Code::Usage => Exit::Usage,
        // Of an approval: there is a new difference, and it is asked about.
        Code::FileChanged => Exit::WaitsForPerson,
        _ => Exit::Failed,
    }
}

fn no_runtime(error: &std::io::Error) -> ErrorInfo {
    ErrorInfo::new(Code::Internal, "Orion cannot start a thread.", "Close other programs and try again.")
        .with_detail(error.to_string())
}
