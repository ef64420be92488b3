//! The conversation of a turn: what its session gave it, and what it adds itself (X1).

use std::collections::HashSet;

use orion_protocol::{CallId, ContextEdit, CutBox, CutTurns, RequestId, Signature};

use super::cut::{Cuttable, Plan, staying};
use super::item::{About, Held, Item};
use crate::model::Message;

/// Items, oldest first. They only grow in number, but at a cut.
#[derive(Debug, Clone)]
pub struct Conversation {
    items: Vec<Item>,
    /// Where the turn's own begin: with the person's message, or with what has changed before it.
    own: usize,
    /// What requests have held so far.
    sent: usize,
    /// What a model has answered to, and its answer: it stays in the session even if the next request fails.
    lasting: usize,
    /// Something of what the session gave was cut.
    is_cut: bool,
    /// What a summary is asked for, where that is all the turn does: it leaves nothing, unless an entry takes the place of it (X4).
    to_sum_up: Option<Given>,
}

/// How much a session gave a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Given {
    /// Bytes of all its texts.
    pub bytes: u64,
    /// Turns that said it.
    pub turns: u32,
}

impl Given {
    fn of(items: &[Item]) -> Self {
        let turns: HashSet<RequestId> = items.iter().filter_map(|item| item.turn).collect();
        Self {
            bytes: items.iter().map(|item| item.bytes() as u64).sum(),
            turns: u32::try_from(turns.len()).unwrap_or(u32::MAX),
        }
    }
}

/// What left in a cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    pub boxes: Vec<CutBox>,
    pub turns: Vec<CutTurns>,
    /// The calls whose boxes were emptied or left.
    pub calls: Vec<CallId>,
}

impl Conversation {
    #[must_use]
    pub fn new(mut items: Vec<Item>, changes: String, text: String) -> Self {
        let own = items.len();
        if !changes.is_empty() {
            items.push(Item::new(Message::System { text: changes }, About::Word));
        }
        items.push(Message::user(text).into());
        let lasting = items.len();
        Self { items, own, sent: own, lasting, is_cut: false, to_sum_up: None }
    }

    /// What the session gave, and a last word that asks for a summary of it (X4).
    #[must_use]
    pub fn to_sum_up(mut items: Vec<Item>, request: String) -> Self {
        let own = items.len();
        let given = Given::of(&items);
        items.push(Item::new(Message::System { text: request }, About::Word));
        let to_sum_up = Some(given);
        Self { items, own, sent: own, lasting: own, is_cut: false, to_sum_up }
    }

    /// What a summary is asked for. None once an entry stands in its place, and in other turns.
    #[must_use]
    pub fn summed_up(&self) -> Option<Given> {
        self.to_sum_up
    }

    /// Puts an entry in the place of everything but what a person has pinned (X3, X4).
    pub fn compact(&mut self, entry: Item) {
        self.items.truncate(self.own);
        (self.sent, self.lasting) = (self.own, self.own);
        self.compact_given(entry);
        self.to_sum_up = None;
    }

