//! A1: how often a pattern of a rule is compiled. Deliberately not here: what patterns match (`permissions`).

use std::time::{Duration, Instant};

use orion_core::permission::{Pattern, Rule, Rules, Ruling, ToolRules};
use orion_protocol::Permission::{Allow, Ask};
use serde_json::json;

use crate::common::{parsed, tool};

fn rules(pattern: Pattern) -> Rules {
    let rule = Rule { pattern: Some(pattern), permission: Allow };
    let of_tool = ToolRules { user: vec![rule], project: Vec::new() };
    Rules { tools: [("read".to_owned(), of_tool)].into(), ..Rules::default() }
}

fn matches(rules: &Rules, path: &str) -> bool {
    let tool = tool("read", Ask);
    rules.judge(&tool, &parsed(Some(&tool), &json!({ "path": path }))) == Ruling::Allow
}

/// The shortest of five times, since others use the processor too.
fn quickest(mut act: impl FnMut() -> Duration) -> Duration {
    (0..5).map(|_| act()).min().unwrap()
}

#[test]
fn a_pattern_is_compiled_once_for_a_turn() {
    let text = "{a,b}[c-x]*".repeat(300);
    let timed = |act: &dyn Fn()| {
        let began = Instant::now();
        act();
        began.elapsed()
    };
    let new = || rules(Pattern::try_from(text.clone()).unwrap());
    let first = quickest(|| {
        let rules = new();
        timed(&|| assert!(!matches(&rules, "z")))
    });
    let later = quickest(|| {
        let rules = new();
        matches(&rules, "z");
        let copy = rules.clone();
        timed(&|| assert!(!matches(&copy, "z")))
    });
    assert!(later * 5 < first, "{first:?} {later:?}");
}

// A rule that was taken must not match nothing because it could not be compiled later.
#[test]
fn each_text_that_is_taken_for_a_pattern_matches() {
    let deep = |depth| (format!("{}a{}", "{".repeat(depth), "}".repeat(depth)), "a".to_owned());
    let wide = [
        (format!("{}a", "**/".repeat(1_365)), "a".to_owned()),
        ("[!a-z0-9]".repeat(455), "-".repeat(455)),
        ("{a,b}".repeat(819), "a".repeat(819)),
        ("?".repeat(4_096), "a".repeat(4_096)),
    ];
    for (text, path) in wide {
        assert!(matches(&rules(Pattern::try_from(text.clone()).unwrap()), &path), "{text}");
    }
    for (text, path) in [1, 20, 100, 240, 250, 2_000].map(deep) {
        let read = Pattern::try_from(text.clone());
        assert!(read.is_err() || matches(&rules(read.unwrap()), &path), "{text}");
    }
}
