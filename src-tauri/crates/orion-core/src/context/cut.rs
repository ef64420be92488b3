//! What leaves a conversation when there is no more room (X3): first the bodies of old boxes, then the oldest turns, then the person's own
//! messages in them, and last the first steps of the present turn. Its message stays, and a call leaves with its box.
//!
//! Deliberately not here: when to cut, and which numbers decide it.

use orion_protocol::{CallId, ContextEdit, CutBox, CutTurns, RequestId};

use super::item::Item;
use crate::model::Message;

/// A conversation, and which part of it may leave.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cuttable<'a> {
    /// Oldest first.
    pub(super) items: &'a [Item],
    /// Where the present turn begins.
    pub(super) own: usize,
    /// Where its steps begin, after its message.
    pub(super) steps: usize,
    /// What no request has held yet: its boxes are emptied last of all.
    pub(super) unsent: usize,
}

/// Which items may not leave: those that a person has pinned, and with the provider's own result of a call its call and the results of the
/// calls beside it, since no provider takes one without the other.
pub(super) fn staying(items: &[Item]) -> Vec<bool> {
    let mut stays: Vec<bool> = items.iter().map(|item| item.pinned).collect();
    for (place, item) in items.iter().enumerate() {
        let Message::Assistant { tool_calls, .. } = &item.message else { continue };
        let calls: Vec<&str> = tool_calls.iter().map(|call| call.id.as_str()).collect();
        let rest = items.get(place + 1..).unwrap_or_default();
        let answers: Vec<usize> = (place + 1..)
            .zip(rest)
            .take_while(|(_, item)| !matches!(item.message, Message::Assistant { .. }))
            .filter(|(_, item)| item.answered_call().is_some_and(|call| calls.contains(&call)))
            .map(|(place, _)| place)
            .collect();
        let stay = answers.iter().chain([&place]).any(|&place| stays.get(place) == Some(&true));
        for place in answers.into_iter().chain([place]).filter(|_| stay) {
            if let Some(stays) = stays.get_mut(place) {
                *stays = true;
            }
        }
    }
    stays
}

/// What leaves, by the places of the items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Boxes whose body leaves; ascending.
    pub(super) emptied: Vec<usize>,
    /// Items that leave whole; ascending.
    pub(super) left: Vec<usize>,
    /// A person takes it out, and not the lack of room: the boxes say so.
    by_person: bool,
}

impl Plan {
    /// The least that has to leave so that the items have at most `goal` bytes. Where that cannot be, all that may leave without the unsent
    /// boxes. These are emptied only while there are more than `most` bytes.
    #[must_use]
    pub(super) fn of(conversation: Cuttable<'_>, goal: u64, most: u64) -> Self {
        let Cuttable { items, own, steps, unsent } = conversation;
        let mut plan = Self::default();
        let mut bytes: u64 = items.iter().map(size).sum();
        let (sent, new) = items.split_at(unsent.min(items.len()));
        plan.empty(sent, 0, goal, &mut bytes);
        plan.leave(items.get(..own).unwrap_or(items), goal, &mut bytes);
        plan.leave_steps(items.get(..unsent).unwrap_or(items), steps, goal, &mut bytes);
        plan.empty(new, sent.len(), most, &mut bytes);
        plan
    }

    /// What a person takes out by hand. What is not there any more is left as it is. `told`: the boxes say who took their bodies.
    #[must_use]
    pub(super) fn by_hand(items: &[Item], edits: &[ContextEdit], told: bool) -> Self {
        let mut plan = Self { by_person: told, ..Self::default() };
        for (place, item) in items.iter().enumerate() {
            let leaves = edits.iter().any(|edit| match edit {
                ContextEdit::RemoveTurn { request_id } => item.turn == Some(*request_id),
                _ => false,
            });
            let emptied = item.whole_box().is_some_and(|of| {
                edits.iter().any(|edit| match edit {
                    ContextEdit::EmptyBox { request_id, tool_call_id } => {
                        item.turn == Some(*request_id) && of.call == *tool_call_id
                    }
                    _ => false,
                })
            });
            if leaves {
                plan.left.push(place);
            } else if emptied {
                plan.emptied.push(place);
            }
        }
        plan
    }

    #[must_use]
    pub(super) fn is_empty(&self) -> bool {
        self.emptied.is_empty() && self.left.is_empty()
    }

    /// Empties boxes, the oldest first. `first` is the place of the first item.
    fn empty(&mut self, items: &[Item], first: usize, goal: u64, bytes: &mut u64) {
        for (place, item) in (first..).zip(items).filter(|(_, item)| !item.pinned) {
            if *bytes <= goal {
                return;
            }
            let less =
                item.bytes().saturating_sub(item.emptied(false).map_or(item.bytes(), |text| text.len()));
            if less > 0 {
                *bytes -= less as u64;
                self.emptied.push(place);
            }
        }
    }

