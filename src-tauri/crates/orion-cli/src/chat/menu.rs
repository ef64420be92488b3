//! A choice of answers, each with a key and a word.

use orion_protocol::ErrorInfo;

use super::Chat;
use super::prompt::{For, Typed};
use crate::terminal::{remark, say};

/// An answer that can be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Choice {
    key: &'static str,
    says: String,
}

#[cfg(test)]
impl Choice {
    pub(super) fn key(&self) -> &'static str {
        self.key
    }
}

pub(super) fn choice(key: &'static str, says: impl Into<String>) -> Choice {
    Choice { key, says: says.into() }
}

/// What the person picked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Picked {
    /// The key of a choice, and what was typed after it.
    Choice(&'static str, String),
    /// Ctrl-C: the turn is to stop (A4).
    Stop,
    /// Ctrl-D: the turn goes on waiting.
    Leave,
}

/// Shows the choices and asks for one. What was typed before is not taken for an answer (A7).
///
/// # Errors
/// The terminal cannot be read.
pub(super) async fn pick(chat: &mut Chat, choices: &[Choice]) -> Result<Picked, ErrorInfo> {
    for Choice { key, says } in choices {
        say(&format!("  {key}  {says}"));
    }
    chat.forget_typed();
    loop {
        match chat.lines.next(For::Answer, "answer> ", "").await? {
            Typed::Leave => return Ok(Picked::Leave),
            Typed::Interrupt { empty: true } => return Ok(Picked::Stop),
            Typed::Interrupt { empty: false } | Typed::Continue => {}
            Typed::Line(line) => match picked(choices, &line) {
                Some(picked) => return Ok(picked),
                None => {
                    let keys: Vec<&str> = choices.iter().map(|choice| choice.key).collect();
                    remark(&format!(
                        "Type one of {}. Ctrl-C stops the turn, Ctrl-D leaves it waiting.",
                        keys.join(", ")
                    ));
                }
            },
        }
    }
}

fn picked(choices: &[Choice], line: &str) -> Option<Picked> {
    let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
    let word = word.to_lowercase();
    let choice = choices.iter().find(|choice| choice.key == word)?;
    Some(Picked::Choice(choice.key, rest.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_its_key_alone_and_anything_else_is_asked_again() {
        let choices = [choice("o", "once"), choice("w", "reject and say why")];
        assert_eq!(picked(&choices, " O "), Some(Picked::Choice("o", String::new())));
        assert_eq!(picked(&choices, "w it is  late"), Some(Picked::Choice("w", "it is  late".to_owned())));
        for line in ["", "y", "once", "ow"] {
            assert_eq!(picked(&choices, line), None, "{line}");
        }
    }
}
