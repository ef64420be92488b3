//! Characters that a guessed encoding has, but for which the file may use other bytes.
//!
//! A guess is good enough to read a text, since the encodings that are mistaken for one another give the same text. They
//! write other characters with other bytes: `€` is 80 in windows-1252 and A4 in ISO-8859-15. So a new character is
//! written only where all that give this text agree. What the file has already is written as it is there.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use encoding_rs::{
    Encoding, IBM866, ISO_8859_2, ISO_8859_7, ISO_8859_8, ISO_8859_13, ISO_8859_15, KOI8_R, KOI8_U,
    WINDOWS_874, WINDOWS_1250, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1257,
};

use crate::text::{Coding, Trust};

/// Encodings that often give the same text.
const ALIKE: [(&Encoding, &Encoding); 6] = [
    (WINDOWS_1250, ISO_8859_2),
    (WINDOWS_1252, ISO_8859_15),
    (WINDOWS_1253, ISO_8859_7),
    (WINDOWS_1255, ISO_8859_8),
    (WINDOWS_1257, ISO_8859_13),
    (KOI8_U, KOI8_R),
];

/// Those of Windows that are an ISO encoding (8859-1, 8859-9, 8859-11) with signs where that has control characters.
const EXTENDED: [&Encoding; 3] = [WINDOWS_1252, WINDOWS_1254, WINDOWS_874];

/// The bytes of these signs.
const EXTENSION: RangeInclusive<u8> = 0x80..=0x9f;

/// The letters of Ukrainian and Belarusian in the code page 866, which have other bytes in the code page 1125.
const EAST_SLAVIC: RangeInclusive<u8> = 0xf2..=0xf9;

/// What a file leaves open about its encoding.
pub(super) struct Unproven {
    encoding: &'static Encoding,
    /// Characters of the file beyond ASCII.
    known: HashSet<char>,
    /// Any other character may be written with other bytes.
    doubtful: bool,
    /// Bytes that may mean something else in this file.
    open: Option<RangeInclusive<u8>>,
    others: Vec<&'static Encoding>,
}

impl Unproven {
    /// None where the encoding is certain. Of those with several bytes for a character, none that is mistaken for
    /// another gives the same text.
    pub(super) fn of(coding: Coding, old: &[u8]) -> Option<Self> {
        let Coding { encoding, trust, .. } = coding;
        if trust == Trust::Sure || !encoding.is_single_byte() {
            return None;
        }
        let mut is_there = [false; 256];
        old.iter().for_each(|&byte| is_there[usize::from(byte)] = true);
        // One byte is one character.
        let bytes: Vec<u8> = (0x80..=u8::MAX).filter(|&byte| is_there[usize::from(byte)]).collect();
        let text = |encoding: &'static Encoding| encoding.decode_without_bom_handling(&bytes).0;
        let alike = ALIKE.into_iter().flat_map(|(one, other)| [(one, other), (other, one)]);
        let others = alike.filter(|(one, other)| *one == encoding && text(other) == text(one));
        let open = match encoding {
            _ if EXTENDED.contains(&encoding) && !bytes.iter().any(|byte| EXTENSION.contains(byte)) => {
                Some(EXTENSION)
            }
            _ if encoding == IBM866 => Some(EAST_SLAVIC),
            _ => None,
        };
        Some(Self {
            encoding,
            known: text(encoding).chars().collect(),
            doubtful: trust == Trust::Doubtful,
            open,
            others: others.map(|(_, other)| other).collect(),
        })
    }

    /// True for a character that may be written with other bytes in this file. False for one that the encoding lacks.
    pub(super) fn doubts(&self, c: char) -> bool {
        if c.is_ascii() || self.known.contains(&c) {
            return false;
        }
        let Some(byte) = byte(self.encoding, c) else { return false };
        self.doubtful
            || self.open.as_ref().is_some_and(|open| open.contains(&byte))
            || self.others.iter().any(|other| self::byte(other, c) != Some(byte))
    }
}

fn byte(encoding: &'static Encoding, c: char) -> Option<u8> {
    let mut room = [0; 4];
    let (bytes, _, lacks) = encoding.encode(c.encode_utf8(&mut room));
    match (&*bytes, lacks) {
        (&[byte], false) => Some(byte),
        _ => None,
    }
}
