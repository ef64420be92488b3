//! The characters that count as invisible.

use orion_core::invisible::{is_invisible, turns_direction};

fn all() -> impl Iterator<Item = char> {
    '\0'..=char::MAX
}

#[test]
fn what_shows_nothing_or_only_a_gap_is_invisible() {
    #[rustfmt::skip]
    let kinds = [
        // Spaces.
        '\u{a0}', '\u{1680}', '\u{2000}', '\u{2003}', '\u{2007}', '\u{2009}', '\u{200a}', '\u{202f}', '\u{205f}', '\u{3000}',
        // Formats, those of Arabic, Syriac, Kaithi, shorthand, music and hieroglyphs among them.
        '\u{ad}', '\u{600}', '\u{6dd}', '\u{70f}', '\u{890}', '\u{8e2}', '\u{180e}', '\u{200b}', '\u{200d}', '\u{2060}', '\u{2064}', '\u{206a}',
        '\u{feff}', '\u{fff9}', '\u{110bd}', '\u{13430}', '\u{1bca0}', '\u{1d173}', '\u{e0001}', '\u{e0041}',
        // Joiners, fillers and variation selectors.
        '\u{34f}', '\u{115f}', '\u{1160}', '\u{17b4}', '\u{180b}', '\u{3164}', '\u{fe0f}', '\u{ffa0}', '\u{e0100}',
        // Ignored where they are assigned one day.
        '\u{2065}', '\u{fff0}', '\u{e0fff}',
        // Signs without ink, and noncharacters.
        '\u{2800}', '\u{fffc}', '\u{13441}', '\u{16fe4}', '\u{1d159}', '\u{fdd0}', '\u{ffff}', '\u{1fffe}',
    ];
    for c in kinds {
        assert!(is_invisible(c), "U+{:04X}", u32::from(c));
    }
    let spaces =
        all().filter(|c| c.is_whitespace() && !c.is_control() && !matches!(c, ' ' | '\u{2028}' | '\u{2029}'));
    assert_eq!(spaces.filter(|&c| !is_invisible(c)).collect::<String>(), "");
    assert!(all().filter(|&c| is_invisible(c)).count() > 4_000);
}

// The standard library has tables of its own.
#[test]
fn no_letter_or_digit_of_any_script_is_invisible_but_those_without_ink() {
    let letters: Vec<char> = all().filter(|c| c.is_alphanumeric()).collect();
    assert!(letters.len() > 100_000, "{}", letters.len());
    let hidden: Vec<char> = letters.into_iter().filter(|&c| is_invisible(c) || turns_direction(c)).collect();
    assert_eq!(hidden, ['\u{115f}', '\u{1160}', '\u{3164}', '\u{ffa0}', '\u{13441}', '\u{13442}']);
    for seen in ("\u{20}\u{7e}é漢ा\u{301}\u{20ac}→█▁◌☐⬚👩🏽\u{303f}").chars() {
        assert!(!is_invisible(seen), "U+{:04X}", u32::from(seen));
    }
}
