//! The modules of a crate form no circle: each can be read with what it uses, and without what uses it.
//!
//! The modules are read from the paths in the source (`use super::…`, `crate::…`). A name that a module re-exports by
//! `pub use` counts as the name of the module that defines it. A module and the modules inside it count as one: they
//! may use each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::source_rules::{root, sources};

/// A module by its path in the crate; the root is empty.
type Module = Vec<String>;

fn module(file: &Path) -> Module {
    let mut names: Module =
        file.with_extension("").iter().map(|name| name.to_str().unwrap().to_owned()).collect();
    if names.last().is_some_and(|name| ["mod", "lib", "main"].contains(&name.as_str())) {
        names.pop();
    }
    names
}

/// The source without its tests and comments.
fn code(text: &str) -> String {
    let shipped = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    shipped.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The paths of a tree such as `a::{b, c::{d, e}}`, and the text after it.
fn paths(tree: &str) -> (Vec<String>, &str) {
    let tree = tree.trim_start();
    let end = tree.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(tree.len());
    let (head, mut rest) = tree.split_at(end);
    if !(head.ends_with("::") && rest.starts_with('{')) {
        return (vec![head.to_owned()], rest);
    }
    let mut found = Vec::new();
    while !rest.starts_with('}') && rest.len() > 1 {
        let (inner, after) = paths(&rest[1..]);
        found.extend(inner.into_iter().filter(|path| !path.is_empty()).map(|path| format!("{head}{path}")));
        rest = after;
    }
    (found, rest.get(1..).unwrap_or_default())
}

/// Every path below `start`, wherever it stands in the source.
fn paths_from(code: &str, start: &str) -> Vec<String> {
    let begins = |at: usize| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
    let places = code.match_indices(start).map(|(at, _)| at).filter(|&at| begins(at));
    places.flat_map(|at| paths(&code[at..]).0).collect()
}

struct Crate {
    code: BTreeMap<Module, String>,
    /// Where a name that a module passes on comes from.
    passed_on: BTreeMap<(Module, String), Module>,
}

impl Crate {
    fn read(folder: &str) -> Self {
        let mut code_of = BTreeMap::new();
        for file in sources(folder, &[".rs"]) {
            let module = module(file.strip_prefix(root().join(folder)).unwrap());
            if !module.last().is_some_and(|name| name.ends_with("tests")) {
                code_of.insert(module, code(&fs::read_to_string(&file).unwrap()));
            }
        }
        let mut read = Self { code: code_of, passed_on: BTreeMap::new() };
        let mut passed_on = BTreeMap::new();
        for (module, code) in &read.code {
            for line in ["pub use ", "pub(crate) use ", "pub(super) use "] {
                for (at, _) in code.match_indices(line) {
                    for path in paths(&code[at + line.len()..]).0 {
                        let (owner, name) = read.resolve(module, &path);
                        if let Some(name) = name.filter(|_| owner != *module) {
                            passed_on.insert((module.clone(), name), owner);
                        }
                    }
                }
            }
        }
        read.passed_on = passed_on;
        read
    }

    /// The module that a path of `from` leads to, and the name that it takes from there.
    fn resolve(&self, from: &Module, path: &str) -> (Module, Option<String>) {
        let mut at = from.clone();
        let mut names = path.split("::").peekable();
        while let Some(name) = names.next_if(|name| ["crate", "super", "self"].contains(name)) {
            match name {
                "crate" => at.clear(),
                "super" => drop(at.pop()),
                _ => {}
            }
        }
        for name in names {
            let below: Module = at.iter().cloned().chain([name.to_owned()]).collect();
            if !self.code.contains_key(&below) {
                let owner = self.passed_on.get(&(at.clone(), name.to_owned()));
                return (owner.unwrap_or(&at).clone(), Some(name.to_owned()));
            }
            at = below;
        }
        (at, None)
    }

    fn uses(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let uses = |module: &Module, code: &String| {
            let paths = ["crate::", "super::"].into_iter().flat_map(|start| paths_from(code, start));
            let used = paths.map(|path| self.resolve(module, &path).0);
            used.filter(|used| !used.starts_with(module) && !module.starts_with(used)).collect()
        };
        self.code.iter().map(|(module, code)| (module.clone(), uses(module, code))).collect()
    }
}

/// What is left when modules that use nothing, and modules that nothing uses, are taken out again and again: the circles.
fn circles(mut uses: BTreeMap<Module, BTreeSet<Module>>) -> Vec<String> {
    loop {
        let used: BTreeSet<Module> = uses.values().flatten().cloned().collect();
        let before = uses.len();
        uses.retain(|module, uses| !uses.is_empty() && used.contains(module));
        let left: BTreeSet<Module> = uses.keys().cloned().collect();
        uses.values_mut().for_each(|used| used.retain(|module| left.contains(module)));
        if uses.len() == before {
            let arrow = |(from, to): (&Module, &Module)| format!("{} → {}", from.join("::"), to.join("::"));
            return uses
                .iter()
                .flat_map(|(from, to)| to.iter().map(move |to| (from, to)))
                .map(arrow)
                .collect();
        }
    }
}

/// The sources of the crates, and of the window's shell.
fn folders() -> Vec<String> {
    let crates = fs::read_dir(root().join("src-tauri/crates")).unwrap();
    let folders =
        crates.map(|entry| format!("src-tauri/crates/{}/src", entry.unwrap().file_name().to_str().unwrap()));
    folders.chain(["src-tauri/src".to_owned()]).collect()
}

#[test]
fn the_modules_of_a_crate_form_no_circle() {
    for folder in folders() {
        let uses = Crate::read(&folder).uses();
        assert!(uses.values().any(|uses| !uses.is_empty()), "no module of {folder} uses another");
        assert_eq!(circles(uses), Vec::<String>::new(), "in {folder}");
    }
}

/// The words that follow `before` in the source and stand before a parenthesis.
fn words_after<'a>(code: &'a str, before: &str) -> BTreeSet<&'a str> {
    let word = |at: usize| {
        let rest = &code[at + before.len()..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
        let (word, after) = rest.split_at(end);
        let is_called = after.starts_with(['(', '<']) || after.starts_with("::<");
        (is_called && !word.is_empty()).then_some(word)
    };
    code.match_indices(before).filter_map(|(at, _)| word(at)).collect()
}

