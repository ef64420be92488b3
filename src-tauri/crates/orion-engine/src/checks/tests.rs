//! Scripts and proposals on projects: which there are, and that nothing hostile becomes one.

use orion_files::workspace::{Private, Project};
use orion_protocol::{Check, CheckCommand};

use super::{proposing::proposals, script};

type Files<'f> = &'f [(&'f str, &'f str)];

fn project(files: Files<'_>) -> (tempfile::TempDir, Project) {
    let folder = tempfile::tempdir().unwrap();
    put(&folder, files);
    let project = Project::open(folder.path(), &Private::none()).unwrap();
    (folder, project)
}

fn put(folder: &tempfile::TempDir, files: Files<'_>) {
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn proposed(files: Files<'_>) -> Vec<String> {
    let (_folder, project) = project(files);
    let line = |check: Check| match check.command {
        CheckCommand::Line(line) => format!("{}: {line}", check.name),
        CheckCommand::Argv(words) => format!("{}: {words:?}", check.name),
    };
    proposals(&project).into_iter().map(|proposal| line(proposal.check)).collect()
}

/// The places of the parts of a script, and its digest.
fn parts(project: &Project, line: &str) -> (Vec<String>, orion_protocol::Sha256) {
    let script = script::script(project, &CheckCommand::Line(line.to_owned())).unwrap();
    (script.parts.into_iter().map(|part| part.from).collect(), script.sha256)
}

const SCRIPTS: &str = r#"{ "scripts": { "pretest": "npm run lint", "test": "vitest run", "lint": "eslint .", "build": "tsc" } }"#;

const ALL: &str = r#"{ "packageManager": "pnpm@9.0.0",
    "scripts": { "test": "vitest", "lint": "eslint .", "typecheck": "tsc", "check": "svelte-check" } }"#;

