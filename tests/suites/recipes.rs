//! The recipes of docs/ARCHITECTURE.md: the files of a change are there, and there are no more of them than the recipe may have.

use std::collections::BTreeSet;
use std::fs;

use crate::source_rules::{root, sources};

/// The recipes whose files are bounded: what grows here makes each further capability dearer.
const MOST: [(&str, usize); 4] = [("An event", 8), ("A question", 12), ("A tool", 4), ("A tool source", 4)];

/// The kinds of question, as the core and the window name them.
const KINDS: [&str; 5] = ["Call", "Write", "Repeats", "Questions", "Pause"];

/// The lines in which kinds are told apart in one place.
const APART: usize = 40;

/// The recipes by name, each with its text.
fn recipes() -> Vec<(String, String)> {
    let page = fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap();
    let section = page.split("## Recipes").nth(1).unwrap().split("\n## ").next().unwrap();
    let recipes = section.split("\n- **").skip(1).map(|recipe| {
        let (name, text) = recipe.split_once("**").unwrap();
        (name.to_owned(), text.split_whitespace().collect::<Vec<_>>().join(" "))
    });
    recipes.collect()
}

/// The paths in a text, from the root of the repository. One without a crate is in the folder of the crate that was named last.
fn paths(text: &str) -> Vec<String> {
    let mut base = String::new();
    let quoted = text.split('`').skip(1).step_by(2).filter(|quoted| quoted.contains('/'));
    quoted
        .map(|path| {
            if let Some((name, _)) = path.split_once("/src/").filter(|(name, _)| name.starts_with("orion-")) {
                base = format!("src-tauri/crates/{name}/src/");
                return format!("src-tauri/crates/{path}");
            }
            match path.split('/').next() {
                Some("docs") => path.to_owned(),
                Some("app" | "model" | "ui" | "words") => format!("ui/src/lib/{path}"),
                _ => format!("{base}{path}"),
            }
        })
        .filter(|path| !path.ends_with("/src/"))
        .collect()
}

/// The number of files that a recipe says: `takes 12 files`.
fn count(text: &str) -> usize {
    text.split("takes ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn the_files_of_a_recipe_are_there_and_not_too_many() {
    let recipes = recipes();
    assert!(recipes.len() >= 7, "{recipes:?}");
    for (name, text) in &recipes {
        let paths = paths(text);
        let missing: Vec<&String> = paths.iter().filter(|path| !root().join(path).exists()).collect();
        assert!(missing.is_empty(), "{name}: {missing:?} is not there");
        assert!(paths.len() <= count(text), "{name} takes {} files, and names {paths:?}", count(text));
    }
    for (name, most) in MOST {
        let (_, text) = recipes.iter().find(|(is, _)| is == name).unwrap();
        assert!(count(text) <= most, "{name} may take {most} files");
    }
}

/// True where kinds of question are told apart: four of them within a few lines.
fn tells_apart(code: &str, names: impl Fn(&str) -> Vec<String>) -> bool {
    let lines: Vec<&str> = code.lines().collect();
    lines.windows(APART.min(lines.len()).max(1)).any(|window| {
        let window = window.join("\n");
        let named = |kind: &&&str| names(kind).iter().any(|name| window.contains(name.as_str()));
        KINDS.iter().filter(named).count() >= 4
    })
}

#[test]
fn a_question_is_told_apart_where_its_recipe_says_and_nowhere_else() {
    let shipped = |text: &str| text.split("\n#[cfg(test)]").next().unwrap_or_default().to_owned();
    let mut found = BTreeSet::new();
    for folder in ["src-tauri/crates", "src-tauri/src", "ui/src/lib"] {
        for file in sources(folder, &[".rs", ".ts", ".svelte"]) {
            let path = file.strip_prefix(root()).unwrap().display().to_string();
            if path.contains("/tests/") || path.contains("test") || path.contains("/replay/") {
                continue;
            }
            let code = shipped(&fs::read_to_string(&file).unwrap());
            let is_rust = path.ends_with(".rs");
            let defines = path.ends_with("/pending.rs");
            let tells = tells_apart(&code, |kind| match is_rust {
                true if defines => vec![format!("Self::{kind} ")],
                true => vec![format!("PendingOf::{kind} ")],
                false => {
                    let kind = kind.to_lowercase();
                    vec![format!("case '{kind}':"), format!("of.type === '{kind}'")]
                }
            });
            if tells {
                found.insert(path);
            }
        }
    }
    let (_, text) = recipes().into_iter().find(|(name, _)| name == "A question").unwrap();
    let listed: BTreeSet<String> = paths(&text).into_iter().collect();
    assert!(found.len() >= 7, "{found:?}");
    let unlisted: Vec<&String> = found.difference(&listed).collect();
    assert!(unlisted.is_empty(), "the recipe of a question does not name {unlisted:?}");
}
