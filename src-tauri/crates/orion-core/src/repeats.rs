//! Text that only repeats itself (P11), found while it streams.
//!
//! A text repeats itself when its end is one stretch of bytes over and over. All of these must hold:
//!
//! - The stretch has at most [`LONGEST`] bytes.
//! - It comes at least [`TIMES`] times in a row. The first time it may lack its beginning, and the last time its end.
//! - Together that is at least [`LEAST`] bytes, or [`LEAST_OF_SHORT`] where the stretch has at most [`SHORT`] bytes.
//!
//! Where a stretch is itself a smaller one over and over, the smaller one is meant. So one byte has to come 16,384 times, a line of
//! 40 bytes 103 times, and 2 KiB six times.
//!
//! [`Watch`] checks once per KiB of the text. Its verdict depends on the text alone, not on its chunks (T5). The work for each byte
//! has a limit. Deliberately not here: what follows from a verdict.

use memchr::memmem;

/// The longest stretch that counts, in bytes (P11).
pub const LONGEST: usize = 2 * 1024;
/// How often a stretch has to come (P11).
pub const TIMES: usize = 6;
/// The least that all the repeats have together, in bytes (P11).
pub const LEAST: usize = 4 * 1024;
/// The longest stretch for which [`LEAST_OF_SHORT`] holds, in bytes: rulers and blank space are made of such (P11).
pub const SHORT: usize = 4;
/// The least that all the repeats of a short stretch have together, in bytes (P11).
pub const LEAST_OF_SHORT: usize = 16 * 1024;

/// The text is looked at after so many bytes of it, and again after as many.
pub const STEP: usize = 1024;

/// How much of the text's end is kept. Repeats that were too few at the last look had less than this.
const KEPT: usize = LEAST_OF_SHORT;

/// As much of the end has to be found once more before anything is compared exactly.
const SAMPLE: usize = 64;

/// Repeats at the end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeats {
    /// Where they begin, in bytes of the text.
    pub start: usize,
    /// Bytes of the stretch.
    pub stretch: usize,
    /// How often it has come whole.
    pub times: usize,
}

impl Repeats {
    /// The bytes of the text that are left out when only the first of the repeats is kept.
    #[must_use]
    pub fn after_the_first(&self, text: &str) -> usize {
        text.len() - text.ceil_char_boundary(self.start + self.stretch)
    }
}

/// Where the first of the repeats of a stretch at the end of a text ends, or the line that it ends in, where the stretch has line ends. The
/// end of the text where the stretch does not come twice there.
#[must_use]
pub fn once(text: &str, stretch: usize) -> usize {
    let bytes = text.as_bytes();
    let again = again(bytes.iter().rev(), stretch);
    if again < stretch {
        return text.len();
    }
    let end = bytes.len() - again;
    match memchr::memchr(b'\n', &bytes[end - 1..][..stretch]) {
        Some(line_end) => end + line_end,
        None => text.ceil_char_boundary(end),
    }
}

/// How many of the last bytes are those that came one stretch before them. `end` goes backwards.
fn again<'a>(end: impl Iterator<Item = &'a u8> + Clone, stretch: usize) -> usize {
    end.clone().skip(stretch).zip(end).take_while(|(earlier, later)| earlier == later).count()
}

/// A piece of text in which repeats were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Bytes of the piece up to the place where they were found. The rest was not looked at.
    pub taken: usize,
    pub repeats: Repeats,
}

/// Follows one text as it comes.
#[derive(Debug, Clone, Default)]
pub struct Watch {
    /// The end of the text: its last [`KEPT`] bytes, and before them hardly more than as many.
    end: Vec<u8>,
    bytes: usize,
    steps: u64,
}

impl Watch {
    /// Takes the next piece of the text, up to the first place where the text is found to repeat itself.
    pub fn push(&mut self, piece: &str) -> Option<Found> {
        let mut rest = piece;
        loop {
            let wanted = STEP - self.bytes % STEP;
            if rest.len() < wanted {
                self.append(rest);
                return None;
            }
            // A character is whole on either side of a cut.
            let (now, later) = rest.split_at(rest.ceil_char_boundary(wanted));
            self.append(now);
            rest = later;
            if let Some(repeats) = self.look() {
                return Some(Found { taken: piece.len() - rest.len(), repeats });
            }
        }
    }

    /// Bytes of the text so far.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes that were compared, searched or moved so far. It tells what the work is without a clock.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    fn append(&mut self, piece: &str) {
        if self.end.len() >= 2 * KEPT {
            self.end.drain(..self.end.len() - KEPT);
            self.steps += KEPT as u64;
        }
        self.end.extend_from_slice(piece.as_bytes());
        self.bytes += piece.len();
    }

    fn look(&mut self) -> Option<Repeats> {
        let least: &[u8; LEAST] = self.end.last_chunk()?;
        // Where the end has a period, its last bytes came before, one period earlier. Hardly any other text passes this.
        let (before, sample) = least.split_at(LEAST - SAMPLE);
        let near = &least[before.len() - LONGEST..LEAST - 1];
        self.steps += near.len() as u64;
        memmem::rfind(near, sample)?;
        let stretch = period(least, &mut self.steps);
        if stretch > LONGEST {
            return None;
        }
        let run = stretch + again(self.end.iter().rev(), stretch);
        self.steps += run as u64;
        let enough = if stretch > SHORT { LEAST.max(TIMES * stretch) } else { LEAST_OF_SHORT };
        (run >= enough).then(|| Repeats { start: self.bytes - run, stretch, times: run / stretch })
    }
}

/// The smallest period of these bytes: what their longest border (a beginning that is also their end) leaves of them.
fn period(bytes: &[u8; LEAST], steps: &mut u64) -> usize {
    // `borders[at]` is the longest border of the bytes up to and with `at`.
    let mut borders = [0; LEAST];
    let mut border = 0;
    for at in 1..LEAST {
        *steps += 1;
        while border > 0 && bytes[at] != bytes[border] {
            border = borders[border - 1];
            *steps += 1;
        }
        border += usize::from(bytes[at] == bytes[border]);
        borders[at] = border;
    }
    LEAST - border
}
