//! Removes known secrets from text on its way to a log, a journal or a person.
//!
//! A secret is found as it is, in base64, in hexadecimal, percent-encoded and escaped in JSON, the last two also twice: servers echo what they were
//! sent in all of these forms. One automaton looks for all of them, so the work per byte does not grow with the number of secrets.
//! Deliberately not here: text of models and files. A key in there is data and stays.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use aho_corasick::{AhoCorasick, BuildError};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use orion_protocol::ErrorInfo;
use secrecy::{ExposeSecret, SecretString};

/// What stands in a secret's place.
pub(super) const REDACTED: &str = "[redacted]";

/// The shortest text that is taken for a secret. Shorter ones, such as `none` or `ollama`, which local servers accept
/// as a key, would cut holes into ordinary text and protect nothing.
const MIN_BYTES: usize = 8;

/// The rounds in which escapes are taken off: a server quotes what another one quoted.
const ROUNDS: usize = 3;

/// The secrets that were used in this process. Clones share them.
#[derive(Clone, Default)]
pub struct Redactor(Arc<RwLock<Known>>);

#[derive(Default)]
struct Known {
    secrets: Vec<SecretString>,
    /// Finds them. None as long as there is no secret, and if it could not be built: then no text is let through.
    search: Option<Search>,
}

struct Search {
    /// Finds secrets as they are and in base64.
    exact: AhoCorasick,
    /// Finds secrets in hexadecimal, of which the letters may be small or capital.
    hexadecimal: AhoCorasick,
}

impl Redactor {
    /// Hides this secret from now on.
    pub fn hide(&self, secret: &SecretString) {
        let text = secret.expose_secret();
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if text.len() < MIN_BYTES || known.secrets.iter().any(|old| old.expose_secret() == text) {
            return;
        }
        known.secrets.push(secret.clone());
        // The old one is dropped before the new one is built, so that one that lacks this secret is never used.
        known.search = None;
        known.search = Search::of(&known.secrets).ok();
    }

    /// The text without the secrets; borrowed when there are none in it. If the search is not possible, nothing of
    /// the text is left.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.found(text.as_bytes()) {
            None => Cow::Borrowed(REDACTED),
            Some(found) if found.is_empty() => Cow::Borrowed(text),
            Some(found) => Cow::Owned(without(text, found)),
        }
    }

    /// Where secrets are in a text: all of it, if the search is not possible.
    pub(crate) fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        self.found(text).unwrap_or_else(|| std::iter::once(0..text.len()).collect())
    }

    /// Puts stars in the place of secrets, as many as they have bytes. True where there were some.
    pub(crate) fn mask(&self, bytes: &mut [u8]) -> bool {
        let found = self.find(bytes);
        for range in &found {
            bytes.get_mut(range.clone()).unwrap_or_default().fill(b'*');
        }
        !found.is_empty()
    }

    /// [`Redactor::mask`] of a text.
    pub(crate) fn mask_text(&self, text: &mut String) -> bool {
        let found = self.find(text.as_bytes());
        if !found.is_empty() {
            *text = starred(text, &found);
        }
        !found.is_empty()
    }

    /// One that hides these secrets as well, which their caller found long enough.
    pub(crate) fn with(&self, more: impl IntoIterator<Item = SecretString>) -> Self {
        let mut secrets = self.0.read().unwrap_or_else(PoisonError::into_inner).secrets.clone();
        secrets.extend(more.into_iter().filter(|secret| !secret.expose_secret().is_empty()));
        let search = Search::of(&secrets).ok();
        Self(Arc::new(RwLock::new(Known { secrets, search })))
    }

    /// Where secrets are in a text; none if the search is not possible.
    fn found(&self, text: &[u8]) -> Option<Vec<Range<usize>>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let Some(search) = &known.search else {
            return known.secrets.is_empty().then(Vec::new);
        };
        let mut found = search.find(text);
        if text.contains(&b'%') || text.contains(&b'\\') {
            found.extend(search.find_escaped(text));
        }
        Some(found)
    }

    /// The error without the secrets: providers like to quote a wrong key in their answer.
    #[must_use]
    pub fn redact_error(&self, mut error: ErrorInfo) -> ErrorInfo {
        error.message = self.redact(&error.message).into_owned();
        for text in [&mut error.action, &mut error.detail] {
            *text = text.take().map(|text| self.redact(&text).into_owned());
        }
        error
    }
}

