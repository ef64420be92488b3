//! `AGENTS.md` in the prompt.

use std::time::Duration;

use orion_files::workspace::Project;

use crate::bench::Bench;

/// The default of the setting `instructions_bytes`.
const MOST: usize = 8_192;

/// No machine is too slow for this.
const LONG: Duration = Duration::from_secs(3_600);

fn instructions(project: &Project, most: usize) -> String {
    orion_engine::instructions::instructions(project, most, LONG)
}

#[test]
fn the_roots_file_comes_first_and_nested_ones_follow_whole_nearest_to_the_root_first() {
    let bench = Bench::with([
        ("AGENTS.md", "Use tabs.\n\n"),
        ("web/AGENTS.md", "# Web\n\nUse Svelte.\nNever jQuery.\n"),
        ("api/v1/AGENTS.md", "Keep it stable.\n"),
        ("docs/AGENTS.md", " \n"),
        ("target/AGENTS.md", "hidden"),
        (".gitignore", "target\n"),
    ]);
    assert_eq!(
        instructions(&bench.project, MOST),
        "Use tabs.\n\nweb/AGENTS.md, for what is in web/:\n# Web\n\nUse Svelte.\nNever jQuery.\n\n\
         api/v1/AGENTS.md, for what is in api/v1/:\nKeep it stable."
    );
    let bench = Bench::with([("web/AGENTS.md", "Use Svelte.")]);
    assert_eq!(instructions(&bench.project, MOST), "web/AGENTS.md, for what is in web/:\nUse Svelte.");
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
fn nested_files_share_the_room_and_those_without_are_named() {
    let bench = Bench::with([
        ("AGENTS.md", "Use tabs."),
        ("api/AGENTS.md", "Keep it stable."),
        ("web/AGENTS.md", "Use Svelte."),
        ("web/d/AGENTS.md", "x"),
    ]);
    let root = "Use tabs.";
    let api = "\n\napi/AGENTS.md, for what is in api/:\nKeep it stable.";
    let web = "\n\nweb/AGENTS.md, for what is in web/:\nUse Svelte.";
    let deep = "\n\nweb/d/AGENTS.md, for what is in web/d/:\nx";
    let left_out = |names: &str| format!("\n[Not shown, read them before you work there: {names}]");
    let two = root.len() + api.len() + web.len();
    for (most, text) in [
        (two + deep.len(), format!("{root}{api}{web}{deep}")),
        (two + deep.len() - 1, format!("{root}{api}{web}{}", left_out("web/d/AGENTS.md"))),
        // What is smaller takes the room that a larger one could not.
        (two - 1, format!("{root}{api}{deep}{}", left_out("web/AGENTS.md"))),
        (9, format!("{root}{}", left_out("api/AGENTS.md, web/AGENTS.md, web/d/AGENTS.md"))),
    ] {
        assert_eq!(instructions(&bench.project, most), text, "{most}");
    }
    let bench = Bench::with([("web/AGENTS.md", "Use Svelte.")]);
    assert_eq!(instructions(&bench.project, 8), left_out("web/AGENTS.md").trim_start());
}

#[test]
fn beyond_fifty_files_the_rest_is_named_as_far_as_it_is_short() {
    let bench = Bench::empty();
    for number in 0..90 {
        bench.write(format!("d{number:02}/AGENTS.md"), "x");
    }
    let text = instructions(&bench.project, MOST);
    assert_eq!(text.matches(", for what is in ").count(), 50);
    let (shown, note) = text.rsplit_once('\n').unwrap();
    assert!(shown.ends_with("d49/AGENTS.md, for what is in d49/:\nx"), "{shown}");
    let named: Vec<String> = (50..76).map(|number| format!("d{number}/AGENTS.md")).collect();
    assert_eq!(
        note,
        format!("[Not shown, read them before you work there: {} and 14 more]", named.join(", "))
    );
    let long = "€".repeat(66);
    let bench = Bench::empty();
    bench.write(format!("{long}/{long}/AGENTS.md"), "much");
    let note = "[Not shown: 1 AGENTS.md in folders below; list_files with glob **/AGENTS.md names them]";
    assert_eq!(instructions(&bench.project, 3), note);
}

#[test]
fn what_was_not_looked_through_in_time_is_said() {
    let bench = Bench::with([("AGENTS.md", "Use tabs."), ("web/AGENTS.md", "Use Svelte.")]);
    let text = orion_engine::instructions::instructions(&bench.project, MOST, Duration::ZERO);
    let note =
        "[Not all folders were looked through for AGENTS.md; list_files with glob **/AGENTS.md names all]";
    assert_eq!(text, format!("Use tabs.\n{note}"));
}

#[cfg(unix)]
#[test]
fn a_link_that_leaves_a_pipe_a_binary_and_a_closed_file_are_no_instructions() {
    use std::os::unix::fs::symlink;

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

#[cfg(unix)]
#[test]
fn a_link_inside_and_utf_16_are_read() {
    use std::os::unix::fs::symlink;

    let bench = Bench::with([("docs/rules.md", "Be kind.\n")]);
    symlink("docs/rules.md", bench.at("AGENTS.md")).unwrap();
    assert_eq!(instructions(&bench.project, MOST), "Be kind.");
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("Größe\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(instructions(&Bench::with([("AGENTS.md", wide)]).project, MOST), "Größe");
}

#[cfg(unix)]
#[test]
fn it_is_said_why_a_file_is_not_sent() {
    use std::os::unix::fs::symlink;

    use orion_engine::instructions::unsent;

    let said = |prepare: &dyn Fn(&Bench)| {
        let bench = Bench::with([("README.md", "x")]);
        prepare(&bench);
        unsent(&bench.project).map(|problem| problem.message)
    };
    let write =
        |bytes: &'static [u8]| move |bench: &Bench| std::fs::write(bench.at("AGENTS.md"), bytes).unwrap();
    assert_eq!(said(&|_| {}), None);
    assert_eq!(said(&write(b"Use tabs. caf\xe9\n")), None);
    assert_eq!(said(&write(b"")), None);
    assert_eq!(said(&write(b"one\0two\n")).unwrap(), "AGENTS.md is not sent to the model: it is no text.");
    let linked = |to: &'static str| move |bench: &Bench| symlink(to, bench.at("AGENTS.md")).unwrap();
    assert_eq!(said(&linked("README.md")), None);
    assert_eq!(
        said(&linked("nowhere")).unwrap(),
        "AGENTS.md is not sent to the model: it is a link that leads nowhere."
    );
    assert_eq!(
        said(&linked("../elsewhere")).unwrap(),
        "AGENTS.md is not sent to the model: `AGENTS.md` leads out of the project through a link."
    );
    assert_eq!(
        said(&|bench| std::fs::create_dir(bench.at("AGENTS.md")).unwrap()).unwrap(),
        "AGENTS.md is not sent to the model: `AGENTS.md` is a folder."
    );
    // Who closes it means it.
    let closed = |bench: &Bench| {
        std::fs::write(bench.at("AGENTS.md"), "x").unwrap();
        std::fs::write(bench.at(".orionignore"), "AGENTS.md\n").unwrap();
    };
    assert_eq!(said(&closed), None);
}
