//! Large and hostile texts are compared rightly, and not for long.

use orion_files::difference::Difference;

/// Numbers without an order, the same in every run.
fn noise(seed: u64, count: usize, kinds: u64) -> String {
    let mut state = seed;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        format!("{}\n", state % kinds)
    };
    (0..count).map(|_| next()).collect()
}

// A3: hunks are named by their numbers, also in another process.
#[test]
fn two_texts_have_the_same_hunks_however_slow_the_machine_is() {
    // A debug build takes seconds for them: no limit of time may have a say.
    let (old, new) = (noise(1, 80_000, 3), noise(2, 80_000, 3));
    let difference = Difference::of(Some(old.as_str().into()), new.as_str().into(), &[]);
    assert_eq!((difference.hunks().len(), difference.added(), difference.removed()), (347, 23_135, 23_135));
    let numbers: Vec<u32> = difference.hunks().iter().map(|hunk| hunk.number).collect();
    assert_eq!(difference.accept(&numbers), new);
    assert_eq!(difference.accept(&[]), old);
}

#[test]
fn texts_that_would_take_for_ever_to_compare_are_compared_rightly_and_not_for_long() {
    let (old, new) = (noise(1, 150_000, 3), noise(2, 150_000, 3));
    let difference = Difference::of(Some(old.as_str().into()), new.as_str().into(), &[]);
    let numbers: Vec<u32> = difference.hunks().iter().map(|hunk| hunk.number).collect();
    assert_eq!(difference.accept(&numbers), new);
    assert_eq!(difference.accept(&[]), old);
}

/// Where the hunks of an edit begin in the old text and how many lines it takes and brings: a line changed near the
/// beginning, one gone in the middle, one more near the end.
fn edited(old: &str) -> (Vec<u64>, u64, u64) {
    let mut lines: Vec<&str> = old.split_inclusive('\n').collect();
    let count = lines.len();
    lines[10] = "changed\n";
    lines.insert(count - 10, "more\n");
    lines.remove(count / 2);
    let difference = Difference::of(Some(old.into()), lines.concat().into(), &[]);
    let starts = difference.hunks().iter().map(|hunk| hunk.old_start).collect();
    (starts, difference.added(), difference.removed())
}

#[test]
fn a_few_edits_far_apart_in_a_long_text_are_small_hunks() {
    let different: String = (0..200_000).map(|line| format!("{line}\n")).collect();
    assert_eq!(edited(&different), (vec![8, 99_998, 199_988], 2, 2));
    // No line of it is there only once.
    let repeated = noise(1, 200_000, 300);
    assert_eq!(edited(&repeated), (vec![8, 99_998, 199_988], 2, 2));
}

#[test]
fn texts_of_too_many_lines_to_compare_are_one_change_between_their_beginnings_and_ends() {
    let [old, new] = ["x\n", "y\n"].map(|line| format!("a\n{}b\n", line.repeat(600_000)));
    let difference = Difference::of(Some(old.into()), new.as_str().into(), &[]);
    assert_eq!(
        (difference.removed(), difference.added(), difference.rows_total()),
        (600_000, 600_000, 1_200_002)
    );
    assert_eq!(difference.accept(&[1]), new);
}
