//! Keys that are pressed while a turn runs.
//!
//! A thread waits for them, and ends as soon as nobody listens: whoever reads lines afterwards has the terminal alone.

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyModifiers};
use tokio::sync::mpsc;

/// Keys that wait to be looked at. Nobody types faster.
const KEYS: usize = 256;

/// Hears what is pressed until it is dropped.
#[derive(Debug)]
pub(crate) struct Keys {
    pressed: mpsc::Receiver<Event>,
    #[cfg(unix)]
    listening: Option<Listening>,
}

impl Keys {
    /// Nothing is heard where the terminal holds keys until Enter.
    pub(crate) fn listen(quiet: bool) -> Self {
        let (press, pressed) = mpsc::channel(KEYS);
        #[cfg(unix)]
        {
            let listening = quiet.then(|| Listening::begin(press).ok()).flatten();
            Self { pressed, listening }
        }
        #[cfg(not(unix))]
        {
            let _ = (quiet, press);
            Self { pressed }
        }
    }

    /// The next key. Cancelling the wait loses nothing.
    pub(crate) async fn next(&mut self) -> Event {
        match self.pressed.recv().await {
            Some(event) => event,
            None => std::future::pending().await,
        }
    }

    /// Listens no longer. What was pressed and has not been looked at.
    pub(crate) fn rest(mut self) -> Vec<Event> {
        #[cfg(unix)]
        drop(self.listening.take());
        std::iter::from_fn(|| self.pressed.try_recv().ok()).collect()
    }
}

#[cfg(unix)]
#[derive(Debug)]
struct Listening {
    /// The thread ends when this is closed.
    open: Option<std::io::PipeWriter>,
    thread: Option<std::thread::JoinHandle<()>>,
}

#[cfg(unix)]
impl Listening {
    fn begin(press: mpsc::Sender<Event>) -> std::io::Result<Self> {
        use rustix::event::{PollFd, PollFlags, poll};
        let (closed, open) = std::io::pipe()?;
        let thread = std::thread::Builder::new().name("keys".to_owned()).spawn(move || {
            let stdin = std::io::stdin();
            let mut is_gone = false;
            loop {
                // What was pressed with the Enter of a line is not in the terminal any more: it was read together with it.
                let events = pressed();
                // A terminal that is gone can always be read, and never has a key.
                if events.is_empty() && is_gone {
                    break;
                }
                if events.into_iter().any(|event| press.try_send(event).is_err() && press.is_closed()) {
                    break;
                }
                let mut fds = [PollFd::new(&closed, PollFlags::IN), PollFd::new(&stdin, PollFlags::IN)];
                match poll(&mut fds, None) {
                    Err(rustix::io::Errno::INTR) => continue,
                    Err(_) => break,
                    Ok(_) if !fds[0].revents().is_empty() => break,
                    Ok(_) => is_gone = fds[1].revents().contains(PollFlags::HUP),
                }
            }
        })?;
        Ok(Self { open: Some(open), thread: Some(thread) })
    }
}

#[cfg(unix)]
impl Drop for Listening {
    fn drop(&mut self) {
        drop(self.open.take());
        if let Some(Err(_panicked)) = self.thread.take().map(std::thread::JoinHandle::join) {
            tracing::warn!("the thread that hears keys has failed");
        }
    }
}

/// What was pressed by now, without waiting.
pub(crate) fn pressed() -> Vec<Event> {
    let there = || crossterm::event::poll(Duration::ZERO).unwrap_or(false);
    std::iter::from_fn(|| there().then(|| crossterm::event::read().ok()).flatten()).collect()
}

/// The character of a key.
pub(crate) fn typed(event: &Event) -> Option<char> {
    let key = event.as_key_press_event()?;
    match key.code {
        KeyCode::Enter => Some('\n'),
        KeyCode::Char(c) if key.modifiers.difference(KeyModifiers::SHIFT).is_empty() => Some(c),
        _ => None,
    }
}
