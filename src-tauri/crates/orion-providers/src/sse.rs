//! Splits the bytes of a response into events.
//!
//! No library does this here: libraries skip lines that are no field of the format, and errors stand in such lines too
//! (P10). Otherwise the format is that of WHATWG, with three exceptions: bytes that are not UTF-8 become U+FFFD, a last event without its blank line
//! counts, and a byte order mark before any line is skipped: what joins streams may leave one in the middle. Not here: what an event means ([`crate::answer`]).

use std::borrow::Cow;
use std::collections::VecDeque;
use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use encoding_rs::{Decoder, UTF_8};
use futures_util::stream::{self, Stream, StreamExt};
use memchr::memchr2;

use crate::patience::Patience;

/// The longest line or event: 8 MiB, eight times the arguments that one call may have.
pub(crate) const EVENT_LIMIT: usize = 8 << 20;
/// The longest response, after decompression: 64 MiB. What is longer is an attack or a defect: an answer has kilobytes.
pub(crate) const RESPONSE_LIMIT: usize = 64 << 20;

/// What stands in a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    /// An event that carries data, or is named `error` and carries none.
    Data {
        /// The `event:` field, where there is one.
        name: Option<String>,
        /// The `data:` lines, joined by line feeds.
        data: String,
    },
    /// One JSON object, with which the response begins in place of an event ([`crate::whole`]).
    Object(String),
    /// Consecutive lines that are no field of the format, joined by line feeds. A browser ignores them.
    Stray(String),
}

/// Why the bytes of a response could not be read to their end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// Nothing that counts came for so long, if there is a limit.
    #[error("nothing came in time")]
    Idle(Option<Duration>),
    #[error("the connection broke")]
    Broken(#[source] Box<dyn Error + Send + Sync>),
    #[error("more than {limit} bytes came")]
    TooLarge { limit: usize },
}

/// The events in a response. The patience is renewed by pieces that carry anything; comments and blank lines do not.
pub(crate) fn events<S, E>(body: S, patience: Patience) -> impl Stream<Item = Result<Event, ReadError>>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    E: Error + Send + Sync + 'static,
{
    let source = Source {
        body,
        patience,
        text: Text::default(),
        reader: Reader::default(),
        events: VecDeque::new(),
        end: End::NotYet,
    };
    // Boxed, since it is moved with every event.
    stream::unfold(Box::new(source), async |mut source| source.next().await.map(|event| (event, source)))
}

struct Source<S> {
    body: S,
    patience: Patience,
    text: Text,
    reader: Reader,
    /// Read, and not yet taken.
    events: VecDeque<Event>,
    end: End,
}

/// How the bytes ended.
enum End {
    NotYet,
    Clean,
    /// Events that arrived complete come first.
    Failed(ReadError),
}

impl<S, E> Source<S>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    E: Error + Send + Sync + 'static,
{
    async fn next(&mut self) -> Option<Result<Event, ReadError>> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(Ok(event));
            }
            match std::mem::replace(&mut self.end, End::Clean) {
                End::NotYet => self.end = self.read().await,
                End::Clean => return None,
                End::Failed(error) => return Some(Err(error)),
            }
        }
    }

    async fn read(&mut self) -> End {
        let piece = match self.patience.wait(self.body.next()).await {
            None => return End::Failed(ReadError::Idle(self.patience.limit())),
            Some(Some(Err(error))) => return End::Failed(ReadError::Broken(Box::new(error))),
            Some(Some(Ok(piece))) => Some(piece),
            Some(None) => None,
        };
        let end = if piece.is_some() { End::NotYet } else { End::Clean };
        let text = match piece {
            Some(piece) => self.text.of(piece),
            None => self.text.end(),
        };
        match self.reader.read(&text, &mut self.events) {
            Ok(Carried::Something) => self.patience.renew(),
            Ok(Carried::Nothing) => self.patience.hears(),
            Err(error) => return End::Failed(error),
        }
        end
    }
}

/// Whether a piece held more than comments and blank lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Carried {
    Something,
    Nothing,
}

/// Reads lines and the events they make, however the bytes are cut.
#[derive(Debug, Default)]
struct Reader {
    /// The beginning of a line whose end has not come.
    line: Vec<u8>,
    /// The last byte was a CR, so that a LF belongs to it.
    after_cr: bool,
    /// Bytes of the event so far. Comments count towards the event in which they occur.
    event_bytes: usize,
    total_bytes: usize,
    name: Option<String>,
    data: Option<String>,
    stray: String,
}

impl Reader {
    fn read(&mut self, piece: &[u8], events: &mut VecDeque<Event>) -> Result<Carried, ReadError> {
        self.total_bytes += piece.len();
        if self.total_bytes > RESPONSE_LIMIT {
            return Err(ReadError::TooLarge { limit: RESPONSE_LIMIT });
        }
        let mut carried = Carried::Nothing;
        let mut rest = piece;
        while let Some(&first) = rest.first() {
            if std::mem::take(&mut self.after_cr) && first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = memchr2(b'\n', b'\r', rest);
            let text = &rest[..end.unwrap_or(rest.len())];
            self.event_bytes += text.len();
            if self.event_bytes > EVENT_LIMIT {
                return Err(ReadError::TooLarge { limit: EVENT_LIMIT });
            }
            if !text.is_empty() && self.line.first().or(text.first()) != Some(&b':') {
                carried = Carried::Something;
            }
            let Some(end) = end else {
                self.line.extend_from_slice(text);
                break;
            };
            if self.line.is_empty() {
                self.line(text, events);
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(text);
                self.line(&line, events);
                line.clear();
                self.line = line;
            }
            self.after_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
        }
        Ok(carried)
    }

