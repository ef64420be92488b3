//! How much of ignore files is read, and what is said about the rest.

use std::fs;
use std::time::Duration;

use orion_files::workspace::{Budget, LeftOut, Project, ProjectPath, View, Walk};
use tokio_util::sync::CancellationToken;

use crate::bench::Bench;

fn listed(project: &Project) -> (Vec<String>, LeftOut) {
    let budget = Budget::new(100_000, Duration::from_secs(600), CancellationToken::new());
    let mut walk =
        Walk::new(project, &ProjectPath::root(), View { recursive: true, include_ignored: false }, budget);
    let paths = walk.by_ref().map(|entry| entry.path.to_string()).collect();
    (paths, walk.left_out())
}

/// Lines of so many bytes in all, none of which is a name that is there.
fn names(bytes: usize) -> String {
    (0_u32..).map(|number| format!("name-{number:07}\n")).take(bytes / 13).collect()
}

#[test]
fn of_a_gitignore_that_is_too_long_the_first_part_holds() {
    let bench = Bench::with([("first", ""), ("last", ""), ("other", "")]);
    bench.write(".gitignore", &format!("first\n{}last\n", names(100_000)));
    assert_eq!(listed(&bench.project).0, [".gitignore", "last", "other"]);
    let notices = bench.project.notices();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(
        notices[0].starts_with("`.gitignore` is too large: only the first 5041 of its patterns count."),
        "{notices:?}"
    );
    // Mended, it holds as a whole, and nothing more is said.
    bench.write(".gitignore", "first\nlast\n");
    assert_eq!(listed(&bench.project).0, [".gitignore", "other"]);
    assert_eq!(bench.project.notices(), Vec::<String>::new());
}

#[test]
fn under_an_orionignore_that_is_too_much_nothing_is_read_until_it_is_mended() {
    let bench = Bench::with([("a", ""), ("sub/a", "")]);
    bench.write("sub/.orionignore", &names(100_000));
    let (paths, left) = listed(&bench.project);
    assert_eq!((paths, left.orion_ignored), (vec!["a".to_owned(), "sub".to_owned()], 2));
    let path = bench.project.path("sub/a").unwrap();
    assert!(bench.project.open_file(&path).is_err());
    let notices = bench.project.notices();
    assert!(
        notices[0].starts_with("`sub/.orionignore` is too large, so everything in its folder is closed"),
        "{notices:?}"
    );
    bench.write("sub/.orionignore", "b\n");
    assert!(bench.project.open_file(&path).is_ok());
    assert_eq!(bench.project.notices(), Vec::<String>::new());
    // What is no file closes as well.
    fs::remove_file(bench.at("sub/.orionignore")).unwrap();
    fs::create_dir(bench.at("sub/.orionignore")).unwrap();
    assert!(bench.project.open_file(&path).is_err());
    assert!(bench.project.notices()[0].starts_with("`sub/.orionignore` cannot be read"));
}

#[test]
fn under_an_orionignore_whose_wildcards_take_too_much_memory_nothing_is_read() {
    let bench = Bench::with([("a", ""), ("sub/a", "")]);
    let wild = |lines| "*ab?c[0-9]*d\n".repeat(lines);
    bench.write("sub/.orionignore", &wild(4_600));
    assert!(fs::metadata(bench.at("sub/.orionignore")).unwrap().len() < 64 * 1024);
    let (paths, left) = listed(&bench.project);
    assert_eq!((paths, left.orion_ignored), (vec!["a".to_owned(), "sub".to_owned()], 2));
    let path = bench.project.path("sub/a").unwrap();
    assert!(bench.project.open_file(&path).is_err());
    assert!(bench.project.notices()[0].starts_with("`sub/.orionignore` is too large, so everything"));
    bench.write("sub/.orionignore", &wild(100));
    assert!(bench.project.open_file(&path).is_ok());
}

#[test]
fn all_files_together_have_a_limit_and_what_is_gone_takes_no_room() {
    // By far most of what a short name costs is memory (64 MiB are full first), and of a long one text (1 MiB).
    let long: String = (0..15).map(|number| format!("{number:03999}\n")).collect();
    for lines in [names(60_000), long] {
        assert!(lines.len() <= 60_000);
        let bench = Bench::empty();
        bench.write("z/hidden", "");
        for number in 0..17 {
            bench.write(format!("d{number:02}/.gitignore"), &lines);
        }
        bench.write("z/.gitignore", &format!("{lines}hidden\n"));
        let (paths, _) = listed(&bench.project);
        assert!(paths.contains(&"z/hidden".to_owned()), "no room is left for its last line");
        assert!(!bench.project.notices().is_empty());
        for number in 0..10 {
            fs::remove_dir_all(bench.at(format!("d{number:02}"))).unwrap();
        }
        // Read anew once it changed.
        bench.write("z/.gitignore", &format!("{lines}hidden\n\n"));
        assert!(!listed(&bench.project).0.contains(&"z/hidden".to_owned()));
    }
}

#[test]
fn a_change_counts_at_once_also_of_the_same_size_in_the_same_instant() {
    let bench = Bench::with([("a", ""), ("b", "")]);
    for round in 0..20 {
        let hidden = if round % 2 == 0 { "a" } else { "b" };
        bench.write(".gitignore", &format!("{hidden}\n"));
        let shown = if hidden == "a" { "b" } else { "a" };
        assert_eq!(listed(&bench.project).0, [".gitignore", shown]);
    }
    fs::remove_file(bench.at(".gitignore")).unwrap();
    assert_eq!(listed(&bench.project).0, ["a", "b"]);
}

