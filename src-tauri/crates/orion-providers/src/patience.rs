//! How long a response is waited for.
//!
//! One timer serves for all pieces: it is set again when it fires, and not for each piece, which would cost more than the
//! piece. Not here: which pieces carry anything.

use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use futures_util::poll;
use tokio::time::{Instant, Sleep};

pub(crate) struct Patience {
    idle: Duration,
    /// When the wait is over. None after a piece that counts, until the next wait begins.
    over: Option<Instant>,
    alarm: Pin<Box<Sleep>>,
}

impl Patience {
    pub(crate) fn of(idle: Duration) -> Self {
        Self { idle, over: None, alarm: Box::pin(tokio::time::sleep(idle)) }
    }

    /// The longest wait.
    pub(crate) fn idle(&self) -> Duration {
        self.idle
    }

    /// What was waited for came: the time starts again.
    pub(crate) fn renew(&mut self) {
        self.over = None;
    }

    /// None when the time is up first.
    pub(crate) async fn wait<T>(&mut self, piece: impl Future<Output = T>) -> Option<T> {
        let mut piece = pin!(piece);
        // A piece that is there already needs no clock.
        if let Poll::Ready(piece) = poll!(piece.as_mut()) {
            return Some(piece);
        }
        let over = *self.over.get_or_insert_with(|| Instant::now() + self.idle);
        loop {
            tokio::select! {
                biased;
                piece = &mut piece => return Some(piece),
                () = &mut self.alarm => match self.alarm.deadline() < over {
                    true => self.alarm.as_mut().reset(over),
                    false => return None,
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn patience_begins_anew_when_it_is_renewed() {
        let idle = Duration::from_millis(30);
        let mut patience = Patience::of(idle);
        let begun = Instant::now();
        // A piece that is there is taken, however late it is looked at.
        for _ in 0..3 {
            assert_eq!(patience.wait(tokio::time::sleep(idle * 2 / 3)).await, Some(()));
            patience.renew();
        }
        assert_eq!(patience.wait(std::future::pending::<()>()).await, None);
        assert!(begun.elapsed() >= idle * 3);
    }
}
