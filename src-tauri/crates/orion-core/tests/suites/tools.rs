//! Tools and sets of them: what a mode offers (A1), what may run twice (A5), how they are recorded (T8).

use orion_core::tool::{ToolKind, ToolSet, ToolSpec};
use orion_protocol::{Mode, Permission, ToolInfo};
use serde_json::{Value, json};

use crate::common::WRITE_PLAN_BEGIN;

fn tool(name: &str, kind: ToolKind, permission: Permission) -> ToolSpec {
    ToolSpec { permission, ..ToolSpec::new(name, "", json!({}), kind) }
}

fn tools() -> ToolSet {
    ToolSet::from_iter([
        tool("read", ToolKind::Reads, Permission::Allow),
        tool("open", ToolKind::OpensWrite, Permission::Ask),
        tool("change", ToolKind::Mutates, Permission::Ask),
        tool("secret", ToolKind::Reads, Permission::Deny),
    ])
}

fn names(tools: &ToolSet) -> Vec<&str> {
    tools.names().collect()
}

#[test]
fn plan_mode_offers_what_only_reads_and_no_mode_offers_what_is_denied() {
    // A1
    assert_eq!(names(&tools().offered_in(Mode::Plan)), ["read"]);
    assert_eq!(names(&tools().offered_in(Mode::Act)), ["read", "open", "change"]);
}

#[test]
fn permissions_are_decided_tool_by_tool_and_the_rest_of_a_tool_stays() {
    let permitted = tools().permitted(|tool| match tool.name.as_str() {
        "read" => Permission::Ask,
        _ => Permission::Deny,
    });
    assert_eq!(permitted.get("read"), Some(&tool("read", ToolKind::Reads, Permission::Ask)));
    assert_eq!(names(&permitted.offered_in(Mode::Act)), ["read"]);
    assert_eq!((permitted.len(), permitted.is_empty()), (4, false));
    assert_eq!((ToolSet::empty().len(), ToolSet::empty().is_empty()), (0, true));
}

#[test]
fn what_opens_a_write_and_what_may_run_twice_is_said_by_the_kind() {
    let tools = tools();
    assert_eq!(tools.write_opener().map(|tool| tool.name.as_str()), Some("open"));
    assert_eq!(tools.offered_in(Mode::Plan).write_opener(), None);
    let twice = |name| tools.may_run_twice(name);
    assert_eq!([twice("read"), twice("open"), twice("change")], [true, false, false]);
}

#[test]
fn a_name_that_is_not_in_the_set_is_for_the_tool_runner_to_refuse() {
    let tools = tools();
    assert_eq!(tools.get("rm"), None);
    assert_eq!((tools.permission("rm"), tools.permission("secret")), (Permission::Allow, Permission::Deny));
    assert!(tools.may_run_twice("rm"));
}

#[test]
fn what_people_are_told_of_a_tool_is_what_its_model_is_told() {
    let told: Vec<ToolInfo> = (&tools()).into_iter().map(ToolInfo::from).collect();
    let info = |name: &str, read_only, permission| ToolInfo {
        name: name.to_owned(),
        description: String::new(),
        read_only,
        permission,
        max_per_turn: None,
        parameters: json!({}),
    };
    let all = [
        info("read", true, Permission::Allow),
        info("open", false, Permission::Ask),
        info("change", false, Permission::Ask),
        info("secret", true, Permission::Deny),
    ];
    assert_eq!(told, all);
}

#[test]
fn a_set_is_recorded_as_the_list_of_its_tools() {
    // T8: journals name this text by its digest.
    let tools = ToolSet::from_iter([tool("read", ToolKind::Reads, Permission::Allow)]);
    let recorded = json!([
        { "name": "read", "description": "", "parameters": {}, "kind": "reads", "reveals": "contents", "permission": "allow" }
    ]);
    assert_eq!(serde_json::to_value(&tools).unwrap(), recorded);
    assert_eq!(serde_json::from_value::<ToolSet>(recorded).unwrap(), tools);
}

fn recorded(name: &str, what: (&str, Value)) -> ToolKind {
    let mut spec =
        json!({ "name": name, "description": "", "parameters": {}, "reveals": "names", "permission": "ask" });
    spec[what.0] = what.1;
    serde_json::from_value::<ToolSpec>(spec).unwrap().kind
}

#[test]
fn a_tool_is_recorded_with_its_kind() {
    for (kind, word) in
        [(ToolKind::Reads, "reads"), (ToolKind::Mutates, "mutates"), (ToolKind::OpensWrite, "opens_write")]
    {
        assert_eq!(recorded("a", ("kind", json!(word))), kind);
        assert_eq!(serde_json::to_value(kind).unwrap(), json!(word));
    }
    // The kind that was recorded counts, whatever the name.
    assert_eq!(recorded(WRITE_PLAN_BEGIN, ("kind", json!("reads"))), ToolKind::Reads);
}

#[test]
fn a_set_weighs_all_that_a_model_is_told_of_its_tools() {
    // X2
    let of = |name: &str| ToolSpec {
        description: "Does it.".to_owned(),
        ..tool(name, ToolKind::Reads, Permission::Allow)
    };
    // Its name, its description and "{}".
    assert_eq!(ToolSet::from_iter([of("read"), of("list")]).bytes(), 2 * (4 + 8 + 2));
}

#[test]
fn a_set_is_its_tools_and_not_what_was_counted_of_them() {
    let (counted, other) = (tools(), tools().permitted(|_| Permission::Allow));
    // T8: it is recorded as a list of its tools. Each has a name and `{}`.
    assert_eq!(counted.bytes(), "readopenchangesecret".len() as u64 + 4 * 2);
    assert_eq!(counted, tools());
    assert_ne!(counted, other);
    let recorded = serde_json::to_value(&counted).unwrap();
    assert_eq!(recorded, serde_json::to_value(counted.iter().collect::<Vec<_>>()).unwrap());
    assert_eq!(serde_json::from_value::<ToolSet>(recorded).unwrap(), counted);
}
