//! `orion chat`: turns of one session at a terminal, one after the other.
//!
//! A chat is one process with one engine. Everything that is said is in the journal, so a session goes on in any other command or window.
//!
//! - `prompt`: the line editor, with what Tab completes (`complete`) and the person's own editor (`editor`).
//! - `tty`: the modes of the terminal. `keys`: keys that are pressed while a turn runs.
//! - `turn`: follows one turn. `asking`, `menu`, `answer`, `review`, `questions`, `paused`: what it asks, and the answers.
//! - `commands`, `prompts`: lines that begin with a `/`. `queue`: messages that wait. `back`: what was said before, and the ways back.

mod answer;
mod asking;
mod back;
mod commands;
mod complete;
mod editor;
mod keys;
mod menu;
mod paused;
mod prompt;
mod prompts;
mod questions;
mod queue;
mod review;
mod tty;
mod turn;

use std::io::{self, IsTerminal};

use orion_engine::{Engine, TurnHandle};
use orion_protocol::{
    CONTINUE, Code, ErrorInfo, ProjectId, QueuedId, RequestId, SessionId, StopReason, TurnOptions,
};

use crate::args::ChatArgs;
use crate::asking::with_answer;
use crate::endpoint;
use crate::exit::Exit;
use crate::interrupts::{Pressed, stop_each_when_interrupted};
use crate::place::{folder, latest_session, new_session, project};
use crate::startup::Startup;
use crate::terminal::{self, remark};
use commands::Done;
use complete::Complete;
use prompt::{For, Lines, Typed};
use tty::Quiet;

pub(crate) async fn chat(args: ChatArgs) -> Result<Exit, ErrorInfo> {
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(ErrorInfo::new(
            Code::Usage,
            "orion chat needs a terminal to read from and to write to.",
            "In scripts and pipes use orion run.",
        ));
    }
    let startup = Startup::new(args.folders.data_dir.as_ref())?;
    let folder = folder(&args.folders, args.session).await?;
    startup.in_project(&folder)?;
    let chosen = endpoint::choose(&startup, &args.endpoint).await?;
    let chosen = endpoint::with_model(&startup, chosen, args.turn.model.model.as_deref()).await?;
    let options = TurnOptions {
        pause_after_tool: args.pause_after_tool.then_some(true),
        mentions: true,
        ..args.turn.options(chosen.name.clone())
    };
    let engine = startup.engine(chosen.endpoint.map(|endpoint| (chosen.name, endpoint))).await?;
    let talked = async {
        let project_id = project(&engine, &folder).await?;
        let session = match (args.session, args.continue_last) {
            (None, true) => Some(latest_session(&engine, &folder).await?.ok_or_else(no_session)?),
            (session, _) => session,
        };
        let chat = Chat::begin(engine.clone(), project_id, session, options).await?;
        Chat { verbose: args.verbose, ..chat }.talk().await
    };
    let talked = talked.await;
    engine.close().await?;
    // Before the engine is closed, dropping a turn that waits would stop it.
    let _waiting: Option<TurnHandle> = talked?;
    Ok(Exit::Answered)
}

fn no_session() -> ErrorInfo {
    ErrorInfo::new(Code::Usage, "This project has no session yet.", "Begin one with orion chat.")
}

/// A chat at the terminal.
struct Chat {
    engine: Engine,
    project_id: ProjectId,
    /// None before the first message of a new one.
    session: Option<SessionId>,
    /// What the next turns run with.
    options: TurnOptions,
    /// The arguments of calls are shown as JSON.
    verbose: bool,
    lines: Lines,
    pressed: Pressed,
    /// The last turn ended at a limit, and can go on with a fresh budget (X7).
    can_continue: bool,
    /// What was typed while a turn ran.
    ahead: String,
    /// Queued messages whose text is at the prompt again. They leave the queue when the line is sent.
    returned: Vec<QueuedId>,
    /// How the turn that was shown last has ended, until its queue is seen to.
    ended: Option<StopReason>,
    /// None on a terminal that can do no more than lines.
    quiet: Option<Quiet>,
    /// The folders that a command can read in the sandbox, as they were said last: they are said once.
    told_reads: Option<String>,
}

/// Messages of before that come back with the arrow keys.
const EARLIER: u32 = 500;

impl Chat {
    async fn begin(
        engine: Engine,
        project_id: ProjectId,
        session: Option<SessionId>,
        options: TurnOptions,
    ) -> Result<Self, ErrorInfo> {
        let pressed = Pressed::default();
        stop_each_when_interrupted(&engine, &pressed, tty::end)?;
        let quiet =
            (!terminal::is_dumb()).then(Quiet::begin).transpose().map_err(|error| no_terminal(&error))?;
        let lines = match quiet {
            Some(_) => {
                let mut earlier = engine.messages_in(project_id, EARLIER).await?;
                earlier.retain(|message| message != CONTINUE);
                earlier.reverse();
                let complete = Complete::of(engine.clone(), project_id);
                Lines::edited(terminal::is_coloured(), &earlier, complete)
            }
            None => Lines::plain(pressed.clone()),
        };
        Ok(Self {
            engine,
            project_id,
            session,
            options,
            verbose: false,
            lines,
            pressed,
            can_continue: false,
            ahead: String::new(),
            returned: Vec::new(),
            ended: None,
            quiet,
            told_reads: None,
        })
    }

