//! Writing a session to a file, and opening such a file.

use std::path::Path;

use orion_protocol::{
    ChangesOf, Code, ErrorInfo, ExportFormat, ExportedFile, Outcome, ProjectId, RequestId, Session,
    SessionId, Update,
};
use orion_store::NO_FOLDER;
use secrecy::SecretString;

use super::{Engine, blocking};
use crate::driver::Clock;
use crate::export::{self, Header, MOST, Scope};
use crate::secrets::Redactor;

/// An export in memory.
#[derive(Debug)]
pub struct Export {
    pub content: Vec<u8>,
    /// Turns from which secrets were taken.
    pub redacted: u32,
    /// Endpoints whose key could not be read.
    pub keys_not_read: Vec<String>,
}

impl Engine {
    /// A session, or a turn with those that it follows, without secrets.
    ///
    /// # Errors
    /// `session_unknown`, `turn_unknown`, `export_too_large`.
    pub async fn export(
        &self,
        of: ChangesOf,
        format: ExportFormat,
        files: bool,
    ) -> Result<Export, ErrorInfo> {
        let (session_id, until) = self.exported(of).await?;
        let (redactor, keys_not_read) = self.everything_secret().await;
        if format != ExportFormat::Orion {
            let talk = self.talk(session_id, until).await?;
            let talk = talk.redacted(|text| redactor.redact(text).into_owned());
            let text = match format {
                ExportFormat::Html => export::people::html(&talk),
                ExportFormat::Markdown | ExportFormat::Orion => export::people::markdown(&talk),
            };
            return Ok(Export { content: text.into_bytes(), redacted: 0, keys_not_read });
        }
        let exported = self.shared.store.export(session_id, until, MOST).await?;
        let packed = blocking(move || {
            let scope = if until.is_some() { Scope::Turn } else { Scope::Session };
            let before: Option<Header> =
                exported.imported.as_ref().and_then(|imported| Header::read(&imported.header));
            let (exported, redacted) = export::mask(exported, &redactor);
            let header = Header::new(scope, files).after(before, redacted);
            let redacted = u32::try_from(header.redacted.len()).unwrap_or(u32::MAX);
            Ok((export::pack(&header, &exported)?, redacted))
        });
        let (content, redacted) = packed.await?;
        Ok(Export { content, redacted, keys_not_read })
    }

    /// Text without anything that is known to be secret.
    pub async fn without_secrets(&self, text: &str) -> String {
        self.everything_secret().await.0.redact(text).into_owned()
    }

