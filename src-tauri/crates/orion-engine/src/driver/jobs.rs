//! The jobs of a turn that run beside its loop: tools, comparisons, looks at the project, proposals, writes.
//!
//! Each is a task of its own (`aside`), so none of them holds up the loop, and each ends at once when it is cancelled. Deliberately not here:
//! which jobs there are, and what follows from their ends (the machine).

use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::panic::resume_unwind;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use orion_core::turn::{JobId, Prepared};
use orion_protocol::{BatchId, CallId, CheckRun, Fact, Question, QuestionsAnswer};
use orion_store::StoreError;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

use super::aside::{End, task};
use super::glances::{Glance, LookBroke, Looked};
use crate::proposals::{Made, Wrote};
use crate::tools::{Asks, Compared, Ends, Line, Shows};

/// Questions that wait to be taken from jobs: each job has at most one.
const ASKED: usize = 16;

/// Pieces of output that wait to be shown; where there are more, some are left out.
const SHOWN: usize = 256;

/// A job, or the driver's own look at what the turn has read (D3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Job(JobId),
    Look,
}

/// The kind of a job, with what the driver has to know of it while it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Tool { batch: BatchId, call_id: CallId, runs_commands: bool },
    Check { name: String },
    Preparation,
    Comparison,
    Facts,
    Proposal { write: u32 },
    Write { write: u32 },
    Look,
}

/// The end of a job.
pub(super) enum Ended {
    Tool(Ran),
    Prepared(Prepared),
    Compared(Compared, Vec<Glance>),
    Facts(Option<Vec<Fact>>),
    Checked(Box<CheckRun>),
    Proposed(Result<Made, StoreError>),
    /// The write, or none: its process died before it happened, and the turn is stopped, so it will not happen any more.
    Wrote(Result<Option<Wrote>, StoreError>),
    Looked(Result<Looked, LookBroke>),
}

/// A tool that has ended.
pub(super) struct Ran {
    pub(super) outcome: orion_core::tool::ToolOutcome,
    pub(super) duration_ms: u64,
    /// The state of what it read, right after it ended.
    pub(super) glances: Vec<Glance>,
}

/// Something that happened among the jobs.
pub(super) enum JobEvent {
    Ended(Key, Kind, Box<Ended>),
    /// A tool asks the person (A8).
    Asks(JobId, u32, Vec<Question>),
    /// It waits for the answer no more.
    Withdraws(JobId, u32),
    /// A tool shows a piece of output.
    Shows(CallId, Shows),
    /// A check does.
    CheckShows(String, Shows),
}

struct Running {
    kind: Kind,
    abort: AbortHandle,
    stop: CancellationToken,
}

/// The jobs that run.
pub(super) struct Jobs {
    running: HashMap<Key, Running>,
    ends: FuturesUnordered<BoxFuture<'static, (Key, End<Ended>)>>,
    asked: mpsc::Receiver<(JobId, Asks)>,
    shown: mpsc::Receiver<(JobId, Shows)>,
    to: Ends,
    /// The tools that wait for a person's answer.
    waiting: HashMap<JobId, (u32, oneshot::Sender<QuestionsAnswer>)>,
}

impl Default for Jobs {
    fn default() -> Self {
        let ((asks, asked), (shows, shown)) = (mpsc::channel(ASKED), mpsc::channel(SHOWN));
        let (running, waiting) = (HashMap::new(), HashMap::new());
        Self { running, ends: FuturesUnordered::new(), asked, shown, to: Ends { asks, shows }, waiting }
    }
}

impl Debug for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = self.running.iter().map(|(key, running)| (key, &running.kind));
        f.debug_map().entries(kinds).finish()
    }
}

impl Jobs {
    /// Begins a job that only ends at once.
    pub(super) fn begin(&mut self, key: Key, kind: Kind, work: impl Future<Output = Ended> + Send + 'static) {
        self.begin_stoppable(key, kind, CancellationToken::new(), work);
    }

    /// Begins a job that ends by itself once `stop` is cancelled.
    pub(super) fn begin_stoppable(
        &mut self,
        key: Key,
        kind: Kind,
        stop: CancellationToken,
        work: impl Future<Output = Ended> + Send + 'static,
    ) {
        let (abort, ended) = task(work);
        self.running.insert(key, Running { kind, abort, stop });
        self.ends.push(Box::pin(async move { (key, ended.await) }));
    }

    /// The line of this job's tool.
    pub(super) fn line(&self, job: JobId) -> Line {
        Line::to(job, self.to.clone())
    }

