//! Thoughts that a model writes into its text, before its answer: split off, so that they are reasoning (P9). Docs: decision 0089.
//!
//! Only what stands before the first text of a response is looked at. A tag in the middle of an answer is text.

/// The tags around thoughts: the one that opens them, the ones that close them, and the families that have them.
const TAGS: [(&str, &[&str]); 7] = [
    // DeepSeek R1, Qwen, GLM and most others.
    ("<think>", &["</think>"]),
    // MiniMax.
    ("<mm:think>", &["</mm:think>"]),
    // Mistral.
    ("[THINK]", &["[/THINK]"]),
    // Seed.
    ("<seed:think>", &["</seed:think>"]),
    // Cohere.
    ("<|START_THINKING|>", &["<|END_THINKING|>"]),
    // Gemma 4.
    ("<|channel>thought", &["<channel|>"]),
    // gpt-oss. Its next channel begins where a server leaves the end of the message out.
    ("<|channel|>analysis<|message|>", &["<|end|>", MESSAGE]),
];

/// The ends of thoughts whose beginning was in the prompt.
const ENDS: [&str; 6] =
    ["</think>", "</mm:think>", "[/THINK]", "</seed:think>", "<|END_THINKING|>", "<channel|>"];

/// The head of the message that a person reads, which gpt-oss writes after its thoughts.
const HEADS: [&str; 2] = ["<|start|>assistant<|channel|>final<|message|>", "<|channel|>final<|message|>"];
/// The beginning of a message of gpt-oss.
const MESSAGE: &str = "<|start|>assistant";

/// The most white space before a tag, in characters: many times what a template puts there. More of it is text, which is watched (P11).
const SPACE: usize = 256;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Thought(String),
    Text(String),
}

impl Part {
    fn is_empty(&self) -> bool {
        let (Self::Thought(text) | Self::Text(text)) = self;
        text.is_empty()
    }
}

/// The text of one response as far as it has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thoughts(State);

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// No text has come yet. What is held may be a tag; white space before text is part of it, unless thoughts came before.
    Before { held: String, after_thoughts: bool, space: usize },
    /// In a thought that one of these ends. What is held may be an end.
    Inside { ends: &'static [&'static str], held: String, assumed: Option<String> },
    /// The text has begun.
    Over,
}

impl Thoughts {
    /// A response begins. `inside`: its prompt ends in a thought.
    #[must_use]
    pub fn new(inside: bool) -> Self {
        Self(match inside {
            true => State::Inside { ends: &ENDS, held: String::new(), assumed: Some(String::new()) },
            false => State::Before { held: String::new(), after_thoughts: false, space: 0 },
        })
    }

    /// Reasoning came in a field of its own: the server splits thoughts off itself.
    pub fn came_apart(&mut self) {
        if let State::Inside { assumed: Some(said), .. } = &self.0
            && said.is_empty()
        {
            self.0 = State::Before { held: String::new(), after_thoughts: true, space: 0 };
        }
    }

    /// A call came in a field of its own: a thought that was taken for one because the prompt ended in one is over, and was text.
    pub fn call_came(&mut self) -> Option<Part> {
        match std::mem::replace(&mut self.0, State::Over) {
            State::Inside { held, assumed: Some(said), .. } => {
                Some(Part::Text(said + &held)).filter(|part| !part.is_empty())
            }
            other => {
                self.0 = other;
                None
            }
        }
    }

    /// Bytes of text that were taken for a thought for no other reason than that the prompt ended in one.
    #[must_use]
    pub fn assumed(&self) -> usize {
        match &self.0 {
            State::Inside { assumed: Some(said), .. } => said.len(),
            State::Inside { assumed: None, .. } | State::Before { .. } | State::Over => 0,
        }
    }

