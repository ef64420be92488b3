//! What each act does to a turn under test.

use orion_core::model::ModelDelta;
use orion_core::signature::digest;
use orion_core::tool::Seen;
use orion_core::turn::{
    Approved, Done, Input, JobId, ModelInput, Progress, Proposed, Supplied, Verdict, WriteOutcome,
};
use orion_protocol::{
    Code, ErrorInfo, KeptFor, PauseRequest, QuestionsAnswer, RepeatsChoice, Reply, ResultEdit,
};

use super::commands::edited_to;
use super::{EDITED, Watched};
use crate::acts::commands::OfCommand;
use crate::acts::{Act, fault, opening, ready};
use crate::common::{
    WRITE_PLAN_BEGIN, approval, call, failed, finish, found, piece, read_from, replied, text, usage,
    write_approved, yes_or_no,
};
use crate::questions::{asks, said, which};
use crate::spent::flood;

impl Watched {
    pub(crate) fn act(&mut self, act: Act) {
        let deltas = |deltas: Vec<ModelDelta>| ModelInput::Deltas { deltas };
        let event = match act {
            Act::Text => deltas(vec![text("word ")]),
            Act::CallA => deltas(vec![call(0, "", "read", "{\"path\":\"a\"}")]),
            Act::CallB => deltas(vec![call(1, "b", "read", "{\"path\":\"b\"}")]),
            Act::CallAAgain => deltas(vec![call(0, "x", "read", " {\"line\": 1, \"path\": \"./a\"}")]),
            Act::CallAsk => deltas(vec![call(0, "q", "ask", "{\"path\":\"a\"}")]),
            Act::CallNever => deltas(vec![call(0, "n", "never", "{\"path\":\"a\"}")]),
            Act::CallNoArguments => deltas(vec![call(0, "e", "read", "{}")]),
            Act::CallThree => deltas(vec![
                call(0, "1", "read", "{\"path\":\"a\"}"),
                call(1, "2", "read", "{\"path\":\"a\"}"),
                call(2, "3", "read", "{\"path\":\"c\"}"),
            ]),
            Act::LeakA => deltas(vec![text(
                "\n<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>\n",
            )]),
            Act::LeakAsk => {
                deltas(vec![text("\n<function=ask>\n<parameter=path>a</parameter>\n</function>\n")])
            }
            Act::LeakPart => deltas(vec![text("\n[TOOL_CALLS]read[ARGS]{\"path\": ")]),
            Act::Colon => deltas(vec![text("Let me see:")]),
            Act::Think => deltas(vec![text("<think>"), text(&"hm ".repeat(100))]),
            Act::ThinkNoMore => deltas(vec![text("</think>")]),
            Act::CallPart => deltas(vec![piece(Some(0), None, Some("read"), Some("{\"path\":"))]),
            Act::FinishStop => deltas(vec![finish("stop")]),
            Act::FinishLength => deltas(vec![finish("length")]),
            Act::Ended => ModelInput::Ended,
            Act::Failed => ModelInput::Failed { error: ErrorInfo::new(Code::Connection, "Gone.", "") },
            Act::TooLong => {
                ModelInput::Failed { error: ErrorInfo::new(Code::ContextTooLong, "Too long.", "") }
            }
            Act::Retrying => ModelInput::Retrying {
                attempt: 2,
                delay_ms: 1,
                cause: ErrorInfo::new(Code::Overloaded, "Busy.", ""),
            },
            Act::ToolOk => return self.finish_tool(found("x")),
            Act::ToolRead => {
                let commands = self.running.as_ref().and_then(|call| self.commanding.names_path(call));
                let outcome = if commands.is_some() { found("x") } else { read_from("a", "x") };
                return self.finish_tool(outcome);
            }
            Act::Same | Act::Differs => {
                if let Some(job) = self.comparing.take() {
                    let seen = vec![Seen::Path("a".to_owned())];
                    self.input(Input::Done { job, done: Done::Compared { same: act == Act::Same, seen } });
                }
                return;
            }
            Act::CallWrite => deltas(vec![call(0, "w", WRITE_PLAN_BEGIN, "{\"path\":\"a\"}")]),
            Act::CallTwoWrites => deltas(vec![
                call(0, "w1", WRITE_PLAN_BEGIN, "{\"path\":\"a\"}"),
                call(1, "w2", WRITE_PLAN_BEGIN, "{\"path\":\"b\"}"),
            ]),
            Act::Line => deltas(vec![text("\nline\n")]),
            Act::Bad => deltas(vec![text("\u{0}")]),
            Act::Done => deltas(vec![text("\nDONE\n")]),
            Act::Opened => {
                return self.finish_tool(orion_core::tool::ToolOutcome {
                    opens: Some(Box::new(opening("a"))),
                    ..found("open")
                });
            }
            Act::Idle => {
                let call = self.idle.unwrap_or(0);
                return self.input(Input::Idle { call });
            }
            Act::Proposed | Act::ProposedFaulty | Act::ProposedFailed => {
                let Some((job, _, content)) = self.proposing.take() else { return };
                let outcome = match act {
                    Act::Proposed => ready(&content),
                    Act::ProposedFaulty => Proposed::Faulty { faults: vec![fault()] },
                    _ => Proposed::Failed { error: ErrorInfo::new(Code::FileExists, "There is one.", "") },
                };
                return self.input(Input::Done { job, done: Done::Proposed { outcome } });
            }
            Act::Revised => {
                let Some((write, ..)) = self.ready else { return };
                return self.input(Input::Revised { write, outcome: ready("revised") });
            }
            Act::ApproveDespite => {
                let Some((_, digest, sha256)) = self.ready else { return };
                let approved =
                    Approved { sha256, bytes: 1, lines: 1, rejected_hunks: Vec::new(), despite_faults: true };
                return self.input(write_approved(digest, approved));
            }
            Act::Wrote | Act::WroteChanged | Act::WroteFailed | Act::WroteUnknown => {
                let Some(job) = self.writing.take() else { return };
                let outcome = match act {
                    Act::Wrote => WriteOutcome::Written,
                    Act::WroteChanged => WriteOutcome::Changed,
                    Act::WroteFailed => {
                        WriteOutcome::Failed { error: ErrorInfo::new(Code::WriteFailed, "Full.", "") }
                    }
                    _ => WriteOutcome::Unknown { error: ErrorInfo::new(Code::WriteFailed, "Gone.", "") },
                };
                self.freshness.may_have_changed();
                return self.input(Input::Done { job, done: Done::Wrote { outcome } });
            }
            Act::Resumed => {
                // What its process did is gone with it.
                self.live_call = None;
                self.comparing = None;
                self.tool_job = None;
                self.commanding.died();
                self.checking.died();
                self.begun = self.running.take().or(self.begun.take());
                let seq = self.seq;
                return self.input(Input::Resumed { seq });
            }
            Act::ToolFailed => return self.finish_tool(failed()),
            Act::ChangedAll => {
                self.freshness.changed(&[]);
                self.changed = true;
                return self.input(Input::Changed { changes: vec![Seen::Tree(String::new())] });
            }
            Act::Allow | Act::Refuse => {
                let digest = self.asked.unwrap_or_else(|| digest("nothing"));
                return self.input(yes_or_no(digest, act == Act::Allow));
            }
            Act::Keep => {
                let digest = self.asked.unwrap_or_else(|| digest("nothing"));
                let supplied = Supplied::Approval { approval_id: approval(1) };
                let reply = Reply::Allow { keep: Some(KeptFor::Session) };
                return self.input(Input::Replied { digest, reply, supplied });
            }
            Act::Revoke => {
                self.commanding.revoked();
                return self.input(Input::Revoked { approval_id: approval(1) });
            }
            Act::Edit => return self.edit("b"),
            Act::EditSame => return self.edit("./a"),
            Act::EditToA => return self.edit("b/../c"),
            Act::EditOutside => return self.edit("../a"),
            Act::EditDenied => return self.edit("denied"),
            Act::RefuseWhy => {
                let reason = Some("Not this one.".to_owned());
                return self.answer(Reply::Reject { reason, stop: false });
            }
            Act::RefuseAndStop => {
                let terminals = self.terminals;
                self.answer(Reply::Reject { reason: None, stop: true });
                self.stopped |= self.terminals > terminals;
                return;
            }
            // Two answers to one thing, from two channels: the second changes nothing, whatever it says (A7).
            Act::TwoAnswers | Act::TwoAnswersNoFirst => {
                let digest = self.asked.unwrap_or_else(|| digest("nothing"));
                let first = act == Act::TwoAnswers;
                let mut taken = 0;
                for granted in [first, !first, first] {
                    let answer = yes_or_no(digest, granted);
                    taken += u32::from(self.turn.verdict(&answer) == Some(Verdict::Taken));
                    self.input(answer);
                }
                assert!(taken <= 1, "A7: one answer wins");
                return;
            }
            Act::Stop => {
                self.input(Input::Stop);
                if !self.turn.is_over() && self.checking.runs() {
                    self.input(Input::Stop);
                    self.stops_checks();
                } else if !self.turn.is_over() {
                    assert!(self.told_to_end.is_some(), "A4: nothing but a command is waited for");
                    self.input(Input::Stop);
                    self.command(OfCommand::Stopped);
                }
                self.stopped = true;
                return;
            }
            Act::Interrupted => return self.input(Input::Interrupted),
            Act::DriverFailed => {
                let error = ErrorInfo::new(Code::Storage, "The disk is full.", "Make room.");
                self.input(Input::Failed { error });
                assert_eq!((self.turn.is_over(), self.terminals), (true, 1), "T3: it ends the turn");
                return;
            }
            Act::Flood => deltas(vec![text(&flood())]),
            Act::FloodOfReasoning => deltas(vec![ModelDelta::Reasoning { text: flood() }]),
            Act::FloodOfArguments => deltas(vec![piece(Some(0), None, Some("read"), Some(&flood()))]),
            Act::Loop => deltas(vec![text(&"the same line\n".repeat(400))]),
            Act::GoOn | Act::KeepOne | Act::DiscardRepeats => {
                let digest = self.asked.unwrap_or_else(|| digest("nothing"));
                let choice = match act {
                    Act::GoOn => RepeatsChoice::GoOn,
                    Act::KeepOne => RepeatsChoice::KeepOne,
                    _ => RepeatsChoice::Discard,
                };
                return self.input(replied(digest, Reply::Choose { choice }));
            }
            Act::Facts | Act::NoFacts => {
                let job = self.gathering.take().unwrap_or(JobId(0));
                let facts = (act == Act::Facts).then(Vec::new);
                return self.input(Input::Done { job, done: Done::Facts { facts } });
            }
            Act::PauseAfterTools => return self.pause(PauseRequest::AfterTools { on: true }),
            Act::PauseNoMore => return self.pause(PauseRequest::AfterTools { on: false }),
            Act::PauseNext => return self.pause(PauseRequest::Next),
            Act::PauseNow => return self.pause(PauseRequest::Now),
            Act::ResumePause => return self.resume_pause(Vec::new()),
            Act::EditResult => {
                let last = self.results.last().cloned();
                let edit = last.map(|tool_call_id| ResultEdit::Replace { tool_call_id, text: EDITED.into() });
                return self.resume_pause(edit.into_iter().collect());
            }
            Act::DropResults => return self.resume_pause(self.drops()),
            // Whoever is first: the other one changes nothing (A7).
            Act::TwoResume => {
                let drops = self.drops();
                let digest = self.asked;
                self.resume_pause(drops);
                assert!(
                    digest.is_none() || self.turn.pending().map(|it| it.digest) != digest || !self.is_paused
                );
                if let Some(digest) = digest {
                    let late = replied(digest, Reply::Resume { edits: Vec::new() });
                    assert_ne!(self.turn.verdict(&late), Some(Verdict::Taken), "A7: one answer wins");
                    self.input(late);
                }
                return;
            }
            Act::Command(act) => return self.command(act),
            Act::Check(act) => return self.check_ends(act),
            Act::Steer => {
                let text = self.steering.next();
                return self.input(Input::Steered { text });
            }
            Act::ToolAsks => return self.finish_tool(asks(vec![which()])),
            Act::ToolConsults => {
                let job = self.tool_job.unwrap_or(JobId(0));
                return self.input(Input::Progress {
                    job,
                    progress: Progress::Asks { number: 1, questions: vec![which()] },
                });
            }
            Act::AnswerQuestions => return self.answer_questions(said(&["red"])),
            Act::AnswerWrong => return self.answer_questions(said(&["red", "grey"])),
            Act::Decline => return self.answer_questions(QuestionsAnswer::Declined),
            Act::Dismiss => return self.answer_questions(QuestionsAnswer::Dismissed),
            Act::TwoDecline => {
                let asked = self.asked.unwrap_or_else(|| digest("nothing"));
                self.answer_questions(QuestionsAnswer::Declined);
                let late = replied(asked, Reply::Answer { answer: QuestionsAnswer::Dismissed });
                assert_ne!(self.turn.verdict(&late), Some(Verdict::Taken), "A7: one answer wins");
                return self.input(late);
            }
            Act::UsageZero => deltas(vec![usage(0, 0)]),
            Act::UsageHuge => deltas(vec![usage(1_000_000_000, 1_000_000_000)]),
            Act::TenMinutes => return self.pass(600_000),
            Act::Expired => return self.input(Input::Expired),
            Act::Stale => {
                let event = deltas(vec![call(0, "s", "read", "{\"path\":\"stale\"}")]);
                let before = (self.model_calls + self.write_prompts).saturating_sub(1);
                self.input(Input::Model { call: before, event });
                self.input(Input::Idle { call: before });
                self.input(Input::Revised { write: 99, outcome: ready("stale") });
                let job = JobId(0);
                for done in [
                    Done::Proposed { outcome: ready("stale") },
                    Done::Wrote { outcome: WriteOutcome::Written },
                    Done::Tool { outcome: found("x").into(), duration_ms: 0 },
                ] {
                    self.input(Input::Done { job, done });
                }
                self.input(Input::Progress {
                    job,
                    progress: Progress::Asks { number: 1, questions: vec![which()] },
                });
                return self.input(yes_or_no(digest("stale"), true));
            }
        };
        self.input(Input::Model { call: self.live_call.unwrap_or(0), event });
    }

