//! The modes of the terminal while a chat goes on: keys are not echoed and not held until Enter. Ctrl-C is a signal while a turn runs, and else a
//! key like any other, which is not lost if it is pressed before the next prompt.
//!
//! The line editor changes them further for as long as it reads, and leaves them as they are here.

use std::io::{self, Write};
#[cfg(unix)]
use std::sync::OnceLock;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(unix)]
use rustix::termios::{InputModes, LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::terminal::is_dumb;

/// As the terminal was when the chat began.
#[cfg(unix)]
static BEFORE: OnceLock<Termios> = OnceLock::new();

/// Whether a signal ends the process. Locked while the modes are changed, so that the last change is the one that puts them back.
static ENDING: Mutex<bool> = Mutex::new(false);

fn ending() -> MutexGuard<'static, bool> {
    ENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A signal ends the process: the terminal is put back as it was, and is not changed any more.
pub(crate) fn end() {
    let mut ending = ending();
    *ending = true;
    restore();
}

/// Returns at once, or never where a signal ends the process: a line that began now would change the terminal again.
pub(crate) fn begin_line() {
    while *ending() {
        std::thread::park();
    }
}

/// The terminal is quiet until this is dropped, or the process panics.
#[derive(Debug)]
pub(crate) struct Quiet(());

impl Quiet {
    /// # Errors
    /// Standard input is no terminal any more.
    pub(crate) fn begin() -> io::Result<Self> {
        hush()?;
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            report(panic);
        }));
        Ok(Self(()))
    }

    /// Whether Ctrl-C and Ctrl-Z are signals. Where the terminal is gone, the next look at it says so.
    #[cfg(unix)]
    pub(crate) fn signals(&self, on: bool) {
        let ending = ending();
        if *ending {
            return;
        }
        let stdin = io::stdin();
        if let Ok(mut modes) = tcgetattr(&stdin) {
            modes.local_modes.set(LocalModes::ISIG, on);
            _ = tcsetattr(&stdin, OptionalActions::Now, &modes);
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn signals(&self, _on: bool) {}
}

impl Drop for Quiet {
    fn drop(&mut self) {
        restore();
    }
}

/// Changes the modes for this chat, also after another program had the terminal.
#[cfg(unix)]
pub(crate) fn hush() -> io::Result<()> {
    let ending = ending();
    if *ending {
        return Ok(());
    }
    let stdin = io::stdin();
    let mut modes = tcgetattr(&stdin)?;
    let _ = BEFORE.set(modes.clone());
    modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
    // Enter is the same key whether it is pressed at a prompt or before it.
    modes.input_modes.remove(InputModes::ICRNL);
    Ok(tcsetattr(&stdin, OptionalActions::Now, &modes)?)
}

#[cfg(not(unix))]
pub(crate) fn hush() -> io::Result<()> {
    Ok(())
}

/// Puts the terminal back as it was: its modes, a cursor that can be seen, pasted text without marks. Nothing depends on its success.
pub(crate) fn restore() {
    #[cfg(unix)]
    if let Some(before) = BEFORE.get() {
        _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
    }
    #[cfg(not(unix))]
    {
        _ = crossterm::terminal::disable_raw_mode();
    }
    if !is_dumb() {
        let mut stdout = io::stdout();
        _ = stdout.write_all(b"\x1b[?2004l\x1b[?25h");
        _ = stdout.flush();
    }
}
