//! What a model is asked after the first message of a session, and what its corrections change (W4, W5).

use std::sync::Arc;

use orion_core::model::Message;
use orion_core::tool::{Opening, ToolOutcome};
use orion_core::turn::{Input, Proposed};
use orion_core::write::{Corrected, correct};
use orion_protocol::{FaultKind, Policy, TurnEvent, WriteFault, WriteOperation};

use crate::acts::opening;
use crate::common::{Played, WRITE_PLAN_BEGIN, call, finish, found, setup, text};
use crate::turn_writes::opened;

fn fault(kind: FaultKind, line: u32) -> WriteFault {
    WriteFault { kind, line, column: 1, what: String::new(), context: String::new() }
}

fn missing(line: u32) -> WriteFault {
    fault(FaultKind::BlockMissing, line)
}

fn corrected(operation: WriteOperation, content: &str, faults: &[WriteFault], reply: &str) -> Corrected {
    correct(operation, Arc::new(content.to_owned()), faults, reply.to_owned())
}

fn changed(text: &str) -> Corrected {
    Corrected::Changed(text.to_owned())
}

fn anew(text: &str) -> Corrected {
    Corrected::Anew(text.to_owned())
}

fn not(text: &str) -> Corrected {
    Corrected::Not(Arc::new(text.to_owned()))
}

/// A session that waits for the blocks of an edit.
fn editing() -> Played {
    let mut played = Played::start(setup(Policy::two_stage()));
    played.says([call(0, "w", WRITE_PLAN_BEGIN, "{\"path\":\"a\"}")]);
    let opening = Opening { operation: WriteOperation::Edit, ..opening("a") };
    played.tool(ToolOutcome { opens: Some(Box::new(opening)), ..found("open") });
    played
}

/// What the last request says after the conversation, by who says it.
fn asked(played: &Played) -> Vec<(&'static str, &str)> {
    let said = played.messages().iter().map(|message| match message {
        Message::Assistant { text, .. } => ("model", text.as_str()),
        Message::System { text } | Message::User { text, .. } => ("orion", text.as_str()),
        Message::Tool { text, .. } => ("tool", text.as_str()),
    });
    said.skip_while(|(_, text)| !text.contains("is open. Your next message is its content")).collect()
}

#[test]
fn a_model_that_goes_on_is_told_all_that_has_come_and_how_content_is_sent() {
    // W4: what was held back, since it might repeat something, is part of what came.
    let mut played = opened(Policy::two_stage());
    played.answers([text("one\n"), finish("length")]).answers([text("two\n"), finish("length")]);
    let asked = asked(&played);
    let [("orion", opening), ("model", "one\ntwo\n"), ("orion", go_on)] = asked[..] else {
        panic!("{asked:?}")
    };
    assert!(opening.contains("the whole new content of a"), "{opening}");
    assert!(go_on.contains("⟦one\ntwo\n⟧") && go_on.contains("Go on exactly where it stops"), "{go_on}");
}

#[test]
fn a_model_that_sent_nothing_is_told_again_how_content_is_sent() {
    let mut played = editing();
    played.answers([call(0, "x", "read", "{}"), finish("tool_calls")]);
    let call = played.idle.unwrap();
    played.input(Input::Idle { call });
    let asked = asked(&played);
    let [("orion", ask)] = asked[..] else { panic!("{asked:?}") };
    assert!(ask.starts_with("Nothing of it has arrived.") && ask.contains("<<<<<<< SEARCH"), "{ask}");
}

#[test]
fn a_correction_that_is_cut_off_goes_on_with_the_faults_in_sight() {
    // W4, W5
    let mut played = opened(Policy::two_stage());
    played.answers([text("one\u{0}\ntwo\nDONE")]).answers([text("one\n"), finish("length")]);
    let asked = asked(&played);
    let [("orion", _), ("model", "one\u{0}\ntwo\n"), ("orion", faults), ("model", "one\n"), ("orion", go_on)] =
        asked[..]
    else {
        panic!("{asked:?}")
    };
    assert!(faults.contains("line 1, column 4: U+0000"), "{faults}");
    assert!(go_on.contains("⟦one\n⟧"), "{go_on}");
    played.answers([text("two\nDONE")]);
    assert_eq!(proposed(&played), "one\ntwo\n");
}

