//! Lines as the window gets them.

use orion_files::difference::Difference;
use orion_protocol::{DiffRow, Mark, MarkKind, RowKind};

use crate::difference;

fn row(kind: RowKind, old: Option<u64>, new: Option<u64>, text: &str) -> DiffRow {
    DiffRow { kind, old, new, text: text.into(), cut: 0, no_line_end: false, marks: vec![] }
}

#[test]
fn removed_lines_come_before_the_added_ones_that_take_their_place() {
    assert_eq!(
        difference("one\ntwo\nthree\n", "one\n2\n2.5\nthree\n").rows(0, 10),
        [
            row(RowKind::Unchanged, Some(1), Some(1), "one"),
            row(RowKind::Removed, Some(2), None, "two"),
            row(RowKind::Added, None, Some(2), "2"),
            row(RowKind::Added, None, Some(3), "2.5"),
            row(RowKind::Unchanged, Some(3), Some(4), "three"),
        ]
    );
}

#[test]
fn a_line_end_that_changed_is_a_change_marked_at_the_end_of_the_line() {
    let changed = vec![Mark { from: 1, to: 1, kind: MarkKind::Changed }];
    assert_eq!(
        difference("a\r\nb\r\n", "a\nb\r\n").rows(0, 10),
        [
            DiffRow { marks: changed.clone(), ..row(RowKind::Removed, Some(1), None, "a") },
            DiffRow { marks: changed, ..row(RowKind::Added, None, Some(1), "a") },
            row(RowKind::Unchanged, Some(2), Some(2), "b"),
        ]
    );
}

#[test]
fn a_last_line_without_an_end_says_so() {
    let changed = vec![Mark { from: 1, to: 1, kind: MarkKind::Changed }];
    assert_eq!(
        difference("a\n", "a").rows(0, 10),
        [
            DiffRow { marks: changed.clone(), ..row(RowKind::Removed, Some(1), None, "a") },
            DiffRow { marks: changed, no_line_end: true, ..row(RowKind::Added, None, Some(1), "a") },
        ]
    );
}

#[test]
fn a_carriage_return_alone_ends_no_line() {
    let control = |at| Mark { from: at, to: at + 1, kind: MarkKind::Control };
    assert_eq!(
        Difference::of(None, "a\rb\r\r\nc\r".into(), &[]).rows(0, 10),
        [
            DiffRow { marks: vec![control(1), control(3)], ..row(RowKind::Added, None, Some(1), "a\rb\r") },
            DiffRow {
                marks: vec![control(1)],
                no_line_end: true,
                ..row(RowKind::Added, None, Some(2), "c\r")
            },
        ]
    );
}

#[test]
fn a_long_line_is_cut_to_two_thousand_characters_and_the_rest_counted() {
    let rows =
        Difference::of(None, format!("{}{}\n", "😀".repeat(2_000), "x".repeat(30)).into(), &[]).rows(0, 10);
    assert_eq!(rows, [DiffRow { cut: 30, ..row(RowKind::Added, None, Some(1), &"😀".repeat(2_000)) }]);
}

#[test]
fn a_change_behind_the_cut_is_marked_at_the_cut() {
    let line = "x ".repeat(1_500);
    let rows = difference(&format!("{line}a\n"), &format!("{line}b\n")).rows(0, 10);
    let marks = vec![Mark { from: 2_000, to: 2_000, kind: MarkKind::Changed }];
    assert_eq!(
        rows.iter().map(|row| (row.cut, row.marks.clone())).collect::<Vec<_>>(),
        [(1_001, marks.clone()), (1_001, marks)]
    );
}

#[test]
fn rows_past_the_end_are_none() {
    let difference = difference("a\n", "b\n");
    assert_eq!(
        (difference.rows(2, 5), difference.rows(u64::MAX, 5), difference.rows(0, 0)),
        (vec![], vec![], vec![])
    );
}
