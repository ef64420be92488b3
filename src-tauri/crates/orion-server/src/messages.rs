//! The routes of the designs: a message that streams its turn on either route, and going on with a paused one (H4).

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use orion_engine::Place;
use orion_protocol::{
    Answer, BatchId, Code, ErrorInfo, Op, Outcome, Pending, PendingOf, ProjectId, Query, Reply, RequestId,
    Route,
};
use serde::Deserialize;
use tokio::sync::OwnedSemaphorePermit;

use crate::asking::{unexpected, whole};
use crate::design::{Message, Metadata, OnDisconnect};
use crate::given;
use crate::problem::Problem;
use crate::reading::Reader;
use crate::remembered::Known;
use crate::server::Server;
use crate::streaming;
use crate::tokens::Access;

pub(crate) async fn unified(
    State(server): State<Arc<Server>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    message(&server, &headers, body, Route::Unified).await
}

pub(crate) async fn two_stage(
    State(server): State<Arc<Server>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    message(&server, &headers, body, Route::TwoStage).await
}

async fn message(
    server: &Arc<Server>,
    headers: &HeaderMap,
    body: Body,
    route: Route,
) -> Result<Response, Problem> {
    let message: Message = given::read(headers, body).await?;
    if message.has_a_long_name() {
        return Err(Problem::of_field("external_id", "it has more than 256 bytes"));
    }
    // A turn that nobody could be told of is not begun.
    let place = streaming::place(server, Access::Full)?;
    let reader = whole(begun(Arc::clone(server), message, route)).await?;
    told(server, headers, (reader, place), streaming::last_event_id(headers)).await
}

/// The turn of a message, which begins where the message is a new one, and its first reader.
async fn begun(server: Arc<Server>, message: Message, route: Route) -> Result<Reader, Problem> {
    let metadata = &message.metadata;
    let project_id = server.project_of(metadata.session_id()?, metadata.project.as_deref()).await?;
    // One at a time: of two requests with the same name, the second finds the turn of the first.
    let mut remembered = Arc::clone(&server.remembered).lock_owned().await;
    let known =
        message.name().map_or(Known::New, |name| remembered.known(project_id, name, &message.content));
    let request_id = match known {
        Known::Same(request_id) => request_id,
        Known::Other(request_id) => return Err(another(request_id)),
        Known::New => {
            let content = message.content.clone();
            let request_id = start(&server, project_id, metadata, content, Some(route)).await?;
            server.watched.watch(request_id, metadata.on_disconnect);
            if let Some(name) = message.name() {
                let line = remembered.began(project_id, name, &message.content, request_id);
                let kept = tokio::task::spawn_blocking(move || remembered.keep(&line)).await;
                if !matches!(kept, Ok(Ok(()))) {
                    tracing::warn!("the name of a message was not kept");
                }
            }
            request_id
        }
    };
    Ok(Reader::new(server, request_id))
}

/// Starts a turn in the session that is named, or in a new one.
pub(crate) async fn start(
    server: &Server,
    project_id: ProjectId,
    metadata: &Metadata,
    content: String,
    route: Option<Route>,
) -> Result<RequestId, Problem> {
    let _room = server.room(None).await?;
    let Answer::ProjectSettings { settings } = server.query(Query::ProjectSettings { project_id }).await?
    else {
        return Err(unexpected());
    };
    let options = metadata.options(route, settings.limits);
    let session_id = match metadata.session_id()? {
        Some(session_id) => session_id,
        None => match server.submit(Op::NewSession { project_id }).await? {
            Outcome::Session { session } => session.session_id,
            _ => return Err(unexpected()),
        },
    };
    match server.submit(Op::StartTurn { session_id, text: content, options }).await? {
        Outcome::Turn { request_id } => Ok(request_id),
        _ => Err(unexpected()),
    }
}

/// A turn as the caller wants it: a stream, or its report.
async fn told(
    server: &Arc<Server>,
    headers: &HeaderMap,
    (reader, place): (Reader, OwnedSemaphorePermit),
    after: Place,
) -> Result<Response, Problem> {
    if streaming::wants_json(headers) {
        streaming::report(server, reader, place).await
    } else {
        streaming::stream(server, reader, place, after).await
    }
}

fn another(request_id: RequestId) -> Problem {
    let mut error = ErrorInfo::new(
        Code::Usage,
        "Another message came by this external_id.",
        "Give each message a name of its own.",
    );
    error.request_id = Some(request_id);
    Problem::new(StatusCode::CONFLICT, error)
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resume {
    request_id: String,
    tool_batch_id: Option<BatchId>,
}

/// Goes on with a turn that paused after this batch, or that was interrupted, and streams the rest of it.
pub(crate) async fn resume(
    State(server): State<Arc<Server>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let asked: Resume = given::read(&headers, body).await?;
    let request_id: RequestId = given::id("requestId", &asked.request_id)?;
    server.reach_turn(request_id).await?;
    let Answer::Events { envelopes } = server.query(Query::Events { request_id, after_seq: 0 }).await? else {
        return Err(unexpected());
    };
    let after = envelopes.last().map_or(0, |last| last.seq);
    let pending = Pending::after_all(envelopes.iter().map(|envelope| &envelope.event));
    let op = match pending {
        Some(Pending { digest, of: PendingOf::Pause { batch, .. } }) => {
            if asked.tool_batch_id.is_some() && asked.tool_batch_id != batch {
                let message = "The turn paused after another batch.";
                return Err(ErrorInfo::new(Code::ApprovalStale, message, "Look at it again.").into());
            }
            Op::Reply { request_id, digest, reply: Reply::Resume { edits: Vec::new() } }
        }
        Some(_) => {
            let message = "The turn waits for an answer, and not to be resumed.";
            return Err(ErrorInfo::new(Code::NotWaiting, message, "Answer what it asks.").into());
        }
        None if server.engine.running_turns().contains(&request_id) => {
            return Err(ErrorInfo::new(Code::NotWaiting, "The turn is not paused.", "").into());
        }
        None => Op::ResumeTurn { request_id },
    };
    let place = streaming::place(&server, Access::Full)?;
    let here = Arc::clone(&server);
    let reader = whole(async move {
        let _room = here.room(Some(request_id)).await?;
        here.submit(op).await?;
        here.watched.watch(request_id, OnDisconnect::Stop);
        Ok(Reader::new(here, request_id))
    })
    .await?;
    told(&server, &headers, (reader, place), Place::after(after, 0)).await
}
