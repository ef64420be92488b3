//! The thoroughness of the tests' searches, by the variable `ORION_SEARCH`.
//!
//! `cargo xtask test` has room for a part of each search, `cargo xtask soak` does all of it (`whole`), or as many random cases as it says. `cargo
//! xtask check` and the first pass of `cargo xtask mutants` try a `little`.

/// A part of a search, or all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Search {
    Little,
    Usual,
    Whole,
    /// So many random cases.
    Cases(usize),
}

/// The number of cases that are tried: `usual` in `cargo xtask test`, and `whole` where there is time for all.
///
/// # Panics
/// `ORION_SEARCH` is neither `little`, `whole` nor a number.
#[must_use]
pub fn cases(usual: usize, whole: usize) -> usize {
    of(search(), usual, whole)
}

/// True when everything is to be searched, for what is not counted in cases.
///
/// # Panics
/// As [`cases`].
#[must_use]
pub fn is_whole() -> bool {
    search() == Search::Whole
}

fn search() -> Search {
    std::env::var("ORION_SEARCH").map_or(Search::Usual, |named| {
        Search::named(&named)
            .unwrap_or_else(|| panic!("ORION_SEARCH is {named}, and not `little`, `whole` or a number"))
    })
}

impl Search {
    fn named(name: &str) -> Option<Self> {
        match name {
            "little" => Some(Self::Little),
            "whole" => Some(Self::Whole),
            cases => cases.parse().ok().map(Self::Cases),
        }
    }
}

fn of(search: Search, usual: usize, whole: usize) -> usize {
    match search {
        Search::Little => usual.div_ceil(5),
        Search::Usual => usual,
        Search::Whole => whole,
        Search::Cases(cases) => cases,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_little_usual_whole_or_of_so_many_cases() {
        let named = |name| Search::named(name).map(|search| of(search, 21, 100));
        assert_eq!(of(Search::Usual, 21, 100), 21);
        assert_eq!(["little", "whole", "7", "much"].map(named), [Some(5), Some(100), Some(7), None]);
    }
}
