//! A conversation that remembers, over several turns: what a turn is given of those before it, and what leaves (X, P12).

use orion_core::context::Item;
use orion_core::model::{Message, ModelNumbers};
use orion_core::turn::{Flags, Input, ModelInput, TurnSetup};
use orion_protocol::{
    Code, CutCause, ErrorInfo, PauseRequest, Policy, Reply, RequestId, Route, StopReason, TurnEvent, TurnIds,
};
use proptest::prelude::*;

use crate::common::{Played, call, finish, found, ids, limited, replied, setup, text};
use crate::thorough::cases;

/// A session: what its turns leave to the next one.
#[derive(Default)]
pub(crate) struct Session {
    pub(crate) items: Vec<Item>,
    turns: u32,
    window: Option<u32>,
}

impl Session {
    pub(crate) fn of_window(window: u32) -> Self {
        Self { window: Some(window), ..Self::default() }
    }

    pub(crate) fn ids(&self) -> TurnIds {
        let id = format!("01900000-0000-7000-8000-0000000001{:02x}", self.turns);
        TurnIds { request_id: id.parse::<RequestId>().unwrap(), ..ids() }
    }

    pub(crate) fn turn(&mut self, policy: Policy, text: &str) -> Played {
        self.turn_by(Flags::of_this_version(), policy, text)
    }

    /// The next turn, with these flags (T8).
    pub(crate) fn turn_by(&mut self, flags: Flags, policy: Policy, text: &str) -> Played {
        self.turns += 1;
        let numbers = ModelNumbers { window: self.window, ..ModelNumbers::default() };
        let (history, text) = (self.items.clone(), text.to_owned());
        Played::start(TurnSetup { ids: self.ids(), flags, numbers, history, text, ..setup(policy) })
    }

    /// Takes in what an ended turn leaves.
    pub(crate) fn end(&mut self, played: &Played) {
        assert!(played.turn.is_over());
        let conversation = played.turn.conversation();
        if let Some(kept) = conversation.kept() {
            self.items = kept.to_vec();
        }
        let failed = played.turn.has_failed();
        let own = conversation.begins(failed).cloned().chain(conversation.left(failed));
        let turn = Some(self.ids().request_id);
        self.items.extend(own.map(|item| Item { turn, ..item }));
    }
}

/// Each request of a turn begins with the messages of the one before it.
fn extend_each_other(requests: &[Vec<Message>]) {
    for (number, pair) in requests.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        let same = before.iter().zip(after).take_while(|(before, after)| before == after).count();
        assert_eq!(same, before.len(), "message {same} of request {} is another one", number + 2);
    }
}

fn messages(played: &Played) -> Vec<Vec<Message>> {
    played.requests.iter().map(|request| request.messages.clone()).collect()
}

pub(crate) fn said(messages: &[Message], words: &str) -> usize {
    let holds = |message: &&Message| match message {
        Message::System { text }
        | Message::User { text, .. }
        | Message::Assistant { text, .. }
        | Message::Tool { text, .. } => text.contains(words),
    };
    messages.iter().filter(holds).count()
}

pub(crate) fn cuts(played: &Played) -> Vec<TurnEvent> {
    played.events().filter(|event| matches!(event, TurnEvent::ContextCut { .. })).cloned().collect()
}

pub(crate) fn read(path: &str) -> [orion_core::model::ModelDelta; 2] {
    [text("I look."), call(0, "", "read", &format!("{{\"path\":\"{path}\"}}"))]
}

// X1, P12
#[test]
fn each_request_extends_the_one_before_it_over_turns_and_routes() {
    let mut session = Session::default();
    let mut all = Vec::new();
    for (number, policy) in
        [Policy::two_stage(), Policy::unified(), Policy::two_stage()].into_iter().enumerate()
    {
        let mut played = session.turn(policy, &format!("Question {number}"));
        for path in ["a", "b"] {
            played.says(read(&format!("{path}{number}")));
            if policy.route == Route::Unified {
                played.ends();
            }
            played.tool(found("alpha"));
        }
        played.says([text("Done.")]).ends();
        session.end(&played);
        all.extend(messages(&played));
    }
    assert_eq!(all.len(), 9);
    extend_each_other(&all);
    let last = all.last().unwrap();
    assert_eq!([said(last, "Question"), said(last, "alpha"), said(last, "Done.")], [3, 6, 2]);
}

// X1
#[test]
fn words_about_a_budget_that_was_spent_are_not_told_to_the_next_turn() {
    let mut session = Session::default();
    let mut played = session.turn(limited(Route::TwoStage, 1, 1, 3), "One");
    played.says(read("a")).tool(found("alpha"));
    assert_eq!(said(&played.requests[1].messages, "The tool budget of this turn is used"), 1);
    played.says([text("Final.")]).ends();
    session.end(&played);
    let next = session.turn(Policy::two_stage(), "Continue");
    let given = &next.requests[0].messages;
    let counts = ["tool budget", "alpha", "Final.", "One", "Continue"].map(|words| said(given, words));
    assert_eq!(counts, [0, 1, 1, 1, 1]);
}

