//! A copy of a project that cannot be removed: nothing else of a deleted session stays.

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use orion_protocol::{Code, Op, Outcome, Route, Update};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};
use support::{Script, found};

use crate::driver_desk::{Desk, to_end};
use crate::driver_facade::state;

const CANARY: &str = "the canary sings at half past four";

#[tokio::test]
async fn a_copy_that_cannot_be_removed_keeps_nothing_else_of_its_session_on_the_disk() {
    // Root may remove every file. Threads inherit what this one may do.
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none }).unwrap();

    let model =
        Script::new().turn(|t| t.text("42.").end("stop")).turn(|t| t.text(CANARY).end("stop")).start();
    let desk = Desk::with(&model).await;
    let asked = desk.turn("What does it do?").await;
    let request_id = asked.envelopes[0].request_id;
    let compare = Op::Compare { request_id, routes: vec![Route::TwoStage], copy_at_most: Some(1_000_000) };
    let Outcome::Compared { comparison } = desk.engine.submit(compare).await.unwrap() else { panic!() };
    let [side] = &comparison.sides[..] else { panic!() };
    let (session_id, copy) = (side.session.session_id, side.copy.clone().unwrap());
    let turn = desk.engine.run_turn(session_id, comparison.text.clone(), side.options.clone()).await.unwrap();
    to_end(turn).await;
    assert!(found(&desk.data.path(), CANARY) > 0);

    set_permissions(&copy, Permissions::from_mode(0o500)).unwrap();
    let mut updates = desk.engine.updates();
    let deleted = desk.engine.submit(Op::DeleteSession { session_id }).await;
    let error = deleted.unwrap_err();
    assert_eq!(error.code, Code::WriteFailed, "{error:?}");
    assert!(error.message.contains("copy"), "{}", error.message);
    assert!(Path::new(&copy).join("a.txt").is_file());
    let told = std::iter::from_fn(|| updates.try_recv().ok()).collect::<Vec<_>>();
    assert!(told.contains(&Update::SessionDeleted { session_id }), "{told:?}");
    assert!(state(&desk.engine).await.sessions.iter().all(|session| session.session_id != session_id));
    assert_eq!(found(&desk.data.path(), CANARY), 0);

    set_permissions(&copy, Permissions::from_mode(0o700)).unwrap();
    std::fs::remove_dir_all(Path::new(&copy).parent().unwrap()).unwrap();
    model.finish();
}
