//! The texts of a response as they are read: thoughts and calls that the model writes into its text are taken out of it (P5, P9).
//!
//! Deliberately not here: how they are recognised (`thoughts`, `leak`), and what becomes of a call (`dispatch`).

use orion_protocol::Purpose;

use super::Effect;
use super::course::Course;
use super::flags::Flag;
use super::phases::{Action, Unread};
use crate::leak::{Beginnings, Block, LeakedCall, Piece, Read, Recogniser};
use crate::model::{FinishReason, ModelDelta};
use crate::thoughts::{Part, Thoughts};

impl Action {
    /// The parts of a piece of the response, the thoughts in its text as reasoning.
    pub(super) fn parts(&mut self, delta: ModelDelta) -> Vec<ModelDelta> {
        match delta {
            ModelDelta::Text { text } => {
                self.came.text.push_str(&text);
                match &mut self.thoughts {
                    Some(thoughts) => thoughts.split(&text).into_iter().map(ModelDelta::from).collect(),
                    None => vec![ModelDelta::Text { text }],
                }
            }
            ModelDelta::Reasoning { text } => {
                self.came.reasoning.push_str(&text);
                if let Some(thoughts) = self.thoughts.as_mut().filter(|_| !text.is_empty()) {
                    thoughts.came_apart();
                }
                vec![ModelDelta::Reasoning { text }]
            }
            ModelDelta::ToolCall { .. } => {
                let assumed = self.thoughts.as_ref().map_or(0, Thoughts::assumed);
                let said = self.thoughts.as_mut().and_then(Thoughts::call_came).map(ModelDelta::from);
                self.was_text(assumed);
                said.into_iter().chain([delta]).collect()
            }
            other => vec![other],
        }
    }
}

impl Action {
    /// So much at the end of the reasoning was text.
    fn was_text(&mut self, bytes: usize) {
        self.reasoning.truncate(self.reasoning.len().saturating_sub(bytes));
    }

    /// Nothing but reasoning has come.
    pub(super) fn only_reasons(&self) -> bool {
        self.text.trim().is_empty() && self.merge.calls().is_empty()
    }

    /// Cuts reasoning to what is left to it, as long as nothing else has come. True where that is used up (T7).
    pub(super) fn cut_to_thoughts(&self, part: &mut ModelDelta) -> bool {
        let (ModelDelta::Reasoning { text }, Some(most)) = (part, self.most_thoughts) else { return false };
        // What is taken for a thought may be the answer.
        let assumed = self.thoughts.as_ref().map_or(0, Thoughts::assumed) > 0;
        if assumed || !self.only_reasons() {
            return false;
        }
        let room = most.saturating_sub(self.reasoning.len());
        let is_over = text.len() > room;
        text.truncate(text.floor_char_boundary(room));
        is_over
    }
}

impl From<Part> for ModelDelta {
    fn from(part: Part) -> Self {
        match part {
            Part::Thought(text) => Self::Reasoning { text },
            Part::Text(text) => Self::Text { text },
        }
    }
}

impl Course {
    /// Splits the thoughts off a response that begins.
    pub(super) fn thoughts(&self) -> Option<Thoughts> {
        let splits = self.setup.flags.has(Flag::SplitThoughts);
        splits.then(|| Thoughts::new(self.setup.profile.begins_in_thought))
    }

    /// Finds calls in the text of a response that begins.
    pub(super) fn recogniser(&mut self) -> Option<Recogniser> {
        if !self.setup.flags.has(Flag::ReadLeaks) || self.setup.purpose() != Purpose::Answer {
            return None;
        }
        let beginnings = self.beginnings.get_or_insert_with(|| Beginnings::of(self.setup.tools.clone()));
        Some(Recogniser::new(beginnings.clone()))
    }

    /// Reads the text that comes next.
    pub(super) fn read_text(&mut self, action: &mut Action, mut text: String, effects: &mut Vec<Effect>) {
        match &mut action.recogniser {
            Some(recogniser) if !action.has_leaked => {
                if recogniser.passes(&mut text) {
                    return self.say_text(action, text, effects);
                }
                let mut pieces = Vec::new();
                recogniser.push(&text, &mut pieces);
                self.take_pieces(action, pieces, effects);
            }
            Some(_) => {}
            None => self.say_text(action, text, effects),
        }
    }

