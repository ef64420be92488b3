//! One data folder with one session, and what a person does there while its processes are killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use support::binary;

use super::holds::{self, Person, Written};
use super::moment::{Dice, Ended, Moment, pass};
use super::records::{Records, Turn, Waits, What};
use super::scene::{Scene, Step, message, number_of};
use crate::cli::Desk;
use crate::cli::chat::{chat, screen::Screen};

/// What most of a life is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Theme {
    Calls,
    Writes,
    Chats,
    Questions,
    Rewinds,
    Pauses,
    Commands,
}

pub(super) const THEMES: [Theme; 7] = [
    Theme::Calls,
    Theme::Writes,
    Theme::Chats,
    Theme::Commands,
    Theme::Questions,
    Theme::Rewinds,
    Theme::Pauses,
];

/// Kills of a life at most, and commands.
const KILLS: u64 = 7;
const COMMANDS: u32 = 30;

/// `orion` with all of these in the settings: a call that asks beside those that do not.
const SETTINGS: &str = "[tools.list_files]\npermission = 'ask'\n";

pub(super) struct Life {
    theme: Theme,
    dice: Dice,
    desk: Desk,
    scene: Scene,
    person: Person,
    /// Turns that were asked for.
    turns: u64,
    /// The turn to whose message the person goes back, and the project before.
    rewinding: Option<(String, BTreeMap<PathBuf, Vec<u8>>)>,
    /// What happened, for whoever looks for the cause of a failure.
    told: Vec<String>,
}

/// A command that was killed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Killed {
    pub(super) kind: &'static str,
    pub(super) when: &'static str,
}

/// What the person does next.
struct Act {
    kind: &'static str,
    command: Command,
    /// It prints events.
    prints: bool,
}

impl Life {
    pub(super) fn of(theme: Theme, seed: u64) -> Self {
        // It is looked for beside the program.
        let _ = binary("orion-sandbox");
        Self {
            theme,
            dice: Dice::of(seed),
            desk: Desk::with_settings(SETTINGS),
            scene: Scene::new(),
            person: Person::default(),
            turns: 0,
            rewinding: None,
            told: Vec::new(),
        }
    }

    /// Lives it to its end, and says what was killed.
    pub(super) fn lived(mut self, left: u64) -> Vec<Killed> {
        let mut killed = Vec::new();
        for _ in 0..COMMANDS {
            if killed.len() as u64 >= left.min(KILLS) {
                break;
            }
            killed.extend(self.next(true));
        }
        // Whatever is left is gone on with, and comes to its end.
        for _ in 0..COMMANDS {
            let records = self.records();
            if records.is_none_or(|records| records.open().is_none()) && self.rewinding.is_none() {
                break;
            }
            self.next(false);
        }
        if let Some(records) = self.records() {
            assert!(records.open().is_none(), "A5: a turn does not come to its end");
            holds::files(&self.desk.project.path(), &records);
        }
        killed
    }

    fn data(&self) -> PathBuf {
        self.desk.home.path().join("data")
    }

    fn records(&self) -> Option<Records> {
        Records::of(&self.data())
    }

    /// The next command, killed at a random moment if it `may_die`. Returns what was killed.
    fn next(&mut self, may_die: bool) -> Option<Killed> {
        let records = self.records();
        let is_open = records.as_ref().is_some_and(|records| records.open().is_some());
        let may_chat = may_die && !is_open && self.rewinding.is_none();
        if may_chat && self.dice.once_in(if self.theme == Theme::Chats { 2 } else { 24 }) {
            self.chats(records.as_ref());
            self.checks();
            return Some(Killed { kind: "chat", when: "at a terminal" });
        }
        let act = self.acts(records.as_ref(), may_die);
        let asked = self.scene.model.requests().len();
        let moment = if may_die { self.dice.moment(act.prints) } else { Moment::Never };
        self.told.push(format!("{moment:?} {:?}", act.command.get_args().collect::<Vec<_>>()));
        let ended = moment.kills(&act.command, &self.data().join("orion.db-wal"));
        self.told.push(format!(
            "  {:?} after {} lines {}",
            ended.code,
            ended.shown.len(),
            ended.stderr.trim()
        ));
        self.person.sees(&ended.shown);
        self.comes_back(&act, &ended);
        self.checks();
        self.remembers(&act, asked);
        ended.killed.then_some(Killed { kind: act.kind, when: moment.name() })
    }

