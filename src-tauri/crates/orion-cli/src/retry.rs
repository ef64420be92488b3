//! The pause before a model call is tried again. A person at the terminal can skip it with Enter.

use std::io::{self, BufRead, IsTerminal};

use orion_engine::Engine;
use orion_protocol::{Op, RequestId, TurnEvent};

/// Listens for Enter from the first pause on, where standard input is a terminal. What is typed earlier or in between is of
/// no consequence: there is nothing to skip then.
#[derive(Debug, Default)]
pub(crate) struct EnterSkipsPauses {
    listens: bool,
}

impl EnterSkipsPauses {
    /// Whether there is a person who could press a key.
    pub(crate) fn possible() -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    pub(crate) fn saw(&mut self, engine: &Engine, request_id: RequestId, event: &TurnEvent) {
        let pauses = matches!(event, TurnEvent::Retrying { .. });
        if !pauses || std::mem::replace(&mut self.listens, true) || !Self::possible() {
            return;
        }
        let (engine, runtime) = (engine.clone(), tokio::runtime::Handle::current());
        // Reading blocks, and nothing waits for this thread: the process ends without it.
        let listening = std::thread::Builder::new().name("enter".to_owned()).spawn(move || {
            for line in io::stdin().lock().lines() {
                if line.is_err() {
                    break;
                }
                let engine = engine.clone();
                // Where nothing waits to be tried again there is nothing to do.
                runtime.spawn(async move { _ = engine.submit(Op::RetryNow { request_id }).await });
            }
        });
        self.listens = listening.is_ok();
    }
}
