//! Calls in a text (P5): each family's markup is read, whatever the chunks, and what quotes it is text.

use orion_core::leak::{Beginnings, Block, LeakedCall, Piece, Read, Recogniser};
use orion_core::tool::{ToolKind, ToolSet, ToolSpec};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::thorough::cases;

fn tools() -> ToolSet {
    let spec = |name: &str, properties: Value, required: Value| {
        let parameters = json!({
            "type": "object", "additionalProperties": false, "properties": properties, "required": required,
        });
        ToolSpec::new(name, "", parameters, ToolKind::Reads)
    };
    ToolSet::from_iter([
        spec(
            "read_file",
            json!({ "path": { "type": "string" }, "start_line": { "type": "integer" }, "all": { "type": "boolean" }, "marks": { "type": "array" } }),
            json!(["path"]),
        ),
        spec("list_files", json!({ "path": { "type": "string" } }), json!([])),
    ])
}

/// Takes a piece of a response as a turn does.
fn take(recogniser: &mut Recogniser, piece: &str, out: &mut Vec<Piece>) {
    let mut text = piece.to_owned();
    match recogniser.passes(&mut text) {
        true => out.push(Piece::Text(text)),
        false => recogniser.push(&text, out),
    }
}

/// The text and the blocks of a response that comes in these pieces.
fn read<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, Vec<Block>) {
    let mut recogniser = Recogniser::new(Beginnings::of(tools()));
    let mut out = Vec::new();
    pieces.into_iter().for_each(|piece| take(&mut recogniser, piece, &mut out));
    recogniser.finish(&mut out);
    let mut text = String::new();
    let mut blocks = Vec::new();
    for piece in out {
        match piece {
            Piece::Text(more) => text += &more,
            Piece::Block(block) => blocks.push(block),
        }
    }
    (text, blocks)
}

fn arguments(call: LeakedCall) -> (String, Value) {
    let tools = tools();
    let tool = tools.meant(&call.name).unwrap_or_else(|| panic!("{call:?}"));
    let read = call.arguments.read_for(tool);
    (tool.name.clone(), Value::Object(tool.arguments_meant(&read).into_owned()))
}

/// The first call of a text, as it would run.
fn first(text: &str) -> Option<(String, Value)> {
    let (_, blocks) = read([text]);
    blocks.into_iter().find_map(|block| match block.read {
        Read::Call(call) => Some(arguments(call)),
        Read::Broken { .. } => None,
    })
}