    fn checks(&self) {
        if let Some(records) = self.records() {
            self.person.is_served(&records);
            holds::commands(&self.desk.project.path(), &records);
        }
    }

    /// What holds after a command that ended by itself.
    fn comes_back(&mut self, act: &Act, ended: &Ended) {
        if ended.killed {
            return;
        }
        let Ended { code, stderr, .. } = ended;
        match act.kind {
            "undo" => {
                assert!(matches!(code, Some(0 | 1)), "{stderr}");
                let (request, before) = self.rewinding.take().unwrap();
                assert_eq!(files(&self.desk), before, "A10: an undo gives the bytes back: {request}");
            }
            "rewind" => assert!(matches!(code, Some(0 | 1)), "{stderr}"),
            _ => assert!(matches!(code, Some(0 | 3 | 4 | 5 | 130)), "{code:?} {stderr}"),
        }
    }

    /// What the next request of a new turn holds, whatever was killed before it.
    fn remembers(&self, act: &Act, asked: usize) {
        if act.kind != "run" {
            return;
        }
        let requests = self.scene.model.requests().split_off(asked);
        let request = requests.iter().find(|request| number_of(request) == Some(self.turns));
        if let Some(records) = self.records() {
            self.person.is_remembered(&records, self.turns, request);
        }
    }

    fn acts(&mut self, records: Option<&Records>, may_leave: bool) -> Act {
        match (records.and_then(Records::open), &self.rewinding) {
            (Some(turn), _) => match turn.waits() {
                Some(waits) => self.answers(turn, &waits),
                // The person does not go on with it, but sends their next message.
                None if may_leave && self.dice.once_in(2) => self.asks(records),
                None => self.on("resume", &["resume", &turn.request]),
            },
            (None, Some((request, _))) => {
                let command = self.desk.orion(&["rewind", request, "--undo"]);
                Act { kind: "undo", command, prints: false }
            }
            (None, None) => {
                let wrote = records.and_then(|records| self.rewound(records));
                match wrote.filter(|_| self.theme == Theme::Rewinds) {
                    Some(request) if !self.dice.once_in(4) => self.rewinds(request),
                    _ => self.asks(records),
                }
            }
        }
    }

    /// A turn that wrote something.
    fn rewound(&mut self, records: &Records) -> Option<String> {
        let wrote =
            |turn: &&Turn| turn.of_kind("write_done").any(|event| event["event"]["status"] == "written");
        let all: Vec<&str> = records.turns.iter().filter(wrote).map(|turn| &*turn.request).collect();
        (!all.is_empty()).then(|| self.dice.one_of(&all).to_owned())
    }

    fn rewinds(&mut self, request: String) -> Act {
        let what = self.dice.one_of(&[&[][..], &["--files"], &["--conversation"]]);
        let mut command = self.desk.orion(&["rewind", &request]);
        command.args(what);
        self.rewinding = Some((request, files(&self.desk)));
        Act { kind: "rewind", command, prints: false }
    }

    /// A new turn.
    fn asks(&mut self, records: Option<&Records>) -> Act {
        self.turns += 1;
        let steps = self.steps();
        let mut command = self.desk.run(&self.scene.model, &["--events"]);
        if let Some(turn) = records.and_then(|records| records.turns.last()) {
            command.args(["--session", &turn.session]);
        }
        if self.theme == Theme::Pauses && !self.dice.once_in(4) {
            command.arg("--pause-after-tool");
        }
        command.arg(message(self.turns, &steps));
        Act { kind: "run", command, prints: true }
    }

    fn steps(&mut self) -> Vec<Step> {
        let mostly = match self.theme {
            Theme::Calls | Theme::Chats => Step::List,
            Theme::Writes | Theme::Rewinds => Step::Write,
            Theme::Questions => Step::Ask,
            Theme::Pauses => Step::Read,
            Theme::Commands => Step::Command,
        };
        let count = 1 + self.dice.below(3);
        let any = [mostly, mostly, mostly, Step::Read, Step::List, Step::Ask, Step::Write, Step::Command];
        (0..count).map(|_| self.dice.one_of(&any)).collect()
    }