    /// The turn, or those of a session from the first one to its tip.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn path_of(&self, of: ChangesOf) -> Result<Vec<RequestId>, ErrorInfo> {
        match of {
            ChangesOf::Turn { request_id } | ChangesOf::Command { request_id, .. } => Ok(vec![request_id]),
            ChangesOf::Session { session_id } => Ok(self.shared.store.path(session_id).await?),
        }
    }

    /// A name for the file of an export, made from the title of its session.
    ///
    /// # Errors
    /// `session_unknown`, `turn_unknown`.
    pub async fn name_of_export(&self, of: ChangesOf, format: ExportFormat) -> Result<String, ErrorInfo> {
        let (session_id, _) = self.exported(of).await?;
        let end = match format {
            ExportFormat::Orion => "orion",
            ExportFormat::Markdown => "md",
            ExportFormat::Html => "html",
        };
        Ok(format!("{}.{end}", file_name(&self.title_of(session_id).await?)))
    }

    /// Writes a file for the person alone, whole.
    ///
    /// # Errors
    /// `file_exists` where there is one and it may not be replaced, `write_failed`.
    pub async fn write_file(&self, path: &Path, content: Vec<u8>, replaces: bool) -> Result<(), ErrorInfo> {
        let path = path.to_owned();
        blocking(move || export::save(&path, &content, replaces)).await
    }

    pub(super) async fn export_to(
        &self,
        of: ChangesOf,
        path: Option<String>,
        format: ExportFormat,
        (files, replaces): (bool, bool),
    ) -> Result<Outcome, ErrorInfo> {
        let path = path.ok_or_else(no_file)?;
        let Export { content, redacted, keys_not_read } = self.export(of, format, files).await?;
        let bytes = content.len() as u64;
        let target = path.clone();
        blocking(move || export::save(Path::new(&target), &content, replaces)).await?;
        Ok(Outcome::Exported { file: ExportedFile { path, bytes, redacted, keys_not_read } })
    }

    /// Opens an exported session. All of it is checked before anything is stored.
    pub(super) async fn import(&self, path: Option<String>) -> Result<Outcome, ErrorInfo> {
        let path = path.ok_or_else(no_file)?;
        let at_ms = Clock::start().now_ms();
        let import = blocking(move || {
            let unpacked = export::unpack(&export::read(Path::new(&path))?)?;
            export::check(unpacked, at_ms)
        });
        let session = self.shared.store.import(import.await?).await?;
        let project = self.shared.store.project(session.project_id).await?;
        self.tell(Update::Project { project: orion_protocol::Project { available: false, ..project } });
        self.tell(Update::Session { session: session.clone() });
        Ok(Outcome::Session { session })
    }

    /// The sessions that were imported from files, the newest first, `limit` at most.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn imported_sessions(&self, limit: u32) -> Result<Vec<Session>, ErrorInfo> {
        let projects = self.shared.store.projects().await?;
        match projects.iter().find(|project| project.path == NO_FOLDER) {
            Some(project) => Ok(self.shared.store.sessions(Some(project.project_id), limit).await?),
            None => Ok(Vec::new()),
        }
    }

    /// Removes the project of imported sessions with the last of them.
    pub(super) async fn forget_if_empty(&self, project_id: ProjectId) -> Result<(), ErrorInfo> {
        let project = self.shared.store.project(project_id).await?;
        if project.path == NO_FOLDER && self.shared.store.sessions(Some(project_id), 1).await?.is_empty() {
            self.shared.store.forget_project(project_id).await?;
            self.tell(Update::ProjectForgotten { project_id });
        }
        Ok(())
    }

    /// Whether secrets were taken out of the file that this turn was imported from.
    pub(super) async fn was_redacted(&self, request_id: RequestId) -> bool {
        self.header_of(request_id).await.is_some_and(|header| !header.redacted.is_empty())
    }

    /// Why the difference of a write cannot be shown: the contents of files may have been left out of the file that its turn was imported from.
    pub(super) async fn without_contents(&self, request_id: RequestId, error: ErrorInfo) -> ErrorInfo {
        let left_out = self.header_of(request_id).await.is_some_and(|header| !header.files);
        match error.code {
            Code::WriteUnknownSession if left_out => ErrorInfo::new(
                Code::WriteUnknownSession,
                "The contents of written files were left out when this session was exported.",
                "Export it again where it was made, with the contents of files.",
            ),
            _ => error,
        }
    }

    /// The first line of the file that a turn was imported from.
    async fn header_of(&self, request_id: RequestId) -> Option<Header> {
        let ids = self.shared.store.turn_ids(request_id).await.ok()?;
        let imported = self.shared.store.imported(ids.session_id).await.ok()??;
        Header::read(&imported.header)
    }

    async fn exported(&self, of: ChangesOf) -> Result<(SessionId, Option<RequestId>), ErrorInfo> {
        match of {
            ChangesOf::Session { session_id } => {
                for turn in self.shared.turns.of_session(session_id) {
                    turn.flush().await;
                }
                Ok((session_id, None))
            }
            ChangesOf::Turn { request_id } | ChangesOf::Command { request_id, .. } => {
                if let Some(turn) = self.shared.turns.get(request_id) {
                    turn.flush().await;
                }
                Ok((self.shared.store.turn_ids(request_id).await?.session_id, Some(request_id)))
            }
        }
    }

    /// Finds every secret that this process can know of: keys of all endpoints, and secrets in the environment. Also the endpoints whose
    /// key cannot be read.
    pub(super) async fn everything_secret(&self) -> (Redactor, Vec<String>) {
        let (options, mut not_read) = (&self.shared.options, Vec::new());
        for (name, endpoint) in &self.config().without_project().endpoints {
            // The redactor knows it from then on.
            if options.keys.key(name, endpoint).await.is_err() {
                not_read.push(name.clone());
            }
        }
        let secrets: Vec<SecretString> = options.environment.secrets().collect();
        (options.keys.redactor().with(secrets), not_read)
    }
}

fn no_file() -> ErrorInfo {
    ErrorInfo::new(Code::Usage, "No file was named.", "Name a file.")
}

/// A title as the name of a file on any system: letters, digits and single hyphens, 60 characters at most.
fn file_name(title: &str) -> String {
    let mut name = String::new();
    for c in title.chars() {
        match c.is_alphanumeric() {
            true => name.push(c),
            false if !name.is_empty() && !name.ends_with('-') => name.push('-'),
            false => {}
        }
    }
    let name: String = name.chars().take(60).collect();
    let name = name.trim_end_matches('-');
    if name.is_empty() { "session".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn a_title_becomes_a_name_that_any_system_takes() {
        let titles = [
            "How does the config loader work?",
            "../../etc/passwd",
            "",
            "???",
            "Größe: 日本 \u{202e}",
            "a".repeat(99).leak(),
        ];
        let names = [
            "How-does-the-config-loader-work",
            "etc-passwd",
            "session",
            "session",
            "Größe-日本",
            "a".repeat(60).leak(),
        ];
        assert_eq!(titles.map(file_name), names);
    }
}
