//! Every way in which a file can be written down, under every operation: the bytes on disk are those intended, or nothing
//! changed and the error says why.

use orion_files::writing::{Attempt, Outcome, Target, Unfit, compose, sha256};
use orion_protocol::WriteOperation::{self, Append, Create, Edit, Overwrite};
use orion_protocol::{Code, FaultKind};

use crate::kinds::{Fixture, fixtures, shown};
use crate::site::{Site, TEMP};

/// New content of each kind that every encoding of the fixtures has.
const CONTENTS: [&str; 8] =
    ["", "gamma", "gamma\n", "gamma\r\ndélta", "é\n\n\n", "x\ry\n", "```\nDONE\n```\n", "DONE\n"];

impl Fixture {
    fn site(&self) -> Site {
        let site = Site::empty();
        self.put(site.project.root());
        site
    }

    /// With the line ends of this file.
    fn lines(&self, content: &str) -> String {
        match self.end {
            Some(end) => content.replace("\r\n", "\n").replace('\n', end),
            None => content.to_owned(),
        }
    }

    fn intended(&self, operation: WriteOperation, content: &str) -> Vec<u8> {
        let whole = |text: &str| self.file(text);
        match operation {
            Append => {
                let open = !self.text.is_empty() && !self.text.ends_with(['\n', '\r']) && !content.is_empty();
                let sent = if content.contains("\r\n") { "\r\n" } else { "\n" };
                let end = if open { self.end.unwrap_or(sent) } else { "" };
                // One line without an end takes those of the content, lines with several ends take a plain one.
                let end = if self.end.is_none() && self.text.contains('\n') && open { sent } else { end };
                whole(&format!("{}{end}{}", self.text, self.lines(content)))
            }
            _ => whole(&self.lines(content)),
        }
    }
}

#[test]
fn the_bytes_on_disk_are_those_intended_for_every_fixture_operation_and_content() {
    let mut cases = 0;
    for fixture in fixtures() {
        for operation in [Overwrite, Append, Edit] {
            for content in CONTENTS {
                let site = fixture.site();
                let edited = fixture.text.replacen("alpha", content, 1);
                let content = if operation == Edit { edited.as_str() } else { content };
                let case = format!("{}: {operation:?} {content:?}", fixture.name);
                let path = site.project.path(&shown(fixture.path)).unwrap();
                let (target, old) = Target::load(&site.project, &path, operation).unwrap();
                let composed = compose(&target, old.as_deref(), operation, content).unwrap();
                let attempt = Attempt::writing(&target, &composed, TEMP);
                let performed = attempt.perform(&site.project, Some(&composed.bytes));
                assert_eq!(performed.outcome, Outcome::Written, "{case}");
                let intended = fixture.intended(operation, content);
                assert_eq!(site.read(fixture.path).unwrap(), intended, "{case}");
                // W8
                assert_eq!(composed.sha256, sha256(&intended), "{case}");
                #[cfg(unix)]
                assert_eq!(site.mode(fixture.path), fixture.mode, "{case}");
                assert_eq!(site.at(fixture.path).is_symlink(), fixture.link, "{case}");
                let undone = attempt.undoing(TEMP).perform(&site.project, old.as_deref());
                assert_eq!(undone.outcome, Outcome::Written, "{case}");
                assert_eq!(site.read(fixture.path).unwrap(), fixture.old(), "{case}");
                #[cfg(unix)]
                assert_eq!(site.mode(fixture.path), fixture.mode, "{case}");
                cases += 1;
            }
        }
    }
    assert_eq!(cases, fixtures().len() * 3 * CONTENTS.len());
}

#[test]
fn a_creation_never_touches_a_file_that_is_there_and_makes_every_other() {
    for fixture in fixtures() {
        let site = fixture.site();
        let path = site.project.path(&shown(fixture.path)).unwrap();
        let error = Target::find(&site.project, &path, Create).unwrap_err();
        assert_eq!(error.code, Code::FileExists, "{}", fixture.name);
        assert_eq!(site.read(fixture.path).unwrap(), fixture.old(), "{}", fixture.name);

        let site = Site::empty();
        let (target, _) = Target::load(&site.project, &path, Create).unwrap();
        let composed = compose(&target, None, Create, fixture.text).unwrap();
        let attempt = Attempt::writing(&target, &composed, TEMP);
        assert_eq!(attempt.perform(&site.project, Some(&composed.bytes)).outcome, Outcome::Written);
        assert_eq!(site.read(fixture.path).unwrap(), fixture.text.as_bytes(), "{}", fixture.name);
    }
}

/// What is no text: nothing is put behind it or into it.
#[test]
fn what_is_no_text_is_replaced_as_a_whole_or_left_as_it_is() {
    let kinds: [(&str, &[u8], Code); 4] = [
        ("NUL in the middle", b"alpha\n\0\nbeta\n", Code::FileBinary),
        ("UTF-32", b"\xff\xfe\0\0a\0\0\0", Code::FileBinary),
        ("a picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Code::FileBinary),
        ("UTF-16 with half a pair", b"\xff\xfea\0\x00\xd8b\0", Code::FileUnwritable),
    ];
    for (name, old, code) in kinds {
        for operation in [Append, Edit] {
            let site = Site::with([("a", old)]);
            assert_eq!(site.refusal("a", operation).0, code, "{name}: {operation:?}");
            assert_eq!(site.read("a").unwrap(), old, "{name}: {operation:?}");
        }
        let site = Site::with([("a", old)]);
        if code == Code::FileUnwritable {
            assert_eq!(site.refusal("a", Overwrite).0, code, "{name}");
        } else {
            assert_eq!(site.write("a", Overwrite, "é\r\n").performed.outcome, Outcome::Written, "{name}");
            assert_eq!(site.read("a").unwrap(), "é\r\n".as_bytes(), "{name}");
        }
    }
}

#[test]
fn what_an_encoding_lacks_changes_nothing() {
    let latin = || fixtures().into_iter().find(|fixture| fixture.name == "Latin-1").unwrap();
    for operation in [Overwrite, Append, Edit] {
        let site = latin().site();
        let Err(Unfit::Faults(faults)) = site.compose("a.txt", operation, "日本\n") else { panic!() };
        assert_eq!(faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [FaultKind::Unencodable; 2]);
        assert_eq!(site.read("a.txt").unwrap(), latin().old());
    }
}

#[test]
fn a_line_of_20_mb_is_appended_to_and_edited() {
    let old = "x".repeat(20_000_000);
    let site = Site::with([("a", old.as_bytes())]);
    assert_eq!(site.write("a", Append, "y").performed.outcome, Outcome::Written);
    let appended = site.read("a").unwrap();
    assert!(appended.len() == old.len() + 2 && appended.ends_with(b"x\ny"));
    let edited = format!("{old}z");
    assert_eq!(site.write("a", Edit, &edited).performed.outcome, Outcome::Written);
    assert!(site.read("a").unwrap() == edited.as_bytes());
}
