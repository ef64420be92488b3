//! SHA-256 of bytes in memory, and of the bytes of a reader.

use std::io::{self, Read};

use orion_protocol::Sha256;
use sha2::Digest as _;

/// Bytes that are read at once.
const BLOCK: usize = 64 * 1024;

#[must_use]
pub fn sha256(bytes: &[u8]) -> Sha256 {
    finished(sha2::Sha256::new_with_prefix(bytes))
}

/// The digest of all that a reader gives, without holding it.
///
/// # Errors
/// Those of the reader.
pub fn sha256_of(mut source: impl Read) -> io::Result<Sha256> {
    let mut digest = sha2::Sha256::new();
    let mut block = vec![0; BLOCK];
    loop {
        match source.read(&mut block) {
            Ok(0) => return Ok(finished(digest)),
            Ok(read) => digest.update(&block[..read]),
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(cause),
        }
    }
}

fn finished(digest: sha2::Sha256) -> Sha256 {
    Sha256::from(<[u8; 32]>::from(digest.finalize()))
}
