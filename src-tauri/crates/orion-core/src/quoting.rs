//! Paths as people and models see them. A path that would mislead a reader, or is not valid UTF-8, is quoted as git does it (`"a\nb"`).
//! Calls have it in exactly that form, so that no file has two names (D1). Rules are matched against the path itself (A1).

use std::borrow::Cow;
use std::fmt::Write as _;

/// The shown form of a project-relative path: itself, or quoted where it holds control characters, a backslash, marks of line or direction,
/// or bytes that are not UTF-8, or begins with a quote.
#[must_use]
pub fn shown(path: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(path) {
        Ok(text) if !text.starts_with('"') && !text.chars().any(|c| c == '\\' || is_escaped(c)) => {
            text.into()
        }
        _ => quoted(path).into(),
    }
}

/// The path that a quoted form shows. None for every other text: one that is not quoted, or not as [`shown`] quotes, or names no path that
/// is relative and normal.
#[must_use]
pub fn unquoted(text: &str) -> Option<Vec<u8>> {
    let path = unescaped(text.strip_prefix('"')?.strip_suffix('"')?)?;
    let is_name = |name: &[u8]| !matches!(name, b"" | b"." | b"..") && !name.contains(&0);
    let is_normal = path.split(|&byte| byte == b'/').all(is_name);
    (is_normal && shown(&path) == text).then_some(path)
}

/// Control characters, and marks of line and direction, which make a name look like another one or like two lines.
fn is_escaped(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn quoted(path: &[u8]) -> String {
    let mut out = String::from("\"");
    let escape = |bytes: &[u8], out: &mut String| {
        for byte in bytes {
            // Writing into a String does not fail.
            let _ = write!(out, "\\x{byte:02x}");
        }
    };
    for chunk in path.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                '\r' => out.push_str("\\r"),
                c if is_escaped(c) => escape(c.encode_utf8(&mut [0; 4]).as_bytes(), &mut out),
                c => out.push(c),
            }
        }
        escape(chunk.invalid(), &mut out);
    }
    out.push('"');
    out
}

fn unescaped(inner: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'x' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            other => other,
        });
    }
    Some(bytes)
}
