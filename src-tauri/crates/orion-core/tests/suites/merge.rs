//! Fragments of tool calls as real providers send them (P5, P9, P10), compared with the calls they make.

use crate::common::{call, finish, piece, text, whole};
use crate::thorough::cases;
use orion_core::merge::{CallFault, MAX_ARGUMENTS, MAX_CALLS, MAX_NAME, Merge};
use orion_core::model::{ArgumentsDelta, ModelDelta, ToolCallDelta};
use proptest::prelude::*;
use serde_json::{Value, json};

fn merged<const N: usize>(deltas: [ModelDelta; N]) -> Merge {
    let mut merge = Merge::default();
    for delta in deltas {
        merge.apply(&delta);
    }
    merge
}

type Call<'a> = (Option<&'a str>, &'a str, &'a str);

/// Id, name and arguments of every call, and which are complete, by their place, in the order they became so.
fn seen(merge: &Merge) -> (Vec<Call<'_>>, Vec<usize>) {
    let calls = merge
        .calls()
        .iter()
        .map(|call| (call.id.as_deref(), call.name.as_str(), call.arguments.as_str()))
        .collect();
    let place = |wanted: &orion_core::merge::MergedCall| {
        merge.calls().iter().position(|call| std::ptr::eq(call, wanted)).unwrap()
    };
    (calls, merge.completed().map(place).collect())
}

#[test]
fn fragments_with_the_same_id_make_one_call() {
    let merge = merged([
        call(0, "a", "read", "{\"p\":"),
        call(1, "b", "list", "{\"q\":"),
        piece(Some(7), Some("a"), None, Some("1}")),
        piece(None, Some("b"), Some("list"), Some("2}")),
    ]);
    let expected = vec![(Some("a"), "read", "{\"p\":1}"), (Some("b"), "list", "{\"q\":2}")];
    assert_eq!(seen(&merge), (expected, vec![0, 1]));
}

#[test]
fn fragments_without_an_id_go_to_the_latest_call_at_their_index() {
    let merge = merged([
        call(0, "a", "read", "{\"p\":"),
        call(1, "b", "list", "{\"q\":"),
        piece(Some(0), None, None, Some("1}")),
        piece(Some(1), Some(""), Some(""), Some("2}")),
    ]);
    let expected = vec![(Some("a"), "read", "{\"p\":1}"), (Some("b"), "list", "{\"q\":2}")];
    assert_eq!(seen(&merge), (expected, vec![0, 1]));
}

#[test]
fn another_id_and_a_name_at_the_same_index_begin_a_new_call() {
    let merge = merged([
        call(0, "a", "read", "{\"p\":"),
        call(0, "b", "list", "{\"q\":2"),
        piece(Some(0), None, None, Some("}")),
    ]);
    let expected = vec![(Some("a"), "read", "{\"p\":"), (Some("b"), "list", "{\"q\":2}")];
    assert_eq!(seen(&merge), (expected, vec![1]));
    assert_eq!(merge.calls()[0].fault(), Some(CallFault::CutOff));
}

#[test]
fn an_id_that_changes_without_a_name_goes_on_with_the_call() {
    let merge = merged([call(0, "a", "read", "{\"p\":"), piece(Some(0), Some("b"), None, Some("1}"))]);
    assert_eq!(seen(&merge), (vec![(Some("a"), "read", "{\"p\":1}")], vec![0]));
    let merge = merged([
        piece(None, Some("a"), Some("read"), Some("{\"p\":")),
        piece(None, Some("b"), None, Some("1}")),
    ]);
    assert_eq!(seen(&merge), (vec![(Some("a"), "read", "{\"p\":1}")], vec![0]));
}

