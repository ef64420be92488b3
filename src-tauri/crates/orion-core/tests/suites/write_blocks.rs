//! Edits as search/replace blocks (W1): how they are read, what they make of a file, and what is said of those that do not fit.

use crate::thorough::cases;
use orion_core::write::apply;
use orion_core::write::blocks::{Block, parse, put_in};
use orion_protocol::{FaultKind, WriteFault};
use proptest::prelude::*;

use FaultKind::{BlockAmbiguous, BlockMalformed, BlockMissing, BlockOverlaps};

fn block<'a>(line: u32, search: &'a str, replace: &'a str) -> Block<'a> {
    Block { line, search, replace }
}

fn fault(kind: FaultKind, line: u32, what: &str, context: &str) -> WriteFault {
    WriteFault { kind, line, column: 1, what: what.into(), context: context.into() }
}

#[test]
fn blocks_are_read_in_their_order() {
    let content = "Here are the changes:\n```\n<<<<<<< SEARCH\na\n\n b\n=======\nc\n>>>>>>> REPLACE\n```\n\n\
                   <<<<<<< SEARCH\r\nd\r\n=======\r\n>>>>>>> REPLACE \t\r\n<<<<<<< SEARCH\n=======\ne\n>>>>>>> REPLACE";
    let blocks = [block(3, "a\n\n b\n", "c\n"), block(12, "d\r\n", ""), block(16, "", "e\n")];
    assert_eq!(parse(content).unwrap(), blocks);
}

#[test]
fn lines_like_markers_are_content_when_the_markers_have_more_signs() {
    let content = "<<<<<<<< SEARCH\n<<<<<<< SEARCH\n=======\n=========\n========\n=======\n>>>>>>> REPLACE\n>>>>>>>>> REPLACE\n>>>>>>>> REPLACE\n";
    let search = "<<<<<<< SEARCH\n=======\n=========\n";
    let replace = "=======\n>>>>>>> REPLACE\n>>>>>>>>> REPLACE\n";
    assert_eq!(parse(content).unwrap(), [block(1, search, replace)]);
    let inside = " <<<<<<< SEARCH\n<<<<<<< HEAD\n<<<<<<<SEARCH\n======= x\n";
    let content = format!("<<<<<<< SEARCH\n{inside}=======\n{inside}>>>>>>> REPLACE\n");
    assert_eq!(parse(&content).unwrap(), [block(1, inside, inside)]);
}

#[test]
fn a_marker_that_is_missing_or_too_many_is_a_fault() {
    let begins = "a line like a marker outside of a block, which begins with <<<<<<< SEARCH";
    let no_block = "there is no block, which begins with <<<<<<< SEARCH";
    let cut = "the content ends before this block does";
    for (content, expected) in [
        ("", vec![(1, no_block, "")]),
        ("no\nblock\n", vec![(1, no_block, "no")]),
        ("<<<< SEARCH\n", vec![(1, no_block, "<<<< SEARCH")]),
        ("x\n<<<<< SEARCH\n", vec![(2, begins, "<<<<< SEARCH")]),
        ("<<<<<<< HEAD\n", vec![(1, begins, "<<<<<<< HEAD")]),
        ("  <<<<<<< SEARCH\n", vec![(1, begins, "  <<<<<<< SEARCH")]),
        ("=======\n>>>>>>> REPLACE\n", vec![(1, begins, "======="), (2, begins, ">>>>>>> REPLACE")]),
        ("<<<<<<< SEARCH\na\n", vec![(1, cut, "<<<<<<< SEARCH")]),
        ("\n<<<<<<< SEARCH\na\n=======\nb\n", vec![(2, cut, "<<<<<<< SEARCH")]),
        (
            "<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n",
            vec![(3, "a block ends that has no =======", ">>>>>>> REPLACE")],
        ),
        (
            "<<<<<<< SEARCH\na\n<<<<<<< SEARCH\nb\n=======\n>>>>>>> REPLACE\n",
            vec![(3, "a block begins, but the one before it has no =======", "<<<<<<< SEARCH")],
        ),
        (
            "<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n",
            vec![(5, "a block begins, but the one before it has no >>>>>>> REPLACE", "<<<<<<< SEARCH")],
        ),
        (
            "<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nd\n",
            vec![
                (
                    5,
                    "a second ======= in one block; if the text has such lines, give all markers of the block more signs",
                    "=======",
                ),
                (8, cut, "<<<<<<< SEARCH"),
            ],
        ),
    ] {
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(line, what, context)| fault(BlockMalformed, line, what, context))
            .collect();
        assert_eq!(parse(content), Err(expected), "{content:?}");
    }
}