/// The modules whose methods a module calls on its own type. A name that methods of several modules have says nothing.
fn calls(code: &BTreeMap<Module, String>) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut defined: BTreeMap<&str, BTreeSet<&Module>> = BTreeMap::new();
    for (module, code) in code {
        for name in words_after(code, "fn ") {
            defined.entry(name).or_default().insert(module);
        }
    }
    let called = |module: &Module, code: &String| -> BTreeSet<Module> {
        let names = ["self.", "Self::"].into_iter().flat_map(|before| words_after(code, before));
        let owners = names.filter_map(|name| match defined.get(name)?.iter().collect::<Vec<_>>()[..] {
            [owner] => Some((**owner).clone()),
            _ => None,
        });
        owners.filter(|owner| !owner.starts_with(module) && !module.starts_with(owner)).collect()
    };
    code.iter().map(|(module, code)| (module.clone(), called(module, code))).collect()
}

/// The calls in circles that there are, for each crate. Fewer is better; a part with its own state calls no other one back.
const CALLS_IN_CIRCLES: [(&str, usize); 2] = [("orion-core", 71), ("orion-engine", 25)];

#[test]
fn the_circles_of_method_calls_do_not_grow() {
    for folder in folders() {
        let found = circles(calls(&Crate::read(&folder).code));
        println!("{folder}: {} calls in circles\n  {}", found.len(), found.join("\n  "));
        let known = CALLS_IN_CIRCLES.iter().find(|(name, _)| folder.contains(name));
        let most = known.map_or(0, |(_, most)| *most);
        assert!(found.len() <= most, "{folder} has more than {most} calls in circles: {}", found.len());
    }
}

#[test]
fn a_circle_of_method_calls_is_found_where_one_type_is_in_several_modules() {
    let sources = [
        (&["a"][..], "impl T { fn one(&self) { self.two(); self.len(); } fn len(&self) {} }"),
        (&["b"], "impl T { fn two(&self) { Self::three(1); } }"),
        (&["c"], "impl T { fn three(n: u8) { self.one::<u8>(); } fn len(&self) {} }"),
        (&["d"], "fn four(it: T) { it.one(); self.two.one(); }"),
    ];
    let code =
        sources.map(|(module, text)| (module.iter().map(|&name| name.to_owned()).collect(), code(text)));
    assert_eq!(circles(calls(&BTreeMap::from(code))), ["a → b", "b → c", "c → a"]);
}

#[test]
fn a_circle_is_found_through_lists_and_names_that_are_passed_on() {
    let sources = [
        (&[][..], "pub use a::Thing; mod a; mod b; mod c; mod d;"),
        (&["a"], "use super::{b::{Other, More}, d::Name};"),
        (&["b"], "fn f() -> crate::Thing {}"),
        (&["c"], "use crate::a::Thing; // use crate::d::Name;"),
        (&["d"], ""),
    ];
    let code =
        sources.map(|(module, text)| (module.iter().map(|&name| name.to_owned()).collect(), code(text)));
    let passed_on = BTreeMap::from([((Module::new(), "Thing".to_owned()), vec!["a".to_owned()])]);
    let found = circles(Crate { code: BTreeMap::from(code), passed_on }.uses());
    assert_eq!(found, ["a → b", "b → a"]);
}
