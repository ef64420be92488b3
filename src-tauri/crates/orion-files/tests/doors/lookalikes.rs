//! Names that look like those that are there.

use crate::bench::Bench;

#[test]
fn a_name_that_looks_like_one_that_is_there_names_it() {
    let bench = Bench::with([
        ("Bild\u{202f}1.png", ""),
        ("a\u{a0}b/c.txt", ""),
        ("caf\u{e9}.txt", ""),
        ("closed\u{a0}x", ""),
        (".orionignore", "closed*\n"),
    ]);
    let said = |name: &str| {
        let error = bench.project.open_file(&bench.project.path(name).unwrap()).unwrap_err();
        (error.message, error.action.unwrap_or_default())
    };
    for (asked, there, spelled) in [
        ("Bild 1.png", "Bild\u{202f}1.png", "Bild\\u{202f}1.png"),
        ("a b/c.txt", "a\u{a0}b", "a\\u{a0}b"),
        ("cafe\u{301}.txt", "caf\u{e9}.txt", "caf\\u{e9}.txt"),
        ("CAF\u{c9}.txt", "caf\u{e9}.txt", "caf\\u{e9}.txt"),
    ] {
        let expected = (
            format!("There is no `{asked}` in the project, but `{there}`, which looks the same."),
            format!("Give it exactly as it is: `{there}`, spelled {spelled}."),
        );
        assert_eq!(said(asked), expected);
    }
    for other in ["Bild 2.png", "cafe.txt"] {
        assert_eq!(said(other).0, format!("There is no `{other}` in the project."));
    }
    // What is closed is not named.
    assert!(!said("Closed x").0.contains("looks the same") || cfg!(any(windows, target_os = "macos")));
}
