//! The scripts of package.json: which one a line runs, with those that run before and after it.
//!
//! Deliberately not here: which scripts are proposed (`proposing`).

use serde_json::{Map, Value};

use super::super::reading::text;
use super::{Following, lines};

impl Following<'_> {
    /// Follows a package manager in this folder.
    pub(super) fn package(&mut self, folder: &str, manager: &str, rest: &[String]) {
        self.settings(folder, manager);
        let Some(name) = script_of(manager, rest) else { return };
        let path = lines::joined(folder, "package.json");
        let scripts = text(self.project, &path).as_deref().and_then(scripts);
        let Some(scripts) = scripts else {
            // Too large, or broken: as far as Orion knows, all of it counts.
            return self.parts.file(self.project, &path, false);
        };
        if !scripts.contains_key(name) && rest.iter().any(|word| word == "run" || word == "run-script") {
            // One of another package, or the word of an option: all of them count.
            let all = serde_json::to_string_pretty(&scripts).unwrap_or_default();
            return self.parts.add(format!("{path}: scripts"), all);
        }
        for name in [format!("pre{name}"), name.to_owned(), format!("post{name}")] {
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

/// The name of the script that a package manager runs.
fn script_of<'w>(manager: &str, rest: &'w [String]) -> Option<&'w str> {
    let mut words = rest.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
    let first = words.next()?;
    match (manager, first) {
        (_, "run" | "run-script") | ("npm", "rum" | "urn") => words.next(),
        ("npm", "t" | "tst") | ("pnpm", "t") => Some("test"),
        ("npm", "test" | "start" | "stop" | "restart") => Some(first),
        ("npm", _) => None,
        // bun has a runner of its own under this name.
        ("bun", "test") => None,
        _ => Some(first),
    }
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
