//! Where traces go, by the variables that all programs with OpenTelemetry share. Nothing is sent unless one of them names a collector.

use std::time::Duration;

use opentelemetry_otlp::Protocol;
use orion_engine::config::{Environment, is_this_computer};
use orion_protocol::{Code, ErrorInfo};
use reqwest::header::{HeaderName, HeaderValue};
use url::{Url, form_urlencoded};

/// What the path of a base address is continued with.
const TRACES: &str = "v1/traces";

/// How long a trace may take to be sent, where nobody says it: the specification's default.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A collector, and how it is spoken to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Telemetry {
    pub(crate) endpoint: Url,
    pub(crate) protocol: Protocol,
    pub(crate) timeout: Duration,
    /// Whether what was said leaves Orion too.
    pub(crate) with_content: bool,
}

impl Telemetry {
    /// The collector that the environment names; none where it names none, or says that nothing is to be sent.
    ///
    /// # Errors
    /// `config_invalid` for what cannot be kept: an address, a protocol, a header. `unencrypted` for plain HTTP to another computer that
    /// nobody confirmed.
    pub(crate) fn of(environment: &Environment) -> Result<Option<Self>, ErrorInfo> {
        if is_off(environment) {
            return Ok(None);
        }
        let endpoint = match environment.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") {
            Some(endpoint) => address("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", endpoint)?,
            None => match environment.get("OTEL_EXPORTER_OTLP_ENDPOINT") {
                Some(base) => below(&address("OTEL_EXPORTER_OTLP_ENDPOINT", base)?),
                None => return Ok(None),
            },
        };
        Self::at(endpoint, environment, false).map(Some)
    }

    /// The collector at this base address, spoken to as the environment says. `allow_http`: the person confirmed plain HTTP.
    ///
    /// # Errors
    /// `usage` for what is no address, and while `OTEL_SDK_DISABLED` says that nothing is to be sent; as [`Telemetry::of`].
    pub(crate) fn to(base: &str, environment: &Environment, allow_http: bool) -> Result<Self, ErrorInfo> {
        if is_off(environment) {
            let message = "Nothing is sent: OTEL_SDK_DISABLED is true, or OTEL_TRACES_EXPORTER is none.";
            return Err(ErrorInfo::new(Code::Usage, message, "Unset that variable to send the trace."));
        }
        let base = address("the URL", base).map_err(|error| ErrorInfo { code: Code::Usage, ..error })?;
        Self::at(below(&base), environment, allow_http)
    }

    fn at(endpoint: Url, environment: &Environment, allow_http: bool) -> Result<Self, ErrorInfo> {
        check_encrypted(&endpoint, allow_http || is_confirmed(environment))?;
        check_headers(environment)?;
        let content = environment.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT");
        Ok(Self {
            endpoint,
            protocol: protocol(environment)?,
            timeout: timeout(environment),
            with_content: content.is_some_and(|value| value.eq_ignore_ascii_case("true")),
        })
    }
}

/// The variable for traces alone, which goes over the one for everything.
fn for_traces<'e>(environment: &'e Environment, what: &str) -> Option<(String, &'e str)> {
    let names = [format!("OTEL_EXPORTER_OTLP_TRACES_{what}"), format!("OTEL_EXPORTER_OTLP_{what}")];
    names.into_iter().find_map(|name| environment.get(&name).map(|value| (name, value)))
}

/// The variable with which a person tells programs that the way to the collector need not be encrypted.
fn is_confirmed(environment: &Environment) -> bool {
    for_traces(environment, "INSECURE").is_some_and(|(_, value)| value.eq_ignore_ascii_case("true"))
}

/// A trace names files and tools, and may have what was said in it.
fn check_encrypted(endpoint: &Url, confirmed: bool) -> Result<(), ErrorInfo> {
    if confirmed || endpoint.scheme() != "http" || is_this_computer(endpoint) {
        return Ok(());
    }
    let host = endpoint.host_str().unwrap_or_default();
    Err(ErrorInfo::new(
        Code::Unencrypted,
        format!("Traces to {host} would travel unencrypted, so none is sent."),
        "Use an https:// address. If you trust the network, confirm it: with OTEL_EXPORTER_OTLP_INSECURE=true, or with --allow-http beside \
         --otlp.",
    ))
}

fn is_off(environment: &Environment) -> bool {
    let says =
        |name: &str, word: &str| environment.get(name).is_some_and(|value| value.eq_ignore_ascii_case(word));
    says("OTEL_SDK_DISABLED", "true") || says("OTEL_TRACES_EXPORTER", "none")
}

fn address(named: &str, text: &str) -> Result<Url, ErrorInfo> {
    let action = "Give an address such as http://localhost:4318; what a collector asks for goes into OTEL_EXPORTER_OTLP_HEADERS.";
    let refused = |why: &str| {
        Err(ErrorInfo::new(Code::ConfigInvalid, format!("Traces cannot be sent: {named} {why}."), action))
    };
    match Url::parse(text.trim()) {
        Ok(url) if !matches!(url.scheme(), "http" | "https") || !url.has_host() => {
            refused("is not an HTTP address")
        }
        // A key that is part of an address would be shown with it.
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            refused("has a name or a password in it")
        }
        Ok(url) => Ok(url),
        Err(_) => refused("is not an address"),
    }
}

/// `v1/traces` below a base address, as the specification says.
fn below(base: &Url) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}/{TRACES}", base.path().trim_end_matches('/')));
    url
}

