//! The routes, each declared once: its handler, and what the description says of it.
//!
//! To add one, give it a row: the router and the OpenAPI document follow from it.

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::routing::{delete, get, post};
use orion_protocol::{Code, ErrorInfo};

use crate::described::{Body, Route, Told, described, schema};
use crate::design::Message;
use crate::entering::door;
use crate::messages::Resume;
use crate::problem::Problem;
use crate::server::Server;
use crate::{messages, v1};

macro_rules! routes {
    ($( $method:ident $path:literal $handler:path, $about:literal, $told:ident, [$($error:literal)*] $(, $Body:path = $example:literal)?; )*) => {
        const ROUTES: &[Route] = &[
            $( Route {
                method: stringify!($method),
                path: $path,
                about: $about,
                told: Told::$told,
                errors: &[$($error),*],
                body: &[$( Body { schema: schema::<$Body>, example: $example } )?],
            }, )*
        ];

        fn declared() -> Router<Arc<Server>> {
            Router::new() $( .route($path, $method($handler)) )*
        }
    };
}

// Method, path, handler; what it does, what it answers with, its own errors, and its body with an example.
routes! {
    post "/api/chat/messages" messages::unified, "Streams the turn of a message on the unified route",
        Stream, [400 404 409 413 415 429], Message = r#"{"external_id":"m-1","sender":"ann","content":"What is in notes.txt?","metadata":{}}"#;
    post "/api/chat/messages_two_stage" messages::two_stage, "Streams the turn of a message on the two-stage route",
        Stream, [400 404 409 413 415 429], Message = r#"{"external_id":"m-1","sender":"ann","content":"What is in notes.txt?","metadata":{}}"#;
    post "/api/chat/messages_two_stage/resume" messages::resume, "Goes on with a turn that paused or was interrupted, and streams the rest",
        Stream, [400 404 409 410 413 415 429], Resume = r#"{"requestId":"01990000-0000-7000-8000-000000000000","toolBatchId":1}"#;
    get "/api/v1/projects" v1::projects, "The projects that are served", Json, [];
    get "/api/v1/models" v1::models, "The models of the endpoint that the query names", Json, [400 404 409 422];
    get "/api/v1/sessions" v1::sessions, "The sessions of a project, the newest first", Json, [400 404];
    get "/api/v1/search" v1::search, "The words of a text in all sessions, titles first, then the newest", Json, [400];
    get "/api/v1/sessions/{session}" v1::session, "The last turns of a session, or those before a turn", Json, [400 404];
    delete "/api/v1/sessions/{session}" v1::delete_session, "Deletes a session", Json, [400 404 409];
    get "/api/v1/sessions/{session}/queue" v1::queue, "The messages that wait to be sent", Json, [400 404];
    post "/api/v1/sessions/{session}/queue" v1::enqueue, "Queues a message",
        Json, [400 404 409 413 415], v1::Turn = r#"{"content":"And then?","metadata":{}}"#;
    post "/api/v1/turns" v1::start_turn, "Starts a turn that goes on without a reader",
        Created, [400 404 409 413 415 429], v1::Turn = r#"{"content":"What is in notes.txt?","metadata":{}}"#;
    get "/api/v1/turns/{turn}" v1::turn, "The state of a turn, its report, and what it waits with", Json, [400 404];
    get "/api/v1/turns/{turn}/events" v1::events, "Streams a turn, after the Last-Event-ID where there is one", Stream, [400 404 429];
    get "/api/v1/turns/{turn}/trace" v1::trace, "The trace of a turn", Json, [400 404];
    get "/api/v1/turns/{turn}/changes" v1::changes, "The files that a turn changed", Json, [400 404];
    get "/api/v1/turns/{turn}/change" v1::change, "The difference of the file that the query names", Json, [400 403 404 422];
    get "/api/v1/turns/{turn}/writes/{write}" v1::write, "A write session of a turn, with its difference", Json, [400 404 409 422];
    post "/api/v1/turns/{turn}/stop" v1::stop, "Stops a turn", Json, [400 404 409 410];
    post "/api/v1/turns/{turn}/pause" v1::pause, "Has a turn pause before its next model call", Json, [400 404 409 410];
    post "/api/v1/turns/{turn}/resume" v1::resume, "Goes on with an interrupted turn", Json, [400 404 409 410];
    post "/api/v1/turns/{turn}/steer" v1::steer, "Gives a message to a turn that runs",
        Json, [400 404 409 410 413 415], v1::Said = r#"{"text":"Look at b.txt too."}"#;
    post "/api/v1/turns/{turn}/reply" v1::reply, "Answers exactly the thing with this digest",
        Json, [400 404 409 410 413 415],
        v1::Replied = r#"{"digest":"0000000000000000000000000000000000000000000000000000000000000000","reply":{"type":"allow","keep":null}}"#;
    post "/api/v1/turns/{turn}/undo" v1::undo, "Undoes what a turn wrote", Json, [400 404 409 422];
    get "/api/openapi.json" description, "This description", Json, [];
}

async fn description() -> axum::response::Response {
    crate::streaming::answer(StatusCode::OK, &described(ROUTES))
}

pub(crate) fn routes(server: Arc<Server>) -> Router {
    declared()
        .method_not_allowed_fallback(|| async {
            wrong(StatusCode::METHOD_NOT_ALLOWED, "This route does not take that method.")
        })
        .fallback(|| async { wrong(StatusCode::NOT_FOUND, "There is no such route.") })
        .layer(from_fn_with_state(Arc::clone(&server), door))
        .with_state(server)
}

fn wrong(status: StatusCode, message: &str) -> Problem {
    Problem::new(status, ErrorInfo::new(Code::Usage, message, "GET /api/openapi.json has the routes."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_route_says_what_it_does_and_one_with_a_body_has_an_example_of_it() {
        for route in ROUTES {
            assert!(route.about.len() > 10, "{}", route.path);
            for body in route.body {
                assert!(serde_json::from_str::<serde_json::Value>(body.example).is_ok(), "{}", route.path);
                assert_eq!((body.schema)().get("type"), Some(&"object".into()), "{}", route.path);
            }
            // 413 and 415 are of those who send a body.
            assert_eq!(route.errors.contains(&415), !route.body.is_empty(), "{}", route.path);
        }
        let document = described(ROUTES);
        assert_eq!(document["openapi"], "3.1.0");
        let session = &document["paths"]["/api/v1/sessions/{session}"];
        assert_eq!(session["get"]["parameters"][0]["name"], "session");
        assert_eq!(session["get"]["parameters"][1]["name"], "before");
        assert!(session["delete"]["responses"]["401"].is_object());
        let message = &document["paths"]["/api/chat/messages"]["post"]["requestBody"]["content"];
        assert_eq!(message["application/json"]["schema"]["required"], serde_json::json!(["content"]));
    }
}