    /// Lets whole turns leave, the oldest first: in a first round all but the person's messages and entries, in a second these.
    fn leave(&mut self, items: &[Item], goal: u64, bytes: &mut u64) {
        let stays = staying(items);
        for last in [false, true] {
            let mut from = 0;
            while from < items.len() && *bytes > goal {
                let end = end_of_turn(items, from);
                for (place, item) in (from..).zip(items.get(from..end).unwrap_or_default()) {
                    if item.leaves_last() == last && stays.get(place) != Some(&true) {
                        self.leave_one(place, item, bytes);
                    }
                }
                from = end;
            }
        }
        self.left.sort_unstable();
    }

    /// Lets steps of the present turn leave, the oldest first: what the model said, with its calls and their boxes.
    fn leave_steps(&mut self, items: &[Item], steps: usize, goal: u64, bytes: &mut u64) {
        let mut from = steps;
        while from < items.len() && *bytes > goal {
            let rest = items.get(from + 1..).unwrap_or_default();
            let next = rest.iter().position(|item| matches!(item.message, Message::Assistant { .. }));
            let end = next.map_or(items.len(), |length| from + 1 + length);
            for (place, item) in (from..).zip(items.get(from..end).unwrap_or_default()) {
                // A9: what the person wrote meanwhile is a message of this turn too.
                if !item.is_the_persons() {
                    self.leave_one(place, item, bytes);
                }
            }
            from = end;
        }
    }

    fn leave_one(&mut self, place: usize, item: &Item, bytes: &mut u64) {
        *bytes -= match self.emptied.binary_search(&place) {
            Ok(at) => {
                self.emptied.remove(at);
                item.emptied(false).map_or(0, |text| text.len() as u64)
            }
            Err(_) => size(item),
        };
        self.left.push(place);
    }

    /// The calls whose boxes do not stay whole. Those of earlier turns count too, since they may have answered a call of this one (X6).
    pub(super) fn calls(&self, items: &[Item]) -> Vec<CallId> {
        let places = self.emptied.iter().chain(&self.left);
        places.filter_map(|&place| Some(items.get(place)?.whole_box()?.call.clone())).collect()
    }

    /// What leaves, in the words of an event: each item is named by its box or its turn.
    #[must_use]
    pub(super) fn told(&self, items: &[Item], present: RequestId) -> (Vec<CutBox>, Vec<CutTurns>) {
        let turn = |item: &Item| item.turn.unwrap_or(present);
        let boxes = self.emptied.iter().filter_map(|&place| {
            let item = items.get(place)?;
            let of = item.whole_box()?;
            let bytes = item.bytes().saturating_sub(of.head) as u64;
            Some(CutBox { request_id: turn(item), tool_call_id: of.call.clone(), bytes })
        });
        let mut turns: Vec<CutTurns> = Vec::new();
        let mut before: Option<(usize, RequestId)> = None;
        for &place in &self.left {
            let Some(item) = items.get(place) else { continue };
            let request_id = turn(item);
            // No item of a third turn stands between two that follow each other.
            let follows = before.is_some_and(|(from, before)| {
                let between = items.get(from..place).unwrap_or_default();
                between.iter().all(|item| [before, request_id].contains(&turn(item)))
            });
            match turns.last_mut().filter(|_| follows) {
                Some(last) => {
                    last.turns += u32::from(last.last != request_id);
                    last.last = request_id;
                    last.messages += 1;
                    last.bytes += size(item);
                }
                None => turns.push(CutTurns {
                    first: request_id,
                    last: request_id,
                    turns: 1,
                    messages: 1,
                    bytes: size(item),
                }),
            }
            before = Some((place, request_id));
        }
        (boxes.collect(), turns)
    }

    /// How many items leave of those before this place.
    pub(super) fn gone_before(&self, place: usize) -> usize {
        self.left.partition_point(|&left| left < place)
    }

    /// Carries it out.
    pub(super) fn apply(&self, items: &mut Vec<Item>) {
        for &place in &self.emptied {
            if let Some(item) = items.get_mut(place) {
                item.empty(self.by_person);
            }
        }
        let mut place = 0;
        items.retain(|_| {
            place += 1;
            self.left.binary_search(&(place - 1)).is_err()
        });
    }
}

fn size(item: &Item) -> u64 {
    item.bytes() as u64
}

/// Where the turn ends that begins here.
pub(super) fn end_of_turn(items: &[Item], from: usize) -> usize {
    let rest = items.get(from..).unwrap_or_default();
    let turn = rest.first().and_then(|item| item.turn);
    // Items of a turn that is under way name none: there each of the person's messages begins one.
    let next = rest.iter().skip(1).position(|item| match turn {
        Some(_) => item.turn != turn,
        None => item.turn.is_some() || item.is_the_persons(),
    });
    next.map_or(items.len(), |length| from + length + 1)
}
