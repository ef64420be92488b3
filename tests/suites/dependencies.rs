//! Every crate that Orion is made of, against deny.toml: its licence, its name and where it comes from.
//!
//! The file is in the form of `cargo deny`, of which only the keys below are read; a key that this suite does not know fails it. Cargo's
//! metadata has all that is needed, so no tool has to be compiled for it. Not here: known weaknesses of crates, which need a network.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use cargo_metadata::{Metadata, MetadataCommand, Package};
use serde::Deserialize;
use spdx::{Expression, ParseMode};

use crate::source_rules::root;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Policy {
    licenses: Licences,
    bans: Bans,
    sources: Sources,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Licences {
    allow: BTreeSet<String>,
    /// The crates of this repository are not published, so they need no licence of their own here.
    private: Private,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Private {
    ignore: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Bans {
    wildcards: Verdict,
    allow_wildcard_paths: bool,
    deny: Vec<Ban>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Sources {
    unknown_registry: Verdict,
    unknown_git: Verdict,
}

/// The one verdict that deny.toml may have.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Deny,
}

fn policy() -> Policy {
    toml::from_str(&fs::read_to_string(root().join("deny.toml")).unwrap()).unwrap()
}

/// Everything that Cargo.lock names, whatever system it is for.
fn everything() -> Metadata {
    let mut command = MetadataCommand::new();
    command.current_dir(root()).other_options(["--locked".to_owned()]).exec().unwrap()
}

/// The faults of a crate by this policy, in words.
fn faults(package: &Package, policy: &Policy) -> Vec<String> {
    let mut faults = Vec::new();
    let name = format!("{} {}", package.name, package.version);
    let ours = package.source.is_none();
    let private = package.publish.as_ref().is_some_and(Vec::is_empty);
    if ours && !private {
        faults.push(format!("{name} comes from a folder, and is not private to this repository"));
    }
    if let Some(source) = &package.source
        && !source.is_crates_io()
    {
        faults.push(format!("{name} comes from {source}"));
    }
    let needs_none = ours && policy.licenses.private.ignore;
    if !needs_none && !is_allowed(package.license.as_deref(), &policy.licenses.allow) {
        faults.push(format!("{name} has the licence {:?}", package.license));
    }
    if let Some(ban) = policy.bans.deny.iter().find(|ban| ban.name == *package.name) {
        faults.push(format!("{name} is banned: {}", ban.reason));
    }
    let Verdict::Deny = policy.bans.wildcards;
    if ours {
        let any = package.dependencies.iter().filter(|needed| needed.req.comparators.is_empty());
        let any = any.filter(|needed| !(policy.bans.allow_wildcard_paths && needed.path.is_some()));
        faults.extend(any.map(|needed| format!("{name} takes any version of {}", needed.name)));
    }
    faults
}

/// True when a crate's licence can be met with allowed ones alone.
fn is_allowed(licence: Option<&str>, allowed: &BTreeSet<String>) -> bool {
    // Some older crates write `MIT/Apache-2.0`.
    let mode = ParseMode { allow_slash_as_or_operator: true, ..ParseMode::STRICT };
    let parsed = licence.and_then(|licence| Expression::parse_mode(licence, mode).ok());
    parsed.is_some_and(|needed| needed.evaluate(|one| allowed.contains(&one.to_string())))
}

#[test]
fn every_crate_has_a_licence_a_name_and_a_source_that_deny_toml_allows() {
    let (everything, policy) = (everything(), policy());
    let (Verdict::Deny, Verdict::Deny) = (&policy.sources.unknown_registry, &policy.sources.unknown_git);
    let locked = fs::read_to_string(root().join("Cargo.lock")).unwrap().matches("[[package]]").count();
    assert_eq!(everything.packages.len(), locked, "not every crate was looked at");
    let faults: Vec<String> =
        everything.packages.iter().flat_map(|package| faults(package, &policy)).collect();
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn a_licence_is_allowed_if_one_way_to_meet_it_is() {
    let allowed = BTreeSet::from(["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned));
    for licence in [
        "MIT",
        "MIT OR GPL-3.0-only",
        "MIT/Apache-2.0",
        "(MIT OR BSL-1.0) AND Apache-2.0",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(is_allowed(Some(licence), &allowed), "{licence}");
    }
    for licence in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "MIT WITH Classpath-exception-2.0", "mine", ""] {
        assert!(!is_allowed(Some(licence), &allowed), "{licence}");
    }
    assert!(!is_allowed(None, &allowed));
}

#[test]
fn a_crate_that_is_banned_from_elsewhere_or_of_any_version_is_named() {
    let policy = policy();
    let said = |facts: serde_json::Value| {
        let mut package = serde_json::json!({
            "name": "it", "version": "1.0.0", "id": "it", "license": "MIT", "dependencies": [], "targets": [], "features": {},
            "manifest_path": "/it/Cargo.toml", "source": "registry+https://github.com/rust-lang/crates.io-index",
        });
        package.as_object_mut().unwrap().extend(facts.as_object().unwrap().clone());
        faults(&serde_json::from_value(package).unwrap(), &policy)
    };
    assert_eq!(said(serde_json::json!({})), Vec::<String>::new());
    let any = serde_json::json!({
        "name": "other", "req": "*", "kind": null, "optional": false, "uses_default_features": true, "features": [], "target": null,
    });
    let ours = serde_json::json!({ "source": null, "publish": [], "dependencies": [any] });
    assert_eq!(said(ours), ["it 1.0.0 takes any version of other"]);
    let causes = BTreeMap::from([
        (
            serde_json::json!({ "license": "GPL-3.0-only" }).to_string(),
            "has the licence Some(\"GPL-3.0-only\")",
        ),
        (serde_json::json!({ "license": null }).to_string(), "has the licence None"),
        (serde_json::json!({ "name": "native-tls" }).to_string(), "is banned: TLS is rustls"),
        (
            serde_json::json!({ "source": "git+https://example.org/it#0" }).to_string(),
            "comes from git+https://example.org/it#0",
        ),
        (
            serde_json::json!({ "source": null, "publish": null }).to_string(),
            "is not private to this repository",
        ),
    ]);
    for (facts, cause) in causes {
        let said = said(serde_json::from_str(&facts).unwrap());
        assert!(said.len() == 1 && said[0].ends_with(cause), "{facts}: {said:?}");
    }
}
