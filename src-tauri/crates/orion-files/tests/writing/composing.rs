//! The bytes of the new file, for every encoding and every kind of line end.

use orion_files::writing::{LineEnds, Target, Unfit, compose, sha256};
use orion_protocol::WriteOperation::{self, Append, Create, Edit, Overwrite};
use orion_protocol::{Code, FaultKind};

use crate::site::Site;

/// The bytes that a file with these bytes would have.
fn composed(old: &[u8], operation: WriteOperation, content: &str) -> Vec<u8> {
    let site = Site::with([("a", old)]);
    let composed = site.compose("a", operation, content).unwrap();
    assert_eq!(composed.sha256, sha256(&composed.bytes));
    composed.bytes
}

fn utf16(text: &str, bytes: impl Fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

#[test]
fn a_new_file_is_what_was_sent_byte_by_byte() {
    let site = Site::empty();
    for content in ["", "a", "a\n", "a\r\nb\n", "\u{feff}a\r", "é\0\u{fffd}\u{202e}\n\n\n"] {
        for operation in [Create, Overwrite, Append] {
            let composed = site.compose("new", operation, content).unwrap();
            assert_eq!(composed.bytes, content.as_bytes(), "{operation:?} {content:?}");
            assert_eq!(composed.encoding, "UTF-8");
            assert_eq!(composed.line_ends, LineEnds::of(content));
        }
    }
}

#[test]
fn the_line_ends_of_the_file_are_kept() {
    for operation in [Overwrite, Edit] {
        assert_eq!(composed(b"a\nb\n", operation, "1\r\n2\n3"), b"1\n2\n3");
        assert_eq!(composed(b"a\r\nb", operation, "1\r\n2\n3\n"), b"1\r\n2\r\n3\r\n");
        assert_eq!(composed(b"a\r\nb\n", operation, "1\r\n2\n"), b"1\r\n2\n");
        assert_eq!(composed(b"a\rb\r", operation, "1\n2\r\n\r3"), b"1\r2\r\r3");
        assert_eq!(composed(b"one line", operation, "1\r\n2\n"), b"1\r\n2\n");
        assert_eq!(composed(b"", operation, "1\r\n"), b"1\r\n");
        assert_eq!(composed(b"a\n", operation, ""), b"");
    }
}

#[test]
fn what_is_appended_begins_on_a_line_of_its_own() {
    for (old, content, new) in [
        ("a\n", "b\n", "a\nb\n"),
        ("a", "b", "a\nb"),
        ("a\nb", "c\r\n", "a\nb\nc\n"),
        ("a\r\nb", "c\nd", "a\r\nb\r\nc\r\nd"),
        ("a\r\n", "c\n", "a\r\nc\r\n"),
        ("a", "b\r\nc", "a\r\nb\r\nc"),
        ("a\r\nb\nc", "d\r\n", "a\r\nb\nc\r\nd\r\n"),
        ("a\rb\r", "c", "a\rb\rc"),
        ("a\rb", "c\r\nd\n", "a\rb\rc\rd\r"),
        ("", "b", "b"),
        ("a", "", "a"),
        ("\u{feff}", "b", "\u{feff}b"),
    ] {
        assert_eq!(composed(old.as_bytes(), Append, content), new.as_bytes(), "{old:?} {content:?}");
    }
}

#[test]
fn a_byte_order_mark_is_kept_and_never_doubled() {
    for content in ["é\n", "\u{feff}é\n"] {
        assert_eq!(composed(b"\xef\xbb\xbfa\n", Overwrite, content), "\u{feff}é\n".as_bytes());
    }
    assert_eq!(composed(b"\xef\xbb\xbf", Overwrite, ""), b"\xef\xbb\xbf");
    assert_eq!(composed(b"\xef\xbb\xbfa", Append, "b"), b"\xef\xbb\xbfa\nb");
}

#[test]
fn utf_16_is_kept_with_and_without_its_mark() {
    let old = "Some text\r\nof two lines, naïve\r\n";
    let new = "New 🎈\nlines";
    let kept = "New 🎈\r\nlines";
    type Bytes = fn(u16) -> [u8; 2];
    for (bytes, mark) in [
        (u16::to_le_bytes as Bytes, "\u{feff}"),
        (u16::to_be_bytes as Bytes, "\u{feff}"),
        (u16::to_le_bytes as Bytes, ""),
        (u16::to_be_bytes as Bytes, ""),
    ] {
        let file = |text: &str| utf16(&format!("{mark}{text}"), bytes);
        assert_eq!(composed(&file(old), Overwrite, new), file(kept));
        assert_eq!(composed(&file(old), Edit, new), file(kept));
        assert_eq!(composed(&file(old), Append, new), file(&format!("{old}{kept}")));
    }
}

#[test]
fn a_legacy_encoding_is_kept_and_what_it_lacks_is_a_fault() {
    let old = b"na\xefve caf\xe9, d\xe9j\xe0 vu\x85\r\n";
    assert_eq!(
        composed(old, Edit, "naïve café, déjà vu…\r\nœuf €\r\n"),
        b"na\xefve caf\xe9, d\xe9j\xe0 vu\x85\r\n\x9cuf \x80\r\n"
    );
    assert_eq!(composed(old, Append, "été"), b"na\xefve caf\xe9, d\xe9j\xe0 vu\x85\r\n\xe9t\xe9");
    let site = Site::with([("a", old)]);
    let Err(Unfit::Faults(faults)) = site.compose("a", Overwrite, "ok\nan → arrow\n") else { panic!() };
    let [fault] = &faults[..] else { panic!("{faults:?}") };
    assert_eq!((fault.kind, fault.line, fault.column), (FaultKind::Unencodable, 2, 4));
    assert_eq!(fault.what, "U+2192 (→), which windows-1252 does not have");
    assert_eq!(fault.context, "an → arrow");
}

/// What is wrong with the first character that a file with these bytes cannot take.
fn refused(old: &[u8], operation: WriteOperation, content: &str) -> Option<String> {
    match Site::with([("a", old)]).compose("a", operation, content) {
        Ok(_) => None,
        Err(Unfit::Faults(faults)) => Some(faults[0].what.clone()),
        Err(Unfit::Refused(error)) => panic!("{error:?}"),
    }
}

#[test]
fn a_character_for_which_a_guess_may_be_wrong_is_written_only_where_the_file_shows_its_byte() {
    // Such a file is ISO-8859-1, ISO-8859-15 or windows-1252.
    let old = b"na\xefve caf\xe9, d\xe9j\xe0 vu\n";
    assert_eq!(refused(old, Append, "é à ü ñ Ø\n"), None);
    for c in ['€', 'œ', '’', '¤', '½'] {
        let why = format!(
            "U+{:04X} ({c}), which the file does not have yet: it was taken for windows-1252, but may be in an encoding with \
             other bytes for it",
            u32::from(c)
        );
        assert_eq!(refused(old, Append, &format!("{c}\n")), Some(why), "{c}");
    }
    let windows = b"na\xefve caf\xe9, l\x92\xe9t\xe9 \x93d\xe9j\xe0\x94\n";
    assert_eq!(composed(windows, Append, "€œ½"), [&windows[..], b"\x80\x9c\xbd"].concat());
    // The code page 850 of DOS, which nothing here knows: `élève` reads `‚lŠve`.
    let dos = b"L'\x82l\x8ave a \x82t\x82 re\x87u \x85 l'\x82cole, o\x97 est pass\x82 l'\x82t\x82.\n";
    assert!(refused(dos, Append, "déjà\n").is_some_and(|why| why.starts_with("U+00E9 (é)")));
    assert_eq!(composed(dos, Append, "plain\n"), [&dos[..], b"plain\n"].concat());
}

#[test]
fn stray_bytes_in_utf_8_are_kept_and_everything_new_is_utf_8() {
    let old =
        "第一行：数据库\nnaïve café\nplain\n".bytes().chain(*b"stray \xe9 byte\nlast\n").collect::<Vec<u8>>();
    let site = Site::with([("a", &old)]);
    let target = site.target("a", Edit);
    let text = target.text(&old).into_owned();
    assert!(text.ends_with("stray \u{fffd} byte\nlast\n"));
    assert_eq!(site.compose("a", Append, "x").unwrap().encoding, "UTF-8 with stray bytes");
    for (from, to) in
        [("last\n", "last é 行\n"), ("plain\n", ""), ("stray \u{fffd} byte\n", "stray é byte\n")]
    {
        for operation in [Edit, Overwrite] {
            let new = composed(&old, operation, &text.replace(from, to));
            let mut expected = text.replace(from, to).into_bytes();
            if let Some(at) = expected.windows(3).position(|bytes| bytes == "\u{fffd}".as_bytes()) {
                expected.splice(at..at + 3, [0xe9]);
            }
            assert_eq!(new, expected, "{operation:?} {to:?}");
        }
    }
    let why = "U+FFFD (�), which stands for bytes that are not UTF-8: leave their line as it is, or write what is meant in their \
               place";
    for (operation, content) in [
        (Edit, text.replace("byte", "bite")),
        (Overwrite, "\u{fffd}\n".into()),
        (Append, "\u{fffd}\n".into()),
    ] {
        assert_eq!(refused(&old, operation, &content).as_deref(), Some(why), "{operation:?} {content:?}");
    }
    assert_eq!(composed(&old, Append, "é"), [&old[..], "é".as_bytes()].concat());
}

#[test]
fn the_text_of_every_file_composed_again_is_the_file() {
    let mut files: Vec<Vec<u8>> = [
        "",
        "a",
        "a\n",
        "a\r\nb\r\n",
        "a\r\nb\n",
        "a\rb",
        "\u{feff}a\nb",
        "\u{fffd}\n",
        "DONE\n",
        "a\r\r\nb\r\n",
        "\n\n\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec();
    files.push(utf16("\u{feff}a\r\nb🎈", u16::to_le_bytes));
    files.push(utf16("\u{feff}a\nb🎈", u16::to_be_bytes));
    files.push((0x20..=0x7e_u8).chain(0xa0..=0xff).chain(*b"\r\n").collect());
    files.push(b"caf\xc3\xa9 \xe9\xff\n\xef\xbf\xbd\xf0\x9f\n".to_vec());
    files.push(b"\x93\xfa\x96{\x8c\xea\x82\xcc\x83e\x83L\x83X\x83g\r\n".repeat(20));
    for old in files {
        let site = Site::with([("a", &old)]);
        let target = site.target("a", Edit);
        let text = target.text(&old).into_owned();
        let again = compose(&target, Some(&old), Edit, &text).unwrap();
        assert_eq!(again.bytes, old, "{text:?}");
        let nothing = compose(&target, Some(&old), Append, "").unwrap();
        assert_eq!((nothing.bytes, nothing.lines), (old, again.lines), "{text:?}");
    }
}

#[test]
fn what_is_said_of_a_file_is_true_of_its_bytes() {
    for old in ["", "a", "a\n", "a\r\n", "a\r\nb\n", "a\rb"] {
        for operation in [Overwrite, Append, Edit] {
            for content in ["", "1", "1\n", "1\r\n", "1\n2\r\n", "1\r2"] {
                let site = Site::with([("a", old.as_bytes())]);
                let composed = site.compose("a", operation, content).unwrap();
                let text = String::from_utf8(composed.bytes).unwrap();
                let line_end = if text.contains('\n') { '\n' } else { '\r' };
                let lines = text.split_inclusive(line_end).count() as u64;
                assert_eq!(
                    (composed.line_ends, composed.lines),
                    (LineEnds::of(&text), lines),
                    "{old:?} {operation:?} {content:?}"
                );
            }
        }
    }
}

#[test]
fn a_binary_file_is_overwritten_by_text_and_never_appended_to() {
    let old = b"\0\x01\x02\xff";
    assert_eq!(composed(old, Overwrite, "é\r\n"), "é\r\n".as_bytes());
    let site = Site::with([("a", old), ("b", b"old")]);
    let asks = |name| site.compose(name, Overwrite, "text").unwrap().always_asks;
    assert_eq!((asks("a"), asks("b")), (Some("a binary file, whose content cannot be shown"), None));
    let (target, old) = Target::load(&site.project, &site.path("a"), Overwrite).unwrap();
    for operation in [Append, Edit] {
        let Err(Unfit::Refused(error)) = compose(&target, old.as_deref(), operation, "x") else { panic!() };
        assert_eq!(error.code, Code::FileBinary);
    }
}

#[test]
fn what_would_be_larger_than_64_mib_is_refused() {
    let site = Site::empty();
    let Err(Unfit::Refused(error)) = site.compose("a", Create, &"x".repeat(64 * 1024 * 1024 + 1)) else {
        panic!()
    };
    assert_eq!(
        (error.code, error.message.as_str()),
        (Code::FileUnwritable, "`a` would be larger than 64 MiB.")
    );
}