    /// The text is over: what was held back is read.
    pub(super) fn read_rest(&mut self, action: &mut Action, effects: &mut Vec<Effect>) {
        if action.response.broke_off().is_some() {
            return self.show_rest(action, effects); // P10: no call of it runs.
        }
        let assumed = action.thoughts.as_ref().map_or(0, Thoughts::assumed);
        let cut_off = action.response.meaning(&self.setup.profile) == FinishReason::Length;
        match action.thoughts.as_mut().and_then(|thoughts| thoughts.finish(cut_off)) {
            Some(Part::Thought(text)) => self.reason(action, text, effects),
            Some(Part::Text(text)) => {
                action.was_text(assumed);
                self.read_text(action, text, effects);
            }
            None => {}
        }
        if let Some(recogniser) = &mut action.recogniser {
            let mut pieces = Vec::new();
            recogniser.finish(&mut pieces);
            self.take_pieces(action, pieces, effects);
        }
    }

    /// The response is dropped: what was held back is text.
    pub(super) fn show_rest(&mut self, action: &mut Action, effects: &mut Vec<Effect>) {
        match action.thoughts.take().and_then(|mut thoughts| thoughts.finish(true)) {
            Some(Part::Thought(text)) => self.reason(action, text, effects),
            Some(Part::Text(text)) if !action.has_leaked => self.read_text(action, text, effects),
            Some(Part::Text(_)) | None => {}
        }
        let Some(mut recogniser) = action.recogniser.take().filter(|_| !action.has_leaked) else { return };
        let mut pieces = Vec::new();
        recogniser.finish(&mut pieces);
        for piece in pieces {
            let (Piece::Text(text) | Piece::Block(Block { text, .. })) = piece;
            self.say_text(action, text, effects);
        }
    }

    fn take_pieces(&mut self, action: &mut Action, pieces: Vec<Piece>, effects: &mut Vec<Effect>) {
        for piece in pieces {
            match piece {
                _ if action.has_leaked => return,
                Piece::Text(text) => self.say_text(action, text, effects),
                Piece::Block(Block { text, read }) => {
                    if !self.take_call(action, &text, read) {
                        self.say_text(action, text, effects);
                    }
                }
            }
        }
    }

    /// Takes a block as a call, where it is one: calls are allowed, the response has no other, the name and the arguments fit a tool on offer, and nothing
    /// in the conversation has the same. False where it is text.
    fn take_call(&mut self, action: &mut Action, block: &str, read: Read) -> bool {
        let allowed = action.forced.is_none() && action.merge.calls().is_empty();
        let unread = match read {
            Read::Call(LeakedCall { name, arguments }) => match self.setup.tools.meant(&name) {
                Some(tool) => {
                    let arguments = arguments.read_for(tool);
                    if allowed && tool.fits(&tool.arguments_meant(&arguments)) {
                        if self.conversation.quotes(block) {
                            return false;
                        }
                        action.merge.leaked(name, arguments);
                        action.has_leaked = true;
                        return true;
                    }
                    Unread::Unfit { name: tool.name.clone() }
                }
                None => Unread::Other,
            },
            Read::Broken { name: Some(name) } => Unread::Unfit { name },
            Read::Broken { name: None } => Unread::Other,
        };
        // The conversation is searched once at most: the first one counts.
        if action.unread.is_none() && !self.conversation.quotes(block) {
            action.unread = Some(unread);
        }
        false
    }

    pub(super) fn say_text(&mut self, action: &mut Action, text: String, effects: &mut Vec<Effect>) {
        if text.is_empty() {
            return;
        }
        action.text.push_str(&text);
        self.show_text(text, effects);
    }

    pub(super) fn reason(&mut self, action: &mut Action, text: String, effects: &mut Vec<Effect>) {
        if text.is_empty() {
            return;
        }
        action.reasoning.push_str(&text);
        self.show_reasoning(text, effects);
    }
}
