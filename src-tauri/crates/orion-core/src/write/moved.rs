//! Finding the seams of the content again after a correction (W4, W5).

use memchr::memmem;
use orion_protocol::Seam;

/// Bytes on each side of a seam by which it is known again.
const AROUND: usize = 32;

/// The seams of `before`, as places in `after`. A seam before the first change or after the last one keeps its place. One between them is
/// recognised by the text around it, and is left out when that text is gone or is there more than once.
#[must_use]
pub fn moved(before: &str, after: &str, seams: &[Seam]) -> Vec<Seam> {
    let same = |pair: &(u8, u8)| pair.0 == pair.1;
    let head = before.floor_char_boundary(before.bytes().zip(after.bytes()).take_while(same).count());
    let shorter = before.len().min(after.len());
    let tail = before.bytes().rev().zip(after.bytes().rev()).take(shorter - head).take_while(same).count();
    let place = |seam: &Seam| {
        let at = usize::try_from(seam.offset).ok()?;
        if at <= head {
            Some(at)
        } else if before.len() - tail <= at {
            Some(at + after.len() - before.len())
        } else {
            let from = at.saturating_sub(AROUND);
            let to = before.len().min(at + AROUND);
            let around = &before.as_bytes()[from..to];
            let mut found = memmem::find_iter(after.as_bytes(), around);
            let only = found.next().filter(|_| found.next().is_none());
            only.map(|start| start + at - from)
        }
    };
    let mut kept: Vec<_> = seams.iter().filter_map(|seam| Some((place(seam)?, seam.dropped))).collect();
    kept.sort_unstable();
    let (mut counted, mut line) = (0, 1);
    let seams = kept.into_iter().map(|(at, dropped)| {
        line += memchr::memchr_iter(b'\n', &after.as_bytes()[counted..at]).count();
        counted = at;
        Seam { offset: at as u64, line: u32::try_from(line).unwrap_or(u32::MAX), dropped }
    });
    seams.collect()
}
