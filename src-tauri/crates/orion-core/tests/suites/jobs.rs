//! Jobs of a turn: a tool that asks in the middle of its run, jobs that are replaced, and what is left of them after a crash (A5, A7, A8).

use orion_core::turn::{Done, Input, JobId, Progress, Verdict};
use orion_protocol::{Policy, QuestionsAnswer, Reply, Route, StopReason, ToolStatus, TurnEvent};

use crate::common::{Played, call, found, limited, replied, setup};
use crate::questions::{said, which};

/// A turn whose tool runs.
fn running() -> Played {
    let mut played = Played::start(setup(limited(Route::TwoStage, 3, 1, 3)));
    played.says([call(0, "c1", "read", "{\"path\":\"a\"}")]);
    played
}

/// A turn whose tool asks while it runs.
fn consulting() -> Played {
    let mut played = running();
    asks(&mut played);
    played
}

fn asks(played: &mut Played) {
    let job = played.tool_job.unwrap();
    played.input(Input::Progress { job, progress: Progress::Asks { number: 1, questions: vec![which()] } });
}

fn answer(played: &mut Played, answer: QuestionsAnswer) -> Option<Verdict> {
    let input = replied(played.asked.unwrap(), Reply::Answer { answer });
    let verdict = played.turn.verdict(&input);
    played.input(input);
    verdict
}

fn resumes(played: &mut Played) {
    let seq = played.envelopes.last().unwrap().seq;
    (played.running, played.tool_job) = (None, None);
    played.input(Input::Resumed { seq });
}

#[test]
fn a_tool_asks_in_its_middle_and_goes_on_with_the_answer() {
    // A8
    let mut played = consulting();
    let report = played.turn.report();
    assert_eq!(report.stop_reason, StopReason::Clarification);
    assert!(played.turn.deadline().is_none(), "T7: no time passes while a person is asked");
    let job = played.tool_job.unwrap();
    assert_eq!(answer(&mut played, said(&["red"])), Some(Verdict::Taken));
    assert_eq!(played.told, [(job, said(&["red"]))]);
    assert!(played.turn.pending().is_none() && played.turn.deadline().is_some());
    // It may ask again.
    asks(&mut played);
    assert_eq!(answer(&mut played, QuestionsAnswer::Declined), Some(Verdict::Taken));
    assert_eq!(played.told.len(), 2);
    played.tool(found("red, then"));
    assert_eq!(played.requests.len(), 2, "the model is told of the result");
}

#[test]
fn a_question_ends_with_the_tool_that_asked_it() {
    // A7
    let mut played = consulting();
    let asked = played.asked.unwrap();
    played.tool(found("I did not wait."));
    assert!(played.events().any(|event| *event == TurnEvent::Withdrawn { digest: asked }));
    assert!(played.turn.pending().is_none());
    assert_eq!(answer(&mut played, said(&["red"])), Some(Verdict::NotWaiting));
}

#[test]
fn a_tool_that_asks_anew_or_waits_no_more_withdraws_its_question() {
    // A3, A7
    let mut played = consulting();
    let (job, first) = (played.tool_job.unwrap(), played.asked.unwrap());
    let mut other = which();
    other.question = "And which hare?".to_owned();
    played.input(Input::Progress { job, progress: Progress::Asks { number: 2, questions: vec![other] } });
    assert!(played.events().any(|event| *event == TurnEvent::Withdrawn { digest: first }));
    let late = replied(first, Reply::Answer { answer: said(&["red"]) });
    assert_eq!(played.turn.verdict(&late), Some(Verdict::Stale));
    played.input(Input::Progress { job, progress: Progress::Withdraws { number: 1 } });
    assert!(played.turn.pending().is_some(), "that one was withdrawn before");
    played.input(Input::Progress { job, progress: Progress::Withdraws { number: 2 } });
    assert!(played.turn.pending().is_none() && played.turn.deadline().is_some());
    assert_eq!(played.told, []);
}

#[test]
fn a_stop_cancels_a_tool_that_asks() {
    // A4
    let mut played = consulting();
    played.input(Input::Stop);
    assert!(played.turn.is_over() && played.lines.contains("> cancel c1"));
}

#[test]
fn an_answer_is_kept_when_the_process_of_its_tool_died() {
    // A5, A7: whichever comes first, the crash or the answer, the person is asked once.
    for dies_first in [true, false] {
        let mut played = consulting();
        if dies_first {
            resumes(&mut played);
            assert!(played.running.is_none(), "the question is still open");
        }
        assert_eq!(answer(&mut played, said(&["red"])), Some(Verdict::Taken));
        if !dies_first {
            resumes(&mut played);
        }
        assert!(played.running.is_some(), "it runs again");
        played.told.clear();
        asks(&mut played);
        let job = played.tool_job.unwrap();
        assert_eq!(played.told, [(job, said(&["red"]))], "it is told what it was told");
        assert!(played.turn.pending().is_none());
        played.tool(found("red"));
        let questions = played.events().filter(|event| event.asks()).count();
        assert_eq!((questions, played.requests.len(), played.turn.report().tool_runs), (1, 2, 1));
    }
}

#[test]
fn a_tool_that_asks_something_else_the_second_time_asks_the_person() {
    // A3
    let mut played = consulting();
    answer(&mut played, said(&["red"]));
    resumes(&mut played);
    let job = played.tool_job.unwrap();
    let mut other = which();
    other.question = "And which hare?".to_owned();
    played.told.clear();
    played.input(Input::Progress { job, progress: Progress::Asks { number: 1, questions: vec![other] } });
    assert!(played.told.is_empty() && played.turn.pending().is_some());
}

#[test]
fn a_job_that_its_state_does_not_wait_for_changes_nothing() {
    let mut played = consulting();
    let (job, before) = (played.tool_job.unwrap(), played.lines.clone());
    let other = JobId(job.0 + 1);
    for input in [
        Input::Progress { job, progress: Progress::Withdraws { number: 7 } },
        Input::Progress { job: other, progress: Progress::Asks { number: 1, questions: vec![which()] } },
        Input::Done { job: other, done: Done::Tool { outcome: found("x").into(), duration_ms: 1 } },
        Input::Done { job, done: Done::Facts { facts: None } },
    ] {
        played.input(input.clone());
        assert_eq!(played.lines, before, "{input:?}");
    }
}

#[test]
fn every_job_has_a_number_of_its_own() {
    let mut played = Played::start(setup(Policy::two_stage()));
    let mut numbers = Vec::new();
    for id in ["c1", "c2"] {
        played.says([call(0, id, "read", &format!("{{\"path\":\"{id}\"}}"))]);
        numbers.push(played.tool_job.unwrap());
        played.tool(found("x"));
    }
    assert_eq!(numbers, [JobId(1), JobId(2)]);
    let statuses: Vec<_> = played.turn.report().tool_calls.iter().map(|call| call.status).collect();
    assert_eq!(statuses, [Some(ToolStatus::Ok), Some(ToolStatus::Ok)]);
}
