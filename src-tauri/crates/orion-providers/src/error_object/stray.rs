//! Finds the error in lines that are no field of an event stream (P10).
//!
//! There may be megabytes of such lines, and nothing else runs while they are looked at. So the work is linear in their length: each line is
//! parsed by itself, and only few are followed over further lines. Not here: which lines these are ([`crate::sse`]).

use orion_core::nesting::Nesting;

use super::{ErrorObject, opens, parse};

/// How far an object is followed over further lines: 64 KiB, as much as is read of the body of a failed request.
const REACH: usize = 64 << 10;
/// How many objects are followed over further lines: 16. An error stands in one of the first, so this bounds only the work on lines that are
/// anything else.
const FOLLOWED: usize = 16;

impl ErrorObject {
    /// The error in such lines: a field `error`, or JSON that holds one.
    pub(crate) fn in_stray_lines(lines: &str) -> Option<Self> {
        let mut followed = 0;
        let mut rest = lines;
        loop {
            let (line, more) = rest.split_once('\n').map_or((rest, None), |(line, more)| (line, Some(more)));
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            if field.trim().eq_ignore_ascii_case("error")
                && !matches!(value.trim(), "" | "null" | "false" | "{}")
            {
                // Its value may continue on the next lines.
                let below = rest.split_once(':').and_then(|(_, below)| bracketed(below));
                let error = below.and_then(Self::in_payload_or_itself);
                return Some(error.unwrap_or_else(|| Self::in_error_event(value)));
            }
            let whole = parse(line).or_else(|| parse(value));
            if let Some(error) = whole.as_ref().and_then(Self::anywhere_in) {
                return Some(error);
            }
            if followed < FOLLOWED && opens(line) && bracketed(line).is_none() {
                followed += 1;
                if let Some(error) = bracketed(rest).and_then(Self::in_payload) {
                    return Some(error);
                }
            }
            rest = more?;
        }
    }
}

/// The object or list with which a text begins, if it ends within [`REACH`]. Whether it is JSON is not looked at.
fn bracketed(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let mut nesting = Nesting::default();
    let last = text.bytes().take(REACH).position(|byte| nesting.step(byte) == 0)?;
    text.get(..=last).filter(|text| opens(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(status: Option<u16>, codes: &[&str], message: &str) -> Option<ErrorObject> {
        let codes = codes.iter().map(|code| (*code).to_owned()).collect();
        Some(ErrorObject { status, codes, message: message.into(), window: None })
    }

    #[test]
    fn lines_that_are_no_field_can_say_an_error() {
        // P10
        let code = error(None, &["server_error"], "m");
        for (lines, expected) in [
            (r#"error: {"code":"server_error","message":"m"}"#, &code),
            (r#"Error:{"error":{"code":"server_error","message":"m"}}"#, &code),
            ("foo: bar\nerror: {\n\"code\":\"server_error\",\n\"message\":\"m\"}", &code),
            (r#"{"error":{"code":"server_error","message":"m"}}"#, &code),
            ("{\n\"error\": {\"code\":\"server_error\",\n\"message\":\"m\"}\n}", &code),
            ("x\nvendor: {\"error\":{\"code\":\"server_error\",\"message\":\"m\"}}", &code),
            ("error: the engine died", &error(None, &[], "the engine died")),
            ("error: {\n\"code\":\"server_error\",\n\"message\":\"m\"}\nfoo", &code),
            ("{\n\"code\":\"server_error\",\n\"message\":\"m\"\n}\n{", &code),
        ] {
            assert_eq!((lines, &ErrorObject::in_stray_lines(lines)), (lines, expected));
        }
        for lines in ["", "foo", "foo: bar\nbaz", "error:", "error: null", r#"{"choices":[]}"#, "{"] {
            assert_eq!((lines, ErrorObject::in_stray_lines(lines)), (lines, None));
        }
    }

    #[test]
    fn an_error_on_one_line_is_found_after_any_lines_and_one_on_several_after_few() {
        // P10
        let one = r#"{"error":{"code":"server_error","message":"m"}}"#;
        let several = one.replace(',', ",\n");
        let code = error(None, &["server_error"], "m");
        let few = "{ x\n".repeat(FOLLOWED - 1);
        assert_eq!(ErrorObject::in_stray_lines(&format!("{few}{several}")), code);
        let chunk = "{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n";
        // Lines that are whole, or no JSON at all, are not followed.
        for lines in ["x\n".repeat(1_000_000), chunk.repeat(10_000), "[info] x\n".repeat(10_000)] {
            for error in [one, several.as_str()] {
                assert_eq!(ErrorObject::in_stray_lines(&format!("{lines}{error}")), code);
            }
        }
        let many = "{ x\n".repeat(10_000);
        assert_eq!(ErrorObject::in_stray_lines(&format!("{many}{one}")), code);
        assert_eq!(ErrorObject::in_stray_lines(&format!("{many}{several}")), None);
        let far = format!("{{\n{}\n", " ".repeat(REACH));
        assert_eq!(ErrorObject::in_stray_lines(&format!("{far}{}", &several[1..])), None);
    }
}
