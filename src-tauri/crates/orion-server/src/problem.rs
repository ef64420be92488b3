//! Errors as answers: `application/problem+json` (RFC 9457), with what every channel says of an error (H7, J4).

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use orion_protocol::{Code, ErrorInfo};
use serde_json::json;

/// An error on its way to a caller.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    error: Box<ErrorInfo>,
    /// The part of the body that is at fault.
    field: Option<String>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, error: ErrorInfo) -> Self {
        Self { status, error: Box::new(error), field: None }
    }

    /// 400, with the field that is at fault.
    pub(crate) fn of_field(field: impl Into<String>, why: impl Into<String>) -> Self {
        let field = field.into();
        let error =
            ErrorInfo::new(Code::Usage, format!("{field}: {}", why.into()), "Correct it, and ask again.");
        Self { field: Some(field), ..Self::new(StatusCode::BAD_REQUEST, error) }
    }

    pub(crate) fn forbidden(message: &str, action: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, ErrorInfo::new(Code::AccessDenied, message, action))
    }

    pub(crate) fn too_many(message: &str, seconds: u32) -> Self {
        let mut error = ErrorInfo::new(Code::RateLimited, message, "Wait, and ask again.").retryable();
        error.retry_after_s = Some(seconds);
        Self::new(StatusCode::TOO_MANY_REQUESTS, error)
    }

    pub(crate) fn closing() -> Self {
        let error =
            ErrorInfo::new(Code::Stopped, "Orion is closing.", "Ask again once it has started again.");
        Self::new(StatusCode::SERVICE_UNAVAILABLE, error.retryable())
    }
}

impl From<ErrorInfo> for Problem {
    fn from(error: ErrorInfo) -> Self {
        Self::new(status(error.code), error)
    }
}

/// The status of an error of the engine.
fn status(code: Code) -> StatusCode {
    match code {
        Code::Usage | Code::PatternInvalid | Code::ToolArguments => StatusCode::BAD_REQUEST,
        Code::AccessDenied | Code::ToolDenied | Code::PathOutside | Code::PathIgnored => {
            StatusCode::FORBIDDEN
        }
        Code::RouteDisabled
        | Code::TurnUnknown
        | Code::SessionUnknown
        | Code::ProjectUnknown
        | Code::ApprovalUnknown
        | Code::WriteUnknownSession
        | Code::ModelUnknown
        | Code::PathNotFound => StatusCode::NOT_FOUND,
        Code::TurnActive
        | Code::TurnWaiting
        | Code::NotWaiting
        | Code::ApprovalStale
        | Code::WriteOpen
        | Code::WriteFaulty
        | Code::UndoStale
        | Code::FileChanged
        | Code::OtherVersion
        | Code::NoEndpoint
        | Code::SessionReadOnly => StatusCode::CONFLICT,
        Code::TurnOver | Code::NotResumable => StatusCode::GONE,
        Code::Stopped => StatusCode::SERVICE_UNAVAILABLE,
        Code::Storage | Code::StorageVersion | Code::Internal | Code::WriteFailed | Code::WriteUnknown => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self { status, error, field } = self;
        let body = json!({
            "type": "about:blank",
            "title": status.canonical_reason(),
            "status": status.as_u16(),
            "detail": error.message,
            "code": error.code,
            "message": error.message,
            "action": error.action,
            "retry": error.retryable,
            "requestId": error.request_id,
            "field": field,
        });
        let mut response = Response::new(Body::from(body.to_string()));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = error.retry_after_s {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
