//! Content that only repeats itself (P11): the stream is dropped, and a person chooses what becomes of it.

use orion_core::model::ModelDelta;
use orion_core::repeats::once;
use orion_core::tool::{Opening, ToolOutcome};
use orion_core::turn::{Effect, Input, ModelInput, Source, Turn, Unfit, Verdict, Work};
use orion_core::write::{Capture, EndLine};
use orion_protocol::{
    FaultKind, NoticeCode, Pending, PendingOf, Policy, RepeatsChoice, Reply, Sha256, StopReason, TurnEvent,
    WriteOperation, WriteState, WriteStatus,
};
use proptest::prelude::*;

use crate::acts::{self, opening, ready};
use crate::common::{
    Played, WRITE_PLAN_BEGIN, call, finish, found, replied, setup, text, write_approved, yes_or_no,
};
use crate::thorough::cases;
use crate::turn_writes::{opened, state};

const LINE: &str = "  background-color: #fff;\n";

/// 100 KiB of one line.
fn endless() -> String {
    LINE.repeat(4_000)
}

/// What came before the cut: the first line, and the same one 196 times.
fn came() -> String {
    ("body {\n".to_owned() + &endless())[..5 * 1024].to_owned()
}

/// A session whose content only repeats itself.
pub(crate) fn repeating() -> Played {
    let mut played = opened(Policy::two_stage());
    played.says([text("body {\n"), text(&endless())]);
    played
}

fn digest(played: &Played) -> Sha256 {
    played.turn.pending().expect("it waits").digest
}

pub(crate) fn choose(played: &mut Played, choice: RepeatsChoice) {
    let digest = digest(played);
    played.input(replied(digest, Reply::Choose { choice }));
}

fn edit() -> Opening {
    Opening { operation: WriteOperation::Edit, ..opening("a") }
}

fn done(played: &Played) -> Option<(WriteStatus, String)> {
    played.events().find_map(|event| match event {
        TurnEvent::WriteDone { status, error, .. } => {
            Some((*status, error.as_ref().map_or(String::new(), |error| error.message.clone())))
        }
        _ => None,
    })
}

#[test]
fn the_stream_is_dropped_and_the_person_is_asked_whether_the_file_repeats_itself() {
    let played = repeating();
    assert_eq!(
        (state(&played), played.live_call, played.idle),
        (Some(WriteState::AwaitingChoice), None, None)
    );
    let Some(Pending { of: PendingOf::Repeats { write: 1, path, .. }, .. }) = played.turn.pending() else {
        panic!("{:?}", played.turn.pending())
    };
    assert_eq!(path, "a");
    assert_eq!(played.turn.report().stop_reason, StopReason::Approval);
    let told: Vec<&TurnEvent> = played.events().collect();
    let [.., TurnEvent::Notice { code: NoticeCode::RepeatedItself, message }, last] = &told[..] else {
        panic!("{told:?}")
    };
    assert_eq!(
        message,
        "The model kept repeating itself, so the content of a was cut off. The same text came 196 times in a row."
    );
    let of = PendingOf::Repeats {
        write: 1,
        path: "a".to_owned(),
        stretch: LINE.to_owned(),
        times: 196,
        bytes: 5 * 1024,
        once_bytes: "body {\n  background-color: #fff;\n".len() as u64,
        choices: vec![RepeatsChoice::GoOn, RepeatsChoice::KeepOne, RepeatsChoice::Discard],
    };
    assert_eq!(**last, TurnEvent::Asked { digest: digest(&played), of });
    // All that came is there to be looked at.
    assert_eq!(played.turn.write_session().unwrap().content(), came());
    assert!(played.turn.deadline().is_none(), "T7: no time passes while a person is asked");
}

