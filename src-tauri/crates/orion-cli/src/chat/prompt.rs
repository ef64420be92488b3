//! Where a person types: a line editor, or plain lines on a terminal that can do no more.

use std::borrow::Cow;
use std::io::{self, BufRead, Write};

use orion_protocol::{Code, ErrorInfo};
use reedline::{
    ColumnarMenu, Completer, EditCommand, Emacs, FileBackedHistory, History, HistoryItem, KeyCode,
    KeyModifiers, MenuBuilder, Prompt, PromptEditMode, PromptHistorySearch, Reedline, ReedlineEvent,
    ReedlineMenu, Signal, ValidationResult, Validator, default_emacs_keybindings,
};
use tokio::sync::mpsc;

use crate::interrupts::Pressed;
use crate::printed::visible;

/// Lines that were typed ahead.
const LINES: usize = 16;

/// What a person did at the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Typed {
    Line(String),
    /// Ctrl-C.
    Interrupt {
        /// Nothing had been typed.
        empty: bool,
    },
    /// Ctrl-E at an empty prompt.
    Continue,
    /// Ctrl-D, or the terminal is gone.
    Leave,
}

/// What an editor hands back to this module, and what it is asked for.
const INTERRUPT: &str = "interrupt";
const SUSPEND: &str = "suspend";
const CONTINUE: &str = "continue";
/// The list that Tab opens.
const MENU: &str = "completions";

/// What a line is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum For {
    /// A message or a command: it can be completed, and earlier ones come back with the arrow keys.
    Message,
    Answer,
}

/// Reads lines from the terminal.
pub(crate) enum Lines {
    /// None while a line is read with it.
    Edited {
        messages: Option<Box<Reedline>>,
        answers: Option<Box<Reedline>>,
    },
    Plain {
        typed: mpsc::Receiver<String>,
        pressed: Pressed,
    },
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if matches!(self, Self::Edited { .. }) { "Edited" } else { "Plain" })
    }
}

impl Lines {
    /// With an editor. `coloured`: the terminal shows colours, and the person wants them. `earlier`: messages, the oldest first.
    pub(crate) fn edited(
        coloured: bool,
        earlier: &[String],
        complete: impl Completer + Send + 'static,
    ) -> Self {
        let menu = ColumnarMenu::default().with_name(MENU).with_columns(1);
        let messages = editor(coloured)
            .with_history(Box::new(history(earlier)))
            .with_completer(Box::new(complete))
            .with_quick_completions(true)
            .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)));
        Self::Edited { messages: Some(Box::new(messages)), answers: Some(Box::new(editor(coloured))) }
    }

    /// As the terminal gives them.
    pub(crate) fn plain(pressed: Pressed) -> Self {
        let (line, typed) = mpsc::channel(LINES);
        // Reading blocks, and nothing waits for this thread: the process ends without it.
        let reading = std::thread::Builder::new().name("keyboard".to_owned()).spawn(move || {
            let lines = io::stdin().lock().lines().map_while(Result::ok);
            for typed in lines {
                if line.blocking_send(typed).is_err() {
                    break;
                }
            }
        });
        if let Err(error) = reading {
            tracing::warn!(%error, "no thread to read lines with");
        }
        Self::Plain { typed, pressed }
    }

    /// Asks for a line. `label` says for what; `begun` is there to be changed, or to be replaced on a terminal that can do no more.
    ///
    /// # Errors
    /// The terminal cannot be read or written.
    pub(crate) async fn next(&mut self, of: For, label: &str, begun: &str) -> Result<Typed, ErrorInfo> {
        match self {
            Self::Edited { messages, answers } => {
                let editor = if of == For::Message { messages } else { answers };
                let Some(own) = editor.take() else { return Ok(Typed::Leave) };
                let (label, begun) = (Label(label.to_owned()), begun.to_owned());
                let reading = tokio::task::spawn_blocking(move || edit(own, &label, &begun));
                let (own, typed) = reading.await.map_err(|panicked| unreadable(&panicked))?;
                *editor = Some(own);
                typed.map_err(|error| unreadable(&error))
            }
            Self::Plain { typed, pressed } => {
                let mut stdout = io::stdout();
                let shown = write!(stdout, "{label}{begun}").and_then(|()| stdout.flush());
                shown.map_err(|error| unreadable(&error))?;
                Ok(tokio::select! {
                    line = typed.recv() => match line {
                        Some(line) => Typed::Line(whole(of, begun, line)),
                        None => Typed::Leave,
                    },
                    () = pressed.next() => Typed::Interrupt { empty: true },
                })
            }
        }
    }

    /// What was typed before it is asked for.
    pub(crate) fn typed_ahead(&mut self) -> String {
        match self {
            Self::Edited { .. } => super::keys::pressed().iter().filter_map(super::keys::typed).collect(),
            Self::Plain { typed, .. } => std::iter::from_fn(|| typed.try_recv().ok()).collect(),
        }
    }
}

