//! The conversation of a session as people read it, from its events.

use orion_protocol::{
    Code, Envelope, ErrorInfo, Given, PendingOf, Purpose, Query, QuestionsAnswer, RequestId, SessionId,
    TurnEvent, TurnReport, TurnStatus, WriteStatus, whole_texts,
};
use orion_store::InProject;

use super::Engine;
use crate::export::people::{Block, Talk, Told};

impl Engine {
    /// The turns from the first one to the session's tip, or to this turn.
    pub(super) async fn talk(
        &self,
        session_id: SessionId,
        until: Option<RequestId>,
    ) -> Result<Talk, ErrorInfo> {
        let InProject { title, project, .. } = self.shared.store.session_in_project(session_id).await?;
        let path = match until {
            Some(request_id) => vec![request_id],
            None => self.shared.store.path(session_id).await?,
        };
        let mut turns = Vec::with_capacity(path.len());
        for request_id in path {
            turns.push(self.told(request_id).await?);
        }
        let title = if title.is_empty() { "New chat".to_owned() } else { title };
        Ok(Talk { title, project: project.name, turns })
    }

    async fn told(&self, request_id: RequestId) -> Result<Told, ErrorInfo> {
        let mut told = Told::default();
        // A later call may be answered before an earlier one.
        let mut calls: Vec<(orion_protocol::CallId, String, String)> = Vec::new();
        for Envelope { event, .. } in whole_texts(self.events(request_id, 0).await?) {
            match event {
                TurnEvent::TurnStarted { text, model, purpose, .. } => {
                    told.model = model;
                    if purpose != Purpose::Compact {
                        told.blocks.push(Block::You(text));
                    }
                }
                TurnEvent::Steered { text } => told.blocks.push(Block::You(text)),
                TurnEvent::TextChunk { text, .. } => told.blocks.push(Block::Answer(text)),
                TurnEvent::ReasoningChunk { text, .. } => told.blocks.push(Block::Reasoning(text)),
                TurnEvent::ToolCall { tool_call_id, name, arguments, .. } => {
                    let arguments = serde_json::to_string_pretty(&arguments).unwrap_or_default();
                    calls.push((tool_call_id, name, arguments));
                }
                TurnEvent::ToolResult { tool_call_id, summary, error, .. } => {
                    let found = calls.iter().position(|(id, ..)| *id == tool_call_id);
                    let Some((id, name, arguments)) = found.map(|at| calls.swap_remove(at)) else { continue };
                    let result = self.result_of(request_id, id).await?;
                    let outcome = error.map_or(summary, |error| error.message);
                    told.blocks.push(Block::Call { name, arguments, outcome, result });
                }
                TurnEvent::DuplicateRefused { name, arguments, .. } => {
                    told.blocks.push(not_run(name, &arguments, "not run: the same call ran already"))
                }
                TurnEvent::CallReused { name, arguments, .. } => told.blocks.push(not_run(
                    name,
                    &arguments,
                    "not run: the file has not changed since it was read",
                )),
                TurnEvent::WriteDone { write, path, status, .. } => {
                    let difference = match self.unified(request_id, Some(write)).await {
                        Ok(difference) => difference,
                        Err(error) if error.code == Code::WriteUnknownSession => String::new(),
                        Err(error) => return Err(error),
                    };
                    told.blocks.push(Block::Write { path, outcome: written(status).to_owned(), difference });
                }
                event => told.blocks.extend(notice(event).map(Block::Notice)),
            }
        }
        Ok(told)
    }

    /// What the model saw of a call. Empty of one that never ran.
    async fn result_of(
        &self,
        request_id: RequestId,
        tool_call_id: orion_protocol::CallId,
    ) -> Result<String, ErrorInfo> {
        match self.query(Query::ToolCall { request_id, tool_call_id }).await {
            Ok(orion_protocol::Answer::ToolCall { call }) => Ok(call.result.unwrap_or_default()),
            Ok(_) | Err(ErrorInfo { code: Code::TurnUnknown, .. }) => Ok(String::new()),
            Err(error) => Err(error),
        }
    }
}

fn not_run(name: String, arguments: &serde_json::Value, why: &str) -> Block {
    let arguments = serde_json::to_string_pretty(arguments).unwrap_or_default();
    Block::Call { name, arguments, outcome: why.to_owned(), result: String::new() }
}

/// What Orion says of an event, on a line.
fn notice(event: TurnEvent) -> Option<String> {
    match event {
        TurnEvent::Notice { code, message } => Some(code.words(&message)),
        TurnEvent::Rewound { files, .. } => {
            Some(format!("Went back to this message. Files that changed with it: {}.", files.len()))
        }
        TurnEvent::ContextCut { tokens_before, tokens_after, .. } => {
            Some(format!("The conversation was cut from about {tokens_before} tokens to {tokens_after}."))
        }
        TurnEvent::Compacted { entry, .. } => {
            Some(format!("The conversation so far was summed up: {}", entry.summary))
        }
        TurnEvent::Retrying { cause, attempt, .. } => Some(format!("{} Attempt {attempt}.", cause.message)),
        TurnEvent::Asked { of: PendingOf::Questions { questions, .. }, .. } => {
            Some(questions.iter().map(|it| it.question.as_str()).collect::<Vec<_>>().join(" "))
        }
        TurnEvent::Answered { given: Given::Answered { answer }, .. } => Some(answered(&answer)),
        TurnEvent::Asked { of: PendingOf::Pause { .. }, .. } => Some("Paused.".to_owned()),
        TurnEvent::Answered { given: Given::Resumed { .. }, .. } | TurnEvent::Resumed => {
            Some("Resumed.".to_owned())
        }
        TurnEvent::Interrupted => Some("Interrupted.".to_owned()),
        TurnEvent::CheckEnded { failed_before, run, .. } => {
            Some(format!("Check {}.", run.words(failed_before)))
        }
        event => event.terminal().and_then(ended),
    }
}

fn answered(answer: &QuestionsAnswer) -> String {
    match answer {
        QuestionsAnswer::Answered { answers } => {
            let given = answers.iter().map(|given| given.answer.join(", "));
            format!("Answered: {}.", given.collect::<Vec<_>>().join("; "))
        }
        QuestionsAnswer::Declined | QuestionsAnswer::Dismissed => "Not answered.".to_owned(),
    }
}

/// How a turn ended, where that was not with an answer.
fn ended(report: &TurnReport) -> Option<String> {
    let error = report.error.as_ref().map_or_else(String::new, |error| format!(" {}", error.message));
    match report.status {
        TurnStatus::Completed => None,
        TurnStatus::Stopped => Some(format!("Stopped.{error}")),
        TurnStatus::Failed | TurnStatus::Waiting => Some(format!("Failed.{error}")),
    }
}

fn written(status: WriteStatus) -> &'static str {
    match status {
        WriteStatus::Written => "written",
        WriteStatus::Rejected => "rejected",
        WriteStatus::Discarded => "not written",
        WriteStatus::Failed => "could not be written",
        WriteStatus::Unknown => "it is not known whether it was written",
    }
}