#[test]
fn the_model_goes_on_where_it_was_cut_off_and_is_not_cut_off_again_for_this_file() {
    // W4
    let mut played = repeating();
    choose(&mut played, RepeatsChoice::GoOn);
    assert_eq!((state(&played), played.requests.len()), (Some(WriteState::AwaitingDoneOrMore), 3));
    let asked = serde_json::to_string(played.messages()).unwrap();
    assert!(asked.contains("Go on exactly where it stops"), "{asked}");
    let whole = "body {\n".to_owned() + &endless() + "}\n";
    let rest = &whole[came().len()..];
    played.says([text(rest)]).answers([text("DONE"), finish("stop")]);
    assert_eq!(state(&played), Some(WriteState::Finalizing));
    let offer = played.offer.as_ref().unwrap();
    assert!(offer.content == whole, "{} bytes of {}", offer.content.len(), whole.len());
    assert!(offer.faults.list.is_empty(), "the model itself said that it is complete");
    // The next file is another one.
    played.proposed(ready("x")).input(yes_or_no(acts::asked("x"), false));
    played.says([call(0, "again", WRITE_PLAN_BEGIN, "{\"path\":\"b\"}")]);
    played.tool(ToolOutcome { opens: Some(Box::new(opening("b"))), ..found("open") });
    played.says([text(&endless())]);
    assert_eq!(state(&played), Some(WriteState::AwaitingChoice));
}

#[test]
fn nor_is_it_stopped_for_sending_the_same_message_again() {
    // W4: the parts of such a file are the same.
    let mut played = repeating();
    choose(&mut played, RepeatsChoice::GoOn);
    for _ in 0..3 {
        played.answers([text(LINE), finish("length")]);
    }
    assert_eq!((state(&played), played.requests.len()), (Some(WriteState::AwaitingDoneOrMore), 6));
}

#[test]
fn endless_reasoning_beside_such_a_file_is_cut_off_all_the_same() {
    let mut played = repeating();
    choose(&mut played, RepeatsChoice::GoOn);
    played.says([ModelDelta::Reasoning { text: endless() }]);
    assert_eq!((state(&played), played.live_call), (Some(WriteState::Finalizing), None));
}

#[test]
fn one_of_the_repeats_is_kept_and_shown_as_unfinished() {
    let mut played = repeating();
    choose(&mut played, RepeatsChoice::KeepOne);
    assert_eq!((state(&played), played.requests.len()), (Some(WriteState::Finalizing), 2));
    let offer = played.offer.as_ref().unwrap();
    assert_eq!(offer.content, "body {\n  background-color: #fff;\n");
    let why = "The content of a only repeated itself; one of the repeats was kept.";
    assert_eq!((offer.faults.list[0].kind, &*offer.faults.list[0].what), (FaultKind::Incomplete, why));
}

#[test]
fn what_is_discarded_is_not_written_and_the_model_is_told() {
    let plain_no = |played: &mut Played| {
        let digest = digest(played);
        played.input(yes_or_no(digest, false));
    };
    for discard in [(|played| choose(played, RepeatsChoice::Discard)) as fn(&mut Played), plain_no] {
        let mut played = repeating();
        discard(&mut played);
        let why = "The content of a only repeated itself, and the user discarded it.";
        assert_eq!(done(&played), Some((WriteStatus::Discarded, why.to_owned())));
        assert_eq!(state(&played), None);
        assert!(serde_json::to_string(played.messages()).unwrap().contains(why), "the turn goes on");
    }
}

