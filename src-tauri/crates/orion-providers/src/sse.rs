//! From the bytes of a response to the events in them.
//!
//! The framing itself is `sse-stream`'s. Ours are the caps on what a server can make us hold, the patience between two
//! pieces, and two kindnesses: bytes that are no UTF-8 become U+FFFD, and a last event without its blank line counts.
//! What an event means is read in [`crate::answer`].

use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use encoding_rs::{Decoder, UTF_8};
use futures_util::stream::{self, Stream, StreamExt};
use sse_stream::SseByteStream;

/// The longest line or event: 8 MiB (DESIGN, SSE).
pub const EVENT_LIMIT: usize = 8 << 20;
/// The longest response, after decompression: 64 MiB (DESIGN, SSE).
pub const RESPONSE_LIMIT: usize = 64 << 20;

/// An event that carries data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The `event:` field, where there is one.
    pub name: Option<String>,
    /// The `data:` lines, joined by line feeds.
    pub data: String,
}

/// Why the bytes of a response could not be read to their end.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("nothing came for {} s", .0.as_secs())]
    Idle(Duration),
    #[error("the connection broke")]
    Broken(#[source] Box<dyn Error + Send + Sync>),
    #[error("more than {limit} bytes came")]
    TooLarge { limit: usize },
}

/// The events in a response. `idle` is the patience between two pieces; comments count as pieces.
pub fn events<S, E>(body: S, idle: Duration) -> impl Stream<Item = Result<Event, ReadError>>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    E: Error + Send + Sync + 'static,
{
    let source = Source { body, caps: Caps::default(), decoder: UTF_8.new_decoder_with_bom_removal() };
    let text = stream::unfold(Some(source), move |source| async move {
        let mut source = source?;
        match tokio::time::timeout(idle, source.body.next()).await {
            Err(_) => Some((Err(ReadError::Idle(idle)), None)),
            Ok(Some(Err(error))) => Some((Err(ReadError::Broken(Box::new(error))), None)),
            Ok(Some(Ok(piece))) => match source.caps.admit(&piece) {
                Err(error) => Some((Err(error), None)),
                Ok(()) => Some((Ok(decode(&mut source.decoder, &piece, false)), Some(source))),
            },
            Ok(None) => {
                let mut last = decode(&mut source.decoder, &[], true);
                last.push_str("\n\n");
                Some((Ok(last), None))
            }
        }
    });
    SseByteStream::new(text.map(|text| text.map(Bytes::from))).filter_map(|event| async move {
        match event {
            Ok(event) => event.data.map(|data| Ok(Event { name: event.event, data })),
            Err(sse_stream::Error::Body(error)) => Some(Err(match error.downcast::<ReadError>() {
                Ok(error) => *error,
                Err(error) => ReadError::Broken(error),
            })),
            Err(error) => Some(Err(ReadError::Broken(Box::new(error)))),
        }
    })
}

struct Source<S> {
    body: S,
    caps: Caps,
    decoder: Decoder,
}

fn decode(decoder: &mut Decoder, piece: &[u8], last: bool) -> String {
    // Each byte can become U+FFFD, which is three.
    let room = decoder.max_utf8_buffer_length(piece.len()).unwrap_or(piece.len() * 3 + 9);
    let mut text = String::with_capacity(room);
    let _ = decoder.decode_to_string(piece, &mut text, last);
    text
}

/// Counts what came. Comments count towards the event they stand in.
#[derive(Debug, Default)]
struct Caps {
    total: usize,
    event: usize,
    line: usize,
    /// The last byte was a CR, so that a LF belongs to it.
    after_cr: bool,
}

impl Caps {
    fn admit(&mut self, piece: &[u8]) -> Result<(), ReadError> {
        self.total += piece.len();
        if self.total > RESPONSE_LIMIT {
            return Err(ReadError::TooLarge { limit: RESPONSE_LIMIT });
        }
        for &byte in piece {
            match byte {
                b'\n' if self.after_cr => self.after_cr = false,
                b'\n' | b'\r' => {
                    if self.line == 0 {
                        self.event = 0;
                    }
                    self.line = 0;
                    self.after_cr = byte == b'\r';
                }
                _ => {
                    self.line += 1;
                    self.event += 1;
                    self.after_cr = false;
                    if self.event > EVENT_LIMIT {
                        return Err(ReadError::TooLarge { limit: EVENT_LIMIT });
                    }
                }
            }
        }
        Ok(())
    }
}
