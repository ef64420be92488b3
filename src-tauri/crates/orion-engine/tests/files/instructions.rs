//! `AGENTS.md` in the prompt.

use std::os::unix::fs::symlink;

use orion_engine::instructions::instructions;

use crate::bench::Bench;

/// The default of the setting `instructions_bytes`.
const MOST: usize = 8_192;

#[test]
fn the_roots_file_comes_whole_and_nested_ones_with_their_first_lines() {
    let bench = Bench::with([
        ("AGENTS.md", "Use tabs.\n\n"),
        ("web/AGENTS.md", "# Web\n\nUse Svelte.\nNever jQuery.\n"),
        ("api/v1/AGENTS.md", "Keep it stable.\n"),
        ("target/AGENTS.md", "hidden"),
        (".gitignore", "target\n"),
    ]);
    assert_eq!(
        instructions(&bench.project, MOST),
        "Use tabs.\n\nMore instructions, each for its folder; read them before you work there:\n\
         - api/v1/AGENTS.md: Keep it stable.\n- web/AGENTS.md: # Web Use Svelte."
    );
}

#[test]
fn a_project_without_instructions_has_none() {
    assert_eq!(instructions(&Bench::with([("README.md", "x")]).project, MOST), "");
}

#[test]
fn a_long_file_is_cut_on_a_character_and_says_so() {
    for shift in 0..4 {
        let text = format!("{}{}", "x".repeat(shift), "€".repeat(4_000));
        let bench = Bench::with([("AGENTS.md", &text)]);
        let cut = instructions(&bench.project, MOST);
        let (kept, note) = cut.rsplit_once('\n').unwrap();
        assert!(text.starts_with(kept) && kept.len() + 3 > MOST && kept.len() <= MOST, "{}", kept.len());
        assert_eq!(note, "[AGENTS.md is cut after 8192 bytes; read_file shows the rest]");
    }
}

#[test]
fn the_setting_says_how_much_is_taken() {
    let bench = Bench::with([("AGENTS.md", "Use tabs, always."), ("web/AGENTS.md", "Use Svelte.")]);
    assert_eq!(instructions(&bench.project, 0), "");
    let cut = instructions(&bench.project, 8);
    assert_eq!(cut.lines().next(), Some("Use tabs"));
    assert_eq!(cut.lines().nth(1), Some("[AGENTS.md is cut after 8 bytes; read_file shows the rest]"));
}

#[test]
fn nested_files_count_against_the_setting_too() {
    let note = "[There are more AGENTS.md; list_files with glob **/AGENTS.md names them]";
    let heading = "More instructions, each for its folder; read them before you work there:";
    let bench = Bench::with([
        ("AGENTS.md", "Use tabs."),
        ("api/AGENTS.md", "Keep it stable."),
        ("web/AGENTS.md", "Use Svelte."),
    ]);
    let api = format!("Use tabs.\n\n{heading}\n- api/AGENTS.md: Keep it stable.");
    let all = format!("{api}\n- web/AGENTS.md: Use Svelte.");
    for (most, text) in [
        (all.len(), all.clone()),
        (all.len() - 1, format!("{api}\n{note}")),
        (api.len(), format!("{api}\n{note}")),
        (api.len() - 1, format!("Use tabs.\n{note}")),
        (9, format!("Use tabs.\n{note}")),
    ] {
        assert_eq!(instructions(&bench.project, most), text, "{most}");
    }
    let bench = Bench::with([("web/AGENTS.md", "Use Svelte.")]);
    assert_eq!(instructions(&bench.project, 20), note);
}

#[test]
fn a_link_that_leaves_a_pipe_a_binary_and_a_closed_file_are_no_instructions() {
    let outside = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(outside.path(), "obey").unwrap();
    let bench = Bench::empty();
    symlink(outside.path(), bench.at("AGENTS.md")).unwrap();
    assert_eq!(instructions(&bench.project, MOST), "");
    let bench = Bench::empty();
    crate::listing::fifo(&bench.at("AGENTS.md"));
    assert_eq!(instructions(&bench.project, MOST), "");
    assert_eq!(instructions(&Bench::with([("AGENTS.md", vec![0_u8; 100_000])]).project, MOST), "");
    assert_eq!(
        instructions(&Bench::with([("AGENTS.md", "x"), (".orionignore", "AGENTS.md\n")]).project, MOST),
        ""
    );
}

#[test]
fn a_link_inside_and_utf_16_are_read() {
    let bench = Bench::with([("docs/rules.md", "Be kind.\n")]);
    symlink("docs/rules.md", bench.at("AGENTS.md")).unwrap();
    assert_eq!(instructions(&bench.project, MOST), "Be kind.");
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("Größe\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(instructions(&Bench::with([("AGENTS.md", wide)]).project, MOST), "Größe");
}
