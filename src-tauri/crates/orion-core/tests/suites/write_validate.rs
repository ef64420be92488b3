//! What content may not hold (W5), by table and against a reference that looks at each character.

use crate::thorough::cases;
use orion_core::write::validate::MAX_FAULTS;
use orion_core::write::{Allowed, Faults, Markup, validate};
use orion_protocol::{FaultKind, WriteFault};
use proptest::prelude::*;

const NOTHING: Allowed = Allowed::NOTHING;

fn fault(kind: FaultKind, line: u32, column: u32, what: &str, context: &str) -> WriteFault {
    WriteFault { kind, line, column, what: what.into(), context: context.into() }
}

fn kinds_and_whats(text: &str) -> Vec<(FaultKind, String)> {
    validate(text, NOTHING, Markup::All).list.into_iter().map(|fault| (fault.kind, fault.what)).collect()
}

#[test]
fn clean_text_has_no_faults() {
    let clean = [
        "",
        "fn main() {\r\n\tprintln!(\"<b>[x]</b> é 漢字 🎉\");\n}\n",
        "an old line end\rand another\r",
        "\u{a0}\u{bf}\u{ff}\u{feff}\u{fffc}\u{ffff}\u{200b}\u{2028}",
        "<tool> <function> tool_call [TOOL] <| DSML <｜ <invoke> <function_call> </function> <parameter name=\"x\">",
    ];
    for text in clean {
        assert_eq!(validate(text, NOTHING, Markup::All), Faults::default(), "{text:?}");
    }
}

#[test]
fn every_control_character_but_tab_and_line_ends_is_a_fault() {
    for code in (0..0x20).chain(0x7f..0xa0) {
        let character = char::from_u32(code).unwrap();
        if ['\t', '\n', '\r'].contains(&character) {
            assert_eq!(
                validate(&format!("a{character}b"), NOTHING, Markup::All),
                Faults::default(),
                "{code}"
            );
        } else {
            let context = format!("é{}b", character.escape_default());
            let expected = fault(FaultKind::Control, 2, 2, &format!("U+{code:04X}"), &context);
            let faults = validate(&format!("x\né{character}b\r\ny"), NOTHING, Markup::All);
            assert_eq!(faults, Faults { list: vec![expected], more: 0 }, "{code}");
        }
    }
}

#[test]
fn the_replacement_character_is_a_fault_unless_the_target_had_it() {
    let text = "x\u{fffd}\0";
    let replacement = fault(FaultKind::Replacement, 1, 2, "U+FFFD", "x\u{fffd}\\u{0}");
    let control = fault(FaultKind::Control, 1, 3, "U+0000", "x\u{fffd}\\u{0}");
    assert_eq!(validate(text, NOTHING, Markup::All).list, [replacement, control.clone()]);
    assert_eq!(validate(text, Allowed::by("had \u{fffd} before"), Markup::All).list, [control]);
    assert_eq!((Allowed::by("had none"), Allowed::by("")), (NOTHING, NOTHING));
}

#[test]
fn markup_of_tool_calls_is_a_fault() {
    for (text, markup) in [
        ("a<｜tool▁calls▁begin｜>b", "<｜tool▁calls▁begin｜>"),
        ("<｜tool▁call▁begin｜>function", "<｜tool▁call▁begin｜>"),
        ("web_search<｜tool▁sep｜>", "<｜tool▁sep｜>"),
        ("<｜DSML｜function_calls>", "<｜DSML｜function_calls>"),
        ("<｜DSML｜invoke name=\"read\">", "<｜DSML｜invoke name=\"read\">"),
        ("</｜DSML｜tool_calls>", "</｜DSML｜tool_calls>"),
        ("<｜｜DSML｜｜tool_calls>", "<｜｜DSML｜｜tool_calls>"),
        ("</｜｜DSML｜｜invoke>", "</｜｜DSML｜｜invoke>"),
        ("<|DSML| parameter name=\"q\">", "<|DSML| parameter name=\"q\">"),
        ("</|DSML| invoke>", "</|DSML| invoke>"),
        ("<tool_call>{\"name\"", "<tool_call>"),
        ("}</tool_call>", "</tool_call>"),
        ("}<tool_call|>", "<tool_call|>"),
        ("<function=read_file>", "<function=read_file>"),
        ("<parameter=path>", "<parameter=path>"),
        ("[TOOL_CALLS][{\"name\"", "[TOOL_CALLS]"),
        ("<|tool_calls_section_begin|>", "<|tool_calls_section_begin|>"),
        ("<|tool_call_begin|>functions.read:0", "<|tool_call_begin|>"),
        ("<|tool_call_start|>[read()]", "<|tool_call_start|>"),
        ("<|tool_call|>", "<|tool_call|>"),
        ("<|tool_call>call:patch{", "<|tool_call>"),
        ("<|python_tag|>x", "<|python_tag|>"),
        ("<|python_start|>{", "<|python_start|>"),
        ("<function_calls>\n", "<function_calls>"),
        ("</function_calls>", "</function_calls>"),
        ("<invoke name=\"Read\">", "<invoke name=\"Read\">"),
        ("</invoke>", "</invoke>"),
        ("<antml:function_calls>", "<antml:function_calls>"),
        ("</antml:parameter>", "</antml:parameter>"),
        ("<minimax:tool_call>", "<minimax:tool_call>"),
        ("<seed:tool_call>", "<seed:tool_call>"),
        (
            "<|channel|>commentary to=functions.read <|constrain|>",
            "<|channel|>commentary to=functions.read <|constrain|>",
        ),
        ("<function=read", "<function="),
        ("<function=read\n>", "<function="),
    ] {
        assert_eq!(kinds_and_whats(text), [(FaultKind::Markup, markup.into())], "{text:?}");
    }
    let far = format!("<function={}>", "x".repeat(99));
    assert_eq!(kinds_and_whats(&far), [(FaultKind::Markup, far)]);
    let too_far = format!("<function={}>", "x".repeat(100));
    assert_eq!(kinds_and_whats(&too_far), [(FaultKind::Markup, "<function=".into())]);
    let hostile = "<function=\0>";
    assert_eq!(
        kinds_and_whats(hostile),
        [(FaultKind::Markup, "<function=\\u{0}>".into()), (FaultKind::Control, "U+0000".into())]
    );
}

