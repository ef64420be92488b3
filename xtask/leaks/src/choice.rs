//! Choices that are the same in every run: each depends on its counters alone.

/// A number that depends on these counters, and looks like any other.
pub(crate) fn number(counters: [usize; 2]) -> usize {
    let mixed = counters.into_iter().fold(0_u64, |mixed, counter| mix(mixed ^ counter as u64));
    usize::try_from(mixed >> 32).unwrap_or_default()
}

/// A number below this one.
pub(crate) fn below(bound: usize, counters: [usize; 2]) -> usize {
    number(counters) % bound
}

/// SplitMix64.
fn mix(seed: u64) -> u64 {
    let mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
