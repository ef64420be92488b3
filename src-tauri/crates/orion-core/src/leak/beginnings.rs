//! The ways in which the markup of a call begins, one table for all families of models.
//!
//! Markup is what models were trained to write around their calls, and what a server should have made calls of. Most families have control tokens or
//! tags of their own; some begin with the name of the tool, so these beginnings are made from the tools on offer.

use crate::tool::ToolSet;

/// The place at which a beginning counts as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Anywhere: a control token, which no text has by chance.
    Token,
    /// At the beginning of a line, or right after the end of a sentence: some templates put no space between.
    Line,
    /// Inside of markup alone. In the content of a file it is a fault as well (W5).
    Inside,
}

/// The number of rows of [`MARKUP`] that content was checked for before the others were known.
pub(crate) const FIRST: usize = 25;

/// The beginnings that need no name of a tool, and the families that they are of.
pub(crate) const MARKUP: [(&str, Place); 41] = [
    // DeepSeek V3 and R1: `<｜tool▁calls▁begin｜>`, `<｜tool▁call▁begin｜>`, `<｜tool▁sep｜>`, `<｜tool▁outputs▁begin｜>` …
    ("<｜tool▁", Place::Token),
    // DeepSeek V3.2 and V4: `<｜DSML｜function_calls>`, `<｜DSML｜invoke name=…>`, `</｜DSML｜tool_calls>`; some servers double the bars
    // or make ASCII of them.
    ("<｜DSML｜", Place::Token),
    ("</｜DSML｜", Place::Inside),
    ("<｜｜DSML｜｜", Place::Token),
    ("</｜｜DSML｜｜", Place::Inside),
    ("<|DSML|", Place::Token),
    ("</|DSML|", Place::Inside),
    // Hermes, Qwen, GLM; Gemma 4 closes with `<tool_call|>`.
    ("<tool_call>", Place::Line),
    ("</tool_call>", Place::Inside),
    ("<tool_call|>", Place::Inside),
    // Qwen3-Coder, Llama 3.
    ("<function=", Place::Line),
    ("<parameter=", Place::Inside),
    // Mistral.
    ("[TOOL_CALLS]", Place::Token),
    // Kimi K2: `<|tool_calls_section_begin|>`, `<|tool_call_begin|>`; LFM: `<|tool_call_start|>`; Granite, Phi: `<|tool_call|>`; Gemma 4; Solar.
    ("<|tool_call", Place::Token),
    // Llama 3.1 and 4.
    ("<|python_tag|>", Place::Token),
    ("<|python_start|>", Place::Token),
    // Claude, and models that learned from it.
    ("<function_calls>", Place::Line),
    ("</function_calls>", Place::Inside),
    ("<invoke name=", Place::Line),
    ("</invoke>", Place::Inside),
    ("<antml:", Place::Line),
    ("</antml:", Place::Inside),
    // MiniMax M2, Seed.
    ("<minimax:tool_call>", Place::Line),
    ("<seed:tool_call>", Place::Line),
    // gpt-oss.
    ("<|channel|>commentary to=", Place::Token),
    // gpt-oss, where it does not choose its channel first.
    ("<|start|>assistant to=", Place::Token),
    // Apriel, MiniMax M1, Hy3.
    ("<tool_calls>", Place::Line),
    ("<tool_calls:", Place::Line),
    ("<tool_call:", Place::Line),
    // Apertus, Cohere, GigaChat, Nemotron Nano v2, Firefunction.
    ("<|tools_prefix|>", Place::Token),
    ("<|START_ACTION|>", Place::Token),
    ("<|function_call|>", Place::Token),
    ("function call<|role_sep|>", Place::Line),
    ("<|message_sep|>\n\nfunction call<|role_sep|>", Place::Token),
    ("<TOOLCALL>", Place::Line),
    ("functools[", Place::Token),
    // MiniMax M3, MiniCPM, Muse, Kimi K3.
    ("]<]minimax[>[<tool_call>", Place::Token),
    ("<function name=", Place::Line),
    ("<atem:", Place::Line),
    ("<|open|>tools<|sep|>", Place::Token),
    ("<|open|>call tool=", Place::Token),
];

/// The beginnings that need the name of a tool. A text about tool calls has them without one.
pub(super) fn named(tools: &ToolSet) -> impl Iterator<Item = (String, Place)> {
    let fixed = [
        // Command R+; tools of Gemini and Gemma as code.
        "Action:\n```json\n",
        "```tool_code\n",
    ];
    // Llama 4 without its tokens; Functionary, which writes it right after its text.
    let each = |name: &str| [(format!("[{name}("), Place::Line), (format!(">>>{name}\n"), Place::Token)];
    fixed.into_iter().map(|text| (text.to_owned(), Place::Line)).chain(tools.names().flat_map(each))
}