#[test]
fn what_blocks_put_in_stands_alone_on_its_lines() {
    let edit = "word\n<<<<<<< SEARCH\na\nb\n=======\nc\n>>>>>>> REPLACE\n\n<<<<<<< SEARCH\n=======\nd\ne\n>>>>>>> REPLACE\nx";
    assert_eq!(put_in(edit).unwrap(), "\n\n\n\n\nc\n\n\n\n\nd\ne\n");
    assert_eq!(put_in("<<<<<<< SEARCH\na\n"), None);
}

fn edited(old: &str, blocks: &[(&str, &str)]) -> String {
    let blocks: Vec<_> = blocks.iter().map(|(search, replace)| block(1, search, replace)).collect();
    apply(old, &blocks).unwrap()
}

#[test]
fn only_the_lines_that_are_replaced_change() {
    let old = "\u{feff}one\r\n  two  \nthree\n\n\tfour\0\r\rfive";
    assert_eq!(edited(old, &[("three\n", "3\nand more\n")]), old.replace("three\n", "3\nand more\n"));
    assert_eq!(edited(old, &[("  two\nthree\n", "")]), old.replace("  two  \nthree\n", ""));
    assert_eq!(edited(old, &[("three\n", "three\n")]), old);
    assert_eq!(
        edited("a\nb\nc\nd\n", &[("d\n", "D\n"), ("a\n", "A\n"), ("c\n", ""), ("b\n", "b\nB\n")]),
        "A\nb\nB\nD\n"
    );
}

#[test]
fn white_space_at_the_ends_of_lines_and_line_ends_may_differ_and_nothing_else() {
    for search in ["a\n\n b\n", "a \r\n\t\n b\t\r\n", "a\u{a0}\n\r\n b"] {
        assert_eq!(edited("x\na  \r\n \r\n b\r\ny\r\n", &[(search, "c\n")]), "x\nc\r\ny\r\n", "{search:?}");
    }
    for search in ["a\n\nb\n", "a\n b\n", " a\n", "A\n", "\na\n", "a\n\n b\n\n", "x\n\n"] {
        let faults = apply("x\na  \r\n \r\n b\r\ny\r\n", &[block(1, search, "")]).unwrap_err();
        assert_eq!(faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [BlockMissing], "{search:?}");
    }
}

#[test]
fn a_line_takes_the_line_end_of_the_line_whose_place_it_takes() {
    assert_eq!(edited("a\r\nb\nc\r\n", &[("a\nb\n", "1\n2\n3\n")]), "1\r\n2\n3\nc\r\n");
    assert_eq!(edited("a\r\nb\nc\r\n", &[("a\nb\n", "1\n")]), "1\r\nc\r\n");
    assert_eq!(edited("a\nb\n", &[("b\n", "1 \r\n2\r\r\n")]), "a\n1 \n2\r\n");
}