// V1
#[test]
fn fifteen_projects_propose_what_their_manifests_have() {
    let large = format!(r#"{{ "scripts": {{ "test": "vitest" }}, "x": "{}" }}"#, "x".repeat(64 * 1024));
    let deep = format!(r#"{{ "scripts": {}1{} }}"#, "[".repeat(20_000), "]".repeat(20_000));
    let deep_toml = format!("a = {}1{}\n[package]\nname = \"x\"\n", "[".repeat(20_000), "]".repeat(20_000));
    let pyproject = "[tool.pytest.ini_options]\naddopts = \"-q\"\n[tool.ruff]\n[tool.mypy]\nstrict = true\n[tool.black]\n";
    let makefile = ".PHONY: test lint\ntest: lint\n\tgo test\nlint:\n\tgo vet\ncheck := 1\n";
    let cases: [(&str, Files<'_>, &[&str]); 15] = [
        ("an empty one", &[], &[]),
        (
            "npm",
            &[("package.json", SCRIPTS), ("package-lock.json", "{}")],
            &["npm-test: npm test", "npm-lint: npm run lint"],
        ),
        (
            "yarn",
            &[("package.json", SCRIPTS), ("yarn.lock", "")],
            &["yarn-test: yarn test", "yarn-lint: yarn run lint"],
        ),
        (
            "bun",
            &[("package.json", SCRIPTS), ("bun.lock", "")],
            &["bun-test: bun run test", "bun-lint: bun run lint"],
        ),
        (
            "pnpm by its own word",
            &[("package.json", ALL)],
            &[
                "pnpm-test: pnpm test",
                "pnpm-lint: pnpm run lint",
                "pnpm-typecheck: pnpm run typecheck",
                "pnpm-check: pnpm run check",
            ],
        ),
        (
            "a package that npm made, and scripts of other types",
            &[(
                "package.json",
                r#"{ "scripts": { "test": "echo \"Error: no test specified\" && exit 1", "lint": ["rm"], "check": " " } }"#,
            )],
            &[],
        ),
        ("a crate", &[("Cargo.toml", "[package]\nname = \"a\"\n")], &["cargo-test: cargo test"]),
        (
            "a workspace",
            &[("Cargo.toml", "[workspace]\nmembers = [\"a\"]\n")],
            &["cargo-test: cargo test --workspace"],
        ),
        (
            "python with uv",
            &[("pyproject.toml", pyproject), ("uv.lock", "")],
            &["pytest: uv run pytest", "ruff: uv run ruff check", "mypy: uv run mypy ."],
        ),
        ("python without tools", &[("pyproject.toml", "[project]\nname = \"a\"\n[tool.pdm]\n")], &[]),
        (
            "go",
            &[("go.mod", "// A comment.\nmodule example.test/a\n\ngo 1.24\n")],
            &["go-test: go test ./...", "go-vet: go vet ./..."],
        ),
        ("make", &[("Makefile", makefile)], &["make-test: make test", "make-lint: make lint"]),
        (
            "more than eight, tests first",
            &[
                ("package.json", ALL),
                ("Cargo.toml", "[package]\n"),
                ("pyproject.toml", pyproject),
                ("go.mod", "module a\n"),
                ("Makefile", makefile),
            ],
            &[
                "pnpm-test: pnpm test",
                "cargo-test: cargo test",
                "pytest: pytest",
                "go-test: go test ./...",
                "make-test: make test",
                "pnpm-lint: pnpm run lint",
                "pnpm-typecheck: pnpm run typecheck",
                "pnpm-check: pnpm run check",
            ],
        ),
        (
            "broken, huge and deep ones",
            &[
                ("package.json", &large),
                ("Cargo.toml", "[package"),
                ("pyproject.toml", &deep_toml),
                ("go.mod", "modules\n\0"),
                ("Makefile", "test\n\techo\n"),
            ],
            &[],
        ),
        (
            "hostile ones: deep, with names that lead elsewhere, and a manager that is a line",
            &[
                ("package.json", &deep),
                ("Makefile", "test; rm -rf ~:\n\techo\n$(shell touch x):\n\techo\n"),
                ("Cargo.toml", "package = 1\n[\"workspace; rm -rf ~\"]\n"),
                ("pyproject.toml", "[tool]\npytest = \"rm -rf ~\"\nruff = 1\n"),
            ],
            &["cargo-test: cargo test"],
        ),
    ];
    for (what, files, expected) in cases {
        assert_eq!(proposed(files), expected, "{what}");
    }
    let said =
        r#"{ "packageManager": "npm run x; rm -rf ~@1", "scripts": { "test; rm": "x", "test": "a" } }"#;
    assert_eq!(proposed(&[("package.json", said)]), ["npm-test: npm test"]);
}

// V1
#[cfg(unix)]
#[test]
fn a_manifest_that_is_a_pipe_a_folder_or_a_link_out_of_the_project_proposes_nothing() {
    let (outside, _) = project(&[("package.json", SCRIPTS)]);
    let (folder, project) = project(&[("go.mod/x", "")]);
    std::os::unix::fs::symlink(outside.path().join("package.json"), folder.path().join("package.json"))
        .unwrap();
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("Makefile")).status().unwrap();
    assert!(made.success());
    std::os::unix::fs::symlink("Cargo.toml", folder.path().join("Cargo.toml")).unwrap();
    assert_eq!(proposals(&project), []);
    assert_eq!(parts(&project, "npm test; make test").0, ["package.json", "Makefile"]);
}

// V1
#[test]
fn a_line_has_its_script_with_what_runs_beside_it() {
    let files: Files<'_> = &[
        ("package.json", SCRIPTS),
        (".npmrc", "script-shell=/bin/sh\n//r.test/:_authToken=secret\n"),
        ("Makefile", "test: lint\n\t./run.sh\nlint:\n\tnpm run lint\nother:\n\techo\n"),
        ("run.sh", "echo\n"),
        ("sub/package.json", r#"{ "scripts": { "test": "node t.js" } }"#),
        ("sub/t.js", "1"),
        (".cargo/config.toml", "[alias]\nxtask = \"run\"\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = \"-q\"\n[tool.black]\n"),
        ("test_a.py", "1"),
        (".orionignore", "closed.sh\n"),
        ("closed.sh", "1"),
    ];
    let (_folder, project) = project(files);
    let test = ["package.json: scripts.pretest", "package.json: scripts.lint", "package.json: scripts.test"];
    let cases: [(&str, &[&str]); 8] = [
        ("npm test", &[".npmrc", test[0], test[1], test[2]]),
        ("npm run lint -- --fix", &[".npmrc", test[1]]),
        ("cargo xtask", &[".cargo/config.toml"]),
        ("timeout 9 bash -c './run.sh'", &["run.sh"]),
        ("sh -x < run.sh", &["run.sh"]),
        ("sh *.sh | tee x", &["closed.sh", "run.sh"]),
        ("./run.sh; ./closed.sh; ./gone.sh", &["run.sh", "closed.sh"]),
        ("go test ./...", &[]),
    ];
    for (line, expected) in cases {
        assert_eq!(parts(&project, line).0, expected, "{line}");
    }
    let script = script::script(&project, &CheckCommand::Line("npm test".to_owned())).unwrap();
    assert_eq!(script.parts[0].text, "script-shell=/bin/sh\n//r.test/:_authToken=…\n");
    let argv = CheckCommand::Argv(vec!["npm".to_owned(), "test".to_owned()]);
    let other = script::script(&project, &argv).unwrap();
    assert_eq!((other.parts == script.parts, other.sha256 == script.sha256), (true, false));
}

// V1
#[test]
fn the_digest_changes_with_what_runs_and_with_nothing_else() {
    let makefile = "test: lint\n\t./run.sh\nlint:\n\tnpm run lint\nother:\n\techo\n";
    let files: Files<'_> = &[
        ("package.json", SCRIPTS),
        (".npmrc", "script-shell=/bin/sh\n//r.test/:_authToken=secret\n"),
        ("Makefile", makefile),
        ("run.sh", "echo\n"),
    ];
    let (folder, project) = project(files);
    let line = "make test && npm test";
    let before = parts(&project, line).1;
    let same: [(&str, &str); 2] = [
        ("test.js", "a new test"),
        (
            "package.json",
            r#"{ "scripts": { "pretest": "npm run lint", "test": "vitest run", "lint": "eslint .", "build": "vite" }, "a": 1 }"#,
        ),
    ];
    for (path, text) in same {
        put(&folder, &[(path, text)]);
        assert_eq!(parts(&project, line).1, before, "{path}");
        put(&folder, files);
    }
    let other: [(&str, &str); 6] = [
        ("run.sh", "echo 1\n"),
        ("Makefile", "test: lint\n\t./run.sh x\nlint:\n\tnpm run lint\n"),
        ("Makefile", "SHELL := /bin/evil\ntest: lint\n\t./run.sh\nlint:\n\tnpm run lint\nother:\n\techo\n"),
        (".npmrc", "script-shell=/bin/evil\n"),
        (
            "package.json",
            r#"{ "scripts": { "pretest": "npm run lint", "test": "vitest run", "lint": "eslint . || true" } }"#,
        ),
        (
            "package.json",
            r#"{ "scripts": { "pretest": "npm run lint", "test": "vitest run", "lint": "eslint .", "posttest": "x" } }"#,
        ),
    ];
    for (path, text) in other {
        put(&folder, &[(path, text)]);
        assert_ne!(parts(&project, line).1, before, "{path}: {text}");
        put(&folder, files);
    }
    assert_eq!(parts(&project, line).1, before);
    assert_ne!(parts(&project, "make test && npm test ").1, before);
}

// V1
#[test]
fn scripts_that_call_each_other_end_and_a_line_with_too_many_cannot_be_accepted() {
    let (folder, project) =
        project(&[("package.json", r#"{ "scripts": { "a": "npm run b", "b": "npm run a && make x" } }"#)]);
    put(&folder, &[("Makefile", "x: y\n\tnpm run a\ny: x\n\tmake x\n")]);
    let expected = ["package.json: scripts.a", "package.json: scripts.b", "Makefile"];
    assert_eq!(parts(&project, "npm run a").0, expected);
    let many = CheckCommand::Line(vec!["./a"; 4097].join(";"));
    assert!(script::script(&project, &many).unwrap_err().message.starts_with("command: "));
}

// V1
#[test]
fn a_part_that_is_hidden_from_the_line_changes_the_digest() {
    let files: Files<'_> = &[
        ("Makefile", "X := $(shell sh x.sh)\ninclude a:b.mk\ntest:\n\techo\n"),
        ("a:b.mk", "Y := 1\n"),
        ("x.sh", "echo\n"),
        ("token.sh", "token=one\n"),
        (".npmrc", "_authToken=one\n"),
        ("package.json", SCRIPTS),
        ("sub/package.json", r#"{ "scripts": { "test": "vitest" } }"#),
        (".orionignore", "closed.sh\n"),
        ("closed.sh", "1"),
        ("tools/lint.py", "1"),
    ];
    let (folder, project) = project(files);
    for (line, path) in [
        ("make test", "Makefile"),
        ("make test", "a:b.mk"),
        ("make test", "x.sh"),
        ("sh token.sh", "token.sh"),
        ("npm test", ".npmrc"),
        ("cd sub && npm test", ".npmrc"),
        ("./closed.sh", "closed.sh"),
        ("python -m tools.lint", "tools/lint.py"),
        ("/usr/bin/env bash -x x.sh", "x.sh"),
        ("cat *.sh | sh", "x.sh"),
    ] {
        let before = parts(&project, line).1;
        let text = files.iter().find(|(name, _)| *name == path).unwrap().1;
        put(&folder, &[(path, &format!("{}\n# another\n", text.replace("one", "two")))]);
        assert_ne!(parts(&project, line).1, before, "{line}: {path}");
        put(&folder, files);
    }
}

// V1
#[test]
fn a_script_that_cannot_be_told_or_is_too_large_cannot_be_accepted() {
    let (folder, project) = project(&[("Makefile", "include $(X).mk\n")]);
    std::fs::write(folder.path().join("tool"), vec![7; (16 << 20) + 1]).unwrap();
    for line in ["make", "./tool"] {
        let refused = script::script(&project, &CheckCommand::Line(line.to_owned())).unwrap_err();
        assert!(refused.message.starts_with("command: "), "{refused}");
    }
}

// V1
#[test]
fn of_a_large_or_binary_program_the_digest_counts() {
    let (folder, project) = project(&[]);
    std::fs::write(folder.path().join("tool"), vec![7; 100_000]).unwrap();
    let of = || script::script(&project, &CheckCommand::Line("./tool".to_owned())).unwrap();
    let before = of();
    assert!(before.parts[0].text.starts_with("[100000 bytes, SHA-256 "), "{before:?}");
    let mut other = vec![7; 100_000];
    other[99_999] = 8;
    std::fs::write(folder.path().join("tool"), other).unwrap();
    assert_ne!(of().sha256, before.sha256);
}
