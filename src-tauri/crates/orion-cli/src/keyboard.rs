//! A person at the terminal: Enter skips the pause before a model call is retried, and questions are answered in lines.

use std::io::{self, BufRead, IsTerminal};
use std::sync::{Arc, Mutex, PoisonError};

use orion_engine::Engine;
use orion_protocol::{Op, PendingOf, RequestId, TurnEvent};
use tokio::sync::{Notify, mpsc};

/// Lines that wait for a question. Nobody types faster.
const LINES: usize = 16;

/// Reads standard input from the first time on that somebody is asked or could skip a pause, where it is a terminal. What is typed earlier or in
/// between is of no consequence.
#[derive(Debug, Default)]
pub(crate) struct Keyboard {
    listens: bool,
    typed: Arc<Mutex<Typed>>,
    skipped: Arc<Notify>,
}

/// What becomes of a line.
#[derive(Debug, Default, Clone)]
enum Typed {
    /// It skips a pause, if there is one.
    #[default]
    Skips,
    /// It answers a question.
    Answers(mpsc::Sender<String>),
    /// Nobody is there any more.
    Ended,
}

/// What a person types in answer to questions.
#[derive(Debug)]
pub(crate) struct Lines {
    lines: mpsc::Receiver<String>,
    typed: Arc<Mutex<Typed>>,
}

impl Lines {
    /// The next line. None where nobody is there any more.
    pub(crate) async fn next(&mut self) -> Option<String> {
        self.lines.recv().await
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let mut typed = self.typed.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*typed, Typed::Answers(_)) {
            *typed = Typed::Skips;
        }
    }
}

impl Keyboard {
    /// Whether there is a person who could press a key.
    pub(crate) fn possible() -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    pub(crate) fn saw(&mut self, engine: &Engine, request_id: RequestId, event: &TurnEvent) {
        let is_asked = matches!(event, TurnEvent::Asked { of: PendingOf::Questions { .. }, .. });
        if is_asked || matches!(event, TurnEvent::Retrying { .. }) {
            self.listen(engine, request_id);
        }
    }

    /// Waits until a pause is skipped. Cancelling the wait loses nothing.
    pub(crate) async fn skipped(&self) {
        self.skipped.notified().await;
    }

    /// The lines that are typed from now on, until this is dropped. It is there before a question is shown: whoever types at once is heard too.
    /// None where nobody is there.
    pub(crate) fn lines(&self) -> Option<Lines> {
        let (line, lines) = mpsc::channel(LINES);
        let mut typed = self.typed.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.listens || matches!(*typed, Typed::Ended) {
            return None;
        }
        *typed = Typed::Answers(line);
        Some(Lines { lines, typed: Arc::clone(&self.typed) })
    }

    fn listen(&mut self, engine: &Engine, request_id: RequestId) {
        if self.listens || !Self::possible() {
            return;
        }
        let (engine, runtime) = (engine.clone(), tokio::runtime::Handle::current());
        let (typed, skipped) = (Arc::clone(&self.typed), Arc::clone(&self.skipped));
        // Reading blocks, and nothing waits for this thread: the process ends without it.
        let listening = std::thread::Builder::new().name("keyboard".to_owned()).spawn(move || {
            for line in io::stdin().lock().lines() {
                let Ok(line) = line else { break };
                let now = typed.lock().unwrap_or_else(PoisonError::into_inner).clone();
                match now {
                    Typed::Answers(asked) => _ = asked.blocking_send(line),
                    Typed::Ended => break,
                    Typed::Skips => {
                        let (engine, skipped) = (engine.clone(), Arc::clone(&skipped));
                        // Where nothing waits to be tried again there is nothing to do.
                        runtime.spawn(async move {
                            if engine.submit(Op::RetryNow { request_id }).await.is_ok() {
                                skipped.notify_one();
                            }
                        });
                    }
                }
            }
            // A question that is asked now waits for another channel.
            *typed.lock().unwrap_or_else(PoisonError::into_inner) = Typed::Ended;
        });
        self.listens = listening.is_ok();
    }
}
