//! From the bytes of a response to the events in them.
//!
//! The framing itself is `sse-stream`'s. Ours are the caps on what a server can make us hold, the patience between two
//! pieces, and two kindnesses: bytes that are no UTF-8 become U+FFFD, and a last event without its blank line counts.
//! What an event means is read in [`crate::answer`].

use std::error::Error;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use encoding_rs::{Decoder, UTF_8};
use futures_util::poll;
use futures_util::stream::{self, Stream, StreamExt};
use memchr::memchr2;
use sse_stream::SseByteStream;
use tokio::time::{Instant, Sleep};

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
    let source = Source { body, patience: Patience::of(idle), caps: Caps::default(), text: Text::default() };
    // Boxed, since it is moved with every piece.
    let text = stream::unfold(Some(Box::new(source)), async |source| {
        let mut source = source?;
        match source.patience.wait(source.body.next()).await {
            None => Some((Err(ReadError::Idle(source.patience.idle)), None)),
            Some(Some(Err(error))) => Some((Err(ReadError::Broken(Box::new(error))), None)),
            Some(Some(Ok(piece))) => match source.caps.admit(&piece) {
                Err(error) => Some((Err(error), None)),
                Ok(()) => Some((Ok(source.text.of(piece)), Some(source))),
            },
            Some(None) => Some((Ok(source.text.end()), None)),
        }
    });
    SseByteStream::new(text).filter_map(|event| async move {
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
    patience: Patience,
    caps: Caps,
    text: Text,
}

/// Waits for one piece after another. It has one timer, which is set anew when it rings and not for each piece: that would
/// cost more than the piece.
struct Patience {
    idle: Duration,
    alarm: Pin<Box<Sleep>>,
}

impl Patience {
    fn of(idle: Duration) -> Self {
        Self { idle, alarm: Box::pin(tokio::time::sleep(idle)) }
    }

    /// None when the patience is over first.
    async fn wait<T>(&mut self, piece: impl Future<Output = T>) -> Option<T> {
        let mut piece = pin!(piece);
        // What is there already needs no clock.
        if let Poll::Ready(piece) = poll!(piece.as_mut()) {
            return Some(piece);
        }
        let over = Instant::now() + self.idle;
        loop {
            tokio::select! {
                biased;
                piece = &mut piece => return Some(piece),
                () = &mut self.alarm => match self.alarm.deadline() < over {
                    true => self.alarm.as_mut().reset(over),
                    false => return None,
                },
            }
        }
    }
}

/// Makes UTF-8 of the pieces. A piece that is UTF-8 by itself is passed on as it is.
struct Text {
    decoder: Decoder,
    /// The decoder holds no part of a character, and is past a byte order mark.
    between: bool,
}

impl Default for Text {
    fn default() -> Self {
        Self { decoder: UTF_8.new_decoder_with_bom_removal(), between: false }
    }
}

impl Text {
    fn of(&mut self, piece: Bytes) -> Bytes {
        if self.between && std::str::from_utf8(&piece).is_ok() {
            return piece;
        }
        // An ASCII byte ends whatever was begun.
        if let Some(last) = piece.last() {
            self.between = last.is_ascii();
        }
        self.decode(&piece, false).into()
    }

    /// What is left, and the end of an event that has none.
    fn end(&mut self) -> Bytes {
        let mut last = self.decode(&[], true);
        last.push_str("\n\n");
        last.into()
    }

    fn decode(&mut self, piece: &[u8], last: bool) -> String {
        // Each byte can become U+FFFD, which is three.
        let room = self.decoder.max_utf8_buffer_length(piece.len()).unwrap_or(piece.len() * 3 + 9);
        let mut text = String::with_capacity(room);
        let _ = self.decoder.decode_to_string(piece, &mut text, last);
        text
    }
}

/// Counts what came. Comments count towards the event they stand in.
#[derive(Debug, Default, PartialEq, Eq)]
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
        let mut rest = piece;
        while !rest.is_empty() {
            let text = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            if text > 0 {
                self.line += text;
                self.event += text;
                self.after_cr = false;
                if self.event > EVENT_LIMIT {
                    return Err(ReadError::TooLarge { limit: EVENT_LIMIT });
                }
            }
            let Some(&end) = rest.get(text) else { break };
            rest = &rest[text + 1..];
            if end == b'\n' && std::mem::take(&mut self.after_cr) {
                continue;
            }
            if self.line == 0 {
                self.event = 0;
            }
            self.line = 0;
            self.after_cr = end == b'\r';
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    proptest! {
        #[test]
        fn bytes_are_counted_the_same_however_they_are_cut(bytes in vec(select(&b"a:\n\r"[..]), 0..40), cut in 0..40_usize) {
            let counted = |pieces: &[&[u8]]| {
                let mut caps = Caps::default();
                pieces.iter().for_each(|piece| caps.admit(piece).unwrap());
                caps
            };
            let one_by_one: Vec<&[u8]> = bytes.chunks(1).collect();
            let (before, after) = bytes.split_at(cut.min(bytes.len()));
            prop_assert_eq!(counted(&[before, after]), counted(&one_by_one));
            prop_assert_eq!(counted(&[&bytes]), counted(&one_by_one));
        }
    }

    #[tokio::test]
    async fn patience_begins_anew_with_each_piece() {
        let idle = Duration::from_millis(30);
        let mut patience = Patience::of(idle);
        let begun = Instant::now();
        // A piece that is there is taken, however late it is looked at.
        for _ in 0..3 {
            assert_eq!(patience.wait(tokio::time::sleep(idle * 2 / 3)).await, Some(()));
        }
        assert_eq!(patience.wait(std::future::pending::<()>()).await, None);
        assert!(begun.elapsed() >= idle * 3);
    }

    #[test]
    fn characters_cut_in_two_and_marks_and_bytes_that_are_none_come_out_as_text() {
        let read = |pieces: &[&'static [u8]]| {
            let mut text = Text::default();
            let mut read: Vec<u8> =
                pieces.iter().flat_map(|piece| text.of(Bytes::from_static(piece))).collect();
            read.extend(text.end());
            String::from_utf8(read).unwrap()
        };
        assert_eq!(read(&[b"a", b"b\xc3", b"\xa4", "ä".as_bytes(), b"c"]), "abääc\n\n");
        assert_eq!(read(&[b"\xef", b"", b"\xbb\xbf", b"a", b"\xef\xbb\xbf"]), "a\u{feff}\n\n");
        assert_eq!(read(&[b"a\xc3", b"b", b"\xff", b"c", b"\xe2\x82"]), "a\u{fffd}b\u{fffd}c\u{fffd}\n\n");
    }
}
