//! Canonical signatures and the paths in them (D1).

use crate::common::{ids, parsed, parsed_below, tool};
use orion_core::signature::{PathError, digest, project_relative, signature};
use orion_protocol::{Permission, ProjectId, Signature};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn sign(name: &str, arguments: Value) -> Signature {
    let spec = tool("read", Permission::Allow);
    signature(name, parsed(Some(&spec), &arguments).value(), ids().project_id)
}

#[test]
fn calls_that_mean_the_same_have_the_same_signature() {
    let one = sign("read", json!({"path": "src/a.rs", "line": 1}));
    for same in [
        json!({"line": 1, "path": "src/a.rs"}),
        json!({"path": "./src//a.rs"}),
        json!({"path": "src/../src/./a.rs", "line": null}),
        json!({"path": "/project/src/a.rs", "line": 1.0}),
        json!({"path": "src/a.rs", "glob": null}),
    ] {
        assert_eq!(sign("read", same.clone()), one, "{same}");
    }
    assert_eq!(one, Signature("read:30ef22b7c0d74e84".to_owned()));
}

#[test]
fn calls_that_differ_have_different_signatures() {
    let one = sign("read", json!({"path": "a"}));
    for other in [
        json!({"path": "b"}),
        json!({"path": "a", "line": 2}),
        json!({"path": "a", "x": 1}),
        json!({"path": "A"}),
    ] {
        assert_ne!(sign("read", other.clone()), one, "{other}");
    }
    let arguments = object(json!({"path": "a"}));
    let elsewhere: ProjectId = "01900000-0000-7000-8000-000000000009".parse().unwrap();
    assert_ne!(signature("read", &arguments, elsewhere), signature("read", &arguments, ids().project_id));
    assert_ne!(
        signature("list", &arguments, elsewhere).0.split_once(':').unwrap().1,
        signature("read", &arguments, elsewhere).0.split_once(':').unwrap().1,
    );
}

#[test]
fn normal_arguments_have_defaults_and_relative_paths_and_keep_the_rest() {
    let spec = tool("read", Permission::Allow);
    let normal = |arguments: Value| Value::Object(parsed(Some(&spec), &arguments).value().clone());
    assert_eq!(normal(json!({})), json!({"path": ".", "line": 1}));
    assert_eq!(normal(json!({"path": "/project", "line": 0})), json!({"path": ".", "line": 0}));
    assert_eq!(
        normal(json!({"path": "../up", "more": [1]})),
        json!({"path": "../up", "line": 1, "more": [1]})
    );
    assert_eq!(normal(json!({"path": 7})), json!({"path": 7, "line": 1}));
    let unknown = json!({"path": "./a", "line": null});
    assert_eq!(Some(parsed(None, &unknown).value()), unknown.as_object(), "nothing is known of it");
    let mut other = tool("read", Permission::Allow);
    other.parameters = json!({"properties": {"name": {"type": "string", "format": "path", "default": null}}});
    let named = json!({"name": "./a"});
    assert_eq!(Some(parsed(Some(&other), &named).value()), named.as_object(), "a tool says which are paths");
    assert!(parsed(Some(&other), &json!({})).value().is_empty(), "a default of null is none");
}

#[test]
fn paths_are_brought_to_one_form_or_refused() {
    let relative = |path: &str| project_relative(path, "/home/me/project");
    for (path, expected) in [
        ("", ""),
        (".", ""),
        ("a", "a"),
        ("a/", "a"),
        ("./a//b/./c", "a/b/c"),
        ("a/../b", "b"),
        ("a/b/../..", ""),
        ("/home/me/project", ""),
        ("/home/me/project/", ""),
        ("/home/me/project/a/../b", "b"),
        ("...", "..."),
        ("..a", "..a"),
    ] {
        assert_eq!(relative(path).as_deref(), Ok(expected), "{path}");
    }
    for path in [
        "..",
        "a/../..",
        "../project/a",
        "/",
        "/etc/passwd",
        "/home/me/project2",
        "/home/me/project/../x",
        "/home/me",
    ] {
        assert_eq!(relative(path), Err(PathError::Outside), "{path}");
    }
    assert_eq!(relative("a\0b"), Err(PathError::Nul));
    assert_eq!(project_relative("/a", "/").as_deref(), Ok("a"));
    assert_eq!(project_relative("/project/a", "/project/").as_deref(), Ok("a"));
}

