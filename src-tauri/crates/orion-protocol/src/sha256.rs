//! SHA-256 digests: the name of a file's content, of a text, or of a thing to approve, in journal, store and wire.
//!
//! Deliberately not here: computing one. This crate has no hash function.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use ts_rs::TS;

/// A digest. On the wire it is 64 hexadecimal digits in lower case; upper case is accepted too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, TS)]
#[ts(export, type = "string")]
pub struct Sha256([u8; 32]);

/// The text is not 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a SHA-256 digest is 64 hexadecimal digits")]
pub struct NotADigest;

impl From<[u8; 32]> for Sha256 {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl Sha256 {
    #[must_use]
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl FromStr for Sha256 {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return Err(NotADigest) };
        let pairs: &[[u8; 2]; 32] = pairs.try_into().map_err(|_| NotADigest)?;
        let mut bytes = [0; 32];
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = nibble(*high)? << 4 | nibble(*low)?;
        }
        Ok(Self(bytes))
    }
}

fn nibble(digit: u8) -> Result<u8, NotADigest> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        b'A'..=b'F' => Ok(digit - b'A' + 10),
        _ => Err(NotADigest),
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Written at once: the history of a long session names hundreds of digests, and a formatter costs more than a digit.
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0; 64];
        for (pair, byte) in text.as_chunks_mut::<2>().0.iter_mut().zip(self.0) {
            *pair = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
        }
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sha256({self})")
    }
}

impl Serialize for Sha256 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sha256 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl serde::de::Visitor<'_> for Text {
            type Value = Sha256;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("64 hexadecimal digits")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Sha256, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::{NotADigest, Sha256};

    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn a_digest_is_64_hexadecimal_digits_in_lower_case_on_the_wire() {
        let digest: Sha256 = ABC.parse().unwrap();
        assert_eq!(serde_json::to_string(&digest).unwrap(), format!("\"{ABC}\""));
        assert_eq!(serde_json::from_str::<Sha256>(&format!("\"{ABC}\"")).unwrap(), digest);
        assert_eq!(ABC.to_uppercase().parse(), Ok(digest));
        assert_eq!(Sha256::from([0x0f; 32]).to_string(), "0f".repeat(32));
    }

    #[test]
    fn any_other_text_is_no_digest() {
        let long = format!("{ABC}0");
        let (short, wide) = (&ABC[1..], format!("é{}", &ABC[2..]));
        for text in ["", "stale", short, &long, &wide, &ABC.replace('b', "g"), &ABC.replace("ba", "+a")] {
            assert_eq!(text.parse::<Sha256>(), Err(NotADigest), "{text}");
            assert!(serde_json::from_value::<Sha256>(text.into()).is_err(), "{text}");
        }
        assert!(serde_json::from_str::<Sha256>("7").is_err());
    }
}