/// A call of `read_file` for `src/a.rs` from line 10 on, as each family writes it.
const FAMILIES: [&str; 36] = [
    r#"<tool_call>
{"name": "read_file", "arguments": {"path": "src/a.rs", "start_line": 10}}
</tool_call>"#,
    r#"<tool_calls>[{"name": "read_file", "arguments": {"path": "src/a.rs", "start_line": 10}}]</tool_calls>"#,
    r#"<|tools_prefix|>[{"read_file": {"path": "src/a.rs", "start_line": 10}}]<|tools_suffix|>"#,
    r#"<|START_ACTION|>[
    {"tool_call_id": "0", "tool_name": "read_file", "parameters": {"path": "src/a.rs", "start_line": 10}}
]<|END_ACTION|>"#,
    "Action:\n```json\n[\n    {\n        \"tool_name\": \"read_file\",\n        \"parameters\": {\"path\": \"src/a.rs\", \"start_line\": 10}\n    }\n]```",
    r#"<|function_call|>{"name": "read_file", "arguments": {"path": "src/a.rs", "start_line": 10}}<|message_sep|>"#,
    "<|message_sep|>\n\nfunction call<|role_sep|>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"src/a.rs\", \"start_line\": 10}}",
    r#"<TOOLCALL>[{"name": "read_file", "arguments": {"path": "src/a.rs", "start_line": 10}}]</TOOLCALL>"#,
    r#"functools[{"name": "read_file", "arguments": {"path": "src/a.rs", "start_line": 10}}]"#,
    r#"[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "src/a.rs", "start_line": 10}, "id": "abc000000"}]"#,
    r#"[TOOL_CALLS]read_file[CALL_ID]abc000000[ARGS]{"path": "src/a.rs", "start_line": 10}"#,
    r#"[TOOL_CALLS]read_file[ARGS]{"path": "src/a.rs", "start_line": 10}"#,
    r#"<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "src/a.rs", "start_line": 10}<|tool_call_end|><|tool_calls_section_end|>"#,
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{\"path\": \"src/a.rs\", \"start_line\": 10}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    r#"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path": "src/a.rs", "start_line": 10}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"#,
    "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"read_file\">\n<｜DSML｜parameter name=\"path\" string=\"true\">src/a.rs</｜DSML｜parameter>\n<｜DSML｜parameter name=\"start_line\" string=\"false\">10</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>",
    "<function_calls>\n<invoke name=\"read_file\">\n<parameter name=\"path\">src/a.rs</parameter>\n<parameter name=\"start_line\">10</parameter>\n</invoke>\n</function_calls>",
    "<minimax:tool_call>\n<invoke name=\"read_file\">\n<parameter name=\"path\">src/a.rs</parameter>\n<parameter name=\"start_line\">10</parameter>\n</invoke>\n</minimax:tool_call>",
    "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"read_file\">]<]minimax[>[<path>src/a.rs]<]minimax[>[</path>]<]minimax[>[<start_line>10]<]minimax[>[</start_line>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>",
    "<tool_call>\n<function=read_file>\n<parameter=path>\nsrc/a.rs\n</parameter>\n<parameter=start_line>\n10\n</parameter>\n</function>\n</tool_call>",
    "<tool_call>\n<function=read_file>\n<parameter=path>src/a.rs</parameter>\n<parameter=start_line>10\n</tool_call>",
    "<seed:tool_call>\n<function=read_file>\n<parameter=path>src/a.rs</parameter>\n<parameter=start_line>10</parameter>\n</function>\n</seed:tool_call>",
    r#"<function=read_file>{"path": "src/a.rs", "start_line": 10}</function>"#,
    r#"<function name="read_file"><param name="path"><![CDATA[src/a.rs]]></param><param name="start_line">10</param></function>"#,
    "<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>src/a.rs</arg_value>\n<arg_key>start_line</arg_key>\n<arg_value>10</arg_value>\n</tool_call>",
    "<tool_calls:opensource>\n<tool_call:opensource>read_file<tool_sep:opensource>\n<arg_key:opensource>path</arg_key:opensource>\n<arg_value:opensource>src/a.rs</arg_value:opensource>\n<arg_key:opensource>start_line</arg_key:opensource>\n<arg_value:opensource>10</arg_value:opensource>\n</tool_call:opensource>\n</tool_calls:opensource>",
    r#"<|open|>tools<|sep|><|open|>call tool="read_file" index="1"<|sep|><|open|>argument key="path" type="string"<|sep|>src/a.rs<|close|>argument<|sep|><|open|>argument key="start_line" type="number"<|sep|>10<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>"#,
    "<|tool_call_start|>[read_file(path='src/a.rs', start_line=10)]<|tool_call_end|>",
    "<|python_start|>[read_file(path=\"src/a.rs\", start_line=10)]<|python_end|>",
    "[read_file(path=\"src/a.rs\", start_line=10)]",
    "```tool_code\nprint(default_api.read_file(path=\"src/a.rs\", start_line=10))\n```",
    "<|tool_call>call:read_file{path:<|\"|>src/a.rs<|\"|>,start_line:10}<tool_call|>",
    r#"<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path": "src/a.rs", "start_line": 10}<|call|>"#,
    r#"<|tool_calls|><|tool_call:begin|>abc000000<|tool_call:name|>read_file<|tool_call:args|>{"path": "src/a.rs", "start_line": 10}<|tool_call:end|><|calls|>"#,
    r#"<|python_tag|>{"name": "read_file", "parameters": {"path": "src/a.rs", "start_line": 10}}"#,
    r#"<|tool_call|>[{"name": "read_file", "arguments": {"path": "src/a.rs", "start_line": 10}}]"#,
];

