//! Messages that wait until the turn of their session has ended (A9).
//!
//! After a turn that was answered, the process that ran it sends the next message, if it is one that sends queued messages: the window is, a
//! command that runs one turn is not.

use std::sync::atomic::Ordering;

use futures_util::future::BoxFuture;
use orion_protocol::{
    Code, ErrorInfo, Outcome, Queue, QueuedId, QueuedMessage, RequestId, SessionId, TurnOptions, Update,
};
use orion_store::QueueChange;
use tokio::sync::mpsc;

use super::handle::{BATCHES, TurnHandle};
use super::turns::Ask;
use super::{Engine, limits};
use crate::driver::Command;

impl Engine {
    /// From now on this process sends what waits in a session once its turn was answered.
    pub fn go_on_with_queues(&self) {
        self.shared.goes_on.store(true, Ordering::Relaxed);
    }

    /// From now on nothing that waits in a session is sent by itself any more: this process is about to end (H8).
    pub fn leave_queues(&self) {
        self.shared.goes_on.store(false, Ordering::Relaxed);
    }

    /// Sends what waits next in a session, unless the queue is held, and hands its turn to the caller, who reads it to its end. For a process
    /// that shows one session's turns one after another.
    ///
    /// # Errors
    /// Those of [`Engine::run_turn`]; a message that cannot be sent holds the queue.
    pub async fn run_queued(&self, session_id: SessionId) -> Result<Option<TurnHandle>, ErrorInfo> {
        let Some(message) = self.shared.store.next_queued(session_id).await? else { return Ok(None) };
        let options = message.options.clone();
        let (sender, batches) = mpsc::channel(BATCHES);
        let begun = self.begin(session_id, Ask::Queued(Box::new(message)), options, Some(sender)).await;
        if begun.as_ref().is_err_and(|error| {
            !matches!(error.code, Code::TurnActive | Code::TurnWaiting | Code::NotWaiting)
        }) {
            self.change_queue(QueueChange::Hold { session_id }).await?;
        }
        let running = begun?;
        self.tell_of_queue(session_id).await?;
        Ok(Some(TurnHandle::new(running, batches)))
    }

    pub(super) fn goes_on(&self) -> bool {
        self.shared.goes_on.load(Ordering::Relaxed) && !self.shared.closing.is_cancelled()
    }

    pub(super) async fn queue_message(
        &self,
        session_id: SessionId,
        text: String,
        options: TurnOptions,
    ) -> Result<Outcome, ErrorInfo> {
        let queued_id = QueuedId(orion_store::new_id());
        // These are for the next message alone, wherever in the session it comes.
        let options = TurnOptions { edits: Vec::new(), make_room: false, instead_of: None, ..options };
        let message = QueuedMessage { queued_id, text: limits::message(text)?, options };
        self.change_queue(QueueChange::Add { session_id, message, here: self.goes_on() }).await?;
        // The turn may have ended while the person wrote.
        if self.shared.store.open_turn(session_id).await?.is_none() {
            self.after_turn(session_id).await;
        }
        Ok(Outcome::Queued { queued_id })
    }

    /// Gives a message to a turn that runs here.
    pub(super) async fn steer(&self, request_id: RequestId, text: String) -> Result<Outcome, ErrorInfo> {
        let text = limits::message(text)?;
        let running = self.shared.turns.get(request_id).ok_or_else(|| {
            ErrorInfo::new(
                Code::TurnOver,
                "This turn does not run.",
                "Queue the message, or resume the turn first.",
            )
        })?;
        running.answer(|told| Command::Steer { text, told }).await
    }

    pub(super) async fn edit_queued(&self, queued_id: QueuedId, text: String) -> Result<Outcome, ErrorInfo> {
        let text = limits::message(text)?;
        self.change_queue(QueueChange::Edit { queued_id, text }).await
    }

    pub(super) async fn change_queue(&self, change: QueueChange) -> Result<Outcome, ErrorInfo> {
        let (session_id, queue) = self.shared.store.change_queue(change).await?;
        self.tell(Update::Queue { session_id, queue });
        Ok(Outcome::Done)
    }

