//! What a turn would be sent and what it would cut, before it begins (X2, X3).

use orion_protocol::{ContextKind, ContextLoss, ContextView, CutCause, TurnEvent};

use super::{Effect, Turn, TurnSetup};
use crate::context::{Gauge, Room, parts};

impl Turn {
    /// What fills the room of a turn with this setup, and what would leave before its first call. The message counts for what would leave.
    #[must_use]
    pub fn outlook(mut setup: TurnSetup) -> ContextView {
        // What a summary may make room for is told as well.
        setup.policy.compacts_at_cuts = false;
        let TurnSetup { system, changes, tools, history, gauge, numbers, .. } = &setup;
        let (window, window_source, room) = (numbers.window, numbers.window_source, Room::of(numbers, None));
        let parts = parts(system, changes, tools, history, *gauge);
        let (endpoint, model) = (setup.endpoint.clone(), setup.model.clone());
        let tokens = gauge.tokens(parts.iter().map(|part| part.bytes).sum());
        let counted = *gauge != Gauge::default();
        let boxes = parts.iter().flat_map(|part| &part.boxes);
        let of_results = number(boxes.filter(|it| !it.emptied).count());
        let of_messages =
            parts.iter().filter(|part| part.kind == ContextKind::Turn).map(|part| part.count).sum();
        let (_, effects) = Self::start(setup);
        let cut = loss(&effects).map(|loss| ContextLoss { of_results, of_messages, ..loss });
        ContextView {
            endpoint,
            model,
            window,
            window_source,
            answer: room.map_or(0, |room| room.answer),
            room: room.map_or(0, Room::total),
            tokens,
            counted,
            parts,
            cut,
        }
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
