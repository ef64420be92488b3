use std::io::{self, Read};

use encoding_rs::{
    BIG5, EUC_KR, Encoding, GBK, SHIFT_JIS, UTF_8, UTF_16LE, WINDOWS_874, WINDOWS_1251, WINDOWS_1252,
};
use orion_core::lines::{Ending, NEAR};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;

use super::*;
use crate::writing::Style;

/// Bytes that come in pieces of these sizes.
struct Pieces<'a> {
    rest: &'a [u8],
    sizes: Vec<usize>,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let turn = self.sizes.len().min(1);
        self.sizes.rotate_left(turn);
        let wanted = buffer.len().min(self.sizes.first().copied().unwrap_or(usize::MAX));
        self.rest.read(&mut buffer[..wanted])
    }
}

fn coding(bytes: &[u8]) -> Option<Coding> {
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    match sniff(sample, sample.len() < SAMPLE) {
        Content::Text(coding) => Some(coding),
        Content::Binary(_) => None,
    }
}

/// The text as a search reads it, and its lines as they are shown.
fn read(bytes: &[u8], sizes: &[usize]) -> Option<(String, Vec<String>)> {
    let coding = coding(bytes)?;
    let pieces = || Pieces { rest: &bytes[coding.mark..], sizes: sizes.to_vec() };
    let mut text = Vec::new();
    let mut source = Decoded::new(pieces(), coding);
    // A buffer of any size is filled.
    let mut buffer = vec![0; sizes.first().copied().unwrap_or(1 << 16)];
    loop {
        match source.read(&mut buffer).unwrap() {
            0 => break,
            read => text.extend_from_slice(&buffer[..read]),
        }
    }
    let mut source = Lines::new(pieces(), coding);
    let mut lines = Vec::new();
    while let Some(line) = source.next(0, usize::MAX).unwrap() {
        assert_eq!(line.missing, 0);
        lines.push(line.text);
    }
    Some((String::from_utf8(text).unwrap(), lines))
}

/// The lines of a text without their ends.
fn lines(text: &str) -> Vec<String> {
    let ending = Ending::of(text);
    ending.split(text).map(|line| line.strip_suffix(ending.end_of(line)).unwrap().to_owned()).collect()
}

/// Holds what is read in pieces against the text that a write begins with.
fn check(bytes: &[u8], sizes: &[usize]) {
    let Some((searched, shown)) = read(bytes, sizes) else {
        assert!(matches!(Style::of(bytes), Style::Binary(_)));
        return;
    };
    // A CR in front of a last line end is a part of it for the reader of lines, as CRLF is for a search.
    let found: Vec<_> =
        searched.split_inclusive('\n').map(|line| line.trim_end_matches(['\r', '\n'])).collect();
    assert_eq!(found, shown.iter().map(|line| line.trim_end_matches('\r')).collect::<Vec<_>>());
    assert_eq!(read(bytes, &[]), Some((searched, shown.clone())));
    let style = Style::of(bytes);
    if let Some(text) = style.text(bytes) {
        assert_eq!(lines(&text), shown);
    }
}

const PARTS: &[&[u8]] = &[
    b"plain ",
    b"x",
    b"\n",
    b"\r",
    b"\r\n",
    b"\xe9",
    b"caf\xe9 ",
    b"\xc3\xa9",
    b"\xc3",
    b"\xff",
    b"\xd6\xd0\xce\xc4",
    b"\xe4\xb8\xad",
    b"\x1b$B",
    b"\x1b(B",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xf0\x9f\x8e\x88",
    b"\xf0\x9f",
];

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::with_cases(orion_thorough::cases(100, 5_000) as u32) })]

    #[test]
    fn what_is_shown_is_searched_and_edited_however_it_is_read(
        parts in vec(select(PARTS), 0..24), sizes in vec(1..9_usize, 1..4),
    ) {
        check(&parts.concat(), &sizes);
    }
}

#[test]
fn what_comes_late_decides_as_what_comes_first() {
    let tails: [&[u8]; 6] = [
        b"na\xefve caf\xe9\n",
        "日本\ncafé\n".as_bytes(),
        b"\xe6\x97\xa5\xe6\x9c\xac stray \xe9\n",
        b"\xc5\xe4\xd6\xc3\xce\xc4\xbc\xfe\xa3\xba\xca\xfd\xbe\xdd\xbf\xe2\n",
        b"",
        b"\xe9",
    ];
    for line_end in ["\n", "\r\n", "\r"] {
        for before in [SAMPLE - 1, SAMPLE, 2 * SAMPLE + 1] {
            for tail in tails {
                let line = format!("plain{line_end}");
                let mut bytes = line.repeat(before / line.len() + 1).into_bytes();
                bytes.truncate(before);
                bytes.extend_from_slice(tail);
                check(&bytes, &[60_000, 61]);
                let (_, shown) = read(&bytes, &[]).unwrap();
                let expected = decoded(&[b"plain ", tail].concat()).unwrap();
                let (_, last) = expected.split_at("plain ".len());
                assert!(shown.concat().ends_with(&last.replace('\n', "")), "{before} {line_end:?} {tail:?}");
            }
        }
    }
}

