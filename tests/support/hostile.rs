//! Models that never stop on their own. Only a turn's `Bounds` can end a turn with one of them (T4).
//!
//! Each goes on for as long as it is asked, whether tools are on offer or not.

use serde_json::Value;

use crate::script::{Script, Turn};

/// Makes the same call for ever.
#[must_use]
pub fn repeats_one_call(name: &str, arguments: Value) -> Script {
    alternates([(name, arguments)])
}

/// Makes these calls in turn for ever: A, B, A, B (D4).
#[must_use]
pub fn alternates<const N: usize>(calls: [(&str, Value); N]) -> Script {
    let calls = calls.map(|(name, arguments)| (name.to_owned(), arguments));
    Script::new().forever(move |number, _| {
        let (name, arguments) = &calls[(number - 1) % N];
        Turn::default().call(name, arguments.clone()).end("tool_calls")
    })
}

/// Makes a call for ever that it never made before; `call` makes the n-th, from 1.
#[must_use]
pub fn never_repeats(name: &str, call: impl Fn(usize) -> Value + Send + 'static) -> Script {
    let name = name.to_owned();
    Script::new().forever(move |number, _| Turn::default().call(&name, call(number)).end("tool_calls"))
}

/// Makes 50 new calls in every response.
#[must_use]
pub fn fifty_calls_at_once(name: &str, call: impl Fn(usize) -> Value + Send + 'static) -> Script {
    let name = name.to_owned();
    Script::new().forever(move |number, _| {
        let calls = (1..=50).map(|at| call((number - 1) * 50 + at));
        calls.fold(Turn::default(), |turn, arguments| turn.call(&name, arguments)).end("tool_calls")
    })
}

/// Talks and then makes a new call, also when tools are withheld for the final answer (P8).
#[must_use]
pub fn calls_in_the_final_answer(name: &str, call: impl Fn(usize) -> Value + Send + 'static) -> Script {
    let name = name.to_owned();
    Script::new().forever(move |number, ask| {
        let text = if ask.tool_names().is_empty() { "Here is what I found. " } else { "I look further. " };
        Turn::default().text(text).call(&name, call(number)).end("tool_calls")
    })
}
