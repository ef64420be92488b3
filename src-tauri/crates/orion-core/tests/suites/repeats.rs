//! Which texts repeat themselves, where that is found, and what finding it costs (P11).

use orion_core::repeats::{Found, LEAST, LEAST_OF_SHORT, LONGEST, Repeats, SHORT, STEP, TIMES, Watch, once};
use proptest::prelude::*;

use crate::thorough::cases;

/// The first place where a text is found to repeat itself, in bytes, and its repeats there. Pieces are cut before these places.
fn found(text: &str, cuts: &[usize]) -> Option<(usize, Repeats)> {
    let mut watch = Watch::default();
    let mut from = 0;
    for &to in cuts.iter().chain([&text.len()]) {
        if let Some(Found { taken, repeats }) = watch.push(&text[from..to]) {
            return Some((from + taken, repeats));
        }
        from = to;
    }
    assert_eq!(watch.bytes(), text.len());
    None
}

/// The rule word by word, by trying every stretch.
fn repeats(text: &[u8]) -> Option<Repeats> {
    let comes_over = |stretch: usize, bytes: usize| {
        bytes <= text.len() && {
            let end = &text[text.len() - bytes..];
            end[stretch..].iter().rev().eq(end[..bytes - stretch].iter().rev())
        }
    };
    let stretch = (1..=LONGEST).find(|&stretch| comes_over(stretch, LEAST.max(TIMES * stretch)))?;
    if stretch <= SHORT && !comes_over(stretch, LEAST_OF_SHORT) {
        return None;
    }
    let more = text.iter().rev().zip(text.iter().rev().skip(stretch));
    let run = stretch + more.take_while(|(later, earlier)| later == earlier).count();
    Some(Repeats { start: text.len() - run, stretch, times: run / stretch })
}

/// The first look at which the rule holds: after every KiB, or after the character that is there.
fn expected(text: &str) -> Option<(usize, Repeats)> {
    let looks = (1..=text.len() / STEP).map(|look| text.ceil_char_boundary(look * STEP));
    looks.into_iter().find_map(|at| repeats(&text.as_bytes()[..at]).map(|repeats| (at, repeats)))
}

/// A stretch over and over, this many bytes of it.
fn times(stretch: &str, bytes: usize) -> String {
    let mut text = stretch.repeat(bytes.div_ceil(stretch.len().max(1)));
    text.truncate(text.floor_char_boundary(bytes));
    text
}

/// Text of few letters, so that much of it repeats by chance, or of many.
fn words(bytes: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let few = prop::sample::select(&["a", "b", "\n", "é"][..]);
    let many = prop::char::range(' ', '日').prop_map(String::from);
    let letters = prop_oneof![few.prop_map(str::to_owned), many];
    prop::collection::vec(letters, bytes).prop_map(|letters| letters.concat())
}

/// A stretch, and one made of a smaller one that comes over and over with something after it.
fn stretches() -> impl Strategy<Value = String> {
    let nested = (words(1..8), 2..40usize, words(0..4))
        .prop_map(|(inner, times, after)| format!("{}{after}", inner.repeat(times)));
    prop_oneof![2 => words(1..6), 2 => words(6..200), 2 => words(200..2_100), 3 => nested]
}

/// Something, a stretch over and over, something again, and once more the like.
fn texts() -> impl Strategy<Value = String> {
    let part = || {
        (words(0..60), stretches(), 0..20_000usize)
            .prop_map(|(before, stretch, bytes)| before + &times(&stretch, bytes))
    };
    (part(), part(), words(0..1_500)).prop_map(|(one, two, after)| one + &two + &after)
}

