//! A file takes another's place: what is kept, what is refused, and what is undone.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use orion_files::writing::{Attempt, Outcome, sha256};
use orion_protocol::Code;
use orion_protocol::WriteOperation::{Append, Create, Edit, Overwrite};

use crate::site::{Site, TEMP};

/// An attempt as somebody makes it who knows what is there.
fn attempt(site: &Site, name: &str, base: Option<&[u8]>, new: Option<&[u8]>) -> Attempt {
    Attempt { path: site.path(name), temp: TEMP.to_owned(), base: base.map(sha256), new: new.map(sha256) }
}

fn refusal(outcome: Outcome) -> (Code, String) {
    let Outcome::Failed(error) = outcome else { panic!("{outcome:?}") };
    (error.code, error.message)
}

#[test]
fn a_file_keeps_its_mode_and_owner() {
    for mode in [0o755, 0o444, 0o600, 0o640, 0o666, 0o200, 0o4] {
        let site = Site::with([("a", b"old\n")]);
        std::fs::set_permissions(site.at("a"), PermissionsExt::from_mode(mode)).unwrap();
        let written = site.write("a", Append, "new\n");
        assert_eq!(written.performed.outcome, Outcome::Written, "{mode:o}");
        assert_eq!((site.read("a").unwrap(), site.mode("a")), (b"old\nnew\n".to_vec(), mode), "{mode:o}");
        assert_eq!(site.names("."), ["a"]);
    }
    let site = Site::with([("a", b"old\n")]);
    let root = rustix::process::getuid().is_root();
    if root {
        std::os::unix::fs::chown(site.at("a"), Some(12), Some(34)).unwrap();
    }
    let before = std::fs::metadata(site.at("a")).unwrap();
    site.write("a", Overwrite, "new\n");
    let after = std::fs::metadata(site.at("a")).unwrap();
    assert_ne!(before.ino(), after.ino(), "it is another file");
    assert_eq!((before.uid(), before.gid()), (after.uid(), after.gid()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_keeps_its_attributes() {
    let site = Site::with([("a", b"old\n")]);
    let flags = rustix::fs::XattrFlags::empty();
    rustix::fs::setxattr(site.at("a"), "user.origin", b"here", flags).unwrap();
    site.write("a", Overwrite, "new\n");
    let mut value = [0; 8];
    let length = rustix::fs::getxattr(site.at("a"), "user.origin", &mut value[..]).unwrap();
    assert_eq!(&value[..length], b"here");
}

#[test]
fn a_new_file_gets_the_mode_that_any_new_file_gets_and_its_folders_are_made() {
    let site = Site::empty();
    site.put("usual", b"");
    let written = site.write("deep/er/a", Create, "new");
    assert_eq!(written.performed.outcome, Outcome::Written);
    assert_eq!(
        (site.read("deep/er/a").unwrap(), site.mode("deep/er/a")),
        (b"new".to_vec(), site.mode("usual"))
    );
    assert_eq!(site.names("deep/er"), ["a"]);
}

#[test]
fn a_link_stays_a_link_and_the_file_it_leads_to_is_written() {
    let site = Site::with([("data/a", b"old\n")]);
    symlink("data/a", site.at("link")).unwrap();
    symlink("new/b", site.at("dangling")).unwrap();
    assert_eq!(site.write("link", Edit, "new\n").performed.outcome, Outcome::Written);
    assert_eq!(site.write("dangling", Create, "b\n").performed.outcome, Outcome::Written);
    assert_eq!(std::fs::read_link(site.at("link")).unwrap().to_str(), Some("data/a"));
    assert_eq!(std::fs::read_link(site.at("dangling")).unwrap().to_str(), Some("new/b"));
    assert_eq!((site.read("data/a"), site.read("new/b")), (Some(b"new\n".to_vec()), Some(b"b\n".to_vec())));
    assert_eq!(site.names("."), ["dangling", "data", "link", "new"]);
}

#[test]
fn what_is_not_the_base_any_more_is_not_touched() {
    let site = Site::with([("a", b"theirs"), ("b", b"theirs"), ("folder/x", b"")]);
    for attempt in [
        attempt(&site, "a", Some(b"old"), Some(b"new")),
        attempt(&site, "a", Some(b"old"), None),
        attempt(&site, "b", None, Some(b"new")),
        attempt(&site, "gone", Some(b"old"), Some(b"new")),
        attempt(&site, "gone/too", Some(b"old"), Some(b"new")),
        attempt(&site, "folder", Some(b"old"), Some(b"new")),
        attempt(&site, "folder", None, Some(b"new")),
    ] {
        let new = attempt.new.as_ref().map(|_| &b"new"[..]);
        let performed = attempt.perform(&site.project, new);
        assert_eq!((performed.outcome, performed.temp_left), (Outcome::Changed, false), "{attempt:?}");
    }
    assert_eq!(site.names("."), ["a", "b", "folder"]);
    assert_eq!((site.read("a"), site.read("b")), (Some(b"theirs".to_vec()), Some(b"theirs".to_vec())));
}

#[test]
fn a_link_that_took_the_place_of_a_folder_leads_nowhere() {
    let site = Site::with([("src/a", b"old"), ("elsewhere/a", b"old")]);
    let attempt = attempt(&site, "src/a", Some(b"old"), Some(b"new"));
    std::fs::rename(site.at("src"), site.at("was")).unwrap();
    symlink("elsewhere", site.at("src")).unwrap();
    assert!(matches!(attempt.perform(&site.project, Some(b"new")).outcome, Outcome::Failed(_)));
    assert_eq!(site.read("elsewhere/a").unwrap(), b"old");
    assert_eq!(site.names("elsewhere"), ["a"]);
}

#[test]
fn content_that_was_not_approved_is_not_written() {
    let site = Site::with([("a", b"old")]);
    let attempt = attempt(&site, "a", Some(b"old"), Some(b"new"));
    for bytes in [Some(&b"other"[..]), None] {
        assert_eq!(refusal(attempt.perform(&site.project, bytes).outcome).0, Code::Internal);
    }
    assert_eq!(site.read("a").unwrap(), b"old");
}

#[test]
fn a_temporary_file_that_is_there_already_is_left_alone_and_a_name_with_a_folder_is_none() {
    let site = Site::with([("a", b"old"), (TEMP, b"somebody's")]);
    let mut attempt = attempt(&site, "a", Some(b"old"), Some(b"new"));
    assert_eq!(refusal(attempt.perform(&site.project, Some(b"new")).outcome).0, Code::WriteFailed);
    assert_eq!((site.read("a"), site.read(TEMP)), (Some(b"old".to_vec()), Some(b"somebody's".to_vec())));
    for temp in ["../x", "x/y", "", "..", "/x"] {
        attempt.temp = temp.to_owned();
        assert_eq!(refusal(attempt.perform(&site.project, Some(b"new")).outcome).0, Code::Internal, "{temp}");
    }
}

#[test]
fn what_is_the_same_already_is_not_written_again() {
    let site = Site::with([("a", b"old")]);
    let before = std::fs::metadata(site.at("a")).unwrap().ino();
    assert_eq!(site.write("a", Overwrite, "old").performed.outcome, Outcome::Written);
    assert_eq!(std::fs::metadata(site.at("a")).unwrap().ino(), before);
}

#[test]
fn hard_links_that_came_meanwhile_are_refused() {
    let site = Site::with([("a", b"old")]);
    let attempt = attempt(&site, "a", Some(b"old"), Some(b"new"));
    std::fs::hard_link(site.at("a"), site.around().join("elsewhere")).unwrap();
    let outcome = attempt.perform(&site.project, Some(b"new")).outcome;
    assert_eq!(refusal(outcome).0, Code::FileUnwritable);
    assert_eq!(site.names("."), ["a"]);
}

#[test]
fn a_write_is_undone_while_the_file_is_what_was_written() {
    let site = Site::with([("a", b"old\r\n")]);
    std::fs::set_permissions(site.at("a"), PermissionsExt::from_mode(0o711)).unwrap();
    let written = site.write("a", Overwrite, "new\n");
    assert_eq!(site.read("a").unwrap(), b"new\r\n");
    let undone = written.attempt.undoing(TEMP).perform(&site.project, written.old.as_deref());
    assert_eq!(undone.outcome, Outcome::Written);
    assert_eq!((site.read("a").unwrap(), site.mode("a")), (b"old\r\n".to_vec(), 0o711));
    // And again: it is not what was written any more.
    let again = written.attempt.undoing(TEMP).perform(&site.project, written.old.as_deref());
    assert_eq!(again.outcome, Outcome::Changed);
    assert_eq!(site.names("."), ["a"]);
}

#[test]
fn a_creation_is_undone_by_removing_the_file_unless_it_changed() {
    let site = Site::empty();
    let first = site.write("d/a", Create, "new\n");
    let second = site.write("d/b", Create, "new\n");
    site.put("d/b", b"changed");
    assert_eq!(first.attempt.undoing(TEMP).perform(&site.project, None).outcome, Outcome::Written);
    assert_eq!(second.attempt.undoing(TEMP).perform(&site.project, None).outcome, Outcome::Changed);
    assert_eq!((site.names("d"), site.read("d/b").unwrap()), (vec!["b".to_owned()], b"changed".to_vec()));
}
