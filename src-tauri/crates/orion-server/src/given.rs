//! Bodies and ids as callers give them, within bounds of bytes, time and depth (H6).

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use futures_util::StreamExt;
use orion_protocol::{Code, ErrorInfo};
use serde::de::DeserializeOwned;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::Problem;

/// Bytes of a body: 1 MiB.
const BODY_BYTES: usize = 1 << 20;

/// Bytes of a body that files come with: 16 MiB.
const FILES_BYTES: usize = 16 << 20;

/// Bytes of a body that is too large which are read, so that its sender reads the answer: 32 MiB.
const DISCARDED: usize = 32 << 20;

/// KiB of bodies that are here at once: 16 MiB, and of those that files come with 32 MiB. Further ones wait.
const BODIES_KIB: usize = 16 << 10;
const ALL_FILES_KIB: usize = 32 << 10;

/// The room for bodies.
#[derive(Debug)]
pub(crate) struct Room {
    plain: Arc<Semaphore>,
    with_files: Arc<Semaphore>,
}

impl Default for Room {
    fn default() -> Self {
        let room = |kib| Arc::new(Semaphore::new(kib));
        Self { plain: room(BODIES_KIB), with_files: room(ALL_FILES_KIB) }
    }
}

/// The time in which a body has to be here.
const BODY_TIME: Duration = Duration::from_secs(30);

/// A JSON body; keys that are not known are left out.
///
/// # Errors
/// 415 for another type, 413 for more than [`BODY_BYTES`], 408 for one that does not come, 400 with the field that is at fault.
pub(crate) async fn read<T: DeserializeOwned>(
    room: &Room,
    headers: &HeaderMap,
    body: Body,
) -> Result<T, Problem> {
    let (value, _taken) = bounded(&room.plain, headers, body, BODY_BYTES).await?;
    Ok(value)
}

/// The same for a message, which files may come with: [`FILES_BYTES`]. It takes its room until that is dropped.
///
/// # Errors
/// Those of [`read`].
pub(crate) async fn read_with_files<T: DeserializeOwned>(
    room: &Room,
    headers: &HeaderMap,
    body: Body,
) -> Result<(T, Option<OwnedSemaphorePermit>), Problem> {
    bounded(&room.with_files, headers, body, FILES_BYTES).await
}

async fn bounded<T: DeserializeOwned>(
    room: &Arc<Semaphore>,
    headers: &HeaderMap,
    body: Body,
    most: usize,
) -> Result<(T, Option<OwnedSemaphorePermit>), Problem> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        let error = ErrorInfo::new(
            Code::Usage,
            "The body is not said to be JSON.",
            "Send it with `Content-Type: application/json`.",
        );
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, error));
    }
    // One whose length is not said may have all that it can.
    let bytes = body.size_hint().exact().map_or(most, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    if bytes > most {
        // A client that is still sending would not read the answer.
        let _ = tokio::time::timeout(BODY_TIME, discard(body)).await;
        return Err(too_large(most));
    }
    let taken = async {
        let kib = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX);
        let taken = Arc::clone(room).acquire_many_owned(kib).await;
        (taken.ok(), to_bytes(body, most).await)
    };
    let (taken, bytes) = match tokio::time::timeout(BODY_TIME, taken).await {
        Ok((taken, Ok(bytes))) => (taken, bytes),
        Ok((_, Err(_))) => return Err(too_large(most)),
        Err(_) => {
            let error = ErrorInfo::new(Code::Usage, "The body did not come in time.", "Send it within 30 s.");
            return Err(Problem::new(StatusCode::REQUEST_TIMEOUT, error.retryable()));
        }
    };
    // The parser goes 128 levels deep.
    let parser = &mut serde_json::Deserializer::from_slice(&bytes);
    let value = serde_path_to_error::deserialize(&mut *parser).map_err(|error| {
        let field = error.path().to_string();
        let field = if matches!(&*field, "." | "?") { "body".to_owned() } else { field };
        Problem::of_field(field, "this is not what belongs here")
    })?;
    parser.end().map_err(|_| Problem::of_field("body", "something follows the JSON"))?;
    Ok((value, taken))
}

/// Reads what nobody keeps, as much as is worth it: [`DISCARDED`].
async fn discard(body: Body) {
    let mut pieces = body.into_data_stream();
    let mut bytes = 0;
    while let Some(Ok(piece)) = pieces.next().await
        && bytes < DISCARDED
    {
        bytes += piece.len();
    }
}

fn too_large(most: usize) -> Problem {
    let action = format!("Send at most {} MiB.", most >> 20);
    let error = ErrorInfo::new(Code::Usage, "The body is too large, or broke off.", action);
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, error)
}

/// The ids in the path of an address.
#[derive(Debug)]
pub(crate) struct InPath<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for InPath<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let found = Path::from_request_parts(parts, state).await;
        found.map(|Path(ids)| Self(ids)).map_err(|_| Problem::of_field("path", "it cannot be read"))
    }
}

/// An id in a path or a body.
///
/// # Errors
/// 400 with the field.
pub(crate) fn id<T: FromStr>(field: &str, text: &str) -> Result<T, Problem> {
    text.parse().map_err(|_| Problem::of_field(field, "this is no id"))
}

/// A value of the query of an address; of a key that comes twice the first.
pub(crate) fn in_query(query: Option<&str>, key: &str) -> Option<String> {
    let mut pairs = query?.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| *name == key).map(|(_, value)| unescaped(value))
}

/// A text without its escapes; what is no escape stays as it is.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = match (first, tail) {
            (b'%', [high, low, ..]) => {
                let digit = |digit: u8| char::from(digit).to_digit(16);
                digit(*high).zip(digit(*low)).and_then(|(high, low)| u8::try_from(high * 16 + low).ok())
            }
            _ => None,
        };
        match escaped {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(if *first == b'+' { b' ' } else { *first });
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_an_address_is_read_without_its_escapes() {
        let query = Some("a=1&path=src%2Fgr%C3%BC%C3%9Fe+.txt&path=2&odd=%zz%");
        assert_eq!(in_query(query, "path").as_deref(), Some("src/grüße .txt"));
        assert_eq!(in_query(query, "odd").as_deref(), Some("%zz%"));
        assert_eq!(in_query(query, "b"), None);
        assert_eq!(in_query(None, "a"), None);
    }
}
