//! The error that a person sees when a call failed: a code, what happened, what to do (J4).
//!
//! The kind of failure follows from codes, statuses and the kind of an I/O error ([`crate::refusal`]), never from the
//! words of a message. The key of the call is removed from everything that is passed on.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use orion_protocol::{Code, ErrorInfo};
use reqwest::header::{HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::{StatusCode, Url};
use secrecy::{ExposeSecret, SecretString};

use crate::causes::{causes, last};
use crate::client::NameUnknown;
use crate::error_object::ErrorObject;
use crate::fields;
use crate::refusal::Refusal;

/// The most of an address that a server names that is quoted in a message: 200 bytes, as of a finish reason. Addresses of servers are far shorter.
const SHOWN: usize = 200;

/// The other side of a call, as errors name it.
#[derive(Debug, Clone, Default)]
pub struct Host {
    /// Such as `api.deepseek.com` or `localhost:11434`.
    pub name: String,
    /// A server on this computer.
    pub local: bool,
    /// A server on this computer or in its network: not a hosted service.
    pub near: bool,
    /// The proxy that requests go through, without a login.
    pub proxy: Option<String>,
    /// What must not appear in any message.
    pub key: Option<SecretString>,
}

/// What of an answer came before it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Came {
    Nothing,
    /// Pieces of calls, which are not kept: no call of a response that broke off runs (P10).
    Calls,
    /// Text or reasoning, which is kept.
    Text,
}

impl Came {
    /// Suggests an action. Where something is kept, the text first says so.
    fn then(self, action: &str) -> String {
        match self {
            Self::Nothing | Self::Calls => action.to_owned(),
            Self::Text => format!("What came is kept. {action}"),
        }
    }
}

/// Why a request had no answer.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) info: ErrorInfo,
    /// Something in the request is not acceptable, and no code says more: it may be the value of any parameter. Most providers name it
    /// in their sentence alone.
    pub(crate) of_a_value: bool,
    /// Payment is required: the limit of the answer that was asked for is of interest.
    pub(crate) of_payment: bool,
    /// It is a failure of the server, and no refusal.
    pub(crate) has_failed: bool,
    /// The fields of the request that it names.
    pub(crate) fields: Vec<String>,
    /// The window that it says is in force, in tokens.
    pub(crate) window: Option<u32>,
    /// The server answered, if only with a refusal.
    pub(crate) has_answer: bool,
}

impl From<ErrorInfo> for Refused {
    fn from(info: ErrorInfo) -> Self {
        Self {
            info,
            of_a_value: false,
            of_payment: false,
            has_failed: false,
            fields: Vec::new(),
            window: None,
            has_answer: false,
        }
    }
}

impl From<Refused> for ErrorInfo {
    fn from(refused: Refused) -> Self {
        refused.info
    }
}

impl Host {
    /// The error of a response that is not a success, to a request of this address.
    pub(crate) fn refused(
        &self,
        asked: &Url,
        status: StatusCode,
        headers: &HeaderMap,
        body: &str,
    ) -> Refused {
        if status.is_redirection() {
            return self.redirected(asked, headers).into();
        }
        let error = ErrorObject::in_body(body);
        let retry_after_s = retry_after(headers, Timestamp::now());
        let info = self.failed(Some(status.as_u16()), error.as_ref(), retry_after_s);
        let info = match &error {
            None if !is_page(body) => self.with_words(info, body),
            _ => info,
        };
        let of_a_value = match status {
            StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => {
                Refusal::of(Some(status.as_u16()), error.as_ref()) == Refusal::BadRequest
            }
            // A server of one's own fails so where its chat template refuses the messages.
            StatusCode::INTERNAL_SERVER_ERROR => self.near && error.is_some(),
            _ => false,
        };
        let fields = if of_a_value { fields::named(body) } else { Vec::new() };
        let of_payment = Refusal::of(Some(status.as_u16()), error.as_ref()) == Refusal::Payment;
        let window = error.and_then(|error| error.window);
        let has_failed = status.is_server_error();
        Refused { info, of_a_value, of_payment, has_failed, fields, window, has_answer: true }
    }

    /// An error object in the middle of an answer (P10).
    pub(crate) fn error_in_answer(&self, error: &ErrorObject) -> ErrorInfo {
        self.failed(None, Some(error), None)
    }