    fn answer_questions(&mut self, answer: QuestionsAnswer) {
        let digest = self.asked.unwrap_or_else(|| digest("nothing"));
        self.input(replied(digest, Reply::Answer { answer }));
    }

    fn pause(&mut self, pause: PauseRequest) {
        self.input(Input::Pause { pause });
    }

    fn drops(&self) -> Vec<ResultEdit> {
        let calls = self.results.iter().cloned();
        calls.map(|tool_call_id| ResultEdit::Drop { tool_call_id }).collect()
    }

    fn resume_pause(&mut self, edits: Vec<ResultEdit>) {
        let digest = self.asked.unwrap_or_else(|| digest("nothing"));
        self.input(replied(digest, Reply::Resume { edits }));
    }

    pub(super) fn answer(&mut self, reply: Reply) {
        let digest = self.asked.unwrap_or_else(|| digest("nothing"));
        self.input(replied(digest, reply));
    }

    fn edit(&mut self, path: &str) {
        let arguments = match self.asks_about_a_command() {
            true => edited_to(path),
            false => serde_json::json!({ "path": path }),
        };
        self.answer(Reply::AllowEdited { arguments: arguments.as_object().cloned().unwrap() });
    }

    pub(super) fn finish_tool(&mut self, outcome: orion_core::tool::ToolOutcome) {
        if let Some(call) = self.running.take()
            && let Some(job) = self.tool_job.take()
        {
            if !outcome.changed.is_empty() {
                self.freshness.changed(&self.signatures_of(&call));
            }
            let ends = !outcome.seen.is_empty() && outcome.asks.is_none() && outcome.opens.is_none();
            self.commanding.ran(&call, outcome.command.clone());
            self.ending = ends.then_some(call);
            self.input(Input::Done { job, done: Done::Tool { outcome: outcome.into(), duration_ms: 1 } });
        }
    }
}
