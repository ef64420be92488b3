//! The action phase: text streams, and the first complete tool call ends it (P4); without one it is the answer (P7).

use std::borrow::Cow;

use orion_protocol::{
    CallId, ErrorInfo, MadeCall, NoticeCode, Phase, PhaseCause, Purpose, ResultForm, StopReason, ToolStatus,
    TurnEvent,
};
use serde_json::{Map, Value};

use super::course::Course;
use super::flags::Flag;
use super::phases::{Action, Came, Decided, End, SignedCall, Then, Unread};
use super::response::{Allowance, Most, Over, Response, Sent};
use super::state::{Next, State};
use super::watches::Repeating;
use super::{Effect, ModelInput};
use crate::context::About;
use crate::merge::{Merge, MergedCall};
use crate::model::{
    CallMade, Details, MAX_REASONING, Message, ModelDelta, ModelRequest, Opaque, Reasoning, ResultsAs,
};
use crate::prompt;
use crate::signature::signature;
use crate::tool::ToolSet;

/// Why a response is cut off.
enum Cut {
    /// It only repeats itself (P11).
    Repeating(Repeating),
    /// It is at its limit (T7).
    Limit,
    /// Its reasoning is at its limit, and nothing else has come (T7).
    Thoughts,
}

impl Course {
    /// Begins an action phase: its model call, the forced final one when a budget is spent (P3).
    pub(super) fn begin_action(&mut self, effects: &mut Vec<Effect>) -> Next {
        if let Some(next) = self.after_repair(effects) {
            next
        } else if self.is_to_pause() {
            self.pause_before_call(Then::Action, effects)
        } else {
            self.next_response(effects)
        }
    }

    /// [`Course::begin_action`], where nothing holds it up.
    pub(super) fn next_response(&mut self, effects: &mut Vec<Effect>) -> Next {
        if let Some(next) = self.after_repair(effects) {
            return next;
        }
        let policy = self.setup.policy;
        let forced = if self.tally.duplicates() >= policy.max_duplicates {
            Some(StopReason::DuplicatesExhausted)
        } else if self.tally.cycles() >= policy.max_cycles {
            Some(StopReason::BudgetExhausted)
        } else {
            None
        };
        if let Some(reason) = forced {
            self.phase = Phase::ActionPhase;
            self.batch = None;
            self.say_forced_final(reason, effects);
        }
        self.call_model(forced, effects)
    }

    /// Makes a model call again that a summary came before (X4) or that was too long (X5).
    pub(super) fn call_again(&mut self, forced: Option<StopReason>, effects: &mut Vec<Effect>) -> Next {
        if !self.setup.policy.refusals_are_free {
            // It cost a cycle, which may have been the last one.
            self.begin_action(effects)
        } else if self.is_to_pause() {
            self.pause_before_call(Then::Call { forced }, effects)
        } else {
            self.call_model(forced, effects)
        }
    }

    /// The next model call. `forced` says why it is the forced final one, when it is.
    pub(super) fn call_model(&mut self, forced: Option<StopReason>, effects: &mut Vec<Effect>) -> Next {
        self.phase = Phase::ActionPhase;
        self.batch = None;
        self.say_notes();
        self.say_steered();
        let tools = match forced {
            Some(_) => self.tools_without_calls(),
            None => self.setup.tools.clone(),
        };
        if let Some(error) = self.fits_nowhere(&tools) {
            return self.end(StopReason::Error, Some(error), effects);
        }
        if let Some(summing) = self.sum_up_first(forced, &tools, effects) {
            return summing;
        }
        if let Err(error) = self.make_room(&tools, effects) {
            return self.end(StopReason::Error, Some(error), effects);
        }
        let tools = match forced {
            // Room was made: calls may have left.
            Some(_) if self.setup.flags.has(Flag::DeclareByRequest) => self.tools_without_calls(),
            _ => tools,
        };
        let bytes = self.request_bytes(&tools);
        let allowance = match self.answer_allowance(bytes) {
            Ok(allowance) => allowance,
            Err(exhausted) => return self.end_exhausted(exhausted, effects),
        };
        self.send(forced, tools, allowance, effects)
    }

