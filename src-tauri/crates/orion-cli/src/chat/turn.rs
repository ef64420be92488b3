//! One turn of a chat, from its first event to its end, with what it asks in between.

use std::collections::VecDeque;

use orion_engine::TurnHandle;
use orion_protocol::{Code, Envelope, Op, RequestId, StopReason, TurnIds, TurnReport};

use super::answer::Decision;
use super::asking::ask;
use super::keys::{Keys, typed};
use super::prompt::{For, Typed};
use super::{Chat, parsed};
use crate::asking::{Asking, how};
use crate::display::Display;
use crate::ending;
use crate::terminal::{self, notice, remark};

/// Shows the turn to its end. Ctrl-C stops it (A4). What is typed while it runs begins the next line. The handle comes back where the person
/// leaves a turn waiting: dropping it would stop the turn.
pub(super) async fn show(chat: &mut Chat, turn: TurnHandle) -> Option<TurnHandle> {
    show_resumed(chat, turn, &[]).await
}

/// [`show`] of a turn that has these events already, and may wait.
pub(super) async fn show_resumed(
    chat: &mut Chat,
    turn: TurnHandle,
    so_far: &[Envelope],
) -> Option<TurnHandle> {
    let request_id = turn.request_id();
    chat.ctrl_c_stops(Some(request_id));
    chat.can_continue = false;
    let mut watched = Watched::new(turn, chat.verbose);
    // A turn that waits has no new events.
    let waits = Asking::in_events(so_far);
    let shown = match &waits {
        Some(asking) if !watched.answered(chat, request_id, asking).await => Followed::Left,
        _ => watched.follow(chat).await,
    };
    chat.ctrl_c_stops(None);
    match shown {
        Followed::Over(report) => {
            chat.can_continue = watched.conclude(&report);
            chat.ended = Some(report.stop_reason);
            None
        }
        Followed::Left => Some(watched.turn),
        Followed::Gone => None,
    }
}

/// What became of the turn.
enum Followed {
    Over(Box<TurnReport>),
    /// It waits for a person, who has left.
    Left,
    /// This process no longer has it, or nobody reads.
    Gone,
}

struct Watched {
    turn: TurnHandle,
    display: Display,
    /// Events that came while the person wrote.
    held: VecDeque<Vec<Envelope>>,
    /// No more will come.
    over: bool,
}

impl Watched {
    fn new(turn: TurnHandle, verbose: bool) -> Self {
        let display = Display::at_terminal(terminal::is_coloured(), verbose);
        Self { turn, display, held: VecDeque::new(), over: false }
    }

    async fn follow(&mut self, chat: &mut Chat) -> Followed {
        let request_id = self.turn.request_id();
        loop {
            let Some(batch) = self.next(chat).await else { return Followed::Gone };
            // A terminal that is gone says so when it is read.
            if self.display.events(&batch).await.is_err() {
                return Followed::Gone;
            }
            if let Some(report) = batch.iter().rev().find_map(|envelope| envelope.event.terminal()) {
                return Followed::Over(Box::new(report.clone()));
            }
            if let Some(asking) = Asking::in_events(&batch)
                && !self.answered(chat, request_id, &asking).await
            {
                return Followed::Left;
            }
        }
    }

    /// The next events. Enter skips the pause before a model call is tried again, and any other key begins a line.
    async fn next(&mut self, chat: &mut Chat) -> Option<Vec<Envelope>> {
        if let Some(batch) = self.held.pop_front() {
            return Some(batch);
        }
        if self.over {
            return None;
        }
        let request_id = self.turn.request_id();
        loop {
            let mut keys = Keys::listen(chat.quiet.is_some());
            let key = loop {
                tokio::select! {
                    biased;
                    batch = self.turn.next() => {
                        chat.ahead.extend(keys.rest().iter().filter_map(typed));
                        return batch;
                    }
                    key = keys.next() => break key,
                    () = self.display.tick() => {}
                }
            };
            let rest: String = keys.rest().iter().filter_map(typed).collect();
            match typed(&key) {
                Some('\n') if chat.ahead.is_empty() && rest.is_empty() => {
                    // Where nothing waits to be tried again there is nothing to do.
                    if chat.engine.submit(Op::RetryNow { request_id }).await.is_ok() {
                        self.display.tried().await;
                    }
                }
                None => chat.ahead.push_str(&rest),
                Some(first) => {
                    let begun = std::mem::take(&mut chat.ahead) + &first.to_string() + &rest;
                    self.next_line_meanwhile(chat, begun).await;
                    return Box::pin(self.next(chat)).await;
                }
            }
        }
    }

