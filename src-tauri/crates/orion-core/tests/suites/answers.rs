//! What a turn waits for, and what answers to it come to: one wins, the others change nothing (A3, A7).

use orion_core::signature::digest as sha256;
use orion_core::turn::{Approved, Effect, Input, Proposed, Supplied, Turn, Unfit, Verdict, WriteOutcome};
use orion_protocol::{
    AskedBy, CallId, KeptFor, Pending, PendingOf, Policy, ProposalCause, Reply, Sha256, StopReason, TurnEvent,
};

use crate::acts::{asked, fault, ready};
use crate::common::{Played, approval, call, found, text, two_stage, write_approved, yes_or_no};
use crate::turn_writes::opened;

fn yes(digest: Sha256) -> Input {
    yes_or_no(digest, true)
}

fn no(digest: Sha256) -> Input {
    yes_or_no(digest, false)
}

fn written(digest: Sha256, despite_faults: bool) -> Input {
    let approved =
        Approved { sha256: sha256("part"), bytes: 1, lines: 1, rejected_hunks: vec![2], despite_faults };
    write_approved(digest, approved)
}

fn proposed(cause: ProposalCause, content: &str) -> Proposed {
    let Proposed::Ready { mut proposal, draft } = ready(content) else { panic!() };
    proposal.cause = cause;
    Proposed::Ready { proposal, draft }
}

/// A call that waits, with its digest.
fn call_asked() -> (Played, Sha256) {
    let mut played = two_stage();
    played.says([call(0, "q", "ask", "{\"path\":\"a\"}")]);
    let digest = played.asked.unwrap();
    (played, digest)
}

/// A write that waits.
fn proposing(outcome: Proposed) -> Played {
    let mut played = opened(Policy::two_stage());
    played.answers([text("one\nDONE")]).proposed(outcome);
    played
}

/// What an answer came to, and that one which is not taken has no effect.
fn answer(turn: &mut Turn, input: Input) -> Verdict {
    let verdict = turn.verdict(&input).unwrap();
    let waited = turn.pending().map(|pending| pending.digest);
    let effects = turn.step(0, input);
    let given = effects.iter().any(|effect| {
        matches!(effect, Effect::Emit(envelope) if matches!(envelope.event, TurnEvent::Answered { .. }))
    });
    assert_eq!(given, verdict == Verdict::Taken);
    if verdict != Verdict::Taken {
        assert_eq!(effects, []);
        assert_eq!(turn.pending().map(|pending| pending.digest), waited);
    }
    verdict
}

#[test]
fn a_turn_says_what_it_waits_for() {
    let (mut played, digest) = call_asked();
    let of = PendingOf::Call {
        command: None,
        tool_call_id: CallId("q".to_owned()),
        name: "ask".to_owned(),
        summary: r#"{"line":1,"path":"a"}"#.to_owned(),
        by: AskedBy::Default,
        keeps: Some("a".to_owned()),
    };
    assert_eq!(played.turn.pending(), Some(&Pending { digest, of }));
    assert_eq!(played.turn.report().stop_reason, StopReason::Approval);
    played.allow(true);
    assert_eq!((played.turn.pending(), played.turn.report().stop_reason), (None, StopReason::Paused));

    let mut played = opened(Policy::two_stage());
    assert_eq!(played.turn.pending(), None, "content is still to come");
    played.answers([text("one\nDONE")]);
    assert_eq!(played.turn.pending(), None, "there is no proposal yet");
    played.proposed(ready("one\n"));
    let asks_about_write = |turn: &Turn| {
        let Some(Pending { digest, of: PendingOf::Write { write: 1, path, .. } }) = turn.pending() else {
            panic!("{:?}", turn.pending())
        };
        assert_eq!((*digest, path.as_str()), (asked("one\n"), "a"));
        assert_eq!(turn.report().stop_reason, StopReason::Approval);
    };
    asks_about_write(&played.turn);
    // W6: it is made anew since the file changed, and can be answered meanwhile.
    played.input(Input::Changed { changes: vec![orion_core::tool::Seen::Path("a".to_owned())] });
    asks_about_write(&played.turn);
    played.input(yes(asked("one\n")));
    assert_eq!(played.turn.pending(), None, "it is written");
    played.input(Input::Stop);
    assert_eq!(played.turn.pending(), None);
}

#[test]
fn of_two_answers_to_a_call_the_first_counts() {
    // A7
    for (first, second) in [(yes as fn(Sha256) -> Input, no as fn(Sha256) -> Input), (no, yes)] {
        let (mut played, digest) = call_asked();
        assert_eq!(answer(&mut played.turn, first(digest)), Verdict::Taken);
        assert_eq!(answer(&mut played.turn, second(digest)), Verdict::NotWaiting);
    }
}

#[test]
fn of_two_answers_to_a_write_the_first_counts() {
    let answers = [yes as fn(Sha256) -> Input, no, |digest| written(digest, false)];
    for first in answers {
        for second in answers {
            let mut played = proposing(ready("one\n"));
            assert_eq!(answer(&mut played.turn, first(asked("one\n"))), Verdict::Taken);
            assert_eq!(answer(&mut played.turn, second(asked("one\n"))), Verdict::NotWaiting);
        }
    }
}

