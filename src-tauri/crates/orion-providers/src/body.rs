//! The body of a response as its server meant it, with gzip taken off.
//!
//! The HTTP library could do that by itself. But it then removes the length too, which tells an end from a cut.

use std::io;

use async_compression::tokio::bufread::GzipDecoder;
use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt, TryStreamExt};
use reqwest::Response;
use reqwest::header::CONTENT_ENCODING;
use tokio_util::io::{ReaderStream, StreamReader};

/// The body, piece by piece as it comes.
pub(crate) fn pieces(response: Response) -> BoxStream<'static, io::Result<Bytes>> {
    let packed = response.headers().get(CONTENT_ENCODING).is_some_and(|coding| {
        coding.as_bytes().eq_ignore_ascii_case(b"gzip") || coding.as_bytes().eq_ignore_ascii_case(b"x-gzip")
    });
    let body = response.bytes_stream().map_err(io::Error::other);
    if !packed {
        return body.boxed();
    }
    let mut unpacked = GzipDecoder::new(StreamReader::new(body));
    // Some servers compress each piece separately.
    unpacked.multiple_members(true);
    ReaderStream::new(unpacked).boxed()
}
