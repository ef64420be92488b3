//! Hides arguments that look like a key, or hold a password, in the messages of the argument parser. People paste a key
//! where the name of a variable belongs, and the lines of a terminal are kept and shared.

use crate::config::KeyVariable;

/// What stands in an argument's place.
const HIDDEN: &str = "[hidden]";

/// What keys of common providers begin with.
const PREFIXES: &[&str] =
    &["sk-", "sk_", "pk-", "gsk_", "xai-", "ghp_", "gho_", "hf_", "nvapi-", "AIza", "r8_", "eyJ"];

/// The shortest word that can be taken for a key by its characters, in bytes. Keys are longer, and names with a digit
/// rarely are.
const KEY_BYTES: usize = 20;

/// The parser's message without the arguments that may be secrets.
#[must_use]
pub fn hide_in_usage(said: &str, arguments: &[String]) -> String {
    let mut secrets: Vec<&str> = Vec::new();
    for (at, argument) in arguments.iter().enumerate() {
        let (name, value) = match argument.split_once('=') {
            Some((name, value)) if name.starts_with('-') => (Some(name), value),
            _ => (at.checked_sub(1).map(|before| arguments[before].as_str()), argument.as_str()),
        };
        let asked = name.is_some_and(|name| name.starts_with('-') && names_a_secret(name));
        if is_secret(value) || (asked && !value.starts_with('-') && KeyVariable::new(value).is_none()) {
            secrets.extend([argument.as_str(), value]);
        }
    }
    secrets.retain(|secret| !secret.is_empty());
    secrets.sort_unstable_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets.iter().fold(said.to_owned(), |said, secret| said.replace(secret, HIDDEN))
}

fn names_a_secret(option: &str) -> bool {
    let option = option.to_ascii_lowercase();
    ["key", "token", "secret", "password", "auth"].iter().any(|word| option.contains(word))
}

fn is_secret(text: &str) -> bool {
    has_password(text)
        || text.split(|c: char| !(c.is_ascii_alphanumeric() || "-_+.~".contains(c))).any(is_key)
}

/// True for an address with a user's name or a password in it, also without its scheme.
fn has_password(text: &str) -> bool {
    let behind = text.split_once("://").map_or(text, |(_, behind)| behind);
    let authority = behind.split(['/', '?', '#']).next().unwrap_or(behind);
    let has_scheme = behind.len() < text.len();
    authority.rsplit_once('@').is_some_and(|(user, _)| has_scheme || user.contains(':'))
        && !authority.contains(char::is_whitespace)
}

fn is_key(word: &str) -> bool {
    let begins = PREFIXES.iter().any(|prefix| word.starts_with(prefix)) && word.len() >= 8;
    let mixed = word.len() >= KEY_BYTES
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_alphabetic());
    // A mistyped id is still shown, and so are words that are joined by dashes.
    let joined = word.split('-').count() > 3 && word.split('-').all(|part| part.len() <= 12);
    begins || (mixed && !joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said_of(arguments: &[&str]) -> String {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        hide_in_usage(&format!("error: {} is wrong", arguments.join(" ")), &arguments)
    }

    #[test]
    fn what_looks_like_a_key_or_holds_a_password_is_hidden_in_the_words_of_the_parser() {
        for secret in [
            "sk-12345678",
            "gsk_abcdefgh",
            "0123456789abcdef0123456789abcdef",
            "AbC9dEfGhIjKlMnOpQrStU",
            "https://me:secret@host.example/v1",
            "https://token@host.example/v1",
            "me:secret@host.example",
            "https://host.example/v1?key=a1b2c3d4e5f6g7h8i9j0",
        ] {
            assert_eq!(said_of(&[secret]), "error: [hidden] is wrong", "{secret}");
            assert_eq!(said_of(&["--mode", secret]), "error: --mode [hidden] is wrong");
            assert_eq!(said_of(&[&format!("--mode={secret}")]), "error: [hidden] is wrong");
        }
        assert_eq!(said_of(&["--api-key", "hunter2"]), "error: --api-key [hidden] is wrong");
        assert_eq!(said_of(&["--api-key=hunter2"]), "error: [hidden] is wrong");
    }

    #[test]
    fn other_arguments_are_named() {
        for named in [
            "--mode=fast",
            "--max-cycles 99",
            "--api-key-env DEEPSEEK_API_KEY",
            "--base-url ftp://host.example/v1",
            "0197c1f2-7e4a-7aaa-8000-0123456789ax",
            "0197c1f2-7e4a-7aaa-8000-0123456789",
            "What is in this folder, me@host.example?",
            "/home/me/some-project/src",
        ] {
            let arguments: Vec<&str> = named.split(' ').collect();
            assert_eq!(said_of(&arguments), format!("error: {named} is wrong"));
        }
    }
}
