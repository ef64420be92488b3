use super::*;

/// What a terminal of 30 columns gets of these chunks.
fn shown(chunks: &[&str]) -> String {
    let mut markdown = Markdown::new();
    let mut out = String::new();
    for chunk in chunks {
        out.push_str(markdown.push(chunk, 30).as_str());
    }
    out.push_str(markdown.end().as_str());
    out
}

/// Without the styles.
fn plain(source: &str) -> String {
    anstream::adapter::strip_str(&shown(&[source])).to_string()
}

#[test]
fn marks_of_a_line_become_styles() {
    assert_eq!(
        shown(&["Use **bold**, *italic* and `code`.\n"]),
        "Use \u{1b}[1mbold\u{1b}[0m, \u{1b}[3mitalic\u{1b}[0m and \u{1b}[36mcode\u{1b}[0m.\n"
    );
    assert_eq!(plain("[the guide](docs/guide.md) and <b>\n"), "the guide (docs/guide.md) and\n<b>\n");
    assert_eq!(plain("snake_case and 2 * 3 * 4\n"), "snake_case and 2 * 3 * 4\n");
}

#[test]
fn blocks_are_set_apart() {
    let source = "# Title\n\n- one is long enough to be wrapped\n  1. two\n> said\n\n---\n```rust\nlet **a** = 1;\n```\nEnd";
    assert_eq!(
        plain(source),
        "Title\n\n• one is long enough to be\n  wrapped\n  1. two\n│ said\n\n──────────────────────────────\n```rust\nlet **a** = 1;\n```\nEnd\n"
    );
}

#[test]
fn a_table_has_its_columns_under_one_another_if_it_is_no_wider_than_the_terminal() {
    assert_eq!(
        plain("| a | bc |\n|---|---|\n| 漢字 | **d** |\n\nEnd\n"),
        "a     bc\n────  ──\n漢字  d\n\nEnd\n"
    );
    let wide = "| a | a cell that is wider than it |\n|---|---|\n| b | c |\n";
    assert_eq!(plain(wide), wide);
    assert_eq!(plain("| no table\nat all\n"), "| no table\nat all\n");
}

#[test]
fn wide_characters_take_two_columns_and_a_long_word_is_split() {
    assert_eq!(plain(&"漢".repeat(20)), format!("{}\n{}\n", "漢".repeat(15), "漢".repeat(5)));
    assert_eq!(
        plain(&format!("- {}", "a".repeat(40))),
        format!("• {}\n  {}\n", "a".repeat(28), "a".repeat(12))
    );
}

// T5: how a provider cuts its stream changes nothing.
#[test]
fn however_a_text_is_cut_it_is_shown_the_same() {
    let source = "# A *title*\n\nSome **bold text** and `co de` with [a link](https://example.org/a_b), 2 * 3, x_y_z.\n\n* item\n+ other\n10. tenth\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n````\n```\n````\n***\n> quote\n漢字かな交じり文はここで折り返す。 **open";
    let whole = shown(&[source]);
    let one_by_one: Vec<String> = source.chars().map(String::from).collect();
    let one_by_one: Vec<&str> = one_by_one.iter().map(String::as_str).collect();
    assert_eq!(shown(&one_by_one), whole);
    for length in 2..9 {
        let chars: Vec<char> = source.chars().collect();
        let pieces: Vec<String> = chars.chunks(length).map(|piece| piece.iter().collect()).collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        assert_eq!(shown(&pieces), whole, "in pieces of {length}");
    }
}

#[test]
fn words_are_printed_as_they_come() {
    let mut markdown = Markdown::new();
    assert_eq!(markdown.push("The answer ", 30).as_str(), "The answer");
    assert_eq!(markdown.push("is **not", 30).as_str(), " is");
    assert_eq!(markdown.push(" yet** known", 30).as_str(), " \u{1b}[1mnot\u{1b}[0m \u{1b}[1myet\u{1b}[0m");
    assert_eq!(markdown.push(" ", 30).as_str(), " known");
}

#[test]
fn what_is_held_back_is_bounded() {
    let mut markdown = Markdown::new();
    let mut printed = 0;
    for _ in 0..1_000 {
        printed += markdown.push("**never closed ", 30).len();
    }
    assert!(printed > 12_000, "{printed}");
    assert!(markdown.held.len() <= MOST_HELD + 16, "{}", markdown.held.len());
    let mut markdown = Markdown::new();
    for _ in 0..2_000 {
        _ = markdown.push(&format!("| {} |\n", "x".repeat(100)), 30);
        assert!(markdown.table_bytes <= MOST_TABLE);
    }
}

// A model that would steer the terminal, also by entities that become characters.
#[test]
fn nothing_steers_the_terminal() {
    for hostile in [
        "\u{1b}]0;x\u{7}",
        "&#27;[2J",
        "`\u{1b}[2J`",
        "[a](\u{1b}[2J)",
        "```\n\u{1b}[2J\n```",
        "| \u{1b}[2J |\n|---|\n",
        "\u{9b}2J",
    ] {
        let stripped = plain(hostile);
        let has_control = stripped.chars().any(|c| c.is_control() && c != '\n');
        assert!(!has_control, "{hostile:?} is printed as {stripped:?}");
        assert_eq!(shown(&[hostile]).matches('\u{1b}').count() % 2, 0, "{hostile:?}: only whole styles");
    }
}
