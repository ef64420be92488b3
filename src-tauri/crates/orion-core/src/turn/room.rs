//! Room for the next request (X2, X3): a conversation that would not fit is cut before it is sent.

use orion_protocol::{Code, CutCause, ErrorInfo, TurnEvent, grouped};

use super::Effect;
use super::course::Course;
use super::flags::Flag;
use super::phases::Action;
use crate::context::{Left, Room};
use crate::model::FinalTools;
use crate::tool::ToolSet;

impl Course {
    pub(super) fn room(&self) -> Option<Room> {
        Room::of(&self.setup.numbers, self.setup.policy.max_output_tokens)
    }

    /// The limit that is sent with a request for an answer (X2).
    pub(super) fn answer_limit(&self) -> Option<u32> {
        self.sent_limit(self.room())
    }

    /// The limit that is sent with a request for content: the model's own and a quarter of the window. The policy bounds the file in bytes
    /// instead (T7).
    pub(super) fn content_limit(&self) -> Option<u32> {
        self.content_room().map(|room| room.answer)
    }

    /// The limit of a request. It has none where no window is known.
    fn sent_limit(&self, room: Option<Room>) -> Option<u32> {
        self.setup.numbers.window_source.and(room).map(|room| room.answer)
    }

    /// The room of a request for content. None where no window is known.
    pub(super) fn content_room(&self) -> Option<Room> {
        self.setup.numbers.window_source.and(Room::of(&self.setup.numbers, None))
    }

    /// How many bytes of its content so far a model is given back whole: a third of the room, so that it fits beside the half that a cut leaves of the
    /// conversation; a fifth where there are two contents, the one with faults and its correction.
    pub(super) fn content_share(&self, correcting: bool) -> usize {
        let parts = if correcting { 5 } else { 3 };
        let share = self.content_room().map(|room| self.gauge.bytes(room.total()) / parts);
        share.map_or(usize::MAX, |share| usize::try_from(share).unwrap_or(usize::MAX))
    }

    /// Bytes of the text of a request with these tools.
    pub(super) fn request_bytes(&self, tools: &ToolSet) -> u64 {
        self.fixed_bytes(tools) + self.conversation.bytes()
    }

    /// What never leaves: the system text and the tools.
    pub(super) fn fixed_bytes(&self, tools: &ToolSet) -> u64 {
        self.setup.system.len() as u64 + tools.bytes()
    }

    /// The requests begin with other bytes than before, and nothing of what was read leaves (X1, X3).
    pub(super) fn tell_of_change(&mut self, cause: CutCause, earlier: bool, effects: &mut Vec<Effect>) {
        let tokens = self.gauge.tokens(self.request_bytes(&self.setup.tools));
        let event = TurnEvent::ContextCut {
            cause,
            tokens_before: tokens,
            tokens_after: tokens,
            room: self.room().map_or(0, Room::total),
            boxes: Vec::new(),
            turns: Vec::new(),
            earlier,
            pins: 0,
        };
        self.emit(event, effects);
    }

    /// Does what a person wants done to the conversation before this message, and tells it (X3).
    pub(super) fn edit_by_hand(&mut self, effects: &mut Vec<Effect>) {
        let edits = std::mem::take(&mut self.setup.edits);
        let tools = self.setup.tools.clone();
        let tokens_before = self.gauge.tokens(self.request_bytes(&tools));
        let (left, pins) =
            self.conversation.edit(&edits, !self.setup.withheld.is_empty(), self.setup.ids.request_id);
        let Left { boxes, turns, .. } = left;
        if boxes.is_empty() && turns.is_empty() && pins == 0 {
            return;
        }
        let tokens_after = self.gauge.tokens(self.request_bytes(&tools));
        let room = self.room().map_or(0, Room::total);
        let cause = CutCause::Person;
        let event = TurnEvent::ContextCut {
            cause,
            tokens_before,
            tokens_after,
            room,
            boxes,
            turns,
            earlier: false,
            pins,
        };
        self.emit(event, effects);
    }

    /// Cuts the conversation to half of what there is, since the person wants it so (X3).
    pub(super) fn make_room_by_hand(&mut self, effects: &mut Vec<Effect>) {
        let Some(room) = self.room().filter(|_| self.setup.makes_room) else { return };
        let tools = self.setup.tools.clone();
        if self.fits_nowhere(&tools).is_some() {
            return;
        }
        let room = room.of_refused(self.gauge.tokens(self.request_bytes(&tools)));
        self.cut(CutCause::Person, 0, room, &tools, effects);
    }

    /// What a request cannot do without is more than the room has: nothing is cut for it, since that would not help (X3).
    pub(super) fn fits_nowhere(&self, tools: &ToolSet) -> Option<ErrorInfo> {
        let room = self.room().filter(|_| self.setup.flags.has(Flag::CountAnswers))?;
        let tokens = self.gauge.tokens(self.fixed_bytes(tools) + self.conversation.least());
        (tokens > room.total()).then(|| self.too_long(tokens, room))
    }

    /// Cuts the conversation where the next request would fill more than 80 % of the room (X3).
    ///
    /// # Errors
    /// `context_too_long`, where all that may leave is not enough.
    pub(super) fn make_room(&mut self, tools: &ToolSet, effects: &mut Vec<Effect>) -> Result<(), ErrorInfo> {
        let Some(room) = self.room() else { return Ok(()) };
        self.make_room_for(0, room, tools, effects)
    }

