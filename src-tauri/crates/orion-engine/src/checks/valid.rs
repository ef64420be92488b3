//! The bounds of a check that a person sets: each refusal names the field and the reason.
//!
//! Deliberately not here: whether its script is the one that was seen (`checks`), and how many there may be (the store).

use orion_core::permission::Pattern;
use orion_protocol::{Check, CheckCommand, Code, ErrorInfo};
use orion_sandbox::Program;

use crate::commands::line_of;

/// The most globs of a check: 32, and bytes of each.
const PATHS: usize = 32;
const PATH: usize = 256;

/// The program of a command, with its line as a shell takes it.
///
/// # Errors
/// `usage`, with the field and the reason.
pub(super) fn program(command: &CheckCommand) -> Result<(Program, String), ErrorInfo> {
    let program = match command {
        CheckCommand::Line(line) => Program::Line(line.clone()),
        CheckCommand::Argv(words) => Program::Argv(words.clone()),
    };
    let line = line_of(&program).map_err(|why| refused("command", &why))?;
    Ok((program, line))
}

/// Checks a check.
///
/// # Errors
/// `usage`, with the field and the reason.
pub(super) fn check(check: &Check) -> Result<(), ErrorInfo> {
    let Check { name, command, timeout_s, paths, .. } = check;
    if name.is_empty() || name.len() > Check::NAME {
        return Err(refused("name", &format!("it must have 1 to {} characters", Check::NAME)));
    }
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') || name.starts_with('-') {
        return Err(refused(
            "name",
            "it can have letters, digits and hyphens, and does not begin with a hyphen",
        ));
    }
    program(command)?;
    if !(1..=Check::MOST_SECONDS).contains(timeout_s) {
        return Err(refused("timeout_s", &format!("it must be from 1 to {}", Check::MOST_SECONDS)));
    }
    if paths.len() > PATHS {
        return Err(refused("paths", &format!("there are {}, and {PATHS} is the most", paths.len())));
    }
    for (at, path) in paths.iter().enumerate() {
        let shown: String = path.chars().take(80).collect();
        if path.len() > PATH {
            return Err(refused("paths", &format!("{shown:?} has more than {PATH} bytes")));
        }
        let leads_out = path.starts_with('/') || path.split('/').any(|name| name == "..");
        if leads_out || path.chars().any(char::is_control) || Pattern::try_from(path.clone()).is_err() {
            return Err(refused("paths", &format!("{shown:?} is no pattern of files in the project")));
        }
        if paths[..at].contains(path) {
            return Err(refused("paths", &format!("{shown:?} is there twice")));
        }
    }
    Ok(())
}

pub(super) fn refused(field: &str, why: &str) -> ErrorInfo {
    ErrorInfo::new(Code::Usage, format!("{field}: {why}."), "Change it, then save the check again.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a() -> Check {
        let command = CheckCommand::Line("npm test".to_owned());
        Check { name: "a-1".to_owned(), command, timeout_s: 1, paths: Vec::new(), on: false }
    }

    // V1
    #[test]
    fn bad_input_is_refused_with_the_field_and_the_reason() {
        let line = |line: &str| CheckCommand::Line(line.to_owned());
        let argv = |words: &[&str]| CheckCommand::Argv(words.iter().map(|word| (*word).to_owned()).collect());
        let paths = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
        let ok = [
            a(),
            Check { name: "A".repeat(40), timeout_s: 600, ..a() },
            Check { command: argv(&["cargo", "test"]), paths: paths(&["src/**", "*.{rs,toml}"]), ..a() },
        ];
        for it in ok {
            assert_eq!(check(&it), Ok(()), "{it:?}");
        }
        let bad = [
            ("name", Check { name: String::new(), ..a() }),
            ("name", Check { name: "a".repeat(41), ..a() }),
            ("name", Check { name: "-rf".to_owned(), ..a() }),
            ("name", Check { name: "tëst".to_owned(), ..a() }),
            ("name", Check { name: "a b".to_owned(), ..a() }),
            ("command", Check { command: line(" "), ..a() }),
            ("command", Check { command: line("a\u{1b}[2K"), ..a() }),
            ("command", Check { command: argv(&[]), ..a() }),
            ("command", Check { command: line(&"x".repeat(8_193)), ..a() }),
            ("timeout_s", Check { timeout_s: 0, ..a() }),
            ("timeout_s", Check { timeout_s: 601, ..a() }),
            ("paths", Check { paths: paths(&["a", "../b"]), ..a() }),
            ("paths", Check { paths: paths(&["/etc/**"]), ..a() }),
            ("paths", Check { paths: paths(&["[a"]), ..a() }),
            ("paths", Check { paths: paths(&[""]), ..a() }),
            ("paths", Check { paths: paths(&["a", "a"]), ..a() }),
            ("paths", Check { paths: vec!["x".to_owned(); 33], ..a() }),
            ("paths", Check { paths: vec!["x".repeat(257)], ..a() }),
        ];
        for (field, it) in bad {
            let error = check(&it).unwrap_err();
            assert_eq!(
                (error.code, error.message.starts_with(&format!("{field}: "))),
                (Code::Usage, true),
                "{error}"
            );
        }
    }
}
