//! Checks the arguments of a call against the tool's schema, and says which of them is wrong and what it should be.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, ValidationError, Validator};
use orion_core::tool::ToolSpec;
use orion_protocol::{Code, ErrorInfo};
use serde_json::{Map, Value};

/// How many faults are reported at once, so that a model corrects them together.
const TOLD: usize = 3;

/// The schema of a tool's arguments, compiled. `$schema` says its draft. Without one it is draft 7: for the schemas of Orion's own tools, later
/// drafts mean the same and compile in four times the time. Formats tell and do not check.
pub(super) fn validator(parameters: &Value) -> Result<Validator, ValidationError<'static>> {
    let options = jsonschema::options().should_validate_formats(false);
    match parameters.get("$schema") {
        Some(_) => options.build(parameters),
        None => options.with_draft(Draft::Draft7).build(parameters),
    }
}

/// The arguments as the tool takes them. Models send null for an argument that they leave out, and `2.0` for `2`;
/// both are accepted.
pub(super) fn checked(
    spec: &ToolSpec,
    validator: &Validator,
    given: &Map<String, Value>,
) -> Result<Value, ErrorInfo> {
    let given: Map<String, Value> = given
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.clone(), whole(value)))
        .collect();
    let given = Value::Object(given);
    let mut faults: Vec<String> = validator.iter_errors(&given).map(|fault| told(spec, &fault)).collect();
    if faults.is_empty() {
        return Ok(given);
    }
    faults.dedup();
    faults.truncate(TOLD);
    Err(ErrorInfo::new(
        Code::ToolArguments,
        format!("{}: {}.", spec.name, faults.join("; ")),
        format!("Call it again with: {}.", usage(spec)),
    ))
}

fn whole(value: &Value) -> Value {
    match value.as_f64() {
        // 2^53: beyond it a float no longer names one integer.
        Some(number)
            if value.is_f64()
                && number.fract() == 0.0
                && (0.0..9_007_199_254_740_992.0).contains(&number) =>
        {
            Value::from(number as u64)
        }
        _ => value.clone(),
    }
}

fn told(spec: &ToolSpec, fault: &ValidationError<'_>) -> String {
    match fault.kind() {
        ValidationErrorKind::Required { property } => {
            format!("`{}` is missing", property.as_str().unwrap_or_default())
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let unexpected: Vec<String> =
                unexpected.iter().take(TOLD).map(|name| format!("`{}`", short(name))).collect();
            format!("there is no argument {}", unexpected.join(", "))
        }
        _ => {
            let path = fault.instance_path().to_string();
            let path = path.trim_start_matches('/');
            let name = path.split('/').next().unwrap_or_default();
            if name != path {
                return format!("`{}`: {}", short(path), cut(&fault.to_string(), 120));
            }
            let given = match fault.instance().as_ref() {
                Value::Object(_) => "an object".to_owned(),
                Value::Array(entries) => format!("a list of {}", entries.len()),
                plain => short(&plain.to_string()),
            };
            format!(
                "`{}` must be {}, not {given}",
                short(name),
                expected(&spec.parameters["properties"][name])
            )
        }
    }
}

/// What a property may be, in words: `an integer from 1 to 1000`.
fn expected(property: &Value) -> String {
    let kind = match &property["type"] {
        Value::String(kind) => kind.as_str(),
        Value::Array(kinds) => {
            kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("a value")
        }
        _ => "a value",
    };
    let kind = match kind {
        "integer" => "an integer",
        "boolean" => "true or false",
        "string" => "a string",
        "array" => "a list",
        "object" => "an object",
        other => other,
    };
    let bound =
        |least: &str, most: &str, unit: &str| match (property[least].as_u64(), property[most].as_u64()) {
            (Some(least), Some(most)) => format!(" from {least} to {most}{unit}"),
            (Some(least), None) => format!(" from {least}{unit}"),
            (None, Some(most)) => format!(" up to {most}{unit}"),
            (None, None) => String::new(),
        };
    let bounds = bound("minimum", "maximum", "")
        + &bound("minLength", "maxLength", " characters")
        + &bound("minItems", "maxItems", " entries");
    format!("{kind}{bounds}")
}

/// The arguments of a tool, in one line: `path (a string), limit (an integer from 1 to 1000, default 200)`.
fn usage(spec: &ToolSpec) -> String {
    let Some(properties) = spec.parameters["properties"].as_object() else {
        return "no arguments".to_owned();
    };
    let each = properties.iter().map(|(name, property)| {
        let default = match &property["default"] {
            Value::Null => String::new(),
            default => format!(", default {default}"),
        };
        format!("{name} ({}{default})", expected(property))
    });
    each.collect::<Vec<_>>().join(", ")
}

fn short(text: &str) -> String {
    cut(text, 40)
}

/// So many characters of a text.
fn cut(text: &str, most: usize) -> String {
    let mut shown: String = text.chars().take(most).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
