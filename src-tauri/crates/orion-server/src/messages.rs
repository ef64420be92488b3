//! The routes of the designs: a message that streams its turn on either route, and going on with a paused one (H4).

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use orion_engine::{HttpMessage, Place};
use orion_protocol::{
    Answer, Attachment, BatchId, Code, DraftOf, ErrorInfo, Op, Outcome, Pending, PendingOf, ProjectId, Query,
    Reply, RequestId, Route, SessionId, TurnOptions,
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::OwnedSemaphorePermit;

use crate::asking::{unexpected, whole};
use crate::design::{Given, Message, Metadata, OnDisconnect};
use crate::given;
use crate::problem::Problem;
use crate::reading::Reader;
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
    let (message, taken): (Message, _) = given::read_with_files(&server.bodies, headers, body).await?;
    if message.has_a_long_name() {
        return Err(Problem::of_field("external_id", "it has more than 256 bytes"));
    }
    // A turn that nobody could be told of is not begun.
    let place = streaming::place(server, Access::Full)?;
    let begun = begun(Arc::clone(server), message, route);
    let reader = whole(async move {
        let reader = begun.await;
        drop(taken);
        reader
    });
    let reader = reader.await?;
    told(server, headers, (reader, place), streaming::last_event_id(headers)).await
}

/// The turn of a message, which begins where the message is a new one, and its first reader.
async fn begun(server: Arc<Server>, message: Message, route: Route) -> Result<Reader, Problem> {
    let kept = message.kept();
    let Message { metadata, content, .. } = message;
    let on_disconnect = metadata.on_disconnect;
    let project_id = server.project_of(metadata.session_id()?, metadata.project.as_deref()).await?;
    if let Some(request_id) = known(&server, project_id, kept).await? {
        return Ok(Reader::new(server, request_id));
    }
    let begun = start(&server, project_id, metadata, content, (Some(route), kept)).await;
    let request_id = match begun {
        Ok(request_id) => {
            server.watched.watch(request_id, on_disconnect);
            request_id
        }
        // H4: of two requests with the same name, in whichever process, the second finds the turn of the first.
        Err(error) => known(&server, project_id, kept).await?.ok_or(error)?,
    };
    Ok(Reader::new(server, request_id))
}

/// The turn that this message began before.
///
/// # Errors
/// 409 where another content came by its name.
async fn known(
    server: &Server,
    project_id: ProjectId,
    kept: HttpMessage,
) -> Result<Option<RequestId>, Problem> {
    let Some(name) = kept.name else { return Ok(None) };
    match server.engine.begun_by(project_id, name).await? {
        Some((request_id, first)) if first.content != kept.content => Err(another(request_id)),
        begun => Ok(begun.map(|(request_id, _)| request_id)),
    }
}

/// Starts the turn of a message on a route, in the session that is named or in a new one.
pub(crate) async fn start(
    server: &Server,
    project_id: ProjectId,
    metadata: Metadata,
    content: String,
    (route, kept): (Option<Route>, HttpMessage),
) -> Result<RequestId, Problem> {
    let _room = server.room(None).await?;
    let Answer::ProjectSettings { settings } = server.query(Query::ProjectSettings { project_id }).await?
    else {
        return Err(unexpected());
    };
    let options = metadata.options(route, settings.limits);
    let (session_id, is_new) = match metadata.session_id()? {
        Some(session_id) => (session_id, false),
        None => match server.submit(Op::NewSession { project_id }).await? {
            Outcome::Session { session } => (session.session_id, true),
            _ => return Err(unexpected()),
        },
    };
    let started = with_files(server, project_id, metadata.attachments, options, |options| async {
        Ok(server.engine.start_http_turn(session_id, content, options, kept).await?)
    });
    let started = started.await;
    if started.is_err() && is_new {
        // A session without a turn is nothing to anybody.
        let _ = server.submit(Op::DeleteSession { session_id }).await;
    }
    started
}

/// Sends a message with the files that come with it. Until it has them, they are kept with the draft of a session that is there for that alone:
/// the draft of the message's own session is the person's.
pub(crate) async fn with_files<T, F: Future<Output = Result<T, Problem>>>(
    server: &Server,
    project_id: ProjectId,
    files: Vec<Given>,
    options: TurnOptions,
    send: impl FnOnce(TurnOptions) -> F,
) -> Result<T, Problem> {
    if files.is_empty() {
        return send(options).await;
    }
    let Outcome::Session { session } = server.submit(Op::NewSession { project_id }).await? else {
        return Err(unexpected());
    };
    let session_id = session.session_id;
    let sent = match attached(server, session_id, files).await {
        Ok(attachments) => send(TurnOptions { attachments, ..options }).await,
        Err(problem) => Err(problem),
    };
    // One that stays is a session without a turn.
    let _ = server.submit(Op::DeleteSession { session_id }).await;
    sent
}

async fn attached(
    server: &Server,
    session_id: SessionId,
    files: Vec<Given>,
) -> Result<Vec<Attachment>, Problem> {
    let mut attachments = Vec::new();
    for Given { name, data } in files {
        let of = DraftOf::Session { session_id };
        match server.submit(Op::AttachFile { of, name, data }).await? {
            Outcome::AttachedFile { file } => attachments.push(file),
            _ => return Err(unexpected()),
        }
    }
    Ok(attachments)
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

/// A turn that is to go on.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Resume {
    request_id: String,
    /// The batch after which it paused.
    #[schemars(with = "Option<u32>")]
    tool_batch_id: Option<BatchId>,
}

/// Goes on with a turn that paused after this batch, or that was interrupted, and streams the rest of it.
pub(crate) async fn resume(
    State(server): State<Arc<Server>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let asked: Resume = given::read(&server.bodies, &headers, body).await?;
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
        let _room = here.room_to_go_on(request_id).await?;
        here.submit(op).await?;
        let goes_on = here.engine.goes_on_unread(request_id).await?.unwrap_or(false);
        here.watched.watch(request_id, OnDisconnect::of(goes_on));
        Ok(Reader::new(here, request_id))
    })
    .await?;
    told(&server, &headers, (reader, place), Place::after(after, 0)).await
}
