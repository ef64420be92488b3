//! Everything that can happen to a turn under test, and the values for it.

pub(crate) mod checks;
pub(crate) mod commands;

use orion_core::tool::Opening;
use orion_core::turn::{Draft, Proposed};
use std::cell::RefCell;
use std::collections::HashMap;

use checks::OfCheck;
use commands::OfCommand;
use orion_core::signature::digest;
use orion_protocol::{FaultKind, ProposalCause, Sha256, WriteFault, WriteOperation, WriteProposal};

/// What a sequence is made of. Model inputs go to the live call, outcomes to the running tool, approvals to what is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    Text,
    CallA,
    CallB,
    /// The same call as A, formatted otherwise.
    CallAAgain,
    CallAsk,
    CallNever,
    CallNoArguments,
    /// Three calls in one event, two of them the same.
    CallThree,
    /// The beginning of a call's arguments.
    CallPart,
    /// Calls that the model writes into its text: of A, of one that asks, and one that is cut off.
    LeakA,
    LeakAsk,
    LeakPart,
    /// Text that ends in a colon.
    Colon,
    /// Thoughts in the text, and the end of them.
    Think,
    ThinkNoMore,
    FinishStop,
    FinishLength,
    Ended,
    Failed,
    /// The provider says that the conversation is too long.
    TooLong,
    Retrying,
    ToolOk,
    /// A read of one file.
    ToolRead,
    ToolFailed,
    /// The file that is compared has not changed, or has.
    Same,
    Differs,
    ChangedAll,
    Allow,
    Refuse,
    /// A yes that is kept, and its revocation.
    Keep,
    Revoke,
    /// A yes with other arguments: fit ones, the call's own, those of another call, such as lead out of the project, and denied ones.
    Edit,
    EditSame,
    EditToA,
    EditOutside,
    EditDenied,
    /// A no that says why, and one that ends the turn.
    RefuseWhy,
    RefuseAndStop,
    /// A yes and a no at once, and a no and a yes.
    TwoAnswers,
    TwoAnswersNoFirst,
    Stop,
    Interrupted,
    /// What an earlier call, an earlier tool and an earlier approval still say.
    Stale,
    CallWrite,
    CallTwoWrites,
    /// The tool that runs opens a write session.
    Opened,
    Line,
    /// Content that cannot be written as it is.
    Bad,
    Done,
    Idle,
    Proposed,
    ProposedFaulty,
    ProposedFailed,
    Revised,
    ApproveDespite,
    Wrote,
    WroteChanged,
    WroteFailed,
    WroteUnknown,
    /// The process died and another one goes on.
    Resumed,
    /// The disk refused, or Orion has a defect.
    DriverFailed,
    /// A kilobyte of text, of reasoning, of arguments.
    Flood,
    FloodOfReasoning,
    FloodOfArguments,
    /// Five kilobytes of one line.
    Loop,
    /// What a person chooses for content that only repeats itself.
    GoOn,
    KeepOne,
    DiscardRepeats,
    /// What was done in the session was read, or could not be.
    Facts,
    NoFacts,
    /// The provider says that it used nothing, or more than there is.
    UsageZero,
    UsageHuge,
    /// Ten minutes pass before what comes next.
    TenMinutes,
    /// The alarm for the deadline, at any time.
    Expired,
    /// A person wants a pause: after each tool phase, no longer, after the step, at once.
    PauseAfterTools,
    PauseNoMore,
    PauseNext,
    PauseNow,
    /// They resume the turn: with the results as they are, with the last one edited, and with all of them dropped.
    ResumePause,
    EditResult,
    DropResults,
    /// From two channels: one drops, the other changes nothing.
    TwoResume,
    /// The tool that runs asks the person, and what they make of that: an answer, one that does not fit, two ways not to answer, and two of them at
    /// once.
    ToolAsks,
    /// The tool that runs asks, and waits for the answer.
    ToolConsults,
    AnswerQuestions,
    AnswerWrong,
    Decline,
    Dismiss,
    TwoDecline,
    /// A person gives the turn a message.
    Steer,
    /// Of a command alone. Without a tool that runs them nothing of it happens.
    Command(OfCommand),
    /// Of a check alone. Where none runs nothing of it happens.
    Check(OfCheck),
}

