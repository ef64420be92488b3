//! What does not repeat itself (P11): what models really sent, the files of this repository, and files of kinds that are regular.

use std::fmt::Write;
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use orion_core::repeats::Watch;
use sha2::{Digest, Sha256};

use crate::source_rules::root;
use crate::streams::recorded_texts;

/// Where the text is found to repeat itself, in bytes.
fn found(text: &str) -> Option<usize> {
    Watch::default().push(text).map(|found| found.taken)
}

#[tokio::test]
async fn no_recorded_answer_reasoning_or_call_repeats_itself() {
    let texts = recorded_texts().await;
    let repeating: Vec<_> = texts.iter().filter(|(_, text)| found(text).is_some()).collect();
    assert!(repeating.is_empty(), "{repeating:?}");
    // One after the other they are one long text, which does not either.
    let together: String = texts.into_iter().map(|(_, text)| text).collect();
    assert_eq!(found(&together), None);
}

#[test]
fn no_file_of_this_repository_repeats_itself() {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output().unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let names = String::from_utf8(listed.stdout).unwrap();
    let (mut read, mut bytes, mut repeating) = (0, 0, Vec::new());
    for name in names.split_terminator('\0') {
        // Pictures are no text, and a file may have been removed since it was listed.
        let Ok(text) = std::fs::read_to_string(root().join(name)) else { continue };
        (read, bytes) = (read + 1, bytes + text.len());
        repeating.extend(found(&text).map(|at| format!("{name} at {at}")));
        // Its characters escaped, as in the arguments of a call, and as an answer in a block of code that is indented.
        let quoted = serde_json::to_string(&text).unwrap();
        repeating.extend(found(&quoted).map(|at| format!("{name} as JSON at {at}")));
        let indented = text.replace('\n', "\n        ");
        repeating.extend(found(&indented).map(|at| format!("{name} indented at {at}")));
    }
    assert!(read > 500 && bytes > 2_000_000, "{read} files with {bytes} bytes");
    assert_eq!(repeating, Vec::<String>::new());
}

/// Bytes by chance, the same each time.
fn chance(bytes: usize) -> Vec<u8> {
    let blocks = (0u32..).flat_map(|at| Sha256::digest(at.to_le_bytes()).to_vec());
    blocks.take(bytes).collect()
}

/// `count` lines, each made from its number.
fn lines(count: usize, mut line: impl FnMut(&mut String, usize)) -> String {
    (1..=count).fold(String::new(), |mut text, number| {
        line(&mut text, number);
        text.push('\n');
        text
    })
}

#[test]
fn regular_files_do_not_repeat_themselves() {
    let [licence, guide] =
        ["LICENSE", "docs/guide.md"].map(|name| std::fs::read_to_string(root().join(name)).unwrap());
    let bytes = chance(1_000_000);
    let dump = |text: &mut String, at: usize, bytes: &[u8]| {
        write!(text, "{:08x} ", at * 16).unwrap();
        bytes.iter().for_each(|byte| write!(text, " {byte:02x}").unwrap());
    };
    let table = lines(200, |text, row| {
        write!(text, "| {row} | Item {row} | {} | yes | |", row * 17 % 100).unwrap();
    });
    let texts: [(&str, String); 18] = [
        (
            "a table in Markdown",
            format!("| no | name | price | ready | note |\n|---|---|---|---|---|\n{table}"),
        ),
        ("its ruler, 3,000 characters wide", format!("|{}|\n", "-".repeat(3_000)).repeat(4) + &table),
        (
            "a table with hardly a difference",
            lines(2_000, |text, row| write!(text, "| x | y | {row} | |").unwrap()),
        ),
        ("base64", STANDARD.encode(&bytes)),
        ("hexadecimal numbers", bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        ("a dump with all its lines of zeros", lines(4_096, |text, at| dump(text, at, &[0; 16]))),
        ("a dump", lines(4_096, |text, at| dump(text, at, &bytes[at * 16..][..16]))),
        ("a table in CSV", lines(5_000, |text, row| write!(text, "{row},Berlin,Germany,0,0,0,,,").unwrap())),
        (
            "a table in CSV that counts by days",
            lines(366 * 8, |text, hour| {
                write!(
                    text,
                    "2024-{:02}-{:02}T{:02}:00:00Z,0.0,0.0",
                    hour / 744 + 1,
                    hour / 24 % 31 + 1,
                    hour % 24
                )
                .unwrap();
            }),
        ),
        (
            "300 lines that differ in a number",
            lines(300, |text, line| write!(text, "- [ ] Step {line}: check it.").unwrap()),
        ),
        (
            "a list of imports",
            lines(400, |text, line| write!(text, "import {{ Icon{line} }} from './icons'").unwrap()),
        ),
        (
            "JSON on one line",
            serde_json::to_string(
                &(0..4_000)
                    .map(|id| serde_json::json!({"id": id, "ok": true, "tags": []}))
                    .collect::<Vec<_>>(),
            )
            .unwrap(),
        ),
        (
            "a multiplication table",
            lines(60, |text, row| {
                (1..=60).for_each(|column| write!(text, "{:5}", row * column).unwrap());
            }),
        ),
        ("a guide five times", guide.repeat(5)),
        ("a licence five times", licence.repeat(5)),
        (
            "a triangle of stars",
            lines(100, |text, line| text.push_str(&format!("{:>100}{}", "", "*".repeat(line)))),
        ),
        (
            "a circle of dots",
            lines(120, |text, line| {
                let (middle, half) = (60.0_f64, line as f64 - 60.0);
                let width = (middle * middle - half * half).max(0.0).sqrt() as usize;
                text.push_str(&format!("{}{}", " ".repeat(60 - width), ".".repeat(2 * width)));
            }),
        ),
        ("15 KiB of one character", "=".repeat(15 * 1024) + "\nEnd of the ruler.\n"),
    ];
    for (what, text) in &texts {
        assert!(text.len() > 4_096, "{what} is too short to prove anything");
        assert_eq!(found(text), None, "{what}");
    }
}

/// What P11 cuts although it may have been asked for: nothing tells it from a model that repeats itself, except the person.
#[test]
fn some_texts_repeat_themselves_by_their_nature() {
    let zeros = vec![0; 30_000];
    for (what, text, at) in [
        ("base64 of zeros", STANDARD.encode(&zeros), 16 * 1024),
        ("a table of equal rows", "0,0,0,0\n".repeat(1_000), 4 * 1024),
        ("the same sentence a thousand times", "I will not talk in class.\n".repeat(1_000), 4 * 1024),
        ("an empty form", "| | | | | |\n".repeat(500), 4 * 1024),
    ] {
        assert_eq!(found(&text), Some(at), "{what}");
    }
}
