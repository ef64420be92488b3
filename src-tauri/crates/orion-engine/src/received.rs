//! What comes back in a model call, to the byte, within a bound: the beginning and the end (0046).
//!
//! Every call has a buffer for it, since only the end of a call shows whether it failed. To copy a piece costs less than to parse it.
//! Deliberately not here: whether it is kept (`driver`), and where (`orion-store`).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::secrets::Redactor;

/// Bytes of a call that are kept at most: 256 KiB. Half of them are of its beginning, where something is left out.
pub const MOST: usize = 256 << 10;
const HALF: usize = MOST / 2;

/// More bytes than any form of a key has. So many are held on each side of what is left out, and are then left out too: a key that was cut in two
/// there cannot be found.
const SEAM: usize = 64 << 10;

/// Bytes held of either side.
const HELD: usize = HALF + SEAM;

/// What came back in one call so far. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Received(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
struct Held {
    start: Vec<u8>,
    /// The last bytes after the beginning.
    end: VecDeque<u8>,
    /// Bytes that came in all.
    came: u64,
}

/// Of which model calls it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeps {
    Nothing,
    /// Of those that failed, if only in one of their tries.
    Failures,
    Everything,
}

/// What came back, as it is kept: without known secrets.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    /// The beginning and the end, one after the other.
    pub(crate) body: Vec<u8>,
    /// Bytes of the beginning.
    pub(crate) start: usize,
    /// Bytes in between that are left out.
    pub(crate) left_out: u64,
}

impl Received {
    /// More came. The work is that of copying these bytes, whatever came before.
    pub fn add(&self, bytes: &[u8]) {
        let mut held = self.held();
        held.came += bytes.len() as u64;
        let room = HELD - held.start.len();
        let (first, rest) = bytes.split_at(bytes.len().min(room));
        held.start.extend_from_slice(first);
        let rest = rest.get(rest.len().saturating_sub(HELD)..).unwrap_or_default();
        let over = (held.end.len() + rest.len()).saturating_sub(HELD);
        held.end.drain(..over);
        held.end.extend(rest);
    }

    /// A further response begins: what comes from now on is parted from what came before by an empty line.
    pub fn next(&self) {
        let nothing = self.held().came == 0;
        if !nothing {
            self.add(b"\n\n");
        }
    }

    /// What is to be kept of it. None where nothing came. Nothing is held afterwards.
    pub(crate) fn take(&self, redactor: &Redactor) -> Option<Kept> {
        let Held { mut start, end, came } = std::mem::take(&mut *self.held());
        let mut end = Vec::from(end);
        if came == 0 {
            return None;
        }
        // Where nothing is missing between both, a key may reach from one into the other.
        if came == (start.len() + end.len()) as u64 {
            start.append(&mut end);
        }
        redactor.mask(&mut start);
        redactor.mask(&mut end);
        if start.len() <= MOST && end.is_empty() {
            return Some(Kept { start: start.len(), body: start, left_out: 0 });
        }
        let whole = if end.is_empty() { &start } else { &end };
        let last = whole.get(whole.len().saturating_sub(HALF)..).unwrap_or_default().to_vec();
        start.truncate(HALF);
        start.extend(last);
        let left_out = came - start.len() as u64;
        Some(Kept { body: start, start: HALF, left_out })
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::*;

    fn kept(pieces: &[&[u8]], redactor: &Redactor) -> Kept {
        let received = Received::default();
        pieces.iter().for_each(|piece| received.add(piece));
        received.take(redactor).unwrap()
    }

    /// Bytes that tell where they stand.
    fn numbered(bytes: usize) -> Vec<u8> {
        let mut text: Vec<u8> =
            (0..).take(bytes / 8 + 1).flat_map(|n| format!("{n:07}\n").into_bytes()).collect();
        text.truncate(bytes);
        text
    }

    #[test]
    fn what_fits_is_whole_and_of_more_the_beginning_and_the_end_are_kept() {
        let redactor = Redactor::default();
        assert_eq!(Received::default().take(&redactor), None);
        for bytes in [1, MOST - 1, MOST, MOST + 1, 2 * HELD - 1, 2 * HELD, 2 * HELD + 1, 10 << 20] {
            let all = numbered(bytes);
            for size in [bytes, 4_096, 65_537] {
                let pieces: Vec<&[u8]> = all.chunks(size).collect();
                let Kept { body, start, left_out } = kept(&pieces, &redactor);
                assert_eq!(body.len(), bytes.min(MOST), "{bytes} in pieces of {size}");
                assert_eq!(left_out as usize, bytes - body.len());
                assert_eq!(body[..start], all[..start]);
                assert_eq!(body[start..], all[bytes - (body.len() - start)..]);
            }
        }
    }

    #[test]
    fn no_more_is_held_than_the_bound_and_its_seams_whatever_the_size_of_the_pieces() {
        for size in [1, 1_000, 1 << 20] {
            let received = Received::default();
            for piece in numbered(2 << 20).chunks(size) {
                received.add(piece);
                let held = received.held();
                assert!(held.start.len() <= HELD && held.end.len() <= HELD);
            }
        }
    }

    #[test]
    fn no_part_of_a_key_is_kept_wherever_something_is_left_out() {
        let key = "sk-canary-0123456789";
        let redactor = Redactor::default();
        redactor.hide(&SecretString::from(key));
        // Back to back, so that one of them stands across each place where it could be cut.
        for more in 0..key.len() {
            let mut all = vec![b'.'; more];
            all.extend(key.repeat(40_000).into_bytes());
            let Kept { body, left_out, .. } = kept(&[&all], &redactor);
            assert!(left_out > 0);
            assert!(body.iter().all(|byte| b".*".contains(byte)), "{more}");
        }
        let (before, after) = ("x".repeat(HELD - 10), "y".repeat(100));
        let across = format!("{before}{key}{after}");
        let Kept { body, .. } = kept(&[across.as_bytes()], &redactor);
        assert_eq!(body, across.replace(key, &"*".repeat(key.len())).into_bytes());
    }

    #[test]
    fn bytes_that_are_no_text_stay_as_they_are() {
        let redactor = Redactor::default();
        redactor.hide(&SecretString::from("sk-canary-0123456789"));
        let kept = kept(&[b"\xff\xfe\x00", b"sk-canary-", b"0123456789\xc3"], &redactor);
        assert_eq!(kept.body, b"\xff\xfe\x00********************\xc3");
    }

    #[test]
    fn responses_are_parted_by_an_empty_line() {
        let received = Received::default();
        for response in [&b"one"[..], b"two"] {
            received.next();
            received.add(response);
        }
        assert_eq!(received.take(&Redactor::default()).unwrap().body, b"one\n\ntwo");
    }
}
