//! Embeds the window's assets and checks its capabilities. The layout is not Tauri's usual one (the manifest is a folder up),
//! so the two folders are named here.

use tauri_build::{AppManifest, Attributes};

fn main() {
    let commands = AppManifest::new().permissions_path_pattern("src-tauri/permissions/*.toml");
    let attributes = Attributes::new()
        .capabilities_path_pattern("src-tauri/capabilities/**/*.json")
        .app_manifest(commands);
    if let Err(fault) = tauri_build::try_build(attributes) {
        println!("cargo::error={fault:#}");
    }
}