    /// Takes messages and commands until the person leaves, perhaps with a turn that waits.
    async fn talk(mut self) -> Result<Option<TurnHandle>, ErrorInfo> {
        remark("Enter sends, Alt+Enter begins a new line, Ctrl-D leaves. /help lists the commands.");
        let mut done = match self.session {
            Some(_) => back::greet(&mut self).await?.into(),
            None => Done::Next,
        };
        let mut about_to_leave = false;
        let waiting = loop {
            if let Done::Leave(waiting) = done {
                break waiting;
            }
            if let Some(ended) = self.ended.take() {
                done = match queue::go_on(&mut self, ended).await {
                    Ok(waiting) => waiting.into(),
                    Err(error) => self.told(error).await,
                };
                continue;
            }
            done = Done::Next;
            let typed = self.lines.next(For::Message, "> ", std::mem::take(&mut self.ahead).trim()).await?;
            let leaves = matches!(typed, Typed::Interrupt { empty: true }) && about_to_leave;
            about_to_leave = typed == Typed::Interrupt { empty: true };
            match typed {
                Typed::Leave => done = Done::Leave(None),
                Typed::Interrupt { .. } if leaves => done = Done::Leave(None),
                Typed::Interrupt { empty: true } => remark("Press Ctrl-C again to leave."),
                Typed::Interrupt { empty: false } => self.returned.clear(),
                Typed::Continue => done = self.obey("/continue").await,
                Typed::Line(line) if line.trim().is_empty() => {}
                Typed::Line(line) => done = self.obey(&line).await,
            }
        };
        if let Some(session) = self.session {
            remark(&format!("Go on with orion chat {session}, or in Orion's window."));
        }
        Ok(waiting)
    }

    /// Sends a message, or does what a command says.
    async fn obey(&mut self, line: &str) -> Done {
        let done = match parsed(line) {
            Some((name, arguments)) => {
                self.returned.clear();
                commands::obey(self, name, arguments).await
            }
            None => self.send_with(line.to_owned(), self.options.clone()).await.map(Done::from),
        };
        match done {
            Ok(done) => done,
            Err(error) => self.told(error).await,
        }
    }

    /// Sends a message and shows its turn.
    async fn send_with(
        &mut self,
        text: String,
        options: TurnOptions,
    ) -> Result<Option<TurnHandle>, ErrorInfo> {
        let session_id = match self.session {
            Some(session_id) => session_id,
            None => new_session(&self.engine, self.project_id).await?,
        };
        self.session = Some(session_id);
        let turn = self.engine.run_turn(session_id, text, options).await?;
        let returned = std::mem::take(&mut self.returned);
        queue::sent(self, returned).await?;
        Ok(turn::show(self, turn).await)
    }

    /// Goes on with a fresh budget (X7).
    async fn go_on(&mut self) -> Result<Option<TurnHandle>, ErrorInfo> {
        if !self.can_continue {
            return Err(usage("There is nothing to continue.", "Send a message."));
        }
        self.send_with(CONTINUE.to_owned(), self.options.clone()).await
    }

    /// Says what went wrong. The chat goes on.
    async fn told(&self, error: ErrorInfo) -> Done {
        terminal::error(&with_answer(&self.engine, error).await);
        Done::Next
    }

    /// The session, once something was said in it.
    ///
    /// # Errors
    /// `usage`.
    fn begun(&self) -> Result<SessionId, ErrorInfo> {
        self.session.ok_or_else(|| usage("Nothing was said in this session yet.", "Send a message."))
    }

    /// From now on the chat is in this session; a new one where there is none.
    fn go_to(&mut self, session: Option<SessionId>) {
        self.session = session;
        self.can_continue = false;
        self.returned.clear();
    }

    /// What Ctrl-C is for from now on: it stops this turn, or is a key for the prompt.
    fn ctrl_c_stops(&self, turn: Option<RequestId>) {
        match turn {
            Some(request_id) => self.pressed.stops(request_id),
            None => self.pressed.is_told(),
        }
        self.quiet.iter().for_each(|quiet| quiet.signals(turn.is_some()));
    }

    /// What was typed so far is for the next message, and not for what is asked now.
    fn forget_typed(&mut self) {
        let typed = self.lines.typed_ahead();
        self.ahead.push_str(&typed);
    }
}

fn no_terminal(error: &io::Error) -> ErrorInfo {
    ErrorInfo::new(Code::Internal, "The terminal's modes cannot be changed.", "Try another terminal.")
        .with_detail(error.to_string())
}

/// The name of the command that a line is, and what follows it. None where it is a message, such as `/usr is large`, with a space before it.
fn parsed(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix('/')?;
    let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    is_name.then_some((name, arguments.trim()))
}

/// The item of this number, counted from 1.
fn numbered<'a, T>(items: &'a [T], number: &str) -> Option<&'a T> {
    items.get(number.parse::<usize>().ok()?.checked_sub(1)?)
}

fn usage(message: &str, action: &str) -> ErrorInfo {
    ErrorInfo::new(Code::Usage, message, action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_command_if_a_name_follows_its_slash() {
        assert_eq!(parsed("/mode plan "), Some(("mode", "plan")));
        assert_eq!(parsed("/nonsense"), Some(("nonsense", "")));
        assert_eq!(parsed("/review2 a.rs"), Some(("review2", "a.rs")));
        for message in ["/usr/bin is large", " /help", "/", "// a comment", "/2nd try", "a /help"] {
            assert_eq!(parsed(message), None, "{message}");
        }
    }
}
