//! `/api/v1`: sessions and turns as resources, for programs that want more than the designs' routes (H3, H4).

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use orion_protocol::{
    Answer, ChangesOf, Code, ErrorInfo, Op, Outcome, PauseRequest, Query, Reply, RequestId, SessionId,
    Sha256, TurnPlace, TurnStatus,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::asking::{unexpected, whole};
use crate::design::{Metadata, OnDisconnect, kept};
use crate::given::{self, InPath, id, in_query};
use crate::messages::{start, with_files};
use crate::problem::Problem;
use crate::reading::Reader;
use crate::server::Server;
use crate::streaming::{self, answer};
use crate::tokens::Access;

type Shared = State<Arc<Server>>;
type Answered = Result<Response, Problem>;

/// Turns of a page of a session.
const PAGE: u32 = 20;

pub(crate) async fn projects(State(server): Shared) -> Answered {
    Ok(answer(StatusCode::OK, &json!({ "projects": server.projects })))
}

pub(crate) async fn models(State(server): Shared, RawQuery(query): RawQuery) -> Answered {
    let endpoint = in_query(query.as_deref(), "endpoint")
        .ok_or_else(|| Problem::of_field("endpoint", "name an endpoint that is set up"))?;
    Ok(answer(StatusCode::OK, &server.query(Query::Models { endpoint }).await?))
}

pub(crate) async fn sessions(State(server): Shared, RawQuery(query): RawQuery) -> Answered {
    let named = in_query(query.as_deref(), "project");
    let project_id = server.project(named.as_deref())?.project_id;
    Ok(answer(StatusCode::OK, &server.query(Query::Sessions { project_id, after: None }).await?))
}

pub(crate) async fn search(State(server): Shared, RawQuery(query): RawQuery) -> Answered {
    let text =
        in_query(query.as_deref(), "text").ok_or_else(|| Problem::of_field("text", "it is missing"))?;
    let after = in_query(query.as_deref(), "after").map(|after| id("after", &after)).transpose()?;
    Ok(answer(StatusCode::OK, &json!({ "page": server.search(&text, after).await? })))
}

pub(crate) async fn session(
    State(server): Shared,
    InPath(session): InPath<String>,
    RawQuery(query): RawQuery,
) -> Answered {
    let session_id = id("session", &session)?;
    let place = match in_query(query.as_deref(), "before") {
        Some(before) => TurnPlace::Before { request_id: id("before", &before)? },
        None => TurnPlace::Newest,
    };
    Ok(answer(StatusCode::OK, &server.query(Query::Session { session_id, place, turns: PAGE }).await?))
}

pub(crate) async fn delete_session(State(server): Shared, InPath(session): InPath<String>) -> Answered {
    outcome(&server, Op::DeleteSession { session_id: id("session", &session)? }).await
}

pub(crate) async fn queue(State(server): Shared, InPath(session): InPath<String>) -> Answered {
    Ok(answer(StatusCode::OK, &server.query(Query::Queue { session_id: id("session", &session)? }).await?))
}

/// A message of a turn that goes on without a reader.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Turn {
    content: String,
    #[serde(default)]
    metadata: Metadata,
}

pub(crate) async fn start_turn(State(server): Shared, headers: HeaderMap, body: Body) -> Answered {
    let (Turn { content, metadata }, taken) = given::read_with_files(&server.bodies, &headers, body).await?;
    let project_id = server.project_of(metadata.session_id()?, metadata.project.as_deref()).await?;
    let request_id = whole(async move {
        let kept = kept(None, &content, true);
        let request_id = start(&server, project_id, metadata, content, (None, kept)).await?;
        drop(taken);
        server.watched.watch(request_id, OnDisconnect::Continue);
        Ok(request_id)
    })
    .await?;
    Ok(answer(StatusCode::CREATED, &json!({ "requestId": request_id })))
}

pub(crate) async fn enqueue(
    State(server): Shared,
    InPath(session): InPath<String>,
    headers: HeaderMap,
    body: Body,
) -> Answered {
    let session_id: SessionId = id("session", &session)?;
    let (Turn { content, metadata }, taken) = given::read_with_files(&server.bodies, &headers, body).await?;
    let project_id = server.project_of(Some(session_id), metadata.project.as_deref()).await?;
    let Answer::ProjectSettings { settings } = server.query(Query::ProjectSettings { project_id }).await?
    else {
        return Err(unexpected());
    };
    let options = metadata.options(None, settings.limits);
    whole(async move {
        let queued = with_files(&server, project_id, metadata.attachments, options, |options| {
            outcome(&server, Op::QueueMessage { session_id, text: content, options })
        });
        let queued = queued.await;
        drop(taken);
        queued
    })
    .await
}

pub(crate) async fn turn(State(server): Shared, InPath(turn): InPath<String>) -> Answered {
    let request_id: RequestId = id("turn", &turn)?;
    server.reach_turn(request_id).await?;
    let report = server.engine.report_of(request_id).await?;
    let pending = server.engine.pending_of(request_id).await?;
    let is_over = report.as_ref().is_some_and(|report| report.status != TurnStatus::Waiting);
    let state = match &pending {
        _ if is_over => "over",
        Some(_) => "waiting",
        None if server.engine.is_left(request_id).await? => "interrupted",
        None => "running",
    };
    let told = json!({ "requestId": request_id, "state": state, "report": report, "pending": pending });
    Ok(answer(StatusCode::OK, &told))
}

