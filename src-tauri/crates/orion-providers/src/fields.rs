//! The fields of a request that an error names, in a field of its own that says so: `param` and `loc`.
//!
//! OpenAI names a field in `param`, and what is made with FastAPI (vLLM, Mistral, many gateways) in `loc`, a path. Sentences are never read (J4).

use serde_json::Value;

/// How deep in the body they are looked for: Mistral has them at the fourth level.
const DEPTH: usize = 6;

/// The most of them that count.
const MOST: usize = 16;

/// The fields that the body of an error names, each as a path joined by dots.
pub(crate) fn named(body: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Ok(value) = serde_json::from_str(body) {
        gather(&value, DEPTH, &mut found);
    }
    found
}

fn gather(value: &Value, depth: usize, found: &mut Vec<String>) {
    if depth == 0 || found.len() >= MOST {
        return;
    }
    match value {
        Value::Array(list) => list.iter().for_each(|value| gather(value, depth - 1, found)),
        Value::Object(object) => {
            for (key, value) in object {
                match (key.as_str(), value) {
                    ("param", Value::String(path)) if !path.is_empty() => found.push(path.clone()),
                    ("loc", Value::Array(path)) => {
                        found.push(path.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("."));
                    }
                    _ => gather(value, depth - 1, found),
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn fields_are_found_where_an_error_names_them_and_never_in_its_words() {
        for (body, expected) in [
            (
                r#"{"error":{"message":"m","param":"max_tokens","code":"unsupported_parameter"}}"#,
                &["max_tokens"][..],
            ),
            (
                r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","include_usage"]}]}}"#,
                &["body.stream_options.include_usage"],
            ),
            (
                r#"{"detail":[{"loc":["body","messages",1,"tool_calls"]},{"loc":["body","a"]}]}"#,
                &["body.messages.tool_calls", "body.a"],
            ),
            (r#"{"error":{"message":"param stream_options","param":""}}"#, &[]),
            ("stream_options", &[]),
        ] {
            assert_eq!((body, named(body)), (body, expected.iter().map(|&path| path.to_owned()).collect()));
        }
    }
}