    /// The same for a request that has so many bytes beside the conversation and the tools.
    pub(super) fn make_room_for(
        &mut self,
        beside: u64,
        room: Room,
        tools: &ToolSet,
        effects: &mut Vec<Effect>,
    ) -> Result<(), ErrorInfo> {
        // What is to be summed up stays as long as it fits.
        let most = if self.compacts() { room.total() } else { room.full() };
        if self.gauge.tokens(self.request_bytes(tools) + beside) > most {
            self.cut(CutCause::Full, beside, room, tools, effects);
        }
        if std::mem::take(&mut self.setup.has_earlier) {
            // Nothing leaves silently, also of what was too far back to be read.
            self.conversation.settle();
            self.tell_of_change(CutCause::Full, true, effects);
        }
        let tokens = self.gauge.tokens(self.request_bytes(tools) + beside);
        if tokens > room.total() { Err(self.too_long(tokens, room)) } else { Ok(()) }
    }

    /// Whether a call failed since its request is too long, by the provider's own word or by its size (X5).
    pub(super) fn is_too_long(&self, action: &Action, error: &ErrorInfo) -> bool {
        let Some(room) = self.room() else { return false };
        let tools = self.tools_of(action);
        match error.code {
            Code::ContextTooLong => true,
            Code::BadRequest => self.gauge.tokens(self.request_bytes(&tools)) > room.full(),
            _ => false,
        }
    }

    pub(super) fn tools_of(&self, action: &Action) -> ToolSet {
        match action.forced {
            Some(_) => self.tools_without_calls(),
            None if self.checked.repairs() => self.tools_of_repair(),
            None => self.setup.tools.clone(),
        }
    }

    /// P12: the tool that opens a session alone, unless the others stay declared where none may be called.
    pub(super) fn tools_of_repair(&self) -> ToolSet {
        let declared = self.tools_without_calls();
        match declared.is_empty() {
            true => self.setup.tools.write_opener().cloned().into_iter().collect(),
            false => declared,
        }
    }

    /// The tools in a request in which none may be called (P12).
    pub(super) fn tools_without_calls(&self) -> ToolSet {
        self.tools_beside(self.conversation.has_calls())
    }

    /// The same, beside messages that have calls or none.
    pub(super) fn tools_beside(&self, calls: bool) -> ToolSet {
        let declared = self.setup.flags.has(Flag::DeclareTools) && calls;
        match self.setup.profile.final_tools {
            // Where the conversation has calls, some providers refuse a request that does not declare them.
            FinalTools::Withheld if declared => self.setup.tools.clone(),
            FinalTools::Withheld => ToolSet::empty(),
            FinalTools::Forbidden => self.setup.tools.clone(),
        }
    }

    /// Cuts what was refused to half of its size, if the turn has a further try left (X5).
    pub(super) fn make_half_room(&mut self, effects: &mut Vec<Effect>) -> bool {
        let policy = self.setup.policy;
        // P2: in the unified route it is one of the model calls that cycles have.
        let costs_a_cycle = !policy.refusals_are_free;
        let has_try = self.tally.further_tries() < policy.further_tries
            && !(costs_a_cycle && self.tally.cycles() >= policy.max_cycles);
        let Some(room) = self.room().filter(|_| has_try) else { return false };
        let tools = self.setup.tools.clone();
        let refused = self.gauge.tokens(self.request_bytes(&tools));
        let room = room.of_refused(refused);
        let cut = self.cut(CutCause::Refused, 0, room, &tools, effects);
        if cut {
            self.tally.tried_further();
        }
        if cut && costs_a_cycle {
            self.tally.cycle_spent();
        }
        cut
    }

    /// Cuts the conversation to half of the room, where it can be. False where nothing may leave. `beside` bytes of the request are not of
    /// the conversation and stay.
    pub(super) fn cut(
        &mut self,
        cause: CutCause,
        beside: u64,
        room: Room,
        tools: &ToolSet,
        effects: &mut Vec<Effect>,
    ) -> bool {
        let tokens_before = self.gauge.tokens(self.request_bytes(tools));
        let fixed = self.fixed_bytes(tools);
        let bytes = |tokens: u64| self.gauge.bytes(tokens).saturating_sub(fixed + beside);
        let whole = self.compacts() && cause == CutCause::Full;
        let goal = bytes(if whole { room.total() } else { room.half() });
        let most = bytes(room.total());
        let Some(left) = self.conversation.cut(goal, most, self.setup.ids.request_id) else { return false };
        for call in &left.calls {
            self.ledger.cut(call); // D3
        }
        let tokens_after = self.gauge.tokens(self.request_bytes(tools));
        let Left { boxes, turns, .. } = left;
        let (room, earlier) = (room.total(), std::mem::take(&mut self.setup.has_earlier));
        let event = TurnEvent::ContextCut {
            cause,
            tokens_before,
            tokens_after,
            room,
            boxes,
            turns,
            earlier,
            pins: 0,
        };
        self.emit(event, effects);
        true
    }

    /// A number of tokens in a sentence. Without the flag (T8) it has no separators.
    pub(super) fn in_words(&self, tokens: u64) -> String {
        if self.setup.flags.has(Flag::CountAnswers) { grouped(tokens) } else { tokens.to_string() }
    }

    fn too_long(&self, tokens: u64, room: Room) -> ErrorInfo {
        let counts = [tokens, room.window.into(), room.answer.into()];
        let [tokens, window, answer] = counts.map(|tokens| self.in_words(tokens));
        let message = format!(
            "The next request would have about {tokens} tokens. The model's window has {window}, and {answer} of them are for its answer."
        );
        let action =
            "Ask with a shorter message, start a new session, or choose a model with a larger window.";
        ErrorInfo::new(Code::ContextTooLong, message, action)
    }
}
