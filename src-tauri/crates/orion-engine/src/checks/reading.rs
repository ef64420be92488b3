//! Reading the files behind a check: whole and bounded, through the project's handle, and without their secrets.
//!
//! Deliberately not here: what the files mean (`script`, `proposing`).

use std::io::{self, BufRead, Read};
use std::path::Path;

use orion_files::workspace::{Project, ProjectPath};
use orion_protocol::{Code, ErrorInfo};
use sha2::{Digest, Sha256};

/// Bytes of a file that are read as text: 64 KiB. A manifest is smaller, and a script that a person looks through too.
pub(super) const TEXT: u64 = 64 * 1024;

/// Entries of folders that are looked at for one pattern: 4096.
const ENTRIES: usize = 4096;

/// The ends of the keys, in lower case, whose values are secrets.
const KEYS: [&str; 8] = ["auth", "authtoken", "token", "password", "passwd", "secret", "apikey", "authident"];

/// The sign that is left where a secret was.
const SECRET: &str = "…";

/// A file that somebody names in a check.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Nothing,
    Text(String),
    /// It is not shown, and counts by its digest. `is_text`: a person could read it, if it were shorter.
    Other {
        what: String,
        sha256: [u8; 32],
        bytes: u64,
        is_text: bool,
    },
    /// It cannot be read: the reason.
    Unread(&'static str),
}

/// Reads a file of the project, up to this many bytes. A link out of it and a pipe are not read.
pub(super) fn read(project: &Project, path: &str, most: u64) -> Found {
    let parsed: Result<ProjectPath, ErrorInfo> = project.path(path);
    if parsed.as_ref().is_ok_and(|path| project.metadata(path).is_ok_and(|it| it.is_dir())) {
        return Found::Nothing;
    }
    match parsed.and_then(|path| project.open_file(&path)) {
        Ok((file, _)) => text_or_digest(file, most).unwrap_or(Found::Unread("cannot be read")),
        Err(error) => match error.code {
            Code::PathNotFound => Found::Nothing,
            Code::PathIgnored => closed(project, path, most),
            Code::PathWrongKind => Found::Unread("is no file"),
            Code::PathOutside => Found::Unread("leads out of the project"),
            _ => Found::Unread("cannot be read"),
        },
    }
}

/// A file that `.orionignore` closes. A box does not hide it at each level, so it counts; it is read for its digest alone.
fn closed(project: &Project, path: &str, most: u64) -> Found {
    let path = Path::new(path);
    let path = path.strip_prefix(project.root()).unwrap_or(path);
    let file = match project.open_own(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Found::Nothing,
        Err(_) => return Found::Unread("is closed to Orion"),
    };
    match file.metadata() {
        Ok(it) if it.is_dir() => return Found::Nothing,
        Ok(it) if it.is_file() => {}
        Ok(_) | Err(_) => return Found::Unread("is closed to Orion"),
    }
    match digest(&[], file, most) {
        Ok(Found::Other { sha256, bytes, .. }) => {
            Found::Other { what: "It is closed to Orion.".to_owned(), sha256, bytes, is_text: false }
        }
        Ok(found) => found,
        Err(_) => Found::Unread("is closed to Orion"),
    }
}

