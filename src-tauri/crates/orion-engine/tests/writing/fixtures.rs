//! Every way in which a file can be written down, under every operation: the bytes on disk are those intended, or nothing
//! changed and the error says why.

use std::os::unix::fs::{PermissionsExt, symlink};

use orion_engine::writing::{Attempt, Outcome, Target, Unfit, compose, sha256};
use orion_protocol::WriteOperation::{self, Append, Create, Edit, Overwrite};
use orion_protocol::{Code, FaultKind};

use crate::site::{Site, TEMP};

/// How text becomes bytes, put down anew and simpler than where it is tested.
#[derive(Debug, Clone, Copy)]
enum Bytes {
    Utf8,
    Utf8Mark,
    /// Little or big end first; with a mark.
    Utf16 {
        little: bool,
        mark: bool,
    },
    /// All characters of the fixtures have the number of their byte.
    Latin1,
}

impl Bytes {
    fn of(self, text: &str) -> Vec<u8> {
        match self {
            Self::Utf8 | Self::Utf8Mark => text.as_bytes().to_vec(),
            Self::Utf16 { little: true, .. } => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Self::Utf16 { little: false, .. } => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            Self::Latin1 => text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect(),
        }
    }

    fn mark(self) -> Vec<u8> {
        match self {
            Self::Utf8Mark | Self::Utf16 { mark: true, .. } => self.of("\u{feff}"),
            _ => Vec::new(),
        }
    }
}

struct Fixture {
    name: &'static str,
    path: &'static str,
    text: &'static str,
    bytes: Bytes,
    /// What every line ends with; none when the file leaves it open.
    end: Option<&'static str>,
    mode: u32,
    link: bool,
}

const PLAIN: Fixture = Fixture {
    name: "LF",
    path: "a.txt",
    text: "alpha\nbeta\n",
    bytes: Bytes::Utf8,
    end: Some("\n"),
    mode: 0o644,
    link: false,
};
const CRLF: Fixture = Fixture { name: "CRLF", text: "alpha\r\nbeta\r\n", end: Some("\r\n"), ..PLAIN };

fn fixtures() -> Vec<Fixture> {
    let utf16 = |little, mark| Bytes::Utf16 { little, mark };
    vec![
        PLAIN,
        CRLF,
        Fixture { name: "mixed", text: "alpha\r\nbeta\n", end: None, ..PLAIN },
        Fixture { name: "old Mac", text: "alpha\rbeta\r", end: None, ..PLAIN },
        Fixture { name: "one open line", text: "alpha", end: None, ..PLAIN },
        Fixture { name: "LF, last line open", text: "beta\nalpha", ..PLAIN },
        Fixture { name: "CRLF, last line open", text: "beta\r\nalpha", ..CRLF },
        Fixture { name: "mixed, last line open", text: "alpha\r\nbeta\n\nx", end: None, ..PLAIN },
        Fixture { name: "blank lines", text: "\n\nalpha\n\n\n", ..PLAIN },
        Fixture { name: "empty", text: "", end: None, ..PLAIN },
        Fixture { name: "only a line end", text: "\r\n", ..CRLF },
        Fixture { name: "mark", bytes: Bytes::Utf8Mark, ..PLAIN },
        Fixture { name: "mark, CRLF", bytes: Bytes::Utf8Mark, ..CRLF },
        Fixture { name: "only a mark", text: "", end: None, bytes: Bytes::Utf8Mark, ..PLAIN },
        Fixture { name: "UTF-16LE", bytes: utf16(true, true), ..CRLF },
        Fixture { name: "UTF-16BE", bytes: utf16(false, true), ..PLAIN },
        Fixture { name: "UTF-16LE without mark", bytes: utf16(true, false), ..CRLF },
        Fixture { name: "UTF-16BE without mark", bytes: utf16(false, false), ..CRLF },
        Fixture {
            name: "UTF-16 beyond the first plane",
            text: "alpha 🎈\nβ\n",
            bytes: utf16(true, true),
            ..PLAIN
        },
        Fixture { name: "Latin-1", text: "alpha: naïve café déjà vu\n", bytes: Bytes::Latin1, ..PLAIN },
        Fixture {
            name: "Latin-1, CRLF", text: "alpha\r\nnaïve café déjà vu", bytes: Bytes::Latin1, ..CRLF
        },
        Fixture { name: "U+FFFD", text: "alpha \u{fffd}\n", ..PLAIN },
        Fixture { name: "DONE first", text: "DONE\nalpha\n", ..PLAIN },
        Fixture { name: "DONE in the middle", text: "alpha\nDONE\nbeta\n", ..PLAIN },
        Fixture { name: "DONE last", text: "alpha\nDONE\n", ..PLAIN },
        Fixture { name: "DONE last, open", text: "alpha\nDONE", ..PLAIN },
        Fixture { name: "DONE, CRLF", text: "alpha\r\nDONE\r\n", ..CRLF },
        Fixture { name: "fenced", text: "```rust\nalpha\n```\n", ..PLAIN },
        Fixture {
            name: "emoji and right to left", text: "alpha 👩\u{200d}👩 שלום\u{202e}\n", ..PLAIN
        },
        Fixture { name: "tabs and form feeds", text: "\talpha\u{c}\n  \t \n", ..PLAIN },
        Fixture { name: "mode 0755", mode: 0o755, ..PLAIN },
        Fixture { name: "mode 0444", mode: 0o444, ..PLAIN },
        Fixture { name: "mode 0600", mode: 0o600, ..CRLF },
        Fixture { name: "link", link: true, ..PLAIN },
        Fixture { name: "NFC name", path: "caf\u{e9}.txt", ..PLAIN },
        Fixture { name: "NFD name", path: "cafe\u{301}.txt", ..PLAIN },
        Fixture { name: "name with spaces and a quote", path: "a \"b\" \\ c.txt", ..PLAIN },
        Fixture { name: "deep", path: "d/e/f/a.txt", ..PLAIN },
    ]
}

