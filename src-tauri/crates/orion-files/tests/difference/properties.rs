//! What holds for every pair of texts.

use orion_files::difference::{Difference, MOST_WORK};
use orion_protocol::{DiffHunk, DiffRow, MarkKind, RowKind};
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::any::{cases, is_mac, lines, pair};

/// A limit of work that is always, sometimes, or never reached.
fn work() -> impl Strategy<Value = usize> {
    prop_oneof![1 => Just(0), 2 => 1..2_000_usize, 2 => Just(MOST_WORK)]
}

fn all(difference: &Difference) -> Vec<DiffRow> {
    difference.rows(0, u32::MAX)
}

/// A line as a row shows it: its text, and whether it has no end.
fn shown(line: &str, is_mac: bool) -> (String, bool) {
    let ends = if is_mac { &["\r"][..] } else { &["\r\n", "\n"] };
    let text = ends.iter().find_map(|end| line.strip_suffix(end));
    (text.unwrap_or(line).to_owned(), text.is_none())
}

/// The old text with the chosen hunks in it, by the line numbers that the hunks name.
fn taken(old: &str, new: &str, hunks: &[DiffHunk], chosen: &[bool]) -> String {
    let (old, new) = (lines(old), lines(new));
    let mut text = String::new();
    let mut done = 0;
    let start = |from_one: u64| usize::try_from(from_one).unwrap().saturating_sub(1);
    for (hunk, chosen) in hunks.iter().zip(chosen) {
        let from = start(hunk.old_start);
        let end = from + usize::try_from(hunk.old_lines).unwrap();
        text.extend(old[done..from].iter().copied());
        if *chosen {
            let from = start(hunk.new_start);
            text.extend(new[from..].iter().take(usize::try_from(hunk.new_lines).unwrap()).copied());
        } else {
            text.extend(old[from..end].iter().copied());
        }
        done = end;
    }
    text.extend(old[done..].iter().copied());
    text
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::with_cases(cases()) })]

    #[test]
    fn the_rows_are_the_lines_of_both_texts(((old, new), work) in (pair(), work())) {
        let difference = Difference::within(work, Some(old.as_str().into()), new.as_str().into(), &[]);
        let rows = all(&difference);
        prop_assert_eq!(rows.len() as u64, difference.rows_total());
        let side = |number: fn(&DiffRow) -> Option<u64>| {
            rows.iter().filter_map(|row| Some((number(row)?, (row.text.clone(), row.no_line_end)))).collect::<Vec<_>>()
        };
        let expected = |text: &str| (1..).zip(lines(text).into_iter().map(|line| shown(line, is_mac(text)))).collect::<Vec<_>>();
        prop_assert_eq!(side(|row| row.old), expected(&old));
        prop_assert_eq!(side(|row| row.new), expected(&new));
        for row in &rows {
            let kind = match (row.old, row.new) {
                (Some(_), Some(_)) => RowKind::Unchanged,
                (Some(_), None) => RowKind::Removed,
                (None, _) => RowKind::Added,
            };
            prop_assert_eq!(row.kind, kind);
        }
        let count = |kind| rows.iter().filter(|row| row.kind == kind).count() as u64;
        prop_assert_eq!((difference.removed(), difference.added()), (count(RowKind::Removed), count(RowKind::Added)));
    }

    #[test]
    fn an_unchanged_row_is_the_same_in_both_texts_to_the_byte((old, new) in pair()) {
        let difference = crate::difference(&old, &new);
        let (old, new) = (lines(&old), lines(&new));
        for row in all(&difference).iter().filter(|row| row.kind == RowKind::Unchanged) {
            let line = |lines: &[&str], number: Option<u64>| lines[usize::try_from(number.unwrap() - 1).unwrap()].to_owned();
            prop_assert_eq!(line(&old, row.old), line(&new, row.new));
        }
    }

    #[test]
    fn any_hunks_can_be_accepted_and_the_others_left((((old, new), work), chosen) in ((pair(), work()), prop::collection::vec(any::<bool>(), 64))) {
        let difference = Difference::within(work, Some(old.as_str().into()), new.as_str().into(), &[]);
        let hunks = difference.hunks();
        let numbers: Vec<u32> = hunks.iter().map(|hunk| hunk.number).collect();
        prop_assert_eq!(&numbers, &(1..=u32::try_from(hunks.len()).unwrap()).collect::<Vec<_>>());
        prop_assert_eq!(difference.accept(&numbers), new.as_str());
        prop_assert_eq!(difference.accept(&[]), old.as_str());
        let some: Vec<u32> = numbers.iter().zip(&chosen).filter(|(_, chosen)| **chosen).map(|(number, _)| *number).collect();
        prop_assert_eq!(difference.accept(&some), taken(&old, &new, &hunks, &chosen));
    }

    #[test]
    fn hunks_hold_every_change_with_three_lines_around((old, new) in pair()) {
        let difference = crate::difference(&old, &new);
        let rows = all(&difference);
        let mut covered = vec![false; rows.len()];
        for hunk in difference.hunks() {
            let first = usize::try_from(hunk.first_row).unwrap();
            let end = first + usize::try_from(hunk.rows).unwrap();
            let inside = &rows[first..end];
            let side = |number: fn(&DiffRow) -> Option<u64>| {
                let numbers: Vec<u64> = inside.iter().filter_map(number).collect();
                (numbers.first().copied().unwrap_or(0), numbers.len() as u64)
            };
            prop_assert_eq!(side(|row| row.old), (hunk.old_start, hunk.old_lines));
            prop_assert_eq!(side(|row| row.new), (hunk.new_start, hunk.new_lines));
            let changed = |row: &DiffRow| row.kind != RowKind::Unchanged;
            let lead = inside.iter().position(changed).unwrap();
            let trail = inside.iter().rev().position(changed).unwrap();
            prop_assert_eq!((lead, trail), ((first + lead).min(3), (rows.len() - end + trail).min(3)));
            // Seven unchanged lines in between would have made two hunks of it.
            let kept: Vec<bool> = inside.iter().map(changed).collect();
            prop_assert!(kept.windows(7).all(|seven| seven.contains(&true)) || inside.len() < 7);
            for row in &mut covered[first..end] {
                prop_assert!(!std::mem::replace(row, true), "two hunks share a row");
            }
        }
        prop_assert!(rows.iter().zip(&covered).all(|(row, covered)| row.kind == RowKind::Unchanged || *covered));
    }

    #[test]
    fn a_page_of_rows_is_a_part_of_all_of_them(((old, new), from, count) in (pair(), 0..80_usize, 0..30_usize)) {
        let difference = crate::difference(&old, &new);
        let expected: Vec<DiffRow> = all(&difference).into_iter().skip(from).take(count).collect();
        prop_assert_eq!(difference.rows(from as u64, u32::try_from(count).unwrap()), expected);
    }

    #[test]
    fn what_is_not_marked_as_changed_is_the_same_in_both_lines((old, new) in pair()) {
        let rows = all(&crate::difference(&old, &new));
        let kept = |row: &DiffRow| {
            let units: Vec<u16> = row.text.encode_utf16().collect();
            let mut kept = Vec::new();
            let mut at = 0;
            for mark in row.marks.iter().filter(|mark| mark.kind == MarkKind::Changed) {
                kept.extend_from_slice(&units[at..mark.from as usize]);
                at = mark.to as usize;
            }
            kept.extend_from_slice(&units[at..]);
            kept
        };
        let is_marked = |row: &DiffRow| row.marks.iter().any(|mark| mark.kind == MarkKind::Changed);
        let mut at = 0;
        while at < rows.len() {
            let run = |from: usize, kind| rows[from..].iter().take_while(|row| row.kind == kind).count();
            let removed = run(at, RowKind::Removed);
            let added = run(at + removed, RowKind::Added);
            for pair in 0..removed.min(added) {
                let (old, new) = (&rows[at + pair], &rows[at + removed + pair]);
                if is_marked(old) || is_marked(new) {
                    prop_assert_eq!(kept(old), kept(new));
                }
            }
            at += (removed + added).max(1);
        }
        for row in &rows {
            let units = u32::try_from(row.text.encode_utf16().count()).unwrap();
            prop_assert!(row.marks.is_sorted_by_key(|mark| mark.from));
            prop_assert!(row.marks.iter().all(|mark| mark.from <= mark.to && mark.to <= units));
        }
    }
}