    /// A command that goes on with a turn and prints its events.
    fn on(&self, kind: &'static str, arguments: &[&str]) -> Act {
        let mut command = self.desk.orion(arguments);
        command.args(["--events", "--base-url", &self.scene.model.base_url()]);
        Act { kind, command, prints: true }
    }

    fn answers(&mut self, turn: &Turn, waits: &Waits) -> Act {
        let request = &*turn.request;
        // To look at a turn that waits is no answer (A7).
        if self.dice.once_in(8) && !matches!(waits.what, What::Pause(_)) {
            return self.on("resume", &["resume", request]);
        }
        let (kind, arguments, yes): (_, &[&str], _) = match (waits.what, self.dice.below(6)) {
            (What::Call, 0) => ("reject", &["--reason", "Not this one."], false),
            (What::Call, 1) => ("reject", &["--stop"], false),
            (What::Call, 2) => ("approve", &["--edit", r#"{"path":"src"}"#], true),
            (What::Command, 0) => ("reject", &["--reason", "Not this one."], false),
            (What::Command, 1) => ("approve", &["--outside"], true),
            (What::Write, 0) => ("reject", &[], false),
            (What::Call | What::CallAgain | What::Command | What::Write, _) => ("approve", &[], true),
            (What::Questions, 0) => ("answer", &["--decline"], false),
            (What::Questions, _) => ("answer", &["a=The red one."], true),
            (What::Pause(1), 0) => ("resume", &["--drop-result"], true),
            (What::Pause(1), 1) => ("resume", &["--edit-result", "src/main.c"], true),
            (What::Pause(_), _) => ("resume", &[], true),
        };
        self.person.answers.push((waits.digest.clone(), yes));
        let mut all = vec![kind, request];
        all.extend(arguments);
        self.on(kind, &all)
    }

    /// A chat in which the person writes more while the turn runs, until it is killed.
    fn chats(&mut self, records: Option<&Records>) {
        self.turns += 1;
        let number = self.turns;
        let mut steps = self.steps();
        // With a cycle to spare the turn ends with an answer, so that the queue goes on; after another end it is the person's draft again.
        steps.truncate(2);
        let gate = self.scene.gate(number);
        let session = records.and_then(|records| records.turns.last()).map(|turn| turn.session.clone());
        let arguments: Vec<&str> = session.iter().map(String::as_str).collect();
        let screen = Screen::of(&chat(&self.desk, &self.scene.model, &arguments));
        self.told.push(format!("chat: {}", message(number, &steps)));
        screen.until_line("> ");
        screen.enter(&message(number, &steps));
        screen.until(&format!("Turn {number}."));
        for left in (0..self.dice.below(3)).rev() {
            self.writes_more(&screen, left == 0);
        }
        gate.open();
        let bits = self.dice.below(17);
        pass(Duration::from_micros(self.dice.below(1 << bits)));
        let pid = Pid::from_raw(screen.pid().try_into().unwrap()).unwrap();
        // It may have ended by itself, and is not reaped.
        kill_process(pid, Signal::KILL).unwrap();
        screen.ended();
    }

    /// A message that is queued, or given to the turn that runs. The last one may be killed before Orion has said that it has it.
    fn writes_more(&mut self, screen: &Screen, is_last: bool) {
        // What is typed at the moment at which a steered message is told of is shown with the next key only.
        let steers = is_last && self.dice.once_in(2);
        let (text, line, heard) = match steers {
            true => {
                let text = format!("Mind {}.", self.dice.below(1_000_000_000));
                let line = format!("/steer {text}");
                (text, line, "The model is given it with its next call.")
            }
            false => {
                self.turns += 1;
                let text = message(self.turns, &[Step::Read]);
                (text.clone(), text, "Queued: it is sent when this turn has ended.")
            }
        };
        self.told.push(format!("  {line}"));
        let before = screen.text().matches(heard).count();
        screen.press(&line);
        screen.until_line(&format!("next> {line}"));
        screen.press("\r");
        let confirmed = !is_last || self.dice.once_in(2);
        if confirmed {
            screen.until_times(heard, before + 1);
        }
        self.person.written.push(Written { text, steers, confirmed });
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("a life of {:?}:\n{}", self.theme, self.told.join("\n"));
        }
    }
}

/// Everything in the project.
fn files(desk: &Desk) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(desk.project.path()).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_file()).map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}