#[test]
fn where_cr_alone_ends_lines_a_line_is_found_and_keeps_it() {
    let old = "alpha\rbeta\r\rgamma";
    assert_eq!(edited(old, &[("beta\n", "BETA\n")]), "alpha\rBETA\r\rgamma");
    assert_eq!(edited(old, &[("beta\n\n", "1\n2\r\n3\n")]), "alpha\r1\r2\r3\rgamma");
    assert_eq!(edited(old, &[("gamma\n", "c\nd\n"), ("alpha\n", "")]), "beta\r\rc\rd");
    assert_eq!(nearest(old, "betta\n"), "2: beta");
    let faults = apply("a\rb\ra\r", &[block(1, "a\n", "")]).unwrap_err();
    assert_eq!((faults[0].kind, faults[0].context.as_str()), (BlockAmbiguous, "1: a\n…\n2: b\n3: a"));
}

#[test]
fn a_file_without_a_final_line_end_stays_so() {
    assert_eq!(edited("a\r\nb", &[("b\n", "c\n")]), "a\r\nc");
    assert_eq!(edited("a\r\nb", &[("b\n", "c\nd\ne\n")]), "a\r\nc\r\nd\r\ne");
    assert_eq!(edited("a\nb", &[("a\nb\n", "c\n")]), "c");
    assert_eq!(edited("x\na\r\nb", &[("a\nb\n", "c\nd\ne\n")]), "x\nc\r\nd\r\ne");
    assert_eq!(edited("x\r\na\nb", &[("a\n", "A\n"), ("b\n", "c\nd\n")]), "x\r\nA\nc\nd");
    assert_eq!(
        edited("x\r\na\nb", &[("a\n", ""), ("b\n", "c\nd\n")]),
        "x\r\nc\nd",
        "as the line that was above"
    );
    assert_eq!(edited("b", &[("b\n", "c\r\nd\n")]), "c\r\nd", "there is no line end to go by");
    assert_eq!(edited("a\nb", &[("b\n", "")]), "a\n", "the line before stays whole");
    assert_eq!(edited("a\nb", &[("a\n", "")]), "b");
    assert_eq!(edited("b", &[("b\n", "")]), "");
}

#[test]
fn an_empty_search_text_is_for_an_empty_file_only() {
    assert_eq!(edited("", &[("", "a\r\nb\n")]), "a\r\nb\n");
    let what = "block 1 has no search text, which only an empty file allows";
    assert_eq!(apply("\n", &[block(3, "", "a\n")]), Err(vec![fault(BlockMalformed, 3, what, "")]));
    let what = "block 2 replaces lines that block 1 replaces";
    let both = [block(1, "", "a\n"), block(5, "", "a\n")];
    assert_eq!(apply("", &both), Err(vec![fault(BlockOverlaps, 5, what, "")]));
    let what = "the search text of block 1 is not in the file";
    assert_eq!(apply("", &[block(1, "a\n", "")]), Err(vec![fault(BlockMissing, 1, what, "")]));
    assert_eq!(edited("a\n\nb\n", &[("\n", "x\n")]), "a\nx\nb\n", "a blank line is a search text");
}

#[test]
fn a_search_text_that_is_there_more_than_once_is_refused_with_its_places() {
    let old = "one\n  end\ntwo\n  end\n";
    assert_eq!(
        apply(old, &[block(7, "  end\n", "")]),
        Err(vec![fault(
            BlockAmbiguous,
            7,
            "the search text of block 1 is in the file more than once, at lines 2 and 4",
            "1: one\n2:   end\n…\n3: two\n4:   end"
        )])
    );
    let what = |old: &str, search: &str| apply(old, &[block(1, search, "")]).unwrap_err()[0].what.clone();
    let at =
        |lines: &str| format!("the search text of block 1 is in the file more than once, at lines {lines}");
    assert_eq!(what("x\nx\nx\nx\nx\n", "x\n"), at("1, 2, 3, 4 and 5"));
    assert_eq!(what("x\nx\nx\nx\nx\nx\nx\n", "x\n"), at("1, 2, 3, 4, 5 and others"));
    assert_eq!(what("x\nx\nx\n", "x\nx\n"), at("1 and 2"), "also when its places overlap");
    let context = apply("x\nx\n", &[block(1, "x\n", "")]).unwrap_err()[0].context.clone();
    assert_eq!(context, "1: x\n…\n1: x\n2: x");
}