#[test]
fn of_an_edit_nothing_is_kept_since_half_of_it_cannot_be_shown() {
    let mut played = Played::start(setup(Policy::two_stage()));
    played.says([call(0, "w", WRITE_PLAN_BEGIN, "{\"path\":\"a\"}")]);
    played.tool(ToolOutcome { opens: Some(Box::new(edit())), ..found("open") });
    played.says([text(&endless())]);
    let choices = played.events().find_map(|event| match event {
        TurnEvent::Asked { of: PendingOf::Repeats { choices, .. }, .. } => Some(choices.clone()),
        _ => None,
    });
    assert_eq!(choices, Some(vec![RepeatsChoice::GoOn, RepeatsChoice::Discard]));
    let keep = replied(digest(&played), Reply::Choose { choice: RepeatsChoice::KeepOne });
    assert_eq!(played.turn.verdict(&keep), Some(Verdict::NotOffered));
    assert_eq!(played.turn.step(9_000, keep), []);
    choose(&mut played, RepeatsChoice::Discard);
    assert_eq!(done(&played).unwrap().0, WriteStatus::Discarded);
}

#[test]
fn of_a_correction_that_repeats_itself_the_content_stays_that_it_was_for() {
    // W5
    let mut played = opened(Policy::two_stage());
    played.answers([text("one\u{0}\nDONE"), finish("stop")]).says([text(&endless())]);
    assert_eq!(state(&played), Some(WriteState::AwaitingChoice));
    let mut kept = played.turn.clone();
    let keep = replied(digest(&played), Reply::Choose { choice: RepeatsChoice::KeepOne });
    let proposed = kept.step(9_000, keep).into_iter().find_map(|effect| match effect {
        Effect::Begin { work: Work::Propose { source: Source::Content { content, .. }, .. }, .. } => {
            Some(content)
        }
        _ => None,
    });
    assert_eq!(proposed.as_deref().map(String::as_str), Some("one\u{0}\n"));
    choose(&mut played, RepeatsChoice::GoOn);
    assert_eq!(state(&played), Some(WriteState::NeedsCorrections));
}

fn judged(played: &mut Played, input: Input) -> Verdict {
    let verdict = played.turn.verdict(&input).unwrap();
    if verdict != Verdict::Taken {
        assert_eq!(played.turn.step(9_000, input), [], "A7");
    }
    verdict
}

#[test]
fn an_answer_that_is_no_choice_or_is_one_to_something_else_changes_nothing() {
    // A3, A7
    use RepeatsChoice::{Discard, GoOn};
    let mut played = repeating();
    let asked = digest(&played);
    let chosen = |digest, choice| replied(digest, Reply::Choose { choice });
    let other = orion_core::signature::digest("another");
    assert_eq!(judged(&mut played, chosen(other, GoOn)), Verdict::Stale);
    assert_eq!(judged(&mut played, yes_or_no(other, false)), Verdict::Stale);
    assert_eq!(judged(&mut played, yes_or_no(asked, true)), Verdict::NotOffered);
    let approved = orion_core::turn::Approved {
        sha256: other,
        bytes: 1,
        lines: 1,
        rejected_hunks: Vec::new(),
        despite_faults: true,
    };
    assert_eq!(judged(&mut played, write_approved(asked, approved)), Verdict::NotOffered);
    assert_eq!(state(&played), Some(WriteState::AwaitingChoice));
    choose(&mut played, GoOn);
    assert_eq!(judged(&mut played, chosen(asked, Discard)), Verdict::NotWaiting);
    // A call and a proposal are no repeats.
    played.answers([text("DONE"), finish("stop")]).proposed(ready("x"));
    assert_eq!(judged(&mut played, chosen(acts::asked("x"), Discard)), Verdict::Unfit(Unfit::NotAsked));
    assert_eq!(judged(&mut played, chosen(asked, Discard)), Verdict::NotWaiting);
}

#[test]
fn the_question_survives_the_process_and_the_turn_can_be_stopped_in_it() {
    // A5, A7
    let mut played = repeating();
    let asked = digest(&played);
    let seq = played.envelopes.last().unwrap().seq;
    played.input(Input::Resumed { seq });
    assert_eq!((state(&played), digest(&played)), (Some(WriteState::AwaitingChoice), asked));
    let mut stopped = played.turn.clone();
    stopped.step(9_000, Input::Stop);
    assert!(stopped.is_over());
    choose(&mut played, RepeatsChoice::KeepOne);
    assert_eq!(state(&played), Some(WriteState::Finalizing));
}