/// New content of each kind that every encoding of the fixtures has.
const CONTENTS: [&str; 8] =
    ["", "gamma", "gamma\n", "gamma\r\ndélta", "é\n\n\n", "x\ry\n", "```\nDONE\n```\n", "DONE\n"];

impl Fixture {
    fn old(&self) -> Vec<u8> {
        [self.bytes.mark(), self.bytes.of(self.text)].concat()
    }

    fn site(&self) -> Site {
        let site = Site::empty();
        let real = if self.link { "real.txt" } else { self.path };
        site.put(real, &self.old());
        std::fs::set_permissions(site.at(real), PermissionsExt::from_mode(self.mode)).unwrap();
        if self.link {
            symlink(real, site.at(self.path)).unwrap();
        }
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
        let whole = |text: &str| [self.bytes.mark(), self.bytes.of(text)].concat();
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
                assert_eq!(site.mode(fixture.path), fixture.mode, "{case}");
                assert_eq!(site.at(fixture.path).is_symlink(), fixture.link, "{case}");
                let undone = attempt.undoing(TEMP).perform(&site.project, old.as_deref());
                assert_eq!(undone.outcome, Outcome::Written, "{case}");
                assert_eq!(site.read(fixture.path).unwrap(), fixture.old(), "{case}");
                assert_eq!(site.mode(fixture.path), fixture.mode, "{case}");
                cases += 1;
            }
        }
    }
    assert_eq!(cases, fixtures().len() * 3 * CONTENTS.len());
}

/// As a listing shows a name that holds a backslash.
fn shown(path: &str) -> String {
    if path.contains('\\') {
        format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        path.to_owned()
    }
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

/// The most memory that this process ever had, in MiB. Each test has a process of its own.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() / 1024
}

const MIB: usize = 1024 * 1024;

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

#[test]
fn a_file_of_50_mb_takes_no_more_memory_than_four_times_its_size() {
    let line = "fifty bytes of text, or so, and then a line end.\r\n";
    let content = line.repeat(50_000_000 / line.len());
    let site = Site::empty();
    assert_eq!(site.write("a", Create, &content).performed.outcome, Outcome::Written);
    // Sent with other line ends, so that each line must be looked at.
    let sent = content.replace("\r\n", "\n");
    drop(content);
    assert_eq!(site.write("a", Overwrite, &sent[..sent.len() - 1]).performed.outcome, Outcome::Written);
    assert_eq!(site.write("a", Append, "more\n").performed.outcome, Outcome::Written);
    assert!(peak() < 4 * 50_000_000 / MIB + 16, "{} MiB", peak());
    assert_eq!(site.read("a").unwrap().len(), 50_000_000 + 6);
}

#[test]
fn a_large_legacy_file_takes_no_more_memory_than_four_times_its_size() {
    let line = b"na\xefve caf\xe9, d\xe9j\xe0 vu, and then a line end of two.\r\n";
    let site = Site::with([("a", &line.repeat(10_000_000 / line.len()))]);
    let before = peak();
    assert_eq!(site.write("a", Append, "été\n").performed.outcome, Outcome::Written);
    assert!(peak() - before < 4 * 10_000_000 / MIB, "{} MiB after {before}", peak());
    assert!(site.read("a").unwrap().ends_with(b"\r\n\xe9t\xe9\r\n"));
}
