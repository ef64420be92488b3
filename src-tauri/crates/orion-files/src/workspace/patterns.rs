//! The compiled patterns of one ignore file.

use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::letter_case::folded;

/// Patterns as `.gitignore` has them; the last one that matches a path decides.
#[derive(Debug)]
pub(super) struct Patterns {
    compiled: Gitignore,
    any_case: bool,
}

impl Patterns {
    /// Compiles lines. With `any_case`, a path that is closed under one spelling is not open under another: both name
    /// the same file.
    ///
    /// # Errors
    /// When there are more patterns than can be matched in one go.
    pub(super) fn of(lines: &[&str], any_case: bool) -> Result<Self, ignore::Error> {
        let mut builder = GitignoreBuilder::new(Path::new("."));
        for line in lines {
            let line = if any_case { folded(line.as_ref()) } else { (*line).to_owned() };
            if builder.add_line(None, &line).is_err() {
                // Not a valid pattern: it is taken for a plain name, so that a typing error opens nothing.
                let _ = builder.add_line(None, &globset::escape(&line));
            }
        }
        Ok(Self { compiled: builder.build()?, any_case })
    }

    /// True for an ignored path, false for one that `!` brings back, none for one that no line matches.
    pub(super) fn decide(&self, inside: &Path, is_folder: bool) -> Option<bool> {
        let matched = if self.any_case {
            let folded: PathBuf = inside.iter().map(folded).collect();
            self.compiled.matched(folded, is_folder).map(drop)
        } else {
            self.compiled.matched(inside, is_folder).map(drop)
        };
        match matched {
            Match::Ignore(()) => Some(true),
            Match::Whitelist(()) => Some(false),
            Match::None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Patterns;

    #[test]
    fn where_letter_case_does_not_count_no_spelling_opens_what_is_closed() {
        let lines = ["Secret.txt", "*.KEY", "!public.key", "/closed/"];
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
        ] {
            let path = Path::new(path);
            let decided = (any.decide(path, is_folder), exact.decide(path, is_folder));
            assert_eq!(decided, (in_any, as_it_is), "{path:?}");
        }
    }
}
