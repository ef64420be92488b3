//! Thoughts that stand before the text of a response (P9): split off, whatever the chunks.

use orion_core::thoughts::{Part, Thoughts};
use proptest::prelude::*;

use crate::thorough::cases;

/// The thoughts and the text of a response that comes in these pieces.
fn split<'a>(inside: bool, cut_off: bool, pieces: impl IntoIterator<Item = &'a str>) -> (String, String) {
    let mut thoughts = Thoughts::new(inside);
    let mut parts: Vec<Part> = pieces.into_iter().flat_map(|piece| thoughts.split(piece)).collect();
    parts.extend(thoughts.finish(cut_off));
    let mut said = (String::new(), String::new());
    for part in parts {
        match part {
            Part::Thought(text) => said.0 += &text,
            Part::Text(text) => said.1 += &text,
        }
    }
    said
}

fn whole(text: &str) -> (String, String) {
    split(false, false, [text])
}

fn said(thought: &str, text: &str) -> (String, String) {
    (thought.to_owned(), text.to_owned())
}

const FAMILIES: [(&str, &str); 8] = [
    ("<think>", "</think>"),
    ("<mm:think>", "</mm:think>"),
    ("[THINK]", "[/THINK]"),
    ("<seed:think>", "</seed:think>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|channel>thought", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<|channel|>analysis<|message|>", "<|start|>assistant<|channel|>final<|message|>"),
];

#[test]
fn thoughts_of_every_family_are_split_off_before_the_text() {
    for (open, close) in FAMILIES {
        assert_eq!(
            whole(&format!("{open}hm < </thin{close}\n\nSo.\n")),
            said("hm < </thin", "So.\n"),
            "{open}"
        );
        assert_eq!(whole(&format!("\n {open}a{close}{open}b{close}c")), said("ab", "c"), "{open}");
        assert_eq!(whole(&format!("{open}without an end")), said("without an end", ""), "{open}");
        let quoted = format!("A tag: {open}x{close} here");
        assert_eq!(whole(&quoted), said("", &quoted), "in the middle of a text it is text");
    }
    assert_eq!(whole("<think></think>"), said("", ""));
    assert_eq!(whole("<thinking hard>"), said("", "<thinking hard>"));
    assert_eq!(whole("  x"), said("", "  x"), "the text stays as it is");
    assert_eq!(whole("<thi"), said("", "<thi"));
}

#[test]
fn where_the_prompt_ends_in_a_thought_the_answer_begins_in_it() {
    assert_eq!(split(true, false, ["hm</think>\n\nSo."]), said("hm", "So."));
    assert_eq!(split(true, true, ["hm"]), said("hm", ""), "it was cut off in its thoughts");
    // A model that came to its end without ending its thoughts has answered: all of it is shown as its answer as well.
    assert_eq!(split(true, false, ["So."]), said("So.", "So."));
    let blank = "\n".repeat(300);
    assert_eq!(
        whole(&format!("{blank}<think>x")),
        said("", &format!("{blank}<think>x")),
        "so much white space is text"
    );
    let mut calls = Thoughts::new(true);
    assert_eq!(calls.split("So."), [Part::Thought("So.".to_owned())]);
    assert_eq!(calls.call_came(), Some(Part::Text("So.".to_owned())), "the server has read a call after it");
    let mut apart = Thoughts::new(true);
    apart.came_apart();
    assert_eq!(apart.split("So."), [Part::Text("So.".to_owned())], "the server splits them off itself");
}

/// Half of the white space that is passed over.
const BLANK: &str = "                                                                                                                                ";

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn the_chunks_change_nothing(
        pieces in prop::collection::vec(prop::sample::select(&["<think>", "</think>", BLANK, "<|channel|>", "analysis", "<|message|>", "<|end|>",
            "<|start|>assistant", "final", "[THINK]", "[/THINK]", " ", "\n", "a", "<", "é", "日"][..]), 0..12),
        cuts in prop::collection::vec(0..100usize, 0..10),
        inside: bool, cut_off: bool,
    ) {
        let text = pieces.concat();
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|&cut| cut <= text.len() && text.is_char_boundary(cut)).collect();
        cuts.sort_unstable();
        let mut from = 0;
        let mut chunks = Vec::new();
        for to in cuts.into_iter().chain([text.len()]) {
            chunks.push(&text[from..to]);
            from = to;
        }
        prop_assert_eq!(split(inside, cut_off, chunks), split(inside, cut_off, [text.as_str()]));
    }
}