/// The content that the driver is to propose.
fn proposed(played: &Played) -> &str {
    &played.offer.as_ref().expect("something is to be proposed").content
}

#[test]
fn blocks_whose_faults_the_model_was_not_told_of_stay() {
    // W5: fifty are told at once.
    let block = |at: usize| format!("<<<<<<< SEARCH\n{at}\n=======\nnew {at}\n>>>>>>> REPLACE\n");
    let content: String = (0..60).map(block).collect();
    let mut played = editing();
    played.answers([text(&content), text("DONE")]);
    let faults = (0..60).map(|at| missing(at * 5 + 1)).collect();
    played.proposed(Proposed::Faulty { faults });
    let round = played.events().find_map(|event| match event {
        TurnEvent::WriteFaults { faults, more, .. } => Some((faults.len(), *more)),
        _ => None,
    });
    assert_eq!(round, Some((50, 10)), "the person is told how many there are");
    let told = asked(&played).last().unwrap().1;
    assert_eq!(told.matches("\n- line ").count(), 50);
    assert!(told.contains("- line 246, column 1"));
    played.answers([text(&block(99)), text("DONE")]);
    let kept: String = (50..60).chain([99]).map(block).collect();
    assert_eq!(proposed(&played), kept);
}

#[test]
fn what_an_edit_takes_out_is_in_the_file_already_and_no_fault() {
    // W5
    let mut played = editing();
    let edit = "Say\u{0}:\n<<<<<<< SEARCH\n<tool_call>\u{c}\n=======\nplain\n>>>>>>> REPLACE\n";
    played.answers([text(edit), text("DONE")]);
    assert_eq!(proposed(&played), edit);
    assert_eq!(played.offer.as_ref().unwrap().faults.count(), 0);

    let mut played = editing();
    played.answers([text(&edit.replace("plain", "a\nb\u{c}")), text("DONE")]);
    let round = played.events().find_map(|event| match event {
        TurnEvent::WriteFaults { faults, .. } => Some((faults[0].line, faults[0].column, faults.len())),
        _ => None,
    });
    assert_eq!(round, Some((6, 2, 1)));

    // Of what cannot be told into blocks all of it is looked at.
    let mut played = editing();
    played.answers([text("<<<<<<< SEARCH\n\u{c}\n"), text("DONE")]);
    assert!(played.events().any(|event| matches!(event, TurnEvent::WriteFaults { .. })));
}

#[test]
fn an_edit_that_could_not_be_told_into_blocks_is_asked_for_again_whole() {
    let block = |old: &str| format!("<<<<<<< SEARCH\n{old}\n=======\nnew\n>>>>>>> REPLACE\n");
    let mut played = editing();
    played.answers([text(&block("a")), text("<<<<<<< SEARCH\nb\n>>>>>>> REPLACE\nDONE")]);
    let faults = vec![fault(FaultKind::BlockMalformed, 8)];
    played.proposed(Proposed::Faulty { faults });
    assert!(asked(&played).last().unwrap().1.contains("Send all blocks again, the good ones too."));
    let all = block("a") + &block("b");
    played.answers([text(&all), text("DONE")]);
    assert_eq!(proposed(&played), all);
}

#[test]
fn all_faults_of_a_content_are_counted_to_the_end() {
    // W5: the person who agrees knows how many there are.
    let mut played = opened(Policy::two_stage());
    let content = "\u{0}\n".repeat(70);
    for round in 0..4 {
        played.answers([text(&format!("{round}\n")), text(&content), text("DONE")]);
    }
    let rounds = played.events().filter_map(|event| match event {
        TurnEvent::WriteFaults { faults, more, .. } => Some((faults.len(), *more)),
        _ => None,
    });
    assert_eq!(rounds.collect::<Vec<_>>(), [(50, 20); 3]);
    let faults = &played.offer.as_ref().unwrap().faults;
    assert_eq!((faults.list.len(), faults.more), (50, 20));
}

