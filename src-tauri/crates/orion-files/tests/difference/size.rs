//! Large and hostile texts cost no more than their own bytes. Each test is a process of its own, whose memory is measured.

use std::fs;
use std::sync::Arc;

use orion_files::difference::Difference;
use orion_protocol::DiffHunk;

/// Peak memory of this process, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

const MIB: u64 = 1024;

#[test]
fn a_new_file_of_fifty_megabytes_is_one_hunk_in_little_memory() {
    let new: Arc<str> = "0123456789012345678901234567890123456789012345678\n".repeat(1_000_000).into();
    let before = peak();
    let difference = Difference::of(None, new, &[]);
    let hunk = DiffHunk {
        number: 1,
        first_row: 0,
        rows: 1_000_000,
        old_start: 0,
        old_lines: 0,
        new_start: 1,
        new_lines: 1_000_000,
    };
    assert_eq!(difference.hunks(), [hunk]);
    let rows = difference.rows(999_999, 100);
    assert_eq!(rows.iter().map(|row| row.new).collect::<Vec<_>>(), [Some(1_000_000)]);
    assert!(peak() - before < 8 * MIB, "{} KiB", peak() - before);
}

#[test]
fn a_line_of_twenty_megabytes_is_shown_by_its_beginning_in_little_memory() {
    let [old, new]: [Arc<str>; 2] = ["a ", "b "].map(|word| word.repeat(10_000_000).into());
    let before = peak();
    let difference = Difference::of(Some(old), new, &[]);
    let rows = difference.rows(0, 10);
    let shown: Vec<_> = rows.iter().map(|row| (row.text.len(), row.cut, row.marks.len())).collect();
    assert_eq!(shown, [(2_000, 19_998_000, 0), (2_000, 19_998_000, 0)]);
    assert!(peak() - before < 8 * MIB, "{} KiB", peak() - before);
}

/// Numbers without an order, the same in every run.
fn noise(seed: u64, count: usize, kinds: u64) -> String {
    let mut state = seed;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        format!("{}\n", state % kinds)
    };
    (0..count).map(|_| next()).collect()
}

// A3: hunks are named by their numbers, also in another process.
#[test]
fn two_texts_have_the_same_hunks_however_slow_the_machine_is() {
    // A debug build takes seconds for them: no limit of time may have a say.
    let (old, new) = (noise(1, 80_000, 3), noise(2, 80_000, 3));
    let difference = Difference::of(Some(old.as_str().into()), new.as_str().into(), &[]);
    assert_eq!((difference.hunks().len(), difference.added(), difference.removed()), (347, 23_135, 23_135));
    let numbers: Vec<u32> = difference.hunks().iter().map(|hunk| hunk.number).collect();
    assert_eq!(difference.accept(&numbers), new);
    assert_eq!(difference.accept(&[]), old);
}

#[test]
fn texts_that_would_take_for_ever_to_compare_are_compared_rightly_and_not_for_long() {
    let (old, new) = (noise(1, 150_000, 3), noise(2, 150_000, 3));
    let difference = Difference::of(Some(old.as_str().into()), new.as_str().into(), &[]);
    let numbers: Vec<u32> = difference.hunks().iter().map(|hunk| hunk.number).collect();
    assert_eq!(difference.accept(&numbers), new);
    assert_eq!(difference.accept(&[]), old);
}

/// Where the hunks of an edit begin in the old text and how many lines it takes and brings: a line changed near the
/// beginning, one gone in the middle, one more near the end.
fn edited(old: &str) -> (Vec<u64>, u64, u64) {
    let mut lines: Vec<&str> = old.split_inclusive('\n').collect();
    let count = lines.len();
    lines[10] = "changed\n";
    lines.insert(count - 10, "more\n");
    lines.remove(count / 2);
    let difference = Difference::of(Some(old.into()), lines.concat().into(), &[]);
    let starts = difference.hunks().iter().map(|hunk| hunk.old_start).collect();
    (starts, difference.added(), difference.removed())
}

#[test]
fn a_few_edits_far_apart_in_a_long_text_are_small_hunks() {
    let different: String = (0..200_000).map(|line| format!("{line}\n")).collect();
    assert_eq!(edited(&different), (vec![8, 99_998, 199_988], 2, 2));
    // No line of it is there only once.
    let repeated = noise(1, 200_000, 300);
    assert_eq!(edited(&repeated), (vec![8, 99_998, 199_988], 2, 2));
}

#[test]
fn texts_of_too_many_lines_to_compare_are_one_change_between_their_beginnings_and_ends() {
    let [old, new] = ["x\n", "y\n"].map(|line| format!("a\n{}b\n", line.repeat(600_000)));
    let difference = Difference::of(Some(old.into()), new.as_str().into(), &[]);
    assert_eq!(
        (difference.removed(), difference.added(), difference.rows_total()),
        (600_000, 600_000, 1_200_002)
    );
    assert_eq!(difference.accept(&[1]), new);
}