#[test]
fn where_the_prompts_are_used_up_going_on_shows_what_came() {
    // T4
    let mut played = opened(Policy { max_write_prompts: 1, ..Policy::two_stage() });
    played.says([text(&endless())]);
    choose(&mut played, RepeatsChoice::GoOn);
    assert_eq!((state(&played), played.requests.len()), (Some(WriteState::Finalizing), 2));
}

proptest! {
    #![proptest_config(cases(1_000))]

    /// T5, P11: also where the repeats began in an earlier message, and whatever the next one repeated of it.
    #[test]
    fn what_is_kept_is_the_beginning_of_what_came_and_repeats_itself_no_more(
        before in "[a-zé日🦊\n]{0,40}",
        stretch in "[a-zé日🦊\n]{1,30}",
        first in 0..40usize,
        pieces in 1..7usize,
    ) {
        let mut played = opened(Policy::two_stage());
        played.answers([text(&(before.clone() + &stretch.repeat(first))), finish("length")]);
        let whole = stretch.repeat(20_000 / stretch.len());
        let mut cuts: Vec<usize> = (0..=pieces).map(|at| whole.floor_char_boundary(whole.len() * at / pieces)).collect();
        cuts.dedup();
        for pair in cuts.windows(2) {
            played.model(ModelInput::Deltas { deltas: vec![text(&whole[pair[0]..pair[1]])] });
        }
        let came = played.turn.write_session().unwrap().content().to_owned();
        let turn: &Turn = &played.turn;
        prop_assert!(matches!(turn.pending(), Some(Pending { of: PendingOf::Repeats { .. }, .. })), "{:?}", turn.pending());
        choose(&mut played, RepeatsChoice::KeepOne);
        let kept = &played.offer.as_ref().unwrap().content;
        prop_assert!(came.starts_with(kept.as_str()), "{kept:?} of {came:?}");
        prop_assert!(kept.len() <= before.len() + 3 * stretch.len() + 3, "{kept:?}");
    }
}

#[test]
fn a_text_is_folded_to_its_first_stretch_and_one_without_repeats_is_left() {
    for (whole, stretch, kept) in [
        ("abcabcabc", 3, "abc"),
        ("xabcabca", 3, "xabc"),
        ("abcabcab", 3, "abc"),
        ("abcab", 3, "abcab"),
        ("abc", 3, "abc"),
        ("", 3, ""),
        // A line is kept whole.
        ("x\nab\nab\nab\n", 3, "x\nab\n"),
        ("b\nab\nab\nab\n", 3, "b\nab\n"),
        ("ab\nab\nab", 3, "ab\n"),
        ("éééé", 2, "é"),
        ("日本日本日本", 6, "日本"),
    ] {
        assert_eq!(&whole[..once(whole, stretch)], kept, "{whole}");
    }
}

#[test]
fn what_a_message_brought_before_it_was_broken_off_is_content() {
    // W4, P11: its beginning was held back.
    let mut capture = Capture::new(EndLine::Done);
    capture.push("a\n");
    capture.end_message();
    capture.begin_message();
    capture.push("b");
    capture.break_off();
    assert_eq!(capture.text(), "a\nb");
}

#[test]
fn a_seam_in_what_is_folded_goes_with_it() {
    // P11
    let mut capture = Capture::new(EndLine::Done);
    for message in ["x", "ab", "ababab"] {
        capture.begin_message();
        capture.push(message);
        capture.end_message();
    }
    let seams = |capture: &Capture| capture.seams().iter().map(|seam| seam.offset).collect::<Vec<_>>();
    assert_eq!((capture.text(), seams(&capture)), ("xabababab", vec![1, 3]));
    capture.fold(2);
    assert_eq!((capture.text(), seams(&capture)), ("xab", vec![1]));
}