fn protocol(environment: &Environment) -> Result<Protocol, ErrorInfo> {
    match for_traces(environment, "PROTOCOL") {
        None | Some((_, "http/protobuf")) => Ok(Protocol::HttpBinary),
        Some((_, "http/json")) => Ok(Protocol::HttpJson),
        Some((name, _)) => {
            let message = format!("Traces cannot be sent: {name} is not one that Orion speaks.");
            let action = "Set it to http/protobuf or http/json, with the address that your collector has for it (often port 4318).";
            Err(ErrorInfo::new(Code::ConfigInvalid, message, action))
        }
    }
}

/// In milliseconds; what is no number counts as not set.
fn timeout(environment: &Environment) -> Duration {
    let given = for_traces(environment, "TIMEOUT").and_then(|(_, value)| value.trim().parse().ok());
    given.filter(|ms| *ms > 0).map_or(TIMEOUT, Duration::from_millis)
}

/// The exporter leaves out a header that cannot be sent, without a word.
fn check_headers(environment: &Environment) -> Result<(), ErrorInfo> {
    let Some((name, value)) = for_traces(environment, "HEADERS") else { return Ok(()) };
    let fits = |pair: Option<(String, String)>| {
        pair.is_some_and(|(name, value)| {
            HeaderName::from_bytes(name.as_bytes()).is_ok() && HeaderValue::from_str(&value).is_ok()
        })
    };
    if pairs(value).all(fits) {
        return Ok(());
    }
    let message = format!("Traces cannot be sent: {name} is not a list of headers.");
    let action = "Write them as name=value, with commas between them and other characters as %20.";
    Err(ErrorInfo::new(Code::ConfigInvalid, message, action))
}

/// `name=value` with commas in between, percent-encoded. None for what is no such pair.
pub(crate) fn pairs(list: &str) -> impl Iterator<Item = Option<(String, String)>> {
    list.split(',').map(str::trim).filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=')?;
        let name = name.trim();
        // A plus is a plus here, and `&` ends no value.
        let value = value.trim().replace('+', "%2B").replace('&', "%26");
        let (value, _) = form_urlencoded::parse(value.as_bytes()).next().unwrap_or_default();
        (!name.is_empty()).then(|| (name.to_owned(), value.into_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Result<Option<Telemetry>, ErrorInfo> {
        Telemetry::of(&variables.iter().copied().collect())
    }

    fn endpoint(variables: &[(&str, &str)]) -> Option<String> {
        of(variables).unwrap().map(|telemetry| telemetry.endpoint.to_string())
    }

    #[test]
    fn nothing_is_sent_unless_a_collector_is_named() {
        let everything = [
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=b"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
            ("OTEL_SERVICE_NAME", "x"),
        ];
        assert_eq!(of(&everything), Ok(None));
        assert_eq!(of(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "")]), Ok(None));
        for off in [("OTEL_SDK_DISABLED", "TRUE"), ("OTEL_TRACES_EXPORTER", "none")] {
            assert_eq!(of(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318"), off]), Ok(None));
        }
    }

    #[test]
    fn a_base_gets_the_path_of_traces_and_an_address_for_traces_is_used_as_it_is() {
        let base = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318/otlp/");
        assert_eq!(endpoint(&[base]).as_deref(), Some("http://localhost:4318/otlp/v1/traces"));
        let traces = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://collector.example/in");
        assert_eq!(endpoint(&[base, traces]).as_deref(), Some("https://collector.example/in"));
        let to = Telemetry::to("http://localhost:4318", &Environment::default(), false).unwrap();
        assert_eq!(to.endpoint.as_str(), "http://localhost:4318/v1/traces");
    }

    #[test]
    fn plain_http_to_another_computer_is_used_only_when_it_was_confirmed() {
        let variables = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
        let code = |variables: &[(&str, &str)]| of(variables).map(|_| ()).map_err(|error| error.code);
        for address in variables.map(|variable| (variable, "http://collector.example:4318")) {
            assert_eq!(code(&[address]), Err(Code::Unencrypted));
            for insecure in ["OTEL_EXPORTER_OTLP_INSECURE", "OTEL_EXPORTER_OTLP_TRACES_INSECURE"] {
                assert_eq!(code(&[address, (insecure, "false")]), Err(Code::Unencrypted));
                assert_eq!(code(&[address, (insecure, "true")]), Ok(()));
            }
        }
        for address in ["http://127.0.0.1:4318", "http://[::1]:4318", "https://collector.example"] {
            assert_eq!(code(&[(variables[0], address)]), Ok(()));
        }
        let by_hand = |allow_http| Telemetry::to("http://10.0.0.2:4318", &Environment::default(), allow_http);
        assert_eq!(by_hand(false).unwrap_err().code, Code::Unencrypted);
        assert_eq!(by_hand(true).unwrap().endpoint.as_str(), "http://10.0.0.2:4318/v1/traces");
    }

    #[test]
    fn what_cannot_be_kept_is_said_and_never_repeated() {
        let base = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318");
        for variables in [
            &[("OTEL_EXPORTER_OTLP_ENDPOINT", "hunter2")][..],
            &[("OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://hunter2")],
            &[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:hunter2@localhost")],
            &[base, ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")],
            &[base, ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "hunter2")],
            &[base, ("OTEL_EXPORTER_OTLP_HEADERS", "hunter2")],
            &[base, ("OTEL_EXPORTER_OTLP_HEADERS", "a=hunter2%0A")],
        ] {
            let error = of(variables).unwrap_err();
            assert_eq!(error.code, Code::ConfigInvalid, "{variables:?}");
            assert!(!error.message.contains("hunter2") && error.action.is_some(), "{error:?}");
        }
    }

    #[test]
    fn what_was_said_is_sent_only_when_the_person_says_so() {
        let base = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318");
        let with = |value| {
            let content = ("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", value);
            of(&[base, content]).unwrap().unwrap().with_content
        };
        assert_eq!(["", "false", "1", "true", "True"].map(with), [false, false, false, true, true]);
    }
}
