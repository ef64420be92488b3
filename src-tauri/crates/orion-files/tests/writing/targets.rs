//! What may be written, and what is found there.

use std::os::unix::fs::{PermissionsExt, symlink};

use orion_files::text::SAMPLE;
use orion_files::writing::{Base, LARGEST, LineEnds, Style, Target, sha256};
use orion_protocol::Code;
use orion_protocol::WriteOperation::{self, Append, Create, Edit, Overwrite};

use crate::site::Site;

const ALL: [WriteOperation; 4] = [Create, Overwrite, Append, Edit];

#[test]
fn a_file_that_is_there_is_found_with_digest_mode_and_style() {
    let site = Site::with([("src/a.sh", b"\xef\xbb\xbf# \xef\xbf\xbd\r\nDONE\r\n \r\n")]);
    std::fs::set_permissions(site.at("src/a.sh"), PermissionsExt::from_mode(0o754)).unwrap();
    let target = site.target("src/a.sh", Edit);
    let Some(Base { sha256: digest, bytes, mode, style: Style::Text(style) }) = &target.base else {
        panic!("{target:?}");
    };
    let old = std::fs::read(site.at("src/a.sh")).unwrap();
    assert_eq!((digest, *bytes, *mode), (&sha256(&old), old.len() as u64, Some(0o754)));
    assert_eq!(style.encoding(), "UTF-8 with BOM");
    assert_eq!((style.line_ends, style.lines, style.open_line), (LineEnds::Crlf, 3, false));
    assert!(style.allowed.replacement && style.ends_in_done);
    assert_eq!((target.real.clone(), target.always_asks), (site.path("src/a.sh"), None));
    assert_eq!(target.text(&old), "# \u{fffd}\r\nDONE\r\n \r\n");
    assert_eq!(target.read(&site.project), Ok(Some(old)));
}

#[test]
fn a_file_that_is_not_there_may_be_created_overwritten_and_appended_to_but_not_edited() {
    let site = Site::empty();
    for operation in [Create, Overwrite, Append] {
        let target = site.target("new/deep/a.txt", operation);
        assert_eq!((target.base.clone(), target.real.clone()), (None, site.path("new/deep/a.txt")));
        assert_eq!(target.read(&site.project), Ok(None));
    }
    let message = "There is no `new/deep/a.txt` in the project.".to_owned();
    assert_eq!(site.refusal("new/deep/a.txt", Edit), (Code::PathNotFound, message));
    assert!(!site.at("new").exists(), "looking changes nothing");
}

#[test]
fn a_file_that_is_there_is_not_created() {
    let site = Site::with([("a", b"")]);
    assert_eq!(site.refusal("a", Create), (Code::FileExists, "There is a file `a` already.".to_owned()));
}

#[test]
fn a_link_inside_the_project_is_followed_and_one_that_leads_to_nothing_names_a_new_file() {
    let site = Site::with([("data/a.txt", b"old\n"), ("data/deep/b.txt", b"")]);
    symlink("data/a.txt", site.at("link")).unwrap();
    symlink("link", site.at("second")).unwrap();
    symlink("data/deep", site.at("folder")).unwrap();
    symlink("../new/c.txt", site.at("data/dangling")).unwrap();
    symlink("data/dangling", site.at("twice")).unwrap();
    for (name, real) in
        [("link", "data/a.txt"), ("second", "data/a.txt"), ("folder/b.txt", "data/deep/b.txt")]
    {
        let target = site.target(name, Overwrite);
        assert_eq!((target.real.clone(), target.base.is_some()), (site.path(real), true), "{name}");
    }
    for (name, real) in [
        ("data/dangling", "new/c.txt"),
        ("twice", "new/c.txt"),
        ("folder/new", "data/deep/new"),
        ("folder/x/y", "data/deep/x/y"),
    ] {
        let target = site.target(name, Create);
        assert_eq!((target.real.clone(), target.base), (site.path(real), None), "{name}");
    }
    assert_eq!(site.refusal("link", Create).0, Code::FileExists);
}

#[test]
fn a_link_out_of_the_project_is_refused_whether_there_is_something_or_not() {
    let site = Site::empty();
    std::fs::write(site.around().join("secret"), "x").unwrap();
    symlink("../secret", site.at("there")).unwrap();
    symlink("../missing", site.at("missing")).unwrap();
    symlink("..", site.at("up")).unwrap();
    symlink(site.around().join("absolute"), site.at("absolute")).unwrap();
    symlink("sub/../../out", site.at("around")).unwrap();
    std::fs::create_dir(site.at("sub")).unwrap();
    for name in ["there", "missing", "up/secret", "up/new", "absolute", "around"] {
        for operation in ALL {
            assert_eq!(site.refusal(name, operation).0, Code::PathOutside, "{name} {operation:?}");
        }
    }
    assert!(!site.around().join("missing").exists());
}

#[test]
fn a_loop_of_links_is_an_error_and_ends() {
    let site = Site::empty();
    symlink("b", site.at("a")).unwrap();
    symlink("a", site.at("b")).unwrap();
    symlink("c/d", site.at("c")).unwrap();
    for name in ["a", "a/x", "c", "c/x"] {
        assert_eq!(site.refusal(name, Overwrite).0, Code::FileUnreadable, "{name}");
    }
}

#[test]
fn what_is_closed_stays_closed_also_by_a_link_and_also_where_nothing_is_yet() {
    let site =
        Site::with([(".orionignore", b"private/\n*.key\n"), (".git/config", b"x"), ("private/a", b"x")]);
    symlink("private/new", site.at("link")).unwrap();
    symlink(".git/hooks/pre-commit", site.at("hook")).unwrap();
    std::fs::create_dir(site.at("sub")).unwrap();
    for name in [
        ".git/config",
        ".git/new",
        "private/a",
        "private/new",
        "private/deep/new",
        "sub/private/new",
        "x.key",
        "link",
        "hook",
    ] {
        for operation in ALL {
            assert_eq!(site.refusal(name, operation).0, Code::PathIgnored, "{name} {operation:?}");
        }
    }
}

