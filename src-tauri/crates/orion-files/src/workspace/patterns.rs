//! The compiled patterns of one ignore file.

use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::letter_case::folded;

/// Patterns as `.gitignore` has them; the last one that matches a path decides.
#[derive(Debug)]
pub(super) struct Patterns {
    compiled: Gitignore,
    /// The same, folded, where letter case does not count. Folding changes what a class such as `[A-z]` means, and
    /// `compiled` knows only pairs of letters, so a path is closed if either closes it.
    folded: Option<Gitignore>,
}

impl Patterns {
    /// Compiles lines. With `any_case`, a path that is closed under one spelling is not open under another: both name
    /// the same file.
    ///
    /// # Errors
    /// When there are more patterns than can be matched in one go.
    pub(super) fn of(lines: &[&str], any_case: bool) -> Result<Self, ignore::Error> {
        let compiled = compile(lines.iter().map(|&line| line.to_owned()), any_case)?;
        let folded =
            any_case.then(|| compile(lines.iter().map(|line| folded(line.as_ref())), true)).transpose()?;
        Ok(Self { compiled, folded })
    }

    /// True for an ignored path, false for one that `!` brings back, none for one that no line matches.
    pub(super) fn decide(&self, inside: &Path, is_folder: bool) -> Option<bool> {
        let as_it_is = verdict(&self.compiled, inside, is_folder);
        let Some(patterns) = &self.folded else { return as_it_is };
        let path: PathBuf = inside.iter().map(folded).collect();
        // `Some(true)` is the largest, and none the smallest.
        as_it_is.max(verdict(patterns, &path, is_folder))
    }
}

fn compile(lines: impl Iterator<Item = String>, any_case: bool) -> Result<Gitignore, ignore::Error> {
    let mut builder = GitignoreBuilder::new(Path::new("."));
    builder.case_insensitive(any_case)?;
    for line in lines {
        if builder.add_line(None, &line).is_err() {
            // Not a valid pattern: it is taken for a plain name, so that a typing error opens nothing.
            let _ = builder.add_line(None, &globset::escape(&line));
        }
    }
    builder.build()
}

fn verdict(patterns: &Gitignore, path: &Path, is_folder: bool) -> Option<bool> {
    match patterns.matched(path, is_folder) {
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
        Match::None => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Patterns;

    #[test]
    fn where_letter_case_does_not_count_no_spelling_opens_what_is_closed() {
        let lines = ["Secret.txt", "*.KEY", "!public.key", "/closed/", "[A-z]*.pem", "[A-_]*.crt"];
        let any = Patterns::of(&lines, true).unwrap();
        let exact = Patterns::of(&lines, false).unwrap();
        for (path, is_folder, in_any, as_it_is) in [
            ("Secret.txt", false, Some(true), Some(true)),
            ("sub/\u{17f}ecret.TXT", false, Some(true), None),
            ("a.key", false, Some(true), None),
            ("a.KEY", false, Some(true), Some(true)),
            ("Public.Key", false, Some(false), None),
            ("clo\u{17f}ed", true, Some(true), None),
            ("other", false, None, None),
            // `_` is between `Z` and `a`, and in no class of lower case.
            ("_key.pem", false, Some(true), Some(true)),
            ("_KEY.PEM", false, Some(true), None),
            ("_a.crt", false, Some(true), Some(true)),
            ("Q.CRT", false, Some(true), None),
        ] {
            let path = Path::new(path);
            let decided = (any.decide(path, is_folder), exact.decide(path, is_folder));
            assert_eq!(decided, (in_any, as_it_is), "{path:?}");
        }
    }
}
