//! A response without an answer is asked for once more, and no more than once (P7, T4, T7).

use orion_core::model::{LimitName, ModelDelta, ModelNumbers, Profile, ThinkingSwitch, Wire};
use orion_core::turn::{Flag, Flags, TurnSetup};
use orion_protocol::{Bounds, NoticeCode, Policy, Route, StopReason, Thinking, TurnEvent, TurnReport};

use crate::common::{Played, call, finish, found, limited, setup, text, two_stage};

fn thought(text: &str) -> ModelDelta {
    ModelDelta::Reasoning { text: text.to_owned() }
}

fn report(played: &Played) -> TurnReport {
    played
        .events()
        .find_map(
            |event| if let TurnEvent::Completed { report } = event { Some((**report).clone()) } else { None },
        )
        .expect("the turn has ended")
}

fn notices(played: &Played) -> Vec<(NoticeCode, String)> {
    let notice = |event: &TurnEvent| match event {
        TurnEvent::Notice { code, message } => Some((*code, message.clone())),
        _ => None,
    };
    played.events().filter_map(notice).collect()
}

fn codes(played: &Played) -> Vec<NoticeCode> {
    notices(played).into_iter().map(|(code, _)| code).collect()
}

fn endless() -> Policy {
    Policy { max_output_tokens: Some(200), ..Policy::two_stage() }
}

#[test]
fn nothing_is_asked_for_once_more() {
    for nothing in
        [&[finish("stop")][..], &[text(" \n"), finish("stop")], &[thought("hm"), finish("stop")], &[]]
    {
        let mut played = two_stage();
        for delta in nothing {
            played.says([delta.clone()]);
        }
        played.ends();
        assert_eq!(
            notices(&played),
            [(NoticeCode::AskedAgain, "Asked once more: no answer came.".to_owned())]
        );
        assert_eq!(played.requests.len(), 2);
        assert_eq!(played.requests[0].messages, played.requests[1].messages[..2], "P12: what was sent stays");
        played.answers([text("So."), finish("stop")]);
        assert_eq!(
            (report(&played).stop_reason, report(&played).answer.as_str()),
            (StopReason::Answered, "So.")
        );
    }
}

#[test]
fn a_turn_without_an_answer_is_empty() {
    let mut played = two_stage();
    played.answers([finish("stop")]).answers([thought("hm"), finish("stop")]);
    assert_eq!((report(&played).stop_reason, report(&played).model_calls), (StopReason::Empty, 2));
    assert_eq!(codes(&played), [NoticeCode::AskedAgain, NoticeCode::EmptyAnswer]);
    let mut forced = Played::start(setup(limited(Route::TwoStage, 0, 1, 1)));
    forced.answers([finish("stop")]);
    assert!(forced.requests[1].forbids_tools, "the final answer is asked for once more as such");
    forced.answers([finish("stop")]);
    assert_eq!(report(&forced).stop_reason, StopReason::Empty);
}