    pub(super) async fn take_queue(&self, session_id: SessionId) -> Result<Outcome, ErrorInfo> {
        let (_, Queue { messages, .. }) =
            self.shared.store.change_queue(QueueChange::Empty { session_id }).await?;
        self.tell(Update::Queue { session_id, queue: Queue::default() });
        Ok(Outcome::Taken { messages })
    }

    /// A person lets a queue go on that was held: at once, or after the turn that runs. A process that does not go on with queues by itself sends
    /// what waits with [`Engine::run_queued`].
    pub(super) async fn release_queue(&self, session_id: SessionId) -> Result<Outcome, ErrorInfo> {
        // One whose process died holds the queue once.
        self.find_interrupted().await?;
        self.change_queue(QueueChange::Release { session_id }).await?;
        if self.goes_on() && self.shared.store.open_turn(session_id).await?.is_none() {
            self.send_next(session_id).await?;
        }
        Ok(Outcome::Done)
    }

    /// Sends one message of a queue now. The turn that runs is stopped first, and the others go on after this one.
    pub(super) async fn send_queued(&self, queued_id: QueuedId) -> Result<Outcome, ErrorInfo> {
        let (session_id, _) = self.shared.store.queued(queued_id).await?;
        self.find_interrupted().await?;
        if let Some(request_id) = self.shared.store.open_turn(session_id).await? {
            match self.stop_turn(request_id).await {
                // It ended meanwhile.
                Err(error) if error.code == Code::TurnOver => {}
                stopped => {
                    stopped?;
                }
            }
        }
        self.change_queue(QueueChange::Move { queued_id, to: 0 }).await?;
        self.change_queue(QueueChange::Release { session_id }).await?;
        self.send_next(session_id).await?;
        Ok(Outcome::Done)
    }

    /// A turn of the session has ended, in whichever process: what waits is sent, unless it is held.
    ///
    /// Boxed, since a turn that begins here ends here too.
    pub(super) fn after_turn(&self, session_id: SessionId) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if !self.goes_on() {
                return;
            }
            // A message without room is sent when a turn has ended here.
            let Some(_room) = self.room(None).await else { return };
            if let Err(error) = self.send_next(session_id).await {
                tracing::warn!(%session_id, code = ?error.code, "a queued message was not sent");
                self.tell(Update::Problem { error });
            }
        })
    }

    /// Sends the messages that wait for this process: a turn in another one has ended, or there is room again.
    pub(super) async fn send_due(&self) {
        let Ok(due) = self.shared.store.due_queues().await else { return };
        for session_id in due {
            self.after_turn(session_id).await;
        }
    }

    /// Sends the first message of a queue that is not held. One that cannot be sent holds it.
    async fn send_next(&self, session_id: SessionId) -> Result<(), ErrorInfo> {
        loop {
            let Some(message) = self.shared.store.next_queued(session_id).await? else {
                // What was held by the end of the turn is to be seen.
                return self.tell_of_queue(session_id).await;
            };
            let options = message.options.clone();
            let before = message.clone();
            match self.begin(session_id, Ask::Queued(Box::new(message)), options, None).await {
                Ok(_) => return self.tell_of_queue(session_id).await,
                // Another turn has begun: the queue goes on after that one.
                Err(error) if matches!(error.code, Code::TurnActive | Code::TurnWaiting) => return Ok(()),
                // Another process was faster, or the message was changed.
                Err(error) if error.code == Code::NotWaiting => {
                    if self.shared.store.next_queued(session_id).await?.as_ref() == Some(&before) {
                        return Err(error);
                    }
                }
                Err(error) => {
                    self.change_queue(QueueChange::Hold { session_id }).await?;
                    return Err(error);
                }
            }
        }
    }

    async fn tell_of_queue(&self, session_id: SessionId) -> Result<(), ErrorInfo> {
        let queue = self.shared.store.queue(session_id).await?;
        self.tell(Update::Queue { session_id, queue });
        Ok(())
    }
}
