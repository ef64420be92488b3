//! Writes whose process died are cleaned up at the next start; what does not succeed is said in the log and tried again.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use orion_engine::config::Environment;
use orion_engine::secrets::Redactor;
use orion_engine::{Engine, logging};
use orion_protocol::RequestId;
use orion_providers::Providers;
use orion_store::{Store, WriteStage};
use support::{Folder, Script};

use crate::driver_desk::{Desk, options, tuning};
use crate::writing::{begin, until_ready};

/// What a process left behind that died while it wrote a.txt, before anything of it was on the disk.
struct Left {
    folder: Folder,
    data: Folder,
    request_id: RequestId,
}

impl Left {
    async fn behind() -> Self {
        let model = Script::new()
            .turn(|t| t.call("write_plan_begin", begin("a.txt", "overwrite")).end("tool_calls"))
            .turn(|t| t.text("omega\nDONE").end("stop"))
            .start();
        let desk = Desk::with(&model).await;
        let mut turn = desk.ask("Write it.").await;
        let request_id = turn.request_id();
        until_ready(&mut turn).await;
        desk.engine.close().await.unwrap();
        model.finish();
        let Desk { folder, data, .. } = desk;
        let left = Self { folder, data, request_id };
        let store = left.store().await;
        store.move_write(request_id, 1, WriteStage::Writing).await.unwrap();
        store.close().await.unwrap();
        left
    }

    async fn store(&self) -> Store {
        Store::open(&self.data.path().join("data")).await.unwrap()
    }

    async fn stage(&self) -> WriteStage {
        let store = self.store().await;
        let writes = store.writes(self.request_id).await.unwrap();
        store.close().await.unwrap();
        writes[0].stage
    }

    /// Starts and ends an engine, and gives the lines of its log, each without its time.
    async fn started(&self) -> Vec<String> {
        let log = Folder::empty();
        let (subscriber, _) = logging::subscriber(&log.path(), &Environment::default(), Redactor::default());
        let guard = tracing::subscriber::set_default(subscriber);
        let connector = Arc::new(Providers::new(tuning()));
        let options = options(&self.data.path(), "http://127.0.0.1:9/v1", connector);
        Engine::open(options).await.unwrap().close().await.unwrap();
        drop(guard);
        let text = fs::read_to_string(log.path().join("orion.log")).unwrap_or_default();
        text.lines().map(|line| line.split_once(' ').unwrap().1.trim_start().to_owned()).collect()
    }

    /// The line of a write that stays as it was.
    fn not_cleaned(&self, code: &str) -> String {
        format!(
            "WARN orion_engine::engine::writes: a write that was under way cannot be cleaned up request_id={} path=\"a.txt\" \
             code={code}",
            self.request_id
        )
    }
}

#[tokio::test]
async fn a_write_that_cannot_be_cleaned_up_is_in_the_log_without_any_content_and_is_tried_again() {
    let left = Left::behind().await;
    let file = left.folder.path().join("a.txt");
    fs::remove_file(&file).unwrap();
    left.data.write("outside.txt", "a secret\n");
    symlink(left.data.path().join("outside.txt"), &file).unwrap();
    for _ in 0..2 {
        assert_eq!(left.started().await, [left.not_cleaned("PathOutside")]);
        assert_eq!(left.stage().await, WriteStage::Writing);
    }
    fs::remove_file(&file).unwrap();
    left.folder.write("a.txt", "alpha\n");
    assert_eq!(left.started().await, Vec::<String>::new());
    assert_eq!((left.stage().await, left.folder.read("a.txt")), (WriteStage::Over, b"alpha\n".to_vec()));
}

#[tokio::test]
async fn a_write_whose_folder_is_gone_is_in_the_log() {
    let left = Left::behind().await;
    fs::remove_dir_all(left.folder.path()).unwrap();
    assert_eq!(left.started().await, [left.not_cleaned("ProjectUnreadable")]);
}
