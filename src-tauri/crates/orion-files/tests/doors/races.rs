//! Folders, files and links that are exchanged while they are read: no byte of what is closed comes out.

use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::bench::Bench;

/// The time for one exchange of names.
fn time() -> Duration {
    Duration::from_secs(if orion_thorough::is_whole() { 20 } else { 1 })
}

fn exchange(one: &Path, other: &Path) {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
}

/// Reads `path` while two names are exchanged again and again, and counts the reads with an end of each kind.
fn reads(bench: &Bench, names: [&str; 2], path: &str) -> (u64, u64, u64) {
    let stop = AtomicBool::new(false);
    let (mut open, mut closed, mut refused) = (0, 0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let [one, other] = names.map(|name| bench.at(name));
            while !stop.load(Ordering::Relaxed) {
                exchange(&one, &other);
            }
        });
        let path = bench.project.path(path).unwrap();
        let until = Instant::now() + time();
        while Instant::now() < until {
            let mut text = String::new();
            let opened = [
                bench.project.open_file(&path).ok().map(|(file, _)| file),
                bench.project.open_found(&path).ok().map(|(file, _)| file),
            ];
            for file in opened {
                text.clear();
                match file {
                    None => refused += 1,
                    Some(mut file) => match file.read_to_string(&mut text).map(|_| text.as_str()) {
                        Ok("closed") => closed += 1,
                        _ => open += 1,
                    },
                }
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    (open, closed, refused)
}

#[test]
fn no_exchange_of_a_folder_or_a_file_with_a_link_opens_what_is_closed() {
    let files = [
        (".orionignore", "vault/\n*.key\n"),
        ("vault/a", "closed"),
        ("b.key", "closed"),
        (".git/a", "closed"),
        ("deep/down/sub/a", "open"),
        ("deep/down/b", "open"),
    ];
    for (there, to, path) in [
        ("deep/down/sub", "vault", "deep/down/sub/a"),
        ("deep/down/sub", ".git", "deep/down/sub/a"),
        ("deep/down/b", "b.key", "deep/down/b"),
    ] {
        let bench = Bench::with(files);
        symlink(format!("../../{to}"), bench.at("deep/down/link")).unwrap();
        let (open, closed, refused) = reads(&bench, [there, "deep/down/link"], path);
        assert_eq!(closed, 0, "{there}, of {open} reads and {refused} refused");
        assert!(open > 0 && refused > 0, "{open} reads, {refused} refused");
    }
}
