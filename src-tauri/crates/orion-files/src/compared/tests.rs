//! Tests of what is found of a command's changes.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::*;
use crate::workspace::Private;

fn budget() -> Budget {
    Budget::new(ENTRIES, Duration::from_secs(60), CancellationToken::new())
}

fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Project) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), files);
    let project = Project::open(folder.path(), &Private::none()).unwrap();
    (folder, project)
}

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, content) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// The changes, as lines.
fn told(compared: &Compared) -> Vec<String> {
    let body = |body: &Option<Vec<u8>>| match body {
        Some(body) => String::from_utf8_lossy(body).into_owned(),
        None => "-".to_owned(),
    };
    let line = |file: &Changed| {
        let Changed { path, change, before, after, kept, .. } = file;
        let kept = kept.map_or_else(String::new, |kept| format!(", {kept}"));
        format!("{path} {change:?}: {} > {}{kept}", body(before), body(after))
    };
    compared.files.iter().map(line).collect()
}

fn after(files: &[(&str, &str)], command: impl FnOnce(&Path)) -> Compared {
    let (folder, project) = project(files);
    let before = Before::of(&project, &budget());
    command(folder.path());
    before.compared(&project, &budget())
}

// C6
#[test]
fn what_a_command_made_changed_and_removed_is_found_with_both_contents() {
    let files = [
        (".gitignore", "target/\n"),
        ("a.txt", "one"),
        ("src/b.txt", "two"),
        ("c.txt", "three"),
        ("d", "four"),
    ];
    let compared = after(&files, |folder| {
        write(folder, &[("a.txt", "ONE"), ("deep/new.txt", "new"), ("target/x", "ignored"), ("d", "four")]);
        fs::remove_file(folder.join("src/b.txt")).unwrap();
    });
    let expected =
        ["a.txt Changed: one > ONE", "deep/new.txt Created: - > new", "src/b.txt Removed: two > -"];
    assert_eq!(
        (told(&compared), compared.more, compared.is_whole),
        (expected.map(str::to_owned).to_vec(), 0, true)
    );
}

#[test]
fn a_content_of_the_same_size_with_its_old_time_is_another_one_all_the_same() {
    let compared = after(&[("a.txt", "one")], |folder| {
        let path = folder.join("a.txt");
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, "two").unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    });
    if cfg!(unix) {
        assert_eq!(told(&compared), ["a.txt Changed: one > two"]);
    }
}

