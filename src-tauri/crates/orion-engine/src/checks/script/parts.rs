//! The parts of a script, each once, and the digest over all of them.
//!
//! Deliberately not here: which parts a line has (`script`).

use std::collections::BTreeSet;

use orion_files::workspace::Project;
use orion_protocol::{CheckCommand, CheckScript, ScriptPart, Sha256};
use sha2::Digest;

use super::super::reading::{Found, has_secrets, read, without_secrets};

/// The beginning of what is digested, in case that there will be another form.
const FORM: &[u8] = b"orion check 2\0";

/// Bytes that are read for one script: 16 MiB.
const BYTES: u64 = 16 << 20;

/// The most parts of one script: 256.
const PARTS: usize = 256;

/// The most names that are looked up for one script: 16384.
const NAMES: usize = 16_384;

/// A part: its place, the text that is shown, and the digest of all that it covers.
struct Part {
    from: String,
    text: String,
    sha256: [u8; 32],
    /// It is a text that is too long to be shown.
    too_long: bool,
}

/// The parts of a script, in the order in which they were found.
#[derive(Default)]
pub(super) struct Parts {
    parts: Vec<Part>,
    known: BTreeSet<String>,
    bytes: u64,
}

impl Parts {
    /// True for the first time that this is said.
    pub(super) fn is_new(&mut self, what: String) -> bool {
        self.known.insert(what)
    }

    /// Adds a text by the place that it is from.
    pub(super) fn add(&mut self, from: String, text: String) {
        if self.is_new(from.clone()) {
            let sha256 = sha2::Sha256::digest(&text).into();
            self.bytes += text.len() as u64;
            self.parts.push(Part { from, text, sha256, too_long: false });
        }
    }

    /// Adds a whole file, if it is there and not known yet. The digest covers the secrets in it, too.
    pub(super) fn file(&mut self, project: &Project, path: &str) -> Option<Found> {
        if self.refused().is_some() || !self.is_new(path.to_owned()) {
            return None;
        }
        let found = read(project, path, BYTES - self.bytes);
        let too_long = matches!(found, Found::Other { is_text: true, .. });
        let (text, sha256) = match &found {
            Found::Nothing => return None,
            Found::Text(text) => {
                self.bytes += text.len() as u64;
                let shown = if has_secrets(path) { without_secrets(text) } else { text.clone() };
                (shown, sha2::Sha256::digest(text).into())
            }
            Found::Other { what, sha256, bytes, .. } => {
                self.bytes += bytes;
                (format!("[{what}]"), *sha256)
            }
            Found::Unread(why) => (format!("[It {why}.]"), sha2::Sha256::digest(why).into()),
        };
        self.parts.push(Part { from: path.to_owned(), text, sha256, too_long });
        Some(found)
    }

    /// Adds the table of a tool of pyproject.toml. A file that cannot be read as TOML is added whole.
    pub(super) fn tool_of(&mut self, project: &Project, path: &str, tool: &str) {
        let from = format!("{path}: tool.{tool}");
        if self.refused().is_some() || self.known.contains(&from) {
            return;
        }
        let all = match read(project, path, BYTES - self.bytes) {
            Found::Nothing => return,
            Found::Text(text) => text.parse::<toml::Table>().ok(),
            Found::Other { .. } | Found::Unread(_) => None,
        };
        let Some(all) = all else {
            self.file(project, path);
            return;
        };
        let table = all.get("tool").and_then(|tools| tools.get(tool)).and_then(toml::Value::as_table);
        if let Some(table) = table.filter(|table| !table.is_empty()) {
            let text = toml::to_string(table).unwrap_or_else(|_| format!("{table:?}"));
            self.add(from, text);
        }
    }

    /// The reason for which a script with these parts cannot be accepted.
    pub(super) fn refused(&self) -> Option<String> {
        if self.parts.len() > PARTS || self.known.len() > NAMES {
            Some(format!("the script behind it has more than {PARTS} files, or names more than {NAMES}"))
        } else if self.bytes >= BYTES {
            Some(format!("the files behind it have more than {} MiB", BYTES >> 20))
        } else {
            None
        }
    }

    /// The script as a person sees it. The digest is over all of it, also over what is cut.
    pub(super) fn script(self, command: &CheckCommand) -> CheckScript {
        let mut sha256 = sha2::Sha256::new_with_prefix(FORM);
        let mut take = |text: &[u8]| {
            sha256.update((text.len() as u64).to_le_bytes());
            sha256.update(text);
        };
        match command {
            CheckCommand::Line(line) => take(line.as_bytes()),
            CheckCommand::Argv(words) => {
                take(b"");
                words.iter().for_each(|word| take(word.as_bytes()));
            }
        }
        let mut room = CheckScript::SHOWN;
        let mut parts = Vec::new();
        for Part { from, mut text, sha256, too_long } in self.parts {
            take(from.as_bytes());
            take(&sha256);
            let end = text.floor_char_boundary(room);
            let cut = too_long || end < text.len();
            text.truncate(end);
            room -= end;
            parts.push(ScriptPart { from, text, cut });
        }
        CheckScript { sha256: Sha256::from(<[u8; 32]>::from(sha256.finalize())), parts }
    }
}
