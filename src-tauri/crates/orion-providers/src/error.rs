//! What a failed call is for the user: a code, what happened, what to do (J4).
//!
//! Codes come from statuses, from fields of error objects and from the kind of an I/O error, never from the words of a
//! message. The key a call was made with is taken out of everything that is passed on.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use orion_protocol::{Code, ErrorInfo};
use reqwest::header::{HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::{StatusCode, Url};
use secrecy::{ExposeSecret, SecretString};

use crate::client::NameUnknown;
use crate::fault::Fault;

/// The other side of a call, as errors name it.
#[derive(Debug, Clone, Default)]
pub struct Host {
    /// Such as `api.deepseek.com` or `localhost:11434`.
    pub name: String,
    /// A server on this computer.
    pub local: bool,
    /// What must not appear in any message.
    pub key: Option<SecretString>,
}

/// Codes and types that say more than a status does. Sources: the API references of OpenAI (error codes), Anthropic
/// (errors), Google (google.rpc.Code), Groq, DeepSeek and OpenRouter, and `server-http` of llama.cpp.
const CODES: &[(&str, Trouble)] = &[
    ("context_length_exceeded", Trouble::ContextTooLong),
    ("exceed_context_size_error", Trouble::ContextTooLong),
    ("context_window_exceeded", Trouble::ContextTooLong),
    ("request_too_large", Trouble::ContextTooLong),
    ("invalid_api_key", Trouble::Authentication),
    ("authentication_error", Trouble::Authentication),
    ("permission_error", Trouble::Authentication),
    ("UNAUTHENTICATED", Trouble::Authentication),
    ("PERMISSION_DENIED", Trouble::Authentication),
    ("insufficient_quota", Trouble::NoCredit),
    ("billing_error", Trouble::NoCredit),
    ("rate_limit_exceeded", Trouble::RateLimited),
    ("rate_limit_error", Trouble::RateLimited),
    ("RESOURCE_EXHAUSTED", Trouble::RateLimited),
    ("overloaded_error", Trouble::Overloaded),
    ("service_unavailable", Trouble::Overloaded),
    ("server_error", Trouble::Overloaded),
    ("internal_server_error", Trouble::Overloaded),
    ("UNAVAILABLE", Trouble::Overloaded),
    ("model_not_found", Trouble::ModelUnknown),
    ("not_found_error", Trouble::ModelUnknown),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    Authentication,
    NoCredit,
    RateLimited,
    Overloaded,
    ContextTooLong,
    ModelUnknown,
    AddressUnknown,
    BadRequest,
}

impl Trouble {
    fn of(status: Option<u16>, fault: &Fault) -> Self {
        let known =
            |code: &String| CODES.iter().find(|(known, _)| known == code).map(|(_, trouble)| *trouble);
        fault.codes.iter().find_map(known).unwrap_or_else(|| match status {
            Some(401 | 403 | 407) => Self::Authentication,
            Some(402) => Self::NoCredit,
            // An error object shows that the address is right and something in the request is not there.
            Some(404) if fault != &Fault { message: fault.message.clone(), ..Fault::default() } => {
                Self::ModelUnknown
            }
            Some(404 | 405) => Self::AddressUnknown,
            Some(413) => Self::ContextTooLong,
            Some(429) => Self::RateLimited,
            // A server that says nothing more has most often failed itself.
            None | Some(408 | 425 | 500..) => Self::Overloaded,
            Some(_) => Self::BadRequest,
        })
    }
}

impl Host {
    /// A response that is no success.
    pub(crate) fn refused(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> ErrorInfo {
        if status.is_redirection() {
            return self.redirected(headers);
        }
        let mut fault = Fault::in_body(body);
        if is_page(body) {
            fault.message = String::new();
        }
        self.failed(Some(status.as_u16()), &fault, retry_after(headers, Timestamp::now()))
    }

    /// An error object in the middle of an answer (P10).
    pub(crate) fn fault(&self, fault: &Fault) -> ErrorInfo {
        self.failed(None, fault, None)
    }

    fn failed(&self, status: Option<u16>, fault: &Fault, retry_after_s: Option<u32>) -> ErrorInfo {
        let name = &self.name;
        let status = status.or(fault.status);
        let number = status.map(|status| format!(" (status {status})")).unwrap_or_default();
        let error = match Trouble::of(status, fault) {
            Trouble::Authentication if self.key.is_none() => ErrorInfo::new(
                Code::Authentication,
                format!("{name} asks for a key, and none is set."),
                "Add a key in the settings.",
            ),
            Trouble::Authentication => ErrorInfo::new(
                Code::Authentication,
                format!("{name} refused the key{number}."),
                "Check the key in the settings, or set another one.",
            ),
            Trouble::NoCredit => ErrorInfo::new(
                Code::RateLimited,
                format!("The account at {name} has no credit left."),
                "Top it up at the provider, or choose another endpoint.",
            ),
            Trouble::RateLimited => {
                let wait = retry_after_s.map_or("a moment".to_owned(), |seconds| format!("{seconds} s"));
                ErrorInfo::new(
                    Code::RateLimited,
                    format!("{name} accepts no more requests for now."),
                    format!("Wait {wait}, then try again."),
                )
                .retryable()
            }
            Trouble::Overloaded => ErrorInfo::new(
                Code::Overloaded,
                format!("{name} is overloaded or has a fault{number}."),
                "Try again in a moment, or choose another endpoint.",
            )
            .retryable(),
            Trouble::ContextTooLong => ErrorInfo::new(
                Code::ContextTooLong,
                "The conversation is longer than the model can take.",
                "Start a new session, or choose a model with a larger context.",
            ),
            Trouble::ModelUnknown => ErrorInfo::new(
                Code::ModelUnknown,
                format!("{name} does not have this model."),
                "Choose a model that the endpoint lists.",
            ),
            Trouble::AddressUnknown => ErrorInfo::new(
                Code::BadRequest,
                format!("{name} has no chat at this address{number}."),
                "Check the base URL: it often ends in /v1.",
            ),
            Trouble::BadRequest => ErrorInfo::new(
                Code::BadRequest,
                format!("{name} refused the request{number}."),
                "Read what the provider says, then change the model or the settings.",
            ),
        };
        ErrorInfo { retry_after_s, ..self.told(error, &fault.message) }
    }

    fn redirected(&self, headers: &HeaderMap) -> ErrorInfo {
        let location = headers.get(LOCATION).and_then(|value| value.to_str().ok());
        let target =
            location.and_then(|text| Url::parse(text).ok()).and_then(|url| url.host_str().map(str::to_owned));
        let error = ErrorInfo::new(
            Code::Connection,
            format!("{} sends requests on to another address, and Orion does not follow.", self.name),
            "Set the base URL to the new address if you trust it.",
        );
        self.told(error, &target.unwrap_or_default())
    }

    /// No connection, or none that lasted to the first byte of a response.
    pub(crate) fn unreachable(&self, error: &reqwest::Error) -> ErrorInfo {
        let name = &self.name;
        // rustls gives its errors this kind.
        let insecure = |cause: &io::Error| cause.kind() == io::ErrorKind::InvalidData;
        let (message, action) = if causes(error).any(|cause| cause.is::<NameUnknown>()) {
            (
                format!("The name {name} could not be looked up."),
                "Check the base URL and the network connection.",
            )
        } else if causes(error).any(|cause| cause.downcast_ref().is_some_and(insecure)) {
            let message = format!("No secure connection to {name} could be made.");
            return self
                .told(ErrorInfo::new(Code::Connection, message, "Check the base URL."), &chain(error));
        } else if self.local {
            (format!("Nothing answers at {name}."), "Start the model server, or check the base URL.")
        } else {
            (format!("{name} could not be reached."), "Check the network connection and the base URL.")
        };
        self.told(ErrorInfo::new(Code::Connection, message, action).retryable(), &chain(error))
    }

    pub(crate) fn silent(&self, waited: Duration) -> ErrorInfo {
        let message = format!("{} did not answer within {} s.", self.name, waited.as_secs());
        ErrorInfo::new(Code::IdleTimeout, message, "Try again; a local model may still be loading.")
            .retryable()
    }

    pub(crate) fn idle(&self, waited: Duration) -> ErrorInfo {
        let message =
            format!("{} sent nothing for {} s in the middle of its answer.", self.name, waited.as_secs());
        ErrorInfo::new(Code::IdleTimeout, message, "What came is kept. Send the message again.").retryable()
    }

    pub(crate) fn cut_off(&self, cause: Option<&(dyn StdError + 'static)>) -> ErrorInfo {
        let message = format!("The connection to {} ended in the middle of the answer.", self.name);
        let error =
            ErrorInfo::new(Code::CutOff, message, "What came is kept. Send the message again.").retryable();
        self.told(error, &cause.map(chain).unwrap_or_default())
    }

    /// `sent` is shown, cut.
    pub(crate) fn malformed(&self, sent: &str) -> ErrorInfo {
        let message = format!("{} sent something that is no model's answer.", self.name);
        let error =
            ErrorInfo::new(Code::Malformed, message, "Check the base URL, or choose another endpoint.");
        self.told(error, sent)
    }

    pub(crate) fn page(&self) -> ErrorInfo {
        let message = format!("{} answered with a web page.", self.name);
        ErrorInfo::new(Code::Malformed, message, "Check the base URL: it often ends in /v1.")
    }

    pub(crate) fn too_large(&self, limit: usize) -> ErrorInfo {
        let message = format!("{} sent more than {} MiB.", self.name, limit >> 20);
        ErrorInfo::new(Code::ResponseTooLarge, message, "What came is kept. Ask for a shorter answer.")
    }

    /// Adds what the other side said, without the key and without characters that steer a terminal.
    fn told(&self, error: ErrorInfo, said: &str) -> ErrorInfo {
        let key = self.key.as_ref().map(ExposeSecret::expose_secret).filter(|key| !key.is_empty());
        let said = key.map_or_else(|| said.to_owned(), |key| said.replace(key, "[key]"));
        let plain = |c: char| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c };
        error.with_detail(said.trim().chars().map(plain).collect::<String>())
    }
}

/// Whether a body is a page for a browser.
pub(crate) fn is_page(body: &str) -> bool {
    body.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').starts_with('<')
}

/// `Retry-After` in seconds: a number or a date (RFC 9110, 10.2.3). A date that is past means now.
pub(crate) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<u32> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        // Some send fractions; a cast from a float saturates.
        return (seconds >= 0.0).then_some(seconds.ceil() as u32);
    }
    let until = DateTimeParser::new().relaxed_weekday(true).parse_timestamp(value).ok()?;
    u32::try_from(until.as_second().saturating_sub(now.as_second()).max(0)).ok()
}

