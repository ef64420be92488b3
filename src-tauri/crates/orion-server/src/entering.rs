//! Every request passes the doors first, and every answer says what browsers may do with it (H1).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::problem::Problem;
use crate::server::Server;

/// Lets a request in, or answers in its place.
pub(crate) async fn door(State(server): State<Arc<Server>>, mut request: Request, next: Next) -> Response {
    if let Err(problem) = server.doors.recognize(&request) {
        return problem.into_response();
    }
    let origin = request.headers().get(header::ORIGIN).cloned();
    // A browser shows no token before it may call.
    let asks_first = request.method() == Method::OPTIONS && origin.is_some();
    let mut response = if asks_first {
        allowed_methods()
    } else {
        match server.doors.admit(&request) {
            Err(problem) => problem.into_response(),
            Ok(_) if server.closing.is_cancelled() => Problem::closing().into_response(),
            Ok(access) => {
                request.extensions_mut().insert(access);
                next.run(request).await
            }
        }
    };
    let headers = response.headers_mut();
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        let shown = HeaderValue::from_static("retry-after");
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, shown);
        headers.insert(header::VARY, HeaderValue::from_static("Origin"));
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// The question of a browser before a page's request.
fn allowed_methods() -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
    let names = HeaderValue::from_static("authorization, content-type, last-event-id");
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names);
    response
}