proptest! {
    #![proptest_config(cases(300))]

    // P11, T5
    #[test]
    fn a_text_is_found_at_the_first_look_at_which_the_rule_holds_however_it_is_cut(
        text in texts(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let mut cuts: Vec<usize> =
            cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
        cuts.sort_unstable();
        let expected = expected(&text);
        prop_assert_eq!(found(&text, &[]), expected);
        prop_assert_eq!(found(&text, &cuts), expected);
        let characters: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        prop_assert_eq!(found(&text, &characters), expected);
    }

    // P11: whatever it begins with, a text that repeats itself from here on is found within 1 KiB of the place where the rule holds first.
    #[test]
    fn a_text_that_goes_on_to_repeat_itself_is_found_within_1_kib(before in words(0..3_000), stretch in stretches()) {
        let text = before + &times(&stretch, 24_000);
        prop_assume!(stretch.len() <= LONGEST);
        let (at, repeats) = found(&text, &[]).unwrap();
        let Repeats { start, stretch, times } = repeats;
        let least = if stretch <= SHORT { LEAST_OF_SHORT } else { LEAST.max(TIMES * stretch) };
        prop_assert!((least..least + STEP + 3).contains(&(at - start)), "{repeats:?} at {at}");
        prop_assert_eq!(times, (at - start) / stretch);
    }
}

#[test]
fn each_number_of_the_rule_is_a_border() {
    let numbers: String = (0..600).map(|at| format!("{at} ")).collect();
    // The least of a stretch that is enough, in bytes.
    for (stretch, least) in [
        ("a", LEAST_OF_SHORT),
        ("\n", LEAST_OF_SHORT),
        ("é", LEAST_OF_SHORT),
        ("🦊", LEAST_OF_SHORT),
        ("aaab", LEAST_OF_SHORT),
        // It is a smaller one over and over, and that one is meant.
        ("abababab", LEAST_OF_SHORT),
        ("abcde", LEAST),
        ("日本", LEAST),
        (&numbers[..682], LEAST),
        (&numbers[..683], TIMES * 683),
        (&numbers[..1_700], TIMES * 1_700),
        (&numbers[..LONGEST - 1], TIMES * (LONGEST - 1)),
        (&numbers[..LONGEST], TIMES * LONGEST),
    ] {
        let look = least.next_multiple_of(STEP);
        // A look is up to three bytes late where a character has more than one.
        let missing = if stretch.is_ascii() { 1 } else { 4 };
        for (too_few, at) in [(0, look), (look - least, look), (look - least + missing, look + STEP)] {
            let text = "?".repeat(too_few) + &times(stretch, 20 * STEP);
            let found = found(&text, &[]).map(|(at, repeats)| (at, repeats.start));
            assert_eq!(found, Some((text.ceil_char_boundary(at), too_few)), "{stretch:?}");
        }
    }
    assert_eq!(found(&times(&numbers[..=LONGEST], 64 * STEP), &[]), None);
    // A longer one, although its end alone looks like a short one.
    let ruled = numbers + &"-".repeat(900);
    assert_eq!(found(&times(&ruled, 64 * STEP), &[]), None);
}

#[test]
fn what_is_said_of_the_repeats_is_where_they_begin_how_long_one_is_and_how_many_have_come() {
    let text = "Let me see.\n".to_owned() + &"  color: #fff;\n".repeat(1_000);
    // The line end before the first line belongs to them: every stretch has one in front.
    let repeats = Repeats { start: 11, stretch: 15, times: (5 * STEP - 11) / 15 };
    assert_eq!(found(&text, &[]), Some((5 * STEP, repeats)));
}

#[test]
fn a_text_that_stops_repeating_itself_before_the_look_is_none() {
    let text = times("one two three\n", 5 * STEP - 1);
    assert_eq!(found(&text, &[]).map(|it| it.0), Some(4 * STEP));
    let begun = "?".repeat(100) + &times("one two three\n", LEAST + STEP);
    assert_eq!(found(&begun, &[]).map(|it| it.0), Some(5 * STEP));
    let stopped = begun[..100 + LEAST].to_owned() + &"and so on. ".repeat(80);
    assert_eq!(found(&stopped, &[]), None);
}

#[test]
fn repeats_are_found_behind_a_text_of_any_length() {
    for before in (0..48).map(|looks| looks * STEP + looks) {
        let ordinary: String = (0..).map(|at| format!("{at} ")).take(before).collect();
        let before = &ordinary[..before];
        for (stretch, least) in [("a", LEAST_OF_SHORT), ("one two three\n", LEAST)] {
            let text = before.to_owned() + &times(stretch, least + STEP);
            let found = found(&text, &[]).map(|(at, repeats)| (at, repeats.start, repeats.stretch));
            let at = (before.len() + least).next_multiple_of(STEP);
            assert_eq!(found, Some((at, before.len(), stretch.len())));
        }
    }
}

#[test]
fn the_first_of_the_repeats_is_kept_to_the_end_of_its_line() {
    assert_eq!(once("xabab", 2), "xab".len());
    assert_eq!(once("xabab", 3), "xabab".len(), "it comes once");
    assert_eq!(once("xab\nab\nab\n", 3), "xab\n".len());
    assert_eq!(once("\nab\nab\nab\n", 3), "\nab\n".len());
    assert_eq!(once("A\nline\nline\nline\n", 5), "A\nline\n".len());
    assert_eq!(once("A éé", 2), "A é".len());
    assert_eq!(once("A é-é-é", 3), "A é-".len());
}

// Constant work for each byte, whatever the text.
#[test]
fn no_text_costs_more_than_30_steps_a_byte_and_an_ordinary_one_costs_three() {
    let steps_a_byte = |text: &str| {
        let mut watch = Watch::default();
        assert_eq!((watch.push(text), text.len() > 256 * STEP), (None, true), "a short text proves little");
        watch.steps() as f64 / text.len() as f64
    };
    let almost = |stretch: &str, bytes: usize| {
        let parts = (0..=256 * STEP / bytes).map(|at| format!("{}{at}", times(stretch, bytes)));
        parts.collect::<String>()
    };
    let ordinary: String = (0..60_000).map(|at| format!("Line {at}. ")).collect();
    let steps = steps_a_byte(&ordinary);
    assert!((2.9..=3.1).contains(&steps), "{steps}");
    let fibonacci =
        (0..27).fold(("a".to_owned(), "ab".to_owned()), |(one, two), _| (two.clone(), two + &one)).1;
    for hostile in [
        almost("a", LEAST_OF_SHORT - 1),
        almost("a", LEAST),
        almost("a", 1_500),
        almost("abcde", LEAST - 1),
        almost(&format!("{}b", "a".repeat(LONGEST - 1)), TIMES * LONGEST - 1),
        fibonacci,
    ] {
        let steps = steps_a_byte(&hostile);
        assert!(steps <= 30.0, "{steps} steps a byte");
    }
}