#[test]
fn blocks_that_replace_the_same_lines_are_refused() {
    let old = "a\nb\nc\nd\n";
    let blocks = [block(1, "b\nc\n", ""), block(5, "a\nb\n", ""), block(9, "d\n", "e\n")];
    let what = "block 1 replaces lines that block 2 replaces";
    assert_eq!(apply(old, &blocks), Err(vec![fault(BlockOverlaps, 1, what, "2: b")]));
    let blocks = [block(1, "b\nc\n", ""), block(5, "b\nc\n", "")];
    let what = "block 2 replaces lines that block 1 replaces";
    assert_eq!(apply(old, &blocks), Err(vec![fault(BlockOverlaps, 5, what, "2: b\n3: c")]));
    assert_eq!(edited(old, &[("c\n", "C\n"), ("a\nb\n", "A\n")]), "A\nC\nd\n", "side by side is no overlap");
}

#[test]
fn all_faults_come_in_one_batch_by_their_lines_and_fifty_with_their_contexts() {
    let old = "a\nb\nb\nc\n";
    let blocks = [
        block(1, "c\n", ""),
        block(2, "nowhere\n", ""),
        block(3, "b\n", ""),
        block(4, "c\n", ""),
        block(5, "", ""),
    ];
    let kinds: Vec<_> =
        apply(old, &blocks).unwrap_err().iter().map(|fault| (fault.line, fault.kind)).collect();
    assert_eq!(kinds, [(2, BlockMissing), (3, BlockAmbiguous), (4, BlockOverlaps), (5, BlockMalformed)]);
    for search in ["nothing like b\n", "b\n"] {
        let old = old.replace("c\n", "nothing like a\n");
        let many: Vec<_> = (0..60).map(|line| block(line, search, "")).collect();
        let faults = apply(&old, &many).unwrap_err();
        let with_context: Vec<_> =
            faults.iter().filter(|fault| !fault.context.is_empty()).map(|fault| fault.line).collect();
        assert_eq!((faults.len(), with_context), (60, (0..50).collect()), "{search}");
    }
}

#[test]
fn an_edit_of_more_than_a_thousand_blocks_is_refused() {
    let lines: Vec<String> = (0..=1_000).map(|at| format!("{at}\n")).collect();
    let blocks: Vec<_> = lines.iter().map(|line| block(7, line, "x\n")).collect();
    let old = lines.concat();
    assert!(apply(&old, &blocks[..1_000]).is_ok());
    let what = "there are more than 1,000 blocks; write the whole file instead";
    assert_eq!(apply(&old, &blocks), Err(vec![fault(FaultKind::BlockMalformed, 7, what, "")]));
}

fn nearest(old: &str, search: &str) -> String {
    let faults = apply(old, &[block(1, search, "")]).unwrap_err();
    assert_eq!((faults.len(), faults[0].kind), (1, BlockMissing));
    faults[0].context.clone()
}

#[test]
fn a_missing_search_text_is_shown_the_nearest_lines() {
    let old = "fn one() {\n    first();\n}\n\nfn two() {\n\tsecond(1, 2);\n    third();\n}\n";
    assert_eq!(
        nearest(old, "fn two() {\n    second(1);\n    third();\n}\n"),
        "5: fn two() {\n6: \\tsecond(1, 2);\n7:     third();\n8: }",
        "most of the lines are here"
    );
    assert_eq!(nearest(old, "third();\n"), "7:     third();", "but for the white space before it");
    assert_eq!(nearest(old, "second(2, 1);\n"), "6: \\tsecond(1, 2);", "the line that is most like it");
    assert_eq!(
        nearest(old, "}\n  second(2, 1);\n}\n"),
        "5: fn two() {\n6: \\tsecond(1, 2);\n7:     third();",
        "a brace is no place"
    );
    assert_eq!(nearest(old, "}}}\n}\n"), "2:     first();\n3: }", "but better than none");
    assert_eq!(nearest(old, "@\n"), "");
    assert_eq!(nearest("x\ny\n", "y\nx\n"), "1: x\n2: y", "the first of two that are as near");
    assert_eq!(
        nearest(old, "zero\nfn one() {\n"),
        "1: fn one() {\n2:     first();",
        "it would begin before the file"
    );
}

