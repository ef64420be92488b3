//! Places in large text files, by which a later read begins near its line and not at the beginning.
//!
//! A place is kept only where the bytes before it do not change what the rest means, but for the encoding and the ends of lines, which it holds: in UTF-8,
//! UTF-16 and encodings with a byte for each character, without faults. It counts for the file as it was: another size, time or number is another file.
//! Deliberately not here: reading (`text::Lines`).

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use cap_std::fs::Metadata;
use encoding_rs::Encoding;

use super::{ProjectPath, Stamp};

/// The most files of which places are kept.
const FILES: usize = 8;
/// The most places of one file.
const PLACES: usize = 1_024;
/// Bytes between two places, 4 MiB: a thirtieth of a second.
const APART: u64 = 4 << 20;

/// The beginning of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// From 1.
    pub line: u64,
    /// Bytes before it in the file.
    pub offset: u64,
    /// A line before it ends in CRLF.
    pub crlf: bool,
    /// Lines end in CR alone.
    pub cr: bool,
    /// The encoding that was settled before it; none of a text that was ASCII so far. And whether that is doubtful.
    pub encoding: Option<(&'static Encoding, bool)>,
}

impl Place {
    /// The beginning of the file.
    pub const FIRST: Self = Self { line: 1, offset: 0, crlf: false, cr: false, encoding: None };

    /// True where another place is far enough behind this one to be kept as well.
    #[must_use]
    pub fn is_far_before(&self, offset: u64) -> bool {
        offset >= self.offset + APART
    }
}

/// The places of the files that were read last.
#[derive(Debug, Default)]
pub struct Places(Mutex<VecDeque<(Key, Vec<Place>)>>);

type Key = (ProjectPath, Stamp);

impl Places {
    /// The last place of a file that is no later than this line.
    #[must_use]
    pub fn before(&self, path: &ProjectPath, metadata: &Metadata, line: u64) -> Place {
        let key = (path.clone(), Stamp::of(metadata));
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let places = known.iter().find(|(of, _)| *of == key).map(|(_, places)| places.as_slice());
        let before = places.unwrap_or_default().iter().filter(|place| place.line <= line);
        before.max_by_key(|place| place.line).copied().unwrap_or(Place::FIRST)
    }

    /// Keeps places of a file.
    pub fn keep(&self, path: &ProjectPath, metadata: &Metadata, new: Vec<Place>) {
        if new.is_empty() {
            return;
        }
        let key = (path.clone(), Stamp::of(metadata));
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = known.iter().position(|(of, _)| *of == key);
        let mut places = at.and_then(|at| known.remove(at)).map(|(_, places)| places).unwrap_or_default();
        places.extend(new);
        places.sort_by_key(|place| place.line);
        places.dedup_by_key(|place| place.line);
        places.truncate(PLACES);
        known.push_back((key, places));
        if known.len() > FILES {
            known.pop_front();
        }
    }
}
