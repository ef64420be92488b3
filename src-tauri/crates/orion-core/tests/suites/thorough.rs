//! How thorough a search is. `cargo xtask mutants` searches a little at first (`ORION_SEARCH=little`) and everything only for
//! what that did not find; `cargo xtask soak` tries as many random cases as `ORION_SEARCH` says; everybody else searches everything.

use proptest::test_runner::Config;

/// What is searched.
enum Search {
    Little,
    Everything,
    /// So many random cases.
    Cases(u32),
}

/// A property test of so many random cases, or of a twentieth of them.
pub(crate) fn cases(whole: u32) -> Config {
    let cases = match search() {
        Search::Little => whole.div_ceil(20),
        Search::Everything => whole,
        Search::Cases(cases) => cases,
    };
    Config { cases, failure_persistence: None, ..Config::default() }
}

/// The length up to which all sequences are tried, or one less.
pub(crate) fn length(whole: u32) -> u32 {
    if matches!(search(), Search::Little) { whole - 1 } else { whole }
}

fn search() -> Search {
    match std::env::var("ORION_SEARCH").as_deref() {
        Ok("little") => Search::Little,
        Ok(cases) => Search::Cases(cases.parse().expect("ORION_SEARCH is `little` or a number")),
        Err(_) => Search::Everything,
    }
}
