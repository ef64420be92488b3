//! Waiting for things to happen: a deadline for what should happen, and gates that hold a stream at a point.
//!
//! Nothing here sleeps to let something happen. The deadline runs on a clock of its own, so that a test with a paused
//! clock can wait for a real server.

use std::future::Future;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

/// How long anything may take before the test gives up: far beyond what a loaded two-core machine needs.
const DEADLINE: Duration = Duration::from_secs(90);

/// Where scripted models and deadlines run, apart from the test's own runtime.
pub(crate) static BACKGROUND: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("scripted-model")
        .enable_all()
        .build()
        .expect("a runtime for the scripted models")
});

/// Waits for `future`, and panics naming `what` when it takes more than 90 s.
pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    // The sleep is made over there too: made here, it would hang on the clock of the test's runtime.
    let mut deadline = BACKGROUND.spawn(async { tokio::time::sleep(DEADLINE).await });
    let done = tokio::select! {
        done = future => done,
        _ = &mut deadline => panic!("waited {DEADLINE:?} for {what}"),
    };
    deadline.abort();
    done
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Passage {
    Ahead,
    Reached,
    Open,
}

/// Holds a scripted stream at one point until the test opens it. Clones are the same gate.
#[derive(Debug, Clone)]
pub struct Gate(Arc<watch::Sender<Passage>>);

impl Default for Gate {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(Passage::Ahead)))
    }
}

impl Gate {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits until everything scripted before the gate has been written to the socket.
    pub async fn reached(&self) {
        let mut passage = self.0.subscribe();
        let arrival = passage.wait_for(|passage| *passage != Passage::Ahead);
        within("the stream to reach its gate", arrival).await.expect("a gate outlives its waits");
    }

    /// Lets the stream go on, now or when it gets here.
    pub fn open(&self) {
        self.0.send_replace(Passage::Open);
    }

    /// The stream is here; returns when the gate is open.
    pub(crate) async fn pass(&self) {
        self.0.send_if_modified(|passage| {
            let arrives = *passage == Passage::Ahead;
            if arrives {
                *passage = Passage::Reached;
            }
            arrives
        });
        let mut passage = self.0.subscribe();
        let opened = passage.wait_for(|passage| *passage == Passage::Open).await;
        opened.expect("a gate outlives its waits");
    }
}
