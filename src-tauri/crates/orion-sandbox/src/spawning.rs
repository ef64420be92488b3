//! The thread that starts boxes. `--die-with-parent` of `bwrap` ends a box with the *thread* that started it, and threads of a runtime come and go.
//!
//! One thread serves the whole process, for as long as it lives.

use std::io;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

struct Job {
    command: Command,
    runtime: Handle,
    started: oneshot::Sender<io::Result<Child>>,
}

static THREAD: OnceLock<Option<Sender<Job>>> = OnceLock::new();

/// Starts a program from the thread; its child belongs to this runtime.
pub(crate) async fn spawn(command: Command) -> io::Result<Child> {
    let gone = || io::Error::other("the thread that starts commands is not there");
    let thread = THREAD.get_or_init(begin).as_ref().ok_or_else(gone)?;
    let (started, child) = oneshot::channel();
    thread.send(Job { command, runtime: Handle::current(), started }).map_err(|_| gone())?;
    child.await.map_err(|_| gone())?
}

/// Unbounded, but a job is there only while its caller waits for it.
fn begin() -> Option<Sender<Job>> {
    let (sender, jobs) = channel::<Job>();
    let serve = move || {
        for mut job in jobs {
            let _entered = job.runtime.enter();
            // Whoever does not wait any more drops the child, and with it the input that holds it.
            let _ = job.started.send(job.command.spawn());
        }
    };
    std::thread::Builder::new().name("orion-sandbox".to_owned()).spawn(serve).ok().map(|_| sender)
}
