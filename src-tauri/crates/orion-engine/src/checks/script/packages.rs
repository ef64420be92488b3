//! The scripts of package.json: which one a line runs, with those that run before and after it.
//!
//! Deliberately not here: which scripts are proposed (`proposing`).

use serde_json::{Map, Value};

use super::super::reading::{Found, read, text};
use super::{Following, lines};

impl Following<'_> {
    /// Follows a package manager in this folder.
    pub(super) fn package(&mut self, folder: &str, manager: &str, rest: &[String]) {
        self.settings(folder, manager);
        let mut places = lines::with_parents(folder).map(|at| lines::joined(at, "package.json"));
        let Some(path) = places.find(|path| read(self.project, path, 1) != Found::Nothing) else { return };
        let folder = path.strip_suffix("package.json").unwrap_or_default().trim_end_matches('/');
        let Some(scripts) = text(self.project, &path).as_deref().and_then(scripts) else {
            // Too large, or broken: as far as Orion knows, all of it counts.
            self.parts.file(self.project, &path);
            return;
        };
        let names = match script_of(manager, rest).filter(|name| scripts.contains_key(*name)) {
            Some(name) => vec![format!("pre{name}"), name.to_owned(), format!("post{name}")],
            // It cannot be told which one runs, so all of them count.
            None => scripts.keys().cloned().collect(),
        };
        for name in names {
            let Some(script) = scripts.get(&name).and_then(Value::as_str) else { continue };
            let from = format!("{path}: scripts.{name}");
            if self.parts.is_new(format!("{from} followed")) {
                self.parts.add(from, script.to_owned());
                self.line(folder, script);
            }
        }
    }
}

/// The scripts of a package.json. None where it is none.
fn scripts(text: &str) -> Option<Map<String, Value>> {
    let package: Map<String, Value> = serde_json::from_str(text).ok()?;
    Some(package.get("scripts").and_then(Value::as_object).cloned().unwrap_or_default())
}

/// The name of the script that a package manager runs. None where it is not exactly one: an option may take the word after it, and name another package.
fn script_of<'w>(manager: &str, rest: &'w [String]) -> Option<&'w str> {
    let own = rest.iter().take_while(|word| *word != "--").map(String::as_str);
    let mut words = own.filter(|word| !matches!(*word, "-s" | "--silent"));
    let first = words.next()?;
    let name = match (manager, first) {
        (_, "run" | "run-script") | ("npm", "rum" | "urn") => words.next()?,
        ("npm", "t" | "tst") | ("pnpm", "t") => "test",
        ("npm", "test" | "start" | "stop") => first,
        // bun has a runner of its own under this name.
        ("npm", _) | ("bun", "test") => return None,
        _ => first,
    };
    (!name.starts_with('-') && words.all(|word| !word.starts_with('-'))).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_manager_has_its_own_words_for_a_script() {
        for (line, expected) in [
            ("npm test", Some("test")),
            ("npm t -- --watch=false", Some("test")),
            ("npm --silent run lint", Some("lint")),
            ("npm run-script x:y", Some("x:y")),
            ("npm install", None),
            ("npm run --workspace a lint", None),
            ("npm --loglevel silent run lint", None),
            ("npm", None),
            ("pnpm lint", Some("lint")),
            ("pnpm run lint", Some("lint")),
            ("yarn typecheck", Some("typecheck")),
            ("bun test", None),
            ("bun run test", Some("test")),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(script_of(&words[0], &words[1..]), expected, "{line}");
        }
    }
}
