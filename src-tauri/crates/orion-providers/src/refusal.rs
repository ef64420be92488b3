//! Finds the kind of a failure from its own codes and its status (J4).
//!
//! Deliberately not here: the words for a person ([`crate::error`]).

use crate::error_object::ErrorObject;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Authentication,
    /// The key is valid, but may not do this.
    Forbidden,
    /// The provider does not serve the place that the request comes from.
    Region,
    /// A firewall, a content delivery network or a proxy in front of the provider refused.
    Firewall,
    NoCredit,
    /// Payment is required, and no code says why: there is no credit, or not enough for what was asked for.
    Payment,
    /// The proxy between this computer and the provider wants a login.
    ProxyLogin,
    /// An error that no code and no status explains.
    Unexplained,
    RateLimited,
    Overloaded,
    ContextTooLong,
    /// The provider's filter refused the request.
    ContentFilter,
    ModelUnknown,
    AddressUnknown,
    /// The model or the address: the provider does not say which.
    Unknown,
    BadRequest,
}

use Refusal::{
    AddressUnknown, Authentication, ContentFilter, ContextTooLong, Forbidden, ModelUnknown, NoCredit,
    Overloaded, RateLimited, Region,
};

/// Codes and types that say more than a status does, compared without regard to case. Sources: the API references of
/// OpenAI and Azure (error codes), Anthropic (errors), Google (google.rpc.Code), Groq, DeepSeek, OpenRouter,
/// Moonshot, DashScope (error messages), Zhipu (error codes, four digits), MiniMax (`base_resp`), xAI (error codes,
/// which are sentences), `server-http` of llama.cpp, and `InferError` of TGI.
const CODES: &[(&str, Refusal)] = &[
    ("context_length_exceeded", ContextTooLong),
    ("exceed_context_size_error", ContextTooLong),
    ("context_window_exceeded", ContextTooLong),
    ("request_too_large", ContextTooLong),
    ("1261", ContextTooLong),
    ("base_resp 1039", ContextTooLong),
    ("invalid_api_key", Authentication),
    ("invalidapikey", Authentication),
    ("authentication_error", Authentication),
    ("invalid_authentication_error", Authentication),
    ("unauthenticated", Authentication),
    ("1001", Authentication),
    ("1002", Authentication),
    ("1003", Authentication),
    ("1004", Authentication),
    ("base_resp 1004", Authentication),
    ("base_resp 2049", Authentication),
    ("permission_error", Forbidden),
    ("permission_denied", Forbidden),
    ("permission_denied_error", Forbidden),
    ("accessdenied", Forbidden),
    ("1220", Forbidden),
    ("unsupported_country_region_territory", Region),
    ("insufficient_quota", NoCredit),
    ("billing_error", NoCredit),
    ("billing_not_active", NoCredit),
    ("exceeded_current_quota_error", NoCredit),
    ("arrearage", NoCredit),
    ("1113", NoCredit),
    ("base_resp 1008", NoCredit),
    ("rate_limit_exceeded", RateLimited),
    ("rate_limit_error", RateLimited),
    ("rate_limit_reached_error", RateLimited),
    ("resource_exhausted", RateLimited),
    ("throttling", RateLimited),
    ("throttling.ratequota", RateLimited),
    ("throttling.burstrate", RateLimited),
    ("1302", RateLimited),
    ("1303", RateLimited),
    ("base_resp 1002", RateLimited),
    ("base_resp 1041", RateLimited),
    ("overloaded_error", Overloaded),
    ("engine_overloaded_error", Overloaded),
    ("slow_down", Overloaded),
    ("service_unavailable", Overloaded),
    ("unavailable_error", Overloaded),
    ("server_error", Overloaded),
    ("internal_server_error", Overloaded),
    ("internal_error", Overloaded),
    ("api_error", Overloaded),
    ("timeout_error", Overloaded),
    ("unavailable", Overloaded),
    ("internal", Overloaded),
    ("deadline_exceeded", Overloaded),
    ("1305", Overloaded),
    ("base_resp 1000", Overloaded),
    ("base_resp 1001", Overloaded),
    ("base_resp 1013", Overloaded),
    ("content_filter", ContentFilter),
    ("content_policy_violation", ContentFilter),
    ("data_inspection_failed", ContentFilter),
    ("datainspectionfailed", ContentFilter),
    ("1301", ContentFilter),
    ("base_resp 1026", ContentFilter),
    ("base_resp 1027", ContentFilter),
    ("model_not_found", ModelUnknown),
    ("model_not_found_error", ModelUnknown),
    ("deploymentnotfound", ModelUnknown),
    ("not_found_error", ModelUnknown),
    ("1211", ModelUnknown),
    ("unknown_url", AddressUnknown),
    ("overloaded", Overloaded),
    ("generation", Overloaded),
    ("incomplete_generation", Overloaded),
    ("some resource has been exhausted", RateLimited),
    ("the service is currently unavailable", Overloaded),
];

