//! What turns came to, one by one and in groups (J5).

use orion_engine::StatsOf;
use orion_protocol::{
    Answer, Figures, FiguresOf, ProjectId, Query, Route, SessionId, StatsBy, StopReason, TurnFigures,
};
use serde_json::json;
use support::Script;

use crate::driver_desk::{Desk, new_session};

async fn figures(desk: &Desk, of: FiguresOf, since_ms: Option<i64>) -> Figures {
    let Answer::Figures { figures } = desk.engine.query(Query::Figures { of, since_ms }).await.unwrap()
    else {
        panic!()
    };
    figures
}

#[tokio::test]
async fn turns_are_listed_with_what_they_came_to_and_add_up_to_the_statistics() {
    let model = Script::new()
        .turn(|t| t.call("read_file", json!({"path": "a.txt"})).usage(1_000, 10).end("tool_calls"))
        .turn(|t| t.call("read_file", json!({"path": "a.txt"})).usage(1_000, 10).end("tool_calls"))
        .turn(|t| t.text("Alpha.").usage(2_000, 20).end("stop"))
        .turn(|t| t.text("Beta.").usage(500, 5).end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let first = desk.turn("What is in a.txt?").await.report;
    let second = desk.turn("And now?").await.report;
    model.finish();
    let session_id = desk.session.session_id;
    let found = figures(&desk, FiguresOf::Session { session_id }, None).await;

    let rows: Vec<_> = found.turns.iter().map(|turn| (turn.request_id, turn.text.as_str())).collect();
    assert_eq!(rows, [(first.request_id, "What is in a.txt?"), (second.request_id, "And now?")]);
    let TurnFigures { route, stop_reason, cycles, tool_runs, duplicates_refused, model_calls, .. } =
        found.turns[0];
    assert_eq!(
        (route, stop_reason, cycles, tool_runs, duplicates_refused, model_calls),
        (Route::TwoStage, StopReason::Answered, 1, 1, 1, 3)
    );
    assert_eq!((found.turns[0].waited_ms, found.turns[0].duration_ms), (0, first.duration_ms));
    assert_eq!((found.unfinished, found.unreadable), (0, 0));

    // The statistics of the command line are the same.
    let by = vec![StatsBy::Route, StatsBy::Model];
    let stats = desk.engine.stats(StatsOf { by, ..StatsOf::default() }).await.unwrap();
    assert_eq!(found.totals, stats.rows);
    let tokens: u64 = found.turns.iter().filter_map(|turn| turn.prompt_tokens).map(u64::from).sum();
    assert_eq!((found.totals[0].turns, found.totals[0].prompt_tokens), (2, tokens));

    // Each call with its place in its turn, the longest first.
    let longest = found.slowest.windows(2).all(|two| two[0].duration_ms >= two[1].duration_ms);
    assert!(longest, "{:?}", found.slowest);
    let mut calls: Vec<_> =
        found.slowest.iter().map(|call| (call.request_id, call.name.as_str(), call.call)).collect();
    calls.sort_by_key(|(request_id, _, call)| (*request_id != first.request_id, *call));
    assert_eq!(
        calls,
        [
            (first.request_id, "read_file", None),
            (first.request_id, "scripted", Some(1)),
            (first.request_id, "scripted", Some(2)),
            (first.request_id, "scripted", Some(3)),
            (second.request_id, "scripted", Some(1)),
        ]
    );

    // Of a project, of everything, of a time, and of nothing.
    let project_id = desk.project.project_id;
    assert_eq!(figures(&desk, FiguresOf::Project { project_id }, None).await, found);
    assert_eq!(figures(&desk, FiguresOf::Everything, None).await, found);
    let later = found.turns[1].started_at_ms;
    let since = figures(&desk, FiguresOf::Everything, Some(later)).await.turns;
    assert_eq!(since.last().map(|turn| turn.request_id), Some(second.request_id));
    let other = new_session(&desk.engine, &desk.project).await.session_id;
    let unknown = ProjectId(SessionId::clone(&other).0);
    for of in [FiguresOf::Session { session_id: other }, FiguresOf::Project { project_id: unknown }] {
        assert_eq!(figures(&desk, of, None).await.turns, []);
    }
}