/// The files in a folder of the project and below it, so many folders deep. None where there are more than are looked at.
pub(super) fn files_below(project: &Project, folder: &str, depth: usize) -> Option<Vec<String>> {
    let (mut open, mut files, mut left) = (vec![(folder.to_owned(), depth)], Vec::new(), ENTRIES);
    while let Some((folder, depth)) = open.pop() {
        let Ok(entries) = std::fs::read_dir(project.root().join(&folder)) else { continue };
        for entry in entries.filter_map(Result::ok) {
            left = left.checked_sub(1)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth > 1 => open.push((path, depth - 1)),
                Ok(kind) if !kind.is_dir() => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    Some(files)
}

/// The text of a file of the project. None where there is none, or it is no text, or longer than is read.
pub(super) fn text(project: &Project, path: &str) -> Option<String> {
    match read(project, path, TEXT + 1) {
        Found::Text(text) => Some(text),
        Found::Nothing | Found::Other { .. } | Found::Unread(_) => None,
    }
}

/// True if a file of this name is in the project.
pub(super) fn is_there(project: &Project, path: &str) -> bool {
    project.path(path).and_then(|path| project.find(&path)).is_ok()
}

fn text_or_digest(mut file: impl Read, most: u64) -> io::Result<Found> {
    let mut bytes = Vec::new();
    (&mut file).take(TEXT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 <= TEXT && !bytes.contains(&0) {
        match String::from_utf8(bytes) {
            Ok(text) => return Ok(Found::Text(text)),
            Err(error) => bytes = error.into_bytes(),
        }
    }
    digest(&bytes, file, most)
}

/// The digest of a file whose first bytes are read. What is longer than may be read has no digest, and its bytes use up the room.
fn digest(start: &[u8], file: impl Read, most: u64) -> io::Result<Found> {
    let mut all = io::BufReader::with_capacity(1 << 16, start.chain(file).take(most));
    let (mut sha256, mut bytes) = (Sha256::new(), 0);
    loop {
        let piece = all.fill_buf()?;
        let count = piece.len();
        if count == 0 {
            break;
        }
        sha256.update(piece);
        bytes += count as u64;
        all.consume(count);
    }
    let sha256 = <[u8; 32]>::from(sha256.finalize());
    let what = format!("{bytes} bytes, SHA-256 {}", orion_protocol::Sha256::from(sha256));
    Ok(Found::Other { what, sha256, bytes, is_text: is_text(start) })
}

/// True of the beginning of a text. It may end within a character.
fn is_text(start: &[u8]) -> bool {
    let is_whole =
        |text: Result<&str, std::str::Utf8Error>| text.map_or_else(|it| it.error_len().is_none(), |_| true);
    !start.contains(&0) && is_whole(std::str::from_utf8(start))
}

/// True of a file of settings in which package managers keep tokens.
pub(super) fn has_secrets(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_cargo = path.starts_with(".cargo/config") || path.contains("/.cargo/config");
    is_cargo || name.starts_with(".yarnrc") || [".npmrc", "pip.conf", ".pypirc"].contains(&name)
}

/// A file of settings without what looks like a secret, so that none is shown or stored.
pub(super) fn without_secrets(text: &str) -> String {
    text.split_inclusive('\n').map(|line| without_address(&without_value(line))).collect()
}

/// A line whose key says that its value is a secret, without the word that is one. A variable in the place of a secret is none.
fn without_value(line: &str) -> String {
    for (at, sign) in line.match_indices(['=', ':']) {
        let key = line[..at].trim_end().trim_end_matches(['"', '\'']).to_ascii_lowercase();
        let rest = &line[at + sign.len()..];
        let value = rest.trim_start().trim_start_matches(['"', '\'']);
        let length = value.find(|c: char| c.is_whitespace() || c == '"' || c == '\'').unwrap_or(value.len());
        if KEYS.iter().any(|name| key.ends_with(name)) && length > 0 {
            if value.starts_with('$') {
                break;
            }
            let before = line.len() - value.len();
            return format!("{}{SECRET}{}", &line[..before], &value[length..]);
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
            ("//r.test/:_password=x y\n", "//r.test/:_password=… y\n"),
            ("npmAuthToken: \"abc\"", "npmAuthToken: \"…\""),
            (
                "[registries.own]\ntoken = \"abc\"\nindex = \"x\"",
                "[registries.own]\ntoken = \"…\"\nindex = \"x\"",
            ),
            ("registry=https://me:secret@r.test/", "registry=https://…@r.test/"),
            ("ignore-scripts=false", "ignore-scripts=false"),
            ("[alias]\nxtask = \"run -p xtask --\"", "[alias]\nxtask = \"run -p xtask --\""),
        ] {
            assert_eq!(without_secrets(text), expected);
        }
    }
}