#[test]
fn below_a_root_of_windows_a_backslash_stands_between_names() {
    for root in [r"C:\Users\Me\project", r"\\?\C:\Users\Me\project", r"\\server\share\project"] {
        for (path, expected) in [
            (r"src\a.rs", "src/a.rs"),
            (r".\src\\b\..\a.rs", "src/a.rs"),
            (r"src/b\..\a.rs", "src/a.rs"),
            (r"src\", "src"),
            (r"c:a.rs", "c:a.rs"),
            (r#""a\x0b.rs""#, r#""a\x0b.rs""#),
            (root, ""),
            (&root.to_uppercase(), ""),
            (&root.to_lowercase().replace('\\', "/"), ""),
            (&format!(r"{root}\src\a.rs"), "src/a.rs"),
            (&format!("{}/src/../Ä.rs", root.to_lowercase()), "Ä.rs"),
        ] {
            assert_eq!(project_relative(path, root).as_deref(), Ok(expected), "{path} in {root}");
        }
        for path in [
            r"..\a.rs",
            r"src\..\..\a.rs",
            r"\a.rs",
            r"/a.rs",
            r"D:\Users\Me\project\a.rs",
            r"C:\",
            r"C:/Users/Me",
            r"\\other\share\project\a.rs",
            r"\\.\C:\Users\Me\project\a.rs",
            &format!("{root}2"),
            &format!(r"{root}\..\other"),
            &format!("{}Ä", &root[..root.len() - 1]),
        ] {
            assert_eq!(project_relative(path, root), Err(PathError::Outside), "{path} in {root}");
        }
    }
    assert_eq!(project_relative(r"c:\a", r"C:\").as_deref(), Ok("a"));
    let spec = tool("read", Permission::Allow);
    let signed = |path: &str, root: &str| {
        let arguments = parsed_below(Some(&spec), &json!({"path": path}), root);
        signature("read", arguments.value(), ids().project_id)
    };
    assert_eq!(signed(r"src\a.rs", r"C:\project"), signed("src/a.rs", r"C:\project"));
    // Elsewhere it is a character of a name, and names have the case that they have.
    assert_eq!(project_relative(r"src\a.rs", "/project").as_deref(), Ok(r"src\a.rs"));
    assert_eq!(project_relative("C:/a.rs", "/project").as_deref(), Ok("C:/a.rs"));
    assert_eq!(project_relative("/Project/a.rs", "/project"), Err(PathError::Outside));
}

#[test]
fn a_path_has_one_form_however_it_is_quoted() {
    // D1
    let spec = tool("read", Permission::Allow);
    for (path, normal) in [
        ("a\tb", r#""a\tb""#),
        ("./a\tb", r#""a\tb""#),
        ("/project/a\tb", r#""a\tb""#),
        (r#""a\tb""#, r#""a\tb""#),
        (r"src\a.rs", r#""src\\a.rs""#),
        (r#""a""#, r#""\"a\"""#),
        (r#""a\x09b""#, r#""\"a\\x09b\"""#),
        ("a b", "a b"),
        (".", "."),
        ("../a\tb", "../a\tb"),
        // Refused as what it is.
        (r"C:\a", r"C:\a"),
        (r"\\server\share", r"\\server\share"),
    ] {
        let arguments = parsed(Some(&spec), &json!({ "path": path }));
        assert_eq!(arguments.value()["path"], json!(normal), "{path}");
        let again = Value::Object(arguments.value().clone());
        assert_eq!(parsed(Some(&spec), &again), arguments, "{path}");
    }
}

#[test]
fn a_digest_is_the_sha_256_of_the_text() {
    assert_eq!(digest("abc").to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

proptest! {
    #[test]
    fn a_normal_path_is_its_own_normal_form_and_stays_inside(path in "[a./]{0,12}") {
        if let Ok(normal) = project_relative(&path, "/project") {
            prop_assert!(normal.split('/').all(|part| part != ".." && part != "."));
            prop_assert!(!normal.starts_with('/') && !normal.ends_with('/'));
            let again = project_relative(&normal, "/project");
            prop_assert_eq!(again, Ok(normal));
        }
    }

    #[test]
    fn key_order_and_white_space_do_not_matter(pairs in prop::collection::hash_map("[a-z]{1,3}", any::<i64>(), 0..5)) {
        let mut listed: Vec<_> = pairs.iter().collect();
        listed.sort();
        let forward: Vec<String> = listed.iter().map(|(key, value)| format!("{key:?}:{value}")).collect();
        let backward: Vec<String> = listed.iter().rev().map(|(key, value)| format!(" {key:?} : {value} ")).collect();
        let parse = |parts: &[String]| object(serde_json::from_str(&format!("{{{}}}", parts.join(","))).unwrap());
        let project = ids().project_id;
        prop_assert_eq!(signature("t", &parse(&forward), project), signature("t", &parse(&backward), project));
    }
}
