//! Lines that are too long for a row: which changed rows are cut, and the rest of a line piece by piece (W6).

use orion_files::difference::Difference;
use orion_protocol::{CutRow, MarkKind, RowKind, RowRest};

use crate::difference;

fn long(begins: &str, ends: &str) -> String {
    format!("{begins}{}{ends}", "é ".repeat(15_000))
}

/// A row's text with all that follows it, and how many questions that took.
fn whole(difference: &Difference, row: u64) -> (String, usize) {
    let [shown] = difference.rows(row, 1).try_into().unwrap();
    let (mut text, mut cut, mut asked) = (shown.text, shown.cut, 0);
    while cut > 0 {
        let RowRest { text: more, cut: left, .. } =
            difference.rest(row, text.chars().count() as u64).unwrap();
        text.push_str(&more);
        (cut, asked) = (left, asked + 1);
    }
    (text, asked)
}

#[test]
fn the_changed_rows_that_are_cut_are_named_and_those_beyond_are_counted() {
    let same = long("same", "");
    let (old, new) = (long("old", ""), long("new", "!"));
    let difference = difference(&format!("{same}\na\n{old}\n"), &format!("{same}\na\n{new}\nshort\n{new}"));
    let cut = |row, cut| CutRow { row, cut };
    // Removed, added, and a second one behind a short line. What stays as it is counts for nothing.
    assert_eq!(difference.cut_rows(9), (vec![cut(2, 28_003), cut(3, 28_004), cut(5, 28_004)], 0));
    assert_eq!(difference.cut_rows(2), (vec![cut(2, 28_003), cut(3, 28_004)], 1));
    assert_eq!(Difference::of(None, "a\n".into(), &[]).cut_rows(9), (Vec::new(), 0));
}

#[test]
fn the_pieces_of_a_line_are_the_line_without_its_end() {
    let (old, new) = (long("old", ""), long("new", "!"));
    let difference = difference(&format!("{old}\r\nz\n"), &format!("{new}\r\nz\n"));
    let rows = difference.rows(0, 2);
    assert_eq!([rows[0].kind, rows[1].kind], [RowKind::Removed, RowKind::Added]);
    assert_eq!(whole(&difference, 0), (old, 2));
    assert_eq!(whole(&difference, 1), (new, 2));
    assert_eq!(whole(&difference, 2), ("z".to_owned(), 0));
    // Beyond the line there is nothing, and beyond the rows there is no line.
    let nothing = RowRest { text: String::new(), cut: 0, marks: Vec::new() };
    assert_eq!(difference.rest(1, u64::MAX), Some(nothing));
    assert_eq!((difference.rest(3, 0), difference.rest(u64::MAX, 0)), (None, None));
}

#[test]
fn marks_of_a_piece_count_from_its_beginning() {
    let line = |word: &str| format!("{}{word}; x\u{202e}", "a ".repeat(1_500));
    let new = line("new");
    let difference =
        Difference::of(Some(format!("{}\n", line("old")).into()), format!("{new}\n").into(), &[3_004]);
    let rest = difference.rest(1, 2_000).unwrap();
    let marks: Vec<_> = rest.marks.iter().map(|mark| (mark.from, mark.to, mark.kind)).collect();
    assert_eq!(rest.text, new[2_000..]);
    assert_eq!(
        marks,
        [
            (1_000, 1_003, MarkKind::Changed),
            (1_004, 1_004, MarkKind::Seam),
            (1_006, 1_007, MarkKind::Direction)
        ]
    );
}
