//! The span of another program that a turn was begun from, as W3C Trace Context writes it in `traceparent`.

use std::fmt;
use std::str::FromStr;

/// A span of another program, and the trace that it belongs to. Written, it is `00-TRACE-SPAN-01`, in hexadecimal digits of lower case.
/// Neither id is zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    trace_id: u128,
    span_id: u64,
}

/// The text is no `traceparent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a traceparent is 00-, 32 hexadecimal digits, -, 16 hexadecimal digits, - and 2 hexadecimal digits")]
pub struct NoTraceParent;

impl TraceParent {
    #[must_use]
    pub fn trace_id(self) -> [u8; 16] {
        self.trace_id.to_be_bytes()
    }

    #[must_use]
    pub fn span_id(self) -> [u8; 8] {
        self.span_id.to_be_bytes()
    }
}

impl FromStr for TraceParent {
    type Err = NoTraceParent;

    fn from_str(text: &str) -> Result<Self, NoTraceParent> {
        let mut parts = text.splitn(5, '-');
        let mut digits = |count: usize| {
            let part = parts.next().filter(|part| part.len() == count).ok_or(NoTraceParent)?;
            let fits = part.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
            let number = u128::from_str_radix(part, 16).ok().filter(|_| fits);
            number.ok_or(NoTraceParent)
        };
        let (version, trace_id, span_id, _flags) = (digits(2)?, digits(32)?, digits(16)?, digits(2)?);
        // Later versions may say more behind the four parts.
        let ends = version != 0 || parts.next().is_none();
        let span_id = u64::try_from(span_id).map_err(|_| NoTraceParent)?;
        if version == 0xff || trace_id == 0 || span_id == 0 || !ends {
            return Err(NoTraceParent);
        }
        Ok(Self { trace_id, span_id })
    }
}

/// With the flag that the trace is recorded: only then is a turn sent to a collector.
impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-01", self.trace_id, self.span_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const SPAN: &str = "00f067aa0ba902b7";

    #[test]
    fn a_parent_is_read_as_it_is_written() {
        let text = format!("00-{TRACE}-{SPAN}-01");
        let parent: TraceParent = text.parse().unwrap();
        assert_eq!(parent.to_string(), text);
        assert_eq!((parent.trace_id()[0], parent.span_id()[1]), (0x4b, 0xf0));
        assert_eq!(format!("00-{TRACE}-{SPAN}-00").parse(), Ok(parent));
        assert_eq!(format!("cc-{TRACE}-{SPAN}-01-more-of-it").parse(), Ok(parent));
    }

    #[test]
    fn any_other_text_is_no_parent() {
        let zeros = ("0".repeat(32), "0".repeat(16));
        for text in [
            String::new(),
            format!("00-{TRACE}-{SPAN}"),
            format!("00-{TRACE}-{SPAN}-01-more"),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("00-{}-{SPAN}-01", zeros.0),
            format!("00-{TRACE}-{}-01", zeros.1),
            format!("00-{}-{SPAN}-01", TRACE.to_uppercase()),
            format!("00-+{}-{SPAN}-01", &TRACE[1..]),
            format!("00-{TRACE}0-{SPAN}-01"),
        ] {
            assert_eq!(text.parse::<TraceParent>(), Err(NoTraceParent), "{text}");
        }
    }
}
