//! Large texts cost no more memory than their own bytes. Each test is a process of its own, whose memory is measured as Linux
//! tells it.

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