/// The same without a head of its own: these are calls at the beginning of a response alone.
const HEADLESS: [&str; 6] = [
    r#"{"name": "read_file", "parameters": {"path": "src/a.rs", "start_line": 10}}"#,
    "[\n  {\n    \"name\": \"read_file\",\n    \"arguments\": {\"path\": \"src/a.rs\", \"start_line\": 10}\n  }\n]",
    r#"{"type": "function", "function": {"name": "read_file", "arguments": "{\"path\": \"src/a.rs\", \"start_line\": 10}"}}"#,
    "read_file\n{\"path\": \"src/a.rs\", \"start_line\": 10}",
    r#" to=functions.read_file<|channel|>commentary json<|message|>{"path": "src/a.rs", "start_line": 10}<|call|>"#,
    r#"to=read_file <|constrain|>json<|message|>{"path": "src/a.rs", "start_line": 10}"#,
];

fn wanted() -> Option<(String, Value)> {
    Some(("read_file".to_owned(), json!({ "path": "src/a.rs", "start_line": 10 })))
}

#[test]
fn every_family_is_read() {
    for markup in FAMILIES {
        assert_eq!(first(markup), wanted(), "{markup}");
        let (text, blocks) = read([&*format!("Let me look.\n\n{markup}\n")]);
        assert_eq!((text.starts_with("Let me look.\n\n"), !blocks.is_empty()), (true, true), "{markup}");
        let token = ["<|", "<｜", "[TOOL", "]<]", "functools["].iter().any(|token| markup.starts_with(token));
        assert_eq!(first(&format!("Let me look.{markup}")), wanted(), "right after a sentence: {markup}");
        let after_text = first(&format!("Let me look. {markup}"));
        assert!(
            markup.contains('\n') || after_text.is_some() == token,
            "only a control token counts within a line: {markup}"
        );
    }
    for markup in HEADLESS {
        assert_eq!(first(markup), wanted(), "{markup}");
        assert_eq!(first(&format!("Let me look.\n{markup}")), None, "{markup}");
    }
}

#[test]
fn a_call_without_arguments_is_one() {
    for markup in [
        "<tool_call>\n{\"name\": \"list_files\", \"arguments\": {}}\n</tool_call>",
        "<tool_call>\n{\"name\": \"list_files\"}\n</tool_call>",
        "<tool_call>list_files\n</tool_call>",
        "<tool_call>list_files</tool_call>",
        "<tool_call>\n<function=list_files>\n</function>\n</tool_call>",
        "<function=list_files>{}</function>",
        "<|tool_call_start|>[list_files()]<|tool_call_end|>",
        "<|tool_call>call:list_files{}<tool_call|>",
        "<｜DSML｜invoke name=\"list_files\">\n\n</｜DSML｜invoke>",
        "[TOOL_CALLS]list_files[ARGS]{}",
    ] {
        assert_eq!(first(markup), Some(("list_files".to_owned(), json!({}))), "{markup}");
    }
}

#[test]
fn hostile_values_come_through() {
    let path = "a \"b\" <T>\\(\\) {x} [y] </x>\nz & 'q'";
    let in_json = json!({ "path": path }).to_string();
    for markup in [
        format!("<tool_call>\n{{\"name\": \"read_file\", \"arguments\": {in_json}}}\n</tool_call>"),
        format!("[TOOL_CALLS]read_file[ARGS]{in_json}"),
        format!("<function=read_file>\n<parameter=path>\n{path}\n</parameter>\n</function>"),
        format!(
            "<｜DSML｜invoke name=\"read_file\">\n<｜DSML｜parameter name=\"path\">{path}</｜DSML｜parameter>\n</｜DSML｜invoke>"
        ),
        format!("<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>{path}</arg_value>\n</tool_call>"),
        format!("<|tool_call>call:read_file{{path:<|\"|>{path}<|\"|>}}<tool_call|>"),
        format!("<|tool_call_start|>[read_file(path='{path}')]<|tool_call_end|>"),
    ] {
        assert_eq!(first(&markup), Some(("read_file".to_owned(), json!({ "path": path }))), "{markup}");
    }
    let typed = "<tool_call>\n<function=read_file>\n<parameter=path>\n7\n</parameter>\n<parameter=all>\nTrue\n</parameter>\n<parameter=marks>\n['a', {'b': 1.5}, None]\n</parameter>\n</function>\n</tool_call>";
    let arguments = json!({ "path": "7", "all": true, "marks": ["a", { "b": 1.5 }, null] });
    assert_eq!(first(typed), Some(("read_file".to_owned(), arguments)));
}

