//! Joins characters whose UTF-16 halves came in two events.
//!
//! A provider that cuts its text into UTF-16 units sends the first half of an emoji as a lone surrogate escape, and the
//! second half in the next event. [`crate::repair`] marks both, and they are joined here. A half that stays alone
//! becomes U+FFFD.

use orion_core::model::{ArgumentsDelta, ModelDelta};

use crate::repair::half;

/// The first halves that wait for their second, one for each kind of text.
#[derive(Debug, Default)]
pub(crate) struct SplitPairs {
    text: Option<u16>,
    reasoning: Option<u16>,
    arguments: Option<u16>,
}

impl SplitPairs {
    /// Puts halves together in the pieces of a payload. `marked`: halves in it are marked.
    pub(crate) fn join(&mut self, deltas: &mut Vec<ModelDelta>, marked: bool) {
        let waits = self.text.or(self.reasoning).or(self.arguments).is_some();
        if !marked && !waits {
            return;
        }
        for delta in deltas.iter_mut() {
            let (waiting, text) = match delta {
                ModelDelta::Text { text } => (&mut self.text, text),
                ModelDelta::Reasoning { text } => (&mut self.reasoning, text),
                ModelDelta::ToolCall { delta } => match &mut delta.arguments {
                    Some(ArgumentsDelta::Fragment(text)) => (&mut self.arguments, text),
                    Some(ArgumentsDelta::Whole(_)) | None => continue,
                },
                ModelDelta::Finish { .. } | ModelDelta::Usage { .. } => continue,
            };
            *text = joined(waiting, text, marked);
        }
        // Anything after a finish reason would not be part of the answer.
        if let Some(at) = deltas.iter().position(|delta| matches!(delta, ModelDelta::Finish { .. })) {
            deltas.splice(at..at, self.rest());
        }
        deltas.retain(|delta| match delta {
            ModelDelta::Text { text } | ModelDelta::Reasoning { text } => !text.is_empty(),
            ModelDelta::ToolCall { .. } | ModelDelta::Finish { .. } | ModelDelta::Usage { .. } => true,
        });
    }

    /// The halves that stay alone.
    pub(crate) fn rest(&mut self) -> Vec<ModelDelta> {
        let alone = || char::REPLACEMENT_CHARACTER.to_string();
        let reasoning = self.reasoning.take().map(|_| ModelDelta::Reasoning { text: alone() });
        let text = self.text.take().map(|_| ModelDelta::Text { text: alone() });
        // Half a character at the end of arguments leaves them unfinished in any case.
        self.arguments = None;
        reasoning.into_iter().chain(text).collect()
    }
}

fn joined(waiting: &mut Option<u16>, text: &str, marked: bool) -> String {
    let mut joined = String::with_capacity(text.len() + char::REPLACEMENT_CHARACTER.len_utf8());
    for next in text.chars() {
        let unit = half(next).filter(|_| marked);
        let pair =
            waiting.take().map(|high| char::decode_utf16([Some(high), unit].into_iter().flatten()).next());
        let whole = pair.map(|pair| pair.and_then(Result::ok));
        match (whole, unit) {
            (Some(Some(pair)), _) => joined.push(pair),
            (before, unit) => {
                joined.extend(before.map(|_| char::REPLACEMENT_CHARACTER));
                match unit {
                    Some(high @ 0xD800..=0xDBFF) => *waiting = Some(high),
                    Some(_) => joined.push(char::REPLACEMENT_CHARACTER),
                    None => joined.push(next),
                }
            }
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunks;

    /// The text of payloads with these contents, written as in JSON.
    fn read(contents: &[&str]) -> Vec<String> {
        let mut chunks = Chunks::default();
        let mut deltas = Vec::new();
        for content in contents {
            deltas.extend(chunks.read(&format!(r#"{{"choices":[{{"delta":{content}}}]}}"#)).unwrap().deltas);
        }
        deltas.extend(chunks.rest());
        let said = |delta| match delta {
            ModelDelta::Text { text } => text,
            ModelDelta::Reasoning { text } => format!("thinks {text}"),
            ModelDelta::ToolCall { delta } => match delta.arguments {
                Some(ArgumentsDelta::Fragment(text)) => format!("calls {text}"),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        };
        deltas.into_iter().map(said).collect()
    }

    #[test]
    fn a_pair_that_is_split_over_two_events_becomes_one_character() {
        assert_eq!(read(&[r#"{"content":"a\ud83d"}"#, r#"{"content":"\ude00b"}"#]), ["a", "😀b"]);
        assert_eq!(
            read(&[r#"{"content":"\ud83d"}"#, r#"{"content":""}"#, r#"{"content":"\ude00"}"#]),
            ["😀"]
        );
        assert_eq!(
            read(&[
                r#"{"content":"\ud83d"}"#,
                r#"{"reasoning":"\ud83c"}"#,
                r#"{"content":"\ude00"}"#,
                r#"{"reasoning":"\udf0d"}"#
            ]),
            ["😀", "thinks 🌍"]
        );
        let calls = |text| format!(r#"{{"tool_calls":[{{"index":0,"function":{{"arguments":"{text}"}}}}]}}"#);
        assert_eq!(read(&[&calls(r"x\ud83d"), &calls(r"\ude00")]), ["calls x", "calls 😀"]);
    }

    #[test]
    fn halves_that_stay_alone_become_the_replacement_character() {
        assert_eq!(read(&[r#"{"content":"a\ud83d"}"#, r#"{"content":"b"}"#]), ["a", "\u{fffd}b"]);
        assert_eq!(read(&[r#"{"content":"\ude00"}"#, r#"{"content":"\ud83d"}"#]), ["\u{fffd}", "\u{fffd}"]);
        assert_eq!(read(&[r#"{"content":"\ud83d\ud83d"}"#, r#"{"content":"\ude00"}"#]), ["\u{fffd}", "😀"]);
        assert_eq!(
            read(&[r#"{"content":"\ud83d\ude00\ud83d"}"#, r#"{"content":"😀"}"#]),
            ["😀", "\u{fffd}😀"]
        );
    }

    #[test]
    fn the_marks_themselves_are_text_where_nothing_is_split() {
        let mark = "\u{10003d}";
        assert_eq!(read(&[&format!(r#"{{"content":"{mark}"}}"#)]), [mark]);
    }
}
