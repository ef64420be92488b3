//! Hides arguments that look like a key, or hold a password, in the messages of the argument parser. People paste a key
//! where the name of a variable belongs, and the lines of a terminal are kept and shared.

use crate::config::KeyVariable;

/// What stands in an argument's place.
const HIDDEN: &str = "[hidden]";

/// The word before a key in the header of a request.
const BEARER: &str = "Bearer";

/// What keys of common providers begin with.
const PREFIXES: &[&str] =
    &["sk-", "sk_", "pk-", "gsk_", "xai-", "ghp_", "gho_", "hf_", "nvapi-", "AIza", "r8_", "eyJ"];

/// The shortest word that can be taken for a key by its characters, in bytes. Keys are longer, and names with a digit
/// rarely are.
const KEY_BYTES: usize = 20;

/// The parser's message without the arguments that may be secrets. It hides too much rather than too little.
#[must_use]
pub fn hide_in_usage(said: &str, arguments: &[String]) -> String {
    let mut secrets: Vec<&str> = Vec::new();
    for (at, argument) in arguments.iter().enumerate() {
        let (option, value) = match argument.split_once('=') {
            Some((option, value)) if option.starts_with('-') => (Some(option), value),
            _ => (at.checked_sub(1).map(|before| arguments[before].as_str()), argument.as_str()),
        };
        let asked = option.is_some_and(asks_for_a_secret)
            && !value.starts_with('-')
            && KeyVariable::new(value).is_none();
        if asked || is_secret(value) {
            secrets.extend([argument.as_str(), value]);
        }
    }
    secrets.retain(|secret| !secret.is_empty());
    secrets.sort_unstable_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets.iter().fold(said.to_owned(), |said, secret| said.replace(secret, HIDDEN))
}

/// True for an argument behind which a secret may follow: an option, `token=` or `Authorization:`, or the word `Bearer`.
fn asks_for_a_secret(argument: &str) -> bool {
    (argument.starts_with('-') || argument.ends_with(['=', ':'])) && names_a_secret(argument)
        || argument.eq_ignore_ascii_case(BEARER)
}

fn names_a_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["key", "token", "secret", "passw", "pwd", "auth", "credential"].iter().any(|word| name.contains(word))
}

fn is_secret(text: &str) -> bool {
    has_password(text)
        || has_named_secret(text)
        || has_bearer(text)
        || text.split(|c: char| !(c.is_ascii_alphanumeric() || "-_+.~".contains(c))).any(is_key)
}

/// True for an address with a user's name or a password in it, also without its scheme. What a person typed need not be a valid
/// address: a password may have spaces and the signs in it that end the part with the host.
fn has_password(text: &str) -> bool {
    text.match_indices('@').any(|(at, _)| {
        let before = &text[..at];
        // A word that begins with it names a file or a person.
        if before.is_empty() || before.ends_with(char::is_whitespace) {
            return false;
        }
        match before.split_once("://") {
            Some((_, user)) => user.contains(':') || !user.contains(char::is_whitespace),
            None => before.split(':').skip(1).any(|behind| !behind.starts_with(char::is_whitespace)),
        }
    })
}

/// True for `password=…`, `"api_key": "…"`, `Authorization: …` and the like.
fn has_named_secret(text: &str) -> bool {
    text.match_indices(['=', ':']).any(|(at, _)| {
        let before = text[..at].trim_end_matches(|c: char| c.is_whitespace() || "\"'".contains(c));
        let name = before.rsplit(|c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c))).next();
        let value = text[at + 1..].trim_matches(|c: char| c.is_whitespace() || "\"'".contains(c));
        !value.is_empty() && name.is_some_and(names_a_secret)
    })
}

/// True for `Bearer` with a word behind it that is no word of a sentence.
fn has_bearer(text: &str) -> bool {
    let mut words =
        text.split(|c: char| c.is_whitespace() || "\"'".contains(c)).filter(|word| !word.is_empty());
    let is_behind = |words: &mut dyn Iterator<Item = &str>| {
        words
            .next()
            .is_some_and(|word| word.len() >= KEY_BYTES || word.bytes().any(|byte| byte.is_ascii_digit()))
    };
    words.any(|word| word.eq_ignore_ascii_case(BEARER)) && is_behind(&mut words)
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
    fn a_password_may_have_any_sign_in_it() {
        for secret in [
            "https://me:12#34@host.example/v1",
            "https://me:12?34@host.example/v1",
            "https://me:12/34@host.example/v1",
            "https://me:my pass@host.example/v1",
            "https://me:p@ss word@host.example/v1",
            "me:12#34@host.example/v1",
            "me:my pass@host.example",
            "Ask https://host.example or https://token@other.example",
        ] {
            assert_eq!(said_of(&["--base-url", secret]), "error: --base-url [hidden] is wrong", "{secret}");
        }
    }

    #[test]
    fn what_is_called_a_secret_is_hidden_whatever_it_looks_like() {
        for secret in [
            "api_key=hunter2secret",
            "apikey = hunter2",
            "password=hunter2",
            "db_passwd=hunter2",
            "token=hunter2",
            "secret=hunter2",
            "Use password=hunter2 for it.",
            "https://host.example/v1?token=hunter2",
            "Authorization: Bearer hunter2",
            "Authorization: Basic bWU6aHVudGVy",
            "X-Api-Key: hunter2",
            "{\"api_key\": \"hunter2\"}",
            "Bearer hunter2",
            "'bearer' hunter2",
        ] {
            assert_eq!(said_of(&["Hi", secret]), "error: Hi [hidden] is wrong", "{secret}");
            assert_eq!(said_of(&[&format!("--header={secret}")]), "error: [hidden] is wrong", "{secret}");
        }
        for before in ["token=", "password:", "Authorization:", "Bearer"] {
            assert_eq!(said_of(&[before, "hunter2"]), format!("error: {before} [hidden] is wrong"));
        }
    }

    #[test]
    fn an_ordinary_question_is_repeated() {
        for question in [
            "What is the answer: 42?",
            "What does https://host.example say about me@host.example?",
            "What do src/main.c:12 and @notes.txt have in common?",
            "Who is the bearer of the ring?",
            "Which key is it?",
            "Is a=b the same as b=a?",
        ] {
            assert_eq!(said_of(&["Hi", question]), format!("error: Hi {question} is wrong"));
        }
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
