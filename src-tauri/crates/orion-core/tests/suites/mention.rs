//! How a message names files and folders, and how a name is typed.

use orion_core::mention::{Mention, Typed, folder, mentions, named, typed};

fn paths(text: &str) -> Vec<String> {
    let shown = |it: Mention| match it.lines {
        Some((first, last)) => format!("{}:{first}-{last}", it.path),
        None => it.path,
    };
    mentions(text).into_iter().map(shown).collect()
}

#[test]
fn a_name_begins_a_word_and_ends_before_the_marks_of_the_sentence() {
    assert_eq!(
        paths("Compare @a.rs, @src/b.rs and (@docs/): is @c.md? @a.rs!"),
        ["a.rs", "src/b.rs", "docs/", "c.md"]
    );
    assert_eq!(paths("me@example.org @ a@b"), Vec::<String>::new());
    assert_eq!(paths("@../secret @/etc/passwd"), ["../secret", "/etc/passwd"]);
}

#[test]
fn lines_follow_a_name() {
    assert_eq!(
        paths("@a.rs:10-40 @b.rs:7. @c.rs:9-3 @d.rs:0"),
        ["a.rs:10-40", "b.rs:7-7", "c.rs:9-3", "d.rs:0"]
    );
    assert_eq!(paths("@\"my a.rs\":2-3 x @b.rs"), ["my a.rs:2-3", "b.rs"]);
    assert_eq!(paths("@\"a @b.rs\":10-40 c"), ["a @b.rs:10-40"], "the name is passed whole");
}

#[test]
fn a_quoted_name_may_hold_anything_but_a_line_end() {
    assert_eq!(paths(r#"@"my notes.txt" @"a \"b\" \\c" @"open"#), ["my notes.txt", r#"a "b" \c"#]);
    assert_eq!(paths("@\"a\nb\""), Vec::<String>::new());
}

#[test]
fn what_is_typed_is_found_and_a_path_is_named_as_it_is_read() {
    assert_eq!(typed("see @src/ma"), Some(Typed { from: 4, filter: "src/ma".into() }));
    assert_eq!(typed("see @\"my no").map(|it| it.filter).as_deref(), Some("my no"));
    for none in ["a@b", "@a b", "@\"a\nb", "@\"a\" ", "@a.rs:1", "text"] {
        assert_eq!(typed(none), None, "{none}");
    }
    for path in ["a.rs", "my a.rs", "a \"b\"\\.rs", "what?", "a:10", "ä/ö.txt"] {
        assert_eq!(paths(&named(path)), [path]);
    }
    assert_eq!([named("a.rs"), named("my a.rs")], ["@a.rs", "@\"my a.rs\""]);
    assert_eq!([folder("src"), folder("my src")], ["@src/", "@\"my src/"]);
    assert_eq!(typed(&folder("my files")).map(|it| it.filter).as_deref(), Some("my files/"));
}
