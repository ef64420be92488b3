//! Package manifests: what they run must not change without a question (A1).
//!
//! A package manager runs parts of a manifest when somebody installs or builds. A question for every change of a version
//! would be clicked away, so the old and the new manifest are compared in these parts. Deliberately not here: manifests
//! in formats that are not read (`package.json5`), and others that always ask (`always_asks`).

use serde_json::{Map, Value};

use crate::workspace::{ProjectPath, folded};

/// Parses a manifest. None when it is not valid.
type Reader = fn(&[u8]) -> Option<Value>;

/// Bytes of a manifest that is parsed, old or new: 1 MiB. Parsed, it takes many times as much memory. A larger one asks.
pub(crate) const LARGEST: u64 = 1 << 20;

/// The keys of `package.json`: what npm and pnpm run, what git's hooks run, and what editors load as a configuration that is a program.
const PACKAGE: &[&str] = &[
    "scripts",
    "simple-git-hooks",
    "husky",
    "gitHooks",
    "lint-staged",
    "pre-commit",
    "commitlint",
    "pnpm",
    "eslintConfig",
    "prettier",
    "stylelint",
];

/// The keys of `Cargo.toml`: rust-analyzer builds and runs build scripts and macros when the folder is opened.
const CARGO: &[&str] =
    &["build", "build-dependencies", "proc-macro", "proc_macro", "crate-type", "crate_type"];

/// How a manifest is read, and the keys below which it says what is run.
fn kind(path: &ProjectPath) -> Option<(Reader, &'static [&'static str])> {
    let kind: (Reader, &[&str]) = match folded(path.as_path().file_name()?).as_str() {
        "package.json" => (json, PACKAGE),
        "composer.json" => (json, &["scripts"]),
        "deno.json" => (json, &["tasks", "scripts"]),
        "cargo.toml" => (toml, CARGO),
        "pyproject.toml" => (toml, &["build-system", "scripts", "tasks", "pylint"]),
        "pixi.toml" => (toml, &["tasks", "activation"]),
        _ => return None,
    };
    Some(kind)
}

pub(crate) fn is_manifest(path: &ProjectPath) -> bool {
    kind(path).is_some()
}

/// Whether a file of this name is a manifest, and the new one runs something else than the old one.
pub(crate) fn runs_else(path: &ProjectPath, old: Option<&[u8]>, new: &[u8]) -> bool {
    let Some((read, keys)) = kind(path) else { return false };
    if old.into_iter().chain([new]).any(|bytes| bytes.len() as u64 > LARGEST) {
        return true;
    }
    match (old.map_or(Some(Value::Null), read), read(new)) {
        (Some(before), Some(after)) => differ(&before, &after, keys),
        // A manifest that cannot be read may not be harmless.
        _ => true,
    }
}

fn json(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).ok()
}

fn toml(bytes: &[u8]) -> Option<Value> {
    toml::from_str(std::str::from_utf8(bytes).ok()?).ok()
}

/// Whether something below one of these keys differs. Where it stands counts too: what is moved from elsewhere to where
/// it is run is new there.
fn differ(before: &Value, after: &Value, keys: &[&str]) -> bool {
    let new = names_in(after).filter(|key| before.get(key.as_str()).is_none());
    // `build = false` runs nothing, so it is nothing new; without it, a `build.rs` that is there runs.
    let runs_less = |before: &Value, after: &Value| before.is_null() && after == &Value::Bool(false);
    let in_fields = names_in(before).chain(new).map(String::as_str).any(|key| match keys.contains(&key) {
        true => before[key] != after[key] && !runs_less(&before[key], &after[key]),
        false => differ(&before[key], &after[key], keys),
    });
    let entries = |value: &Value| value.as_array().map_or(0, Vec::len);
    in_fields || (0..entries(before).max(entries(after))).any(|at| differ(&before[at], &after[at], keys))
}

