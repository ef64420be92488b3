//! Answers to queries.

use orion_protocol::{
    Answer, AppState, CallId, Envelope, ErrorInfo, FolderFound, ModelInfo, ProjectId, Query, RequestId,
    SessionId, SessionPlace, StoredCall, Suggestion, ToolInfo, TurnPage, TurnPlace, Update,
};
use orion_store::StoreError;

use super::probing::Given;
use super::questions::answered_in;
use super::{Engine, blocking};
use crate::driver::{Clock, result_text};
use crate::files;
use crate::runner::ToolRunner;

/// The most sessions of a list; older ones are asked for from its end on, project by project.
const SESSIONS: u32 = 200;

/// The most sessions that a person pinned or archived in the state.
const APART: u32 = 1_000;

/// The most turns whose aftermath is read at once. A caller with more asks again for the rest.
const AFTERMATH: usize = 200;

pub(super) async fn answer(engine: &Engine, query: Query) -> Result<Answer, ErrorInfo> {
    Ok(match query {
        Query::State => Answer::State { state: engine.state().await? },
        Query::Session { session_id, place, turns } => {
            Answer::Session { page: engine.session_page(session_id, place, turns).await? }
        }
        Query::Ancestors { request_id, turns } => {
            Answer::Ancestors { page: engine.ancestors(request_id, turns).await? }
        }
        Query::Sessions { project_id, after } => engine.sessions(project_id, after).await?,
        Query::Search { text, after, limit } => {
            Answer::Search { page: engine.search(&text, after, limit).await? }
        }
        Query::Find { session_id, text, from } => {
            Answer::Find { page: engine.find(session_id, &text, from).await? }
        }
        Query::Queue { session_id } => Answer::Queue { queue: engine.shared.store.queue(session_id).await? },
        Query::Events { request_id, after_seq } => {
            Answer::Events { envelopes: engine.events(request_id, after_seq).await? }
        }
        Query::Aftermath { request_ids } => {
            let asked = &request_ids[..request_ids.len().min(AFTERMATH)];
            Answer::Aftermath { turns: engine.shared.store.aftermath(asked).await? }
        }
        Query::Context { session_id, options } => {
            Answer::Context { view: engine.context_view(session_id, &options).await? }
        }
        Query::CopySize { request_id } => Answer::CopySize { size: engine.copy_size(request_id).await? },
        Query::Trace { request_id } => Answer::Trace { spans: engine.spans(request_id).await? },
        Query::Figures { of, since_ms } => Answer::Figures { figures: engine.figures(of, since_ms).await? },
        Query::Replay { request_id } => Answer::Replay { replay: engine.replay_view(request_id).await? },
        Query::Sent { request_id, call, from } => {
            Answer::Sent { request: engine.sent(request_id, call, from).await? }
        }
        Query::SentBody { request_id, call } => {
            Answer::SentBody { body: engine.sent_body(request_id, call).await? }
        }
        Query::CommandOutput { request_id, tool_call_id } => {
            Answer::CommandOutput { output: engine.command_output(request_id, &tool_call_id).await? }
        }
        Query::RawResponse { request_id, call } => {
            Answer::RawResponse { response: engine.raw_response(request_id, call).await? }
        }
        Query::ToolCall { request_id, tool_call_id } => {
            Answer::ToolCall { call: engine.tool_call(request_id, tool_call_id).await? }
        }
        Query::Entry { request_id } => Answer::Entry { view: Box::new(engine.entry(request_id).await?) },
        Query::Write { request_id, write } => match engine.write_view(request_id, write).await {
            Ok(view) => Answer::Write { view: Box::new(view) },
            Err(error) => return Err(engine.without_contents(request_id, error).await),
        },
        Query::Changes { of } => Answer::Changes { files: engine.changes(of).await? },
        Query::Change { of, path } => Answer::Change { difference: engine.change(of, &path).await? },
        Query::ChangeRows { of, path, digest, from, count } => {
            Answer::ChangeRows { rows: engine.change_rows(of, &path, digest, from, count).await? }
        }
        Query::Rewind { request_id } => Answer::Rewind { preview: engine.rewind_preview(request_id).await? },
        Query::LastRewind { session_id } => {
            Answer::LastRewind { rewind: engine.last_rewind(session_id).await? }
        }
        Query::WriteRows { request_id, write, digest, from, count } => {
            Answer::WriteRows { rows: engine.write_rows(request_id, write, digest, from, count).await? }
        }
        Query::RowRest { request_id, write, digest, row, from } => {
            Answer::RowRest { rest: engine.row_rest(request_id, write, digest, (row, from)).await? }
        }
        Query::WriteText { request_id, write, hunks } => {
            Answer::WriteText { text: engine.write_text(request_id, write, hunks).await? }
        }
        Query::Files { project_id, filter, limit } => engine.files(project_id, filter, limit).await?,
        Query::FindFiles { project_id, filter, limit } => {
            engine.find_files(project_id, filter, limit).await?
        }
        Query::Mentions { project_id, text } => {
            Answer::Mentions { files: engine.mentions(project_id, text).await? }
        }
        Query::FileLines { project_id, path, from, count } => {
            Answer::FileLines { file: engine.file_lines(project_id, path, from, count).await? }
        }
        Query::Picture { project_id, path } => {
            Answer::Picture { picture: engine.picture(project_id, path).await? }
        }
        Query::Paths { project_id, paths } => Answer::Paths { files: engine.paths(project_id, paths).await? },
        Query::Suggestions { project_id } => {
            let (suggestions, found) = engine.suggestions(project_id).await?;
            Answer::Suggestions { suggestions, found }
        }
        Query::Approvals => Answer::Approvals { approvals: engine.approvals().await? },
        Query::Doctor => Answer::Doctor { report: engine.examined().await },
        Query::Space => Answer::Space { space: engine.space().await? },
        Query::CommandHome { project_id } => {
            Answer::CommandHome { home: engine.command_home(project_id).await? }
        }
        Query::Checks { project_id } => Answer::Checks { checks: engine.checks(project_id).await? },
        Query::CheckScript { project_id, command } => {
            Answer::CheckScript { script: engine.check_script(project_id, &command).await? }
        }
        Query::ProjectSettings { project_id } => {
            Answer::ProjectSettings { settings: engine.project_settings(project_id).await? }
        }
        Query::Tools { project_id } => Answer::Tools { tools: engine.tools(project_id).await? },
        Query::Instructions { project_id } => {
            Answer::Instructions { instructions: engine.instructions(project_id).await? }
        }
        Query::Models { endpoint } => Answer::Models { models: engine.models(&endpoint).await? },
        Query::Spoken { endpoint, model, asks } => {
            Answer::Spoken { spoken: Box::new(engine.spoken(&endpoint, model, asks).await?) }
        }
        Query::Probe { base_url, api_key, key_variable, endpoint, allow_http } => {
            let given = Given { api_key, key_variable, endpoint };
            Answer::Models { models: engine.probe(&base_url, given, allow_http).await? }
        }
        Query::Draft { of } => engine.draft(of).await?,
        Query::AttachmentPicture { name, sha256 } => engine.attachment_picture(name, sha256).await?,
        Query::Messages { project_id, limit } => engine.earlier_messages(project_id, limit).await?,
        Query::Prompts => engine.prompts().await?,
        Query::Prompt { name, arguments } => engine.prompt(name, arguments).await?,
        Query::Discover => Answer::Discovered { found: engine.discover().await },
    })
}