    /// Sends a request for a response. `forced` says why it is the forced final one, when it is.
    pub(super) fn send(
        &mut self,
        forced: Option<StopReason>,
        tools: ToolSet,
        allowance: Allowance,
        effects: &mut Vec<Effect>,
    ) -> Next {
        self.phase = Phase::ActionPhase;
        self.batch = None;
        let call = self.tally.model_called();
        let started = TurnEvent::PhaseStarted {
            cycle: self.tally.cycles(),
            model_call: Some(self.tally.model_calls()),
            write: None,
            is_final: forced.is_some() && !self.compacts(),
        };
        self.emit(started, effects);
        let messages = self.messages();
        let request = ModelRequest {
            model: self.setup.model.clone(),
            messages,
            tools,
            forbids_tools: forced.is_some(),
            max_output_tokens: allowance.at_most(self.answer_limit()),
            tuning: self.tuning(),
        };
        let sent = Sent { now_ms: self.now_ms, allowance };
        let response = Response::to(&request, call, sent);
        self.count_steered();
        self.conversation.sent();
        effects.push(Effect::CallModel { call, request });
        Next::Action(Box::new(Action {
            response,
            forced,
            merge: self.merge(),
            came: Came::default(),
            text: String::new(),
            reasoning: String::new(),
            most_thoughts: self.most_thoughts(self.answer_limit()),
            thoughts: self.thoughts(),
            recogniser: self.recogniser(),
            has_leaked: false,
            unread: None,
            field: None,
            details: Details::default(),
            repeated: 0,
        }))
    }

    pub(super) fn step_model(
        &mut self,
        state: &mut State,
        call: u32,
        event: ModelInput,
        effects: &mut Vec<Effect>,
    ) -> Next {
        // A call that was dropped changes nothing any more.
        if let Some(action) = state.action().filter(|action| action.call() == call) {
            self.step_action(action, event, effects)
        } else if let Some(summing) = state.summing().filter(|summing| summing.call() == call) {
            self.step_summing(summing, event, effects)
        } else if let Some(session) = state.writing() {
            self.step_content(session, call, event, effects)
        } else {
            Next::Stay
        }
    }

    fn step_action(&mut self, action: &mut Action, event: ModelInput, effects: &mut Vec<Effect>) -> Next {
        match event {
            ModelInput::Changed { .. } | ModelInput::Connected => Next::Stay,
            ModelInput::Retrying { attempt, delay_ms, cause } => {
                self.retrying(attempt, delay_ms, cause, effects);
                Next::Stay
            }
            ModelInput::Deltas { deltas } => {
                action.response.came(self.now_ms);
                for delta in deltas {
                    match self.take_piece(action, delta, effects) {
                        Some(Cut::Repeating(repeating)) if !self.is_endless(action, repeating) => {
                            return self.cut_answer(action, repeating, effects); // P11
                        }
                        Some(Cut::Limit) => return self.cut_at_limit(action, effects), // T7
                        Some(Cut::Repeating(_) | Cut::Thoughts) => return self.cut_thoughts(action, effects), // T7
                        // What follows such a call is not read: nothing depends on how the text was cut (T5).
                        None if action.has_leaked => break,
                        None => {}
                    }
                }
                let policy = self.setup.policy;
                let reached = action.merge.completed().len() >= policy.max_tools as usize;
                // P10: of a response that broke off, no call runs.
                let whole = action.response.broke_off().is_none();
                let over =
                    action.has_leaked || (policy.cut_at_first_call && action.forced.is_none() && reached);
                if over && whole {
                    effects.push(Effect::DropModel { call: action.call() });
                    self.judge(action, End::Cut, effects)
                } else {
                    Next::Stay
                }
            }
            ModelInput::Ended => {
                self.read_rest(action, effects);
                action.merge.close();
                self.judge(action, End::Clean, effects)
            }
            ModelInput::Failed { error } => self.fail(action, error, effects),
        }
    }