    fn line(&mut self, line: &[u8], events: &mut VecDeque<Event>) {
        let line = without_marks(line);
        let colon = memchr::memchr(b':', line).unwrap_or(line.len());
        let (field, value) = (&line[..colon], line.get(colon + 1..).unwrap_or_default());
        let value = || utf8(value.strip_prefix(b" ").unwrap_or(value));
        match field {
            b"data" => {
                self.end_stray(events);
                match &mut self.data {
                    None => self.data = Some(value().into_owned()),
                    Some(data) => {
                        data.push('\n');
                        data.push_str(&value());
                    }
                }
            }
            b"event" => {
                self.end_stray(events);
                self.name = Some(value().into_owned());
            }
            b"" if line.is_empty() => self.end_event(events),
            // Comments. The other two fields are for a client that reconnects.
            b"" | b"id" | b"retry" => {}
            _ => {
                if !self.stray.is_empty() {
                    self.stray.push('\n');
                }
                self.stray.push_str(&utf8(line));
            }
        }
    }

    fn end_stray(&mut self, events: &mut VecDeque<Event>) {
        if !self.stray.is_empty() {
            events.push_back(Event::Stray(std::mem::take(&mut self.stray)));
        }
    }

    fn end_event(&mut self, events: &mut VecDeque<Event>) {
        self.event_bytes = 0;
        let name = self.name.take();
        let is_error = name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("error"));
        let data = self.data.take().or(is_error.then(String::new));
        events.extend(data.map(|data| Event::Data { name, data }));
        self.end_stray(events);
    }
}

/// A line without byte order marks before it.
fn without_marks(mut line: &[u8]) -> &[u8] {
    while let Some(rest) = line.strip_prefix(b"\xef\xbb\xbf") {
        line = rest;
    }
    line
}

/// Unlike `from_utf8_lossy` alone, this checks ASCII by the word.
fn utf8(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// Turns the pieces into UTF-8. A piece that already is UTF-8 is passed on unchanged.
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
        // An ASCII byte ends any character that was begun.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::Waits;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    fn read(pieces: &[&[u8]]) -> Vec<Event> {
        let (mut reader, mut events) = (Reader::default(), VecDeque::new());
        for piece in pieces.iter().chain([&&b"\n\n"[..]]) {
            reader.read(piece, &mut events).unwrap();
        }
        events.into()
    }

    fn data(name: Option<&str>, data: &str) -> Event {
        Event::Data { name: name.map(str::to_owned), data: data.to_owned() }
    }

    proptest! {
        #[test]
        fn events_are_the_same_however_the_bytes_are_cut(bytes in vec(select(&b"a:\n\rdata event: error"[..]), 0..60), cut in 0..60_usize) {
            let one_by_one: Vec<&[u8]> = bytes.chunks(1).collect();
            let (before, after) = bytes.split_at(cut.min(bytes.len()));
            prop_assert_eq!(read(&[before, after]), read(&one_by_one));
            prop_assert_eq!(read(&[&bytes]), read(&one_by_one));
        }
    }

    #[test]
    fn fields_are_read_as_the_format_has_them() {
        let lines = b"data: a\ndata\ndata:  b\r\nid: 1\rretry: 2\n: data: no\n\nevent: x\n\nevent:y\ndata:c\n\n\ndata:d";
        assert_eq!(read(&[lines]), [data(None, "a\n\n b"), data(Some("y"), "c"), data(None, "d")]);
    }

    #[test]
    fn lines_that_are_no_field_are_kept_apart_and_in_their_place() {
        // P10
        let lines =
            b"data: a\nerror: {\"code\":1}\n{\ndata: b\nevent: z\n\n{\"error\":\n: c\n1}\n\nevent: Error\n\n";
        let expected = [
            Event::Stray("error: {\"code\":1}\n{".into()),
            data(Some("z"), "a\nb"),
            Event::Stray("{\"error\":\n1}".into()),
            data(Some("Error"), ""),
        ];
        assert_eq!(read(&[lines]), expected);
    }

    #[test]
    fn comments_and_blank_lines_carry_nothing() {
        let mut reader = Reader::default();
        let mut carried = |piece: &[u8]| reader.read(piece, &mut VecDeque::new()).unwrap();
        for piece in [&b": a\n\n"[..], b"\r\n", b":", b" data", b"\n"] {
            assert_eq!((piece, carried(piece)), (piece, Carried::Nothing));
        }
        for piece in [&b": a\nd"[..], b"ata", b": x\n", b"foo\n"] {
            assert_eq!((piece, carried(piece)), (piece, Carried::Something));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn comments_do_not_renew_the_patience() {
        let idle = Duration::from_secs(30);
        let comments = stream::unfold((), |()| async move {
            tokio::time::sleep(idle / 10).await;
            Some((Ok::<_, std::io::Error>(Bytes::from_static(b": keep-alive\n\n")), ()))
        });
        // Far more than come within the patience; an end of them is no error.
        let comments = comments.take(200).boxed();
        let first = events(comments, Patience::begin(Waits::all(idle))).boxed().next().await;
        assert!(matches!(first, Some(Err(ReadError::Idle(waited))) if waited == Some(idle)), "{first:?}");
    }

    #[test]
    fn byte_order_marks_before_lines_lose_nothing_of_them() {
        let lines =
            "\u{feff}\u{feff}data: a\n\u{feff}\n\u{feff}event: e\n\u{feff}\u{feff}data: \u{feff}b\n\n";
        let expected = [data(None, "a"), data(Some("e"), "\u{feff}b")];
        assert_eq!(read(&[lines.as_bytes()]), expected);
        let bytes: Vec<&[u8]> = lines.as_bytes().chunks(1).collect();
        assert_eq!(read(&bytes), expected);
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