/// An error and its causes, those that an I/O error wraps included, which `source` passes over.
fn causes<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error| {
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        }
    })
}

/// The last cause of an error, which is the one that says most.
fn chain(error: &(dyn StdError + 'static)) -> String {
    causes(error).last().unwrap_or(error).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_as_seconds_and_as_a_date() {
        let now: Timestamp = "2026-01-04T10:00:00Z".parse().unwrap();
        let read = |value: &str| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, value.parse().unwrap())]);
            retry_after(&headers, now)
        };
        assert_eq!(read("7"), Some(7));
        assert_eq!(read(" 1.2 "), Some(2));
        assert_eq!(read("Sun, 04 Jan 2026 10:00:30 GMT"), Some(30));
        assert_eq!(read("Sun, 04 Jan 2026 09:00:00 GMT"), Some(0));
        for odd in ["-1", "NaN", "", "soon"] {
            assert_eq!((odd, read(odd)), (odd, None));
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }

    #[test]
    fn without_a_key_the_user_is_told_to_set_one() {
        let host = Host { name: "h.example".into(), ..Host::default() };
        let error = host.refused(StatusCode::UNAUTHORIZED, &HeaderMap::new(), "");
        assert_eq!(
            (error.code, &*error.message, error.action.as_deref()),
            (
                Code::Authentication,
                "h.example asks for a key, and none is set.",
                Some("Add a key in the settings.")
            )
        );
    }
}
