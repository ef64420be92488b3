//! Numbers as people read them.

use std::fmt::Display;

/// A number with its thousands apart, such as `32,768`.
#[must_use]
pub fn grouped(number: impl Into<u64> + Display) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_stand_apart() {
        let numbers = [0_u64, 999, 1_000, 32_768, 999_999, 1_000_000, u64::MAX];
        let texts = ["0", "999", "1,000", "32,768", "999,999", "1,000,000", "18,446,744,073,709,551,615"];
        assert_eq!(numbers.map(grouped), texts);
    }
}