#[test]
fn the_line_that_is_most_like_one_is_the_first_with_the_largest_share_of_pairs_in_common() {
    assert_eq!(nearest("alpha beta x\nother\nalpha beta x\n", "alpha beta y\n"), "1: alpha beta x");
    let long = "abcdef ghijklmnopqrstuvwxyz 0123456789";
    assert_eq!(nearest(&format!("{long}\nabcde!\n"), "abcdef\n"), "2: abcde!", "five of many are few");
    assert_eq!(nearest("abcXY\nabcdefuvwxyz!\n", "abcdef\n"), "2: abcdefuvwxyz!", "of both lines' pairs");
}

#[test]
fn what_is_shown_of_the_file_is_twelve_lines_of_200_characters() {
    let old: String = (1..=40).map(|line| format!("the line {line}\n")).collect();
    let shown = nearest(&old, &format!("{old}and\n"));
    assert_eq!((shown.lines().count(), shown.lines().last()), (12, Some("12: the line 12")));
    assert_eq!(nearest(&"ab".repeat(200), "ab\n"), format!("1: {}…", "ab".repeat(100)[..199].to_owned()));
}

#[test]
fn a_line_that_is_everywhere_does_not_drown_the_others() {
    // Forty times forty places.
    let same = "the same line\n".repeat(40);
    let old = format!("{same}{}start here\n", "other\n".repeat(60));
    assert!(nearest(&old, &format!("{same}start here\n")).starts_with("61: other\n"));
    let old = format!("{}start here\nmiddle\n", "the same line\n".repeat(5000));
    assert_eq!(
        nearest(&old, "the same line\nstart here\nmuddle\n"),
        "5000: the same line\n5001: start here\n5002: middle"
    );
}

#[test]
fn lines_are_told_apart_however_many_there_are() {
    let line = |number: usize| format!("line {number}\n");
    let search: String = (1..=40_000).map(line).collect();
    assert_eq!(edited(&format!("x\n{search}y\n"), &[(&search, "z\n")]), "x\nz\ny\n");
    for (one, other) in [(5, 6), (5, 5 + 128), (5, 5 + 16_384), (300, 300 + 256), (300, 300 + 128 * 128)] {
        let old = search.replace(&line(one), &line(other));
        let faults = apply(&old, &[block(1, &search, "")]).unwrap_err();
        assert_eq!((faults.len(), faults[0].kind), (1, BlockMissing), "{one} and {other}");
    }
    // Numbers are not found across the borders of others.
    let old: String = (1..128).map(|number| format!("line {number}\nother\n")).collect();
    let searches: Vec<_> = (1..=128).map(line).collect();
    let blocks: Vec<_> = (1..).zip(&searches).map(|(at, search)| block(at, search, "")).collect();
    let faults = apply(&old, &blocks).unwrap_err();
    assert_eq!(
        faults.iter().map(|fault| (fault.line, fault.kind)).collect::<Vec<_>>(),
        [(128, BlockMissing)]
    );
}

/// Lines that are often the same.
fn lines(most: usize) -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(
        prop::sample::select(vec!["a", "b", "c", "}", "", " a", "long line", "é", "d", "e", "f"]),
        0..most,
    )
}

fn text(lines: &[&str], ends: &[&str]) -> String {
    lines.iter().zip(ends.iter().cycle()).map(|(line, end)| format!("{line}{end}")).collect()
}

