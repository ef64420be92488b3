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

/// The most questions of one run (T4). A tool that asks on has no answer: 8 are more than a person bears of one call.
const MOST: u32 = 8;

/// The bytes that a short piece counts for: 1 KiB, so that a span has at most 64 pieces.
const PIECE: usize = 1024;

/// A message of a tool about one of its questions. Each has a number of its own in the run.
#[derive(Debug)]
pub(crate) enum Asks {
    Asks {
        number: u32,
        questions: Vec<Question>,
        answer: oneshot::Sender<QuestionsAnswer>,
    },
    /// It waits for the answer no more.
    Withdraws {
        number: u32,
    },
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
    /// The questions that it has asked. It asks one thing at a time.
    asked: Arc<tokio::sync::Mutex<u32>>,
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
        let mut asked = self.asked.lock().await;
        if *asked == MOST {
            return Ok(QuestionsAnswer::Declined);
        }
        *asked += 1;
        let number = *asked;
        let _stands = self.clock.stand();
        let (answer, answered) = oneshot::channel();
        let open = Open { job: *job, number, ends: Some(ends) };
        let asks = ends.asks.send((*job, Asks::Asks { number, questions, answer })).await;
        let answer = if asks.is_ok() { answered.await.ok() } else { None };
        open.close();
        answer.ok_or_else(nobody)
    }

    /// Shows a piece of output. Where there is more than can be followed, pieces are left out: the view is no record.
    pub fn show(&self, text: &str) {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let offset = output.bytes;
        output.bytes += text.len() as u64;
        let text = &text[..text.floor_char_boundary(SHOWN)];
        let now = Instant::now();
        let (began, shown) = output.span.filter(|(began, _)| now - *began < SPAN).unwrap_or((now, 0));
        let costs = text.len().max(PIECE);
        if shown + costs > SHOWN {
            output.span = Some((began, shown));
            return;
        }
        output.span = Some((began, shown + costs));
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

/// A question that a tool waits with. Dropped, it is withdrawn.
struct Open<'a> {
    job: JobId,
    number: u32,
    ends: Option<&'a Ends>,
}

impl Open<'_> {
    fn close(mut self) {
        self.ends = None;
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if let Some(ends) = self.ends {
            // Where the turn is over nobody waits.
            let _ = ends.asks.try_send((self.job, Asks::Withdraws { number: self.number }));
        }
    }
}

impl Clock {
    fn lock(&self) -> MutexGuard<'_, Waits> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the time stand still until what is returned is dropped.
    fn stand(self: &Arc<Self>) -> Standing {
        self.lock().since = Some(Instant::now());
        self.changed.notify_waiters();
        Standing(Arc::clone(self))
    }
}

/// A tool's time stands still.
struct Standing(Arc<Clock>);

impl Drop for Standing {
    fn drop(&mut self) {
        let mut waits = self.0.lock();
        if let Some(since) = waits.since.take() {
            waits.waited += since.elapsed();
        }
        drop(waits);
        self.0.changed.notify_waiters();
    }
}

fn nobody() -> ErrorInfo {
    let action = "Go on without an answer, and say what was assumed.";
    ErrorInfo::new(Code::Usage, "Nobody can be asked here.", action)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

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
        let Some((_, Asks::Asks { answer, .. })) = asked.recv().await else { panic!("it asks") };
        tokio::time::sleep(Duration::from_secs(3_600)).await;
        answer.send(QuestionsAnswer::Declined).unwrap();
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

    // A7, T4
    #[tokio::test]
    async fn a_question_that_a_tool_drops_is_withdrawn_and_no_tool_asks_without_end() {
        let ((asks, mut asked), (shows, _)) = (mpsc::channel(64), mpsc::channel(1));
        let line = Line::to(JobId(1), Ends { asks, shows });
        for number in 1..=MOST {
            assert!(line.ask(vec![question()]).now_or_never().is_none());
            let first = asked.try_recv().unwrap();
            assert!(matches!(first, (_, Asks::Asks { number: of, .. }) if of == number));
            let next = asked.try_recv().unwrap();
            assert!(matches!(next, (_, Asks::Withdraws { number: of }) if of == number));
        }
        let answer = line.ask(vec![question()]).now_or_never().unwrap();
        assert_eq!(answer.unwrap(), QuestionsAnswer::Declined);
        assert!(asked.try_recv().is_err() && line.clock.lock().since.is_none());
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
