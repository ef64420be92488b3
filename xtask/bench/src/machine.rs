//! The core by itself: the state machine of a turn, which takes the chunks of a long answer and returns the events of each. Nothing is sent or stored.
//!
//! The answer has no call in its text. Looking for one (P5) must cost such an answer little.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Result, ensure};
use orion_core::context::Gauge;
use orion_core::model::{ModelDelta, ModelNumbers, ModelTuning, Profile};
use orion_core::permission::Rules;
use orion_core::tool::{ToolKind, ToolSet, ToolSpec};
use orion_core::turn::{Flag, Flags, Input, ModelInput, Turn, TurnSetup};
use orion_protocol::{Mode, Policy, ProjectId, RequestId, SessionId, TurnIds};
use serde_json::json;
use uuid::Uuid;

use crate::measures::{OFTEN, median};
use crate::table::{Goal, Row};

/// Chunks of the answer, and the bytes that one has: from a token to several that a server sends together.
const CHUNKS: usize = 200_000;
const SHORTEST: u64 = 4;
const LONGEST: u64 = 20;

/// The most that a turn in which calls are looked for may take, by what the same turn takes without: a step takes some 130 ns for a chunk, and the search
/// 40 more. With the record of the chunk as JSON, which is several times as much, it is 4 to 11 percent.
const TIMES: f64 = 1.4;

/// Stretches of an answer: prose, and code with the characters that calls begin with. Each has words of its own in the place of `%`.
const STRETCHES: [&str; 8] = [
    "The % of `%` reads each % once, and then it is a %. If % is less than %, nothing % happens [see here](https://example.org/%).\n\n",
    "- **%**: a % that \"%\" keeps, and (where % has it) the %.\n- `%<%>`: the % of the %.\n",
    "## % and %\n\nA % is not what it seems: its % comes from %, not from the %. So it's the % that has to change.\n\n",
    "```rust\nfn %(% : &[%]) -> Option<%> {\n    if %.is_empty() { return None; }\n    let % = %[0].clone();\n    Some(%)\n}\n```\n\n",
    "```html\n<div class=\"%\">\n  <button name=\"%\" disabled>%</button>\n  <% value={%} />\n</div>\n```\n\n",
    "```json\n{\n  \"name\": \"%\",\n  \"%\": [1, 2, {\"%\": null}]\n}\n```\n\n",
    "| % | % |\n|---|---|\n| `%` | % < % |\n| <br> | [%] |\n\n",
    "1. Open `%` and look for [%].\n2. Run `%[%] > %` – it says {%}.\n3. Naïve %: „%“ … and 你好。\n\n",
];

const WORDS: [&str; 16] = [
    "value", "order", "function", "list", "name", "index", "a", "session", "tool", "result", "of_type",
    "read", "cache", "it", "number", "boundary",
];

/// The time of a turn with the search for calls in its text, as a ratio to its time without: the median of pairs that run one after the other.
pub(crate) fn all(add: &mut impl FnMut(Row)) -> Result<()> {
    let chunks = chunks();
    let now = Flags::of_this_version();
    let before = now.clone().without(Flag::ReadLeaks);
    let [mut without, mut with, mut ratios] = [(); 3].map(|()| Vec::with_capacity(OFTEN));
    for number in 0..OFTEN {
        // In turns: a computer that gets slower or faster favours neither.
        let pair = if number % 2 == 0 {
            (turn(&chunks, before.clone())?, turn(&chunks, now.clone())?)
        } else {
            let second = turn(&chunks, now.clone())?;
            (turn(&chunks, before.clone())?, second)
        };
        without.push(pair.0);
        with.push(pair.1);
        ratios.push(pair.1 / pair.0);
    }
    eprintln!(
        "  a chunk takes the core {:.0} ns, and {:.0} ns with calls looked for",
        median(without),
        median(with)
    );
    let what = "an answer in which calls are looked for: time of the core, against one in which none are";
    add(Row { what, unit: "×", goal: Goal::AtMost(TIMES), floor: None, orion: median(ratios) });
    Ok(())
}

/// The nanoseconds of a chunk in a turn that is given all of them.
fn turn(chunks: &[String], flags: Flags) -> Result<f64> {
    let (mut turn, _) = Turn::start(setup(flags));
    let text = |text: &String| model(vec![ModelDelta::Text { text: text.clone() }]);
    let inputs: Vec<Input> = chunks.iter().map(text).collect();
    let began = Instant::now();
    for (at_ms, input) in (1..).zip(inputs) {
        black_box(turn.step(at_ms, input));
    }
    let took = began.elapsed();
    turn.step(i64::MAX, model(vec![ModelDelta::Finish { reason: "stop".to_owned() }]));
    turn.step(i64::MAX, Input::Model { call: 1, event: ModelInput::Ended });
    ensure!(turn.is_answered(), "the turn did not end with its answer");
    Ok(took.as_secs_f64() * 1e9 / chunks.len() as f64)
}

fn model(deltas: Vec<ModelDelta>) -> Input {
    Input::Model { call: 1, event: ModelInput::Deltas { deltas } }
}

/// The chunks of the answer, the same ones each time.
fn chunks() -> Vec<String> {
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) % below
    };
    let mut text = String::new();
    let mut chunks = Vec::with_capacity(CHUNKS);
    while chunks.len() < CHUNKS {
        let wanted = (SHORTEST + next(LONGEST - SHORTEST + 1)) as usize;
        while text.len() < wanted + 4 {
            for part in STRETCHES[next(STRETCHES.len() as u64) as usize].split_inclusive('%') {
                match part.strip_suffix('%') {
                    Some(before) => {
                        text += &format!("{before}{}{}", WORDS[next(WORDS.len() as u64) as usize], next(100))
                    }
                    None => text += part,
                }
            }
        }
        let later = text.split_off(text.ceil_char_boundary(wanted));
        chunks.push(std::mem::replace(&mut text, later));
    }
    chunks
}

fn setup(flags: Flags) -> TurnSetup {
    let id = Uuid::nil();
    let names = ["ask_user", "list_files", "read_file", "search_files", "write_plan_begin"];
    let tool = |name| ToolSpec::new(name, "A tool.", json!({ "type": "object" }), ToolKind::Reads);
    TurnSetup {
        begun_in: None,
        ids: TurnIds { request_id: RequestId(id), session_id: SessionId(id), project_id: ProjectId(id) },
        parent: None,
        flags,
        at_ms: 1,
        policy: Policy { max_output_tokens: None, ..Policy::two_stage() },
        chosen: None,
        choices: None,
        mode: Mode::Act,
        profile: Profile::default(),
        numbers: ModelNumbers::default(),
        tuning: ModelTuning::default(),
        gauge: Gauge::default(),
        endpoint: "none".to_owned(),
        model: "none".to_owned(),
        project_root: "/project".to_owned(),
        nonce: "0".to_owned(),
        tools: names.into_iter().map(tool).collect::<ToolSet>(),
        rules: Rules::default(),
        system: String::new(),
        changes: String::new(),
        rewound: None,
        begins_anew: false,
        forgets: false,
        history: Vec::new(),
        has_earlier: false,
        edits: Vec::new(),
        makes_room: false,
        withheld: Vec::new(),
        begins_paused: false,
        text: "Explain it.".to_owned(),
        attached: Vec::new(),
        compacts: None,
        checks: Vec::new(),
        repairs: false,
    }
}