impl Engine {
    /// Comes from the database and from memory. No folder and no lock file is looked at, so a disk that hangs does
    /// not delay the window.
    async fn state(&self) -> Result<AppState, ErrorInfo> {
        let sessions = self.shared.store.plain_sessions(None, SESSIONS).await?;
        let older = match sessions.last() {
            Some(last) if sessions.len() == SESSIONS as usize => {
                self.shared.store.projects_after(last.place()).await?
            }
            _ => Vec::new(),
        };
        Ok(AppState {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            projects: self.projects().await?,
            sessions,
            apart: self.shared.store.apart_sessions(APART).await?,
            older,
            settings: self.settings().await,
            running: self.shared.turns.all(),
        })
    }

    async fn sessions(&self, of: ProjectId, after: Option<SessionPlace>) -> Result<Answer, ErrorInfo> {
        let store = &self.shared.store;
        // One more than is returned shows whether there are more.
        let mut sessions = match after {
            None => store.plain_sessions(Some(of), SESSIONS + 1).await?,
            Some(place) => store.sessions_after(of, place, SESSIONS + 1).await?,
        };
        let more = sessions.len() > SESSIONS as usize;
        sessions.truncate(SESSIONS as usize);
        Ok(Answer::Sessions { sessions, more })
    }

    pub(super) async fn session_page(
        &self,
        session_id: SessionId,
        place: TurnPlace,
        turns: u32,
    ) -> Result<TurnPage, ErrorInfo> {
        self.find_interrupted().await?;
        for turn in self.shared.turns.of_session(session_id) {
            turn.flush().await;
        }
        let mut page = self.shared.store.session_page(session_id, place, turns).await?;
        self.find_other_versions(&mut page.turns).await?;
        Ok(page)
    }