    fn failed(
        &self,
        status: Option<u16>,
        object: Option<&ErrorObject>,
        retry_after_s: Option<u32>,
    ) -> ErrorInfo {
        let name = &self.name;
        let status = status.or(object.and_then(|object| object.status));
        let number = status.map(|status| format!(" (status {status})")).unwrap_or_default();
        let error = match Refusal::of(status, object) {
            Refusal::Authentication if self.key.is_none() => ErrorInfo::new(
                Code::Authentication,
                format!("{name} needs a key, and there is none."),
                "Add a key in the settings.",
            ),
            Refusal::Authentication => ErrorInfo::new(
                Code::Authentication,
                format!("{name} refused the key{number}."),
                "Check the key in the settings, or set another one.",
            ),
            // Gemini and others answer 403, and not 401, where a key is missing.
            Refusal::Forbidden if self.key.is_none() => ErrorInfo::new(
                Code::Authentication,
                format!("{name} refused access{number}."),
                "Add a key in the settings if the endpoint needs one, or read what the provider says.",
            ),
            Refusal::Forbidden => ErrorInfo::new(
                Code::AccessDenied,
                format!("{name} accepts the key but not this request{number}."),
                "Read what the provider says: the key may lack access to this model, or the network may not be allowed.",
            ),
            Refusal::Region => ErrorInfo::new(
                Code::AccessDenied,
                format!("{name} is not available in your country or region{number}."),
                "Choose another endpoint.",
            ),
            Refusal::Firewall => ErrorInfo::new(
                Code::AccessDenied,
                format!("A firewall or proxy in front of {name} blocked the request{number}."),
                "Check your network, VPN or proxy, and whether the provider is available in your country.",
            ),
            Refusal::NoCredit => ErrorInfo::new(
                Code::RateLimited,
                format!("The account at {name} has no credit left."),
                "Top it up at the provider, or choose another endpoint.",
            ),
            Refusal::Payment => ErrorInfo::new(
                Code::RateLimited,
                format!("{name} wants to be paid first{number}."),
                "Read what the provider says: top the account up, or lower max_output_tokens.",
            ),
            Refusal::ProxyLogin => ErrorInfo::new(
                Code::Connection,
                format!("The proxy on the way to {name} wants a user name and a password{number}."),
                PROXY_LOGIN,
            ),
            Refusal::Unexplained => ErrorInfo::new(
                Code::Malformed,
                format!("{name} answered with an error."),
                "Read what the provider says.",
            )
            .retryable(),
            Refusal::RateLimited => {
                let wait = retry_after_s.map_or("a moment".to_owned(), |seconds| format!("{seconds} s"));
                ErrorInfo::new(
                    Code::RateLimited,
                    format!("Too many requests to {name} for the moment."),
                    format!("Wait {wait}, then try again."),
                )
                .retryable()
            }
            Refusal::Overloaded => ErrorInfo::new(
                Code::Overloaded,
                format!("{name} is overloaded or failing{number}."),
                "Try again in a moment, or choose another endpoint.",
            )
            .retryable(),
            Refusal::ContextTooLong => ErrorInfo::new(
                Code::ContextTooLong,
                "The conversation is longer than the model can take.",
                "Start a new session, or choose a model with a larger context.",
            ),
            Refusal::ContentFilter => ErrorInfo::new(
                Code::BadRequest,
                format!("The content filter of {name} refused the request{number}."),
                "Ask in other words, or choose another endpoint.",
            ),
            Refusal::ModelUnknown => ErrorInfo::new(
                Code::ModelUnknown,
                format!("{name} does not have this model."),
                "Choose a model that the endpoint lists.",
            ),
            Refusal::AddressUnknown => ErrorInfo::new(
                Code::BadRequest,
                format!("{name} offers no chat completions under this base URL{number}."),
                "Check the base URL: it often ends in /v1.",
            ),
            Refusal::Unknown => ErrorInfo::new(
                Code::BadRequest,
                format!(
                    "{name} does not have this model, or offers no chat completions under this base URL."
                ),
                "Choose a model that the endpoint lists, and check the base URL: it often ends in /v1.",
            ),
            Refusal::BadRequest => ErrorInfo::new(
                Code::BadRequest,
                format!("{name} refused the request{number}."),
                "Read what the provider says, then change the model or the settings.",
            ),
        };
        let words = object.map(|object| object.message.as_str()).unwrap_or_default();
        ErrorInfo { retry_after_s, ..self.with_words(error, words) }
    }