impl Search {
    fn of(secrets: &[SecretString]) -> Result<Self, BuildError> {
        let secrets = || secrets.iter().map(|secret| secret.expose_secret());
        let exact = secrets().flat_map(|secret| [vec![secret.to_owned()], in_base64(secret)]).flatten();
        let hexadecimal =
            secrets().map(|secret| secret.bytes().map(|byte| format!("{byte:02x}")).collect::<String>());
        Ok(Self {
            exact: AhoCorasick::new(exact)?,
            hexadecimal: AhoCorasick::builder().ascii_case_insensitive(true).build(hexadecimal)?,
        })
    }

    fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        [&self.exact, &self.hexadecimal]
            .into_iter()
            .flat_map(|automaton| automaton.find_overlapping_iter(text).map(|found| found.range()))
            .collect()
    }
}

impl Search {
    /// Secrets some of whose characters are escaped. Decoding takes several times the space, so a long text is searched in parts, which overlap.
    fn find_escaped(&self, text: &[u8]) -> Vec<Range<usize>> {
        const PART: usize = 1 << 20;
        /// More than any form of a key has, escaped character by character.
        const OVERLAP: usize = 64 << 10;
        let mut found = Vec::new();
        let mut start = 0;
        while start < text.len() {
            let end = text.len().min(start + PART + OVERLAP);
            let mut decoded = Decoded::of(text.get(start..end).unwrap_or_default());
            for _ in 0..ROUNDS {
                let here = self.find(&decoded.bytes).into_iter().map(|range| decoded.place(range));
                found.extend(here.map(|range| start + range.start..start + range.end));
                let Some(again) = decoded.again() else { break };
                decoded = again;
            }
            start += PART;
        }
        found
    }
}

/// The base64 forms of a secret. A text before it, as in `user:secret`, shifts it by 0, 1 or 2 bytes, and each shift
/// gives another form. The characters that also depend on what is before and behind the secret are left out.
fn in_base64(secret: &str) -> Vec<String> {
    let mut forms = vec![STANDARD.encode(secret), URL_SAFE.encode(secret)];
    for before in 0..3 {
        let bytes: Vec<u8> = std::iter::repeat_n(0, before).chain(secret.bytes()).collect();
        // A character has 6 bits: 8 bits before the secret are in the first two of them, 16 bits in the first three.
        let first = [0, 2, 3][before];
        let whole = bytes.len() * 8 / 6;
        for text in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
            forms.extend(text.get(first..whole).map(str::to_owned));
        }
    }
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// A text without escapes of URLs and of JSON, and where each byte of it was.
struct Decoded {
    bytes: Vec<u8>,
    places: Vec<Range<usize>>,
}

impl Decoded {
    fn of(text: &[u8]) -> Self {
        let (mut bytes, mut places) = (Vec::with_capacity(text.len()), Vec::with_capacity(text.len()));
        let mut at = 0;
        while at < text.len() {
            let (decoded, length) = escaped(&text[at..]).unwrap_or((Unescaped::Byte(text[at]), 1));
            let mut buffer = [0; 4];
            let decoded = match decoded {
                Unescaped::Byte(byte) => {
                    buffer[0] = byte;
                    &buffer[..1]
                }
                Unescaped::Letter(letter) => letter.encode_utf8(&mut buffer).as_bytes(),
            };
            bytes.extend_from_slice(decoded);
            places.extend(std::iter::repeat_n(at..at + length, decoded.len()));
            at += length;
        }
        Self { bytes, places }
    }

    /// The same with escapes taken off once more; none where there are none.
    fn again(&self) -> Option<Self> {
        let inner = Self::of(&self.bytes);
        let places = inner.places.iter().map(|range| self.place(range.clone())).collect();
        (inner.bytes.len() < self.bytes.len()).then_some(Self { places, ..inner })
    }

    /// Where these decoded bytes were.
    fn place(&self, range: Range<usize>) -> Range<usize> {
        match self.places.get(range) {
            Some([only]) => only.clone(),
            Some([first, .., last]) => first.start..last.end,
            _ => 0..0,
        }
    }
}