fn ends() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(vec!["\n", "\r\n", " \n", "\t\r\n"]), 1..4)
}

proptest! {
    #![proptest_config(cases(20_000))]

    /// Held against a reading of the rules that tries each line of the file for each block.
    #[test]
    fn an_edit_does_what_trying_every_line_does(
        old in lines(14), old_ends in ends(), is_open in any::<bool>(),
        blocks in prop::collection::vec((lines(4), lines(4)), 1..4), block_ends in ends(),
    ) {
        let mut file = text(&old, &old_ends);
        if is_open {
            file.truncate(file.trim_end_matches(['\n', '\r', '\t', ' ']).len());
        }
        let file_lines: Vec<&str> = file.split_inclusive('\n').collect();
        let texts: Vec<_> = blocks.iter().map(|(search, replace)| (text(search, &block_ends), text(replace, &block_ends))).collect();
        let given: Vec<_> = (1..).zip(&texts).map(|(line, (search, replace))| block(line, search, replace)).collect();
        let mut kinds = Vec::new();
        let mut places: Vec<(usize, usize, usize)> = Vec::new();
        for (at, (search, _)) in blocks.iter().enumerate() {
            let same = |start: &usize| {
                file_lines.len() >= start + search.len()
                    && search.iter().zip(&file_lines[*start..]).all(|(one, other)| one.trim_end() == other.trim_end())
            };
            let found: Vec<_> = (0..=file_lines.len()).filter(same).collect();
            match found.len() {
                _ if search.is_empty() && !file.is_empty() => kinds.push((at as u32 + 1, BlockMalformed)),
                0 => kinds.push((at as u32 + 1, BlockMissing)),
                1 => places.push((found[0], found[0] + search.len(), at)),
                _ => kinds.push((at as u32 + 1, BlockAmbiguous)),
            }
        }
        places.sort_by_key(|place| place.0);
        for (one, other) in places.iter().zip(places.iter().skip(1)) {
            if other.0 < one.1 || (file.is_empty() && other.0 == one.0) {
                kinds.push((other.2 as u32 + 1, BlockOverlaps));
            }
        }
        kinds.sort_by_key(|kind| kind.0);
        match apply(&file, &given) {
            Err(faults) => {
                prop_assert_eq!(faults.iter().map(|fault| (fault.line, fault.kind)).collect::<Vec<_>>(), kinds);
            }
            Ok(result) => {
                prop_assert_eq!(&kinds, &[]);
                // Lines are where they belong, those that stay to the byte.
                let mut expected: Vec<(&str, bool)> = Vec::new();
                let mut from = 0;
                for (start, end, at) in &places {
                    expected.extend(file_lines[from..*start].iter().map(|line| (*line, true)));
                    expected.extend(given[*at].replace.split_inclusive('\n').map(|line| (line, false)));
                    from = *end;
                }
                expected.extend(file_lines[from..].iter().map(|line| (*line, true)));
                let result: Vec<&str> = result.split_inclusive('\n').collect();
                // A blank line in place of the end of a file without a final line end is nothing.
                let at_end = |(_, end, at): &(usize, usize, usize)| *end == file_lines.len() && !given[*at].replace.is_empty();
                let open_end = !file.is_empty() && !file.ends_with('\n') && places.last().is_some_and(at_end);
                if open_end && expected.last().is_some_and(|(line, stays)| !stays && line.trim_end_matches(['\r', '\n']).is_empty()) {
                    expected.pop();
                }
                prop_assert_eq!(result.len(), expected.len());
                for (line, (wanted, stays)) in result.iter().zip(&expected) {
                    if *stays {
                        prop_assert_eq!(line, wanted);
                    } else {
                        let bare = |line: &str| line.trim_end_matches('\n').trim_end_matches('\r').to_owned();
                        prop_assert_eq!(bare(line), bare(wanted));
                    }
                }
            }
        }
    }
}
