//! What a call may do (A1), the question about one that is not simply allowed, and the answers to it (A3, A6).
//!
//! Deliberately not here: the question about a write (`approval`).

use orion_protocol::{
    ApprovalId, AskedBy, CallId, CommandAsked, EditedCall, Given, KeptFor, KeptRule, NoticeCode, PendingOf,
    PhaseCause, Reply, SandboxLevel, Sha256,
};
use serde_json::{Map, Value};

use super::course::Course;
use super::flags::Flag;
use super::outcomes::{outcome_unknown, rejected};
use super::person::{Supplied, Unfit};
use super::phases::{Decided, SignedCall, ToolPhase};
use super::state::Next;
use super::{Effect, Turn};
use crate::permission::{Kept, Pattern, Ruling, prefixes};
use crate::signature::{digest, signature};
use crate::tool::{Arguments, ToolKind, ToolOutcome, ToolSpec};

impl Turn {
    /// Whether an approval that a person keeps may allow a call of this turn (A1).
    #[must_use]
    pub fn relies_on(&self, approval_id: ApprovalId) -> bool {
        let rules = &self.course.setup.rules.kept;
        !self.is_over() && rules.iter().any(|kept| kept.approval_id == approval_id)
    }
}

impl Course {
    /// What a call of a tool of this turn may do. A name that is not on offer may run: the ToolRunner refuses it, and its box names the tools
    /// that exist (R2).
    pub(super) fn ruling(&self, name: &str, arguments: &Arguments) -> Ruling {
        self.ruling_as(name, arguments, None)
    }

    /// The same of a command that would run as it is asked about.
    fn ruling_as(&self, name: &str, arguments: &Arguments, command: Option<&CommandAsked>) -> Ruling {
        match self.setup.tools.get(name) {
            None => Ruling::Allow,
            Some(tool) if self.is_by_words(tool) => self.setup.rules.judge_commands(tool, arguments, command),
            Some(tool) => self.setup.rules.judge(tool, arguments),
        }
    }

    /// C1: its calls are judged by the words of their commands.
    fn is_by_words(&self, tool: &ToolSpec) -> bool {
        tool.kind == ToolKind::RunsCommands && self.setup.flags.has(Flag::CommandsByWords)
    }

    /// The ruling on this call. A command that nothing holds, or that has a reason of its own to be asked about, is asked about whatever the rules say, but
    /// for a line that was kept where files alone are held (C3).
    pub(super) fn ruling_on(&self, call: &SignedCall) -> Ruling {
        let ruling = self.ruling_as(&call.name, &call.arguments, call.command.as_deref());
        if runs_unasked(call) {
            return ruling;
        }
        let kept = self.by_line(call).and_then(|(tool, command)| {
            self.setup.rules.kept_line(tool, &call.arguments, command).map(Ruling::Kept)
        });
        kept.unwrap_or(ruling.and(Ruling::Ask(AskedBy::Always)))
    }