#[test]
fn without_id_and_index_a_fragment_goes_to_the_last_call_unless_it_names_another() {
    let merge = merged([
        piece(None, None, Some("read"), Some("{\"p\":")),
        piece(None, None, Some("read"), Some("1}")),
        piece(None, None, Some("list"), Some("{\"q\":2}")),
    ]);
    assert_eq!(seen(&merge), (vec![(None, "read", "{\"p\":1}"), (None, "list", "{\"q\":2}")], vec![0, 1]));
    // A name that comes late is no new call.
    let merge = merged([piece(None, None, None, Some("{\"p\":1}")), piece(None, None, Some("read"), None)]);
    assert_eq!(seen(&merge), (vec![(None, "read", "{\"p\":1}")], vec![0]));
    // At an index, a repeated name is the same call.
    let merge = merged([call(0, "", "read", "{}"), call(0, "", "read", "{\"p\":1}")]);
    assert_eq!(seen(&merge), (vec![(None, "read", "{\"p\":1}")], vec![0]));
}

#[test]
fn without_an_index_another_id_and_a_name_begin_a_new_call() {
    let merge = merged([
        piece(None, Some("a"), Some("read"), Some("{\"p\":")),
        piece(None, Some("b"), Some("list"), Some("{\"q\":2}")),
    ]);
    assert_eq!(seen(&merge).0, vec![(Some("a"), "read", "{\"p\":"), (Some("b"), "list", "{\"q\":2}")]);
}

#[test]
fn ids_and_names_may_come_late_and_twice() {
    let merge = merged([
        piece(Some(0), None, None, Some("{\"p\"")),
        piece(Some(0), Some("a"), None, Some(":1}")),
        piece(Some(0), Some("a"), Some("read"), None),
        piece(Some(0), Some("a"), Some("other"), Some("")),
    ]);
    assert_eq!(seen(&merge), (vec![(Some("a"), "read", "{\"p\":1}")], vec![0]));
}

#[test]
fn an_id_after_a_nameless_beginning_is_the_same_call() {
    let merge = merged([piece(Some(0), None, Some("read"), Some("{\"p\"")), call(0, "a", "read", ":1}")]);
    assert_eq!(seen(&merge), (vec![(Some("a"), "read", "{\"p\":1}")], vec![0]));
}

#[test]
fn arguments_may_come_as_a_value_and_replace_what_was_there() {
    assert_eq!(
        seen(&merged([whole(0, "read", json!({"p": 1}))])),
        (vec![(None, "read", "{\"p\":1}")], vec![0])
    );
    let merge = merged([call(0, "", "read", "{}"), whole(0, "read", json!({"p": 1}))]);
    assert_eq!(seen(&merge), (vec![(None, "read", "{\"p\":1}")], vec![0]));
    let merge = merged([whole(0, "read", json!({"p": 1})), whole(0, "read", json!({"p": 2}))]);
    assert_eq!(seen(&merge).0, vec![(None, "read", "{\"p\":1}")], "complete arguments are final");
}

#[test]
fn an_empty_object_gives_way_to_the_real_arguments_until_it_is_closed() {
    // P5
    let mut merge = merged([call(0, "a", "read", "{}")]);
    assert_eq!(seen(&merge).1, [0usize; 0]);
    merge.apply(&piece(Some(0), None, None, Some("  ")));
    assert_eq!(merge.calls()[0].arguments, "{}", "white space is no arguments");
    merge.apply(&piece(Some(0), None, None, Some("{\"p\":1}")));
    assert_eq!(seen(&merge), (vec![(Some("a"), "read", "{\"p\":1}")], vec![0]));

    let mut merge = merged([call(0, "a", "read", "{}"), text("x"), finish("stop")]);
    assert_eq!(
        (seen(&merge).1, merge.completed().next().unwrap().object()),
        (vec![0], Some(&serde_json::Map::new()))
    );
    merge.apply(&piece(Some(0), None, None, Some("{\"p\":1}")));
    assert_eq!(merge.calls()[0].arguments, "{}", "closed");

    let merge = merged([call(0, "a", "read", "{}"), call(1, "b", "list", "")]);
    assert_eq!(seen(&merge).1, [0], "a later call closes it");
}

#[test]
fn what_follows_complete_arguments_came_twice() {
    let merge = merged([call(0, "a", "read", "{\"p\":1}"), piece(Some(0), None, None, Some("{\"p\":1}"))]);
    assert_eq!(seen(&merge), (vec![(Some("a"), "read", "{\"p\":1}")], vec![0]));
    let merge = merged([call(0, "a", "read", " {\"p\":1} }")]);
    assert_eq!(seen(&merge), (vec![(Some("a"), "read", " {\"p\":1}")], vec![0]));
}