    /// Puts an entry in the place of what the session gave, but for what a person has pinned. What the turn added stays. Returns the calls whose
    /// boxes left.
    pub fn compact_given(&mut self, entry: Item) -> Vec<CallId> {
        let added = self.items.split_off(self.own);
        let stays = staying(&self.items);
        let (pinned, left): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.items).into_iter().zip(stays).partition(|(_, stays)| *stays);
        self.items = std::iter::once(entry).chain(pinned.into_iter().map(|(item, _)| item)).collect();
        let end = self.items.len();
        [self.sent, self.lasting] =
            [self.sent, self.lasting].map(|place| end + place.saturating_sub(self.own));
        self.own = end;
        self.items.extend(added);
        self.is_cut = true;
        left.iter().filter_map(|(item, _)| Some(item.whole_box()?.call.clone())).collect()
    }

    /// How much the session gave.
    #[must_use]
    pub fn given(&self) -> Given {
        Given::of(self.items.get(..self.own).unwrap_or_default())
    }

    /// A request for a summary of what the session gave. None where nothing is to be summed up.
    #[must_use]
    pub fn given_to_sum_up(&self, system: &str, request: &str) -> Option<Vec<Message>> {
        let given = self.items.get(..self.own).unwrap_or_default();
        if given.iter().all(|item| item.entry.is_some() || item.pinned) {
            return None;
        }
        let system = Message::System { text: system.to_owned() };
        let request = Message::System { text: request.to_owned() };
        let given = given.iter().map(|item| item.message.clone());
        Some(std::iter::once(system).chain(given).chain([request]).collect())
    }

    pub fn push(&mut self, item: impl Into<Item>) {
        self.items.push(item.into());
    }

    /// Takes the last item back, as long as no request has held it.
    pub(crate) fn take_back(&mut self) {
        if self.items.len() > self.sent.max(self.own) {
            self.items.pop();
            self.lasting = self.lasting.min(self.items.len());
        }
    }

    /// The box of this call, as long as no request has held it (A2).
    pub(crate) fn unsent_box(&mut self, call: &CallId) -> Option<&mut Item> {
        let unsent = self.items.get_mut(self.sent..)?;
        unsent.iter_mut().find(|item| item.whole_box().is_some_and(|of| of.call == *call))
    }

    /// Messages of the person that follow the one that the turn began with, and that no request has held.
    pub(crate) fn unsent_messages(&self) -> impl Iterator<Item = &Item> {
        let first = self.sent.max(self.own + self.beginning());
        self.items.get(first..).unwrap_or_default().iter().filter(|item| item.is_the_persons())
    }

    /// Takes them out. Returns their texts.
    pub(crate) fn take_unsent_messages(&mut self) -> Vec<String> {
        let first = self.sent.max(self.own + self.beginning()).min(self.items.len());
        let unsent = self.items.split_off(first);
        let (taken, rest): (Vec<Item>, Vec<Item>) = unsent.into_iter().partition(Item::is_the_persons);
        self.items.extend(rest);
        self.lasting = self.lasting.min(self.items.len());
        let text = |item| match item {
            Item { message: Message::User { text, .. }, .. } => Some(text),
            _ => None,
        };
        taken.into_iter().filter_map(text).collect()
    }

    /// Everything, as a request has it.
    #[must_use]
    pub fn messages(&self, system: &str) -> Vec<Message> {
        let system = Message::System { text: system.to_owned() };
        std::iter::once(system).chain(self.items.iter().map(|item| item.message.clone())).collect()
    }

    /// What the session gave, and the turn's own items.
    #[must_use]
    pub fn given_and_own(&self) -> (&[Item], &[Item]) {
        self.items.split_at_checked(self.own).unwrap_or((&self.items, &[]))
    }

    /// Calls of tools, or results in the provider's own form, are in it.
    #[must_use]
    pub fn has_calls(&self) -> bool {
        self.items.iter().any(|item| item.message.is_of_calls())
    }

    /// Bytes of all its texts.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.items.iter().map(|item| item.bytes() as u64).sum()
    }

    /// Bytes of what no cut takes out: what is pinned, and what the turn begins with.
    #[must_use]
    pub fn least(&self) -> u64 {
        let (given, own) = self.given_and_own();
        let pinned = given.iter().zip(staying(given)).filter(|(_, stays)| *stays).map(|(item, _)| item);
        let later = own.iter().skip(self.beginning()).filter(|item| item.is_the_persons());
        pinned.chain(self.beginning_items()).chain(later).map(|item| item.bytes() as u64).sum()
    }

    /// A request holds all of it now.
    pub fn sent(&mut self) {
        self.sent = self.items.len();
    }

    /// A model has answered, and its answer was added.
    pub fn answered(&mut self) {
        self.lasting = self.items.len();
    }

    /// The ids of all calls in it: no other call may have one of them (X1).
    pub fn call_ids(&self) -> impl Iterator<Item = &str> {
        self.items.iter().flat_map(Item::call_ids)
    }

    /// A message that the model did not write has these lines, in this order: a file, a result, or what a person said.
    #[must_use]
    pub fn quotes(&self, block: &str) -> bool {
        let has_all = |text: &str| {
            let mut rest = text;
            block.lines().map(str::trim).filter(|line| !line.is_empty()).all(|line| {
                rest.find(line).is_some_and(|at| {
                    rest = &rest[at + line.len()..];
                    true
                })
            })
        };
        self.items.iter().any(|item| match &item.message {
            Message::System { text } | Message::User { text, .. } | Message::Tool { text, .. } => {
                has_all(text)
            }
            Message::Assistant { .. } => false,
        })
    }

    /// The latest box of this signature that can answer the call again (X6).
    #[must_use]
    pub fn held(&self, signature: &Signature) -> Option<Held> {
        let of_call = |item: &&Item| item.whole_box().is_some_and(|of| of.signature == *signature);
        self.items.iter().rev().find(of_call)?.held()
    }

    /// Cuts it to `goal` bytes, and by all means to `most`, where it can be. None where nothing may leave.
    pub fn cut(&mut self, goal: u64, most: u64, present: RequestId) -> Option<Left> {
        let steps = self.own + self.beginning();
        let Self { items, own, sent, .. } = self;
        let plan = Plan::of(Cuttable { items, own: *own, steps, unsent: *sent }, goal, most);
        if plan.is_empty() {
            return None;
        }
        let (boxes, turns) = plan.told(items, present);
        let calls = plan.calls(items);
        let [own, sent, lasting] = [self.own, self.sent, self.lasting].map(|end| end - plan.gone_before(end));
        plan.apply(items);
        (self.own, self.sent, self.lasting) = (own, sent, lasting);
        self.is_cut = true;
        Some(Left { boxes, turns, calls })
    }

    /// Does to what the session gave what a person wants done by hand (X3). Returns what left, and of how many items the pin has changed.
    /// `told`: the model is told of each result that a person took it.
    pub fn edit(&mut self, edits: &[ContextEdit], told: bool, present: RequestId) -> (Left, u32) {
        let given = self.items.get(..self.own).unwrap_or_default();
        let plan = Plan::by_hand(given, edits, told);
        let (boxes, turns) = plan.told(given, present);
        let calls = plan.calls(given);
        let mut rest = self.items.split_off(self.own);
        plan.apply(&mut self.items);
        let pins = self.items.iter_mut().map(|item| u32::from(pin(item, edits))).sum();
        let gone = self.own - self.items.len();
        self.items.append(&mut rest);
        (self.own, self.sent, self.lasting) = (self.own - gone, self.sent - gone, self.lasting - gone);
        self.is_cut |= pins > 0 || !plan.is_empty();
        (Left { boxes, turns, calls }, pins)
    }

    /// What later turns are given of what the turn begins with (X1). A message that ended its turn before any request held it is not part of the
    /// session: it would fill the room of the next one too. What has changed is told all the same.
    pub fn begins(&self, failed: bool) -> impl Iterator<Item = &Item> {
        let unsent = failed && self.sent == self.own;
        self.beginning_items().filter(move |item| !(unsent && item.is_the_persons()))
    }

    /// What the turn begins with: the person's message, and before it what has changed.
    fn beginning_items(&self) -> impl Iterator<Item = &Item> {
        let own = self.items.get(self.own..).unwrap_or_default();
        own.iter().take(if self.to_sum_up.is_some() { 0 } else { self.beginning() })
    }

    fn beginning(&self) -> usize {
        let own = self.items.get(self.own..).unwrap_or_default();
        match self.to_sum_up {
            Some(_) => 1,
            None => own.iter().position(Item::is_the_persons).map_or(0, |place| place + 1),
        }
    }

    /// What the session gave is all that later turns are given of it, whatever there was before.
    pub fn settle(&mut self) {
        self.is_cut = true;
    }

    /// What later turns are given of this one beyond what it begins with (X1). Of a turn that failed, what a model has answered to. A call
    /// without its result is left out: no provider takes it.
    #[must_use]
    pub fn left(&self, failed: bool) -> Vec<Item> {
        if self.to_sum_up.is_some() {
            return Vec::new();
        }
        let end = if failed { self.lasting } else { self.items.len() };
        let own = self.items.get(self.own + self.beginning()..end).unwrap_or_default();
        let answered: HashSet<&str> = own.iter().filter_map(Item::answered_call).collect();
        let lasts = own.iter().filter(|item| item.about != Some(About::Budget));
        // What the person wrote stays, also where its request failed.
        let more = self.items.get(end..).unwrap_or_default().iter().filter(|item| item.is_the_persons());
        lasts.chain(more).filter_map(|item| item.with_calls(&answered)).collect()
    }

    /// What later turns are given in the place of everything before this turn. None where that is unchanged.
    #[must_use]
    pub fn kept(&self) -> Option<&[Item]> {
        (self.is_cut && self.to_sum_up.is_none()).then(|| self.items.get(..self.own).unwrap_or_default())
    }
}

/// Pins an item, or takes its pin off. False where nothing changed.
fn pin(item: &mut Item, edits: &[ContextEdit]) -> bool {
    let before = item.pinned;
    for edit in edits {
        let (is_it, to) = match edit {
            ContextEdit::PinBox { request_id, tool_call_id, pinned } => {
                let is_box = item.whole_box().is_some_and(|of| of.call == *tool_call_id);
                (is_box && item.turn == Some(*request_id), *pinned)
            }
            ContextEdit::PinTurn { request_id, pinned } => (item.turn == Some(*request_id), *pinned),
            ContextEdit::EmptyBox { .. } | ContextEdit::RemoveTurn { .. } => (false, before),
        };
        if is_it {
            item.pinned = to;
        }
    }
    before != item.pinned
}