    /// Reasoning that repeats itself, before anything else has come, has no end.
    fn is_endless(&self, action: &Action, repeating: Repeating) -> bool {
        let is_answer = self.setup.flags.has(Flag::SecondChance) && self.setup.purpose() == Purpose::Answer;
        is_answer && repeating.is_reasoning() && action.only_reasons()
    }

    /// The call failed. The text that was streamed stays, and none of its tool calls runs (P10).
    pub(super) fn fail(&mut self, action: &mut Action, error: ErrorInfo, effects: &mut Vec<Effect>) -> Next {
        let too_long = self.is_too_long(action, &error) && !self.checked.repairs(); // V2: one model call.
        self.end_action(action, PhaseCause::Failed, effects);
        if too_long && self.make_half_room(effects) {
            return self.call_again(action.forced, effects); // X5
        }
        self.end_failed(error, effects)
    }

    /// The response is dropped at its limit, and judged as if its provider had ended it there.
    fn cut_at_limit(&mut self, action: &mut Action, effects: &mut Vec<Effect>) -> Next {
        effects.push(Effect::DropModel { call: action.call() });
        action.response.cut_off();
        self.read_rest(action, effects);
        action.merge.close();
        self.judge(action, End::Clean, effects)
    }

    /// Takes a piece of the response, up to the place where the response is at its limit or is found to repeat itself.
    fn take_piece(
        &mut self,
        action: &mut Action,
        mut delta: ModelDelta,
        effects: &mut Vec<Effect>,
    ) -> Option<Cut> {
        let over = action.response.take_in(&mut delta, Most::default());
        let call = action.merge.apply(&delta);
        for mut part in action.parts(delta) {
            let repeating = self.watch(&mut action.response, &mut part, call).map(Cut::Repeating);
            let endless = action.cut_to_thoughts(&mut part).then_some(Cut::Thoughts);
            self.take_part(action, part, effects);
            if let Some(cut) = repeating.or(endless) {
                return Some(cut);
            }
        }
        over.map(|_: Over| Cut::Limit)
    }

    /// Takes a part of a piece: thoughts are reasoning by now.
    fn take_part(&mut self, action: &mut Action, part: ModelDelta, effects: &mut Vec<Effect>) {
        match part {
            ModelDelta::Text { text } => {
                action.response.count(text.len());
                self.read_text(action, text, effects);
            }
            ModelDelta::Reasoning { text } => {
                action.response.count(text.len());
                self.reason(action, text, effects);
            }
            ModelDelta::ReasoningField { field } => _ = action.field.get_or_insert(field),
            ModelDelta::ReasoningDetails { json } => action.details.push(&json),
            ModelDelta::Finish { reason } => {
                action.response.finish(reason);
                self.read_rest(action, effects);
            }
            ModelDelta::Usage { usage } => action.response.used(usage),
            ModelDelta::ToolCall { delta } => {
                action.response.count(delta.arguments.map_or(0, |piece| piece.bytes()));
            }
        }
    }

    /// A response has ended: either it is the answer, or its calls are run.
    fn judge(&mut self, action: &mut Action, end: End, effects: &mut Vec<Effect>) -> Next {
        let merge = std::mem::take(&mut action.merge);
        if let (End::Clean, Some(error)) = (end, action.response.broke_off()) {
            self.fail(action, error, effects)
        } else if self.setup.purpose() == Purpose::Compact {
            self.take_summary(action, &merge, effects)
        } else if self.checked.repairs() {
            self.judge_repair(action, &merge, end, effects)
        } else if merge.calls().is_empty() {
            match action.unread.take() {
                Some(Unread::Unfit { name }) if action.forced.is_none() => {
                    self.correct_leaked(action, &name, effects) // P6
                }
                unread => {
                    action.unread = unread;
                    self.answer(action, effects)
                }
            }
        } else if action.forced.is_some() {
            self.refuse_final_calls(&merge, effects); // P8
            self.take_answer(action, effects)
        } else if merge.completed().len() == 0 {
            self.correct(action, &merge, effects) // P6
        } else {
            self.dispatch(action, merge, end, effects)
        }
    }