// Git reads neither across the border of a repository.
#[test]
fn an_outer_gitignore_hides_nothing_in_a_repository_below_it_and_an_orionignore_closes_there_too() {
    let bench = Bench::with([
        ("a.log", ""),
        ("sub/.git", "gitdir: ../.git/modules/sub"),
        ("sub/a.log", ""),
        ("sub/deep/a.log", ""),
    ]);
    bench.write(".gitignore", "*.log\n");
    bench.write("sub/a.tmp", "");
    bench.write("sub/a.key", "");
    bench.write(".orionignore", "*.key\n");
    bench.write("sub/.gitignore", "*.tmp\n");
    let (paths, left) = listed(&bench.project);
    let shown =
        [".gitignore", ".orionignore", "sub", "sub/.gitignore", "sub/a.log", "sub/deep", "sub/deep/a.log"];
    assert_eq!((paths, left.git_ignored, left.orion_ignored), (shown.map(str::to_owned).to_vec(), 2, 1));
}

#[test]
fn in_a_worktree_what_its_repository_excludes_is_hidden_and_no_other_folder_is_read() {
    let bench = Bench::with([("excluded.txt", ""), ("plain.txt", "")]);
    let repository = tempfile::tempdir().unwrap();
    let own = repository.path().join("worktrees/w");
    fs::create_dir_all(&own).unwrap();
    fs::create_dir_all(repository.path().join("info")).unwrap();
    fs::write(repository.path().join("info/exclude"), "excluded.txt\n").unwrap();
    fs::write(own.join("commondir"), "../..\n").unwrap();
    bench.write(".git", &format!("gitdir: {}\n", own.display()));
    // A folder that does not name this worktree is none of its.
    fs::write(own.join("gitdir"), format!("{}\n", repository.path().join("other/.git").display())).unwrap();
    assert_eq!(listed(&bench.project).0, ["excluded.txt", "plain.txt"]);
    fs::write(own.join("gitdir"), format!("{}\n", bench.at(".git").display())).unwrap();
    assert_eq!(listed(&bench.project).0, ["plain.txt"]);
}

#[test]
fn many_ignore_files_are_read_up_to_a_number_and_the_rest_hides_nothing() {
    let bench = Bench::with([]);
    for number in 0..1_200 {
        let lines = format!("*.a{number}\n/b*/**/c{number}\n!d?{number}\n");
        bench.write(format!("f{number:04}/.gitignore"), &lines);
        bench.write(format!("f{number:04}/x.a{number}"), "");
    }
    for _ in 0..2 {
        let (paths, left) = listed(&bench.project);
        assert_eq!((paths.len(), left.git_ignored), (1_200 + 1_200 + 200, 1_000));
    }
    assert!(bench.project.notices().concat().contains("together 1,000 with 1 MiB"));
}

/// Bytes that this process has read so far.
#[cfg(target_os = "linux")]
fn bytes_read() -> u64 {
    let io = fs::read_to_string("/proc/self/io").unwrap();
    io.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap().parse().unwrap()
}

// A walk over a project with many of them would read them all each time.
#[cfg(target_os = "linux")]
#[test]
fn an_ignore_file_for_which_there_is_no_room_is_not_read() {
    let bench = Bench::with([]);
    for number in 0..1_000 {
        bench.write(format!("a{number:04}/.gitignore"), &format!("*.a{number}\n"));
    }
    for number in 0..100 {
        let name = if number % 2 == 0 { ".gitignore" } else { ".orionignore" };
        bench.write(format!("b{number:03}/{name}"), &names(10_000));
        bench.write(format!("b{number:03}/x"), "");
    }
    listed(&bench.project);
    let before = bytes_read();
    let (paths, left) = listed(&bench.project);
    assert_eq!((paths.len(), left.orion_ignored), (1_000 + 1_000 + 100 + 2 * 50, 2 * 50));
    assert!(bytes_read() - before < 100_000, "{}", bytes_read() - before);
    // One that is empty says nothing, so there is always room for it.
    bench.write("b001/.orionignore", "");
    assert_eq!(listed(&bench.project).1.orion_ignored, 2 * 49);
}

#[test]
fn a_walk_ends_at_a_depth_of_its_own() {
    let bench = Bench::with([]);
    let mut deep = cap_std::fs::Dir::open_ambient_dir(bench.at("."), cap_std::ambient_authority()).unwrap();
    for _ in 0..3_000 {
        deep.create_dir("d").unwrap();
        deep = deep.open_dir("d").unwrap();
    }
    let (paths, left) = listed(&bench.project);
    assert_eq!((paths.len(), left.unreadable), (257, 1));
    assert!(bench.project.path(&"d/".repeat(300)).is_err());
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_may_not_be_entered_is_not_said_to_be_closed() {
    use std::os::unix::fs::PermissionsExt;

    use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};

    let bench = Bench::with([("sub/a", ""), ("b", "")]);
    let set = |mode| fs::set_permissions(bench.at("sub"), fs::Permissions::from_mode(mode)).unwrap();
    // Root may enter every folder.
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none }).unwrap();
    set(0o600);
    let error = bench.project.open_file(&bench.project.path("sub/a").unwrap()).unwrap_err();
    let left = LeftOut { unreadable: 1, ..LeftOut::default() };
    assert_eq!(listed(&bench.project), (vec!["b".to_owned(), "sub".to_owned()], left));
    set(0o755);
    assert_eq!(error.message, "`sub/a` is in a folder that may not be entered.");
    assert_eq!(bench.project.notices(), Vec::<String>::new());
}
