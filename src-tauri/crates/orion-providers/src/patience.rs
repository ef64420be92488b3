//! The patience with which the answer of a call is waited for.
//!
//! Up to its first piece there is one limit, whatever else comes: a model may read a long prompt for minutes, and its server says meanwhile that
//! it is there, or nothing. After that, each further piece has a limit of its own. One timer serves for all pieces: it is set again when it fires, and
//! not for each piece, which would cost more than the piece. Not here: which pieces carry anything.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use futures_util::poll;
use tokio::time::{Instant, Sleep};

use crate::tuning::Waits;

/// Set once the first piece of the answer came, by who reads the pieces.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answered(Arc<AtomicBool>);

impl Answered {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
pub(crate) struct Patience {
    waits: Waits,
    begun: Instant,
    stage: Stage,
    answered: Answered,
    /// Set once something had to be waited for.
    alarm: Option<Pin<Box<Sleep>>>,
}

/// The thing that is waited for.
#[derive(Debug, Clone, Copy)]
enum Stage {
    /// The first piece. It has the one limit.
    First(Option<Duration>),
    /// The next one, until then. None after a piece that counts, until the next wait begins.
    Next(Option<Instant>),
}

impl Patience {
    /// The request goes out now.
    pub(crate) fn begin(waits: Waits) -> Self {
        let (begun, answered) = (Instant::now(), Answered::default());
        Self { waits, begun, stage: Stage::First(waits.first), answered, alarm: None }
    }

    /// When the request went out.
    pub(crate) fn begun(&self) -> Instant {
        self.begun
    }

    /// Told when the first piece came.
    pub(crate) fn answered(&self) -> Answered {
        self.answered.clone()
    }

    /// The longest wait; none where there is no limit.
    pub(crate) fn limit(&self) -> Option<Duration> {
        match self.stage {
            Stage::First(limit) => limit,
            Stage::Next(_) => Some(self.waits.between),
        }
    }

    /// Something came that is no piece of an answer, so the server is at work. It neither ends the wait for a piece nor begins it anew.
    pub(crate) fn hears(&mut self) {
        if let Stage::First(limit) = &mut self.stage {
            *limit = self.waits.heard;
        }
    }

    /// A part of the stream came that may belong to a piece. Before the first piece it is no more than a sign of life.
    pub(crate) fn renew(&mut self) {
        match &mut self.stage {
            Stage::First(_) => self.hears(),
            Stage::Next(over) => *over = None,
        }
    }

    /// A part of the first piece came.
    pub(crate) fn is_answered(&mut self) {
        self.answered.set();
        self.stage = Stage::Next(None);
    }

    /// None when the time is up first.
    pub(crate) async fn wait<T>(&mut self, piece: impl Future<Output = T>) -> Option<T> {
        let mut piece = pin!(piece);
        // A piece that is there already needs no clock.
        if let Poll::Ready(piece) = poll!(piece.as_mut()) {
            return Some(piece);
        }
        if let (Stage::First(_), true) = (self.stage, self.answered.is_set()) {
            self.stage = Stage::Next(None);
        }
        let over = match &mut self.stage {
            Stage::First(None) => return Some(piece.await),
            Stage::First(Some(limit)) => self.begun + *limit,
            Stage::Next(over) => *over.get_or_insert_with(|| Instant::now() + self.waits.between),
        };
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(over)));
        if alarm.deadline() > over {
            alarm.as_mut().reset(over);
        }
        loop {
            tokio::select! {
                biased;
                piece = &mut piece => return Some(piece),
                () = alarm.as_mut() => match alarm.deadline() < over {
                    true => alarm.as_mut().reset(over),
                    false => return None,
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn waits() -> Waits {
        Waits { first: Some(SECOND * 120), heard: Some(SECOND * 300), between: SECOND * 60, ..Waits::HOSTED }
    }

    /// Waits for what never comes, and says how long.
    async fn waited(patience: &mut Patience) -> Duration {
        let begun = Instant::now();
        assert_eq!(patience.wait(std::future::pending::<()>()).await, None);
        begun.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn up_to_the_first_piece_there_is_one_limit_which_comments_only_lengthen_once() {
        let mut silent = Patience::begin(waits());
        assert_eq!((waited(&mut silent).await, silent.limit()), (SECOND * 120, Some(SECOND * 120)));
        let mut patience = Patience::begin(waits());
        for _ in 0..9 {
            assert_eq!(patience.wait(tokio::time::sleep(SECOND * 30)).await, Some(()));
            patience.hears();
            patience.renew();
        }
        assert_eq!((waited(&mut patience).await, patience.limit()), (SECOND * 30, Some(SECOND * 300)));
    }

    #[tokio::test(start_paused = true)]
    async fn after_the_first_piece_the_limit_begins_with_each_piece_that_counts() {
        let mut patience = Patience::begin(waits());
        assert_eq!(patience.wait(tokio::time::sleep(SECOND * 100)).await, Some(()));
        patience.answered().set();
        for _ in 0..3 {
            assert_eq!(patience.wait(tokio::time::sleep(SECOND * 59)).await, Some(()));
            patience.renew();
        }
        assert_eq!(patience.wait(tokio::time::sleep(SECOND * 40)).await, Some(()));
        // A comment does not renew it.
        patience.hears();
        assert_eq!((waited(&mut patience).await, patience.limit()), (SECOND * 20, Some(SECOND * 60)));
        // A piece that is there is taken, however late it is looked at.
        assert_eq!(patience.wait(std::future::ready(7)).await, Some(7));
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_limit_the_first_piece_is_waited_for_as_long_as_it_takes() {
        let mut patience = Patience::begin(Waits { first: None, heard: None, ..waits() });
        assert_eq!(patience.wait(tokio::time::sleep(SECOND * 100_000)).await, Some(()));
        assert_eq!(patience.limit(), None);
        patience.is_answered();
        assert_eq!(waited(&mut patience).await, SECOND * 60);
    }
}
