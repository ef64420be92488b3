//! SHA-256 in hexadecimal, as journal and wire name the content of a file.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(digest: &[u8]) -> String {
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        // A String takes everything.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
