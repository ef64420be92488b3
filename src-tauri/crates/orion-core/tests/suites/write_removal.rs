//! What a preview offers to remove (W8): what models say around a file, and files that only look like it.

use crate::thorough::cases;
use orion_core::write::Allowed;
use orion_core::write::removal::{Around, offers, remove};
use orion_protocol::{Removal, RemovalKind};
use proptest::prelude::*;

use RemovalKind::{Characters, EndLine, Fence, Postamble, Preamble, Reasoning};

const ALL: [RemovalKind; 6] = [Reasoning, Preamble, Fence, Postamble, EndLine, Characters];
/// A new file that may hold prose of its own, so that only the words of a model tell.
const NOTHING: Around<'_> = Around { path: "notes.md", old: "", allowed: Allowed::NOTHING };
/// A new file of code.
const CODE: Around<'_> = Around { path: "src/conf.toml", ..NOTHING };

fn kinds(text: &str) -> Vec<RemovalKind> {
    offers(text, NOTHING).into_iter().map(|offer| offer.kind).collect()
}

/// The offers for a text, and what is left of it when all are taken.
fn taken(text: &str) -> (Vec<RemovalKind>, String) {
    (kinds(text), remove(text, &ALL, NOTHING))
}

fn offer(kind: RemovalKind, line: u32, text: &str) -> Removal {
    Removal { kind, line, text: text.into() }
}

#[test]
fn each_offer_says_where_it_is_and_what_would_go() {
    let text =
        "\nSure!\nHere is the file:\n\n```rust\nfn main() {}\0\n```\n\nI've kept it short.\n\nLet me know.\n";
    assert_eq!(
        offers(text, NOTHING),
        [
            offer(Preamble, 1, "\\nSure!\\nHere is the file:"),
            offer(Fence, 5, "```rust … ```"),
            offer(Characters, 6, "1 × U+0000"),
            offer(Postamble, 8, "I've kept it short.\\n\\nLet me know."),
        ]
    );
    assert_eq!(remove(text, &ALL, NOTHING), "fn main() {}\n");
    assert_eq!(remove(text, &[], NOTHING), text);
    assert_eq!(remove(text, &[Preamble], NOTHING), text[26..]);
    assert_eq!(remove(text, &[Postamble, Fence], NOTHING), "\nSure!\nHere is the file:\n\nfn main() {}\0\n");
    let long = format!("Here is the {} file:\na", "very ".repeat(60));
    assert_eq!(offers(&long, NOTHING)[0].text, format!("{}…", &long[..199]));
}

#[test]
fn what_announces_a_file_is_a_preamble() {
    for said in [
        "Here is the file:",
        "here's the complete code:",
        "Here’s the updated README.md:",
        "**Here is the new version:**",
        "Sure, here is the file:",
        "Sure! Here you go, the Script:",
        "Certainly! Below is main.rs:",
        "Of course. Here are the contents:",
        "I'll write the implementation now:",
        "> Okay, the rest of the document:",
        "Here is `x`:",
        "Below is the config:  ",
        "Continuing the file:",
    ] {
        assert_eq!(taken(&format!("{said}\n\r\n \na: b\n")), (vec![Preamble], "a: b\n".into()), "{said}");
    }
    assert_eq!(
        taken("\r\nSure.\r\nOK\n\nGreat.\nI will.\nAlright\nHere is the file:\nx"),
        (vec![Preamble], "x".into())
    );
    assert_eq!(
        kinds("Sure.\nOK\n\nGreat.\nI will.\nAlright\nSure\nHere is the file:\nx"),
        [],
        "too far down"
    );
    assert_eq!(taken("Here is the file:\n"), (vec![Preamble], String::new()));
}

#[test]
fn prose_at_the_beginning_of_a_file_is_no_preamble() {
    for text in [
        "Here is how to install it:\n\n```sh\nnpm install\n```\n",
        "Install it:\n\n```sh\nnpm install\n```\n",
        "Sure-footed code:\nx\n".replace('-', "").as_str(),
        "Surely the file:\nx\n",
        "This file:\nx\n",
        "The code:\nx\n",
        "Here is the file.\nx\n",
        "Here is the file\nx\n",
        "Here is a list of 3.5 things\n",
        "# Title\n\nHere is the file:\nx\n",
        "Sure.\nfn main() {}\nHere is the file:\nx\n",
        "  \n",
        "",
        "Sure, I will.\n",
        "I have a profile:\nx\n",
        "sure: file\n",
    ] {
        assert_eq!(taken(text), (vec![], text.to_owned()), "{text:?}");
    }
    let long = format!("Here is the {} file:\nx", "very ".repeat(80));
    assert_eq!(kinds(&long), []);
    assert_eq!(kinds(&format!("Here is the file{}:\nx", " ".repeat(382))), [Preamble], "of 400 bytes");
    assert_eq!(kinds(&format!("Here is the file{}:\nx", " ".repeat(383))), []);
}

