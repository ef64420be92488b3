//! The words Orion says to a model in a write session, and the spans of its trace, whole.

use insta::{assert_json_snapshot, assert_snapshot};
use orion_core::prompt::{self, EndedWrite};
use orion_core::signature::digest;
use orion_core::trace::TraceFold;
use orion_core::turn::{Approved, Input, Proposed, WriteOutcome};
use orion_core::write::Faults;
use orion_protocol::{
    Code, ErrorInfo, FaultKind, Policy, ProposalCause, Sha256, TraceKind, TurnEvent, WriteFault,
    WriteOperation, WriteProposal, WriteStatus,
};

use crate::acts::{asked, ready};
use crate::common::{Played, finish, text, yes_or_no};
use crate::turn_writes::{asking_on, opened, opened_by};

const OPERATIONS: [WriteOperation; 4] =
    [WriteOperation::Create, WriteOperation::Overwrite, WriteOperation::Append, WriteOperation::Edit];

#[test]
fn what_is_asked_for_is_said_for_each_operation() {
    // W1, W4, W5
    let asked = OPERATIONS.map(|operation| prompt::send_content("src/a.rs", operation, "DONE"));
    assert_snapshot!("the_content_is_asked_for", asked.join("\n\n"));
    let fault = |kind, line| WriteFault {
        kind,
        line,
        column: 3,
        what: "U+0000".to_owned(),
        context: "one\ntwo".to_owned(),
    };
    let control = vec![fault(FaultKind::Control, 1), fault(FaultKind::Markup, 2)];
    let malformed = vec![fault(FaultKind::BlockMissing, 1), fault(FaultKind::BlockMalformed, 2)];
    let words = [
        (WriteOperation::Create, control.clone(), 0),
        (WriteOperation::Overwrite, malformed.clone(), 1),
        (WriteOperation::Edit, control, 2),
        (WriteOperation::Edit, malformed, 0),
    ]
    .map(|(operation, list, more)| {
        prompt::corrections("src/a.rs", operation, &Faults { list, more }, "DONE")
    });
    assert_snapshot!("corrections_are_asked_for", words.join("\n\n"));
}

#[test]
fn a_model_is_reminded_of_the_last_400_bytes() {
    let long = format!("{}é{}", "a".repeat(100), "b".repeat(399));
    for (so_far, reminder) in [("one\ntw", "one\ntw"), (&*long, &*"b".repeat(399))] {
        assert!(prompt::go_on(so_far, "END").contains(&format!("marks:\n⟦{reminder}⟧\nGo on")));
        let asked = prompt::end_or_more(so_far, "END");
        assert!(
            asked.contains(&format!("marks:\n⟦{reminder}⟧\nIf it is complete, send only the line\nEND\nO"))
        );
    }
}

#[test]
fn content_of_192_kib_is_given_back_whole_and_of_more_both_ends() {
    let whole = "é".repeat(96 * 1024);
    assert_eq!(prompt::elided(&whole, usize::MAX), whole);
    let longer = format!("{whole}x");
    let part = 64 * 1024;
    let expected = format!(
        "{}\n[… {} bytes are left out here …]\n{}",
        &longer[..part],
        // The end begins in the middle of a character.
        longer.len() - 2 * part + 1,
        &longer[longer.len() - part + 1..],
    );
    assert!(prompt::elided(&longer, usize::MAX) == expected);
    // X3: the room may have less.
    assert_eq!(prompt::elided("abcdefghij", 6), "ab\n[… 6 bytes are left out here …]\nij");
}