#[test]
fn faults_are_listed_by_their_places_with_lines_and_columns_in_characters() {
    let text = "é\u{7f}<tool_call>\u{1}\n\n漢\u{fffd}🎉\u{85}";
    let first = "é\\u{7f}<tool_call>\\u{1}";
    let third = "漢\u{fffd}🎉\\u{85}";
    assert_eq!(
        validate(text, NOTHING, Markup::All).list,
        [
            fault(FaultKind::Control, 1, 2, "U+007F", first),
            fault(FaultKind::Markup, 1, 3, "<tool_call>", first),
            fault(FaultKind::Control, 1, 14, "U+0001", first),
            fault(FaultKind::Replacement, 3, 2, "U+FFFD", third),
            fault(FaultKind::Control, 3, 4, "U+0085", third),
        ]
    );
}

#[test]
fn only_the_first_fifty_are_listed_and_the_others_counted() {
    assert_eq!(MAX_FAULTS, 50);
    let list = |text: &str| {
        let faults = validate(text, NOTHING, Markup::All);
        (faults.list.len(), faults.list.last().unwrap().clone().line, faults.more)
    };
    assert_eq!(list(&"\0\n".repeat(50)), (50, 50, 0));
    assert_eq!(list(&"\0\n".repeat(51)), (50, 50, 1));
    assert_eq!(list(&"</invoke>\n".repeat(75)), (50, 50, 25));
    assert_eq!(list(&"\0</invoke>\n".repeat(30)), (50, 25, 10));
    assert_eq!(list(&"\0</invoke>\n".repeat(100)), (50, 25, 150));
}

#[test]
fn context_is_the_line_around_the_fault_cut_to_200_characters() {
    let context = |before: usize, after: usize| {
        let text = format!("x\n{}\0{}\ny", "é".repeat(before), "a".repeat(after));
        validate(&text, NOTHING, Markup::All).list[0].context.clone()
    };
    assert_eq!(context(99, 96), format!("{}\\u{{0}}{}", "é".repeat(99), "a".repeat(96)));
    assert_eq!(context(99, 97), format!("{}\\u{{0}}{}…", "é".repeat(99), "a".repeat(95)));
    assert_eq!(context(100, 0), format!("{}\\u{{0}}", "é".repeat(100)));
    assert_eq!(context(101, 0), format!("…{}\\u{{0}}", "é".repeat(100)));
    assert_eq!(context(101, 500), format!("…{}\\u{{0}}{}…", "é".repeat(100), "a".repeat(93)));
    let controls = "\u{7f}".repeat(60);
    let shown = validate(&controls, NOTHING, Markup::All).list[0].context.clone();
    assert_eq!(shown, format!("{}…", "\\u{7f}".repeat(33)), "an escape is not cut in two");
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn each_character_is_judged_by_itself(
        text in prop::collection::vec(prop::sample::select(vec![
            "a", "a", "some longer text", "\n", "\r", "\t", "é", "漢", "，", "￼", "🎉", "<", "[", "\u{a0}",
            "\0", "\u{1b}", "\u{7f}", "\u{80}", "\u{9f}", "\u{fffd}", "<tool_call>",
        ]), 0..80).prop_map(|parts| parts.concat()),
        replacement in any::<bool>(),
    ) {
        let mut expected = Vec::new();
        let (mut line, mut column) = (1, 1);
        for (at, character) in text.char_indices() {
            let faulty = character.is_control() && !"\t\r\n".contains(character);
            if text[at..].starts_with("<tool_call>") {
                expected.push((FaultKind::Markup, line, column));
            } else if faulty {
                expected.push((FaultKind::Control, line, column));
            } else if character == '\u{fffd}' && !replacement {
                expected.push((FaultKind::Replacement, line, column));
            }
            (line, column) = if character == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        let faults = validate(&text, Allowed::new(replacement, ""), Markup::All);
        let found: Vec<_> = faults.list.iter().map(|fault| (fault.kind, fault.line, fault.column)).collect();
        prop_assert_eq!(faults.more, expected.len().saturating_sub(50) as u64);
        expected.truncate(50);
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn control_characters_that_the_target_has_are_no_faults() {
    // W5
    let target = "one\u{c}\ntwo\u{85}\u{1b}[0m\n";
    let allowed = Allowed::by(target);
    assert_eq!(allowed.controls(), "\u{c}\u{1b}\u{85}");
    assert_eq!(Allowed::new(false, &allowed.controls()), allowed, "as a journal keeps it");
    assert_eq!(validate(target, allowed, Markup::All).count(), 0);
    assert_eq!(validate(target, NOTHING, Markup::All).count(), 3);
    let faults = validate("\u{c}\0\u{80}\u{9f}\u{7f}", allowed, Markup::All);
    let found: Vec<_> = faults.list.iter().map(|fault| fault.what.as_str()).collect();
    assert_eq!(found, ["U+0000", "U+0080", "U+009F", "U+007F"]);
}