#[test]
fn brackets_and_quotes_inside_strings_do_not_close_the_object() {
    let tricky = "{\"p\":\"}\\\"}\\\\\",\"q\":[{\"r\":\"]\"}],\"é\":\"日本\"}";
    let mut merge = merged([piece(Some(0), None, Some("read"), None)]);
    for (at, character) in tricky.char_indices() {
        assert_eq!(merge.completed().len(), 0, "at {at}");
        merge.apply(&piece(Some(0), None, None, Some(&character.to_string())));
    }
    assert_eq!(
        merge.completed().next().unwrap().object(),
        serde_json::from_str::<Value>(tricky).unwrap().as_object()
    );
}

#[test]
fn a_call_that_is_over_says_what_is_wrong_with_it() {
    // P6
    let faults = |arguments: &str| {
        let mut merge = merged([call(0, "a", "read", arguments)]);
        merge.close();
        assert_eq!(merge.completed().len(), usize::from(merge.calls()[0].fault().is_none()));
        merge.calls()[0].fault()
    };
    assert_eq!(faults("{}"), None);
    assert_eq!(faults("\n{\"p\":1}"), None);
    assert_eq!(faults(""), Some(CallFault::CutOff));
    assert_eq!(faults("  "), Some(CallFault::CutOff));
    assert_eq!(faults("{\"p\":\"}"), Some(CallFault::CutOff));
    assert_eq!(faults("{\"p\":tru}"), Some(CallFault::Invalid));
    assert_eq!(faults("{\"p\":1]"), Some(CallFault::Invalid));
    assert_eq!(faults("{\"p\":\"\\ud800\"}"), Some(CallFault::Invalid), "a lone surrogate");
    assert_eq!(faults("[1]"), Some(CallFault::NotAnObject));
    assert_eq!(faults("null"), Some(CallFault::NotAnObject));
    assert_eq!(faults("\"{}\""), Some(CallFault::NotAnObject));
    let mut nameless = merged([piece(Some(0), Some("a"), None, Some("{\"p\":1}"))]);
    nameless.close();
    assert_eq!((nameless.calls()[0].fault(), nameless.completed().len()), (Some(CallFault::Nameless), 0));
    assert_eq!(nameless.calls()[0].object(), None);
}

#[test]
fn arguments_over_one_mebibyte_are_refused_and_their_memory_is_let_go() {
    assert_eq!(MAX_ARGUMENTS, 1_048_576, "what the model is told");
    let fill = |bytes: usize| {
        let open = "{\"p\":\"";
        let mut merge = merged([call(0, "a", "read", open)]);
        merge.apply(&piece(Some(0), None, None, Some(&"x".repeat(bytes - open.len()))));
        merge
    };
    let mut exact = fill(MAX_ARGUMENTS - 2);
    exact.apply(&piece(Some(0), None, None, Some("\"}")));
    assert_eq!(exact.completed().len(), 1);
    let mut over = fill(MAX_ARGUMENTS + 1);
    assert_eq!(
        (over.calls()[0].fault(), over.calls()[0].arguments.capacity()),
        (Some(CallFault::TooLong), 0)
    );
    over.apply(&piece(Some(0), None, None, Some("\"}")));
    assert_eq!(over.calls()[0].fault(), Some(CallFault::TooLong));
}

#[test]
fn a_name_over_the_cap_is_no_name() {
    let named = |bytes: usize| {
        let mut merge = merged([call(0, "a", &"n".repeat(bytes), "{\"p\":1}")]);
        merge.close();
        (merge.calls()[0].name.len(), merge.calls()[0].fault())
    };
    assert_eq!(named(MAX_NAME), (MAX_NAME, None));
    assert_eq!(named(MAX_NAME + 1), (0, Some(CallFault::Nameless)));
}

