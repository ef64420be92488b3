//! Large files cost no more memory than a few times their size.

use orion_files::writing::Outcome;
use orion_protocol::WriteOperation::{Append, Create, Overwrite};

use crate::site::Site;

/// The most memory that this process ever had in MiB, as Linux tells it. Each test has a process of its own.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() / 1024
}

const MIB: usize = 1024 * 1024;

#[test]
fn a_file_of_50_mb_takes_no_more_memory_than_four_times_its_size() {
    let line = "fifty bytes of text, or so, and then a line end.\r\n";
    let content = line.repeat(50_000_000 / line.len());
    let site = Site::empty();
    assert_eq!(site.write("a", Create, &content).performed.outcome, Outcome::Written);
    // Sent with other line ends, so that each line must be looked at.
    let sent = content.replace("\r\n", "\n");
    drop(content);
    assert_eq!(site.write("a", Overwrite, &sent[..sent.len() - 1]).performed.outcome, Outcome::Written);
    assert_eq!(site.write("a", Append, "more\n").performed.outcome, Outcome::Written);
    assert!(peak() < 4 * 50_000_000 / MIB + 16, "{} MiB", peak());
    assert_eq!(site.read("a").unwrap().len(), 50_000_000 + 6);
}

#[test]
fn a_large_legacy_file_takes_no_more_memory_than_four_times_its_size() {
    let line = b"na\xefve caf\xe9, d\xe9j\xe0 vu, and then a line end of two.\r\n";
    let site = Site::with([("a", &line.repeat(10_000_000 / line.len()))]);
    let before = peak();
    assert_eq!(site.write("a", Append, "été\n").performed.outcome, Outcome::Written);
    assert!(peak() - before < 4 * 10_000_000 / MIB, "{} MiB after {before}", peak());
    assert!(site.read("a").unwrap().ends_with(b"\r\n\xe9t\xe9\r\n"));
}
