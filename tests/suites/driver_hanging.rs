//! The project's disk stops answering at any point of a turn. A stop still ends the turn, the results of answers are
//! told, and the turn replays the same (A4, A7, T5).
//!
//! A look at the disk runs on a thread of the runtime's pool. Here the pool is small, and the test takes all of it: every look hangs until
//! the test lets go, as it would with a disk that does not answer.

use std::sync::{Arc, Condvar, Mutex};

use orion_engine::Engine;
use orion_protocol::{Code, Op, Reply, RequestId, Sha256, TurnEvent};
use proptest::prelude::*;
use serde_json::json;
use support::{Folder, Script, ScriptedModel, Turn, within};
use tokio::runtime::Handle;
use tokio::sync::Notify;

use crate::driver_desk::Desk;

/// Threads that may wait for the disk.
const THREADS: usize = 2;

/// A disk that answers nobody from some moment on.
#[derive(Clone, Default)]
struct Disk(Arc<State>);

#[derive(Default)]
struct State {
    hangs: Mutex<bool>,
    answers: Condvar,
    /// From now on it hangs.
    hung: Notify,
}

impl Disk {
    /// From now on nothing comes back from it.
    fn hangs(&self, runtime: &Handle) {
        *self.0.hangs.lock().unwrap() = true;
        for _ in 0..THREADS {
            let Self(disk) = self.clone();
            runtime.spawn_blocking(move || {
                let hangs = disk.hangs.lock().unwrap();
                drop(disk.answers.wait_while(hangs, |hangs| *hangs).unwrap());
            });
        }
        self.0.hung.notify_one();
    }

    fn answers(&self) {
        *self.0.hangs.lock().unwrap() = false;
        self.0.answers.notify_all();
    }
}

/// Lets go of a disk, also where the test has failed: the runtime waits for its threads.
struct Released(Disk);

impl Drop for Released {
    fn drop(&mut self) {
        self.0.answers();
    }
}

/// What the model says to one request.
#[derive(Debug, Clone, Copy)]
enum Says {
    Answer,
    Read,
    /// Of this call a person is asked.
    List,
    Write,
    Content,
    /// A word, and then nothing more.
    Silence,
}

/// More often what is followed by a look at the disk.
const ALL: [Says; 9] = [
    Says::Read,
    Says::Read,
    Says::Read,
    Says::Write,
    Says::Write,
    Says::List,
    Says::Content,
    Says::Answer,
    Says::Silence,
];

impl Says {
    fn turn(self) -> Turn {
        let turn = Turn::default();
        let begin = json!({"intent": "As you asked.", "target_file": "b.txt", "operation": "overwrite"});
        match self {
            Self::Answer => turn.text("It is done.").end("stop"),
            Self::Read => turn.text("I look. ").call("read_file", json!({"path": "a.txt"})).end("tool_calls"),
            Self::List => turn.call("list_files", json!({"path": "."})).end("tool_calls"),
            Self::Write => turn.call("write_plan_begin", begin).end("tool_calls"),
            Self::Content => turn.text("omega\nDONE").end("stop"),
            Self::Silence => turn.text("So").hang(),
        }
    }
}

/// A model that says this, and makes the disk hang as it is asked for the `hangs`-th time.
fn model(says: Vec<Says>, hangs: usize, disk: &Disk) -> ScriptedModel {
    let (disk, runtime) = (disk.clone(), Handle::current());
    let script = Script::new().forever(move |number, _| {
        if number == hangs {
            disk.hangs(&runtime);
        }
        says.get(number - 1).copied().unwrap_or(Says::Answer).turn()
    });
    script.start()
}

/// A yes and a no at once: one wins at most, and whoever did not is told so (A7). A first yes to content with faults is
/// told of them and changes nothing (W5), so that the no may still win.
async fn race(engine: Engine, request_id: RequestId, digest: Sha256) {
    let answer = |granted| {
        engine.submit(Op::Reply { request_id, digest, reply: if granted { Reply::YES } else { Reply::NO } })
    };
    let (yes, no) = tokio::join!(answer(true), answer(false));
    let [refused_yes, refused_no] = [&yes, &no].map(|told| told.as_ref().err().map(|error| error.code));
    assert!(
        matches!(
            (refused_yes, refused_no),
            (None, Some(Code::NotWaiting))
                | (Some(Code::NotWaiting | Code::WriteFaulty), None)
                | (Some(Code::NotWaiting | Code::WriteFaulty), Some(Code::NotWaiting))
        ),
        "{yes:?}, {no:?}"
    );
}

/// A turn whose model says this. The disk hangs when the model is asked for the `hangs`-th time, and a little later the turn is stopped.
async fn a_turn(says: Vec<Says>, hangs: usize, later: usize) {
    let disk = Disk::default();
    let _released = Released(disk.clone());
    let model = model(says, hangs, &disk);
    let settings = "[tools.list_files]\npermission = 'ask'\n";
    let files = [("a.txt", "alpha\n"), ("b.txt", "beta\n"), (".orion/config.toml", settings)];
    let desk = Desk::at(&model.base_url(), Folder::with(files)).await;
    let mut turn = desk.ask("Do it.").await;
    let request_id = turn.request_id();
    let (engine, hung) = (desk.engine.clone(), disk.clone());
    let stopping = tokio::spawn(async move {
        hung.0.hung.notified().await;
        for _ in 0..later {
            tokio::task::yield_now().await;
        }
        // Both answers are well: it is stopped now, or was over.
        let _ = engine.submit(Op::StopTurn { request_id }).await;
    });
    let (mut told, mut races) = (Vec::new(), Vec::new());
    while let Some(batch) = within("the turn to end while the disk hangs", turn.next()).await {
        for envelope in &batch {
            if let TurnEvent::Asked { digest, .. } = &envelope.event {
                races.push(tokio::spawn(race(desk.engine.clone(), request_id, *digest)));
            }
        }
        told.extend(batch);
    }
    stopping.abort();
    disk.answers();
    for race in races {
        within("the answers to be told", race).await.unwrap();
    }
    desk.check(&told).await;
    desk.engine.close().await.unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(orion_thorough::cases(12, 48) as u32) })]

    #[test]
    fn a_turn_ends_and_replays_the_same_whatever_it_is_at_when_the_disk_hangs_and_two_answers_race(
        says in prop::collection::vec(prop::sample::select(&ALL[..]), 1..6),
        hangs in 1..5usize,
        later in 0..200usize,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(THREADS)
            .build()
            .unwrap();
        runtime.block_on(a_turn(says, hangs, later));
    }
}

#[test]
fn a_stop_does_not_wait_for_a_second_look_that_hangs() {
    // D3: the file that was read is looked at again before the same call is judged.
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(THREADS).build();
    runtime.unwrap().block_on(a_turn(vec![Says::Read, Says::Read], 2, 100));
}
