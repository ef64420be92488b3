//! Any history of a session: writes of the model, and what other programs do to the same files in between. A rewind to any of its messages
//! leaves each file as it was before Orion's first write since, or names it, and an undo gives every byte back (A10).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use orion_protocol::{Op, RequestId, Rewind};
use proptest::prelude::*;

use crate::driver_desk::Desk;
use crate::rewind::{Order, everything, files_back, preview, scribe, undo, write};

/// What happens in a session, on one of a few files.
#[derive(Debug, Clone)]
enum Step {
    Write(usize, u8),
    /// Another program: changes it, deletes it, gives it another name, puts a folder or a link in its place.
    Edit(usize, u8),
    Delete(usize),
    Move(usize),
    Folder(usize),
    Link(usize),
    /// The last write is undone.
    Undo,
}

const FILES: [&str; 4] = ["a.txt", "b.txt", "new.txt", "deep/er/new.txt"];

/// Twenty turns at least, and what happens between them.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let write = (0..FILES.len(), 0_u8..4).prop_map(|(file, text)| Step::Write(file, text));
    let turns = prop::collection::vec((write, prop::collection::vec(between(), 0..2)), 20..24);
    turns.prop_map(|turns| {
        turns.into_iter().flat_map(|(write, between)| [vec![write], between].concat()).collect()
    })
}

fn between() -> impl Strategy<Value = Step> {
    let file = 0..FILES.len();
    prop_oneof![
        3 => (file.clone(), 0_u8..4).prop_map(|(file, text)| Step::Edit(file, text)),
        1 => file.clone().prop_map(Step::Delete),
        1 => file.clone().prop_map(Step::Move),
        1 => file.clone().prop_map(Step::Folder),
        1 => file.prop_map(Step::Link),
        1 => Just(Step::Undo),
    ]
}

/// A session that is told step by step, with what the project was before each of its turns.
struct Told {
    desk: Desk,
    order: Order,
    turns: Vec<(RequestId, usize, BTreeMap<String, Vec<u8>>)>,
    /// By whom else each file was touched, as the number of turns there were.
    touched: Vec<(usize, usize)>,
}

impl Told {
    async fn step(&mut self, number: usize, step: &Step) {
        let at = |file: usize| self.desk.folder.path().join(FILES[file]);
        let clear = |file: usize| {
            let path = at(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let _ = fs::remove_file(&path);
            let _ = fs::remove_dir_all(&path);
        };
        match *step {
            Step::Write(file, text) => {
                let before = everything(&self.desk.folder);
                let content = format!("Text {text} of turn {}.", if text == 0 { 0 } else { number });
                let id = write(&self.desk, &self.order, FILES[file], &content).await;
                self.turns.push((id, file, before));
            }
            Step::Edit(file, text) => {
                if at(file).is_dir() {
                    clear(file);
                }
                fs::create_dir_all(at(file).parent().unwrap()).unwrap();
                fs::write(at(file), format!("By hand {text}, {number}.\n")).unwrap();
                self.touched.push((file, self.turns.len()));
            }
            Step::Delete(file) => {
                clear(file);
                self.touched.push((file, self.turns.len()));
            }
            Step::Move(file) => {
                let _ = fs::rename(at(file), self.desk.folder.path().join(format!("moved-{number}")));
                self.touched.push((file, self.turns.len()));
            }
            Step::Folder(file) => {
                clear(file);
                fs::create_dir(at(file)).unwrap();
                fs::write(at(file).join("inside"), "Not Orion's.").unwrap();
                self.touched.push((file, self.turns.len()));
            }
            Step::Link(file) => {
                clear(file);
                std::os::unix::fs::symlink("/etc/hostname", at(file)).unwrap();
                self.touched.push((file, self.turns.len()));
            }
            Step::Undo => {
                if let Some((request_id, ..)) = self.turns.last() {
                    let _ =
                        self.desk.engine.submit(Op::UndoWrite { request_id: *request_id, write: None }).await;
                    // The file is as before the turn; for the model's next write that is another base.
                }
            }
        }
    }

    /// A file is what it was before Orion's first write since; and where nobody else touched it, what it was at that moment.
    fn put_back(&self, turn: usize, rewind: &Rewind, path: &str, now: Option<&Vec<u8>>) {
        let taken_back = |id: RequestId| rewind.writes.iter().any(|write| write.request_id == id);
        let wrote = |file: usize, id: RequestId| FILES[file] == path && taken_back(id);
        let first = self.turns[turn..].iter().find(|(id, file, _)| wrote(*file, *id));
        assert_eq!(now, first.unwrap().2.get(path), "{path} is as before the first write since");
        if !self.is_touched(turn, path) {
            assert_eq!(now, self.turns[turn].2.get(path), "{path} is as it was then");
        }
    }

    /// Somebody else touched the file after this turn began.
    fn is_touched(&self, turn: usize, path: &str) -> bool {
        self.touched.iter().any(|(file, turns)| FILES[*file] == path && *turns > turn)
    }

    /// Goes back to the message of a turn, checks every file, and undoes it.
    async fn check(&self, turn: usize) {
        let (request_id, ..) = &self.turns[turn];
        let before = everything(&self.desk.folder);
        let seen = preview(&self.desk, *request_id).await;
        assert_eq!(everything(&self.desk.folder), before, "a preview changes nothing");
        if seen.files.is_empty() {
            return;
        }
        let rewind = files_back(&self.desk, *request_id).await;
        let after = everything(&self.desk.folder);
        let named: BTreeMap<&str, bool> =
            rewind.files.iter().map(|file| (file.path.as_str(), file.change.is_none())).collect();
        for path in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
            match named.get(path.as_str()) {
                Some(false) => self.put_back(turn, &rewind, path, after.get(path)),
                _ => assert_eq!(after.get(path), before.get(path), "{path} is kept, or nobody's business"),
            }
        }
        for path in FILES {
            let kept = named.get(path).copied().unwrap_or_default();
            assert!(!kept || self.is_touched(turn, path), "nobody else touched {path}: {:?}", rewind.files);
        }
        let undone = undo(&self.desk, *request_id).await;
        assert!(undone.files.iter().all(|file| file.change.is_some()), "{:?}", undone.files);
        assert_eq!(everything(&self.desk.folder), before, "an undo gives the bytes back");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: orion_thorough::cases(4, 20) as u32, failure_persistence: None, ..ProptestConfig::default() })]
    // A10
    #[test]
    fn files_are_those_of_that_moment_or_named_and_an_undo_gives_the_bytes_back(
        steps in steps(),
        back in prop::collection::vec(any::<prop::sample::Index>(), 2),
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let (order, model) = scribe();
            let desk = Desk::with(&model).await;
            let mut told = Told { desk, order, turns: Vec::new(), touched: Vec::new() };
            for (number, step) in steps.iter().enumerate() {
                told.step(number, step).await;
            }
            if !told.turns.is_empty() {
                for index in back {
                    told.check(index.index(told.turns.len())).await;
                }
            }
            told.desk.engine.close().await.unwrap();
            model.finish();
        });
    }
}
