//! A1: which rule holds for a call, and what a kept approval lifts.

use orion_core::permission::{Kept, Pattern, Rule, Rules, Ruling, ToolRules};
use orion_core::tool::{ToolKind, ToolSpec};
use orion_protocol::{AskedBy, Permission};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::{approval, parsed, parsed_below, tool};
use crate::thorough::cases;

use Permission::{Allow, Ask, Deny};

fn pattern(text: &str) -> Pattern {
    Pattern::try_from(text.to_owned()).unwrap()
}

fn rule(text: &str, permission: Permission) -> Rule {
    Rule { pattern: (!text.is_empty()).then(|| pattern(text)), permission }
}

/// Patterns, with what they permit.
type List = [(&'static str, Permission)];

fn rules(user: &[(&str, Permission)], project: &[(&str, Permission)]) -> Rules {
    let list = |rules: &[(&str, Permission)]| rules.iter().map(|(text, says)| rule(text, *says)).collect();
    let of_tool = ToolRules { user: list(user), project: list(project) };
    Rules { tools: [("read".to_owned(), of_tool)].into(), ..Rules::default() }
}

fn keeping(text: &str, rules: Rules) -> Rules {
    let kept = Kept { approval_id: approval(1), tool: "read".to_owned(), pattern: pattern(text) };
    Rules { kept: vec![kept], ..rules }
}

/// What a call of `read` for this path may do, as a model wrote the path.
fn judged(rules: &Rules, permission: Permission, path: &str) -> Ruling {
    judged_below(rules, permission, path, "/project")
}

fn judged_below(rules: &Rules, permission: Permission, path: &str, root: &str) -> Ruling {
    let tool = tool("read", permission);
    rules.judge(&tool, &parsed_below(Some(&tool), &json!({ "path": path }), root))
}

#[test]
fn a_pattern_is_held_against_the_normalized_path() {
    // A1, D1
    let cases = [
        ("a*", "a", true),
        ("a*", "abc.txt", true),
        ("a*", "./abc.txt", true),
        ("a*", "b/../abc.txt", true),
        ("a*", "/project/abc.txt", true),
        // Never what leads out of the project, whatever it is called.
        ("a*", "../a", false),
        ("a*", "../project/a", false),
        ("a*", "/a", false),
        ("a*", "/etc/a", false),
        ("**", "../a", false),
        ("**", "/etc/passwd", false),
        ("**", "a\0", false),
        ("*", "../a", false),
        // Nor what the path leads to another name by.
        ("a*", "a/../b", false),
        ("b", "a/../b", true),
        ("a/../b", "a/../b", false),
        // A `*` stays within a name.
        ("a*", "a/b", false),
        ("a/*", "a/b", true),
        ("a/*", "a/b/c", false),
        ("a/**", "a/b/c", true),
        ("a/**", "a", false),
        ("**/*.rs", "lib.rs", true),
        ("**/*.rs", "src/a/lib.rs", true),
        ("*.rs", "src/lib.rs", false),
        ("*", ".", true),
        (".", "./", true),
        ("{a,b}.txt", "b.txt", true),
        ("[ab].txt", "c.txt", false),
        ("a?", "a", false),
        ("a?", "a/", false),
        (r"\*", "*", true),
        (r"\*", "a", false),
        // On a system that tells them apart, letter case and a backslash matter. Windows has no name with a backslash in it.
        ("a*", "ABC", false),
        ("a/b", r"a\b", cfg!(windows)),
    ];
    for (text, path, matches) in cases {
        let ruling = judged(&rules(&[(text, Deny)], &[]), Allow, path);
        assert_eq!(ruling == Ruling::Deny(AskedBy::User), matches, "{text} and {path}");
        let lifted = judged(&keeping(text, Rules::default()), Ask, path);
        assert_eq!(lifted == Ruling::Kept(approval(1)), matches, "kept: {text} and {path}");
    }
}

#[test]
fn a_pattern_is_held_against_a_path_and_not_against_its_quoted_form() {
    // A1: a name that is shown quoted begins with no quote.
    let cases = [
        ("secret/**", r#""secret/a\tb""#, true),
        ("secret/**", "secret/a\tb", true),
        ("secret/**", r#""secret/\xff""#, true),
        ("secret/**", r#""secret/\\""#, true),
        ("secret/**", r#""secret/\xe2\x80\xae""#, true),
        ("secret/\u{fffd}", r#""secret/\xff""#, true),
        ("secret/a\tb", r#""secret/a\tb""#, true),
        ("*", r#""secret/a\tb""#, false),
        (r#""*"#, r#""secret/a\tb""#, false),
        (r#""*"#, r#""\"a""#, true),
        // No other text is a quoted form: these are names that begin with a quote.
        ("secret/**", r#""secret/a""#, false),
        ("secret/**", r#""secret/\x41""#, false),
        ("secret/**", r#""secret/a\x09b""#, false),
        ("secret/**", r#""secret/a\tb"#, false),
        ("secret/**", r#""secret/a\tb\x00""#, false),
        (r#""secret/**"#, r#""secret/a""#, true),
        // Nor do those of a place outside of the project.
        ("a*", r#""../a\t""#, false),
        // Windows has no name with a backslash in it, so there it is a file `t"` in a folder `a`.
        (r#""../*"#, r#""../a\t""#, cfg!(not(windows))),
        ("**", r#""/etc/a\t""#, true),
        ("etc/**", r#""/etc/a\t""#, false),
    ];
    for (text, path, matches) in cases {
        let expected = if matches { Ruling::Deny(AskedBy::User) } else { Ruling::Allow };
        assert_eq!(judged(&rules(&[(text, Deny)], &[]), Allow, path), expected, "{text:?} {path:?}");
    }
}

#[test]
fn letter_case_and_separators_are_those_of_the_file_system() {
    let denied = Rules { ignores_case: true, ..rules(&[("Secret/**", Deny)], &[]) };
    let deny = Ruling::Deny(AskedBy::User);
    assert_eq!(judged(&denied, Allow, "SECRET/key"), deny);
    assert_eq!(judged(&denied, Allow, "secret/Schlüssel"), deny);
    let umlaut = Rules { ignores_case: true, ..rules(&[("Ä*", Deny)], &[]) };
    assert_eq!(judged(&umlaut, Allow, "äpfel"), deny);
    // No pattern is another one, or none, in lower case.
    for (pattern, path) in [("[A-_]*", "x"), ("[A-_]*", "X"), ("[A-z]x", "_x")] {
        let denied = Rules { ignores_case: true, ..rules(&[(pattern, Deny)], &[]) };
        assert_eq!(judged(&denied, Allow, path), deny, "{pattern} {path}");
    }
    let windows = r"C:\project";
    assert_eq!(judged_below(&denied, Allow, r"x\..\secret\key", windows), deny);
    assert_eq!(judged_below(&denied, Allow, r"C:\PROJECT\Secret\key", windows), deny);
    assert_eq!(judged_below(&denied, Allow, r"D:\secret\key", windows), Ruling::Allow);
}

#[test]
fn within_a_list_the_last_match_holds_and_between_lists_the_strictest() {
    // A1
    let (user, project, default) = (AskedBy::User, AskedBy::Project, AskedBy::Default);
    let cases: [(&List, &List, Permission, Ruling); 10] = [
        (&[], &[], Allow, Ruling::Allow),
        (&[], &[], Ask, Ruling::Ask(default)),
        (&[("**", Deny), ("a*", Allow)], &[], Ask, Ruling::Allow),
        (&[("a*", Allow), ("**", Deny)], &[], Ask, Ruling::Deny(user)),
        (&[("", Deny), ("a*", Ask)], &[], Allow, Ruling::Ask(user)),
        (&[("b*", Deny)], &[], Ask, Ruling::Ask(default)),
        (&[("", Allow)], &[("a*", Ask)], Allow, Ruling::Ask(project)),
        (&[("", Allow)], &[("", Deny), ("a*", Ask)], Allow, Ruling::Ask(project)),
        (&[("a*", Deny)], &[("a*", Ask)], Allow, Ruling::Deny(user)),
        (&[("a*", Ask)], &[("a*", Deny)], Allow, Ruling::Deny(project)),
    ];
    for (number, (of_user, of_project, permission, expected)) in cases.into_iter().enumerate() {
        assert_eq!(judged(&rules(of_user, of_project), permission, "a"), expected, "case {number}");
    }
}

#[test]
fn of_two_rulings_the_stricter_holds_and_of_two_alike_the_first() {
    // A1: it is the first one whose origin a person is told.
    let (user, project) = (AskedBy::User, AskedBy::Project);
    let strictness = [
        Ruling::Allow,
        Ruling::Kept(approval(1)),
        Ruling::Ask(AskedBy::Default),
        Ruling::Ask(user),
        Ruling::Deny(user),
    ];
    for (place, one) in strictness.into_iter().enumerate() {
        for (other_place, other) in strictness.into_iter().enumerate() {
            let stricter = if other_place > place { other } else { one };
            assert_eq!(one.and(other), stricter);
        }
    }
    assert_eq!(Ruling::Ask(user).and(Ruling::Ask(project)), Ruling::Ask(user));
    assert_eq!(Ruling::Deny(project).and(Ruling::Deny(user)), Ruling::Deny(project));
}

#[test]
fn a_kept_approval_lifts_an_ask_that_nobody_configured_and_nothing_else() {
    // A1
    let lifted = Ruling::Kept(approval(1));
    assert_eq!(judged(&keeping("a", Rules::default()), Ask, "a"), lifted);
    assert_eq!(judged(&keeping("a", Rules::default()), Deny, "a"), Ruling::Deny(AskedBy::Default));
    assert_eq!(judged(&keeping("a", Rules::default()), Ask, "b"), Ruling::Ask(AskedBy::Default));
    for (user, project, expected) in [
        (&[("", Ask)][..], &[][..], Ruling::Ask(AskedBy::User)),
        (&[("a", Ask)], &[], Ruling::Ask(AskedBy::User)),
        (&[], &[("a", Ask)], Ruling::Ask(AskedBy::Project)),
        (&[], &[("a", Deny)], Ruling::Deny(AskedBy::Project)),
        (&[("a", Deny)], &[], Ruling::Deny(AskedBy::User)),
        (&[("b", Ask)], &[("b", Ask)], lifted),
    ] {
        let judged = judged(&keeping("a", rules(user, project)), Ask, "a");
        assert_eq!(judged, expected, "{user:?} {project:?}");
    }
    let other = Kept { approval_id: approval(1), tool: "ask".to_owned(), pattern: pattern("**") };
    let of_another_tool = Rules { kept: vec![other], ..Rules::default() };
    assert_eq!(judged(&of_another_tool, Ask, "a"), Ruling::Ask(AskedBy::Default));
}

/// A tool that names two paths, and one that names none.
fn mover() -> ToolSpec {
    let parameters = json!({ "type": "object" });
    let paths = vec!["from".to_owned(), "to".to_owned()];
    ToolSpec { parameters, paths, kind: ToolKind::Mutates, ..tool("read", Ask) }
}

#[test]
fn a_call_that_names_two_paths_may_do_what_is_allowed_for_both() {
    let kept = keeping("a*", Rules::default());
    let both = |from: &str, to: &str| parsed(Some(&mover()), &json!({ "from": from, "to": to }));
    let judge = |rules: &Rules, from: &str, to: &str| rules.judge(&mover(), &both(from, to));
    assert_eq!(judge(&kept, "a", "ab"), Ruling::Kept(approval(1)));
    assert_eq!(judge(&kept, "a", "b"), Ruling::Ask(AskedBy::Default));
    assert_eq!(judge(&kept, "a", "../a"), Ruling::Ask(AskedBy::Default));
    assert_eq!(judge(&rules(&[("b", Deny)], &[]), "a", "b"), Ruling::Deny(AskedBy::User));
    // A rule names one path: there is none that would stand for this call.
    assert_eq!(Rules::default().would_keep(&mover(), &both("a", "b")), None);
}

#[test]
fn what_would_be_kept_is_exactly_this_call_and_only_where_it_would_lift_something() {
    let keeps = |rules: &Rules, permission: Permission, path: &str| {
        let tool = tool("read", permission);
        let arguments = parsed(Some(&tool), &json!({ "path": path, "line": 1 }));
        rules.would_keep(&tool, &arguments).map(|it| it.to_string())
    };
    let none = Rules::default();
    assert_eq!(keeps(&none, Ask, "docs/a.md").as_deref(), Some("docs/a.md"));
    assert_eq!(keeps(&none, Ask, "docs/[a]*.md").as_deref(), Some("docs/[[]a[]][*].md"));
    assert_eq!(keeps(&none, Ask, "../a"), None);
    // Nobody could read the pattern of a name that is shown quoted.
    assert_eq!(keeps(&none, Ask, r#""a\tb""#), None);
    assert_eq!(keeps(&none, Ask, "a\tb"), None);
    assert_eq!(keeps(&none, Allow, "a"), None);
    assert_eq!(keeps(&rules(&[("a", Ask)], &[]), Ask, "a"), None);
    assert_eq!(keeps(&rules(&[], &[("a", Ask)]), Ask, "a"), None);
    // Without a path, all the arguments are meant.
    let spec = ToolSpec { parameters: json!({ "type": "object" }), paths: Vec::new(), ..tool("read", Ask) };
    let parsed = |arguments: Value| parsed(Some(&spec), &arguments);
    let exact = none.would_keep(&spec, &parsed(json!({ "a": "b\\n\"" }))).unwrap();
    let kept = Kept { approval_id: approval(1), tool: "read".to_owned(), pattern: exact };
    let kept = Rules { kept: vec![kept], ..none.clone() };
    let judge = |arguments: Value| kept.judge(&spec, &parsed(arguments));
    assert_eq!(judge(json!({ "a": "b\\n\"" })), Ruling::Kept(approval(1)));
    assert_eq!(judge(json!({ "a": "b\n\"" })), Ruling::Ask(AskedBy::Default));
    let exact = none.would_keep(&spec, &parsed(json!({ "b": 1, "a": "x/*" }))).unwrap();
    let kept = Kept { approval_id: approval(1), tool: "read".to_owned(), pattern: exact };
    let kept = Rules { kept: vec![kept], ..none };
    let judge = |arguments: Value| kept.judge(&spec, &parsed(arguments));
    assert_eq!(judge(json!({ "a": "x/*", "b": 1 })), Ruling::Kept(approval(1)));
    assert_eq!(judge(json!({ "a": "x/y", "b": 1 })), Ruling::Ask(AskedBy::Default));
    assert_eq!(judge(json!({ "a": "x/*", "b": 1, "c": 2 })), Ruling::Ask(AskedBy::Default));
}

#[test]
fn a_text_that_is_no_pattern_is_refused_when_it_is_read() {
    for text in ["", "[a", "{a", &"a".repeat(4_097)] {
        assert!(Pattern::try_from(text.to_owned()).is_err(), "{text:?}");
        assert!(serde_json::from_value::<Pattern>(json!(text)).is_err(), "{text:?}");
    }
}

fn permissions() -> impl Strategy<Value = Permission> {
    prop::sample::select(&[Allow, Ask, Deny][..])
}

fn lists() -> impl Strategy<Value = Vec<Rule>> {
    let patterns = prop::sample::select(&["", "a", "a*", "b", "**", "d/*", "d/**", "[ab]", "../a"][..]);
    prop::collection::vec((patterns, permissions()).prop_map(|(text, says)| rule(text, says)), 0..4)
}

fn strictness(permission: Permission) -> u8 {
    match permission {
        Allow => 0,
        Ask => 1,
        Deny => 2,
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    /// However the layers are made: a project never loosens, and a kept approval lifts a default and nothing else.
    #[test]
    fn a_project_only_tightens_and_an_approval_lifts_a_default_alone(
        (user, project) in (lists(), lists()),
        kept in prop::sample::select(&["a", "a*", "**", "d/**", "b"][..]),
        default in permissions(),
        path in prop::sample::select(&["a", "ab", "b", "d/e", "d/e/f", ".", "../a", "a/../b", "/etc/a"][..]),
    ) {
        let of_tool = |user: &[Rule], project: &[Rule]| {
            let tool = ToolRules { user: user.to_vec(), project: project.to_vec() };
            Rules { tools: [("read".to_owned(), tool)].into(), ..Rules::default() }
        };
        let permission = |rules: &Rules| judged(rules, default, path).permission();
        let alone = permission(&of_tool(&user, &[]));
        let both = permission(&of_tool(&user, &project));
        prop_assert!(strictness(both) >= strictness(alone), "the project loosened {alone:?} to {both:?}");
        let of_project = permission(&of_tool(&[rule("", Allow)], &project));
        prop_assert_eq!(strictness(both), strictness(alone).max(strictness(of_project)));
        let before = judged(&of_tool(&user, &project), default, path);
        let after = judged(&keeping(kept, of_tool(&user, &project)), default, path);
        if before == Ruling::Ask(AskedBy::Default) {
            prop_assert!(matches!(after, Ruling::Kept(_) | Ruling::Ask(AskedBy::Default)));
        } else {
            prop_assert_eq!(after, before);
        }
        let outside = matches!(path, "../a" | "/etc/a");
        prop_assert!(!outside || !matches!(after, Ruling::Kept(_)), "an approval reached out of the project");
    }
}