/// Codes and types that say only that the request is at fault. Providers give them together with codes and statuses that say
/// which fault it is, so that they count last: where an error in a stream says nothing else, it is not worth a retry (P10).
const OF_THE_REQUEST: &[&str] = &[
    "invalid_request_error",
    "invalid_request",
    "invalid_parameter_error",
    "invalidparameter",
    "badrequesterror",
    "bad_request",
    "unprocessable_entity",
    "invalid_argument",
    "failed_precondition",
    "out_of_range",
    "validation",
    "template_error",
    "missing_template_variable",
    "tool_error",
    "client specified an invalid argument",
];

impl Refusal {
    /// The kind by the error's own codes, else by the status. `error` is none when the body has no error object.
    pub(crate) fn of(status: Option<u16>, error: Option<&ErrorObject>) -> Self {
        let codes = error.map(|error| error.codes.as_slice()).unwrap_or_default();
        let known = |code: &String| CODES.iter().find(|(known, _)| known.eq_ignore_ascii_case(code));
        // If a server calls everything `api_error`, its status says more.
        let by_code = codes.iter().find_map(known).map(|(_, refusal)| *refusal);
        let by_code =
            by_code.filter(|refusal| *refusal != Overloaded || status.is_none_or(|status| status >= 500));
        by_code.unwrap_or_else(|| match status {
            Some(401) => Authentication,
            Some(407) => Self::ProxyLogin,
            Some(402) => Self::Payment,
            // A provider gives its reason in an object. Something in front of it sends a page, or nothing.
            Some(403) if error.is_some() => Forbidden,
            Some(403) => Self::Firewall,
            Some(451) => Region,
            // OpenAI says so of an address without `/v1`, and servers like vLLM's first versions of a model.
            Some(404) if !codes.is_empty() && codes.iter().all(|code| of_the_request(code)) => Self::Unknown,
            // An error object shows that the address is right and something in the request is not there.
            Some(404) if error.is_some_and(|error| !error.codes.is_empty() || error.status.is_some()) => {
                ModelUnknown
            }
            Some(404 | 405) => AddressUnknown,
            Some(413) => ContextTooLong,
            Some(429) => RateLimited,
            None if codes.iter().any(|code| of_the_request(code)) => Self::BadRequest,
            // An error in an answer whose status was a success, in words alone.
            None if codes.iter().all(|code| code.eq_ignore_ascii_case("error")) => Self::Unexplained,
            // A server that says nothing more has usually failed itself.
            None | Some(408 | 425 | 500..) => Overloaded,
            Some(_) => Self::BadRequest,
        })
    }
}

fn of_the_request(code: &str) -> bool {
    OF_THE_REQUEST.iter().any(|known| known.eq_ignore_ascii_case(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(codes: &[&str]) -> ErrorObject {
        ErrorObject { codes: codes.iter().map(|code| (*code).to_owned()).collect(), ..ErrorObject::default() }
    }

    #[test]
    fn each_code_of_the_table_is_read_whatever_its_case() {
        for (at, (code, refusal)) in CODES.iter().enumerate() {
            for code in [(*code).to_owned(), code.to_uppercase()] {
                assert_eq!((&code, Refusal::of(None, Some(&with(&[code.as_str()])))), (&code, *refusal));
            }
            assert!(CODES[at + 1..].iter().all(|(other, _)| other != code), "{code} stands there twice");
        }
    }

    #[test]
    fn the_most_specific_code_counts_and_a_vague_one_gives_way_to_the_status() {
        let of = |status, codes: &[&str]| Refusal::of(status, Some(&with(codes)));
        assert_eq!(of(Some(400), &["odd", "context_length_exceeded", "rate_limit_error"]), ContextTooLong);
        assert_eq!(of(Some(404), &["api_error"]), ModelUnknown);
        assert_eq!(of(Some(500), &["api_error"]), Overloaded);
        assert_eq!(of(Some(404), &["invalid_request_error"]), Refusal::Unknown);
        assert_eq!(of(Some(404), &["NOT_FOUND", "invalid_request_error"]), ModelUnknown);
        assert_eq!(of(None, &["odd"]), Overloaded);
    }

    #[test]
    fn a_fault_of_the_request_is_one_where_nothing_says_more() {
        let of = |status, codes: &[&str]| Refusal::of(status, Some(&with(codes)));
        for code in OF_THE_REQUEST {
            for code in [(*code).to_owned(), code.to_uppercase()] {
                assert_eq!((&code, of(None, &["odd", &code])), (&code, Refusal::BadRequest));
            }
            assert!(CODES.iter().all(|(other, _)| other != code), "{code} stands in both tables");
        }
        // DeepSeek says so of every error, OpenAI of most.
        assert_eq!(of(None, &["invalid_request_error", "authentication_error"]), Authentication);
        assert_eq!(of(Some(402), &["invalid_request_error"]), Refusal::Payment);
        assert_eq!(of(Some(429), &["invalid_request_error"]), RateLimited);
        assert_eq!(of(Some(500), &["invalid_request_error"]), Overloaded);
    }

    #[test]
    fn a_403_is_about_the_key_only_where_a_code_says_so() {
        assert_eq!(Refusal::of(Some(403), None), Refusal::Firewall);
        let of = |codes: &[&str]| Refusal::of(Some(403), Some(&with(codes)));
        assert_eq!(of(&[]), Forbidden);
        assert_eq!(of(&["unsupported_country_region_territory", "request_forbidden"]), Region);
        assert_eq!(of(&["invalid_api_key"]), Authentication);
    }
}