#[test]
fn what_may_have_been_there_before_cannot_be_undone() {
    // A line less in an ignore file shows what was there all the time.
    let shown = after(&[(".gitignore", "kept/\nx\n"), ("kept/a", "mine"), ("b", "one")], |folder| {
        write(folder, &[(".gitignore", "x\n"), ("b", "two")]);
    });
    let expected = [
        ".gitignore Changed: kept/\nx\n > x\n".to_owned(),
        "b Changed: one > two".to_owned(),
        format!("kept/a Created: - > -, {RULES_CHANGED}"),
    ];
    assert_eq!(told(&shown), expected);
    // One that hides what was there leaves it where it is.
    let hidden = after(&[("a", "one"), ("b", "two")], |folder| {
        write(folder, &[(".gitignore", "a\nb\n"), ("b", "TWO")]);
    });
    assert_eq!(
        told(&hidden),
        [".gitignore Created: - > -, ".to_owned() + RULES_CHANGED, "b Changed: two > TWO".to_owned()]
    );
    // One in a new folder hides nothing that was there.
    let new = after(&[("a", "one")], |folder| write(folder, &[("new/.gitignore", "x"), ("new/b", "two")]));
    assert_eq!(told(&new), ["new/.gitignore Created: - > x", "new/b Created: - > two"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_was_moved_here_is_never_the_only_copy_that_an_undo_removes() {
    let large = "x".repeat((BODY + 1) as usize);
    let files =
        [(".gitignore", "cache/\n"), ("cache/a", "ignored"), ("small", "s"), ("large", &large), ("b", "old")];
    let (folder, project) = project(&files);
    let mut before = Before::of(&project, &budget());
    // As if the files had been there for a while.
    before.began += Duration::from_secs(60);
    let rename = |from: &str, to: &str| fs::rename(folder.path().join(from), folder.path().join(to)).unwrap();
    rename("cache/a", "b");
    rename("small", "moved");
    rename("large", "large2");
    let compared = before.compared(&project, &budget());
    let kept: Vec<_> = compared.files.iter().map(|file| (file.path.to_string(), file.kept)).collect();
    let expected = [
        ("b", Some(MOVED_HERE)),
        ("large", Some(bodies::TOO_LARGE)),
        ("large2", Some(bodies::TOO_LARGE)),
        ("moved", None),
        ("small", None),
    ];
    assert_eq!(kept, expected.map(|(path, kept)| (path.to_owned(), kept)));
}

#[cfg(unix)]
#[test]
fn a_moved_file_whose_old_path_cannot_be_put_back_is_not_removed() {
    let after = after(&[("config.json", "mine"), ("log", "old"), ("other", "o")], |folder| {
        let rename = |from: &str, to: &str| fs::rename(folder.join(from), folder.join(to)).unwrap();
        rename("config.json", "config.json.bak");
        std::os::unix::fs::symlink("/x", folder.join("config.json")).unwrap();
        rename("log", "log.1");
        fs::write(folder.join("log"), "x".repeat((BODY + 1) as usize)).unwrap();
        // The old content of the one goes with the other.
        rename("other", "another");
        rename("log.1", "other");
    });
    let kept: Vec<_> = after.files.iter().map(|file| (file.path.to_string(), file.kept)).collect();
    let expected = [
        ("config.json", Some(NO_FILE)),
        ("another", Some(MOVED_AWAY)),
        ("config.json.bak", Some(MOVED_AWAY)),
        ("log", Some(bodies::TOO_LARGE)),
        ("other", Some(MOVED_AWAY)),
    ];
    assert_eq!(kept, expected.map(|(path, kept)| (path.to_owned(), kept)));
    assert!(after.files.iter().all(|file| file.change == FileChange::Changed || file.before.is_none()));
}

#[cfg(unix)]
#[test]
fn of_a_moved_folder_no_more_files_are_removed_than_are_put_back() {
    let names: Vec<String> = (0..1_500).map(|number| format!("zold/n{number:05}")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
    let compared = after(&files, |folder| fs::rename(folder.join("zold"), folder.join("anew")).unwrap());
    let undone = |change: FileChange| {
        compared.files.iter().filter(|file| file.change == change && file.kept.is_none()).count()
    };
    let kept = compared.files.iter().filter(|file| file.kept == Some(MOVED_AWAY)).count();
    let found = (undone(FileChange::Created), undone(FileChange::Removed), kept, compared.more);
    assert_eq!((found, compared.is_whole), ((500, 500, 1_000, 1_000), true));
}

#[test]
fn a_moved_file_whose_old_path_has_its_content_again_is_not_the_only_copy() {
    for (from, to, expected) in
        [("a.txt", "b.txt", "b.txt Changed: two > one"), ("b.txt", "a.txt", "a.txt Changed: one > two")]
    {
        let compared = after(&[("a.txt", "one"), ("b.txt", "two")], |folder| {
            fs::rename(folder.join(from), folder.join(to)).unwrap();
            fs::copy(folder.join(to), folder.join(from)).unwrap();
        });
        assert_eq!(told(&compared), [expected], "{from} to {to}");
    }
}

#[cfg(unix)]
#[test]
fn another_name_of_a_file_that_is_still_there_is_not_removed() {
    // As on a disk that ignores letter case, where the old name leads to the file too.
    let compared = after(&[("readme", "mine"), (".gitignore", "x")], |folder| {
        fs::hard_link(folder.join("readme"), folder.join("README")).unwrap();
        fs::write(folder.join(".gitignore"), "readme\n").unwrap();
    });
    let kept: Vec<_> = compared.files.iter().map(|file| (file.path.to_string(), file.kept)).collect();
    assert_eq!(kept, [(".gitignore".to_owned(), None), ("README".to_owned(), Some(MOVED_AWAY))]);
}

#[cfg(unix)]
#[test]
fn links_out_of_the_project_come_first_and_no_link_is_followed() {
    use std::os::unix::fs::symlink;
    let compared = after(&[("a", "one"), ("folder/b", "two"), ("folder/c", "three")], |folder| {
        symlink("a", folder.join("inside")).unwrap();
        symlink("/etc", folder.join("outside")).unwrap();
        symlink("../..", folder.join("upward")).unwrap();
        fs::rename(folder.join("folder"), folder.join("elsewhere")).unwrap();
        symlink("elsewhere", folder.join("folder")).unwrap();
    });
    let told: Vec<_> =
        compared.files.iter().map(|file| (file.path.to_string(), file.change, file.leads_out)).collect();
    let (created, removed) = (FileChange::Created, FileChange::Removed);
    let expected = [
        ("outside", created, true),
        ("upward", created, true),
        ("elsewhere/b", created, false),
        ("elsewhere/c", created, false),
        ("folder", created, false),
        ("folder/b", removed, false),
        ("folder/c", removed, false),
        ("inside", created, false),
    ];
    assert_eq!(told, expected.map(|(path, change, out)| (path.to_owned(), change, out)));
}

#[cfg(unix)]
#[test]
fn permissions_alone_are_named_and_a_name_that_is_no_text_is_one_like_any_other() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;
    let compared = after(&[("run.sh", "x")], |folder| {
        fs::set_permissions(folder.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(folder.join(OsStr::from_bytes(b"\xff\n\"x")), "new").unwrap();
        fs::write(folder.join("-rf \u{202e}gpj.exe"), "new").unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            folder.join("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
    });
    let told = told(&compared);
    assert_eq!(told.len(), 4, "{told:?}");
    assert_eq!(told[1], format!("pipe Created: - > -, {NO_FILE}"));
    assert_eq!(told[2], format!("run.sh Mode: x > x, {MODE}"));
    assert_eq!(compared.files[2].mode, Some(0o644));
    let root = tempfile::tempdir().unwrap();
    for file in &compared.files {
        assert_eq!(ProjectPath::parse(&file.path.to_string(), root.path()).unwrap(), file.path);
    }
}

#[test]
fn what_cannot_be_looked_at_within_the_bounds_is_said() {
    let (folder, project) = project(&[("a", "1"), ("b", "2"), ("c", "3")]);
    let few = Budget::new(2, Duration::from_secs(60), CancellationToken::new());
    let before = Before::of(&project, &few);
    write(folder.path(), &[("d", "4")]);
    let compared = before.compared(&project, &budget());
    assert!(!compared.is_whole);
    assert!(compared.files.iter().all(|file| file.kept == Some(NOT_ALL_BEFORE)), "{:?}", told(&compared));
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let stopped = Budget::new(ENTRIES, Duration::from_secs(60), cancelled);
    assert!(!Before::of(&project, &budget()).compared(&project, &stopped).is_whole);
}

#[test]
fn of_more_files_than_are_kept_the_rest_is_counted() {
    let compared = after(&[("a", "1")], |folder| {
        for number in 0..FILES + 5 {
            fs::write(folder.join(format!("n{number:05}")), "x").unwrap();
        }
    });
    assert_eq!((compared.files.len(), compared.more), (FILES, 5));
    assert!(compared.files.iter().all(|file| file.kept.is_none()));
}

/// The times that the look before a command may take of `find -printf` over the same files, of the processor.
#[cfg(target_os = "linux")]
const MOST_TIMES: u64 = 3;

/// The time of the processor that this process had, and the programs that it ran, in ticks (proc_pid_stat(5)). The load of a machine does not count.
#[cfg(target_os = "linux")]
fn ticks() -> [u64; 2] {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<u64> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .skip(11)
        .map_while(|field| field.parse().ok())
        .collect();
    [fields[0] + fields[1], fields[2] + fields[3]]
}

#[cfg(target_os = "linux")]
#[test]
fn the_look_before_a_command_costs_at_most_three_times_what_find_takes() {
    let (folder, project) = project(&[(".gitignore", "*.log\n/target\n")]);
    for number in 0..20_000 {
        let path = folder.path().join(format!("d{:03}/e{}/f{number}.txt", number % 100, number % 7));
        let parent = path.parent().unwrap();
        if !parent.is_dir() {
            fs::create_dir_all(parent).unwrap();
        }
        fs::write(path, "x").unwrap();
    }
    // They take turns, so that what else a processor does slows both.
    let (mut find, mut walk) = (0, 0);
    for _ in 0..8 {
        let begun = ticks();
        let format = "%P %s %T@ %C@ %i %m %y %l\n";
        let found = std::process::Command::new("find").arg(folder.path()).args(["-printf", format]).output();
        let found = found.unwrap();
        assert!(found.status.success() && found.stdout.len() > 20_000);
        let found = ticks();
        let mut walked = Walk::stamping(&project, budget());
        assert_eq!(walked.by_ref().filter(|entry| entry.stamp.is_some()).count(), 20_001);
        find += found[1] - begun[1];
        walk += ticks()[0] - found[0];
    }
    println!("ticks of the processor: find {find}, the walk {walk}");
    assert!(walk <= find * MOST_TIMES, "find {find}, the walk {walk}");
}
