//! Where the seams of a content are after a correction (W4, W5).

use orion_core::model::ModelDelta;
use orion_core::write::moved;
use orion_protocol::{Policy, Seam};
use proptest::prelude::*;

use crate::acts::ready;
use crate::common::{finish, text};
use crate::thorough::cases;
use crate::turn_writes::opened;

/// Seams at these places of the text, each with its number as what was dropped.
fn seams(text: &str, places: &[usize]) -> Vec<Seam> {
    let numbered = places.iter().zip(1..);
    numbered
        .map(|(&at, dropped)| {
            let line = text[..at].matches('\n').count() as u32 + 1;
            Seam { offset: at as u64, line, dropped }
        })
        .collect()
}

/// The text without the bars, and where they were.
fn marked(marked: &str) -> (String, Vec<usize>) {
    let places = marked.match_indices('|').enumerate().map(|(before, (at, _))| at - before);
    (marked.replace('|', ""), places.collect())
}

/// The seams of `before` in `after` are where its bars are.
fn moves(before: &str, after: &str) {
    let ((old, from), (new, to)) = (marked(before), marked(after));
    assert_eq!(moved(&old, &new, &seams(&old, &from)), seams(&new, &to), "{before} to {after}");
}

#[test]
fn a_seam_keeps_its_place_before_the_first_change_and_behind_the_last() {
    moves("|a|\nb|ad\nc|\nd|", "|a|\nb|etter\nc|\nd|");
    moves("one|\nbad|\ntwo|", "one|\n|\ntwo|");
    moves("a|b", "a|ab");
    moves("aa|b", "a|b");
    moves("|", "|new");
    moves("ababa|b", "abab");
    moves("é|è\n|", "é|ê\n|");
}

#[test]
fn a_seam_between_two_changes_is_known_by_what_is_around_it() {
    let (left, right) = ("l".repeat(31) + "\n", "\n".to_owned() + &"r".repeat(31));
    moves(&format!("bad{left}|{right}bad"), &format!("well\n{left}|{right}well\n"));
    moves("bad, and not| much, bad", "well\n, and not much, well\n");
    let (old, from) = marked(&format!("bad{left}|{right}bad"));
    let seams = seams(&old, &from);
    let part = format!("{left}{right}");
    assert_eq!(moved(&old, &format!("well{part} {part}well"), &seams), [], "there twice");
    assert_eq!(moved(&old, &format!("good{}{right}good", &left[1..]), &seams), [], "not there whole");
    assert_eq!(moved(&old, &format!("good{left}{}good", &right[..31]), &seams), [], "not there whole");
    let one = format!("{}a|{}", "-".repeat(40), "+".repeat(40));
    let two = format!("{}b|{}", "*".repeat(40), "#".repeat(40));
    let (one, two) = (one.as_str(), two.as_str());
    let (old, from) = marked(&format!("bad\n{one}{two}bad"));
    let (new, to) = marked(&format!("well\n{two}{one}well"));
    let [first, second] = [to[1], to[0]];
    let again: Vec<_> =
        moved(&old, &new, &self::seams(&old, &from)).iter().map(|seam| (seam.offset, seam.dropped)).collect();
    assert_eq!(again, [(second as u64, 2), (first as u64, 1)], "in the order they are in now");
}

proptest! {
    #![proptest_config(cases(2_000))]

    /// Whatever is changed in one place, a seam outside of it moves with its text.
    #[test]
    fn one_change_moves_the_seams_behind_it_and_no_others(
        [head, tail] in prop::array::uniform2("[aé\\n]{0,12}"),
        old in "[bê]{1,12}",
        new in "[cë]{0,12}",
        at in any::<prop::sample::Index>(),
    ) {
        let (before, after) = (format!("{head}{old}{tail}"), format!("{head}{new}{tail}"));
        let places: Vec<usize> = (0..=before.len()).filter(|&at| before.is_char_boundary(at)).collect();
        let seam = *at.get(&places);
        let place = if seam <= head.len() {
            Some(seam)
        } else if seam >= head.len() + old.len() {
            Some(seam + after.len() - before.len())
        } else {
            None
        };
        let found = moved(&before, &after, &seams(&before, &[seam]));
        prop_assert_eq!(found, place.map_or(Vec::new(), |at| seams(&after, &[at])));
    }
}

#[test]
fn a_correction_moves_the_seams_of_a_content_and_one_that_comes_anew_brings_its_own() {
    let block = "<<<<<<< SEARCH\n\0\n=======\ntwo\n>>>>>>> REPLACE\nDONE";
    let length = || finish("length");
    let messages: [(&[[ModelDelta; 2]], _, _); 3] = [
        (&[[text(block), text("\n")]], "one\ntwo\nthree\n", [8]),
        (&[[text("I cannot."), text("\nDONE")], [text(block), text("\n")]], "one\ntwo\nthree\n", [8]),
        (&[[text("one\n"), length()], [text("2\nthree"), text("\nDONE")]], "one\n2\nthree\n", [4]),
    ];
    for (replies, content, seams) in messages {
        let mut played = opened(Policy::two_stage());
        played.answers([text("one\n\0\n"), finish("length")]).answers([text("three\nDONE")]);
        for reply in replies {
            played.answers(reply.clone());
        }
        let offer = played.offer.as_ref().unwrap();
        assert_eq!((offer.content.as_str(), &offer.seams[..]), (content, &seams[..]));
        played.proposed(ready(content));
    }
}