    /// The command of a call of which an exact line may be kept, and nothing else: files alone are held there (C3).
    fn by_line<'a>(&'a self, call: &'a SignedCall) -> Option<(&'a ToolSpec, &'a CommandAsked)> {
        let tool = self.setup.tools.get(&call.name).filter(|tool| self.is_by_words(tool))?;
        let command = call.command.as_deref().filter(|command| {
            command.level == SandboxLevel::FilesOnly
                && command.asks_since.is_none()
                && command.hosts.is_empty()
        })?;
        self.setup.flags.has(Flag::KeepsLines).then_some((tool, command))
    }

    /// The arguments of a call in their normal form (D1).
    pub(super) fn parsed(&self, name: &str, given: &Map<String, Value>) -> Arguments {
        Arguments::parse(self.setup.tools.get(name), given, &self.setup.project_root)
    }

    /// The rule that an approval of this call would be kept as (A1). What a person took out is asked about every time (X6).
    pub(super) fn would_keep(&self, call: &SignedCall) -> Option<Pattern> {
        if self.is_withheld(call) || self.is_doubtful(call) {
            return None;
        }
        if !runs_unasked(call) {
            let (tool, command) = self.by_line(call)?;
            return self.setup.rules.would_keep_line(tool, &call.arguments, command);
        }
        let tool = self.setup.tools.get(&call.name)?;
        match self.is_by_words(tool) {
            true => self.setup.rules.would_keep_commands(tool, &call.arguments, call.command.as_deref()),
            false => self.setup.rules.would_keep(tool, &call.arguments),
        }
    }

    /// A call that does more than read and that the model wrote into its text: it may be no call at all, so no rule allows it (A1).
    pub(super) fn is_doubtful(&self, call: &SignedCall) -> bool {
        call.leaked && !self.setup.tools.may_run_twice(&call.name)
    }

    /// Asks a person about a call. Returns the digest of what is asked. An answer counts once (A3), so a call that was answered before and
    /// comes again has a digest of its own.
    pub(super) fn ask_about(&mut self, call: &SignedCall, by: AskedBy, effects: &mut Vec<Effect>) -> Sha256 {
        let keeps = self.would_keep(call).map(String::from);
        let digest = match digest(&call.signature.0) {
            answered if self.was_answered(answered) => self.digest_anew(call),
            first => first,
        };
        self.ask_as(digest, call, by, keeps, effects)
    }

    /// What no earlier answer is for.
    fn digest_anew(&self, call: &SignedCall) -> Sha256 {
        digest(&format!("{} again after event {}", call.signature, self.seq))
    }

    /// Asks whether a call that may have run before the process died may run again (A5). What a person answered before is for that run, so it
    /// has a digest of its own (A3), and the answer is not kept.
    pub(super) fn ask_again(&mut self, call: &SignedCall, effects: &mut Vec<Effect>) -> Sha256 {
        let name = &call.name;
        let message = format!(
            "{name} had begun when Orion was closed. What it did is not known. Allow it to run again?"
        );
        self.notice(NoticeCode::OutcomeUnknown, message, effects);
        self.ask_as(self.digest_anew(call), call, AskedBy::Always, None, effects)
    }

    fn ask_as(
        &mut self,
        digest: Sha256,
        call: &SignedCall,
        by: AskedBy,
        keeps: Option<String>,
        effects: &mut Vec<Effect>,
    ) -> Sha256 {
        let of = PendingOf::Call {
            tool_call_id: call.id.clone(),
            name: call.name.clone(),
            summary: call.arguments.to_string(),
            by,
            keeps,
            command: call.command.clone(),
        };
        self.ask(digest, of, effects);
        digest
    }

    /// A1: an approval that a person keeps answers. When it was last used is stored with this event.
    pub(super) fn kept_allows(
        &mut self,
        digest: Sha256,
        approval_id: ApprovalId,
        also: Vec<ApprovalId>,
        effects: &mut Vec<Effect>,
    ) {
        self.answered(digest, Given::Kept { approval_id, also }, effects);
    }

    /// The other approvals by which the commands of a call run unasked (C1).
    pub(super) fn also_kept(&self, call: &SignedCall, approval_id: ApprovalId) -> Vec<ApprovalId> {
        let tool = self.setup.tools.get(&call.name).filter(|tool| self.is_by_words(tool));
        let command = call.command.as_deref().filter(|_| runs_unasked(call));
        let Some((tool, command)) = tool.zip(command) else { return Vec::new() };
        let all = self.setup.rules.kept_for_commands(tool, command).into_iter();
        all.filter(|other| *other != approval_id).collect()
    }

    /// The rule that is kept of the first words of a call's commands (C1). None where none can be.
    fn words_kept(&self, call: &SignedCall, words: &[u32]) -> Option<Pattern> {
        let tool = self.setup.tools.get(&call.name)?;
        if !self.is_by_words(tool) || !runs_unasked(call) || self.would_keep(call).is_none() {
            return None;
        }
        prefixes(&call.command.as_deref()?.runs, words)
    }

    /// Judges a reply to the question about a call. `keeps` is the rule that the question named.
    pub(super) fn judge_call_reply(
        &self,
        phase: &ToolPhase,
        keeps: Option<&str>,
        reply: &Reply,
        supplied: &Supplied,
    ) -> Result<(), Unfit> {
        let Some((call, _)) = phase.asked() else { return Err(Unfit::NotAsked) };
        match reply {
            // C3: no rule of words, and none for sessions to come.
            Reply::Allow { keep: Some(KeptFor::Project) } | Reply::AllowWords { .. }
                if self.by_line(call).is_some() =>
            {
                Err(self.would_keep(call).map_or(Unfit::NotKept, |_| Unfit::LineAlone))
            }
            Reply::Allow { keep: Some(_) } => can_keep(keeps, self.would_keep(call), supplied),
            Reply::AllowWords { words, .. } => {
                can_keep(keeps, self.would_keep(call), supplied)?;
                self.words_kept(call, words).map(|_| ()).ok_or(Unfit::NotKept)
            }
            Reply::Allow { .. } | Reply::Reject { .. } => Ok(()),
            Reply::AllowOutside if call.command.is_some() => Ok(()),
            Reply::AllowEdited { arguments } => self.edited(call, arguments).map(|_| ()),
            Reply::AllowOutside
            | Reply::Write { .. }
            | Reply::Choose { .. }
            | Reply::Answer { .. }
            | Reply::Resume { .. } => Err(Unfit::NotAsked),
        }
    }

    /// A person's reply to the question about a call. It was judged before.
    pub(super) fn step_call_replied(
        &mut self,
        phase: &mut ToolPhase,
        digest: Sha256,
        reply: Reply,
        supplied: &Supplied,
        effects: &mut Vec<Effect>,
    ) -> Next {
        match reply {
            Reply::Allow { keep } => {
                phase.current.outside = false; // It was for one run (C3).
                let pattern = self.would_keep(&phase.current);
                let kept = self.keep(keep, supplied, &phase.current.name, pattern);
                self.answered(digest, Given::Allowed { edited: None, kept, outside: false }, effects);
                self.run(phase, effects)
            }
            Reply::AllowWords { keep, words } => {
                phase.current.outside = false; // It was for one run (C3).
                let pattern = self.words_kept(&phase.current, &words);
                let kept = self.keep(Some(keep), supplied, &phase.current.name, pattern);
                self.answered(digest, Given::Allowed { edited: None, kept, outside: false }, effects);
                self.run(phase, effects)
            }
            Reply::AllowOutside => {
                phase.current.outside = true;
                let edited = now_runs(&phase.current);
                self.answered(digest, Given::Allowed { edited, kept: None, outside: true }, effects);
                self.run(phase, effects)
            }
            Reply::AllowEdited { arguments } => {
                let edited = self.edited(&phase.current, &arguments).ok();
                if let Some(call) = edited.filter(|call| call.signature != phase.current.signature) {
                    self.edit(phase, call);
                }
                phase.current.outside = false;
                self.answered(
                    digest,
                    Given::Allowed { edited: now_runs(&phase.current), kept: None, outside: false },
                    effects,
                );
                self.run(phase, effects)
            }
            Reply::Reject { reason, stop } => {
                self.answered(digest, Given::Rejected { reason: reason.clone(), stopped: stop }, effects);
                if let Some(reason) = reason {
                    phase.current.decided = Decided::Rejected { reason };
                }
                if stop { self.reject_and_stop(phase, effects) } else { self.reject(phase, effects) }
            }
            Reply::Write { .. } | Reply::Choose { .. } | Reply::Answer { .. } | Reply::Resume { .. } => {
                Next::Stay
            }
        }
    }

    /// A call with the arguments that a person gave it, checked again (A3). Whether they fit the tool's schema was checked before.
    fn edited(&self, call: &SignedCall, arguments: &Map<String, Value>) -> Result<SignedCall, Unfit> {
        let arguments = self.parsed(&call.name, arguments);
        if !arguments.stays_inside() {
            return Err(Unfit::Outside);
        }
        if matches!(self.ruling(&call.name, &arguments), Ruling::Deny(_)) {
            return Err(Unfit::Denied);
        }
        let signature = signature(&call.name, &arguments.signed(), self.setup.ids.project_id);
        if signature != call.signature && self.ledger.refuses(&signature) {
            return Err(Unfit::Repeats);
        }
        let (id, name) = (call.id.clone(), call.name.clone());
        let decided =
            Decided::Edited { arguments: call.arguments.clone(), signature: call.signature.clone() };
        Ok(SignedCall {
            id,
            name,
            arguments,
            signature,
            made: None,
            leaked: call.leaked,
            decided,
            extra: None,
            command: call.command.clone(),
            outside: false,
        })
    }

    /// A3: both signatures are in the ledger, that of the model and that of the call that runs.
    fn edit(&mut self, phase: &mut ToolPhase, call: SignedCall) {
        // That it would be refused was looked at before.
        let _ = self.ledger.enter(&call.signature, &call.id);
        self.tally.call_edited(&call.id, call.signature.clone());
        phase.current = call;
        phase.heard.clear(); // The answers were about the call before.
    }

    /// Keeps an approval where the person says so. It holds for what comes in this turn too.
    pub(super) fn keep(
        &mut self,
        keep: Option<KeptFor>,
        supplied: &Supplied,
        tool: &str,
        pattern: Option<Pattern>,
    ) -> Option<KeptRule> {
        let (kept_for, approval_id, pattern) = (keep?, supplied.approval_id()?, pattern?);
        self.setup.rules.kept.push(Kept { approval_id, tool: tool.to_owned(), pattern: pattern.clone() });
        Some(KeptRule { approval_id, kept_for, tool: tool.to_owned(), pattern: pattern.into() })
    }

    /// A1: an approval was revoked, so it allows nothing that comes.
    pub(super) fn revoke(&mut self, approval_id: ApprovalId) {
        self.setup.rules.kept.retain(|kept| kept.approval_id != approval_id);
    }

    /// A6: the rejection is the outcome of the call, and it is not asked again.
    fn reject(&mut self, phase: &mut ToolPhase, effects: &mut Vec<Effect>) -> Next {
        let id = phase.current.id.clone();
        let next = self.end_call(phase, outcome_of_a_no(phase), 0, effects);
        self.rejected(&id);
        next
    }

    fn reject_and_stop(&mut self, phase: &mut ToolPhase, effects: &mut Vec<Effect>) -> Next {
        self.conclude_call(phase, outcome_of_a_no(phase), 0, effects);
        self.cancel_queued(phase, PhaseCause::Stopped, effects);
        self.end(self.checked.end_when_stopped(), None, effects)
    }

    /// A6: the same call is not asked again in this turn.
    pub(super) fn rejected(&mut self, call: &CallId) {
        self.ledger.rejected(call);
    }
}

/// False for a command that a person is asked about whatever the rules say (C2, C3).
fn runs_unasked(call: &SignedCall) -> bool {
    let held = |command: &CommandAsked| {
        command.level == SandboxLevel::Full && command.asks_since.is_none() && command.hosts.is_empty()
    };
    call.command.as_deref().is_none_or(held)
}

/// Fails unless an approval can be kept as the rule that the person saw (A1).
pub(super) fn can_keep(shown: Option<&str>, now: Option<Pattern>, supplied: &Supplied) -> Result<(), Unfit> {
    let is_shown = now.is_some_and(|now| shown == Some(String::from(now).as_str()));
    if is_shown && supplied.approval_id().is_some() { Ok(()) } else { Err(Unfit::NotKept) }
}

fn now_runs(call: &SignedCall) -> Option<EditedCall> {
    let SignedCall { arguments, signature, decided, .. } = call;
    let edited = matches!(decided, Decided::Edited { .. });
    edited.then(|| EditedCall { arguments: arguments.value().clone().into(), signature: signature.clone() })
}

fn outcome_of_a_no(phase: &ToolPhase) -> ToolOutcome {
    if phase.may_have_run() { outcome_unknown() } else { rejected() }
}
