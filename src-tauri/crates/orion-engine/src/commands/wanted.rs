//! The bounds of a line, and of a program with its words, that somebody wants to run (C1).
//!
//! Deliberately not here: whether it may run, and which programs a line has (`orion-core`).

use orion_sandbox::Program;

/// Bytes of a line, and of a program with its arguments: 8 KiB. A longer one is a script, and belongs into a file.
const LINE: usize = 8 * 1024;

/// A program and its arguments: 256 words.
const WORDS: usize = 256;

/// The line as a shell takes it, of a program that can be run.
///
/// # Errors
/// The reason for which it cannot be, as a part of a sentence.
pub(crate) fn line_of(program: &Program) -> Result<String, String> {
    let line = match program {
        Program::Line(line) if line.trim().is_empty() => return Err("command is empty".to_owned()),
        Program::Line(line) => line.clone(),
        Program::Argv(argv) if argv.first().is_none_or(String::is_empty) => {
            return Err("argv names no program".to_owned());
        }
        Program::Argv(argv) if argv.len() > WORDS => {
            return Err(format!("argv has {} words, and {WORDS} is the most", argv.len()));
        }
        Program::Argv(argv) => shell_words::join(argv),
    };
    if line.len() > LINE {
        return Err(format!(
            "the command has {} bytes, and {LINE} is the most; write a script instead",
            line.len()
        ));
    }
    match line.chars().find(|letter| letter.is_control() && !matches!(letter, '\t' | '\n')) {
        Some(letter) => Err(format!("the command has the control character U+{:04X}", u32::from(letter))),
        None => Ok(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // C1
    #[test]
    fn a_line_is_within_its_bounds_and_has_no_character_that_cannot_be_seen() {
        let of = |line: &str| line_of(&Program::Line(line.to_owned()));
        assert_eq!(of("a\t\n b").unwrap(), "a\t\n b");
        for line in ["", " \n", "a\u{1b}[2K", "a\rb", "a\0", &"x".repeat(LINE + 1)] {
            assert!(of(line).is_err(), "{line:?}");
        }
        let argv =
            |words: &[&str]| line_of(&Program::Argv(words.iter().map(|word| (*word).to_owned()).collect()));
        assert_eq!(argv(&["echo", "a b", "it's", "$x"]).unwrap(), r"echo 'a b' 'it'\''s' '$x'");
        for words in [&[][..], &["", "a"], &["a\0"], &["x"; WORDS + 1]] {
            assert!(argv(words).is_err(), "{words:?}");
        }
    }
}
