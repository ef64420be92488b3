//! What Tab completes: commands after a `/`, and files of the project after an `@`.

use std::time::{Duration, Instant};

use orion_core::mention;
use orion_engine::Engine;
use orion_protocol::{Answer, FileEntry, ProjectId, Prompt, Query};
use reedline::{Completer, CompletionResult, Span, Suggestion};
use tokio::runtime::Handle;

use super::commands::COMMANDS;

/// Files that are offered at once.
const FILES: u32 = 50;
/// How long Tab waits for the names of a large folder, and how often it asks for them.
const PATIENCE: Duration = Duration::from_secs(1);
const AGAIN: Duration = Duration::from_millis(20);

pub(super) struct Complete {
    engine: Engine,
    project_id: ProjectId,
    runtime: Handle,
}

impl Complete {
    /// # Panics
    /// Outside of the runtime that the engine runs in.
    pub(super) fn of(engine: Engine, project_id: ProjectId) -> Self {
        Self { engine, project_id, runtime: Handle::current() }
    }

    /// Called on a thread that may block. Waits a moment for the names of a folder that are still being read.
    fn files(&self, filter: &str) -> Vec<FileEntry> {
        let query =
            || Query::FindFiles { project_id: self.project_id, filter: filter.to_owned(), limit: FILES };
        let end = Instant::now() + PATIENCE;
        loop {
            let Ok(Answer::FindFiles { files, partial, .. }) =
                self.runtime.block_on(self.engine.query(query()))
            else {
                return Vec::new();
            };
            if !files.is_empty() || !partial || Instant::now() > end {
                return files;
            }
            self.runtime.block_on(tokio::time::sleep(AGAIN));
        }
    }
}

impl Complete {
    /// The person's own prompts that begin like this. A command of the same name comes first.
    fn prompts(&self, name: &str) -> Vec<Prompt> {
        let is_command = |prompt: &Prompt| COMMANDS.iter().any(|command| command.name == prompt.name);
        match self.runtime.block_on(self.engine.query(Query::Prompts)) {
            Ok(Answer::Prompts { prompts, .. }) => {
                prompts.into_iter().filter(|it| it.name.starts_with(name) && !is_command(it)).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Completer for Complete {
    fn complete(&mut self, line: &str, at: usize) -> CompletionResult {
        let before = line.get(..at).unwrap_or(line);
        let typed = mention::typed(before);
        let start = typed.as_ref().map_or_else(|| word_start(before), |typed| typed.from);
        let word = &before[start..];
        let span = Span { start, end: at };
        let suggestions: Vec<Suggestion> = match typed {
            Some(typed) => self.files(&typed.filter).iter().map(|file| named(file, span)).collect(),
            None => match word.strip_prefix('/') {
                Some(name) if start == 0 => {
                    let fits = COMMANDS.iter().filter(|command| command.name.starts_with(name));
                    let own = fits.map(|it| suggestion(format!("/{}", it.name), Some(it.about), span));
                    let prompts = self.prompts(name).into_iter();
                    own.chain(
                        prompts.map(|it| suggestion(format!("/{}", it.name), Some(&it.description), span)),
                    )
                    .collect()
                }
                _ => Vec::new(),
            },
        };
        CompletionResult::fresh(suggestions)
    }
}

fn word_start(before: &str) -> usize {
    let space = before.char_indices().rev().find(|(_, c)| c.is_whitespace());
    space.map_or(0, |(space, c)| space + c.len_utf8())
}

/// After a folder the name goes on.
fn named(FileEntry { path, directory, .. }: &FileEntry, span: Span) -> Suggestion {
    let value = if *directory { mention::folder(path) } else { mention::named(path) };
    Suggestion { append_whitespace: !directory, ..suggestion(value, None, span) }
}

fn suggestion(value: String, description: Option<&str>, span: Span) -> Suggestion {
    Suggestion {
        value,
        description: description.map(str::to_owned),
        span,
        append_whitespace: true,
        ..Suggestion::default()
    }
}
