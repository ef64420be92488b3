//! A request as it came over the wire, read without an HTTP library so that nothing is forgiven.

use std::time::Instant;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt};

/// One request that a scripted model got.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    pub path: String,
    /// Names in lower case, in the order they came.
    pub headers: Vec<(String, String)>,
    pub raw: Vec<u8>,
    /// The body as JSON; null where there is none or where it is not JSON.
    pub body: Value,
    /// When the last byte of it was read.
    pub at: Instant,
}

impl Request {
    /// The value of a header, by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    #[must_use]
    pub fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// Role and text of each message.
    #[must_use]
    pub fn conversation(&self) -> Vec<(&str, &str)> {
        self.messages()
            .iter()
            .map(|message| {
                (
                    message["role"].as_str().unwrap_or_default(),
                    message["content"].as_str().unwrap_or_default(),
                )
            })
            .collect()
    }

    /// The text of the last message.
    #[must_use]
    pub fn last_text(&self) -> &str {
        self.messages().last().and_then(|message| message["content"].as_str()).unwrap_or_default()
    }

    /// The names of the tools on offer; none when they are withheld (P3).
    #[must_use]
    pub fn tool_names(&self) -> Vec<&str> {
        let tools = self.body["tools"].as_array().map_or(&[][..], Vec::as_slice);
        tools.iter().filter_map(|tool| tool["function"]["name"].as_str()).collect()
    }
}

/// Reads one request. `None` at the end of the connection; an error says what is wrong with the request.
/// Bytes of a next request stay in `buffer`.
pub(crate) async fn read(
    stream: &mut (impl AsyncRead + Unpin),
    buffer: &mut Vec<u8>,
) -> Result<Option<Request>, String> {
    let head_end = loop {
        if let Some(at) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        match stream.read_buf(buffer).await {
            Ok(0) | Err(_) if buffer.is_empty() => return Ok(None),
            Ok(0) | Err(_) => return Err("the connection ended in the middle of a request's head".to_owned()),
            Ok(_) => {}
        }
    };
    let head =
        String::from_utf8(buffer[..head_end].to_vec()).map_err(|_| "the head is not UTF-8".to_owned())?;
    let (start, rest) = head.split_once("\r\n").unwrap_or((&head, ""));
    let [method, path, version] = start.split(' ').collect::<Vec<_>>()[..] else {
        return Err(format!("the request line is wrong: {start}"));
    };
    if version != "HTTP/1.1" {
        return Err(format!("the version is {version}, not HTTP/1.1"));
    }
    let mut headers = Vec::new();
    for line in rest.split("\r\n").filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':').ok_or_else(|| format!("the header is wrong: {line}"))?;
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = match headers.iter().find(|(name, _)| name == "content-length") {
        Some((_, value)) => value.parse().map_err(|_| format!("the content-length is wrong: {value}"))?,
        None if headers.iter().any(|(name, _)| name == "transfer-encoding") => {
            return Err("the body comes without a content-length, which not every endpoint takes".to_owned());
        }
        None => 0,
    };
    let end = head_end + 4 + length;
    while buffer.len() < end {
        match stream.read_buf(buffer).await {
            Ok(0) | Err(_) => return Err("the connection ended in the middle of a request's body".to_owned()),
            Ok(_) => {}
        }
    }
    let (method, path) = (method.to_owned(), path.to_owned());
    let rest = buffer.split_off(end);
    let raw = buffer.split_off(head_end + 4);
    *buffer = rest;
    let body = serde_json::from_slice(&raw).unwrap_or(Value::Null);
    Ok(Some(Request { method, path, headers, raw, body, at: Instant::now() }))
}
