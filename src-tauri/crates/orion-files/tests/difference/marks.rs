//! Marks within lines: words that changed, characters that deceive, seams. Places count UTF-16 units.

use orion_files::difference::Difference;
use orion_protocol::{MarkKind, RowKind};

use crate::difference;

type MarkAt = (u32, u32, MarkKind);
type Marked = (String, Vec<MarkAt>);

fn marked(difference: &Difference) -> Vec<Marked> {
    let marks =
        |marks: Vec<orion_protocol::Mark>| marks.iter().map(|mark| (mark.from, mark.to, mark.kind)).collect();
    difference.rows(0, 1_000).into_iter().map(|row| (row.text, marks(row.marks))).collect()
}

fn added(text: &str) -> Vec<Marked> {
    marked(&Difference::of(None, text.into(), &[]))
}

fn expect(rows: &[(&str, &[MarkAt])]) -> Vec<Marked> {
    rows.iter().map(|(text, marks)| ((*text).to_owned(), marks.to_vec())).collect()
}

#[test]
fn the_words_that_differ_are_marked_in_both_lines() {
    use MarkKind::Changed;
    assert_eq!(
        marked(&difference("😀 let width = 10;\n", "😀 let height = 12;\n")),
        expect(&[
            ("😀 let width = 10;", &[(7, 12, Changed), (15, 17, Changed)]),
            ("😀 let height = 12;", &[(7, 13, Changed), (16, 18, Changed)]),
        ])
    );
    assert_eq!(
        marked(&difference("call(a, c)\n", "call(a, b, c)\n")),
        expect(&[("call(a, c)", &[]), ("call(a, b, c)", &[(8, 11, Changed)])])
    );
}

#[test]
fn ideographs_are_words_by_themselves() {
    use MarkKind::Changed;
    assert_eq!(
        marked(&difference("文件大小限制\n", "文件数量限制\n")),
        expect(&[("文件大小限制", &[(2, 4, Changed)]), ("文件数量限制", &[(2, 4, Changed)])])
    );
}

#[test]
fn lines_with_little_in_common_have_no_words_marked() {
    assert_eq!(
        marked(&difference("the quick brown fox\n", "return the_total(sum);\n")),
        expect(&[("the quick brown fox", &[]), ("return the_total(sum);", &[])])
    );
}

#[test]
fn each_removed_line_is_held_against_the_added_one_in_its_place() {
    use MarkKind::Changed;
    assert_eq!(
        marked(&difference("let a = 1;\nlet b = 1;\n", "let a = 2;\nlet b = 2;\nlet c = 2;\n")),
        expect(&[
            ("let a = 1;", &[(8, 9, Changed)]),
            ("let b = 1;", &[(8, 9, Changed)]),
            ("let a = 2;", &[(8, 9, Changed)]),
            ("let b = 2;", &[(8, 9, Changed)]),
            ("let c = 2;", &[]),
        ])
    );
}

#[test]
fn a_stretch_of_more_than_five_hundred_words_is_marked_as_a_whole() {
    let words = |word: &str| format!("{}{}", "same ".repeat(120), format!("{word}, ").repeat(200));
    let [old, new] = ["a", "b"].map(words);
    // The last comma and space are in both, so is `same`.
    let marks = vec![(600, 1_198, MarkKind::Changed)];
    assert_eq!(marked(&difference(&old, &new)), [(old, marks.clone()), (new, marks)]);
}

#[test]
fn characters_that_deceive_are_marked_by_what_they_are() {
    use MarkKind::{Control, Direction, Invisible, Replacement};
    assert_eq!(
        added("\u{202e}a\u{2066}\u{2069}\u{200e}\u{61c}"),
        expect(&[("\u{202e}a\u{2066}\u{2069}\u{200e}\u{61c}", &[(0, 1, Direction), (2, 6, Direction)])])
    );
    assert_eq!(
        added("é\u{200b}\u{feff}x\u{e0041}\u{e0100}\u{fe0f}\u{ad}"),
        expect(&[(
            "é\u{200b}\u{feff}x\u{e0041}\u{e0100}\u{fe0f}\u{ad}",
            &[(1, 3, Invisible), (4, 10, Invisible)]
        )])
    );
    assert_eq!(
        added("a\0\u{1b}\t\u{7f}\u{85}\u{2028}b"),
        expect(&[("a\0\u{1b}\t\u{7f}\u{85}\u{2028}b", &[(1, 3, Control), (4, 7, Control)])])
    );
    assert_eq!(added("a\u{fffd}\u{fffd}"), expect(&[("a\u{fffd}\u{fffd}", &[(1, 3, Replacement)])]));
    assert_eq!(
        added("\u{200b}\u{202e}"),
        expect(&[("\u{200b}\u{202e}", &[(0, 1, Invisible), (1, 2, Direction)])])
    );
}

#[test]
fn ordinary_text_of_any_script_has_no_mark() {
    let text = "\tlet x = “y”; // größer, 文件, עברית, עִבְרִית, العربية, हिन्दी, 😀";
    assert_eq!(added(text), expect(&[(text, &[])]));
}

#[test]
fn characters_are_marked_in_lines_that_go_and_stay_too() {
    let rows = difference("a\u{200b}\nb\u{200b}\n", "a\u{200b}\nc\n").rows(0, 10);
    let marked: Vec<_> = rows.iter().map(|row| (row.kind, row.marks.len())).collect();
    assert_eq!(marked, [(RowKind::Unchanged, 1), (RowKind::Removed, 1), (RowKind::Added, 0)]);
}

#[test]
fn seams_are_places_in_the_lines_of_the_new_text() {
    use MarkKind::Seam;
    let text = "😀ab\ncd\r\nef\n";
    let seams = [5, 5, 7, 10, 11, 14, 99];
    let difference = Difference::of(Some("cd\r\n".into()), text.into(), &seams);
    assert_eq!(
        marked(&difference),
        expect(&[
            // After `a`; the one after the line end is in the next line.
            ("😀ab", &[(3, 3, Seam)]),
            // A line has no place within its end.
            ("cd", &[(0, 0, Seam), (2, 2, Seam)]),
            ("ef", &[(0, 0, Seam), (2, 2, Seam)]),
        ])
    );
}

#[test]
fn characters_that_deceive_behind_the_cut_are_a_place_of_each_kind_at_the_cut() {
    use MarkKind::{Control, Direction, Invisible};
    let shown = format!("\u{200b}{}", "x".repeat(1_999));
    let line = format!("{shown}y\u{202e}\u{7}\u{2066}\u{7}");
    // Those that are shown are marked where they are; of the others, each kind once.
    let place = |kind| (2_000, 2_000, kind);
    assert_eq!(added(&line), [(shown.clone(), vec![(0, 1, Invisible), place(Direction), place(Control)])]);
    assert_eq!(added(&format!("{shown}y")), [(shown, vec![(0, 1, Invisible)])]);
}

#[test]
fn a_seam_behind_the_cut_is_at_the_cut() {
    let difference = Difference::of(None, "x".repeat(3_000).into(), &[2_500, 2_600]);
    assert_eq!(marked(&difference), [("x".repeat(2_000), vec![(2_000, 2_000, MarkKind::Seam)])]);
}