#[test]
fn a_fence_around_the_whole_file_is_offered() {
    for (text, file) in [
        ("```\na\n```", "a\n"),
        ("\n```rust\r\na\r\n```\r\n\n", "\na\r\n\n"),
        ("````md\n# A\n```sh\nb\n```\nc\n````\n", "# A\n```sh\nb\n```\nc\n"),
        ("```markdown\n# A\n```sh\nb\n```\nc\n```\n", "# A\n```sh\nb\n```\nc\n"),
        ("~~~\na\n```\n~~~~\n", "a\n```\n"),
        ("```\n```\n", ""),
        ("````\n```\n````\n", "```\n"),
        ("```js\n  ```x\n  ```\n```\n", "  ```x\n  ```\n"),
        ("```python\na\n", "a\n"),
        ("```md\n`x` ```y``` z\n```\n", "`x` ```y``` z\n"),
    ] {
        assert_eq!(taken(text), (vec![Fence], file.into()), "{text:?}");
    }
    assert_eq!(offers("```python\na\n", NOTHING), [offer(Fence, 1, "```python …")], "it has no end");
}

#[test]
fn a_file_that_begins_or_ends_with_a_fence_has_none_around_it() {
    for text in [
        "```\nlogo\n```\n\n# Title\n",
        "```sh\na\n```\n\ntext\n\n```sh\nb\n```\n",
        "```\na\n```\ntext\n```\nb\n```\n",
        "text\n```\nb\n```\n",
        "    ```\n    code\n    ```\n",
        "``\na\n``\n",
        "```a`\nb\n```c`\n",
        "~~~\na\n~~~\n~~~\nb\n~~~\n",
        "---\ntitle: x\n---\n```\na\n```\n",
        "1. x\n   ```sh\n   a\n   ```\n",
    ] {
        assert_eq!(taken(text), (vec![], text.to_owned()), "{text:?}");
    }
}

#[test]
fn what_is_said_after_the_fence_is_a_postamble() {
    let after = |said: &str| taken(&format!("```\na\n```\n{said}"));
    for said in [
        "\nI've changed the loop.\n",
        "Let me know!",
        "\n\n**I hope** it helps.\n\n- x\n- y\n",
        "Feel free to ask.\n",
    ] {
        assert_eq!(after(said), (vec![Fence, Postamble], "a\n".into()), "{said:?}");
    }
    let no_offer = |said: &str| assert_eq!(kinds(&format!("```\na\n```\n{said}")), [], "{said:?}");
    no_offer("This file is a list.\n");
    no_offer("I'm a text.\n");
    no_offer("I've\n\n# Heading\n");
    no_offer("I've\n\n```\nb\n```\n");
    no_offer(&format!("I've\n{}", "x\n".repeat(10)));
    no_offer(&format!("I've {}\n", "x".repeat(396)));
    assert_eq!(after(&format!("I've {}\n", "x".repeat(395))).0, [Fence, Postamble]);
    assert_eq!(after(&format!("I've\n\n{}", "x\n".repeat(9))).0, [Fence, Postamble]);
    let announced = "Here is the file:\n```\na\n```\nIt is a list.\n";
    assert_eq!(taken(announced), (vec![Preamble, Fence, Postamble], "a\n".into()));
    let markdown = "Here is the file:\n```\nlogo\n```\n# Title\n";
    assert_eq!(taken(markdown), (vec![Preamble], markdown[18..].into()));
}

#[test]
fn an_answer_that_ends_without_a_fence_is_a_postamble_too() {
    assert_eq!(taken("a\r\n\r\n\nLet me know if you need more!\n\n"), (vec![Postamble], "a\r\n".into()));
    assert_eq!(taken("a\n\nHope this helps."), (vec![Postamble], "a\n".into()));
    for text in [
        "a\nLet me know if you need more!\n",
        "a\n\nFeel free to open an issue.\n",
        "a\n\nLet me know when.\n",
        "Let me know if you need more!\n",
        "\n\nLet me know if you need more!\n",
        "a\n\nLet me know if you need more!\nb\n",
    ] {
        assert_eq!(kinds(text), [], "{text:?}");
    }
    assert_eq!(kinds(&format!("a\n\nHope this helps {}", "x".repeat(384))), [Postamble]);
    assert_eq!(kinds(&format!("a\n\nHope this helps {}", "x".repeat(385))), []);
}

