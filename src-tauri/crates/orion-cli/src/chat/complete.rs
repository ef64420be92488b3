//! What Tab completes: commands after a `/`, and files of the project after an `@`.

use orion_engine::Engine;
use orion_protocol::{Answer, ProjectId, Prompt, Query};
use reedline::{Completer, CompletionResult, Span, Suggestion};
use tokio::runtime::Handle;

use super::commands::COMMANDS;
use crate::printed::visible;

/// Files that are offered at once.
const FILES: u32 = 50;

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

    /// Called on a thread that may block.
    fn files(&self, filter: &str) -> Vec<String> {
        let query = Query::Files { project_id: self.project_id, filter: filter.to_owned(), limit: FILES };
        match self.runtime.block_on(self.engine.query(query)) {
            // A name that would steer the terminal is not offered.
            Ok(Answer::Files { files, .. }) => {
                files.into_iter().map(|file| file.path).filter(|path| visible(path) == *path).collect()
            }
            _ => Vec::new(),
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
        let space = before.char_indices().rev().find(|(_, c)| c.is_whitespace());
        let start = space.map_or(0, |(space, c)| space + c.len_utf8());
        let word = &before[start..];
        let span = Span { start, end: at };
        let suggestions: Vec<Suggestion> = match word.strip_prefix('@') {
            Some(filter) => self.files(filter).into_iter().map(|path| suggestion(path, None, span)).collect(),
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

fn suggestion(value: String, description: Option<&str>, span: Span) -> Suggestion {
    Suggestion {
        value,
        description: description.map(str::to_owned),
        span,
        append_whitespace: true,
        ..Suggestion::default()
    }
}
