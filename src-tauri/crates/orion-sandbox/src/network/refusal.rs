//! The reasons for which a request is not passed on, as its program is answered: a status, and a sentence for a person who reads the output.
//!
//! Deliberately not here: when each holds (`head`, `request`, `network`).

use std::borrow::Cow;

/// The reason for which a request is not passed on, as it is answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    status: u16,
    phrase: &'static str,
    sentence: Cow<'static, str>,
}

impl Refusal {
    const fn of(status: u16, phrase: &'static str, sentence: &'static str) -> Self {
        Self { status, phrase, sentence: Cow::Borrowed(sentence) }
    }

    pub(super) const MALFORMED: Self =
        Self::of(400, "Bad Request", "This is no request that Orion's proxy can read.");
    pub(super) const TOO_LONG: Self =
        Self::of(431, "Request Header Fields Too Large", "The head of the request is too long.");
    pub(super) const TIMED_OUT: Self =
        Self::of(408, "Request Timeout", "The head of the request did not come in time.");
    pub(super) const NO_NAME: Self = Self::of(
        403,
        "Host Not Granted",
        "Orion's proxy connects to hosts by their whole names, never to addresses or this computer.",
    );
    pub(super) const OTHER_HOST: Self =
        Self::of(400, "Bad Request", "The header Host names another host than the request.");
    pub(super) const NO_LENGTH: Self = Self::of(
        411,
        "Length Required",
        "A body of plain HTTP needs one Content-Length and no other framing.",
    );

    pub(super) const OVER: Self = Self::of(
        403,
        "Too Many Bytes",
        "This command has received or sent the most bytes that a command may.",
    );

    pub(super) fn not_granted(name: &str) -> Self {
        let sentence = format!("{name} is not among the hosts that this command may reach.");
        Self { status: 403, phrase: "Host Not Granted", sentence: sentence.into() }
    }

    /// `why` is the end of a sentence that begins with the name.
    pub(super) fn unreachable(name: &str, why: &str) -> Self {
        Self { status: 502, phrase: "Host Not Reached", sentence: format!("{name} {why}.").into() }
    }

    pub(super) fn response(&self) -> Vec<u8> {
        let Self { status, phrase, sentence } = self;
        let length = sentence.len() + 1;
        format!(
            "HTTP/1.1 {status} {phrase}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{sentence}\n"
        )
        .into_bytes()
    }
}
