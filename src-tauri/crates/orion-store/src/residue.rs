//! Clears what SQLite leaves in database pages even with `secure_delete`.
//!
//! `secure_delete` zeroes deleted cells and freed pages. But when cells move from a page to its neighbours, their old copies stay in the
//! unused part of that page until something overwrites them, so a text can outlive its row. This module knows enough of the page format
//! (sqlite.org/fileformat2.html, 1.6) to zero every byte that no cell uses. Deliberately not here: reading and writing the pages
//! (`reclaim`).

/// Where a page stands in its file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// Bytes of a page.
    pub(crate) page_size: u32,
    /// Whether the file has pointer maps: pages that hold no cells, at fixed places.
    pub(crate) pointer_maps: bool,
}

/// The first page begins with the file's header. Orion reserves no bytes at the end of a page.
const FILE_HEADER: usize = 100;

/// The byte of the file that SQLite takes its locks on. The page with it is never used: 1 GiB.
const LOCK_BYTE: u64 = 1 << 30;

/// An overflow page begins with the number of the next one. From this number on, its first byte could look like a page with cells.
pub(crate) const MOST_PAGES: u32 = 0x0200_0000;

/// Zeroes every byte of the page that no cell uses. True when there was something to zero. A page without cells is not changed.
pub(crate) fn clear(page: &mut [u8], number: u32, layout: Layout) -> bool {
    if layout.is_special(number) {
        return false;
    }
    let at = if number == 1 { FILE_HEADER } else { 0 };
    let mut found = false;
    for part in unused(page, at).into_iter().flatten() {
        found |= zero(page, part);
    }
    found
}

impl Layout {
    /// The page of the lock byte and the pointer maps (fileformat2, 1.4 and 1.8).
    fn is_special(self, number: u32) -> bool {
        let lock = u32::try_from(LOCK_BYTE / u64::from(self.page_size) + 1).unwrap_or(u32::MAX);
        if number == lock {
            return true;
        }
        if !self.pointer_maps || number < 2 {
            return false;
        }
        // A map has five bytes for each of the pages that follow it.
        let group = self.page_size / 5 + 1;
        let map = (number - 2) / group * group + 2;
        number == if map == lock { map + 1 } else { map }
    }
}

/// The parts of a page with cells that hold none: between the pointers and the first cell, and in the chain of freed blocks. None when
/// this is no such page.
fn unused(page: &[u8], at: usize) -> Option<Vec<(usize, usize)>> {
    let header = match page.get(at)? {
        2 | 5 => 12,
        10 | 13 => 8,
        _ => return None,
    };
    let number = |offset: usize| {
        page.get(offset..offset + 2).map(|two| usize::from(u16::from_be_bytes([two[0], two[1]])))
    };
    let pointers = at + header + 2 * number(at + 3)?;
    let first_cell = match number(at + 5)? {
        0 => 65_536,
        offset => offset,
    };
    if pointers > first_cell || first_cell > page.len() {
        return None;
    }
    let mut parts = vec![(pointers, first_cell)];
    let mut block = number(at + 1)?;
    let mut least = first_cell;
    while block != 0 {
        let (next, size) = (number(block)?, number(block + 2)?);
        // Blocks come in order and do not overlap; their first four bytes are the chain.
        if block < least || size < 4 || block + size > page.len() {
            return None;
        }
        parts.push((block + 4, block + size));
        least = block + size;
        block = next;
    }
    Some(parts)
}

fn zero(page: &mut [u8], (from, to): (usize, usize)) -> bool {
    let part = &mut page[from..to];
    let found = part.iter().any(|byte| *byte != 0);
    part.fill(0);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Layout = Layout { page_size: 64, pointer_maps: false };

    /// A leaf with a cell at 56, a freed block of 8 bytes at 48, one pointer, and `rest` in all else.
    fn leaf(rest: u8) -> Vec<u8> {
        let mut page = vec![rest; 64];
        page[..8].copy_from_slice(&[13, 0, 48, 0, 1, 0, 40, 0]);
        page[8..10].copy_from_slice(&[0, 56]);
        page[40..48].copy_from_slice(b"one cell");
        page[48..52].copy_from_slice(&[0, 0, 0, 8]);
        page[56..].copy_from_slice(b"the cell");
        page
    }

    #[test]
    fn what_no_cell_uses_is_zeroed_and_cells_stay() {
        let mut page = leaf(b'x');
        assert!(clear(&mut page, 2, PLAIN));
        assert_eq!(page, leaf(0));
        assert!(!clear(&mut page, 2, PLAIN), "there is nothing more to find");
    }

    #[test]
    fn a_page_without_cells_is_left_alone() {
        for kind in [0, 1, 3, 4, 6, 255] {
            let mut page = leaf(b'x');
            page[0] = kind;
            let before = page.clone();
            assert!(!clear(&mut page, 2, PLAIN), "{kind}");
            assert_eq!(page, before, "{kind}");
        }
    }

    #[test]
    fn a_page_that_makes_no_sense_is_left_alone() {
        // More pointers than fit, a first cell beyond the end, a block before the first cell, beyond the end, in a circle.
        for (offset, bytes) in [(3, [9, 9]), (5, [1, 0]), (1, [0, 20]), (50, [1, 0]), (48, [0, 48])] {
            let mut page = leaf(b'x');
            page[offset..offset + 2].copy_from_slice(&bytes);
            let before = page.clone();
            assert!(!clear(&mut page, 2, PLAIN), "{offset}");
            assert_eq!(page, before, "{offset}");
        }
    }

    #[test]
    fn the_header_of_the_file_is_before_the_first_pages_own() {
        let mut page = vec![b'h'; FILE_HEADER];
        page.extend([13, 0, 0, 0, 0, 0, 112, 0, b'x', b'x', b'x', b'x', b'c']);
        assert!(clear(&mut page, 1, PLAIN));
        let mut clean = vec![b'h'; FILE_HEADER];
        clean.extend([13, 0, 0, 0, 0, 0, 112, 0, 0, 0, 0, 0, b'c']);
        assert_eq!(page, clean);
    }

    #[test]
    fn pointer_maps_and_the_page_of_the_lock_byte_hold_no_cells() {
        let special = |layout: Layout, numbers: [u32; 5]| numbers.map(|number| layout.is_special(number));
        let maps = Layout { page_size: 4_096, pointer_maps: true };
        // 819 entries: the maps are 2, 822, 1642 …; the lock byte is in page 262,145.
        assert_eq!(special(maps, [1, 2, 3, 822, 1_642]), [false, true, false, true, true]);
        assert_eq!(special(maps, [821, 823, 262_144, 262_145, 262_146]), [false, false, false, true, false]);
        let plain = Layout { page_size: 4_096, pointer_maps: false };
        assert_eq!(special(plain, [1, 2, 3, 822, 262_145]), [false, false, false, false, true]);
        // A map that would be the page of the lock byte is the one after it.
        let small = Layout { page_size: 512, pointer_maps: true };
        let lock = u32::try_from(LOCK_BYTE / 512 + 1).unwrap();
        let group = 512 / 5 + 1;
        assert_eq!(small.is_special(lock + 1), (lock - 2) % group == 0);
    }
}