    /// Splits the text that comes next.
    pub fn split(&mut self, text: &str) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut rest = Some(text.to_owned());
        while let Some(text) = rest {
            rest = self.take(text, &mut parts);
        }
        parts
    }

    /// The response is over. `cut_off`: at its limit. Returns what is held, and all that was taken for a thought for no other reason than that the prompt
    /// ended in one, where the response came to its end without ending it: then it was the answer.
    pub fn finish(&mut self, cut_off: bool) -> Option<Part> {
        match std::mem::replace(&mut self.0, State::Over) {
            State::Before { held, after_thoughts, .. } => {
                Some(Part::Text(if after_thoughts { held.trim_start().to_owned() } else { held }))
            }
            State::Inside { held, assumed: Some(said), .. } if !cut_off => Some(Part::Text(said + &held)),
            State::Inside { held, .. } => Some(Part::Thought(held)),
            State::Over => None,
        }
        .filter(|part| !part.is_empty())
    }

    /// Takes text. Returns the rest of it, where the state changed before its end.
    fn take(&mut self, text: String, parts: &mut Vec<Part>) -> Option<String> {
        match std::mem::replace(&mut self.0, State::Over) {
            State::Over => {
                add(parts, Part::Text(text));
                None
            }
            State::Before { held, after_thoughts, space } => {
                self.begin(held + &text, after_thoughts, space, parts)
            }
            State::Inside { ends, held, assumed } => self.go_on(ends, held + &text, assumed, parts),
        }
    }

    fn begin(
        &mut self,
        text: String,
        after_thoughts: bool,
        before: usize,
        parts: &mut Vec<Part>,
    ) -> Option<String> {
        let begun = text.trim_start();
        let spaces = text[..text.len() - begun.len()].chars().count();
        if before + spaces > SPACE {
            let dropped =
                text.char_indices().nth(SPACE.saturating_sub(before)).map_or(text.len(), |(at, _)| at);
            add(parts, Part::Text(if after_thoughts { text[dropped..].to_owned() } else { text }));
            return None;
        }
        if let Some((open, ends)) = TAGS.iter().find(|(open, _)| begun.starts_with(open)) {
            self.0 = State::Inside { ends, held: String::new(), assumed: None };
            return Some(begun[open.len()..].to_owned());
        }
        if after_thoughts && let Some(head) = HEADS.iter().find(|head| begun.starts_with(**head)) {
            let text = begun[head.len()..].to_owned();
            self.0 = State::Before { held: String::new(), after_thoughts, space: 0 };
            return Some(text).filter(|text| !text.is_empty());
        }
        let may_begin = |tag: &&str| tag.starts_with(begun);
        let tags = TAGS.iter().map(|(open, _)| open).chain(HEADS.iter().filter(|_| after_thoughts));
        if tags.copied().any(|tag| may_begin(&tag)) {
            // After thoughts white space is dropped, so no more than a tag is held.
            let (held, space) = if after_thoughts { (begun.to_owned(), before + spaces) } else { (text, 0) };
            self.0 = State::Before { held, after_thoughts, space };
            return None;
        }
        let text = if after_thoughts { begun.to_owned() } else { text };
        add(parts, Part::Text(text));
        None
    }

    fn go_on(
        &mut self,
        ends: &'static [&'static str],
        text: String,
        assumed: Option<String>,
        parts: &mut Vec<Part>,
    ) -> Option<String> {
        let first = ends.iter().filter_map(|end| Some((text.find(end)?, *end))).min_by_key(|(at, _)| *at);
        if let Some((at, end)) = first {
            add(parts, Part::Thought(text[..at].to_owned()));
            self.0 = State::Before { held: String::new(), after_thoughts: true, space: 0 };
            // The head of the next message has to be seen as a whole.
            let after = if end == MESSAGE { &text[at..] } else { &text[at + end.len()..] };
            return Some(after.to_owned()).filter(|rest| !rest.is_empty());
        }
        let may_end = |from: usize| {
            text.is_char_boundary(from) && ends.iter().any(|end| end.starts_with(&text[from..]))
        };
        let longest = ends.iter().map(|end| end.len()).max().unwrap_or(0);
        let keep = (text.len().saturating_sub(longest)..text.len())
            .find(|from| may_end(*from))
            .unwrap_or(text.len());
        let assumed = assumed.map(|said| said + &text[..keep]);
        add(parts, Part::Thought(text[..keep].to_owned()));
        self.0 = State::Inside { ends, held: text[keep..].to_owned(), assumed };
        None
    }
}

fn add(parts: &mut Vec<Part>, part: Part) {
    if !part.is_empty() {
        parts.push(part);
    }
}
