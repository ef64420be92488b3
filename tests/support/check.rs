//! What a strict endpoint demands of a chat completion request. The strictest of the real ones is the measure: what
//! passes here passes everywhere.

use serde_json::Value;

use crate::http::Request;

/// Everything that is wrong with the request; empty when nothing is.
pub(crate) fn faults(request: &Request) -> Vec<String> {
    let body = &request.body;
    let mut faults = Vec::new();
    if !request.header("content-type").is_some_and(|kind| kind.starts_with("application/json")) {
        faults.push("its content-type is not application/json".to_owned());
    }
    if !body.is_object() {
        faults.push("its body is not a JSON object".to_owned());
        return faults;
    }
    if body["model"].as_str().is_none_or(str::is_empty) {
        faults.push("it names no model".to_owned());
    }
    if body["stream"] != Value::Bool(true) {
        faults.push("it does not ask for a stream".to_owned());
    }
    match body.get("tools") {
        None => {}
        Some(Value::Array(tools)) if !tools.is_empty() => {
            faults.extend(
                tools
                    .iter()
                    .enumerate()
                    .filter_map(|(at, tool)| Some(format!("tool {at}: {}", tool_fault(tool)?))),
            );
        }
        Some(_) => faults.push("its tools are not a list with something in it".to_owned()),
    }
    match body["messages"].as_array() {
        Some(messages) if !messages.is_empty() => faults.extend(conversation_faults(messages)),
        _ => faults.push("it has no messages".to_owned()),
    }
    faults
}

fn tool_fault(tool: &Value) -> Option<&'static str> {
    let function = &tool["function"];
    // OpenAI: a-z, A-Z, 0-9, underscores and dashes, at most 64.
    let named = function["name"].as_str().is_some_and(|name| {
        (1..=64).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
    });
    if tool["type"] != "function" {
        Some("its type is not function")
    } else if !named {
        Some("its name is not one an endpoint takes")
    } else if !function["description"].is_string() {
        Some("it has no description")
    } else if function["parameters"]["type"] != "object" {
        Some("its parameters are not the schema of an object")
    } else {
        None
    }
}

/// Each message's shape, and that every call has its result right after it and every result its call.
fn conversation_faults(messages: &[Value]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role != "tool" && !open.is_empty() {
            faults.push(format!("message {at}: the calls {open:?} before it have no result"));
            open.clear();
        }
        let calls = message["tool_calls"].as_array();
        // A person's message may have images beside its text.
        let has_text = match message["content"].as_array() {
            Some(parts) => role == "user" && parts.iter().all(is_part),
            None => message["content"].is_string(),
        };
        match role {
            "system" | "user" if has_text => {}
            "assistant" if has_text || calls.is_some_and(|calls| !calls.is_empty()) => {
                for call in calls.into_iter().flatten() {
                    faults.extend(call_fault(call).map(|fault| format!("message {at}: {fault}")));
                    open.extend(call["id"].as_str());
                }
            }
            "tool" if has_text => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                match open.iter().position(|open| *open == id) {
                    Some(found) => drop(open.remove(found)),
                    None => {
                        faults.push(format!("message {at}: it answers the call {id:?}, which nobody made"))
                    }
                }
            }
            "system" | "user" | "assistant" | "tool" => faults.push(format!("message {at}: it has no text")),
            other => faults.push(format!("message {at}: its role is {other:?}")),
        }
    }
    if !open.is_empty() {
        faults.push(format!("the calls {open:?} have no result"));
    }
    faults
}

fn call_fault(call: &Value) -> Option<&'static str> {
    let arguments = call["function"]["arguments"].as_str().and_then(|text| serde_json::from_str(text).ok());
    if call["id"].as_str().is_none_or(str::is_empty) {
        Some("a call has no id")
    } else if call["type"] != "function" {
        Some("a call's type is not function")
    } else if call["function"]["name"].as_str().is_none_or(str::is_empty) {
        Some("a call has no name")
    } else if !arguments.is_some_and(|arguments: Value| arguments.is_object()) {
        Some("a call's arguments are not the text of a JSON object")
    } else {
        None
    }
}

/// A text, or an image that is in the request itself.
fn is_part(part: &Value) -> bool {
    match part["type"].as_str() {
        Some("text") => part["text"].is_string(),
        Some("image_url") => {
            let url = part["image_url"]["url"].as_str().unwrap_or_default();
            url.starts_with("data:image/") && url.contains(";base64,")
        }
        _ => false,
    }
}
