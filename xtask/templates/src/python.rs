//! Values and JSON as Python writes them: templates are written for it.

use minijinja::value::{Kwargs, Value, ValueKind};
use minijinja::{Error, ErrorKind, Output, State, escape_formatter};
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

/// Writes a value that a template prints.
pub(crate) fn format(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    match value.kind() {
        ValueKind::None | ValueKind::Bool | ValueKind::Seq | ValueKind::Map => {
            out.write_str(&text(value)).map_err(Error::from)
        }
        _ => escape_formatter(out, state, value),
    }
}

/// `str(value)`.
pub(crate) fn text(value: &Value) -> String {
    match value.kind() {
        ValueKind::None => "None".to_owned(),
        ValueKind::Bool => if value.is_true() { "True" } else { "False" }.to_owned(),
        ValueKind::Seq => format!("[{}]", joined(value, literal)),
        ValueKind::Map => format!(
            "{{{}}}",
            joined(value, |key| {
                let inner = value.get_item(key).unwrap_or_default();
                format!("{}: {}", literal(key), literal(&inner))
            })
        ),
        _ => value.to_string(),
    }
}

/// `repr(value)`.
fn literal(value: &Value) -> String {
    let Some(text) = value.as_str() else { return text(value) };
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        let escaped = match c {
            '\n' => Some("\\n".to_owned()),
            '\r' => Some("\\r".to_owned()),
            '\t' => Some("\\t".to_owned()),
            '\\' => Some("\\\\".to_owned()),
            c if c == quote => Some(format!("\\{c}")),
            c if c.is_control() => Some(format!("\\x{:02x}", u32::from(c))),
            _ => None,
        };
        match escaped {
            Some(escaped) => out.push_str(&escaped),
            None => out.push(c),
        }
    }
    out.push(quote);
    out
}

fn joined(all: &Value, each: impl Fn(&Value) -> String) -> String {
    let parts: Vec<String> = all.try_iter().into_iter().flatten().map(|part| each(&part)).collect();
    parts.join(", ")
}

/// `json.dumps`, which does not write JSON as a web page needs it.
pub(crate) fn to_json(value: &Value, options: Kwargs) -> Result<Value, Error> {
    let indent: Option<usize> = options.get("indent")?;
    let _: Option<bool> = options.get("ensure_ascii")?;
    let _: Option<bool> = options.get("sort_keys")?;
    let separators: Option<Value> = options.get("separators")?;
    options.assert_all_used()?;
    let text = match (indent, separators) {
        (Some(indent), _) => in_lines(value, indent),
        (None, None) => in_one_line(value),
        (None, Some(_)) => written(value, CompactFormatter),
    };
    text.map(Value::from_safe_string)
        .map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
}

/// JSON in lines that begin with so many spaces for each bracket.
///
/// # Errors
/// The value is none that JSON has.
pub fn in_lines(value: &impl Serialize, indent: usize) -> serde_json::Result<String> {
    written(value, PrettyFormatter::with_indent(" ".repeat(indent).as_bytes()))
}

/// JSON with a space after each comma and colon.
///
/// # Errors
/// The value is none that JSON has.
pub fn in_one_line(value: &impl Serialize) -> serde_json::Result<String> {
    written(value, Spaced)
}

fn written(value: &impl Serialize, formatter: impl Formatter) -> serde_json::Result<String> {
    let mut bytes = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The separators of `json.dumps`.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + std::io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + std::io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + std::io::Write>(&mut self, out: &mut W) -> std::io::Result<()> {
        out.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use minijinja::value::Serde;
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_as_python_writes_them() {
        let value = json!({ "a": [true, null, 1.5], "b": "it's", "c": "a \"b\"\n'\\" });
        let written = text(&Value::from(Serde(&value)));
        assert_eq!(written, r#"{'a': [True, None, 1.5], 'b': "it's", 'c': 'a "b"\n\'\\'}"#);
        assert_eq!(text(&Value::from("it's")), "it's");
        assert_eq!(
            in_one_line(&value).unwrap(),
            r#"{"a": [true, null, 1.5], "b": "it's", "c": "a \"b\"\n'\\"}"#
        );
        assert_eq!(in_lines(&json!({ "a": 1 }), 4).unwrap(), "{\n    \"a\": 1\n}");
    }
}
