//! Content that was probably not meant for its file (W9): what is held, and what only looks like it.

use std::fs;
use std::path::Path;

use orion_core::write::removal::{Around, offers};
use orion_core::write::{Allowed, Stretch, Written, doubts};
use orion_protocol::{FaultKind, Seam, WriteFault, WriteOperation};

use FaultKind::{Empty, Fence, LineNumbers, Patch, Placeholder, Reasoning, Repeated, SecondFile, Shrinks};

const OLD: &str =
    "import os\n\ndef first():\n    return 1\n\ndef second():\n    return 2\n\ndef third():\n    return 3\n";

fn kinds(faults: &[WriteFault]) -> Vec<FaultKind> {
    faults.iter().map(|fault| fault.kind).collect()
}

/// A write of which nothing but the content tells.
fn plain<'a>(
    path: &'a str,
    operation: WriteOperation,
    content: &'a str,
    old: Option<&'a str>,
) -> Written<'a> {
    Written { path, operation, content, old, lines: 0, removed: 0, added: 0, seams: &[], stretches: &[] }
}

/// Doubts about a content that takes the place of a file.
fn whole(path: &str, content: &str, old: Option<&str>) -> Vec<FaultKind> {
    let operation = if old.is_some() { WriteOperation::Overwrite } else { WriteOperation::Create };
    kinds(&doubts(&plain(path, operation, content, old)))
}

/// Doubts where these lines take the place of those, behind lines that stay.
fn replaced(path: &str, old: &str, new: &str) -> Vec<WriteFault> {
    let whole = format!("import os\n\n{old}");
    let stretches = [Stretch { kept: "import os\n\n", old, new, line: 3, apart: false }];
    let content = format!("import os\n\n{new}");
    let plain = plain(path, WriteOperation::Overwrite, &content, Some(&whole));
    doubts(&Written { stretches: &stretches, ..plain })
}

fn lines(count: usize) -> String {
    (0..count).map(|at| format!("line({at});\n")).collect()
}

/// A comment in twenty languages.
const COMMENTS: [(&str, &str, &str); 24] = [
    ("a.py", "# ", ""),
    ("a.rs", "// ", ""),
    ("a.c", "/* ", " */"),
    ("a.html", "<!-- ", " -->"),
    ("a.sql", "-- ", ""),
    ("a.lisp", ";; ", ""),
    ("a.tex", "% ", ""),
    ("a.erl", "%% ", ""),
    ("a.ml", "(* ", " *)"),
    ("a.hs", "{- ", " -}"),
    ("a.vb", "' ", ""),
    ("a.vim", "\" ", ""),
    ("a.f90", "! ", ""),
    ("a.bat", "REM ", ""),
    ("a.m4", "dnl ", ""),
    ("a.jinja2x", "{# ", " #}"),
    ("a.hbsx", "{{!-- ", " --}}"),
    ("a.erb", "<%# ", " %>"),
    ("a.jsp", "<%-- ", " --%>"),
    ("a.ps1", "<# ", " #>"),
    ("a.lua", "--[[ ", " ]]"),
    ("a.jl", "#= ", " =#"),
    ("a.st", "\" ", " \""),
    ("a.md", "[//]: # (", ")"),
];
/// *The rest is unchanged* in twelve tongues.
const TONGUES: [&str; 12] = [
    "rest of the code unchanged",
    "der Rest bleibt unverändert",
    "le reste est inchangé",
    "el resto permanece igual",
    "il resto rimane invariato",
    "o restante continua igual",
    "остальной код без изменений",
    "其余代码保持不变",
    "残りのコードは変更なし",
    "나머지 코드는 그대로",
    "بقية الكود كما هي",
    "बाकी कोड वैसा ही है",
];

#[test]
fn a_short_line_in_the_place_of_many_is_held_in_every_tongue_and_syntax() {
    let old = lines(40);
    for (path, open, close) in COMMENTS {
        for said in TONGUES {
            for words in [said.to_owned(), format!("... {said} ..."), format!("{said}…")] {
                let line = format!("{open}{words}{close}");
                let found = replaced(path, &old, &format!("line(100);\n\n{line}\n"));
                assert_eq!(kinds(&found), [Placeholder], "{path}: {line}");
                assert_eq!((found[0].line, found[0].context.as_str()), (5, line.as_str()));
            }
        }
    }
    for line in TONGUES.map(|said| format!("[{said}]")).iter().map(String::as_str).chain([
        "...",
        "…",
        "[...]",
        "(...)",
        "<rest of file>",
        "...[truncated]",
        "（其余代码不变）",
        "// snip",
        "# unchanged",
        "    # ...",
        "/* ... */",
        "... 120 more lines ...",
        "(rest of the methods)",
    ]) {
        assert_eq!(kinds(&replaced("a.py", &old, &format!("{line}\n"))), [Placeholder], "{line}");
    }
}

