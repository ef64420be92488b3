//! The turns that run in this process, and the ways to reach them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use orion_core::tool::Seen;
use orion_core::turn::{Unfit, Verdict};
use orion_protocol::{
    Code, ContextView, ErrorInfo, Outcome, Pending, ProjectId, RequestId, SessionId, Sha256, TurnIds,
};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::driver::{Command, OpenWrite};
use crate::proposals::Made;
use crate::runner::ToolRunner;

/// How a running turn is reached.
#[derive(Debug, Clone)]
pub(super) struct Running {
    pub(super) ids: TurnIds,
    pub(super) stop: CancellationToken,
    /// Bounded: while a turn is busy, its callers wait.
    pub(super) commands: mpsc::Sender<Command>,
    pub(super) tools: Arc<ToolRunner>,
}

impl Running {
    /// Stops the turn and waits for its end (A4).
    pub(super) async fn stop(&self) {
        self.stop.cancel();
        self.commands.closed().await;
    }

    /// Gives the turn a person's answer and waits for the verdict, which is on the disk by then (A7).
    pub(super) async fn answer(
        &self,
        answer: impl FnOnce(oneshot::Sender<Verdict>) -> Command,
    ) -> Result<Outcome, ErrorInfo> {
        let (told, verdict) = oneshot::channel();
        // A turn that has ended waits for nothing.
        let _ = self.commands.send(answer(told)).await;
        match verdict.await.unwrap_or(Verdict::NotWaiting) {
            Verdict::Taken => Ok(Outcome::Done),
            Verdict::NotWaiting => Err(not_waiting().of_turn(self.ids)),
            Verdict::Stale => Err(stale().of_turn(self.ids)),
            Verdict::Faulty => Err(faulty().of_turn(self.ids)),
            Verdict::NotOffered => Err(not_offered().of_turn(self.ids)),
            Verdict::Unfit(unfit) => Err(why_unfit(unfit).of_turn(self.ids)),
        }
    }

    /// The question that it waits with.
    pub(super) async fn pending(&self) -> Option<Pending> {
        let (told, pending) = oneshot::channel();
        // A turn that has ended asks nothing.
        let _ = self.commands.send(Command::Pending(told)).await;
        pending.await.ok().flatten()
    }

    /// Withdraws the answer for which the turn was taken over. Any process can answer it again (A7).
    pub(super) async fn unanswered(&self) {
        let (known, told) = oneshot::channel();
        if self.commands.send(Command::Unanswered(known)).await.is_ok() {
            // A turn that ended instead waits for nothing.
            let _ = told.await;
        }
    }

    /// Replaces the proposal that is asked about by the one that a person made of it.
    pub(super) async fn revise(&self, write: u32, digest: Sha256, made: Made) -> Result<Outcome, ErrorInfo> {
        let made = Box::new(made);
        self.answer(|told| Command::Revised { write, digest, made, told }).await
    }

    /// The open write session, if there is one.
    pub(super) async fn write(&self) -> Option<OpenWrite> {
        let (told, write) = oneshot::channel();
        // A turn that has ended has none.
        let _ = self.commands.send(Command::Write(told)).await;
        write.await.ok().flatten()
    }

    /// Tries a model call again at once; false when it does not wait to be tried again.
    pub(super) async fn retry_now(&self) -> Result<bool, ErrorInfo> {
        let (told, waited) = oneshot::channel();
        self.commands.send(Command::RetryNow(told)).await.map_err(|_over| over())?;
        waited.await.map_err(|_over| over())
    }

    /// What fills the room of the turn by now. None once it has ended.
    pub(super) async fn filled(&self) -> Option<ContextView> {
        let (told, filled) = oneshot::channel();
        let _ = self.commands.send(Command::Filled(told)).await;
        filled.await.ok()
    }

