//! The script behind the line of a check: what the line runs of the project's own files, and what runs beside that (V1).
//!
//! It is read when a person accepts a check, and again before each run: a check whose script is another one does not run. Deliberately not here: the
//! code that a check tests, which changes by design, and what each kind of file says (`script/`).

mod lines;
mod makefile;
mod packages;
mod parts;
mod tables;

use orion_files::workspace::Project;
use orion_protocol::{CheckCommand, CheckScript, Code, ErrorInfo};

pub(super) use makefile::{Makefile, NAMES as MAKEFILES};
use parts::Parts;

/// The scripts that are followed from one line: 64. A person does not look through more of them.
const SCRIPTS: usize = 64;

/// Reads the script behind a command. Nothing of it runs.
///
/// # Errors
/// `usage` where it calls more others than are followed.
pub(super) fn script(project: &Project, command: &CheckCommand) -> Result<CheckScript, ErrorInfo> {
    let mut following = Following { project, parts: Parts::default(), left: SCRIPTS };
    match command {
        CheckCommand::Line(line) => following.line("", line),
        CheckCommand::Argv(words) => following.command("", words),
    }
    match following.left {
        0 => Err(ErrorInfo::new(
            Code::Usage,
            format!(
                "command: the script behind it calls {SCRIPTS} others or more, which nobody looks through."
            ),
            "Name the program that the check is for.",
        )),
        _ => Ok(following.parts.script(command)),
    }
}

/// Scripts on the way from a line to all that it runs.
struct Following<'p> {
    project: &'p Project,
    parts: Parts,
    /// Scripts that may still be followed.
    left: usize,
}

impl Following<'_> {
    /// Follows a shell line that runs in this folder of the project.
    fn line(&mut self, folder: &str, line: &str) {
        let mut folder = folder.to_owned();
        for words in lines::commands(line) {
            match words.as_slice() {
                [cd, to] if cd == "cd" => folder = lines::joined(&folder, to),
                words => self.command(&folder, words),
            }
        }
    }

    /// Follows one program with its words.
    fn command(&mut self, folder: &str, words: &[String]) {
        let Some(left) = self.left.checked_sub(1).filter(|left| *left > 0) else {
            self.left = 0;
            return;
        };
        self.left = left;
        let words = self.unwrapped(folder, words);
        let Some((first, rest)) = words.split_first() else { return };
        let name = first.rsplit('/').next().unwrap_or(first);
        let (at, rest) = lines::placed(folder, name, rest);
        let (at, rest) = (at.as_str(), rest.as_slice());
        match name {
            "npm" | "pnpm" | "yarn" | "bun" => self.package(at, name, rest),
            "make" | "gmake" => self.make(at, rest),
            "sh" | "bash" | "dash" | "zsh" | "ksh" => self.shell(at, rest),
            _ if tables::INTERPRETERS.contains(&name) => {
                if let Some(file) = rest.iter().find(|word| !word.starts_with('-')) {
                    self.file(at, file);
                }
            }
            _ => self.settings(at, name),
        }
        // A program of the project itself.
        if first.contains('/') {
            self.file(folder, first);
        }
    }

    /// A program without those before it that only run it.
    fn unwrapped<'w>(&mut self, folder: &str, words: &'w [String]) -> &'w [String] {
        let mut words = words;
        while let Some(first) = words.first() {
            let Some(wrapper) = tables::wrapper(first, words.get(1).map(String::as_str)) else { break };
            self.settings(folder, first);
            words = words.get(wrapper.words..).unwrap_or_default();
            let is_own = |word: &&String| word.starts_with('-') || (wrapper.assigns && word.contains('='));
            let own = words.iter().take_while(is_own).count();
            words = words.get(own + wrapper.after..).unwrap_or_default();
        }
        words
    }

    /// Follows a shell: the line that it is given, or the file.
    fn shell(&mut self, folder: &str, rest: &[String]) {
        let is_line = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
        if let Some(at) = rest.iter().position(is_line) {
            if let Some(line) = rest.get(at + 1) {
                self.line(folder, line);
            }
        } else if let Some(file) = rest.iter().find(|word| !word.starts_with('-')) {
            self.file(folder, file);
        }
    }

    /// Takes what a program reads of its settings.
    fn settings(&mut self, folder: &str, name: &str) {
        let Some(reads) = tables::reads(name) else { return };
        for file in reads.files {
            self.file_of_settings(folder, file);
        }
        for tool in reads.tools {
            self.parts.tool_of(self.project, &lines::joined(folder, "pyproject.toml"), tool);
        }
    }

    fn file(&mut self, folder: &str, path: &str) {
        self.parts.file(self.project, &lines::joined(folder, path), false);
    }

    fn file_of_settings(&mut self, folder: &str, path: &str) {
        self.parts.file(self.project, &lines::joined(folder, path), true);
    }
}
