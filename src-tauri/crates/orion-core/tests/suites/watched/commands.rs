//! The acts on a command of a turn under test.

use orion_core::model::ModelDelta;
use orion_core::signature::digest;
use orion_core::tool::{Seen, ToolOutcome};
use orion_core::turn::{Done, Input, ModelInput, Prepared, Supplied};
use orion_protocol::{KeptFor, Reply, ToolStatus, TurnEvent};
use serde_json::{Value, json};

use super::Watched;
use crate::acts::commands::{DENIED, OfCommand, RUN, looked_at, ran};
use crate::common::{approval, call, replied, text};

impl Watched {
    pub(super) fn command(&mut self, act: OfCommand) {
        let make = |reason: &str| json!({ "command": "build", "reason": reason }).to_string();
        match act {
            OfCommand::Make => self.calls(vec![call(0, "", RUN, r#"{"command":"build"}"#)]),
            OfCommand::MakeAgain => {
                self.calls(vec![call(0, "", RUN, r#" {"reason": "To see.", "command": "build"}"#)]);
            }
            OfCommand::MakeHere => self.calls(vec![call(0, "", RUN, r#"{"command":"build","cwd":"."}"#)]),
            OfCommand::Test => self.calls(vec![call(1, "t", RUN, r#"{"command":"check"}"#)]),
            OfCommand::Denied => {
                self.calls(vec![call(0, "", RUN, &json!({ "command": DENIED }).to_string())]);
            }
            OfCommand::Three => self.calls(vec![
                call(0, "m1", RUN, &make("To see.")),
                call(1, "m2", RUN, &make("To see again.")),
                call(2, "m3", RUN, r#"{"command":"check"}"#),
            ]),
            OfCommand::Leak => {
                let call = json!({ "name": RUN, "arguments": { "command": "build" } });
                self.calls(vec![text(&format!("\n<tool_call>\n{call}\n</tool_call>\n"))]);
            }
            OfCommand::Full | OfCommand::NoSandbox | OfCommand::AsksSince | OfCommand::NeedsOutside => {
                let Some((job, arguments)) = self.commanding.looking.take() else { return };
                let command = looked_at(&arguments, act);
                self.commanding.looked(&command);
                let prepared = Prepared::Ready { command: Box::new(command) };
                self.input(Input::Done { job, done: Done::Prepared { prepared } });
            }
            OfCommand::Unfit => {
                let Some((job, _)) = self.commanding.looking.take() else { return };
                let outcome = Box::new(ToolOutcome {
                    seen: vec![Seen::Tree(String::new())],
                    ..ToolOutcome::ended(ToolStatus::Failed, "no such folder")
                });
                self.input(Input::Done {
                    job,
                    done: Done::Prepared { prepared: Prepared::Unfit { outcome } },
                });
            }
            OfCommand::LateLook => self.late_look(),
            OfCommand::AllowOutside => self.allow_outside(),
            OfCommand::TwoOutside => {
                self.allow_outside();
                self.allow_outside();
            }
            OfCommand::KeepWords | OfCommand::KeepNoWords => {
                let digest = self.asked.unwrap_or_else(|| digest("nothing"));
                let supplied = Supplied::Approval { approval_id: approval(1) };
                let words = vec![u32::from(act == OfCommand::KeepWords)];
                let reply = Reply::AllowWords { keep: KeptFor::Session, words };
                self.input(Input::Replied { digest, reply, supplied });
            }
            OfCommand::EditReason => {
                let arguments = json!({ "command": "build", "reason": "To be sure." });
                self.answer(Reply::AllowEdited { arguments: arguments.as_object().cloned().unwrap() });
            }
            OfCommand::Output => {
                let Some(tool_call_id) = self.running.clone() else { return };
                let event = TurnEvent::ToolOutput { tool_call_id, offset: 0, text: "a line\n".to_owned() };
                let envelope = self.turn.aside(event.clone());
                assert_eq!((envelope.seq, envelope.event), (self.seq, event), "E1: it follows from no input");
            }
            OfCommand::Ran | OfCommand::RanAndChanged | OfCommand::TimedOut | OfCommand::Stopped => {
                let Some(call) = self.running.clone() else { return };
                let Some((command, outside)) = self.commanding.running(&call) else { return };
                self.finish_tool(ran(&command, outside, act));
            }
        }
    }

    fn calls(&mut self, deltas: Vec<ModelDelta>) {
        let call = self.live_call.unwrap_or(0);
        self.input(Input::Model { call, event: ModelInput::Deltas { deltas } });
    }

    fn allow_outside(&mut self) {
        let digest = self.asked.unwrap_or_else(|| digest("nothing"));
        self.commanding.said_outside = Some(digest);
        self.input(replied(digest, Reply::AllowOutside));
        self.commanding.said_outside = None;
    }

    /// C3: only the look that a call waits for counts.
    fn late_look(&mut self) {
        let over = |job: &_| self.commanding.looking.as_ref().is_none_or(|(looking, _)| looking != job);
        let looks = self.commanding.looks.clone();
        let runs = self.tool_job;
        for job in looks.into_iter().filter(|job| over(job) && runs != Some(*job)).collect::<Vec<_>>() {
            let outcome = Box::new(ToolOutcome::ended(ToolStatus::Failed, "late"));
            let before = self.seq;
            self.input(Input::Done { job, done: Done::Prepared { prepared: Prepared::Unfit { outcome } } });
            assert_eq!(self.seq, before, "C3: that look is over");
        }
    }

    /// A tool runs.
    pub(crate) fn runs(&self) -> bool {
        self.running.is_some()
    }

    /// A person is asked whether a command may run.
    pub(super) fn asks_about_a_command(&self) -> bool {
        self.asked_call.as_ref().is_some_and(|call| self.commanding.names_path(call).is_some())
    }
}

/// The arguments that a person gives a command where they give a call of another tool this path.
pub(super) fn edited_to(path: &str) -> Value {
    match path {
        "denied" => json!({ "command": DENIED }),
        "./a" => json!({ "command": "build" }),
        "../a" => json!({ "command": "build", "cwd": path }),
        "b/../c" => json!({ "command": "check" }),
        other => json!({ "command": format!("build {other}") }),
    }
}