#[test]
fn a_first_cr_ends_a_line_unless_an_lf_is_near_wherever_the_blocks_end() {
    for first in [1, SAMPLE] {
        for between in [0, NEAR - 2, NEAR - 1] {
            let bytes = [&b"a".repeat(first)[..], b"\r", &b"b".repeat(between), b"\nc\rd"].concat();
            check(&bytes, &[]);
            check(&bytes, &[SAMPLE - 1, 3]);
            let count = read(&bytes, &[]).unwrap().1.len();
            assert_eq!(count, if between == NEAR - 1 { 4 } else { 2 }, "{first} {between}");
        }
    }
}

fn named(bytes: &[u8]) -> String {
    coding(bytes).map_or_else(|| "binary".to_owned(), |coding| coding.describe())
}

#[test]
fn a_few_stray_bytes_do_not_make_another_encoding_of_utf_8() {
    for text in ["naïve", "第一行：数据库地址\n", "Привет\n", "설정 파일\n", "é"] {
        for stray in [&b"\xe9"[..], b"\xff", b"\x80", b"\xe4\xb8", b"\xd6\xd0"] {
            let many = text.repeat(8);
            for bytes in [[stray, many.as_bytes()].concat(), [many.as_bytes(), b" ", stray].concat()] {
                assert_eq!(named(&bytes), "UTF-8", "{text} {stray:?}");
            }
        }
    }
    assert_eq!(named("é \u{e9}".as_bytes()), "UTF-8");
    assert_eq!(named(b"\xc3\xa9 \xe9\n"), "UTF-8");
    assert_eq!(named(b"plain \xe9\n"), "windows-1252 (guessed)");
}

