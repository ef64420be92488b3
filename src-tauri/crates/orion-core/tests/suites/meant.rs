//! Names and arguments read as they were meant (P5, P9): slips whose meaning is plain, and what is none.

use orion_core::merge::{CallFault, Merge};
use orion_core::model::ModelDelta;
use orion_core::tool::{ToolKind, ToolSet, ToolSpec};
use serde_json::{Value, json};

use crate::common::{call, finish, piece};

fn spec(name: &str, properties: Value, required: &[&str]) -> ToolSpec {
    let parameters = json!({
        "type": "object", "additionalProperties": false, "properties": properties, "required": required,
    });
    ToolSpec::new(name, "", parameters, ToolKind::Reads)
}

fn tools() -> ToolSet {
    ToolSet::from_iter([
        spec(
            "read_file",
            json!({
                "path": { "type": "string" },
                "start_line": { "type": "integer" },
                "numbered": { "type": ["boolean", "null"] },
                "marks": { "type": "array" },
                "any": {},
            }),
            &["path"],
        ),
        spec("list_files", json!({ "path": { "type": "string" } }), &[]),
        spec(
            "search",
            json!({ "pattern": { "type": "string" }, "file": { "type": "string" } }),
            &["pattern"],
        ),
        spec("get-it", json!({}), &[]),
        spec("GetIt", json!({}), &[]),
        spec("get_it", json!({}), &[]),
    ])
}

fn named(name: &str) -> Option<String> {
    tools().meant(name).map(|tool| tool.name.clone())
}

#[test]
fn a_name_is_that_of_the_one_tool_that_is_left_of_it() {
    for name in [
        "read_file",
        "functions.read_file",
        "functions.read_file:0",
        "tools.read_file",
        "default_api.read_file",
        "read_file<|channel|>commentary",
        " read_file ",
        "Read_File",
        "read-file",
        "functions.READ-FILE:12<|x|>",
    ] {
        assert_eq!(named(name).as_deref(), Some("read_file"), "{name}");
    }
    assert_eq!(named("get-it").as_deref(), Some("get-it"), "an exact name is never another tool's");
    assert_eq!(named("GET_IT"), None, "two tools are left");
    for name in
        ["", "readfile", "read_file2", "read_file:x", "other.read_file", "<|x|>read_file", "functions."]
    {
        assert_eq!(named(name), None, "{name}");
    }
}

fn meant(tool: &str, given: Value) -> Value {
    let tools = tools();
    let given = given.as_object().unwrap();
    Value::Object(tools.get(tool).unwrap().arguments_meant(given).into_owned())
}

#[test]
fn a_value_in_a_string_is_read_where_no_string_fits() {
    let read = |given| meant("read_file", given);
    assert_eq!(
        read(
            json!({ "path": "5", "start_line": "12", "numbered": "true", "marks": "[1, \"x\"]", "any": "7" })
        ),
        json!({ "path": "5", "start_line": 12, "numbered": true, "marks": [1, "x"], "any": "7" })
    );
    assert_eq!(read(json!({ "path": "a", "numbered": "False" })), json!({ "path": "a", "numbered": false }));
    for as_it_is in [
        json!({ "path": "a", "start_line": "twelve", "numbered": "yes", "marks": "[1" }),
        json!({ "path": "a", "start_line": "true", "numbered": "1", "marks": "{}" }),
        json!({ "path": 5, "start_line": null }),
        json!({ "path": "a", "more": "1" }),
    ] {
        assert_eq!(read(as_it_is.clone()), as_it_is);
    }
}

#[test]
fn a_key_that_is_missing_is_taken_from_one_that_means_the_same() {
    for alias in ["file_path", "filePath", "file", "filename", "target_file"] {
        assert_eq!(meant("read_file", json!({ alias: "a" })), json!({ "path": "a" }), "{alias}");
    }
    for alias in ["query", "regex"] {
        assert_eq!(meant("search", json!({ alias: "x" })), json!({ "pattern": "x" }), "{alias}");
    }
    assert_eq!(
        meant("search", json!({ "query": "x", "path": "a" })),
        json!({ "pattern": "x", "file": "a" }),
        "and back"
    );
    for as_it_is in [
        json!({ "path": "a", "file": "b" }),
        json!({ "file": "a", "filename": "b" }),
        json!({ "folder": "a" }),
    ] {
        assert_eq!(meant("read_file", as_it_is.clone()), as_it_is, "not plain");
    }
}

#[test]
fn arguments_fit_if_nothing_is_missing_unknown_or_of_another_type() {
    let fits = |given: Value| tools().get("read_file").unwrap().fits(given.as_object().unwrap());
    assert!(fits(json!({ "path": "a", "start_line": 1, "numbered": null, "any": { "x": 1 } })));
    assert!(!fits(json!({})));
    assert!(!fits(json!({ "path": null })));
    assert!(!fits(json!({ "path": "a", "more": 1 })));
    assert!(!fits(json!({ "path": "a", "start_line": "x" })));
}