pub(crate) const ACTS: [Act; 90] = [
    Act::Text,
    Act::CallA,
    Act::CallB,
    Act::CallAAgain,
    Act::CallAsk,
    Act::CallNever,
    Act::CallNoArguments,
    Act::CallThree,
    Act::CallPart,
    Act::LeakA,
    Act::LeakAsk,
    Act::LeakPart,
    Act::Colon,
    Act::Think,
    Act::ThinkNoMore,
    Act::FinishStop,
    Act::FinishLength,
    Act::Ended,
    Act::Failed,
    Act::TooLong,
    Act::Retrying,
    Act::ToolOk,
    Act::ToolRead,
    Act::ToolFailed,
    Act::Same,
    Act::Differs,
    Act::ChangedAll,
    Act::Allow,
    Act::Refuse,
    Act::Keep,
    Act::Revoke,
    Act::Edit,
    Act::EditSame,
    Act::EditToA,
    Act::EditOutside,
    Act::EditDenied,
    Act::RefuseWhy,
    Act::RefuseAndStop,
    Act::TwoAnswers,
    Act::TwoAnswersNoFirst,
    Act::Stop,
    Act::Interrupted,
    Act::Stale,
    Act::CallWrite,
    Act::CallTwoWrites,
    Act::Opened,
    Act::Line,
    Act::Bad,
    Act::Done,
    Act::Idle,
    Act::Proposed,
    Act::ProposedFaulty,
    Act::ProposedFailed,
    Act::Revised,
    Act::ApproveDespite,
    Act::Wrote,
    Act::WroteChanged,
    Act::WroteFailed,
    Act::WroteUnknown,
    Act::Resumed,
    Act::DriverFailed,
    Act::Flood,
    Act::FloodOfReasoning,
    Act::FloodOfArguments,
    Act::Loop,
    Act::GoOn,
    Act::KeepOne,
    Act::DiscardRepeats,
    Act::Facts,
    Act::NoFacts,
    Act::UsageZero,
    Act::UsageHuge,
    Act::TenMinutes,
    Act::Expired,
    Act::PauseAfterTools,
    Act::PauseNoMore,
    Act::PauseNext,
    Act::PauseNow,
    Act::ResumePause,
    Act::EditResult,
    Act::DropResults,
    Act::TwoResume,
    Act::ToolAsks,
    Act::ToolConsults,
    Act::AnswerQuestions,
    Act::AnswerWrong,
    Act::Decline,
    Act::Dismiss,
    Act::TwoDecline,
    Act::Steer,
];

/// What happens among questions, one of each kind.
pub(crate) const ASKING: [Act; 16] = [
    Act::CallA,
    Act::CallAAgain,
    Act::Ended,
    Act::ToolOk,
    Act::ToolAsks,
    Act::ToolConsults,
    Act::AnswerQuestions,
    Act::AnswerWrong,
    Act::TwoDecline,
    Act::Allow,
    Act::PauseNow,
    Act::ResumePause,
    Act::Resumed,
    Act::Interrupted,
    Act::DriverFailed,
    Act::Steer,
];

/// The acts of the exhaustive search among pauses.
pub(crate) const PAUSING: [Act; 19] = [
    Act::Text,
    Act::CallA,
    Act::CallThree,
    Act::CallAsk,
    Act::CallWrite,
    Act::CallPart,
    Act::Ended,
    Act::ToolRead,
    Act::Opened,
    Act::Refuse,
    Act::PauseNext,
    Act::PauseNow,
    Act::ResumePause,
    Act::EditResult,
    Act::DropResults,
    Act::TwoResume,
    Act::Interrupted,
    Act::DriverFailed,
    Act::Steer,
];

