//! Folders, files and links that are exchanged while they are read and written: no byte of what is closed or outside comes out, and none is put there.

use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use orion_files::workspace::{Budget, Kind, Project, ProjectPath, View, Walk};
use orion_files::writing::{Attempt, Outcome, Target, compose};
use orion_protocol::WriteOperation::{Create, Overwrite};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use tokio_util::sync::CancellationToken;

use crate::bench::Bench;

/// The content of every file that no tool may read.
const CLOSED: &str = "closed";

/// Names that change their places, where the second one is a link, and what that leads to.
const EXCHANGES: [(&str, &str); 6] = [
    ("deep/down/sub", "vault"),
    ("deep/down/sub", ".git"),
    ("deep/down/sub", "outside"),
    ("deep", "vault"),
    ("deep/down/sub/a", "b.key"),
    ("deep/down/sub/a", "outside/a"),
];

/// The time for one of them: of all together a minute where everything is searched.
fn time() -> Duration {
    let all = if orion_thorough::is_whole() { 60_000 } else { 1_500 };
    Duration::from_millis(all / EXCHANGES.len() as u64)
}

/// A project with closed files under each path that the links can give the open one, and with a folder beside it.
struct Scene {
    bench: Bench,
    outside: tempfile::TempDir,
}

impl Scene {
    fn new((there, to): (&str, &str)) -> Self {
        let bench = Bench::with([
            (".orionignore", "vault/\n*.key\n"),
            ("b.key", CLOSED),
            ("vault/a", CLOSED),
            ("vault/sub/a", CLOSED),
            ("vault/down/sub/a", CLOSED),
            (".git/a", CLOSED),
            ("deep/down/sub/a", "open"),
        ]);
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("a"), CLOSED).unwrap();
        // Relative links, as a repository has them; also to what is outside of it.
        let link = bench.at(there).with_file_name("link");
        let up = |from: usize| "../".repeat(from + Path::new(there).components().count() - 1);
        let to = match to.strip_prefix("outside") {
            None => format!("{}{to}", up(0)),
            Some(name) => {
                let depth = bench.at("").components().count() - 1;
                let at = outside.path().strip_prefix("/").unwrap().display();
                format!("{}{at}{name}", up(depth))
            }
        };
        symlink(to, link).unwrap();
        Self { bench, outside }
    }

    /// Runs something again and again while two names are exchanged: for its time, and until it says that it has met both ends.
    fn race(&self, (there, _): (&str, &str), mut again: impl FnMut(&Project) -> bool) {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let (one, other) = (self.bench.at(there), self.bench.at(there).with_file_name("link"));
                while !stop.load(Ordering::Relaxed) {
                    renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
                }
            });
            let until = Instant::now() + time();
            while !again(&self.bench.project) || Instant::now() < until {}
            stop.store(true, Ordering::Relaxed);
        });
    }

    /// The closed things and those outside: names, and the contents of files.
    fn kept(&self) -> BTreeMap<PathBuf, Option<String>> {
        let mut ahead: Vec<PathBuf> = ["vault", ".git", "b.key"].map(|name| self.bench.at(name)).into();
        ahead.push(self.outside.path().to_owned());
        let mut kept = BTreeMap::new();
        while let Some(path) = ahead.pop() {
            if path.is_dir() {
                ahead.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
            kept.insert(path.clone(), std::fs::read_to_string(path).ok());
        }
        kept
    }
}

/// The outcomes of looks at files.
#[derive(Debug, Default)]
struct Reads {
    open: u64,
    closed: u64,
    refused: u64,
}

impl Reads {
    fn count(&mut self, file: Option<impl Read>) {
        let mut text = String::new();
        match file.map(|mut file| file.read_to_string(&mut text)) {
            None | Some(Err(_)) => self.refused += 1,
            Some(Ok(_)) if text == CLOSED => self.closed += 1,
            Some(Ok(_)) => self.open += 1,
        }
    }
}

#[test]
fn no_exchange_of_a_folder_or_a_file_with_a_link_opens_what_is_closed_or_outside() {
    for exchange in EXCHANGES {
        let scene = Scene::new(exchange);
        let (mut reads, mut found) = (Reads::default(), Reads::default());
        scene.race(exchange, |project| {
            let path = project.path("deep/down/sub/a").unwrap();
            reads.count(project.open_file(&path).ok().map(|(file, _)| file));
            reads.count(project.open_found(&path).ok().map(|(file, _)| file));
            // As a search does: what a walk comes across is opened.
            let budget = Budget::new(1_000, Duration::from_secs(60), CancellationToken::new());
            let view = View { recursive: true, include_ignored: true };
            let walk = Walk::new(project, &ProjectPath::root(), view, budget);
            for entry in walk.filter(|entry| entry.kind == Kind::File) {
                found.count(project.open_found(&entry.path).ok().map(|(file, _)| file));
            }
            reads.open > 0 && reads.refused > 0
        });
        println!("{exchange:?}: {reads:?}, in walks {found:?}");
        assert_eq!((reads.closed, found.closed), (0, 0), "{exchange:?}: {reads:?}, {found:?}");
    }
}

#[test]
fn no_exchange_of_a_folder_or_a_file_with_a_link_lets_a_write_into_what_is_closed_or_outside() {
    for exchange in EXCHANGES {
        let scene = Scene::new(exchange);
        let before = scene.kept();
        let (mut written, mut refused, mut round) = (0, 0, 0);
        scene.race(exchange, |project| {
            round += 1;
            let (name, operation) = match round % 2 {
                0 => ("deep/down/sub/a".to_owned(), Overwrite),
                _ => (format!("deep/down/sub/new-{round}/b"), Create),
            };
            let path = project.path(&name).unwrap();
            let done = Target::load(project, &path, operation).ok().and_then(|(target, old)| {
                let composed = compose(&target, old.as_deref(), operation, &format!("ours {round}")).ok()?;
                let attempt = Attempt::writing(&target, &composed, format!(".orion-{round}.tmp"));
                Some(attempt.perform(project, Some(&composed.bytes)).outcome == Outcome::Written)
            });
            *(if done == Some(true) { &mut written } else { &mut refused }) += 1;
            written > 0 && refused > 0
        });
        println!("{exchange:?}: {written} written, {refused} refused");
        assert_eq!(scene.kept(), before, "{exchange:?}: {written} written, {refused} refused");
    }
}
