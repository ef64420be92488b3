//! The form in which a path is shown, and back (D1).

use orion_core::quoting::{shown, unquoted};
use proptest::prelude::*;

#[test]
fn a_path_is_quoted_where_it_would_deceive_or_is_no_text() {
    for (path, expected) in [
        (&b"src/a b.rs"[..], "src/a b.rs"),
        ("grün/日本".as_bytes(), "grün/日本"),
        (b"a\"b", "a\"b"),
        (b"\"a", r#""\"a""#),
        (b"a\n\t\rb", r#""a\n\t\rb""#),
        (b"a\\b", r#""a\\b""#),
        (b"a\x1b\x7f", r#""a\x1b\x7f""#),
        (b"a\xffb", r#""a\xffb""#),
        ("a\u{85}".as_bytes(), r#""a\xc2\x85""#),
        ("a\u{202e}gnp".as_bytes(), r#""a\xe2\x80\xaegnp""#),
        ("a\u{2028}b\u{2066}".as_bytes(), r#""a\xe2\x80\xa8b\xe2\x81\xa6""#),
    ] {
        assert_eq!(shown(path), expected);
        let back = expected.starts_with('"').then(|| path.to_vec());
        assert_eq!(unquoted(expected), back, "{expected}");
    }
}

#[test]
fn no_other_text_is_a_quoted_form() {
    for text in [
        "a",
        "\"",
        "\"\"",
        r#""a""#,
        r#""a\tb"#,
        r#"a\tb""#,
        r#""a\x09b""#,
        r#""a\xFF""#,
        r#""a\q""#,
        r#""a\x""#,
        r#""a\xf""#,
        r#""a\"#,
        r#""a\tb\x00""#,
        r#""/etc/a\tb""#,
        r#""../a\tb""#,
        r#""b/../a\tb""#,
        r#""./a\tb""#,
        r#""b//a\tb""#,
    ] {
        assert_eq!(unquoted(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn what_is_shown_is_one_path_and_no_other_text_is_it(
        names in prop::collection::vec(prop::collection::vec(prop::sample::select(&b"a.\"\\\n\t\x1f\x7f\xc3\xa4\xff"[..]), 1..6), 1..4),
    ) {
        let is_name = |name: &Vec<u8>| !matches!(name.as_slice(), b"." | b"..");
        prop_assume!(names.iter().all(is_name));
        let path = names.join(&b'/');
        let shown = shown(&path);
        let expected = shown.starts_with('"').then(|| path.clone());
        prop_assert_eq!(unquoted(&shown), expected);
        prop_assert!(!shown.chars().any(char::is_control));
    }

    #[test]
    fn a_quoted_form_is_the_one_that_is_shown(text in "\"[a-c./\\\\tnx0-9]{0,12}\"") {
        if let Some(path) = unquoted(&text) {
            prop_assert_eq!(shown(&path), text);
        }
    }
}
