//! The head of a message, read to its empty line: 16 KiB at most. Deliberately not here: its meaning (`request`).

use tokio::io::{AsyncRead, AsyncReadExt};

use super::refusal::Refusal;

/// Bytes of a head. Servers take 8 KiB to 16 KiB.
const MOST: usize = 16 << 10;

/// The end of a head (RFC 9112). A line end without CR is none here, since others would read on.
const END: &[u8] = b"\r\n\r\n";

/// A head, and what came after it with the same read.
#[derive(Debug)]
pub(super) struct Head {
    bytes: Vec<u8>,
    end: usize,
}

impl Head {
    /// Fails with the refusal of one that is too long or does not end.
    pub(super) async fn read(from: &mut (impl AsyncRead + Unpin)) -> Result<Self, Refusal> {
        let mut bytes = Vec::new();
        let mut piece = [0; 2048];
        loop {
            let read = from.read(&mut piece).await.unwrap_or(0);
            if read == 0 {
                return Err(Refusal::MALFORMED);
            }
            let looked_at = bytes.len().saturating_sub(END.len() - 1);
            bytes.extend_from_slice(&piece[..read]);
            let found = bytes[looked_at..].windows(END.len()).position(|part| part == END);
            match found.map(|at| looked_at + at + END.len()) {
                Some(end) if end <= MOST => return Ok(Self { bytes, end }),
                None if bytes.len() < MOST => {}
                _ => return Err(Refusal::TOO_LONG),
            }
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.end]
    }

    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[self.end..]
    }
}