// X1: a request that was refused is not sent again with the next message.
#[test]
fn what_a_failed_request_added_is_left_out_but_for_the_persons_message() {
    let mut session = Session::default();
    let mut played = session.turn(Policy::two_stage(), "One");
    played.says(read("a")).tool(found("poison"));
    let error = ErrorInfo::new(Code::BadRequest, "No.", "");
    played.says([text("Half")]).model(ModelInput::Failed { error });
    session.end(&played);
    let next = session.turn(Policy::two_stage(), "Two");
    let given = &next.requests[0].messages;
    let counts = ["One", "I look.", "poison", "Half", "Two"].map(|words| said(given, words));
    assert_eq!(counts, [1, 1, 0, 0, 1]);
}

// X1, P11
#[test]
fn of_a_message_that_only_repeats_itself_the_next_turn_sees_one_repeat() {
    let mut session = Session::default();
    let mut played = session.turn(Policy::two_stage(), "One");
    let line = "  color: red; /* the same line of a style sheet */\n";
    played.says([text("Look:\n"), text(&line.repeat(500))]);
    assert!(played.turn.is_over());
    session.end(&played);
    let next = session.turn(Policy::two_stage(), "Two");
    let answer = match &next.requests[0].messages[2] {
        Message::Assistant { text, .. } => text.clone(),
        other => panic!("{other:?}"),
    };
    assert!(answer.starts_with("Look:\n") && answer.len() < 200, "{answer}");
    assert_eq!(answer.matches("the same line").count(), 1);
}

// X1
#[test]
fn no_call_has_an_id_that_a_call_of_an_earlier_turn_had() {
    let mut session = Session::default();
    for policy in [Policy::unified(), Policy::unified()] {
        let mut played = session.turn(policy, "Again");
        for path in ["a", "b"] {
            played.says([call(0, "call_1", "read", &format!("{{\"path\":\"{path}\"}}"))]).ends();
            played.tool(found("alpha"));
        }
        played.says([text("Done.")]).ends();
        session.end(&played);
    }
    let mut made: Vec<String> = session
        .items
        .iter()
        .filter_map(|item| match &item.message {
            Message::Assistant { tool_calls, .. } => Some(tool_calls.iter().map(|call| call.id.clone())),
            _ => None,
        })
        .flatten()
        .collect();
    let calls = made.len();
    made.sort_unstable();
    made.dedup();
    assert_eq!((calls, made.len()), (4, 4), "{made:?}");
}

// X3: bodies of old boxes leave first, then the oldest turns, and every item that left is named.
#[test]
fn a_full_room_is_cut_to_half_with_a_word_about_all_that_left() {
    let mut session = Session::of_window(4_000);
    for number in 0..2 {
        let mut played = session.turn(Policy::two_stage(), &format!("Question {number}"));
        played.says(read(&format!("f{number}"))).tool(found(&"alpha beta ".repeat(360)));
        played.says([text("Done.")]).ends();
        session.end(&played);
    }
    let mut played = session.turn(Policy::two_stage(), &"word ".repeat(300));
    let cut = cuts(&played);
    let [TurnEvent::ContextCut { cause, tokens_before, tokens_after, room, boxes, turns, earlier, pins: 0 }] =
        &cut[..]
    else {
        panic!("{cut:?}")
    };
    assert_eq!((cause, *room, *earlier), (&CutCause::Full, 3_000, false));
    assert!(*tokens_before > 2_400 && *tokens_after <= 1_500, "{tokens_before} to {tokens_after}");
    assert_eq!((boxes.len(), turns.len()), (2, 0), "the oldest boxes were enough");
    let given = &played.requests[0].messages;
    assert_eq!(
        [said(given, "alpha beta"), said(given, "left the conversation"), said(given, "Question")],
        [0, 2, 2]
    );
    // D3: the file may be read again, and the cut is the same for the turns that follow.
    played.says(read("f0")).tool(found("short"));
    played.says([text("Done.")]).ends();
    session.end(&played);
    let next = session.turn(Policy::two_stage(), "After");
    assert_eq!(cuts(&next), []);
    extend_each_other(&[messages(&played).remove(0), messages(&next).remove(0)]);
}