pub(crate) async fn events(
    State(server): Shared,
    InPath(turn): InPath<String>,
    Extension(access): Extension<Access>,
    headers: HeaderMap,
) -> Answered {
    let request_id: RequestId = id("turn", &turn)?;
    server.reach_turn(request_id).await?;
    let place = streaming::place(&server, access)?;
    let reader = Reader::new(Arc::clone(&server), request_id);
    streaming::stream(&server, reader, place, streaming::last_event_id(&headers)).await
}

pub(crate) async fn trace(State(server): Shared, InPath(turn): InPath<String>) -> Answered {
    Ok(answer(StatusCode::OK, &server.query(Query::Trace { request_id: id("turn", &turn)? }).await?))
}

pub(crate) async fn changes(State(server): Shared, InPath(turn): InPath<String>) -> Answered {
    let of = ChangesOf::Turn { request_id: id("turn", &turn)? };
    Ok(answer(StatusCode::OK, &server.query(Query::Changes { of }).await?))
}

/// The difference of one file.
pub(crate) async fn change(
    State(server): Shared,
    InPath(turn): InPath<String>,
    RawQuery(query): RawQuery,
) -> Answered {
    let of = ChangesOf::Turn { request_id: id("turn", &turn)? };
    let path =
        in_query(query.as_deref(), "path").ok_or_else(|| Problem::of_field("path", "it is missing"))?;
    Ok(answer(StatusCode::OK, &server.query(Query::Change { of, path }).await?))
}

/// The write session with this number, with the difference that waits.
pub(crate) async fn write(
    State(server): Shared,
    InPath((turn, write)): InPath<(String, String)>,
) -> Answered {
    let query = Query::Write { request_id: id("turn", &turn)?, write: id("write", &write)? };
    Ok(answer(StatusCode::OK, &server.query(query).await?))
}

pub(crate) async fn stop(State(server): Shared, InPath(turn): InPath<String>) -> Answered {
    outcome(&server, Op::StopTurn { request_id: id("turn", &turn)? }).await
}

pub(crate) async fn pause(State(server): Shared, InPath(turn): InPath<String>) -> Answered {
    let op = Op::PauseTurn { request_id: id("turn", &turn)?, pause: PauseRequest::Next };
    outcome(&server, op).await
}

pub(crate) async fn resume(State(server): Shared, InPath(turn): InPath<String>) -> Answered {
    let request_id = id("turn", &turn)?;
    going_on(server, request_id, Op::ResumeTurn { request_id }).await
}

pub(crate) async fn undo(State(server): Shared, InPath(turn): InPath<String>) -> Answered {
    let of = ChangesOf::Turn { request_id: id("turn", &turn)? };
    outcome(&server, Op::UndoChanges { of, path: None }).await
}

/// A message for a turn that runs.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Said {
    text: String,
}

pub(crate) async fn steer(
    State(server): Shared,
    InPath(turn): InPath<String>,
    headers: HeaderMap,
    body: Body,
) -> Answered {
    let Said { text } = given::read(&server.bodies, &headers, body).await?;
    outcome(&server, Op::Steer { request_id: id("turn", &turn)?, text }).await
}

/// An answer to the thing with this digest.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Replied {
    digest: String,
    reply: Reply,
}

/// Answers exactly the thing with this digest (A3). What grants more than that is for the person at the computer.
pub(crate) async fn reply(
    State(server): Shared,
    InPath(turn): InPath<String>,
    headers: HeaderMap,
    body: Body,
) -> Answered {
    let request_id: RequestId = id("turn", &turn)?;
    let Replied { digest, reply } = given::read(&server.bodies, &headers, body).await?;
    let digest: Sha256 = digest.parse().map_err(|_| Problem::of_field("digest", "this is no digest"))?;
    server.reach_turn(request_id).await?;
    // Only what was looked at here is answered: a call tells its digest before it asks.
    let Some(pending) = server.engine.pending_of(request_id).await? else {
        return Err(ErrorInfo::new(Code::NotWaiting, "The turn does not wait for an answer.", "").into());
    };
    if pending.digest != digest {
        let message = "The turn waits with something else now.";
        return Err(ErrorInfo::new(Code::ApprovalStale, message, "Look at it again.").into());
    }
    if reply.grants_for(&pending.of) {
        return Err(Problem::forbidden(
            "This answer grants more than the one thing that is asked about.",
            "Give it in Orion's window or on the command line.",
        ));
    }
    going_on(server, request_id, Op::Reply { request_id, digest, reply }).await
}

/// Has a turn go on, where there is room for it.
async fn going_on(server: Arc<Server>, request_id: RequestId, op: Op) -> Answered {
    whole(async move {
        let _room = server.room_to_go_on(request_id).await?;
        outcome(&server, op).await
    })
    .await
}

async fn outcome(server: &Server, op: Op) -> Answered {
    let outcome: Outcome = server.submit(op).await?;
    Ok(answer(StatusCode::OK, &outcome))
}
