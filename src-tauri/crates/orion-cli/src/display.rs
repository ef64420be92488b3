//! Shows a turn: the answer as it streams, its report, or its events.

use std::io::{self, IsTerminal};
use std::time::Duration;

use orion_protocol::{
    CallId, CallReason, Envelope, Given, NoticeCode, Pending, PendingOf, Phase, ProposalCause, TurnEvent,
    TurnReport, WriteStatus,
};

use crate::args::Show;
use crate::asking;
use crate::call_words::{self, Begun};
use crate::command_words::ended;
use crate::countdown::Countdown;
use crate::held::{MOST, remarks};
use crate::keyboard::Keyboard;
use crate::live_output::LiveOutput;
use crate::markdown::Markdown;
use crate::printed::Printed;
use crate::terminal::{Piece, columns, count, one_line, put, rewrites, size};
use crate::turn_check_words;
use crate::waiting::Waiting;

/// Shows the events of one turn. Standard output has only what was asked for; remarks go to standard error.
#[derive(Debug)]
pub(crate) struct Display {
    show: Show,
    /// Standard output is a terminal, which text of a model must not steer.
    terminal: bool,
    /// The answer so far ends in the middle of a line.
    open_line: bool,
    /// The phase of the last event.
    phase: Phase,
    /// The phase that runs has said something.
    spoke: bool,
    /// The model asked for a tool in its final answer, or gave none.
    wants_more: bool,
    /// The question that is open.
    pending: Option<Pending>,
    /// Line ends to print before the answer continues: a blank line separates the texts of two phases, as in the report.
    owed: usize,
    /// What goes to standard output next, after the pieces before it.
    buffer: Printed,
    pieces: Vec<Piece>,
    /// Answers are shown as the Markdown that they are.
    markdown: Option<Markdown>,
    /// The pause that goes on, where its time left is on the terminal.
    countdown: Option<Countdown>,
    /// The model that is waited for, where that is on the terminal.
    waiting: Option<Waiting>,
    /// Its line is on the terminal, and the cursor in it.
    told: bool,
    /// Calls without a result.
    begun: Begun,
    /// The output of a command while it runs.
    live: LiveOutput,
    /// Its line without an end is on the terminal, and the cursor in it.
    live_line: bool,
}

impl Display {
    /// As a person reads it at a terminal. `coloured`: with Markdown shown in styles, and not as its source. `verbose`: with the arguments of calls.
    pub(crate) fn at_terminal(coloured: bool, verbose: bool) -> Self {
        let show = if verbose { Show::Verbose } else { Show::Answer };
        Self { markdown: coloured.then(Markdown::new), ..Self::new(show) }
    }

    pub(crate) fn new(show: Show) -> Self {
        Self {
            markdown: None,
            countdown: None,
            waiting: None,
            told: false,
            begun: Begun::default(),
            live: LiveOutput::default(),
            live_line: false,
            show,
            terminal: io::stdout().is_terminal(),
            open_line: false,
            phase: Phase::ActionPhase,
            spoke: false,
            wants_more: false,
            pending: None,
            owed: 0,
            buffer: Printed::default(),
            pieces: Vec::new(),
        }
    }

    /// Shows the events that are there, in as few writes as there are changes between the two streams.
    pub(crate) async fn events(&mut self, envelopes: &[Envelope]) -> io::Result<()> {
        for envelope in envelopes {
            self.wants_more |= wants_more(&envelope.event);
            self.pending = Pending::after(self.pending.take(), &envelope.event);
            match self.show {
                Show::Answer | Show::Verbose => {
                    self.phase = envelope.phase;
                    self.answer(&envelope.event);
                }
                Show::Events => self.line_of(envelope)?,
                Show::Report => {}
            }
        }
        self.flush().await
    }

    /// The turn's last answer was not all that the model wanted to say.
    pub(crate) fn wants_more(&self) -> bool {
        self.wants_more
    }

