//! Joins characters whose UTF-16 halves came in two events.
//!
//! A provider that cuts its text into UTF-16 units sends the first half of an emoji as a lone surrogate escape, and the
//! second half in the next event. [`crate::repair`] marks both, and they are joined here. A half that stays alone
//! becomes U+FFFD, or is left out where nothing follows it in the arguments of its call.

use std::collections::BTreeMap;

use orion_core::merge::Merge;
use orion_core::model::{ArgumentsDelta, ModelDelta, ToolCallDelta};

use crate::repair::half;

/// The first halves that wait for their second, one for each kind of text and for the arguments of each call.
#[derive(Debug, Default)]
pub(crate) struct SplitPairs {
    text: Option<u16>,
    reasoning: Option<u16>,
    /// By the place of the call in the response.
    calls: BTreeMap<usize, u16>,
    /// Tells to which call a piece belongs (P9).
    merge: Merge,
}

impl SplitPairs {
    /// Puts halves together in the pieces of a payload. `marked`: halves in it are marked.
    pub(crate) fn join(&mut self, deltas: &mut Vec<ModelDelta>, marked: bool) {
        let waits = self.text.or(self.reasoning).is_some() || !self.calls.is_empty();
        for delta in deltas.iter_mut() {
            // Also where nothing is to be joined: a later piece may name its call by the index alone.
            let call = self.merge.apply(delta);
            match delta {
                _ if !marked && !waits => {}
                ModelDelta::Text { text } => *text = joined(&mut self.text, text, marked),
                ModelDelta::Reasoning { text } => *text = joined(&mut self.reasoning, text, marked),
                ModelDelta::ToolCall { delta } => self.join_arguments(call, delta, marked),
                ModelDelta::ReasoningField { .. }
                | ModelDelta::ReasoningDetails { .. }
                | ModelDelta::Finish { .. }
                | ModelDelta::Usage { .. } => {}
            }
        }
        if !marked && !waits {
            return;
        }
        // Anything after a finish reason would not be part of the answer.
        if let Some(at) = deltas.iter().position(|delta| matches!(delta, ModelDelta::Finish { .. })) {
            deltas.splice(at..at, self.rest());
        }
        deltas.retain(|delta| match delta {
            ModelDelta::Text { text } | ModelDelta::Reasoning { text } => !text.is_empty(),
            _ => true,
        });
    }

    /// `call` is none for one that `orion-core` drops.
    fn join_arguments(&mut self, call: Option<usize>, delta: &mut ToolCallDelta, marked: bool) {
        match &mut delta.arguments {
            Some(ArgumentsDelta::Fragment(text)) => {
                let mut waiting = call.and_then(|call| self.calls.remove(&call));
                *text = joined(&mut waiting, text, marked);
                self.calls.extend(call.zip(waiting));
            }
            // A JSON value is never split.
            Some(ArgumentsDelta::Whole(text)) => *text = joined(&mut None, text, marked),
            None => {}
        }
    }

    /// The halves that stay alone.
    pub(crate) fn rest(&mut self) -> Vec<ModelDelta> {
        let alone = || char::REPLACEMENT_CHARACTER.to_string();
        let reasoning = self.reasoning.take().map(|_| ModelDelta::Reasoning { text: alone() });
        let text = self.text.take().map(|_| ModelDelta::Text { text: alone() });
        // Half a character at the end of arguments leaves them unfinished in any case.
        self.calls.clear();
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
    use orion_core::merge::MAX_CALLS;

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
        deltas.retain(|delta| !matches!(delta, ModelDelta::ReasoningField { .. }));
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
    fn pairs_of_calls_that_come_side_by_side_are_joined_each_in_its_own_call() {
        let call = |place: &str, text| {
            format!(r#"{{"tool_calls":[{{{place},"function":{{"name":"f","arguments":"{text}"}}}}]}}"#)
        };
        let split = |one: &str, other: &str| {
            [(one, r"x\ud83d"), (other, r"y\ud83c"), (one, r"\ude00"), (other, r"\udf0d")]
                .map(|(place, text)| call(place, text))
        };
        for places in [(r#""index":0"#, r#""index":1"#), (r#""id":"a""#, r#""id":"b""#)] {
            let said = split(places.0, places.1);
            let said: Vec<&str> = said.iter().map(String::as_str).collect();
            assert_eq!(read(&said), ["calls x", "calls y", "calls 😀", "calls 🌍"], "{places:?}");
        }
        // The piece that begins a call has its id, and those that follow may have only its index.
        let said = [
            call(r#""index":0,"id":"a""#, r"\ud83d"),
            call(r#""index":1,"id":"b""#, r"\ud83c"),
            call(r#""index":0"#, r"\ude00"),
            call(r#""index":1"#, r"\udf0d"),
        ];
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        assert_eq!(read(&said), ["calls ", "calls ", "calls 😀", "calls 🌍"]);
    }

    #[test]
    fn a_half_goes_to_the_call_of_its_piece_and_to_no_other() {
        // P9
        let call = |place: &str, arguments: &str| {
            format!(r#"{{"tool_calls":[{{"index":0,{place}"function":{{{arguments}}}}}]}}"#)
        };
        // Another id begins no call without a name.
        let same = [
            call(r#""id":"a","#, r#""name":"f","arguments":"x\ud83d""#),
            call(r#""id":"b","#, r#""arguments":"\ude00y""#),
        ];
        assert_eq!(read(&same.each_ref().map(String::as_str)), ["calls x", "calls 😀y"]);
        // With a name it does, and what goes on at this index is then of the new call.
        let another = [
            call(r#""id":"a","#, r#""name":"f","arguments":"x""#),
            call("", r#""arguments":"\ud83d""#),
            call(r#""id":"b","#, r#""name":"f","arguments":"y""#),
            call("", r#""arguments":"\ude00z""#),
        ];
        assert_eq!(
            read(&another.each_ref().map(String::as_str)),
            ["calls x", "calls ", "calls y", "calls \u{fffd}z"]
        );
    }

    #[test]
    fn no_more_halves_are_kept_than_there_may_be_calls() {
        let mut pairs = SplitPairs::default();
        for index in 0..2 * MAX_CALLS as u32 {
            let arguments = Some(ArgumentsDelta::Fragment("\u{10003d}".into()));
            let delta = ToolCallDelta { index: Some(index), arguments, ..ToolCallDelta::default() };
            pairs.join(&mut vec![ModelDelta::ToolCall { delta }], true);
        }
        assert_eq!(pairs.calls.len(), MAX_CALLS);
        pairs.rest();
        assert!(pairs.calls.is_empty());
    }

    #[test]
    fn half_a_character_in_arguments_that_are_a_value_is_the_replacement_character() {
        let payload =
            r#"{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":{"a":"x\ud83d"}}}]}}]}"#;
        let deltas = Chunks::default().read(payload).unwrap().deltas;
        let whole = Some(ArgumentsDelta::Whole("{\"a\":\"x\u{fffd}\"}".into()));
        let delta = ToolCallDelta { arguments: whole, ..ToolCallDelta::default() };
        assert_eq!(deltas, [ModelDelta::ToolCall { delta }]);
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
