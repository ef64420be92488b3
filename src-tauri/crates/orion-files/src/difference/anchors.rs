//! Anchors: runs of lines that occur once in each of two long texts. They divide a comparison into short stretches.

use std::collections::HashMap;

/// Where a window of lines is in a text.
#[derive(Debug, Clone, Copy, Default)]
enum Seen {
    #[default]
    Never,
    Once(usize),
    Often,
}

impl Seen {
    fn again(&mut self, at: usize) {
        *self = match self {
            Self::Never => Self::Once(at),
            Self::Once(_) | Self::Often => Self::Often,
        };
    }
}

/// Where the windows of `width` lines begin that occur exactly once in each text. Only those are kept that are in the
/// same order in both. Takes time by the number of lines, whatever is in them. The windows may overlap.
pub(super) fn common(old: &[u32], new: &[u32], width: usize) -> Vec<(usize, usize)> {
    let mut windows: HashMap<&[u32], (Seen, Seen)> = HashMap::with_capacity(old.len());
    for (at, window) in old.windows(width).enumerate() {
        windows.entry(window).or_default().0.again(at);
    }
    for (at, window) in new.windows(width).enumerate() {
        if let Some((_, seen)) = windows.get_mut(window) {
            seen.again(at);
        }
    }
    let pairs: Vec<(usize, usize)> = new
        .windows(width)
        .filter_map(|window| match windows.get(window) {
            Some(&(Seen::Once(old), Seen::Once(new))) => Some((old, new)),
            _ => None,
        })
        .collect();
    ascending(&pairs)
}

/// The longest chain of pairs, in their order, whose first numbers ascend.
fn ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The pair that ends the chain of each length, the lowest there is, and the one before each pair in its chain.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, &(old, _)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].0 < old);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut chain = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(at) = next {
        chain.push(pairs[at]);
        next = before[at];
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn lines_that_both_texts_have_once_hold_them_together_in_the_longest_common_order() {
        // 9 is there twice, 5 and 6 are in one text each, 4 has moved to the beginning.
        assert_eq!(common(&[1, 9, 2, 5, 3, 9, 4], &[4, 1, 9, 6, 2, 3], 1), [(0, 1), (2, 4), (4, 5)]);
        assert_eq!(common(&[1, 1], &[1], 1), []);
        assert_eq!(common(&[], &[1], 1), []);
    }

    #[test]
    fn windows_tell_lines_apart_that_are_there_often() {
        let (old, new) = ([1, 2, 1, 1, 2, 2], [7, 1, 2, 1, 1, 2, 2]);
        assert_eq!(common(&old, &new, 1), []);
        assert_eq!(common(&old, &new, 3), [(0, 1), (1, 2), (2, 3), (3, 4)]);
        assert_eq!(common(&old, &new, 8), []);
    }
}
