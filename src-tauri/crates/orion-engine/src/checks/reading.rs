//! Reading the files behind a check: whole and bounded, through the project's handle, and without their secrets.
//!
//! Deliberately not here: what the files mean (`script`, `proposing`).

use std::io::{self, Read};

use orion_files::workspace::{Project, ProjectPath};
use orion_protocol::Code;
use sha2::{Digest, Sha256};

/// Bytes of a file that are read as text: 64 KiB. A manifest is smaller, and a script that a person looks through too.
pub(super) const TEXT: u64 = 64 * 1024;

/// Bytes of a file whose digest is computed: 64 MiB, a program that lies in the project.
const DIGEST: u64 = 64 << 20;

/// The ends of the keys, in lower case, whose values are secrets.
const KEYS: [&str; 8] = ["auth", "authtoken", "token", "password", "passwd", "secret", "apikey", "authident"];

/// The sign that is left where a secret was.
const SECRET: &str = "…";

/// A file that somebody names in a check.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Nothing,
    Text(String),
    /// It is no text, or too large to be shown: its size and digest.
    Other(String),
    /// It cannot be read: the reason.
    Closed(String),
}

/// Reads a file of the project. A link out of it, a pipe and what `.orionignore` closes are not read.
pub(super) fn read(project: &Project, path: &str) -> Found {
    let opened = project.path(path).and_then(|path| {
        let path: ProjectPath = path;
        project.open_file(&path)
    });
    let (file, _) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            return match error.code {
                // The box hides what is closed, so nothing of it runs.
                Code::PathNotFound | Code::PathIgnored => Found::Nothing,
                Code::PathWrongKind => Found::Closed("is no file".to_owned()),
                Code::PathOutside => Found::Closed("leads out of the project".to_owned()),
                _ => Found::Closed("cannot be read".to_owned()),
            };
        }
    };
    match text_or_digest(file) {
        Ok(found) => found,
        Err(_) => Found::Closed("cannot be read".to_owned()),
    }
}

/// The text of a file of the project. None where there is none, or it is no text, or longer than is read.
pub(super) fn text(project: &Project, path: &str) -> Option<String> {
    match read(project, path) {
        Found::Text(text) => Some(text),
        Found::Nothing | Found::Other(_) | Found::Closed(_) => None,
    }
}

/// True if a file of this name is in the project.
pub(super) fn is_there(project: &Project, path: &str) -> bool {
    project.path(path).and_then(|path| project.find(&path)).is_ok()
}

fn text_or_digest(mut file: impl Read) -> io::Result<Found> {
    let mut bytes = Vec::new();
    (&mut file).take(TEXT + 1).read_to_end(&mut bytes)?;
    let is_whole = bytes.len() as u64 <= TEXT;
    if is_whole && !bytes.contains(&0) {
        match String::from_utf8(bytes) {
            Ok(text) => return Ok(Found::Text(text)),
            Err(error) => bytes = error.into_bytes(),
        }
    }
    let mut sha256 = Sha256::new_with_prefix(&bytes);
    let (mut rest, mut piece) = (0, vec![0; 1 << 16]);
    while rest < DIGEST {
        let count = file.read(&mut piece)?;
        if count == 0 {
            break;
        }
        sha256.update(&piece[..count]);
        rest += count as u64;
    }
    if rest >= DIGEST {
        return Ok(Found::Closed("is too large to be looked at".to_owned()));
    }
    let digest = orion_protocol::Sha256::from(<[u8; 32]>::from(sha256.finalize()));
    Ok(Found::Other(format!("{} bytes, SHA-256 {digest}", bytes.len() as u64 + rest)))
}

/// A file of settings without what looks like a secret, so that none is stored, and a new token is no new script.
pub(super) fn without_secrets(text: &str) -> String {
    text.split_inclusive('\n').map(|line| without_address(&without_value(line))).collect()
}

/// A line whose key says that its value is a secret, without it. A variable in the place of a secret is none.
fn without_value(line: &str) -> String {
    let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
    for (at, sign) in text.match_indices(['=', ':']) {
        let key = text[..at].trim_end().trim_end_matches(['"', '\'']).to_ascii_lowercase();
        let value = text[at + sign.len()..].trim();
        if KEYS.iter().any(|name| key.ends_with(name)) && !value.is_empty() {
            if value.trim_start_matches(['"', '\'']).starts_with('$') {
                break;
            }
            let space = if text[at + 1..].starts_with(' ') { " " } else { "" };
            return format!("{}{space}{SECRET}{end}", &text[..=at]);
        }
    }
    line.to_owned()
}

/// A line without the name and password of the first address in it that has some.
fn without_address(line: &str) -> String {
    let Some(at) = line.find("://").map(|at| at + 3) else { return line.to_owned() };
    let host = line[at..].split(['/', ' ', '"', '\'', '\n']).next().unwrap_or_default();
    match host.rfind('@') {
        Some(end) if host[..end].contains(':') => format!("{}{SECRET}{}", &line[..at], &line[at + end..]),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_secret_leaves_and_a_variable_or_a_setting_stays() {
        for (text, expected) in [
            ("//registry.test/:_authToken=abc123", "//registry.test/:_authToken=…"),
            ("//registry.test/:_authToken=${NPM_TOKEN}", "//registry.test/:_authToken=${NPM_TOKEN}"),
            ("_auth = dXNlcjpwYXNz\nscript-shell=/bin/evil", "_auth = …\nscript-shell=/bin/evil"),
            ("//r.test/:_password=x y\n", "//r.test/:_password=…\n"),
            ("npmAuthToken: \"abc\"", "npmAuthToken: …"),
            (
                "[registries.own]\ntoken = \"abc\"\nindex = \"x\"",
                "[registries.own]\ntoken = …\nindex = \"x\"",
            ),
            ("registry=https://me:secret@r.test/", "registry=https://…@r.test/"),
            ("ignore-scripts=false", "ignore-scripts=false"),
            ("[alias]\nxtask = \"run -p xtask --\"", "[alias]\nxtask = \"run -p xtask --\""),
        ] {
            assert_eq!(without_secrets(text), expected);
        }
    }
}
