#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used, clippy::print_stdout, clippy::wildcard_imports)]
use orion_core::leak::*;
use orion_core::thoughts::*;
use orion_core::tool::*;
use serde_json::{Value, json};
fn main() {
    let d: Value =
        serde_json::from_str(&std::fs::read_to_string("/work/shared/models/native-calls.json").unwrap())
            .unwrap();
    let spec = |n: &str, p: Value, r: Value| {
        ToolSpec::new(
            n,
            "d",
            json!({"type":"object","additionalProperties":false,"properties":p,"required":r}),
            ToolKind::Reads,
        )
    };
    let tools = ToolSet::from_iter([
        spec("read_file", json!({"path":{"type":"string"},"start_line":{"type":"integer"}}), json!(["path"])),
        spec(
            "search_files",
            json!({"pattern":{"type":"string"},"literal":{"type":"boolean"}}),
            json!(["pattern"]),
        ),
        spec("list_files", json!({"path":{"type":"string"}}), json!([])),
    ]);
    let b = Beginnings::of(tools.clone());
    let fix = |t: &str| -> String {
        for (bad, good) in [
            ("ACTION|>", "<|START_ACTION|>"),
            ("CHATBOT_TOKEN|>", ""),
            ("/think>", ""),
            ("TOOLCALL>", "<TOOLCALL>"),
            ("ool_call>", "<tool_call>"),
            ("｜tool▁calls", "<｜tool▁calls"),
            ("tool_call>call:", "<|tool_call>call:"),
            ("U.[/INST]", ""),
        ] {
            if let Some(r) = t.strip_prefix(bad) {
                return format!("{good}{r}");
            }
        }
        t.to_owned()
    };
    let want = [
        ("read", json!({"path":"src/main.rs","start_line":10})),
        ("search", json!({"pattern":"fn \"main\"<T>\\(\\)\nx & y","literal":true})),
        ("empty", json!({})),
        ("two", json!({"path":"a.txt"})),
    ];
    let (mut good, mut all) = (0, 0);
    for (k, v) in d.as_object().unwrap() {
        for (w, args) in &want {
            let Some(t) = v[*w].as_str() else { continue };
            let t = fix(t);
            if t.len() < 40 && !t.contains("_file") {
                continue;
            }
            for step in [1usize, 7, 10000] {
                all += 1;
                let mut th = Thoughts::new(false);
                let mut r = Recogniser::new(b.clone());
                let mut out = vec![];
                let cs: Vec<char> = t.chars().collect();
                for c in cs.chunks(step) {
                    for p in th.split(c.iter().collect()) {
                        if let Part::Text(x) = p {
                            r.push(&x, &mut out);
                        }
                    }
                }
                if let Some(Part::Text(x)) = th.finish(false) {
                    r.push(&x, &mut out);
                }
                r.finish(&mut out);
                let call = out.iter().find_map(|p| {
                    if let Piece::Block(Block { read: Read::Call(c), .. }) = p {
                        Some(c.clone())
                    } else {
                        None
                    }
                });
                let ok = call.as_ref().is_some_and(|c| {
                    let tool = tools.meant(&c.name);
                    tool.is_some_and(|t| {
                        Value::Object(t.arguments_meant(&c.arguments.clone().read_for(t)).into_owned())
                            == *args
                    })
                });
                if ok {
                    good += 1
                } else {
                    println!("STEP {step}");
                    println!("{k} {w}: {t:?}\n   -> {out:?}")
                }
            }
        }
    }
    println!("{good} of {all}");
}