    /// No call of the response can be run: it costs a cycle, and the model is told what was wrong (P6).
    fn correct(&mut self, action: &mut Action, merge: &Merge, effects: &mut Vec<Effect>) -> Next {
        self.tally.cycle_spent();
        let dropped = merge.dropped_names();
        if !dropped.is_empty() {
            self.report_blocked(Vec::new(), dropped.to_vec(), effects);
        }
        self.end_action(action, PhaseCause::MalformedCall, effects);
        self.say_faults(merge, effects);
        self.begin_action(effects)
    }

    /// The response would end the turn, but for a call in its text that cannot run: it costs a cycle, and the model is told (P6).
    fn correct_leaked(&mut self, action: &mut Action, name: &str, effects: &mut Vec<Effect>) -> Next {
        self.tally.cycle_spent();
        self.end_action(action, PhaseCause::MalformedCall, effects);
        let id = self.own_call_id();
        self.tally.call(id.clone(), None, name.to_owned(), None, true);
        self.tally.call_done(&id, ToolStatus::Malformed, None);
        let message = format!(
            "A call to {name} that the model wrote as text did not run: it is not complete, or does not fit."
        );
        self.notice(NoticeCode::MalformedCall, message, effects);
        self.note(prompt::leaked(name), About::Word);
        self.begin_action(effects)
    }

    pub(super) fn say_faults(&mut self, merge: &Merge, effects: &mut Vec<Effect>) {
        for call in merge.calls() {
            let Some(fault) = call.fault() else { continue };
            let id = self.call_id(call);
            self.tally.call(id.clone(), None, call.name.clone(), None, call.leaked);
            self.tally.call_done(&id, ToolStatus::Malformed, None);
            let message = format!("A call to {} did not run: {}.", call.named(), prompt::fault(fault));
            self.notice(NoticeCode::MalformedCall, message, effects);
            self.note(prompt::malformed(call.named(), fault), About::Word);
        }
    }

    pub(super) fn prepare(&self, call: &MergedCall) -> SignedCall {
        let none = serde_json::Map::new();
        let given = call.object().unwrap_or(&none);
        let (name, meant) = self.meant(&call.name, given);
        let made = (name != call.name || *meant != *given)
            .then(|| MadeCall { name: call.name.clone(), arguments: given.clone().into() });
        let arguments = self.parsed(name, &meant);
        let signature = signature(name, &arguments.signed(), self.setup.ids.project_id);
        SignedCall {
            id: self.call_id(call),
            name: name.to_owned(),
            arguments,
            signature,
            made: made.map(Box::new),
            leaked: call.leaked,
            decided: Decided::Nothing,
            command: None,
            outside: false,
            extra: self.opaque(call.extra.clone()),
        }
    }

