//! The Makefile that a line runs: all of it, with every file that it includes, and the files that its lines name.
//!
//! It is not told apart which rules run: make runs code in headers, in variables and where a rule is only read, so a rule that is left out can hide what
//! runs. Deliberately not here: which targets are proposed (`proposing`).

use super::super::reading::Found;
use super::{Following, lines};

/// The names that make looks for. Each that is there counts.
pub(in super::super) const NAMES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// The options that name a Makefile, and those that name a folder of included files.
const WITH_FILE: [&str; 3] = ["--file", "--makefile", "-f"];
const WITH_FOLDER: [&str; 2] = ["--include-dir", "-I"];

impl Following<'_> {
    /// Follows make in this folder.
    pub(super) fn make(&mut self, folder: &str, rest: &[String]) {
        if folder.contains('$') {
            return self.refuse(format!("make runs in {folder:?}, which cannot be told exactly"));
        }
        let folders: Vec<String> = std::iter::once(folder.to_owned())
            .chain(values(rest, &WITH_FOLDER).into_iter().map(|it| lines::joined(folder, it)))
            .collect();
        for name in NAMES.into_iter().chain(values(rest, &WITH_FILE)) {
            self.makefile(&folders, &lines::joined(folder, name));
        }
    }

    /// Takes a Makefile or a file that one includes, and follows its lines. The first folder is the one that make runs in.
    fn makefile(&mut self, folders: &[String], path: &str) {
        let Some(Found::Text(text)) = self.parts.file(self.project, path) else { return };
        let folder = folders.first().map_or("", String::as_str);
        let whole = text.replace("\\\r\n", " ").replace("\\\n", " ");
        let has_prefix = whole.contains("RECIPEPREFIX");
        for line in whole.lines() {
            let mut words = line.split_whitespace();
            let is_include =
                matches!(words.next(), Some("include" | "-include" | "sinclude" | "load" | "-load"));
            if line.contains("include") && line.contains("eval") {
                return self.refuse(format!("{path} includes files that cannot be told exactly"));
            }
            if is_include {
                for name in words.take_while(|word| !word.starts_with('#')) {
                    if name.contains(['$', '*', '?', '[', '~', '\\']) {
                        return self
                            .refuse(format!("{path} includes {name:?}, which cannot be told exactly"));
                    }
                    folders.iter().for_each(|at| self.makefile(folders, &lines::joined(at, name)));
                }
            } else if let Some(line) = followed(line, has_prefix) {
                self.line(folder, &line);
            }
        }
    }
}

/// The values of these options.
fn values<'w>(words: &'w [String], options: &[&str]) -> Vec<&'w str> {
    let mut values = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for option in options {
            match word.strip_prefix(option) {
                Some("") => values.extend(words.get(at + 1).map(String::as_str)),
                Some(rest) if !option.starts_with("--") => values.push(rest),
                Some(rest) => values.extend(rest.strip_prefix('=')),
                None => {}
            }
        }
    }
    values
}

/// The line whose words may be run. None of a rule's head, whose words are the files that it makes and needs, unless more than these stands in it.
fn followed(line: &str, has_prefix: bool) -> Option<String> {
    let is_head = !line.starts_with(['\t', ' ']) && !has_prefix && heads(line).is_some();
    if is_head && !line.contains([';', '$', '=']) {
        return None;
    }
    let line = line.trim_start_matches(['\t', ' ', '@', '-', '+']);
    let line = line.replace("$(MAKE)", "make").replace("${MAKE}", "make").replace("$$", "$");
    // What a variable is set to may be run.
    Some(line.replace(":=", " ").replace("!=", " ").replace("$(shell", " ; ").replace("${shell", " ; "))
}

/// The targets of the rule that a line begins. None for an assignment, a directive and anything else.
fn heads(line: &str) -> Option<&str> {
    let at = line.find([':', '='])?;
    let (targets, rest) = line.split_at(at);
    // `:=`, `::=` and `:::=` assign, as `=`, `?=`, `+=` and `!=` do.
    let assigns = rest.starts_with('=') || rest.trim_start_matches(':').starts_with('=');
    (!assigns).then_some(targets)
}

/// True if a Makefile has a rule for this target.
pub(in super::super) fn has_rule(text: &str, target: &str) -> bool {
    let plain = text.lines().filter(|line| !line.starts_with(['\t', ' ', '#']));
    plain.filter_map(heads).any(|targets| targets.split_whitespace().any(|name| name == target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_make_and_heads_of_rules_are_read() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            values(&words("-f a.mk --file=b.mk -fc.mk -k test"), &WITH_FILE),
            ["a.mk", "b.mk", "c.mk"]
        );
        assert_eq!(heads("a b: c"), Some("a b"));
        assert_eq!(heads("A := b"), None);
        assert_eq!(followed("a.o: a.c", false), None);
        assert_eq!(followed("\t@$(MAKE) -C sub", false), Some("make -C sub".to_owned()));
        assert!(has_rule("x := 1\nlint test: a\n", "test") && !has_rule("test := 1\n", "test"));
    }
}
