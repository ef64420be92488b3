//! Finds the words in which a line differs from the line that replaces it.

use std::ops::Range;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation;

/// The most words of each line that are compared one by one, without those that both lines begin and end with. A
/// longer stretch counts as changed as a whole. 250,000 comparisons take about a millisecond.
const MOST_WORDS: usize = 500;

/// Two lines that have less than a third of the longer one in common are two different lines, not one line that was
/// changed.
const LEAST_IN_COMMON: usize = 3;

/// Stretches of `here`, in bytes, that are not in `there`. None when the two have too little in common to be the same line.
pub(super) fn differing(here: &str, there: &str) -> Option<Vec<Range<usize>>> {
    let (heres, theres): (Vec<&str>, Vec<&str>) =
        (here.split_word_bounds().collect(), there.split_word_bounds().collect());
    let first = heres.iter().zip(&theres).take_while(|(a, b)| a == b).count();
    let most = heres.len().min(theres.len()) - first;
    let last = heres.iter().rev().zip(theres.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let (olds, news) = (&heres[first..heres.len() - last], &theres[first..theres.len() - last]);

    let mut stretches: Vec<Range<usize>> = Vec::new();
    let mut common = weight(&heres[..first]) + weight(&heres[heres.len() - last..]);
    let mut at = length(&heres[..first]);
    let ops = if olds.len().max(news.len()) > MOST_WORDS {
        vec![DiffOp::Replace { old_index: 0, old_len: olds.len(), new_index: 0, new_len: news.len() }]
    } else {
        capture_diff_slices(Algorithm::Myers, olds, news)
    };
    for op in ops {
        let words = &olds[op.old_range()];
        let end = at + length(words);
        match stretches.last_mut() {
            _ if op.tag() == DiffTag::Equal => common += weight(words),
            _ if words.is_empty() => {}
            Some(before) if before.end == at => before.end = end,
            _ => stretches.push(at..end),
        }
        at = end;
    }
    let longer = weight(&heres).max(weight(&theres));
    (common * LEAST_IN_COMMON >= longer).then_some(stretches)
}

fn length(words: &[&str]) -> usize {
    words.iter().map(|word| word.len()).sum()
}

/// Bytes of words that are not white space.
fn weight(words: &[&str]) -> usize {
    words.iter().filter(|word| !word.trim().is_empty()).map(|word| word.len()).sum()
}