#[test]
fn folders_pipes_sockets_and_devices_are_refused() {
    let site = Site::with([("folder/a", b"x"), ("file", b"x")]);
    assert!(std::process::Command::new("mkfifo").arg(site.at("pipe")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(site.at("socket")).unwrap();
    for operation in ALL {
        for name in ["folder", ".", "pipe", "socket"] {
            assert_eq!(site.refusal(name, operation).0, Code::PathWrongKind, "{name} {operation:?}");
        }
        assert_eq!(
            site.refusal("file/below", operation),
            (Code::PathWrongKind, "`file/below` goes through `file`, which is not a folder.".to_owned())
        );
    }
}

#[test]
fn hard_links_and_files_that_run_with_other_rights_are_refused() {
    let site = Site::with([("a", b"x"), ("suid", b"x")]);
    std::fs::hard_link(site.at("a"), site.around().join("elsewhere")).unwrap();
    std::fs::set_permissions(site.at("suid"), PermissionsExt::from_mode(0o4755)).unwrap();
    for operation in [Overwrite, Append, Edit] {
        let (code, message) = site.refusal("a", operation);
        assert_eq!(code, Code::FileUnwritable);
        assert!(message.contains("hard links"), "{message}");
        assert_eq!(site.refusal("suid", operation).0, Code::FileUnwritable);
    }
}

#[test]
fn a_binary_file_can_be_overwritten_and_nothing_else() {
    let site = Site::with([
        ("nul", b"a\0b\xfe"),
        ("png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("utf32", b"\xff\xfe\0\0a\0\0\0"),
    ]);
    for name in ["nul", "png", "utf32"] {
        assert_eq!(site.refusal(name, Append).0, Code::FileBinary, "{name}");
        assert_eq!(site.refusal(name, Edit).0, Code::FileBinary, "{name}");
        let target = site.target(name, Overwrite);
        assert!(matches!(target.base.unwrap().style, Style::Binary(_)), "{name}");
    }
}

#[test]
fn text_that_would_not_come_back_as_it_is_is_refused() {
    // A mark of UTF-16, and bytes that are none. A late byte that the encoding of the first ones does not have.
    let site = Site::with([("odd", b"\xff\xfea\0b"), ("half", b"\xff\xfe\0\xd8a\0")]);
    let many = [&"日本".repeat(SAMPLE).into_bytes()[..], &b"\xff".repeat(10_001)].concat();
    std::fs::write(site.at("many"), many).unwrap();
    for name in ["odd", "half", "many"] {
        for operation in [Overwrite, Append, Edit] {
            let (code, message) = site.refusal(name, operation);
            assert_eq!(code, Code::FileUnwritable, "{name}");
            assert!(message.contains("whose bytes are not all UTF-"), "{message}");
        }
    }
}

#[test]
fn bytes_far_behind_the_beginning_count_for_the_encoding_too() {
    let mut old = b"plain text\n".repeat(20_000);
    old.extend_from_slice(b"na\xefve caf\xe9\n");
    let site = Site::with([("late", &old)]);
    let target = site.target("late", Edit);
    let Some(Style::Text(style)) = target.base.as_ref().map(|base| &base.style) else { panic!("{target:?}") };
    assert_eq!(style.encoding(), "windows-1252 (guessed)");
    assert!(target.text(&old).ends_with("naïve café\n"));
}

#[test]
fn more_than_64_mib_is_never_loaded() {
    let site = Site::with([("most", b""), ("more", b"")]);
    let size = |name: &str, bytes| {
        std::fs::OpenOptions::new().write(true).open(site.at(name)).unwrap().set_len(bytes).unwrap();
    };
    size("most", LARGEST);
    size("more", LARGEST + 1);
    assert_eq!(site.target("most", Overwrite).base.unwrap().bytes, LARGEST);
    let message = "`more` is larger than 64 MiB.".to_owned();
    assert_eq!(site.refusal("more", Overwrite), (Code::FileUnwritable, message));
}

#[test]
fn a_file_that_runs_by_itself_is_asked_for_also_behind_a_link() {
    let site = Site::with([(".vscode/tasks.json", b"{}")]);
    symlink(".vscode/tasks.json", site.at("harmless.json")).unwrap();
    let why = site.target(".vscode/tasks.json", Overwrite).always_asks;
    assert!(why.is_some());
    assert_eq!(site.target("harmless.json", Overwrite).always_asks, why);
    assert_eq!(site.target("other.json", Create).always_asks, None);
}

#[test]
fn what_changed_since_it_was_found_is_not_read() {
    let site = Site::with([("a", b"old")]);
    let (old, new) = (site.target("a", Overwrite), site.target("b", Create));
    site.put("a", b"other");
    site.put("b", b"other");
    for target in [&old, &new] {
        assert_eq!(target.read(&site.project).unwrap_err().code, Code::FileChanged);
    }
    std::fs::remove_file(site.at("a")).unwrap();
    assert_eq!(old.read(&site.project).unwrap_err().code, Code::FileChanged);
}

#[test]
fn names_that_differ_only_in_normal_form_are_two_files() {
    let site = Site::with([("caf\u{e9}", b"composed")]);
    let decomposed = site.target("cafe\u{301}", Create);
    assert_eq!(decomposed.base, None);
    let composed = Target::find(&site.project, &site.path("caf\u{e9}"), Overwrite).unwrap();
    assert_eq!(composed.base.unwrap().bytes, 8);
}