    fn redirected(&self, asked: &Url, headers: &HeaderMap) -> ErrorInfo {
        let name = &self.name;
        let location = headers.get(LOCATION).and_then(|value| value.to_str().ok());
        let Some(mut target) = location.and_then(|location| asked.join(location).ok()) else {
            let message = format!("{name} redirects requests without saying where to.");
            return ErrorInfo::new(Code::Connection, message, "Check the base URL.");
        };
        // A user name that a server sends is not the person's login. Neither call fails for an address with a host.
        let _ = target.set_username("").and_then(|()| target.set_password(None));
        let path = target.path().trim_end_matches('/');
        let path =
            ["/chat/completions", "/models"].iter().find_map(|end| path.strip_suffix(end)).map(str::to_owned);
        let base = path.map(|path| {
            let mut base = target.clone();
            base.set_path(&path);
            base
        });
        let action = match (target.scheme(), base) {
            // An address that is shown cut cannot be set.
            ("http" | "https", Some(base)) if base.as_str().len() <= SHOWN => {
                format!("If you trust it, set the base URL to {base}")
            }
            _ => "Check the base URL.".to_owned(),
        };
        let target = cut(self.without_key(target.as_str()));
        let message = format!("{name} redirects to {target} and Orion does not follow redirects.");
        ErrorInfo::new(Code::Connection, message, self.without_key(&action))
    }

    /// The error when there was no connection, or none that lasted until a response began.
    pub(crate) fn unreachable(&self, error: &reqwest::Error) -> ErrorInfo {
        let name = &self.name;
        // rustls gives its errors this kind.
        let insecure = |cause: &io::Error| cause.kind() == io::ErrorKind::InvalidData;
        // Something took the connection, and closed it in the middle of the handshake of TLS.
        let closed = |cause: &io::Error| {
            use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
            matches!(cause.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
        };
        let (message, action) = if causes(error).any(|cause| cause.is::<NameUnknown>()) {
            let name =
                self.proxy.as_ref().map_or_else(|| name.clone(), |proxy| format!("of the proxy {proxy}"));
            let action = match &self.proxy {
                Some(_) => PROXY,
                None => "Check the base URL and the network connection.",
            };
            (format!("The name {name} could not be looked up."), action)
        } else if let Some(why) = causes(error).find_map(|cause| cause.downcast_ref().and_then(certificate)) {
            let message = format!("The certificate of {name} {why}.");
            let action = "If it is your own server, add its certificate to those that this computer trusts. Otherwise something may stand between you and it.";
            return self.with_words(ErrorInfo::new(Code::Connection, message, action), &last(error));
        } else if let (Some(proxy), true) = (&self.proxy, error.is_connect()) {
            let message = format!("{name} could not be reached through the proxy {proxy}.");
            (message, PROXY)
        } else if causes(error).any(|cause| cause.downcast_ref().is_some_and(insecure)) {
            let message = format!("No secure connection to {name} could be made.");
            return self
                .with_words(ErrorInfo::new(Code::Connection, message, "Check the base URL."), &last(error));
        } else if causes(error).filter_map(|cause| cause.downcast_ref()).any(hyper::Error::is_parse) {
            let message = format!("Something other than a model server answers at {name}.");
            let action = "Check the base URL, especially its port.";
            return self.with_words(ErrorInfo::new(Code::Connection, message, action), &last(error));
        } else if !error.is_connect() || causes(error).any(|cause| cause.downcast_ref().is_some_and(closed)) {
            let action = "Try again. If that does not help, check that the base URL names a model server.";
            (format!("{name} closed the connection before it answered."), action)
        } else if self.local {
            (format!("Nothing answers at {name}."), "Start the model server, or check the base URL.")
        } else {
            (format!("{name} could not be reached."), "Check the network connection and the base URL.")
        };
        self.with_words(ErrorInfo::new(Code::Connection, message, action).retryable(), &last(error))
    }

    /// `limit`: how long it was waited for.
    pub(crate) fn silent(&self, limit: Option<Duration>) -> ErrorInfo {
        let within = limit.map_or("in time".to_owned(), |limit| format!("within {} s", limit.as_secs()));
        let message = format!("{} did not answer {within}.", self.name);
        ErrorInfo::new(Code::IdleTimeout, message, "Try again; a local model may still be loading.")
            .retryable()
    }

    pub(crate) fn idle(&self, limit: Option<Duration>, came: Came) -> ErrorInfo {
        let name = &self.name;
        let long = limit.map_or("too long".to_owned(), |limit| format!("{} s", limit.as_secs()));
        let message = match came {
            Came::Nothing => format!("{name} sent nothing of an answer for {long}."),
            Came::Calls | Came::Text => {
                format!("{name} sent nothing for {long} in the middle of its answer.")
            }
        };
        ErrorInfo::new(Code::IdleTimeout, message, came.then("Send the message again.")).retryable()
    }

    pub(crate) fn cut_off(&self, cause: Option<&(dyn StdError + 'static)>, came: Came) -> ErrorInfo {
        self.cut_off_with(&cause.map(last).unwrap_or_default(), came)
    }

    /// `said` is what came in place of the rest of the answer.
    pub(crate) fn cut_off_with(&self, said: &str, came: Came) -> ErrorInfo {
        let name = &self.name;
        let message = match came {
            Came::Nothing => format!("The connection to {name} ended before an answer came."),
            Came::Calls | Came::Text => {
                format!("The connection to {name} ended in the middle of the answer.")
            }
        };
        let error = ErrorInfo::new(Code::CutOff, message, came.then("Send the message again.")).retryable();
        self.with_words(error, said)
    }

    /// `sent` is shown, cut.
    pub(crate) fn malformed(&self, sent: &str) -> ErrorInfo {
        let message = format!("{} sent something that is not a model's answer.", self.name);
        let error =
            ErrorInfo::new(Code::Malformed, message, "Check the base URL, or choose another endpoint.");
        self.with_words(error, sent)
    }

    pub(crate) fn page(&self) -> ErrorInfo {
        let message = format!("{} answered with a web page.", self.name);
        ErrorInfo::new(Code::Malformed, message, "Check the base URL: it often ends in /v1.")
    }

    pub(crate) fn too_large(&self, limit: usize, came: Came) -> ErrorInfo {
        let message = format!("{} sent more than {} MiB.", self.name, limit >> 20);
        ErrorInfo::new(Code::ResponseTooLarge, message, came.then("Ask for a shorter answer."))
    }

    /// Adds the other side's words, without the key and without characters that could steer a terminal.
    fn with_words(&self, error: ErrorInfo, said: &str) -> ErrorInfo {
        let plain = |c: char| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c };
        error.with_detail(self.without_key(said.trim()).chars().map(plain).collect::<String>())
    }

    pub(crate) fn without_key(&self, text: &str) -> String {
        let key = self.key.as_ref().map(ExposeSecret::expose_secret).filter(|key| !key.is_empty());
        key.map_or_else(|| text.to_owned(), |key| crate::masked::masked(text, key))
    }
}

/// Advice for a proxy that does not let requests through.
const PROXY: &str = "Check that the proxy runs, and whether it wants a user name and a password. It is set in the system, or in HTTPS_PROXY and HTTP_PROXY.";

/// Advice for a proxy that wants a login.
const PROXY_LOGIN: &str = "Write them into HTTPS_PROXY, as http://NAME:PASSWORD@HOST:PORT.";

/// The words for what is wrong with a certificate, after its name.
fn certificate(error: &rustls::Error) -> Option<&'static str> {
    use rustls::CertificateError as Why;
    let rustls::Error::InvalidCertificate(why) = error else { return None };
    Some(match why {
        Why::UnknownIssuer => "is signed by itself, or by an authority that this computer does not trust",
        Why::Expired | Why::ExpiredContext { .. } => "has expired, or the clock of this computer is wrong",
        Why::NotValidYet | Why::NotValidYetContext { .. } => {
            "is not valid yet, or the clock of this computer is wrong"
        }
        Why::NotValidForName | Why::NotValidForNameContext { .. } => "is for another name",
        Why::Revoked => "was revoked",
        // Such as one that is an authority of its own, as most that people make for a server are.
        _ => "is signed by itself, or not one that this computer accepts",
    })
}