#[test]
fn calls_over_the_cap_are_named_and_dropped_with_all_their_fragments() {
    let mut merge = Merge::default();
    for number in 0..MAX_CALLS + 2 {
        merge.apply(&piece(None, Some(&format!("id{number}")), Some("read"), Some("{\"p\":")));
        merge.apply(&piece(None, None, None, Some("1}")));
    }
    assert_eq!((merge.calls().len(), merge.completed().len()), (MAX_CALLS, MAX_CALLS));
    assert_eq!(merge.dropped_names(), ["read", "read"]);
    for _ in 0..2 * MAX_CALLS {
        merge.apply(&piece(None, None, Some("other"), None));
    }
    assert_eq!(merge.dropped_names().len(), MAX_CALLS);
    // A fragment for a call that was kept still reaches it, and the dropping is over.
    merge.apply(&piece(None, Some("id3"), None, Some(" ")));
    merge.apply(&piece(None, None, None, Some("{}")));
    assert!(merge.calls().iter().all(|call| call.arguments == "{\"p\":1}"));
    let mut at_index = Merge::default();
    for index in 0..=MAX_CALLS as u32 {
        at_index.apply(&call(index, "", "read", "{\"p\":1}"));
    }
    at_index.apply(&piece(Some(2), None, None, Some(" ")));
    at_index.apply(&piece(None, None, Some("read"), Some("{\"p\":1}")));
    assert_eq!((at_index.calls().len(), at_index.dropped_names().len()), (MAX_CALLS, 2));
}

#[test]
fn what_follows_a_dropped_call_does_not_go_on_with_the_last_one_that_was_kept() {
    // P9
    let open = |number: usize| piece(None, Some(&format!("id{number}")), Some("read"), Some("{\"p\":"));
    let mut merge = Merge::default();
    for number in 0..=MAX_CALLS {
        merge.apply(&open(number));
    }
    merge.apply(&piece(None, None, None, Some("1}")));
    assert_eq!(merge.calls()[MAX_CALLS - 1].arguments, "{\"p\":");
    assert_eq!(merge.dropped_names(), ["read"]);
    // Once the kept call was named again, what follows is its own.
    merge.apply(&piece(None, Some(&format!("id{}", MAX_CALLS - 1)), None, None));
    merge.apply(&piece(None, None, None, Some("1}")));
    assert_eq!(merge.calls()[MAX_CALLS - 1].arguments, "{\"p\":1}");
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn arguments_are_complete_exactly_when_their_last_byte_came(
        object in prop::collection::hash_map("[a-c\"\\\\{}é]{0,4}", prop_oneof![
            "[\"\\\\{}\\[\\]日 ]{0,6}".prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            Just(json!([[], {"x": "]}"}, null])),
        ], 1..4),
        cuts in prop::collection::vec(0..64usize, 0..8),
    ) {
        let arguments = serde_json::to_string(&object).unwrap();
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|&cut| arguments.is_char_boundary(cut)).collect();
        cuts.sort_unstable();
        let mut merge = Merge::default();
        let mut from = 0;
        for to in cuts.into_iter().chain([arguments.len()]) {
            prop_assert_eq!(merge.completed().len(), usize::from(from == arguments.len()));
            merge.apply(&piece(Some(0), Some("a"), Some("read"), Some(&arguments[from..to])));
            from = to;
        }
        let expected: Value = serde_json::from_str(&arguments).unwrap();
        prop_assert_eq!(merge.completed().next().and_then(|call| call.object()), expected.as_object());
    }

    #[test]
    fn any_text_as_arguments_is_an_object_or_a_fault(arguments in "[{}\\[\\]\":,a1 \\\\]{0,24}") {
        let mut merge = Merge::default();
        let whole = Some(ArgumentsDelta::Whole(arguments.clone()));
        merge.apply(&ModelDelta::ToolCall {
            delta: ToolCallDelta { index: None, id: None, name: Some("read".to_owned()), arguments: whole, extra: None },
        });
        merge.close();
        let call = &merge.calls()[0];
        prop_assert_eq!(call.object().is_some(), call.fault().is_none());
        if let Ok(Value::Object(object)) = serde_json::from_str(&arguments) {
            prop_assert_eq!(call.object(), Some(&object));
        }
    }
}