#[test]
fn an_answer_to_what_has_changed_since_is_stale() {
    // A3
    let (mut played, _) = call_asked();
    assert_eq!(answer(&mut played.turn, yes(sha256("another"))), Verdict::Stale);
    assert_eq!(answer(&mut played.turn, no(sha256("another"))), Verdict::Stale);

    let mut played = proposing(ready("one\n"));
    played.proposed(proposed(ProposalCause::Revised, "two\n"));
    for old in [yes(asked("one\n")), no(asked("one\n")), written(asked("one\n"), true)] {
        assert_eq!(answer(&mut played.turn, old), Verdict::Stale);
    }
    assert_eq!(answer(&mut played.turn, written(asked("two\n"), false)), Verdict::Taken);
}

#[test]
fn an_answer_to_what_was_answered_is_not_waiting_also_while_something_else_waits() {
    let (mut played, digest) = call_asked();
    played.allow(false).says([call(0, "r", "ask", "{\"path\":\"b\"}")]);
    assert_eq!(answer(&mut played.turn, yes(digest)), Verdict::NotWaiting);
    // The file changed under a write that was approved: the difference is asked anew.
    let mut played = proposing(ready("one\n"));
    played.allow(true).wrote(WriteOutcome::Changed);
    assert_eq!(answer(&mut played.turn, yes(asked("one\n"))), Verdict::NotWaiting);
    played.proposed(proposed(ProposalCause::FileChanged, "two\n"));
    assert_eq!(answer(&mut played.turn, yes(asked("one\n"))), Verdict::NotWaiting);
    assert_eq!(answer(&mut played.turn, yes(asked("two\n"))), Verdict::Taken);
}

#[test]
fn a_turn_that_waits_for_nothing_takes_no_answer() {
    let mut played = two_stage();
    assert_eq!(answer(&mut played.turn, yes(sha256("x"))), Verdict::NotWaiting);
    played.says([call(0, "r", "read", "{\"path\":\"a\"}")]);
    assert_eq!(answer(&mut played.turn, no(sha256("x"))), Verdict::NotWaiting);
    played.tool(found("x"));
    assert_eq!(answer(&mut played.turn, written(sha256("x"), true)), Verdict::NotWaiting);
    played.answers([text("Done.")]);
    assert_eq!(played.turn.verdict(&yes(sha256("x"))), Some(Verdict::NotWaiting));
    assert_eq!(played.turn.verdict(&Input::Stop), None, "that is no answer");
}

#[test]
fn faults_must_be_seen_before_a_write_is_approved() {
    // W5
    let Proposed::Ready { mut proposal, draft } = ready("one\n") else { panic!() };
    proposal.faults = vec![fault()];
    let mut played = proposing(Proposed::Ready { proposal, draft });
    assert_eq!(answer(&mut played.turn, yes(asked("one\n"))), Verdict::Faulty);
    assert_eq!(answer(&mut played.turn, written(asked("one\n"), false)), Verdict::Faulty);
    assert_eq!(answer(&mut played.turn.clone(), no(asked("one\n"))), Verdict::Taken);
    assert_eq!(answer(&mut played.turn, written(asked("one\n"), true)), Verdict::Taken);
}

#[test]
fn hunks_of_a_write_are_no_answer_to_a_call() {
    let (mut played, digest) = call_asked();
    assert_eq!(answer(&mut played.turn, written(digest, true)), Verdict::Unfit(Unfit::NotAsked));
    assert_eq!(answer(&mut played.turn, yes(digest)), Verdict::Taken);
}

// A3
#[test]
fn a_yes_and_the_file_beside_it_are_about_the_same_hunks() {
    let digest = asked("one\n");
    let file = |sha256, rejected_hunks| Supplied::File {
        approved: Approved { sha256, bytes: 1, lines: 1, rejected_hunks, despite_faults: false },
    };
    let write = |hunks| Reply::Write { hunks, despite_faults: false };
    let Proposed::Ready { proposal, .. } = ready("one\n") else { panic!() };
    let (part, whole) = (sha256("part"), proposal.sha256);
    let cases = [
        (write(Some(vec![1])), Supplied::Nothing, Verdict::Stale),
        (write(Some(vec![1])), file(part, vec![2]), Verdict::Taken),
        (write(Some(vec![2])), file(part, vec![2]), Verdict::Stale),
        (write(None), file(part, vec![2]), Verdict::Stale),
        (Reply::YES, file(part, vec![2]), Verdict::Stale),
        (Reply::YES, file(part, vec![]), Verdict::Stale),
        (Reply::YES, file(whole, vec![]), Verdict::Taken),
        (write(None), file(whole, vec![]), Verdict::Taken),
        (write(None), Supplied::Nothing, Verdict::Taken),
    ];
    for (reply, supplied, verdict) in cases {
        let mut played = proposing(ready("one\n"));
        let input = Input::Replied { digest, reply, supplied };
        assert_eq!(answer(&mut played.turn, input.clone()), verdict, "{input:?}");
    }
}

// A1
#[test]
fn an_approval_is_kept_only_with_an_id_and_as_the_rule_that_was_shown() {
    let keep = |supplied| {
        let (mut played, digest) = call_asked();
        let reply = Reply::Allow { keep: Some(KeptFor::Session) };
        answer(&mut played.turn, Input::Replied { digest, reply, supplied })
    };
    assert_eq!(keep(Supplied::Nothing), Verdict::Unfit(Unfit::NotKept));
    assert_eq!(keep(Supplied::Approval { approval_id: approval(1) }), Verdict::Taken);
}
