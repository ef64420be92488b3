//! The thoroughness of the core's searches: a quarter in `cargo xtask test`, and everything in `cargo xtask soak`.

use proptest::test_runner::Config;

/// A property test of so many random cases, or of the part of them that there is time for.
pub(crate) fn cases(whole: u32) -> Config {
    let cases = orion_thorough::cases(whole.div_ceil(4) as usize, whole as usize);
    let cases = u32::try_from(cases).expect("so many cases are never tried");
    Config { cases, failure_persistence: None, ..Config::default() }
}

/// The length up to which all sequences are tried, or one less.
pub(crate) fn length(whole: u32) -> u32 {
    if orion_thorough::is_whole() { whole } else { whole - 1 }
}