    /// Ends a job at once. Returns its kind, if it ran.
    pub(super) fn cancel(&mut self, key: Key) -> Option<Kind> {
        if let Key::Job(job) = key {
            self.waiting.remove(&job);
        }
        let Running { kind, abort, .. } = self.running.remove(&key)?;
        abort.abort();
        Some(kind)
    }

    /// Has a job end by itself.
    pub(super) fn stop(&self, job: JobId) {
        if let Some(running) = self.running.get(&Key::Job(job)) {
            running.stop.cancel();
        }
    }

    /// Ends the work of all jobs of these kinds at once. For the machine they still run, until it cancels them.
    pub(super) fn abort_all(&self, of: impl Fn(&Kind) -> bool) {
        let those = self.running.values().filter(|running| of(&running.kind));
        those.for_each(|running| running.abort.abort());
    }

    /// Ends the work of all tools at once, but for commands, which end by themselves. For the machine they still run, until it cancels or ends them.
    pub(super) fn drop_tools(&self) {
        for Running { kind, abort, stop } in self.running.values() {
            match kind {
                Kind::Tool { runs_commands: true, .. } | Kind::Check { .. } => stop.cancel(),
                Kind::Tool { runs_commands: false, .. } => abort.abort(),
                Kind::Preparation
                | Kind::Comparison
                | Kind::Facts
                | Kind::Proposal { .. }
                | Kind::Write { .. }
                | Kind::Look => {}
            }
        }
    }

    /// Ends all jobs of these kinds at once.
    pub(super) fn cancel_all(&mut self, of: impl Fn(&Kind) -> bool) {
        let those = self.running.iter().filter(|(_, running)| of(&running.kind));
        for key in those.map(|(key, _)| *key).collect::<Vec<_>>() {
            self.cancel(key);
        }
    }

    /// Ends all jobs, and waits until none of them holds anything any more.
    pub(super) async fn end(&mut self) {
        self.cancel_all(|_| true);
        while self.ends.next().await.is_some() {}
    }

    /// Hands a tool that asked the person's answer to this question. One that waits for it no more needs none.
    pub(super) fn tell(&mut self, job: JobId, number: u32, answer: QuestionsAnswer) {
        if let Some((_, waiting)) = self.waiting.remove(&job).filter(|(asked, _)| *asked == number) {
            let _ = waiting.send(answer);
        }
    }

    /// The job of this kind that runs.
    pub(super) fn find(&self, of: impl Fn(&Kind) -> bool) -> Option<JobId> {
        self.running.iter().find_map(|(key, running)| match key {
            Key::Job(job) if of(&running.kind) => Some(*job),
            _ => None,
        })
    }

    /// The command or check that was told to end, and has not.
    pub(super) fn ending(&self) -> Option<JobId> {
        self.running.iter().find_map(|(key, Running { kind, stop, .. })| match (key, kind) {
            (Key::Job(job), Kind::Tool { runs_commands: true, .. } | Kind::Check { .. })
                if stop.is_cancelled() =>
            {
                Some(*job)
            }
            _ => None,
        })
    }

    pub(super) fn looks(&self) -> bool {
        self.running.contains_key(&Key::Look)
    }

    /// Waits for what happens next; for ever where nothing runs. Cancelling the wait loses nothing. `shows`: the view takes output.
    pub(super) async fn next(&mut self, shows: bool) -> JobEvent {
        loop {
            tokio::select! {
                biased;
                // Before the end of the job and what it asks. There is little of it at a time.
                Some((job, piece)) = self.shown.recv(), if shows => {
                    match self.running.get(&Key::Job(job)).map(|running| &running.kind) {
                        Some(Kind::Tool { call_id, .. }) => return JobEvent::Shows(call_id.clone(), piece),
                        Some(Kind::Check { name }) => return JobEvent::CheckShows(name.clone(), piece),
                        _ => {}
                    }
                }
                Some((job, asks)) = self.asked.recv() => {
                    if self.running.contains_key(&Key::Job(job)) {
                        return self.takes(job, asks);
                    }
                }
                Some((key, ended)) = self.ends.next(), if !self.ends.is_empty() => {
                    // One that was cancelled is of no interest, however it ended.
                    let ended = match (ended, self.running.contains_key(&key)) {
                        (Err(panic), true) => resume_unwind(panic),
                        (ended, _) => ended.ok().flatten(),
                    };
                    if let Some(ended) = ended
                        && let Some(Running { kind, .. }) = self.running.remove(&key)
                    {
                        if let Key::Job(job) = key {
                            self.waiting.remove(&job);
                        }
                        return JobEvent::Ended(key, kind, Box::new(ended));
                    }
                }
                else => std::future::pending().await,
            }
        }
    }