#[test]
fn a_line_between_two_ellipses_is_held_in_an_edit_too() {
    let edit = |replace: &'static str| {
        let content =
            format!("<<<<<<< SEARCH\ndef first():\n    return 1\n=======\n{replace}>>>>>>> REPLACE\n");
        let stretches = [Stretch {
            kept: "def first():\n",
            old: "    return 1\n",
            new: &replace[13..],
            line: 6,
            apart: true,
        }];
        let (lines, removed, added, seams) = (10, 1, 2, &[]);
        let (path, operation, old) = ("a.py", WriteOperation::Edit, Some(OLD));
        let content = content.as_str();
        doubts(&Written {
            path,
            operation,
            content,
            old,
            lines,
            removed,
            added,
            seams,
            stretches: &stretches,
        })
    };
    let found = edit("def first():\n    return 100\n# ... existing code ...\n");
    assert_eq!((kinds(&found), found[0].line), (vec![Placeholder], 7));
    assert_eq!(edit("def first():\n    return 100\n# A comment...\n"), []);
    assert_eq!(kinds(&edit("def first():\n<think>Hm.</think>\n")), [Reasoning]);
    assert_eq!(kinds(&edit("def first():\n```python\nx\n```\n")), [Fence]);
    assert_eq!(kinds(&edit("def first():\n12\tx\n13\ty\n14\tz\n15\ta\n")), [LineNumbers]);
    assert_eq!(kinds(&edit("def first():\n@@ -1,2 +1,2 @@\n")), [Patch]);
}

#[test]
fn a_change_that_only_makes_a_file_shorter_is_not_held() {
    let old = lines(30);
    for new in [
        "",
        "line(1);\n",
        "return all(lines);\n",
        "# one\n# two\nfor line in lines:\n    line()\n",
        "}\n",
        "#endif\n",
        "#include <all.h>\n",
        "[dependencies]\n",
        "(a, b)\n",
        "<div>\n",
        "...props,\n",
        "/// Returns all lines.\n",
        "'one text';\n",
        "@decorator\n",
    ] {
        assert_eq!(replaced("a.py", &old, new), [], "{new:?}");
    }
    assert_eq!(replaced("a.md", &old, "# Another heading\n"), []);
    assert_eq!(replaced("a.py", &lines(4), "# rest unchanged\n"), [], "four are few");
    assert_eq!(
        replaced(
            "a.py",
            "call(\n  first,\n  second,\n  third,\n  last\n)\n",
            "(first, second, third, last)\n"
        ),
        []
    );
    let known = format!("# ... the rest ...\n{old}");
    assert_eq!(replaced("a.py", &known, "# ... the rest ...\n"), [], "the present file has it");
}

#[test]
fn thoughts_in_the_middle_are_held() {
    assert_eq!(whole("a.py", "x = 1\n<think>\nHm.\n</think>\n", None), [Reasoning]);
    assert_eq!(whole("a.py", "<think>\nnever closed\n", None), [Reasoning]);
    assert_eq!(whole("a.py", "<think>Hm.</think>\nx = 1\n", None), [], "that is offered for removal");
    assert_eq!(whole("a.py", "TAGS = [\"<think>\", \"</think>\"]\n", None), []);
    assert_eq!(whole("a.py", "x\n<think>\n", Some("y\n<think>\n")), [], "the present file has it");
}

#[test]
fn a_patch_in_the_place_of_content_is_held() {
    for patch in [
        "--- a/f.txt\n+++ b/f.txt\n@@ -1,3 +1,3 @@\n-a\n+b\n",
        "@@ -1 +1 @@\n-a\n+b\n",
        "diff --git a/f b/f\n",
        "*** Begin Patch\n*** Update File: f.txt\n*** End Patch\n",
        "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
        "a\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n",
    ] {
        assert_eq!(whole("f.txt", patch, Some("a\n")), [Patch], "{patch}");
        assert_eq!(whole("f.patch", patch, Some("a\n")), []);
        assert_eq!(whole("f.txt", patch, Some(patch)), [], "the present file has one");
    }
    for text in ["Title\n=======\n", "--- a\n", "@@ here\n", ">>>>>>> quoted\n", "++ b\n"] {
        assert_eq!(whole("f.txt", text, Some("a\n")), [], "{text}");
    }
}

#[test]
fn numbers_of_lines_are_held() {
    for mark in ["\t", " | ", "→", ": ", "│"] {
        let text: String = (8..14).map(|at| format!("{at:>4}{mark}line\n")).collect();
        assert_eq!(whole("a.py", &text, Some("line\n")), [LineNumbers], "{mark:?}");
        assert_eq!(whole("a.py", &text, Some(&text)), []);
    }
    assert_eq!(whole("a.yml", "1: one\n2: two\n3: three\n", None), [], "there was no file to copy from");
    assert_eq!(whole("a.yml", "1: one\n2: two\n", Some("x\n")), [], "two are few");
    assert_eq!(whole("a.txt", "1. one\n2. two\n3. three\n4. four\n", None), []);
    assert_eq!(whole("a.py", "1: a\nx\n2: b\ny\n3: c\nz\n", Some("x\n")), []);
}