    /// What the turn waits for, where it is answered in a way of its own.
    pub(crate) fn asked_in_its_own_way(&self) -> Option<&Pending> {
        let is_approval = |pending: &&Pending| {
            matches!(pending.of, PendingOf::Call { command: None, .. } | PendingOf::Write { .. })
        };
        self.pending.as_ref().filter(|pending| !is_approval(pending))
    }

    /// A turn that waits with this question, and has no new events to show.
    pub(crate) fn of_waiting(show: Show, pending: Pending) -> Self {
        Self { pending: Some(pending), ..Self::new(show) }
    }

    /// Ends the line that the answer is in, so that something else can be shown. A terminal that is gone says so when it is read.
    pub(crate) async fn pause(&mut self) {
        if let Some(markdown) = &mut self.markdown {
            self.buffer.push(&markdown.break_line());
            self.open_line = false;
        }
        self.end_line();
        // It counts on below what is shown meanwhile.
        self.leave_countdown();
        self.clear_waiting();
        self.clear_live();
        _ = self.flush().await;
    }

    /// Waits until a number on the terminal is another one, and shows it; without such a number for ever. Cancelling it loses nothing.
    pub(crate) async fn tick(&mut self) {
        match (&self.countdown, &self.waiting) {
            (Some(countdown), _) => {
                countdown.next().await;
                match countdown.line() {
                    Some(line) => _ = put(Piece::Rewritten(line)).await,
                    None => self.tried().await,
                }
            }
            (None, Some(waiting)) => {
                waiting.next().await;
                self.tell_waiting();
                // A terminal that is gone says so when it is read.
                _ = self.flush().await;
            }
            (None, None) => std::future::pending().await,
        }
    }

    /// The pause is over: its time has passed, or somebody skipped it.
    pub(crate) async fn tried(&mut self) {
        self.end_countdown();
        self.waiting = Some(Waiting::begin()).filter(|_| self.show.is_for_people() && rewrites());
        // A terminal that is gone says so when it is read.
        _ = self.flush().await;
    }

    /// Ends the display with the outcome of the turn.
    pub(crate) async fn report(&mut self, report: &TurnReport) -> io::Result<()> {
        match self.show {
            Show::Answer | Show::Verbose => self.end_line(),
            Show::Report => {
                self.buffer = Printed::json(report)?.line();
            }
            Show::Events => {}
        }
        self.flush().await
    }

    fn line_of(&mut self, envelope: &Envelope) -> io::Result<()> {
        self.buffer.push(&Printed::json(envelope)?.line());
        Ok(())
    }