    fn takes(&mut self, job: JobId, asks: Asks) -> JobEvent {
        match asks {
            Asks::Asks { number, questions, answer } => {
                self.waiting.insert(job, (number, answer));
                JobEvent::Asks(job, number, questions)
            }
            Asks::Withdraws { number } => JobEvent::Withdraws(job, number),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use futures_util::FutureExt;
    use orion_protocol::QuestionKind;

    use super::*;

    fn tool() -> Kind {
        Kind::Tool { batch: 1, call_id: CallId("c".to_owned()), runs_commands: false }
    }

    fn question() -> Question {
        let (id, question) = ("go".to_owned(), "Go on?".to_owned());
        Question { id, question, kind: QuestionKind::YesNo, options: Vec::new() }
    }

    struct Dropped(Arc<AtomicBool>);

    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    /// Work without an end, and whether it is gone.
    fn endless() -> (impl Future<Output = Ended> + Send + 'static, Arc<AtomicBool>) {
        let gone = Arc::new(AtomicBool::new(false));
        let held = Dropped(Arc::clone(&gone));
        let work = async move {
            let _held = held;
            std::future::pending().await
        };
        (work, gone)
    }

    // A4, A8
    #[tokio::test]
    async fn of_two_jobs_one_is_cancelled_while_the_other_asks_and_ends() {
        let mut jobs = Jobs::default();
        let (asks, hangs) = (JobId(1), JobId(2));
        let line = jobs.line(asks);
        let asking = async move { Ended::Facts(line.ask(vec![question()]).await.ok().map(|_| Vec::new())) };
        jobs.begin(Key::Job(asks), tool(), asking);
        let (work, gone) = endless();
        jobs.begin(Key::Job(hangs), Kind::Facts, work);
        let JobEvent::Asks(asked, number, questions) = jobs.next(true).await else { panic!("it asks") };
        assert_eq!((asked, questions), (asks, vec![question()]));
        assert_eq!(jobs.cancel(Key::Job(hangs)), Some(Kind::Facts));
        assert_eq!(jobs.cancel(Key::Job(hangs)), None);
        jobs.tell(asks, number, QuestionsAnswer::Declined);
        let JobEvent::Ended(Key::Job(ended), kind, end) = jobs.next(true).await else { panic!("it ends") };
        assert_eq!((ended, kind), (asks, tool()));
        assert!(matches!(*end, Ended::Facts(Some(_))), "it was told");
        jobs.end().await;
        assert!(gone.load(Ordering::SeqCst) && jobs.running.is_empty());
    }

    // A4
    #[tokio::test]
    async fn aborted_work_is_gone_and_its_job_is_there_until_the_machine_cancels_it() {
        let mut jobs = Jobs::default();
        let (work, gone) = endless();
        jobs.begin(Key::Job(JobId(1)), tool(), work);
        let (other, _) = endless();
        jobs.begin(Key::Job(JobId(2)), Kind::Write { write: 1 }, other);
        jobs.abort_all(|kind| *kind == tool());
        assert!(jobs.next(true).now_or_never().is_none());
        while !gone.load(Ordering::SeqCst) {
            tokio::task::yield_now().await;
        }
        assert!(jobs.next(true).now_or_never().is_none(), "it says nothing");
        assert_eq!(jobs.find(|kind| matches!(kind, Kind::Write { .. })), Some(JobId(2)));
        assert_eq!(jobs.cancel(Key::Job(JobId(1))), Some(tool()));
    }

    #[tokio::test]
    async fn a_panic_of_a_cancelled_job_is_of_no_interest() {
        let mut jobs = Jobs::default();
        jobs.begin(Key::Job(JobId(1)), tool(), async { panic!("a defect that the test plants") });
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        jobs.cancel(Key::Job(JobId(1)));
        assert!(jobs.next(true).now_or_never().is_none());
        jobs.end().await;
    }

    #[tokio::test]
    async fn output_waits_while_the_view_takes_none() {
        let mut jobs = Jobs::default();
        let line = jobs.line(JobId(1));
        jobs.begin(Key::Job(JobId(1)), tool(), std::future::pending());
        line.show("x");
        assert!(jobs.next(false).now_or_never().is_none());
        let JobEvent::Shows(call, Shows { offset: 0, text }) = jobs.next(true).await else {
            panic!("it shows")
        };
        assert_eq!((call.0.as_str(), text.as_str()), ("c", "x"));
    }
}
