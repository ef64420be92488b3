//! The signals with which a person stops a turn: Ctrl-C and SIGTERM.

use std::io;
use std::time::Duration;

use orion_engine::Engine;
use orion_protocol::{Op, RequestId};
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlC, ctrl_c};

use crate::exit::Exit;
use crate::terminal::notice;

/// How long a turn may take to be stopped. 3 s: an approved write may take 2 s of it, and the rest is one commit.
const STOPPED_WITHIN: Duration = Duration::from_secs(3);

/// From now on the first Ctrl-C stops the turn (A4), and the second ends the process at once, since what the turn
/// said is on the disk already. Both work even while nobody reads standard output and the main thread is blocked by
/// it. If the disk does not answer, the first one ends the process too.
///
/// # Errors
/// The system has no thread or no signal handler left.
pub(crate) fn stop_when_interrupted(engine: &Engine, request_id: RequestId) -> io::Result<()> {
    let engine = engine.clone();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let mut interrupts = {
        let _of_this_runtime = runtime.enter();
        Interrupts::listen()?
    };
    std::thread::Builder::new().name("interrupts".to_owned()).spawn(move || {
        runtime.block_on(async {
            interrupts.next().await;
            tokio::select! {
                // Both results are fine: the turn is stopped now, or had ended before.
                _ = engine.submit(Op::StopTurn { request_id }) => interrupts.next().await,
                () = interrupts.next() => {}
                () = tokio::time::sleep(STOPPED_WITHIN) => notice(
                    "The disk does not answer, so Orion ends without it. The last events of the turn may not be saved.",
                ),
            }
        });
        std::process::exit(Exit::Stopped as i32);
    })?;
    Ok(())
}

#[derive(Debug)]
struct Interrupts {
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(unix)]
    terminate: Signal,
    #[cfg(windows)]
    interrupt: CtrlC,
}

impl Interrupts {
    #[cfg(unix)]
    fn listen() -> io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    #[cfg(windows)]
    fn listen() -> io::Result<Self> {
        Ok(Self { interrupt: ctrl_c()? })
    }

    async fn next(&mut self) {
        #[cfg(unix)]
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        #[cfg(windows)]
        self.interrupt.recv().await;
    }
}
