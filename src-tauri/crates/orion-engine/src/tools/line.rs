//! The line of a tool that runs: on it the tool asks the person (A8), and shows its output.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use orion_core::turn::JobId;
use orion_protocol::{Code, ErrorInfo, Question, QuestionsAnswer};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::Instant;

use super::ask_user::check;

/// The most bytes of output that are shown in one [`SPAN`]: 64 KiB, some 800 lines. More than a person can follow, and little for a window.
const SHOWN: usize = 64 * 1024;

/// 100 ms.
const SPAN: Duration = Duration::from_millis(100);

/// Questions of a tool on their way to the person.
#[derive(Debug)]
pub(crate) struct Asks {
    pub(crate) questions: Vec<Question>,
    pub(crate) answer: Option<oneshot::Sender<QuestionsAnswer>>,
}

/// A piece of a tool's output on its way to the view.
#[derive(Debug)]
pub(crate) struct Shows {
    /// Bytes of output before it.
    pub(crate) offset: u64,
    pub(crate) text: String,
}

/// The ends of the lines of all tools of a turn.
#[derive(Debug, Clone)]
pub(crate) struct Ends {
    pub(crate) asks: mpsc::Sender<(JobId, Asks)>,
    pub(crate) shows: mpsc::Sender<(JobId, Shows)>,
}

/// A tool's line to the person. While the tool waits for an answer, its time stands still (A7).
#[derive(Debug, Clone, Default)]
pub struct Line {
    to: Option<(JobId, Ends)>,
    clock: Arc<Clock>,
    output: Arc<Mutex<Output>>,
}

/// The output of a tool so far.
#[derive(Debug, Default)]
struct Output {
    bytes: u64,
    /// The span that runs, and the bytes that were shown in it.
    span: Option<(Instant, usize)>,
}

/// The time that a tool has used.
#[derive(Debug, Default)]
struct Clock {
    waits: Mutex<Waits>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Waits {
    /// Time in which it waited for a person so far.
    waited: Duration,
    since: Option<Instant>,
}

impl Line {
    pub(crate) fn to(job: JobId, ends: Ends) -> Self {
        Self { to: Some((job, ends)), ..Self::default() }
    }

    /// Asks the person, and waits for what they make of it. The wait has no limit (A7). An answer outlives the process: a tool that runs again
    /// after a crash is given it for the same questions.
    ///
    /// # Errors
    /// `tool_arguments` where the questions are not well formed; `usage` where nobody can be asked: the call belongs to no turn.
    pub async fn ask(&self, questions: Vec<Question>) -> Result<QuestionsAnswer, ErrorInfo> {
        check(&questions)?;
        let Some((job, ends)) = &self.to else { return Err(nobody()) };
        let (answer, answered) = oneshot::channel();
        self.clock.waits(true);
        let asks = ends.asks.send((*job, Asks { questions, answer: Some(answer) })).await;
        let answer = if asks.is_ok() { answered.await.ok() } else { None };
        self.clock.waits(false);
        answer.ok_or_else(nobody)
    }

    /// Shows a piece of output. Where there is more than can be followed, pieces are left out: the view is no record.
    pub fn show(&self, text: &str) {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let offset = output.bytes;
        output.bytes += text.len() as u64;
        let now = Instant::now();
        let (began, shown) = output.span.filter(|(began, _)| now - *began < SPAN).unwrap_or((now, 0));
        if shown + text.len() > SHOWN {
            output.span = Some((began, shown));
            return;
        }
        output.span = Some((began, shown + text.len()));
        if let Some((job, ends)) = &self.to {
            // A view that is behind gets the next piece.
            let _ = ends.shows.try_send((*job, Shows { offset, text: text.to_owned() }));
        }
    }

    /// Ends once the tool has worked this long, without the time in which it waited for a person.
    pub(crate) async fn used_up(&self, limit: Duration) {
        let began = Instant::now();
        loop {
            let changed = self.clock.changed.notified();
            let left = {
                let waits = self.clock.lock();
                let worked = began.elapsed().saturating_sub(waits.waited);
                waits.since.is_none().then(|| limit.saturating_sub(worked))
            };
            match left {
                Some(Duration::ZERO) => return,
                Some(left) => tokio::select! {
                    () = tokio::time::sleep(left) => {}
                    () = changed => {}
                },
                None => changed.await,
            }
        }
    }
}

impl Clock {
    fn lock(&self) -> MutexGuard<'_, Waits> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waits(&self, begins: bool) {
        let mut waits = self.lock();
        if begins {
            waits.since = Some(Instant::now());
        } else if let Some(since) = waits.since.take() {
            waits.waited += since.elapsed();
        }
        drop(waits);
        self.changed.notify_waiters();
    }
}

fn nobody() -> ErrorInfo {
    let action = "Go on without an answer, and say what was assumed.";
    ErrorInfo::new(Code::Usage, "Nobody can be asked here.", action)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Heard<T> = mpsc::Receiver<(JobId, T)>;

    fn line() -> (Line, Heard<Asks>, Heard<Shows>) {
        let ((asks, asked), (shows, shown)) = (mpsc::channel(1), mpsc::channel(1_000));
        (Line::to(JobId(1), Ends { asks, shows }), asked, shown)
    }

    // A7
    #[tokio::test(start_paused = true)]
    async fn the_time_of_a_tool_stands_still_while_a_person_is_asked() {
        let (line, mut asked, _shown) = line();
        let limit = Duration::from_secs(30);
        let began = Instant::now();
        let used_up = tokio::spawn({
            let line = line.clone();
            async move { line.used_up(limit).await }
        });
        let asking = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(20)).await;
            line.ask(vec![question()]).await
        });
        let (_, Asks { answer, .. }) = asked.recv().await.unwrap();
        tokio::time::sleep(Duration::from_secs(3_600)).await;
        answer.unwrap().send(QuestionsAnswer::Declined).unwrap();
        assert_eq!(asking.await.unwrap().unwrap(), QuestionsAnswer::Declined);
        used_up.await.unwrap();
        assert_eq!(began.elapsed().as_secs(), 3_630);
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_output_is_shown_than_can_be_followed() {
        let (line, _asked, mut shown) = line();
        let piece = "x".repeat(1024);
        for _ in 0..100_000 {
            line.show(&piece);
        }
        tokio::time::advance(SPAN).await;
        line.show("last");
        let mut pieces = Vec::new();
        while let Ok((_, Shows { offset, text })) = shown.try_recv() {
            pieces.push((offset, text.len()));
        }
        assert_eq!(pieces.len(), SHOWN / 1024 + 1);
        assert_eq!(pieces.last(), Some(&(100_000 * 1024, 4)), "the gap is seen by the offset");
    }

    fn question() -> Question {
        let (id, question) = ("go".to_owned(), "Go on?".to_owned());
        Question { id, question, kind: orion_protocol::QuestionKind::YesNo, options: Vec::new() }
    }

    #[tokio::test]
    async fn a_call_of_no_turn_asks_nobody_and_shows_nothing() {
        let line = Line::default();
        line.show("x");
        assert_eq!(line.ask(vec![question()]).await.unwrap_err().code, Code::Usage);
        assert_eq!(line.ask(Vec::new()).await.unwrap_err().code, Code::ToolArguments);
    }
}
