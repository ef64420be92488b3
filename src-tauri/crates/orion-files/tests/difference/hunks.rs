//! Which hunks there are, and what accepting them makes.

use orion_files::difference::Difference;
use orion_protocol::DiffHunk;

use crate::difference;

/// Lines `1` to `20`, some of them with another text.
fn twenty(other: &[(usize, &str)]) -> String {
    let line = |number: usize| {
        other.iter().find(|(at, _)| *at == number).map_or(number.to_string(), |(_, text)| (*text).to_owned())
    };
    (1..=20).map(|number| line(number) + "\n").collect()
}

#[test]
fn changes_more_than_six_lines_apart_are_hunks_of_their_own() {
    let difference = difference(
        &twenty(&[]),
        &twenty(&[(4, "four"), (11, "eleven\neleven and a half"), (19, "nineteen")]),
    );
    let hunk = |number, first_row, rows, (old_start, old_lines), (new_start, new_lines)| DiffHunk {
        number,
        first_row,
        rows,
        old_start,
        old_lines,
        new_start,
        new_lines,
    };
    assert_eq!(difference.hunks(), [hunk(1, 0, 17, (1, 14), (1, 15)), hunk(2, 18, 6, (16, 5), (17, 5))]);
    assert_eq!(difference.accept(&[2]), twenty(&[(19, "nineteen")]));
    assert_eq!(difference.accept(&[1]), twenty(&[(4, "four"), (11, "eleven\neleven and a half")]));
    assert_eq!((difference.added(), difference.removed()), (4, 3));
}

#[test]
fn a_file_that_is_not_there_yet_is_one_hunk() {
    let difference = Difference::of(None, "a\nb".into(), &[]);
    let hunk =
        DiffHunk { number: 1, first_row: 0, rows: 2, old_start: 0, old_lines: 0, new_start: 1, new_lines: 2 };
    assert_eq!(difference.hunks(), [hunk]);
    assert_eq!((difference.accept(&[1]), difference.accept(&[])), ("a\nb".into(), String::new()));
}

#[test]
fn texts_that_are_the_same_have_no_hunk_and_an_empty_one_has_no_row() {
    let same = difference("a\nb", "a\nb");
    assert_eq!((same.hunks(), same.rows_total()), (vec![], 2));
    let empty = Difference::of(None, "".into(), &[]);
    assert_eq!((empty.hunks(), empty.rows(0, 10), empty.accept(&[1])), (vec![], vec![], String::new()));
}

#[test]
fn a_number_that_no_hunk_has_is_passed_over() {
    assert_eq!(difference("a\n", "b\n").accept(&[0, 2, u32::MAX]), "a\n");
}
