//! The home that commands of a project have in the place of the person's: its size, and clearing it (C2).

use std::fs;
use std::path::Path;

use orion_protocol::{Answer, Code, CommandHome, Op, Outcome, ProjectId, Query};
use support::{Gate, Script};

use crate::driver_desk::Desk;

async fn home(desk: &Desk) -> CommandHome {
    let query = Query::CommandHome { project_id: desk.project.project_id };
    let Answer::CommandHome { home } = desk.engine.query(query).await.unwrap() else { panic!() };
    home
}

#[tokio::test]
async fn the_home_of_commands_is_cleared_while_no_turn_of_its_project_is_at_work() {
    let gate = Gate::new();
    let model = Script::new().turn(|t| t.text("It ").hold(&gate).text("works.").end("stop")).start();
    let desk = Desk::with(&model).await;
    let clear = || desk.engine.submit(Op::ClearCommandHome { project_id: desk.project.project_id });
    let before = home(&desk).await;
    assert_eq!(before.bytes, 0, "no command ran");
    assert_eq!(clear().await, Ok(Outcome::Done), "there is nothing to clear");

    let cache = Path::new(&before.path).join("cache");
    fs::create_dir_all(&cache).unwrap();
    fs::write(cache.join("file"), [0; 1_000]).unwrap();
    let filled = CommandHome { bytes: 1_000, ..before.clone() };
    assert_eq!(home(&desk).await, filled);

    let turn = desk.ask("Work.").await;
    gate.reached().await;
    let refused = clear().await.unwrap_err();
    assert_eq!((refused.code, refused.session_id), (Code::TurnActive, Some(desk.session.session_id)));
    assert_eq!(home(&desk).await, filled, "nothing is removed");
    gate.open();
    desk.read(turn).await;
    assert_eq!(clear().await, Ok(Outcome::Done));
    assert_eq!(home(&desk).await, before);
    assert_eq!(fs::read_dir(&before.path).unwrap().count(), 0);
    model.finish();
}

#[tokio::test]
async fn a_project_that_orion_does_not_know_has_no_home_of_commands() {
    let desk = Desk::with(&Script::new().start()).await;
    let project_id = ProjectId(uuid::Uuid::nil());
    let asked = desk.engine.query(Query::CommandHome { project_id }).await.unwrap_err();
    let cleared = desk.engine.submit(Op::ClearCommandHome { project_id }).await.unwrap_err();
    assert_eq!((asked.code, cleared.code), (Code::ProjectUnknown, Code::ProjectUnknown));
}
