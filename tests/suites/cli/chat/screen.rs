//! A terminal with somebody at it: a pseudo-terminal, and a screen that shows what a person would see.

use std::io::{Read, Write};
use std::num::NonZero;
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use vt100::Parser;

/// How long anything may take to be on the screen.
const DEADLINE: Duration = Duration::from_secs(90);

/// The question of a program where the cursor is. A terminal answers it.
const WHERE: &[u8] = b"\x1b[6n";

struct Shown {
    parser: Parser,
    /// Every byte that came.
    bytes: Vec<u8>,
    /// The program's side is closed.
    ended: bool,
}

pub(in crate::cli) struct Screen {
    shown: Arc<(Mutex<Shown>, Condvar)>,
    keys: Arc<Mutex<Box<dyn Write + Send>>>,
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
}

impl Screen {
    /// The command at a terminal of 50 rows and 100 columns.
    pub(in crate::cli) fn of(command: &Command) -> Self {
        Self::sized(command, 50, 100)
    }

    pub(in crate::cli) fn sized(command: &Command, rows: u16, columns: u16) -> Self {
        let pty = native_pty_system().openpty(size(rows, columns)).unwrap();
        let mut builder = CommandBuilder::new(command.get_program());
        builder.args(command.get_args());
        builder.env_clear();
        builder.env("TERM", "xterm-256color");
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => builder.env(name, value),
                None => builder.env_remove(name),
            }
        }
        builder.cwd(command.get_current_dir().unwrap());
        let child = pty.slave.spawn_command(builder).unwrap();
        drop(pty.slave);
        let shown =
            Shown { parser: Parser::new(cells(rows), cells(columns), 0), bytes: Vec::new(), ended: false };
        let shown = Arc::new((Mutex::new(shown), Condvar::new()));
        let keys = Arc::new(Mutex::new(pty.master.take_writer().unwrap()));
        let reader = pty.master.try_clone_reader().unwrap();
        let (screen, answers) = (Arc::clone(&shown), Arc::clone(&keys));
        std::thread::spawn(move || show(reader, &screen, &answers));
        Self { shown, keys, master: pty.master, child }
    }

    /// Waits until the screen has these words, and returns all of it.
    pub(in crate::cli) fn until(&self, words: &str) -> String {
        self.when(words, |shown| shown.parser.screen().contents().contains(words));
        self.text()
    }

    /// Waits until the screen has these words so often.
    pub(in crate::cli) fn until_times(&self, words: &str, times: usize) {
        self.when(words, |shown| shown.parser.screen().contents().matches(words).count() >= times);
    }

    /// Waits until the line at the cursor is this one: a prompt, and what was typed.
    pub(in crate::cli) fn until_line(&self, line: &str) {
        self.when(line, |shown| {
            let screen = shown.parser.screen();
            let (row, _) = screen.cursor_position();
            let (_, columns) = screen.size();
            let at_cursor = screen.rows(0, columns.get()).nth(usize::from(row)).unwrap_or_default();
            at_cursor.trim_end() == line.trim_end()
        });
    }

    fn when(&self, what: &str, is_so: impl Fn(&Shown) -> bool) {
        let (shown, changed) = &*self.shown;
        let deadline = Instant::now() + DEADLINE;
        let mut now = shown.lock().unwrap();
        while !is_so(&now) {
            let left = deadline.saturating_duration_since(Instant::now());
            let screen = now.parser.screen().contents();
            assert!(!left.is_zero() && !now.ended, "{what:?} does not come; the screen has\n{screen}");
            now = changed.wait_timeout(now, left).unwrap().0;
        }
    }

    pub(in crate::cli) fn text(&self) -> String {
        self.shown.0.lock().unwrap().parser.screen().contents()
    }

    /// Everything that the program wrote to the terminal.
    pub(in crate::cli) fn bytes(&self) -> Vec<u8> {
        self.shown.0.lock().unwrap().bytes.clone()
    }

    pub(in crate::cli) fn press(&self, keys: &str) {
        let mut to = self.keys.lock().unwrap();
        to.write_all(keys.as_bytes()).unwrap();
        to.flush().unwrap();
    }

    /// Types a line and sends it.
    pub(in crate::cli) fn enter(&self, line: &str) {
        self.press(&format!("{line}\r"));
    }

    pub(in crate::cli) fn resize(&self, rows: u16, columns: u16) {
        // The screen first: what the program writes for its new size must find it.
        self.shown.0.lock().unwrap().parser.screen_mut().set_size(cells(rows), cells(columns));
        self.master.resize(size(rows, columns)).unwrap();
    }

    pub(in crate::cli) fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Waits for the end of the program and returns its exit code.
    pub(in crate::cli) fn ended(mut self) -> u32 {
        {
            let (shown, changed) = &*self.shown;
            let mut now = shown.lock().unwrap();
            let deadline = Instant::now() + DEADLINE;
            while !now.ended {
                let left = deadline.saturating_duration_since(Instant::now());
                let screen = now.parser.screen().contents();
                assert!(!left.is_zero(), "the program does not end; the screen has\n{screen}");
                now = changed.wait_timeout(now, left).unwrap().0;
            }
        }
        self.child.wait().unwrap().exit_code()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A test that has failed leaves no program behind.
        _ = self.child.kill();
    }
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

fn size(rows: u16, cols: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

/// Shows what comes, and says where the cursor is when it is asked.
fn show(
    mut reader: Box<dyn Read + Send>,
    screen: &(Mutex<Shown>, Condvar),
    answers: &Mutex<Box<dyn Write + Send>>,
) {
    let (shown, changed) = screen;
    let mut bytes = [0; 4096];
    // How far a question has come, which two reads may share.
    let mut asked = 0;
    while let Ok(read @ 1..) = reader.read(&mut bytes) {
        let mut now = shown.lock().unwrap();
        now.bytes.extend(&bytes[..read]);
        for byte in &bytes[..read] {
            now.parser.process(&[*byte]);
            asked = if *byte == WHERE[asked] { asked + 1 } else { usize::from(*byte == WHERE[0]) };
            if asked == WHERE.len() {
                asked = 0;
                let (row, column) = now.parser.screen().cursor_position();
                let answer = format!("\x1b[{};{}R", row + 1, column + 1);
                // A program that has ended does not need it.
                _ = answers.lock().unwrap().write_all(answer.as_bytes());
            }
        }
        changed.notify_all();
    }
    shown.lock().unwrap().ended = true;
    changed.notify_all();
}
