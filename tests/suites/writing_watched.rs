//! A preview that outlived its process is watched again: as soon as it is looked at, and as soon as its turn goes on (W6).

use std::sync::Arc;

use orion_engine::Engine;
use orion_protocol::{Outcome, ProposalCause, RequestId, Update, WatchState};
use orion_providers::Providers;
use support::{Script, ScriptedModel, within};
use tokio::sync::broadcast::Receiver;

use crate::driver_desk::{Desk, options, to_end, tuning};
use crate::writing::{approve, begin, on_disk, tidy, until_ready, view};

const THEIRS: &str = "changed by somebody\n";

/// A desk whose process came to a preview of `a.txt` and ended.
async fn left_waiting() -> (Desk, RequestId) {
    let model = Script::new()
        .turn(|t| t.call("write_plan_begin", begin("a.txt", "overwrite")).end("tool_calls"))
        .turn(|t| t.text("omega\nDONE").end("stop"))
        .start();
    let desk = Desk::with(&model).await;
    let mut turn = desk.ask("Write it.").await;
    until_ready(&mut turn).await;
    desk.engine.close().await.unwrap();
    model.finish();
    (desk, turn.request_id())
}

/// The same with an engine of the next process.
async fn reopened(left: Desk, model: &ScriptedModel) -> Desk {
    let options = options(&left.data.path(), &model.base_url(), Arc::new(Providers::new(tuning())));
    Desk { engine: Engine::open(options).await.unwrap(), ..left }
}

async fn until_watched(updates: &mut Receiver<Update>) {
    within("the watch", async {
        let watching =
            |update: &Update| matches!(update, Update::FilesChanged { watch: WatchState::Watching, .. });
        while !watching(&updates.recv().await.unwrap()) {}
    })
    .await;
}

#[tokio::test]
async fn a_preview_whose_turn_goes_on_is_made_anew_by_the_watcher_alone() {
    let (left, request_id) = left_waiting().await;
    let model = Script::new().turn(|t| t.text("Done.").end("stop")).start();
    let desk = reopened(left, &model).await;
    let mut updates = desk.engine.updates();
    let mut turn = desk.engine.resume_turn(request_id, None).await.unwrap();
    until_watched(&mut updates).await;
    assert!(!view(&desk, request_id).await.changed_on_disk);
    // Nobody answers or asks anything.
    desk.folder.write("a.txt", THEIRS);
    let (_, _, anew) = until_ready(&mut turn).await;
    assert_eq!((anew.cause, anew.removed, anew.added), (ProposalCause::FileChanged, 1, 1));
    assert!(!view(&desk, request_id).await.changed_on_disk);
    assert_eq!(
        desk.engine.unified(request_id, None).await.unwrap(),
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-changed by somebody\n+omega\n"
    );
    assert_eq!(approve(&desk, request_id, anew.digest, None).await, Ok(Outcome::Done));
    within("the turn to end", to_end(turn)).await;
    assert_eq!(on_disk(&desk, "a.txt").as_deref(), Some("omega\n"));
    tidy(&desk);
    model.finish();
}

#[tokio::test]
async fn a_preview_that_is_only_looked_at_is_watched_and_says_that_the_file_changed() {
    let (left, request_id) = left_waiting().await;
    let model = Script::new().start();
    let desk = reopened(left, &model).await;
    let mut updates = desk.engine.updates();
    assert!(!view(&desk, request_id).await.changed_on_disk);
    until_watched(&mut updates).await;
    desk.folder.write("a.txt", THEIRS);
    within("word of the change", async {
        while !matches!(updates.recv().await.unwrap(), Update::FilesChanged { .. }) {}
    })
    .await;
    assert!(view(&desk, request_id).await.changed_on_disk);
    assert_eq!(on_disk(&desk, "a.txt").as_deref(), Some(THEIRS));
    model.finish();
}
