//! Bytes between a command and a host, counted and bounded (C4). Deliberately not here: which of them are one request (`request`).

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Bytes that are read at once.
const PIECE: usize = 16 << 10;

/// All bytes of one run.
#[derive(Debug)]
pub(super) struct Traffic {
    received: Bounded,
    sent: Bounded,
    is_over: AtomicBool,
}

#[derive(Debug)]
struct Bounded {
    bytes: AtomicU64,
    most: u64,
}

/// The bytes of one host.
#[derive(Debug, Clone, Default)]
pub(super) struct Counted {
    received: Arc<AtomicU64>,
    sent: Arc<AtomicU64>,
}

/// The bytes of one connection, which count for its host and for the run.
#[derive(Debug)]
pub(super) struct Meter<'a> {
    pub(super) traffic: &'a Traffic,
    pub(super) host: Counted,
}

/// The direction of bytes, as the command sees it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way {
    Received,
    Sent,
}

impl Traffic {
    pub(super) fn new(received: u64, sent: u64) -> Self {
        let bounded = |most| Bounded { bytes: AtomicU64::new(0), most };
        Self { received: bounded(received), sent: bounded(sent), is_over: AtomicBool::new(false) }
    }

    /// True if a bound was reached: nothing goes through any more.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Relaxed)
    }
}

impl Counted {
    pub(super) fn received(&self) -> u64 {
        self.received.load(Relaxed)
    }

    pub(super) fn sent(&self) -> u64 {
        self.sent.load(Relaxed)
    }
}

impl Meter<'_> {
    /// Takes these bytes, unless they pass the bound.
    fn take(&self, bytes: usize, way: Way) -> io::Result<()> {
        let bytes = bytes as u64;
        let (all, own) = match way {
            Way::Received => (&self.traffic.received, &self.host.received),
            Way::Sent => (&self.traffic.sent, &self.host.sent),
        };
        let before = all.bytes.fetch_add(bytes, Relaxed);
        if self.traffic.is_over() || before.saturating_add(bytes) > all.most {
            self.traffic.is_over.store(true, Relaxed);
            return Err(io::Error::other("the most bytes of a command are reached"));
        }
        own.fetch_add(bytes, Relaxed);
        Ok(())
    }

    pub(super) async fn write(
        &self,
        bytes: &[u8],
        to: &mut (impl AsyncWrite + Unpin),
        way: Way,
    ) -> io::Result<()> {
        self.take(bytes.len(), way)?;
        to.write_all(bytes).await
    }

    /// Copies to the end of the input, or so many bytes of it, and has the number of those that are still to come.
    pub(super) async fn copy(
        &self,
        from: &mut (impl AsyncRead + Unpin),
        to: &mut (impl AsyncWrite + Unpin),
        mut most: u64,
        way: Way,
    ) -> io::Result<u64> {
        let mut piece = vec![0; PIECE];
        while most > 0 {
            let room = usize::try_from(most).map_or(PIECE, |most| most.min(PIECE));
            let read = from.read(&mut piece[..room]).await?;
            if read == 0 {
                break;
            }
            self.write(&piece[..read], to, way).await?;
            most -= read as u64;
        }
        Ok(most)
    }
}