    /// Waits until everything that was streamed so far is in the journal.
    pub(super) async fn flush(&self) {
        let (done, flushed) = oneshot::channel();
        if self.commands.send(Command::Flush(done)).await.is_ok() {
            // A turn that ended instead has flushed too.
            let _ = flushed.await;
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<HashMap<RequestId, Running>>);

impl Turns {
    pub(super) fn enter(&self, running: Running) {
        self.lock().insert(running.ids.request_id, running);
    }

    pub(super) fn leave(&self, request_id: RequestId) {
        self.lock().remove(&request_id);
    }

    pub(super) fn get(&self, request_id: RequestId) -> Option<Running> {
        self.lock().get(&request_id).cloned()
    }

    pub(super) fn all(&self) -> Vec<RequestId> {
        self.lock().keys().copied().collect()
    }

    pub(super) fn of_session(&self, session_id: SessionId) -> Vec<Running> {
        self.lock().values().filter(|turn| turn.ids.session_id == session_id).cloned().collect()
    }

    pub(super) fn of_project(&self, project_id: ProjectId) -> Vec<Running> {
        self.lock().values().filter(|turn| turn.ids.project_id == project_id).cloned().collect()
    }

    /// Tells the turns of a project that files changed (D3). Waits for turns that are busy; the watcher joins the
    /// changes that happen meanwhile.
    pub(super) async fn changed(&self, project_id: ProjectId, changes: &[Seen]) {
        for turn in self.of_project(project_id) {
            // A turn that has ended does not need to know.
            let _ = turn.commands.send(Command::Changed(changes.to_vec())).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Running>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn over() -> ErrorInfo {
    ErrorInfo::new(Code::TurnOver, "This turn is over.", "Send a new message.")
}

/// What was answered waits no more (A7).
pub(super) fn not_waiting() -> ErrorInfo {
    ErrorInfo::new(Code::NotWaiting, "This was answered already, or its turn has ended.", "")
}

/// What was answered has changed since (A3).
pub(super) fn stale() -> ErrorInfo {
    ErrorInfo::new(
        Code::ApprovalStale,
        "What you answered has changed in the meantime.",
        "Look at it again, then answer.",
    )
}

fn not_offered() -> ErrorInfo {
    ErrorInfo::new(
        Code::WriteFaulty,
        "The content only repeats itself, and this is not one of the choices for it.",
        "Let the model go on, keep one of the repeats, or discard it. Nothing of half an edit can be kept.",
    )
}

fn faulty() -> ErrorInfo {
    ErrorInfo::new(
        Code::WriteFaulty,
        "Some places in the content are still wrong.",
        "Look at them, and approve again to write the file anyway.",
    )
}

/// Why a question does not take an answer. It is asked as before (A1, A3).
fn why_unfit(unfit: Unfit) -> ErrorInfo {
    let (code, message, action) = match unfit {
        Unfit::Outside => (
            Code::PathOutside,
            "A path of these arguments leads out of the project.",
            "Name one in the project.",
        ),
        Unfit::Denied => (
            Code::ToolDenied,
            "The rules do not allow the call with these arguments.",
            "Change them, or reject the call.",
        ),
        Unfit::Repeats => (
            Code::ToolArguments,
            "The model already has the result of a call with these arguments.",
            "Change them, or reject the call.",
        ),
        Unfit::NoCall => (
            Code::Usage,
            "A write has no arguments to change.",
            "Change the file in its preview, or reject the write.",
        ),
        Unfit::NotAsked => (
            Code::Usage,
            "The turn waits for something else.",
            "Look at what it waits for, then answer that.",
        ),
        Unfit::NoAnswer => (
            Code::Usage,
            "These are not the answers: each question takes one, and several take any number.",
            "Answer every question by its id, or decline.",
        ),
        Unfit::NoResult => (
            Code::Usage,
            "The pause has no such result, or it was named twice.",
            "Name a result that the pause shows, once.",
        ),
        Unfit::NotPaused => (
            Code::Usage,
            "A summary is one model call, so it is not paused.",
            "Stop it instead; the conversation stays as it is.",
        ),
        Unfit::NotSteered => (
            Code::Usage,
            "A summary is one model call, so it takes no message.",
            "Queue the message: it is sent when the summary is there.",
        ),
        Unfit::NotKept => (
            Code::Usage,
            "This approval cannot be kept: only one that Orion asks for by default can.",
            "Allow it once, or write a rule into your settings.",
        ),
        Unfit::LineAlone => (
            Code::Usage,
            "This sandbox holds files alone: no more can be kept than this exact line, for this session.",
            "Keep the line for this session, or allow it once.",
        ),
    };
    ErrorInfo::new(code, message, action)
}
