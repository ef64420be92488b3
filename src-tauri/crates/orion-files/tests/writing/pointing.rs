//! Links whose names always ask and which lead to the target of a write (A1).

use std::os::unix::fs::symlink;
use std::path::Path;

use orion_files::writing::always_asks;
use orion_protocol::WriteOperation::{Create, Overwrite};

use crate::site::Site;

impl Site {
    /// Makes a link, and the folders on the way to it.
    fn link(&self, name: &str, to: impl AsRef<Path>) {
        let at = self.at(name);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        symlink(to, at).unwrap();
    }

    /// Why a write to this file asks, whether it is there or not.
    fn asks(&self, name: &str) -> Option<&'static str> {
        let found = self.target(name, if self.at(name).exists() { Overwrite } else { Create });
        found.always_asks
    }

    fn why(&self, name: &str) -> &'static str {
        always_asks(&self.project, &self.path(name)).unwrap()
    }
}

#[test]
fn a_write_asks_for_the_reason_of_each_name_that_leads_to_its_file() {
    for (link, to, target, named) in [
        ("AGENTS.md", "docs/rules.md", "docs/rules.md", "AGENTS.md"),
        ("docs/AGENTS.md", "rules.md", "docs/rules.md", "AGENTS.md"),
        ("docs/deep/AGENTS.md", "a/../rules.md", "docs/deep/rules.md", "AGENTS.md"),
        (".vscode/tasks.json", "../x.json", "x.json", ".vscode/tasks.json"),
        (".vscode/deep/er/a", "../../../x.json", "x.json", ".vscode/a"),
        (".github/workflows", "../ci", "ci/a.yml", ".github/workflows/a.yml"),
        (".github/workflows", "../ci", "ci/deep/a.yml", ".github/workflows/a.yml"),
        (".github", "gh", "gh/workflows/a.yml", ".github/workflows/a.yml"),
        ("config", "c.txt", "c.txt", "config"),
        ("hooks", "scripts", "scripts/pre-commit", "hooks/a"),
        (".git/hooks", "../scripts", "scripts/pre-commit", ".git/hooks/a"),
        ("mise", "tools", "tools/config.toml", "mise/config.toml"),
        // Other programs follow what leads out of the folder and back into it.
        (".envrc", "../project/x", "x", ".envrc"),
        // In folders that neither lead to the target nor matter by their names.
        ("sub/deep/AGENTS.md", "../../docs/rules.md", "docs/rules.md", "AGENTS.md"),
    ] {
        // `config` and `hooks` are of a repository beside a `HEAD` alone.
        let site = Site::with([("HEAD", b"")]);
        // Where nothing is yet, the link leads to nothing.
        assert_eq!(site.asks(target), None, "{target}");
        site.link(link, to);
        assert_eq!(site.asks(target), Some(site.why(named)), "{link}, before {target}");
        site.put(target, b"old");
        assert_eq!(site.asks(target), Some(site.why(named)), "{link}, with {target}");
        assert_eq!(site.asks("other/file.txt"), None, "{link}");
    }
}

#[test]
fn rules_that_are_kept_elsewhere_are_rules() {
    let site = Site::with([("rules.txt", b"closed\n")]);
    site.link(".orionignore", "rules.txt");
    assert_eq!(site.asks("rules.txt"), Some(site.why(".orionignore")));
}

#[test]
fn an_absolute_link_back_into_the_project_counts() {
    let site = Site::with([("x", b"")]);
    site.link("AGENTS.md", site.at("x"));
    assert_eq!(site.asks("x"), Some(site.why("AGENTS.md")));
}

#[test]
fn links_that_lead_through_links_count() {
    let site = Site::with([("x.json", b""), ("ci/a", b""), ("shared/a.yml", b"")]);
    site.link("AGENTS.md", "second");
    site.link("second", "third/real.md");
    site.link("third", "docs");
    assert_eq!(site.asks("docs/real.md"), Some(site.why("AGENTS.md")));
    // A folder with the name of an editor's, which is elsewhere and holds the link.
    site.link(".vscode", "conf");
    site.link("conf/tasks.json", "../x.json");
    assert_eq!(site.asks("x.json"), Some(site.why(".vscode/tasks.json")));
    site.link(".github/workflows", "../ci");
    site.link("ci/more", "../shared");
    assert_eq!(site.asks("shared/a.yml"), Some(site.why(".github/workflows/a.yml")));
}