/// The calls of a stream, and which of them are complete.
fn merged<const N: usize>(deltas: [ModelDelta; N]) -> Vec<(String, String, bool)> {
    let mut merge = Merge::of_calls_to(tools());
    for delta in deltas {
        merge.apply(&delta);
    }
    let calls = merge.calls().iter();
    calls.map(|call| (call.name.clone(), call.arguments.clone(), call.object().is_some())).collect()
}

fn one(name: &str, arguments: &str, complete: bool) -> Vec<(String, String, bool)> {
    vec![(name.to_owned(), arguments.to_owned(), complete)]
}

#[test]
fn arguments_that_did_not_come_are_none_where_something_closed_the_call() {
    // P5
    for nothing in [None, Some(""), Some("null"), Some(" "), Some("\"\""), Some("\"null\"")] {
        let begun = || piece(Some(0), Some("a"), Some("list_files"), nothing);
        assert_eq!(merged([begun(), finish("tool_calls")]), one("list_files", "{}", true), "{nothing:?}");
        assert_eq!(merged([begun(), finish("stop")]), one("list_files", "{}", true));
        let later = merged([begun(), call(1, "b", "read_file", "{\"path\":\"a\"}")]);
        assert_eq!((later.len(), later[0].2), (2, true), "a later call closes it");
        assert!(!merged([begun(), finish("length")])[0].2, "it was cut off");
        let mut broken = Merge::of_calls_to(tools());
        broken.apply(&begun());
        broken.close();
        assert_eq!(broken.completed().len(), 0, "the stream broke off");
        let required = piece(Some(0), Some("a"), Some("read_file"), nothing);
        assert!(!merged([required, finish("stop")])[0].2, "the schema wants a path");
    }
    let mut merge = Merge::default();
    merge.apply(&call(0, "a", "list_files", ""));
    merge.apply(&finish("stop"));
    assert_eq!(merge.calls()[0].fault(), Some(CallFault::CutOff), "a turn of before keeps its rule");
}

#[test]
fn an_object_in_a_string_is_read_once() {
    let twice = |text: &str| serde_json::to_string(text).unwrap();
    let object = r#"{"path":"a\"b"}"#;
    assert_eq!(merged([call(0, "a", "read_file", &twice(object))]), one("read_file", object, true));
    assert!(!merged([call(0, "a", "read_file", &twice(&twice(object))), finish("stop")])[0].2, "once");
    assert!(
        !merged([call(0, "a", "read_file", "\"{\\\"path\\\":"), finish("stop")])[0].2,
        "cut JSON is never closed"
    );
    assert!(!merged([call(0, "a", "read_file", "\"a.txt\""), finish("stop")])[0].2);
    let split: Vec<ModelDelta> = twice(object)
        .chars()
        .map(|c| piece(Some(0), Some("a"), Some("read_file"), Some(&c.to_string())))
        .collect();
    let mut merge = Merge::of_calls_to(tools());
    split.iter().for_each(|delta| _ = merge.apply(delta));
    assert_eq!(merge.completed().len(), 1, "whatever the chunks");
}

#[test]
fn a_name_without_an_id_goes_on_with_a_name_or_begins_a_call() {
    // P9
    let at = |name, arguments| piece(Some(0), None, Some(name), arguments);
    assert_eq!(
        merged([at("read_", None), at("file", Some("{\"path\":\"a\"}"))]),
        one("read_file", "{\"path\":\"a\"}", true)
    );
    assert_eq!(
        merged([at("read_", None), at("read_file", Some("{\"path\":\"a\"}"))]).len(),
        1,
        "a longer beginning"
    );
    assert_eq!(
        merged([at("read_file", None), at("read_file", Some("{\"path\":\"a\"}"))])[0].0,
        "read_file",
        "repeated whole"
    );
    let two = merged([at("read_file", Some("{\"path\":\"a\"}")), at("read_file", Some("{\"path\":\"b\"}"))]);
    assert_eq!(
        two.iter().map(|call| call.1.as_str()).collect::<Vec<_>>(),
        ["{\"path\":\"a\"}", "{\"path\":\"b\"}"]
    );
    let other = merged([at("read_file", Some("{\"path\":")), at("list_files", Some("{\"path\":\"b\"}"))]);
    assert_eq!((other.len(), other[0].2, other[1].2), (2, false, true));
    let repeated = merged([at("read_file", Some("{\"path\":")), at("read_file", Some("\"a\"}"))]);
    assert_eq!(
        repeated,
        one("read_file", "{\"path\":\"a\"}", true),
        "the same name within an object is the same call"
    );
}