/// As much of a text as is quoted in a message. An address has ASCII alone, so each place in it is between characters.
fn cut(text: String) -> String {
    match text.get(..SHOWN) {
        Some(shown) if shown.len() < text.len() => format!("{shown}…"),
        _ => text,
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
        // Some servers send fractions. A cast from a float saturates.
        return (seconds >= 0.0).then_some(seconds.ceil() as u32);
    }
    let until = http_date(value)?;
    u32::try_from(until.as_second().saturating_sub(now.as_second()).max(0)).ok()
}

/// A date in a header, in each form that a client has to accept (RFC 9110, 5.6.7). The form in use may have another zone, or a wrong day of the week.
pub(crate) fn http_date(value: &str) -> Option<Timestamp> {
    let today = DateTimeParser::new().relaxed_weekday(true).parse_timestamp(value);
    today.ok().or_else(|| Timestamp::try_from(httpdate::parse_http_date(value).ok()?).ok())
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
        // The forms of RFC 850 and of asctime.
        assert_eq!(read("Sunday, 04-Jan-26 10:00:30 GMT"), Some(30));
        assert_eq!(read("Sunday, 06-Nov-94 08:49:37 GMT"), Some(0));
        assert_eq!(read("Sun Jan  4 10:01:00 2026"), Some(60));
        assert_eq!(read("Sun Nov  6 08:49:37 1994"), Some(0));
        for odd in ["-1", "NaN", "", "soon"] {
            assert_eq!((odd, read(odd)), (odd, None));
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }

    fn asked() -> Url {
        "https://h.example/v1/chat/completions".parse().unwrap()
    }

    fn redirected(location: &str) -> (String, String) {
        let host = Host { name: "h.example".into(), key: Some("sk-1".into()), ..Host::default() };
        let headers = HeaderMap::from_iter([(LOCATION, location.parse().unwrap())]);
        let error = host.refused(&asked(), StatusCode::FOUND, &headers, "").info;
        assert_eq!(error.code, Code::Connection);
        (error.message, error.action.unwrap())
    }

    #[test]
    fn a_redirect_names_the_whole_new_address_and_the_base_url_that_it_means() {
        let (message, action) = redirected("/api/v2/chat/completions?x=1");
        assert_eq!(
            message,
            "h.example redirects to https://h.example/api/v2/chat/completions?x=1 and Orion does not follow redirects."
        );
        assert_eq!(action, "If you trust it, set the base URL to https://h.example/api/v2?x=1");
        let (message, action) = redirected("//me:pw@other.example/login?key=sk-1");
        assert_eq!(
            message,
            "h.example redirects to https://other.example/login?key=[key] and Orion does not follow redirects."
        );
        assert_eq!(action, "Check the base URL.");
        let (message, _) = redirected("http://[");
        assert_eq!(message, "h.example redirects requests without saying where to.");
    }

    #[test]
    fn no_more_of_a_redirects_address_is_quoted_than_a_person_reads() {
        let long = format!("/{}?key=sk-1", "x".repeat(60_000));
        let start = format!("https://h.example/{}", "x".repeat(200 - "https://h.example/".len()));
        for end in ["", "/chat/completions"] {
            let (message, action) = redirected(&format!("{long}{end}"));
            let expected = format!("h.example redirects to {start}… and Orion does not follow redirects.");
            assert_eq!((message, &*action), (expected, "Check the base URL."));
        }
        // The key is taken out before the cut, so no part of it is left.
        let (message, _) = redirected(&format!("/{}sk-1", "x".repeat(200 - "https://h.example/".len() - 2)));
        assert!(message.contains("x[k…"), "{message}");
    }

    #[test]
    fn a_403_tells_a_firewall_from_a_country_and_from_a_key() {
        let host = Host { name: "h.example".into(), key: Some("sk-1".into()), ..Host::default() };
        let refused = |body: &str| {
            let error = host.refused(&asked(), StatusCode::FORBIDDEN, &HeaderMap::new(), body).info;
            (error.code, error.message)
        };
        let denied = |message: &str| (Code::AccessDenied, message.to_owned());
        for body in ["<html>Sorry, you have been blocked</html>", "", "Forbidden"] {
            let firewall = "A firewall or proxy in front of h.example blocked the request (status 403).";
            assert_eq!((body, refused(body)), (body, denied(firewall)));
        }
        assert_eq!(
            refused(
                r#"{"error":{"code":"unsupported_country_region_territory","type":"request_forbidden"}}"#
            ),
            denied("h.example is not available in your country or region (status 403).")
        );
        assert_eq!(
            refused(r#"{"error":{"message":"Model is gated"}}"#),
            denied("h.example accepts the key but not this request (status 403).")
        );
        let key = (Code::Authentication, "h.example refused the key (status 403).".to_owned());
        assert_eq!(refused(r#"{"error":{"code":"invalid_api_key"}}"#), key);
    }

    #[test]
    fn what_came_is_said_to_be_kept_only_where_it_is() {
        let host = Host { name: "h.example".into(), ..Host::default() };
        let actions = |came| {
            let errors = [host.idle(None, came), host.cut_off(None, came), host.too_large(1 << 20, came)];
            errors.map(|error| error.action.unwrap().contains("kept"))
        };
        let kept = [Came::Nothing, Came::Calls, Came::Text].map(actions);
        assert_eq!(kept, [[false; 3], [false; 3], [true; 3]]);
    }

    #[test]
    fn without_a_key_the_user_is_told_to_set_one() {
        let host = Host { name: "h.example".into(), ..Host::default() };
        let error = host.refused(&asked(), StatusCode::UNAUTHORIZED, &HeaderMap::new(), "").info;
        assert_eq!(
            (error.code, &*error.message, error.action.as_deref()),
            (
                Code::Authentication,
                "h.example needs a key, and there is none.",
                Some("Add a key in the settings.")
            )
        );
    }
}
