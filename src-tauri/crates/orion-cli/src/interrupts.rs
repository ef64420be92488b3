//! The signals with which a person or the system ends a turn: Ctrl-C, SIGTERM, SIGHUP (a terminal that was closed), and SIGQUIT (Ctrl-\\).

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use orion_engine::Engine;
use orion_protocol::{Code, ErrorInfo, Op, RequestId};
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlC, ctrl_c};
use tokio::sync::Notify;

use crate::exit::Exit;
use crate::terminal::notice;

/// The time that a turn may take to be stopped. 6 s: a command may take 5 s of it, and the rest is one commit.
const STOPPED_WITHIN: Duration = Duration::from_secs(6);

/// From now on the first Ctrl-C stops the turn (A4), and the second ends the process at once, since what the turn
/// said is on the disk already. Both work even while nobody reads standard output and the main thread is blocked by
/// it. If the disk does not answer, the first one ends the process too.
///
/// # Errors
/// The system has no thread or no signal handler left.
pub(crate) fn stop_when_interrupted(engine: &Engine, request_id: RequestId) -> Result<(), ErrorInfo> {
    let engine = engine.clone();
    listening(async move |mut interrupts| {
        interrupts.next().await;
        if stopped(&engine, request_id, &mut interrupts).await {
            interrupts.next().await;
        }
    })
}

/// Whether the turn was stopped before a second signal came, or before it took too long.
async fn stopped(engine: &Engine, request_id: RequestId, interrupts: &mut Interrupts) -> bool {
    tokio::select! {
        // Both results are fine: the turn is stopped now, or had ended before.
        _ = engine.submit(Op::StopTurn { request_id }) => return true,
        _ = interrupts.next() => {}
        () = tokio::time::sleep(STOPPED_WITHIN) => notice(
            "The disk does not answer, so Orion ends without it. The last events of the turn may not be saved.",
        ),
    }
    false
}

/// What Ctrl-C is for while a chat goes on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pressed(Arc<PressedNow>);

#[derive(Debug, Default)]
struct PressedNow {
    meaning: Mutex<Meaning>,
    key: Notify,
    /// It was pressed, and nobody has taken it yet.
    untaken: AtomicBool,
}

#[derive(Debug, Clone, Copy, Default)]
enum Meaning {
    /// It is told to whoever waits for it.
    #[default]
    Told,
    /// It stops this turn.
    Stops(RequestId),
    /// It is for another program, which has the terminal.
    Elsewhere,
}

impl Pressed {
    /// From now on it stops this turn.
    pub(crate) fn stops(&self, request_id: RequestId) {
        self.means(Meaning::Stops(request_id));
    }

    /// From now on no turn runs that it could stop.
    pub(crate) fn is_told(&self) {
        self.means(Meaning::Told);
    }

    /// From now on it is for another program, which has the terminal.
    pub(crate) fn is_elsewhere(&self) {
        self.means(Meaning::Elsewhere);
    }

    /// Whether it was pressed while no turn ran, and nobody has taken it.
    pub(crate) fn was_pressed(&self) -> bool {
        self.0.untaken.load(Ordering::SeqCst)
    }

    /// It was pressed while no turn ran.
    pub(crate) async fn next(&self) {
        self.0.key.notified().await;
        self.0.untaken.store(false, Ordering::SeqCst);
    }

    fn means(&self, meaning: Meaning) {
        *self.0.meaning.lock().unwrap_or_else(PoisonError::into_inner) = meaning;
    }

    fn meaning(&self) -> Meaning {
        *self.0.meaning.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// From now on Ctrl-C stops the turn that runs (A4), and the process goes on. A second one while it stops ends the process at once, and so does
/// the signals that end the process. `end` puts the terminal back as it was, once and for all. For those it is called before the turn is stopped:
/// the chat that sees its turn end would else ask for the next message.
///
/// # Errors
/// The system has no thread or no signal handler left.
pub(crate) fn stop_each_when_interrupted(
    engine: &Engine,
    pressed: &Pressed,
    end: fn(),
) -> Result<(), ErrorInfo> {
    let (engine, pressed) = (engine.clone(), pressed.clone());
    listening(async move |mut interrupts| {
        loop {
            let kind = interrupts.next().await;
            if kind.ends() {
                end();
            }
            let goes_on = match pressed.meaning() {
                Meaning::Stops(request_id) => stopped(&engine, request_id, &mut interrupts).await,
                Meaning::Elsewhere => true,
                Meaning::Told if pressed.0.untaken.swap(true, Ordering::SeqCst) => false,
                Meaning::Told => {
                    pressed.0.key.notify_one();
                    true
                }
            };
            if !goes_on || kind.ends() {
                break end();
            }
        }
    })
}

/// Handles the signals on a thread of their own, which ends the process when `handle` returns.
fn listening(handle: impl AsyncFnOnce(Interrupts) + Send + 'static) -> Result<(), ErrorInfo> {
    let started = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let interrupts = {
            let _of_this_runtime = runtime.enter();
            Interrupts::listen()?
        };
        std::thread::Builder::new().name("interrupts".to_owned()).spawn(move || {
            runtime.block_on(handle(interrupts));
            std::process::exit(Exit::Stopped as i32);
        })
    };
    match started() {
        Ok(_thread) => Ok(()),
        Err(error) => Err(deaf(&error)),
    }
}

fn deaf(error: &io::Error) -> ErrorInfo {
    ErrorInfo::new(Code::Internal, "Orion cannot listen for Ctrl-C.", "Try again.")
        .with_detail(error.to_string())
}

/// Which signal it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Interrupt,
    #[cfg(unix)]
    Terminate,
}

impl Kind {
    /// It is for the process, and not for a turn alone.
    fn ends(self) -> bool {
        self != Self::Interrupt
    }
}

#[derive(Debug)]
struct Interrupts {
    #[cfg(unix)]
    interrupt: Signal,
    /// SIGTERM, SIGHUP and SIGQUIT.
    #[cfg(unix)]
    ends: [Signal; 3],
    #[cfg(windows)]
    interrupt: CtrlC,
}

impl Interrupts {
    #[cfg(unix)]
    fn listen() -> io::Result<Self> {
        let ends = [SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()].map(signal);
        let [terminate, hangup, quit] = ends;
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, ends: [terminate?, hangup?, quit?] })
    }

    #[cfg(windows)]
    fn listen() -> io::Result<Self> {
        Ok(Self { interrupt: ctrl_c()? })
    }

    async fn next(&mut self) -> Kind {
        #[cfg(unix)]
        {
            let [terminate, hangup, quit] = &mut self.ends;
            tokio::select! {
                _ = self.interrupt.recv() => Kind::Interrupt,
                _ = terminate.recv() => Kind::Terminate,
                _ = hangup.recv() => Kind::Terminate,
                _ = quit.recv() => Kind::Terminate,
            }
        }
        #[cfg(windows)]
        {
            self.interrupt.recv().await;
            Kind::Interrupt
        }
    }
}
