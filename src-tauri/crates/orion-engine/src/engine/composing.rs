//! What the window asks while a person writes a message: drafts, earlier messages, and prompts of their own.

use orion_protocol::{Answer, CONTINUE, DraftOf, ErrorInfo, Outcome, ProjectId};

use super::{Engine, blocking, limits};
use crate::prompts;

/// Earlier messages that are answered at once, and their bytes together: 1 MiB.
const MESSAGES: u32 = 500;
const MESSAGE_BYTES: usize = 1024 * 1024;

impl Engine {
    pub(super) async fn save_draft(&self, of: DraftOf, text: String) -> Result<Outcome, ErrorInfo> {
        let text = if text.trim().is_empty() { String::new() } else { limits::message(text)? };
        self.shared.store.save_draft(of, text).await?;
        Ok(Outcome::Done)
    }

    pub(super) async fn draft(&self, of: DraftOf) -> Result<Answer, ErrorInfo> {
        let (text, files) = (self.shared.store.draft(of).await?, self.shared.store.attachments(of).await?);
        Ok(Answer::Draft { text, files })
    }

    /// Each message once, where it was sent last.
    pub(super) async fn earlier_messages(
        &self,
        project_id: ProjectId,
        limit: u32,
    ) -> Result<Answer, ErrorInfo> {
        let mut messages: Vec<String> = Vec::new();
        let mut bytes = 0;
        for message in self.messages_in(project_id, limit.min(MESSAGES)).await? {
            bytes += message.len();
            if bytes > MESSAGE_BYTES {
                break;
            }
            if message != CONTINUE && !messages.contains(&message) {
                messages.push(message);
            }
        }
        Ok(Answer::Messages { messages })
    }

    pub(super) async fn prompts(&self) -> Result<Answer, ErrorInfo> {
        let folder = self.shared.options.paths.prompts_dir();
        let (prompts, problems) = blocking(move || Ok(prompts::list(&folder))).await?;
        Ok(Answer::Prompts { prompts, problems })
    }

    pub(super) async fn prompt(&self, name: String, arguments: String) -> Result<Answer, ErrorInfo> {
        let folder = self.shared.options.paths.prompts_dir();
        let text = blocking(move || prompts::text(&folder, &name, &arguments)).await?;
        Ok(Answer::Prompt { text: limits::message(text)? })
    }
}
