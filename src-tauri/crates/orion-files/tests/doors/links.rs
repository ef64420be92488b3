//! Hard links to what an `.orionignore` closes.

use std::fs;

use orion_files::workspace::Project;
use orion_protocol::Code;

use crate::bench::Bench;

fn read(project: &Project, path: &str) -> Result<(), Code> {
    project.open_file(&project.path(path).unwrap()).map(drop).map_err(|error| error.code)
}

#[test]
fn a_file_is_open_only_if_none_of_its_names_is_closed() {
    let bench = Bench::with([
        (".orionignore", "*.key\n/closed/\n"),
        (".gitignore", "built/\n"),
        ("a.key", "a"),
        ("closed/deep/b", "b"),
        ("built/.orionignore", "c\n"),
        ("built/c", "c"),
        (".git/config", "d"),
        ("e", "e"),
    ]);
    fs::create_dir(bench.at("sub")).unwrap();
    for (closed, open) in
        [("a.key", "sub/a"), ("closed/deep/b", "b"), ("built/c", "c"), (".git/config", "d"), ("e", "sub/e")]
    {
        fs::hard_link(bench.at(closed), bench.at(open)).unwrap();
    }
    for path in ["sub/a", "b", "c", "d"] {
        assert_eq!(read(&bench.project, path), Err(Code::PathIgnored), "{path}");
    }
    assert_eq!(read(&bench.project, "sub/e"), Ok(()));
    assert_eq!(read(&bench.project, "e"), Ok(()));
}

#[test]
fn a_link_that_was_made_since_is_noticed_by_the_next_call() {
    let bench = Bench::with([(".orionignore", "secret\n"), ("secret", "s"), ("one", "1")]);
    fs::hard_link(bench.at("one"), bench.at("two")).unwrap();
    assert_eq!(read(&bench.project, "two"), Ok(()));
    fs::hard_link(bench.at("secret"), bench.at("open")).unwrap();
    assert_eq!(read(&bench.project.anew(), "open"), Err(Code::PathIgnored));
}

#[test]
fn a_file_below_takes_out_only_what_it_closed_itself() {
    let bench = Bench::with([
        (".orionignore", "secret\n*.key\n!public.key\n"),
        ("sub/.orionignore", "!secret\n*.log\n!this.log\n"),
        ("sub/secret", ""),
        ("sub/a.key", ""),
        ("sub/public.key", ""),
        ("sub/a.log", ""),
        ("sub/this.log", ""),
    ]);
    for (path, verdict) in [
        ("sub/secret", Err(Code::PathIgnored)),
        ("sub/a.key", Err(Code::PathIgnored)),
        ("sub/public.key", Ok(())),
        ("sub/a.log", Err(Code::PathIgnored)),
        ("sub/this.log", Ok(())),
    ] {
        assert_eq!(read(&bench.project, path), verdict, "{path}");
    }
}
