//! What fills the room of a turn: before it begins, with what it would cut (X3), and while it runs (X2).

use orion_protocol::{ContextKind, ContextLoss, ContextPart, ContextView, CutCause, TurnEvent};

use super::course::Course;
use super::{Effect, Turn, TurnSetup};
use crate::context::{Gauge, Room, parts, said_in};

impl Turn {
    /// What fills the room of a turn with this setup, and what would leave before its first call. The message counts for what would leave.
    #[must_use]
    pub fn outlook(mut setup: TurnSetup) -> ContextView {
        // What a summary may make room for is told as well.
        setup.policy.compacts_at_cuts = false;
        let TurnSetup { system, changes, tools, history, gauge, .. } = &setup;
        let view = view(&setup, *gauge, parts(system, changes, tools, history, *gauge));
        let boxes = view.parts.iter().flat_map(|part| &part.boxes);
        let of_results = number(boxes.filter(|it| !it.emptied).count());
        let of_messages =
            view.parts.iter().filter(|part| part.kind == ContextKind::Turn).map(|part| part.count).sum();
        let (_, effects) = Self::start(setup);
        let cut = loss(&effects).map(|loss| ContextLoss { of_results, of_messages, ..loss });
        ContextView { cut, ..view }
    }

    /// What fills the room of this turn by now.
    #[must_use]
    pub fn filled(&self) -> ContextView {
        let Course { setup, conversation, gauge, .. } = &self.course;
        let (given, own) = conversation.given_and_own();
        let mut parts = parts(&setup.system, "", &setup.tools, given, *gauge);
        parts.push(said_in(Some(setup.ids.request_id), own, *gauge));
        view(setup, *gauge, parts)
    }
}

fn view(setup: &TurnSetup, gauge: Gauge, parts: Vec<ContextPart>) -> ContextView {
    let room = Room::of(&setup.numbers, setup.policy.max_output_tokens);
    ContextView {
        endpoint: setup.endpoint.clone(),
        model: setup.model.clone(),
        window: setup.numbers.window,
        window_source: setup.numbers.window_source,
        answer: room.map_or(0, |room| room.answer),
        room: room.map_or(0, Room::total),
        tokens: gauge.tokens(parts.iter().map(|part| part.bytes).sum()),
        counted: gauge != Gauge::default(),
        parts,
        cut: None,
        edits: Vec::new(),
    }
}

/// What the first effects of a turn say of cuts. None when nothing left.
fn loss(effects: &[Effect]) -> Option<ContextLoss> {
    let mut loss = ContextLoss {
        results: 0,
        of_results: 0,
        messages: 0,
        of_messages: 0,
        earlier: false,
        fits: effects.iter().any(|effect| matches!(effect, Effect::CallModel { .. })),
    };
    for effect in effects {
        if let Effect::Emit(envelope) = effect
            && let TurnEvent::ContextCut { cause: CutCause::Full, boxes, turns, earlier, .. } =
                &envelope.event
        {
            loss.results += number(boxes.len());
            loss.messages += turns.iter().map(|turns| turns.messages).sum::<u32>();
            loss.earlier |= earlier;
        }
    }
    let is_one = loss.results > 0 || loss.messages > 0 || loss.earlier || !loss.fits;
    is_one.then_some(loss)
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
