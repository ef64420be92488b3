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

/// `Default_Ignorable_Code_Point`, `Cf` and `Zs` without the plain space, as Unicode 16 lists them.
#[rustfmt::skip]
const LISTED: [(u32, u32); 36] = [
    (0xa0, 0xa0), (0xad, 0xad), (0x34f, 0x34f), (0x600, 0x605), (0x61c, 0x61c), (0x6dd, 0x6dd), (0x70f, 0x70f), (0x890, 0x891), (0x8e2, 0x8e2),
    (0x115f, 0x1160), (0x1680, 0x1680), (0x17b4, 0x17b5), (0x180b, 0x180f), (0x2000, 0x200f), (0x202a, 0x202f), (0x205f, 0x206f), (0x3000, 0x3000),
    (0x3164, 0x3164), (0xfe00, 0xfe0f), (0xfeff, 0xfeff), (0xffa0, 0xffa0), (0xfff0, 0xfffb), (0x110bd, 0x110bd), (0x110cd, 0x110cd),
    (0x13430, 0x1343f), (0x1bca0, 0x1bca3), (0x1d173, 0x1d17a), (0xe0000, 0xe0fff),
    // Blank by their design: braille, the place of an object, hieroglyphs, Khitan, a note without a head. And noncharacters of the first plane.
    (0x2800, 0x2800), (0xfffc, 0xfffc), (0x13441, 0x13442), (0x16fe4, 0x16fe4), (0x1d159, 0x1d159), (0xfdd0, 0xfdef), (0xfffe, 0xffff),
    // Noncharacters of the others are at the end of each plane, of which this is the last.
    (0x10_fffe, 0x10_ffff),
];

#[test]
fn each_character_that_unicode_lists_as_unseen_is_marked_and_no_other() {
    let is_listed = |c: char| {
        let number = u32::from(c);
        LISTED.iter().any(|&(from, to)| (from..=to).contains(&number)) || number & 0xfffe == 0xfffe
    };
    let marked: Vec<char> = all().filter(|&c| is_invisible(c) || turns_direction(c)).collect();
    let listed: Vec<char> = all().filter(|&c| is_listed(c)).collect();
    assert!(marked.len() > 500 && all().count() - marked.len() > 5_000, "{}", marked.len());
    let differ = |these: &[char], those: &[char]| -> Vec<String> {
        these.iter().filter(|c| !those.contains(c)).map(|&c| format!("U+{:04X}", u32::from(c))).collect()
    };
    assert_eq!((differ(&marked, &listed), differ(&listed, &marked)), (Vec::new(), Vec::new()));
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