    fn answer(&mut self, event: &TurnEvent) {
        match (event, &mut self.waiting) {
            (TurnEvent::PromptProgress(progress), Some(waiting)) => {
                waiting.reads(progress);
                return self.tell_waiting();
            }
            (TurnEvent::ReasoningChunk { .. }, Some(waiting)) => return waiting.thinks(),
            // What a person does meanwhile changes nothing of what the model does.
            (
                TurnEvent::Steered { .. } | TurnEvent::Queued { .. } | TurnEvent::PauseRequested { .. },
                Some(_),
            ) => self.clear_waiting(),
            _ => self.stop_waiting(),
        }
        match event {
            TurnEvent::TextChunk { text, .. } if !text.is_empty() => {
                self.end_countdown();
                self.buffer.end_lines(std::mem::take(&mut self.owed));
                self.spoke = true;
                match &mut self.markdown {
                    Some(markdown) => {
                        self.buffer.push(&markdown.push(text, columns()));
                        self.open_line = markdown.is_in_line();
                    }
                    None => {
                        self.buffer.push(&Printed::answer(text, self.terminal));
                        self.open_line = !text.ends_with('\n');
                    }
                }
            }
            // Remarks begin on a new line, even where both streams share a terminal.
            TurnEvent::PhaseEnded { .. } => {
                let rendered = self.markdown.as_mut().map(Markdown::end);
                if std::mem::take(&mut self.spoke) {
                    // Where a remark may have ended the line, one blank line is enough.
                    self.owed = if self.open_line || self.is_shared() || rendered.is_some() { 1 } else { 2 };
                }
                if let Some(rest) = rendered {
                    self.buffer.push(&rest);
                    self.open_line = false;
                }
                self.end_line();
            }
            TurnEvent::Retrying { attempt, delay_ms, cause } if rewrites() => {
                match Countdown::of(*attempt, Duration::from_millis(*delay_ms)) {
                    Some(countdown) => self.count_down(&cause.message, countdown),
                    None => {
                        self.remark(event);
                        self.waiting = Some(Waiting::begin());
                    }
                }
            }
            TurnEvent::ToolOutput { tool_call_id, offset, text } => {
                let lines = self.live.push(tool_call_id, *offset, text);
                self.live_lines(lines);
            }
            TurnEvent::CheckStarted { command, .. } => match rewrites() {
                true => {
                    self.waiting = Some(Waiting::checks(command));
                    self.tell_waiting();
                }
                false => self.remark(event),
            },
            TurnEvent::CheckOutput { name, offset, text } => {
                let lines = self.live.push(&CallId(name.clone()), *offset, text);
                self.live_lines(lines);
            }
            TurnEvent::CheckEnded { .. } => {
                if let Some(rest) = self.live.end() {
                    self.live_lines([rest]);
                }
                self.remark(event);
            }
            TurnEvent::ToolCall { tool_call_id, name, arguments, .. } => {
                self.begun.push(tool_call_id, name, arguments);
                self.remark(event);
            }
            TurnEvent::ToolResult { .. } => {
                if let Some(rest) = self.live.end() {
                    self.live_lines([rest]);
                }
                self.remark(event);
            }
            // Where it ended in the pause, the call is not tried again.
            other if other.terminal().is_some() => {
                self.leave_countdown();
                self.countdown = None;
                if let Some(whole) = other.terminal().and_then(turn_check_words::whole) {
                    self.make_way();
                    self.pieces.push(Piece::Remark(whole));
                }
            }
            other => self.remark(other),
        }
        if is_a_call(event) && rewrites() {
            self.waiting = Some(Waiting::begin());
        }
    }

    /// Says what the model does, once that is worth a line.
    fn tell_waiting(&mut self) {
        if let Some(line) = self.waiting.as_ref().and_then(Waiting::line) {
            self.make_way();
            self.pieces.push(Piece::Rewritten(line));
            self.told = true;
        }
    }

    /// Takes the line away that says what the model does; it comes again.
    fn clear_waiting(&mut self) {
        if std::mem::take(&mut self.told) {
            self.turn_over();
            self.pieces.push(Piece::Cleared);
        }
    }

    fn stop_waiting(&mut self) {
        self.clear_waiting();
        self.waiting = None;
    }

    /// Shows lines of a command's output, and below them the one that has no end yet, where it can be written over.
    fn live_lines(&mut self, lines: impl IntoIterator<Item = String>) {
        self.clear_live();
        self.end_countdown();
        self.make_way();
        self.pieces.extend(lines.into_iter().map(|line| Piece::Line(format!("  │ {line}"))));
        if let Some(line) = self.live.unended().filter(|_| rewrites()) {
            self.pieces.push(Piece::Rewritten(format!("  │ {line}")));
            self.live_line = true;
        }
    }

    /// Takes the line away that has no end yet; it comes again.
    fn clear_live(&mut self) {
        if std::mem::take(&mut self.live_line) {
            self.turn_over();
            self.pieces.push(Piece::Cleared);
        }
    }

    /// A line about an event, if the event is worth one.
    fn said_of(&mut self, event: &TurnEvent) -> Option<String> {
        match event {
            TurnEvent::ToolCall { name, arguments, .. } if self.show == Show::Verbose => {
                Some(format!("  {name} {}", one_line(&arguments.to_string(), 120)))
            }
            TurnEvent::ToolResult { tool_call_id, command, status, summary, duration_ms, error, .. } => {
                let did = self.begun.take(tool_call_id).unwrap_or_default();
                match (command, error) {
                    (Some(run), None) => Some(format!("  {}", ended(run))),
                    _ => Some(format!(
                        "  {}",
                        call_words::ended(&did, *status, summary, error.as_ref(), *duration_ms)
                    )),
                }
            }
            other => remark_on(other, self.phase),
        }
    }

