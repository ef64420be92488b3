//! What a crash may leave behind, made by hand, and what the recovery does with it.

use std::os::unix::fs::PermissionsExt;

use orion_files::writing::{Attempt, Recovered, sha256};

use crate::site::{Site, TEMP};

const OLD: &[u8] = b"old";
const NEW: &[u8] = b"new";
const THEIRS: &[u8] = b"what somebody else wrote";
const LATER: &[u8] = b"what somebody else wrote after that";

const CHANGED: Recovered = Recovered::Changed { kept: None };

/// Puts down what is at the file's name and beside it, recovers, and says what was found and what is there then.
fn recovered(
    attempt: (Option<&[u8]>, Option<&[u8]>),
    there: Option<&[u8]>,
    beside: Option<&[u8]>,
) -> (Recovered, Option<Vec<u8>>, Vec<String>) {
    let site = Site::empty();
    for (name, content) in [("a", there), (TEMP, beside)] {
        if let Some(content) = content {
            site.put(name, content);
        }
    }
    let attempt = Attempt {
        path: site.path("a"),
        temp: TEMP.to_owned(),
        base: attempt.0.map(sha256),
        new: attempt.1.map(sha256),
    };
    let first = attempt.recover(&site.project).unwrap();
    (first, site.read("a"), site.names("."))
}

/// The file alone with this content; or nothing.
fn alone(verdict: Recovered, content: Option<&[u8]>) -> (Recovered, Option<Vec<u8>>, Vec<String>) {
    let names = if content.is_some() { vec!["a".to_owned()] } else { vec![] };
    (verdict, content.map(<[u8]>::to_vec), names)
}

#[test]
fn a_replacement_is_told_from_the_two_files_and_no_bytes_are_lost() {
    let change = (Some(OLD), Some(NEW));
    for (there, beside, verdict, then) in [
        // It never began, or ended well.
        (Some(OLD), None, Recovered::NotWritten, Some(OLD)),
        (Some(NEW), None, Recovered::Written, Some(NEW)),
        // The new content was ready, or had taken the place of the old.
        (Some(OLD), Some(NEW), Recovered::NotWritten, Some(OLD)),
        (Some(NEW), Some(OLD), Recovered::Written, Some(NEW)),
        // A part of an appended text that is just the old text.
        (Some(OLD), Some(OLD), Recovered::NotWritten, Some(OLD)),
        // What somebody wrote at the last instant goes back.
        (Some(NEW), Some(THEIRS), CHANGED, Some(THEIRS)),
        (None, Some(THEIRS), CHANGED, Some(THEIRS)),
        // Somebody changed or removed the file, before or after.
        (Some(THEIRS), Some(NEW), CHANGED, Some(THEIRS)),
        (Some(THEIRS), Some(OLD), CHANGED, Some(THEIRS)),
        (Some(THEIRS), None, CHANGED, Some(THEIRS)),
        (None, None, CHANGED, None),
        (None, Some(NEW), CHANGED, None),
    ] {
        assert_eq!(recovered(change, there, beside), alone(verdict, then), "{there:?} {beside:?}");
    }
}

#[test]
fn what_cannot_be_put_back_is_kept_where_it_is_seen() {
    let names = vec!["a".to_owned(), "a.orion-0198.kept".to_owned()];
    for there in [LATER, OLD] {
        let (verdict, content, found) = recovered((Some(OLD), Some(NEW)), Some(there), Some(THEIRS));
        assert_eq!((content.as_deref(), &found), (Some(there), &names));
        let Recovered::Changed { kept: Some(kept) } = verdict else { panic!("{verdict:?}") };
        assert_eq!(kept.to_string(), "a.orion-0198.kept");
    }
}

#[test]
fn a_temporary_file_that_was_not_finished_is_removed_whatever_is_in_it() {
    let site = Site::with([("a", LATER), (TEMP, b"ne")]);
    std::fs::set_permissions(site.at(TEMP), PermissionsExt::from_mode(0o200)).unwrap();
    let attempt = Attempt {
        path: site.path("a"),
        temp: TEMP.to_owned(),
        base: Some(sha256(OLD)),
        new: Some(sha256(NEW)),
    };
    assert_eq!(attempt.recover(&site.project), Ok(CHANGED));
    assert_eq!(site.names("."), ["a"]);
}

#[test]
fn a_creation_and_a_removal_are_told_too() {
    let creation = (None, Some(NEW));
    for (there, beside, verdict) in [
        (None, None, Recovered::NotWritten),
        (None, Some(&b"ne"[..]), Recovered::NotWritten),
        (None, Some(NEW), Recovered::NotWritten),
        (Some(NEW), None, Recovered::Written),
        (Some(NEW), Some(NEW), Recovered::Written),
        (Some(THEIRS), Some(NEW), CHANGED),
    ] {
        assert_eq!(recovered(creation, there, beside), alone(verdict, there), "{there:?} {beside:?}");
    }
    let removal = (Some(OLD), None);
    for (there, beside, verdict, then) in [
        (Some(OLD), None, Recovered::NotWritten, Some(OLD)),
        (None, Some(OLD), Recovered::Written, None),
        (None, None, Recovered::Written, None),
        (None, Some(THEIRS), CHANGED, Some(THEIRS)),
        (Some(THEIRS), Some(OLD), CHANGED, Some(THEIRS)),
    ] {
        assert_eq!(recovered(removal, there, beside), alone(verdict, then), "{there:?} {beside:?}");
    }
}

#[test]
fn a_folder_that_is_gone_or_was_never_made_is_an_answer() {
    let site = Site::empty();
    let attempt = |base: Option<&[u8]>, new: Option<&[u8]>| Attempt {
        path: site.path("no/a"),
        temp: TEMP.to_owned(),
        base: base.map(sha256),
        new: new.map(sha256),
    };
    assert_eq!(attempt(None, Some(NEW)).recover(&site.project), Ok(Recovered::NotWritten));
    assert_eq!(attempt(Some(OLD), Some(NEW)).recover(&site.project), Ok(CHANGED));
    assert_eq!(attempt(Some(OLD), None).recover(&site.project), Ok(Recovered::Written));
}
