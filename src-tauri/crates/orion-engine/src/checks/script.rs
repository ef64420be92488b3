//! The script behind the line of a check: what the line runs of the project's own files, and what runs beside that (V1).
//!
//! It is read when a person accepts a check, and again before each run: a check whose script is another one does not run. More counts rather than less:
//! each word that may run a file of the project does. Deliberately not here: the code that a check tests, which changes by design, and what each kind of
//! file says (`script/`).

mod lines;
mod makefile;
mod packages;
mod parts;
mod tables;

use std::fs;
use std::path::Path;

use orion_files::workspace::Project;
use orion_protocol::{CheckCommand, CheckScript, Code, ErrorInfo};

use super::reading::{Found, files_below};
pub(super) use makefile::{NAMES as MAKEFILES, has_rule};
use parts::Parts;

/// The commands that are followed from one line: 4096. The files behind them have a bound of their own.
const COMMANDS: usize = 4096;

/// The signs that make a word a pattern of files.
const PATTERN: [char; 3] = ['*', '?', '['];

/// The endings that an interpreter adds to the name of a file.
const ENDINGS: [&str; 6] = [".js", ".cjs", ".mjs", ".ts", "/index.js", "/__main__.py"];

/// Reads the script behind a command. Nothing of it runs.
///
/// # Errors
/// `usage` where it cannot be told which files it has, or they are more than a person looks through.
pub(super) fn script(project: &Project, command: &CheckCommand) -> Result<CheckScript, ErrorInfo> {
    let mut following = Following { project, parts: Parts::default(), left: COMMANDS, refused: None };
    match command {
        CheckCommand::Line(line) => following.line("", line),
        CheckCommand::Argv(words) => following.command("", words, tables::runs_files(words)),
    }
    match following.refused.or_else(|| following.parts.refused()) {
        Some(why) => Err(ErrorInfo::new(
            Code::Usage,
            format!("command: {why}."),
            "Name the program that the check is for.",
        )),
        None => Ok(following.parts.script(command)),
    }
}

/// The place of a word in its command.
#[derive(Clone, Copy)]
enum Word {
    /// The first one.
    Program,
    /// Another one. `runs_files`: the line runs files that it names.
    Argument { runs_files: bool },
}

impl Word {
    /// The file of this path may be run by the command that it is a word of. What is only read by it is no script: a check of that file would never run once
    /// it has changed.
    fn may_run(self, project: &Project, path: &str) -> bool {
        match self {
            Self::Program | Self::Argument { runs_files: true } => true,
            Self::Argument { runs_files: false } => is_executable(&project.root().join(path)),
        }
    }
}

/// True for a file that the system runs by its name. Where none is marked as such, each may be.
fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    path.is_file()
}

/// Scripts on the way from a line to all that it runs.
struct Following<'p> {
    project: &'p Project,
    parts: Parts,
    /// Commands that may still be followed.
    left: usize,
    /// The reason for which the script cannot be accepted.
    refused: Option<String>,
}

impl Following<'_> {
    /// Follows a shell line that runs in this folder of the project.
    fn line(&mut self, folder: &str, line: &str) {
        let mut folder = folder.to_owned();
        let commands = lines::commands(line);
        let runs_files = commands.iter().any(|words| tables::runs_files(words));
        for words in commands {
            match words.as_slice() {
                [cd, to] if cd == "cd" => folder = lines::joined(&folder, to),
                words => self.command(&folder, words, runs_files),
            }
        }
    }

    /// Follows one command: each of its words may be a program, a file, or a line of its own.
    fn command(&mut self, folder: &str, words: &[String], runs_files: bool) {
        for (at, word) in words.iter().enumerate() {
            if self.refused.is_some() || self.parts.refused().is_some() {
                return;
            }
            let Some(left) = self.left.checked_sub(1) else {
                return self.refuse(format!("the script behind it has more than {COMMANDS} commands"));
            };
            self.left = left;
            let name = word.rsplit('/').next().unwrap_or(word);
            self.program(folder, name, words.get(at + 1..).unwrap_or_default());
            self.word(folder, word, if at == 0 { Word::Program } else { Word::Argument { runs_files } });
            if word == "-m"
                && let Some(module) = words.get(at + 1)
            {
                let module = module.replace('.', "/");
                self.file(folder, &format!("{module}.py"));
                self.file(folder, &format!("{module}/__main__.py"));
            }
        }
    }

    /// Takes what a program reads by itself, or is told to run by name.
    fn program(&mut self, folder: &str, name: &str, rest: &[String]) {
        let (at, rest) = lines::placed(folder, name, rest);
        match name {
            "npm" | "pnpm" | "yarn" | "bun" => self.package(&at, name, &rest),
            "make" | "gmake" => self.make(&at, &rest),
            _ => self.settings(&at, name),
        }
    }

    /// Takes the files that a word names, and what it says as a line.
    fn word(&mut self, folder: &str, word: &str, of: Word) {
        let runs_files = matches!(of, Word::Argument { runs_files: true });
        if word.contains(char::is_whitespace) {
            return self.line(folder, word);
        }
        for name in word.split(['<', '>', '=', '@', '"', '\'']).filter(|name| !name.is_empty()) {
            if name.contains(PATTERN) {
                if runs_files {
                    self.pattern(folder, name);
                }
                continue;
            }
            if of.may_run(self.project, &lines::joined(folder, name)) {
                self.file(folder, name);
            }
            if runs_files {
                ENDINGS.iter().for_each(|ending| self.file(folder, &format!("{name}{ending}")));
            }
        }
    }

    /// Takes the files that a pattern may name: those below its folder with its ending.
    fn pattern(&mut self, folder: &str, pattern: &str) {
        let names: Vec<&str> = pattern.split('/').collect();
        let plain = names.iter().take_while(|name| !name.contains(PATTERN)).count();
        let depth = if pattern.contains("**") { usize::MAX } else { names.len() - plain };
        let start = lines::joined(folder, &names.get(..plain).unwrap_or_default().join("/"));
        let ending = pattern.rsplit([PATTERN[0], PATTERN[1], PATTERN[2], ']']).next().unwrap_or_default();
        match files_below(self.project, &start, depth) {
            Some(files) => {
                files.iter().filter(|path| path.ends_with(ending)).for_each(|path| self.file("", path));
            }
            None => self.refuse(format!("{pattern:?} names more files than are looked at")),
        }
    }

    /// Takes what a program reads of its settings, here and in each folder above.
    fn settings(&mut self, folder: &str, name: &str) {
        let Some(reads) = tables::reads(name) else { return };
        for folder in lines::with_parents(folder) {
            for file in reads.files {
                self.parts.file(self.project, &lines::joined(folder, file));
            }
            for tool in reads.tools {
                self.parts.tool_of(self.project, &lines::joined(folder, "pyproject.toml"), tool);
            }
        }
    }

    /// Takes a file, and follows the lines of one for a shell.
    fn file(&mut self, folder: &str, path: &str) {
        let path = lines::joined(folder, path);
        if let Some(Found::Text(text)) = self.parts.file(self.project, &path) {
            let first = text.lines().next().unwrap_or_default();
            if path.ends_with("sh") || (first.starts_with("#!") && first.contains("sh")) {
                self.line(folder, &text);
            }
        }
    }

    fn refuse(&mut self, why: String) {
        self.refused.get_or_insert(why);
    }
}
