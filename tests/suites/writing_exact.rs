//! An edit, sent as blocks and taken the whole way through decoding, the blocks, composing and a turn: the bytes on disk are those
//! intended, for files of every kind (W1, W8).

use std::fs;

use orion_protocol::WriteStatus;
use support::{Folder, Request, Script, Turn, within};

use crate::driver_desk::{Desk, to_end};
use crate::writing::{approve, begin, until_ready};

#[allow(dead_code, reason = "what else is known of them is for the engine's own tests")]
#[path = "../../src-tauri/crates/orion-files/tests/writing/kinds.rs"]
mod kinds;

use kinds::{Fixture, fixtures, shown};

/// One line of a file, as a model sends it, with another word in it.
struct Edit {
    search: String,
    replace: String,
    /// The text of the file as it then is.
    text: String,
}

impl Edit {
    fn of(Fixture { text, end, .. }: &Fixture) -> Self {
        let is_mac = *end == Some("\r");
        let line_end = if is_mac { '\r' } else { '\n' };
        let Some(line) = text.split_inclusive(line_end).find(|line| line.contains("alpha")) else {
            // Nothing, or a blank line, is what is looked for.
            let (search, end) = if text.is_empty() { ("", "\n") } else { ("\n", *text) };
            return Self { search: search.into(), replace: "omega\n".into(), text: format!("omega{end}") };
        };
        let end = ["\r\n", "\n", "\r", ""].into_iter().find(|end| line.ends_with(end)).unwrap();
        let search = line.trim_end();
        let replace = search.replace("alpha", "omega");
        let text = text.replacen(line, &format!("{replace}{end}"), 1);
        Self { search: format!("{search}\n"), replace: format!("{replace}\n"), text }
    }

    fn block(&self) -> String {
        format!("<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n", self.search, self.replace)
    }
}

/// The end line that the model is asked for: one of the session's own where the file ends in `DONE`.
fn end_line(ask: &Request) -> String {
    let text = ask.last_text();
    text.lines().find(|line| line.starts_with("DONE-")).unwrap_or("DONE").to_owned()
}

#[tokio::test]
async fn an_edit_changes_its_line_and_no_other_byte_whatever_the_file_is_like() {
    let kinds = fixtures();
    assert!(kinds.len() >= 60, "{}", kinds.len());
    let folder = Folder::empty();
    let mut asked = Vec::new();
    for (number, fixture) in kinds.iter().enumerate() {
        fixture.put(&folder.path().join(number.to_string()));
        asked.push((shown(&format!("{number}/{}", fixture.path)), Edit::of(fixture).block()));
    }
    let model = Script::new()
        .forever(move |number, ask| {
            let (path, block) = &asked[(number - 1) / 3];
            match number % 3 {
                1 => Turn::default().call("write_plan_begin", begin(path, "edit")).end("tool_calls"),
                2 => Turn::default().text(block).text(&end_line(ask)).end("stop"),
                _ => Turn::default().text("It is done.").end("stop"),
            }
        })
        .start();
    let desk = Desk::at(&model.base_url(), folder).await;
    for (number, fixture) in kinds.iter().enumerate() {
        let name = fixture.name;
        let path = desk.folder.path().join(number.to_string()).join(fixture.path);
        assert_eq!(fs::read(&path).unwrap(), fixture.old(), "{name}");
        let mut turn = desk.ask(name).await;
        let request_id = turn.request_id();
        let (_, _, proposal) = until_ready(&mut turn).await;
        approve(&desk, request_id, proposal.digest, None).await.unwrap();
        let told = within(name, to_end(turn)).await;
        let report = told.last().unwrap().event.terminal().unwrap();
        assert_eq!(report.writes[0].status, Some(WriteStatus::Written), "{name}");
        assert!(fs::read(&path).unwrap() == fixture.file(&Edit::of(fixture).text), "{name}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, fixture.mode, "{name}");
        }
        assert_eq!(path.is_symlink(), fixture.link, "{name}");
    }
    model.finish();
}