#[test]
fn what_quotes_a_call_is_text() {
    let call = "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>";
    let token = "[TOOL_CALLS]read_file[ARGS]{\"path\": \"a\"}";
    for text in [
        format!("```\n{call}\n```"),
        format!("~~~~ xml\n{call}\n~~~\n{call}\n~~~~"),
        format!("- item\n  ```\n{call}\n  ```"),
        format!("> {call}"),
        format!("- {call}"),
        format!("1. {call}"),
        format!("It writes `{token}` then."),
        format!("It writes ``{token}`` then."),
        format!("It writes \"{token}\" then."),
        format!("It writes “{token}” then."),
        format!("It writes {token} and stops."),
        format!("x = '{token}'"),
        format!("{call} is how Qwen calls"),
        "<tool_call> stands before a call, and </tool_call> after it.".to_owned(),
        "<tool_call>\n</tool_call>".to_owned(),
        "[TOOL_CALLS] is a token of Mistral's.".to_owned(),
        "{\"name\": \"package\", \"arguments\": {}}".to_owned(),
        "{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\nis what it looks like.".to_owned(),
        "read_file\nreads a file".to_owned(),
        "[read_file](docs/read.md) reads a file".to_owned(),
    ] {
        assert_eq!(first(&text), None, "{text}");
    }
    let after = format!("```\nx\n```\n{token}\n");
    assert!(first(&after).is_some(), "after a fence");
    assert!(first(&format!("a ` b\n{call}\n")).is_some(), "a backtick alone quotes nothing");
}

