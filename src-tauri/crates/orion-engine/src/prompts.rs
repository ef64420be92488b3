//! Prompts that the person keeps as Markdown files in `prompts/`, in the folder of their settings. `review.md` is the command `/review`.
//!
//! The folder is the person's, and its files may have come from anywhere: their number, size and names are limited, and what is left out
//! is said. Deliberately not here: who sends a prompt. It is put where a message is written, for the person to read.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use orion_protocol::{Code, ErrorInfo, Prompt};

/// More than a person tells apart in a list.
const MOST: usize = 100;
/// Names in the folder that are looked at.
const ENTRIES: usize = 1_000;
/// 64 KiB, some 16,000 tokens: a message may be four times as long.
const BYTES: u64 = 64 * 1024;
/// Characters of a name, and of a description: a line of the list.
const NAME: usize = 40;
const DESCRIPTION: usize = 100;
/// Problems that are told.
const PROBLEMS: usize = 20;

/// What stands for the words after the name of a prompt.
const ARGUMENTS: &str = "$ARGUMENTS";

/// The prompts of a folder, by name, and why other files are none. A folder that is not there has none.
#[must_use]
pub(crate) fn list(folder: &Path) -> (Vec<Prompt>, Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return Default::default() };
    let mut names: Vec<_> =
        entries.filter_map(Result::ok).map(|entry| entry.file_name()).take(ENTRIES).collect();
    names.sort();
    let (mut prompts, mut problems) = (Vec::new(), Vec::new());
    for file in names {
        let shown = file.to_string_lossy();
        let Some(name) = shown.strip_suffix(".md") else { continue };
        let why = match read(folder, name) {
            Ok(text) if prompts.len() < MOST => {
                let (description, body) = parted(&text);
                prompts.push(Prompt {
                    name: name.to_owned(),
                    description,
                    takes_arguments: body.contains(ARGUMENTS),
                });
                continue;
            }
            Ok(_) => format!("there are {MOST} others already"),
            Err(why) => why.words(),
        };
        if problems.len() < PROBLEMS {
            problems.push(format!("{:?} is left out: {why}.", plain(&shown)));
        }
    }
    (prompts, problems)
}

/// The text of a prompt, with the person's words in it. Where it has no place for them, they come after it.
///
/// # Errors
/// `usage` when there is no such prompt.
pub(crate) fn text(folder: &Path, name: &str, arguments: &str) -> Result<String, ErrorInfo> {
    let text = read(folder, name).map_err(|why| {
        let message = format!("The prompt {} cannot be used: {}.", plain(name), why.words());
        ErrorInfo::new(Code::Usage, message, "Look at its file in the folder prompts, beside config.toml.")
    })?;
    let (_, body) = parted(&text);
    let (body, arguments) = (body.trim(), arguments.trim());
    Ok(match (body.contains(ARGUMENTS), arguments) {
        (true, _) => body.replace(ARGUMENTS, arguments),
        (false, "") => body.to_owned(),
        (false, _) => format!("{body}\n\n{arguments}"),
    })
}

#[derive(Debug)]
enum Unread {
    Name,
    NoFile,
    Long,
    NoText,
    Empty,
    Disk(io::ErrorKind),
}

impl Unread {
    fn words(&self) -> String {
        match self {
            Self::Name => format!("a name has up to {NAME} lower-case letters, digits and hyphens"),
            Self::NoFile => "it is not a file".to_owned(),
            Self::Long => format!("it is longer than {} KiB", BYTES / 1024),
            Self::NoText => "it is not text".to_owned(),
            Self::Empty => "it is empty".to_owned(),
            Self::Disk(kind) => kind.to_string(),
        }
    }
}

/// True for a name that can be typed after a slash. No path has such a name.
fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    name.len() <= NAME && name.chars().all(fits) && name.starts_with(|c: char| c.is_ascii_lowercase())
}

fn read(folder: &Path, name: &str) -> Result<String, Unread> {
    if !is_name(name) {
        return Err(Unread::Name);
    }
    let path = folder.join(format!("{name}.md"));
    // A pipe would never end.
    if !fs::metadata(&path).map_err(|error| Unread::Disk(error.kind()))?.is_file() {
        return Err(Unread::NoFile);
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| Unread::Disk(error.kind()))?;
    file.take(BYTES + 1).read_to_end(&mut bytes).map_err(|error| Unread::Disk(error.kind()))?;
    if bytes.len() as u64 > BYTES {
        return Err(Unread::Long);
    }
    let text = String::from_utf8(bytes).map_err(|_| Unread::NoText)?;
    if text.contains('\0') {
        return Err(Unread::NoText);
    }
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    if parted(&text).1.trim().is_empty() { Err(Unread::Empty) } else { Ok(text) }
}

