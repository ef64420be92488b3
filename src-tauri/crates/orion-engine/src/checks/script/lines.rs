//! The simple commands of a shell line, as far as scripts are looked for in them.
//!
//! A line that the reader of `orion-core` does not understand is split roughly: too many scripts are found then rather than too few. Deliberately not
//! here: whether a line may run.

use orion_core::command_line::{Words, read};

/// The simple commands that a line likely runs.
pub(super) fn commands(line: &str) -> Vec<Words> {
    match read(line) {
        Ok(line) => line.commands,
        Err(_) => line.split([';', '&', '|', '\n', '(', ')', '`', '{', '}']).filter_map(roughly).collect(),
    }
}

fn roughly(part: &str) -> Option<Words> {
    let words = shell_words::split(part).unwrap_or_else(|_| {
        part.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_owned()).collect()
    });
    let is_before = |word: &String| is_assignment(word) || KEYWORDS.contains(&word.as_str()) || word == "$";
    let words: Words = words.into_iter().skip_while(is_before).collect();
    (!words.is_empty()).then_some(words)
}

/// Words of the shell that stand before a command.
const KEYWORDS: [&str; 8] = ["if", "then", "else", "elif", "while", "until", "do", "!"];

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// A path from a folder of the project, without `.` in it.
pub(super) fn joined(folder: &str, path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    let names = folder.split('/').chain(path.split('/'));
    let mut joined: Vec<&str> = Vec::new();
    for name in names.filter(|name| !name.is_empty() && *name != ".") {
        match joined.last() {
            Some(last) if name == ".." && *last != ".." => drop(joined.pop()),
            _ => joined.push(name),
        }
    }
    joined.join("/")
}

/// A folder of the project with each of those above it, up to the project's root.
pub(super) fn with_parents(folder: &str) -> impl Iterator<Item = &str> {
    let ends = folder.rmatch_indices('/').map(|(at, _)| at);
    let all = std::iter::once(folder).chain(ends.filter_map(|at| folder.get(..at)));
    all.chain((!folder.is_empty()).then_some(""))
}

/// The folder that a program is told to run in by its options, and its words without these.
pub(super) fn placed(folder: &str, program: &str, words: &[String]) -> (String, Vec<String>) {
    let options: &[&str] = match program {
        "npm" => &["--prefix", "-C"],
        "pnpm" => &["--dir", "-C"],
        "yarn" | "bun" => &["--cwd"],
        "make" | "gmake" => &["--directory", "-C"],
        "cargo" => &["-C"],
        _ => &[],
    };
    let (mut placed, mut rest) = (folder.to_owned(), Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (option, value) =
            word.split_once('=').map_or((word.as_str(), None), |(option, value)| (option, Some(value)));
        if options.contains(&option) {
            let value = value.or_else(|| words.next().map(String::as_str));
            placed = joined(&placed, value.unwrap_or_default());
        } else {
            rest.push(word.clone());
        }
        // What follows is for another program.
        if word == "--" {
            rest.extend(words.by_ref().cloned());
        }
    }
    (placed, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_understood_is_split_roughly() {
        let of = |line: &str| commands(line).into_iter().map(|words| words.join(" ")).collect::<Vec<_>>();
        assert_eq!(of("npm test && cargo test | tee"), ["npm test", "cargo test", "tee"]);
        assert_eq!(of("CI=1 npm test > out.txt"), ["npm test > out.txt"]);
        assert_eq!(of("if $(make lint); then ./a.sh 'x; fi"), ["make lint", "./a.sh x", "fi"]);
    }

    #[test]
    fn a_folder_is_joined_and_read_from_options() {
        assert_eq!(joined("a/b", "../c/./d"), "a/c/d");
        assert_eq!(joined("", "../x"), "../x");
        assert_eq!(joined("a", "/x"), "/x");
        let of = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let (folder, rest) = placed("a", &words[0], &words[1..]);
            (folder, rest.join(" "))
        };
        assert_eq!(of("make -C b test"), ("a/b".to_owned(), "test".to_owned()));
        assert_eq!(of("npm run --prefix=c test"), ("a/c".to_owned(), "run test".to_owned()));
        assert_eq!(of("npm test -- -C d"), ("a".to_owned(), "test -- -C d".to_owned()));
        assert_eq!(of("yarn -C d"), ("a".to_owned(), "-C d".to_owned()));
    }
}