// D3: once per cut.
#[test]
fn a_call_whose_box_was_cut_in_its_own_turn_runs_once_more() {
    let mut session = Session::of_window(4_000);
    let mut played = session.turn(Policy::two_stage(), "Go");
    played.says(read("a")).tool(found(&"alpha beta ".repeat(450)));
    played.says(read("b")).tool(found(&"gamma delta ".repeat(450)));
    assert_eq!(cuts(&played).len(), 1);
    played.says(read("a"));
    assert!(played.running.is_some(), "it was cut");
    played.tool(found("short"));
    let refused = |played: &Played| {
        played.events().filter(|event| matches!(event, TurnEvent::DuplicateRefused { .. })).count()
    };
    assert_eq!(refused(&played), 0);
}

// X3
#[test]
fn what_cannot_leave_and_does_not_fit_ends_the_turn_before_any_call() {
    let mut session = Session::of_window(1_000);
    let played = session.turn(Policy::two_stage(), &"word ".repeat(2_000));
    assert_eq!(played.requests.len(), 0);
    let report = played.envelopes.last().unwrap().event.terminal().unwrap();
    assert_eq!((report.stop_reason, report.model_calls), (StopReason::Error, 0));
    assert_eq!(report.error.as_ref().map(|error| error.code), Some(Code::ContextTooLong));
}

/// Four turns, each of which read a file.
pub(crate) fn of_four_reads() -> Session {
    let mut session = Session::of_window(40_000);
    for number in 0..4 {
        let mut played = session.turn(Policy::two_stage(), &format!("Question {number}"));
        played.says(read(&format!("f{number}"))).tool(found(&"alpha beta ".repeat(300)));
        played.says([text("Done.")]).ends();
        session.end(&played);
    }
    session
}

// X5
#[test]
fn a_provider_that_says_too_long_causes_one_cut_and_one_further_try() {
    let mut session = of_four_reads();
    let too_long = || ModelInput::Failed { error: ErrorInfo::new(Code::ContextTooLong, "Too long.", "") };
    let mut played = session.turn(Policy::two_stage(), "Last");
    let whole = played.requests[0].text_bytes();
    played.model(too_long());
    let cut = cuts(&played);
    assert!(matches!(&cut[..], [TurnEvent::ContextCut { cause: CutCause::Refused, .. }]), "{cut:?}");
    assert_eq!(played.requests.len(), 2);
    assert!(played.requests[1].text_bytes() <= whole / 2 + 100);
    played.model(too_long());
    assert_eq!((played.requests.len(), played.turn.is_over()), (2, true));
    // A2: a pause that was asked for holds before the further try.
    let mut played = session.turn(Policy::two_stage(), "Last");
    played.input(Input::Pause { pause: PauseRequest::Next }).model(too_long());
    let Some(TurnEvent::Asked { digest, .. }) = played.events().last() else { panic!("not paused") };
    let resumed = replied(*digest, Reply::Resume { edits: Vec::new() });
    assert_eq!(played.requests.len(), 1);
    assert_eq!(played.input(resumed).requests.len(), 2);
    // Nothing that could be cut: it fails at once.
    let mut played = Session::of_window(40_000).turn(Policy::two_stage(), "First");
    played.model(too_long());
    assert_eq!((played.requests.len(), played.turn.is_over()), (1, true));
}

// X2
#[test]
fn a_count_far_below_what_was_sent_is_told() {
    // One such count may leave out what was in a cache. Two that agree do not.
    let told = |counts: [u32; 2]| {
        let mut played = Session::of_window(40_000).turn(Policy::two_stage(), &"word ".repeat(8_000));
        let usage = |tokens| orion_core::model::ModelDelta::Usage {
            usage: orion_protocol::Usage { prompt_tokens: Some(tokens), ..Default::default() },
        };
        played.says([usage(counts[0])]).says(read("a")).ends().tool(found("alpha"));
        played.says([text("Hm."), usage(counts[1]), finish("stop")]).ends();
        let expected = format!("{} of about", orion_protocol::grouped(counts[1]));
        played.events().any(|event| {
            matches!(event, TurnEvent::Notice { code: orion_protocol::NoticeCode::ServerCut, message } if message.contains(&expected))
        })
    };
    assert_eq!([[2_400, 2_200], [2_100, 2_300]].map(told), [true, true]);
    assert_eq!(
        [[2_400, 2_060], [1_024, 1_024]].map(told),
        [false, false],
        "they do not agree, or no window is as small"
    );
}

/// What a turn of a random session does.
#[derive(Debug, Clone)]
enum Step {
    Reads(usize),
    Says(usize),
    Counts(u32),
}

fn steps() -> impl Strategy<Value = Vec<Vec<Step>>> {
    let step = prop_oneof![
        (0..4_000usize).prop_map(Step::Reads),
        (0..2_000usize).prop_map(Step::Says),
        prop_oneof![Just(0), Just(1_000_000_000), 1..4_000u32].prop_map(Step::Counts),
    ];
    prop::collection::vec(prop::collection::vec(step, 0..6), 1..8)
}