#[test]
fn a_text_in_another_encoding_is_not_taken_for_utf_8_with_stray_bytes() {
    let samples: [(&'static Encoding, &str); 7] = [
        (BIG5, "設定檔案：資料庫位址，請在這裡輸入使用者密碼"),
        (GBK, "配置文件：数据库地址，请在这里输入用户密码"),
        (SHIFT_JIS, "設定ファイル：データベースの接続先"),
        (EUC_KR, "이것은 데이터베이스 설정 파일입니다"),
        (WINDOWS_874, "นี่คือไฟล์การตั้งค่าฐานข้อมูล"),
        (WINDOWS_1251, "Это файл настроек базы данных"),
        (WINDOWS_1252, "Réglages : le café coûte déjà trop cher"),
    ];
    for (encoding, text) in samples {
        for length in [text.chars().count(), 12, 6] {
            let part: String = text.chars().take(length).collect();
            let (bytes, ..) = encoding.encode(&part);
            assert!(!named(&bytes).starts_with("UTF-8"), "{} {part}: {}", encoding.name(), named(&bytes));
        }
    }
}

#[test]
fn what_has_other_bytes_for_ascii_is_no_text() {
    let utf32: Vec<u8> = "\u{feff}text\n".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    // `Hello world, this is text.` on a mainframe.
    let ebcdic =
        b"\xc8\x85\x93\x93\x96\x40\xa6\x96\x99\x93\x84k\x40\xa3\x88\x89\xa2\x40\x89\xa2\x40\xa3\x85\xa7\xa3K";
    let korean = b"\x1b$)C\x0e0!\x0f text\n";
    for (bytes, kind) in [(&utf32[..], "UTF-32 text"), (ebcdic, "EBCDIC text"), (korean, "ISO 2022 text")] {
        assert_eq!(sniff(bytes, true), Content::Binary(Some(kind)));
    }
    assert_eq!(named(b"\x1b$B4A;z\x1b(B text\n"), "ISO-2022-JP (guessed)");
    // The colours of a terminal.
    assert_eq!(named(b"\x1b[31mred\x1b[0m\x1b(B\n"), "UTF-8");
}

#[test]
fn lines_that_are_passed_over_are_those_that_would_be_read() {
    let long = "long ".repeat(SAMPLE / 2);
    let text = format!("a\n\nb\n{long}\n{}c\n{long}last", "line\n".repeat(SAMPLE / 4));
    let later = format!("{text}\nd\u{e9}j\u{e0} vu\n{text}");
    for (text, encoding) in [
        (text.clone(), UTF_8),
        (text.clone() + "\n", UTF_8),
        (text.replace('\n', "\r\n"), UTF_8),
        (text.replace('\n', "\r"), UTF_8),
        (later.clone(), UTF_8),
        (later.clone(), WINDOWS_1252),
        (later.replace('\n', "\r"), WINDOWS_1252),
    ] {
        let number = with_lf(&text).lines().count() as u64;
        let text = encoding.encode(&text).0;
        let Content::Text(coding) = sniff(&text[..SAMPLE], false) else { panic!() };
        for to in [1, 2, 3, 4, 5, 6, number / 2, number - 1, number, number + 1] {
            let (mut read, mut passed) = (Lines::new(&text[..], coding), Lines::new(&text[..], coding));
            let there = (0..to).take_while(|_| read.next(0, 0).unwrap().is_some()).count() as u64;
            let mut over = 0;
            while over < to {
                match passed.pass(to - over).unwrap() {
                    0 => break,
                    more => over += more,
                }
            }
            assert_eq!((over, passed.offset()), (there, read.offset()), "{to} of {number}");
            assert_eq!(passed.next(0, 100).unwrap(), read.next(0, 100).unwrap(), "{to} of {number}");
        }
    }
}

#[test]
fn from_the_beginning_of_each_line_the_rest_is_read_as_from_the_beginning_of_the_text() {
    // Its first character that is not ASCII comes behind what the beginning shows.
    let text: String = (0..6_000)
        .map(|line| {
            format!("{line} {}\n", if line > 4_000 { "d\u{e9}j\u{e0} vu" } else { "the quick brown fox" })
        })
        .collect();
    let in_latin_1 = |text: &str| WINDOWS_1252.encode(text).0.into_owned();
    let in_utf_16 = |text: &str| -> Vec<u8> {
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let cr = text.replace('\n', "\r");
    // What was UTF-8 so far stays it, whatever a later byte looks like.
    let stray = [&text.as_bytes()[..text.len() - 1], b"\xff\n"].concat();
    for (encoding, bytes) in [
        (UTF_8, text.clone().into_bytes()),
        (UTF_8, stray),
        (UTF_8, format!("\u{feff}{text}").into_bytes()),
        (UTF_8, cr.clone().into_bytes()),
        (WINDOWS_1252, in_latin_1(&text)),
        (WINDOWS_1252, in_latin_1(&text.replace('\n', "\r\n"))),
        (WINDOWS_1252, in_latin_1(&cr)),
        (UTF_16LE, in_utf_16(&text)),
        (UTF_16LE, in_utf_16(&cr)),
    ] {
        let Content::Text(coding) = sniff(&bytes[..SAMPLE], false) else { panic!() };
        let all = |mut lines: Lines<&[u8]>| -> Vec<String> {
            std::iter::from_fn(|| lines.next(0, 100).unwrap()).map(|line| line.text).collect()
        };
        let whole = all(Lines::new(&bytes[coding.mark..], coding));
        assert_eq!(whole.len(), 6_000);
        let mut lines = Lines::new(&bytes[coding.mark..], coding);
        for number in 1..=6_000 {
            lines.next(0, 0).unwrap().unwrap();
            let Some(offset) = lines.offset() else {
                assert!(lines.source().is_faulty(), "{encoding:?}, line {number}");
                continue;
            };
            if number % 777 == 0 {
                let source = lines.source();
                let ending = if source.ends_with_cr() { Ending::Cr } else { Ending::Lf };
                let seen = coding.found(source.coding().encoding, source.coding().trust);
                let is_settled = source.is_settled();
                let rest = &bytes[coding.mark + usize::try_from(offset).unwrap()..];
                assert!(
                    all(Lines::from_place(rest, seen, ending, is_settled)) == whole[number..],
                    "{encoding:?}, line {number}"
                );
            }
        }
        assert_eq!(lines.source().coding().encoding, encoding);
    }
    // A character of several bytes may have been written in several ways, and a fault hides bytes.
    let chinese = GBK.encode(&"\u{914d}\u{7f6e}\u{6587}\u{4ef6}\u{ff1a}\n".repeat(100)).0.into_owned();
    for bytes in [chinese, b"a \xc3\xa9\n\xff\n".repeat(100)] {
        let Content::Text(coding) = sniff(&bytes, true) else { panic!() };
        let mut lines = Lines::new(&bytes[..], coding);
        lines.next(0, 0).unwrap().unwrap();
        assert_eq!(lines.offset(), None);
    }
}