fn names_in(value: &Value) -> impl Iterator<Item = &String> {
    value.as_object().into_iter().flat_map(Map::keys)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::runs_else;
    use crate::workspace::ProjectPath;

    const PLAIN: &str = r#"{"version":"1"}"#;
    const BUILDS: &str = r#"{"version":"1","scripts":{"build":"tsc"}}"#;
    const ELSEWHERE: &str = r#"{"x":{"scripts":{"postinstall":"evil"}}}"#;

    #[test]
    fn a_manifest_asks_when_what_it_runs_changes_and_at_no_other_time() {
        for (name, old, new, asks) in [
            ("package.json", Some(BUILDS), r#"{"version":"2","scripts":{"build":"tsc"}}"#, false),
            (
                "a/Package.json",
                Some(BUILDS),
                r#"{"version":"1","scripts":{"build":"tsc","postinstall":"x"}}"#,
                true,
            ),
            ("package.json", Some(BUILDS), PLAIN, true),
            ("package.json", Some(BUILDS), "{", true),
            ("package.json", Some(BUILDS), "[]", true),
            ("package.json", None, BUILDS, true),
            ("package.json", None, PLAIN, false),
            ("package.json", Some(ELSEWHERE), r#"{"scripts":{"postinstall":"evil"}}"#, true),
            (
                "package.json",
                Some(ELSEWHERE),
                r#"{"y":1,"x":{"z":[{}],"scripts":{"postinstall":"evil"}}}"#,
                false,
            ),
            ("package.json", Some(r#"[{"scripts":"a"},{}]"#), r#"[{},{"scripts":"a"}]"#, true),
            ("pac\u{212a}age.json", None, BUILDS, true),
            ("composer.json", Some("{}"), r#"{"scripts":{"post-install-cmd":"x"}}"#, true),
            (
                "Cargo.toml",
                Some("[package]\nname = \"a\"\n"),
                "[package]\nname = \"a\"\nbuild = \"b.rs\"\n",
                true,
            ),
            ("Cargo.toml", Some("[package]\nname = \"a\"\n"), "[package]\nname = \"b\"\n", false),
            ("Cargo.toml", Some(""), "[target.a.build-dependencies]\nx = \"1\"\n", true),
            ("Cargo.toml", None, "[package]\nname = \"a\"\n[lib]\nproc-macro = true\n", true),
            ("Cargo.toml", None, "[package]\nname = \"a\"\n[dependencies]\nproc-macro2 = \"1\"\n", false),
            ("Cargo.toml", None, "[package]\nbuild = false\n", false),
            ("Cargo.toml", Some("[package]\nbuild = false\n"), "[package]\nname = \"a\"\n", true),
            ("Cargo.toml", Some("[package]\nbuild = \"a.rs\"\n"), "[package]\nbuild = false\n", true),
            ("pyproject.toml", Some(""), "[build-system]\nrequires = [\"x\"]\n", true),
            ("deno.json", Some("{}"), r#"{"tasks":{"build":"x"}}"#, true),
            ("pixi.toml", Some(""), "[feature.a.tasks]\nbuild = \"x\"\n", true),
            ("pixi.toml", Some(""), "[workspace]\nname = \"x\"\n", false),
            ("other.json", Some(BUILDS), PLAIN, false),
        ] {
            let path = ProjectPath::from_relative(Path::new(name)).unwrap();
            assert_eq!(runs_else(&path, old.map(str::as_bytes), new.as_bytes()), asks, "{name} {new}");
        }
    }

    #[test]
    fn each_key_below_which_a_manifest_says_what_is_run_asks() {
        for (name, keys) in [
            ("package.json", super::PACKAGE),
            ("composer.json", &["scripts"]),
            ("deno.json", &["tasks", "scripts"]),
            ("Cargo.toml", super::CARGO),
            ("pyproject.toml", &["build-system", "scripts", "tasks", "pylint"]),
            ("pixi.toml", &["tasks", "activation"]),
        ] {
            let path = ProjectPath::from_relative(Path::new(name)).unwrap();
            for key in keys {
                let (old, new) = match name.ends_with(".json") {
                    true => ("{}", format!(r#"{{"{key}":{{"a":"b"}}}}"#)),
                    false => ("", format!("[{key}]\na = \"b\"\n")),
                };
                assert!(runs_else(&path, Some(old.as_bytes()), new.as_bytes()), "{name} {new}");
            }
        }
    }

    // A table of `Cargo.toml` or an array of `package.json` may cost hundreds of times its bytes in memory.
    #[test]
    fn a_manifest_of_more_than_a_mebibyte_asks_unparsed() {
        let path = ProjectPath::from_relative(Path::new("package.json")).unwrap();
        let of = |bytes: u64| {
            let around = r#"{"a":""}"#.len();
            format!(r#"{{"a":"{}"}}"#, "x".repeat(usize::try_from(bytes).unwrap() - around)).into_bytes()
        };
        let (largest, larger) = (of(super::LARGEST), of(super::LARGEST + 1));
        assert!(!runs_else(&path, Some(&largest), &largest));
        assert!(runs_else(&path, Some(&largest), &larger));
        assert!(runs_else(&path, Some(&larger), &largest));
    }

    #[test]
    fn deep_manifests_are_compared_in_one_go() {
        // Each level looked at twice would be 2^100 steps.
        let deep = |inner: &str| format!("{}{inner}{}", r#"{"a":"#.repeat(100), "}".repeat(100));
        let path = ProjectPath::from_relative(Path::new("package.json")).unwrap();
        let (old, other) = (deep("1"), deep(r#"{"scripts":"x"}"#));
        assert!(!runs_else(&path, Some(old.as_bytes()), old.as_bytes()));
        assert!(runs_else(&path, Some(old.as_bytes()), other.as_bytes()));
    }
}