proptest! {
    #![proptest_config(cases(2_000))]

    /// X3: the context never exceeds the room by Orion's own count, cuts split no call from its box and change no order, and every item
    /// that left is named.
    #[test]
    fn no_session_exceeds_its_room_and_nothing_leaves_unnamed(
        turns in steps(),
        window in 1_200..6_000u32,
        unified in prop::bool::ANY,
    ) {
        let policy = if unified { Policy::unified() } else { Policy::two_stage() };
        let mut session = Session::of_window(window);
        let room = u64::from(window - window / 4);
        for (number, turn) in turns.iter().enumerate() {
            let before: Vec<Item> = session.items.clone();
            let mut played = session.turn(policy, &format!("Question {number}"));
            for (place, step) in turn.iter().enumerate() {
                if played.turn.is_over() {
                    break;
                }
                match step {
                    Step::Reads(bytes) => {
                        played.says(read(&format!("{number}-{place}"))).ends();
                        if played.running.is_some() {
                            played.tool(found(&"x".repeat(*bytes)));
                        }
                    }
                    Step::Says(bytes) => {
                        let words: String = (0..*bytes).map(|at| char::from(b'a' + (at * at % 26) as u8)).collect();
                        played.says([text(&words)]);
                    }
                    Step::Counts(tokens) => {
                        let usage = orion_protocol::Usage { prompt_tokens: Some(*tokens), ..Default::default() };
                        played.says([orion_core::model::ModelDelta::Usage { usage }]);
                    }
                }
            }
            if !played.turn.is_over() {
                played.says([text("Done.")]).ends();
            }
            if !played.turn.is_over() {
                played.input(orion_core::turn::Input::Stop);
            }
            for request in &played.requests {
                let made: Vec<&str> = request.messages.iter().flat_map(|message| match message {
                    Message::Assistant { tool_calls, .. } => tool_calls.iter().map(|call| call.id.as_str()).collect(),
                    _ => Vec::new(),
                }).collect();
                let answered: Vec<&str> = request.messages.iter().filter_map(|message| match message {
                    Message::Tool { call_id, .. } => Some(call_id.as_str()),
                    _ => None,
                }).collect();
                prop_assert_eq!(made, answered, "each call has its box, in order");
            }
            // Without a count of the provider, a token has four bytes.
            if turns.iter().flatten().all(|step| !matches!(step, Step::Counts(_))) {
                for request in &played.requests {
                    prop_assert!(request.bytes().div_ceil(4) <= room, "{} bytes in {room} tokens", request.bytes());
                }
            }
            session.end(&played);
            let mut named = 0;
            for event in cuts(&played) {
                let TurnEvent::ContextCut { turns, .. } = event else { continue };
                named += turns.iter().map(|turns| turns.messages as usize).sum::<usize>();
            }
            let stays = session.items.iter().filter(|item| item.turn != Some(session.ids().request_id)).count();
            prop_assert!(before.len() - stays <= named, "every item that left is named");
        }
    }
}

// X5, P2: in the unified route a further try is one of its 25 model calls.
#[test]
fn a_further_try_costs_a_cycle_of_the_unified_route() {
    let mut session = Session::of_window(40_000);
    let mut played = session.turn(Policy::unified(), "First");
    played.says([text(&"alpha ".repeat(500))]).ends();
    session.end(&played);
    let mut played = session.turn(limited(Route::Unified, 2, 1, 3), "Go");
    assert_eq!(played.turn.report().bounds.model_calls, 3);
    played.says(read("a")).ends().tool(found("x"));
    played.model(ModelInput::Failed { error: ErrorInfo::new(Code::ContextTooLong, "Too long.", "") });
    assert!(played.requests[2].forbids_tools, "no cycle is left: this is the final answer");
    played.says([text("Done.")]).ends();
    assert_eq!((played.turn.is_over(), played.requests.len()), (true, 3));
}

// X3: what was too far back to be read has left as well, and is told once.
#[test]
fn turns_that_were_too_far_back_to_be_read_are_told() {
    let policy = Policy::two_stage();
    let numbers = ModelNumbers { window: Some(4_000), ..ModelNumbers::default() };
    let mut played = Played::start(TurnSetup { numbers, has_earlier: true, ..setup(policy) });
    played.says(read("a")).tool(found("x"));
    let told = cuts(&played);
    assert!(
        matches!(&told[..], [TurnEvent::ContextCut { cause: CutCause::Full, earlier: true, .. }]),
        "{told:?}"
    );
    assert_eq!(played.turn.conversation().kept(), Some(&[][..]), "later turns do not look further back");
}
