use std::fs;
use std::path::Path;

use super::*;
use crate::workspace::Private;

fn folder(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|file| put(folder.path(), file));
    folder
}

fn put(root: &Path, file: &str) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "text").unwrap();
}

fn index_of(root: &Path) -> Index {
    let index = Index::new(&Project::open(root, &Private::none()).unwrap());
    index.read(&CancellationToken::new());
    index
}

fn paths(index: &Index, filter: &str) -> Vec<String> {
    index.find(filter, 10).found.into_iter().map(|found| found.path).collect()
}

#[test]
fn the_nearest_to_what_was_typed_comes_first() {
    let files = [
        "src/main.rs",
        "src/domain/remaining.rs",
        "docs/main.md",
        "src/lib/main.rs",
        "main",
        "a/m/a/i/n.txt",
    ];
    let folder = folder(&files);
    let index = index_of(folder.path());
    assert_eq!(
        paths(&index, "main"),
        [
            "main",
            "src/main.rs",
            "docs/main.md",
            "src/lib/main.rs",
            "src/domain",
            "src/domain/remaining.rs",
            "a/m/a/i/n.txt"
        ]
    );
    assert_eq!(
        paths(&index, "src/main"),
        ["src/main.rs", "src/domain", "src/lib/main.rs", "src/domain/remaining.rs"]
    );
    assert_eq!(paths(&index, "slmain"), ["src/lib/main.rs"]);
    assert_eq!(paths(&index, "SRC/MAIN.RS")[0], "src/main.rs");
    assert_eq!(paths(&index, "zzz"), Vec::<String>::new());
}

#[test]
fn without_a_letter_what_is_nearest_to_the_root_comes_first_and_a_slash_shows_a_folder() {
    let folder = folder(&["b/c/d.txt", "b/e.txt", "a.txt"]);
    let index = index_of(folder.path());
    let all = index.find("", 2);
    assert_eq!(
        all.found.iter().map(|it| (it.path.as_str(), it.is_folder)).collect::<Vec<_>>(),
        [("a.txt", false), ("b", true)]
    );
    assert!(all.more && !all.partial);
    assert_eq!(paths(&index, "b/"), ["b/c", "b/e.txt", "b/c/d.txt"]);
    assert_eq!(paths(&index, "./b/e"), ["b/e.txt"]);
}

#[test]
fn letters_are_found_in_any_case_and_any_script() {
    let folder = folder(&["Öffnung/ÜBER.txt", "İstanbul.md"]);
    let index = index_of(folder.path());
    assert_eq!(paths(&index, "öff/über"), ["Öffnung/ÜBER.txt"]);
    assert_eq!(paths(&index, "stanbul"), ["İstanbul.md"]);
}

#[test]
fn what_is_hidden_or_closed_is_not_found() {
    let folder = folder(&["build/out.txt", "secret/key.txt", ".git/config", "kept.txt", "kept.key"]);
    fs::write(folder.path().join(".gitignore"), "build/\n").unwrap();
    fs::write(folder.path().join(".orionignore"), "secret/\n*.key\n").unwrap();
    let index = index_of(folder.path());
    for filter in ["out", "key", "config", "kept"] {
        let expected: &[&str] = if filter == "kept" { &["kept.txt"] } else { &[] };
        assert_eq!(paths(&index, filter), expected, "{filter}");
    }
}

// Names that are no text, and pipes, are made in this way on Linux alone.
#[test]
#[cfg(target_os = "linux")]
fn names_that_mislead_and_what_is_no_file_are_not_offered() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = folder(&["plain.txt", "esc\u{1b}[2J.txt", "line\nend.txt", "right\u{202e}left.txt"]);
    fs::write(folder.path().join(OsStr::from_bytes(b"\xff.txt")), "text").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link.txt")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.path().join("pipe.txt"), rustix::fs::Mode::RUSR).unwrap();
    assert_eq!(paths(&index_of(folder.path()), "txt"), ["plain.txt"]);
}

#[test]
fn what_the_watcher_reports_is_found_without_reading_again() {
    let folder = folder(&["old/a.txt", "old/b.txt", ".gitignore"]);
    fs::write(folder.path().join(".gitignore"), "hidden.txt\n").unwrap();
    let index = index_of(folder.path());
    let saw = |path: &str| index.changed(&[Seen::Path(path.to_owned())]);
    put(folder.path(), "new/deep/c.txt");
    put(folder.path(), "hidden.txt");
    assert!(!saw("new") && !saw("hidden.txt"));
    fs::remove_dir_all(folder.path().join("old")).unwrap();
    assert!(!saw("old"));
    assert_eq!(paths(&index, "txt"), ["new/deep/c.txt"]);
    put(folder.path(), "old/b.txt");
    assert!(!saw("old"));
    assert_eq!(paths(&index, "txt"), ["old/b.txt", "new/deep/c.txt"]);
    assert!(saw(".gitignore") && index.changed(&[Seen::Tree(String::new())]));
}

#[test]
fn more_changes_than_are_kept_ask_for_a_new_reading_which_has_them_all() {
    let folder = folder(&["a.txt"]);
    let index = index_of(folder.path());
    let anew: Vec<bool> = (0..2_100)
        .map(|number| {
            let path = format!("{number}.md");
            put(folder.path(), &path);
            index.changed(&[Seen::Path(path)])
        })
        .collect();
    assert_eq!((anew[1_000], anew[2_099]), (false, true));
    index.read(&CancellationToken::new());
    assert_eq!(paths(&index, "2099.md"), ["2099.md"]);
    assert!(!index.find("a.txt", 1).partial);
}

#[test]
fn an_index_that_is_read_no_further_says_that_it_lacks_names() {
    let folder = folder(&["a.txt"]);
    let index = Index::new(&Project::open(folder.path(), &Private::none()).unwrap());
    assert_eq!(index.find("a", 5), Matches { partial: true, ..Matches::default() });
    let stopped = CancellationToken::new();
    stopped.cancel();
    index.read(&stopped);
    assert!(index.find("a", 5).partial);
}

#[test]
fn half_a_million_names_take_little_memory_and_one_look_at_each() {
    let mut names = Names::default();
    for folder in 0..5_000 {
        let path = format!("packages/component-{}/src/area{folder}", folder % 50);
        for above in path.match_indices('/').map(|(at, _)| path[..at].to_owned()).chain([path.clone()]) {
            names.add(&Found { path: above, is_folder: true });
        }
        for file in 0..100 {
            names.add(&Found { path: format!("{path}/ViewModel{file}Controller.test.ts"), is_folder: false });
        }
    }
    names.shrink();
    assert!(names.bytes() < 48 * 1024 * 1024, "{}", names.bytes());
    for filter in [
        "e",
        "src",
        "viewmodel",
        "vmc42",
        "component-7/area4999",
        "packages/component-49/src/area",
        "nothing like it",
    ] {
        let began = Instant::now();
        let filter = Filter::of(filter);
        let mut best = Best::new(10);
        names.find(&filter, &mut best, |_| true);
        let (found, _) = best.into_found();
        println!("{:?}: {} found in {:?}", filter, found.len(), began.elapsed());
    }
}
