//! Computes the digest of a file while it is read, so that the digest and what the reader got come from the same bytes.

use std::io::{self, Read};

use orion_protocol::Sha256;
use sha2::Digest as _;

/// A reader that takes the digest of all that is read through it.
#[derive(Debug)]
pub struct Passing<R> {
    inner: R,
    digest: sha2::Sha256,
    bytes: u64,
    ended: bool,
}

/// A file that was read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whole {
    pub sha256: Sha256,
    pub bytes: u64,
}

impl<R: Read> Passing<R> {
    pub fn new(inner: R) -> Self {
        Self { inner, digest: sha2::Sha256::new(), bytes: 0, ended: false }
    }

    /// The reader that all was read from.
    pub fn into_inner(self) -> R {
        self.inner
    }

    /// What passed, if the end was reached.
    #[must_use]
    pub fn whole(self) -> Option<Whole> {
        let Self { digest, bytes, ended, .. } = self;
        ended.then(|| Whole { sha256: Sha256::from(<[u8; 32]>::from(digest.finalize())), bytes })
    }
}

impl<R: Read> Read for Passing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // The end is the end, also of a file that grows on.
        if self.ended || buffer.is_empty() {
            return Ok(0);
        }
        let read = self.inner.read(buffer)?;
        self.ended = read == 0;
        self.bytes += read as u64;
        self.digest.update(buffer.get(..read).unwrap_or_default());
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_to_its_end_has_the_digest_of_all_its_bytes() {
        let mut passing = Passing::new(&b"alpha\n"[..]);
        let mut text = String::new();
        passing.by_ref().take(6).read_to_string(&mut text).unwrap();
        passing.read_to_string(&mut text).unwrap();
        let whole =
            Whole { sha256: Sha256::from(<[u8; 32]>::from(sha2::Sha256::digest("alpha\n"))), bytes: 6 };
        assert_eq!((text.as_str(), passing.whole()), ("alpha\n", Some(whole)));
    }

    #[test]
    fn what_was_not_read_to_its_end_has_none() {
        let mut passing = Passing::new(&b"alpha\n"[..]);
        passing.by_ref().take(6).read_to_end(&mut Vec::new()).unwrap();
        assert_eq!(passing.whole(), None);
    }

    #[test]
    fn a_file_that_grows_behind_its_end_is_read_no_further() {
        /// Gives one byte at every other read.
        struct Growing(bool);
        impl Read for Growing {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0 = !self.0;
                buffer[0] = b'a';
                Ok(usize::from(self.0))
            }
        }
        let mut passing = Passing::new(Growing(false));
        let mut read = Vec::new();
        passing.read_to_end(&mut read).unwrap();
        passing.read_to_end(&mut read).unwrap();
        assert_eq!((read.as_slice(), passing.whole().map(|whole| whole.bytes)), (&b"a"[..], Some(1)));
    }
}
