//! The unified diff, applied by git.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use orion_files::difference::Difference;
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::any::{is_mac, pair};
use crate::difference;

/// Applies a diff in a folder; the folder is in no repository, so git changes files and nothing else.
fn apply(folder: &Path, diff: &str) {
    let output = applied(folder, diff);
    assert!(output.status.success(), "{}\n{diff}", String::from_utf8_lossy(&output.stderr));
}

fn applied(folder: &Path, diff: &str) -> Output {
    fs::write(folder.join("it.diff"), diff).unwrap();
    Command::new("git")
        .args(["apply", "--whitespace=nowarn", "it.diff"])
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CEILING_DIRECTORIES", folder)
        .output()
        .expect("git is installed")
}

#[test]
fn a_diff_is_written_as_git_writes_it() {
    let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
    let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n13";
    assert_eq!(
        difference(old, new).unified("a/list", "b/list"),
        "--- a/list\n+++ b/list\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n@@ -10,3 +10,4 @@\n 10\n 11\n 12\n+13\n\
         \\ No newline at end of file\n"
    );
    assert_eq!(difference(old, old).unified("a/list", "b/list"), "");
}

#[test]
fn a_file_that_is_not_there_yet_is_dev_null() {
    let difference = Difference::of(None, "a\n".into(), &[]);
    assert_eq!(difference.unified("a/x y", "b/x y"), "--- /dev/null\n+++ b/x y\t\n@@ -0,0 +1,1 @@\n+a\n");
}

#[test]
fn a_new_file_without_a_line_has_its_names_alone() {
    let difference = Difference::of(None, "".into(), &[]);
    assert_eq!(difference.unified("a/x", "b/x"), "--- /dev/null\n+++ b/x\n");
}

#[test]
fn a_file_that_is_no_text_is_said_to_be_replaced() {
    let head = "Binary file a/x y differs: all of its 3402 bytes are replaced.\n--- a/x y\t\n+++ b/x y\t\n";
    let text = Difference::replacing(3_402, "new\n".into(), &[]);
    assert_eq!(text.unified("a/x y", "b/x y"), format!("{head}@@ -0,0 +1,1 @@\n+new\n"));
    assert_eq!((text.replaced_bytes(), text.added(), text.removed()), (Some(3_402), 1, 0));
    assert_eq!(Difference::replacing(3_402, "".into(), &[]).unified("a/x y", "b/x y"), head);
    assert_eq!(
        [None, Some("")].map(|old| Difference::of(old.map(Into::into), "a".into(), &[]).replaced_bytes()),
        [None; 2]
    );
}

#[test]
fn what_replaces_a_file_that_is_no_text_is_applied_to_none() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x"), [0, 1, 2]).unwrap();
    let diff = Difference::replacing(3, "new\n".into(), &[]).unified("a/x", "b/x");
    assert!(!applied(folder.path(), &diff).status.success());
    assert_eq!(fs::read(folder.path().join("x")).unwrap(), [0, 1, 2]);
}

#[test]
fn no_name_of_a_file_can_break_out_of_its_line() {
    let name = "a\n+++ b/other\t\"\\\u{1b}é";
    let difference = Difference::of(None, "new\n".into(), &[]);
    let diff = difference.unified(&format!("a/{name}"), &format!("b/{name}"));
    assert_eq!(
        diff,
        "--- /dev/null\n+++ \"b/a\\012+++ b/other\\011\\\"\\\\\\033é\"\n@@ -0,0 +1,1 @@\n+new\n"
    );
    let folder = tempfile::tempdir().unwrap();
    apply(folder.path(), &diff);
    assert_eq!(fs::read(folder.path().join(name)).unwrap(), b"new\n");
}

#[test]
fn lines_that_end_with_cr_alone_are_shown_as_lines_and_said_to_be_no_patch() {
    assert_eq!(
        difference("a\rb\rc", "a\rB\rc").unified("a/x", "b/x"),
        "The lines of b/x end with CR alone.\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\r\n-b\r\n+B\r\n c\n\\ No newline at end of file\n"
    );
}

proptest! {
    // Each case starts a program.
    #![proptest_config(Config { failure_persistence: None, ..Config::with_cases(300) })]

    #[test]
    fn git_makes_the_new_text_of_the_old_one(
        // Git does not know lines that end with CR alone.
        (old, new) in pair().prop_filter("old Macs", |(old, new)| !is_mac(old) && !is_mac(new)),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a file");
        fs::write(&file, &old).unwrap();
        let diff = difference(&old, &new).unified("a/a file", "b/a file");
        if !diff.is_empty() {
            apply(folder.path(), &diff);
        }
        prop_assert_eq!(fs::read_to_string(&file).unwrap(), new);
    }
}
