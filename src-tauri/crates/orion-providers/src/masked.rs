//! Takes the key of a call out of what the other side said: providers like to quote a wrong key.
//!
//! What was said may end anywhere: at a limit, when the time is up, where the connection broke. So a beginning of the key at its end is taken
//! out too. For the same reason the key is taken out before a text is shortened. Deliberately not here: other encodings of a key, such as base64
//! (`orion-engine`).

/// Stands in the place of a key.
const MASK: &str = "[key]";

/// The shortest beginning of a key that is taken out: 8 bytes, as many as `orion-engine` takes for a secret at least.
const BEGINNING: usize = 8;

/// The text without the key.
pub(crate) fn masked(text: &str, key: &str) -> String {
    let mut text = text.replace(key, MASK);
    let before = |end: usize| text.strip_suffix(key.get(..end)?).map(str::len);
    let cut = (BEGINNING..key.len()).rev().find_map(before);
    if let Some(end) = cut {
        text.truncate(end);
        text.push_str(MASK);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-proj-0123456789";

    #[test]
    fn a_key_is_taken_out_wherever_it_stands() {
        assert_eq!(masked(&format!("{KEY}, {KEY}{KEY}."), KEY), "[key], [key][key].");
        assert_eq!(masked("no key", KEY), "no key");
        assert_eq!(masked("short: abc, ab", "abc"), "short: [key], ab");
    }

    #[test]
    fn a_key_that_is_cut_at_the_end_of_a_text_is_taken_out_too() {
        for end in BEGINNING..KEY.len() {
            assert_eq!(masked(&format!("{KEY} is {}", &KEY[..end]), KEY), "[key] is [key]");
        }
        // What all keys of a provider begin with is no secret, nor is a part from the middle of a text.
        assert_eq!(masked("sk-proj", KEY), "sk-proj");
        assert_eq!(masked("sk-proj-01 is", KEY), "sk-proj-01 is");
    }
}