    /// The turns that led to one, also across forks.
    pub(super) async fn ancestors(&self, request_id: RequestId, turns: u32) -> Result<TurnPage, ErrorInfo> {
        let mut page = self.shared.store.ancestors(request_id, turns).await?;
        self.find_other_versions(&mut page.turns).await?;
        Ok(page)
    }

    /// Marks turns whose process died, and tells the listeners (T2, A5).
    pub(super) async fn find_interrupted(&self) -> Result<(), ErrorInfo> {
        for envelope in self.shared.store.interrupt_dead(Clock::start().now_ms()).await? {
            self.tell(Update::Event { envelope });
        }
        Ok(())
    }

    pub(super) async fn events(
        &self,
        request_id: RequestId,
        after_seq: u32,
    ) -> Result<Vec<Envelope>, ErrorInfo> {
        if let Some(turn) = self.shared.turns.get(request_id) {
            turn.flush().await;
        }
        Ok(self.shared.store.turn_envelopes(request_id, after_seq).await?)
    }

    /// One call. It reads a few rows, however long the journal of its turn is.
    pub(super) async fn tool_call(
        &self,
        request_id: RequestId,
        call_id: CallId,
    ) -> Result<StoredCall, ErrorInfo> {
        let mut call = match self.shared.store.tool_call(request_id, &call_id).await {
            Err(error @ StoreError::CallUnknown(_)) => {
                return self.attached_call(request_id, &call_id).await?.ok_or_else(|| error.into());
            }
            call => call?,
        };
        if let Some(body) = call.result.take() {
            let ended = self.shared.store.call_ended(request_id, &call_id).await?;
            call.result = Some(result_text(ended.as_deref(), body));
        }
        let questions = self.shared.store.call_questions(request_id, &call_id).await?;
        if !questions.is_empty() {
            call.result = answered_in(&questions, &call_id); // A8
        }
        Ok(call)
    }

    async fn files(&self, project_id: ProjectId, filter: String, limit: u32) -> Result<Answer, ErrorInfo> {
        let folder = self.folder(project_id).await?;
        self.watch(project_id, &folder);
        let (files, truncated) = blocking(move || Ok(files::list(&folder, &filter, limit))).await?;
        Ok(Answer::Files { files, truncated, watch: self.shared.watches.state(project_id) })
    }

    async fn suggestions(&self, project_id: ProjectId) -> Result<(Vec<Suggestion>, FolderFound), ErrorInfo> {
        let folder = self.folder(project_id).await?;
        blocking(move || {
            let (suggestions, found) = files::suggestions(&folder);
            Ok((Self::suggestions_for_sample(folder.root()).unwrap_or(suggestions), found))
        })
        .await
    }

    async fn tools(&self, project_id: Option<ProjectId>) -> Result<Vec<ToolInfo>, ErrorInfo> {
        let (in_force, tools) = match project_id {
            Some(project_id) => {
                let folder = self.folder(project_id).await?;
                let tools = ToolRunner::of(&self.shared.sources, &folder).await;
                (self.in_force(project_id).await?, tools)
            }
            None => (self.config().without_project(), ToolRunner::default()),
        };
        Ok(in_force.tools(tools.tools()).iter().map(ToolInfo::from).collect())
    }

    async fn models(&self, endpoint: &str) -> Result<Vec<ModelInfo>, ErrorInfo> {
        let in_force = self.config().without_project();
        let models = self.endpoint(&in_force, endpoint, None, None).await?.models().await;
        models.map_err(|error| self.redacted(error))
    }

    pub(super) fn redacted(&self, error: ErrorInfo) -> ErrorInfo {
        self.shared.options.keys.redactor().redact_error(error)
    }
}
