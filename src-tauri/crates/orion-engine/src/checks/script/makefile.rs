//! The rules of a Makefile that a line runs: those of its targets with all that they need, and what the whole file sets.
//!
//! Where it cannot be told which rules run, all of the file counts: a rule too many asks a person once more, and one too few would run unseen.
//! Deliberately not here: which targets are proposed (`proposing`).

use std::collections::BTreeSet;

use super::super::reading::{Found, read};
use super::{Following, lines};

/// The names that make looks for, in its order.
pub(in super::super) const NAMES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

impl Following<'_> {
    /// Follows make in this folder.
    pub(super) fn make(&mut self, folder: &str, rest: &[String]) {
        let names = named(rest).map_or_else(|| NAMES.to_vec(), |name| vec![name]);
        let mut paths = names.into_iter().map(|name| lines::joined(folder, name));
        let found = paths.find_map(|path| match read(self.project, &path) {
            Found::Nothing => None,
            Found::Text(text) => Some((path, Some(text))),
            Found::Other(_) | Found::Closed(_) => Some((path, None)),
        });
        let Some((path, text)) = found else { return };
        let Some(text) = text else { return self.parts.file(self.project, &path, false) };
        let makefile = Makefile::of(&text);
        let targets = targets_of(rest);
        let Some(Reached { text, runs, includes }) = makefile.reached(&targets) else {
            return self.parts.file(self.project, &path, false);
        };
        let from = if targets.is_empty() { path } else { format!("{path}: {}", targets.join(" ")) };
        if !self.parts.is_new(format!("{from} followed")) {
            return;
        }
        self.parts.add(from, text);
        for file in includes {
            self.file(folder, &file);
        }
        for line in runs {
            self.line(folder, &line);
        }
    }
}

/// The long options that name a Makefile.
const WITH_FILE: [&str; 2] = ["--file", "--makefile"];

/// The file that make is told to read.
fn named(words: &[String]) -> Option<&str> {
    let names = |word: &String| word.starts_with("-f") || WITH_FILE.iter().any(|it| word.starts_with(it));
    let at = words.iter().position(names)?;
    let word = words.get(at)?;
    let is_alone = word == "-f" || WITH_FILE.contains(&word.as_str());
    match (is_alone, word.split_once('=')) {
        (true, _) => words.get(at + 1).map(String::as_str),
        (false, Some((_, name))) => Some(name),
        (false, None) => word.strip_prefix("-f"),
    }
}

/// The targets among the words of make.
fn targets_of(words: &[String]) -> Vec<String> {
    const WITH_VALUE: [&str; 10] =
        ["-C", "--directory", "-f", "--file", "--makefile", "-I", "-j", "-l", "-o", "-W"];
    let mut targets = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&word.as_str()) {
            // `-j` may have no number.
            if !(word == "-j" && words.peek().is_some_and(|next| next.parse::<u32>().is_err())) {
                words.next();
            }
        } else if !word.starts_with('-') && !word.contains(['=', '>', '<']) {
            targets.push(word.clone());
        }
    }
    targets
}

/// A Makefile, line by line.
#[derive(Debug, Default)]
pub(in super::super) struct Makefile<'t> {
    items: Vec<Item<'t>>,
    /// It changes how its own lines are read.
    is_unusual: bool,
}

/// A part of a Makefile.
#[derive(Debug)]
struct Item<'t> {
    text: Vec<&'t str>,
    /// A part without one is no rule.
    rule: Option<Rule>,
}

#[derive(Debug)]
struct Rule {
    targets: Vec<String>,
    needs: Vec<String>,
}

/// The part of a Makefile that runs for some targets.
struct Reached {
    text: String,
    /// The lines that a shell is given.
    runs: Vec<String>,
    /// The files that the Makefile includes.
    includes: Vec<String>,
}

impl<'t> Makefile<'t> {
    pub(in super::super) fn of(text: &'t str) -> Self {
        let is_unusual = text.contains(".RECIPEPREFIX") || text.contains(".DEFAULT_GOAL");
        let mut makefile = Self { items: Vec::new(), is_unusual };
        let (mut goes_on, mut defines) = (false, false);
        for line in text.lines() {
            let word = line.split_whitespace().next().unwrap_or_default();
            let is_of_last = goes_on || defines || (line.starts_with('\t') && makefile.is_in_rule());
            if is_of_last && let Some(last) = makefile.items.last_mut() {
                last.text.push(line);
            } else if !(word.is_empty() || word.starts_with('#')) {
                makefile.items.push(Item { text: vec![line], rule: rule(line) });
            }
            defines = (defines || word == "define") && word != "endef";
            goes_on = line.ends_with('\\');
        }
        makefile
    }

    fn is_in_rule(&self) -> bool {
        self.items.last().is_some_and(|item| item.rule.is_some())
    }

    /// True if it has a rule for this target.
    pub(in super::super) fn has(&self, target: &str) -> bool {
        self.rules().any(|rule| rule.targets.iter().any(|name| name == target))
    }

    fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.items.iter().filter_map(|item| item.rule.as_ref())
    }

    /// The part that runs for these targets, or for the first one. None where that cannot be told.
    fn reached(&self, targets: &[String]) -> Option<Reached> {
        let first = || {
            let plain = |name: &&String| !name.starts_with('.') && !name.contains(['%', '$']);
            self.rules().flat_map(|rule| &rule.targets).find(plain).cloned()
        };
        let mut open: Vec<String> = if targets.is_empty() { vec![first()?] } else { targets.to_vec() };
        if self.is_unusual || open.iter().any(|target| !self.has(target)) {
            return None;
        }
        let mut reached: BTreeSet<String> = open.iter().cloned().collect();
        while let Some(target) = open.pop() {
            for rule in self.rules().filter(|rule| rule.makes(&target)) {
                if rule.needs.iter().any(|name| name.contains('$')) {
                    return None;
                }
                open.extend(rule.needs.iter().filter(|name| reached.insert((*name).clone())).cloned());
            }
        }
        let runs = |item: &&Item<'_>| match &item.rule {
            Some(rule) => rule.is_everywhere() || rule.targets.iter().any(|name| reached.contains(name)),
            None => true,
        };
        let items: Vec<&Item<'_>> = self.items.iter().filter(runs).collect();
        let mut found = Reached { text: String::new(), runs: Vec::new(), includes: Vec::new() };
        for item in items {
            for line in &item.text {
                found.text.push_str(line);
                found.text.push('\n');
            }
            match &item.rule {
                Some(_) => found.runs.extend(recipe(&item.text)),
                None => found.includes.extend(included(&item.text)),
            }
        }
        Some(found)
    }
}

impl Rule {
    /// It may make any target, or sets something for all.
    fn is_everywhere(&self) -> bool {
        self.targets
            .iter()
            .any(|name| name.contains(['%', '$']) || (name.starts_with('.') && name != ".PHONY"))
    }

    fn makes(&self, target: &str) -> bool {
        self.is_everywhere() || self.targets.iter().any(|name| name == target)
    }
}

/// The rule that a line begins. None for an assignment, a directive and anything else.
fn rule(line: &str) -> Option<Rule> {
    let line = line.trim_end_matches('\\');
    let at = line.find([':', '='])?;
    let (targets, rest) = line.split_at(at);
    // `:=`, `::=` and `:::=` assign, as `=`, `?=`, `+=` and `!=` do.
    if rest.starts_with('=') || rest.trim_start_matches(':').starts_with('=') {
        return None;
    }
    let needs = rest.trim_start_matches(':').split(';').next().unwrap_or_default();
    let words = |text: &str| text.split_whitespace().filter(|word| *word != "|").map(str::to_owned).collect();
    Some(Rule { targets: words(targets), needs: words(needs) })
}

/// The lines that a rule gives to a shell, each in one piece.
fn recipe(text: &[&str]) -> Vec<String> {
    let own = text.iter().enumerate().filter_map(|(at, line)| match (at, line.split_once(';')) {
        (0, Some((_, first))) => Some(first),
        (0, None) => None,
        _ => Some(*line),
    });
    let whole = own.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
    let plain = |line: &str| {
        let line = line.trim_start_matches(['\t', ' ', '@', '-', '+']);
        line.replace("$(MAKE)", "make").replace("${MAKE}", "make").replace("$$", "$")
    };
    whole.lines().map(plain).filter(|line| !line.is_empty()).collect()
}

/// The files that a line includes, as far as they are named.
fn included(text: &[&str]) -> Vec<String> {
    let whole = text.join("\n").replace("\\\n", " ");
    let mut words = whole.split_whitespace();
    match words.next() {
        Some("include" | "-include" | "sinclude") => {
            words.filter(|word| !word.contains(['$', '*', '?'])).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
CC := gcc
include more.mk
# A comment.
.PHONY: all test lint other

all: build

test: build lint
\t@echo testing
\t$(MAKE) -C sub check

build: main.o ; $(CC) -o it
lint:
\tnpm run lint && \\
\t  ./lint.sh

other:
\trm -rf everything
%.o: %.c
\t$(CC) -c $<
";

    #[test]
    fn a_target_has_what_it_needs_and_what_is_set_for_all_and_no_other_rule() {
        let makefile = Makefile::of(FILE);
        let Reached { text, runs, includes } = makefile.reached(&["test".to_owned()]).unwrap();
        assert!(
            !text.contains("everything") && !text.contains("PHONY") && !text.contains("comment"),
            "{text}"
        );
        assert!(
            text.contains("CC := gcc") && text.contains("%.o: %.c") && text.contains("./lint.sh"),
            "{text}"
        );
        assert_eq!(includes, ["more.mk"]);
        let expected = [
            "echo testing",
            "make -C sub check",
            " $(CC) -o it",
            "npm run lint &&    ./lint.sh",
            "$(CC) -c $<",
        ];
        let trimmed: Vec<String> = runs.iter().map(|line| line.replace('\t', "")).collect();
        assert_eq!(trimmed.iter().map(|it| it.trim()).collect::<Vec<_>>(), expected.map(str::trim));
        let of = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            (named(&words).map(str::to_owned), targets_of(&words))
        };
        let own = || Some("own.mk".to_owned());
        assert_eq!(of("-f own.mk -j 4 test A=1"), (own(), vec!["test".to_owned()]));
        assert_eq!(of("-fown.mk -k lint test"), (own(), vec!["lint".to_owned(), "test".to_owned()]));
        assert_eq!(of("--file=own.mk -j test"), (own(), vec!["test".to_owned()]));
        assert_eq!(of("test"), (None, vec!["test".to_owned()]));
        assert!(makefile.has("lint") && !makefile.has("lint:") && !makefile.has("CC"));
    }

    #[test]
    fn the_whole_file_counts_where_it_cannot_be_told_what_runs() {
        for (text, target) in [
            ("test: $(DEPS)\n\techo\n", "test"),
            ("test:\n\techo\n", "check"),
            (".RECIPEPREFIX = >\ntest:\n>echo\n", "test"),
        ] {
            assert!(Makefile::of(text).reached(&[target.to_owned()]).is_none(), "{text}");
        }
    }
}
