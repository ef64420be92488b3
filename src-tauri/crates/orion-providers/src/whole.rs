//! Reads a body that begins with a JSON object (P10). That is the whole answer of a server that does not stream, or an
//! error.
//!
//! The object is the first event, and what follows it is read as a stream. Not here: what the object means
//! ([`crate::answer`]).

use std::error::Error;

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
use orion_core::nesting::Nesting;

use crate::patience::Patience;
use crate::sse::{self, EVENT_LIMIT, Event, ReadError};

/// The events in such a body.
pub(crate) fn events<S, E>(body: S, patience: Patience) -> impl Stream<Item = Result<Event, ReadError>>
where
    S: Stream<Item = Result<Bytes, E>> + Send + Unpin + 'static,
    E: Error + Send + Sync + 'static,
{
    stream::once(object(body, patience)).flat_map(|read| match read {
        Ok((object, rest)) => stream::iter([Ok(object)]).chain(rest).boxed(),
        Err(error) => stream::iter([Err(error)]).boxed(),
    })
}

/// The object, or as much of it as came, and the stream after it.
async fn object<S, E>(
    mut body: S,
    mut patience: Patience,
) -> Result<(Event, impl Stream<Item = Result<Event, ReadError>>), ReadError>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    E: Error + Send + Sync + 'static,
{
    let (mut bytes, mut nesting, mut end) = (Vec::new(), Nesting::default(), None);
    while end.is_none() {
        let piece = match patience.wait(body.next()).await {
            None => return Err(ReadError::Idle(patience.limit())),
            Some(None) => break,
            Some(Some(Err(error))) => return Err(ReadError::Broken(Box::new(error))),
            Some(Some(Ok(piece))) => piece,
        };
        if bytes.len() + piece.len() > EVENT_LIMIT {
            return Err(ReadError::TooLarge { limit: EVENT_LIMIT });
        }
        patience.is_answered();
        patience.renew();
        let closes = piece.iter().position(|byte| nesting.step(*byte) == 0 && *byte == b'}');
        end = closes.map(|at| bytes.len() + at + 1);
        bytes.extend_from_slice(&piece);
    }
    let rest = bytes.split_off(end.unwrap_or(bytes.len()));
    let object = String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned();
    let rest = stream::iter([Ok(Bytes::from(rest))]).chain(body);
    Ok((Event::Object(object), sse::events(rest, patience)))
}