/// The description and the text: the `description` of a front matter, or else the first line.
fn parted(text: &str) -> (String, &str) {
    let front = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    let (said, body) = match front {
        Some((front, body)) => (front.lines().find_map(|line| line.strip_prefix("description:")), body),
        None => (None, text),
    };
    let first = body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let line =
        said.map_or_else(|| first.trim_start_matches('#'), |said| said.trim().trim_matches(['"', '\'']));
    (plain(line.trim()), body)
}

/// A line without what would hide or reorder the rest of it.
fn plain(line: &str) -> String {
    let hides = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    line.chars().filter(|c| !hides(*c)).take(DESCRIPTION).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn a_file_is_a_prompt_by_its_name_and_says_itself_what_it_is_for() {
        let folder = folder(&[
            (
                "review.md",
                "---\ntitle: x\ndescription: \"Look for mistakes\"\n---\nReview $ARGUMENTS.\nBe brief.\n",
            ),
            ("explain.md", "\n# Explain it to a child\r\nExplain the code.\n"),
            ("notes.txt", "no prompt"),
        ]);
        let prompt = |name: &str, description: &str, takes_arguments| Prompt {
            name: name.into(),
            description: description.into(),
            takes_arguments,
        };
        let expected = vec![
            prompt("explain", "Explain it to a child", false),
            prompt("review", "Look for mistakes", true),
        ];
        assert_eq!(list(folder.path()), (expected, vec![]));
        let text = |name: &str, arguments: &str| text(folder.path(), name, arguments);
        assert_eq!(text("review", " a.rs ").unwrap(), "Review a.rs.\nBe brief.");
        assert_eq!(text("explain", "").unwrap(), "# Explain it to a child\nExplain the code.");
        assert_eq!(text("explain", "b.rs").unwrap(), "# Explain it to a child\nExplain the code.\n\nb.rs");
        assert_eq!(list(&folder.path().join("nothing")), (vec![], vec![]));
    }

    #[test]
    fn what_is_in_the_words_is_not_put_in_again() {
        let folder = folder(&[("p.md", "$ARGUMENTS and $ARGUMENTS")]);
        assert_eq!(text(folder.path(), "p", "$ARGUMENTS").unwrap(), "$ARGUMENTS and $ARGUMENTS");
    }

    #[test]
    fn names_that_are_no_commands_are_refused_and_told() {
        let folder = folder(&[
            ("Up.md", "x"),
            ("a b.md", "x"),
            ("-x.md", "x"),
            ("e\u{202e}dm.md", "x"),
            ("empty.md", "---\na: b\n---\n \n"),
        ]);
        fs::write(folder.path().join("long.md"), vec![b'a'; BYTES as usize + 1]).unwrap();
        fs::write(folder.path().join("binary.md"), b"a\0b").unwrap();
        fs::write(folder.path().join("latin.md"), b"\xe9").unwrap();
        fs::create_dir(folder.path().join("dir.md")).unwrap();
        let (prompts, problems) = list(folder.path());
        assert_eq!(prompts, vec![]);
        assert_eq!(problems.len(), 9, "{problems:?}");
        assert!(problems.iter().all(|problem| !problem.contains('\u{202e}')));
        assert!(
            problems.contains(&"\"long.md\" is left out: it is longer than 64 KiB.".to_owned()),
            "{problems:?}"
        );
        for name in ["../config", "/etc/passwd", "", "a/b", "config.toml", "long", "binary", "dir", "none"] {
            assert_eq!(text(folder.path(), name, "").unwrap_err().code, Code::Usage, "{name}");
        }
    }

    #[test]
    fn no_more_are_listed_than_a_person_tells_apart() {
        let names: Vec<String> = (0..MOST + 30).map(|n| format!("p{n:03}.md")).collect();
        let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
        let (prompts, problems) = list(folder(&files).path());
        assert_eq!((prompts.len(), problems.len()), (MOST, PROBLEMS));
    }
}