/// The line that stands behind what was begun, on a terminal where that cannot be changed: words of an answer take its place.
fn whole(of: For, begun: &str, line: String) -> String {
    match of {
        For::Answer if !line.trim().is_empty() => line,
        For::Answer | For::Message => begun.to_owned() + &line,
    }
}

fn unreadable(error: &impl ToString) -> ErrorInfo {
    ErrorInfo::new(Code::Internal, "Orion cannot read from the terminal.", "Try again in another terminal.")
        .with_detail(error.to_string())
}

fn editor(coloured: bool) -> Reedline {
    let mut keys = default_emacs_keybindings();
    let host = |name: &str| ReedlineEvent::ExecuteHostCommand(name.to_owned());
    keys.add_binding(KeyModifiers::CONTROL, KeyCode::Char('c'), host(INTERRUPT));
    keys.add_binding(KeyModifiers::CONTROL, KeyCode::Char('z'), host(SUSPEND));
    keys.add_binding(KeyModifiers::CONTROL, KeyCode::Char('e'), host(CONTINUE));
    for (modifier, key) in [
        (KeyModifiers::ALT, KeyCode::Enter),
        (KeyModifiers::SHIFT, KeyCode::Enter),
        (KeyModifiers::CONTROL, KeyCode::Char('j')),
    ] {
        keys.add_binding(modifier, key, ReedlineEvent::Edit(vec![EditCommand::InsertNewline]));
    }
    keys.add_binding(
        KeyModifiers::NONE,
        KeyCode::Tab,
        ReedlineEvent::UntilFound(vec![ReedlineEvent::Menu(MENU.to_owned()), ReedlineEvent::MenuNext]),
    );
    Reedline::create()
        .with_ansi_colors(coloured)
        .with_validator(Box::new(Continued))
        .with_edit_mode(Box::new(Emacs::new(keys)))
        .use_bracketed_paste(true)
}

/// The messages of before. What would steer the terminal is left out.
fn history(earlier: &[String]) -> FileBackedHistory {
    let mut history = FileBackedHistory::default();
    for message in earlier.iter().filter(|message| visible(message) == message.as_str()) {
        // It has room for as many as the engine gives.
        _ = history.save(HistoryItem::from_command_line(message));
    }
    history
}

/// Reads one line, in a thread that may block.
fn edit(mut editor: Box<Reedline>, label: &Label, begun: &str) -> (Box<Reedline>, io::Result<Typed>) {
    if !begun.is_empty() {
        editor.run_edit_commands(&[EditCommand::InsertString(begun.to_owned())]);
    }
    loop {
        super::tty::begin_line();
        let typed = match editor.read_line(label) {
            Ok(Signal::Success(line)) => Typed::Line(line.replace("\\\n", "\n")),
            Ok(Signal::HostCommand(name)) if name == SUSPEND => {
                suspend();
                continue;
            }
            // In a line it is the key that it is in other line editors.
            Ok(Signal::HostCommand(name)) if name == CONTINUE => {
                if editor.current_buffer_contents().is_empty() {
                    end_line();
                    return (editor, Ok(Typed::Continue));
                }
                editor.run_edit_commands(&[EditCommand::MoveToLineEnd { select: false }]);
                continue;
            }
            Ok(Signal::HostCommand(_) | Signal::CtrlC) => {
                let empty = editor.current_buffer_contents().is_empty();
                editor.run_edit_commands(&[EditCommand::Clear]);
                if empty {
                    end_line();
                }
                Typed::Interrupt { empty }
            }
            Ok(Signal::CtrlD) => Typed::Leave,
            Ok(_) => continue,
            Err(error) => return (editor, Err(error)),
        };
        return (editor, Ok(typed));
    }
}

/// What comes next begins on a line of its own.
fn end_line() {
    let mut stdout = io::stdout();
    // A terminal that is gone says so when it is read.
    _ = stdout.write_all(b"\n").and_then(|()| stdout.flush());
}

/// Ctrl-Z: the shell has the terminal until it continues this process.
#[cfg(unix)]
fn suspend() {
    use rustix::process::{Signal, getpid, kill_process};
    end_line();
    super::tty::restore();
    _ = kill_process(getpid(), Signal::STOP);
    _ = super::tty::hush();
}

#[cfg(not(unix))]
fn suspend() {}

/// A line that ends with a backslash goes on in the next one.
struct Continued;

impl Validator for Continued {
    fn validate(&self, line: &str) -> ValidationResult {
        if line.ends_with('\\') { ValidationResult::Incomplete } else { ValidationResult::Complete }
    }
}

/// What stands before the line.
struct Label(String);

impl Prompt for Label {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.0)
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _mode: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed("  ")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        Cow::Owned(format!("(search: {}) ", search.term))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nothing_can_be_changed_an_answer_replaces_what_was_begun_and_a_message_goes_on() {
        let whole = |of, line: &str| whole(of, "begun", line.to_owned());
        assert_eq!(whole(For::Answer, "anew"), "anew");
        assert_eq!(whole(For::Answer, ""), "begun");
        assert_eq!(whole(For::Message, " and more"), "begun and more");
    }
}