#[test]
fn one_chance_is_all_that_a_turn_has() {
    let mut played = two_stage();
    played.answers([finish("stop")]).answers([call(0, "c1", "read", r#"{"path":"a"}"#)]).tool(found("alpha"));
    played.answers([text("Let me see:"), finish("stop")]);
    assert_eq!((report(&played).stop_reason, played.requests.len()), (StopReason::Answered, 3));
}

#[test]
fn a_short_text_that_ends_in_a_colon_after_a_result_is_asked_for_its_step() {
    let after_result = || {
        let mut played = two_stage();
        played.answers([call(0, "c1", "read", r#"{"path":"a"}"#)]).tool(found("alpha"));
        played
    };
    for colon in ["Now I read b:", "现在我来看文件：", "Next:\n\n"] {
        let mut played = after_result();
        played.answers([text(colon), finish("stop")]);
        assert_eq!(codes(&played), [NoticeCode::AskedAgain], "{colon}");
        played.answers([call(0, "c2", "read", r#"{"path":"b"}"#)]);
        assert!(played.running.is_some());
    }
    let long = format!("{}:", "x".repeat(200));
    for answer in ["Done.", "It is: alpha", long.as_str(), "alpha:\n- a"] {
        let mut played = after_result();
        played.answers([text(answer), finish("stop")]);
        assert_eq!(
            (report(&played).stop_reason, codes(&played)),
            (StopReason::Answered, Vec::new()),
            "{answer}"
        );
    }
    let mut first = two_stage();
    first.answers([text("So:"), finish("stop")]);
    assert_eq!(report(&first).stop_reason, StopReason::Answered, "no result came before it");
    let mut cut = after_result();
    cut.answers([text("Now I read b:"), finish("length")]);
    assert_eq!(report(&cut).stop_reason, StopReason::Length);
}

#[test]
fn reasoning_without_an_end_is_cut_off_and_asked_for_an_answer_without_it() {
    // T7: half of 200 tokens are 400 bytes.
    let wire = Wire {
        usage_option: true,
        limit: LimitName::MaxTokens,
        renamed_limit: false,
        short_ids: false,
        one_call: false,
        answers_tools: false,
        no_tool_choice: false,
        reading_progress: false,
        thinking: Some(ThinkingSwitch::TemplateArgument),
    };
    let switches = Profile { wire: Some(wire), ..Profile::default() };
    for (profile, off) in [(Profile::default(), None), (switches, Some(Thinking::Off))] {
        for pieces in
            [vec!["x".repeat(401)], vec!["x".repeat(400), "é".to_owned()], vec!["x".to_owned(); 401]]
        {
            let mut played = Played::start(TurnSetup { profile: profile.clone(), ..setup(endless()) });
            for piece in &pieces {
                played.says([thought(piece)]);
            }
            assert_eq!(played.requests.len(), 2, "{} pieces", pieces.len());
            assert_eq!((played.requests[0].tuning.thinking, played.requests[1].tuning.thinking), (None, off));
            let shown: usize = played
                .events()
                .map(|event| if let TurnEvent::ReasoningChunk { text, .. } = event { text.len() } else { 0 })
                .sum();
            assert_eq!(shown, 400);
            let (code, message) = notices(&played).remove(0);
            assert_eq!(
                (code, message.contains("without thinking")),
                (NoticeCode::AskedAgain, off.is_some()),
                "{message}"
            );
            played.says([thought(&"y".repeat(500))]);
            assert_eq!((report(&played).stop_reason, codes(&played).len()), (StopReason::Empty, 2));
        }
    }
    let mut exact = Played::start(setup(endless()));
    exact.answers([thought(&"x".repeat(400)), text("So."), finish("stop")]);
    assert_eq!(report(&exact).stop_reason, StopReason::Answered);
    let mut after_text = Played::start(setup(endless()));
    after_text.answers([text("So "), thought(&"x".repeat(500)), text("it is."), finish("stop")]);
    assert_eq!(report(&after_text).answer, "So it is.", "an answer has begun");
    let mut cut = two_stage();
    cut.answers([thought("hm"), finish("length")]);
    assert_eq!(codes(&cut), [NoticeCode::AskedAgain], "the provider's own limit");
    let mut in_text = Played::start(setup(endless()));
    in_text.says([text("<think>"), text(&"x".repeat(500))]);
    assert_eq!(in_text.requests.len(), 2, "also where the thoughts are in the text");
}

#[test]
fn reasoning_that_repeats_itself_is_asked_for_an_answer() {
    // P11
    let mut played = two_stage();
    played.says([thought(&"Wait, let me think again. ".repeat(400))]);
    assert_eq!(codes(&played), [NoticeCode::AskedAgain]);
    assert_eq!(played.requests.len(), 2);
}

#[test]
fn the_bounds_have_the_chance() {
    // T4
    let without = Policy { second_chances: 0, ..Policy::two_stage() };
    let calls = |policy: &Policy| Bounds::of(policy, &ModelNumbers::default()).model_calls;
    assert_eq!(calls(&Policy::two_stage()), calls(&without) + 1);
    assert_eq!(calls(&Policy::unified()), 25, "P2: there a further response costs a cycle");
    let mut unified = Played::start(setup(limited(Route::Unified, 1, 1, 1)));
    unified.answers([finish("stop")]);
    assert!(unified.requests[1].forbids_tools, "it was the last cycle");
    let mut none = Played::start(setup(without));
    none.answers([finish("stop")]);
    assert_eq!((report(&none).stop_reason, none.requests.len()), (StopReason::Empty, 1));
}

#[test]
fn a_turn_of_before_is_answered_by_nothing() {
    let flags = Flags::of_this_version().without(Flag::SecondChance);
    let mut played = Played::start(TurnSetup { flags, ..setup(Policy::two_stage()) });
    played.answers([finish("stop")]);
    assert_eq!(
        (report(&played).stop_reason, codes(&played)),
        (StopReason::Answered, vec![NoticeCode::EmptyAnswer])
    );
}

#[test]
fn of_three_hundred_answers_after_a_result_the_colons_alone_are_asked_again() {
    // None of these decisions looks at a word.
    let subjects = ["The file", "It", "La réponse", "答案", "Der Test", "This"];
    let mut again = 0;
    for number in 0..300 {
        let subject = subjects[number % subjects.len()];
        let end = if number % 10 == 0 { ":" } else { [".", "!", "\n- a", ")", "`x`"][number % 5] };
        let mut played = two_stage();
        played.answers([call(0, "c1", "read", r#"{"path":"a"}"#)]).tool(found("alpha"));
        played.answers([text(&format!("{subject} has {number} lines{end}")), finish("stop")]);
        let asked = codes(&played).iter().filter(|code| **code == NoticeCode::AskedAgain).count();
        if asked > 0 {
            played.answers([text("That is all:"), finish("stop")]);
            assert_eq!(played.requests.len(), 3, "never twice");
        }
        assert_eq!(report(&played).stop_reason, StopReason::Answered);
        again += asked;
    }
    assert_eq!(again, 30);
}
