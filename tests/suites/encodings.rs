//! Files in many encodings, each read, searched, and edited in a whole turn. What is read is found. An edit keeps every other
//! byte, and new characters get the bytes of the file's own encoding, or the edit is refused (W5, W8).

mod table;

use std::fs;
use std::sync::{Arc, Mutex};

use orion_protocol::{FaultKind, Op, Reply, TurnEvent};
use serde_json::json;
use support::{Folder, Request, Script, Turn, within};

use crate::driver_desk::Desk;
use crate::writing::begin;
use table::{SAMPLES, Sample};

/// What Orion makes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// It is read right, and takes every character that its encoding has.
    Exact,
    /// Its encoding is not known. It is shown somehow, and takes no character beyond ASCII that it does not show yet.
    Doubtful,
    /// It is said to be no text.
    Binary,
}

impl Sample {
    /// The file, with this behind its last line.
    fn file(&self, added: &[u8]) -> Vec<u8> {
        [self.bytes, added, self.line_end].concat()
    }

    /// In ASCII, as the bytes of this encoding.
    fn plain(&self) -> Vec<u8> {
        // Its line end tells how it writes a character of ASCII.
        let (unit, at) = (self.line_end.len(), self.line_end.iter().position(|&byte| byte != 0).unwrap());
        " plain"
            .bytes()
            .flat_map(|byte| {
                let mut bytes = vec![0; unit];
                bytes[at] = byte;
                bytes
            })
            .collect()
    }

    /// What a model sends as its edit.
    fn block(added: &str) -> String {
        format!("<<<<<<< SEARCH\nlast line\n=======\nlast line {added}\n>>>>>>> REPLACE\nDONE")
    }
}

/// What the model was shown in the turn so far.
#[derive(Debug, Default)]
struct Shown {
    /// Requests of this turn, with those for reading that it leaves out.
    requests: usize,
    /// The first line of the file, as it was read.
    line: String,
    searched: String,
}

/// What the model is to do in a turn.
#[derive(Debug, Default)]
struct Task {
    path: String,
    /// What it adds to the last line.
    added: &'static str,
    /// It reads the file first, and searches it for its own first line.
    reads: bool,
    shown: Shown,
}

impl Task {
    /// The model's answer. When it must correct what it added, it adds other characters.
    fn answer(&mut self, ask: &Request) -> Turn {
        let Self { path, added, reads, shown } = self;
        let last = ask.last_text();
        if last.contains("cannot be written as it is") {
            return Turn::default().text(&Sample::block("plain")).end("stop");
        }
        shown.requests += if *reads || shown.requests > 0 { 1 } else { 3 };
        match shown.requests {
            1 => Turn::default().call("read_file", json!({ "path": path })).end("tool_calls"),
            2 => {
                let line = last.lines().find_map(|line| line.strip_prefix("1\t")).unwrap_or("nothing");
                shown.line = line.to_owned();
                let pattern = json!({"pattern": line, "literal": true, "path": path});
                Turn::default().call("search_files", pattern).end("tool_calls")
            }
            3 => {
                shown.searched = last.to_owned();
                Turn::default().call("write_plan_begin", begin(path, "edit")).end("tool_calls")
            }
            4 if last.contains("<<<<<<< SEARCH") => Turn::default().text(&Sample::block(added)).end("stop"),
            _ => Turn::default().text("It is done.").end("stop"),
        }
    }
}

/// A desk with each file, and the task of its model.
struct Office {
    desk: Desk,
    task: Arc<Mutex<Task>>,
}

impl Office {
    /// What was shown in the turn, the first fault of the edit, and the bytes of the file at the end.
    async fn edited(
        &self,
        path: &str,
        added: &'static str,
        reads: bool,
    ) -> (Shown, Option<FaultKind>, Vec<u8>) {
        *self.task.lock().unwrap() = Task { path: path.to_owned(), added, reads, shown: Shown::default() };
        let mut turn = self.desk.ask("Edit it.").await;
        let request_id = turn.request_id();
        let mut fault = None;
        while let Some(envelopes) = within(path, turn.next()).await {
            for envelope in envelopes {
                match envelope.event {
                    TurnEvent::WriteFaults { faults, .. } => {
                        fault = fault.or(faults.first().map(|fault| fault.kind));
                    }
                    TurnEvent::WriteReady { proposal, .. } => {
                        let (digest, hunks) = (proposal.digest, None);
                        let op = Op::Reply {
                            request_id,
                            digest,
                            reply: Reply::Write { hunks, despite_faults: false },
                        };
                        self.desk.engine.submit(op).await.unwrap();
                    }
                    _ => {}
                }
            }
        }
        let bytes = fs::read(self.desk.folder.path().join(path)).unwrap();
        (std::mem::take(&mut self.task.lock().unwrap().shown), fault, bytes)
    }
}

#[tokio::test]
async fn what_is_read_is_found_and_what_is_added_is_in_the_encoding_of_the_file() {
    assert!(SAMPLES.len() >= 55, "{}", SAMPLES.len());
    let folder = Folder::empty();
    for (at, sample) in SAMPLES.iter().enumerate() {
        fs::write(folder.path().join(format!("{at}.has")), sample.file(b"")).unwrap();
        fs::write(folder.path().join(format!("{at}.lacks")), sample.file(b"")).unwrap();
    }
    let task = Arc::new(Mutex::new(Task::default()));
    let model = {
        let task = task.clone();
        Script::new().forever(move |_, ask| task.lock().unwrap().answer(ask)).start()
    };
    let office = Office { desk: Desk::at(&model.base_url(), folder).await, task };
    for (at, sample) in SAMPLES.iter().enumerate() {
        let name = sample.name;
        let (shown, fault, bytes) = office.edited(&format!("{at}.has"), sample.new, true).await;
        let (searched, line) = (&shown.searched, &shown.line);
        if sample.outcome == Outcome::Binary {
            assert!(searched.contains("1 binary file left out"), "{name}: {searched}");
            assert_eq!((fault, bytes), (None, sample.file(b"")), "{name}");
            continue;
        }
        assert!(searched.contains("1 match in 1 file; 1 file searched"), "{name}: {searched}");
        assert!(searched.contains(&format!("\n1:{line}\n")), "{name}: {searched}");
        let refused = (Some(FaultKind::Unencodable), sample.file(&sample.plain()));
        if sample.outcome == Outcome::Exact {
            assert_eq!(Some(line.as_str()), sample.text.split(['\n', '\r']).next(), "{name}");
            assert_eq!((fault, bytes), (None, sample.file(sample.new_bytes)), "{name}");
        } else {
            assert_eq!((fault, bytes), refused, "{name}");
        }
        let (_, fault, bytes) = office.edited(&format!("{at}.lacks"), "🎈", false).await;
        if sample.has_all {
            assert_eq!(fault, None, "{name}");
        } else {
            assert_eq!((fault, bytes), refused, "{name}");
        }
    }
    model.finish();
}
