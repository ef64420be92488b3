//! Exceptions that docs/testing.md names, each with its reason: the only place for them, so that none is silent.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, bail};

use crate::step::root;

/// The names in one list of docs/testing.md, which stands between `<!-- LIST -->` and `<!-- /LIST -->`.
pub(crate) fn in_list(list: &str) -> Result<BTreeSet<String>> {
    let docs = root().join("docs/testing.md");
    let text = fs::read_to_string(&docs).with_context(|| format!("{} cannot be read", docs.display()))?;
    read(&text, list)
}

/// What stands between the first pair of backticks of each item.
fn read(text: &str, list: &str) -> Result<BTreeSet<String>> {
    let (begin, end) = (format!("<!-- {list} -->"), format!("<!-- /{list} -->"));
    let items = text.split_once(&begin).and_then(|(_, rest)| rest.split_once(&end)).map(|(items, _)| items);
    let items = items.with_context(|| format!("docs/testing.md has no list between {begin} and {end}"))?;
    items
        .lines()
        .filter(|line| line.starts_with("- "))
        .map(|item| {
            let mut parts = item.split('`');
            match (parts.nth(1), parts.next()) {
                (Some(name), Some(reason)) if reason.len() > 3 => Ok(name.to_owned()),
                _ => bail!("docs/testing.md: this item of the list `{list}` has no reason: {item}"),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_and_each_of_its_items_needs_a_reason() {
        let text = |items: &str| format!("before\n<!-- some -->\n{items}\n<!-- /some -->\nafter");
        let items = text("- `a.rs: one`: nobody sees it\n  in any way\n- `b.rs: two`: nor this");
        let named = read(&items, "some").unwrap();
        assert_eq!(named, BTreeSet::from(["a.rs: one".to_owned(), "b.rs: two".to_owned()]));
        assert!(read(&text("- `a.rs: one`"), "some").is_err());
        assert!(read(&items, "other").is_err());
    }

    #[test]
    fn the_lists_that_a_command_reads_are_there() {
        for list in ["survivors", "wine"] {
            assert!(!in_list(list).unwrap().is_empty(), "{list}");
        }
    }
}