#[test]
fn a_second_file_is_held() {
    let licence =
        "// A line of a licence that is long enough to be told from others, and then some more words.\n"
            .repeat(3);
    for content in [
        "one\nDONE\ntwo\n".to_owned(),
        format!("{licence}one\n{licence}one\n"),
        "// src/a.js\nlet a;\n\n// src/b.js\nlet b;\n".to_owned(),
        "# File: a.js\nlet a;\n# File: b.js\nlet b;\n".to_owned(),
        "=== a.js ===\na\n=== lib/b.ts ===\nb\n".to_owned(),
        "```js\nlet a;\n```\n\n`b.js`:\n```js\nlet b;\n```\n".to_owned(),
    ] {
        assert_eq!(whole("src/a.js", &content, Some("x\n")), [SecondFile], "{content}");
        assert_eq!(whole("src/a.js", &content, Some(&content)), [], "the present file looks like it too");
    }
    for content in ["// src/a.js\nlet a; // b.js\n", "DONE\n", "// a.js\n// Use it like this.\n"] {
        assert_eq!(whole("src/a.js", content, None), [], "{content}");
    }
}

#[test]
fn an_answer_that_begins_again_at_a_seam_is_held() {
    let at = |path: &str, before: &str, after: &str| {
        let content = format!("{before}{after}");
        let seams = [Seam { offset: before.len() as u64, line: 1, dropped: 0 }];
        let plain = plain(path, WriteOperation::Create, &content, None);
        kinds(&doubts(&Written { seams: &seams, ..plain }))
    };
    let text = lines(30);
    assert_eq!(at("a.js", &text, "```js\nmore();\n"), [Fence]);
    assert_eq!(at("a.js", &format!("{text}```\n"), "more();\n"), [Fence]);
    assert_eq!(at("a.md", "text\n```\n", "```md\nmore\n"), [Fence]);
    assert_eq!(at("a.js", &text, "Here is the rest of the file:\nmore();\n"), [Fence]);
    assert_eq!(at("a.js", &text, &format!("// again\n{}more();\n", &text[text.len() - 250..])), [Repeated]);
    assert_eq!(at("a.js", &text, "more();\n"), []);
    assert_eq!(at("a.md", "text\n", "```sh\nmore\n```\n"), [], "a file may go on so");
}

#[test]
fn much_less_than_there_was_is_held() {
    let overwrite = |content: &str, lines: u64, removed: u64, added: u64| {
        let plain = plain("a", WriteOperation::Overwrite, content, Some("x\n"));
        kinds(&doubts(&Written { lines, removed, added, ..plain }))
    };
    assert_eq!(overwrite("a\n", 117, 116, 0), [Shrinks]);
    assert_eq!(overwrite("a\n", 40, 21, 0), [Shrinks]);
    assert_eq!(overwrite("a\n", 40, 20, 0), []);
    assert_eq!(overwrite("a\n", 39, 39, 1), []);
    assert_eq!(overwrite("a\n", 40, 40, 40), [], "others take their place");
    assert_eq!(overwrite("\n", 2, 1, 0), [Empty]);
    assert!(Empty.is_for_the_model() && !Shrinks.is_for_the_model());
}

/// At most ten of the repository's own files look as if a model had wrapped them, or left something out.
#[test]
fn files_that_people_wrote_are_not_held() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let (mut looked, mut held) = (0, Vec::new());
    for folder in
        ["src-tauri/crates", "src-tauri/src", "ui/src", "ui/e2e", "docs", "migrations", "tests", "xtask"]
    {
        for entry in files(&root.join(folder)) {
            let Ok(text) = fs::read_to_string(&entry) else { continue };
            let path = entry.strip_prefix(&root).unwrap_or(&entry).display().to_string();
            looked += 1;
            let around = Around { path: &path, old: "", allowed: Allowed::NOTHING };
            let found = (whole(&path, &text, None), offers(&text, around));
            if found != (Vec::new(), Vec::new()) {
                held.push(format!("{path}: {found:?}"));
            }
        }
    }
    assert!(looked > 1_000 && held.len() <= 10, "{} of {looked} held: {held:#?}", held.len());
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let skipped = |name: &str| ["node_modules", "target", "generated", "test-results"].contains(&name);
    entries
        .filter(|entry| !skipped(&entry.file_name().to_string_lossy()))
        .flat_map(|entry| if entry.path().is_dir() { files(&entry.path()) } else { vec![entry.path()] })
        .collect()
}