/// The meaning of an escape.
enum Unescaped {
    Byte(u8),
    Letter(char),
}

/// The meaning of an escape such as `%2F`, `\u002f` or `\n` at the beginning of a text, and its length.
fn escaped(text: &[u8]) -> Option<(Unescaped, usize)> {
    use Unescaped::{Byte, Letter};
    let number = |digits: &[u8]| {
        let mut digits = digits.iter().map(|&byte| char::from(byte).to_digit(16));
        digits.try_fold(0, |number, digit| Some(number * 16 + digit?))
    };
    match *text {
        [b'%', high, low, ..] => Some((Byte(u8::try_from(number(&[high, low])?).ok()?), 3)),
        [b'\\', b'u', a, b, c, d, ..] => Some((Letter(char::from_u32(number(&[a, b, c, d])?)?), 6)),
        [b'\\', byte @ (b'"' | b'\\' | b'/'), ..] => Some((Byte(byte), 2)),
        [b'\\', b'n', ..] => Some((Byte(b'\n'), 2)),
        [b'\\', b'r', ..] => Some((Byte(b'\r'), 2)),
        [b'\\', b't', ..] => Some((Byte(b'\t'), 2)),
        _ => None,
    }
}

/// The text with stars in these ranges. A secret that is no ASCII may begin or end within a character: all of that goes.
pub(crate) fn starred(text: &str, found: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for range in found {
        let (start, end) = (text.floor_char_boundary(range.start), text.ceil_char_boundary(range.end));
        bytes.get_mut(start..end).unwrap_or_default().fill(b'*');
    }
    String::from_utf8(bytes).unwrap_or_else(|_| "*".repeat(text.len()))
}

/// The text with [`REDACTED`] in place of these ranges; those that overlap are one. A range that begins or ends within a character takes all of it.
fn without(text: &str, mut found: Vec<Range<usize>>) -> String {
    found.sort_unstable_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut redacted = String::with_capacity(text.len());
    let mut end = 0;
    for range in found {
        let range = text.floor_char_boundary(range.start)..text.ceil_char_boundary(range.end);
        if range.start >= end {
            redacted.push_str(&text[end..range.start]);
            redacted.push_str(REDACTED);
        }
        end = end.max(range.end);
    }
    redacted.push_str(&text[end..]);
    redacted
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Redactor")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_a_server_quotes_escaped_twice_is_hidden() {
        let redactor = Redactor::default().with(["sk-\"12/45+7\u{e9}\n8".into()]);
        let once = r#"sk-\"12\/45+7\u00e9\n8"#;
        let twice = serde_json::to_string(once).unwrap();
        let thrice = serde_json::to_string(&twice).unwrap();
        let percent = "sk-%2212%2F45%2B7%C3%A9%0A8";
        let all = percent.replace('%', "%25");
        let spelled: String = once.bytes().map(|byte| format!("\\\\u{byte:04x}")).collect();
        for text in [once, twice.trim_matches('"'), thrice.trim_matches(['"', '\\']), percent, &all, &spelled]
        {
            let text = format!("\u{e9} {text}!");
            assert_eq!(redactor.redact(&text), "\u{e9} [redacted]!", "{text}");
        }
    }

    #[test]
    fn no_text_is_let_through_while_secrets_cannot_be_searched_for() {
        let redactor = Redactor::default();
        assert_eq!(redactor.redact("nothing is secret yet"), "nothing is secret yet");
        redactor.0.write().unwrap().secrets.push(SecretString::from("sk-0123456789"));
        for text in ["the key sk-0123456789", "any text", ""] {
            assert_eq!(redactor.redact(text), REDACTED, "{text}");
        }
        let error = ErrorInfo::new(orion_protocol::Code::Authentication, "sk-0123456789", "Check it.");
        let hidden = ErrorInfo::new(error.code, REDACTED, REDACTED).with_detail(REDACTED);
        assert_eq!(redactor.redact_error(error.with_detail("sk-0123456789")), hidden);

        redactor.hide(&SecretString::from("sk-abcdefghij"));
        assert_eq!(redactor.redact("sk-0123456789 or sk-abcdefghij"), "[redacted] or [redacted]");
    }
}
