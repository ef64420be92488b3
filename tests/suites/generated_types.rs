//! The UI's types are what Rust says they are.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use orion_protocol::{
    Answer, Envelope, ErrorInfo, FORM_FILE, Op, Outcome, Pending, Query, TurnIds, Update, form,
};
use support::Folder;
use ts_rs::{Config, TS};

fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap_or_else(|error| panic!("{}: {error}", next.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                files.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    files
}

/// What the commands of the webview take and give, what the window makes of events, and all that these are made of.
fn export(config: &Config) {
    Op::export_all(config).unwrap();
    Outcome::export_all(config).unwrap();
    Query::export_all(config).unwrap();
    Answer::export_all(config).unwrap();
    Update::export_all(config).unwrap();
    Envelope::export_all(config).unwrap();
    ErrorInfo::export_all(config).unwrap();
    TurnIds::export_all(config).unwrap();
    Pending::export_all(config).unwrap();
    fs::write(config.out_dir().join(FORM_FILE), form()).unwrap();
}

#[test]
fn the_types_of_the_ui_are_those_that_rust_generates_now() {
    let fresh = Folder::empty();
    export(&Config::from_env().with_out_dir(fresh.path()));
    let kept = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/src/lib/generated"));
    let fresh = files(&fresh.path());
    let stale: Vec<&String> =
        fresh.iter().filter(|(name, text)| kept.get(*name) != Some(text)).map(|(name, _)| name).collect();
    let extra: Vec<&String> = kept.keys().filter(|name| !fresh.contains_key(*name)).collect();
    assert!(
        stale.is_empty() && extra.is_empty(),
        "ui/src/lib/generated is stale: {stale:?} differ and {extra:?} are no more; run `cargo xtask types`"
    );
}