/// What happens in a write session, one of each kind.
pub(crate) const WRITING: [Act; 27] = [
    Act::CallWrite,
    Act::Line,
    Act::Bad,
    Act::Done,
    Act::Loop,
    Act::GoOn,
    Act::KeepOne,
    Act::FinishLength,
    Act::Ended,
    Act::Failed,
    Act::Idle,
    Act::Proposed,
    Act::ProposedFaulty,
    Act::Allow,
    Act::Refuse,
    Act::Keep,
    Act::RefuseWhy,
    Act::TwoAnswers,
    Act::ApproveDespite,
    Act::ChangedAll,
    Act::WroteChanged,
    Act::Wrote,
    Act::Resumed,
    Act::DriverFailed,
    Act::PauseNow,
    Act::ResumePause,
    Act::Steer,
];

/// What brings write sessions on, from one stage to the next.
pub(crate) const STRETCHES: [&[Act]; 9] = [
    &[Act::CallWrite, Act::Ended, Act::Opened],
    &[Act::Line, Act::Done, Act::Ended],
    &[Act::Proposed, Act::Allow],
    &[Act::Refuse],
    &[Act::Loop, Act::GoOn],
    &[Act::Loop, Act::KeepOne],
    &[Act::PauseNow, Act::ResumePause],
    &[Act::Wrote],
    &[Act::Steer],
];

/// The acts of the exhaustive search: one of each kind, so that every order of kinds is seen.
pub(crate) const KINDS: [Act; 16] = [
    Act::Text,
    Act::CallA,
    Act::CallAAgain,
    Act::CallAsk,
    Act::CallNoArguments,
    Act::CallThree,
    Act::CallPart,
    Act::FinishLength,
    Act::Ended,
    Act::Failed,
    Act::ToolOk,
    Act::ChangedAll,
    Act::Allow,
    Act::TwoAnswers,
    Act::Stop,
    Act::Stale,
];

pub(crate) fn opening(path: &str) -> Opening {
    Opening {
        path: path.to_owned(),
        real: None,
        operation: WriteOperation::Overwrite,
        intent: "Say hello.".to_owned(),
        bytes: Some(3),
        has_replacement: false,
        controls: String::new(),
        nonce: None,
    }
}

pub(crate) fn fault() -> WriteFault {
    WriteFault {
        kind: FaultKind::BlockMissing,
        line: 1,
        column: 1,
        what: "not in the file".to_owned(),
        context: String::new(),
    }
}

/// A proposal of this content, with a fault when there is a NUL in it.
pub(crate) fn ready(content: &str) -> Proposed {
    let faults = if content.contains('\0') { vec![fault()] } else { Vec::new() };
    let proposal = WriteProposal {
        digest: asked(content),
        cause: ProposalCause::Content,
        leads_to: None,
        base_sha256: Some(digest("base")),
        sha256: digest(&format!("sha256 {content}")),
        bytes: content.len() as u64,
        lines: 1,
        added: 1,
        removed: 1,
        old_lines: 1,
        hunks: 2,
        encoding: "UTF-8".to_owned(),
        line_ends: "LF".to_owned(),
        seams: Vec::new(),
        faults,
        more_faults: 0,
        removals: Vec::new(),
        always_asks: None,
    };
    let draft = Draft { operation: WriteOperation::Overwrite, content_sha256: keep(content) };
    Proposed::Ready { proposal: Box::new(proposal), draft }
}

/// The digest under which a proposal of this content is asked about.
pub(crate) fn asked(content: &str) -> Sha256 {
    digest(&format!("asked {content}"))
}

thread_local! {
    static KEPT: RefCell<HashMap<Sha256, String>> = RefCell::default();
}

/// Keeps a content under its digest, as a driver's store does.
pub(crate) fn keep(content: &str) -> Sha256 {
    let sha256 = digest(content);
    KEPT.with_borrow_mut(|kept| kept.insert(sha256, content.to_owned()));
    sha256
}

/// A content that was kept.
pub(crate) fn kept(sha256: Sha256) -> String {
    KEPT.with_borrow(|kept| kept[&sha256].clone())
}