#[test]
fn the_end_of_a_fence_that_is_not_there_is_a_postamble() {
    assert_eq!(taken("a\nb\n```\n\n"), (vec![Postamble], "a\nb\n".into()));
    assert_eq!(taken("# A\n```sh\na\n```\nb\n```"), (vec![Postamble], "# A\n```sh\na\n```\nb\n".into()));
    assert_eq!(taken("a\n~~~\nb\n~~~\n   ```\n"), (vec![Postamble], "a\n~~~\nb\n~~~\n".into()));
    assert_eq!(kinds("a\n```sh\n"), [], "it opens one");
    assert_eq!(kinds("a\n~~~\n```\n"), [], "inside of another");
}

#[test]
fn bad_characters_are_offered_with_their_numbers() {
    let text = "a\n\u{fffd}\0b\u{1b}\0\r\n\t";
    let all = offer(Characters, 2, "2 × U+0000, 1 × U+001B, 1 × U+FFFD");
    assert_eq!((offers(text, NOTHING), remove(text, &ALL, NOTHING)), (vec![all], "a\nb\r\n\t".into()));
    let had = Around { allowed: Allowed::new(true, ""), ..NOTHING };
    let some = offer(Characters, 2, "2 × U+0000, 1 × U+001B");
    assert_eq!((offers(text, had), remove(text, &ALL, had)), (vec![some], "a\n\u{fffd}b\r\n\t".into()));
    assert_eq!(remove(text, &[Preamble, Fence, Postamble], NOTHING), text);
}

/// What is taken out of a file of code, and what is left.
fn of_code(text: &str) -> (Vec<RemovalKind>, String) {
    let kinds = offers(text, CODE).into_iter().map(|offer| offer.kind).collect();
    (kinds, remove(text, &ALL, CODE))
}

#[test]
fn around_code_prose_is_known_in_any_language() {
    for said in [
        "Here is the file:",
        "Hier ist die Datei:",
        "好的，下面是文件内容：",
        "Voici le fichier demandé :",
        "Aquí está el archivo completo:",
        "はい、ファイルの内容です：",
        "Вот содержимое файла:",
        "다음은 파일 내용입니다:",
        "إليك محتوى الملف:",
        "यह रही फ़ाइल की सामग्री:",
        "Ecco il file richiesto:",
        "**src/conf.toml**",
    ] {
        let fenced = format!("{said}\n\n```toml\nkey = 1\n```\n");
        assert_eq!(of_code(&fenced), (vec![Preamble, Fence], "key = 1\n".into()), "{said}");
    }
    for said in ["Hier ist die Datei:", "好的，下面是文件内容：", "Voici le fichier demandé :"] {
        assert_eq!(of_code(&format!("{said}\n\nkey = 1\n")), (vec![Preamble], "key = 1\n".into()), "{said}");
    }
    for said in
        ["Sag Bescheid, wenn noch etwas fehlt!", "如果需要其他修改，请告诉我。", "N'hésitez pas à demander."]
    {
        let both = format!("```toml\nkey = 1\n```\n\n{said}\n");
        assert_eq!(of_code(&both), (vec![Fence, Postamble], "key = 1\n".into()), "{said}");
        assert_eq!(of_code(&format!("key = 1\n\n{said}\n")), (vec![Postamble], "key = 1\n".into()), "{said}");
    }
    for text in [
        "key = 1\n",
        "# A comment that ends with a colon:\n\nkey = 1\n",
        "try:\n\n    pass\n",
        "key = 1\n\n# The end.\n",
    ] {
        assert_eq!(of_code(text), (vec![], text.into()), "{text:?}");
    }
}

