//! The parts of a script, each once, and the digest over all of them.
//!
//! Deliberately not here: which parts a line has (`script`).

use std::collections::BTreeSet;

use orion_files::workspace::Project;
use orion_protocol::{CheckCommand, CheckScript, ScriptPart, Sha256};
use sha2::Digest;

use super::super::reading::{Found, read, text, without_secrets};

/// The beginning of what is digested, in case that there will be another form.
const FORM: &[u8] = b"orion check 1\0";

/// The parts of a script, in the order in which they were found.
#[derive(Default)]
pub(super) struct Parts {
    parts: Vec<(String, String)>,
    known: BTreeSet<String>,
}

impl Parts {
    /// True for the first time that this is said.
    pub(super) fn is_new(&mut self, what: String) -> bool {
        self.known.insert(what)
    }

    /// Adds a text by the place that it is from.
    pub(super) fn add(&mut self, from: String, text: String) {
        if self.is_new(from.clone()) {
            self.parts.push((from, text));
        }
    }

    /// Adds a whole file, if it is there. Settings may have secrets.
    pub(super) fn file(&mut self, project: &Project, path: &str, is_settings: bool) {
        let text = match read(project, path) {
            Found::Nothing => return,
            Found::Text(text) if is_settings => without_secrets(&text),
            Found::Text(text) => text,
            Found::Other(what) => format!("[{what}]"),
            Found::Closed(why) => format!("[It {why}.]"),
        };
        self.add(path.to_owned(), text);
    }

    /// Adds the table of a tool of pyproject.toml. A file that cannot be read as TOML is added whole.
    pub(super) fn tool_of(&mut self, project: &Project, path: &str, tool: &str) {
        let Some(text) = text(project, path) else { return self.file(project, path, true) };
        let Ok(all) = text.parse::<toml::Table>() else { return self.file(project, path, true) };
        let table = all.get("tool").and_then(|tools| tools.get(tool)).and_then(toml::Value::as_table);
        if let Some(table) = table.filter(|table| !table.is_empty()) {
            let text = toml::to_string(table).unwrap_or_else(|_| format!("{table:?}"));
            self.add(format!("{path}: tool.{tool}"), without_secrets(&text));
        }
    }

    /// The script as a person sees it. The digest is over all of it, also over what is cut.
    pub(super) fn script(self, command: &CheckCommand) -> CheckScript {
        let mut sha256 = sha2::Sha256::new_with_prefix(FORM);
        let mut take = |text: &str| {
            sha256.update((text.len() as u64).to_le_bytes());
            sha256.update(text);
        };
        match command {
            CheckCommand::Line(line) => take(line),
            CheckCommand::Argv(words) => {
                take("");
                words.iter().for_each(|word| take(word));
            }
        }
        let mut room = CheckScript::SHOWN;
        let mut parts = Vec::new();
        for (from, mut text) in self.parts {
            take(&from);
            take(&text);
            let end = text.floor_char_boundary(room);
            let cut = end < text.len();
            text.truncate(end);
            room -= end;
            parts.push(ScriptPart { from, text, cut });
        }
        CheckScript { sha256: Sha256::from(<[u8; 32]>::from(sha256.finalize())), parts }
    }
}