#[test]
fn the_box_says_what_became_of_a_session() {
    // R1, W8
    let Proposed::Ready { proposal, .. } = ready("one\n") else { panic!() };
    let approved = |sha256: Sha256, rejected_hunks: Vec<u32>, lines| Approved {
        sha256,
        bytes: 4,
        lines,
        rejected_hunks,
        despite_faults: false,
    };
    let all = approved(proposal.sha256, Vec::new(), 1);
    let some = approved(digest("another"), vec![1, 3], 2);
    let uncounted = approved(digest("another"), Vec::new(), 3);
    let error = ErrorInfo::new(Code::WriteFailed, "The disk is full.", "Make room.");
    let told = EndedWrite {
        path: "a",
        operation: WriteOperation::Create,
        status: WriteStatus::Written,
        approved: Some(&all),
        proposal: Some(&*proposal),
        revised: false,
        error: None,
    };
    let boxes = [
        told,
        EndedWrite { operation: WriteOperation::Overwrite, approved: Some(&some), ..told },
        EndedWrite { operation: WriteOperation::Append, revised: true, ..told },
        EndedWrite { operation: WriteOperation::Edit, approved: Some(&uncounted), ..told },
        EndedWrite { approved: Some(&some), proposal: None, ..told },
        EndedWrite { status: WriteStatus::Rejected, approved: None, ..told },
        EndedWrite { status: WriteStatus::Unknown, approved: None, error: Some(&error), ..told },
        EndedWrite { status: WriteStatus::Discarded, approved: None, proposal: None, ..told },
        EndedWrite { status: WriteStatus::Failed, approved: None, error: Some(&error), ..told },
    ];
    assert_snapshot!(boxes.map(|outcome| prompt::write_box("NONCE", &outcome)).join("\n\n"));
}

/// The spans of writes and approvals: kind, name, status, end and small facts.
fn spans(played: &Played) -> serde_json::Value {
    let durable: Vec<_> = played.envelopes.iter().filter(|it| it.event.is_durable()).cloned().collect();
    let of_writes = |kind| matches!(kind, TraceKind::WriteSession | TraceKind::Approval);
    let spans = TraceFold::all(&durable).into_iter().filter(|span| of_writes(span.kind));
    spans
        .map(|span| serde_json::json!([span.kind, span.name, span.status, span.end_ms, span.attributes]))
        .collect()
}

#[test]
fn a_session_is_traced_with_its_corrections_its_previews_and_its_end() {
    // J2
    let error = || ErrorInfo::new(Code::WriteFailed, "The disk is full.", "");
    let mut corrected = opened(Policy::two_stage());
    corrected.answers([text("\u{0}one\n<tool_call>\nDONE")]).answers([text("one\ntwo\nDONE")]);
    corrected.proposed(ready("one\n"));
    // Asked anew: what was asked before is asked no more.
    let Proposed::Ready { mut proposal, draft } = ready("another\n") else { panic!() };
    *proposal = WriteProposal { cause: ProposalCause::Revised, more_faults: 2, ..*proposal };
    corrected.proposed(Proposed::Ready { proposal, draft });
    corrected.input(yes_or_no(asked("one\n"), false));
    corrected.allow(false);

    let ended = [
        WriteOutcome::Written,
        WriteOutcome::Failed { error: error() },
        WriteOutcome::Unknown { error: error() },
    ]
    .map(|outcome| {
        let mut played = opened(Policy::two_stage());
        played.answers([text("one\nDONE")]).proposed(ready("one\n"));
        played.allow(true).wrote(outcome);
        spans(&played)
    });
    let mut discarded = opened(Policy::two_stage());
    discarded.answers([text("one\nDONE")]);
    let outcome = Proposed::Failed { error: error() };
    discarded.proposed(outcome);
    let mut stopped = opened(Policy::two_stage());
    stopped.answers([text("one\nDONE")]).proposed(ready("one\n"));
    stopped.input(Input::Stop);
    assert!(stopped.events().any(|event| matches!(event, TurnEvent::WriteDone { .. })));
    let mut spent = opened_by(asking_on());
    for _ in 0..16 {
        spent.answers([finish("length")]);
    }
    let [discarded, stopped, spent] = [&discarded, &stopped, &spent].map(spans);
    assert_json_snapshot!((spans(&corrected), ended, discarded, stopped, spent));
}