#[test]
fn thoughts_before_the_file_are_offered() {
    for thoughts in [
        "<think>\nThe user wants a config.\n</think>\n\n",
        "The user wants a config.\n</think>\n\n",
        "<thinking>I write it.</thinking>\n",
        "[THINK]I write it.[/THINK]\n",
        "◁think▷\nHm.\n◁/think▷\n",
        "<seed:think>\nHm.\n</seed:think>\n",
    ] {
        assert_eq!(
            taken(&format!("{thoughts}key = 1\n")),
            (vec![Reasoning], "key = 1\n".into()),
            "{thoughts}"
        );
    }
    let old = Around { old: "say \"<think>\"\n</think>\n", ..NOTHING };
    assert_eq!(offers("a\n</think>\nb\n", old), [], "the present file has it");
    assert_eq!(kinds("say \"<think>\"\n"), []);
}

#[test]
fn a_line_that_is_nearly_the_end_line_is_offered() {
    // W3: the end line itself is no content.
    for line in [
        "**DONE**",
        "DONE.",
        " DONE",
        "DONE!",
        "# DONE",
        "// DONE",
        "`DONE`",
        "<DONE>",
        "</DONE>",
        "[DONE]",
        "DONE  ",
        "done",
        "-- DONE",
        "/* DONE */",
        "<!-- DONE -->",
        "; DONE",
        "% DONE",
        "_DONE_",
        "~~DONE~~",
        "=== DONE ===",
        "--- DONE ---",
        "DONE:",
        "\tDONE",
        "\"DONE\"",
        "'DONE'",
        "(DONE)",
        "{DONE}",
        "> DONE",
        "**Done**",
        "DONE-1a2b3c4d.",
        "###DONE###",
    ] {
        assert_eq!(taken(&format!("one\ntwo\n{line}\n")), (vec![EndLine], "one\ntwo\n".into()), "{line}");
        assert_eq!(of_code(&format!("one = 1\n{line}\r\n\n")).0, [EndLine], "{line}");
    }
    assert_eq!(taken("That is all. DONE\n"), (vec![EndLine], "That is all.\n".into()));
    let fenced = "```toml\nkey = 1\nDONE\n```\n";
    assert_eq!(of_code(fenced), (vec![Fence, EndLine], "key = 1\n".into()));
    assert_eq!(of_code("```toml\nkey = 1\n```\n**DONE**\n"), (vec![Fence, EndLine], "key = 1\n".into()));
    for text in [
        "DONE\nmore\n",
        "enum { DONE }\n",
        "state = DONE\n",
        "ABANDONED\n",
        "All is done.\n",
        "DONE_STATES\n",
    ] {
        assert_eq!(kinds(text), [], "{text:?}");
    }
    let shell = "for f in *; do\n  echo $f\ndone\n";
    assert_eq!(kinds(shell), [], "a loop ends like this");
    assert_eq!(offers("x\n", Around { path: "a.sh", ..NOTHING }), []);
    assert_eq!(
        offers("a\n**DONE**\n", Around { old: "b\n**DONE**\n", ..NOTHING }),
        [],
        "the present file ends so"
    );
}

#[test]
fn what_is_around_the_present_file_too_is_not_offered() {
    let text = "Here is the file:\n\nx\n\nHope this helps!\n";
    assert_eq!(kinds(text), [Preamble, Postamble]);
    assert_eq!(offers(text, Around { old: "Here is the file:\n\ny\n\nHope this helps!\n", ..NOTHING }), []);
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn nothing_goes_that_was_not_offered(
        text in prop::collection::vec(prop::sample::select(vec![
            "Sure!\n", "Here is the file:\n", "```\n", "```rust\n", "~~~\n", "```", "Let me know if you like\n", "I've done it.\n",
            "# A\n", "a\n", "\n", "\r\n", " ", "é", "\0", "\u{fffd}", "Hope this helps", "Here’s `x`:\r\n", "<think>\n", "</think>\n", "x</think>",
            "**DONE**\n", "That is all. DONE\n", "done", "这是文件的内容：\n", "Das ist ein Satz.\n",
        ]), 0..12).prop_map(|parts| parts.concat()),
        kind in prop::sample::select(ALL.to_vec()),
        around in prop::sample::select(vec![NOTHING, CODE]),
    ) {
        let offers = offers(&text, around);
        let rest = remove(&text, &[kind], around);
        prop_assert_eq!(offers.iter().any(|offer| offer.kind == kind), rest != text);
        // What is left was there, in this order.
        let mut all = text.chars();
        prop_assert!(rest.chars().all(|left| all.any(|character| character == left)));
        let lines = text.split('\n').count() as u32;
        prop_assert!(offers.iter().all(|offer| (1..=lines).contains(&offer.line)));
    }
}