#[test]
fn a_target_that_is_named_by_a_link_is_judged_by_all_its_names() {
    let site = Site::with([("docs/rules.md", b"")]);
    site.link("harmless.md", "docs/rules.md");
    assert_eq!(site.asks("harmless.md"), None);
    site.link("CLAUDE.md", "docs/rules.md");
    assert_eq!(site.asks("harmless.md"), Some(site.why("CLAUDE.md")));
}

#[test]
fn links_that_lead_elsewhere_ask_nothing() {
    let site = Site::with([("docs/rules.md", b""), ("docs/rules.md.txt", b""), ("a/package.json", b"{}")]);
    site.link("AGENTS.md", "docs/rules.md");
    site.link("CLAUDE.md", "../elsewhere");
    site.link(".envrc", "/dev/null");
    site.link(".vscode/tasks.json", "tasks.json");
    site.link("hooks", "hooks");
    site.link("notes", "docs");
    for name in ["docs/rules.md.txt", "docs/other.md", "docs/deep/rules.md", "rules.md", "x"] {
        assert_eq!(site.asks(name), None, "{name}");
    }
}

#[test]
fn a_manifest_that_is_a_link_is_compared_as_a_manifest() {
    let old = br#"{"name":"a"}"#;
    let site = Site::with([("p.json", old), ("q.json", old)]);
    site.link("package.json", "p.json");
    let asks = |name: &str, content: &str| site.compose(name, Overwrite, content).unwrap().always_asks;
    let (harmless, runs) = (r#"{"name":"b"}"#, r#"{"name":"a","scripts":{"postinstall":"evil"}}"#);
    assert_eq!(asks("p.json", harmless), None);
    assert_eq!(asks("p.json", runs), Some("a package manifest, and what it runs changes"));
    assert_eq!(asks("q.json", runs), None);
}

#[test]
fn where_too_much_would_have_to_be_looked_through_the_write_asks() {
    let site = Site::empty();
    for number in 0..10_001 {
        site.put(&format!("many/{number}"), b"");
    }
    assert_eq!(site.asks("other/a.txt"), None, "these entries are not in the way");
    let why = site.asks("many/a.txt").unwrap();
    assert_eq!(why, "a file to which links may lead; Orion could not look for all of them");
    // The same by the name of a folder.
    site.link(".vscode", "many");
    assert_eq!(site.asks("other/a.txt"), Some(why));
}

/// A folder of another user cannot be read.
#[cfg(target_os = "linux")]
#[test]
fn where_a_folder_that_matters_cannot_be_read_the_write_asks() {
    use std::os::unix::fs::PermissionsExt;

    use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};

    let none = CapabilitySet::empty();
    let site = Site::with([("x", b""), (".vscode/a", b""), ("drop/old", b"")]);
    let [closed, open] = [0o300, 0o755].map(std::fs::Permissions::from_mode);
    let set =
        |name, mode: &std::fs::Permissions| std::fs::set_permissions(site.at(name), mode.clone()).unwrap();
    // Root may read every folder.
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none }).unwrap();
    assert_eq!(site.asks("x"), None);
    set(".vscode", &closed);
    let why = site.asks("x").unwrap();
    assert!(why.starts_with("a file to which links may lead"), "{why}");
    set(".vscode", &open);
    // One that matters only on the way to its own files.
    set("drop", &closed);
    assert_eq!((site.asks("x"), site.asks("drop/old")), (None, Some(why)));
    set("drop", &open);
    assert_eq!(site.asks("drop/old"), None);
}

#[test]
fn links_that_lead_in_circles_end() {
    let site = Site::with([("x", b"")]);
    for name in ["a", "b", "c"] {
        site.link(&format!(".vscode/{name}"), ".");
    }
    assert!(site.asks("x").is_some(), "there are more ways than are looked through");
    let site = Site::with([("x", b"")]);
    site.link(".vscode/a", ".");
    assert_eq!(site.asks("x"), None);
    site.link(".vscode/b", "../x");
    assert_eq!(site.asks("x"), Some(site.why(".vscode/b")));
}

#[test]
fn the_objects_of_a_repository_are_not_in_the_way() {
    let site = Site::with([("x", b"")]);
    for number in 0..10_001 {
        site.put(&format!(".git/objects/{}/{number}", number % 100), b"");
    }
    assert_eq!(site.asks("x"), None);
}
