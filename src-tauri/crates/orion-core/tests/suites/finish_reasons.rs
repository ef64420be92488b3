//! What a provider means by its finish reason (P10).

use orion_core::model::FinishReason::{self, Complete, ContentFilter, Failed, Length};
use orion_protocol::Code;

#[test]
fn a_reason_is_read_whatever_its_case_and_one_that_is_not_known_says_so() {
    let of = |reason: &str| FinishReason::of(reason, &[]);
    assert_eq!(FinishReason::documented().next(), Some(("stop", Complete)), "the list is not empty");
    for (reason, meaning) in FinishReason::documented() {
        let mixed: String = reason
            .char_indices()
            .map(|(at, c)| if at % 2 == 0 { c.to_ascii_uppercase() } else { c })
            .collect();
        let read = [of(reason), of(&reason.to_uppercase()), of(&mixed), of(&format!(" {reason}\n"))];
        assert_eq!((reason, read), (reason, [meaning; 4]));
    }
    for reason in ["", "null", "stopped", "stop_reason_unspecified", "OTHER", "FINISH_REASON_UNSPECIFIED"] {
        assert_eq!((reason, of(reason)), (reason, FinishReason::Unknown));
    }
}

#[test]
fn a_reason_after_a_filter_counts_and_is_never_a_whole_answer() {
    let of = |reason: &str| FinishReason::of(reason, &["content_filter: new".to_owned()]);
    for (reason, meaning) in [
        ("content_filter: RECITATION", ContentFilter),
        ("Content_Filter:prohibited_content", ContentFilter),
        ("content_filter: NEW", ContentFilter),
        ("content_filter: stop", ContentFilter),
        ("content_filter:", ContentFilter),
        ("function_call_filter: MALFORMED_FUNCTION_CALL", Failed(Code::Malformed)),
        ("function_call_filter : SAFETY", ContentFilter),
        ("function_call_filter: NEW", Failed(Code::Malformed)),
        ("function_call_filter", FinishReason::Unknown),
        ("other_filter: SAFETY", FinishReason::Unknown),
    ] {
        assert_eq!((reason, of(reason)), (reason, meaning));
    }
}

#[test]
fn no_reason_stands_in_the_table_twice() {
    let mut reasons: Vec<String> =
        FinishReason::documented().map(|(reason, _)| reason.to_ascii_lowercase()).collect();
    let all = reasons.len();
    reasons.sort_unstable();
    reasons.dedup();
    assert_eq!(reasons.len(), all);
}

#[test]
fn the_first_reason_counts_unless_a_later_one_says_that_the_response_broke_off() {
    let kept = |reasons: &[&str]| {
        let mut kept = None;
        reasons.iter().for_each(|reason| FinishReason::keep(&mut kept, (*reason).to_owned()));
        kept.unwrap()
    };
    assert_eq!(kept(&["length", "stop"]), "length");
    assert_eq!(kept(&["stop", "error", "stop"]), "error");
    assert_eq!(kept(&["network_error", "error"]), "network_error");
}

#[test]
fn a_person_can_accept_what_is_not_known_and_nothing_else() {
    let accepted = ["Done_Here".to_owned(), "length".to_owned(), "error".to_owned()];
    let of = |reason: &str| FinishReason::of(reason, &accepted);
    assert_eq!(
        [of("done_here"), of("length"), of("error"), of("other")],
        [Complete, Length, Failed(Code::Overloaded), FinishReason::Unknown]
    );
}

#[test]
fn a_reason_that_stands_for_a_failure_gives_an_error_with_its_words() {
    let error = FinishReason::of("NETWORK_ERROR", &[]).error("NETWORK_ERROR").unwrap();
    assert_eq!(
        (error.code, &*error.message, error.retryable),
        (Code::Overloaded, "The provider broke off the answer: “NETWORK_ERROR”.", true)
    );
    assert!(!Failed(Code::BadRequest).error("x").unwrap().retryable);
    for meaning in [Complete, Length, ContentFilter, FinishReason::Unknown] {
        assert_eq!(meaning.error("x"), None);
    }
}