    fn remark(&mut self, event: &TurnEvent) {
        if let Some(text) = self.said_of(event) {
            self.clear_live();
            self.end_countdown();
            self.make_way();
            self.pieces.push(Piece::Remark(text));
        }
        // W9: whoever approved all writes in advance is told why this one waits.
        if let TurnEvent::WriteReady { proposal, .. } = event {
            let said = remarks(proposal, MOST).into_iter().map(|said| Piece::Remark(format!("  {said}")));
            self.pieces.extend(said);
        }
    }

    /// Shows what there is of the answer before a remark. Its line is ended only where a terminal shows both: a program reads the answer byte for
    /// byte as it came.
    fn make_way(&mut self) {
        if self.is_shared() {
            if let Some(markdown) = &mut self.markdown {
                self.buffer.push(&markdown.end());
                self.open_line = false;
            }
            self.end_line();
        }
        self.turn_over();
    }

    /// Says why there is a pause, and below it how long.
    fn count_down(&mut self, why: &str, countdown: Countdown) {
        self.end_countdown();
        self.make_way();
        self.pieces.push(Piece::Remark(why.to_owned()));
        self.pieces.extend(countdown.line().map(Piece::Rewritten));
        self.countdown = Some(countdown);
    }

    /// The line that counts stays as it is, and what is shown next begins below it.
    fn leave_countdown(&mut self) {
        if let Some(line) = self.countdown.as_ref().and_then(Countdown::line) {
            self.turn_over();
            self.pieces.push(Piece::Settled(line));
        }
    }

    /// The line says that the call is tried now, and what is shown next begins below it.
    fn end_countdown(&mut self) {
        if let Some(countdown) = self.countdown.take() {
            self.turn_over();
            self.pieces.push(Piece::Settled(countdown.last_line()));
        }
    }

    /// Whether answers and remarks are on a terminal, which is as a rule the same one.
    fn is_shared(&self) -> bool {
        self.terminal && io::stderr().is_terminal()
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.open_line) {
            self.buffer.end_lines(1);
        }
    }

    /// What is for standard output so far becomes a piece of its own.
    fn turn_over(&mut self) {
        if !self.buffer.is_empty() {
            self.pieces.push(Piece::Out(std::mem::take(&mut self.buffer)));
        }
    }

    async fn flush(&mut self) -> io::Result<()> {
        self.turn_over();
        for piece in std::mem::take(&mut self.pieces) {
            put(piece).await?;
        }
        Ok(())
    }
}

/// A model call begins with it.
fn is_a_call(event: &TurnEvent) -> bool {
    matches!(
        event,
        TurnEvent::PhaseStarted { model_call: Some(_), .. } | TurnEvent::PhaseStarted { write: Some(_), .. }
    )
}

fn wants_more(event: &TurnEvent) -> bool {
    matches!(
        event,
        TurnEvent::CallsBlocked { reason: CallReason::FinalAnswer, .. }
            | TurnEvent::Notice { code: NoticeCode::EmptyAnswer, .. }
    )
}