#[test]
fn a_block_that_is_not_whole_names_its_tool() {
    let broken = |text: &str| match &read([text]).1[..] {
        [Block { text: block, read: Read::Broken { name } }] if block == text => name.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(broken("<function=read_file>\n<parameter=path>a").as_deref(), Some("read_file"));
    assert_eq!(broken("[TOOL_CALLS]read_file[ARGS]{\"path\": \"a").as_deref(), Some("read_file"));
    assert_eq!(broken("[TOOL_CALLS]read_file[ARGS]{\"path\": a}").as_deref(), Some("read_file"));
    assert_eq!(broken("[TOOL_CALLS]other[ARGS]{\"path\": \"a"), None);
}

#[test]
fn what_is_held_is_bounded() {
    let long = format!("[TOOL_CALLS]read_file[ARGS]{{\"path\": \"{}", "x".repeat(70_000));
    let mut recogniser = Recogniser::new(Beginnings::of(tools()));
    let mut out = Vec::new();
    for piece in long.as_bytes().chunks(1_000) {
        take(&mut recogniser, std::str::from_utf8(piece).unwrap(), &mut out);
    }
    let shown: usize =
        out.iter().map(|piece| if let Piece::Text(text) = piece { text.len() } else { 0 }).sum();
    assert!(shown > 64 * 1024, "{shown} bytes are shown before the end");
    recogniser.finish(&mut out);
    assert!(out.iter().all(|piece| matches!(piece, Piece::Text(_))), "then it is no call any more");
}

#[test]
fn blocks_at_the_bounds_are_the_same_whatever_the_chunks() {
    let long = format!(
        "[TOOL_CALLS]read_file[ARGS]{{\"path\": \"{}\"}}\n[TOOL_CALLS]read_file[ARGS]{{\"path\": \"a\"}}",
        "x".repeat(66_000)
    );
    let tried = format!(
        "[read_file(path='{}\n\n<tool_call>{{\"name\":\"read_file\",\"arguments\":{{\"path\":\"a\"}}}}</tool_call>\n",
        "]".repeat(300)
    );
    for text in [long, tried] {
        let chunks: Vec<&str> =
            text.as_bytes().chunks(700).map(|chunk| std::str::from_utf8(chunk).unwrap()).collect();
        assert_eq!(read(chunks), read([text.as_str()]));
        assert!(first(&text).is_some(), "the call after it is found");
    }
}

#[test]
fn a_beginning_in_the_middle_of_a_word_hides_none_in_it() {
    // `function call<|role_sep|>` is one, and so is `<|tool_call`.
    let chunks = [
        "A mal",
        "function call<|",
        "tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{\"path\": \"a\"}",
        "<|tool_call_end|>",
    ];
    assert_eq!(read(chunks), read([chunks.concat().as_str()]));
    assert_eq!(read(chunks).0, "A malfunction call");
}

#[test]
fn text_is_told_as_it_comes() {
    let mut recogniser = Recogniser::new(Beginnings::of(tools()));
    let mut out = Vec::new();
    for piece in ["Half", ", wor", "ld < 5 and [x] `y` ", "<b>", "\n# A title\n"] {
        take(&mut recogniser, piece, &mut out);
        let told: usize =
            out.iter().map(|piece| if let Piece::Text(text) = piece { text.len() } else { 0 }).sum();
        assert!(told > 0, "{piece}");
        out.clear();
    }
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn the_chunks_change_nothing(
        before in prop::sample::select(&["", "Let me look.\n", "`", "```\n", "a <", "\n\n", "{", "read_file", "日本\n"][..]),
        family in 0..FAMILIES.len() + HEADLESS.len(),
        shortened in 0..40usize,
        after in prop::sample::select(&["", "\n", " and more", "\nMore.", "</x>", "[TOOL_CALLS]", "`"][..]),
        size in 1..30usize,
    ) {
        let markup = FAMILIES.get(family).unwrap_or_else(|| &HEADLESS[family - FAMILIES.len()]);
        let kept = markup.chars().count().saturating_sub(shortened.saturating_sub(20));
        let markup: String = markup.chars().take(kept).collect();
        let text = format!("{before}{markup}{after}");
        let characters: Vec<char> = text.chars().collect();
        let chunks: Vec<String> = characters.chunks(size).map(|chunk| chunk.iter().collect()).collect();
        let whole = read([text.as_str()]);
        prop_assert_eq!(read(chunks.iter().map(String::as_str)), whole.clone());
        // Nothing is lost.
        let blocks: usize = whole.1.iter().map(|block| block.text.len()).sum();
        prop_assert_eq!(whole.0.len() + blocks, text.len());
    }

    #[test]
    fn the_chunks_change_nothing_of_slips_and_oddities(
        text in prop::sample::select(&[
            "Read_File\n{\"path\":\"a\"}",
            "read-file\n{\"path\":\"a\"}",
            "read_file:0\n{\"path\":\"a\"}",
            "to=Read_File <|message|>{\"path\":\"a\"}",
            "functions.read_file\n{\"path\":\"a\"}",
            "<tool_call>{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}</tool_call></b c> is how",
            "<tool_call>{\"a\":1}</tool_call>\nUse {\"name\": \"read_file\"} then.",
            "\n\n\n[read_file(path='a]]]]]]')] x\n[read_file(path='b')]\n",
        ][..]),
        spaces in prop::sample::select(&[0usize, 1, 255, 257, 300][..]),
        size in 1..30usize,
    ) {
        let text = format!("{}{text}", "\n".repeat(spaces));
        let characters: Vec<char> = text.chars().collect();
        let chunks: Vec<String> = characters.chunks(size).map(|chunk| chunk.iter().collect()).collect();
        prop_assert_eq!(read(chunks.iter().map(String::as_str)), read([text.as_str()]));
    }

    #[test]
    fn any_text_comes_out_as_it_went_in(
        pieces in prop::collection::vec(prop::sample::select(&["<tool_call>", "</tool_call>", "<function=", "read_file", ">", "{", "}", "\"name\": ",
            "\"read_file\"", "[TOOL_CALLS]", "[ARGS]", "(", ")", "path='a'", "`", "```", "\n", " ", "é", "<|", "|>", "<｜tool▁", "call:", "to="][..]), 0..30),
        size in 1..20usize,
    ) {
        let text = pieces.concat();
        let characters: Vec<char> = text.chars().collect();
        let mut recogniser = Recogniser::new(Beginnings::of(tools()));
        let mut out = Vec::new();
        for chunk in characters.chunks(size) {
            take(&mut recogniser, &chunk.iter().collect::<String>(), &mut out);
        }
        recogniser.finish(&mut out);
        let all: String = out
            .into_iter()
            .map(|piece| match piece {
                Piece::Text(text) | Piece::Block(Block { text, .. }) => text,
            })
            .collect();
        prop_assert_eq!(all, text);
    }
}
