//! The messages that callers named, and the turns that they began: the same name begins no second turn (H4).
//!
//! They are kept as digests in a file of the data folder, one line each, so that a restart does not forget them.

use std::collections::{HashMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use orion_protocol::{ProjectId, RequestId};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Messages that are remembered; older ones are forgotten. The file is cut down to them at a start.
const MESSAGES: usize = 10_000;

/// A message by its name and its content, as digests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Line {
    name: String,
    content: String,
    request_id: RequestId,
}

/// The messages that began turns.
#[derive(Debug)]
pub(crate) struct Remembered {
    file: PathBuf,
    turns: HashMap<String, (String, RequestId)>,
    /// Their names, the oldest first.
    names: VecDeque<String>,
    /// The last line of the file may have broken off.
    torn: bool,
}

/// The knowledge of a message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Known {
    New,
    /// It began this turn.
    Same(RequestId),
    /// Another content came by this name, and began this turn.
    Other(RequestId),
}

impl Remembered {
    /// # Errors
    /// The file cannot be read or written.
    pub(crate) fn of(data_dir: &Path) -> io::Result<Self> {
        let file = data_dir.join("http-messages.jsonl");
        let mut lines: Vec<Line> = match File::open(&file) {
            // A line that broke off is left out.
            Ok(open) => BufReader::new(open)
                .lines()
                .map_while(Result::ok)
                .filter_map(|line| serde_json::from_str(&line).ok())
                .collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        if lines.len() > MESSAGES {
            lines.drain(..lines.len() - MESSAGES);
            let mut kept = tempfile::NamedTempFile::new_in(data_dir)?;
            for line in &lines {
                writeln!(kept, "{}", serde_json::to_string(line)?)?;
            }
            kept.as_file().sync_all()?;
            kept.persist(&file)?;
        }
        let names = lines.iter().map(|line| line.name.clone()).collect();
        let turns = lines.into_iter().map(|line| (line.name, (line.content, line.request_id))).collect();
        Ok(Self { file, turns, names, torn: true })
    }

    pub(crate) fn known(&self, project_id: ProjectId, external_id: &str, content: &str) -> Known {
        match self.turns.get(&name(project_id, external_id)) {
            None => Known::New,
            Some((kept, request_id)) if *kept == digest(&[content]) => Known::Same(*request_id),
            Some((_, request_id)) => Known::Other(*request_id),
        }
    }

    /// Remembers that a message began a turn, until a restart; [`Remembered::keep`] keeps the line beyond that.
    pub(crate) fn began(
        &mut self,
        project_id: ProjectId,
        external_id: &str,
        content: &str,
        request_id: RequestId,
    ) -> Line {
        let line = Line { name: name(project_id, external_id), content: digest(&[content]), request_id };
        self.turns.insert(line.name.clone(), (line.content.clone(), request_id));
        self.names.push_back(line.name.clone());
        if self.names.len() > MESSAGES
            && let Some(oldest) = self.names.pop_front()
        {
            self.turns.remove(&oldest);
        }
        line
    }

    /// # Errors
    /// The disk refused.
    pub(crate) fn keep(&mut self, line: &Line) -> io::Result<()> {
        // A line that broke off is not to take this one with it.
        let before = if self.torn { "\n" } else { "" };
        self.torn = true;
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.append(true).create(true).open(&self.file)?;
        file.write_all(format!("{before}{}\n", serde_json::to_string(line)?).as_bytes())?;
        file.sync_data()?;
        self.torn = false;
        Ok(())
    }
}

fn name(project_id: ProjectId, external_id: &str) -> String {
    digest(&[&project_id.to_string(), external_id])
}

fn digest(parts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