/// A line about an event, if the event is worth one.
fn remark_on(event: &TurnEvent, phase: Phase) -> Option<String> {
    Some(match event {
        TurnEvent::CheckStarted { command, .. } => format!("checking: {}", one_line(command, 120)),
        TurnEvent::CheckEnded { failed_before, run, .. } => {
            format!("  {}", turn_check_words::ended(run, *failed_before))
        }
        TurnEvent::TurnStarted { model, bounds, .. } => {
            let model_calls = count(bounds.model_calls, "model call");
            let tool_runs = count(bounds.tool_runs, "tool run");
            let contents = count(bounds.write_prompts, "request");
            format!("{model}, at most {model_calls}, {tool_runs}, {contents} for file content")
        }
        TurnEvent::Attached { files } => {
            let came = files.iter().map(|file| {
                let outcome = file.error.as_ref().map_or(&file.summary, |error| &error.message);
                format!("{} ({outcome})", file.path)
            });
            format!("  sent along: {}", came.collect::<Vec<_>>().join(", "))
        }
        TurnEvent::PhaseStarted { model_call: None, .. } if phase == Phase::CheckPhase => return None,
        TurnEvent::PhaseStarted { cycle, model_call: None, .. } => format!("step {cycle}"),
        TurnEvent::PhaseStarted { is_final: true, .. } => "final answer, without tools".to_owned(),
        TurnEvent::CallsBlocked { names, .. } => format!("  not run: {}", names.join(", ")),
        TurnEvent::DuplicateRefused { name, arguments, count, limit, .. } => {
            format!("  {} again · refused ({count} of {limit})", call_words::did(name, arguments))
        }
        TurnEvent::CallReused { name, arguments, count, limit, .. } => {
            let did = call_words::did(name, arguments);
            format!("  {did} · unchanged, so the earlier result is used ({count} of {limit})")
        }
        TurnEvent::Notice { code, message } => code.words(message),
        TurnEvent::ContextCut { .. } => crate::context::cut(event)?,
        TurnEvent::Rewound { files, .. } => crate::context::rewound(files),
        TurnEvent::Compacted { .. } => crate::context::compacted(event)?,
        TurnEvent::Retrying { attempt, delay_ms, cause } => {
            let skip = if Keyboard::possible() { " Press Enter to try now." } else { "" };
            let said = cause.detail.as_deref().map(|said| one_line(said, 300));
            let said = said.map(|said| format!(" It says: {}.", said.trim_end_matches('.')));
            let said = said.unwrap_or_default();
            format!("{}{said} Attempt {attempt} in {:.1} s.{skip}", cause.message, *delay_ms as f64 / 1_000.0)
        }
        TurnEvent::WriteReady { proposal, .. } if proposal.cause == ProposalCause::FileChanged => {
            "  the file changed on disk since the preview; nothing was written over it".to_owned()
        }
        TurnEvent::Asked { of, .. } => asking::remark_on(of)?,
        TurnEvent::Answered { given: Given::Chosen { choice }, .. } => {
            format!("  chosen: {}", asking::word_of(*choice))
        }
        TurnEvent::Answered { given: Given::Resumed { edited }, .. } if !edited.is_empty() => {
            let dropped = edited.iter().filter(|edited| edited.sha256.is_none()).count();
            format!("  results edited: {}, dropped: {dropped}", edited.len() - dropped)
        }
        TurnEvent::WriteDone { path, bytes: Some(bytes), .. } => format!("  Wrote {path} · {}", size(*bytes)),
        TurnEvent::WriteDone { path, status: WriteStatus::Unknown, .. } => {
            format!("  may have written {path}: the disk does not tell")
        }
        TurnEvent::WriteDone { path, error: Some(error), .. } => {
            format!("  did not write {path}: {}", error.message)
        }
        TurnEvent::WriteDone { path, .. } => format!("  did not write {path}"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(status: WriteStatus, bytes: Option<u64>) -> Option<String> {
        remark_on(
            &TurnEvent::WriteDone {
                write: 1,
                path: "a.txt".into(),
                status,
                sha256: None,
                bytes,
                rejected_hunks: Vec::new(),
                revised: false,
                error: None,
            },
            Phase::ActionPhase,
        )
    }

    #[test]
    fn a_write_of_which_nobody_knows_is_not_said_to_be_none() {
        assert_eq!(
            [
                done(WriteStatus::Written, Some(3)),
                done(WriteStatus::Unknown, None),
                done(WriteStatus::Failed, None)
            ]
            .map(Option::unwrap),
            [
                "  Wrote a.txt · 3 B",
                "  may have written a.txt: the disk does not tell",
                "  did not write a.txt"
            ]
        );
    }
}
