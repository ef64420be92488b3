//! SHA-256 in hexadecimal, as journal and wire name the content of a file.

use std::fmt::Write as _;
use std::io::{self, Read};

use sha2::{Digest, Sha256};

/// Bytes that are read at once.
const BLOCK: usize = 64 * 1024;

#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The digest of all that a reader gives, without holding it.
pub(super) fn sha256_of(mut source: impl Read) -> io::Result<String> {
    let mut digest = Sha256::new();
    let mut block = vec![0; BLOCK];
    loop {
        match source.read(&mut block) {
            Ok(0) => return Ok(hex(&digest.finalize())),
            Ok(read) => digest.update(&block[..read]),
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(cause),
        }
    }
}

fn hex(digest: &[u8]) -> String {
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        // A String takes everything.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