#[test]
fn a_reply_that_is_no_correction_leaves_the_content_as_it_is() {
    // W5: a word in place of the text, or a block that is broken, must not become the file.
    let content = "one\n\ntwo\n\nthree\nfour\n";
    let create = |reply: &str| corrected(WriteOperation::Create, content, &[missing(2)], reply);
    assert_eq!(create("I removed it."), not(content));
    assert_eq!(create("one\ntwo\n"), anew("one\ntwo\n"), "half of it may be what is left");
    assert_eq!(
        corrected(WriteOperation::Create, "\n", &[missing(1)], " \n"),
        not("\n"),
        "nothing is no half"
    );
    for broken in
        ["<<<<<<< SEARCH\none\n=======\ntwo\nthree\nfour\n", "one\ntwo\nthree\n>>>>> REPLACE\nfour\n"]
    {
        assert_eq!(create(broken), not(content), "{broken}");
    }
    let rules = "one\n=======\ntwo\n<<<<<<<\nthree\nfour\n";
    assert_eq!(create(rules), anew(rules), "lines of signs alone are text");
}

#[test]
fn a_correction_is_blocks_for_what_is_wrong_or_the_whole_content_again() {
    let block = |old: &str, new: &str| format!("<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n");
    let content = "one\nbad\nthree\n";
    let create = |reply: &str| corrected(WriteOperation::Create, content, &[missing(2)], reply);
    assert_eq!(create(&block("bad", "two")), changed("one\ntwo\nthree\n"));
    assert_eq!(create("all\nnew\n"), anew("all\nnew\n"));
    assert_eq!(create(&block("not there", "two")), not(content), "what does not fit changes nothing");
    assert_eq!(create(" \n"), not(content));

    // Of an edit the good blocks stay, and the corrected ones take the place of the others.
    let edits = block("a", "b") + &block("x", "y") + &block("c", "d");
    let edit = |faults: &[WriteFault], reply: &str| corrected(WriteOperation::Edit, &edits, faults, reply);
    let kept = block("a", "b") + &block("c", "d") + &block("z", "y");
    assert_eq!(edit(&[missing(6)], &block("z", "y")), changed(&kept));
    assert_eq!(edit(&[missing(6)], "I do not know."), not(&edits));
    // Markers of lines that look like markers themselves are longer.
    let reply = "<<<<<<<< SEARCH\n=======\n========\nnone\n>>>>>>>> REPLACE\n";
    assert_eq!(edit(&[missing(1), missing(6), missing(11)], reply), changed(reply));
}

#[test]
fn a_model_is_asked_about_doubts_once() {
    // W9
    let doubt = || Proposed::Faulty { faults: vec![fault(FaultKind::Placeholder, 2)] };
    for answer in ["DONE", "one\n...\nDONE"] {
        let mut played = opened(Policy::two_stage());
        played.answers([text("one\n...\nDONE")]);
        assert!(played.offer.as_ref().unwrap().asks);
        played.proposed(doubt());
        let told = asked(&played).last().unwrap().1.to_owned();
        assert!(told.contains("If the content is meant to be as it is, send only the end line."), "{told}");
        played.answers([text(answer)]);
        assert_eq!(proposed(&played), "one\n...\n");
        assert!(!played.offer.as_ref().unwrap().asks, "{answer}");
    }

    // Faults that are certain are still asked about, three rounds in all (W5), and no doubt after that.
    let mut played = opened(Policy::two_stage());
    played.answers([text("one\u{0}\nDONE")]).answers([text("one\u{0}\u{0}\nDONE")]);
    played.answers([text("one\u{0}\u{0}\u{0}\nDONE")]).answers([text("one\nDONE")]);
    assert_eq!(proposed(&played), "one\n");
    assert!(!played.offer.as_ref().unwrap().asks);
    let told = asked(&played).last().unwrap().1;
    assert!(!told.contains("meant to be as it is"), "{told}");
}
