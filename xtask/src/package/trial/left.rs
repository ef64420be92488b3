//! What a package leaves behind: the files of a system before and after.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};

use super::root::{As, Root};

/// What may differ, and why. Nothing else may.
const MAY_DIFFER: [(&str, &str); 7] = [
    ("/home/person", "the person's own data"),
    ("/tmp", "nobody keeps anything there"),
    ("/var/lib/apt", "apt's own books"),
    ("/var/lib/dpkg", "dpkg's own books"),
    ("/var/log", "what apt and dpkg did"),
    ("/var/cache", "what can be made again: the manual's index, packages, fonts"),
    ("/etc/ld.so.cache", "made again after each package"),
];

/// Every file outside of those places: its kind, mode, owner, size and name.
pub(super) fn files(root: &Root) -> Result<BTreeSet<String>> {
    // The size of a folder is the file system's own.
    let find = r"find / -xdev \( -type d -printf '%y %m %u %g - %p\n' \) -o -printf '%y %m %u %g %s %p %l\n'";
    let list = root.said(As::Root, find)?;
    Ok(list.lines().filter(|line| !may_differ(line)).map(str::to_owned).collect())
}

fn may_differ(line: &str) -> bool {
    let path = line.splitn(6, ' ').nth(5).unwrap_or_default();
    let below = |place: &str| {
        path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ' ']))
    };
    MAY_DIFFER.iter().any(|(place, _)| below(place))
}

/// Refuses a difference.
pub(super) fn nothing(before: &BTreeSet<String>, after: &BTreeSet<String>) -> Result<()> {
    let more: Vec<&str> = after.difference(before).map(String::as_str).collect();
    let less: Vec<&str> = before.difference(after).map(String::as_str).collect();
    ensure!(
        more.is_empty() && less.is_empty(),
        "the package leaves behind:\n{}\nand takes away:\n{}",
        more.join("\n"),
        less.join("\n")
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_differ_is_a_place_and_what_is_below_it() {
        for place in ["/tmp", "/var/cache/man/index.db", "/etc/ld.so.cache", "/home/person"] {
            assert!(may_differ(&format!("f 644 root root 12 {place} ")), "{place}");
        }
        for place in ["/tmpfiles", "/usr/share/doc/orion", "/var/lib/orion", "/home"] {
            assert!(!may_differ(&format!("d 755 root root - {place}")), "{place}");
        }
    }

    #[test]
    fn a_file_more_and_a_file_less_are_named() {
        let files = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert!(nothing(&files(&["a"]), &files(&["a"])).is_ok());
        let said = nothing(&files(&["a"]), &files(&["b"])).unwrap_err().to_string();
        assert_eq!(said, "the package leaves behind:\nb\nand takes away:\na");
    }
}
