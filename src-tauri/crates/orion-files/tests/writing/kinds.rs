//! Files of every kind that writes are tried on: how they are written down, what is in them, what they are called.
//!
//! Tested elsewhere: a line of 20 MB, a file of 50 MB and binary files (`fixtures`), and content cut at any place
//! (`tests/suites/chunking.rs`, the core's property tests).

use std::path::Path;

/// How text becomes bytes, put down anew and simpler than where it is tested.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bytes {
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
    pub(crate) fn of(self, text: &str) -> Vec<u8> {
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

pub(crate) struct Fixture {
    pub(crate) name: &'static str,
    pub(crate) path: &'static str,
    pub(crate) text: &'static str,
    pub(crate) bytes: Bytes,
    /// What every line ends with; none when the file leaves it open.
    pub(crate) end: Option<&'static str>,
    pub(crate) mode: u32,
    pub(crate) link: bool,
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

/// Those that this system's files can be: Windows has neither modes nor names of every kind, and links only for some people.
pub(crate) fn fixtures() -> Vec<Fixture> {
    let mut fixtures = everywhere();
    fixtures
        .retain(|fixture| cfg!(unix) || !(fixture.link || fixture.path.contains(['\\', '"', ':', '?', '*'])));
    fixtures
}

fn everywhere() -> Vec<Fixture> {
    let utf16 = |little, mark| Bytes::Utf16 { little, mark };
    vec![
        PLAIN,
        CRLF,
        Fixture { name: "mixed", text: "alpha\r\nbeta\n", end: None, ..PLAIN },
        Fixture { name: "old Mac", text: "alpha\rbeta\r", end: Some("\r"), ..PLAIN },
        Fixture { name: "old Mac, last line open", text: "beta\r\ralpha", end: Some("\r"), ..PLAIN },
        Fixture {
            name: "old Mac, UTF-16",
            text: "alpha\rbeta\r",
            end: Some("\r"),
            bytes: utf16(false, true),
            ..PLAIN
        },
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
        Fixture { name: "mark, mixed", text: "alpha\r\nbeta\n", end: None, bytes: Bytes::Utf8Mark, ..PLAIN },
        Fixture { name: "mark, last line open", text: "beta\nalpha", bytes: Bytes::Utf8Mark, ..PLAIN },
        Fixture { name: "only a mark of UTF-16", text: "", end: None, bytes: utf16(true, true), ..PLAIN },
        Fixture { name: "UTF-16LE, last line open", text: "beta\r\nalpha", bytes: utf16(true, true), ..CRLF },
        Fixture {
            name: "UTF-16BE, mixed",
            text: "alpha\r\nbeta\n",
            end: None,
            bytes: utf16(false, true),
            ..PLAIN
        },
        Fixture { name: "UTF-16LE, U+FFFD", text: "alpha \u{fffd}\n", bytes: utf16(true, true), ..PLAIN },
        Fixture {
            name: "Latin-1, mixed",
            text: "alpha: naïve café\r\ndéjà vu\n",
            end: None,
            bytes: Bytes::Latin1,
            ..PLAIN
        },
        Fixture {
            name: "Latin-1, last line open",
            text: "naïve café déjà vu\nalpha",
            bytes: Bytes::Latin1,
            ..PLAIN
        },
        Fixture { name: "U+FFFD, CRLF", text: "\u{fffd}\r\nalpha\r\n", ..CRLF },
        Fixture { name: "U+FFFD, last line open", text: "alpha\n\u{fffd}", ..PLAIN },
        Fixture { name: "carriage returns before CRLF", text: "beta\r\r\nalpha\r\n", ..CRLF },
        Fixture { name: "separators that end no line", text: "alpha\nbeta\u{85}\u{2028}gamma\n", ..PLAIN },
        Fixture { name: "composed and decomposed", text: "caf\u{e9} alpha cafe\u{301}\n", ..PLAIN },
        Fixture { name: "DONE, mixed", text: "alpha\r\nDONE\n", end: None, ..PLAIN },
        Fixture { name: "DONE last, blank lines behind it", text: "alpha\nDONE\n\n\n", ..PLAIN },
        Fixture { name: "DONE in a fence", text: "```\nalpha\nDONE\n```\n", ..PLAIN },
        Fixture { name: "DONE among spaces", text: "alpha\n DONE \n", ..PLAIN },
        Fixture { name: "fenced, CRLF", text: "```rust\r\nalpha\r\n```\r\n", ..CRLF },
        Fixture { name: "a fence that stays open", text: "~~~\nalpha\n", ..PLAIN },
        Fixture { name: "a conflict", text: "<<<<<<< ours\nalpha\n=======\nbeta\n>>>>>>> theirs\n", ..PLAIN },
        Fixture { name: "markup of a call", text: "<tool_call>\nalpha\n</tool_call>\n", ..PLAIN },
        Fixture { name: "a long line", text: long(), end: None, ..PLAIN },
        Fixture { name: "many lines", text: many(), ..CRLF },
        Fixture { name: "link, UTF-16", bytes: utf16(true, true), link: true, ..CRLF },
        Fixture { name: "link, mode 0755", mode: 0o755, link: true, ..PLAIN },
        Fixture { name: "hidden name", path: ".hidden", ..PLAIN },
        Fixture { name: "name like an option", path: "-rf", ..PLAIN },
        Fixture { name: "name of 255 bytes", path: widest(), ..PLAIN },
    ]
}

fn long() -> &'static str {
    // Longer than what decides of which encoding it is. It does not repeat itself, so that a model can say it (P11).
    let before: String = (0..12_000).map(|number| format!("x{number}")).collect();
    format!("{before}alpha{}", "é".repeat(1_000)).leak()
}

fn many() -> &'static str {
    format!("{}alpha\r\n{}", "beta\r\n".repeat(1_000), "gamma\r\n".repeat(1_000)).leak()
}

fn widest() -> &'static str {
    format!("{}.txt", "n".repeat(251)).leak()
}

impl Fixture {
    /// A file of this kind with another text.
    pub(crate) fn file(&self, text: &str) -> Vec<u8> {
        [self.bytes.mark(), self.bytes.of(text)].concat()
    }

    /// The file as it is before anything is written.
    pub(crate) fn old(&self) -> Vec<u8> {
        self.file(self.text)
    }

    /// Puts the file into a folder.
    pub(crate) fn put(&self, folder: &Path) {
        let file = folder.join(if self.link { "real.txt" } else { self.path });
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, self.old()).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::{PermissionsExt, symlink};
            std::fs::set_permissions(&file, PermissionsExt::from_mode(self.mode)).unwrap();
            if self.link {
                symlink("real.txt", folder.join(self.path)).unwrap();
            }
        }
    }
}

/// As a listing shows a name that holds a backslash.
pub(crate) fn shown(path: &str) -> String {
    if path.contains('\\') {
        format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        path.to_owned()
    }
}