    /// A line that is written while the turn goes on (A9). What the turn says meanwhile is shown afterwards.
    async fn next_line_meanwhile(&mut self, chat: &mut Chat, begun: String) {
        let request_id = self.turn.request_id();
        // Lines that were typed whole are taken as if Enter had been pressed here.
        let (whole, begun) = begun.rsplit_once('\n').unwrap_or(("", &begun));
        for line in whole.lines() {
            self.take_line(chat, line).await;
        }
        if begun.is_empty() {
            return;
        }
        self.display.pause().await;
        chat.ctrl_c_stops(None);
        let typed = {
            let mut typing = Box::pin(chat.lines.next(For::Message, "next> ", begun));
            loop {
                tokio::select! {
                    biased;
                    typed = &mut typing => break typed,
                    batch = self.turn.next(), if !self.over => match batch {
                        Some(batch) => self.held.push_back(batch),
                        None => self.over = true,
                    },
                }
            }
        };
        chat.ctrl_c_stops(Some(request_id));
        match typed {
            Ok(Typed::Line(line)) => self.take_line(chat, &line).await,
            Ok(Typed::Interrupt { empty: true }) => {
                // Where it has ended there is nothing to stop.
                _ = chat.engine.submit(Op::StopTurn { request_id }).await;
            }
            Ok(Typed::Interrupt { empty: false } | Typed::Continue | Typed::Leave) => {}
            Err(error) => terminal::error(&error),
        }
    }

    /// Queues a line, or steers with it.
    async fn take_line(&mut self, chat: &mut Chat, line: &str) {
        let TurnIds { request_id, session_id, .. } = self.turn.ids();
        let (op, told) = match parsed(line) {
            _ if line.trim().is_empty() => return,
            Some(("steer", text)) => {
                let text = text.to_owned();
                (Op::Steer { request_id, text }, "The model is given it with its next call.")
            }
            Some(_) => {
                remark(
                    "While a turn runs a line is a message: Enter queues it, and /steer TEXT gives it to this turn.",
                );
                return;
            }
            None => {
                let (text, options) = (line.to_owned(), chat.options.clone());
                (
                    Op::QueueMessage { session_id, text, options },
                    "Queued: it is sent when this turn has ended.",
                )
            }
        };
        match chat.engine.submit(op).await {
            Ok(_) => remark(told),
            Err(error) => terminal::error(&error),
        }
    }

    /// Asks until there is an answer that the turn takes. False where the person leaves it waiting.
    async fn answered(&mut self, chat: &mut Chat, request_id: RequestId, asking: &Asking) -> bool {
        // Nothing runs that a Ctrl-C could stop, and what waits is left waiting if the process ends.
        chat.ctrl_c_stops(None);
        loop {
            let op = match ask(chat, request_id, asking).await {
                Ok(Decision::Give(op)) => op,
                Ok(Decision::Again) => continue,
                Ok(Decision::Leave) => {
                    notice(&how(&asking.pending, request_id));
                    return false;
                }
                // A7: a terminal that is gone is no answer.
                Err(error) => {
                    terminal::error(&error);
                    return false;
                }
            };
            chat.ctrl_c_stops(Some(request_id));
            match chat.engine.submit(op).await {
                Ok(_) => return true,
                // The file changed, so there is a new difference, which comes next.
                Err(error)
                    if matches!(error.code, Code::ApprovalStale | Code::NotWaiting | Code::FileChanged) =>
                {
                    remark(&error.message);
                    return true;
                }
                Err(error) => terminal::error(&error),
            }
            chat.ctrl_c_stops(None);
        }
    }

    /// Says how the turn ended. Whether it can go on with a fresh budget.
    fn conclude(&self, report: &TurnReport) -> bool {
        if let Some(error) = &report.error {
            terminal::error(error);
        }
        let why = ending::why_no_further(report, self.display.wants_more());
        if report.stop_reason == StopReason::Unknown {
            remark(ending::UNKNOWN_REASON);
        }
        if report.stop_reason == StopReason::Empty {
            remark(ending::NO_ANSWER);
            remark("Ctrl-E tries again.");
        }
        if let Some(why) = &why {
            remark(why);
            remark("Ctrl-E goes on with a fresh budget.");
        }
        remark(&ending::spent(report));
        why.is_some() || report.stop_reason == StopReason::Empty
    }
}
