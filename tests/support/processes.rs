//! The processes of this computer, by what they were started with.

use std::fs;

/// The numbers of the processes that have this text as one of their arguments.
#[must_use]
pub fn with_argument(text: &str) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let has = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|argument| argument == text.as_bytes())
    };
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(has).collect()
}