    /// The name of the tool that a call is meant for, and its arguments as they were meant (P9).
    fn meant<'a>(
        &'a self,
        name: &'a str,
        given: &'a Map<String, Value>,
    ) -> (&'a str, Cow<'a, Map<String, Value>>) {
        match self.setup.tools.meant(name).filter(|_| self.setup.flags.has(Flag::ReadAsMeant)) {
            Some(tool) => (&tool.name, tool.arguments_meant(given)),
            None => (name, Cow::Borrowed(given)),
        }
    }

    /// The calls of a response that begins.
    fn merge(&self) -> Merge {
        match self.setup.flags.has(Flag::ReadAsMeant) {
            true => Merge::of_calls_to(self.setup.tools.clone()),
            false => Merge::default(),
        }
    }

    /// The provider's id if it is usable and new in this session, else one of Orion's own.
    fn call_id(&self, call: &MergedCall) -> CallId {
        /// The longest id that is taken from a provider: 64 bytes, since some hosted providers refuse to get a longer
        /// one back.
        const LONGEST: usize = 64;
        let usable = |id: &&String| id.len() <= LONGEST && id.bytes().all(|byte| byte.is_ascii_graphic());
        match call.id.as_ref().filter(usable).filter(|id| !self.has_call(id)) {
            Some(id) => CallId(id.clone()),
            None => self.own_call_id(),
        }
    }

    /// An id of Orion's own.
    fn own_call_id(&self) -> CallId {
        let mut number = self.tally.calls() + 1;
        while self.has_call(&format!("call_{number}")) {
            number += 1;
        }
        CallId(format!("call_{number}"))
    }

    /// Ends the action phase without calls.
    pub(super) fn end_action(&mut self, action: &mut Action, cause: PhaseCause, effects: &mut Vec<Effect>) {
        self.end_action_with(action, cause, Vec::new(), effects);
    }

    /// Ends the action phase: its text joins the answer and the conversation.
    pub(super) fn end_action_with(
        &mut self,
        action: &mut Action,
        cause: PhaseCause,
        made: Vec<CallMade>,
        effects: &mut Vec<Effect>,
    ) {
        self.show_rest(action, effects);
        let mut text = std::mem::take(&mut action.text);
        let reasoning = std::mem::take(&mut action.reasoning);
        let thought = reasoning.len() as u64;
        self.tally.answered(&text);
        text.truncate(text.len().saturating_sub(action.repeated));
        self.end_response(&mut action.response, cause, effects);
        let mut tool_calls = if self.answers_natively() { made } else { Vec::new() };
        let extra = |call: &CallMade| call.extra.as_ref().map_or(0, |extra| extra.json.len());
        let mut beside: usize = tool_calls.iter().map(extra).sum();
        if beside > MAX_REASONING {
            tool_calls.iter_mut().for_each(|call| call.extra = None);
            beside = 0;
        }
        let reasoned = if self.setup.profile.sends_reasoning() { 0 } else { thought };
        let reasoning = self.kept_reasoning(action, reasoning, !tool_calls.is_empty());
        let reasoning = reasoning.filter(|reasoning| reasoning.bytes() + beside <= MAX_REASONING);
        if !text.is_empty() || !tool_calls.is_empty() {
            let answer = Message::Assistant { text, reasoning, tool_calls };
            self.count_answer(&action.response, answer.text_bytes() as u64, reasoned);
            self.conversation.push(answer);
        }
        if cause != PhaseCause::Failed {
            self.conversation.answered();
        }
    }

    /// Whether results go back as the provider's own tool messages: unified, or a box lowered to role `tool` (P2, R1).
    pub(super) fn answers_natively(&self) -> bool {
        let profile = &self.setup.profile;
        let native =
            self.setup.policy.result_form == ResultForm::ToolMessage || profile.results_as == ResultsAs::Tool;
        native && !profile.no_tool_messages
    }

    /// The reasoning of a response, as it goes back to the provider (P9). Beside calls it is kept also where the provider does not ask for it: one that
    /// demands it says so only when it refuses the next request.
    fn kept_reasoning(&self, action: &mut Action, text: String, beside_calls: bool) -> Option<Reasoning> {
        let profile = &self.setup.profile;
        if !self.setup.flags.has(Flag::KeepReasoning) {
            return (profile.returns_reasoning && !text.is_empty()).then(|| Reasoning::from(text.as_str()));
        }
        if !beside_calls && !profile.sends_reasoning() {
            return None;
        }
        let details = self.opaque(std::mem::take(&mut action.details).json());
        let (field, origin, goes_back) = (action.field, profile.origin, profile.sends_reasoning());
        Reasoning { text, field, details, origin, goes_back }.if_any()
    }

    /// JSON that only the provider of this turn reads.
    fn opaque(&self, json: Option<String>) -> Option<Opaque> {
        let keeps = self.setup.flags.has(Flag::KeepReasoning);
        json.filter(|_| keeps).map(|json| Opaque { json, origin: self.setup.profile.origin })
    }
}
