//! Outcomes of calls that did not run, as the model is told (R2).

use orion_protocol::{AskedBy, Code, ErrorInfo, ToolStatus};

use crate::tool::ToolOutcome;

pub(super) fn refused_begin() -> ToolOutcome {
    let error = ErrorInfo::new(
        Code::WriteOpen,
        "A write session is open already; this one was not begun.",
        "Finish the open one first, then call again.",
    );
    ToolOutcome { status: ToolStatus::Failed, error: Some(error), ..empty("Not begun") }
}

fn empty(summary: &str) -> ToolOutcome {
    ToolOutcome::ended(ToolStatus::Cancelled, summary)
}

fn denied(message: &str) -> ToolOutcome {
    let error = ErrorInfo::new(Code::ToolDenied, message, "Go on without it, or ask the user.");
    ToolOutcome { status: ToolStatus::Denied, error: Some(error), ..empty("Not allowed") }
}

pub(super) fn cancelled() -> ToolOutcome {
    empty("Cancelled")
}

/// A person rejected the call (A6).
pub(super) fn rejected() -> ToolOutcome {
    denied("The user did not allow this call.")
}

/// The person did not answer the questions of the call (A8): they declined, or leave it to the model (`Cancelled`).
pub(super) fn unanswered(status: ToolStatus) -> ToolOutcome {
    let (summary, message, action) = match status {
        ToolStatus::Denied => (
            "Declined",
            "The user declined to answer.",
            "Go on with what you know, and say what you had to assume.",
        ),
        _ => ("Dismissed", "The user leaves this to you.", "Decide it yourself, and say how you decided."),
    };
    let error = ErrorInfo::new(Code::ToolDenied, message, action);
    ToolOutcome { status, error: Some(error), ..empty(summary) }
}

/// The person answered the questions of the call.
pub(super) fn answered(body: String, count: usize) -> ToolOutcome {
    let summary = if count == 1 { "1 answer".to_owned() } else { format!("{count} answers") };
    ToolOutcome { status: ToolStatus::Ok, bytes: body.len() as u64, body, ..empty(&summary) }
}

/// The rules deny the call (A1).
pub(super) fn not_allowed(by: AskedBy) -> ToolOutcome {
    denied(match by {
        AskedBy::User => "The user's rules do not allow this call.",
        AskedBy::Project => "The rules of this project do not allow this call.",
        AskedBy::Default | AskedBy::Always | AskedBy::Leaked => "This tool is switched off in the settings.",
    })
}

/// The tool has run as often as it may in a turn (T4).
pub(super) fn ran_enough(name: &str, most: u32) -> ToolOutcome {
    let times = if most == 1 { "once".to_owned() } else { format!("{most} times") };
    denied(&format!("{name} has run {times} in this turn, as often as it may."))
}

/// The call had begun when its process died, and the session goes on without the turn (X1).
pub(super) fn broke_off() -> ToolOutcome {
    let error = ErrorInfo::new(
        Code::Interrupted,
        "The call had begun when Orion was closed, so what it did is not known.",
        "Look at what it would have changed, or ask the user.",
    );
    ToolOutcome { status: ToolStatus::Failed, error: Some(error), ..empty("Outcome unknown") }
}

/// The call may have run before its process died, and the person does not want it to run again (A5).
pub(super) fn outcome_unknown() -> ToolOutcome {
    let error = ErrorInfo::new(
        Code::Interrupted,
        "The call had begun when Orion was closed, so what it did is not known. The user did not allow it to run again.",
        "Look at what it would have changed, or ask the user.",
    );
    ToolOutcome { status: ToolStatus::Failed, error: Some(error), ..empty("Outcome unknown") }
}
