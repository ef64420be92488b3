//! The first two bytes of beginnings. Few places of a text have such a pair, and none other has to be looked at.

/// The pairs of bytes that beginnings begin with, and some more: each first byte has a bit, which those bytes have that may follow it.
#[derive(Debug)]
pub(super) struct Pairs {
    firsts: [u8; 256],
    seconds: [u8; 256],
}

impl Pairs {
    pub(super) fn of<'a>(beginnings: impl Iterator<Item = &'a str>) -> Self {
        let mut pairs = Self { firsts: [0; 256], seconds: [0; 256] };
        let mut bits = (0..u8::BITS).cycle().map(|bit| 1 << bit);
        for beginning in beginnings {
            let [first, second, ..] = *beginning.as_bytes() else { continue };
            let bit = &mut pairs.firsts[usize::from(first)];
            if *bit == 0 {
                *bit = bits.next().unwrap_or(1);
            }
            pairs.seconds[usize::from(second)] |= *bit;
        }
        pairs
    }

    /// The first place of a pair.
    pub(super) fn find(&self, bytes: &[u8]) -> Option<usize> {
        bytes.array_windows().position(|pair| self.has(*pair))
    }

    /// A beginning may begin with these bytes, or they with one.
    pub(super) fn may_begin(&self, bytes: &[u8]) -> bool {
        match *bytes {
            [] => false,
            [first] => self.firsts[usize::from(first)] != 0,
            [first, second, ..] => self.has([first, second]),
        }
    }

    fn has(&self, [first, second]: [u8; 2]) -> bool {
        self.firsts[usize::from(first)] & self.seconds[usize::from(second)] != 0
    }
}
