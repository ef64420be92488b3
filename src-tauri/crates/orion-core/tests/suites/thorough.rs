//! How thorough a search is. `cargo xtask mutants` searches a little at first (`ORION_SEARCH=little`) and everything only for
//! what that did not find; everybody else searches everything.

use proptest::test_runner::Config;

/// A property test of so many random cases, or of a twentieth of them.
pub(crate) fn cases(whole: u32) -> Config {
    let cases = if searches_little() { whole.div_ceil(20) } else { whole };
    Config { cases, failure_persistence: None, ..Config::default() }
}

/// The length up to which all sequences are tried, or one less.
pub(crate) fn length(whole: u32) -> u32 {
    if searches_little() { whole - 1 } else { whole }
}

fn searches_little() -> bool {
    std::env::var_os("ORION_SEARCH").is_some_and(|how| how == "little")
}
